"""Cookies as the most lenient frameworks read them: values unescaped, white space stripped from names.

RFC 6265, section 4.1.1, defines neither. Django, Starlette, Litestar, Sanic, Falcon and Bottle undo the
escapes of RFC 2109 in quoted values, with ``http.cookies._unquote`` or a copy of it. Werkzeug has its own
pattern for them, and WebOb undoes them in unquoted values, too. In Bottle a quoted string continues across
``;``. In Bottle and WebOb a name can also begin without a ``;`` before it. BlackSheep percent-decodes names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import compress
from typing import Final, TypeAlias

from postel._alphabet.percent import percent_decode
from postel._alphabet.regex import compiled
from postel._alphabet.spellings import Spelling, octets_pattern

Span: TypeAlias = tuple[int, int]

# A backslash and three octal digits up to \377 stand for the octet of that number. A backslash and any other
# octet stand for that other octet. Escapes are found from the left: in "\\000" the first backslash escapes
# the second, and there is no NUL. A reader starts to unescape after a "=", a quotation mark, a space or a
# ";". In an escape these can only be the last octet, so no reader starts inside an escape, and all of them
# find the same escapes.
_OCTAL: Final = re.compile(r"\\([0-3][0-7]{2})")
_PASSED: Final = "\u0200"
"""Stands for an octet of an escape that is not the last one."""
_KEPT: Final = "\u0100"
"""Stands for a backslash that remains when escapes are undone."""
_MEANINGS: Final = (
    {f"{octet:03o}": 3 * _PASSED + chr(octet) for octet in range(0x80)}
    | {f"{octet:03o}": f"{_KEPT}{octet:03o}" for octet in range(0x80, 0x100)}
    | {"046": f"{3 * _PASSED}.", "134": 3 * _PASSED + _KEPT}
)
"""What replaces each octal escape, by its digits. A dot replaces ``&``, which separates cookies."""
_IS_ZERO: Final = bytes(octet == 0 for octet in range(256))
_WHITE: Final = b" \t"
"""The white space that RFC 6265, section 4.2.1, allows around a cookie."""
_TO_SPACE: Final = ord("\t") ^ ord(" ")
_BLANKS: Final = bytes(0xFF * (octet in _WHITE) for octet in range(256))
_TABS: Final = bytes(_TO_SPACE * (octet == ord("\t")) for octet in range(256))
_SEPARATORS: Final = bytes(octet == ord("&") for octet in range(256))
_BACKSLASHES: Final = bytes(octet == ord("\\") for octet in range(256))
_WIDE: Final = "\u0100"
"""Stands for an octet of non-ASCII white space."""
_WIDE_SPACES: Final = [
    (octets.decode("latin-1"), _WIDE * len(octets))
    for octets in map(
        str.encode,
        "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
        "\u2028\u2029\u202f\u205f\u3000",
    )
]
_SPACES: Final = rf"\t-\r\x1c- {_WIDE}"
"""The body of a class for the white space that ``str.strip`` removes."""
_CORE: Final = rf"(?:[\n-\r\x1c-\x1f][ \t]*+)*+{_WIDE}(?:[ \t]*+[\n-\r\x1c-\x1f{_WIDE}])*+"
"""White space with a wide space, without the spaces and tabs at its ends, which are not faults."""
_PREFIX: Final = r"__(?:[Hh](?:[Oo][Ss][Tt]|[Tt][Tt][Pp])|[Ss][Ee][Cc][Uu][Rr][Ee])-"


def _spelled(word: str) -> str:
    """Return a pattern for a word in upper or lower case, whose characters may be escaped."""
    cases = [{ord(each.lower()), ord(each.upper())} for each in word]
    return "".join(
        octets_pattern([(case, case) for case in sorted(each)], Spelling.ANY).decode() for each in cases
    )


_SPELLED_PREFIX: Final = (
    rf"{_spelled('__')}(?:{_spelled('host')}|{_spelled('http')}|{_spelled('secure')}){_spelled('-')}"
)
"""The same, whose characters may be escaped."""
_IN_NAME: Final = "A-Za-z0-9_~!@#$%^&*()+`.?|:/{}<>'-"
"""The body of a class for the characters that WebOb allows in a name."""
# A name begins at the start of a piece, or after a character that WebOb and http.cookies do not allow in a
# name. To others, such a character is a part of the name before it, unless a prefix follows.
_PREFIXED: Final = compiled(
    rf"(?<![={_IN_NAME}])({_SPELLED_PREFIX})"
    rf"((?:[{_IN_NAME}]++|[^{_SPACES}=;,\"\\{_IN_NAME}](?!{_SPELLED_PREFIX}))*+)"
)
_FIRST: Final = re.compile(rf";[{_SPACES}]*+(?=__)")
"""What is in front of a name that may be prefixed, at the start of a cookie."""
_MAYBE_PREFIXED: Final = re.compile(rf"{_PREFIX}[^\s=;,\"\\\[\]]*".encode())
"""A name that begins with ``__Host-``, ``__Secure-`` or ``__Http-``, in printable ASCII octets, at any place.

It ends before a bracket, after which another name may begin.
"""
_ESCAPED_PREFIX: Final = re.compile(rf"(?!{_PREFIX}){_SPELLED_PREFIX}".encode())
"""The same prefixes, in which a character is escaped."""
_FIRST_PREFIXED: Final = re.compile(rf"(?:\A|;)[ \t]*{_PREFIX}".encode())
"""The prefix ``__Host-``, ``__Secure-`` or ``__Http-`` at the start of a cookie."""


@cache
def padding_pattern() -> re.Pattern[str]:
    """Return a pattern whose group matches white space around a name that some readers strip."""
    # In front of it are names and semicolons, values, ASCII white space, and white space inside a name.
    return compiled(
        rf"(?:[^={_SPACES}]++|=[^;]*+|[\t-\r\x1c- ]++(?!{_WIDE})|"
        rf"(?<=[^;{_SPACES}])[{_SPACES}]++(?![=;]|\Z))*+(?:[ \t]*+({_CORE})|\Z)"
    )


def undone(octets: bytes) -> tuple[bytes, Callable[[], Sequence[int]]]:
    r"""Undo the escapes of cookies that are joined with ampersands; an escaped ampersand becomes a full stop.

    Also returns a function that lists where the received octets for each octet and for the end begin.

    Escapes from ``\200`` on stay as they are. Werkzeug reads them as octets of UTF-8, and ``http.cookies`` as
    characters of Latin-1; in neither reading are they ASCII controls. Django's ``set_cookie`` writes text
    beyond ASCII this way.

    >>> read, starts = undone(rb"a\015b\&c\046\"")
    >>> read, starts()
    (b'a\rb\\&c."', [0, 1, 5, 6, 7, 8, 9, 13, 15])
    """
    # One character for each received octet. The last one of an escape is what the escape stands for.
    text = octets.decode("latin-1").replace(r"\\", _PASSED + _KEPT)
    pieces = _OCTAL.split(text)
    pieces[1::2] = map(_MEANINGS.__getitem__, pieces[1::2])
    text = "".join(pieces).replace(r"\&", f"{_KEPT}&")
    text = text[:-1] + text[-1:].replace("\\", _KEPT)
    text = text.replace("\\", _PASSED).replace(_KEPT, "\\")
    return text.replace(_PASSED, "").encode("latin-1"), cache(partial(_starts, text))


def _starts(text: str) -> Sequence[int]:
    return [0, *compress(range(1, len(text) + 1), text.encode("utf-16-le")[1::2].translate(_IS_ZERO))]


def without_tabs_around(octets: bytes) -> bytes:
    r"""Return the octets with spaces for the tabs around their pieces, which are separated by ampersands.

    A blank after a backslash stays, because WebOb reads it as part of the cookie.

    >>> without_tabs_around(b"\ta=1 \t&b=\t3\\\t")
    b' a=1  &b=\t3\\\t'
    """
    if b"\t" not in octets:
        return octets
    length = len(octets)
    behind = _blanks_behind(octets[::-1], _SEPARATORS, 1).to_bytes(length, "little")[::-1]
    around = int.from_bytes(behind, "little") & ~_blanks_behind(octets, _BACKSLASHES)
    around |= _blanks_behind(octets, _SEPARATORS, 1)
    tabs = int.from_bytes(octets.translate(_TABS), "little") & around
    return (int.from_bytes(octets, "little") ^ tabs).to_bytes(length, "little")


def _blanks_behind(octets: bytes, table: bytes, first: int = 0) -> int:
    """Return an integer with one byte for each octet, in little-endian order.

    It is 0xFF for each blank in a run directly after a marked octet, otherwise 0. ``table`` maps marked
    octets to 1; ``first=1`` also marks the start.
    """
    blanks = int.from_bytes(octets.translate(_BLANKS), "little")
    begins = int.from_bytes(octets.translate(table), "little") << 8 | first
    # Adding 1 to the first of adjacent blanks, which have all bits, carries through all of them.
    return blanks & ~(blanks + (blanks & begins))


def without_cookies(fields: Sequence[bytes], faulty: bytes) -> list[bytes]:
    r"""Remove some cookies from the fields, and each field that becomes empty.

    ``faulty`` has an octet for each cookie in all fields: 1 if it is to be removed, and otherwise 0.

    >>> without_cookies([b"a=1; b=2", b"c=3"], b"\1\0\1")
    [b'b=2']
    """
    kept: list[bytes] = []
    end = 0
    for field in fields:
        removed = faulty[end : (end := end + field.count(b";") + 1)]
        if 1 not in removed:
            kept.append(field)
        elif 0 in removed:
            remaining = b";".join(compress(field.split(b";"), removed.translate(_IS_ZERO)))
            kept.append(remaining.lstrip(_WHITE) if removed[0] else remaining)
    return kept


def with_wide_spaces(octets: bytes) -> str:
    """Return a character for each octet; those of non-ASCII white space become ``_WIDE``."""
    text = octets.decode("latin-1")
    for space, wide in [] if octets.isascii() else _WIDE_SPACES:
        text = text.replace(space, wide)
    return text


def padded(text: str) -> list[Span]:
    """The spans of the non-ASCII white space around names of cookies that ``str.strip`` would remove."""
    return (
        [match.span(1) for match in padding_pattern().finditer(text) if match.lastindex]
        if _WIDE in text
        else []
    )


def repeated(text: str) -> list[Span]:
    """The spans of prefixed names that are repeated, or inside another cookie.

    Browsers guarantee who set a cookie whose name begins with ``__Host-``, ``__Secure-`` or ``__Http-``, in
    upper or lower case (RFC 6265bis, section 4.1.3). If there are two copies, readers cannot tell which one
    has that guarantee. A name inside another cookie has no such guarantee, but Bottle and WebOb read two
    cookies from ``a=1 __Host-b=2``. A prefix with an escape has none either, but BlackSheep decodes it.
    """
    found = list(_PREFIXED.finditer(text)) if "__" in text or "%" in text else []
    if not found:
        return []
    prefixes = _decoded([match[1] for match in found])
    rests = _decoded([match[2] for match in found])
    names = [prefix.lower() + rest for prefix, rest in zip(prefixes, rests, strict=True)]  # rests have a case
    counts = Counter(names)
    first = {match.end() - 1 for match in _FIRST.finditer(";" + text)}
    return [
        match.span()
        for match, name in zip(found, names, strict=True)
        if counts[name] > 1 or match.start() not in first or "%" in match[1]
    ]


def _decoded(texts: Sequence[str]) -> list[bytes]:
    """Decode parts of names, all at once; ``~`` stands for an escaped equals sign, which is in no name."""
    text = "=".join(texts)
    if "%" in text:
        text = text.replace("%3D", "~").replace("%3d", "~")
    return percent_decode(text.encode("latin-1")).split(b"=")


def joined(fields: Sequence[bytes]) -> bytes:
    """Join the Cookie fields of a request into one: RFC 9113, section 8.2.3.

    Chromium ends each field with a semicolon. ``http.cookies`` stops reading at two semicolons in a row.

    >>> joined([b"a=1;", b"b=2"])
    b'a=1; b=2'
    """
    return b"; ".join(filter(None, (each.strip(b" \t;") for each in fields)))


def may_repeat(octets: bytes) -> bool:
    """Whether printable ASCII octets may hold a prefixed name twice, inside another cookie, or escaped."""
    names = _MAYBE_PREFIXED.findall(octets) if b"__" in octets else []
    if b"%" in octets and (_ESCAPED_PREFIX.search(octets) is not None or b"%" in b"".join(names)):
        return True
    first = len(_FIRST_PREFIXED.findall(octets)) if names else 0
    return first < len(names) or len(set(map(bytes.lower, names))) < len(names)
