"""Counts for Prometheus: how many requests each kind was found in, and what was done about it.

It needs ``prometheus-client``: ``pip install 'postel[prometheus]'``.
"""

from __future__ import annotations

from typing import Final, final

try:
    from prometheus_client import REGISTRY, CollectorRegistry, Counter
except ModuleNotFoundError as _error:
    raise ModuleNotFoundError(
        f"{_error}: postel.prometheus needs pip install 'postel[prometheus]'", name=_error.name
    ) from None

from postel import Report

__all__ = ["PrometheusObserver"]

_LABELS: Final = ("kind", "component", "action")


@final
class PrometheusObserver:
    """An observer that counts requests as ``postel_findings_total{kind, component, action}``.

    A request counts once for each kind, component and action that it has a finding of. Labels come from
    the catalogue alone, never from a request: there are some hundred series at most, whatever is sent.
    ``action="reject"`` is what was refused, or under ``enforce=False`` would have been.

    >>> from prometheus_client import CollectorRegistry
    >>> from postel.wsgi import NormalizeMiddleware
    >>> def app(environ, start_response): ...
    >>> wrapped = NormalizeMiddleware(app, observer=PrometheusObserver(CollectorRegistry()))

    One observer serves any number of middlewares; a registry takes the name once, and raises a
    ``ValueError`` at the second.
    """

    __slots__ = ("_findings",)

    def __init__(self, registry: CollectorRegistry = REGISTRY) -> None:
        """Register the counter."""
        self._findings = Counter(
            "postel_findings",
            "Requests in which postel has found something, by kind, component and action.",
            _LABELS,
            registry=registry,
        )

    def __call__(self, report: Report) -> None:
        """Count a request."""
        for labels in {(each.kind.slug, each.component.value, each.action.value) for each in report.findings}:
            self._findings.labels(*labels).inc()
