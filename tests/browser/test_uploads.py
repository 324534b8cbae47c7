"""Multipart forms of a real browser, on real servers: read as typed, and handed on octet for octet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from browser.chromium import GUNICORN, PATIENCE, Browser, serving

pytestmark = pytest.mark.browser

SERVERS: Final = {
    "starlette": "uvicorn --http h11 --no-access-log --fd {fd} uploaded:starlette_app",
    "flask": f"{GUNICORN} uploaded:flask_app",
}
OCTETS: Final = bytes(range(256)) + b"\r\n--x\r\n\r\n------WebKitFormBoundary--\r\n\n\r"
QUOTED: Final = 'Grüße "für" 東京.txt'
FILES: Final = [
    ("empty", "leer.txt", b""),
    ("quoted", QUOTED, OCTETS),
    ("several", "eins.bin", b"\r\n" * 3),
    ("several", "zwei ä.bin", OCTETS[::-1] * 100),
]
SIZE: Final = "Größe: 50 % & mehr; “so” 😀"
LINES: Final = "Zeile eins\n\nÄrger = 100%25\n"
# A browser sends CR LF for every line break (HTML, "Constructing the entry list" and "multipart/form-data").
TEXTS: Final = [["größe", SIZE], ["text", LINES.replace("\n", "\r\n")]]
FETCH: Final = """
const [texts, files, done] = arguments;
const form = new FormData();
for (const [name, text] of texts) form.append(name, text);
for (const [name, filename, octets] of files) form.append(name, new File([new Uint8Array(octets)], filename));
const answered = async (response) => [response.status, await response.text()];
fetch("/upload", {method: "POST", body: form, headers: {Accept: "application/json"}})
  .then(answered)
  .then(done, (error) => done([0, String(error)]));
"""


@dataclass(frozen=True)
class Site:
    framework: str
    browser: Browser

    def files(self, *more: tuple[str, str, bytes]) -> list[list[str]]:
        """Return what the framework reads of the files.

        Browsers write ``%22`` for a quote, and Flask undoes it.
        """
        quote = '"' if self.framework == "flask" else "%22"
        return [
            [name, filename.replace('"', quote), content.hex()] for name, filename, content in [*FILES, *more]
        ]


@pytest.fixture(scope="module")
def sites(driver: Any) -> Iterator[dict[str, Site]]:
    with serving(*SERVERS.values()) as servers:
        yield {
            framework: Site(framework, Browser(driver, f"http://127.0.0.1:{server.port}"))
            for framework, server in zip(SERVERS, servers, strict=True)
        }


@pytest.fixture(params=SERVERS)
def site(request: pytest.FixtureRequest, sites: dict[str, Site]) -> Site:
    """One of the sites, with its page open."""
    found = sites[request.param]
    found.browser.open("/")
    return found


def fetch(driver: Any, texts: list[Any], files: list[tuple[str, str, bytes]]) -> tuple[int, Any]:
    """Let the page send a form with ``fetch``, and return the status and the JSON of the answer."""
    listed = [(name, filename, list(content)) for name, filename, content in files]
    status, answer = driver.execute_async_script(FETCH, texts, listed)
    assert status, answer
    return status, json.loads(answer)


def check(read: dict[str, Any], files: list[list[str]]) -> None:
    assert read["texts"] == TEXTS
    assert sorted(read["files"]) == sorted(files)
    assert [each for each in read["files"] if each[0] == "several"] == [
        each for each in files if each[0] == "several"
    ]
    assert read["handed"] == read["sent"]
    assert int(read["sent"].split()[0]) > sum(len(content) for _, _, content in FILES)
    assert read["findings"] == []


def test_a_form_that_a_visitor_fills_in_is_read_as_typed(driver: Any, site: Site, tmp_path: Path) -> None:
    for name, text in [("größe", SIZE), ("text", LINES)]:
        # chromedriver cannot type characters beyond the BMP.
        driver.execute_script("arguments[0].value = arguments[1]", driver.find_element(By.NAME, name), text)
    for name in ("empty", "quoted", "several"):
        paths = [tmp_path / filename for field, filename, _ in FILES if field == name]
        for path, content in zip(paths, [each[2] for each in FILES if each[0] == name], strict=True):
            path.write_bytes(content)
        driver.find_element(By.NAME, name).send_keys("\n".join(map(str, paths)))
    driver.find_element(By.TAG_NAME, "button").click()
    [answer] = WebDriverWait(driver, PATIENCE).until(lambda _: driver.find_elements(By.TAG_NAME, "pre"))
    assert driver.current_url == f"{site.browser.origin}/upload"
    check(json.loads(answer.text), site.files(("unchosen", "", b"")))


def test_a_form_that_a_script_sends_is_read_as_sent(driver: Any, site: Site) -> None:
    status, read = fetch(driver, [["größe", SIZE], ["text", LINES]], FILES)
    assert status == 200
    check(read, site.files())


@pytest.mark.parametrize(
    ("texts", "files", "kind"),
    [
        ([["text", "a\0b"]], [], "nul"),
        ([["a\nb", "x"]], [], "name-line-break"),
        ([], [("quoted", "../../x.txt", b"x")], "filename-path"),
    ],
    ids=["NUL", "line break in a name", "path as a file name"],
)
def test_faulty_forms_are_refused(driver: Any, site: Site, texts: Any, files: Any, kind: str) -> None:
    """Otherwise the tests above would also pass without postel."""
    status, answer = fetch(driver, texts, files)
    assert status == 400
    assert kind in answer["kinds"]
