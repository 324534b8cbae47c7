"""A Dask cluster of two workers counts what ``postel scan`` counts, to the last count."""

from __future__ import annotations

import gzip
import importlib.util
import json
import subprocess
import sys
from typing import Any

import pytest

from applications import EXAMPLES
from postel.scan import Summary, count_parts, parts_of
from scan.generator import write
from terminal import run

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("logs")
    files = [folder / f"access.log.{number}" for number in range(3)]
    for number, file in enumerate(files):
        write(8_000, file, seed=number)
    packed = folder / "access.log.3.gz"
    packed.write_bytes(gzip.compress(files[0].read_bytes()))
    return [*map(str, files), str(packed)]


def test_the_same_tally(logs: list[str]) -> None:
    # Nobody has a cluster but the environment of these tests.
    distributed: Any = pytest.importorskip("distributed")
    spec = importlib.util.spec_from_file_location("scan_cluster", EXAMPLES / "scan_cluster.py")
    assert spec is not None
    assert spec.loader is not None
    example: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert len(client.scheduler_info()["workers"]) == 2
        counted = example.scan(client, logs, size=500_000)
    assert counted == count_parts([part for log in logs for part in parts_of(log)])
    assert Summary.of(counted).as_json() == json.loads(run("scan", "--json", *logs).out)


def test_the_command(logs: list[str]) -> None:
    command = [sys.executable, str(EXAMPLES / "scan_cluster.py"), *logs]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert done.stdout == run("scan", *logs).out
