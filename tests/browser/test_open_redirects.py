"""Open redirects in a real browser: under a ``local`` rule, no published payload leaves the site."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from browser.chromium import GUNICORN, PATIENCE, Browser, serving
from postel.uri import encode_component
from toolkit.test_local import PAYLOADS

pytestmark = pytest.mark.browser

# Every second payload, to save time. Those with a lone surrogate cannot be escaped in UTF-8.
SENT: Final = [each for each in PAYLOADS if each.isprintable() or each.isascii()][::2]


@dataclass(frozen=True)
class Sites:
    bare: Browser
    behind: Browser


@pytest.fixture(scope="module")
def sites(driver: Any) -> Iterator[Sites]:
    with serving(f"{GUNICORN} redirecting:bare", f"{GUNICORN} redirecting:behind") as servers:
        yield Sites(*(Browser(driver, f"http://127.0.0.1:{server.port}") for server in servers))


def follow(site: Browser, reference: str) -> set[str]:
    """Log in, and return the origins that the browser requested or tried to request."""
    site.asked()  # Forget the requests of earlier tests.
    urls: set[str] = set()

    def logged(_: Any) -> bool:
        urls.update(site.asked())
        return any(each.startswith(f"{site.origin}/login?") for each in urls)

    try:
        site.driver.get(f"{site.origin}/login?next={encode_component(reference)}")
    except WebDriverException as error:
        assert "net::ERR_" in str(error), error  # noqa: PT017 - other hosts do not exist
    WebDriverWait(site.driver, PATIENCE).until(logged)
    # The pictures on the browser's own error page are data URLs.
    split = [urlsplit(each) for each in urls if not each.startswith(("chrome:", "data:"))]
    return {f"{url.scheme}://{url.netloc}" for url in split}


def test_there_are_enough_payloads() -> None:
    assert len(SENT) >= 60


def test_behind_a_local_rule_no_payload_leaves(sites: Sites) -> None:
    assert {
        each: asked for each in SENT if (asked := follow(sites.behind, each)) != {sites.behind.origin}
    } == {}


def test_without_postel_many_payloads_leave(sites: Sites) -> None:
    """Stop at the fifteenth, because a browser waits long for a host that does not exist."""
    leaving = (each for each in SENT if follow(sites.bare, each) != {sites.bare.origin})
    assert len(list(itertools.islice(leaving, 15))) == 15


@pytest.mark.parametrize("site", ["bare", "behind"])
def test_an_ordinary_reference_is_followed(sites: Sites, site: str) -> None:
    browser: Browser = getattr(sites, site)
    assert follow(browser, "/cart?x=1&y=%2F") == {browser.origin}
    [answer] = WebDriverWait(browser.driver, PATIENCE).until(
        lambda driver: driver.find_elements(By.TAG_NAME, "pre")
    )
    assert browser.driver.current_url == f"{browser.origin}/cart?x=1&y=%2F"
    assert json.loads(answer.text) == [["x", "1"], ["y", "/"]]
