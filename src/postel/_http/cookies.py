"""Cookies as the most lenient frameworks read them: values unescaped, white space stripped from names.

RFC 6265, section 4.1.1, defines neither. Django, Starlette, Litestar, Sanic, Falcon and Bottle undo the
escapes of RFC 2109 in quoted values, with ``http.cookies._unquote`` or a copy of it. Werkzeug has its own
pattern for them, and WebOb undoes them in unquoted values, too. In Bottle a quoted string continues across
``;``. In Bottle and WebOb a name can also begin without a ``;`` before it. None percent-decodes names.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Final, TypeAlias

Span: TypeAlias = tuple[int, int]

# A backslash and three octal digits up to \377 stand for the octet of that number. A backslash and any other
# octet stand for that other octet. Escapes are found from the left: in "\\000" the first backslash escapes
# the second, and there is no NUL. A reader starts to unescape after a "=", a quotation mark, a space or a
# ";". In an escape these can only be the last octet, so no reader starts inside an escape, and all of them
# find the same escapes.
_ESCAPE: Final = re.compile(rb"\\([0-3][0-7]{2}|[^&])", re.DOTALL)
_MEANINGS: Final = (
    {bytes([octet]): bytes([octet]) for octet in range(256)}
    | {b"%03o" % octet: bytes([octet]) if octet < 0x80 else b"\\%03o" % octet for octet in range(256)}
    | {b"046": b"."}
)
"""What replaces each escape, here without its backslash. A dot replaces ``&``, which separates cookies."""
_WHITE: Final = b" \t"
"""The white space that RFC 6265, section 4.2.1, allows around a cookie."""
_PREFIX: Final = r"__(?:[Hh][Oo][Ss][Tt]|[Ss][Ee][Cc][Uu][Rr][Ee])-"
# A name begins at the start of a piece, or after a character that WebOb and http.cookies do not allow in a
# name.
_PREFIXED: Final = re.compile(rf"(?<![A-Za-z0-9_~!@#$%^&*()+=`.?|:/{{}}<>'-]){_PREFIX}[^\s=;,\"\\]*")
_MAYBE_PREFIXED: Final = re.compile(rf"{_PREFIX}[^\s=;,\"\\]*".encode())
"""A name that begins with ``__Host-`` or ``__Secure-``, in ASCII octets, at any place."""
_FIRST_PREFIXED: Final = re.compile(rf"(?:\A|;)[ \t]*{_PREFIX}".encode())
"""The prefix ``__Host-`` or ``__Secure-`` at the start of a cookie."""


def unescaped(octets: bytes) -> bytes:
    r"""Undo the escapes of cookies that are joined with ampersands; an escaped ampersand becomes a full stop.

    Escapes from ``\200`` on stay as they are. Werkzeug reads them as octets of UTF-8, and ``http.cookies`` as
    characters of Latin-1; in neither reading are they ASCII controls. Django's ``set_cookie`` writes text
    beyond ASCII this way.

    >>> unescaped(rb"a\015b\&c\046\"")
    b'a\rb\\&c."'
    """
    pieces = _ESCAPE.split(octets)
    pieces[1::2] = map(_MEANINGS.__getitem__, pieces[1::2])
    return b"".join(pieces)


def received_offset(octets: bytes) -> Callable[[int], int]:
    r"""Return a function that maps an offset in ``unescaped(octets)`` to an offset in ``octets``.

    >>> list(map(received_offset(rb"a\015b"), range(4)))
    [0, 1, 5, 6]
    """
    pieces = _ESCAPE.split(octets)
    escapes = pieces[1::2]
    pieces[1::2] = meanings = [_MEANINGS[escape] for escape in escapes]
    places = list(accumulate(map(len, pieces)))[::2]
    shorter = (1 + len(sent) - len(read) for sent, read in zip(escapes, meanings, strict=True))
    lost = list(accumulate(shorter, initial=0))
    return lambda offset: offset + lost[bisect_left(places, offset)]


def stripped(pieces: list[bytes]) -> list[bytes]:
    """The cookies without the blanks around them."""
    octets = b";".join(pieces)
    return [_bare(piece) for piece in pieces] if b" " in octets or b"\t" in octets else pieces


def _bare(piece: bytes) -> bytes:
    """A cookie without the blanks around it."""
    bare = piece.strip(_WHITE)
    # WebOb reads a blank after a backslash as a part of the cookie.
    return piece.lstrip(_WHITE) if bare.endswith(b"\\") else bare


def without_cookies(fields: Sequence[bytes], ends: Sequence[int], places: Iterable[int]) -> list[bytes]:
    """Remove some cookies from the fields, and each field that becomes empty.

    ``places`` are the numbers of these cookies, counted from 0 across all fields. ``ends`` holds, for each
    field, how many cookies it and the fields before it have.

    >>> without_cookies([b"a=1; b=2", b"c=3"], [2, 3], [0, 2])
    [b'b=2']
    """
    removed: dict[int, set[int]] = {}
    for place in places:
        number = bisect_right(ends, place)
        removed.setdefault(number, set()).add(place - (ends[number - 1] if number else 0))
    kept: list[bytes] = []
    for number, field in enumerate(fields):
        if number not in removed:
            kept.append(field)
            continue
        remaining = [piece for place, piece in enumerate(field.split(b";")) if place not in removed[number]]
        if remaining and 0 in removed[number]:
            remaining[0] = remaining[0].lstrip(_WHITE)
        kept += [b";".join(remaining)] if remaining else []
    return kept


def padding(piece: bytes) -> list[Span]:
    """Spans of the non-ASCII white space around a cookie's name that ``str.strip`` would remove."""
    name = piece.partition(b"=")[0]
    if name.isascii():
        return []
    text = name.decode("utf-8", "surrogateescape")
    rest = text.lstrip()
    front = text.removesuffix(rest)
    spans = [(0, len(_octets(front)))]
    if rest:
        spans.append((len(name) - len(_octets(rest[len(rest.rstrip()) :])), len(name)))
    return [_trimmed(name, span) for span in spans if not name[slice(*span)].isascii()]


def repeated(fields: Sequence[Sequence[bytes]]) -> dict[tuple[int, int], list[Span]]:
    """The spans of prefixed names that are repeated, or inside another cookie, by field and cookie.

    Browsers guarantee who set a cookie whose name begins with ``__Host-`` or ``__Secure-``, in upper or lower
    case (RFC 6265bis, section 4.1.3). If there are two copies, readers cannot tell which one has that
    guarantee. A name inside another cookie has no such guarantee, but Bottle and WebOb read two cookies from
    ``a=1 __Host-b=2``.
    """
    texts = [
        ((number, place), piece.decode("utf-8", "surrogateescape"))
        for number, pieces in enumerate(fields)
        for place, piece in enumerate(pieces)
        if b"__" in piece
    ]
    found = [(where, text, list(_PREFIXED.finditer(text))) for where, text in texts]
    counts = Counter(_folded(match) for _, _, matches in found for match in matches)
    spans: dict[tuple[int, int], list[Span]] = {}
    for where, text, matches in found:
        first = len(text) - len(text.lstrip())
        done = offset = 0
        for match in matches:
            start, end = match.span()
            begins = offset + len(_octets(text[done:start]))
            done, offset = end, begins + len(_octets(match[0]))
            if start > first or counts[_folded(match)] > 1:
                spans.setdefault(where, []).append((begins, offset))
    return spans


def joined(fields: Sequence[bytes]) -> bytes:
    """Join the Cookie fields of a request into one: RFC 9113, section 8.2.3.

    Chromium ends each field with a semicolon. ``http.cookies`` stops reading at two semicolons in a row.

    >>> joined([b"a=1;", b"b=2"])
    b'a=1; b=2'
    """
    return b"; ".join(filter(None, (each.strip(b" \t;") for each in fields)))


def may_repeat(octets: bytes) -> bool:
    """Whether printable ASCII octets may hold a prefixed name twice, or inside another cookie."""
    names = _MAYBE_PREFIXED.findall(octets) if b"__" in octets else []
    first = len(_FIRST_PREFIXED.findall(octets)) if names else 0
    return first < len(names) or len(set(map(bytes.lower, names))) < len(names)


def _folded(match: re.Match[str]) -> str:
    """A prefixed name with its prefix in lower case, because browsers ignore case in the prefix alone."""
    prefix, dash, rest = match[0].partition("-")
    return prefix.lower() + dash + rest


def _octets(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _trimmed(name: bytes, span: Span) -> Span:
    """A span of white space, without the spaces and tabs at its ends, because these are not a fault."""
    start, end = span
    blanks = name[start:end]
    return start + len(blanks) - len(blanks.lstrip(_WHITE)), end - len(blanks) + len(blanks.rstrip(_WHITE))
