"""Other spellings of the same octets: the case of hex digits, and escapes of unreserved characters."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Final

from whole.request import Request

_ESCAPE: Final = re.compile(rb"%(?![0-9A-Fa-f]{2})u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|[A-Za-z0-9_~-]")
"""A ``%u`` escape, which stays unchanged, another escape, or an unreserved character.

The dot is not included, because a kind is about the spelling of dots (``%2e%2e``).
"""


def flipped(escape: bytes) -> bytes:
    """Return an escape with its hex digits in the other case."""
    return b"%" + escape[1:].swapcase()


def respelled(octets: bytes, source: random.Random) -> bytes:
    """Return the same octets with some escapes flipped and some unreserved characters escaped."""

    def other(match: re.Match[bytes]) -> bytes:
        found = match.group()
        if found[:2] in {b"%u", b"%U"} or source.randrange(2):
            return found
        if found.startswith(b"%"):
            return flipped(found)
        return source.choice((b"%%%02X", b"%%%02x")) % ord(found)

    return _ESCAPE.sub(other, octets)


def respelled_path(path: bytes, source: random.Random) -> bytes:
    """Respell a path. The scheme and authority of an absolute form are left unchanged."""
    front = re.match(rb"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*|", path)
    end = front.end() if front else 0
    return path[:end] + respelled(path[end:], source)


def respelled_request(request: Request, source: random.Random, *, form: bool) -> Request:
    """Return the same request with its target, form and cookies spelled in another way."""
    path, mark, query = request.target.partition(b"?")
    target = respelled_path(path, source) + mark + respelled(query, source)
    fields = tuple(
        (name, _cookies(value, source) if name.lower() == b"cookie" else value)
        for name, value in request.fields
    )
    changed = replace(request, target=target, fields=fields)
    return changed.carrying(respelled(request.body, source)) if form else changed


def _cookies(value: bytes, source: random.Random) -> bytes:
    """Flip the case of escapes in cookies; unreserved characters are not escaped there."""
    return re.sub(
        rb"%[0-9A-Fa-f]{2}", lambda match: flipped(match[0]) if source.randrange(2) else match[0], value
    )
