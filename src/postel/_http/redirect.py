"""Redirects: a 308 to a path whose structure was repaired, or whose slashes were merged.

Escapes and spelling never cause a redirect, because a proxy that encodes the path again would make a loop. A
request is redirected only once: a repaired structure needs no further repair, and a path with merged slashes
has no more to merge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from postel._alphabet.authority import OPTIONAL_SITE
from postel._alphabet.percent import PATH, percent_decode, percent_encode
from postel._catalogue.check import Action, Component, Family
from postel._catalogue.finding import Finding
from postel._catalogue.kinds import Kind
from postel._http.report import Report
from postel._normalizer.target import Target

_SAFE_METHODS: Final = frozenset({"GET", "HEAD"})
_PATH: Final = re.compile(rb"/(?!/)[^\x00- #?\\\x7f-\xff]*+")
_QUERY: Final = re.compile(rb"[^\x00- #\\\x7f-\xff]*+")
"""Match a path and a query without octets that browsers may change in a Location, such as TAB and ``\\``.

A path with such an octet is not redirected: escaping the octet could turn one fault into another.
"""
_RUN: Final = re.compile(rb"//++")
_LEADING: Final = re.compile(rb"\A//++")
_COLON: Final = re.compile(rb"(?::|%3[Aa])(?=/)")
"""Matches the colon of a URL in the path, even if a proxy has merged the slashes after it."""
_DOTS: Final = re.compile(rb"/(?:\.|%2[Ee]){2}(?:[/;]|%3[Bb]|\Z)")
_LONGEST: Final = 1024
"""The most octets of a target that is judged again with merged slashes; the links of sites are shorter."""
_SLASHES: Final = frozenset({Kind.LEADING_SLASHES, Kind.EMPTY_SEGMENT})
"""The faults that merging slashes repairs. Without ``redirect=True``, only these cause a redirect."""


def repaired_location(report: Report, mount: bytes) -> str | None:
    """The location for a request whose path structure was repaired; ``None`` if it is not redirected.

    ``mount`` is the decoded prefix of the application if the path from the server lacks it; otherwise empty.
    """
    target = report.target
    if target is None or report.method not in _SAFE_METHODS:
        return None
    if not any(_is_structural(each.kind) for each in report.findings if each.action is Action.REPAIR):
        return None
    return written(target, mount)


def merged_candidates(report: Report, mount: bytes) -> Iterator[Target]:
    """Yield candidates for a redirect: the target with leading slashes merged, then with all slashes merged.

    Yields nothing if the target is long, if the request has another fault as well, if the server's view
    differs from what was sent (the client may not have sent the slashes), if the slashes belong to a URL in
    the path, or if the path has a ``..`` (it would resolve differently). If the received path lacks the
    prefix of the application, a candidate that begins with that prefix is skipped, because the location would
    repeat the prefix.
    """
    received = report.received
    if report.target is not None or report.method not in _SAFE_METHODS:
        return
    if len(received.path) + len(received.query) > _LONGEST or not all(map(_allows_redirect, report.findings)):
        return
    site = OPTIONAL_SITE.match(received.path)
    begins = site.end() if site else 0
    path = received.path[begins:]
    if _holds_url(path) or _DOTS.search(path):
        return
    prefix = mount or received.prefix
    for candidate in dict.fromkeys((_LEADING.sub(b"/", path), _RUN.sub(b"/", path))):
        adds_prefix = prefix and not report.received_prefix and percent_decode(candidate).startswith(prefix)
        if candidate != path and not adds_prefix:
            yield replace(received, path=received.path[:begins] + candidate)


def _holds_url(path: bytes) -> bool:
    """Whether the slashes belong to a URL in the path, as in ``/proxy/https://example.com``."""
    colon = _COLON.search(path)
    return colon is not None and b"//" in path[colon.end() :]


def written(target: Target, mount: bytes) -> str | None:
    """A target as a path-absolute reference for a Location; ``None`` if browsers would change it."""
    path = percent_encode(mount or target.prefix, PATH) + target.path
    if not _PATH.fullmatch(path) or not _QUERY.fullmatch(target.query):
        return None
    return (path + (b"?" + target.query if target.query else b"")).decode("ascii")


def redirect_headers(location: str) -> list[tuple[str, str]]:
    """The headers of a redirect."""
    return [
        ("location", location),
        ("content-type", "text/plain; charset=utf-8"),  # wsgiref's validator requires one
        ("content-length", "0"),
        ("cache-control", "no-store"),
    ]


def _is_structural(kind: Kind) -> bool:
    check = kind.check
    if check.family is Family.SEGMENT:
        return True
    return check.repair is not None and check.repair.before_split and Component.QUERY not in check.presets


def _allows_redirect(finding: Finding) -> bool:
    """Whether a finding allows a redirect: it rejects because of slashes, or it does not reject.

    The finding that the raw and the decoded view disagree never allows a redirect.
    """
    if finding.action is Action.REJECT:
        return finding.kind in _SLASHES
    return finding.kind is not Kind.VIEWS_DISAGREE
