"""OpenTelemetry metrics: requests by kind of fault, component and action.

Needs ``opentelemetry-api``: ``pip install '.[opentelemetry]'`` in the clone. The application
configures the SDK, which exports the metrics.
"""

from __future__ import annotations

from typing import final

try:
    from opentelemetry.metrics import MeterProvider, get_meter_provider
except ModuleNotFoundError as _error:
    raise ModuleNotFoundError(
        f"{_error}: postel.opentelemetry needs pip install '.[opentelemetry]' in the clone", name=_error.name
    ) from None

from postel import PolicyError, Report, __version__

__all__ = ["OpenTelemetryObserver"]


@final
class OpenTelemetryObserver:
    """An observer that counts the requests in which postel found a fault.

    ``postel.requests`` counts each request once, by :attr:`postel.Report.verdict`. ``postel.findings`` counts
    a request once for each combination of kind, component and action among its findings. These attributes
    come from the catalogue and never from a request. Raises ``PolicyError`` unless ``provider`` is a
    ``MeterProvider`` or ``None``.

    >>> from postel.wsgi import NormalizeMiddleware
    >>> def app(environ, start_response): ...
    >>> wrapped = NormalizeMiddleware(app, observer=OpenTelemetryObserver())
    """

    __slots__ = ("_findings", "_requests")

    def __init__(self, provider: MeterProvider | None = None) -> None:
        """Create the counters; without ``provider``, use the global one."""
        if not isinstance(provider, MeterProvider | None):  # pyright: ignore[reportUnnecessaryIsInstance] - for untyped callers
            raise PolicyError(
                f"OpenTelemetryObserver(provider={provider!r}): write a MeterProvider,"
                " or leave it out for the global one"
            )
        meter = (get_meter_provider() if provider is None else provider).get_meter("postel", __version__)
        self._findings = meter.create_counter(
            "postel.findings",
            unit="{request}",
            description="Requests in which postel found a fault, by kind, component and action.",
        )
        self._requests = meter.create_counter(
            "postel.requests",
            unit="{request}",
            description="Requests in which postel found a fault, by verdict.",
        )

    def __call__(self, report: Report) -> None:
        """Count a request."""
        self._requests.add(1, {"postel.verdict": report.verdict})
        for kind, component, action in {
            (each.kind.slug, each.component.value, each.action.value) for each in report.findings
        }:
            self._findings.add(
                1, {"postel.kind": kind, "postel.component": component, "postel.action": action}
            )
