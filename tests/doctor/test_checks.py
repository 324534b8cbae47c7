"""The checks of routes on made-up answers: what is a finding, and what only looks like one."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import unquote, unquote_to_bytes

import pytest

from postel import Kind
from postel.doctor._answer import Answer, Difference, Note
from postel.doctor._catalogue import CATALOGUE
from postel.doctor._differences import awaited_differences, differences
from postel.doctor._frameworks import route_of
from postel.doctor._guards import guard_findings, is_denied
from postel.doctor._probe import AsgiProbe, WsgiProbe
from postel.doctor._received import ReceivedRequest
from postel.doctor._request import Request
from postel.doctor._routes import Route
from postel.doctor._steering import steering_findings
from postel.doctor._variants import variants

NOTE: Final = Note("the route", (Difference("request.url", "a", "PATH_INFO", "b"),))


def routed(*texts: str) -> list[Route]:
    return [Route.parse(text) for text in texts]


# -- guards --------------------------------------------------------------------------------------------------


def guarding(serve: Callable[[bytes], bytes | None], note: Note | None = None) -> Any:
    """Return a guard on the raw path in front of a router of decoded paths."""

    def ask(request: Request) -> Answer:
        path = request.target.partition(b"?")[0]
        if path.startswith(b"/admin"):
            return Answer(403, note=note)
        body = serve(unquote_to_bytes(path))
        return Answer(404) if body is None else Answer(200, body=body, note=note)

    return ask


def test_answers_with_some_statuses_are_denials() -> None:
    to_login = (("location", "/accounts/login?next=/"),)
    assert [is_denied(each) for each in (Answer(401), Answer(403), Answer(302, to_login))] == [True] * 3
    assert [is_denied(each) for each in (Answer(200), Answer(404), Answer(302, (("location", "/b"),)))] == [
        False
    ] * 3


@pytest.mark.parametrize("note", [None, Note(), NOTE], ids=["no note", "no route", "a route"])
def test_a_guarded_page_that_is_reached_is_a_finding(note: Note | None) -> None:
    ask = guarding(lambda path: b"panel" if path == b"/admin/panel/" else None, note)
    [found] = guard_findings(ask, routed("/health", "/admin/panel/?a=b"))
    assert (found.request.target, found.kinds) == (b"/%61dmin/panel/?a=b", (Kind.SPELLING,))
    assert any("request.url is a, but PATH_INFO is b" in each for each in found.saw) is (note is NOTE)


def test_a_page_that_everybody_may_see_is_no_finding() -> None:
    assert list(guard_findings(guarding(lambda _: b"welcome"), routed("/admin"))) == []


def test_a_page_that_repeats_its_path_is_public() -> None:
    assert list(guard_findings(guarding(lambda path: b"no " + path), routed("/admin"))) == []


@pytest.mark.parametrize(
    ("routes", "count"), [(("a", "a"), 0), (("a", "b"), 1)], ids=["one view", "two views"]
)
def test_a_page_that_always_changes_is_recognised_by_its_route(routes: tuple[str, str], count: int) -> None:
    numbers = itertools.count()

    def ask(request: Request) -> Answer:
        path = unquote_to_bytes(request.target)
        if request.target == b"/admin":
            return Answer(401)
        note = Note(routes[0] if path == b"/admin" else routes[1])
        return Answer(200, body=b"%d" % next(numbers), note=note)

    assert (
        len({each.kinds for each in guard_findings(ask, routed("/admin")) if each.kinds == (Kind.SPELLING,)})
        == count
    )


def test_the_root_has_no_other_spelling() -> None:
    assert list(guard_findings(lambda _: Answer(401), routed("/"))) == []


def test_a_target_has_many_variants() -> None:
    for target in (b"/a", b"/a/b/", b"/%C3%A9", b"/.well-known/x", b"/a/.b?c"):
        for method in ("GET", "POST"):
            names = [each.name for each in variants(Request(target, method), b"/")]
            assert len(names) > 20
            assert ("an escaped letter" in names) is target.rpartition(b"/")[2][:1].isalnum()


# -- forms and redirects -------------------------------------------------------------------------------------


def test_a_form_that_is_read_under_any_type_is_a_finding() -> None:
    ask: Any = lambda request: Answer(200, body=request.body, note=NOTE)  # noqa: E731
    by_type, by_length = steering_findings(ask, routed("POST / name=x", "PUT /"))
    assert (by_type.rule, by_type.kinds, by_type.others) == (
        "content type",
        (Kind.MALFORMED_CONTENT_TYPE,),
        6,
    )
    assert (by_length.rule, by_length.cve) == ("length", "CVE-2024-1135")


def test_a_form_without_an_effect_is_no_finding() -> None:
    assert list(steering_findings(lambda _: Answer(200), routed("POST / name=x"))) == []
    assert list(steering_findings(lambda _: Answer(403), routed("POST / name=x"))) == []


@pytest.mark.parametrize(
    ("location", "kind"), [("//evil.example/x", 1), ("/\\EVIL.example:80", 1), ("/x", 0)]
)
def test_leading_slashes_that_a_redirect_repeats_are_a_finding(location: str, kind: int) -> None:
    found = list(steering_findings(lambda _: Answer(301, (("location", location),)), []))
    assert [each.kinds for each in found] == [(Kind.LEADING_SLASHES,)] * kind


def test_a_redirect_of_two_routes_is_found_once() -> None:
    def ask(request: Request) -> Answer:
        is_led = request.target.startswith(b"/go?next=")
        return Answer(302, (("location", unquote(request.target.decode()).partition("=")[2]),) * is_led)

    [found] = steering_findings(ask, routed("/go", "/go?next=/home", "/other"))
    assert found.title == "a redirect leads to any site that next= names"


def test_a_backslash_that_a_redirect_repeats_is_a_finding() -> None:
    def ask(request: Request) -> Answer:
        return Answer(301, (("location", request.target.decode()),) * (b"\\" in request.target))

    [found] = steering_findings(ask, [])
    assert found.kinds == (Kind.BACKSLASH,)


def test_an_answer_that_changes_by_itself_is_no_finding() -> None:
    numbers = itertools.count()
    ask: Any = lambda _: Answer(200, body=b"%d" % next(numbers))  # noqa: E731
    assert list(steering_findings(ask, routed("/?q=1"))) == []


# -- places in a request object from which a URL is read -----------------------------------------------------

HANDED: Final = ReceivedRequest.of_environ(Request(b"/a").environ(), b"")


def raising(error: Exception) -> Any:
    def read(*_: object) -> Any:
        raise error

    return read


@pytest.mark.parametrize(
    ("error", "values"),
    [(LookupError(), ["raises LookupError"]), (type("BadRequest", (Exception,), {})(), [])],
    ids=["a fault", "a refusal"],
)
def test_a_place_that_raises_is_a_difference_unless_it_refuses(error: Exception, values: list[str]) -> None:
    async def later() -> object:
        raise error

    adapters: Any = (lambda _: {"path: x": raising(error)}, raising(error))
    assert {each.value for each in differences(HANDED, adapters)} == {*values}
    awaited: Any = (lambda _: {"form: x": later},)
    assert [each.value for each in asyncio.run(awaited_differences(HANDED, awaited))] == values


def test_the_path_of_a_scope_without_a_raw_path_is_its_decoded_path() -> None:
    scope = {**Request(b"/caf%C3%A9").scope(), "raw_path": None}
    assert ReceivedRequest.of_scope(scope, b"").path == "/café".encode()


def test_the_route_is_read_from_the_keys_of_each_framework() -> None:
    rule = type("Rule", (), {"rule": "/a/<b>"})()
    pattern = type("Route", (), {"pattern": "/a/{b}"})()
    assert route_of({"bottle.route": rule}) == "/a/<b>"
    assert route_of({"bfg.routes.route": pattern}) == "/a/{b}"
    assert route_of({"path_template": "/a/{b}"}) == "/a/{b}"
    assert (
        route_of({"endpoint": test_the_root_has_no_other_spelling}) == "test_the_root_has_no_other_spelling"
    )
    assert route_of({"endpoint": object()}) == ""
    assert route_of({}) == ""


# -- the probe -----------------------------------------------------------------------------------------------


def test_the_probe_hands_on_what_it_has_read() -> None:
    got: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        got.append(scope["type"])
        if scope["type"] == "http":
            got.extend([await receive() for _ in range(3)])
            await send({"type": "http.response.start", "status": 200})

    sent: list[Any] = []
    messages = [
        {"type": "http.request", "body": b"a", "more_body": True},
        {"type": "http.request", "body": b"b"},
        {"type": "http.disconnect"},
    ]

    async def receive() -> Any:
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    expected = list(messages)
    probe = AsgiProbe(app, ())
    asyncio.run(probe({"type": "lifespan"}, receive, send))
    asyncio.run(probe(Request(b"/").scope(), receive, send))
    assert got == ["lifespan", "http", *expected]
    assert [name for name, _ in sent[0]["headers"]] == [b"x-postel-doctor"]


def test_the_probe_on_wsgi_reads_as_much_as_was_sent() -> None:
    def app(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        return [environ["wsgi.input"].read()]

    probe = WsgiProbe(app, ())
    for request in (
        Request(b"/", "POST", body=b"abc"),
        Request(b"/", "POST", body=b"abc", framing="chunked"),
    ):
        assert list(probe(request.environ(), lambda *_: None)) == [b"abc"]


def test_rows_name_published_faults_by_their_cve() -> None:
    assert {each.cve[:4] for each in CATALOGUE} == {"", "CVE-"}
    assert sum(bool(each.cve) for each in CATALOGUE) > 15
