"""A Dask cluster of two workers has exactly the counts of ``postel scan``."""

from __future__ import annotations

import gzip
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from applications import EXAMPLES
from postel.scan import Summary, Tally, count_parts, parts_of
from scan.generator import write
from terminal import run

pytestmark = pytest.mark.cluster


MILLION = 1_000_000
PEAK = """
import json, resource, sys
from postel.scan import Summary, Tally, count_parts, parts_of
told = Summary.of(count_parts(parts_of(sys.argv[1]))).as_json()
print(json.dumps({**told, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))
"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("logs")
    files = [folder / f"access.log.{number}" for number in range(3)]
    for number, file in enumerate(files):
        write(8_000, file, seed=number)
    packed = folder / "access.log.3.gz"
    packed.write_bytes(gzip.compress(files[0].read_bytes()))
    return [*map(str, files), str(packed)]


def scan_on(workers: int, logs: list[str], size: int) -> Tally:
    """Count logs as the example does, on a Dask cluster of local processes."""
    # Only the environment of these tests has a cluster.
    distributed: Any = pytest.importorskip("distributed")
    spec = importlib.util.spec_from_file_location("scan_cluster", EXAMPLES / "scan_cluster.py")
    assert spec is not None
    assert spec.loader is not None
    example: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    with (
        distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert len(client.scheduler_info()["workers"]) == workers
        tally: Tally = example.scan(client, logs, size=size)
    return tally


def test_the_cluster_has_the_same_tally(logs: list[str]) -> None:
    counted = scan_on(2, logs, 500_000)
    assert counted == count_parts([part for log in logs for part in parts_of(log)])
    assert Summary.of(counted).as_json() == json.loads(run("scan", "--json", *logs).out)


def test_a_million_lines_are_counted_in_constant_memory(tmp_path: Path) -> None:
    """Totals equal those of the generator, and estimates are within four standard errors."""
    log = tmp_path / "access.log"
    peaks = []
    for lines in (MILLION // 10, MILLION):
        owed = write(lines, log)
        done = subprocess.run(  # noqa: S603 - ours
            [sys.executable, "-c", PEAK, str(log)], capture_output=True, text=True, check=True
        )
        told = json.loads(done.stdout)
        peaks.append(told["peak"])
        assert {name: told[name] for name in owed if name != "kinds"} == {
            name: counts for name, counts in owed.items() if name != "kinds"
        }
        assert owed["kinds"] == {
            f"{each['kind']}@{each['component']}": each["requests"]
            for each in told["kinds"]
            if each["requests"]
        }
    assert peaks[1] < 1.15 * peaks[0]
    counted = scan_on(2, [str(log)], 16 * 1024 * 1024)
    assert counted == count_parts(parts_of(log), workers=2)
    summary = Summary.of(counted)
    clients: dict[str, set[bytes]] = {"": set()}
    for line in log.read_bytes().splitlines():
        if b'] "' in line:
            client = line.partition(b" ")[0]
            clients[""].add(client)
            if b"/units/" in line:
                clients.setdefault("encoded-slash", set()).add(client)
    assert not summary.clients_exact
    assert abs(summary.clients / len(clients[""]) - 1) < 4 * 0.016
    [line] = [each for each in summary.kinds if each.kind == "encoded-slash"]
    assert not line.clients_exact
    assert abs(line.clients / len(clients["encoded-slash"]) - 1) < 4 * 0.044
    assert not line.tops_exact
    [top] = [each for each in line.routes if each.text == "/units/*"]
    assert top.requests == line.requests


def test_the_command_prints_the_report_of_postel_scan(logs: list[str]) -> None:
    command = [sys.executable, str(EXAMPLES / "scan_cluster.py"), *logs]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert done.stdout == run("scan", *logs).out
