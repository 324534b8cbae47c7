"""The Host header: which octets are well-formed, which hosts are served, and the answer to other hosts."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import itertools
import re
import sys
from collections.abc import Callable
from types import BuiltinMethodType, ModuleType
from typing import Any, Final, cast
from urllib.parse import urlsplit
from wsgiref.util import request_uri

import bottle
import falcon
import falcon.asgi
import flask
import pytest
import quart
from django.core.exceptions import DisallowedHost
from django.core.handlers.wsgi import WSGIRequest
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.requests import Request as StarletteRequest
from starlette.responses import PlainTextResponse
from webob import Request as WebObRequest
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Request as WerkzeugRequest

from adapters import ASGI, EACH_PROTOCOL, WSGI, Protocol, Request, environ_of, scope_of
from applications import django_configured
from postel import Action, Component, Kind, Policy, PolicyError
from postel._http.host import Hosts, _as_in_browsers, fault_of
from together import together
from whole.request import Request as Whole
from whole.serving import Running
from wire import environ_of as environ_of_gunicorn
from wire import scope_of as scope_of_uvicorn

WERKZEUG: Final = "werkzeug.sansio.utils"
WELL_FORMED = [
    b"example.com", b"example.com.", b"a", b"1", b"a-b", b"xn--bcher-kva.example",
    b"127.0.0.1", b"127.1", b"999.999.999.999", b"example.com:80", b"example.com:1",
    b"example.com:65535", b"example.com:10000", b"[::]", b"[::1]", b"[::1]:8000", b"[2001:db8::7348]",
    b"[1:2:3:4:5:6:7:8]", b"[1:2:3:4:5:6:127.0.0.1]", b"[::ffff:192.0.2.1]:443", b"[1::]", b"[fe80::a]",
    # RFC 1035, section 2.3.4. A dot at the end is not a label.
    b"a" * 63, b"a" * 63 + b".", b"a" * 63 + b".b:80", (b"a" * 63 + b".") * 3 + b"b" * 61,
    (b"a" * 63 + b".") * 3 + b"b" * 61 + b".", (b"a" * 63 + b".") * 3 + b"b" * 61 + b".:65535",
    b"a." * 126 + b"b", b"a." * 127, b"127.0.0.1.", b"localhost.", b"a-.-b",
]  # fmt: skip
UNDERSCORED = [
    b"a_b.example", b"web_app:8000", b"_dmarc._x.example", b"_", b"a_b.", b"x.a_b", b"_" * 63,
]  # fmt: skip
"""Hosts that are accepted unless a framework is loaded that reads no host there."""
MALFORMED = [
    (b"", 0, "empty"),
    *((b"a%cb.example" % octet, 1, "not allowed in a host") for octet in b"~!$&'()*+;="),
    (b"*.example.org", 0, "not allowed in a host"),
    *(
        (host, 0, "not a name or address with an optional port")
        for host in (
            b"example.com:0", b"example.com:00", b"example.com:080", b"example.com:00080",
            b"example.com:00000", b"a_b:0", b"[::1]:0", b"[::1]:080",
        )
    ),
    (b"example.com/docs?", 11, "not allowed in a host"),
    (b"example.com/", 11, "not allowed in a host"),
    (b"example.com?", 11, "not allowed in a host"),
    (b"example.com#", 11, "not allowed in a host"),
    (b"example.com\\", 11, "not allowed in a host"),
    (b"user@example.com", 4, "not allowed in a host"),
    (b"user:pass@example.com", 9, "not allowed in a host"),
    (b"http://example.com", 5, "not allowed in a host"),
    (b"ex ample.com", 2, "not allowed in a host"),
    (b" example.com", 0, "not allowed in a host"),
    (b"example.com ", 11, "not allowed in a host"),
    (b"example.com\t", 11, "not allowed in a host"),
    (b"example.com\r\nX: y", 11, "not allowed in a host"),
    (b"example.com\n", 11, "not allowed in a host"),
    (b"example\0.com", 7, "not allowed in a host"),
    (b"ex%61mple.com", 2, "not allowed in a host"),
    (b"b\xc3\xbccher.example", 1, "not allowed in a host"),
    (b"\xff", 0, "not allowed in a host"),
    (b'"><script>', 0, "not allowed in a host"),
    (b"a,b", 1, "more than one"),
    (b"a, b", 1, "more than one"),
    (b"a,a", 1, "more than one"),
    (b",", 0, "more than one"),
    (b"example.com:65536", 0, "not a name or address with an optional port"),
    (b"example.com:999999", 0, "not a name or address with an optional port"),
    (b"example.com:http", 0, "not a name or address with an optional port"),
    (b"example.com:-1", 0, "not a name or address with an optional port"),
    (b"example.com:80:80", 0, "not a name or address with an optional port"),
    (b"example.com:", 0, "not a name or address with an optional port"),
    (b"[::1]:", 0, "not a name or address with an optional port"),
    (b":80", 0, "not a name or address with an optional port"),
    (b":", 0, "not a name or address with an optional port"),
    (b"::1", 0, "not a name or address with an optional port"),
    (b"[::1", 0, "not a name or address with an optional port"),
    (b"[]", 0, "not a name or address with an optional port"),
    (b"[::1]a", 0, "not a name or address with an optional port"),
    (b"[::1]:a", 0, "not a name or address with an optional port"),
    (b"[1:2:3:4:5:6:7:8:9]", 0, "not a name or address with an optional port"),
    (b"[1::2::3]", 0, "not a name or address with an optional port"),
    (b"[12345::]", 0, "not a name or address with an optional port"),
    (b"[::ffff:192.0.2.256]", 0, "not a name or address with an optional port"),
    (b"[v1.fe80]", 0, "not a name or address with an optional port"),
    (b"[fe80::1%25eth0]", 8, "not allowed in a host"),
    (b"[example.com]", 0, "not a name or address with an optional port"),
    (b".", 0, "an empty label"),
    (b"..", 0, "an empty label"),
    (b".:80", 0, "an empty label"),
    (b".a", 0, "an empty label"),
    (b"a..", 2, "an empty label"),
    (b"a..b", 2, "an empty label"),
    (b"a..b:8000", 2, "an empty label"),
    (b"example.com..", 12, "an empty label"),
    (b"www..example.com.:443", 4, "an empty label"),
    (b"a" * 64, 0, "a label of more than 63 octets"),
    (b"a" * 256, 0, "a label of more than 63 octets"),
    (b"a" * 64 + b":80", 0, "a label of more than 63 octets"),
    (b"x." + b"a" * 64, 2, "a label of more than 63 octets"),
    (b"x." + b"a" * 64 + b".y.", 2, "a label of more than 63 octets"),
    ((b"a" * 63 + b".") * 3 + b"b" * 62, 0, "more than 253 octets"),
    ((b"a" * 63 + b".") * 3 + b"b" * 62 + b".:80", 0, "more than 253 octets"),
    (b"a." * 127 + b"b", 0, "more than 253 octets"),
]  # fmt: skip


def with_host(protocol: Protocol, *hosts: bytes, target: bytes = b"/a", version: str = "1.1") -> Request:
    """Return a request as servers hand it over: repeated fields are joined on WSGI and separate on ASGI."""
    if protocol is ASGI:
        headers = [(b"accept", b"*/*"), *((b"host", host) for host in hosts)]
        return scope_of(target, headers=headers, http_version=version)
    keys = {"HTTP_HOST": b",".join(hosts).decode("latin-1")} if hosts else {}
    return environ_of(target, SERVER_PROTOCOL=f"HTTP/{version}", **keys)


# -- the octets ----------------------------------------------------------------------------------------------


@EACH_PROTOCOL
@together("host", WELL_FORMED)
def test_well_formed_hosts_are_accepted(protocol: Protocol, host: bytes) -> None:
    request = with_host(protocol, host)
    answer = protocol.through(request)
    assert answer.status == 200
    assert answer.told is None
    assert answer.report.received.host == host
    assert isinstance(answer.given["postel.report"], tuple), "the fast path must judge it"


@EACH_PROTOCOL
def test_hosts_with_an_underscore_are_accepted(protocol: Protocol, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, WERKZEUG, cast("ModuleType", None))
    open_to_all = protocol.behind()
    listing = protocol.behind(hosts=[host.decode() for host in UNDERSCORED])
    for host in UNDERSCORED:
        for through in (open_to_all, listing):
            answer = through.serve(with_host(protocol, host))
            assert (answer.status, answer.told, answer.report.received.host) == (200, None, host)
            assert not isinstance(answer.given["postel.report"], tuple), "the full judgement must judge it"


@EACH_PROTOCOL
@together(("host", "offset", "detail"), MALFORMED, ids=[ascii(row[0][:24]) for row in MALFORMED])
def test_malformed_hosts_are_refused(protocol: Protocol, host: bytes, offset: int, detail: str) -> None:
    answer = protocol.through(with_host(protocol, host))
    assert (answer.status, answer.kinds) == (400, ["malformed-host"])
    assert answer.given is None
    (finding,) = answer.report.findings
    assert (finding.component, finding.offset, finding.detail) == (Component.HOST, offset, detail)
    assert finding.excerpt == host[offset : offset + 48]


@EACH_PROTOCOL
def test_two_fields_are_refused_even_if_they_are_equal(protocol: Protocol) -> None:
    for hosts in ((b"example.com", b"example.com"), (b"a", b"b"), (b"a", b"b", b"c"), (b"", b"")):
        answer = protocol.through(with_host(protocol, *hosts))
        assert (answer.status, answer.kinds) == (400, ["malformed-host"])
        assert answer.report.findings[0].detail == "more than one"


@EACH_PROTOCOL
@pytest.mark.parametrize(
    ("version", "status"),
    [
        *[(old, 200) for old in ("1.0", "1", "0.9", "0.8", "0")],
        *[(unnamed, 200) for unnamed in ("", "INCLUDED")],
        *[(new, 400) for new in ("1.1", "1.2", "1.10", "2", "2.0", "3", "4", "10.0")],
    ],
)
def test_only_http_1_0_may_omit_the_host(protocol: Protocol, version: str, status: int) -> None:
    answer = protocol.through(with_host(protocol, version=version))
    assert answer.status == status
    assert protocol.through(with_host(protocol, b"", version=version)).status == status
    if status == 400:
        assert [str(each) for each in answer.report.findings] == [
            "malformed-host in host at 0 (missing) (reject)"
        ]


@EACH_PROTOCOL
@pytest.mark.parametrize("policy", [Policy.STRICT, Policy.STANDARD, Policy.LENIENT], ids=str)
@pytest.mark.parametrize("hosts", [(), (b"",)], ids=["none", "an empty one"])
def test_a_missing_host_of_an_old_request_is_reported(
    protocol: Protocol, hosts: tuple[bytes, ...], policy: Policy
) -> None:
    """Load balancers send health checks in HTTP/1.0 without a Host."""
    for version, findings in (
        ("1.0", ["missing-host in host at 0 (report)"]),
        ("0.9", ["missing-host in host at 0 (report)"]),
        ("0.8", ["missing-host in host at 0 (report)"]),
        ("", []),
    ):
        answer = protocol.through(with_host(protocol, *hosts, version=version), policy)
        assert answer.status == 200
        assert [str(each) for each in answer.report.findings] == findings
    old = with_host(protocol, *hosts, version="1.0")
    assert protocol.through(old, policy.rejecting(Kind.MISSING_HOST)).kinds == ["missing-host"]
    assert protocol.through(old, policy.allowing(Kind.MISSING_HOST)).told is None
    assert protocol.through(with_host(protocol, *hosts), policy.allowing(Kind.MISSING_HOST)).status == 400
    assert protocol.through(with_host(protocol, b"a/b", version="1.0"), policy).kinds == ["malformed-host"]


@EACH_PROTOCOL
def test_the_asterisk_form_also_needs_a_host(protocol: Protocol) -> None:
    request = with_host(protocol, b"a/b")
    asterisk = {"method": "OPTIONS", "path": "*", "raw_path": b"*"}
    if protocol is not ASGI:
        asterisk = {"REQUEST_METHOD": "OPTIONS", "PATH_INFO": "*", "REQUEST_URI": "*"}
    assert protocol.through({**request, **asterisk}).kinds == ["malformed-host"]


@EACH_PROTOCOL
@pytest.mark.parametrize(
    ("target", "host", "status"),
    [
        (b"http://example.com/a", b"example.com", 200),
        (b"http://example.com:80/a", b"EXAMPLE.com", 200),
        (b"http://example.com/a", b"evil.example", 400),
        (b"http://u@example.com/a", b"example.com", 400),
    ],
)
def test_the_authority_of_an_absolute_form_equals_the_host(
    protocol: Protocol, target: bytes, host: bytes, status: int
) -> None:
    answer = protocol.through(with_host(protocol, host, target=target))
    assert answer.status == status
    assert status == 200 or answer.kinds == ["absolute-form"]


SMALL = [bytes(each) for size in range(5) for each in itertools.product(b"a1.:[]/,%", repeat=size)]
SPECIAL = [bytes(each) for size in range(5) for each in itertools.product(b"aA0_~!:.", repeat=size)]


def test_the_proof_and_the_full_judgement_agree() -> None:
    hosts = Hosts(None)
    for octets in (*SMALL, *SPECIAL):
        proven = bool(hosts.proves(octets))
        assert proven is bool(hosts.proves_text(octets.decode("latin-1")))
        judged = fault_of(octets, "1.1") is not None or b"_" in octets or b"A" in octets
        assert proven is not judged, octets


@pytest.mark.parametrize("named", [None, ["a.example", "*.b.example:80", "[::1]"]])
@given(
    sent=st.lists(st.sampled_from([*SMALL[:99], b"A.example.", b"c.B.example:80", b"[::1]:1", b"b.example"]))
)
def test_cached_hosts_were_proven(named: list[str] | None, sent: list[bytes]) -> None:
    hosts = Hosts(named)
    for octets in sent:
        text = octets.decode("latin-1")
        once = Hosts(named)
        assert bool(hosts.proves(octets)) is bool(once.proves(octets))
        assert bool(hosts.proves_text(text)) is bool(once.proves_text(text)) is bool(once.proves(octets))


def test_a_bounded_number_of_hosts_is_cached_and_no_faulty_one() -> None:
    hosts = Hosts(None)
    known = cast("dict[bytes, bool]", cast("BuiltinMethodType", hosts.proves).__self__)
    for number in range(1000):
        assert hosts.proves(b"%d.example" % number)
        assert not hosts.proves(b"%d/example" % number)
        assert known[b"%d.example" % number]
        assert len(known) <= 256
    assert hosts.proves(b"0.example")
    assert hosts.proves(b"0.example")
    assert set(known.values()) == {True}
    long = b".".join([b"a" * 60] * 4) + b".example.:65535"
    assert hosts.proves(long)
    assert max(map(len, known)) <= 260


@given(st.text("0123456789abcdefABCDEF:.", max_size=40))
def test_addresses_agree_with_the_standard_library(text: str) -> None:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        real = False
    else:
        real = True
    # A Host with capital letters is respelled, so it is not proven.
    assert bool(Hosts(None).proves(f"[{text}]".lower().encode())) is real


@given(st.ip_addresses(v=6))
def test_every_address_is_well_formed_and_has_one_spelling(address: ipaddress.IPv6Address) -> None:
    for text in (address.compressed, address.exploded):
        assert Hosts(None).proves(f"[{text}]".encode())
        usual = _as_in_browsers(f"[{text}]")
        assert ipaddress.IPv6Address(usual[1:-1]) == address
        assert Hosts([usual]).proves(f"{usual}:80".encode())
        assert Hosts([usual]).accepts(f"{usual}:80".upper().encode())


@EACH_PROTOCOL
@given(host=st.binary(max_size=30))
@example(host=b"A_")
def test_no_octets_raise(protocol: Protocol, host: bytes) -> None:
    answer = protocol.through(with_host(protocol, host))
    assert answer.status == (400 if fault_of(host, "1.1") or b"_" in host else 200)
    if answer.status == 400:
        (finding,) = answer.report.findings
        assert host[finding.offset : finding.offset + len(finding.excerpt)] == finding.excerpt
        assert str(finding).isprintable()


def test_malformed_headers_fail_the_proof() -> None:
    for headers in (None, 5, [()], [(b"host",)], [(b"host", "a")], [None]):
        assert ASGI.through(scope_of(b"/a", headers=headers, http_version="1.1")).status == 400
    scope = scope_of(b"/a", http_version="1.1")
    del scope["headers"]
    assert ASGI.through(scope).status == 400
    assert ASGI.through(scope, refusal=PlainTextResponse("no", 499)).status == 499


# -- labels, which Werkzeug encodes --------------------------------------------------------------------------


def flask_app() -> Any:
    app = flask.Flask("hosts")
    app.add_url_rule("/", view_func=lambda: flask.url_for("index", _external=True), endpoint="index")
    return app


def quart_app() -> Any:
    app = quart.Quart("hosts")

    @app.route("/")
    async def index() -> str:
        return quart.url_for("index", _external=True)

    return app


LABELS = st.text("a1-", max_size=66).map(lambda text: text if len(text) < 4 else text.ljust(62, "b"))
NAMES = st.lists(LABELS, max_size=3).map(".".join)
FRAMEWORKS: dict[str, Any] = {"wsgi": flask_app(), "asgi": quart_app()}


@pytest.mark.parametrize("protocol", [WSGI, ASGI], ids=["wsgi", "asgi"])
@given(name=NAMES)
@example(name="a..b")
@example(name=".")
@example(name="a" * 64)
@example(name="a" * 63)
@example(name="example.com.")
def test_no_host_that_passes_makes_flask_or_quart_fail(protocol: Protocol, name: str) -> None:
    """Without postel they answer 400 and 500 for a label that Python's IDNA codec rejects."""
    try:
        name.encode("idna")
    except UnicodeError:
        fails = True
    else:
        fails = False
    app, request, told = FRAMEWORKS[protocol.name], Whole(fields=((b"Host", name.encode()),)), list[Any]()
    behind = protocol.middleware(app, observer=told.append)
    with asyncio.Runner() as runner:
        bare, status = (Running(runner).ask(each, protocol.name, request).status for each in (app, behind))
    assert bare == ((500 if protocol is ASGI else 400) if fails else 200)
    assert status == (400 if fails or not name else 200)
    assert bool(told) is (fails or not name)


# -- policies ------------------------------------------------------------------------------------------------


@EACH_PROTOCOL
@pytest.mark.parametrize(
    ("policy", "status", "actions"),
    [
        (Policy.STRICT, 400, [Action.REJECT]),
        (Policy.STANDARD, 400, [Action.REJECT]),
        (Policy.LENIENT, 400, [Action.REJECT]),
        (Policy.STANDARD.reporting(Kind.MALFORMED_HOST), 200, [Action.REPORT]),
        (Policy.STANDARD.allowing(Kind.MALFORMED_HOST), 200, []),
        (Policy.parse("standard malformed-host@host=report"), 200, [Action.REPORT]),
        (Policy.parse("lenient malformed-host=report"), 200, [Action.REPORT]),
    ],
)
def test_policies_set_the_action_for_a_host(
    protocol: Protocol, policy: Policy, status: int, actions: list[Action]
) -> None:
    answer = protocol.through(with_host(protocol, b"a b"), policy)
    assert answer.status == status
    assert [each.action for each in answer.report.findings] == actions


@EACH_PROTOCOL
def test_a_route_has_its_own_policy(protocol: Protocol) -> None:
    behind = protocol.behind(routes={"/health": Policy.STANDARD.allowing(Kind.MALFORMED_HOST)})
    assert behind.serve(with_host(protocol, b"a b", target=b"/health")).status == 200
    assert behind.serve(with_host(protocol, b"a b", target=b"/other")).status == 400


@EACH_PROTOCOL
def test_an_observed_host_is_handed_on(protocol: Protocol) -> None:
    request = with_host(protocol, b"a b")
    answer = protocol.through(request, enforce=False)
    assert answer.status == 200
    assert answer.report.refused
    assert all(answer.given[key] is each for key, each in request.items())


@EACH_PROTOCOL
def test_the_application_that_answers_refusals_receives_no_malformed_host(protocol: Protocol) -> None:
    seen: list[Request] = []
    if protocol is ASGI:

        async def asgi_refusal(scope: Any, receive: Any, send: Any) -> None:
            seen.append(scope)
            await PlainTextResponse("no", 400)(scope, receive, send)

        protocol.through(with_host(protocol, b'"><script>'), refusal=asgi_refusal)
        assert seen[0]["headers"] == [(b"accept", b"*/*")]
        return

    def wsgi_refusal(environ: Any, start_response: Any) -> Any:
        seen.append(environ)
        return BadRequest()(environ, start_response)

    answer = protocol.through(with_host(protocol, b'"><script>'), refusal=wsgi_refusal)
    assert answer.status == 400
    assert "HTTP_HOST" not in seen[0]


# -- hosts= --------------------------------------------------------------------------------------------------

NAMED = [
    "example.com", "*.example.com", "localhost:8000", "*.test:81", "[::1]", "127.0.0.1", "Dot.Example.",
    "last.port:65535", "web_app", "*.in_side.example",
]  # fmt: skip
OURS = [
    b"example.com", b"example.com:8443", b"www.example.com",
    b"a.b.c.example.com:1", b"localhost:8000", b"a.test:81", b"[::1]", b"[::1]:80",
    b"127.0.0.1:80", b"dot.example.", b"-.example.com", b"last.port:65535",
]  # fmt: skip
OTHERS = [
    b"example.org", b"evil-example.com", b"evilexample.com", b"example.com.evil.example", b"com",
    b"localhost", b"localhost:80", b"test:81", b"a.test", b"a.test:82", b"[::2]", b"[0:0:0:0:0:0:0:1]",
    b"127.0.0.2", b"a_b", b"web_app.example.com", b"a_b.c.example.com", b"a.b_.example.com", b"_.a.test:81",
    b"in_side.example", b"x_.in_side.example",
    # Routers compare these spellings with their own names, and take them for another site.
    b"example.com.", b"www.example.com.", b"example.com.:80", b"dot.example",
]  # fmt: skip


@EACH_PROTOCOL
@pytest.mark.parametrize("host", OURS)
def test_listed_hosts_are_accepted(protocol: Protocol, host: bytes) -> None:
    answer = protocol.through(with_host(protocol, host), hosts=tuple(NAMED))
    assert answer.status == 200
    assert isinstance(answer.given["postel.report"], tuple)


@EACH_PROTOCOL
@pytest.mark.parametrize("host", OTHERS)
def test_other_hosts_are_answered_with_421(protocol: Protocol, host: bytes) -> None:
    answer = protocol.through(with_host(protocol, host), hosts=tuple(NAMED))
    assert (answer.status, answer.kinds) == (421, ["unknown-host"])
    assert host not in answer.body
    assert answer.body.startswith(b"Misdirected Request: ")


@EACH_PROTOCOL
def test_the_name_that_a_wildcard_ends_in_may_have_an_underscore(
    protocol: Protocol, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, WERKZEUG, cast("ModuleType", None))
    through = protocol.behind(hosts=NAMED)
    for host in (b"web_app", b"WEB_app:8000", b"a.in_side.example", b"b.a.in_side.example:1"):
        assert through.serve(with_host(protocol, host)).status == 200


@EACH_PROTOCOL
def test_an_empty_label_matches_no_wildcard(protocol: Protocol) -> None:
    for host in (b".example.com", b"..example.com", b"a..example.com", b"example.com.."):
        answer = protocol.through(with_host(protocol, host), hosts=("*.example.com", "example.com"))
        assert (answer.status, answer.kinds) == (400, ["malformed-host"])
    # A Host that is only reported is still not in the list.
    reporting = Policy.STANDARD.reporting(Kind.MALFORMED_HOST)
    answer = protocol.through(with_host(protocol, b"a..example.com"), reporting, hosts=("*.example.com",))
    assert (answer.status, answer.kinds) == (421, ["unknown-host"])


@EACH_PROTOCOL
def test_an_unlisted_host_is_found_beside_other_faults(protocol: Protocol) -> None:
    ask = protocol.through
    assert ask(with_host(protocol, b"a b"), hosts=("a",)).kinds == ["malformed-host"]
    assert ask(with_host(protocol, b"b", target=b"/%00"), hosts=("a",)).kinds == ["nul", "unknown-host"]
    # A Host that is only reported is still not in the list.
    answer = ask(with_host(protocol, b"a b"), Policy.STANDARD.reporting(Kind.MALFORMED_HOST), hosts=("a",))
    assert (answer.status, answer.kinds) == (421, ["unknown-host"])
    # A request without a Host selects no site, and is not for one of the listed hosts.
    for hosts in ((), (b"",)):
        answer = ask(with_host(protocol, *hosts, version="1.0"), hosts=("a",))
        assert (answer.status, answer.kinds) == (421, ["unknown-host"])
    reporting = Policy.STANDARD.reporting(Kind.UNKNOWN_HOST)
    answer = ask(with_host(protocol, b"b"), reporting, hosts=("a",))
    assert answer.status == 200
    assert [each.kind for each in answer.report.findings] == [Kind.UNKNOWN_HOST]
    assert ask(with_host(protocol, b"b"), hosts=("a",), enforce=False).status == 200


@EACH_PROTOCOL
@together(
    ("hosts", "message"),
    [
        ("example.com", "hosts='example.com': give a list, such as hosts=['example.com']"),
        (5, "hosts=5: give a list, such as hosts=['example.com']"),
        ([], "hosts=[]: no request could pass; leave hosts out, or name one"),
        (["*"], "hosts=['*']: leave hosts out to accept every host"),
        (["bücher.example"], "hosts=['bücher.example']: a Host is ASCII; write the 'xn--' form of the name"),
        *(
            (
                [host],
                f"hosts=[{host!r}]: a host is a name such as 'example.com', '*.example.com', "
                "'example.com:8443' or '[::1]'",
            )
            for host in (
                5, None, b"example.com", "", "https://example.com", "example.com/", "*example.com", "a.*.b",
                "*.*.a", "example.com:", "example.com:0", "example.com:123456", "example.com:65536",
                "example.com:080", "*.example.com:99999", "::1", "[::1", "a b", ".*",
                "a~b", "a!b", "a%b", "*.a+b", "[::1]:80",
                "a" * 64, "a." * 127 + "b", ".", "a..b", ".a", "*..a", "a..",
            )
        ),
    ],
)  # fmt: skip
def test_lists_of_hosts_that_cannot_work(protocol: Protocol, hosts: Any, message: str) -> None:
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        protocol.behind(hosts=hosts)


SPELLINGS: Final = {
    "[0:0::0001]": "[::1]",
    "[0:0:0:0:0:0:0:1]": "[::1]",
    "[::ffff:192.168.0.1]": "[::ffff:c0a8:1]",
    "[0::FFFF:0:0]": "[::ffff:0:0]",
    "[::192.168.0.1]": "[::c0a8:1]",
    "[1:2:3:4:5:6:7::]": "[1:2:3:4:5:6:7:0]",
    "[1::2:0:0:0:3]": "[1:0:0:2::3]",
    "[1:0:0:2:0:0:3:4]": "[1::2:0:0:3:4]",
}
"""IPv6 addresses, and how browsers write them: URL Standard, section 3.5."""


@EACH_PROTOCOL
@pytest.mark.parametrize(("written", "usual"), SPELLINGS.items())
def test_an_ipv6_address_is_named_as_browsers_write_it(protocol: Protocol, written: str, usual: str) -> None:
    message = f"hosts=[{written!r}]: browsers write this address {usual!r}; name that"
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        protocol.behind(hosts=(written,))
    assert protocol.through(with_host(protocol, usual.encode()), hosts=(usual.upper(),)).status == 200


ADDRESSES: Final = {
    "127.1": "127.0.0.1",
    "0x7f.0.0.1": "127.0.0.1",
    "0X7F000001": "127.0.0.1",
    "127.0.0.1.": "127.0.0.1",
    "127.0.0.0x": "127.0.0.0",
    "2130706433:8000": "127.0.0.1:8000",
    "010.0.0.1": "8.0.0.1",
    "00.1": "0.0.0.1",
    "1.2.772": "1.2.3.4",
    "0xffffffff": "255.255.255.255",
}
"""IPv4 addresses, and how browsers write them: URL Standard, section 3.5."""
NO_ADDRESSES: Final = [
    "127.0.0.1", "1.2.3.4:80", "255.255.255.255", "127.1.example", "a.1", "1.2.3.256", "256.1", "4294967296",
    "1.2.3.4.5", "08", "0x7g.1", "*.127.1", "x.0x7f",
]  # fmt: skip


@EACH_PROTOCOL
@pytest.mark.parametrize(("written", "usual"), ADDRESSES.items())
def test_an_ipv4_address_is_named_as_browsers_write_it(protocol: Protocol, written: str, usual: str) -> None:
    message = f"hosts=[{written!r}]: browsers write this address {usual!r}; name that"
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        protocol.behind(hosts=(written,))
    assert protocol.through(with_host(protocol, usual.encode()), hosts=(usual,)).status == 200


@pytest.mark.parametrize("name", NO_ADDRESSES)
def test_other_names_need_no_other_spelling(name: str) -> None:
    assert Hosts([name]).accepts(name.replace("*", "a").encode())


# -- frameworks: a Host never changes what the path is -------------------------------------------------------


READERS: dict[str, Callable[[Request], str]] = {
    "Werkzeug": lambda environ: WerkzeugRequest(environ).url,
    "Falcon": lambda environ: falcon.Request(environ).uri,
    "WebOb": lambda environ: WebObRequest(environ).url,
    "Bottle": lambda environ: bottle.BaseRequest(environ).url,
    "Django": lambda environ: WSGIRequest(environ).build_absolute_uri(),
    "wsgiref": request_uri,
}
ASGI_READERS: dict[str, Callable[[Request], str]] = {
    "Starlette": lambda scope: str(StarletteRequest(scope).url),
    "Falcon": lambda scope: falcon.asgi.Request(scope, never).uri,
}


async def never() -> Any:
    raise NotImplementedError


def paths_read(protocol: Protocol, request: Request) -> dict[str, str]:
    """Return the path of the URL that each framework rebuilds, unless it refuses to."""
    paths = {}
    for name, read in (ASGI_READERS if protocol is ASGI else READERS).items():
        with django_configured(), contextlib.suppress(DisallowedHost):
            paths[name] = urlsplit(read(request)).path
    return paths


def whole(protocol: Protocol, host: bytes, target: bytes = b"/admin") -> Request:
    made = (scope_of_uvicorn if protocol is ASGI else environ_of_gunicorn)(target)
    if protocol is ASGI:
        return {**made, "headers": [(b"host", host)]}
    return {**made, "HTTP_HOST": host.decode("latin-1")}


CHANGING = [
    b"x/docs?",
    b"x/docs#",
    b"x\\docs?",
    b"x?",
    b"x/docs/?",
    b"u@x/docs?",
    b"x:80/docs?",
    b"[::1]/docs?",
    b"/",
]


@pytest.mark.parametrize("protocol", [WSGI, ASGI], ids=["wsgi", "asgi"])
def test_without_postel_a_host_changes_the_path(protocol: Protocol) -> None:
    """Otherwise the next test would test nothing."""
    assert paths_read(protocol, whole(protocol, b"x/docs?"))["Falcon"] == "/docs"


@EACH_PROTOCOL
@together("policy", [Policy.STRICT, Policy.STANDARD, Policy.LENIENT], ids=str)
@together("host", [b"h/admin?", *CHANGING])
def test_no_preset_lets_a_host_steer_a_url_that_is_rebuilt(
    protocol: Protocol, host: bytes, policy: Policy
) -> None:
    """CVE-2026-48710: with ``Host: h/admin?``, the rebuilt URL of every request had the path ``/admin``."""
    assert "/admin" in paths_read(protocol, whole(protocol, b"h/admin?", b"/public")).values()
    answer = protocol.through(whole(protocol, host, b"/public"), policy)
    assert (answer.status, answer.given) == (400, None)
    assert Kind.MALFORMED_HOST in {each.kind for each in answer.report.findings}


@together("protocol", [WSGI, ASGI], ids=["wsgi", "asgi"])
@together("host", CHANGING + WELL_FORMED)
def test_behind_postel_a_host_never_changes_the_path(protocol: Protocol, host: bytes) -> None:
    given = protocol.through(whole(protocol, host)).given
    assert (given is None) is (host in CHANGING)
    if given is not None:
        paths = paths_read(protocol, given)
        assert set(paths.values()) == {"/admin"}, paths
