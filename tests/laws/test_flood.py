"""A flood of different hostile URLs leaves little behind: log lines, counters, memory.

The flood of 100,000 requests is part of `make evidence`. The same tests also run with a smaller one.
"""

from __future__ import annotations

import io
import logging
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from prometheus_client import CollectorRegistry, generate_latest

from adapters import environ_of, through_wsgi
from postel import Kind, LogObserver, Report
from postel._http.observers import BURST, INTERVAL
from postel.opentelemetry import OpenTelemetryObserver
from postel.prometheus import PrometheusObserver
from postel.scan import Tally, count_stream

SMALL, LARGE = 10_000, 100_000
RATE = 1_000  # Requests per second.
SHAPES = (
    "/cgi-bin/.%2e/%2e%2e/%2e%2e/bin/sh{}",
    "/..;/manager/{}",
    "/{}%00.php",
    "/?%ADd+allow_url_include%3d1+%ADd+auto_prepend_file%3dphp://input&{}",
    "/%c0%ae%c0%ae/{}/etc/passwd",
    "//{}.example.com/%0d%0aSet-Cookie:{}",
    "/static/..%5c..%5c{}",
    '/{}"><script>alert(1)</script>%zz',
    "/admin%2Fpanel{}",
    "/x?%zz{}=%FF&q[{}]=%00",
)


def flood(count: int) -> Iterator[bytes]:
    for number in range(count):
        yield SHAPES[number % len(SHAPES)].replace("{}", f"{number:x}").encode()


@pytest.fixture(scope="module", params=[SMALL, pytest.param(LARGE, marks=pytest.mark.evidence)])
def observed(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return what the three observers hold after a thousand requests per second."""
    lines: list[str] = []
    now = 0.0
    log = LogObserver(lambda: now)
    registry, reader = CollectorRegistry(), InMemoryMetricReader()
    observers = (log, PrometheusObserver(registry), OpenTelemetryObserver(MeterProvider([reader])))
    refused = 0

    def observe(report: Report) -> None:
        for observer in observers:
            observer(report)

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    handler, logger = Lines(), logging.getLogger("postel")
    logger.addHandler(handler)
    level = logger.level
    logger.setLevel(logging.INFO)
    try:
        for number, target in enumerate(flood(request.param)):
            now = number / RATE
            refused += through_wsgi(environ_of(target), observer=observe).given is None
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
    return {"lines": lines, "registry": registry, "reader": reader, "log": log, "refused": refused} | {
        "count": request.param
    }


def test_the_flood_is_refused(observed: dict[str, Any]) -> None:
    count = observed["count"]
    assert len(set(flood(count))) == count
    assert observed["refused"] == count


def test_a_flood_leaves_few_log_lines(observed: dict[str, Any]) -> None:
    intervals = observed["count"] / RATE / INTERVAL + 1
    lines = observed["lines"]
    assert 0 < len(lines) <= intervals * (BURST + 1) * len(SHAPES)
    assert max(map(len, lines)) < 1200
    assert all(line.isascii() and line.isprintable() for line in lines)
    assert len(pickle.dumps(observed["log"]._windows)) < 200 * len(Kind)


def test_a_flood_leaves_few_counters(observed: dict[str, Any]) -> None:
    exposed = generate_latest(observed["registry"])
    assert len(exposed.splitlines()) < 100
    assert len(exposed) < 20_000
    data = observed["reader"].get_metrics_data()
    assert len(data.resource_metrics[0].scope_metrics[0].metrics[0].data.data_points) < 50


def line_of(target: bytes, number: int) -> bytes:
    escaped = target.replace(b'"', rb"\x22")
    return b'203.0.%d.%d - - [10/Oct/2026:13:55:36 +0000] "GET %b HTTP/1.1" 404 0 "-" "scan %d"\n' % (
        *(number // 256 % 256, number % 256, escaped, number),
    )


@pytest.mark.parametrize(
    ("less", "counted"), [(SMALL // 2, SMALL), pytest.param(SMALL, LARGE, marks=pytest.mark.evidence)]
)
def test_a_scan_of_a_longer_flood_takes_hardly_more_memory(less: int, counted: int) -> None:
    tallies: list[Tally] = []
    for count in (less, counted):
        log = io.BytesIO(b"".join(line_of(target, number) for number, target in enumerate(flood(count))))
        tallies.append(count_stream(log))
    few, many = tallies
    assert (few.requests, many.requests) == (less, counted)
    assert many.refused["standard"] == counted
    assert many.rows.keys() == few.rows.keys()
    assert len(pickle.dumps(many)) < 1.1 * len(pickle.dumps(few)) < 4_000_000
