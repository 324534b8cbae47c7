"""Flask and Quart build no URL without a host: Hosts that Werkzeug misreads are refused."""

from __future__ import annotations

import asyncio
import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final, cast
from unittest import mock

import flask
import pytest
import quart
from werkzeug.sansio.utils import get_host

from adapters import ASGI, EACH_PROTOCOL, WSGI, Protocol, Request, environ_of, scope_of
from postel import Action, Kind, Policy
from together import together
from whole.request import Request as Whole
from whole.serving import Running

READER: Final = "werkzeug.sansio.utils"
MISREAD: Final = [
    *(f"a{each}b" for each in "_~!$&'()*+;=,%"),
    "web_app:8000",
    "a:0",
    "a:080",
    "a_b.shop.example",
]
"""Hosts that Werkzeug 3.1.8 and newer read as an empty one."""
PRESETS: Final = (Policy.STRICT, Policy.STANDARD, Policy.LENIENT)


def flask_app() -> Any:
    app = flask.Flask("misread", static_folder=None)
    app.add_url_rule("/<path:path>/", "page", lambda path: flask.request.url_root)
    return app


def quart_app() -> Any:
    app = quart.Quart("misread", static_folder=None)

    @app.route("/<path:path>/")
    async def page(path: str) -> str:
        return str(quart.request.url_root)

    return app


APPLICATIONS: Final[dict[str, Any]] = {"wsgi": flask_app(), "asgi": quart_app()}


@functools.cache  # Compiling a policy takes longer than a request.
def behind(protocol: Protocol, policy: Policy, hosts: tuple[str, ...] | None) -> Any:
    return protocol.middleware(APPLICATIONS[protocol.name], policy, hosts=hosts, observer=repr)


def answer_of(app: Any, protocol: Protocol, host: bytes, target: bytes = b"/evil.example") -> Any:
    request = Whole(target=target, fields=((b"Host", host),))
    with asyncio.Runner() as runner:
        return Running(runner).ask(app, protocol.name, request)


def with_host(protocol: Protocol, host: str) -> Request:
    if protocol is ASGI:
        return scope_of(b"/a", headers=[(b"host", host.encode())], http_version="1.1")
    return environ_of(b"/a", HTTP_HOST=host, SERVER_PROTOCOL="HTTP/1.1")


# -- the current Werkzeug ------------------------------------------------------------------------------------


def test_werkzeug_still_reads_no_host() -> None:
    """Otherwise this file would test nothing."""
    for host in MISREAD:
        assert get_host("http", host) == "", host


@EACH_PROTOCOL
@together("host", MISREAD)
@together("hosts", [None, ("shop.example", "*.shop.example")], ids=str)
@together("policy", PRESETS, ids=str)
def test_a_host_that_werkzeug_misreads_is_refused(
    protocol: Protocol, policy: Policy, hosts: tuple[str, ...] | None, host: str
) -> None:
    answer = answer_of(behind(protocol, policy, hosts), protocol, host.encode())
    assert answer.status in {400, 421}


def test_without_postel_flask_redirects_to_the_site_in_the_path() -> None:
    """Otherwise the test above would test nothing."""
    answer = answer_of(APPLICATIONS["wsgi"], WSGI, b"a_b.shop.example")
    assert (answer.status, dict(answer.headers)["Location"]) == (308, "http:///evil.example/")


@EACH_PROTOCOL
@together(
    "host", [f"a{chr(octet)}b{port}" for octet in range(0x80) for port in ("", ":1", ":0", ":080", ":65536")]
)
def test_werkzeug_reads_each_accepted_host_as_it_was_sent(protocol: Protocol, host: str) -> None:
    answer = protocol.through(with_host(protocol, host))
    assert answer.status == (200 if get_host("https", host) == host else 400)


# -- any Werkzeug --------------------------------------------------------------------------------------------


def module(**names: Any) -> ModuleType:
    made = ModuleType(READER)
    vars(made).update(names)
    return made


class Odd(ModuleType):
    """A module whose attributes cannot be read."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


def old(scheme: str, host: str) -> str:
    """Read the Host as Werkzeug before 3.1.8 does."""
    return host


def raising(scheme: str, host: str) -> str:
    raise LookupError(host)


Load = Callable[[object], None]


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Load:
    def load(reader: object) -> None:
        monkeypatch.setitem(sys.modules, READER, cast("ModuleType", reader))

    return load


@EACH_PROTOCOL
@pytest.mark.parametrize("reader", [None, module(), module(get_host="text"), "text", module(get_host=old)])
def test_an_underscore_is_accepted_if_nothing_misreads_it(
    protocol: Protocol, loaded: Load, reader: object, caplog: pytest.LogCaptureFixture
) -> None:
    loaded(reader)
    assert protocol.behind().serve(with_host(protocol, "a_b")).status == 200
    assert caplog.records == []


@EACH_PROTOCOL
@pytest.mark.parametrize(
    "reader",
    [
        module(get_host=lambda scheme, host: ""),
        module(get_host=raising),
        module(get_host=mock.MagicMock()),
        Odd(""),
    ],
    ids=["empty", "raises", "gives a mock", "raises when it is read"],
)
def test_an_underscore_is_refused_if_it_is_misread(protocol: Protocol, loaded: Load, reader: object) -> None:
    loaded(reader)
    through = protocol.behind()
    answer = through.serve(with_host(protocol, "a_b"))
    assert (answer.status, answer.kinds, answer.given) == (400, ["malformed-host"], None)
    (finding,) = answer.report.findings
    assert str(finding) == ('malformed-host in host at 1: "_b" (a framework reads no host here) (reject)')
    assert through.serve(with_host(protocol, "b")).status == 200
    assert protocol.behind(hosts=["b"]).serve(with_host(protocol, "a_b")).kinds == ["unknown-host"]
    reporting = protocol.behind(Policy.STANDARD.reporting(Kind.UNKNOWN_HOST), hosts=["b"])
    assert reporting.serve(with_host(protocol, "a_b")).kinds == ["malformed-host"]


@EACH_PROTOCOL
def test_a_listed_underscore_passes(protocol: Protocol, loaded: Load) -> None:
    loaded(module(get_host=raising))
    for host, listed in (("a_b", "a_b"), ("a_b:80", "a_b"), ("www.a_b", "*.a_b")):
        through = protocol.behind(hosts=[listed])
        assert through.serve(with_host(protocol, host)).told is None
        assert through.serve(with_host(protocol, "c_d")).kinds == ["unknown-host"]


@EACH_PROTOCOL
def test_a_werkzeug_that_is_loaded_later_is_asked(protocol: Protocol, loaded: Load) -> None:
    loaded(None)
    through = protocol.behind()
    assert through.serve(with_host(protocol, "a_b")).status == 200
    loaded(module(get_host=raising))
    assert through.serve(with_host(protocol, "a_b")).status == 400
    loaded(None)
    assert through.serve(with_host(protocol, "a_b")).status == 400  # the result is remembered


@EACH_PROTOCOL
def test_the_advice_is_logged_once(protocol: Protocol, caplog: pytest.LogCaptureFixture) -> None:
    through = protocol.behind()
    for host in ("b", "a_b", "a_c", "a_b"):
        through.serve(with_host(protocol, host))
    (record,) = caplog.records
    assert (record.levelname, record.name) == ("WARNING", "postel")
    assert record.getMessage() == (
        "Werkzeug reads no host from a Host with an underscore, such as 'a_b', so Flask builds URLs such as "
        "'http:///path'; these requests are refused; use a name without an underscore, or, if no URL is "
        "built from the Host, list the name in hosts="
    )


@EACH_PROTOCOL
def test_a_policy_may_allow_the_underscore(protocol: Protocol) -> None:
    request = with_host(protocol, "a_b")
    assert protocol.through(request, Policy.STANDARD.allowing(Kind.MALFORMED_HOST)).told is None
    reported = protocol.through(request, Policy.STANDARD.reporting(Kind.MALFORMED_HOST))
    assert (reported.status, [each.action for each in reported.report.findings]) == (200, [Action.REPORT])
    observed = protocol.through(request, enforce=False)
    assert (observed.status, observed.report.refused) == (200, True)
