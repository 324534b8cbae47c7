"""Composition: find the parts of a component that are not in Unicode normalization form C (NFC).

All parts are checked in one call, because a call for each part would cost more than the check.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Final

from postel._alphabet.text import ESCAPED, ILL_FORMED, NO_TEXT, decoded, text_of
from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._catalogue.repairs import compose, many_marks, text_pattern
from postel._normalizer.findings import JudgedMatch

_ILL_FORMED: Final = re.compile(f"[{ILL_FORMED}]")
_OVERLAY: Final = "\u0338"
_UNITS: Final = re.compile("%[uU][0-9A-Fa-f]{4}[^\0-\x7f]")
"""Matches an escape of a UTF-16 unit and the character after it, a mark that may compose with a digit."""


# Both classes take long to compile, so they are compiled when the first Normalizer is built.
@cache
def _beyond() -> re.Pattern[str]:
    """Return a pattern for a character beyond ASCII."""
    return re.compile(f"[^\0-\x7f{chr(ESCAPED)}-{chr(ESCAPED + 0x7F)}{ILL_FORMED}]")


@cache
def _marks() -> re.Pattern[str]:
    """Return a pattern for 31 characters from U+0300 on; shorter runs cannot hold too many marks."""
    return re.compile("[\u0300-\ud7ff\ue000-\U0010ffff]{31}")


def prepare() -> None:
    """Compile the patterns, so that no request waits for it."""
    _beyond()
    _marks()
    text_pattern()


def uncomposed(text: str, between: str) -> list[int]:
    """Return the indices of parts that are not in NFC (Unicode, UAX #15); ``between`` separates parts.

    With ``between=""`` the parts are the names and values of pairs. Parts with ill-formed UTF-8 are skipped,
    because another kind reports those.

    >>> uncomposed("a/caf\u00e9/cafe\u0301", "/")
    [2]
    """
    if _beyond().search(text) is None:
        return []
    if between:
        parts = text.split(between)
    else:
        parts = [part for pair in text.split("&") for part in pair.partition("=")[::2]]
    whole = decoded(NO_TEXT.join(parts))
    marked = set[int]()
    if _has_many_marks(whole):
        bare = whole.split(NO_TEXT)
        marked = {place for place, each in enumerate(bare) if many_marks(each)}
        whole = NO_TEXT.join(["" if place in marked else each for place, each in enumerate(bare)])
    composed = unicodedata.normalize("NFC", whole)
    if not marked and composed == whole:
        return []
    return [
        place
        for place, (before, after) in enumerate(
            zip(whole.split(NO_TEXT), composed.split(NO_TEXT), strict=True)
        )
        if (before != after or place in marked) and _ILL_FORMED.search(parts[place]) is None
    ]


def composed(parts: Sequence[bytes], between: bytes) -> list[bytes]:
    """Put each part into NFC; no part may hold the octet ``between``."""
    return compose(between.join(parts)).split(between)


def stuck(parts: Sequence[bytes], between: bytes, text: str) -> list[int]:
    r"""Return the indices of parts that ``compose`` does not put into NFC; ``text`` is the text of all parts.

    ``compose`` leaves three things: ``<``, ``=`` and ``>`` with U+0338, because these are the only ASCII
    characters besides letters that compose; long runs of marks; and letters written ``%uXXXX``.

    >>> stuck([b"e\xcc\x81", b"%3C\xcc\xb8"], b"&", "e\u0301&\udc3c\u0338")
    [1]
    """
    if not (_OVERLAY in text or _UNITS.search(text) or _has_many_marks(decoded(text))):
        return []
    octets = compose(between.join(parts))
    return uncomposed(text_of(octets), between.decode())


def judged_parts(
    octets: bytes, text: str, spans: Sequence[tuple[int, int]], actions: list[Action], between: bytes
) -> list[JudgedMatch]:
    """Judge parts that are not in NFC; a part is refused if ``compose`` cannot put it into NFC."""
    repaired = [number for number, action in enumerate(actions) if action is Action.REPAIR]
    if repaired:
        for number in stuck([octets[slice(*spans[number])] for number in repaired], between, text):
            actions[repaired[number]] = Action.REJECT
    return [
        (action, Kind.NOT_NFC, *span)
        for action, span in zip(actions, spans, strict=True)
        if action is not Action.ALLOW
    ]


def _has_many_marks(text: str) -> bool:
    return _marks().search(text) is not None and many_marks(text)
