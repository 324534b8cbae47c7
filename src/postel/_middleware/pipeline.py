"""Judge a request: the normalizer's verdict, and the faults that only a comparison of two views shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, final

from postel._alphabet.percent import percent_decode
from postel._bodies.body import BodyJudge
from postel._bodies.charset_steering import charset_of
from postel._bodies.content_type import ContentType, proof
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import EXCERPT, Finding
from postel._catalogue.kinds import Kind
from postel._http.header_names import doubtful
from postel._http.host import fault_of, is_old
from postel._http.received import Received
from postel._http.redirect import location, merged, written
from postel._http.report import Asked, Report
from postel._middleware.settings import Settings
from postel._normalizer.routes import RoutedNormalizer
from postel._normalizer.target import Accepted, Rejected, Target

Outcome: TypeAlias = Accepted | Rejected

_DELIMITER: Final = re.compile(rb"%3[Ff]|%23|[?#]")
"""Octets that a decoded path shows as ``?`` or ``#``."""
_LOSSY: Final = frozenset({Action.REPLACE, Action.DROP, Action.DROP_PAIR})
_WHOLE_SERVER: Final = frozenset({b"*", b"/*", b"/", b""})
"""The paths that servers hand over for ``OPTIONS *``."""
_MOST: Final = 8
"""The most findings about header names that are kept; further ones are only counted."""
_NAME: Final = 64
"""The most characters of a header name that a finding quotes."""


@final
class Judge:
    """Judges what servers hand over; never raises."""

    __slots__ = ("_normalizer", "_settings", "bodies", "is_clean", "preserved", "proves_type")

    def __init__(self, settings: Settings) -> None:
        """Compile the policy and those of the routes."""
        self._settings = settings
        self._normalizer = RoutedNormalizer(settings.policy, settings.routes)
        self.is_clean: Callable[[bytes, bytes], bool] = (
            self._normalizer.is_clean if settings.expects(b"") else _nothing_is_clean
        )
        """Whether a path without a prefix and a query are proven to need no judgement."""
        kept = {each.preserved for each in self._normalizer.all()}
        self.preserved: bytes | None = kept.pop() if len(kept) == 1 else None
        """The octets that decoded views keep escaped; ``None`` if routes differ."""
        forms, json = settings.bodies.settled
        self.bodies: BodyJudge | None = (
            None if forms is None and json is None else BodyJudge(forms, json, self._normalizer)
        )
        """The judge of bodies; ``None`` if none are judged."""
        self.proves_type: Callable[[bytes], object] = (
            _proves_no_type
            if self.bodies is not None and self.bodies.refuses_others
            else proof(of_forms=forms is not None, of_json=None if json is None else json.types)
        )
        """Proves that a Content-Type and its body need no judgement."""

    def report(
        self,
        received: Received,
        asked: Asked,
        fields: Mapping[str, Sequence[bytes]],
        declared: ContentType,
        names: Sequence[bytes],
    ) -> Report:
        """The report on one request.

        ``fields`` holds the values of the judged header fields by name, ``names`` the names of all headers;
        on WSGI it is empty, because servers have merged them.
        """
        if asked.method == "OPTIONS" and _asks_the_server(received):
            outcome: Outcome = Accepted(received.target)
        else:
            outcome = self._judged(received)
        if isinstance(outcome, Accepted) and self._is_misread(
            received.target.path, outcome.target, received.mount
        ):
            outcome = _with(outcome, [_delimiter(received.seen.path)])
        if found := list(self._host(received, asked.version)):
            outcome = _with(outcome, found)
        if found := self._names(received, names):
            outcome = replace(outcome, omitted=outcome.omitted + len(found[_MOST:]))
            outcome = _with(outcome, found[:_MOST])
        for name, values in fields.items():
            judged = self._settings.fields.judge(name, values)
            outcome = _with(replace(outcome, omitted=outcome.omitted + judged.omitted), judged.findings)
        if declared.received and (found := list(self._content_type(received, outcome, declared))):
            outcome = _with(outcome, found)
        return Report(
            received=received.seen,
            target=outcome.target if isinstance(outcome, Accepted) else None,
            findings=outcome.findings,
            omitted=outcome.omitted,
            received_prefix=received.prefix,
            verbatim=received.verbatim,
            blind=received.blind,
            enforced=self._settings.enforces(asked.client),
            method=asked.method,
            client=asked.client,
        )

    def preserved_in(self, path: bytes) -> bytes:
        """The octets that the decoded view of a path keeps escaped under the policy of its route."""
        return self._normalizer.at(path).preserved

    def proves_mounted(self, target: bytes, query: bytes, prefix: bytes) -> bool:
        """Whether a target behind this prefix, given as a path, is proven to need no judgement."""
        path = target[len(prefix) :]
        return (
            target.startswith(prefix)
            and path.startswith(b"/")
            and not prefix.endswith(b"/")
            and self._settings.expects(percent_decode(prefix))
            and self._normalizer.is_clean(path, query)
            and self._normalizer.at(path).is_clean(prefix)
        )

    def location(self, report: Report, mount: bytes = b"") -> str | None:
        """Where a request is redirected to; ``None`` if it is not redirected.

        ``mount`` is the prefix as the server reports it. If it ends in a slash, the server adds slashes of
        its own, and a redirect would loop. A server's view that differs from what was sent is not redirected.
        """
        if self._settings.redirect is False or (mount or report.received.prefix).endswith(b"/"):
            return None
        if report.target is None:
            return self._merged(report, mount)
        there = location(report, mount) if self._settings.redirect else None
        if there is None:
            return None
        sent = self._normalizer.normalize(report.received)
        return there if _alike(sent, Accepted(report.target)) else None

    def _merged(self, report: Report, mount: bytes) -> str | None:
        """Where a request that is refused only for its slashes would be accepted, under the policy there."""
        for target in merged(report, mount):
            outcome = self._normalizer.normalize(target)
            if isinstance(outcome, Accepted) and not self._is_misread(target.path, outcome.target, mount):
                return written(outcome.target, mount)
        return None

    def _judged(self, received: Received) -> Outcome:
        outcome = self._normalizer.normalize(received.target)
        disagree = received.disagree
        if received.raw is not None:
            sent = self._normalizer.examine(received.raw)
            if _alike(sent, outcome):
                # The server made the same repair that the policy would make.
                outcome, disagree = sent, ()
            else:
                outcome = _both(sent, outcome)
        more = [
            *self._noted(received, Kind.VIEWS_DISAGREE, disagree),
            *self._noted(
                received, Kind.ILL_FORMED_UTF8, (Component.PATH,) * received.replaced, "replaced by U+FFFD"
            ),
        ]
        if received.mount:
            more += self._normalizer.examine(Target(b"", prefix=received.mount)).findings
        if not self._settings.expects(received.mount or received.target.prefix):
            more.append(
                Finding(
                    Kind.PREFIX_MISMATCH, Component.PATH, 0, b"", Action.REJECT, detail="not the one given"
                )
            )
        return _with(outcome, more) if more else outcome

    def _is_misread(self, path: bytes, target: Target, mount: bytes) -> bool:
        """Whether a framework would rebuild another URL from an accepted target, received as ``path``."""
        shown = mount + target.prefix + target.path_octets
        rebuilt = self._settings.rebuilt if b"?" in shown or b"#" in shown else None
        return rebuilt is not None and rebuilt.refuses(path, target.path)

    def _host(self, received: Received, version: str) -> Iterator[Finding]:
        """Findings about the Host: malformed first, then not in the list."""
        host = received.seen.host
        fault = fault_of(host, version)
        missing = not host and is_old(version)
        known = self._settings.hosts.takes(host)
        if fault is None and not missing and known:
            return
        policy = self._normalizer.at(received.target.path).policy
        action = Action.ALLOW
        if fault is not None or missing:
            kind = Kind.MISSING_HOST if missing else Kind.MALFORMED_HOST
            offset, detail = fault or (0, "")
            action = policy.action(kind, Component.HOST)
            if action is not Action.ALLOW:
                yield _about_host(kind, host, offset, action, detail)
        if not known and action is not Action.REJECT:
            yield _about_host(
                Kind.UNKNOWN_HOST, host, 0, policy.action(Kind.UNKNOWN_HOST, Component.HOST), "not one given"
            )

    def _content_type(self, received: Received, outcome: Outcome, declared: ContentType) -> Iterator[Finding]:
        """Findings about the Content-Type, and about its charset if that changes how the query is read."""
        policy = self._normalizer.at(received.target.path).policy
        where = Component.CONTENT_TYPE
        if declared.flaw:
            action = policy.action(Kind.MALFORMED_CONTENT_TYPE, where)
            if action is not Action.ALLOW:
                excerpt = declared.received[:EXCERPT]
                yield Finding(Kind.MALFORMED_CONTENT_TYPE, where, 0, excerpt, action, detail=declared.flaw)
        if self.bodies is not None and self.bodies.recodes(declared):
            return
        query = outcome.target.query if isinstance(outcome, Accepted) else received.target.query
        if charset := charset_of(declared, query):
            action = policy.action(charset.kind, where)
            if action is not Action.ALLOW:
                excerpt = declared.received[charset.start : min(charset.end, charset.start + EXCERPT)]
                yield Finding(charset.kind, where, charset.start, excerpt, action, detail=charset.detail)

    def _names(self, received: Received, names: Sequence[bytes]) -> list[Finding]:
        """Findings about header names, rejections first."""
        policy = self._normalizer.at(received.target.path).policy
        findings = [
            Finding(kind, Component.HEADERS, 0, b"", action, name.decode("latin-1")[:_NAME])
            for kind, name in doubtful(names)
            if (action := policy.action(kind, Component.HEADERS)) is not Action.ALLOW
        ]
        return sorted(findings, key=lambda each: -each.action.rank)

    def _noted(
        self, received: Received, kind: Kind, components: Iterable[Component], detail: str = ""
    ) -> Iterator[Finding]:
        """A finding in each component, without a place in it."""
        policy = self._normalizer.at(received.target.path).policy
        for component in components:
            action = policy.action(kind, component)
            if action is Action.DROP:
                action = Action.REJECT  # the octets to drop are unknown
            yield Finding(kind, component, 0, b"", action, detail=detail)


def _nothing_is_clean(path: bytes, query: bytes) -> bool:
    """False: a prefix is required, and there is none."""
    return False


def _proves_no_type(_: bytes) -> None:
    """Proves nothing: bodies of any type may be refused."""


def _about_host(kind: Kind, host: bytes | None, offset: int, action: Action, detail: str) -> Finding:
    excerpt = (host or b"")[offset : offset + EXCERPT]
    return Finding(kind, Component.HOST, offset, excerpt, action, detail=detail)


def _delimiter(path: bytes) -> Finding:
    """A finding for the first delimiter at which a rebuilt URL would end the path."""
    match = _DELIMITER.search(path)
    offset, excerpt = (match.start(), match.group()) if match else (0, b"")
    detail = "a rebuilt URL would end the path there"
    return Finding(Kind.ENCODED_DELIMITER, Component.PATH, offset, excerpt, Action.REJECT, detail=detail)


def _asks_the_server(received: Received) -> bool:
    """Whether the target is the asterisk-form: RFC 9112, section 3.2.4."""
    return (received.seen.path, received.seen.query) == (b"*", b"") and (
        received.target.path in _WHOLE_SERVER and not received.target.query
    )


def _alike(sent: Outcome, view: Outcome) -> bool:
    """Whether the raw view and the decoded view are the same once they are judged."""
    return (
        isinstance(sent, Accepted)
        and isinstance(view, Accepted)
        and sent.target.query == view.target.query
        and percent_decode(sent.target.path) == percent_decode(view.target.path)
    )


def _both(sent: Outcome, view: Outcome) -> Outcome:
    """The outcome of two views; findings of the decoded view alone have no place in the raw one."""
    known = {(each.kind, each.component, each.action) for each in sent.findings}
    shown = {(each.kind, each.component) for each in view.findings}
    findings = [
        # The server has changed these octets into others, so dropping them here would miss them.
        replace(each, action=Action.REJECT, detail="the server's view hides it")
        if each.action in _LOSSY and (each.kind, each.component) not in shown
        else each
        for each in sent.findings
    ] + [
        replace(each, offset=0, excerpt=b"", detail="in the server's view")
        for each in view.findings
        if (each.kind, each.component, each.action) not in known
    ]
    return _with(replace(view, findings=(), omitted=sent.omitted), findings)


def _with(outcome: Outcome, more: Iterable[Finding]) -> Outcome:
    """The outcome with more findings; Rejected if one of them rejects."""
    findings = (*outcome.findings, *more)
    if isinstance(outcome, Accepted) and not any(each.action is Action.REJECT for each in findings):
        return replace(outcome, findings=findings)
    return Rejected(findings, outcome.omitted)
