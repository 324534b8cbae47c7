"""Content-Type: what it says of a body, read strictly, and whether a body is a form.

Readers guess at what is no plain media type, each in its own way: they strip blanks and controls, take
wildcards, split at commas. So only what all of them read alike is read here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, final

from postel._regex import compiled

FORM_TYPE: Final = b"application/x-www-form-urlencoded"
FORM_TYPES: Final = frozenset({FORM_TYPE, b"application/x-url-encoded"})
"""What supported frameworks read as a form; the second is Quart's and Werkzeug's before 2.3."""
MULTIPART: Final = b"multipart/"
"""How the other forms begin: Bottle and Django REST framework take any subtype."""
LONGEST: Final = 1024
"""The most octets that are read; of more than 10,000 newer versions of Django raise."""

_TYPE: Final = re.compile(rb"[!#$%&'+.^_`|~0-9A-Za-z-]++/[!#$%&'+.^_`|~0-9A-Za-z-]++")
"""RFC 9110, section 8.3.1, without asterisks: wildcards are of Accept, and some readers take them here."""
_TOKEN: Final = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]++"  # RFC 9110, section 5.6.2
_QUOTED: Final = rb'"(?:[ !#-\x5b\x5d-~]|\\[ -~])*+"'
"""RFC 9110, section 5.6.4, in printable ASCII."""
_PARAMETER: Final = compiled(
    rb"[ \t]*+;[ \t]*+(?:(" + _TOKEN + rb")=(?:(" + _TOKEN + rb")|(" + _QUOTED + rb")))?+"
)
"""RFC 9110, section 5.6.6."""
_END: Final = re.compile(rb"[ \t]*+\Z")
_BOUNDARY: Final = re.compile(rb"[ -~]{1,201}+(?<! )")
"""What Django and Python's ``cgi`` take; RFC 2046, section 5.1.1, has fewer characters, and 70 at most."""
_ORDINARY: Final = compiled(re.escape(FORM_TYPE) + rb"(?:; ?[0-9A-Za-z._-]++=" + _TOKEN + rb")*+")
"""A form's type as every framework takes it: some compare the case, do not strip, or read ``charset*=``."""
_NAMES_FORM: Final = re.compile(rb"x-www-form-urlencoded|x-url-encoded|multipart/", re.IGNORECASE)
_SPOKEN: Final = frozenset({b"", b"identity"})
_COMMON: Final = (
    rb"[0-9A-Za-z.+_-]{1,99}/[0-9A-Za-z.+_-]{1,99}"
    rb"(?:; ?(?:charset=utf-8|boundary=[0-9A-Za-z'+._-]{1,70}))?"
)


class Parameter(NamedTuple):
    """One parameter, and where its value stands in the field."""

    name: bytes
    """In lower case."""
    value: bytes
    start: int
    end: int
    unsure: bool
    """Whether a lax reader could end it elsewhere: there is a ``;`` or a backslash within quotes."""


@final
@dataclass(frozen=True, slots=True)
class ContentType:
    """What the Content-Type fields of a request say."""

    received: bytes = b""
    """The fields, joined by commas, as some readers do; empty where there is none."""
    media: bytes = b""
    """Type and subtype in lower case; empty where there is none, or none that all readers take alike."""
    parameters: tuple[Parameter, ...] = ()
    fault: str = ""
    """Why it is no plain media type, in fixed words; empty where all is well."""
    written: bytes = b""
    """The media type without empty parameters, of which Bottle raises; empty where there is none."""

    @property
    def is_form(self) -> bool:
        """Whether some framework reads the body as a form of pairs."""
        return self.media in FORM_TYPES

    @property
    def is_multipart(self) -> bool:
        """Whether some framework reads the body as a form of parts."""
        return self.media.startswith(MULTIPART)

    @property
    def lacks_boundary(self) -> bool:
        """Whether it is of a form of parts, and nobody can tell what stands between them."""
        named = [each.value for each in self.parameters if each.name == b"boundary"]
        return self.is_multipart and not (named and all(map(_BOUNDARY.fullmatch, named)))

    @property
    def flaw(self) -> str:
        """Why readers fail at it, or differ in what it is, in fixed words; empty where all is well."""
        return self.fault or ("multipart without a boundary" if self.lacks_boundary else "")

    @property
    def handed(self) -> bytes:
        """What every reader takes alike beside no body, or one that is no form."""
        return b"" if self.flaw else self.written

    @property
    def seems_form(self) -> bool:
        """Whether it names a form where it names none: Falcon can be told to look for the words anywhere."""
        named = len(_NAMES_FORM.findall(self.received))
        return named > (self.is_form or self.is_multipart)


@final
@dataclass(frozen=True, slots=True)
class FormType:
    """What the fields of a request say of its form."""

    charset: str = ""
    """The label of the charset, in lower case; empty where none is named."""
    fault: str = ""
    """Why nobody can tell what the form is, in fixed words; empty where all is well."""
    usual: bool = True
    """Whether it is written so that every framework takes it for a form in UTF-8."""


def content_type(fields: Sequence[bytes]) -> ContentType:
    """Read the Content-Type fields of a request; one that is empty is none.

    >>> content_type([b'Text/Plain; charset="UTF-8"']).media, content_type([b"*/*"]).fault
    (b'text/plain', 'no plain media type')
    """
    received = b",".join(fields)
    if not received:
        return ContentType()
    if len(fields) > 1:
        return ContentType(received, fault="more than one")
    if len(received) > LONGEST:
        return ContentType(received, fault="too long")
    front = _TYPE.match(received)
    if front is None:
        return ContentType(received, fault="no plain media type")
    parameters: list[Parameter] = []
    written = front.group()
    position = front.end()
    while match := _PARAMETER.match(received, position):
        position = match.end()
        if match[1] is not None:
            parameters.append(_parameter(match))
            written += match.group()
    # Falcon splits at commas, quoted or not, and finds a form behind one.
    named = b"," in received and (b"*" in received or _NAMES_FORM.search(received) is not None)
    if named or _END.match(received, position) is None:
        return ContentType(received, fault="no plain media type")
    return ContentType(received, front.group().lower(), tuple(parameters), written=written)


def form_type(declared: ContentType, encodings: Sequence[bytes]) -> FormType | None:
    """What a Content-Type and the Content-Encoding fields say; ``None`` where the body is no form.

    >>> form_type(content_type([b'Application/X-WWW-Form-Urlencoded; charset="UTF-8"']), [])
    FormType(charset='utf-8', fault='', usual=False)
    """
    if not declared.is_form:
        return None
    charsets = {
        each.value.decode("latin-1").strip().lower()
        for each in declared.parameters
        if each.name == b"charset"
    }
    if len(charsets) > 1:
        return FormType(fault="two charsets", usual=False)
    if any(each.strip().lower() not in _SPOKEN for each in encodings):
        return FormType(fault="a Content-Encoding")
    charset = next(iter(charsets), "")
    usual = charset in {"", "utf-8"} and _ORDINARY.fullmatch(declared.received) is not None
    return FormType(charset, usual=usual)


def proof(*, of_forms: bool) -> Callable[[bytes], object]:
    """What finds of a common Content-Type that there is nothing to judge; with forms, that it is none.

    >>> bool(proof(of_forms=True)(b"application/json")), bool(proof(of_forms=True)(FORM_TYPE))
    (True, False)
    """
    other = rb"(?!.*(?:" + _NAMES_FORM.pattern + rb"))" if of_forms else b""
    other += rb"(?!multipart/(?!.*boundary=))"
    return re.compile(other + _COMMON, re.IGNORECASE).fullmatch


def _parameter(match: re.Match[bytes]) -> Parameter:
    name, token, quoted = match.groups()
    if quoted is None:
        return Parameter(name.lower(), token, *match.span(2), unsure=False)
    unsure = b";" in quoted or b"\\" in quoted
    return Parameter(name.lower(), re.sub(rb"\\(.)", rb"\1", quoted[1:-1]), *match.span(3), unsure=unsure)
