"""The parts of the WSGI middleware that ASGI does not have."""

from __future__ import annotations

import functools
import io
import sys
from collections.abc import Iterable
from typing import Any
from wsgiref.util import setup_testing_defaults
from wsgiref.validate import validator

import pytest
from a2wsgi import ASGIMiddleware
from hypercorn.middleware import AsyncioWSGIMiddleware

import postel.asgi
import wire
from adapters import WSGI, call_wsgi, environ_of, through_wsgi
from postel import Action, Kind, Policy, report_of
from postel.wsgi import NormalizeMiddleware
from together import together


def complete(target: bytes, method: str = "GET", **keys: Any) -> dict[str, Any]:
    """Return an environ with all keys that PEP 3333 requires."""
    environ = environ_of(target, method, HTTP_HOST="h.test", SERVER_NAME="h.test", **keys)
    setup_testing_defaults(environ)
    return environ | {"wsgi.input": io.BytesIO(), "wsgi.errors": sys.stderr}


def hello(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"hello"]


# -- what validators find ------------------------------------------------------------------------------------

TARGETS = [b"/", b"/a?q=1", b"/%7euser", b"/caf\xc3\xa9?q=50% off", b"//evil", b"/%00", b"/" + b"a" * 9000]


@together("method", ["GET", "HEAD", "OPTIONS"])
@together("target", TARGETS)
@together("prefix", ["", "/sub"])
@together("enforce", [True, False])
def test_wsgirefs_validator_accepts_every_call(
    target: bytes, method: str, prefix: str, enforce: bool
) -> None:
    app = validator(NormalizeMiddleware(validator(hello), enforce=enforce, observer=repr))
    environ = complete(target, method, SCRIPT_NAME=prefix)
    answered: list[str] = []

    def start_response(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
        answered.append(status)
        return io.BytesIO().write

    chunks = app(environ, start_response)
    body = b"".join(chunks)
    chunks.close()
    assert answered
    assert body or method == "HEAD" or answered[0].startswith("308")


# -- every place where an application could read the URL -----------------------------------------------------


def test_the_keys_of_all_servers_are_rewritten_together() -> None:
    environ = environ_of(b"/%7euser?", RAW_URI="/%7euser?")
    given = through_wsgi(environ).given
    assert given is not None
    assert given["PATH_INFO"] == "/~user"
    assert given["REQUEST_URI"] == given["RAW_URI"] == "/~user"
    assert given["QUERY_STRING"] == ""


def test_the_scope_of_a_bridge_is_rewritten_too() -> None:
    scope = {"path": "/sub/%7Euser", "raw_path": b"/sub/%7euser", "query_string": b"", "state": {}}
    before = dict(scope)
    given = through_wsgi(
        environ_of(b"/sub/%7euser", SCRIPT_NAME="/sub", PATH_INFO="/~user", **{"asgi.scope": scope})
    ).given
    assert given is not None
    assert given["asgi.scope"] == {**before, "path": "/sub/~user", "raw_path": b"/sub/~user"}
    assert scope == before


def test_the_keys_of_eventlet_are_rewritten_or_removed() -> None:
    fields = [("Cookie", "a=1; a=2")]
    environ = {
        "PATH_INFO": "/~user",
        "QUERY_STRING": "q=1",
        "RAW_PATH_INFO": "/%7euser",
        "headers_raw": fields,
    }
    given = through_wsgi(environ).given
    assert given is not None
    assert (given["RAW_PATH_INFO"], given["headers_raw"]) == ("/~user", fields)
    dropping = WSGI.behind(headers={"cookie": Action.DROP_PAIR})
    given = dropping.serve({**environ, "HTTP_COOKIE": "__Host-a=1; __Host-a=2; b=3"}).given
    assert given is not None
    assert given["HTTP_COOKIE"] == "b=3"
    assert "headers_raw" not in given
    assert through_wsgi({**environ, "PATH_INFO": "/a/b", "RAW_PATH_INFO": "/a%2Fb"}).status == 400


def test_raw_keys_are_not_invented() -> None:
    given = through_wsgi({"PATH_INFO": "/a b", "QUERY_STRING": ""}).given
    assert given is not None
    assert given.keys() == {"PATH_INFO", "QUERY_STRING", "postel.report"}


@pytest.mark.parametrize("key", ["SCRIPT_URL", "SCRIPT_URI", "REDIRECT_URL"])
@pytest.mark.parametrize("target", [b"/a", b"/%7euser"])
def test_keys_with_other_views_of_the_url_are_removed(key: str, target: bytes) -> None:
    given = through_wsgi(environ_of(target, **{key: "/other"})).given
    assert given is not None
    assert key not in given


def test_a_second_raw_key_is_rewritten_too() -> None:
    given = through_wsgi(environ_of(b"/a", RAW_URI="/evil")).given
    assert given is not None
    assert given["RAW_URI"] == "/a"


def test_the_path_is_latin_1_text_of_utf_8() -> None:
    given = through_wsgi({"PATH_INFO": "/\u20ac", "QUERY_STRING": "q=\u20ac"}).given
    assert given is not None
    assert given["PATH_INFO"] == "/\xe2\x82\xac"
    assert given["QUERY_STRING"] == "q=%E2%82%AC"


def test_a_prefix_that_is_missing_in_the_raw_key_is_added() -> None:
    given = through_wsgi(environ_of(b"/a", SCRIPT_NAME="/sub")).given
    assert given is not None
    assert (given["SCRIPT_NAME"], given["PATH_INFO"]) == ("/sub", "/a")
    assert given["REQUEST_URI"] == "/sub/a"
    assert report_of(given).received_target == b"/a"


@pytest.mark.parametrize("missing", ["SCRIPT_NAME", "QUERY_STRING", "REMOTE_ADDR", "REQUEST_METHOD"])
def test_a_key_that_a_server_omits_is_not_added(missing: str) -> None:
    environ = environ_of(b"/a")
    del environ[missing]
    given = through_wsgi(environ).given
    assert given is not None
    assert {**given, "postel.report": None} == {**environ, "postel.report": None}


def test_a_question_mark_without_a_query_is_removed() -> None:
    assert through_wsgi(environ_of(b"/a?")).given["REQUEST_URI"] == "/a"


# -- where the server has changed the path -------------------------------------------------------------------


def handed(raw: str, path: str, query: str = "") -> dict[str, Any]:
    return {"PATH_INFO": path, "QUERY_STRING": query, "REQUEST_URI": raw}


def test_octets_that_the_server_removed_are_judged() -> None:
    answer = through_wsgi(handed("//admin", "/admin"))
    assert answer.kinds == ["leading-slashes"]
    (finding,) = answer.report.findings
    assert (finding.offset, finding.excerpt) == (0, b"//")


def test_a_server_may_make_the_repair_that_the_policy_makes() -> None:
    answer = through_wsgi(handed("/x/../admin", "/admin"), Policy.LENIENT)
    assert answer.given is not None
    assert answer.given["PATH_INFO"] == answer.given["REQUEST_URI"] == "/admin"
    assert [str(each) for each in answer.report.findings] == ['dot-segment in path at 3: ".." (repair)']


def test_the_path_as_the_server_repaired_it_is_handed_on() -> None:
    answer = through_wsgi(handed("/a//b", "/a/b"), Policy.STANDARD.reporting(Kind.EMPTY_SEGMENT))
    assert answer.given is not None
    assert answer.given["PATH_INFO"] == answer.given["REQUEST_URI"] == "/a/b"
    assert [each.kind for each in answer.report.findings] == [Kind.EMPTY_SEGMENT]
    assert answer.report.received.path == b"/a//b"


def test_views_that_disagree_are_reported() -> None:
    rewritten = handed("/artikel/5?lang=de", "/article", "lang=de&id=5")
    answer = through_wsgi(rewritten)
    assert answer.given is not None
    assert answer.given["REQUEST_URI"] == "/article?lang=de&id=5"
    assert [str(each) for each in answer.report.findings] == [
        "views-disagree in path at 0 (report)",
        "views-disagree in query at 0 (report)",
    ]
    assert through_wsgi(rewritten, Policy.STRICT).kinds == ["views-disagree"]


def test_faults_in_the_decoded_view_alone_are_refused() -> None:
    answer = through_wsgi(handed("/%zz", "/\0"), Policy.LENIENT)
    assert answer.kinds == ["nul"]
    fault = next(each for each in answer.report.findings if each.kind is Kind.NUL)
    assert (fault.offset, fault.excerpt, fault.detail) == (0, b"", "in the server's view")


def test_findings_that_only_the_decoded_view_has_are_cut_short() -> None:
    policy = Policy.LENIENT.reporting(Kind.BIDI_CONTROL, Kind.VIEWS_DISAGREE)
    shown = handed("/a", "/" + "\u202ea".encode().decode("latin-1") * 40)
    report = through_wsgi(shown, policy).report
    assert [each.kind for each in report.findings].count(Kind.BIDI_CONTROL) == 32
    assert report.truncated


def test_a_fault_in_both_views_is_one_finding() -> None:
    answer = through_wsgi(handed("//a?q=%00", "/a", "q=%00"))
    assert [each.kind for each in answer.report.findings] == [Kind.LEADING_SLASHES, Kind.NUL]


def test_a_pair_that_the_server_has_joined_is_refused_and_not_dropped() -> None:
    """waitress removes a TAB from the query, where LENIENT drops the whole pair."""
    answer = through_wsgi(handed("/a?q=<sc\tript>", "/a", "q=<script>"), Policy.LENIENT)
    assert answer.kinds == ["control"]
    assert [each.detail for each in answer.report.findings if each.kind is Kind.CONTROL] == [
        "the server's view hides it"
    ]


def test_a_pair_that_is_faulty_in_both_views_is_dropped() -> None:
    both = handed("/a?utm_source=%C4&q=1", "/a", "utm_source=%C4&q=1&added=1")
    answer = through_wsgi(both)
    assert answer.given is not None
    assert answer.given["QUERY_STRING"] == "q=1&added=1"


def test_replacement_characters_of_a_server_are_ill_formed() -> None:
    answer = through_wsgi({"PATH_INFO": "/\xef\xbf\xbd", "QUERY_STRING": ""})
    assert answer.kinds == ["ill-formed-utf8"]
    replacing = Policy.STANDARD.replacing(Kind.ILL_FORMED_UTF8, on=postel.Component.PATH)
    answer = through_wsgi({"PATH_INFO": "/\xef\xbf\xbd", "QUERY_STRING": ""}, replacing)
    assert answer.given is not None
    dropping = Policy.STANDARD.dropping(Kind.ILL_FORMED_UTF8, on=postel.Component.PATH)
    answer = through_wsgi({"PATH_INFO": "/\xef\xbf\xbd", "QUERY_STRING": ""}, dropping)
    assert answer.kinds == ["ill-formed-utf8"]


def test_the_report_names_the_kinds_that_the_server_hides() -> None:
    report = through_wsgi({"PATH_INFO": "/a/b", "QUERY_STRING": ""}).report
    assert not report.verbatim
    assert Kind.ENCODED_SLASH in report.blind
    assert not through_wsgi(environ_of(b"/a/b")).report.blind


# -- other callers, and wrapped applications -----------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda middleware: middleware({}),
        lambda middleware: middleware({}, print, print),
        lambda middleware: middleware({}, print, print, print),
    ],
)
def test_a_call_in_the_style_of_asgi_raises(call: Any) -> None:
    with pytest.raises(TypeError, match=r"as in ASGI; import NormalizeMiddleware from postel\.asgi"):
        call(NormalizeMiddleware(hello))


def test_the_middleware_works_in_front_of_a_wrapped_application() -> None:
    @functools.wraps(lambda request: None)
    def decorated(*arguments: Any) -> Iterable[bytes]:
        return hello(*arguments)

    assert call_wsgi(NormalizeMiddleware(decorated), environ_of(b"/a")).body == b"hello"


def test_the_answer_of_the_application_is_returned_unchanged() -> None:
    """The server must see a file wrapper, and closes the answer."""
    chunks = iter([b"a"])

    def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        start_response("200 OK", [])
        return chunks

    for target in (b"/a", b"/%7euser"):
        assert NormalizeMiddleware(app)(environ_of(target), lambda *_: None) is chunks


def test_an_asgi_application_behind_a_bridge_reads_the_judged_url() -> None:
    """a2wsgi passes no raw path; the path that it passes has been judged before."""
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"hello"})

    inner = postel.asgi.NormalizeMiddleware(app)
    answer = call_wsgi(NormalizeMiddleware(ASGIMiddleware(inner)), complete(b"/%7euser?q=50%"))
    assert answer.status == 200
    assert (seen[0]["path"], seen[0]["query_string"]) == ("/~user", b"q=50%25")
    assert report_of(seen[0]).received_target == b"/%7euser?q=50%"


# -- a bridge that sends no headers without a chunk ----------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "target", "status"),
    [("GET", b"//evil", 308), ("HEAD", b"/a//b", 308), ("HEAD", b"/%00", 400), ("GET", b"/%00", 400)],
)
def test_hypercorns_bridge_sends_every_answer(method: str, target: bytes, status: int) -> None:
    app = AsyncioWSGIMiddleware(NormalizeMiddleware(hello, observer=repr))
    assert wire.ask_asgi(app, target, method).status == status
