"""Routes: which policy a path is judged by, that no detour reaches another one, and what is no route."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from postel import Accepted, Kind, Policy, PolicyError, Rejected, Target
from postel._routes import RoutedNormalizer

WIDE: Final = Policy.STANDARD.preserving(Kind.ENCODED_SLASH)
NARROW: Final = Policy.STRICT
LENIENT: Final = Policy.LENIENT
ROUTED: Final = RoutedNormalizer(
    Policy.STANDARD,
    {"/packages": WIDE, "/packages/private": NARROW, "/b/": LENIENT, "/ä": LENIENT, "/~a b": LENIENT},
)

CHOSEN: Final = [
    pytest.param(b"/", Policy.STANDARD, id="root"),
    pytest.param(b"/other", Policy.STANDARD, id="no route"),
    pytest.param(b"/packages", WIDE, id="the route itself"),
    pytest.param(b"/packages/", WIDE, id="with a slash"),
    pytest.param(b"/packages/a/b", WIDE, id="below it"),
    pytest.param(b"/packagesx", Policy.STANDARD, id="segments are whole"),
    pytest.param(b"/packages%2Fx", Policy.STANDARD, id="an escaped slash ends none"),
    pytest.param(b"/packages;x", Policy.STANDARD, id="a parameter belongs to its segment"),
    pytest.param(b"/Packages", Policy.STANDARD, id="case counts"),
    pytest.param(b"/%70ackages/a", WIDE, id="unreserved characters are decoded"),
    pytest.param(b"/packages/private/a", NARROW, id="the longest holds"),
    pytest.param(b"/packages/privatex", WIDE, id="or else the shorter"),
    pytest.param(b"/x/../packages/a", Policy.STANDARD, id="dots are unresolved"),
    pytest.param(b"/packages/../x", WIDE, id="in a route, too"),
    pytest.param(b"//packages", Policy.STANDARD, id="an empty segment is one"),
    pytest.param(b"packages", Policy.STANDARD, id="no slash in front"),
    pytest.param(b"", Policy.STANDARD, id="nothing"),
    pytest.param(b"http://h/packages", WIDE, id="absolute-form"),
    pytest.param(b"HTTP://u@h:80/packages/private", NARROW, id="with all that it can have"),
    pytest.param(b"http://h", Policy.STANDARD, id="without a path"),
    pytest.param(b"http:/packages", Policy.STANDARD, id="one slash is none"),
    pytest.param(b"/http://h/packages", Policy.STANDARD, id="a URL that is data"),
    pytest.param(b"/b", LENIENT, id="a slash at the end of a route counts for nothing"),
    pytest.param(b"/%c3%a4/x", LENIENT, id="a route of text, in any spelling"),
    pytest.param("/ä/x".encode(), LENIENT, id="bare, too"),
    pytest.param(b"http://h/%C3%A4", LENIENT, id="behind an authority"),
    pytest.param(b"/\xe4/x", Policy.STANDARD, id="in another charset it is another"),
    pytest.param(b"/%7Ea%20b/x", LENIENT, id="a route with what is escaped"),
]


@pytest.mark.parametrize(("path", "policy"), CHOSEN)
def test_the_policy_of_a_path(path: bytes, policy: Policy) -> None:
    assert ROUTED.at(path).policy == policy


OUTCOMES: Final = [
    pytest.param(Target(b"/packages/@scope%2Fname"), b"/packages/@scope%2Fname", id="an exemption"),
    pytest.param(Target(b"/other/@scope%2Fname"), None, id="elsewhere it is none"),
    pytest.param(Target(b"/packages/private/a;b"), None, id="stricter further down"),
    pytest.param(Target(b"/packages/a;b"), b"/packages/a;b", id="not above"),
    pytest.param(Target(b"/b/x/../y"), b"/b/y", id="a mending inside its route"),
    pytest.param(Target(b"/b/../packages/a"), None, id="one that leads into another"),
    pytest.param(Target(b"/b/../c"), None, id="one that leads out"),
    pytest.param(Target(b"/b/../b/c"), b"/b/c", id="one that leads out and back"),
    pytest.param(Target(b"/b\\x"), None, id="one that leads in"),
    pytest.param(
        Target(b"http://h/packages/a", host=b"h"), b"/packages/a", id="absolute-form is looked through"
    ),
    pytest.param(Target(b"http://h/other", host=b"h"), b"/other", id="where there is no route it does not"),
    pytest.param(Target(b"http://h/packages/a%2Fb", host=b"h"), b"/packages/a%2Fb", id="with its exemption"),
    pytest.param(Target(b"http://h/packages/private/a;b", host=b"h"), None, id="and its strictness"),
    pytest.param(Target(b"http://other/packages/a", host=b"h"), None, id="of another host it is none"),
    pytest.param(Target("/ä/x".encode()), b"/%C3%A4/x", id="bare text"),
    pytest.param(Target("/ä\\x".encode()), None, id="bare text that leads in"),
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


def test_a_detour_that_is_mended_says_so() -> None:
    outcome = ROUTED.normalize(Target(b"/b/../c"))
    assert isinstance(outcome, Rejected)
    assert [finding.kind for finding in outcome.findings] == [Kind.DOT_SEGMENT, Kind.ROUTE_MISMATCH]


def test_is_clean_is_proven_by_the_policy_of_the_route() -> None:
    assert ROUTED.is_clean(b"/packages/a;b")
    assert not ROUTED.is_clean(b"/packages/private/a;b")
    assert ROUTED.is_clean(b"/other", b"q=1")


def test_no_routes_are_one_policy() -> None:
    routed = RoutedNormalizer(Policy.STANDARD, {})
    assert routed.at(b"/packages").policy == routed.policy == Policy.STANDARD
    assert routed.normalize(Target(b"/a")) == Accepted(Target(b"/a"))


@pytest.mark.parametrize(
    ("routes", "message"),
    [
        pytest.param({"packages": WIDE}, "routes['packages']: a route is a path", id="no slash in front"),
        pytest.param({"/": WIDE}, "routes['/']: a route is a path", id="everything"),
        pytest.param({"//": WIDE}, "routes['//']: a route is a path", id="slashes"),
        pytest.param({"": WIDE}, "routes['']: a route is a path", id="nothing"),
        pytest.param({5: WIDE}, "routes[5]: a route is a path", id="a number"),
        pytest.param({b"/a": WIDE}, "routes[b'/a']: a route is a path", id="octets"),
        pytest.param({"/a/../b": WIDE}, "routes['/a/../b']: a route is a clean path", id="dots"),
        pytest.param({"/a//b": WIDE}, "routes['/a//b']: a route is a clean path", id="an empty segment"),
        pytest.param({"/a%2Fb": WIDE}, "routes['/a%2Fb']: a route is a clean path", id="an escaped slash"),
        pytest.param({"/a%": WIDE}, "routes['/a%']: a route is a clean path", id="a stray percent sign"),
        pytest.param({"/\ud800": WIDE}, "routes['/\\ud800']: a route is a", id="a surrogate"),
        pytest.param({"/a": "standard"}, "routes['/a']='standard' is no Policy; write", id="a word"),
        pytest.param(
            {"/~a": WIDE, "/%7Ea": WIDE}, "routes: '/%7Ea' is there twice", id="twice, in two spellings"
        ),
        pytest.param({"/a": WIDE, "/a/": WIDE}, "routes: '/a/' is there twice", id="twice, with a slash"),
    ],
)
def test_what_is_no_route_is_refused(routes: Any, message: str) -> None:
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}"):
        RoutedNormalizer(Policy.STANDARD, routes)
