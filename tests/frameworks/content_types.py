"""Content types of bodies, as servers hand them over: plain ones, and those that only some readers accept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FORM: Final = b"application/x-www-form-urlencoded"
MULTIPART: Final = b"multipart/form-data"
BOUNDARY: Final = b"; boundary=X"

URLENCODED: Final = b"a=1&f=x%00y&u=%2BAAA-"
"""A form with NUL in two of its fields: one is percent-encoded, one is in UTF-7."""
PARTS: Final = b'--X\r\nContent-Disposition: form-data; name="f"\r\n\r\nx\0y\r\n--X--\r\n'
"""A form of one part, with NUL in its field."""


@dataclass(frozen=True)
class ContentType:
    """The Content-Type fields of a request, and the body that is sent with them."""

    name: str
    fields: tuple[bytes, ...]
    body: bytes = URLENCODED

    @property
    def on_wsgi(self) -> str | None:
        """Return the one value that a WSGI server hands over, if any. Of two, gunicorn uses the last."""
        return self.fields[-1].decode("latin-1") if self.fields else None


def _typed(name: str, *fields: bytes) -> ContentType:
    return ContentType(name, fields)


def _parts(name: str, *fields: bytes) -> ContentType:
    return ContentType(name, fields, PARTS)


_AROUND: Final = {
    "NBSP": b"\xa0",
    "NBSP in UTF-8": b"\xc2\xa0",
    "NEL": b"\x85",
    "NEL in UTF-8": b"\xc2\x85",
    "VT": b"\x0b",
    "FF": b"\x0c",
    "FS": b"\x1c",
    "US": b"\x1f",
}
"""Characters that ``str.strip`` removes, but that are not whitespace in RFC 9110, section 5.6.3."""

CONTENT_TYPES: Final = [
    # Plain types.
    _typed("the form", FORM),
    _typed("upper case", FORM.upper()),
    _typed("mixed case", b"Application/X-WWW-Form-URLencoded"),
    _typed("charset=utf-8", FORM + b"; charset=utf-8"),
    _typed("charset=utf-8, quoted", FORM + b';charset="UTF-8"'),
    _typed("a semicolon at the end", FORM + b";"),
    _typed("a parameter", FORM + b"; x=y"),
    _typed("text/plain", b"text/plain"),
    _typed("JSON", b"application/json"),
    _typed("+json", b"application/vnd.api+json"),
    _typed("octets", b"application/octet-stream"),
    _typed("absent"),
    _typed("empty", b""),
    # White space, and what some readers read as white space.
    *(_typed(f"{name} in front", each + FORM) for name, each in _AROUND.items()),
    *(_typed(f"{name} at the end", FORM + each) for name, each in _AROUND.items()),
    _typed("NBSP after the slash", b"application/\xa0x-www-form-urlencoded"),
    _typed("FS in front of the slash", b"application\x1c/x-www-form-urlencoded"),
    _typed("VT in front of a parameter", FORM + b"\x0b; charset=utf-8"),
    _typed("a space in front", b" " + FORM),
    _typed("a tab at the end", FORM + b"\t"),
    _typed("a space alone", b" "),
    _typed("an empty folded line", b"\r\n " + FORM),
    _typed("an empty folded line, LF alone", b"\n\t" + FORM),
    _typed("folded in front of a parameter", FORM + b";\r\n x=y"),
    _typed("blanks around the slash", b"application / x-www-form-urlencoded"),
    _typed("a blank in front of the slash", b"application /x-www-form-urlencoded"),
    _typed("a blank after the slash", b"application/ x-www-form-urlencoded"),
    _typed("NUL in front", b"\0" + FORM),
    # Other names of a form.
    _typed("x-url-encoded", b"application/x-url-encoded"),
    _typed("x-url-encoded, upper case", b"APPLICATION/X-URL-ENCODED; charset=utf-8"),
    _typed("any type", b"*/*"),
    _typed("any application", b"application/*"),
    _typed("any type of forms", b"*/x-www-form-urlencoded"),
    _typed("any type, in capitals", b"*/X-WWW-FORM-URLENCODED; x=y"),
    _typed("no type", b"x-www-form-urlencoded"),
    _typed("a third part", FORM + b"/x"),
    # Several fields, and unclosed quotes.
    _typed("a comma, the form first", FORM + b", text/plain"),
    _typed("a comma, the form last", b"text/plain, " + FORM),
    _typed("the form twice", FORM + b"," + FORM),
    _typed("two fields, the form first", FORM, b"text/plain"),
    _typed("two fields, the form last", b"text/plain", FORM),
    _typed("in quotes", b'"' + FORM + b'"'),
    _typed("a quote that is not closed", FORM + b'; x="'),
    _typed("MIME's continuation", FORM + b"; charset*0=utf; charset*1=-7"),
    # Charsets.
    *(
        _typed(f"charset={each.decode()}", FORM + b"; charset=" + each)
        for each in (b"utf-7", b"utf-16", b"punycode", b"rot13", b"undefined", b"iso-8859-1", b"latin-1")
    ),
    _typed("charset*=", FORM + b"; charset*=BOGUS''x"),
    _typed("NUL in a charset", FORM + b"; charset=utf\0-8"),
    _typed("text/plain in UTF-7", b"text/plain; charset=utf-7"),
    # Multipart.
    _parts("multipart", MULTIPART + BOUNDARY),
    _parts("multipart, quoted", MULTIPART + b'; boundary="X"'),
    _parts("multipart, mixed case", b"Multipart/Form-Data" + BOUNDARY),
    _parts("multipart, NBSP in front", b"\xa0" + MULTIPART + BOUNDARY),
    _parts("multipart, FS in front", b"\x1c" + MULTIPART + BOUNDARY),
    _parts("multipart, blanks around the slash", b"multipart / form-data" + BOUNDARY),
    _parts("multipart, a continued boundary", MULTIPART + b"; boundary*0=X"),
    _parts("multipart, any subtype", b"multipart/*" + BOUNDARY),
    _parts("multipart, two fields", b"text/plain", MULTIPART + BOUNDARY),
    _parts("multipart without a boundary", MULTIPART),
    _parts("multipart/mixed", b"multipart/mixed" + BOUNDARY),
]
