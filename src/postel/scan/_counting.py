"""Counting: read every line, and judge every target with the normalizer of the middleware."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple, final

from postel import Action, Component, Kind, Normalizer, Policy, Rejected, Target
from postel._http.slashes import merged
from postel.scan._agents import agent_class
from postel.scan._likeness import likeness
from postel.scan._line import ABSENT, Entry, LineFormat, Unreadable
from postel.scan._lowest import mark_of
from postel.scan._tally import Excerpt, Place, Row, Tally

PRESETS: Final = {"strict": Policy.STRICT, "standard": Policy.STANDARD, "lenient": Policy.LENIENT}

_KNOWN: Final = 8192
"""How many verdicts on targets and how many clients are cached."""
_SHORT: Final = 512
"""The longest target whose verdict is cached, in octets."""
_TARGET: Final = 400
"""How many octets of a target an excerpt keeps."""
_HEADER: Final = 160
"""How many octets of an agent, a referer or an unreadable line an excerpt keeps."""
_METHOD: Final = 32
"""How many octets of a method an excerpt keeps."""
_SAFE_METHODS: Final = frozenset({b"GET", b"HEAD"})
"""The methods that are redirected; a log without methods cannot tell."""
_SEGMENTS: Final = 3
"""How many segments of a path form a route."""
_PLAIN: Final = re.compile(rb"(?!\d+\Z)(?![0-9A-Fa-f-]{16,}\Z)[A-Za-z0-9._~-]{0,32}")
"""Matches a segment that is a plain word and not a number or identifier."""


@final
class _Verdict(NamedTuple):
    """What to count for a target."""

    noted: tuple[tuple[Place, tuple[Action, ...]], ...]
    refused: tuple[str, ...]
    """The policies that refuse it; those in ``redirected`` refuse it except for GET and HEAD."""
    redirected: frozenset[str]
    """The policies that redirect GET and HEAD."""
    reasons: tuple[tuple[str, Kind, Component], ...]
    first: Place | None
    """The first reason why the policy refuses it, in the order of the catalogue."""
    is_edited: bool
    """Whether the policy accepts it after edits."""
    route: str


@final
class Judge:
    """Judges targets under a policy and the presets; caches recent verdicts."""

    __slots__ = ("_is_clean", "_known", "_normalizers", "_others", "policy")

    def __init__(self, policy: Policy) -> None:
        """Compile the policies."""
        self.policy: Policy = policy
        # A policy that equals a preset is applied once.
        names: dict[Policy, list[str]] = {}
        for name, each in {"policy": policy, **PRESETS}.items():
            names.setdefault(each, []).append(name)
        self._normalizers = tuple((Normalizer(each), tuple(known_as)) for each, known_as in names.items())
        self._is_clean = Normalizer(Policy.STRICT).is_clean
        # If a policy detects nothing beyond STRICT, everything that STRICT proves clean is clean under it.
        self._others = tuple(each.is_clean for each, _ in self._normalizers if not _is_covered(each.policy))
        self._known: dict[bytes, _Verdict | None] = {}

    def judge(self, entry: Entry) -> _Verdict | None:
        """What to count for a request; ``None`` if all policies accept it without findings."""
        target = entry.target
        if entry.method == b"OPTIONS" and target == b"*":
            return None
        if target in self._known:
            return self._known[target]
        path, _, query = target.partition(b"?")
        if self._is_clean(path, query) and all(is_clean(path, query) for is_clean in self._others):
            verdict = None
        else:
            verdict = self._examined(Target(path, query, host=entry.host))
        # The verdict on a whole URL depends on the Host.
        if len(target) <= _SHORT and target.startswith(b"/"):
            if len(self._known) >= _KNOWN:
                self._known.clear()
            self._known[target] = verdict
        return verdict

    def _examined(self, target: Target) -> _Verdict:
        noted: dict[Place, dict[Action, None]] = {}
        refused: list[str] = []
        redirected: set[str] = set()
        reasons: dict[tuple[str, Kind, Component], None] = {}
        first: list[Place] = []
        is_edited = False
        for normalizer, names in self._normalizers:
            outcome = normalizer.normalize(target)
            if isinstance(outcome, Rejected):
                refused += names
                if merged(target, outcome, normalizer):
                    redirected.update(names)
            for finding in outcome.findings:
                place = finding.kind, finding.component
                if "policy" in names:
                    noted.setdefault(place, {})[finding.action] = None
                    is_edited = is_edited or finding.action.edits
                if finding.action is Action.REJECT:
                    if "policy" in names:
                        first = [min([place, *first], key=_precedence)]
                    for name in names:
                        reasons[name, *place] = None
        return _Verdict(
            tuple((place, tuple(actions)) for place, actions in noted.items()),
            tuple(refused),
            frozenset(redirected),
            tuple(reasons),
            first[0] if first else None,
            is_edited and not first,
            route_of(target.path),
        )


def _precedence(place: Place) -> int:
    return place[0].index


def _is_covered(policy: Policy) -> bool:
    """Whether a policy allows all that STRICT allows."""
    strict = Policy.STRICT
    allowed = {
        (kind, component)
        for kind in Kind
        for component in kind.check.components
        if component in {Component.PATH, Component.QUERY} and strict.action(kind, component) is Action.ALLOW
    }
    return (
        all(policy.action(kind, component) is Action.ALLOW for kind, component in allowed)
        and not any(
            (rule.kind, rule.component) in allowed and rule.action is not Action.ALLOW
            for rule in policy.rules
        )
        and not policy.acceptances
        and policy.limits == strict.limits
    )


def route_of(path: bytes) -> str:
    """The first segments of a path, with a star for each that is not a plain word, such as numbers.

    >>> route_of(b"/users/4711/edit"), route_of(b"/units/kg%2Fs/a/b"), route_of(b"/")
    ('/users/*/edit', '/units/*/a/...', '/')
    """
    first, *segments = path.split(b"/", _SEGMENTS + 1)
    shown = [each.decode() if _PLAIN.fullmatch(each) else "*" for each in segments[:_SEGMENTS]]
    if first:
        shown = ["*"]
    return "/" + "/".join(shown) + ("/..." if len(segments) > _SEGMENTS else "")


@final
class Count:
    """Counts lines of one format into a tally."""

    __slots__ = ("_format", "_judge", "_known_clients", "tally")

    def __init__(self, judge: Judge, format_: LineFormat, tally: Tally | None = None) -> None:
        """Begin with an empty tally, or continue with ``tally``."""
        self._judge = judge
        self._format = format_
        self._known_clients: set[bytes] = set()
        self.tally = Tally(judge.policy) if tally is None else tally

    def add(self, lines: Iterable[bytes]) -> None:
        """Count lines without line ends."""
        read, judge, tally, known = self._format.read, self._judge.judge, self.tally, self._known_clients
        requests = count = clean = 0
        for line in lines:
            entry = read(line)
            if entry is None:
                continue
            count += 1
            if isinstance(entry, Unreadable):
                self.reject(entry, line, counted=True)
                continue
            requests += 1
            if entry.client is not None and entry.client not in known:
                self._meet(entry.client)
            verdict = judge(entry)
            if verdict is None:
                clean += 1
            else:
                self._note(entry, line, verdict)
        tally.lines += count
        tally.requests += requests
        tally.clean += clean
        if count:
            tally.formats[self._format.name] += count
            tally.blind.update((self._format.name, kind) for kind in self._format.blind)
            tally.hides.update((self._format.name, words) for words in self._format.hides)

    def reject(self, reason: Unreadable, line: bytes, *, counted: bool = False) -> None:
        """Count a line that is not a request; ``line`` may be only its beginning."""
        if not counted:
            self.tally.lines += 1
            self.tally.formats[self._format.name] += 1
        self.tally.unreadable[reason.value] += 1
        line = line[:_HEADER]
        self.tally.unread.add(mark_of(line), (reason.value, line))

    def _meet(self, client: bytes) -> None:
        if len(self._known_clients) >= _KNOWN:
            self._known_clients.clear()
        self._known_clients.add(client[:_HEADER])
        self.tally.clients.add(mark_of(client), None, 0)  # how often does not matter

    def _note(self, entry: Entry, line: bytes, verdict: _Verdict) -> None:
        tally = self.tally
        redirected = verdict.redirected if entry.method in _SAFE_METHODS else frozenset[str]()
        for name in verdict.refused:
            (tally.redirected if name in redirected else tally.refused)[name] += 1
        for reason in verdict.reasons:
            (tally.would_redirect if reason[0] in redirected else tally.would_refuse)[reason] += 1
        if not verdict.noted:
            tally.clean += 1
            return
        agent = None if entry.agent is None else agent_class(entry.agent)
        note = _Note(entry, mark_of(line), agent, likeness(entry, agent), verdict.route)
        for place, actions in verdict.noted:
            note.enter(tally.row(place), actions)
        if verdict.first is None:
            if verdict.is_edited:
                tally.edited += 1
                self._change("edited", verdict.route)
        elif "policy" in redirected:
            self._change("redirected", verdict.route)
        else:
            self._change("refused", verdict.route)
            note.enter(tally.refusal(verdict.first, note.who), (Action.REJECT,))

    def _change(self, outcome: str, route: str) -> None:
        self.tally.changes.add(mark_of(f"{outcome} {route}".encode()), (outcome, route))


@final
class _Note(NamedTuple):
    """One request, with what its rows need."""

    entry: Entry
    mark: int
    agent: str | None
    who: str
    route: str

    def enter(self, row: Row, actions: Iterable[Action]) -> None:
        """Enter the request into a row."""
        entry = self.entry
        row.requests += 1
        for action in actions:
            row.actions[action] += 1
        if self.agent is not None:
            row.agents[self.agent] += 1
        row.hits[self.who] += 1
        row.referred += entry.referer is not None and entry.referer not in ABSENT
        if entry.status:
            row.with_status += 1
            row.served += entry.status < 400
        if entry.client is not None:
            row.clients.add(mark_of(entry.client), None, 0)
        if row.excerpts.wants(self.mark):
            row.excerpts.add(self.mark, _excerpt(entry, self.route))


def _excerpt(entry: Entry, route: str) -> Excerpt:
    target = entry.target
    return Excerpt(
        target[:_TARGET],
        len(target) <= _TARGET,
        route,
        (entry.agent or b"")[:_HEADER],
        (entry.referer or b"")[:_HEADER],
        entry.method[:_METHOD],
        entry.status,
    )
