"""Encode and decode: one component at a time, strictly, in UTF-8 or another charset of Python's.

What is escaped depends on where the text will stand, so each place carries its own set. Decoding
takes every escape once, joins the octets, and only then asks what characters they are.
"""

from __future__ import annotations

import codecs
import enum
import re
from typing import TYPE_CHECKING, Final, Literal, Self, TypeAlias, final

from postel import _octets
from postel._octets import ESCAPE, ILL_FORMED, Octets, percent_decode
from postel.uri._classes import COMPONENT_SET, characters_of, pattern_of
from postel.uri._errors import BuildError, DecodeError

if TYPE_CHECKING:
    from postel import Characters

Errors: TypeAlias = Literal["strict", "drop", "replace"]
"""What becomes of what cannot be decoded: an error, nothing, or U+FFFD (Unicode, section 3.9)."""

_ASCII: Final[Octets] = frozenset(range(0x80))
_HANDLERS: Final[dict[str, str]] = {"strict": "strict", "drop": "ignore", "replace": "replace"}
_ASCII_RUN: Final = re.compile(r"[\x00-\x7f]+")
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_UNREADABLE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})|[\ud800-\udfff]")
"""A percent sign that begins no escape, or a code point that is no character: means no octet."""
_ILL_FORMED: Final = re.compile(b"|".join(b"(" + pattern + b")" for _, pattern in ILL_FORMED))


@final
@enum.unique
class Place(enum.Enum):
    """Where in a URL a text is to stand, which decides what must be escaped in it.

    A place keeps bare what RFC 3986 allows there, less what the URL Standard escapes there all the
    same, less what divides that place into parts. ``keep`` is that class as octets, ``escaped`` its
    complement as characters. ``plus`` says whether a space is written ``+`` if nobody asks; it is
    None where a plus is never a space.

    >>> Place("query-value") is Place.QUERY_VALUE, "/" in Place.SEGMENT.escaped
    (True, True)
    """

    SEGMENT = ("segment", _octets.PCHAR - frozenset(b";=,+"), None)
    """One segment of a path: RFC 3986, section 3.3.

    Of its characters ``;``, ``=`` and ``,`` may set off parameters, and ``+`` is a space to those
    who take a path for a form."""
    QUERY_NAME = (
        "query-name",
        _octets.QUERY - _octets.SPECIAL_QUERY_SET - frozenset(b"&;=+"),
        False,
    )
    """The name in ``name=value``: RFC 3986, section 3.4."""
    QUERY_VALUE = (
        "query-value",
        _octets.QUERY - _octets.SPECIAL_QUERY_SET - frozenset(b"&;+"),
        False,
    )
    """The value in ``name=value``, where a second ``=`` divides nothing: RFC 3986, section 3.4."""
    FORM = ("form", _ASCII - _octets.FORM_SET, True)
    """A name or value of a form: URL Standard, section 5.2."""
    USERINFO = ("userinfo", _octets.USERINFO - _octets.USERINFO_SET, None)
    """A user name or a password, not both: RFC 3986, section 3.2.1."""
    FRAGMENT = ("fragment", _octets.FRAGMENT - _octets.FRAGMENT_SET, None)
    """What follows ``#``: RFC 3986, section 3.5."""

    keep: Octets
    plus: bool | None

    def __new__(cls, slug: str, keep: Octets, plus: bool | None) -> Self:  # noqa: FBT001 - a column
        """One row of the table above."""
        place = object.__new__(cls)
        place._value_ = slug
        place.keep = keep
        place.plus = plus
        return place

    @property
    def escaped(self) -> Characters:
        """The characters that are escaped there, but for a space that is written ``+``."""
        return characters_of(frozenset(range(0x100)) - self.keep)


def octets_of(text: str, charset: str = "utf-8") -> bytes:
    """The octets of text in a charset; what cannot be said in it is an error."""
    # First, for utf-7 and unicode_escape would let them pass.
    if surrogate := _SURROGATE.search(text):
        raise DecodeError("lone-surrogate", surrogate.start(), surrogate[0])
    try:
        return text.encode(charset)
    except UnicodeError as error:
        # idna, punycode and undefined do not say where.
        start = error.start if isinstance(error, UnicodeEncodeError) else 0
        advice = f"{charset} cannot say it; use utf-8"
        raise BuildError("not-in-charset", start, text[start : start + 1], advice) from error


def encode_component(
    text: str,
    *,
    place: Place = Place.SEGMENT,
    plus: bool | None = None,
    charset: str = "utf-8",
) -> str:
    """Write text as one component of a URL: everything that the place cannot hold is escaped.

    The text is data: its ``%`` becomes ``%25``, its delimiters are escaped, and
    :func:`decode_component` gives it back whatever it was. ``plus`` writes a space as ``+`` (or
    not), where the place knows that spelling: in queries and forms.

    >>> encode_component("François"), encode_component("a/b?c"), encode_component("50%")
    ('Fran%C3%A7ois', 'a%2Fb%3Fc', '50%25')
    >>> encode_component("Helen Ødegård", place=Place.QUERY_VALUE, plus=True)
    'Helen+%C3%98deg%C3%A5rd'
    >>> encode_component("Ä"), encode_component("Ä", charset="latin-1")
    ('%C3%84', '%C4')

    A segment that is ``.`` or ``..`` comes back as it is, for no escape can say it: ``%2E`` is the
    same segment (RFC 3986, section 6.2.2.2). :func:`build_path` refuses it.

    A code point that is no character is a :class:`DecodeError`; a character that the charset lacks
    is a :class:`BuildError`; a plus where it is no space is a ``ValueError``; an unknown charset, a
    ``LookupError``. RFC 3986, sections 2.1 to 2.4 and 3; URL Standard, section 1.3.
    """
    if plus and place.plus is None:
        raise ValueError(f"a plus is no space in a {place.value}; leave it to be written %20")
    octets = octets_of(text, charset)
    if plus or (plus is None and place.plus):
        return _octets.percent_encode(octets, place.keep | {0x20}).replace(b" ", b"+").decode()
    return _octets.percent_encode(octets, place.keep).decode()


def percent_encode(text: str, *, escaping: Characters = COMPONENT_SET) -> str:
    r"""Escape in UTF-8 those characters of text that are in the set, and no others.

    This is the URL Standard's own building block. If the set lacks ``%``, what comes out cannot be
    told from text that held escapes; :func:`encode_component` is for data.

    >>> from postel.uri import QUERY_SET
    >>> percent_encode("‾\\ |", escaping=QUERY_SET)
    '%E2%80%BE\\%20|'

    A code point that is no character is a :class:`DecodeError`. URL Standard, section 1.3 (UTF-8
    percent-encode a string).
    """
    octets_of(text)
    if not escaping:
        return text
    return re.sub(
        pattern_of(escaping),
        lambda match: _octets.percent_encode(match[0].encode(), frozenset()).decode(),
        text,
    )


def decode_component(
    raw: str, *, plus: bool = False, errors: Errors = "strict", charset: str = "utf-8"
) -> str:
    """Read one component of a URL: every escape is decoded, once, and what it means must be text.

    Characters that stand bare are read as themselves, outside ASCII too (an IRI's component).
    ``plus`` reads a bare ``+`` as a space: right for queries and forms, wrong for paths.

    >>> decode_component("Fran%C3%A7ois"), decode_component("a+b%2B", plus=True)
    ('François', 'a b+')
    >>> decode_component("caf%C0%AF")
    Traceback (most recent call last):
    postel.uri.DecodeError: ill-formed-utf8 (overlong) at 3: '%C0%AF'
    >>> decode_component("50% off")
    Traceback (most recent call last):
    postel.uri.DecodeError: malformed-escape at 2: '% o'

    With ``errors="replace"`` each maximal subpart of an ill-formed sequence becomes one U+FFFD, and
    so does each ``%`` that begins no escape and each lone surrogate; with ``"drop"`` they go.
    Neither lets what stood on both sides join into an escape or a character that is then decoded.

    >>> decode_component("%%FF41", errors="drop"), decode_component("%E2%82x", errors="replace")
    ('41', '\ufffdx')

    What is dropped no longer parts its neighbours: ``.%FF.`` reads ``..``. Judge the text that
    comes out, or replace instead (Unicode, UTR #36, section 3.5).

    In strict mode a fault is a :class:`DecodeError`, the first one from the left. An unknown
    charset is a ``LookupError``, and an unknown ``errors`` a ``ValueError``. RFC 3986, section 2.1;
    RFC 3629, section 3; Unicode, section 3.9.
    """
    return decode_at(raw, 0, plus=plus, errors=errors, charset=charset)


def decode_at(raw: str, origin: int, *, plus: bool, errors: Errors = "strict", charset: str = "utf-8") -> str:
    """Decode a component that stands at ``origin`` in a longer text, of which errors then tell."""
    if errors not in _HANDLERS:
        raise ValueError(f"errors is {errors!r}; it can be 'strict', 'drop' or 'replace'")
    handler = _HANDLERS[errors]
    spaced = raw.replace("+", " ") if plus else raw
    if errors != "strict":
        # Cut where no octet is meant, so that nothing joins across the cut.
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
    _decode(spaced[:start], origin, handler, charset)  # its faults come first
    if fault[0] == "%":
        raise DecodeError("malformed-escape", origin + start, raw[start : start + 3])
    raise DecodeError("lone-surrogate", origin + start, fault[0])


def _decode(part: str, origin: int, handler: str, charset: str) -> str:
    """Decode text in which every ``%`` begins an escape and every code point is a character."""
    if codecs.lookup(charset).name == "utf-8":
        return _decode_octets(part.encode(), origin, handler, charset)
    # Characters that no octets stand for are no charset's to judge. ASCII is: a legacy charset may
    # use an ASCII octet as the second of two (`%83z` in Shift_JIS).
    return _ASCII_RUN.sub(
        lambda run: _decode_octets(run[0].encode(), origin + run.start(), handler, charset), part
    )


def _decode_octets(spelled: bytes, origin: int, handler: str, charset: str) -> str:
    octets = percent_decode(spelled)
    try:
        return octets.decode(charset, handler)
    except UnicodeDecodeError as error:
        start, end = error.start, error.end
        what, detail = "undecodable", ""
        if match := _ILL_FORMED.match(octets, start) if error.encoding == "utf-8" else None:
            what, detail = "ill-formed-utf8", ILL_FORMED[(match.lastindex or 0) - 1][0]
            end = match.end()
        before = spelled[: _spelled_offset(spelled, start)]
        excerpt = spelled[len(before) : _spelled_offset(spelled, end)].decode()
        raise DecodeError(what, origin + len(before.decode()), excerpt, detail) from error
    except UnicodeError as error:  # idna, punycode and undefined do not say where
        raise DecodeError("undecodable", origin, spelled.decode()) from error


def _spelled_offset(spelled: bytes, index: int) -> int:
    """Where the octet stands that is decoded to the one at ``index``."""
    saved = 0
    for escape in ESCAPE.finditer(spelled):
        if escape.start() - saved >= index:
            break
        saved += 2
    return index + saved
