"""Composition: find the parts of a component that are not in Unicode normalization form C, and compose them.

All parts are normalized in one call, because a call for each part would cost more than normalization itself.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, compress, count, islice, repeat
from operator import ne
from typing import Final, final

from postel._alphabet.text import ESCAPED, ILL_FORMED, NO_TEXT, Reading, decoded, text_of
from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._catalogue.repairs import compose, composed_runs, long_runs, text_pattern
from postel._normalizer.findings import AGAIN, EVERY, NOTHING, JudgedMatch, Matches, SpanOf, listed
from postel._normalizer.source_map import Edit, Mapped

_ILL_FORMED: Final = re.compile(f"[{ILL_FORMED}]")
_OVERLAY: Final = "\u0338"
_OVERLAID: Final = re.compile("[<=>\udc3c-\udc3e][^\0-\x7f\udc3c-\udc3e]*\u0338")
"""Matches the last ``<``, ``=`` or ``>`` before U+0338, bare or escaped, and the characters between them.

Of the ASCII characters that are not letters, only these three compose, and only with U+0338.
"""
_OVERLAID_EQUALS: Final = re.compile("=[^\0-\x7f]*\u0338")
_UNITS: Final = re.compile("%[uU][0-9A-Fa-f]{4}[^\0-\x7f\ud800-\udfff]")
"""Matches an escape of a UTF-16 unit and the character after it, a mark that may compose with a digit."""
_STEP: Final = 8
"""To find runs of marks, only every eighth character is examined."""
_ASKED: Final = 1024
"""Up to this many octets are composed to learn what composing will leave before any edit."""
_LEFT: Final = "\ud8fe"
"""Stands for a run of too many marks; no text holds this character."""


# Both classes take long to compile, so they are compiled when the first Normalizer is built.
@cache
def _beyond() -> re.Pattern[str]:
    """Return a pattern for a character beyond ASCII."""
    return re.compile(f"[^\0-\x7f{chr(ESCAPED)}-{chr(ESCAPED + 0x7F)}{ILL_FORMED}]")


@cache
def _marks() -> re.Pattern[str]:
    """Return a pattern for three characters from U+0300 on.

    If only every eighth character is kept, a run of 31 such characters still has three in a row.
    """
    return re.compile("[\u0300-\ud7ff\ue000-\U0010ffff]{3}")


def prepare() -> None:
    """Compile the patterns, so that no request has to wait for this."""
    _beyond()
    _marks()
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


def whole_text(text: str, between: str) -> str:
    """Return the text to compare with its composed form; they differ in the parts that are not in NFC."""
    if _beyond().search(text) is None:
        return ""
    if between == "&":
        # The equals sign between a name and its value must not compose. An escaped one composes as "<" does.
        if _OVERLAY in text and _OVERLAID_EQUALS.search(text) is not None:
            text = "&".join([pair.replace("=", f"={NO_TEXT}", 1) for pair in text.split("&")])
        text = text.replace(chr(ESCAPED + ord("=")), "<")
    return decoded(text.replace(chr(ESCAPED + ord(between)), NO_TEXT))


def _composed(whole: str) -> tuple[str, str]:
    """Return the text without long runs of marks, and its composed form."""
    if _marks().search(whole[::_STEP]) is None or not (runs := long_runs(whole)):
        return whole, unicodedata.normalize("NFC", whole)
    ends = [0, *(end for _, end in runs)]
    starts = [*(start for start, _ in runs), len(whole)]
    whole = _LEFT.join([whole[end:start] for end, start in zip(ends, starts, strict=True)])
    return whole, unicodedata.normalize("NFC", whole).replace(_LEFT, "")


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

    __slots__ = ("_found", "_more", "is_cut")

    def __init__(self, whole: str, between: str) -> None:
        """Compare the text with its composed form."""
        before, after = _composed(whole)
        self.is_cut: bool = _LEFT in before
        """Whether the text holds a run of marks that is too long to compose."""
        self._found: list[int] = []
        self._more = _different(before, after, between)

    def first(self, most: int) -> list[int]:
        """Return the indices of the first parts that are not in NFC, at most ``most`` of them."""
        self._found += islice(self._more, max(0, most - len(self._found)))
        return self._found[:most]


@final
class Composition:
    """Compares and composes the texts of one component, which may be judged before and after edits."""

    __slots__ = ("_between", "_composed", "_found", "_was_composed")

    def __init__(self, between: str) -> None:
        """``between`` separates the parts: a slash, or an ampersand for the names and values of pairs."""
        self._between = between
        self._found: dict[str, Comparison] = {}
        """The comparison for each whole text; an edit of octets may leave the text as it is."""
        self._composed: dict[bytes, bytes] = {}
        self._was_composed = False
        """Whether the component, or its names, have been composed."""

    def _of(self, text: str) -> Comparison:
        whole = whole_text(text, self._between)
        if whole not in self._found:
            self._found[whole] = Comparison(whole, self._between)
        return self._found[whole]

    def _all(self, octets: bytes) -> bytes:
        if octets not in self._composed:
            self._composed[octets] = compose(octets)
        return self._composed[octets]

    def _asks(self, octets: bytes) -> bool:
        """Whether to ask what composing leaves; if the octets are many, this must wait until they are composed."""
        return self._was_composed or len(octets) <= _ASKED

    def may_refuse(self, octets: bytes, text: str) -> bool:
        """Whether ``judged`` may refuse a part because ``compose`` may not put it into NFC.

        Apart from signs, only long runs of marks and letters written "%uXXXX" stay as they are.
        """
        return self._asks(octets) and (
            _is_overlaid(text)
            or _UNITS.search(text) is not None
            or _marks().search(text[::_STEP]) is not None
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
        if self._asks(octets) and (_is_overlaid(text) or found.is_cut or _UNITS.search(text)):
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
        if not places:
            return []
        of_pair = int(self._between == "&")  # each pair has two parts, its name and its value
        between, pieces = self._between.encode(), octets.split(self._between.encode())
        chosen = list(dict.fromkeys([place >> of_pair for place in places]))
        composed = self._all(between.join(map(pieces.__getitem__, chosen)))
        left = self._of(text if composed == octets else text_of(composed)).first(EVERY)
        return [chosen[place >> of_pair] << of_pair | (place & of_pair) for place in left]

    def written(self, mapped: Mapped, text: str, spans: Callable[[], Sequence[tuple[int, int]]]) -> Mapped:
        """Put every part into NFC, except names and values with ill-formed UTF-8; a path never has such text.

        ``spans`` returns the spans of the parts that change.
        """
        self._was_composed = True
        octets, between = mapped.octets, self._between.encode()
        if _ILL_FORMED.search(text) is None:
            composed = self._all(octets)
        else:
            pieces, texts = octets.split(between), text.split(self._between)
            changed = list(dict.fromkeys([place >> 1 for place in self._of(text).first(EVERY)]))
            after = self._all(between.join(map(pieces.__getitem__, changed))).split(between)
            for place, piece in zip(changed, after, strict=True):
                is_faulty = _ILL_FORMED.search(texts[place]) is not None
                pieces[place] = _without_faulty(pieces[place], piece, texts[place]) if is_faulty else piece
            composed = between.join(pieces)
        return mapped.rewritten(composed, lambda: _edits_in(octets, spans()))

    def written_in(self, mapped: Mapped, spans: Sequence[tuple[int, int]]) -> Mapped:
        """Put some parts into NFC."""
        self._was_composed = True
        octets, between = mapped.octets, self._between.encode()
        parts = compose(between.join([octets[start:end] for start, end in spans])).split(between)
        pieces: list[bytes] = []
        done = 0
        for (start, end), part in zip(spans, parts, strict=False):
            pieces += (octets[done:start], part)
            done = end
        return mapped.rewritten(b"".join([*pieces, octets[done:]]), lambda: _edits_in(octets, spans))


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


def _edits_in(octets: bytes, spans: Sequence[tuple[int, int]]) -> Iterator[Edit]:
    """Yield the edits that put the text in these spans into NFC."""
    before, after = composed_runs(octets)
    starts = list(accumulate(map(len, before), initial=0))
    for place in compress(count(), map(ne, before, after)):
        start, end = starts[place : place + 2]
        part = bisect_right(spans, (start, len(octets))) - 1
        if part >= 0 and end <= spans[part][1]:
            yield start, end, after[place]


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
