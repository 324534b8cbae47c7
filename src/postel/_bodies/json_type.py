"""Decide which bodies are JSON, and write a Content-Type that all readers understand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

from postel._alphabet.regex import compiled
from postel._bodies.charset_steering import UNCLEAR, is_unclear
from postel._bodies.content_type import NAMES_OF_UTF8, ContentType, is_coded

_SUFFIX: Final = compiled(rb"[^/]++/(?:[^/+]*+\+)++json")
"""A structured syntax suffix: RFC 6839, section 3.1."""


@final
@dataclass(frozen=True, slots=True)
class JsonType:
    """What the header fields of a request say about its JSON body."""

    written: bytes
    """The Content-Type in a spelling that every framework reads as JSON if it supports the media type."""
    usual: bool
    """Whether the received Content-Type already has that spelling."""
    fault: str = ""
    """Why the body cannot be read reliably, in fixed words; empty if it can."""


def json_type(
    declared: ContentType, encodings: Sequence[bytes], types: frozenset[bytes] = frozenset()
) -> JsonType | None:
    """Read a Content-Type and the Content-Encoding fields; ``None`` if the body is not JSON.

    >>> from postel._bodies.content_type import content_type
    >>> json_type(content_type([b"Application/JSON; charset=UTF-8"]), [])
    JsonType(written=b'application/json; charset=utf-8', usual=False, fault='')
    """
    media = declared.media
    # Bottle reads parts from any multipart type. Falcon can read a form if Content-Type names one anywhere.
    if declared.is_multipart or declared.seems_form:
        return None
    if media != b"application/json" and media not in types and _SUFFIX.fullmatch(media) is None:
        return None
    written = media
    fault = ""
    for each in declared.parameters:
        if b"boundary" in each.name or (each.unsure and b"boundary" in each.value.lower()):
            # This parameter is not handed on: Litestar would split a body of any type at the boundary.
            continue
        if each.name != b"charset":
            written += b"; " + each.name + b"=" + declared.received[each.start : each.end]
        elif each.value.lower() in NAMES_OF_UTF8 and b"charset=" not in written:
            written += b"; charset=utf-8"
        else:
            fault = "two charsets" if b"charset=" in written else "a charset other than UTF-8"
    if is_unclear(declared):
        # Django REST framework reads charset*=, and Pyramid finds a charset= inside another quoted value.
        fault = UNCLEAR
    if is_coded(encodings):
        fault = "a Content-Encoding"
    usual = declared.received.replace(b"; ", b";") == written.replace(b"; ", b";")
    return JsonType(declared.received if usual else written, usual, fault)
