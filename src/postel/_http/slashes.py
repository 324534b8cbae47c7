"""Slashes: where GET and HEAD are sent with a 308, if slashes side by side are all that is refused.

The middleware asks about the request that a server hands over. The commands see a target alone, and ask about
a GET of it.
"""

from __future__ import annotations

from postel._http import redirect as redirects
from postel._http.report import Report
from postel._normalizer.normalizer import Normalizer
from postel._normalizer.target import Accepted, Rejected, Target


def merged(target: Target, outcome: Accepted | Rejected, normalizer: Normalizer) -> Accepted | None:
    """What GET and HEAD are redirected to, where slashes side by side are the only reason to refuse.

    >>> normalizer = Normalizer()
    >>> target = Target(b"/a//b", b"")
    >>> merged(target, normalizer.normalize(target), normalizer).target.path
    b'/a/b'
    """
    if isinstance(outcome, Accepted):
        return None
    report = Report(received=target, target=None, findings=outcome.findings, method="GET")
    for candidate in redirects.merged(report, b""):
        found = normalizer.normalize(candidate)
        if isinstance(found, Accepted):
            return None if redirects.written(found.target, b"") is None else found
    return None
