"""The documentation: all of its code runs, and generated parts are current.

Python runs unchanged: an example with ``>>>`` must print what it shows, with all examples of a page in one
session; any other block runs by itself. A console session must print what it shows. Shell commands are
checked by name, or run in full by ``project/test_fresh.py``.
"""

from __future__ import annotations

import doctest
import logging
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import diagrams
import kinds
from applications import django_configured
from postel import Kind
from postel.wsgi import NormalizeMiddleware
from terminal import run, session
from wire import environ_of

ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"
PAGES: Final = [
    *(
        ROOT / name
        for name in ("README.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md", "SUPPORT.md")
    ),
    *sorted(DOCS.glob("*.md")),
]
FENCE: Final = re.compile(
    r"^(?P<fence>```+|~~~+|:::+)(?P<info>[^\n`]*)\n(?P<code>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL
)
ID: Final = re.compile("[0-9a-f]{16}")
RUN: Final = {"python", "pycon", "console", "sh"}
SHOWN: Final = {
    "mermaid",
    "text",
    "json",
    "http",
    "ini",
    "nginx",
    "apache",
    "toml",
    "yaml",
    "html",
    "css",
    "dockerfile",
    "promql",
}
"""Languages of blocks that are not code of the project: answers, logs, configuration of other programs."""


def blocks(*languages: str) -> list[Any]:
    """Return the fenced blocks of all pages in these languages, each with its page."""
    return [
        pytest.param(page, match["code"], id=f"{page.name}-{text[: match.start()].count(chr(10)) + 1}")
        for page in PAGES
        for text in [page.read_text("utf-8")]
        for match in FENCE.finditer(text)
        if match["info"].strip().partition(" ")[0] in languages
    ]


PIECES: Final = [block for block in blocks("python", "pycon") if ">>> " not in block.values[1]]


@pytest.fixture
def _django() -> Iterator[None]:
    with django_configured(ROOT_URLCONF="applications"):
        yield


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Keep the log of refusals that examples cause out of the output."""
    logger = logging.getLogger("postel")
    logger.propagate = False
    yield
    logger.propagate = True


@pytest.fixture
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in the folder of the files that pages name."""
    monkeypatch.chdir(tmp_path)
    line = '192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a%00 HTTP/1.1" 404 0\n'
    (tmp_path / "access.log").write_text(line, "ascii")


@pytest.mark.usefixtures("_django", "_files")
@pytest.mark.parametrize(("page", "code"), PIECES)
def test_a_block_of_python_runs(page: Path, code: str, caplog: pytest.LogCaptureFixture) -> None:
    names: dict[str, Any] = {"__name__": page.stem}
    logger = logging.getLogger("postel")
    logger.addHandler(caplog.handler)
    try:
        exec(compile(code, page.name, "exec", dont_inherit=True), names)  # noqa: S102
    finally:
        logger.removeHandler(caplog.handler)
    assert "which are not judged" not in caplog.text, "a rule covers bodies that the example does not judge"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_print_what_they_show(page: Path) -> None:
    # Fences become blank lines, because one may follow the output of an example.
    source = re.sub(r"^```.*$", "", page.read_text("utf-8"), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(source, {"__name__": page.stem}, page.name, str(page), 0)
    told: list[str] = []
    failed, _ = doctest.DocTestRunner().run(test, out=told.append)
    assert failed == 0, "".join(told)


@pytest.mark.parametrize(("page", "code"), blocks("console"))
def test_a_session_prints_what_it_shows(page: Path, code: str) -> None:
    assert session(code.splitlines()) == code


@pytest.mark.parametrize(("page", "code"), blocks("sh"))
def test_a_command_exists(page: Path, code: str) -> None:
    targets = set(re.findall(r"^([a-z0-9.-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for line in re.sub(r"\\\n\s*", "", code).splitlines():
        words = shlex.split(line, comments=True)
        while words and re.fullmatch(r"\w+=.*", words[0]):
            words.pop(0)  # A variable for one command.
        match words:
            case ["make", *arguments]:
                named = {
                    each for each in arguments if "=" not in each and not re.fullmatch(r"test-3\.\d+", each)
                }
                assert named <= targets
            case ["postel", name, *_] if not name.startswith("-"):
                assert run(name, "--help").code == 0


def test_the_answer_on_the_first_page_is_current() -> None:
    # project/test_fresh.py asks a server. This test runs sooner, for whoever changes the answer.
    told: list[Any] = []
    environ = {**environ_of(b"/books/%C0%AF"), "HTTP_ACCEPT": "*/*"}
    [body] = NormalizeMiddleware(lambda *_: [])(environ, lambda *given: told.append(given))
    shown = (DOCS / "start.md").read_text("utf-8").partition("HTTP/1.1 ")[2].partition("\n```")[0]
    head, _, text = ID.sub("ID", shown).partition("\n\n")
    status, *fields = head.splitlines()
    [(began, headers)] = told
    assert (status, f"{text}\n") == (began, ID.sub("ID", body.decode()))
    told_fields = [f"{field}: {ID.sub('ID', value)}" for field, value in headers]
    assert [field for field in fields if field not in told_fields] == []


def test_every_block_is_run_or_listed_as_shown_only() -> None:
    languages = {
        match["info"].strip().partition(" ")[0]
        for page in PAGES
        for match in FENCE.finditer(page.read_text("utf-8"))
        if not match["info"].startswith("{")  # A directive of MyST.
    }
    assert languages - RUN - SHOWN == set()
    assert len(PIECES) > 25
    assert len(blocks("console")) > 10


# ---- what is generated ----


def test_the_page_of_the_kinds_is_current() -> None:
    assert kinds.PAGE.read_text("utf-8") == kinds.page(), "run: make pages"


def test_the_page_of_the_kinds_has_every_kind() -> None:
    headings = re.findall(r"^## ([a-z0-9-]+)$", kinds.page(), re.MULTILINE)
    assert headings == [kind.slug for kind in Kind]


@pytest.mark.parametrize("name", diagrams.PICTURES)
def test_the_diagrams_are_current(name: str) -> None:
    assert (diagrams.STATIC / name).read_text("utf-8") == diagrams.PICTURES[name](), "run: make pages"


def test_the_diagram_shows_three_findings() -> None:
    assert [str(each.kind.slug) for each in diagrams.findings()] == [
        "ill-formed-utf8",
        "malformed-escape",
        "encoded-slash",
        "spelling",
    ]


# ---- texts in several places ----


def test_the_laws_are_the_same_everywhere() -> None:
    contributing = (
        (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## The laws")[2].partition("\n## ")[0]
    )
    names = re.findall(r"^(\d+\.) \*\*([^*]+?)\.?\*\*", contributing, re.MULTILINE)
    laws = re.findall(r"^## (\d+\. .+)$", (DOCS / "laws.md").read_text("utf-8"), re.MULTILINE)
    assert [f"{number} {name.partition('.')[0]}" for number, name in names] == laws
    assert len(laws) == 12


def test_every_page_is_in_the_list() -> None:
    listed = re.findall(r"^([a-z*-]+)$", (DOCS / "index.md").read_text("utf-8"), re.MULTILINE)
    pages = {page.stem for page in DOCS.glob("*.md")} - {"index"}
    assert {page for page in pages if not any(Path(page).match(pattern) for pattern in listed)} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files_are_valid(page: Path) -> None:
    links = re.findall(r"\]\((?!https?://|#|mailto:)([^)#\s]+)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
