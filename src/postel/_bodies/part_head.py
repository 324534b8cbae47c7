"""Read the header fields of a part: accept what all parsers read in the same way, and write it canonically.

This is RFC 7578, section 4, without its options: no folded fields, no parameters except ``name`` and
``filename``, no encodings.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple, final

from postel._alphabet.percent import percent_decode
from postel._alphabet.regex import compiled
from postel._bodies.content_type import NAMES_OF_UTF8
from postel._bodies.form_part import CRLF, OTHER_CHARSET, Fault, FormPart, Value
from postel._catalogue.finding import EXCERPT
from postel._catalogue.kinds import Kind

LONGEST_HEADER: Final = 4096
"""The most octets of all header fields of a part as received. Starlette limits one field to 4096."""
_LONGEST_HEAD: Final = 1018
"""The most octets of all header fields as rewritten: Django reads 1024, including three line ends."""
_FIELD: Final = compiled(rb"([0-9A-Za-z-]++):[ \t]?+([^\x00-\x1f\x7f]*+)")
"""A header field. Bottle reads ``_`` in a name as a hyphen, and Litestar refuses other punctuation."""
_PARAMETER: Final = compiled(
    rb"[ ]?;[ ]?([A-Za-z*-]++)="
    rb'(?:"((?:[^"\\]|\\"|\\[^"A-Za-z0-9\\\x80-\xff])*+)"|([!#-+.^_`|~0-9A-Za-z-]++))'
)
r"""A parameter of Content-Disposition. A quoted Windows path, such as ``"C:\a"``, does not match."""
_ENDING: Final = b'\\"; '
"""Octets at which Litestar 2.12.1 and older end a value. Other readers see an escaped quote and go on."""
_CUT: Final = frozenset({b"creation-date", b"modification-date", b"read-date", b"size"})
"""The parameters of RFC 2183 that no framework reads. They are removed."""
_DATE: Final = compiled(rb"[0-9A-Za-z:+, -]*+")
_NEEDLESS: Final = re.compile(rb'\\([^"])')
"""A backslash before an octet that needs no escape."""
_ESCAPED_UNIT: Final = compiled(rb"%..|.", re.DOTALL)
"""Matches what stands for one octet in a value of ``filename*``."""
_TOKEN: Final = compiled(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]++")
"""An unquoted value: RFC 9110, section 5.6.2. Werkzeug and Litestar end any other unquoted value early."""
_EXTENDED: Final = compiled(rb"(?i:utf-8)'[A-Za-z-]*+'((?:[!#$&'()*+.^_`|~0-9A-Za-z-]|%[0-9A-Fa-f]{2})++)")
"""A value of ``filename*``: RFC 8187, section 3.2.1, or made by JavaScript's ``encodeURIComponent``."""
_MEDIA: Final = rb"[!#$&^_.+0-9A-Za-z-]++/[!#$&^_.+0-9A-Za-z-]++"
_TYPE: Final = compiled(_MEDIA + rb"(?:; ?[a-z]++=[!-:<-~]++)*+")
_FILE_TYPE: Final = compiled(_MEDIA + rb'(?:; ?[a-z]++=(?:"[ !#-:<-\[\]-~]*+"|[!-:<-~]++))*+')
"""Like ``_TYPE``, but a quoted value may hold blanks, like the ``codecs`` of a recording."""
_CONTROL: Final = compiled(rb"[\x00-\x1f\x7f]")
_OF_BODIES: Final = (b"multipart/", b"application/x-www-form-urlencoded")
"""Types of parts that Pyramid parses again."""
_PLAIN: Final = compiled(rb"(?i:text/plain)(?=;|\Z)")
"""The type of a text. Falcon reads the text of a part only if its type is spelled ``text/plain``."""
_CHARSET: Final = compiled(rb'; ?(?i:charset)=("?)([0-9A-Za-z_.:-]++)\1\Z')
CHARSETS_OF_ASCII: Final = frozenset(
    {b"us-ascii", b"ascii", b"iso-8859-1", b"iso8859-1", b"iso-8859-15", b"iso8859-15", b"windows-1252"}
)
"""Charsets that clients name for texts, and in which ASCII text is the same as in UTF-8."""
_DISPOSITION: Final = b"content-disposition"
_PLAIN_CODINGS: Final = frozenset({b"7bit", b"8bit", b"binary"})


@final
class _Field(NamedTuple):
    """A header field of a part."""

    value: bytes
    at: int
    """Where its value begins."""
    spelled: bytes
    """The name as received."""


def read_head(sent: bytes, start: int, most: int) -> FormPart | Fault:
    r"""Read the header fields of a part, which begin at ``start``; more than ``most`` fields are refused.

    >>> read_head(b"content-disposition: form-data; name=a", 5, 8).head
    b'Content-Disposition: form-data; name="a"'
    """
    fields = _fields(sent, start, most)
    if isinstance(fields, Fault):
        return fields
    named = _disposition(sent, start, *fields[_DISPOSITION][:2])
    if isinstance(named, Fault):
        return named
    kept: list[bytes] = []
    for name, field in fields.items():
        written = named.head if name == _DISPOSITION else _other(name, field, named)
        if isinstance(written, Fault):
            return written
        kept += [written] if written else []
    if named.filename == b"" and b"charset" in fields.get(b"content-type", (b"",))[0].lower():
        return _fault(start, sent, "a charset in a file field without a file, on which Pyramid fails")
    head = CRLF.join(kept)
    named.head = sent if sent == head else head
    if len(named.head) > _LONGEST_HEAD:
        return _fault(start, sent, "header fields of more than 1,018 octets, on which Django fails")
    if b"content-length" in fields:
        named.length, named.length_at, _ = fields[b"content-length"]
    return named


def _fault(at: int, octets: bytes, detail: str, kind: Kind = Kind.PART_HEADER) -> Fault:
    return Fault(kind, at, detail, octets[:EXCERPT])


def _fields(block: bytes, start: int, most: int) -> dict[bytes, _Field] | Fault:
    """The header fields of a block by lower-case name; a Content-Disposition is required."""
    fields: dict[bytes, _Field] = {}
    place = start
    lines = block.split(CRLF)
    if len(lines) > most:
        return _fault(start, block, "too many header fields")
    for line in lines:
        match = _FIELD.fullmatch(line)
        name = match[1].lower() if match else b""
        if match is None or name in fields:
            return _fault(place, line, "a malformed or repeated header field")
        fields[name] = _Field(match[2].rstrip(b" "), place + match.start(2), match[1])
        place += len(line) + len(CRLF)
    return fields if _DISPOSITION in fields else _fault(start, block, "no Content-Disposition")


def _disposition(sent: bytes, start: int, value: bytes, at: int) -> FormPart | Fault:
    """Create a part from its Content-Disposition; the other header fields are read later."""
    kind, place = value[:9], 9
    if kind.lower() != b"form-data":
        return _fault(at, value, "a disposition that is not form-data")
    found: dict[bytes, Value] = {}
    bare: dict[bytes, Fault] = {}
    while (match := _PARAMETER.match(value, place)) and _ENDING not in (spelled := _spelled(match)):
        name, quoted, token = match[1].lower(), match[2], match[3]
        is_cut = name in _CUT and _DATE.fullmatch(match[2] or match[3] or b"")
        if name in found or not (is_cut or name in {b"name", b"filename", b"filename*"}):
            detail = "an unknown or repeated parameter"
            return _fault(at + match.start(1), value[match.start(1) :], detail)
        if token is not None and name != b"filename*" and not _TOKEN.fullmatch(token):
            bare[name] = _fault(at + match.start(3), token, "a value that needs quotes")
        begin, end = match.span(3 if quoted is None else 2)
        found[name] = Value(spelled, at + begin, end - begin)
        place = match.end()
    rest = value[place:]
    if rest or b"name" not in found:
        malformed = (
            "a backslash, which readers undo in different ways" if b"\\" in rest else "a malformed parameter"
        )
        return _fault(at + place if rest else at, rest or value, malformed if rest else "no name parameter")
    if b"filename*" in found:
        bare.pop(b"filename", None)  # _filename refuses a filename* that names another file
    for fault in bare.values():
        return fault
    filename, name = _filename(found, value, at), found[b"name"]
    if isinstance(filename, Fault):
        return filename
    head = b'Content-Disposition: form-data; name="' + name.octets + b'"'
    if filename is not None:
        head += b'; filename="' + filename.octets + b'"'
    return FormPart(start, sent, head, name, filename)


def _spelled(match: re.Match[bytes]) -> bytes:
    """The value of a parameter, with the escapes that it needs."""
    return match[3] if match[2] is None else _NEEDLESS.sub(rb"\1", match[2])


def _filename(found: dict[bytes, Value], field: bytes, start: int) -> Value | Fault | None:
    """The file name, if there is one. If there is a ``filename*`` as well, it must name the same file.

    ``field`` is the value of the header field, which begins at ``start``.
    """
    plain, named = found.get(b"filename"), found.get(b"filename*")
    if named is None:
        return plain
    begin = named.at - start
    match = _EXTENDED.fullmatch(field, begin, begin + named.length)
    extended = b"" if match is None else percent_decode(match[1])
    differs = plain is not None and plain.octets != extended
    if match is None or differs or b'"' in extended or b"\\" in extended:
        detail = "a filename* that differs from filename, or that readers disagree about"
        return _fault(named.at, named.octets, detail)
    if _CONTROL.search(extended):
        return _fault(named.at, named.octets, "a control character in a file name")
    return plain or Value(extended, start + match.start(1), len(match[1]), _ESCAPED_UNIT)


def _other(name: bytes, field: _Field, part: FormPart) -> bytes | Fault:
    """The canonical spelling of another header field; empty if it can be left out."""
    value, at, spelled = field
    if not value.isascii():
        return _fault(at, value, "a header field that is not ASCII")
    match name:
        case b"content-type":
            return _content_type(value, at, part)
        case b"content-transfer-encoding":
            is_plain = value.lower() in _PLAIN_CODINGS
            return b"" if is_plain else _fault(at, value, "a Content-Transfer-Encoding", Kind.PART_CODING)
        case b"content-length":
            return b""
        case _:
            if b"*" in value.partition(b";")[2]:
                return _fault(at, value, "an extended parameter, on which Django fails")
            return spelled + b": " + value


def _content_type(value: bytes, at: int, part: FormPart) -> bytes | Fault:
    """The canonical Content-Type of a part. WebOb decodes the names in the charset of the part."""
    match = _CHARSET.search(value)
    media = value[: match.start()] if match else value
    lowered = media.lower()
    is_type = _TYPE.fullmatch(media) or (part.filename and _FILE_TYPE.fullmatch(media))
    if not is_type or lowered.startswith(_OF_BODIES):
        return _fault(at, value, "a Content-Type that readers read in different ways")
    charset = match[2].lower() if match else b"utf-8"
    if match and charset in CHARSETS_OF_ASCII and part.filename is None and part.sent.isascii():
        part.charset, part.charset_at = match[2], at + match.start(2)
    elif charset not in NAMES_OF_UTF8:
        return _fault(at, value, OTHER_CHARSET, Kind.PART_CODING)
    if b"charset" in lowered:
        return _fault(at, value, "two charsets, or one that is not the last parameter", Kind.PART_CODING)
    parameter = match[0] if match else b""
    if match and (match[1] or part.charset or b"charset" not in parameter):
        parameter = b"; charset=utf-8"
    return b"Content-Type: " + _PLAIN.sub(b"text/plain", media, 1) + parameter
