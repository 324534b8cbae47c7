"""Slashes: the redirect for a request whose only faults are repeated slashes.

This is for callers that know only the target of a request, such as ``postel check`` and ``postel.scan``;
they assume a GET.
"""

from __future__ import annotations

from postel._http.redirect import merged_candidates, written
from postel._http.report import Report
from postel._normalizer.normalizer import Normalizer
from postel._normalizer.target import Accepted, Rejected, Target


def merged_redirect(target: Target, outcome: Accepted | Rejected, normalizer: Normalizer) -> Accepted | None:
    """The target that a GET is redirected to; ``None`` unless only repeated slashes are at fault.

    >>> normalizer = Normalizer()
    >>> target = Target(b"/a//b", b"")
    >>> merged_redirect(target, normalizer.normalize(target), normalizer).target.path
    b'/a/b'
    """
    if isinstance(outcome, Accepted):
        return None
    report = Report(received=target, target=None, findings=outcome.findings, method="GET")
    for candidate in merged_candidates(report, b""):
        found = normalizer.normalize(candidate)
        if isinstance(found, Accepted):
            return None if written(found.target, b"") is None else found
    return None
