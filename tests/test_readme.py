"""What README.md says is so: its code runs, its table is real, its commands exist, its links lead on."""

import asyncio
import hashlib
import hmac
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import flask
import pytest
from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.wsgi import WSGIRequest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

import postel
import postel.asgi
import postel.wsgi
from applications import django_configured
from postel import Component, Kind, Policy, report_of
from postel.cli import main
from readme import README, TYPED, typed, with_table
from wire import Answer, ask_asgi, ask_wsgi, scope_of

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
    """Return the one piece of Python that holds all these words."""
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
def test_what_is_wrapped_is_behind_postel(code: str) -> None:
    names = run(code)
    app = names["app"] if "app" in names else names["application"]
    assert ask(app, b"/?q=%C3%84").status in {200, 404}
    assert ask(app, b"/?q=%C4").status == 400


def test_every_framework_is_there() -> None:
    assert {code.split("\n", 1)[0].split()[1].partition(".")[0] for code in WRAPPED} >= {
        "starlette",
        "fastapi",
        "flask",
        "django",
        "werkzeug",
        "wsgiref",
    }


def test_flask_in_place_has_its_test_client_behind_postel() -> None:
    app = run(block("app.wsgi_app = "))["app"]
    assert app.test_client().get("/?q=%C4").status_code == 400


def test_the_policy_only_observes(caplog: pytest.LogCaptureFixture) -> None:
    app = run(block("enforce=False"))["app"]
    assert ask(app, b"/?q=%C4").status == 404
    [record] = caplog.records
    assert record.name == "postel"
    assert record.message.startswith("would refuse ")


def test_the_kinds_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    run(block("for kind in Kind"))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.split()[1] == "path"] == [
        kind.slug for kind in Kind if Component.PATH in kind.check.components
    ]


TARGET = b"/a%2dpath?q=a+b"
KEY = b"secret"
SIGNATURE = hmac.new(KEY, TARGET, hashlib.sha256).hexdigest()


def test_a_signature_is_verified_in_environ_scope_and_request() -> None:
    is_signed = run(block("def is_signed"))["is_signed"]
    seen: list[Any] = []
    flask_app = flask.Flask("signed")

    @flask_app.get("/a-path")
    def in_flask() -> str:
        seen.extend([flask.request.environ, flask.request])
        assert is_signed(flask.request, KEY, SIGNATURE)
        return ""

    async def in_starlette(request: Request) -> PlainTextResponse:
        seen.extend([request.scope, request])
        return PlainTextResponse()

    starlette_app = Starlette(routes=[Route("/a-path", in_starlette)])
    assert ask(postel.wsgi.NormalizeMiddleware(flask_app), TARGET).status == 200
    assert ask(postel.asgi.NormalizeMiddleware(starlette_app), TARGET).status == 200
    assert len(seen) == 4
    for request in [seen[0], *seen[2:]]:
        assert is_signed(request, KEY, SIGNATURE)
        assert not is_signed(request, KEY, SIGNATURE[::-1])


def test_a_signature_is_verified_in_django() -> None:
    is_signed = run(block("def is_signed"))["is_signed"]
    environ, scope = handed_wsgi(TARGET), handed_asgi(TARGET)
    assert is_signed(WSGIRequest(environ), KEY, SIGNATURE)
    assert is_signed(ASGIRequest(scope, None), KEY, SIGNATURE)


def handed_wsgi(target: bytes, policy: Policy = Policy.STANDARD) -> Any:
    handed: list[Any] = []

    def app(environ: Any, start_response: Any) -> list[bytes]:
        handed.append(environ)
        start_response("200 OK", [])
        return []

    ask_wsgi(postel.wsgi.NormalizeMiddleware(app, policy), target)
    return handed[0]


def handed_asgi(target: bytes, policy: Policy = Policy.STANDARD) -> Any:
    handed: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        handed.append(scope)
        await PlainTextResponse()(scope, receive, send)

    ask_asgi(postel.asgi.NormalizeMiddleware(app, policy), target)
    return handed[0]


def test_a_report_says_what_the_readme_says() -> None:
    report = report_of(handed_wsgi(b"/%7euser?q=50%+off"))
    assert {finding.kind for finding in report.findings} == {Kind.SPELLING, Kind.MALFORMED_ESCAPE}
    assert report.changed
    assert report.verbatim
    assert report.blind == frozenset()


def test_a_query_that_is_empty_is_lost_on_asgi() -> None:
    assert report_of(handed_asgi(b"/a?")).received_target == b"/a"


def test_the_refusal_answers_and_the_observer_counts() -> None:
    names = run(block("refusal="))
    answer = ask(names["app"], b"/?q=%C4&%00=1")
    assert answer.status == 400
    assert answer.body == b'{"error":"This link is broken."}'
    assert names["found"] == {Kind.ILL_FORMED_UTF8: 1, Kind.NUL: 1}


def test_the_default_refusal_is_as_described() -> None:
    app = postel.asgi.NormalizeMiddleware(Starlette())
    answer = ask(app, b"/secret?q=%C4")
    assert (answer.status, answer.kind) == (400, "application/problem+json")
    assert b"secret" not in answer.body
    assert ask(app, b"/" + b"a" * 10_000).status == 414


def test_a_refused_websocket_is_closed_before_it_is_accepted() -> None:
    app = postel.asgi.NormalizeMiddleware(Starlette())
    sent: list[Any] = []

    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message["type"])

    asyncio.run(app({**scope_of(b"/%00"), "type": "websocket"}, receive, send))
    assert sent == ["websocket.close"]


def test_a_second_postel_stands_aside() -> None:
    inner = postel.asgi.NormalizeMiddleware(Starlette(), Policy.STRICT)
    assert ask(inner, b"/a;b").status == 400
    assert ask(postel.asgi.NormalizeMiddleware(inner), b"/a;b").status == 404


# ---- the choices ----

CHOICES = re.findall(r"`(Policy\.[^`]+)`", TEXT)


def choice(words: str) -> Policy:
    """Return the policy that the table of choices has in the row with these words."""
    [row] = [line for line in TEXT.splitlines() if line.startswith("| ") and words in line]
    policy = eval(re.findall(r"`(Policy\.[^`]+)`", row)[0], dict(vars(postel)))  # noqa: S307
    assert isinstance(policy, Policy)
    return policy


@pytest.mark.parametrize("expression", CHOICES)
def test_every_policy_can_be_made(expression: str) -> None:
    assert isinstance(eval(expression, dict(vars(postel))), Policy)  # noqa: S307


@pytest.mark.parametrize(
    ("words", "target", "query"),
    [
        ("`escape()`", b"/?q=%u00e9", "q=%C3%A9"),
        ("older encoding", b"/?legacy=%E4", "legacy=%E4"),
        ("lose a parameter", b"/?a=1&ref=%E4", "a=1"),
        ("certain scripts", b"/?q=%C3%84", "q=%C3%84"),
        ("many old links", b"/a/../b?q=%E4x", "q=x"),
    ],
)
def test_a_choice_lets_through_what_it_is_for(words: str, target: bytes, query: str) -> None:
    assert handed_wsgi(target, choice(words))["QUERY_STRING"] == query


def test_a_kept_slash_reads_as_the_readme_says() -> None:
    policy = choice("slash inside a path segment")
    assert handed_wsgi(b"/units/kg%2fs", policy)["PATH_INFO"] == "/units/kg%2Fs"
    assert handed_asgi(b"/units/50%25", policy)["path"] == "/units/50%25"


@pytest.mark.parametrize(
    ("words", "target"),
    [
        ("write its clients", b"/a;b"),
        ("certain scripts", b"/?q=%E8%B5%B7"),
        ("shows values to people", b"/?q=%E2%80%AE"),
        ("shows values to people", b"/?q=%E2%80%8B"),
        ("files on Windows", b"/NUL.txt"),
        ("files on Windows", b"/a."),
        ("short URLs", b"/?q=" + b"a" * 2048),
    ],
)
def test_a_choice_refuses_what_it_is_for(words: str, target: bytes) -> None:
    app = postel.wsgi.NormalizeMiddleware(flask.Flask("any"), choice(words))
    assert ask(app, target).status in {400, 414}
    assert ask(postel.wsgi.NormalizeMiddleware(flask.Flask("any")), target).status == 404


# ---- the table, the commands, the links ----


def test_the_table_is_that_of_today() -> None:
    assert with_table(TEXT) == TEXT, "python tests/readme.py writes it anew"


def test_every_command_exists() -> None:
    for command in COMMANDS:
        program, *arguments = shlex.split(command)
        assert check_of(program)(arguments), command


def check_of(program: str) -> Any:
    return {
        "make": lambda targets: all(f"\n{target}: " in (ROOT / "Makefile").read_text() for target in targets),
        "pip": lambda arguments: arguments == ["install", "."],
        ".": lambda arguments: arguments == [".venv-demo/bin/activate"],
        "uvicorn": lambda arguments: arguments[:2] == ["--app-dir", "examples"],
        "gunicorn": lambda arguments: arguments[:2] == ["--chdir", "examples"],
        "postel": lambda arguments: main(arguments) < 2,
    }[program]


def test_every_example_has_its_command() -> None:
    started = {command.split()[-1].partition(":")[0] for command in COMMANDS if "examples" in command}
    assert started == {path.stem for path in (ROOT / "examples").glob("*_app.py")}


def test_the_environment_of_the_examples_is_that_of_the_demo() -> None:
    assert "DEMO_VENV = .venv-demo\n" in (ROOT / "Makefile").read_text()


def anchors(document: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", document.read_text("utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_leads_somewhere() -> None:
    for link in re.findall(r"\]\(([^)]+)\)", TEXT):
        path, _, anchor = link.partition("#")
        assert (ROOT / path).exists(), link
        assert not anchor or anchor in anchors(ROOT / path), link


# ---- the types ----


def test_type_checkers_are_given_the_code_of_the_readme() -> None:
    assert TYPED.read_text("utf-8") == typed(TEXT), "python tests/readme.py writes it anew"
