"""Reports: what an application can ask, with the request object of any framework."""

from __future__ import annotations

import io
from typing import Any

import bottle
import falcon
import falcon.asgi
import flask
import pytest
from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.wsgi import WSGIRequest
from starlette.requests import Request as StarletteRequest
from starlette.websockets import WebSocket
from webob import Request as WebObRequest
from werkzeug.wrappers import Request as WerkzeugRequest

from adapters import environ_of, scope_of, through_asgi, through_wsgi
from applications import django_configured
from postel import Kind, Policy, Report, Target, report_of

TARGETS = [b"/a?q=1", b"/%7euser?q=50%"]


def environ(target: bytes) -> dict[str, Any]:
    """Return the environ that an application behind postel receives."""
    handed = environ_of(
        target,
        SERVER_NAME="h",
        SERVER_PORT="80",
        SERVER_PROTOCOL="HTTP/1.1",
        HTTP_HOST="h",
        **{"wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(), "wsgi.errors": None},
    )
    given = through_wsgi(handed).given
    assert given is not None
    return given


def scope(target: bytes) -> dict[str, Any]:
    """Return the scope that an application behind postel receives."""
    given = through_asgi(
        scope_of(target, http_version="1.1", scheme="http", server=("h", 80), headers=[(b"host", b"h")])
    ).given
    assert given is not None
    return given


def requests_of(target: bytes) -> dict[str, Any]:
    async def receive() -> Any:
        raise NotImplementedError

    with flask.Flask("any").request_context(environ(target)):
        return {
            "environ": environ(target),
            "scope": scope(target),
            "Flask": flask.request._get_current_object(),
            "Werkzeug": WerkzeugRequest(environ(target)),
            "Bottle": bottle.BaseRequest(environ(target)),
            "WebOb": WebObRequest(environ(target)),
            "Falcon": falcon.Request(environ(target)),
            "Falcon on ASGI": falcon.asgi.Request(scope(target), receive),
            "Starlette": StarletteRequest(scope(target)),
            "Starlette's websocket": WebSocket(scope(target) | {"type": "websocket"}, receive, receive),
        }


@pytest.mark.parametrize("target", TARGETS)
def test_report_of_accepts_every_request_object(target: bytes) -> None:
    for name, request in requests_of(target).items():
        report = report_of(request)
        assert report.received_target == target, name
        assert (report.method, report.client) == ("GET", "192.0.2.1"), name


@pytest.mark.parametrize("target", TARGETS)
def test_report_of_accepts_djangos_requests(target: bytes) -> None:
    with django_configured():
        on_wsgi = WSGIRequest(environ(target))
        on_asgi = ASGIRequest(scope(target), io.BytesIO())
    assert report_of(on_wsgi).received_target == target
    assert report_of(on_asgi).received_target == target


def test_a_request_that_postel_has_not_judged_has_no_report() -> None:
    for request in ({}, environ_of(b"/a"), StarletteRequest(scope_of(b"/a")), None, 1, object()):
        with pytest.raises(LookupError, match=r"no report in this .*: wrap the application in postel\.asgi"):
            report_of(request)


def test_the_report_of_a_clean_request_has_no_findings() -> None:
    report = report_of(environ(b"/a?q=1"))
    target = Target(b"/a", b"q=1", host=b"h")
    assert report == Report(target, target, method="GET", client="192.0.2.1")
    assert not report.changed
    assert not report.refused
    assert report.enforced
    assert report.verdict == "clean"


def test_the_report_of_a_clean_request_names_what_the_server_hides() -> None:
    for target in (b"/a", b"/%7ea"):
        report = through_wsgi(environ_of(target, SERVER_SOFTWARE="Werkzeug/3.1.9")).report
        assert Kind.LEADING_SLASHES in report.blind
        assert through_wsgi(environ_of(target, SERVER_SOFTWARE="waitress")).report.blind == frozenset()


def test_the_report_of_a_repaired_request_has_both_targets() -> None:
    report = report_of(environ(b"/%7euser?q=50%"))
    assert report.changed
    assert report.target == Target(b"/~user", b"q=50%25", host=b"h")
    assert [each.kind for each in report.findings] == [Kind.SPELLING, Kind.MALFORMED_ESCAPE]


def test_the_report_of_a_refused_request_has_no_result() -> None:
    report = through_wsgi(environ_of(b"/%00")).report
    assert report.refused
    assert not report.changed
    assert report.target is None
    assert report.received_target == b"/%00"


def test_without_enforcement_the_report_says_what_would_be_refused() -> None:
    report = through_wsgi(environ_of(b"/%00"), enforce=False).report
    assert report.refused
    assert not report.enforced


def test_findings_are_bounded() -> None:
    report = through_wsgi(environ_of(b"/a?" + b"q=%00&" * 900)).report
    assert len(report.findings) == 32
    assert report.truncated
    hidden = environ_of(b"//a?" + b"q=%00&" * 900, PATH_INFO="/a")
    assert len(through_wsgi(hidden).report.findings) <= 70


def test_octets_for_signatures_are_those_of_the_client() -> None:
    policy = Policy.STANDARD.repairing(Kind.SPELLING)
    answer = through_wsgi(environ_of(b"/%7euser?sig=%c3%a4+b"), policy)
    assert answer.given is not None
    assert answer.given["QUERY_STRING"] == "sig=%C3%A4%20b"
    assert answer.report.received.query == b"sig=%c3%a4+b"


@pytest.mark.parametrize(
    ("keys", "client"),
    [
        ({"client": ("192.0.2.1", 1)}, "192.0.2.1"),
        ({"client": ["192.0.2.1", 1]}, "192.0.2.1"),
        ({"client": None}, ""),
        ({"client": "192.0.2.1"}, ""),
        ({"client": ()}, ""),
        ({"client": (1, 2)}, ""),
    ],
)
def test_the_report_has_the_address_of_the_client(keys: dict[str, Any], client: str) -> None:
    for target in TARGETS:
        assert through_asgi(scope_of(target, **keys)).report.client == client
