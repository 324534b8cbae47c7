"""Composition: find the parts of a component that are not in Unicode normalization form C, and compose them.

All parts are normalized in one call, because a call for each part would cost more than normalization itself.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate, chain, compress, count, cycle, repeat
from operator import add, ne
from typing import Final, TypeAlias, final

from postel._alphabet.percent import joined, percent_decode
from postel._alphabet.regex import compiled
from postel._alphabet.text import ILL_FORMED_TEXT, Reading
from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._catalogue.repairs import MARKS, composed_runs, long_runs, many_marks, text_pattern, three_marks
from postel._normalizer.comparison import (
    SIGN,
    Comparison,
    beyond,
    is_overlaid,
    may_stay,
    prepare_comparison,
    unit_may_compose,
)
from postel._normalizer.findings import AGAIN, NOTHING, UNLIMITED, JudgedMatch, Matches, SpanOf, listed
from postel._normalizer.source_map import Edit, Mapped

Runs: TypeAlias = tuple[list[bytes], list[bytes]]
"""Octets as runs of text and other runs in turn, before and after composition."""

_VALUE: Final = compiled(b"=[^&]*+")


_MANY: Final = (MARKS - 3) // 2 + 1
"""This many characters may compose to more than 30 marks.

NFC writes one mark as at most two, and the character before them may decompose to as many as three.
"""


def prepare() -> None:
    """Compile the patterns, so that no request has to wait for this."""
    prepare_comparison()
    text_pattern()
    three_marks()
    many_marks()
    many_marks(_MANY)


@final
class Composition:
    """Compares and composes the texts of one component, which may be judged before and after edits."""

    __slots__ = (
        "_delimiter",
        "_short",
        "_was_composed",
        "comparison",
        "is_done",
        "is_refused",
        "is_whole",
    )

    def __init__(self, delimiter: str) -> None:
        """``delimiter`` separates the parts: a slash, or an ampersand for the names and values of pairs."""
        self._delimiter = delimiter
        self.comparison: Comparison = Comparison(delimiter)
        self._short: set[str] = set()
        """Runs of marks that are not too long, which an edit rarely changes."""
        self._was_composed = False
        """Whether the component, or its names, have been composed."""
        self.is_whole = False
        """Whether the whole component has been composed; later edits leave its parts in NFC."""
        self.is_done = False
        """Whether the whole component has been composed, and is now in NFC."""
        self.is_refused = False
        """Whether the whole component has been composed, and a part is not in NFC, so that it is refused."""

    def _asks(self, *, is_received: bool) -> bool:
        """Whether to look for parts that composing cannot put into NFC.

        A path is searched for them as received and after composing.
        """
        return is_received or self._was_composed or self._delimiter == "&"

    def may_refuse(self, text: str, *, is_received: bool = False) -> bool:
        """Whether ``judged`` may refuse a part, because composing cannot put every part into NFC."""
        asks = self._asks(is_received=is_received) and not self._leaves_nothing(text)
        return asks and self.may_leave(text)

    def may_leave(self, text: str) -> bool:
        """Whether composing may leave a part that is not in NFC.

        Only signs before U+0338, long runs of marks, and letters written "%uXXXX" stay as they are.
        """
        return is_overlaid(text, self._delimiter) or unit_may_compose(text) or self._has_long_run(text)

    def _has_long_run(self, text: str) -> bool:
        """Whether a run of marks is too long to be composed, or will be once it is composed."""
        found = {text[max(0, run.start() - 1) : run.end()] for run in many_marks(_MANY).finditer(text)}
        runs = found - self._short
        marks = "\0".join(runs)
        if runs and (long_runs(marks) or long_runs(unicodedata.normalize("NFC", marks))):
            return True
        self._short |= runs
        return False

    def _leaves_nothing(self, text: str) -> bool:
        """Whether the whole component has been composed, and each part is in NFC."""
        if self.is_whole and not self.is_done:
            self.is_done = not may_stay(text, self._delimiter)
        return self.is_done

    def judged(
        self,
        text: str,
        actions_of: Callable[[Sequence[int]], Iterable[Action]],
        span_of: SpanOf,
        *,
        every: bool = False,
        is_received: bool = False,
    ) -> Matches:
        """Judge the parts that are not in NFC; a part is refused if ``written`` cannot put it into NFC.

        ``actions_of`` returns the actions for some parts, and ``span_of`` the span of a part. Unless
        ``every``, only the first of these parts are found. ``is_received`` says whether the component has
        not been edited yet.
        """
        if self._leaves_nothing(text):
            return NOTHING
        places = list(self.comparison.places(text)[: UNLIMITED if every else AGAIN])
        if not places:
            self.is_done = self.is_whole
            return NOTHING
        refused: list[int] = []
        if self._asks(is_received=is_received) and (left := self.comparison.left(text)):
            actions = zip(left, actions_of(left), strict=False)
            refused = [place for place, action in actions if action is Action.REPAIR]
            if refused and refused[0] > places[-1]:
                places += refused[:1]
        still = frozenset(refused)
        seen: list[JudgedMatch] = [
            (Action.REJECT if place in still else action, Kind.NOT_NFC, place, place)
            for place, action in zip(places, actions_of(places), strict=False)
            if action is not Action.ALLOW
        ]
        matches = listed(seen, span=span_of)
        if Action.DROP_PAIR not in matches.actions:
            return matches
        dropped = {place >> 1 for action, _, place, _ in seen if action is Action.DROP_PAIR}
        return replace(matches, dropped=dropped)

    def written(self, mapped: Mapped, text: str) -> Mapped:
        """Put every part into NFC, except names and values with ill-formed UTF-8."""
        self.is_whole, self.is_refused = True, False
        if beyond().search(text) is None:
            self.is_done = True
            return mapped
        self.is_done = not self.may_leave(text)
        if ILL_FORMED_TEXT.search(text) is not None:
            return self.written_in(mapped, self.comparison.places(text))
        if not self.is_done:
            self.is_refused = is_overlaid(text, self._delimiter) or self._has_long_run(text)
        if self.comparison.is_unused:
            return self._written_whole(mapped)
        return self.written_in(mapped, self.comparison.suspects(text))

    def _written_whole(self, mapped: Mapped) -> Mapped:
        """Put all parts into NFC, without dividing the component; delimiters compose with nothing."""
        self._was_composed = True
        runs = composed_runs(mapped.octets, self.comparison.compose)
        return mapped.rewritten(joined(runs[1]), lambda: _edits([mapped.octets], [0], runs, pairs=True))

    def discard(self) -> None:
        """Forget that the component was composed, because the result was not used."""
        self._was_composed = self.is_whole = self.is_done = self.is_refused = False

    def written_in(self, mapped: Mapped, places: Sequence[int]) -> Mapped:
        """Put some parts into NFC; ``places`` are their indices."""
        self._was_composed = True
        parts = _divided(mapped.octets, self._delimiter)
        # All at once, because a call for each part would cost more than composing itself.
        delimiter = self._delimiter.encode()
        runs = composed_runs(delimiter.join(map(parts.__getitem__, places)), self.comparison.compose)
        written = [*parts]
        for place, part in zip(places, joined(runs[1]).split(delimiter), strict=False):
            written[place] = part
        octets = delimiter.join(written if delimiter == b"/" else map(add, written[::2], written[1::2]))
        return mapped.rewritten(octets, lambda: _edits(parts, places, runs, pairs=delimiter == b"&"))


def uncomposed_segments(
    known: Composition, reading: Reading, at: tuple[int, int], action: Action, *, is_received: bool
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

    return known.judged(reading.text[start:], lambda _: repeat(action), placed, is_received=is_received)


def left_in(octets: bytes, delimiter: str) -> tuple[int, int] | None:
    """Return the span of the first part of a composed component that is not in NFC; ``None`` if all are.

    The component has no ill-formed text.

    >>> left_in(b"/caf%C3%A9/a%3C%CC%B8", "/"), left_in(b"a&b=<%CC%B8", "&")
    ((11, 21), (4, 11))
    """
    parts, pairs = _divided(octets, delimiter), delimiter == "&"
    values = [each.removeprefix(b"=") for each in parts] if pairs else parts
    text = percent_decode(b"\xff".join(values)).decode("utf-8", "surrogateescape")
    if not may_stay(text, "/"):
        return None
    for place, each in enumerate(text.split("\udcff")):
        if SIGN.search(each) or long_runs(each) or not unicodedata.is_normalized("NFC", each):
            end = _starts(parts, pairs=pairs)[place] + len(parts[place])
            return end - len(values[place]), end
    return None


def _divided(octets: bytes, delimiter: str) -> list[bytes]:
    """Divide octets into segments, or into names and values in turn; a value begins with its equals sign."""
    if delimiter == "/":
        return octets.split(b"/")
    names = _VALUE.sub(b"", octets).split(b"&")
    values = map(bytes.removeprefix, octets.split(b"&"), names)
    return [*chain.from_iterable(zip(names, values, strict=True))]


def _starts(parts: Sequence[bytes], *, pairs: bool) -> list[int]:
    """Return the offset at which each part starts; no octet is between a name and its value."""
    return list(accumulate(map(add, map(len, parts), cycle([0, 1] if pairs else [1])), initial=0))


def _edits(parts: Sequence[bytes], places: Sequence[int], runs: Runs, *, pairs: bool) -> Iterator[Edit]:
    """Yield the edits of the runs that are different after composition; ``runs`` are those at ``places``."""
    before, after = runs
    starts = _starts(parts, pairs=pairs)
    begins = list(accumulate((len(parts[place]) + 1 for place in places), initial=0))
    at = list(accumulate(map(len, before), initial=0))
    for run in compress(count(), map(ne, before, after)):
        number = bisect_right(begins, at[run]) - 1
        start = starts[places[number]] + at[run] - begins[number]
        yield start, start + len(before[run]), after[run]
