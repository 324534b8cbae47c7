"""Composition: find the parts of a component that are not in Unicode normalization form C (NFC).

All parts are checked in one call, because a call for each part would cost more than the check.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, compress, count, islice, repeat
from operator import ne
from typing import Final

from postel._alphabet.text import ESCAPED, ILL_FORMED, NO_TEXT, decoded, text_of
from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._catalogue.repairs import compose, long_runs, text_pattern
from postel._normalizer.findings import AGAIN, NOTHING, JudgedMatch, Matches, SpanOf, listed

_ILL_FORMED: Final = re.compile(f"[{ILL_FORMED}]")
_OVERLAY: Final = "\u0338"
_OVERLAID: Final = re.compile("[<=>\udc3c-\udc3e][^\0-\x7f]*\u0338")
"""Matches a sign, bare or escaped, and the characters after it up to U+0338.

Of ASCII characters that are not letters, only these compose, and only with U+0338.
"""
_UNITS: Final = re.compile("%[uU][0-9A-Fa-f]{4}[^\0-\x7f\ud800-\udfff]")
"""Matches an escape of a UTF-16 unit and the character after it, a mark that may compose with a digit."""
_STEP: Final = 8
"""Every so many characters are searched for runs of marks."""
_LEFT: Final = "\ud8fe"
"""Replaces a run of too many marks; no text holds this character."""


# Both classes take long to compile, so they are compiled when the first Normalizer is built.
@cache
def _beyond() -> re.Pattern[str]:
    """Return a pattern for a character beyond ASCII."""
    return re.compile(f"[^\0-\x7f{chr(ESCAPED)}-{chr(ESCAPED + 0x7F)}{ILL_FORMED}]")


@cache
def _marks() -> re.Pattern[str]:
    """Return a pattern for three characters from U+0300 on; every eighth one of 31 in a row gives as many."""
    return re.compile("[\u0300-\ud7ff\ue000-\U0010ffff]{3}")


def prepare() -> None:
    """Compile the patterns, so that no request waits for it."""
    _beyond()
    _marks()
    text_pattern()


def uncomposed(text: str, between: str) -> Iterator[int]:
    """Yield the indices of parts that are not in NFC (Unicode, UAX #15); ``between`` separates parts.

    With ``between="&"`` the parts are the names and values of pairs. Parts with ill-formed UTF-8 are skipped,
    because another kind reports those.

    >>> list(uncomposed("a/caf\u00e9/cafe\u0301", "/"))
    [2]
    """
    return _different(*_compared(text, between), between)


def _different(before: str, after: str, between: str) -> Iterator[int]:
    """Yield the indices of parts that differ, except those with ill-formed UTF-8."""
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


def _compared(text: str, between: str) -> tuple[str, str]:
    """Return a text and its composed form; they differ in the parts that are not in NFC."""
    if _beyond().search(text) is None:
        return "", ""
    if between == "&":
        # The sign between a name and its value must not compose. An escaped one composes as "<" does.
        if _is_overlaid(text):
            text = "&".join([pair.replace("=", f"={NO_TEXT}", 1) for pair in text.split("&")])
        text = text.replace(chr(ESCAPED + ord("=")), "<")
    whole = decoded(text.replace(chr(ESCAPED + ord(between)), NO_TEXT))
    if _marks().search(whole[::_STEP]) is None or not (runs := long_runs(whole)):
        return whole, unicodedata.normalize("NFC", whole)
    ends = [0, *(end for _, end in runs)]
    starts = [*(start for start, _ in runs), len(whole)]
    whole = _LEFT.join([whole[end:start] for end, start in zip(ends, starts, strict=True)])
    return whole, unicodedata.normalize("NFC", whole).replace(_LEFT, "")


def _is_overlaid(text: str) -> bool:
    """Whether an ASCII character other than a letter may compose."""
    return _OVERLAY in text and _OVERLAID.search(text) is not None


def judged_parts(  # noqa: PLR0913 - the last by name only
    octets: bytes,
    text: str,
    between: str,
    actions_of: Callable[[Sequence[int]], Iterable[Action]],
    span_of: SpanOf,
    *,
    every: bool,
) -> Matches:
    """Judge parts that are not in NFC; a part is refused if ``compose`` cannot put it into NFC.

    ``actions_of`` returns the actions for some parts, and ``span_of`` the span of a part. Unless ``every``,
    only the first parts are found.
    """
    before, after = _compared(text, between)
    places = list(islice(_different(before, after, between), None if every else AGAIN))
    if not places:
        return NOTHING
    left: list[int] = []
    # Apart from signs, only long runs of marks and letters written "%uXXXX" stay as they are.
    if _is_overlaid(text) or _LEFT in before or _UNITS.search(text):
        left = list(uncomposed(text_of(compose(octets)), between))
        left = [place for place, each in zip(left, actions_of(left), strict=False) if each is Action.REPAIR]
        if left and left[0] > places[-1]:
            places.append(left[0])
    refused = frozenset(left)
    seen: list[JudgedMatch] = [
        (Action.REJECT if place in refused else action, Kind.NOT_NFC, place, place)
        for place, action in zip(places, actions_of(places), strict=False)
        if action is not Action.ALLOW
    ]
    return listed(seen, span=span_of)


def uncomposed_segments(
    octets: bytes, text: str, at: tuple[int, int], action: Action, *, every: bool
) -> Matches:
    """Judge the segments that are not in NFC; the path begins at these places of octets and text."""
    begins, start = at
    path = octets[begins:]

    @cache
    def ends() -> list[int]:
        lengths = map(len, path.split(b"/"))
        return list(accumulate(lengths, lambda end, length: end + 1 + length, initial=begins - 1))

    def placed(place: int, _: int) -> tuple[int, int]:
        return ends()[place] + 1, ends()[place + 1]

    return judged_parts(path, text[start:], "/", lambda _: repeat(action), placed, every=every)
