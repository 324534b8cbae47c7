"""Observers that count for Prometheus and OpenTelemetry, with labels from the catalogue only."""

from __future__ import annotations

from typing import Any

import pytest
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest

from adapters import environ_of, scope_of, through_asgi, through_wsgi
from postel import Kind, Policy, PolicyError
from postel.opentelemetry import OpenTelemetryObserver
from postel.prometheus import PrometheusObserver
from targets import SAMPLES

LABELS = {
    (kind.slug, component.value, action.value)
    for kind in Kind
    for component in kind.check.components
    for action in kind.check.actions[component]
}
"""All labels that can occur."""


class Prometheus:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.observer = PrometheusObserver(self.registry)

    def counts(self) -> dict[tuple[str, str, str], int]:
        return {
            (sample.labels["kind"], sample.labels["component"], sample.labels["action"]): int(sample.value)
            for metric in self.registry.collect()
            for sample in metric.samples
            if sample.name == "postel_findings_total"
        }

    def verdicts(self) -> dict[str, int]:
        return {
            sample.labels["verdict"]: int(sample.value)
            for metric in self.registry.collect()
            for sample in metric.samples
            if sample.name == "postel_requests_total"
        }


class OpenTelemetry:
    def __init__(self) -> None:
        self.reader = InMemoryMetricReader()
        self.observer = OpenTelemetryObserver(MeterProvider([self.reader]))

    def points(self, name: str) -> list[Any]:
        data = self.reader.get_metrics_data()
        if data is None:
            return []
        [resource] = data.resource_metrics
        [scope] = resource.scope_metrics
        metrics_by_name = {metric.name: metric for metric in scope.metrics}
        assert metrics_by_name.keys() == {"postel.findings", "postel.requests"}
        assert metrics_by_name[name].unit == "{request}"
        return list(metrics_by_name[name].data.data_points)

    def counts(self) -> dict[tuple[str, str, str], int]:
        return {
            tuple(
                str(point.attributes[f"postel.{name}"]) for name in ("kind", "component", "action")
            ): point.value
            for point in self.points("postel.findings")
        }

    def verdicts(self) -> dict[str, int]:
        return {
            str(point.attributes["postel.verdict"]): point.value for point in self.points("postel.requests")
        }


@pytest.fixture(params=[Prometheus, OpenTelemetry])
def counter(request: pytest.FixtureRequest) -> Any:
    return request.param()


def test_a_request_counts_once_for_each_label_set(counter: Any) -> None:
    assert counter.counts() == {}
    for target in (b"/a", b"/%00%00/%00", b"/%00?q=%zz", b"/a%2520b"):
        through_wsgi(environ_of(target), observer=counter.observer)
    through_asgi(scope_of(b"/%00"), observer=counter.observer, enforce=False)
    assert counter.counts() == {
        ("nul", "path", "reject"): 3,
        ("malformed-escape", "query", "repair"): 1,
        ("double-escape", "path", "report"): 1,
    }


def test_each_request_with_a_fault_counts_once_by_its_verdict(counter: Any) -> None:
    answers = [
        through_wsgi(environ_of(target), observer=counter.observer)
        for target in (b"/a", b"/%00%2F?%00=%00", b"/c//d", b"/a?q=%zz", b"/a%2520b", b"/%00")
    ]
    for target in (b"/%00", b"/c//d", b"/a?q=%zz", b"/a%2520b"):
        through_wsgi(environ_of(target), observer=counter.observer, enforce=False)
    assert counter.verdicts() == {
        "refused": 2,
        "redirected": 1,
        "edited": 1,
        "reported": 2,
        "would refuse": 1,
        "would redirect": 1,
        "would edit": 1,
    }
    statuses = [answer.status for answer in answers]
    assert (statuses.count(400), statuses.count(308)) == (2, 1)


def test_labels_come_from_the_catalogue(counter: Any) -> None:
    for policy in (Policy.STANDARD, Policy.STRICT, Policy.LENIENT):
        for sample in SAMPLES:
            through_wsgi(environ_of(sample.octets), policy, observer=counter.observer)
    assert counter.counts().keys() <= LABELS
    assert len(counter.counts()) > 30


def test_prometheus_exposes_only_the_documented_labels() -> None:
    counter = Prometheus()
    through_wsgi(environ_of(b"/<script>%00"), observer=counter.observer)
    exposed = generate_latest(counter.registry).decode()
    assert 'postel_findings_total{action="reject",component="path",kind="nul"} 1.0' in exposed
    assert 'postel_requests_total{verdict="refused"} 1.0' in exposed
    assert "script" not in exposed


def test_the_default_registry_and_provider_are_those_of_the_process() -> None:
    observer = PrometheusObserver()
    through_wsgi(environ_of(b"/%00"), observer=observer)
    labels = {"kind": "nul", "component": "path", "action": "reject"}
    assert REGISTRY.get_sample_value("postel_findings_total", labels) == 1
    with pytest.raises(ValueError, match="postel_findings"):
        PrometheusObserver()
    # Without an SDK, the API counts nothing and raises nothing.
    through_wsgi(environ_of(b"/%00"), observer=OpenTelemetryObserver())
    assert metrics.get_meter_provider() is not None


def test_there_are_few_sets_of_labels() -> None:
    assert len(LABELS) < 1000


def test_an_invalid_registry_raises() -> None:
    expected = r"registry=5\): write prometheus_client.CollectorRegistry\(\), or leave it out"
    with pytest.raises(PolicyError, match=expected):
        PrometheusObserver(registry=5)


def test_an_invalid_provider_raises() -> None:
    with pytest.raises(PolicyError, match=r"provider=5\): write a MeterProvider, or leave it out"):
        OpenTelemetryObserver(provider=5)
