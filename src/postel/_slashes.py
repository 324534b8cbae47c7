"""Slashes: where GET and HEAD are sent with a 308, if slashes side by side are all that is refused.

The middleware decides so on the request that a server hands over. The commands see a target alone, and come
to the same answer; tests hold one against the other.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from postel import Accepted, Action, Kind, Normalizer, Rejected, Target

_SITE: Final = re.compile(rb"(?:[A-Za-z][A-Za-z0-9+.\-]*+://[^/?#]*+)?")
_RUN: Final = re.compile(rb"//++")
_FRONT: Final = re.compile(rb"\A//++")
_DATA: Final = re.compile(rb"(?::|%3[Aa])/(?:/|.*//)|/(?:\.|%2[Ee]){2}(?:[/;]|%3[Bb]|\Z)", re.DOTALL)
"""The slashes of a URL in a path; and two dots, which merging would resolve otherwise."""
_SLASHES: Final = frozenset({Kind.LEADING_SLASHES, Kind.EMPTY_SEGMENT})
_PATH: Final = re.compile(rb"/(?!/)[^\x00- #?\\\x7f-\xff]*+")
_QUERY: Final = re.compile(rb"[^\x00- #\\\x7f-\xff]*+")
"""What a header can hold, and is read back as it is written."""


def merged(target: Target, outcome: Accepted | Rejected, normalizer: Normalizer) -> Accepted | None:
    """What GET and HEAD are redirected to, where slashes side by side are the only reason to refuse.

    >>> normalizer = Normalizer()
    >>> target = Target(b"/a//b", b"")
    >>> merged(target, normalizer.normalize(target), normalizer).target.path
    b'/a/b'
    """
    rejected = {each.kind for each in outcome.findings if each.action is Action.REJECT}
    if not rejected or not rejected <= _SLASHES:
        return None
    site = _SITE.match(target.path)
    begins = site.end() if site else 0
    path = target.path[begins:]
    if _DATA.search(path):
        return None
    for slashes in (_FRONT, _RUN):
        shorter = slashes.sub(b"/", path)
        found = normalizer.normalize(replace(target, path=target.path[:begins] + shorter))
        if shorter != path and isinstance(found, Accepted):
            return found if _can_be_written(found.target) else None
    return None


def _can_be_written(target: Target) -> bool:
    return bool(_PATH.fullmatch(target.path) and _QUERY.fullmatch(target.query))
