"""Composition: find the parts of a component that are not in Unicode normalization form C, and compose them.

All parts are normalized in one call, because a call for each part would cost more than normalization itself.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, compress, count, islice, repeat
from operator import add, ne
from typing import Final, TypeAlias, final

from postel._alphabet.percent import joined
from postel._alphabet.regex import compiled
from postel._alphabet.text import ESCAPED, ILL_FORMED, NO_TEXT, Reading, decoded, text_of
from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._catalogue.repairs import STEP, THREE_MARKS, composed_runs, long_runs, text_pattern
from postel._normalizer.findings import AGAIN, EVERY, NOTHING, JudgedMatch, Matches, SpanOf, listed
from postel._normalizer.source_map import Edit, Mapped

Runs: TypeAlias = tuple[list[bytes], list[bytes]]
"""Octets as runs of text and other runs in turn, before and after composition."""

_ILL_FORMED: Final = re.compile(f"[{ILL_FORMED}]")
_VALUE: Final = compiled("=([^&]*+)")
_OVERLAY: Final = "\u0338"
_OVERLAID: Final = re.compile("[<=>\udc3c-\udc3e][^\0-\x7f\udc3c-\udc3e]*\u0338")
"""Matches the last ``<``, ``=`` or ``>`` before U+0338, bare or escaped, and the characters between them.

Of the ASCII characters that are not letters, only these three compose, and only with U+0338.
"""
_OVERLAID_EQUALS: Final = re.compile("=[^\0-\x7f]*\u0338")
_UNITS: Final = re.compile("%[uU][0-9A-Fa-f]{4}[^\0-\x7f\ud800-\udfff]")
"""Matches an escape of a UTF-16 unit and the character after it, a mark that may compose with a digit."""
_LEFT: Final = "\ud8fe"
"""Stands for a run of too many marks; no text holds this character."""


# This class takes long to compile, so it is compiled when the first Normalizer that composes is built.
@cache
def _beyond() -> re.Pattern[str]:
    """Return a pattern for a character beyond ASCII."""
    return re.compile(f"[^\0-\x7f{chr(ESCAPED)}-{chr(ESCAPED + 0x7F)}{ILL_FORMED}]")


def prepare() -> None:
    """Compile the patterns, so that no request has to wait for this."""
    _beyond()
    text_pattern()


def _different(before: str, after: str, between: str) -> Iterator[int]:
    """Yield the indices of the parts that differ, except parts with ill-formed UTF-8."""
    if before == after:
        return
    parts, others = before.split(between), after.split(between)
    changed = compress(count(), map(ne, parts, others))
    is_faulty = _ILL_FORMED.search(before) is not None
    if between == "/":
        for place in changed:
            if not (is_faulty and _ILL_FORMED.search(parts[place])):
                yield place
        return
    for place in changed:
        name, _, value = parts[place].partition("=")
        other_name, _, other_value = others[place].partition("=")
        if name != other_name and not (is_faulty and _ILL_FORMED.search(name)):
            yield 2 * place
        if value != other_value and not (is_faulty and _ILL_FORMED.search(value)):
            yield 2 * place + 1


def whole_text(text: str, between: str, *, guards: bool = False) -> str:
    """Return the text to compare with its composed form; they differ in the parts that are not in NFC.

    ``guards`` puts ``NO_TEXT`` behind each equals sign even if nothing would compose with it.
    """
    if _beyond().search(text) is None:
        return ""
    if between == "&":
        # The equals sign between a name and its value must not compose. An escaped one composes as "<" does.
        if guards or (_OVERLAY in text and _OVERLAID_EQUALS.search(text) is not None):
            parts = _VALUE.split(text)
            parts[1::2] = map(f"={NO_TEXT}".__add__, parts[1::2])
            text = "".join(parts)
        text = text.replace(chr(ESCAPED + ord("=")), "<")
    return decoded(text.replace(chr(ESCAPED + ord(between)), NO_TEXT))


def _without_long_runs(whole: str) -> str:
    """Replace each run of too many marks with ``_LEFT``."""
    if not (runs := long_runs(whole)):
        return whole
    ends = [0, *(end for _, end in runs)]
    starts = [*(start for start, _ in runs), len(whole)]
    return _LEFT.join([whole[end:start] for end, start in zip(ends, starts, strict=True)])


def _is_overlaid(text: str) -> bool:
    """Whether an ASCII character other than a letter may compose."""
    return _OVERLAY in text and _OVERLAID.search(text) is not None


@final
class Comparison:
    """The parts of a whole text that are not in NFC (Unicode, UAX #15); ``between`` separates parts.

    With ``between="&"`` the parts are the names and values of pairs. Parts with ill-formed UTF-8 are left
    out, because another kind reports those.

    >>> Comparison("a/caf\u00e9/cafe\u0301", "/").first(9)
    [2]
    """

    __slots__ = ("_between", "_composed", "_found", "_more", "is_cut", "is_guarded")

    def __init__(self, whole: str, between: str) -> None:
        """Compare the text with its composed form."""
        before = _without_long_runs(whole)
        self.is_cut: bool = _LEFT in before
        """Whether the text holds a run of marks that is too long to compose."""
        self.is_guarded: bool = f"={NO_TEXT}" in whole
        """Whether an equals sign cannot compose."""
        self._composed = unicodedata.normalize("NFC", before).replace(_LEFT, "")
        self._between = between
        self._found: list[int] = []
        self._more = _different(before, self._composed, between)

    def first(self, most: int) -> list[int]:
        """Return the indices of the first parts that are not in NFC, at most ``most`` of them."""
        self._found += islice(self._more, max(0, most - len(self._found)))
        return self._found[:most]

    def is_composed(self, pieces: Sequence[int], whole: str) -> bool:
        """Whether ``whole`` is the composed form of some segments or pairs; ``pieces`` are their numbers."""
        composed = self._composed.split(self._between)
        return whole == self._between.join(map(composed.__getitem__, pieces))


@final
class Composition:
    """Compares and composes the texts of one component, which may be judged before and after edits."""

    __slots__ = ("_between", "_found", "_result", "_runs", "_was_composed")

    def __init__(self, between: str) -> None:
        """``between`` separates the parts: a slash, or an ampersand for the names and values of pairs."""
        self._between = between
        self._found: dict[str, Comparison] = {}
        """The comparison for each whole text; an edit of octets may leave the text as it is."""
        self._runs: dict[bytes, Runs] = {}
        """For octets that were composed, their runs of text before and after."""
        self._result: bytes | None = None
        """The octets after the whole component was composed."""
        self._was_composed = False
        """Whether the component, or its names, have been composed."""

    def _of(self, text: str) -> Comparison:
        return self._of_whole(whole_text(text, self._between))

    def _of_whole(self, whole: str) -> Comparison:
        if whole not in self._found:
            self._found[whole] = Comparison(whole, self._between)
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
            _is_overlaid(text)
            or _UNITS.search(text) is not None
            or THREE_MARKS.search(text[::STEP]) is not None
        )

    def judged(
        self,
        octets: bytes,
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
        found = self._of(text)
        places = found.first(EVERY if every else AGAIN)
        if not places:
            return NOTHING

        def repaired(some: list[int]) -> list[int]:
            actions = zip(some, actions_of(some), strict=False)
            return [place for place, action in actions if action is Action.REPAIR]

        refused: list[int] = []
        stays = _is_overlaid(text) or found.is_cut or _UNITS.search(text) is not None
        if stays and self._asks(is_received=every):
            refused = self._left(octets, text, repaired(places))
            if not refused:
                refused = self._left(octets, text, repaired(found.first(EVERY)[len(places) :]))[:1]
                places += refused
        still = frozenset(refused)
        seen: list[JudgedMatch] = [
            (Action.REJECT if place in still else action, Kind.NOT_NFC, place, place)
            for place, action in zip(places, actions_of(places), strict=False)
            if action is not Action.ALLOW
        ]
        return listed(seen, span=span_of)

    def _left(self, octets: bytes, text: str, places: Sequence[int]) -> list[int]:
        """Return the parts among ``places`` that ``compose`` does not put into NFC."""
        if not places or octets == self._result:
            return [*places]  # composing again changes nothing
        of_pair = int(self._between == "&")  # each pair has two parts, its name and its value
        between, pieces = self._between.encode(), octets.split(self._between.encode())
        chosen = list(dict.fromkeys([place >> of_pair for place in places]))
        composed = joined(self._runs_of(between.join(map(pieces.__getitem__, chosen)))[1])
        after = text if composed == octets else text_of(composed)
        found = self._of(text)
        whole = whole_text(after, self._between, guards=found.is_guarded)
        if found.is_composed(chosen, whole):
            return []
        left = self._of_whole(whole).first(EVERY)
        return [chosen[place >> of_pair] << of_pair | (place & of_pair) for place in left]

    def written(self, mapped: Mapped, text: str) -> Mapped:
        """Put every part into NFC, except names and values with ill-formed UTF-8.

        A path never has ill-formed UTF-8 here.
        """
        if _beyond().search(text) is None:
            return mapped
        self._was_composed = True
        octets = mapped.octets
        if _ILL_FORMED.search(text) is None:
            before, after = self._runs_of(octets)
            self._result = joined(after)
            return mapped.rewritten(self._result, lambda: _edits(before, after))
        changed = self._of(text).first(EVERY)
        pairs = list(dict.fromkeys([place >> 1 for place in changed]))
        pieces, texts = octets.split(b"&"), text.split("&")
        _, after = self._runs_of(b"&".join(map(pieces.__getitem__, pairs)))
        for pair, piece in zip(pairs, joined(after).split(b"&"), strict=False):
            is_faulty = _ILL_FORMED.search(texts[pair]) is not None
            pieces[pair] = _without_faulty(pieces[pair], piece, texts[pair]) if is_faulty else piece
        self._result = b"&".join(pieces)
        return mapped.rewritten(self._result, lambda: self._edits_in(octets, _spans_of(octets, changed)))

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

    return known.judged(path, reading.text[start:], lambda _: repeat(action), placed, every=every)


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
