"""Percent-encoding itself, without a place or a charset: octets and escapes, nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from postel._octets import percent_decode as octets_meant
from postel._octets import percent_encode as octets_escaped
from postel.uri._classes import COMPONENT_SET, pattern_of
from postel.uri._encoding import octets_of
from postel.uri._errors import DecodeError

if TYPE_CHECKING:
    from postel import Characters

_NO_ESCAPE: Final = re.compile("%(?![0-9A-Fa-f]{2})")


def percent_encode(data: str | bytes, *, escaping: Characters = COMPONENT_SET) -> str:
    r"""Escape those characters of text, or those octets, that are in the set, and no others.

    This is the URL Standard's own building block. If the set lacks ``%``, what comes out cannot be
    told from text that held escapes; :func:`encode_component` is for data.

    >>> from postel.uri import QUERY_SET
    >>> percent_encode("‾\\ |", escaping=QUERY_SET)
    '%E2%80%BE\\%20|'

    Text is escaped in UTF-8. Octets are any: those outside ASCII are escaped whatever the set says,
    for they are no characters, and :func:`percent_decode` gives all of them back.

    >>> percent_encode(b"\x00A\xff ")
    '%00A%FF%20'

    A code point that is no character is a :class:`DecodeError`. URL Standard, section 1.3 (UTF-8
    percent-encode a string, percent-encode a byte).
    """
    if isinstance(data, bytes):
        return octets_escaped(
            data, frozenset(point for point in range(0x80) if chr(point) not in escaping)
        ).decode()
    octets_of(data)
    if not escaping:
        return data
    return re.sub(
        pattern_of(escaping),
        lambda match: octets_escaped(match[0].encode(), frozenset()).decode(),
        data,
    )


def percent_decode(text: str) -> bytes:
    r"""Read the octets that text stands for: every escape is decoded, once, and means what it may.

    Characters that stand bare are their octets in UTF-8, a ``+`` among them. Nothing asks what the
    octets are; :func:`decode_component` reads text.

    >>> percent_decode("%00A%FF%20"), percent_decode("é%c3%a9")
    (b'\x00A\xff ', b'\xc3\xa9\xc3\xa9')
    >>> percent_decode("%0g")
    Traceback (most recent call last):
    postel.uri.DecodeError: malformed-escape at 0: '%0g': write %25 for a percent sign

    A ``%`` that begins no escape, or a code point that is no character, is a :class:`DecodeError`.
    RFC 3986, section 2.1; URL Standard, section 1.3 (percent-decode a string) but for its leniency.
    """
    octets = octets_of(text)
    if fault := _NO_ESCAPE.search(text):
        start = fault.start()
        raise DecodeError("malformed-escape", start, text[start : start + 3])
    return octets_meant(octets)
