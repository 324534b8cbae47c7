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
    """An observer that counts requests as ``postel.findings``, with kind, component and action as attributes.

    A request counts once for each combination of kind, component and action among its findings. Attributes
    come from the catalogue and never from a request. Raises ``PolicyError`` unless ``provider`` is a
    ``MeterProvider`` or ``None``.

    >>> from postel.wsgi import NormalizeMiddleware
    >>> def app(environ, start_response): ...
    >>> wrapped = NormalizeMiddleware(app, observer=OpenTelemetryObserver())
    """

    __slots__ = ("_findings",)

    def __init__(self, provider: MeterProvider | None = None) -> None:
        """Create the counter; without ``provider``, use the global one."""
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

    def __call__(self, report: Report) -> None:
        """Count a request."""
        for kind, component, action in {
            (each.kind.slug, each.component.value, each.action.value) for each in report.findings
        }:
            self._findings.add(
                1, {"postel.kind": kind, "postel.component": component, "postel.action": action}
            )
