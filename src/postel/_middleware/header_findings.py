"""Findings about the Host, the Content-Type and the names of header fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import nsmallest
from typing import Final, final

from postel._bodies.charset_steering import charset_of
from postel._bodies.content_type import ContentType
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import EXCERPT, Finding
from postel._catalogue.kinds import Kind
from postel._http.header_names import doubtful_names
from postel._http.host import Hosts, fault_of, requires_no_host, uppercase_at
from postel._http.observers import logger
from postel._middleware.misread_hosts import MisreadHosts
from postel._middleware.views import Outcome, with_findings
from postel._normalizer.target import Accepted
from postel._policy.limits import exceeded
from postel._policy.policy import Policy

_NAME: Final = 64
"""The most characters of a header name that a finding quotes."""


@final
class HostRules:
    """Judges the Host; never raises on any octets."""

    __slots__ = ("_hosts", "_misread")

    def __init__(self, hosts: Hosts) -> None:
        """``hosts`` are those that the application serves."""
        self._hosts = hosts
        self._misread = MisreadHosts()

    def judge(self, host: bytes | None, version: str, policy: Policy) -> list[Finding]:
        """Findings about a Host.

        They say whether it is malformed or missing, whether ``hosts=`` lists it, and whether it has an
        upper-case letter.
        """
        found: list[Finding] = []
        known = self._hosts.accepts(host)
        fault = fault_of(host, version)
        missing = not host and requires_no_host(version)
        letter = uppercase_at(host) if host and fault is None else None
        if (
            fault is None
            and host
            and b"_" in host
            and (self._hosts.is_open or not known)  # whoever lists such a host wants it
            and (known or policy.action(Kind.UNKNOWN_HOST, Component.HOST) is not Action.REJECT)
            and self._misread.refuses_underscores()
        ):
            fault = host.index(b"_"), "a framework reads no host here"
        action = Action.ALLOW
        if fault is not None or missing:
            kind = Kind.MISSING_HOST if missing else Kind.MALFORMED_HOST
            offset, detail = fault or (0, "")
            action = policy.action(kind, Component.HOST)
            if action is not Action.ALLOW:
                found.append(_about_host(kind, host, offset, action, detail))
        if not known and action is not Action.REJECT:
            kind = Kind.UNKNOWN_HOST
            found.append(_about_host(kind, host, 0, policy.action(kind, Component.HOST), "not in hosts="))
        if letter is not None and action is not Action.REJECT:
            kind = Kind.UPPERCASE_HOST
            action = policy.action(kind, Component.HOST)
            if action is not Action.ALLOW:
                found.append(_about_host(kind, host, letter, action, ""))
        return found


def with_host(
    outcome: Outcome, host: bytes | None, found: Sequence[Finding]
) -> tuple[Outcome, dict[str, Sequence[bytes]]]:
    """The outcome with the findings about a Host, and the Host in lower case if one of them repairs it."""
    outcome = with_findings(outcome, found)
    if host is None or not any(each.action is Action.REPAIR for each in found):
        return outcome, {}
    lower = host.lower()
    if isinstance(outcome, Accepted):
        outcome = replace(outcome, target=replace(outcome.target, host=lower))
    return outcome, {"host": [lower]}


def of_type(declared: ContentType, query: bytes | None, policy: Policy) -> Iterator[Finding]:
    """Yield findings about the Content-Type, and about its charset if that changes how ``query`` is read.

    If ``query`` is ``None``, the charset is not judged.
    """
    where = Component.CONTENT_TYPE
    if declared.flaw:
        action = policy.action(Kind.MALFORMED_CONTENT_TYPE, where)
        if action is not Action.ALLOW:
            excerpt = declared.received[:EXCERPT]
            yield Finding(Kind.MALFORMED_CONTENT_TYPE, where, 0, excerpt, action, detail=declared.flaw)
    charset = None if query is None else charset_of(declared, query)
    if charset:
        action = policy.action(charset.kind, where)
        if action is not Action.ALLOW:
            excerpt = declared.received[charset.start : min(charset.end, charset.start + EXCERPT)]
            yield Finding(charset.kind, where, charset.start, excerpt, action, detail=charset.detail)


def of_names(names: Sequence[bytes], policy: Policy, most: int) -> list[Finding]:
    """At most ``most`` findings about header names; those that reject come first.

    If there are more names than the policy allows, this is the only finding.
    """
    limits, kind = policy.limits, Kind.TOO_MANY_FIELDS
    if len(names) > limits.fields:
        detail = exceeded(limits, kind.check.limit, in_form=False)
        return [Finding(kind, Component.HEADERS, 0, b"", Action.REJECT, detail=detail)]
    if not (doubtful := list(doubtful_names(names))):
        return []
    actions = {kind: policy.action(kind, Component.HEADERS) for kind in {kind for kind, _ in doubtful}}
    found = (each for each in doubtful if actions[each[0]] is not Action.ALLOW)
    return [
        Finding(kind, Component.HEADERS, 0, b"", actions[kind], name[:_NAME].decode("latin-1"))
        for kind, name in nsmallest(most, found, key=lambda each: -actions[each[0]].rank)
    ]


def warn_of_unseen_names(policies: Iterable[Policy]) -> None:
    """Log a warning about rules for names of headers that WSGI hides, if they are stricter than STRICT."""
    where = Component.HEADERS
    rules = dict.fromkeys(
        f"{kind.slug}={policy.action(kind, where).value}"
        for policy in policies
        for kind in Kind
        if where in kind.check.components and not kind.check.names
        if policy.action(kind, where).rank > Policy.STRICT.action(kind, where).rank
    )
    if rules:
        logger().warning(
            "a policy has rules for names of headers, which WSGI does not show: %s; let the server or a "
            "proxy refuse such requests, or leave these rules out",
            ", ".join(rules),
        )


def _about_host(kind: Kind, host: bytes | None, offset: int, action: Action, detail: str) -> Finding:
    excerpt = (host or b"")[offset : offset + EXCERPT]
    return Finding(kind, Component.HOST, offset, excerpt, action, detail=detail)
