"""Redirects: one 308 to the path that was meant, where its structure had to be mended.

Escapes and spelling never redirect: a proxy that writes them anew would send the client round for ever. What
structure is mended to has nothing left to mend, and so is redirected once.
"""

from __future__ import annotations

from postel._catalogue import Kind
from postel._check import Action, Component, Family
from postel._octets import PATH, percent_encode
from postel._report import Report

_SAFE_METHODS = frozenset({"GET", "HEAD"})


def location(report: Report, prefix: bytes) -> str | None:
    """Where a request is redirected to: a path-absolute reference; ``None`` where it is not.

    ``prefix`` is the decoded path at which the application is mounted, as the client sees it.
    """
    target = report.target
    if target is None or report.method not in _SAFE_METHODS:
        return None
    if not any(_is_structural(each.kind) for each in report.findings if each.action is Action.REPAIR):
        return None
    path = percent_encode(prefix, PATH) + target.path
    if not path.startswith(b"/") or path[1:2] in {b"/", b"\\"}:
        return None  # to a browser, that is another host
    return (path + (b"?" + target.query if target.query else b"")).decode("ascii", "replace")


def _is_structural(kind: Kind) -> bool:
    check = kind.check
    undone = check.repair is not None and check.repair.before_split and Component.QUERY not in check.presets
    return check.family is Family.SEGMENT or undone
