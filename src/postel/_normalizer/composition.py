"""Composition: find the parts of a component that are not in Unicode normalization form C, and compose them.

All parts are normalized in one call, because a call for each part would cost more than normalization itself.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, compress, count, repeat
from operator import add, ne
from typing import Final, TypeAlias, final

from postel._alphabet.percent import joined
from postel._alphabet.text import ILL_FORMED, Reading
from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._catalogue.repairs import STEP, THREE_MARKS, composed_runs, text_pattern
from postel._normalizer.comparison import Comparison, beyond, ends_with_unit, is_overlaid, whole_text
from postel._normalizer.findings import AGAIN, EVERY, NOTHING, JudgedMatch, Matches, SpanOf, listed
from postel._normalizer.source_map import Edit, Mapped

Runs: TypeAlias = tuple[list[bytes], list[bytes]]
"""Octets as runs of text and other runs in turn, before and after composition."""

_ILL_FORMED: Final = re.compile(f"[{ILL_FORMED}]")


def prepare() -> None:
    """Compile the patterns, so that no request has to wait for this."""
    beyond()
    text_pattern()


@final
class Composition:
    """Compares and composes the texts of one component, which may be judged before and after edits."""

    __slots__ = ("_between", "_found", "_is_done", "_is_whole", "_nothing", "_runs", "_was_composed")

    def __init__(self, between: str) -> None:
        """``between`` separates the parts: a slash, or an ampersand for the names and values of pairs."""
        self._between = between
        self._found: dict[str, Comparison] = {}
        """The comparison for each whole text; an edit of octets may leave the text as it is."""
        self._nothing = Comparison("", between)
        """The comparison of a text that is in NFC."""
        self._runs: dict[bytes, Runs] = {}
        """For octets that were composed, their runs of text before and after."""
        self._was_composed = False
        """Whether the component, or its names, have been composed."""
        self._is_whole = False
        """Whether the whole component has been composed; later stages only remove pairs or end lines."""
        self._is_done = False
        """Whether nothing was left when the component was judged after that."""

    def _of(self, text: str) -> Comparison:
        whole = whole_text(text, self._between)
        if whole not in self._found:
            self._found[whole] = found = Comparison(whole, self._between)
            if not found.left:
                self._found[found.composed] = self._nothing
        return self._found[whole]

    def _runs_of(self, octets: bytes) -> Runs:
        if octets not in self._runs:
            self._runs[octets] = composed_runs(octets)
        return self._runs[octets]

    def _asks(self, *, is_received: bool) -> bool:
        """Whether to ask what composing leaves; a path is composed last, so stages before that need not."""
        return is_received or self._was_composed or self._between == "&"

    def may_refuse(self, text: str, *, is_received: bool) -> bool:
        """Whether ``judged`` may refuse a part because ``compose`` may not put it into NFC.

        Apart from signs, only long runs of marks and letters written "%uXXXX" stay as they are.
        """
        return self._asks(is_received=is_received) and (
            is_overlaid(text) or ends_with_unit(text) or THREE_MARKS.search(text[::STEP]) is not None
        )

    def judged(
        self,
        text: str,
        actions_of: Callable[[Sequence[int]], Iterable[Action]],
        span_of: SpanOf,
        *,
        every: bool,
    ) -> Matches:
        """Judge the parts that are not in NFC; a part is refused if ``compose`` cannot put it into NFC.

        ``actions_of`` returns the actions for some parts, and ``span_of`` the span of a part. Unless
        ``every``, only the first of these parts are found.
        """
        if self._is_done:
            return NOTHING
        found = self._of(text)
        places = found.first(EVERY if every else AGAIN)
        if not places:
            self._is_done = self._is_whole
            return NOTHING
        refused: list[int] = []
        if found.left and self._asks(is_received=every):
            actions = zip(found.left, actions_of(found.left), strict=False)
            refused = [place for place, action in actions if action is Action.REPAIR]
            if refused and refused[0] > places[-1]:
                places += refused[:1]
        still = frozenset(refused)
        seen: list[JudgedMatch] = [
            (Action.REJECT if place in still else action, Kind.NOT_NFC, place, place)
            for place, action in zip(places, actions_of(places), strict=False)
            if action is not Action.ALLOW
        ]
        return listed(seen, span=span_of)

    def written(self, mapped: Mapped, text: str) -> Mapped:
        """Put every part into NFC, except names and values with ill-formed UTF-8.

        A path never has ill-formed UTF-8 here.
        """
        if beyond().search(text) is None:
            return mapped
        self._was_composed = self._is_whole = True
        octets = mapped.octets
        if _ILL_FORMED.search(text) is None:
            before, after = self._runs_of(octets)
            return mapped.rewritten(joined(after), lambda: _edits(before, after))
        pieces, texts = octets.split(b"&"), text.split("&")
        after = joined(self._runs_of(octets)[1]).split(b"&")
        for pair in compress(count(), map(ne, pieces, after)):
            if _ILL_FORMED.search(texts[pair]) is not None:
                after[pair] = _without_faulty(pieces[pair], after[pair], texts[pair])

        def edits() -> Iterable[Edit]:
            return self._edits_in(octets, _spans_of(octets, self._of(text).first(EVERY)))

        return mapped.rewritten(b"&".join(after), edits)

    def written_in(self, mapped: Mapped, spans: Sequence[tuple[int, int]]) -> Mapped:
        """Put some parts into NFC."""
        self._was_composed = True
        octets = mapped.octets
        composed = joined(_composed_in(self._runs_of(octets), spans))
        return mapped.rewritten(composed, lambda: self._edits_in(octets, spans))

    def _edits_in(self, octets: bytes, spans: Iterable[tuple[int, int]]) -> Iterator[Edit]:
        """Return the edits that put the text in these spans into NFC."""
        runs = before, _ = self._runs_of(octets)
        return _edits(before, _composed_in(runs, spans))


def uncomposed_segments(
    known: Composition, reading: Reading, at: tuple[int, int], action: Action, *, every: bool
) -> Matches:
    """Judge the segments that are not in NFC; ``at`` is where the path begins in the octets and the text."""
    begins, start = at
    path = reading.octets[begins:]

    @cache
    def ends() -> list[int]:
        lengths = map(len, path.split(b"/"))
        return list(accumulate(lengths, lambda end, length: end + 1 + length, initial=begins - 1))

    def placed(place: int, _: int) -> tuple[int, int]:
        return ends()[place] + 1, ends()[place + 1]

    return known.judged(reading.text[start:], lambda _: repeat(action), placed, every=every)


def _edits(before: Sequence[bytes], after: Sequence[bytes]) -> Iterator[Edit]:
    """Yield the edits of the runs that are different after composition."""
    starts = list(accumulate(map(len, before), initial=0))
    for place in compress(count(), map(ne, before, after)):
        start, end = starts[place : place + 2]
        yield start, end, after[place]


def _composed_in(runs: Runs, spans: Iterable[tuple[int, int]]) -> list[bytes]:
    """Return the runs, of which only those in the spans are composed."""
    before, after = runs
    left, starts = [*before], list(accumulate(map(len, before), initial=0))
    for start, end in spans:
        place = slice(bisect_left(starts, start), bisect_left(starts, end))
        left[place] = after[place]
    return left


def _spans_of(octets: bytes, places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the spans of some names and values; each pair has two places."""
    pieces = octets.split(b"&")
    starts = list(map(add, accumulate(map(len, pieces), initial=0), count()))
    for place in places:
        start, piece = starts[place >> 1], pieces[place >> 1]
        middle = start + len(piece.partition(b"=")[0])
        yield (middle, start + len(piece)) if place & 1 else (start, middle)


def _without_faulty(before: bytes, after: bytes, text: str) -> bytes:
    """Return a composed pair in which an ill-formed name or value is as it was before."""
    name, _, value = before.partition(b"=")
    other_name, equals, other_value = after.partition(b"=")
    of_name, _, of_value = text.partition("=")
    return (
        (name if _ILL_FORMED.search(of_name) else other_name)
        + equals
        + (value if _ILL_FORMED.search(of_value) else other_value)
    )
