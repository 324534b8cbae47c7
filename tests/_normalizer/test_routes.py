"""Routes: which policy judges a path, that no detour reaches another policy, and which routes are invalid."""

from __future__ import annotations

import contextlib
import re
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postel import Accepted, Component, Kind, Normalizer, Policy, PolicyError, Rejected, Target
from postel._normalizer.routes import RoutedNormalizer

WIDE: Final = Policy.STANDARD.preserving(Kind.ENCODED_SLASH)
NARROW: Final = Policy.STRICT
CLEAN: Final = "a route is a clean path such as '/packages', without"
LENIENT: Final = Policy.LENIENT
ROUTED: Final = RoutedNormalizer(
    Policy.STANDARD,
    {"/packages": WIDE, "/packages/private": NARROW, "/b/": LENIENT, "/ä": LENIENT, "/~a b": LENIENT},
)

CHOSEN: Final = [
    pytest.param(b"/", Policy.STANDARD, id="root"),
    pytest.param(b"/other", Policy.STANDARD, id="no route"),
    pytest.param(b"/packages", WIDE, id="the route itself"),
    pytest.param(b"/packages/", WIDE, id="the route and a slash"),
    pytest.param(b"/packages/a/b", WIDE, id="below the route"),
    pytest.param(b"/packagesx", Policy.STANDARD, id="a segment that only begins like the route"),
    pytest.param(b"/packages%2Fx", Policy.STANDARD, id="an escaped slash ends no segment"),
    pytest.param(b"/packages;x", Policy.STANDARD, id="a parameter belongs to its segment"),
    pytest.param(b"/Packages", Policy.STANDARD, id="a segment in another case"),
    pytest.param(b"/%70ackages/a", WIDE, id="unreserved characters are decoded"),
    pytest.param(b"/packages/private/a", NARROW, id="the longest route"),
    pytest.param(b"/packages/privatex", WIDE, id="a shorter route"),
    pytest.param(b"/x/../packages/a", Policy.STANDARD, id="dots in front are not resolved"),
    pytest.param(b"/packages/../x", WIDE, id="dots in a route are not resolved"),
    pytest.param(b"//packages", Policy.STANDARD, id="an empty segment in front"),
    pytest.param(b"packages", Policy.STANDARD, id="no slash in front"),
    pytest.param(b"", Policy.STANDARD, id="nothing"),
    pytest.param(b"http://h/packages", WIDE, id="absolute-form"),
    pytest.param(b"HTTP://u@h:80/packages/private", NARROW, id="absolute-form with a user and a port"),
    pytest.param(b"http://h", Policy.STANDARD, id="absolute-form without a path"),
    pytest.param(b"http:/packages", Policy.STANDARD, id="a scheme with one slash"),
    pytest.param(b"/http://h/packages", Policy.STANDARD, id="a URL as data in a path"),
    pytest.param(b"/b", LENIENT, id="a route that is written with a slash at the end"),
    pytest.param(b"/%c3%a4/x", LENIENT, id="a route beyond ASCII, escaped in lower case"),
    pytest.param("/ä/x".encode(), LENIENT, id="a route beyond ASCII, bare"),
    pytest.param(b"http://h/%C3%A4", LENIENT, id="a route beyond ASCII after an authority"),
    pytest.param(b"/\xe4/x", Policy.STANDARD, id="a character of the route in Latin-1"),
    pytest.param(b"/%7Ea%20b/x", LENIENT, id="a route that is written with escapes"),
    pytest.param(b"/~a b/x", LENIENT, id="a route that is written with escapes, requested without them"),
]


@pytest.mark.parametrize(("path", "policy"), CHOSEN)
def test_a_path_is_judged_by_the_policy_of_its_route(path: bytes, policy: Policy) -> None:
    assert ROUTED.at(path).policy == policy


PLACED: Final = RoutedNormalizer(
    Policy.STANDARD,
    {
        "/@me": WIDE,
        "/a:b+c": NARROW,
        "/users/{id}": LENIENT,
        "/users/{id}/files": WIDE,
        "/users/me/files": NARROW,
        "/o/<int:n>/x": WIDE,
        "/o/n/<name>": NARROW,
        "/o/<name>/<kind:str>": LENIENT,
        "/s/*": WIDE,
        "/s/%2A": NARROW,
        "/s/%7Bid%7D": NARROW,
        "/d/{day:date}": WIDE,
    },
)
PLACES: Final = [
    pytest.param(b"/@me/x", WIDE, id="a bare delimiter"),
    pytest.param(b"/%40me/x", WIDE, id="an escaped delimiter"),
    pytest.param(b"/%40%6De/x", WIDE, id="an escaped delimiter and letter"),
    pytest.param(b"/%2540me/x", Policy.STANDARD, id="a delimiter escaped twice"),
    pytest.param(b"/a%3ab%2Bc", NARROW, id="an escaped colon and plus"),
    pytest.param(b"/a:b+c/", NARROW, id="a bare colon and plus"),
    pytest.param(b"/@me%2Fx", Policy.STANDARD, id="an escaped slash splits no segments"),
    pytest.param(b"/users", Policy.STANDARD, id="a missing segment for a placeholder"),
    pytest.param(b"/users/", Policy.STANDARD, id="an empty segment for a placeholder"),
    pytest.param(b"/users//files", Policy.STANDARD, id="an empty segment in the middle"),
    pytest.param(b"/users/5", LENIENT, id="any segment for a placeholder"),
    pytest.param(b"/users/5/other", LENIENT, id="below a placeholder"),
    pytest.param(b"/users/%35%2F6/files/a", WIDE, id="a segment with an escaped slash"),
    pytest.param(b"/users/you/files/a/b", WIDE, id="a placeholder in the middle"),
    pytest.param(b"/users/me/files", NARROW, id="a literal takes precedence"),
    pytest.param(b"/users/m%65/files", NARROW, id="an escaped literal takes precedence"),
    pytest.param(b"/users/../files", Policy.STANDARD, id="two dots for a placeholder"),
    pytest.param(b"/users/./files", Policy.STANDARD, id="one dot for a placeholder"),
    pytest.param(b"/users/%2e%2E/files", Policy.STANDARD, id="escaped dots for a placeholder"),
    pytest.param(b"/users/..;x/files", Policy.STANDARD, id="dots with a parameter"),
    pytest.param(b"/users/%2e%2e%3Bx/files", Policy.STANDARD, id="dots with an escaped parameter"),
    pytest.param(b"/users/..%2F5/files", Policy.STANDARD, id="dots before an escaped slash"),
    pytest.param(b"/users/5%5C../files", Policy.STANDARD, id="dots after an escaped backslash"),
    pytest.param(b"/users/..a/files", WIDE, id="a name may begin with dots"),
    pytest.param(b"/users/{id}/files", WIDE, id="a segment that looks like the placeholder"),
    pytest.param(b"/o/n/x", NARROW, id="the route with a literal further to the left"),
    pytest.param(b"/o/m/x", WIDE, id="the route with a literal anywhere"),
    pytest.param(b"/o/m/y", LENIENT, id="the route with the fewest literals"),
    pytest.param(b"/s/a", WIDE, id="an asterisk is a placeholder"),
    pytest.param(b"/s/*", NARROW, id="an escaped asterisk in a route is a literal"),
    pytest.param(b"/s/{id}", NARROW, id="escaped braces in a route are literals"),
    pytest.param(b"/d/%C3%A9", WIDE, id="the type of a placeholder is not checked"),
    pytest.param(b"http://h/users/5/files", WIDE, id="absolute-form"),
]


@pytest.mark.parametrize(("path", "policy"), PLACES)
def test_segments_are_compared_decoded_and_placeholders_stand_for_one(path: bytes, policy: Policy) -> None:
    assert PLACED.at(path).policy == policy


RESPELLED: Final = b"@:+,=!$&'()*-._~aZ09"
"""Characters that a router reads in the same way, bare or escaped."""


def respellings(path: bytes) -> st.SearchStrategy[bytes]:
    def spelled(octet: int) -> st.SearchStrategy[bytes]:
        ways = [bytes([octet])]
        if octet in RESPELLED:
            ways += [b"%%%02X" % octet, b"%%%02x" % octet]
        return st.sampled_from(ways)

    return st.tuples(*map(spelled, path)).map(b"".join)


routed_segments = st.sampled_from(
    [b"@me", b"a:b+c", b"users", b"me", b"files", b"o", b"n", b"x", b"s", b"*", b"..", b".", b"", b"(a)"]
) | st.lists(st.sampled_from(RESPELLED), max_size=3).map(bytes)
routed_paths = st.lists(routed_segments, max_size=5).map(lambda segments: b"/" + b"/".join(segments))


@given(data=st.data(), path=routed_paths)
def test_respelling_never_changes_the_route(data: st.DataObject, path: bytes) -> None:
    respelled = data.draw(respellings(path))
    assert PLACED.at(respelled).policy == PLACED.at(path).policy
    assert ROUTED.at(respelled).policy == ROUTED.at(path).policy


@pytest.mark.parametrize(
    ("path", "repaired"),
    [
        pytest.param(b"/users/5/./files/a", None, id="from a shorter route into a longer one"),
        pytest.param(b"/users/5/x/../y", b"/users/5/y", id="inside the route"),
        pytest.param(b"/users/5/../../@me", None, id="out of the route"),
        pytest.param(b"/users/5/x%2fy", b"/users/5/x%2Fy", id="an escaped slash splits nothing"),
        pytest.param(b"/users/5\files", None, id="a backslash that leads into a longer route"),
        pytest.param(b"/users/..;/files", None, id="dots with a parameter for a placeholder"),
        pytest.param(b"/users/../files", None, id="dots for a placeholder"),
    ],
)
def test_a_repaired_path_stays_below_its_placeholder(path: bytes, repaired: bytes | None) -> None:
    for judge in (PLACED.normalize, PLACED.examine):
        outcome = judge(Target(path))
        assert (outcome.target.path if isinstance(outcome, Accepted) else None) == repaired


def test_a_dot_segment_never_matches_a_placeholder() -> None:
    open_route = Policy.STANDARD.allowing(Kind.DOT_SEGMENT)
    routed = RoutedNormalizer(Policy.STANDARD, {"/users/{id}/files": open_route})
    assert isinstance(routed.normalize(Target(b"/users/../files/x")), Rejected)
    assert isinstance(routed.normalize(Target(b"/users/5/files/a/../x")), Accepted)


@pytest.mark.parametrize(
    "exempt",
    [
        Policy.STANDARD.allowing(Kind.DOT_SEGMENT),
        Policy.STANDARD.reporting(Kind.DOT_SEGMENT),
    ],
    ids=["allowed", "reported"],
)
@pytest.mark.parametrize(
    ("path", "stays"),
    [
        (b"/a/../admin", False),
        (b"/a/b/../../admin", False),
        (b"/a/..", False),
        (b"/a/../a/b", True),
        (b"/a/b/../c", True),
        (b"/a/./b", True),
        (b"/a/.well-known", True),
        (b"/a/b/../inner/x", False),
        (b"/a/inner/../x", False),
    ],
)
def test_a_dot_segment_that_passes_does_not_leave_its_route(exempt: Policy, path: bytes, stays: bool) -> None:
    routed = RoutedNormalizer(Policy.STANDARD, {"/a": exempt, "/a/inner": exempt})
    assert isinstance(routed.normalize(Target(path)), Accepted) is stays
    assert routed.is_clean(path, b"") <= stays


@pytest.mark.parametrize("path", [b"/a\\..\\admin", b"/a/b\\..\\..\\admin", b"/a//../../x"])
def test_other_spellings_of_dot_segments_do_not_leave_a_route_either(path: bytes) -> None:
    exempt = Policy.STANDARD
    for kind in Kind:
        with contextlib.suppress(PolicyError):  # not all kinds can be allowed
            exempt = exempt.allowing(kind, on=[Component.PATH])
    assert isinstance(Normalizer(exempt).normalize(Target(path)), Accepted)
    assert isinstance(RoutedNormalizer(exempt, {"/a": exempt}).normalize(Target(path)), Rejected)


OUTCOMES: Final = [
    pytest.param(Target(b"/packages/@scope%2Fname"), b"/packages/@scope%2Fname", id="an exemption"),
    pytest.param(Target(b"/other/@scope%2Fname"), None, id="no exemption elsewhere"),
    pytest.param(Target(b"/packages/private/a;b"), None, id="a stricter route below"),
    pytest.param(Target(b"/packages/a;b"), b"/packages/a;b", id="the wider route above"),
    pytest.param(Target(b"/b/x/../y"), b"/b/y", id="a repair inside its route"),
    pytest.param(Target(b"/b/../packages/a"), None, id="a repair into another route"),
    pytest.param(Target(b"/b/../c"), None, id="a repair out of a route"),
    pytest.param(Target(b"/b/../b/c"), b"/b/c", id="a repair out of a route and back"),
    pytest.param(Target(b"/b\\x"), None, id="a repair into a route"),
    pytest.param(Target(b"http://h/packages/a", host=b"h"), b"/packages/a", id="absolute-form in a route"),
    pytest.param(Target(b"http://h/other", host=b"h"), b"/other", id="absolute-form outside of routes"),
    pytest.param(
        Target(b"http://h/packages/a%2Fb", host=b"h"),
        b"/packages/a%2Fb",
        id="absolute-form with an exemption",
    ),
    pytest.param(
        Target(b"http://h/packages/private/a;b", host=b"h"), None, id="absolute-form in a stricter route"
    ),
    pytest.param(Target(b"http://other/packages/a", host=b"h"), None, id="absolute-form for another host"),
    pytest.param(Target("/ä/x".encode()), b"/%C3%A4/x", id="bare text"),
    pytest.param(Target("/ä\\x".encode()), None, id="a repair of bare text into a route"),
]


@pytest.mark.parametrize(("target", "path"), OUTCOMES)
def test_no_detour_reaches_another_route(target: Target, path: bytes | None) -> None:
    for judge in (ROUTED.normalize, ROUTED.examine):
        outcome = judge(target)
        assert (outcome.target.path if isinstance(outcome, Accepted) else None) == path
        if isinstance(outcome, Accepted):
            again = judge(outcome.target)
            assert isinstance(again, Accepted)
            assert again.target.path == path


def test_a_repaired_detour_has_a_finding() -> None:
    outcome = ROUTED.normalize(Target(b"/b/../c"))
    assert isinstance(outcome, Rejected)
    assert [finding.kind for finding in outcome.findings] == [Kind.DOT_SEGMENT, Kind.ROUTE_MISMATCH]


def test_is_clean_uses_the_policy_of_the_route() -> None:
    assert ROUTED.is_clean(b"/packages/a;b")
    assert not ROUTED.is_clean(b"/packages/private/a;b")
    assert ROUTED.is_clean(b"/other", b"q=1")


def test_without_routes_there_is_one_policy() -> None:
    routed = RoutedNormalizer(Policy.STANDARD, {})
    assert routed.at(b"/packages").policy == Policy.STANDARD
    assert routed.normalize(Target(b"/a")) == Accepted(Target(b"/a"))


@pytest.mark.parametrize(
    ("routes", "message"),
    [
        pytest.param({"packages": WIDE}, "routes['packages']: a route is a path", id="no slash in front"),
        pytest.param({"/": WIDE}, "routes['/']: a route is a path", id="the root"),
        pytest.param({"//": WIDE}, "routes['//']: a route is a path", id="slashes"),
        pytest.param({"": WIDE}, "routes['']: a route is a path", id="nothing"),
        pytest.param({5: WIDE}, "routes[5]: a route is a path", id="a number"),
        pytest.param({b"/a": WIDE}, "routes[b'/a']: a route is a path", id="octets"),
        pytest.param({"/a/../b": WIDE}, f"routes['/a/../b']: {CLEAN} dot-segment", id="dots"),
        pytest.param({"/a//b": WIDE}, f"routes['/a//b']: {CLEAN} empty-segment", id="an empty segment"),
        pytest.param({"/a%2Fb": WIDE}, f"routes['/a%2Fb']: {CLEAN} encoded-slash", id="an escaped slash"),
        pytest.param({"/a%": WIDE}, f"routes['/a%']: {CLEAN} malformed-escape", id="a stray percent sign"),
        pytest.param(
            {"/a%00//%00": WIDE},
            f"routes['/a%00//%00']: {CLEAN} nul, empty-segment",
            id="two kinds of faults",
        ),
        pytest.param({"/\ud800": WIDE}, "routes['/\\ud800']: a route is a path, but", id="a surrogate"),
        pytest.param({"/a": "standard"}, "routes['/a']='standard' is not a Policy; write", id="a word"),
        pytest.param(
            {"/~a": WIDE, "/%7Ea": WIDE}, "routes: '/%7Ea' is listed twice", id="twice, in two spellings"
        ),
        pytest.param(
            {"/a": WIDE, "/a/": WIDE}, "routes: '/a/' is listed twice", id="twice, once with a slash"
        ),
        pytest.param(
            {"/@a": WIDE, "/%40a": WIDE}, "routes: '/%40a' is listed twice", id="twice, once escaped"
        ),
        pytest.param(
            {"/u/{a}/x": WIDE, "/u/<int:b>/x": WIDE},
            "routes: '/u/<int:b>/x' is listed twice",
            id="twice, with other names of placeholders",
        ),
        *(
            pytest.param(
                {f"/a/{part}": WIDE}, f"routes[{f'/a/{part}'!r}]: {part!r} is not a placeholder for", id=part
            )
            for part in (
                "{id}.json",
                "v*",
                "**",
                "{path:path}",
                "{x:[0-9]+}",
                "{}",
                "{id",
                "{a}{b}",
                "<path:p>",
                "<p:path>",
                "<string(length=2):lang>",
                "<re:[a-z]+:x>",
                "<a:b:int>",
                "(?P<x>.+)",
                "[id]",
                ":id",
                "^x",
                "x$",
                ".+",
                "a|b",
                "(?:x)",
                "<>",
            )
        ),
    ],
)
def test_invalid_routes_are_refused(routes: Any, message: str) -> None:
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}"):
        RoutedNormalizer(Policy.STANDARD, routes)


def test_slashes_that_one_route_allows_do_not_reach_a_stricter_one() -> None:
    allowing = Policy.STANDARD.allowing(Kind.EMPTY_SEGMENT)
    routed = RoutedNormalizer(
        Policy.STANDARD, {"/static": allowing, "/static/private": Policy.STRICT, "/proxy": allowing}
    )
    assert isinstance(routed.normalize(Target(b"/static/a//b")), Accepted)
    assert isinstance(routed.normalize(Target(b"/proxy/https://example.com")), Accepted)
    dodging = Target(b"/static//private/a")
    assert not routed.is_clean(dodging.path, b"")
    for judged in (routed.normalize(dodging), routed.examine(dodging)):
        assert [each.kind for each in judged.findings] == [Kind.ROUTE_MISMATCH]
