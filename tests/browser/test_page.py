"""The page of a scan in a real browser: without complaints, without other requests, correct and inert."""

from __future__ import annotations

import http.server
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scan.lines import PROGRAM, SITE, combined
from terminal import run

pytestmark = pytest.mark.browser

MARKUP = (
    b"<script>document.title='owned'</script>",
    b"\"><img src=x onerror=document.title='owned'>",
    b"'><svg/onload=document.title='owned'>",
    b"</code></details><h1>owned</h1>",
    b"javascript:document.title='owned'",
    b"<style>*{display:none}</style>",
    b"<link rel=stylesheet href=//203.0.113.9/x.css>",
    b"<meta http-equiv=refresh content=0;url=//203.0.113.9/>",
)
LOG = b"\n".join(
    [
        *(
            combined(b"/units/kg%%2F%d" % number, referer=SITE, client=b"c%d" % number)
            for number in range(20)
        ),
        *(combined(b"/%00/" + piece, referer=piece, agent=piece, client=piece) for piece in MARKUP),
        *(combined(b"/x?q=%C4" + piece, agent=PROGRAM, status=404) for piece in MARKUP),
        *(combined(b"/articles/%d" % number) for number in range(150)),
        *(b"nonsense " + piece for piece in MARKUP),
    ]
)


@dataclass(frozen=True)
class Page:
    browser: Any
    told: dict[str, Any]
    asked: list[str]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    chromium = os.environ.get("POSTEL_CHROMIUM") or shutil.which("chromium")
    driver = os.environ.get("POSTEL_CHROMEDRIVER") or shutil.which("chromedriver")
    if not (chromium and driver):
        (pytest.fail if os.environ.get("POSTEL_REQUIRE_BROWSER") else pytest.skip)(
            "Chromium is not installed"
        )
    from selenium import webdriver  # noqa: PLC0415 - only the environment of these tests has it

    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for flag in (
            *("headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-sync"),
            *("disable-background-networking", "disable-component-update", f"user-data-dir={profile}"),
            *("window-size=1100,1400", "disable-dev-shm-usage"),
        ):
            options.add_argument(f"--{flag}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        made = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        try:
            yield made
        finally:
            made.quit()


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("page")
    ended = run("scan", "--json", "--html", str(folder / "report.html"), given=LOG)
    assert (ended.code, ended.err) == (0, "")
    asked: list[str] = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments, directory=folder)

        def log_message(self, *words: Any) -> None:
            asked.append(self.path)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            browser.get("about:blank")
            browser.get_log("performance")  # The browser requests this by itself when it starts.
            browser.get(f"http://127.0.0.1:{server.server_port}/report.html")
            browser.execute_script(
                "for (const each of document.querySelectorAll('details')) each.open = true"
            )
            yield Page(browser, json.loads(ended.out), asked)
        finally:
            server.shutdown()
            thread.join()


def test_nothing_but_the_page_is_requested(page: Page) -> None:
    """The browser sends no other request, neither to the server of the page nor elsewhere."""
    messages = [json.loads(each["message"])["message"] for each in page.browser.get_log("performance")]
    urls = [
        each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"
    ]
    assert [url.rpartition("/")[2] for url in urls if not url.startswith("data:")] == ["report.html"]
    assert set(page.asked) == {"/report.html"}


def test_the_console_is_empty(page: Page) -> None:
    assert page.browser.get_log("browser") == []


def test_the_figures_of_the_page_equal_those_of_the_json_report(page: Page) -> None:
    figures = page.browser.execute_script(
        "return [...document.querySelectorAll('[data-figure]')]"
        ".map(each => [each.dataset.figure, each.value, each.textContent])"
    )
    seen = set()
    for place, value, text in figures:
        there: Any = page.told
        for step in place.split("."):
            there = there[int(step) if isinstance(there, list) else step]
        assert (int(value), text.replace(",", "")) == (there, str(there)), place
        seen.add(place)
    kinds = range(len(page.told["kinds"]))
    assert seen >= {
        *("requests", "clients", "clean", "lines", "refused_senders.people", "refused_senders.unclear"),
        *(f"refused.{name}" for name in page.told["refused"]),
        *(f"unreadable.{name}" for name in page.told["unreadable"]),
        *(f"kinds.{number}.requests" for number in kinds),
        *(f"kinds.{number}.clients" for number in kinds),
        *(
            f"kinds.{number}.refused_by.{name}"
            for number in kinds
            for name in ("strict", "standard", "lenient")
        ),
        *(
            f"kinds.{number}.{top}.{place}.requests"
            for number in kinds
            for top in ("routes", "agents", "referers")
            for place in range(len(page.told["kinds"][number][top]))
        ),
    }


def test_the_bars_are_as_long_as_their_figures(page: Page) -> None:
    """The width of each bar is the share of its policy in the requests."""
    widths = page.browser.execute_script(
        "return [...document.querySelectorAll('rect.refused')].filter(each => each.closest('td'))"
        ".map(each => each.getBoundingClientRect().width / each.closest('svg').getBoundingClientRect().width)"
    )
    shares = [count / page.told["requests"] for count in page.told["refused"].values()]
    assert widths == pytest.approx(shares, abs=0.005)
    assert max(widths) > 0.1


def test_markup_that_clients_have_sent_is_inert(page: Page) -> None:
    """The page shows it as text."""
    assert page.browser.title == "postel scan"
    counts = page.browser.execute_script(
        "return ['script', 'img', 'iframe', 'a', 'object', 'form', '[onload]', '[onerror]', '[style]', "
        "'style', 'h1', 'link', 'meta'].map(each => document.querySelectorAll(each).length)"
    )
    assert counts == [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 4]
    text = page.browser.execute_script("return document.body.textContent")
    assert "<script>document.title='owned'</script>" in text
    assert "</code></details><h1>owned</h1>" in text


def test_the_content_security_policy_of_the_page_blocks_markup(page: Page) -> None:
    """The policy is a second barrier behind the escapes: even unescaped markup would not run."""
    page.browser.execute_script(
        "const each = document.createElement('div');"
        'each.innerHTML = \'<img src=/x onerror="document.title=1"><p style="color: red">x</p>\';'
        "document.body.append(each);"
    )
    assert page.browser.title == "postel scan"
    assert "/x" not in page.asked
    blocked = [each["message"] for each in page.browser.get_log("browser")]
    assert any("Content Security Policy" in each for each in blocked)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_have_enough_contrast(page: Page, scheme: str) -> None:
    """Text and background have the contrast that WCAG 2.2 requires: 4.5 to 1 (success criterion 1.4.3)."""
    page.browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    colours = page.browser.execute_script(
        "const of = (each, name) => getComputedStyle(each)[name];"
        "const sheet = document.querySelector('.card');"
        "return [...document.querySelectorAll('h1, .soft, .chip, td, code, th, summary')].map(each => "
        "[of(each, 'color'), of(sheet, 'backgroundColor'), of(document.body, 'backgroundColor')])"
    )
    assert len(colours) > 50
    for ink, sheet, ground in {tuple(each) for each in colours}:
        assert contrast(ink, sheet) >= 4.5
        assert contrast(ink, ground) >= 4.5
    assert (luminance(colours[0][2]) < 0.1) == (scheme == "dark")


def luminance(colour: str) -> float:
    channels = [int(each) / 255 for each in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_the_page_works_as_a_file(page: Page, tmp_path: Path) -> None:
    """The page also works as a file on disk, such as an attachment of a mail."""
    run("scan", "--html", str(tmp_path / "report.html"), given=LOG)
    page.browser.get_log("browser")
    page.browser.get((tmp_path / "report.html").as_uri())
    assert page.browser.get_log("browser") == []
    assert page.browser.find_elements("css selector", "[data-figure=requests]")[0].text == str(
        page.told["requests"]
    )
