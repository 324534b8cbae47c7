"""JavaScript's six URI functions, under their JavaScript names and with exactly the same results.

``fixed_encodeURI`` and ``fixed_decodeURI`` are variants that are often copied from documentation,
exactly as they are printed there. ``stable_encodeURI`` and ``stable_decodeURI`` are postel's own;
applying one of them again changes nothing.

A JavaScript string is a sequence of UTF-16 code units. Here it is a ``str``: a character beyond
U+FFFF stands for its pair of units, and a surrogate code point for a lone surrogate. Two surrogate
code points that form a pair are joined into one character.

Where JavaScript throws a ``URIError``, these functions raise :class:`postel.uri.DecodeError`: the
decoders for malformed escapes and ill-formed UTF-8, the encoders for a lone surrogate. The
``offset`` of the error counts characters of the ``str``.

>>> from postel import javascript
>>> javascript.encodeURIComponent("a/b?é"), javascript.escape("é漢😀")
('a%2Fb%3F%C3%A9', '%E9%u6F22%uD83D%uDE00')
>>> javascript.decodeURI("%2Fa%20b")
'%2Fa b'
"""

# ruff: noqa: N802 - the names are JavaScript's

from __future__ import annotations

import re
from typing import Final

from postel._alphabet.percent import (
    RFC2396_RESERVED,
    RFC2396_UNRESERVED,
    STRAY_PERCENT,
    Octets,
    percent_encode,
)
from postel.uri import DecodeError
from postel.uri._encoding import decode_at
from postel.uri._errors import require_text

__all__ = [
    "decodeURI",
    "decodeURIComponent",
    "encodeURI",
    "encodeURIComponent",
    "escape",
    "fixed_decodeURI",
    "fixed_encodeURI",
    "stable_decodeURI",
    "stable_encodeURI",
    "unescape",
]

_LONE: Final = re.compile(r"[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")
_UNIT: Final = re.compile(r"%u([0-9A-Fa-f]{4})|%([0-9A-Fa-f]{2})")
_NOT_BARE: Final = re.compile(r"[^A-Za-z0-9@*_+\-./]")  # ECMA-262, section B.2.1.1

_DELIMITERS: Final[Octets] = RFC2396_RESERVED | frozenset(b"#")
_URI: Final[Octets] = RFC2396_UNRESERVED | _DELIMITERS  # ECMA-262, section 19.2.6.3
_COMPONENT: Final[Octets] = RFC2396_UNRESERVED  # section 19.2.6.4
_STABLE: Final[Octets] = _URI | frozenset(b"[]%")


def _decodable(preserved: Octets) -> re.Pattern[str]:
    """Pattern for a run of escapes outside ``preserved``, or for a percent sign that begins no escape.

    >>> _decodable(frozenset(b"#/")).pattern
    '((?>(?:%(?!(?i:23|2F))[0-9A-Fa-f]{2})+))|%(?![0-9A-Fa-f]{2})'
    """
    kept = "|".join(f"{octet:02X}" for octet in sorted(preserved))
    return re.compile(f"((?>(?:%(?!(?i:{kept}))[0-9A-Fa-f]{{2}})+))|%(?![0-9A-Fa-f]{{2}})")


_IN_URI: Final = _decodable(_DELIMITERS)
_IN_COMPONENT: Final = re.compile("((?>(?:%[0-9A-Fa-f]{2})+))|%")
_IN_STABLE: Final = _decodable(_DELIMITERS | frozenset(b"[]%"))


def escape(text: str) -> str:
    r"""Escape code units: those below 256 as ``%XX``, others as ``%uXXXX``; ``@*_+-./`` stay bare.

    >>> escape("ä 漢\ud800")
    '%E4%20%u6F22%uD800'

    Never raises for any text. ECMA-262, section B.2.1.1.
    """
    require_text(text)
    return _NOT_BARE.sub(_escaped_units, text)


def unescape(text: str) -> str:
    r"""Decode ``%uXXXX`` and ``%XX`` to code units, and leave every other percent sign.

    >>> unescape("%E4%u6F22 %uD83D%uDE00 %zz"), unescape("%uD83D")
    ('ä漢 😀 %zz', '\ud83d')

    Never raises for any text; the result may hold lone surrogates. ECMA-262, section B.2.1.2.
    """
    require_text(text)
    return _joined(_UNIT.sub(lambda unit: chr(int(unit[1] or unit[2], 16)), text))


def encodeURI(text: str) -> str:
    """Escape all characters that cannot stand in a URI, and also ``%``, ``[`` and ``]``, in UTF-8.

    >>> encodeURI("http://[::1]/é?q=%20#f")
    'http://%5B::1%5D/%C3%A9?q=%2520#f'

    Raises :class:`postel.uri.DecodeError` for a lone surrogate. ECMA-262, section 19.2.6.3.
    """
    return percent_encode(_utf8(text), _URI).decode()


def encodeURIComponent(text: str) -> str:
    """Escape everything except ASCII letters, digits and ``-_.!~*'()``, in UTF-8.

    >>> encodeURIComponent("a=b&c/d's")
    "a%3Db%26c%2Fd's"

    Raises :class:`postel.uri.DecodeError` for a lone surrogate. ECMA-262, section 19.2.6.4.
    """
    return percent_encode(_utf8(text), _COMPONENT).decode()


def decodeURI(text: str) -> str:
    """Decode every escape except those of ``;/?:@&=+$,#``, which stay as they are written.

    >>> decodeURI("/%c3%a9%2f%20%25")
    '/é%2f %'

    Raises :class:`postel.uri.DecodeError` for malformed escapes and ill-formed UTF-8. ECMA-262, section
    19.2.6.1.
    """
    return _decoded(text, _IN_URI)


def decodeURIComponent(text: str) -> str:
    """Decode every escape.

    >>> decodeURIComponent("a%2Fb%20%C3%A9+")
    'a/b é+'

    Raises :class:`postel.uri.DecodeError` for malformed escapes and ill-formed UTF-8. ECMA-262, section
    19.2.6.2.
    """
    return _decoded(text, _IN_COMPONENT)


def fixed_encodeURI(text: str) -> str:
    """Like :func:`encodeURI`, but ``[`` and ``]`` stay bare everywhere.

    Equals ``encodeURI(str).replace(/%5B/g, '[').replace(/%5D/g, ']')``, which was written for IPv6
    addresses. Escapes that the URL already holds are escaped again.

    >>> fixed_encodeURI("http://[::1]/é?a[]=%5B")
    'http://[::1]/%C3%A9?a[]=%255B'

    Raises :class:`postel.uri.DecodeError` for a lone surrogate. ECMA-262, section 19.2.6.3; RFC 3986,
    section 3.2.2.
    """
    return encodeURI(text).replace("%5B", "[").replace("%5D", "]")


def fixed_decodeURI(text: str) -> str:
    """The same as :func:`decodeURI`, which also decodes escaped brackets.

    It exists for code that was copied from documentation, as
    ``decodeURI(str.replace(/%5B/gi, '[').replace(/%5D/gi, ']'))``, and is the inverse of
    :func:`fixed_encodeURI`.

    >>> fixed_decodeURI("http://%5b::1%5D/%C3%A9?a[]=%255B")
    'http://[::1]/é?a[]=%5B'

    Raises :class:`postel.uri.DecodeError` for malformed escapes and ill-formed UTF-8. ECMA-262, section
    19.2.6.1.
    """
    return decodeURI(text)


def stable_encodeURI(text: str) -> str:
    """Like :func:`encodeURI`, but brackets and existing escapes stay as they are.

    So it accepts a whole URI, also with an IPv6 host, and applying it again changes nothing: a ``%`` is
    escaped only if it does not begin an escape.

    >>> stable_encodeURI("http://[::1]/é?q=%20#f"), stable_encodeURI("100%")
    ('http://[::1]/%C3%A9?q=%20#f', '100%25')

    Brackets stay everywhere, even where RFC 3986 does not allow them; :func:`postel.uri.clean` escapes
    those. Raises :class:`postel.uri.DecodeError` for a lone surrogate. RFC 3986, sections 2.4 and
    3.2.2.
    """
    return percent_encode(STRAY_PERCENT.sub(b"%25", _utf8(text)), _STABLE).decode()


def stable_decodeURI(text: str) -> str:
    """Like :func:`decodeURI`, but escaped brackets and ``%25`` also stay as they are written.

    So data never turns into a bracket or an escape. :func:`stable_encodeURI` turns the result back into the
    same URI, except that it does not escape characters that need no escape, and writes escapes in upper case.

    >>> from postel.javascript import decodeURI
    >>> decodeURI("/%5B%20%5D/%2541"), stable_decodeURI("/%5B%20%5D/%2541")
    ('/[ ]/%41', '/%5B %5D/%2541')

    Raises :class:`postel.uri.DecodeError` for malformed escapes and ill-formed UTF-8. RFC 3986, sections
    2.4 and 3.2.2.
    """
    return _decoded(text, _IN_STABLE)


def _escaped_units(character: re.Match[str]) -> str:
    units = character[0].encode("utf-16-be", "surrogatepass")
    if units[0] == 0:
        return f"%{units[1]:02X}"
    return "".join([f"%u{units[at : at + 2].hex().upper()}" for at in range(0, len(units), 2)])


def _joined(text: str) -> str:
    """Join surrogate pairs into characters; the code units stay the same."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _utf8(text: str) -> bytes:
    require_text(text)
    if lone := _LONE.search(text):
        raise DecodeError("lone-surrogate", lone.start(), lone[0])
    return _joined(text).encode()


def _decoded(text: str, decodable: re.Pattern[str]) -> str:
    def decoded_run(match: re.Match[str]) -> str:
        if match[1] is None:
            start = match.start()
            raise DecodeError("malformed-escape", start, text[start : start + 3])
        return decode_at(match[1], match.start(), plus=False)

    require_text(text)
    return _joined(decodable.sub(decoded_run, text))
