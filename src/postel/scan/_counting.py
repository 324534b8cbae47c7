"""Counting: read every line, and judge every target with the normalizer of the middleware."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple, final

from postel import Action
from postel.scan._agents import LONGEST as LONGEST_AGENT
from postel.scan._agents import agent_class
from postel.scan._judging import Judge, Verdict
from postel.scan._line import ABSENT, LONGEST, Entry, LineFormat, Unreadable
from postel.scan._lowest import mark_of
from postel.scan._sender import sender_of
from postel.scan._tally import Excerpt, Row, Tally
from postel.scan._usual_lines import lines_of, usual_line_pattern

_KNOWN: Final = 8192
"""How many agents and clients are cached."""
_TARGET: Final = 400
"""How many octets of a target an excerpt keeps."""
_HEADER: Final = 160
"""How many octets of an agent, a referer or an unreadable line an excerpt keeps."""
_METHOD: Final = 32
"""How many octets of a method an excerpt keeps."""
_SAFE_METHODS: Final = frozenset({b"GET", b"HEAD"})
"""The methods that are redirected. If the log does not name the method, a request counts as refused."""
_SEGMENTS: Final = 3
"""How many segments of a path form a route."""
_PLAIN: Final = re.compile(rb"(?!\d+\Z)(?![0-9A-Fa-f-]{16,}\Z)[A-Za-z0-9._~-]{0,32}")
"""Matches a segment that is a plain word and not a number or identifier."""


def route_of(path: bytes) -> str:
    """Return the first segments of a path, with a star for each that is not a plain word, such as a number.

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

    __slots__ = ("_class_of", "_format", "_judge", "_mark_of_client", "_usual", "tally")

    def __init__(self, judge: Judge, format_: LineFormat, tally: Tally | None = None) -> None:
        """Begin with an empty tally, or continue with ``tally``."""
        self._judge = judge
        self._format = format_
        self._usual = usual_line_pattern(format_)
        # A few agents and clients send most requests, so a cache saves most of the work.
        self._class_of = lru_cache(_KNOWN)(agent_class)
        self._mark_of_client = lru_cache(_KNOWN)(self._count_client)
        self.tally = Tally(judge.policy) if tally is None else tally

    def add(self, octets: bytes) -> None:
        """Count complete lines; the last one has no line end."""
        judge_path, count_client, tally = self._judge.judge_path, self._mark_of_client, self.tally
        changes: Counter[tuple[str, str]] = Counter()
        before, clean = tally.lines, 0
        for line, client, target in lines_of(octets, self._usual):
            if target and judge_path(target) is None:
                count_client(client)
                clean += 1
            else:
                self._read(line, changes)
        tally.lines += clean
        tally.requests += clean
        tally.clean += clean
        for change, count in changes.items():
            outcome, route = change
            tally.changes.add(mark_of(f"{outcome} {route}".encode()), change, count)
        if tally.lines > before:
            name = self._format.name
            tally.formats[name] += tally.lines - before
            tally.blind.update((name, kind) for kind in self._format.blind)
            tally.hides.update((name, words) for words in self._format.hides)

    def _read(self, line: bytes, changes: Counter[tuple[str, str]]) -> None:
        """Count a line by all its fields."""
        entry = Unreadable.TOO_LONG if len(line) > LONGEST else self._format.read(line)
        if entry is None:
            return
        self.tally.lines += 1
        if isinstance(entry, Unreadable):
            self._reject(entry, line)
            return
        self.tally.requests += 1
        if entry.client is not None:
            self._mark_of_client(entry.client[:_HEADER])
        verdict = self._judge.judge(entry)
        if verdict is None:
            self.tally.clean += 1
        else:
            self._note(entry, line, verdict, changes)

    def reject(self, reason: Unreadable, line: bytes) -> None:
        """Count a line that is not a request; ``line`` may be only its beginning."""
        self.tally.lines += 1
        self.tally.formats[self._format.name] += 1
        self._reject(reason, line)

    def _reject(self, reason: Unreadable, line: bytes) -> None:
        self.tally.unreadable[reason.value] += 1
        line = line[:_HEADER]
        self.tally.unread.add(mark_of(line), (reason.value, line))

    def _count_client(self, client: bytes) -> int:
        mark = mark_of(client)
        if self.tally.clients.wants(mark):
            self.tally.clients.add(mark, None, 0)  # only distinct clients are counted
        return mark

    def _note(self, entry: Entry, line: bytes, verdict: Verdict, changes: Counter[tuple[str, str]]) -> None:
        tally = self.tally
        redirected = verdict.redirected if entry.method in _SAFE_METHODS else frozenset[str]()
        for name in verdict.refused:
            (tally.redirected if name in redirected else tally.refused)[name] += 1
        for reason in verdict.reasons:
            (tally.would_redirect if reason[0] in redirected else tally.would_refuse)[reason] += 1
        if not verdict.found:
            tally.clean += 1
            return
        agent = None if entry.agent is None else self._class_of(entry.agent[:LONGEST_AGENT])
        client = None if entry.client is None else self._mark_of_client(entry.client[:_HEADER])
        route = route_of(entry.target.partition(b"?")[0])
        note = _Note(entry, mark_of(line), client, agent, sender_of(entry, agent), route)
        for place, actions in verdict.found:
            note.enter(tally.row(place), actions)
        if verdict.first is None:
            if verdict.is_edited:
                tally.edited += 1
                changes["edited", route] += 1
        elif "policy" in redirected:
            changes["redirected", route] += 1
        else:
            changes["refused", route] += 1
            note.enter(tally.refusal(verdict.first, note.sender), (Action.REJECT,))


@final
class _Note(NamedTuple):
    """One request, with the values that its rows count."""

    entry: Entry
    mark: int
    client: int | None
    """The mark of the client."""
    agent: str | None
    sender: str
    route: str

    def enter(self, row: Row, actions: Iterable[Action]) -> None:
        """Enter the request into a row."""
        entry = self.entry
        row.requests += 1
        for action in actions:
            row.actions[action] += 1
        if self.agent is not None:
            row.agents[self.agent] += 1
        row.senders[self.sender] += 1
        row.referred += entry.referer is not None and entry.referer not in ABSENT
        if entry.status:
            row.with_status += 1
            row.served += entry.status < 400
        if self.client is not None:
            row.clients.add(self.client, None, 0)
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
