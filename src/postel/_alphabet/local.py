"""Local: whether references stay on the site for every reader.

Some readers use a reference as written, some decode it again, and some drop invisible characters or fold
lookalikes. A reference is local only if it stays on the site for all of them.

Many references are judged together, one on each line, because a form may hold a thousand of them. A line
break in a reference, bare or escaped, becomes NUL, so that each reference stays on its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from operator import ne
from typing import Final
from unicodedata import category, combining, normalize

from postel._alphabet.percent import percent_decode
from postel._alphabet.printable import BLANK
from postel._alphabet.text import members

_READINGS: Final = 4
"""The number of readings of a path that are examined: as written, and decoded one to three times.

A path that could be decoded once more is not local.
"""
_LONGEST: Final = 8_192
"""A path of more characters is local only if all readings of it are the same.

Most servers refuse a target of this length, and to examine the readings of a long path takes long.
"""
_READ_TWICE: Final = re.compile("[%;\x80-\U0010ffff]")
"""Characters that make some readings of a path differ."""
_FEW: Final = 16
"""Up to this many different characters, ``str.replace`` removes each in turn."""
_UNICODE_ESCAPE: Final = re.compile(r"%[uU]([0-9A-Fa-f]{4})")
"""An escape outside the URL standards that some servers decode: ECMA-262, section B.2.1.2."""
_ILLEGAL: Final = r"\x00-\x09\x0b-\x1f\x7f-\x9f\\\u2028\u2029\ud800-\udfff"
"""Characters that some readers remove or read as a slash, and surrogates; the line feed is left out."""
_ILLEGAL_LINE: Final = re.compile(rf"[{_ILLEGAL}][^\n]*")
_FOUND: Final = "\ud8ff"
"""Stands for what a pattern matches; a line that holds this character is not local anyway."""
# Each pattern begins with one class or character, because the regex engine finds it faster then. With each
# pattern is what replaces a match.
_NOT_LOCAL: Final = (
    (_ILLEGAL_LINE, _FOUND),
    (re.compile(r"\n(?:[^\S\n]|\ufeff|//|[^/?#:\n]*+:)[^\n]*"), f"\n{_FOUND}"),
    (re.compile(r"[^\S\n](?=\n|\Z)"), _FOUND),
    (re.compile("\ufeff(?=\n|\\Z)"), _FOUND),
)
"""Match in a line that has a scheme or a host, or that readers split in different ways."""
_LEAVING: Final = (
    (_ILLEGAL_LINE, _FOUND),
    (
        re.compile(
            r"\n[^\S\n]*+(?://|[^/:@\n]*+[:@])[^\n]*"  # begins with a host, a scheme or a user
            r"|\n(?=[^\n]*//)(?=(?:[^\n]*/)?\.\.?(?:/|\n|\Z))[^\n]*"  # an empty segment and a dot segment
        ),
        f"\n{_FOUND}",
    ),
)
_ESCAPED_BREAK: Final = re.compile("%0[Aa]")
_BEHIND_PATH: Final = re.compile(r"[?#][^\n]*")
_PARAMETERS: Final = re.compile(r";[^/\n]*")
"""Parameters of a segment; Java servers remove them before they read the segment."""
_LIGATURES: Final = "\ufdfa\ufdfb"
"""The characters that NFKC would write as more than six; all of these are letters and spaces between them."""
_LETTER: Final = "\u0627"
"""Stands for such a ligature."""
_INVISIBLE: Final = re.compile(f"[{members(BLANK, BLANK)}]")


def leaving(references: Sequence[str]) -> set[int]:
    """Return the indexes of references that leave the site for some reader. An empty reference stays.

    >>> leaving(["/a", "//evil.example", "", "/%09/evil.example"])
    {1, 3}
    """
    text = _joined([each.replace("\n", "\0") for each in references])
    outside = set(_lines(_NOT_LOCAL, text))
    staying = list(range(len(references)))
    if outside:
        staying = [number for number in staying if number not in outside]
        text = _joined([references[number] for number in staying])
    return outside | {staying[line] for line in leaving_paths(_BEHIND_PATH.sub("", text).split("\n")[1:])}


def leaving_paths(paths: Sequence[str]) -> set[int]:
    """Return the indexes of paths that leave the site in some reading. Paths must not hold line breaks.

    >>> leaving_paths(["/a", "/%2F/evil.example", "../b"])
    {1}
    """
    outside: set[int] = set()
    numbers: list[int] = list(range(len(paths)))
    lines: list[str] = [
        _FOUND if len(each) > _LONGEST and _READ_TWICE.search(each) else each for each in paths
    ]
    drops: dict[str, bool] = {}
    for _ in range(_READINGS):
        for variants in (_as_written, _variants):  # a line that leaves as it is written needs no variants
            found = {line for text in variants(_joined(lines), drops) for line in _lines(_LEAVING, text)}
            if found:
                outside.update([numbers[line] for line in found])
                staying = [line not in found for line in range(len(lines))]
                numbers, lines = list(compress(numbers, staying)), list(compress(lines, staying))
        decoded = _decoded(_joined(lines)).split("\n")[1:]
        # A line that decoding does not change has no further reading.
        changed = list(map(ne, lines, decoded))
        numbers, lines = list(compress(numbers, changed)), list(compress(decoded, changed))
        if not lines:
            return outside
    return outside.union(numbers)


def _joined(lines: Sequence[str]) -> str:
    """Join lines, with a line break in front of each, the first included."""
    return "\n".join(["", *lines])


def _lines(patterns: Iterable[tuple[re.Pattern[str], str]], text: str) -> list[int]:
    """Return the numbers of the lines with a match, counted from 0; a line break is in front of each line."""
    marked = text
    for pattern, found in patterns:
        marked = pattern.sub(found, marked)
    if _FOUND not in marked:
        return []
    return [number for number, line in enumerate(marked.split("\n")[1:]) if _FOUND in line]


def _as_written(text: str, _drops: dict[str, bool]) -> Iterator[str]:
    """Yield the lines unchanged."""
    yield text


def _variants(text: str, drops: dict[str, bool]) -> Iterator[str]:
    """Yield the lines as they look to readers that drop or replace characters.

    ``drops`` caches whether each character is dropped. A text that a step does not change is left out.
    """
    if not text.isascii():
        # Combining marks are dropped, too: normalization sorts them, which is slow for long runs (UAX #15).
        for each in {*text} - drops.keys():
            drops[each] = category(each) == "Cf" or combining(normalize("NFKD", each)[0]) > 0
        before, text = text, _INVISIBLE.sub("", text)
        dropped = [each for each, drop in drops.items() if drop]
        if len(dropped) > _FEW:
            text = "".join([each for each in text if not drops[each]])
        else:
            for each in dropped:
                text = text.replace(each, "")
        if text != before:
            yield text
        before = text
        for each in _LIGATURES:
            text = text.replace(each, _LETTER)
        text = normalize("NFKC", text)
        if text != before:
            yield text
    if ";" in text:
        yield _PARAMETERS.sub("", text)


def _decoded(text: str) -> str:
    """Decode lines once; octets that are not UTF-8 become surrogates, and escaped line breaks become NUL."""
    pieces = _UNICODE_ESCAPE.split(text)
    units = {digits: chr(int(digits, 16)).replace("\n", "\0") for digits in {*pieces[1::2]}}
    pieces[1::2] = map(units.__getitem__, pieces[1::2])
    text = _ESCAPED_BREAK.sub("%00", "".join(pieces))
    return percent_decode(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogateescape")
