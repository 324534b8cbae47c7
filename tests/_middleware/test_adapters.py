"""Properties of both middlewares, and that both have the same verdicts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters import (
    ASGI,
    WSGI,
    Protocol,
    Request,
    Served,
    Through,
    environ_of,
    scope_of,
    through_asgi,
    through_wsgi,
)
from postel import Component, Kind, Policy, report_of
from postel._alphabet.percent import percent_decode
from together import together

KEY = "postel.report"
PRESETS = {"STRICT": Policy.STRICT, "STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}
POLICIES = [pytest.param(policy, id=name) for name, policy in PRESETS.items()]

CLEAN = [
    b"/",
    b"/a/b/",
    b"/caf%C3%A9?q=caf%C3%A9",
    b"/a?q=1&q=2&flag&empty=",
    b"/a%20b?q=a+b%2Bc",
    b"/wiki/a,b;c=d@e:f!$'()*",
    b"/%F0%9F%98%80",
    b"/a?tags%5B%5D=1&next=https%3A%2F%2Fh%2F%3Fa%3D1%26b",
]
HOSTILE = [
    b"//admin",
    b"/%2Fadmin",
    b"/./admin",
    b"/x/../admin",
    b"/x/%2e%2e/admin",
    b"/a%00b",
    b"/%C4",
    b"/%zz?q=%zz",
    b"/a\\b",
    b"/a#b?c",
    b"/a?b#c",
    b"/a?q=%C4&utm_source=%C4",
    b"/a?q=a;b",
    b"/a?a=1&&b",
    b"/a?",
    b"/%7euser?q=%7e",
    b"/caf\xc3\xa9?q=\xc3\xa9",
    b"/a b\t?q=<>",
    b"http://h/a?b",
    b"http://u@h/a",
    b"a/b",
    b"",
    b"?q",
    b"*",
    b"h:80",
    b"/" + b"a" * 9000,
    b"/" + b"a/" * 300,
]


@pytest.fixture(params=[WSGI, ASGI], ids=lambda each: each.name)
def protocol(request: pytest.FixtureRequest) -> Protocol:
    found = request.param
    assert isinstance(found, Protocol)
    return found


# -- what the application is given ---------------------------------------------------------------------------


@pytest.mark.parametrize("target", CLEAN)
def test_clean_requests_are_a_shallow_copy_with_one_more_key(protocol: Protocol, target: bytes) -> None:
    request = protocol.request_of(target, extra=object())
    given = protocol.through(request).given
    assert given is not None
    assert given is not request
    assert given.keys() - request.keys() == {KEY}
    assert KEY not in request
    assert all(given[key] is each for key, each in request.items())


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("target", CLEAN)
def test_the_proof_and_the_full_judgement_hand_on_the_same_request(
    protocol: Protocol, target: bytes, policy: Policy
) -> None:
    request = protocol.request_of(target)
    answer = protocol.through(request, policy)
    slow = protocol.slowly(request, policy)
    if answer.given is None:
        assert slow is None
        return
    assert slow is not None
    assert report_of(slow) == answer.report
    assert {**slow, KEY: None} == {**answer.given, KEY: None}


def test_clean_requests_pass_the_proof(protocol: Protocol) -> None:
    taken = [
        target
        for target in CLEAN
        if isinstance(protocol.through(protocol.request_of(target)).given[KEY], tuple)
    ]
    assert taken == CLEAN


@together("policy", POLICIES)
@together("target", HOSTILE + CLEAN)
def test_all_views_agree(protocol: Protocol, target: bytes, policy: Policy) -> None:
    given = protocol.through(protocol.request_of(target), policy).given
    if given is None:
        return
    path, _, query = protocol.raw(given).partition(b"?")
    assert query == protocol.query(given)
    decoded = protocol.path(given)
    if policy is Policy.LENIENT:
        decoded = percent_decode(decoded)  # Only what the policy preserves is still escaped.
    assert decoded == percent_decode(path)


@together("target", HOSTILE + CLEAN)
@together("policy", POLICIES)
def test_observed_requests_are_untouched(protocol: Protocol, target: bytes, policy: Policy) -> None:
    request = protocol.request_of(target)
    before = dict(request)
    answer = protocol.through(request, policy, enforce=False)
    assert answer.given is not None
    assert answer.given.keys() == {*request, KEY}
    assert all(answer.given[key] is each for key, each in before.items())
    assert not answer.report.enforced
    assert answer.report.refused == (protocol.through(request, policy).given is None)


def test_rejected_requests_reach_no_application(protocol: Protocol) -> None:
    answer = protocol.through(protocol.request_of(b"/%00"))
    assert answer.given is None
    assert answer.status == 400
    assert answer.kinds == ["nul"]


def test_a_repair_is_written_into_every_view(protocol: Protocol) -> None:
    given = protocol.through(protocol.request_of(b"/%7euser/caf\xc3\xa9?q=50% off")).given
    assert given is not None
    assert protocol.path(given) == "/~user/café".encode()
    assert protocol.raw(given) == b"/~user/caf%C3%A9?q=50%25%20off"
    assert given[KEY].changed
    assert given[KEY].received_target == b"/%7euser/caf\xc3\xa9?q=50% off"


def test_preserved_slashes_stay_escaped_in_the_decoded_view(protocol: Protocol) -> None:
    policy = Policy.STANDARD.preserving(Kind.ENCODED_SLASH).allowing(Kind.UNSAFE_DOUBLE_ESCAPE)
    given = protocol.through(protocol.request_of(b"/a%2fb%252Fc"), policy).given
    assert given is not None
    assert protocol.path(given) == b"/a%2Fb%252Fc"
    assert protocol.raw(given) == b"/a%2Fb%252Fc"


def test_absolute_form_becomes_a_path(protocol: Protocol) -> None:
    request = protocol.request_of(b"http://h.test/a?q")
    request |= {"HTTP_HOST": "H.test:80"} if protocol is WSGI else {"headers": [(b"host", b"H.test:80")]}
    given = protocol.through(request).given
    assert given is not None
    assert protocol.raw(given) == b"/a?q"
    assert protocol.path(given) == b"/a"
    other = {"HTTP_HOST": "other"} if protocol is WSGI else {"headers": [(b"host", b"other")]}
    assert protocol.through(request | other).kinds == ["absolute-form"]


# -- same verdict --------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        *b"/ // . .. %2e %2F %2f %252F % %C4 %C3%A9 a # ? & = + ; \\ %00 %09 %u0041 %EF%BF%BD".split(),
        *b"* :8 http://h utm_a= q= \xc3\xa9 \xe9 \xef\xbf\xbd \0".split(b" "),
        b" ",
        b"\t",
    ]
)
TARGETS = st.one_of(
    st.lists(PIECES, max_size=8).map(b"".join),
    st.lists(PIECES, max_size=8).map(lambda pieces: b"/" + b"".join(pieces)),
    st.binary(max_size=16),
)


@given(TARGETS, st.sampled_from(list(PRESETS)))
def test_the_same_octets_get_the_same_verdict(target: bytes, preset: str) -> None:
    from_wsgi = through_wsgi(environ_of(target), PRESETS[preset])
    from_asgi = through_asgi(scope_of(target), PRESETS[preset])
    assert from_wsgi.status == from_asgi.status
    assert verdict(from_wsgi) == verdict(from_asgi)


def verdict(answer: Served) -> object:
    if answer.told is None and answer.given is None:
        return answer.status
    report = answer.report
    return report.target, report.findings, report.received, report.method, report.client


@given(
    TARGETS, st.sampled_from(["STRICT", "STANDARD"])
)  # LENIENT preserves escapes, so the decoded path it hands on is not the decoded raw path.
def test_an_accepted_request_is_accepted_again_unchanged(target: bytes, preset: str) -> None:
    policy = PRESETS[preset]
    for protocol in (WSGI, ASGI):
        first = protocol.through(protocol.request_of(target), policy)
        if first.given is None or protocol.raw(first.given) == b"*":
            continue
        again = {key: each for key, each in first.given.items() if key != KEY}
        second = protocol.through(again, policy)
        assert second.given is not None
        assert {**second.given, KEY: None} == {**first.given, KEY: None}


# -- nothing raises ------------------------------------------------------------------------------------------

ODD = st.one_of(
    st.none(),
    st.integers(),
    st.text(max_size=6),
    st.binary(max_size=6),
    st.lists(st.one_of(st.none(), st.text(max_size=3), st.binary(max_size=3)), max_size=2),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=1),
    st.sampled_from(["/a", "*", "//", "/\ud800", "\u20ac", "/%2F", "http://h/a", "h:80", "/sub", "OPTIONS"]),
    st.sampled_from([b"/a", b"*", b"//", b"/\xff", b"/%2F", b"/sub/a", b"http://h/a", b"h:80", b"/sub"]),
)
WSGI_KEYS = [
    "REQUEST_METHOD",
    "SCRIPT_NAME",
    "PATH_INFO",
    "QUERY_STRING",
    "REQUEST_URI",
    "RAW_URI",
    "HTTP_HOST",
    "HTTP_ACCEPT",
    "REMOTE_ADDR",
    "SCRIPT_URL",
    "asgi.scope",
]
ASGI_KEYS = ["method", "path", "raw_path", "query_string", "root_path", "headers", "client", "wsgi_environ"]


def some(keys: list[str]) -> st.SearchStrategy[Request]:
    return st.fixed_dictionaries({}, optional=dict.fromkeys(keys, ODD))


@given(some(WSGI_KEYS), st.sampled_from(list(PRESETS)), st.booleans())
def test_no_environ_raises(environ: Request, preset: str, enforce: bool) -> None:
    assert through_wsgi(environ, PRESETS[preset], enforce=enforce).status in {200, 308, 400, 414}


@given(some(ASGI_KEYS), st.sampled_from(list(PRESETS)), st.booleans())
def test_no_scope_raises(scope: Request, preset: str, enforce: bool) -> None:
    assert through_asgi(scope, PRESETS[preset], enforce=enforce).status in {200, 308, 400, 414}


@given(st.binary(max_size=8), st.binary(max_size=8))
def test_no_headers_raise(name: bytes, text: bytes) -> None:
    headers = [(name, text), (b"host", text), (b"accept", text), text, None, [1], (name,)]
    scope = scope_of(b"http://h/%00", headers=headers)
    assert through_asgi(scope).status == 400


# -- prefixes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
def test_dots_never_lead_out_of_a_prefix(protocol: Protocol, policy: Policy) -> None:
    for target in (
        b"/sub/../admin",
        b"/sub/x/../../admin",
        b"/sub/%2e%2e/admin",
        b"/sub/..%2Fadmin",
        b"/sub/..",
    ):
        assert protocol.through(protocol.mounted(target, "/sub"), policy).given is None


def test_dots_are_resolved_within_a_prefix(protocol: Protocol) -> None:
    given = protocol.through(protocol.mounted(b"/sub/x/../admin?q", "/sub"), Policy.LENIENT).given
    assert given is not None
    assert protocol.path(given) == b"/sub/admin"
    assert protocol.raw(given) == b"/sub/admin?q"


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("target", [b"/sub", b"/sub?q=1", b"/sub/", b"/sub/a"])
def test_a_prefix_passes(protocol: Protocol, target: bytes, policy: Policy) -> None:
    request = protocol.mounted(target, "/sub")
    given = protocol.through(request, policy).given
    assert given is not None
    assert {**given, KEY: None} == {**request, KEY: None}
    assert report_of(given).received_target == target
    assert report_of(given).received_prefix == b"/sub"


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("prefix", ["//evil", "/a/..", "/a\r\nb", "/a\0", "/\\evil", "sub", "/\ud800"])
def test_hostile_prefixes_are_refused(protocol: Protocol, prefix: str, policy: Policy) -> None:
    if protocol is WSGI:
        request = environ_of(b"/x", SCRIPT_NAME=prefix.encode("utf-8", "surrogatepass").decode("latin-1"))
    else:
        request = scope_of(b"/x", root_path=prefix)
    answer = protocol.through(request, policy)
    assert answer.kinds == ["prefix-mismatch"]


def test_a_percent_sign_in_a_prefix_is_data(protocol: Protocol) -> None:
    given = protocol.through(protocol.mounted(b"/50%25/a", "/50%")).given
    assert given is not None
    assert protocol.path(given) == b"/50%/a"
    assert protocol.raw(given) == b"/50%25/a"


def test_without_a_prefix_an_empty_path_is_refused(protocol: Protocol) -> None:
    assert protocol.through(protocol.request_of(b"")).kinds == ["missing-slash"]
    assert protocol.through(protocol.request_of(b"?q")).kinds == ["missing-slash"]


# -- the whole server ----------------------------------------------------------------------------------------


def test_options_of_the_whole_server_pass(protocol: Protocol) -> None:
    request = protocol.request_of(b"*", "OPTIONS")
    answer = protocol.through(request, Policy.STRICT)
    assert answer.given is not None
    assert {**answer.given, KEY: None} == {**request, KEY: None}
    assert answer.report.received_target == b"*"
    assert answer.report.enforced
    assert not answer.report.findings
    assert not protocol.through(request, enforce=False).report.enforced


def test_only_options_may_ask_for_the_whole_server(protocol: Protocol) -> None:
    assert protocol.through(protocol.request_of(b"*")).kinds == ["asterisk-form"]
    assert protocol.through(protocol.request_of(b"*?q", "OPTIONS")).given is None
    assert protocol.through(protocol.request_of(b"*/a", "OPTIONS")).given is None


# -- two postels ---------------------------------------------------------------------------------------------


def test_a_second_postel_does_nothing(protocol: Protocol) -> None:
    for target in (b"/a", b"/%7euser", b"/a%2Fb"):
        inner = Through(protocol.middleware, protocol.call, {"policy": Policy.STRICT})
        policy = Policy.STANDARD.preserving(Kind.ENCODED_SLASH)
        outer = protocol.middleware(inner.middleware, policy, observer=report_of)
        assert protocol.call(outer, protocol.request_of(target)).status == 200
        assert inner.told is None


def test_a_second_postel_judges_if_the_first_only_observes(protocol: Protocol) -> None:
    inner = Through(protocol.middleware, protocol.call, {})
    outer = protocol.middleware(inner.middleware, enforce=False, observer=lambda report: None)
    assert protocol.call(outer, protocol.request_of(b"/%00")).status == 400
    assert protocol.call(outer, protocol.request_of(b"/a?q=50%")).status == 200
    assert inner.given is not None
    assert inner.given[KEY].enforced
    assert protocol.query(inner.given) == b"q=50%25"


@pytest.mark.parametrize("bridge", ["asgi.scope", "wsgi_environ"])
def test_a_second_postel_does_nothing_behind_a_bridge(protocol: Protocol, bridge: str) -> None:
    first = protocol.through(protocol.request_of(b"/%7euser")).given
    behind = protocol.request_of(b"//evil", **{bridge: first})
    inner = Through(protocol.middleware, protocol.call, {})
    protocol.call(inner.middleware, behind)
    assert inner.given is behind
    assert report_of(behind).received_target == b"/%7euser"


def test_components_of_findings_are_path_and_query(protocol: Protocol) -> None:
    report = protocol.through(protocol.request_of(b"/%00?q=%00")).report
    assert [each.component for each in report.findings] == [Component.PATH, Component.QUERY]
