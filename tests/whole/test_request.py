"""A request is handed over as servers do it, and the generated requests are mixed."""

from __future__ import annotations

from typing import Any

import h11
import pytest

from whole.generator import FORM, ordinary, requests
from whole.request import Request, environ_of, messages_of, octets_of, scope_of
from whole.serving import PROTOCOLS
from whole.settings import PRESETS

LAX = {preset.name: preset for preset in PRESETS if preset.name != "STRICT"}
POST = Request(
    b"/caf%C3%A9?q=%2B#f",
    "POST",
    (
        (b"Host", b"h"),
        (b"X-A", b" 1\t"),
        (b"X-A", b"2"),
        (b"X_A", b"3"),
        (b"Content-Type", b"\xa0a"),
        (b"Content-Type", FORM),
    ),
    b"q=1&p=2",
    size=3,
    root="/s\u00fcb",
)


def parsed(request: Request) -> tuple[Any, bytes]:
    """Return what h11 reads from the octets."""
    connection = h11.Connection(h11.SERVER)
    connection.receive_data(octets_of(request))
    head, body = connection.next_event(), b""
    while isinstance(event := connection.next_event(), h11.Data):
        body += event.data
    return head, body


@pytest.mark.parametrize("chunked", [False, True])
def test_the_octets_are_those_of_the_request(chunked: bool) -> None:
    framing = (b"Transfer-Encoding", b"chunked") if chunked else (b"Content-Length", b"7")
    request = Request(POST.target, "POST", (*POST.fields[:4], framing), POST.body, POST.size)
    head, body = parsed(request)
    assert (head.method, head.target, head.http_version) == (b"POST", request.target, b"1.1")
    assert [(name, value) for name, value in head.headers] == scope_of(request)["headers"]
    assert (
        body
        == request.body
        == b"".join(each["body"] for _, each in zip(range(3), messages_of(request), strict=False))
    )


def test_a_request_becomes_a_scope() -> None:
    scope = scope_of(POST)
    assert (scope["path"], scope["raw_path"], scope["root_path"]) == (
        "/s\u00fcb/caf\u00e9",
        b"/s\xc3\xbcb/caf%C3%A9",
        "/s\u00fcb",
    )
    assert scope["query_string"] == b"q=%2B#f"
    assert scope["headers"][:4] == [(b"host", b"h"), (b"x-a", b"1"), (b"x-a", b"2"), (b"x_a", b"3")]


def test_a_request_becomes_an_environ() -> None:
    environ = environ_of(POST)
    assert (environ["SCRIPT_NAME"], environ["PATH_INFO"]) == ("/s\xc3\xbcb", "/caf\xc3\xa9")
    assert (environ["RAW_URI"], environ["QUERY_STRING"]) == ("/s\xc3\xbcb/caf%C3%A9?q=%2B#f", "q=%2B")
    assert (environ["HTTP_X_A"], environ["CONTENT_TYPE"]) == ("1,2", FORM.decode())


@pytest.mark.parametrize(
    ("fields", "delivered", "ends"),
    [
        ([], b"", True),
        ([(b"Content-Length", b"4")], b"body", True),
        ([(b"Content-Length", b"2")], b"bo", True),
        ([(b"Content-Length", b"9")], b"body", False),
        ([(b"Content-Length", b"0"), (b"Transfer-Encoding", b"chunked")], b"body", True),
    ],
)
def test_a_body_is_delivered_as_it_is_framed(
    fields: list[tuple[bytes, bytes]], delivered: bytes, ends: bool
) -> None:
    request = Request(b"/", "POST", tuple(fields), b"body", size=3)
    assert (request.delivered, request.ends) == (delivered, ends)
    assert environ_of(request)["wsgi.input"].read() == delivered
    received = [
        each
        for _, each in zip(range(3), messages_of(request), strict=False)
        if each["type"] == "http.request"
    ]
    assert b"".join(each["body"] for each in received) == delivered
    assert received[-1]["more_body"] is not ends


def test_a_seed_gives_the_same_requests_again() -> None:
    assert list(requests(3, 50)) == list(requests(3, 50)) != list(requests(4, 50))


def test_every_part_is_sometimes_hostile() -> None:
    found = list(requests(0, 3000))
    for what in (
        lambda request: b"%25" in request.target,
        lambda request: b"//" in request.target,
        lambda request: not request.values(b"host"),
        lambda request: len(request.values(b"host")) > 1,
        lambda request: any(b"\xa0" in value for value in request.values(b"content-type")),
        lambda request: any(b"utf-7" in value for value in request.values(b"content-type")),
        lambda request: request.is_chunked and request.length == 0 and request.body,
        lambda request: not request.ends,
        lambda request: any(b"\\0" in value for value in request.values(b"cookie")),
        lambda request: any(b"_" in name for name, _ in request.fields),
        lambda request: b"form-data" in request.body,
        lambda request: request.root,
        lambda request: request.version == "1.0",
    ):
        assert sum(map(bool, map(what, found))) > 5


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", LAX)
def test_ordinary_requests_pass(name: str, protocol: str) -> None:
    for request in ordinary(0, 400):
        passage = LAX[name].probes[protocol].ask(request)
        assert passage.passes, (str(request), passage.answer)


@pytest.mark.parametrize("preset", PRESETS, ids=str)
def test_some_hostile_requests_pass_and_some_are_refused(preset: Any) -> None:
    """Laws about requests that pass would test nothing if none passed."""
    passed = sum(preset.probes["wsgi"].ask(request).passes for request in requests(0, 400))
    assert 80 < passed < 390
