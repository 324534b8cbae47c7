"""Decide which bodies are multipart forms, and write a Content-Type that all readers understand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

from postel._bodies.content_type import NAMES_OF_UTF8, ContentType, is_coded
from postel._bodies.part_head import CHARSETS_OF_ASCII

_FORM_DATA: Final = b"multipart/form-data"
_PLAIN: Final = re.compile(rb"[0-9A-Za-z_.+-]{1,70}")
"""The boundaries that every reader accepts, quoted or not; RFC 2046, section 5.1.1, allows a few more."""
_BOUNDARY: Final = re.compile(rb"[0-9A-Za-z_.+=-]{1,70}")
"""The boundaries that every reader accepts if they are quoted; Python's email package writes ``=``."""
_FIRST_LINE: Final = re.compile(rb"--(" + _BOUNDARY.pattern + rb")\r?\n")
_NO_PART: Final = re.compile(rb"(?:\r\n)?--([0-9A-Za-z_.+=-]{1,70}?)--\r\n")
"""A form without parts: its last boundary alone."""
_USUAL: Final = re.compile(
    rb"multipart/form-data; ?boundary=(?:" + _PLAIN.pattern + rb'|"(?=[^=]*=)' + _BOUNDARY.pattern + rb'")'
)


@final
@dataclass(frozen=True, slots=True)
class MultipartType:
    """What the header fields of a request say about its multipart form."""

    boundary: bytes
    written: bytes
    """The Content-Type in a spelling that every reader accepts."""
    usual: bool
    """Whether the Content-Type was received in that spelling."""
    fault: str = ""
    """Why the body cannot be read reliably, in fixed words; empty if it can."""
    is_coding: bool = False
    """Whether the fault concerns charsets or compression."""
    is_ascii: bool = False
    """Whether the type names one of ``CHARSETS_OF_ASCII``; header fields and texts must then be ASCII."""


def multipart_type(declared: ContentType, encodings: Sequence[bytes]) -> MultipartType | None:
    """Read a Content-Type and the Content-Encoding fields; ``None`` if the body is not a multipart form.

    >>> from postel._bodies.content_type import content_type
    >>> multipart_type(content_type([b'multipart/form-data; boundary="x-y"']), []).written
    b'multipart/form-data; boundary=x-y'
    """
    if declared.media != _FORM_DATA or declared.lacks_boundary:
        return None
    boundaries = [each.value for each in declared.parameters if each.name == b"boundary"]
    others = [each for each in declared.parameters if each.name != b"boundary"]
    fault, is_coding = "", False
    if len(boundaries) != 1 or _BOUNDARY.fullmatch(boundaries[0]) is None:
        fault = "a boundary that some readers do not accept"
    elif any(each.name != b"charset" for each in others):
        fault = "a parameter other than boundary"
    elif any(each.value.lower() not in NAMES_OF_UTF8 | CHARSETS_OF_ASCII for each in others):
        fault, is_coding = "a charset other than UTF-8", True
    elif is_coded(encodings):
        fault, is_coding = "a Content-Encoding", True
    usual = _USUAL.fullmatch(declared.received) is not None
    boundary = boundaries[0]
    quoted = boundary if _PLAIN.fullmatch(boundary) else b'"' + boundary + b'"'
    written = declared.received if usual else _FORM_DATA + b"; boundary=" + quoted
    is_ascii = any(each.value.lower() in CHARSETS_OF_ASCII for each in others)
    return MultipartType(boundary, written, usual, fault, is_coding, is_ascii)


def boundary_of(octets: bytes) -> bytes | None:
    r"""The boundary in the first line of a body; ``None`` if there is none.

    >>> [boundary_of(body) for body in (b"--x-y\r\nContent-Disposition: form-data", b"--x--\r\n", b"a=1")]
    [b'x-y', b'x', None]
    """
    match = _NO_PART.fullmatch(octets) or _FIRST_LINE.match(octets)
    return None if match is None else match[1]
