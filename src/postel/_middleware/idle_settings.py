"""Warn of settings that do nothing beside the other settings of the middleware."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final, cast

from postel._alphabet.percent import percent_decode
from postel._catalogue.check import Action, Component, Family
from postel._catalogue.kinds import Kind
from postel._http.fields import FIELDS
from postel._http.locations import LocationRules
from postel._http.observers import logger
from postel._middleware.settings import Settings
from postel._policy.actions import actions_in
from postel._policy.limits import Limits
from postel._policy.policy import Policy

_REMEDIES: Final = {
    Component.FORM: "forms=True",
    Component.JSON: "json=True",
    Component.COOKIE: 'headers={"cookie": Action.REJECT}',
    Component.LOCATION: 'locations="refuse"',
}
"""The settings without which no request is refused for a fault in these components."""
_BY_CODE: Final = frozenset(
    {
        Kind.ABSOLUTE_FORM,
        Kind.ENCODED_DELIMITER,
        Kind.ILL_FORMED_UTF8,
        Kind.MALFORMED_CONTENT_TYPE,
        Kind.MALFORMED_ESCAPE,
    }
)
"""Kinds for which code refuses some requests whatever the policy says, as it does for limits and messages."""
_REFUSING: Final = frozenset({Action.REJECT, Action.DROP_PAIR})
"""The actions of ``headers=`` that refuse a field over its limit."""
_IN_FIELDS: Final = frozenset({Kind.NUL, Kind.CONTROL, Kind.ILL_FORMED_UTF8})
"""Kinds that are also found in Cookie and Referer, where no policy has a say."""


def warn_of_idle_settings(
    settings: Settings, policies: Collection[Policy], bodies: Collection[Component], locations: LocationRules
) -> None:
    """Log a warning about routes that repeat the prefix, and about statuses and rules that have no effect.

    ``bodies`` are the components of the bodies that are judged.
    """
    for name in ("routes", "locations", "rebuilt_urls"):
        routes: object = getattr(settings, name)
        if settings.prefix and isinstance(routes, Mapping):
            _warn_of_prefixed(name, cast("Mapping[str, object]", routes), settings.prefix)
    if settings.statuses and not settings.enforce:
        logger().warning("statuses= does nothing with enforce=False, which refuses no request")
    elif settings.statuses:
        refused = {
            *bodies,
            *_refused_fields(settings),
            *([Component.LOCATION] if locations.may_refuse else []),
        }
        _warn_of_statuses(settings, policies, refused)
    _warn_of_rules(settings, policies)


def _warn_of_prefixed(name: str, routes: Iterable[str], prefix: str) -> None:
    for route in routes:
        path = percent_decode(route.encode()).decode().rstrip("/")
        if f"{path}/".startswith(f"{prefix}/"):
            rest = path.removeprefix(prefix)
            instead = "give policy=" if name == "routes" and not rest else f"write {rest or '/'!r}"
            logger().warning(
                "%s[%r] begins with prefix=%r, but routes leave the prefix out, so this one is for %r; "
                "to name %r, %s",
                name,
                route,
                prefix,
                prefix + path,
                path,
                instead,
            )


def _refused_fields(settings: Settings) -> set[Component]:
    """Return the components of the header fields for whose faults a request is refused."""
    actions = settings.headers or {}
    return {FIELDS[name.lower()] for name, action in actions.items() if action is Action.REJECT}


def _warn_of_statuses(
    settings: Settings, policies: Collection[Policy], refused: Collection[Component]
) -> None:
    reasons = {kind: _why_idle(kind, settings, policies, refused) for kind in settings.statuses or ()}
    if idle := [f"{kind.slug} ({why})" for kind, why in reasons.items() if why]:
        logger().warning(
            "statuses= names kinds for which no request is refused: %s; leave them out", ", ".join(idle)
        )


def _why_idle(
    kind: Kind, settings: Settings, policies: Collection[Policy], refused: Collection[Component]
) -> str:
    """Why no request is refused for a kind, in a few words; empty if one may be refused.

    A fault that a policy edits may still be refused afterwards.
    """
    needed = {
        Kind.UNKNOWN_HOST: ("hosts=", settings.hosts),
        Kind.ROUTE_MISMATCH: ("routes=", settings.routes),
    }
    if kind in needed and not needed[kind][1]:
        return f"without {needed[kind][0]}"
    if kind is Kind.OUTSIDE_ACCEPTED_RANGE and not any(policy.acceptances for policy in policies):
        return "no policy has accepted ranges"
    if kind is Kind.LONG_FIELD and not _REFUSING.isdisjoint((settings.headers or {}).values()):
        return ""
    components = kind.check.components
    judged = [each for each in components if each not in _REMEDIES or each in refused]
    if not judged:
        return "without " + " or ".join(_REMEDIES[each] for each in components)
    is_by_code = kind in _BY_CODE or kind.check.family in {Family.LIMIT, Family.MESSAGE}
    is_in_field = kind in _IN_FIELDS and not {*FIELDS.values()}.isdisjoint(refused)
    if is_by_code or is_in_field or not {Component.COOKIE, Component.LOCATION}.isdisjoint(judged):
        return ""
    actions = {each for policy in policies for where in judged for each in actions_in(policy, kind, where)}
    return "no policy rejects it" if actions <= {Action.ALLOW, Action.REPORT} else ""


def _warn_of_rules(settings: Settings, policies: Collection[Policy]) -> None:
    kind = Kind.UNKNOWN_HOST
    actions = {policy.action(kind, Component.HOST): None for policy in policies}
    rules = [f"{kind.slug}={action.value}" for action in actions if action is not Action.REJECT]
    if rules and settings.hosts is None:
        logger().warning(
            "a policy has a rule for hosts that are not yours, but no setting says which are: %s; "
            "pass hosts=, or leave this rule out",
            ", ".join(rules),
        )
    if any(policy.keep == "last" and not _repairs_duplicates(policy) for policy in policies):
        logger().warning(
            "a policy says which pair of the same name to keep, but repairs none: keep=last; add "
            "duplicate-name=repair, or leave keep out"
        )
    if not settings.headers and (limit := _limit_of_fields(policies)) is not None:
        logger().warning(
            "a policy limits header fields that are not judged: limit.field=%d; pass "
            "headers={'cookie': Action.REJECT}, or leave this limit out",
            limit,
        )


def _limit_of_fields(policies: Iterable[Policy]) -> int | None:
    """Return the first limit of the length of Cookie and Referer that is not the default."""
    default = Limits().field
    return next((each.limits.field for each in policies if each.limits.field != default), None)


def _repairs_duplicates(policy: Policy) -> bool:
    kind = Kind.DUPLICATE_NAME
    return any(Action.REPAIR in actions_in(policy, kind, where) for where in kind.check.components)
