"""The sender: header fields of the user beside those of a request, above all a Host."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from postel.doctor import examine
from postel.doctor._answer import Answer
from postel.doctor._catalogue import CATALOGUE, Family
from postel.doctor._request import HOST, Request
from postel.doctor._sender import Sender
from postel.doctor._variants import variants

GIVEN: Final = ((b"host", b"shop.example:8080"), (b"Cookie", b"a=b"))
SENT: Final = [
    pytest.param(Request(b"/"), (b"/", b"shop.example:8080"), id="a plain request"),
    pytest.param(Request(b"/", host=HOST + b"/?"), (b"/", b"shop.example:8080/?"), id="a path in the Host"),
    pytest.param(Request(b"/", host=b"a..b"), (b"/", b"a..b"), id="another Host"),
    pytest.param(
        Request(b"http://localhost/a"),
        (b"http://shop.example:8080/a", b"shop.example:8080"),
        id="an absolute form",
    ),
    pytest.param(
        Request(b"http://evil.example/a"),
        (b"http://evil.example/a", b"shop.example:8080"),
        id="an absolute form with another host",
    ),
]


def sent(request: Request) -> Request:
    """Return the request that a sender with the given fields sends."""
    got: list[Request] = []

    def ask(request: Request, /) -> Answer:
        got.append(request)
        return Answer(200)

    Sender(ask, GIVEN, None)(request)
    return got[0]


@pytest.mark.parametrize(("request_", "expected"), SENT)
def test_the_host_of_the_user_replaces_only_the_default_host(
    request_: Request, expected: tuple[bytes, bytes]
) -> None:
    request = sent(request_)
    assert (request.target, request.host) == expected
    assert [value for name, value in request.fields() if name.lower() == b"host"] == [expected[1]]
    assert (b"Cookie", b"a=b") in request.headers


def test_a_field_of_the_request_replaces_the_field_of_the_user() -> None:
    assert sent(Request(b"/", headers=((b"cookie", b"c=d"),))).headers == ((b"cookie", b"c=d"),)


def test_the_requests_with_a_faulty_host_stay_different() -> None:
    plain = Request(b"/admin/panel")
    hosts = [each.request for each in variants(plain, b"/") if each.name == "a path in the Host"]
    hosts += [each.request for each in CATALOGUE if each.family is Family.HOST]
    assert len({sent(each).host for each in hosts} - {sent(plain).host}) > 5


def rebuilding(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    """Deny a page by the path of the URL that the Host and the path make."""
    path = environ["PATH_INFO"]
    is_kept = urlsplit(f"http://{environ['HTTP_HOST']}{path}").path == "/admin"
    is_there = path in {"/", "/admin"}
    start_response("403 Forbidden" if is_kept else "200 OK" if is_there else "404 Not Found", [])
    return [path.encode()]


def test_a_guard_that_reads_the_host_is_bypassed_with_the_host_of_the_user() -> None:
    for headers in ([], [("Host", "shop.example")]):
        found = examine(rebuilding, routes=["/admin"], headers=headers).bare
        assert [each.title for each in found] == ["a guard is bypassed by a path in the Host"]
