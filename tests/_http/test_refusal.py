"""Refusals: the default one through both middlewares, and applications that replace it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from starlette.requests import Request as StarletteRequest
from starlette.responses import JSONResponse
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Request as WerkzeugRequest
from werkzeug.wrappers import Response

from adapters import ASGI, WSGI, Request, Served, environ_of, run, scope_of, through_asgi, through_wsgi
from postel import Action, Kind, Policy, report_of
from postel._http.refusal import Refusal
from together import together

MARK = "Zq7x"
HOSTILE = (
    f"/{MARK}<script>{MARK}//..%2F%00{MARK}%C4\r\nSet-Cookie:{MARK}=1".encode(),
    f"/a?{MARK}[{MARK}]=%00{MARK}<script>".encode(),
    f"//{MARK}.example/%2F..".encode(),
    f"http://{MARK}:{MARK}@{MARK}/{MARK}".encode(),
    f"/{MARK}".encode() * 2000,
    f"{MARK}:80".encode(),
)


def from_wsgi(target: bytes, method: str = "GET", accept: str | None = None, **settings: Any) -> Served:
    keys = {} if accept is None else {"HTTP_ACCEPT": accept}
    return through_wsgi(environ_of(target, method, **keys), **settings)


def from_asgi(target: bytes, method: str = "GET", accept: str | None = None, **settings: Any) -> Served:
    headers = [] if accept is None else [(b"accept", accept.encode("latin-1"))]
    return through_asgi(scope_of(target, method, headers=headers), **settings)


@pytest.fixture(params=[from_wsgi, from_asgi], ids=["wsgi", "asgi"])
def ask(request: pytest.FixtureRequest) -> Callable[..., Served]:
    found: Callable[..., Served] = request.param
    return found


def test_the_default_refusal_is_text(ask: Callable[..., Served]) -> None:
    answer = ask(b"/a%2Fb%00?q=%00")
    assert answer.status == 400
    assert answer.body.decode() == (
        f"Bad Request: the request was refused (encoded-slash, nul).\nRequest id: {answer.report.id}\n"
    )
    assert dict(answer.headers) == {
        "content-type": "text/plain; charset=utf-8",
        "content-length": str(len(answer.body)),
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "x-request-id": answer.report.id,
    }


def test_the_refusal_is_a_problem_document_if_the_client_accepts_json(ask: Callable[..., Served]) -> None:
    answer = ask(b"/a%2Fb", accept="application/json")
    assert dict(answer.headers)["content-type"] == "application/problem+json"
    assert json.loads(answer.body) == {
        "title": "Bad Request",
        "status": 400,
        "kinds": ["encoded-slash"],
        "id": answer.report.id,
    }


@pytest.mark.parametrize("accept", [None, "application/json"])
def test_head_is_answered_without_a_body(ask: Callable[..., Served], accept: str | None) -> None:
    answer = ask(b"/%00", "HEAD", accept)
    assert answer.status == 400
    assert answer.body == b""
    without_id = [
        [each for each in one.headers if each[0] != "x-request-id"]
        for one in (answer, ask(b"/%00", "GET", accept))
    ]
    assert without_id[0] == without_id[1]


@pytest.mark.parametrize("target", [b"/" + b"a" * 8192, b"/?" + b"a" * 8193])
def test_a_long_target_is_answered_with_414(ask: Callable[..., Served], target: bytes) -> None:
    answer = ask(target)
    assert answer.status == 414
    assert answer.kinds == ["too-long"]


def test_other_limits_are_answered_with_400(ask: Callable[..., Served]) -> None:
    assert ask(b"/a" * 257).status == 400


@together("method", ["GET", "HEAD", f"{MARK}"])
@together("accept", [None, "application/json", f"{MARK}/{MARK};q={MARK}"])
@together("target", HOSTILE)
def test_nothing_is_reflected(
    ask: Callable[..., Served], target: bytes, accept: str | None, method: str
) -> None:
    answer = ask(target, method, accept)
    assert answer.given is None
    said = f"{answer.status}{answer.headers}{answer.body!r}"
    assert MARK.lower() not in said.lower()
    assert "script" not in said
    assert "cookie" not in said.lower()


def test_each_kind_is_named_once(ask: Callable[..., Served]) -> None:
    assert ask(b"//%00%2F%00%2F?q=%00").kinds == ["nul", "encoded-slash", "leading-slashes"]


def test_slugs_are_safe_in_answers() -> None:
    assert all(kind.slug.replace("-", "").isalnum() and kind.slug.isascii() for kind in Kind)


PLAIN, PROBLEM = "text/plain; charset=utf-8", "application/problem+json"


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("", PLAIN),
        ("*/*", PLAIN),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", PLAIN),
        ("application/json", PROBLEM),
        ("application/problem+json", PROBLEM),
        ("application/*", PROBLEM),
        ("application/json, text/plain, */*", PROBLEM),
        ("text/plain, application/problem+json", PROBLEM),
        ("application/*, text/*", PLAIN),
        ("application/json, text/plain;q=0.9", PROBLEM),
        ("application/json;q=0.5, text/*", PLAIN),
        ("application/json;q=0, */*", PLAIN),
        ("text/plain;q=0, application/problem+json;q=0.1", PROBLEM),
        ("text/plain;q=0.1, */*", PROBLEM),
        ("APPLICATION/JSON ; Q=1.0", PROBLEM),
        ("application/json;q=x, text/plain;q=0.1", PLAIN),
        ("application/json;q=nan", PLAIN),
        ("application/json;q=2", PLAIN),
        ("application/json;q=0.0001", PLAIN),
        ("application/json;q=0", PLAIN),
        ("application/json, */*", PROBLEM),
        ("application/json;v=1;q=0.5, text/plain;q=0.4", PROBLEM),
        ("application/json;charset=utf-8", PROBLEM),
        ("application/jsonp", PLAIN),
        (";;;,,,=", PLAIN),
        ("a/b," * 10_000 + "application/json", PLAIN),  # The type is behind the part of Accept that is read.
        ("\xff\r\n", PLAIN),
    ],
)
def test_accept_selects_text_or_a_problem_document(
    ask: Callable[..., Served], accept: str, media_type: str
) -> None:
    assert dict(ask(b"/%00", accept=accept).headers)["content-type"] == media_type


def test_accept_may_be_sent_in_pieces() -> None:
    headers = [(b"accept", b"text/plain;q=0.5"), (b"host", b"h"), (b"accept", b"application/json")]
    answer = through_asgi(scope_of(b"/%00", headers=headers))
    assert dict(answer.headers)["content-type"] == PROBLEM


def test_accept_may_be_undecodable() -> None:
    assert through_wsgi(environ_of(b"/%00", HTTP_ACCEPT=None)).status == 400


# -- applications as refusals --------------------------------------------------------------------------------


def test_a_werkzeug_exception_is_a_refusal() -> None:
    answer = through_wsgi(environ_of(b"/%00", **{"wsgi.url_scheme": "http"}), refusal=BadRequest("no"))
    assert answer.status == 400
    assert b"<p>no</p>" in answer.body


def test_a_starlette_response_is_a_refusal() -> None:
    response = JSONResponse({"error": "url"}, status_code=422)
    answer = through_asgi(scope_of(b"/%00"), refusal=response)
    assert (answer.status, answer.body) == (422, b'{"error":"url"}')


@pytest.mark.parametrize("target", HOSTILE)
def test_a_wsgi_refusal_cannot_reflect(target: bytes) -> None:
    seen: list[Request] = []

    @WerkzeugRequest.application
    def reflecting(request: WerkzeugRequest) -> Response:
        seen.append(request.environ)
        return Response(f"{request.url} {request.full_path} {request.environ}", status=404)

    keys = {
        "RAW_URI": target.decode(),
        "SCRIPT_NAME": f"//{MARK}",
        "SCRIPT_URL": target.decode(),
        "SCRIPT_URI": target.decode(),
        "REDIRECT_URL": target.decode(),
        "wsgi.url_scheme": "http",
        "SERVER_NAME": "h",
        "SERVER_PORT": "80",
        "RAW_PATH_INFO": target.decode(),
        "headers_raw": [("Cookie", MARK)],
        "asgi.scope": {"path": target.decode()},
    }
    policy = Policy.STANDARD
    answer = through_wsgi(environ_of(target, **keys), policy, refusal=reflecting)
    ((given),) = seen
    report = given.pop("postel.report")
    assert answer.status == 404
    assert MARK not in str(given)
    assert (given["REQUEST_URI"], given["RAW_URI"], given["PATH_INFO"]) == ("/", "/", "/")
    assert report.refused  # The received target is only in the report.


@pytest.mark.parametrize("target", HOSTILE)
def test_an_asgi_refusal_cannot_reflect(target: bytes) -> None:
    seen: list[Any] = []

    async def reflecting(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope)
        await JSONResponse({"url": str(StarletteRequest(scope).url)}, 404)(scope, receive, send)

    scope = scope_of(target, root_path=f"//{MARK}", wsgi_environ={"PATH_INFO": target.decode()})
    answer = through_asgi(scope, refusal=reflecting)
    ((given),) = seen
    assert answer.status == 404
    assert MARK not in answer.body.decode()
    assert MARK not in str({**given, "postel.report": None})
    assert (given["path"], given["raw_path"], given["query_string"]) == ("/", b"/", b"")
    assert report_of(given).refused


def test_the_request_object_is_unchanged() -> None:
    environ = environ_of(b"//a?b")
    before = dict(environ)
    through_wsgi(environ, refusal=BadRequest())
    assert environ == before


def test_a_refusal_is_built_from_a_report() -> None:
    report = through_wsgi(environ_of(b"/%00")).report
    assert Refusal(report, "", {}).status == 400


@pytest.mark.parametrize("accept", ["", "application/json"])
def test_a_report_without_a_rejecting_finding_is_refused_with_400(accept: str) -> None:
    report = replace(through_wsgi(environ_of(b"/%00")).report, findings=(), id="")
    refusal = Refusal(report, accept, {Kind.NUL: 404})
    assert refusal.status == 400
    if accept:
        assert json.loads(refusal.body) == {"title": "Bad Request", "status": 400, "kinds": []}
    else:
        assert refusal.body == b"Bad Request: the request was refused.\n"


# -- statuses ------------------------------------------------------------------------------------------------

STATUSES = {Kind.NUL: 404, Kind.TOO_LONG: 400, Kind.ENCODED_SLASH: 451}


def behind(ask: Callable[..., Served]) -> Callable[[bytes], Served]:
    protocol = WSGI if ask is from_wsgi else ASGI
    through = protocol.behind(statuses=STATUSES)
    return lambda target: through.serve(protocol.request_of(target))


@pytest.mark.parametrize(
    ("target", "status", "title"),
    [
        (b"/%00", 404, b"Not Found"),
        (b"/?q=%00", 404, b"Not Found"),
        (b"/" + b"a" * 9000, 400, b"Bad Request"),
        (b"/a%2Fb", 451, b"Unavailable For Legal Reasons"),
        (b"/%zz", 400, b"Bad Request"),
        (b"/a%2Fb%00", 451, b"Unavailable For Legal Reasons"),  # The first of several kinds decides.
        (b"/%00%2F", 404, b"Not Found"),
        (b"/%zz%00", 400, b"Bad Request"),
    ],
    ids=lambda each: ascii(each)[:20],
)
def test_the_status_is_that_of_the_first_kind(
    ask: Callable[..., Served], target: bytes, status: int, title: bytes
) -> None:
    answer = behind(ask)(target)
    assert answer.status == status
    assert answer.body.startswith(title + b": the request was refused (")


def test_a_problem_document_has_the_status_too(ask: Callable[..., Served]) -> None:
    protocol = WSGI if ask is from_wsgi else ASGI
    request = protocol.request_of(b"/%00")
    if protocol is WSGI:
        request["HTTP_ACCEPT"] = "application/json"
    else:
        request["headers"] = [(b"accept", b"application/json")]
    answer = protocol.behind(statuses=STATUSES).serve(request)
    problem = {"title": "Not Found", "status": 404, "kinds": ["nul"], "id": answer.report.id}
    assert json.loads(answer.body) == problem


def test_statuses_do_not_change_verdicts(ask: Callable[..., Served]) -> None:
    assert behind(ask)(b"/a?q=50%").status == 200


@pytest.mark.parametrize("forms", [False, True])
@pytest.mark.parametrize("target", [b"/%00", b"/a?q=%C4"])
def test_an_application_that_answers_refusals_receives_no_body(target: bytes, *, forms: bool) -> None:
    """The body of a request that is refused for its target has not been judged."""
    fields = {"content-type": "application/x-www-form-urlencoded", "content-length": "7"}
    told: list[Any] = []

    def wsgi_refusal(environ: Any, start_response: Any) -> list[bytes]:
        told.append((environ.get("CONTENT_TYPE"), environ["CONTENT_LENGTH"], environ["wsgi.input"].read()))
        start_response("400 Bad Request", [])
        return []

    keys = {
        "CONTENT_TYPE": fields["content-type"],
        "CONTENT_LENGTH": "7",
        "wsgi.input": io.BytesIO(b"f=x%00y"),
    }
    WSGI.behind(refusal=wsgi_refusal, forms=forms).serve(environ_of(target, "POST", **keys))
    assert told == [(None, "0", b"")]


@pytest.mark.parametrize(
    ("header", "settings"),
    [
        ((b"cookie", b'a="\\000"'), {"headers": {"cookie": Action.REJECT}}),
        ((b"referer", b"%00"), {"headers": {"referer": Action.REJECT}}),
    ],
)
def test_an_application_that_answers_refusals_gets_no_faulty_field(
    header: tuple[bytes, bytes], settings: dict[str, Any]
) -> None:
    seen: list[Any] = []

    async def refusal(scope: Any, receive: Any, send: Any) -> None:
        seen.append((scope["headers"], await receive(), (await receive())["type"]))
        await send({"type": "http.response.start", "status": 400, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        pass

    names = [(b"host", b"h"), header, (b"content-type", b"text/plain"), (b"x_y", b"1"), (b"x-y", b"2")]

    async def nobody(_scope: Any, _receive: Any, _send: Any) -> None:
        raise AssertionError

    app = ASGI.middleware(nobody, refusal=refusal, observer=repr, **settings)
    run(app(scope_of(b"/a", "POST", headers=names), receive, send))
    ((headers, first, second),) = seen
    assert headers == [(b"host", b"h"), (b"x-y", b"2")]
    assert first == {"type": "http.request", "body": b"", "more_body": False}
    assert second == "http.disconnect"
