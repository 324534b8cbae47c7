"""Prometheus metrics: requests by verdict, and by kind of fault, component and action.

Needs ``prometheus-client``: ``pip install '.[prometheus]'`` in the clone.
"""

from __future__ import annotations

from typing import Final, final

try:
    from prometheus_client import REGISTRY, CollectorRegistry, Counter
except ModuleNotFoundError as _error:
    raise ModuleNotFoundError(
        f"{_error}: postel.prometheus needs pip install '.[prometheus]' in the clone", name=_error.name
    ) from None

from postel import PolicyError, Report

__all__ = ["PrometheusObserver"]

_LABELS: Final = ("kind", "component", "action")


@final
class PrometheusObserver:
    """An observer that counts the requests in which postel found a fault.

    ``postel_requests_total{verdict}`` counts each request once by :attr:`postel.Report.verdict`: ``refused``,
    ``would refuse``, ``redirected`` and so on. ``postel_findings_total{kind, component, action}`` counts a
    request once for each combination of kind, component and action among its findings. Labels come from
    the catalogue and never from a request, so there are at most a few hundred series.

    >>> from prometheus_client import CollectorRegistry
    >>> from postel.wsgi import NormalizeMiddleware
    >>> def app(environ, start_response): ...
    >>> wrapped = NormalizeMiddleware(app, observer=PrometheusObserver(CollectorRegistry()))

    One observer can serve several middlewares. Raises ``ValueError`` if the registry already has a
    counter of one of these names, and ``PolicyError`` if ``registry`` is not a ``CollectorRegistry``.
    """

    __slots__ = ("_findings", "_requests")

    def __init__(self, registry: CollectorRegistry = REGISTRY) -> None:
        """Register the counters."""
        if not isinstance(registry, CollectorRegistry):  # pyright: ignore[reportUnnecessaryIsInstance] - for untyped callers
            raise PolicyError(
                f"PrometheusObserver(registry={registry!r}): write prometheus_client.CollectorRegistry(),"
                " or leave it out for the default registry"
            )
        self._findings = Counter(
            "postel_findings",
            "Requests in which postel found a fault, by kind, component and action.",
            _LABELS,
            registry=registry,
        )
        self._requests = Counter(
            "postel_requests",
            "Requests in which postel found a fault, by verdict.",
            ["verdict"],
            registry=registry,
        )

    def __call__(self, report: Report) -> None:
        """Count a request."""
        self._requests.labels(report.verdict).inc()
        for labels in {(each.kind.slug, each.component.value, each.action.value) for each in report.findings}:
            self._findings.labels(*labels).inc()
