"""Names of headers that WSGI merges: two such names are refused on ASGI, and a single one is reported.

Each framework and bridge that builds an environ from a scope shows why.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from a2wsgi.wsgi import build_environ as a2wsgi_environ
from asgiref.wsgi import WsgiToAsgiInstance
from hypercorn.app_wrappers import _build_environ as hypercorn_environ
from hypothesis import given
from hypothesis import strategies as st

from _http.test_websocket import Connection, handshake
from _normalizer.test_plain import is_proven, plain
from adapters import ASGI, WSGI, Request, environ_of, scope_of
from postel import Action, Component, Kind, Policy
from postel._http.header_names import doubtful_names

MERGED, UNDERSCORE = Kind.MERGED_HEADER_NAMES, Kind.UNDERSCORE_HEADER
HOST: Final = (b"host", b"h")


def with_names(*names: bytes, **keys: Any) -> Request:
    return scope_of(b"/a", headers=[HOST, *((name, b"1/1") for name in names)], **keys)


# Each row: names of headers, and the findings.
NAMES: Final = [
    ([b"x-forwarded-for", b"x_forwarded_for"], [(MERGED, "x_forwarded_for")]),
    ([b"x_forwarded_for", b"x-forwarded-for"], [(MERGED, "x_forwarded_for")]),
    ([b"X-Forwarded-For", b"x_FORWARDED_for"], [(MERGED, "x_forwarded_for")]),
    ([b"x-forwarded_for", b"x_forwarded-for"], [(MERGED, "x-forwarded_for"), (MERGED, "x_forwarded-for")]),
    ([b"content-type", b"content_type"], [(MERGED, "content_type")]),
    ([b"content-length", b"content_length"], [(MERGED, "content_length")]),
    ([b"transfer-encoding", b"transfer_encoding"], [(MERGED, "transfer_encoding")]),
    ([b"remote_user", b"x_user", b"x-user"], [(MERGED, "x_user"), (UNDERSCORE, "remote_user")]),
    ([b"x_user"], [(UNDERSCORE, "x_user")]),
    ([b"x_user", b"x_user", b"X_USER"], [(UNDERSCORE, "x_user")]),
    ([b"x_user", b"x-users", b"xuser"], [(UNDERSCORE, "x_user")]),
    ([b"_"], [(UNDERSCORE, "_")]),
    ([b"-", b"_"], [(MERGED, "_")]),
    ([b"x_\xff\n"], [(UNDERSCORE, "x_\xff\n")]),
    ([b"x_" + b"y" * 200], [(UNDERSCORE, "x_" + "y" * 62)]),
]


@pytest.mark.parametrize("websocket", [False, True], ids=["http", "websocket"])
@pytest.mark.parametrize(("names", "found"), NAMES, ids=[ascii(row[0])[:60] for row in NAMES])
def test_names_with_underscores_are_found(
    names: list[bytes], found: list[tuple[Kind, str]], *, websocket: bool
) -> None:
    refused = any(kind is MERGED for kind, _ in found)
    told: list[Any] = []
    if websocket:
        headers = [HOST, *((name, b"1/1") for name in names)]
        connection = Connection(handshake(b"/a", headers=headers)).through(observer=told.append)
        assert (connection.given is None) is refused
    else:
        answer = ASGI.behind(observer=told.append).serve(with_names(*names))
        assert answer.status == (400 if refused else 200)
    (report,) = told
    assert [(each.kind, each.name) for each in report.findings] == found
    for each in report.findings:
        assert (each.component, each.offset, each.excerpt) == (Component.HEADERS, 0, b"")
        assert each.action is (Action.REJECT if each.kind is MERGED else Action.REPORT)
        assert str(each).isprintable()


@pytest.mark.parametrize("policy", [Policy.STRICT, Policy.STANDARD, Policy.LENIENT], ids=str)
def test_all_presets_have_the_same_actions(policy: Policy) -> None:
    assert ASGI.behind(policy).serve(with_names(b"x-user", b"x_user")).kinds == ["merged-header-names"]
    assert ASGI.behind(policy).serve(with_names(b"x_user")).report.findings[0].action is Action.REPORT


def test_a_policy_may_set_other_actions() -> None:
    both, alone = with_names(b"x-user", b"x_user"), with_names(b"x_user")
    assert ASGI.behind(Policy.STANDARD.reporting(MERGED)).serve(both).status == 200
    assert ASGI.behind(Policy.STANDARD.rejecting(UNDERSCORE)).serve(alone).status == 400
    allowed = ASGI.behind(Policy.parse("standard underscore-header@headers=allow")).serve(alone)
    assert (allowed.status, allowed.told) == (200, None)
    routed = ASGI.behind(routes={"/a": Policy.STANDARD.rejecting(UNDERSCORE)})
    assert routed.serve(alone).status == 400
    assert routed.serve({**alone, "path": "/b", "raw_path": b"/b"}).status == 200


def test_observed_headers_are_handed_on() -> None:
    request = with_names(b"x-user", b"x_user")
    answer = ASGI.behind(enforce=False).serve(request)
    assert answer.report.refused
    assert all(answer.given[key] is each for key, each in request.items())


@pytest.mark.parametrize("policy", [Policy.STANDARD, Policy.STANDARD.reporting(MERGED).rejecting(UNDERSCORE)])
def test_many_names_do_not_hide_a_reason_to_refuse(policy: Policy) -> None:
    alone = [b"a%d_" % number for number in range(100)]
    doubles = [name for number in range(100) for name in (b"b%d_" % number, b"b%d-" % number)]
    for names in ([*alone, *doubles], [*doubles, *alone]):
        answer = ASGI.behind(policy).serve(with_names(*names))
        assert answer.status == 400
        assert [each.action for each in answer.report.findings] == [Action.REJECT] * 8
        assert answer.report.truncated
    few = ASGI.behind(policy).serve(with_names(*alone[:50], b"b_", b"b-", *alone[50:]))
    assert few.status == 400
    assert len(few.report.findings) == 8


def test_plain_names_pass_the_proof_and_names_with_underscores_are_judged() -> None:
    for name, proven in ((b"x-user", True), (b"x_user", False), (b"_", False), (b"cookie", True)):
        assert is_proven(ASGI, plain(ASGI, headers=[HOST, (name, b"a_b")])) is proven
        assert is_proven(ASGI, plain(ASGI, headers=[(name, b"a_b"), HOST])) is proven
    for odd in ("x_user", "x-user", None, 1, bytearray(b"x_user")):
        assert not is_proven(ASGI, plain(ASGI, headers=[HOST, (odd, b"1")]))


@given(st.lists(st.text("ab-_A", max_size=4).map(str.encode), max_size=6))
def test_names_without_findings_are_merged_by_no_reader(names: list[bytes]) -> None:
    found = list(doubtful_names(names))
    lowered = {name.lower() for name in names}
    read = {name.decode().replace("-", "_") for name in lowered}
    merged = any(kind is MERGED for kind, _ in found)
    assert merged is (len(read) < len(lowered))
    assert {name for _, name in found} == {name for name in lowered if b"_" in name}
    assert len(found) == len({name for _, name in found})


# -- readers that merge names --------------------------------------------------------------------------------


def asgiref_environ(scope: Request) -> Any:
    bridge = WsgiToAsgiInstance(repr)
    bridge.scope = scope
    return bridge.build_environ(scope, b"")


CONNECTED: Final = {"http_version": "1.1", "scheme": "http", "server": ("h", 80)}
BRIDGES: Final[dict[str, Callable[[Request], Any]]] = {
    "asgiref": asgiref_environ,
    "a2wsgi": lambda scope: a2wsgi_environ(scope, b""),  # No test reads the body.
    "Hypercorn": lambda scope: hypercorn_environ(scope, b""),
}


@pytest.mark.parametrize("bridge", BRIDGES)
def test_bridges_to_wsgi_merge_names_but_never_receive_such_names(bridge: str) -> None:
    scope = {**with_names(), **CONNECTED, "headers": [HOST, (b"x-user", b"anna"), (b"x_user", b"eve")]}
    assert BRIDGES[bridge](scope)["HTTP_X_USER"] in {"anna,eve", "eve"}
    assert ASGI.behind().serve(scope).given is None


@pytest.mark.parametrize("bridge", BRIDGES)
def test_no_bridge_reads_a_length_or_type_from_a_name_with_an_underscore(bridge: str) -> None:
    """Such a name cannot turn a body into a form or cut a body, except in Django REST framework."""
    names = [(b"content_type", b"application/x-www-form-urlencoded"), (b"content_length", b"1")]
    environ = BRIDGES[bridge]({**with_names(), **CONNECTED, "headers": [HOST, *names]})
    assert not environ.get("CONTENT_TYPE")
    assert not environ.get("CONTENT_LENGTH")


@pytest.mark.parametrize(
    ("policies", "rules"),
    [
        ((Policy.STANDARD.rejecting(UNDERSCORE),), "underscore-header=reject"),
        ((Policy.LENIENT.rejecting(Kind.SPLIT_COOKIE),), "split-cookie=reject"),
        ((Policy.STRICT, Policy.STANDARD.rejecting(UNDERSCORE)), "underscore-header=reject"),
        (
            (Policy.STANDARD.rejecting(UNDERSCORE), Policy.STRICT.rejecting(UNDERSCORE, Kind.SPLIT_COOKIE)),
            "underscore-header=reject, split-cookie=reject",
        ),
        ((Policy.STRICT, Policy.LENIENT), None),
        ((Policy.STANDARD, Policy.STANDARD.reporting(MERGED).allowing(UNDERSCORE, Kind.SPLIT_COOKIE)), None),
        ((Policy.STANDARD.rejecting(Kind.NUL),), None),
    ],
)
def test_on_wsgi_a_stricter_rule_is_logged_at_construction(
    policies: tuple[Policy, ...], rules: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    policy, *others = policies
    routes = {f"/{number}": other for number, other in enumerate(others)}
    ASGI.behind(policy, routes=routes)
    assert not caplog.messages
    WSGI.behind(policy, routes=routes)
    expected = (
        f"a policy has rules for names of headers, which WSGI does not show: {rules}; let the server or a "
        "proxy refuse such requests, or leave these rules out"
    )
    assert caplog.messages == ([] if rules is None else [expected])


def test_on_wsgi_merged_names_cannot_be_detected() -> None:
    """Servers write one key for both names before postel is called; SECURITY.md says so."""
    environ = environ_of(b"/a", HTTP_HOST="h", HTTP_X_USER="anna,eve", SERVER_PROTOCOL="HTTP/1.1")
    answer = WSGI.behind().serve(environ)
    assert (answer.status, answer.told) == (200, None)
