"""The README is correct: its code runs, and its table, commands and links are current."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from flask import Flask
from starlette.applications import Starlette
from starlette.middleware import Middleware

import postel
import postel.asgi
import postel.wsgi
from applications import django_configured
from postel import Policy
from postel.cli import main
from readme import README, TYPED, typed, with_cost, with_table
from wire import HEADERS, Answer, ask_asgi, ask_wsgi

ROOT = README.parent
TEXT = README.read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL)
PYTHON = [code for language, code in BLOCKS if language == "python"]
COMMANDS = [line for language, code in BLOCKS if language == "sh" for line in code.splitlines()]


@pytest.fixture(autouse=True)
def _django() -> Iterator[None]:
    with django_configured(ROOT_URLCONF="applications"):
        yield


def run(code: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "readme"}
    exec(compile(code, README.name, "exec", dont_inherit=True), names)  # noqa: S102
    return names


def block(*words: str) -> str:
    """Return the block of Python that contains all these words."""
    [found] = [code for code in PYTHON if all(word in code for word in words)]
    return found


def ask(app: Any, target: bytes) -> Answer:
    app = getattr(app, "wsgi_app", app)
    is_asgi = isinstance(app, Starlette | postel.asgi.NormalizeMiddleware)
    return (ask_asgi if is_asgi else ask_wsgi)(app, target)


# ---- the code ----


@pytest.mark.parametrize("code", PYTHON, ids=lambda code: code.split("\n", 1)[0])
def test_every_piece_of_code_runs(code: str) -> None:
    run(code)


WRAPPED = [code for code in PYTHON if "NormalizeMiddleware" in code and "policy" not in code.lower()]


@pytest.mark.parametrize("code", WRAPPED, ids=lambda code: code.split("\n", 1)[0])
def test_the_wrapped_applications_are_behind_postel(code: str) -> None:
    names = run(code)
    app = names["app"] if "app" in names else names["application"]
    assert ask(app, b"/?q=%C3%84").status in {200, 404}
    assert ask(app, b"/?q=%C4").status == 400


def test_every_framework_has_an_example() -> None:
    assert {code.split("\n", 1)[0].split()[1].partition(".")[0] for code in WRAPPED} >= {
        "starlette",
        "fastapi",
        "flask",
        "django",
    }


def test_the_test_client_of_flask_is_behind_postel() -> None:
    app = run(block("app.wsgi_app = "))["app"]
    assert app.test_client().get("/?q=%C4").status_code == 400


def test_the_middleware_can_begin_by_observing(caplog: pytest.LogCaptureFixture) -> None:
    app = postel.asgi.NormalizeMiddleware(Starlette(), enforce=False)
    assert ask(app, b"/?q=%C4").status == 404
    [record] = caplog.records
    assert record.name == "postel"
    assert record.message.startswith("would refuse ")


def test_a_second_postel_does_nothing() -> None:
    inner = postel.asgi.NormalizeMiddleware(Starlette(), Policy.STRICT)
    assert ask(inner, b"/a;b").status == 400
    assert ask(postel.asgi.NormalizeMiddleware(inner), b"/a;b").status == 404


def test_the_exemption_of_a_parameter_also_holds_on_the_route(monkeypatch: pytest.MonkeyPatch) -> None:
    app = run(block("routes="))["app"]
    for host, status in (("example.com", 404), ("testserver", 421)):
        monkeypatch.setitem(HEADERS, "Host", host)
        assert ask(app, b"/?legacy=%C4").status == status
        assert ask(app, b"/packages/a%2Fb?legacy=%C4").status == status


def test_settings_go_into_the_call_that_wraps_the_application() -> None:
    app: Any = FastAPI()
    app.add_middleware(postel.asgi.NormalizeMiddleware, enforce=False)
    assert ask(app, b"/?q=%C4").status == 404
    app = Starlette(middleware=[Middleware(postel.asgi.NormalizeMiddleware, enforce=False)])
    assert ask(app, b"/?q=%C4").status == 404
    app = Flask("settings")
    app.wsgi_app = postel.wsgi.NormalizeMiddleware(app.wsgi_app, enforce=False)
    assert ask(app, b"/?q=%C4").status == 404


# ---- the table, the commands, the links ----


def test_the_table_is_current() -> None:
    assert with_table(TEXT) == TEXT, "run: make pages"


def test_the_cost_equals_that_of_the_performance_page() -> None:
    assert with_cost(TEXT) == TEXT, "run: make pages"


def test_every_command_exists() -> None:
    for command in COMMANDS:
        program, *arguments = shlex.split(command)
        assert check_of(program)(arguments), command


def check_of(program: str) -> Any:
    return {
        "make": lambda targets: all(f"\n{target}: " in (ROOT / "Makefile").read_text() for target in targets),
        "python3": lambda arguments: arguments == ["-m", "venv", ".venv-start"],
        "pip": lambda arguments: arguments == ["install", "."],
        ".": lambda arguments: arguments in ([".venv-demo/bin/activate"], [".venv-start/bin/activate"]),
        "uvicorn": lambda arguments: arguments[:2] == ["--app-dir", "examples"],
        "gunicorn": lambda arguments: arguments[:2] == ["--chdir", "examples"],
        "postel": lambda arguments: main(arguments) < 2,
    }[program]


def test_every_example_has_its_command() -> None:
    started = {command.split()[-1].partition(":")[0] for command in COMMANDS if "examples" in command}
    assert started == {path.stem for path in (ROOT / "examples").glob("*_app.py")}


def test_the_examples_run_in_the_environment_of_the_demo() -> None:
    assert "DEMO_VENV = .venv-demo\n" in (ROOT / "Makefile").read_text()


def anchors(document: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", document.read_text("utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_is_valid() -> None:
    for link in re.findall(r"\]\(([^)]+)\)", TEXT):
        path, _, anchor = link.partition("#")
        assert (ROOT / path).exists(), link
        assert not anchor or anchor in anchors(ROOT / path), link


# ---- the types ----


def test_type_checkers_check_the_code_of_the_readme() -> None:
    assert TYPED.read_text("utf-8") == typed(TEXT), "run: make pages"
