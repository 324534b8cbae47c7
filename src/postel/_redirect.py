"""Redirects: one 308 to the path that was meant, where its structure had to be mended.

Escapes and spelling never redirect: a proxy that writes them anew would send the client round for ever. What
structure is mended to has nothing left to mend, and so is redirected once.
"""

from __future__ import annotations

import re
from typing import Final

from postel._catalogue import Kind
from postel._check import Action, Component, Family
from postel._octets import PATH, percent_encode
from postel._report import Report

_SAFE_METHODS: Final = frozenset({"GET", "HEAD"})
_PATH: Final = re.compile(rb"/(?!/)[^\x00- #?\\\x7f-\xff]*+")
_QUERY: Final = re.compile(rb"[^\x00- #\\\x7f-\xff]*+")
"""What a header can hold, and is read back as it is written: browsers take TAB away, and ``\\`` for a slash.

Else nothing leads there: an octet that a policy lets stand bare may be another kind where it is escaped.
"""


def location(report: Report, mount: bytes) -> str | None:
    """Where a request is redirected to: a path-absolute reference; ``None`` where it is not.

    ``mount`` is the decoded prefix where that does not stand in front of the path that the server shows.
    """
    target = report.target
    if target is None or report.method not in _SAFE_METHODS:
        return None
    if not any(_is_structural(each.kind) for each in report.findings if each.action is Action.REPAIR):
        return None
    path = percent_encode(mount or target.prefix, PATH) + target.path
    if not _PATH.fullmatch(path) or not _QUERY.fullmatch(target.query):
        return None
    return (path + (b"?" + target.query if target.query else b"")).decode("ascii")


def redirected(there: str) -> list[tuple[str, str]]:
    """The headers of a redirect."""
    return [("location", there), ("content-length", "0"), ("cache-control", "no-store")]


def _is_structural(kind: Kind) -> bool:
    check = kind.check
    undone = check.repair is not None and check.repair.before_split and Component.QUERY not in check.presets
    return check.family is Family.SEGMENT or undone
