"""Parse Content-Type strictly, and decide whether a body is a form.

Readers guess what a malformed media type means, each in its own way: they strip blanks and controls, accept
wildcards, or split at commas. This module accepts only what all of them read in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, final

from postel._alphabet.regex import compiled

FORM_TYPE: Final = b"application/x-www-form-urlencoded"
FORM_TYPES: Final = frozenset({FORM_TYPE, b"application/x-url-encoded"})
"""The types that supported frameworks read as a form; the second one in Quart, and in Werkzeug before 2.3."""
MULTIPART: Final = b"multipart/"
"""The beginning of the types of multipart forms. Bottle and Django REST framework accept any subtype."""
NAMES_OF_UTF8: Final = frozenset({b"utf-8", b"utf8"})
"""The names of UTF-8 that are accepted for JSON and multipart forms, in lower case."""
LONGEST: Final = 1024
"""The most octets of a Content-Type that are parsed. Newer versions of Django fail at more than 10,000."""

_TYPE: Final = re.compile(rb"[!#$%&'+.^_`|~0-9A-Za-z-]++/[!#$%&'+.^_`|~0-9A-Za-z-]++")
"""A media type: RFC 9110, section 8.3.1, without asterisks, which some readers take for wildcards."""
_TOKEN: Final = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]++"  # RFC 9110, section 5.6.2
_QUOTED: Final = rb'"(?:[ !#-\x5b\x5d-~]|\\[ -~])*+"'
"""A quoted string of printable ASCII: RFC 9110, section 5.6.4."""
_PARAMETER: Final = compiled(
    rb"[ \t]*+;[ \t]*+(?:(" + _TOKEN + rb")=(?:(" + _TOKEN + rb")|(" + _QUOTED + rb")))?+"
)
"""A parameter, which may be empty: RFC 9110, section 5.6.6."""
_ESCAPED: Final = re.compile(rb"\\(.)")
_END: Final = re.compile(rb"[ \t]*+\Z")
_BOUNDARY: Final = re.compile(rb"[ -~]{1,201}+(?<! )")
"""The boundaries that Django and Python's ``cgi`` accept. RFC 2046, section 5.1.1, allows fewer."""
_ORDINARY: Final = compiled(re.escape(FORM_TYPE) + rb"(?:; ?(?i:charset=utf-8))?+")
"""A Content-Type that every framework reads as a form in UTF-8. A boundary would make Litestar read parts."""
_NAMES_FORM: Final = re.compile(rb"x-www-form-urlencoded|x-url-encoded|multipart/", re.IGNORECASE)
_UNCODED: Final = frozenset({b"", b"identity"})
"""The values of Content-Encoding that do not encode the body."""
_COMMON: Final = (
    rb"[0-9A-Za-z.+_-]{1,99}/[0-9A-Za-z.+_-]{1,99}"
    rb"(?:; ?(?:charset=utf-8|boundary=[0-9A-Za-z'+._-]{1,70}))?"
)


class Parameter(NamedTuple):
    """One parameter, and the place of its value in the field."""

    name: bytes
    """The name, in lower case."""
    value: bytes
    start: int
    end: int
    unsure: bool
    """Whether a lax reader could end the value early, because it has a ``;`` or a backslash within quotes."""


@final
@dataclass(frozen=True, slots=True)
class ContentType:
    """The Content-Type fields of a request, parsed."""

    received: bytes = b""
    """The fields, joined by commas as some readers do; empty if there is none."""
    media: bytes = b""
    """Type and subtype in lower case; empty unless all readers read the same ones."""
    parameters: tuple[Parameter, ...] = ()
    fault: str = ""
    """Why the field is not a plain media type, in fixed words; empty if it is one."""
    written: bytes = b""
    """The field without empty parameters, on which Bottle fails. Empty if it is malformed or absent."""

    @property
    def is_form(self) -> bool:
        """Whether some framework reads the body as an urlencoded form."""
        return self.media in FORM_TYPES

    @property
    def is_multipart(self) -> bool:
        """Whether some framework reads the body as a multipart form."""
        return self.media.startswith(MULTIPART)

    @property
    def lacks_boundary(self) -> bool:
        """Whether the type is multipart without a usable boundary."""
        named = [each.value for each in self.parameters if each.name == b"boundary"]
        return self.is_multipart and not (named and all(map(_BOUNDARY.fullmatch, named)))

    @property
    def flaw(self) -> str:
        """Why readers fail or disagree about the field, in fixed words; empty if they do not."""
        return self.fault or ("multipart without a boundary" if self.lacks_boundary else "")

    @property
    def passed_on(self) -> bytes:
        """The Content-Type to hand on for a body that is missing or is not a form."""
        return b"" if self.flaw else self.written

    @property
    def seems_form(self) -> bool:
        """Whether the field names a form after its media type, where Falcon can be configured to find it."""
        named = len(_NAMES_FORM.findall(self.received))
        return named > (self.is_form or self.is_multipart)


@final
@dataclass(frozen=True, slots=True)
class FormType:
    """What the header fields of a request say about its form."""

    charset: str = ""
    """The label of the charset in lower case; empty if none is named."""
    fault: str = ""
    """Why the form cannot be read reliably, in fixed words; empty if it can."""
    usual: bool = True
    """Whether every framework reads the received Content-Type as a form in UTF-8."""
    written: bytes = FORM_TYPE
    """The Content-Type that every framework reads as a form in UTF-8."""


def content_type(fields: Sequence[bytes], merged: bytes = b"") -> ContentType:
    """Read the Content-Type fields of a request; an empty field counts as none.

    ``merged`` is the value of fields named ``Content_Type``, which WSGI-like interfaces show as
    ``HTTP_CONTENT_TYPE``. Some readers use it, so a value that differs counts as a second field.

    >>> content_type([b'Text/Plain; charset="UTF-8"']).media, content_type([b"*/*"]).fault
    (b'text/plain', 'not a plain media type')
    >>> content_type([], FORM_TYPE).fault
    'more than one'
    """
    if merged and [*fields] != [merged]:
        fields = [*(fields or [b""]), merged]
    received = b",".join(fields)
    if not received:
        return ContentType()
    if len(fields) > 1:
        return ContentType(received, fault="more than one")
    if len(received) > LONGEST:
        return ContentType(received, fault="too long")
    front = _TYPE.match(received)
    if front is None:
        return ContentType(received, fault="not a plain media type")
    parameters: list[Parameter] = []
    written = front.group()
    position = front.end()
    while match := _PARAMETER.match(received, position):
        position = match.end()
        if match[1] is not None:
            parameters.append(_parameter(match))
            written += match.group()
    # Falcon splits the field at every comma, even in quotes, so it may find a form or a wildcard there.
    named = b"," in received and (b"*" in received or _NAMES_FORM.search(received) is not None)
    if named or _END.match(received, position) is None:
        return ContentType(received, fault="not a plain media type")
    return ContentType(received, front.group().lower(), tuple(parameters), written=written)


def form_type(declared: ContentType, encodings: Sequence[bytes]) -> FormType | None:
    """Read a Content-Type and the Content-Encoding fields; ``None`` if the body is not a form.

    >>> form_type(content_type([b'Application/X-WWW-Form-Urlencoded; charset="UTF-8"']), [])
    FormType(charset='utf-8', fault='', usual=False, written=b'application/x-www-form-urlencoded')
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
    if is_coded(encodings):
        return FormType(fault="a Content-Encoding")
    charset = next(iter(charsets), "")
    usual = charset in {"", "utf-8"} and _ORDINARY.fullmatch(declared.received) is not None
    return FormType(charset, usual=usual)


def is_coded(encodings: Sequence[bytes]) -> bool:
    """Whether the Content-Encoding fields say that a body is coded. WSGI servers join them by commas.

    >>> is_coded([b"identity", b""]), is_coded([b"identity, identity"]), is_coded([b"identity,gzip"])
    (False, False, True)
    """
    return any(each.strip().lower() not in _UNCODED for each in b",".join(encodings).split(b","))


def proof(*, of_forms: bool, of_json: Iterable[str] | None = None) -> Callable[[bytes], object]:
    """Return a function that proves common spellings of Content-Type harmless.

    With ``of_forms``, it also proves that the body is not a form; with ``of_json``, which lists further JSON
    types, that it is not JSON.

    >>> bool(proof(of_forms=True)(b"application/json")), bool(proof(of_forms=True)(FORM_TYPE))
    (True, False)
    """
    # For both: (?!.*(?:x-www-form-urlencoded|...|multipart/))(?!.*(?:json))(?!multipart/(?!.*boundary=))...
    other = rb"(?!.*(?:" + _NAMES_FORM.pattern + rb"))" if of_forms else b""
    if of_json is not None:
        other += (
            rb"(?!.*(?:" + rb"|".join([b"json", *(re.escape(each.encode()) for each in of_json)]) + rb"))"
        )
    other += rb"(?!multipart/(?!.*boundary=))"
    return re.compile(other + _COMMON, re.IGNORECASE).fullmatch


def _parameter(match: re.Match[bytes]) -> Parameter:
    name, token, quoted = match.groups()
    if quoted is None:
        return Parameter(name.lower(), token, *match.span(2), unsure=False)
    unsure = b";" in quoted or b"\\" in quoted
    return Parameter(name.lower(), _ESCAPED.sub(rb"\1", quoted[1:-1]), *match.span(3), unsure=unsure)
