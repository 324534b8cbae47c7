"""Prometheus metrics: requests by kind of fault, component and action.

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
    """An observer that counts requests as ``postel_findings_total{kind, component, action}``.

    A request counts once for each combination of kind, component and action among its findings. Labels
    come from the catalogue and never from a request, so there are at most a few hundred series.
    ``action="reject"`` counts refused requests; with ``enforce=False``, those that would be refused.

    >>> from prometheus_client import CollectorRegistry
    >>> from postel.wsgi import NormalizeMiddleware
    >>> def app(environ, start_response): ...
    >>> wrapped = NormalizeMiddleware(app, observer=PrometheusObserver(CollectorRegistry()))

    One observer can serve several middlewares. Raises ``ValueError`` if the registry already has a
    counter of this name, and ``PolicyError`` if ``registry`` is not a ``CollectorRegistry``.
    """

    __slots__ = ("_findings",)

    def __init__(self, registry: CollectorRegistry = REGISTRY) -> None:
        """Register the counter."""
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

    def __call__(self, report: Report) -> None:
        """Count a request."""
        for labels in {(each.kind.slug, each.component.value, each.action.value) for each in report.findings}:
            self._findings.labels(*labels).inc()
