"""docs/roll-out.md: its Python runs, and its log line and its links are correct."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any

import pytest

from applications import example
from terminal import run as run_command
from wire import ask_wsgi

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "roll-out.md").read_text("utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL)


def run(code: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "roll_out"}
    exec(compile(code, "roll-out.md", "exec", dont_inherit=True), names)  # noqa: S102 - code of the page
    return names


@pytest.mark.parametrize("code", PYTHON, ids=range(len(PYTHON)))
def test_the_python_of_the_page_runs(code: str) -> None:
    run(code)


def test_the_log_line_of_the_page_is_current(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "postel")
    app = run(PYTHON[0].replace("preserving", "rejecting"))["app"]
    assert ask_wsgi(app.wsgi_app, b"/units/kg%2Fs").status == 404
    [line] = re.findall(r"^WARNING postel: (.*)$", TEXT, flags=re.MULTILINE)
    message = re.sub(r'from "[^"]*"', 'from "192.0.2.1"', caplog.messages[0])
    assert re.sub("id [0-9a-f]+$", "id", message) == re.sub("id [0-9a-f]+$", "id", line)
    assert ask_wsgi(run(PYTHON[0])["app"].wsgi_app, b"/units/kg%2Fs").status == 404
    assert len(caplog.messages) == 1


@pytest.mark.parametrize("page", ["roll-out.md", "recipes.md", "commands.md"])
def test_the_links_of_a_page_are_valid(page: str) -> None:
    text = (DOCS / page).read_text("utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    for link in links:
        if link.startswith("https://"):
            continue
        name, _, anchor = link.partition("#")
        there = (DOCS / name).resolve() if name else DOCS / page
        assert there.exists(), link
        if anchor:
            headings = re.findall(r"^#+ (.*)$", there.read_text("utf-8"), flags=re.MULTILINE)
            anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert anchor in anchors, link


def test_the_route_for_a_path_that_holds_a_url_accepts_it() -> None:
    [code] = [each for each in PYTHON if "EMPTY_SEGMENT" in each]
    app = run(code)["app"]
    app.url_map.merge_slashes = False
    app.add_url_rule("/<path:rest>", "show", lambda rest: rest)
    passed = ask_wsgi(app.wsgi_app, b"/proxy/https://example.com//x")
    assert (passed.status, passed.body) == (200, b"proxy/https://example.com//x")
    assert ask_wsgi(app.wsgi_app, b"/other/https://example.com/x").status == 400
    elsewhere = ask_wsgi(app.wsgi_app, b"/other//x")
    assert (elsewhere.status, elsewhere.headers["location"]) == (308, "/other/x")
    assert ask_wsgi(app.wsgi_app, b"/other//x", "POST").status == 400


def test_the_example_prints_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    """In its last week, no request of people or of the site's own program is refused, and every attack is."""
    example("roll_out").main()
    told = capsys.readouterr().out
    [shown] = re.findall(r"^\$ python examples/roll_out.py\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL)
    assert told == shown
    assert re.findall(r"(\d+) of (\d+) from ([a-z ]+) refused", told) == [
        *(("0", "531", "people"), ("0", "40", "old app"), ("100", "100", "bots")),
    ]


def test_the_policy_file_of_the_page_is_valid(tmp_path: Path) -> None:
    [text] = re.findall(r"^```text\n(# postel.policy\n.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL)
    file = tmp_path / "postel.policy"
    file.write_text(text)
    assert run_command("check", "--policy", f"@{file}", "/units/kg%2Fs?legacy=%E4").code == 0
