"""Cookies as the laxest of their readers reads them: what is quoted is undone, and blanks go off names.

RFC 6265, section 4.1.1, knows neither. Django, Starlette, Litestar, Sanic, Falcon and Bottle undo the
escapes of RFC 2109 in a value in double quotes, with ``http.cookies._unquote`` or a copy of it. Werkzeug has
a pattern of its own for that. WebOb does it without quotes, too. Bottle's quoted string runs on across ``;``.
In Bottle and WebOb a name also begins elsewhere than behind a ``;``. None of them percent-decodes names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, TypeAlias

Span: TypeAlias = tuple[int, int]

# A backslash and three octal digits up to \377 are an octet; a backslash and any other octet are that one.
# It is read from the left: in "\\000" the first backslash takes the second, and no NUL is left. Readers begin
# behind a "=", a quotation mark, a blank or a ";", and so where one of these units ends.
_UNIT: Final = re.compile(rb"\\(?:([0-3][0-7]{2})|(.))|[^\\]++|\\\Z", re.DOTALL)
_WHITE: Final = b" \t"
"""What RFC 6265, section 4.2.1, lets stand around a cookie."""
_PREFIX: Final = r"__(?:[Hh][Oo][Ss][Tt]|[Ss][Ee][Cc][Uu][Rr][Ee])-"
# A name begins where a piece does, and behind what cannot be a part of one for WebOb and http.cookies.
_PREFIXED: Final = re.compile(rf"(?<![A-Za-z0-9_~!@#$%^&*()+=`.?|:/{{}}<>'-]){_PREFIX}[^\s=;,\"\\]*")
_MAYBE_PREFIXED: Final = re.compile(rf"{_PREFIX}[^\s=;,\"\\]*".encode())
"""The same in ASCII, and wherever it stands."""
_FIRST_PREFIXED: Final = re.compile(rf"(?:\A|;)[ \t]*{_PREFIX}".encode())
"""One that begins a cookie."""


def undone(octets: bytes) -> tuple[bytes, Sequence[int]]:
    r"""Octets with their escapes undone, and where each of the result begins in them, and the last one ends.

    From ``\200`` on an escape stays as it is: an octet of UTF-8 to Werkzeug, a character of Latin-1 to
    ``http.cookies``. Django's own ``set_cookie`` writes text in that way. Neither is a control of ASCII.

    >>> undone(rb"a\015b")
    (b'a\rb', [0, 1, 5, 6])
    """
    if b"\\" not in octets:
        return octets, range(len(octets) + 1)
    kept, starts = bytearray(), list[int]()
    for match in _UNIT.finditer(octets):
        start, end = match.span()
        octal, other = match.groups()
        if octal is not None and octal < b"200":
            unit = bytes([int(octal, 8)])
        else:
            unit = match[0] if other is None else other
        kept += unit
        starts += range(start, end) if len(unit) == end - start else [start]
    return bytes(kept), [*starts, len(octets)]


def padding(piece: bytes) -> list[Span]:
    """Where white space outside ASCII stands around the name of a cookie, which ``str.strip`` takes off."""
    name = piece.partition(b"=")[0]
    if name.isascii():
        return []
    text = name.decode("utf-8", "surrogateescape")
    behind = text.lstrip()
    front = text.removesuffix(behind)
    spans = [(0, len(_octets(front)))]
    if behind:
        spans.append((len(name) - len(_octets(behind[len(behind.rstrip()) :])), len(name)))
    return [_trimmed(name, span) for span in spans if not name[slice(*span)].isascii()]


def repeated(fields: Sequence[Sequence[bytes]]) -> dict[tuple[int, int], list[Span]]:
    """Where names with a prefix stand that are there twice, or inside another cookie: by field, and by piece.

    A browser takes ``__Host-`` and ``__Secure-``, in either case, for a promise about who has set a cookie
    (RFC 6265bis, section 4.1.3). Of two copies nobody can tell to which it was made, and for a name inside
    another cookie, ``a=1 __Host-b=2``, it was never made: Bottle and WebOb read two cookies there.
    """
    found = [
        ((number, place), match.span(), _folded(match), text)
        for number, pieces in enumerate(fields)
        for place, piece in enumerate(pieces)
        if b"__" in piece
        for text in (piece.decode("utf-8", "surrogateescape"),)
        for match in _PREFIXED.finditer(text)
    ]
    counts = Counter(name for _, _, name, _ in found)
    spans: dict[tuple[int, int], list[Span]] = {}
    for where, (start, end), name, text in found:
        if counts[name] > 1 or text[:start].strip():
            begins = len(_octets(text[:start]))
            spans.setdefault(where, []).append((begins, begins + len(_octets(text[start:end]))))
    return spans


def joined(fields: Sequence[bytes]) -> bytes:
    """The Cookie fields of a request as one: RFC 9113, section 8.2.3.

    Chromium ends each with a semicolon; of two in a row, ``http.cookies`` reads no further.

    >>> joined([b"a=1;", b"b=2"])
    b'a=1; b=2'
    """
    return b"; ".join(filter(None, (each.strip(b" \t;") for each in fields)))


def repeats(octets: bytes) -> bool:
    """Whether a prefixed name may be there twice or inside a cookie, in octets of printable ASCII."""
    names = _MAYBE_PREFIXED.findall(octets) if b"__" in octets else []
    first = len(_FIRST_PREFIXED.findall(octets)) if names else 0
    return first < len(names) or len(set(map(bytes.lower, names))) < len(names)


def _folded(match: re.Match[str]) -> str:
    """A prefixed name, the prefix in lower case: browsers know it in either, and the rest in one."""
    prefix, dash, rest = match[0].partition("-")
    return prefix.lower() + dash + rest


def _octets(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _trimmed(name: bytes, span: Span) -> Span:
    """A span of blanks without those of ASCII at its ends, which are no fault."""
    start, end = span
    blanks = name[start:end]
    return start + len(blanks) - len(blanks.lstrip(_WHITE)), end - len(blanks) + len(blanks.rstrip(_WHITE))
