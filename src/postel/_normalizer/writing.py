"""Find bare octets of non-ASCII text and escapes that are not canonical.

Also find stray percent signs that would begin an escape once the escapes after them are respelled.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterator
from heapq import merge
from itertools import chain, islice
from operator import itemgetter
from typing import Final, final

from postel._alphabet.percent import MALFORMED_PERCENT, MISSPELLED
from postel._alphabet.regex import compiled
from postel._alphabet.text import text_of
from postel._catalogue.check import Action, Component
from postel._catalogue.kinds import Kind
from postel._catalogue.patterns import HEX_DIGIT, any_case
from postel._normalizer.findings import MOST, NOTHING, Matches, listed
from postel._normalizer.raw_text import RunsOfText, has_raw, is_ill_formed
from postel._normalizer.scanner import Match, Span, located
from postel._policy.name_rules import Actions

WRITTEN: Final = (Kind.RAW_NON_ASCII, Kind.SPELLING)
"""The kinds of the writing family; this module finds each of them in its own way."""

_DIGITS: Final = HEX_DIGIT * 2 + b"|" + any_case("u") + HEX_DIGIT * 4
_LATENT: Final = re.compile(MALFORMED_PERCENT + b"(?:" + _DIGITS + b")")
"""A stray ``%`` that begins an escape once the escape after it is respelled: ``%4%31`` becomes ``%41``."""
RESPELLED: Final = "it would begin an escape once the octets after it are respelled"
"""The detail of a finding about a stray percent sign."""


@final
class Writing:
    """Finds the kinds of the writing family in one component."""

    __slots__ = ("_plus", "_raw", "_spelling")

    def __init__(self, component: Component, active: frozenset[Kind]) -> None:
        """``active`` are the active kinds."""
        self._plus = component is not Component.PATH
        self._raw = (
            compiled(Kind.RAW_NON_ASCII.check.patterns[component]) if Kind.RAW_NON_ASCII in active else None
        )
        self._spelling = (
            compiled(Kind.SPELLING.check.patterns[component]) if Kind.SPELLING in active else None
        )

    def judge(self, octets: bytes, text: str, start: int, actions: Actions) -> Matches:
        """Return the matches from ``start`` on; ``text`` is not needed if the octets are ASCII.

        Runs that hold only ill-formed octets are left out, because another kind reports them.
        """
        if self._raw is None and self._spelling is None:
            return NOTHING
        is_bare, runs = self._is_bare(octets), self._runs(octets, text)
        found = list(islice(self._walk(octets, start, runs), MOST + 1))
        if len(found) <= MOST:
            seen = [(actions[kind.index], kind, begins, ends) for kind, begins, ends in found]
            return listed([each for each in seen if each[0] is not Action.ALLOW])

        def walk(kinds: Container[Kind]) -> Iterator[Match]:
            more = islice(self._walk(octets, start, runs), len(found), None)
            return (each for each in chain(found, more) if each[0] in kinds)

        def first(kinds: Collection[Kind]) -> Match:
            return next(self._walk(octets, start, runs, kinds))

        present: list[Kind] = []
        if is_bare:
            # Only the target of an absolute form has octets before ``start``.
            rest = octets[start:]
            is_known = runs is not None and not start
            is_present = bool(runs) if is_known else has_raw(rest, text_of(rest) if start else text)
            present += [Kind.RAW_NON_ASCII] * is_present
        if self._spelling is not None and self._first_misspelled(octets, start) < len(octets):
            present.append(Kind.SPELLING)
        return located(present, actions, walk, first)

    def scan(self, octets: bytes, text: str, most: int) -> list[Match]:
        """Return the first matches in order, up to ``most`` of them, whatever their actions are."""
        return list(islice(self._walk(octets, 0, self._runs(octets, text)), most))

    def _is_bare(self, octets: bytes) -> bool:
        """Whether bare octets beyond ASCII are looked for, and there are some."""
        return self._raw is not None and not octets.isascii()

    def _runs(self, octets: bytes, text: str) -> RunsOfText | None:
        """Return the runs that hold well-formed characters; ``None`` if every run of bare octets does."""
        return RunsOfText(octets, text) if self._is_bare(octets) and is_ill_formed(text) else None

    def _first_misspelled(self, octets: bytes, start: int = 0) -> int:
        """Return the offset of the first escape from ``start`` on that is not canonical, or the length.

        The pattern of one escape is faster than that of a run of escapes.
        """
        found = MISSPELLED.search(octets, start)
        first = len(octets) if found is None else found.start()
        plus = octets.find(b"+", start, first) if self._plus else -1
        return first if plus < 0 else plus

    def _walk(
        self, octets: bytes, start: int, of_text: RunsOfText | None, kinds: Container[Kind] = WRITTEN
    ) -> Iterator[Match]:
        """Yield the matches of some kinds from ``start`` on, run by run."""
        found: list[Iterator[Match]] = []
        if self._raw is not None and Kind.RAW_NON_ASCII in kinds and not octets.isascii():
            runs: Iterator[Span]
            if of_text is not None:
                runs = (run for run in of_text.spans() if run[0] >= start)
            else:
                runs = (run.span() for run in self._raw.finditer(octets, start))
            found.append((Kind.RAW_NON_ASCII, *run) for run in runs)
        if self._spelling is not None and Kind.SPELLING in kinds:
            begins = self._first_misspelled(octets, start)
            found.append((Kind.SPELLING, *run.span()) for run in self._spelling.finditer(octets, begins))
        yield from merge(*found, key=itemgetter(1))


def holds_latent_escape(octets: bytes) -> bool:
    """Whether there is a stray percent sign that may begin an escape after respelling."""
    return _LATENT.search(octets) is not None


def latent_escapes(octets: bytes, actions: Actions, start: int = 0) -> Matches:
    """Find stray percent signs that would begin an escape once the escapes after them are respelled.

    Such a sign is refused if the policy allows or reports it, and repairs spelling.

    >>> actions = [Action.REPORT] * len(Kind)
    >>> actions[Kind.SPELLING.index] = Action.REPAIR
    >>> [span for _, _, *span in latent_escapes(b"/%u12%c3/%u12%43x/%4%31", tuple(actions)).first(9)]
    [[18, 23]]
    """
    kind, left = Kind.MALFORMED_ESCAPE, {Action.ALLOW, Action.REPORT}
    if actions[Kind.SPELLING.index] is not Action.REPAIR or actions[kind.index] not in left:
        return NOTHING
    found = [(Action.REJECT, kind, *match.span()) for match in _LATENT.finditer(octets, start)]
    return listed(found, RESPELLED)
