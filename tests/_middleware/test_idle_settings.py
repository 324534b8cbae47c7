"""Settings that do nothing beside the other settings are named in a warning when the middleware is built."""

from __future__ import annotations

from typing import Any

import pytest

from adapters import EACH_PROTOCOL, Protocol
from postel import LATIN, Action, Component, Json, Kind, Locations, Policy
from together import together

pytestmark = EACH_PROTOCOL

STANDARD = Policy.STANDARD
STRICT = Policy.STRICT
LOCAL = STANDARD.local(names=["next"], on=Component.QUERY)
OURS = ["example.com"]
NO_POLICY = "no policy rejects it"
BUT = "but routes leave the prefix out, so this one is for"
COOKIE = 'without headers={"cookie": Action.REJECT}'


def warnings_of(protocol: Protocol, caplog: pytest.LogCaptureFixture, **settings: Any) -> list[str]:
    caplog.clear()
    protocol.behind(**settings)
    return [record.getMessage() for record in caplog.records]


# -- routes that begin with the prefix -----------------------------------------------------------------------


@together(
    ("settings", "message"),
    [
        (
            {"routes": {"/shop/admin": STRICT}, "prefix": "/shop"},
            f"routes['/shop/admin'] begins with prefix='/shop', {BUT} '/shop/shop/admin'; "
            "to name '/shop/admin', write '/admin'",
        ),
        (
            {"routes": {"/shop/": STRICT}, "prefix": "/shop"},
            f"routes['/shop/'] begins with prefix='/shop', {BUT} '/shop/shop'; to name '/shop', give policy=",
        ),
        (
            {"routes": {"/caf%C3%A9/{id}": STRICT}, "prefix": "/café"},
            f"routes['/caf%C3%A9/{{id}}'] begins with prefix='/café', {BUT} '/café/café/{{id}}'; "
            "to name '/café/{id}', write '/{id}'",
        ),
        (
            {"locations": {"/a/b": "refuse"}, "prefix": "/a/b", "hosts": OURS},
            f"locations['/a/b'] begins with prefix='/a/b', {BUT} '/a/b/a/b'; to name '/a/b', write '/'",
        ),
    ],
)
def test_a_route_that_begins_with_the_prefix_is_named(
    protocol: Protocol, caplog: pytest.LogCaptureFixture, settings: dict[str, Any], message: str
) -> None:
    assert warnings_of(protocol, caplog, **settings) == [message]
    assert not warnings_of(protocol, caplog, **{**settings, "prefix": None})
    assert not warnings_of(protocol, caplog, **{**settings, "prefix": ""})


def test_other_routes_may_stand_beside_a_prefix(protocol: Protocol, caplog: pytest.LogCaptureFixture) -> None:
    routes = {"/admin": STRICT, "/shopping": STRICT, "/x/shop": STRICT, "/{any}/shop": STRICT}
    locations = {"/": "refuse", "/oauth": "report"}
    settings = {"routes": routes, "locations": locations, "hosts": OURS}
    assert not warnings_of(protocol, caplog, prefix="/shop", **settings)
    assert not warnings_of(protocol, caplog, prefix="/shop", locations="refuse", hosts=OURS)


# -- statuses that no answer can have ------------------------------------------------------------------------


@together(
    ("kind", "without", "why", "settings"),
    [
        (Kind.FOREIGN_LOCATION, {"hosts": OURS}, 'without locations="refuse"', {"locations": "refuse"}),
        (
            Kind.MALFORMED_LOCATION,
            {"hosts": OURS, "locations": {"/": "report"}},
            'without locations="refuse"',
            {"locations": {"/": "report", "/a": Locations("refuse")}},
        ),
        (Kind.LONG_FORM, {"json": True}, "without forms=True", {"forms": True}),
        (Kind.LONG_JSON, {"forms": True}, "without json=True", {"json": Json()}),
        (Kind.WRONG_LENGTH, {}, "without forms=True or json=True", {"json": True}),
        (Kind.UNKNOWN_HOST, {}, "without hosts=", {"hosts": OURS}),
        (Kind.ROUTE_MISMATCH, {}, "without routes=", {"routes": {"/a": STRICT}}),
        (Kind.PADDED_COOKIE_NAME, {}, COOKIE, {"headers": {"cookie": Action.REJECT}}),
        (
            Kind.REPEATED_COOKIE,
            {"headers": {"referer": Action.REJECT, "Cookie": Action.DROP_PAIR}},
            COOKIE,
            {"headers": {"Cookie": Action.REJECT}},
        ),
        (
            Kind.OUTSIDE_ACCEPTED_RANGE,
            {},
            "no policy has accepted ranges",
            {"routes": {"/a": STANDARD.accepting(LATIN)}},
        ),
        (Kind.EMPTY_NAME, {}, NO_POLICY, {"policy": STRICT}),
        (Kind.FOREIGN_CHARSET, {}, NO_POLICY, {"policy": STANDARD.rejecting(Kind.FOREIGN_CHARSET)}),
        (Kind.MISSING_HOST, {}, NO_POLICY, {"routes": {"/a": STANDARD.rejecting(Kind.MISSING_HOST)}}),
        (Kind.FOREIGN_REFERENCE, {}, NO_POLICY, {"policy": LOCAL}),
        (
            Kind.SPELLING,
            {"policy": STANDARD.reporting(Kind.SPELLING)},
            NO_POLICY,
            {"policy": STANDARD.rejecting(Kind.SPELLING, names=["signature"], on=Component.QUERY)},
        ),
        (
            Kind.NUL,
            {"policy": STANDARD.allowing(Kind.NUL)},
            NO_POLICY,
            {"policy": STANDARD.allowing(Kind.NUL), "headers": {"referer": Action.REJECT}},
        ),
        (Kind.DUPLICATE_NAME, {}, NO_POLICY, {"json": True}),
        *(
            (
                Kind.LONG_FIELD,
                {"headers": {"referer": Action.DROP}},
                'without headers={"cookie": Action.REJECT}',
                {"headers": headers},
            )
            for headers in ({"referer": Action.REJECT}, {"cookie": Action.DROP_PAIR})
        ),
    ],
    ids=[
        "location", "no location is refused", "form", "JSON", "body", "host", "route", "cookie",
        "no cookie is refused", "accepted range", "empty name", "charset", "missing Host", "reference",
        "spelling", "NUL", "name", "long Referer", "long Cookie",
    ],
)  # fmt: skip
def test_a_status_for_a_kind_that_is_never_refused(
    protocol: Protocol,
    caplog: pytest.LogCaptureFixture,
    *,
    kind: Kind,
    without: dict[str, Any],
    why: str,
    settings: dict[str, Any],
) -> None:
    statuses = {Kind.CONTROL: 404, kind: 404}
    (warning,) = warnings_of(protocol, caplog, statuses=statuses, **without)
    assert warning == (
        f"statuses= names kinds for which no request is refused: {kind.slug} ({why}); leave them out"
    )
    assert not warnings_of(protocol, caplog, statuses=statuses, **{**without, **settings})


def test_several_statuses_share_a_warning(protocol: Protocol, caplog: pytest.LogCaptureFixture) -> None:
    statuses = {Kind.UNKNOWN_HOST: 404, Kind.NUL: 404, Kind.LONG_FORM: 400}
    (warning,) = warnings_of(protocol, caplog, statuses=statuses)
    assert "unknown-host (without hosts=), long-form (without forms=True); leave" in warning


@pytest.mark.parametrize(
    "kind",
    [
        # Repairs, after which a request may still be refused.
        *(Kind.SPELLING, Kind.ILLEGAL_CHARACTER, Kind.RAW_NON_ASCII, Kind.SEMICOLON, Kind.ABSOLUTE_FORM),
        # Code refuses some of these under every policy.
        *(Kind.ENCODED_DELIMITER, Kind.PREFIX_MISMATCH, Kind.TOO_LONG, Kind.LONG_VALUE),
    ],
    ids=str,
)
def test_a_status_for_a_kind_that_may_be_refused(
    protocol: Protocol, caplog: pytest.LogCaptureFixture, kind: Kind
) -> None:
    assert not warnings_of(protocol, caplog, statuses={kind: 404})


def test_statuses_of_requests_that_are_never_refused(
    protocol: Protocol, caplog: pytest.LogCaptureFixture
) -> None:
    message = "statuses= does nothing with enforce=False, which refuses no request"
    assert warnings_of(protocol, caplog, statuses={Kind.NUL: 404}, enforce=False) == [message]
    assert not warnings_of(protocol, caplog, statuses={}, enforce=False)


# -- rules that have no effect -------------------------------------------------------------------------------


def test_a_rule_for_other_hosts_needs_hosts(protocol: Protocol, caplog: pytest.LogCaptureFixture) -> None:
    policy = STANDARD.reporting(Kind.UNKNOWN_HOST)
    (warning,) = warnings_of(protocol, caplog, policy=policy, routes={"/a": policy.allowing(Kind.NUL)})
    assert warning == (
        "a policy has a rule for hosts that are not yours, but no setting says which are: "
        "unknown-host=report; pass hosts=, or leave this rule out"
    )
    assert not warnings_of(protocol, caplog, policy=policy, hosts=OURS)


def test_which_pair_to_keep_needs_a_repair(protocol: Protocol, caplog: pytest.LogCaptureFixture) -> None:
    policy = Policy.parse("standard keep=last")
    (warning,) = warnings_of(protocol, caplog, policy=policy)
    assert warning == (
        "a policy says which pair of the same name to keep, but repairs none: keep=last; add "
        "duplicate-name=repair, or leave keep out"
    )
    assert not warnings_of(protocol, caplog, policy=policy.repairing(Kind.DUPLICATE_NAME))
    on_some = policy.repairing(Kind.DUPLICATE_NAME, names=["q"], on=Component.QUERY)
    assert not warnings_of(protocol, caplog, policy=on_some)


def test_a_limit_of_judged_fields_needs_headers(protocol: Protocol, caplog: pytest.LogCaptureFixture) -> None:
    policy = STANDARD.limiting(field=5000)
    (warning,) = warnings_of(protocol, caplog, policy=policy)
    assert warning == (
        "a policy limits header fields that are not judged: limit.field=5000; pass "
        "headers={'cookie': Action.REJECT}, or leave this limit out"
    )
    assert not warnings_of(protocol, caplog, policy=policy, headers={"cookie": Action.REJECT})
