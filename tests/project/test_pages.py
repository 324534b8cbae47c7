"""Claims of the documentation are true: the choices of a policy, signatures, refusals."""

import asyncio
import hashlib
import hmac
import inspect
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import flask
import pytest
import werkzeug.test
from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.wsgi import WSGIRequest
from django.test import override_settings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

import postel
import postel.asgi
import postel.wsgi
from applications import django_configured
from postel import Accepted, Component, Forms, Kind, Normalizer, Policy, Rejected, Target, report_of
from postel._catalogue.views import View
from wire import Answer, ask_asgi, ask_wsgi, environ_of, scope_of

DOCS = Path(__file__).parents[2] / "docs"
POLICY = (DOCS / "policy.md").read_text("utf-8")
RECIPES = (DOCS / "recipes.md").read_text("utf-8")
START = (DOCS / "start.md").read_text("utf-8")
REFUSED = (DOCS / "refused.md").read_text("utf-8")


@pytest.fixture(autouse=True)
def _django() -> Iterator[None]:
    with django_configured(ROOT_URLCONF="applications"):
        yield


def run(page: str, *words: str) -> dict[str, Any]:
    """Run the page's only block of Python that contains all these words; return the names that it defines."""
    pieces = re.findall(r"^```python\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    [code] = [piece for piece in pieces if all(word in piece for word in words)]
    names: dict[str, Any] = {"__name__": "page"}
    exec(compile(code, "page", "exec", dont_inherit=True), names)  # noqa: S102
    return names


def ask(app: Any, target: bytes) -> Answer:
    is_asgi = isinstance(app, Starlette | postel.asgi.NormalizeMiddleware)
    return (ask_asgi if is_asgi else ask_wsgi)(app, target)


def test_the_kinds_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    run(POLICY, "for kind in Kind")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.split()[1] == "path"] == [
        kind.slug for kind in Kind if Component.PATH in kind.check.components
    ]


TARGET = b"/a%2dpath?q=a+b"
KEY = b"secret"
SIGNATURE = hmac.new(KEY, TARGET, hashlib.sha256).hexdigest()


def test_a_signature_is_verified_with_environ_scope_and_request() -> None:
    is_signed = run(RECIPES, "def is_signed")["is_signed"]
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
    is_signed = run(RECIPES, "def is_signed")["is_signed"]
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


def test_a_report_has_the_values_of_the_page() -> None:
    report = report_of(handed_wsgi(b"/%7euser?q=50%+off"))
    assert {finding.kind for finding in report.findings} == {Kind.SPELLING, Kind.MALFORMED_ESCAPE}
    assert report.changed
    assert report.verbatim
    assert report.blind == frozenset()


def test_an_empty_query_is_lost_on_asgi() -> None:
    assert report_of(handed_asgi(b"/a?")).received_target == b"/a"


def test_the_refusal_answers_and_the_observer_counts() -> None:
    names = run(RECIPES, "refusal=", "Counter")
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


# ---- test clients ----


def client_of(row: str) -> Any:
    """Return the client of a row of the table of test clients."""
    application = flask.Flask("any")
    wrapped = postel.wsgi.NormalizeMiddleware(application.wsgi_app)
    application.wsgi_app = wrapped  # as Flask documents it
    if "Flask's" in row:
        return application.test_client()
    if "Werkzeug's" in row:
        return werkzeug.test.Client(application)
    return TestClient(postel.asgi.NormalizeMiddleware(Starlette()))


def sending(row: str) -> str:
    """Return the call in the last column of a row of the table of test clients."""
    [line] = [line for line in START.splitlines() if line.startswith(f"| {row}")]
    return line.split("|")[-2].strip().strip("`")


@pytest.mark.parametrize("row", ["Flask's", "Werkzeug's", "Starlette's and FastAPI's"])
def test_a_client_sends_two_slashes_as_the_page_says(row: str) -> None:
    call = sending(row)
    client = client_of(row)
    answer = eval(f"client.{sending('Flask') if call == 'the same' else call}", {"client": client})  # noqa: S307
    assert (answer.status_code, answer.headers["location"]) == (308, "/admin/panel")
    assert client.get("//admin/panel").status_code in {400, 404}  # the host admin


def test_the_host_of_the_test_of_django_is_allowed_in_tests() -> None:
    middleware = ["django.middleware.common.CommonMiddleware"]  # as in a new project; it checks the host
    with override_settings(ALLOWED_HOSTS=["testserver"], MIDDLEWARE=middleware):
        run(START, "werkzeug.test")
        with pytest.raises(AssertionError):
            run(START.replace("http://testserver/", "http://localhost/"), "werkzeug.test")


# ---- the choices ----

CHOICES = re.findall(r"`(Policy\.[^`]+)`", POLICY.partition("## Change a policy")[0])


def choice(words: str) -> Policy:
    """Return the policy in the row of the table of choices that contains these words."""
    [row] = [line for line in POLICY.splitlines() if line.startswith("| ") and words in line]
    policy = eval(re.findall(r"`(Policy\.[^`]+)`", row)[0], dict(vars(postel)))  # noqa: S307
    assert isinstance(policy, Policy)
    return policy


@pytest.mark.parametrize("expression", CHOICES)
def test_every_policy_of_the_table_is_valid(expression: str) -> None:
    assert isinstance(eval(expression, dict(vars(postel))), Policy)  # noqa: S307


@pytest.mark.parametrize(
    ("words", "target", "query"),
    [
        ("`escape()`", b"/?q=%u00e9", "q=%C3%A9"),
        ("in an older encoding", b"/?q=%E4pfel", "q=%C3%A4pfel"),
        ("itself, from octets", b"/?legacy=%E4", "legacy=%E4"),
        ("lose a parameter", b"/?a=1&ref=%E4", "a=1"),
        ("certain scripts", b"/?q=%C3%84", "q=%C3%84"),
        ("many old links", b"/a/../b?q=%E4x", "q=x"),
    ],
)
def test_the_policy_of_a_row_accepts_the_request_that_the_row_describes(
    words: str, target: bytes, query: str
) -> None:
    assert handed_wsgi(target, choice(words))["QUERY_STRING"] == query


def test_a_preserved_slash_is_read_as_the_page_says() -> None:
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
def test_the_policy_of_a_row_refuses_the_request_that_the_row_describes(words: str, target: bytes) -> None:
    app = postel.wsgi.NormalizeMiddleware(flask.Flask("any"), choice(words))
    assert ask(app, target).status in {400, 414}
    assert ask(postel.wsgi.NormalizeMiddleware(flask.Flask("any")), target).status == 404


@pytest.mark.parametrize("query", [b"a[]=1", b"state=a|b", b"error=a%0D%0Ab"])
def test_strict_refuses_what_the_table_of_presets_says(query: bytes) -> None:
    assert isinstance(Normalizer(Policy.STRICT).normalize(Target(b"/", query)), Rejected)
    assert isinstance(Normalizer(Policy.STANDARD).normalize(Target(b"/", query)), Accepted)


@pytest.mark.parametrize(
    ("query", "left"),
    [(b"q=%C4rzte&a=1", b"q=rzte&a=1"), (b"q=a%0Bb&a=1", b"a=1"), (b"q=%00&a=1", b"a=1")],
)
def test_lenient_drops_what_the_table_of_presets_says(query: bytes, left: bytes) -> None:
    outcome = Normalizer(Policy.LENIENT).normalize(Target(b"/", query))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == left


@pytest.mark.parametrize("subtype", ["mixed", "related"])
@pytest.mark.parametrize(
    ("forms", "status"),
    [(True, "415"), (Forms(others="untouched"), "415"), (Forms(multipart="untouched"), "404")],
)
def test_other_multipart_types_count_as_forms(subtype: str, forms: Forms | bool, status: str) -> None:
    posted = _posted(f"multipart/{subtype}; boundary=x", b"--x\r\n\r\n1\r\n--x--\r\n")
    told: list[str] = []
    app = postel.wsgi.NormalizeMiddleware(flask.Flask("any"), forms=forms)
    list(app({**environ_of(b"/"), **posted}, lambda line, _: told.append(line)))
    assert told[0][:3] == status


def test_the_page_names_every_setting_of_the_middleware() -> None:
    section = POLICY.partition("## Settings of the middleware")[2].partition("\n## ")[0]
    named = set(re.findall(r"\*\*`(\w+)=", section))
    (_, _, *settings) = inspect.signature(postel.asgi.NormalizeMiddleware.__init__).parameters
    assert named == {*settings}


# ---- why was my request refused? ----

NESTED = (
    b'--zz\r\nContent-Disposition: form-data; name="m"\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n'
    b"--c--\r\n--zz--\r\n"
)


def _posted(content_type: str, body: bytes) -> dict[str, Any]:
    return {
        "REQUEST_METHOD": "POST",
        "CONTENT_TYPE": content_type,
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
    }


FOLDER = b'--zz\r\nContent-Disposition: form-data; name="folder"; filename="a/b.txt"\r\n\r\n1\r\n--zz--\r\n'
FORM = "application/x-www-form-urlencoded"


REFUSALS: list[tuple[bytes, dict[str, Any], str]] = [
    (b"/wiki/AC%2FDC", {}, "encoded-slash"),
    (b"/items/a%252Fb", {}, "unsafe-double-escape"),
    (b"/proxy/https://example.com", {}, "empty-segment"),
    (b"//api/items", {"REQUEST_METHOD": "POST"}, "leading-slashes"),
    (b"/?q=%E4pfel", {}, "ill-formed-utf8"),
    (b"/?q=" + b"a" * 10_000, {}, "too-long"),
    (b"/", _posted("multipart/form-data; boundary=zz", NESTED), "part-header"),
    (b"/", _posted("multipart/form-data; boundary=zz", FOLDER), "filename-path"),
    (b"/", _posted(FORM, b"picture=data:image/png;base64," + b"A" * 90_000), "long-value"),
    (b"/", _posted(FORM, b"charset=windows-1252&first_name=J%FCrgen"), "ill-formed-utf8"),
    (b"/?q=C#", {}, "fragment"),
    (b"/", _posted("text/plain", b"beacon"), "unjudged-body"),
    (b"/", _posted(FORM, b"text=page%0Cbreak"), "control"),
    (b"/?q=%C3%A9", {"CONTENT_TYPE": "text/plain; charset=iso-8859-1"}, "steering-charset"),
    (b"/", {"HTTP_HOST": "web_app:8000"}, "malformed-host"),
    (b"//a", {"SCRIPT_NAME": "/"}, "leading-slashes"),
]
"""Requests that the last table of the page describes, and the kind that it names for each."""


def reasons(target: bytes, given: dict[str, Any]) -> tuple[str, list[str]]:
    """Return the status and the kinds of the default refusal."""
    told: list[str] = []
    kinds: list[str] = []
    app = postel.wsgi.NormalizeMiddleware(
        flask.Flask("any"),
        forms=Forms(),
        json=True,
        redirect=False,
        observer=lambda report: kinds.extend(finding.kind.slug for finding in report.findings),
    )
    list(app({**environ_of(target), **given}, lambda status, _: told.append(status)))
    return told[0][:3], kinds


def test_the_most_frequent_refusals_are_correct() -> None:
    rows = REFUSED.partition("## What is refused most often")[2].splitlines()
    named = [row.split("|")[2].strip().strip("`") for row in rows if row.startswith("| ")][1:]
    assert named == [kind for _, _, kind in REFUSALS]
    for target, given, kind in REFUSALS:
        _, kinds = reasons(target, given)
        assert kind in kinds, (target, kinds)


REMEDIES: list[tuple[str, Policy]] = [
    ("unsafe-double-escape", Policy.STANDARD.allowing(Kind.UNSAFE_DOUBLE_ESCAPE)),
    ("filename-path", Policy.STANDARD.reporting(Kind.FILENAME_PATH, on=Component.FORM, names=["folder"])),
    ("long-value", Policy.STANDARD.limiting(form_value=1_000_000)),
    ("ill-formed-utf8", Policy.STANDARD.allowing(Kind.ILL_FORMED_UTF8, on=Component.FORM)),
]
"""What the last table advises against some refusals, with the kind that it names."""


@pytest.mark.parametrize(("kind", "policy"), REMEDIES, ids=str)
def test_the_remedies_help(kind: str, policy: Policy) -> None:
    (*_, (target, given)) = [(target, given) for target, given, named in REFUSALS if named == kind]
    for each, status in ((Policy.STANDARD, {"400", "413", "414"}), (policy, {"404"})):
        told: list[str] = []
        app = postel.wsgi.NormalizeMiddleware(flask.Flask("any"), each, forms=True)
        request = {**given}
        if stream := request.get("wsgi.input"):
            stream.seek(0)
        list(app({**environ_of(target), **request}, lambda line, _, told=told: told.append(line)))
        assert told[0][:3] in status, (kind, told)


def test_the_page_explains_every_view() -> None:
    rows = REFUSED.partition("| hidden in |")[2].partition("- `example`")[0]
    assert set(re.findall(r"^  \| `(\w+)` \|", rows, flags=re.MULTILINE)) == {view.value for view in View}


def test_the_statuses_are_correct() -> None:
    rows = re.findall(r"^\| (\d{3}) \|", REFUSED, flags=re.MULTILINE)
    assert rows == ["308", *sorted({str(kind.check.status) for kind in Kind})]
