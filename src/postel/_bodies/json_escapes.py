r"""Find the faulty escapes of JSON: of controls, of NUL and of unpaired surrogates. A raw DEL counts as one.

Only strings have escapes or DEL, so a whole well-formed text is searched at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from postel._alphabet.regex import compiled
from postel._alphabet.steps import Steps
from postel._bodies.json_scan import TURN
from postel._catalogue.kinds import Kind

_UNIT: Final = r"u[dD][89A-Fa-f][0-9A-Fa-f]{2}"
r"""An escape of one surrogate, without its backslash: ``ud800``."""
_PAIR: Final = r"u[dD][89ABab][0-9A-Fa-f]{2}\\u[dD][C-Fc-f][0-9A-Fa-f]{2}"
_LONE: Final = rf"\\(?!{_PAIR}){_UNIT}"
_CONTROL: Final = r"[bf]|u00(?:0[1-8BbCcEeFf]|1[0-9A-Fa-f]|7[Ff])"
_FAULTY: Final = compiled(
    # The first alternatives of an escape are there for speed.
    rf"""(?:[^\\\x7f]{{1,1024}}+|\\(?:["\\/nrt]|u(?![dD][89A-Fa-f]|00[01]|007[Ff])....|{_PAIR}"""
    rf"|(?!{_UNIT}|u0000|{_CONTROL}).)){{0,512}}+"
    rf"(?:((?:\x7f|\\(?:{_CONTROL}))++)|((?:{_LONE})++)|((?:\\u0000)++)|)"
)
"""Some text without faults, and the run of faults of one kind after it, if there is one."""
_FEW: Final = 2**4
"""Other tasks may run after this many of these matches without a fault."""
_KINDS: Final = {1: Kind.CONTROL, 2: Kind.LONE_SURROGATE, 3: Kind.NUL}
_LONE_RUN: Final = compiled(rf"((?:[^\\]++|\\(?:{_PAIR}|(?!{_UNIT}).))*+)((?:{_LONE})*+)")
"""Text without unpaired surrogates, and a run of them; either may be empty."""


def has_plain_escapes(text: str) -> Steps[bool]:
    r"""Whether a well-formed text has no faulty escape.

    >>> from postel._alphabet.steps import finished
    >>> finished(has_plain_escapes(r'"a\nb\u00e9\\ud800"')), finished(has_plain_escapes(r'"\u0000"'))
    (True, False)
    """
    for number, (kind, _, _) in enumerate(faulty_escapes(text), 1):
        if kind is not None:
            return False
        if number % _FEW == 0:
            yield
    return True


def faulty_escapes(text: str) -> Iterator[tuple[Kind | None, int, int]]:
    r"""Yield the kind, the start and the end of each run of faulty escapes, and at last the end of the text.

    Other items have ``None`` and an offset twice: no fault begins before this offset. So the caller can stop
    before the next fault is found.

    >>> [each for each in faulty_escapes(r'"\n\b\u0001\\u0000"') if each[0]]
    [(Kind.CONTROL, 3, 11)]
    """
    if "\\" in text or "\x7f" in text:
        for match in _FAULTY.finditer(text):
            what = match.lastindex
            if what is None:
                yield None, match.end(), match.end()
            else:
                yield _KINDS[what], match.start(what), match.end()
    yield None, len(text), len(text)


def lone_replaced(text: str) -> Steps[str]:
    r"""Replace each unpaired surrogate escape with the escape of U+FFFD, which has the same length.

    >>> from postel._alphabet.steps import finished
    >>> finished(lone_replaced(r'"\ud83d\ude00 \ud800 \\ud800"'))
    '"\\ud83d\\ude00 \\ufffd \\\\ud800"'
    """
    pieces: list[str] = []
    for number, match in enumerate(_LONE_RUN.finditer(text), 1):
        if number % TURN == 0:
            yield
        pieces += (match[1], r"\ufffd" * (len(match[2]) // 6))
    return "".join(pieces)
