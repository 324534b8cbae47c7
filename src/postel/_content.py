"""Content-Type: whether a body is a form, and in which charset it says to be.

Fields that one reader takes for a form and another does not are refused: two of them, one with a comma in it,
one that is no media type any more behind the name of the form's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

from postel._regex import compiled

FORM_TYPE: Final = b"application/x-www-form-urlencoded"
_TOKEN: Final = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]++"  # RFC 9110, section 5.6.2
_NAMED: Final = re.compile(
    rb"(?:\A|,)[ \t]*+" + re.escape(FORM_TYPE) + rb"(?![!#$%&'*+.^_`|~0-9A-Za-z/-])", re.IGNORECASE
)
"""Where the form's type is named as one: in front, or where a joined field would begin."""
_FRONT: Final = re.compile(rb"[ \t]*+" + re.escape(FORM_TYPE) + rb"[ \t]*+", re.IGNORECASE)
_PARAMETER: Final = compiled(
    rb";[ \t]*+(?:(" + _TOKEN + rb")=(?:(" + _TOKEN + rb')|"((?:[^"\\]|\\.)*+)"))?+[ \t]*+'
)
"""RFC 9110, section 5.6.6."""
_USUAL: Final = re.compile(re.escape(FORM_TYPE) + rb"(?:; ?charset=utf-8)?", re.IGNORECASE)
_SPOKEN: Final = frozenset({b"", b"identity"})


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


def concerns_form(content_type: bytes) -> bool:
    """Whether a Content-Type names a form at all, however it goes on.

    >>> concerns_form(b"application/x-www-form-urlencoded;x"), concerns_form(b"application/json")
    (True, False)
    """
    return _NAMED.search(content_type) is not None


def form_type(types: Sequence[bytes], encodings: Sequence[bytes]) -> FormType | None:
    """What the Content-Type and Content-Encoding fields say; ``None`` where the body is no form.

    >>> form_type([b'Application/X-WWW-Form-Urlencoded; charset="UTF-8"'], [])
    FormType(charset='utf-8', fault='', usual=False)
    """
    if not any(map(concerns_form, types)):
        return None
    front = _FRONT.match(types[0])
    if len(types) > 1 or front is None:
        return FormType(fault="more than one Content-Type")
    charsets: set[str] = set()
    position = front.end()
    while match := _PARAMETER.match(types[0], position):
        position = match.end()
        name, token, quoted = match.groups()
        if name is not None and name.lower() == b"charset":
            value = token if quoted is None else re.sub(rb"\\(.)", rb"\1", quoted)
            charsets.add(value.decode("latin-1").strip().lower())
    if position < len(types[0]):
        return FormType(fault="no Content-Type that ends as one")
    if len(charsets) > 1:
        return FormType(fault="two charsets")
    if any(each.strip().lower() not in _SPOKEN for each in encodings):
        return FormType(fault="a Content-Encoding")
    charset = next(iter(charsets), "")
    return FormType(charset, usual=not charset or _USUAL.fullmatch(types[0]) is not None)
