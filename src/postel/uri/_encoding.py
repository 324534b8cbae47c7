"""Encode and decode one component at a time, strictly, in UTF-8 or another charset that Python knows.

What must be escaped depends on where the text will stand, so each place has its own set. Decoding
replaces every escape with its octet, once, and then decodes the octets to characters.
"""

from __future__ import annotations

import codecs
import re
from typing import Final, Literal, TypeAlias, cast

from postel._alphabet.ill_formed import ILL_FORMED_CLASSES, ILL_FORMED_SEQUENCE
from postel._alphabet.percent import ESCAPE
from postel._alphabet.percent import percent_decode as decode_octets
from postel._alphabet.percent import percent_encode as encode_octets
from postel.uri._errors import BuildError, DecodeError, require_text
from postel.uri._places import Place

Errors: TypeAlias = Literal["strict", "drop", "replace"]
"""How to treat octets that cannot be decoded: raise, drop, or replace with U+FFFD (Unicode, section 3.9)."""

Newline: TypeAlias = Literal["keep", "lf", "crlf", "cr"]
"""How to write a line break (CR, LF or CR LF): unchanged, or always the same (HTML, form submission)."""

_BREAKS: Final[dict[str, str]] = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
_BREAK: Final = re.compile(r"\r\n?|\n")
_HANDLERS: Final[dict[str, str]] = {"strict": "strict", "drop": "ignore", "replace": "replace"}
_ASCII_RUN: Final = re.compile(r"[\x00-\x7f]+")
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_UNREADABLE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})|[\ud800-\udfff]")
"""Matches what cannot become an octet: a percent sign without an escape, or a surrogate."""


def encode_text(text: str, charset: str = "utf-8") -> bytes:
    """Encode text in a charset.

    Raises BuildError for a character that the charset lacks, or that its codec writes as another one, and
    DecodeError for a lone surrogate.
    """
    require_text(text)
    # Surrogates are refused here, because utf-7 and unicode_escape would accept them.
    if surrogate := _SURROGATE.search(text):
        raise DecodeError("lone-surrogate", surrogate.start(), surrogate[0])
    try:
        octets = text.encode(charset)
        read = text if codecs.lookup(charset).name == "utf-8" else octets.decode(charset)
    except UnicodeError as error:
        # Errors of the codecs idna, punycode and undefined have no position.
        start = error.start if isinstance(error, UnicodeEncodeError) else 0
        advice = f"{charset} cannot encode it; use utf-8"
        raise BuildError("not-in-charset", start, text[start : start + 1], advice) from error
    # Some codecs write similar characters alike: EUC-JP has one octet for a yen sign and "\\".
    if read != text:
        start = next((at for at, (one, other) in enumerate(zip(text, read, strict=False)) if one != other), 0)
        advice = f"{charset} writes it as another character; use utf-8"
        raise BuildError("not-in-charset", start, text[start : start + 1], advice)
    return octets


def encode_component(
    text: str,
    *,
    place: Place = Place.ANYWHERE,
    plus: bool | None = None,
    charset: str = "utf-8",
    newline: Newline = "keep",
) -> str:
    r"""Write text as one component of a URL, and escape every character that is not allowed there.

    The text is data: ``%`` becomes ``%25``, delimiters are escaped, and :func:`decode_component`
    returns the same text. Without ``place``, everything except ASCII letters, digits and ``-._~`` is
    escaped, which is correct in every place. ``plus`` chooses between ``+`` and ``%20`` for a space;
    only queries and forms allow ``+``.

    >>> encode_component("François"), encode_component("a/b?c=d&e"), encode_component("50%")
    ('Fran%C3%A7ois', 'a%2Fb%3Fc%3Dd%26e', '50%25')
    >>> from postel.uri import Place
    >>> encode_component("a & b", place=Place.SEGMENT)
    'a%20&%20b'
    >>> encode_component("Helen Ødegård", place=Place.QUERY_VALUE, plus=True)
    'Helen+%C3%98deg%C3%A5rd'
    >>> encode_component("Ä"), encode_component("Ä", charset="latin-1")
    ('%C3%84', '%C4')

    Line breaks are data, too: ``%0D``, ``%0A`` and ``%0D%0A`` are three different texts. ``newline``
    first rewrites each of them; browsers send forms with ``"crlf"``.

    >>> encode_component("a\r\nb\nc"), encode_component("a\r\nb\nc", newline="lf")
    ('a%0D%0Ab%0Ac', 'a%0Ab%0Ac')

    A segment that is ``.`` or ``..`` is returned unchanged, because ``%2E`` would be the same
    segment (RFC 3986, section 6.2.2.2). :func:`build_path` refuses it.

    Raises :class:`DecodeError` for a lone surrogate, :class:`BuildError` for a character that the
    charset lacks or writes as another one, ``ValueError`` for an unknown ``newline`` and for ``plus=True``
    where a plus is not a space, ``LookupError`` for an unknown charset, and ``TypeError`` for another type of
    ``text`` or ``place``. RFC 3986, sections 2.1 to 2.4 and 3; URL Standard, section 1.3.
    """
    given = cast("object", place)
    if not isinstance(given, Place):
        raise TypeError(f"place={given!r}: name a Place, such as Place.QUERY_VALUE")
    if plus and place.plus is None:
        where = "" if place is Place.ANYWHERE else f", not in a {place.value}"
        raise ValueError(
            f"a plus is a space only in queries and forms{where}; leave plus= out, or write "
            "place=Place.QUERY_VALUE"
        )
    octets = encode_text(text, charset)  # before newlines change, because errors point into the original text
    if newline != "keep":
        octets = encode_text(_with_breaks(text, newline), charset)
    if plus or (plus is None and place.plus):
        return encode_octets(octets, place.keep | {0x20}).replace(b" ", b"+").decode()
    return encode_octets(octets, place.keep).decode()


def _with_breaks(text: str, newline: Literal["lf", "crlf", "cr"]) -> str:
    if newline not in _BREAKS:
        raise ValueError(f"newline is {newline!r}; it can be 'keep', 'lf', 'crlf' or 'cr'")
    return _BREAK.sub(_BREAKS[newline], text)


def decode_component(
    raw: str, *, plus: bool = False, errors: Errors = "strict", charset: str = "utf-8"
) -> str:
    """Read one component of a URL: decode every escape once; the result must be text.

    Bare characters stand for themselves, even outside ASCII, as in an IRI. ``plus`` reads a bare
    ``+`` as a space, which is right for queries and forms and wrong for paths.

    >>> decode_component("Fran%C3%A7ois"), decode_component("a+b%2B", plus=True)
    ('François', 'a b+')
    >>> decode_component("caf%C0%AF")  # doctest: +NORMALIZE_WHITESPACE
    Traceback (most recent call last):
    postel.uri.DecodeError: ill-formed-utf8 (overlong) at 3: '%C0%AF':
        decode it with percent_decode, or with decode_component(charset=...)
    >>> decode_component("50% off")
    Traceback (most recent call last):
    postel.uri.DecodeError: malformed-escape at 2: '% o': write %25 for a percent sign

    With ``errors="replace"`` each maximal subpart of an ill-formed sequence becomes one U+FFFD, as
    does each ``%`` that does not begin an escape and each lone surrogate; ``"drop"`` drops them
    instead. In both cases, the text before and after never joins into a new escape or character.

    >>> decode_component("%%FF41", errors="drop"), decode_component("%E2%82x", errors="replace")
    ('41', '\ufffdx')

    Dropping still brings the text on both sides together: ``.%FF.`` becomes ``..``. Check the result, or
    replace instead (Unicode, UTR #36, section 3.5).

    In strict mode, raises :class:`DecodeError` for the first fault from the left. Raises
    ``LookupError`` for an unknown charset, and ``ValueError`` for an unknown ``errors``. RFC 3986,
    section 2.1; RFC 3629, section 3; Unicode, section 3.9.
    """
    require_text(raw)
    return decode_at(raw, 0, plus=plus, errors=errors, charset=charset)


def decode_at(raw: str, origin: int, *, plus: bool, errors: Errors = "strict", charset: str = "utf-8") -> str:
    """Decode a component that stands at ``origin`` in a longer text; errors give offsets in that text."""
    if errors not in _HANDLERS:
        raise ValueError(f"errors is {errors!r}; it can be 'strict', 'drop' or 'replace'")
    handler = _HANDLERS[errors]
    spaced = raw.replace("+", " ") if plus else raw
    if errors != "strict":
        # Cut at text that cannot become an octet, so that nothing joins across the cut.
        cuts = [0, *(fault.end() for fault in _UNREADABLE.finditer(spaced))]
        ends = [*(cut - 1 for cut in cuts[1:]), len(spaced)]
        return ("\ufffd" if errors == "replace" else "").join(
            [
                _decode(spaced[start:end], origin + start, handler, charset)
                for start, end in zip(cuts, ends, strict=True)
            ]
        )
    fault = _UNREADABLE.search(raw)
    if fault is None:
        return _decode(spaced, origin, handler, charset)
    start = fault.start()
    _decode(spaced[:start], origin, handler, charset)  # raises earlier faults first
    if fault[0] == "%":
        raise DecodeError("malformed-escape", origin + start, raw[start : start + 3])
    raise DecodeError("lone-surrogate", origin + start, fault[0])


def _decode(part: str, origin: int, handler: str, charset: str) -> str:
    """Decode text without surrogates in which every ``%`` begins an escape."""
    if codecs.lookup(charset).name == "utf-8":
        return _decode_octets(part.encode(), origin, handler, charset)
    # Bare characters outside ASCII stand for themselves in every charset. ASCII does not: a legacy
    # charset may use an ASCII octet as the second of two (`%83z` in Shift_JIS).
    return _ASCII_RUN.sub(
        lambda run: _decode_octets(run[0].encode(), origin + run.start(), handler, charset), part
    )


def _decode_octets(spelled: bytes, origin: int, handler: str, charset: str) -> str:
    octets = decode_octets(spelled)
    try:
        return octets.decode(charset, handler)
    except UnicodeDecodeError as error:
        start, end = error.start, error.end
        what, detail = "undecodable", ""
        if match := ILL_FORMED_SEQUENCE.match(octets, start) if error.encoding == "utf-8" else None:
            what, detail = "ill-formed-utf8", ILL_FORMED_CLASSES[(match.lastindex or 0) - 1][0]
            end = match.end()
        before = spelled[: _spelled_offset(spelled, start)]
        excerpt = spelled[len(before) : _spelled_offset(spelled, end)].decode()
        raise DecodeError(what, origin + len(before.decode()), excerpt, detail) from error
    except UnicodeError as error:  # errors of the codecs idna, punycode and undefined
        raise DecodeError("undecodable", origin, spelled.decode()) from error


def _spelled_offset(spelled: bytes, index: int) -> int:
    """The offset in ``spelled`` of the decoded octet at ``index``."""
    saved = 0
    for escape in ESCAPE.finditer(spelled):
        if escape.start() - saved >= index:
            break
        saved += 2
    return index + saved
