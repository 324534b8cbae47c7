"""Plain percent-encoding and decoding of octets, without places or charsets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from postel._alphabet.characters import ranges_of
from postel._alphabet.percent import percent_decode as decode_octets
from postel._alphabet.percent import percent_encode as encode_octets
from postel.uri._classes import COMPONENT_SET, pattern_of
from postel.uri._encoding import encode_text
from postel.uri._errors import DecodeError

if TYPE_CHECKING:
    from postel import Characters

_NO_ESCAPE: Final = re.compile("%(?![0-9A-Fa-f]{2})")


def percent_encode(data: str | bytes, *, escaping: Characters = COMPONENT_SET) -> str:
    r"""Escape exactly the characters or octets that are in the set.

    This is the URL Standard's basic operation. If the set lacks ``%``, the result is ambiguous for
    text that already holds escapes; use :func:`encode_component` for data.

    >>> from postel.uri import QUERY_SET
    >>> percent_encode("‾\\ |", escaping=QUERY_SET)
    '%E2%80%BE\\%20|'

    Text is escaped in UTF-8. Any octets are accepted; those outside ASCII are always escaped, and
    :func:`percent_decode` returns all of them.

    >>> percent_encode(b"\x00A\xff ")
    '%00A%FF%20'

    Raises :class:`DecodeError` for a lone surrogate. URL Standard, section 1.3 (UTF-8 percent-encode
    a string, percent-encode a byte).
    """
    ranges_of(escaping)  # raises TypeError for text: "in" would look for its characters in turn
    if isinstance(data, bytes):
        return encode_octets(
            data, frozenset(point for point in range(0x80) if chr(point) not in escaping)
        ).decode()
    encode_text(data)
    if not escaping:
        return data
    return re.sub(
        pattern_of(escaping),
        lambda match: encode_octets(match[0].encode(), frozenset()).decode(),
        data,
    )


def percent_decode(text: str) -> bytes:
    r"""Decode every escape once, and return octets.

    Bare characters become their octets in UTF-8, and ``+`` stays ``+``. The octets may be anything;
    :func:`decode_component` returns text.

    >>> percent_decode("%00A%FF%20"), percent_decode("é%c3%a9")
    (b'\x00A\xff ', b'\xc3\xa9\xc3\xa9')
    >>> percent_decode("%0g")
    Traceback (most recent call last):
    postel.uri.DecodeError: malformed-escape at 0: '%0g': write %25 for a percent sign

    Raises :class:`DecodeError` for a ``%`` that does not begin an escape and for a lone surrogate; the
    Standard's own function would accept them. RFC 3986, section 2.1; URL Standard, section 1.3
    (percent-decode a string).
    """
    octets = encode_text(text)
    if fault := _NO_ESCAPE.search(text):
        start = fault.start()
        raise DecodeError("malformed-escape", start, text[start : start + 3])
    return decode_octets(octets)
