"""Percent-encoding: the character classes of the standards, and encoding and decoding of octets.

The classes are sets of octets, built from one another by set algebra as in the standards. Decoding never
guesses: a ``%`` that is not followed by two hex digits stays as it is, for other modules to judge.

This module does not split URLs and does not know policies.
"""

from __future__ import annotations

import re
from binascii import a2b_qp
from collections.abc import Sequence
from typing import Final, TypeAlias

from postel._alphabet.writer import Writer

Octets: TypeAlias = frozenset[int]
"""A set of octets, each an integer from 0 to 255."""

# -- RFC 3986, appendix A ------------------------------------------------------------------------------------

ALPHA: Final[Octets] = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
DIGIT: Final[Octets] = frozenset(b"0123456789")
HEXDIG: Final[Octets] = DIGIT | frozenset(b"ABCDEFabcdef")
UNRESERVED: Final[Octets] = ALPHA | DIGIT | frozenset(b"-._~")
GEN_DELIMS: Final[Octets] = frozenset(b":/?#[]@")
SUB_DELIMS: Final[Octets] = frozenset(b"!$&'()*+,;=")
RESERVED: Final[Octets] = GEN_DELIMS | SUB_DELIMS
PCHAR: Final[Octets] = UNRESERVED | SUB_DELIMS | frozenset(b":@")  # escapes are in none of these sets
PATH: Final[Octets] = PCHAR | frozenset(b"/")
QUERY: Final[Octets] = PCHAR | frozenset(b"/?")
FRAGMENT: Final[Octets] = QUERY
USERINFO: Final[Octets] = UNRESERVED | SUB_DELIMS | frozenset(b":")
REG_NAME: Final[Octets] = UNRESERVED | SUB_DELIMS

# -- earlier standards ---------------------------------------------------------------------------------------

RFC2396_MARK: Final[Octets] = frozenset(b"-_.!~*'()")  # RFC 2396, section 2.3
RFC2396_UNRESERVED: Final[Octets] = ALPHA | DIGIT | RFC2396_MARK
RFC2396_RESERVED: Final[Octets] = frozenset(b";/?:@&=+$,")  # RFC 2396, section 2.2
RFC1738_SAFE: Final[Octets] = frozenset(b"$-_.+")  # RFC 1738, section 5
RFC1738_EXTRA: Final[Octets] = frozenset(b"!*'(),")
RFC1738_UNRESERVED: Final[Octets] = ALPHA | DIGIT | RFC1738_SAFE | RFC1738_EXTRA
RFC1738_RESERVED: Final[Octets] = frozenset(b";/?:@&=")

# -- URL Standard, section 1.3: these sets hold the octets to escape -----------------------------------------

C0_CONTROL_SET: Final[Octets] = frozenset(range(0x20)) | frozenset(range(0x7F, 0x100))
FRAGMENT_SET: Final[Octets] = C0_CONTROL_SET | frozenset(b' "<>`')
QUERY_SET: Final[Octets] = C0_CONTROL_SET | frozenset(b' "#<>')
SPECIAL_QUERY_SET: Final[Octets] = QUERY_SET | frozenset(b"'")
PATH_SET: Final[Octets] = QUERY_SET | frozenset(b"?^`{}")
USERINFO_SET: Final[Octets] = PATH_SET | frozenset(b"/:;=@[\\]|")
COMPONENT_SET: Final[Octets] = USERINFO_SET | frozenset(b"$%&+,")
FORM_SET: Final[Octets] = COMPONENT_SET | frozenset(b"!'()~")

# -- percent-encoding ----------------------------------------------------------------------------------------

ESCAPE: Final = re.compile(rb"%[0-9A-Fa-f]{2}")
"""One percent-encoded octet, RFC 3986, section 2.1."""
STRAY_PERCENT: Final = re.compile(rb"%(?![0-9A-Fa-f]{2})")
"""A percent sign that does not begin an escape."""
MALFORMED_PERCENT: Final = rb"%(?![0-9A-Fa-f]{2}|[uU][0-9A-Fa-f]{4})"
"""A percent sign that begins neither an escape nor a ``%uXXXX``."""
MALFORMED_PERCENTS: Final = MALFORMED_PERCENT.replace(b"%", b"%%*", 1)
"""Adjacent percent signs that begin neither; only the last of adjacent signs could begin an escape."""

_SHAPES: Final = bytes(
    ord("=") if octet == ord("%") else ord("0") if octet in HEXDIG else 0x80 if octet > 0x7F else ord("z")
    for octet in range(256)
)
"""Maps the octets of each escape to the quoted-printable ``=00``; ``units`` decodes the result."""
_OF_SIGNS: Final = bytes(
    ord("u") if octet in b"uU" else ord("z") if shape > 0x7F else shape for octet, shape in enumerate(_SHAPES)
)
"""Maps a percent sign to ``=``, hex digits to ``0``, ``U`` and ``u`` to ``u``, and others to ``z``."""
_BITS: Final = bytes(
    (octet == ord("%")) | 2 * (octet in HEXDIG) | 8 * (octet in b"89ABCDEFabcdef") | 16 * (octet in b"abcdef")
    for octet in range(256)
)
"""Maps a percent sign to 1, a hex digit to 2, plus 8 if it is above 7, plus 16 if it is in lower case."""
_FIRST: Final = bytes((octet == ord("%")) | (octet in b"234567") << (octet & 0x0F) for octet in range(256))
"""Maps a percent sign to 1, and a first digit of unreserved characters to the bit with its number."""
_SECOND: Final = bytes(
    sum(1 << each // 16 for each in UNRESERVED if octet in b"%X%x" % (each % 16, each % 16))
    if octet in HEXDIG
    else 0
    for octet in range(256)
)
"""Maps a second digit of unreserved characters to the bits of the first digits of these characters."""
_SIGN: Final = ord("%") ^ ord("=")
_TO_SIGN: Final = bytes(_SIGN * (bits & 1) for bits in range(256))
"""Flips each percent sign that begins an escape to an equals sign."""
_NEEDLESS_TO_SIGN: Final = bytes(_SIGN * (bits & 1 and bits > 1) for bits in range(256))
"""Flips each percent sign that begins the escape of an unreserved character to an equals sign."""
_TO_UPPER: Final = bytes(0x20 * (bits & 16 > 0) for bits in range(256))
"""Flips hex digits in lower case to upper case."""
_STRAYS: Final = bytes(octet == ord("=") for octet in range(256))
"""Maps the equals sign, which stands for a stray percent sign in ``rewrite_strays``, to the mark 1."""
_STRAY: Final = chr(0x100 + ord("%"))
"""A percent sign and the mark 1, read as UTF-16."""
_LITTLE_ENDIAN: Final = b"\xff\xfe"
"""The mark before UTF-16 whose lower octets come first: RFC 2781, section 3.2."""
_CHUNK: Final = 1024
ESCAPES: Final = tuple(b"%%%02X" % octet for octet in range(256))
"""The escape of each octet."""
_ASCII_BARE: Final = Writer([bytes((octet,)) if octet < 0x80 else ESCAPES[octet] for octet in range(256)])
MISSPELLED: Final = re.compile(
    rb"%[0-9A-Fa-f][0-9A-Fa-f](?<![0189A-F][0-9A-F])(?<!2[0-9A-CF])(?<!3[A-F]|[46]0|5[B-E]|7[B-DF])"
)
"""One escape that is not canonical: in lower-case hex, or of an unreserved character.

RFC 3986, sections 6.2.2.1 and 6.2.2.2. A stray percent sign fails at the classes, which is fast. The
lookbehinds list the canonical escapes, the most frequent ones first.
"""
NEEDLESS: Final = re.compile(rb"%(?:2[DEde]|3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|7[Ee])")
"""An escape of an unreserved character."""


def percent_decode(octets: bytes) -> bytes:
    """Decode every well-formed escape once; leave ``+`` and malformed escapes as they are.

    >>> percent_decode(b"50%25+%zz")
    b'50%+%zz'

    RFC 3986, section 2.1; URL Standard, section 1.3 (percent-decode).
    """
    if 0x25 not in octets:  # faster than b"%", which "in" first tries to convert to a number
        return octets
    # Quoted-printable is percent-encoding with "=" for "%" (RFC 2045, section 6.7); Python decodes it in C.
    octets = octets.replace(b"=", b"=3D")
    if has_strays(octets):
        return a2b_qp(change_escapes(octets, _TO_SIGN))
    return a2b_qp(octets.replace(b"%", b"="))


def change_escapes(octets: bytes, flips: bytes) -> bytes:
    """Flip bits of some octets, in a few operations on integers that hold all octets.

    For each octet there is a number. Its bit 0 tells whether an escape begins at the octet, and then bit 1
    tells whether the escape stands for an octet above ASCII. The table ``flips`` maps this number to the bits
    to flip; it has to ignore the other bits.
    """
    bits = int.from_bytes(octets.translate(_BITS), "little")
    # The first digit of an escape is 8 bits higher, and the second one 16. ``_BITS`` leaves bit 2 unused, so
    # the last shift does not set bit 0.
    return _flipped(octets, bits & bits >> 9 & bits >> 17 | bits >> 10, flips)


def _flipped(octets: bytes, numbers: int, flips: bytes) -> bytes:
    """Flip the bits of each octet to which ``flips`` maps its number; an integer holds the ``numbers``."""
    flipped = int.from_bytes(numbers.to_bytes(len(octets), "little").translate(flips), "little")
    return (int.from_bytes(octets, "little") ^ flipped).to_bytes(len(octets), "little")


def units(octets: bytes) -> bytes:
    r"""Return one octet for each unit; a unit is an escape or a bare octet.

    The octet is NUL for an escape, 0x80 for a bare octet above ASCII, and another ASCII octet otherwise.

    >>> units(b"z%C3\xa9%")
    b'z\x00\x80='

    RFC 3986, section 2.1.
    """
    shape = octets.translate(_SHAPES)
    if b"==" in shape:
        # Of adjacent percent signs, only the last one can begin an escape.
        shape = shape.replace(b"==", b"z=").replace(b"==", b"z=")
    return a2b_qp(shape + b"z")[:-1]


def has_strays(octets: bytes) -> bool:
    """Whether some percent sign does not begin an escape; faster than a pattern for very many escapes.

    >>> has_strays(b"50%25"), has_strays(b"50%")
    (False, True)
    """
    return octets.translate(_SHAPES).count(b"=00") < octets.count(b"%")


def measure(octets: bytes) -> int:
    """Count octets; an escape counts as one, so escaping an octet does not change the count.

    >>> measure(b"a b"), measure(b"a%20b")
    (3, 3)
    """
    return len(octets) - 2 * octets.translate(_SHAPES).count(b"=00")


def percent_encode(octets: bytes, keep: Octets = UNRESERVED) -> bytes:
    """Escape every octet that is not in ``keep``, in upper-case hex.

    >>> percent_encode(b"a b/c", PATH)
    b'a%20b/c'

    RFC 3986, section 2.1.
    """
    return b"".join([bytes((octet,)) if octet in keep else ESCAPES[octet] for octet in octets])


def joined(pieces: Sequence[bytes]) -> bytes:
    """Join pieces, a few at a time, because ``bytes.join`` takes 80 octets of memory for each piece.

    >>> joined([b"a", b"b"])
    b'ab'
    """
    chunks = (pieces[start : start + _CHUNK] for start in range(0, len(pieces), _CHUNK))
    return b"".join([b"".join(chunk) for chunk in chunks])


def rewrite_strays(octets: bytes, written: str, *, with_units: bool = False) -> bytes:
    """Replace each percent sign that begins no escape; ``with_units``, a ``%uXXXX`` is an escape, too.

    >>> rewrite_strays(b"%%41 %z %u0041", "%25"), rewrite_strays(b"%u0041", "%25", with_units=True)
    (b'%25%41 %25z %25u0041', b'%u0041')
    """
    shape = octets.translate(_OF_SIGNS).replace(b"=00", b"z00")
    if with_units:
        shape = shape.replace(b"=u0000", b"zu0000")
    if 0x3D not in shape:
        return octets
    # Read as UTF-16, each octet with its mark is one character, so all strays are replaced at once. Python
    # finds the codec "utf-16" faster than "utf-16-le".
    both = bytearray(2 * len(octets) + 2)
    both[:2] = _LITTLE_ENDIAN
    both[2::2] = octets
    both[3::2] = shape.translate(_STRAYS)
    return both.decode("utf-16").replace(_STRAY, written).encode("latin-1")


def escape_non_ascii(octets: bytes) -> bytes:
    """Escape every octet above ASCII.

    >>> escape_non_ascii("é 50%".encode())
    b'%C3%A9 50%'
    """
    return octets if octets.isascii() else _ASCII_BARE.written(octets)


def respell(octets: bytes) -> bytes:
    """Spell every well-formed escape canonically: upper-case hex, unreserved characters bare.

    >>> respell(b"%7euser/%c3%a4/%2f")
    b'~user/%C3%A4/%2F'

    RFC 3986, sections 6.2.2.1 and 6.2.2.2.
    """
    if MISSPELLED.search(octets) is None:
        return octets
    bits = int.from_bytes(octets.translate(_BITS), "little")
    escapes = bits & bits >> 9 & bits >> 17  # bit 0 of each octet, as in ``change_escapes``
    octets = _flipped(octets, bits & (escapes << 12 | escapes << 20), _TO_UPPER)
    # Quoted-printable is percent-encoding with "=" for "%" (RFC 2045, section 6.7); Python decodes it in C.
    escaped = octets.replace(b"=", b"=3D")
    signs = _needless_to_signs(escaped)
    return octets if signs == escaped else a2b_qp(signs)


def _needless_to_signs(octets: bytes) -> bytes:
    """Write the percent sign of each escape of an unreserved character as an equals sign."""
    first = int.from_bytes(octets.translate(_FIRST), "little")
    second = int.from_bytes(octets.translate(_SECOND), "little")
    return _flipped(octets, first | first >> 8 & second >> 16, _NEEDLESS_TO_SIGN)
