"""Redirects: one 308 to the path that was meant, where its structure had to be mended or slashes merged.

Escapes and spelling never cause a redirect: a proxy that writes them anew would send the client round for
ever. What structure is mended to has nothing left to mend, and so is redirected once. A path without runs of
slashes has nothing left to merge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from postel._catalogue import Finding, Kind
from postel._check import Action, Component, Family
from postel._octets import PATH, percent_decode, percent_encode
from postel._regex import compiled
from postel._report import Report
from postel._target import Target

_SAFE_METHODS: Final = frozenset({"GET", "HEAD"})
_PATH: Final = re.compile(rb"/(?!/)[^\x00- #?\\\x7f-\xff]*+")
_QUERY: Final = re.compile(rb"[^\x00- #\\\x7f-\xff]*+")
"""What a header can hold, and is read back as it is written: browsers take TAB away, and ``\\`` for a slash.

Else nothing leads there: an octet that a policy lets stand bare may be another kind where it is escaped.
"""
_SITE: Final = compiled(rb"(?:[A-Za-z][A-Za-z0-9+.\-]*+://[^/?#]*+)?+")
_RUN: Final = re.compile(rb"//++")
_FRONT: Final = re.compile(rb"\A//++")
_COLON: Final = re.compile(rb"(?::|%3[Aa])(?=/)")
"""What stands in front of the slashes of a URL; of those that a proxy has merged, too."""
_DOTS: Final = re.compile(rb"/(?:\.|%2[Ee]){2}(?:[/;]|%3[Bb]|\Z)")
_SLASHES: Final = frozenset({Kind.LEADING_SLASHES, Kind.EMPTY_SEGMENT})


def location(report: Report, mount: bytes) -> str | None:
    """Where a request is redirected to: a path-absolute reference; ``None`` where it is not.

    ``mount`` is the decoded prefix where that does not stand in front of the path that the server shows.
    """
    target = report.target
    if target is None or report.method not in _SAFE_METHODS:
        return None
    if not any(_is_structural(each.kind) for each in report.findings if each.action is Action.REPAIR):
        return None
    return written(target, mount)


def merged(report: Report, mount: bytes) -> Iterator[Target]:
    """The received target with the slashes in front merged, and with all of them, the least edit first.

    Nothing unless slashes are the only reason to refuse the request. Nothing where the server shows another
    path than was sent, for then nobody sent the slashes; nor where the merged path begins with a prefix that
    the server did not put there, for it may be part of the path. A ``..`` behind an empty segment would be
    resolved otherwise once it is merged.
    """
    received = report.received
    if report.target is not None or report.method not in _SAFE_METHODS:
        return
    if not all(_is_about_slashes(each) for each in report.findings):
        return
    site = _SITE.match(received.path)
    begins = site.end() if site else 0
    path = received.path[begins:]
    if _holds_url(path) or _DOTS.search(path):
        return
    prefix = mount or received.prefix
    for candidate in dict.fromkeys((_FRONT.sub(b"/", path), _RUN.sub(b"/", path))):
        adds_prefix = prefix and not report.received_prefix and percent_decode(candidate).startswith(prefix)
        if candidate != path and not adds_prefix:
            yield replace(received, path=received.path[:begins] + candidate)


def _holds_url(path: bytes) -> bool:
    """Whether slashes in a path are data: those of a URL in it, such as ``/proxy/https://example.com``."""
    colon = _COLON.search(path)
    return colon is not None and b"//" in path[colon.end() :]


def written(target: Target, mount: bytes) -> str | None:
    """A target as a path-absolute reference; ``None`` where a header cannot hold it."""
    path = percent_encode(mount or target.prefix, PATH) + target.path
    if not _PATH.fullmatch(path) or not _QUERY.fullmatch(target.query):
        return None
    return (path + (b"?" + target.query if target.query else b"")).decode("ascii")


def redirected(there: str) -> list[tuple[str, str]]:
    """The headers of a redirect."""
    return [
        ("location", there),
        ("content-type", "text/plain; charset=utf-8"),  # wsgiref's validator asks for one
        ("content-length", "0"),
        ("cache-control", "no-store"),
    ]


def _is_structural(kind: Kind) -> bool:
    check = kind.check
    undone = check.repair is not None and check.repair.before_split and Component.QUERY not in check.presets
    return check.family is Family.SEGMENT or undone


def _is_about_slashes(finding: Finding) -> bool:
    """Whether a finding neither refuses a request for more than slashes nor doubts what was sent."""
    if finding.action is Action.REJECT:
        return finding.kind in _SLASHES
    return finding.kind is not Kind.VIEWS_DISAGREE
