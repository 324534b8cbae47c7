"""Charsets: rewrite octets in the older encodings of ``charset_labels`` as UTF-8."""

from __future__ import annotations

import re
from binascii import a2b_qp
from collections.abc import Iterator
from itertools import islice
from typing import Final

from postel._alphabet.percent import ESCAPE, change_escapes, escape_non_ascii, percent_decode
from postel._alphabet.regex import compiled
from postel._alphabet.spellings import Spelling, octets_pattern
from postel._alphabet.text import ILL_FORMED

_TO_SIGN: Final = bytes((ord("%") ^ ord("=")) * (bits & 3 == 3) for bits in range(256))
"""Flips the percent sign of each escaped octet above ASCII to an equals sign."""
_TRAIL: Final = rb"(?:[\x80-\xff]|[0-9@-~]|%(?:3[0-9]|[456][0-9A-Fa-f]|7[0-9A-Ea-e]))"
_TWO_OCTETS: Final = compiled(rb"((?:[\x80-\xff]" + _TRAIL + b"?+)++)")
"""Matches runs of characters of two octets, the second of which may be ASCII.

A character of four octets in gb18030 matches as two such characters.
"""
_TWO_OCTETS_OF_CP932: Final = compiled(
    rb"((?:[\x81-\x9f\xe0-\xfc]" + _TRAIL + rb"?+|[\x80\xa0-\xdf\xfd-\xff])++)"
)
"""Like ``_TWO_OCTETS``, for cp932, in which 0x80, 0xA0 to 0xDF and 0xFD to 0xFF stand alone."""
_WITH_ASCII: Final = {
    "gb18030": _TWO_OCTETS,
    "big5hkscs": _TWO_OCTETS,
    "cp949": _TWO_OCTETS,
    "cp932": _TWO_OCTETS_OF_CP932,
}
"""The codecs in which the last octet of a character may be ASCII, each with a pattern for its characters."""
_LEADING: Final = octets_pattern([(0x80, 0xFF)], Spelling.ANY)
_DIGIT: Final = octets_pattern([(0x30, 0x39)], Spelling.ANY)
_NEXT: Final = rb"(?:%[0-9A-Fa-f]{2}|[^%&=])"
_ONE: Final = compiled(_LEADING)
_TWO: Final = _LEADING + _NEXT + b"?+"
_CHARACTERS: Final = {
    "gb18030": compiled(_LEADING + _DIGIT + _LEADING + _DIGIT + b"|" + _TWO, re.DOTALL),
    "big5hkscs": compiled(_TWO, re.DOTALL),
    "cp949": compiled(_TWO, re.DOTALL),
    "cp932": compiled(
        octets_pattern([(0x81, 0x9F), (0xE0, 0xFC)], Spelling.ANY) + _NEXT + b"?+|" + _LEADING, re.DOTALL
    ),
    "euc_jp": compiled(octets_pattern([(0x8F, 0x8F)], Spelling.ANY) + _NEXT + b"{2}|" + _TWO, re.DOTALL),
}
"""For each codec with characters of several octets, a pattern for one character."""
_END: Final = b"&&&"
_REPLACEMENT: Final = "\ufffd".encode("gb18030")
_AT_ONCE: Final = 64
"""``edits`` decodes this many characters at once."""
_UNDEFINED: Final = re.compile(f"[{ILL_FORMED}]")


def text_in(octets: bytes, codec: str) -> str:
    r"""Decode the characters above ASCII, bare or escaped, in one pass; ASCII stays as it is spelled.

    Octets that do not decode become surrogates of ``ILL_FORMED``.

    >>> text_in(b"q=caf%E9%21", "cp1252"), text_in(b"%83%5C\x83A", "cp932"), text_in(b"%81", "cp1252")
    ('q=café%21', 'ソア', '\udcff')
    """
    # Quoted-printable is percent-encoding with "=" for "%" (RFC 2045, section 6.7); Python decodes it in C.
    octets = a2b_qp(change_escapes(octets.replace(b"=", b"=3D"), _TO_SIGN))
    characters = _WITH_ASCII.get(codec)
    if characters is not None and 0x25 in octets:
        pieces = characters.split(octets.replace(b"=", b"=3D"))
        pieces[1::2] = b"\0".join(pieces[1::2]).replace(b"%", b"=").split(b"\0") if pieces[1:] else []
        octets = a2b_qp(b"".join(pieces))
    if codec == "gb18030" and _REPLACEMENT in octets:
        return octets.decode(codec, "surrogateescape")
    # Python replaces octets much faster than it escapes them, and no other codec has U+FFFD. It also replaces
    # the ASCII in a truncated character at the end, so something else has to be at the end.
    return (octets + _END).decode(codec, "replace")[: -len(_END)].replace("\ufffd", "\udcff")


def in_utf8(octets: bytes, codec: str) -> bytes | None:
    """Rewrite the characters above ASCII as escaped UTF-8; ``None`` if some octets do not decode.

    >>> in_utf8(b"q=caf%E9&p=1", "cp1252"), in_utf8(b"q=%81", "cp1252")
    (b'q=caf%C3%A9&p=1', None)
    """
    try:
        return escape_non_ascii(text_in(octets, codec).encode())
    except UnicodeEncodeError:
        return None


def recoding_edits(octets: bytes, codec: str, *, bare: bool = False) -> Iterator[tuple[int, int, bytes]]:
    """Yield the edits of ``in_utf8`` character by character, up to the first that does not decode.

    With ``bare``, the UTF-8 is not escaped.

    >>> list(recoding_edits(b"q=caf%E9&p=1", "cp1252"))
    [(5, 8, b'%C3%A9')]
    """
    characters = _CHARACTERS.get(codec, _ONE).finditer(octets)
    while found := list(islice(characters, _AT_ONCE)):
        # A line feed is never part of a character of several octets, so it can separate characters.
        gathered = percent_decode(b"\n".join([each[0] for each in found]))
        text, *rest = _UNDEFINED.split(gathered.decode(codec, "surrogateescape"), maxsplit=1)
        written = text.encode() if bare else escape_non_ascii(text.encode())
        several = written.split(b"\n")
        if rest:
            del several[-1]
        for each, character in zip(found, several, strict=False):
            yield *each.span(), character
        if rest:
            return


def undefined(octets: bytes, codec: str) -> int:
    """Return the offset of the first octet that does not decode, or the length if all do.

    >>> undefined(b"q=%E9%81", "cp1252")
    5
    """
    try:
        percent_decode(octets).decode(codec)
    except UnicodeDecodeError as error:
        offset = error.start
        for escape in ESCAPE.finditer(octets):
            if escape.start() >= offset:
                break
            offset += 2
        return offset
    return len(octets)
