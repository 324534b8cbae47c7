"""Law 9 on paths: all readers read the path that postel reads, raw or decoded by a server."""

from __future__ import annotations

import pytest

from differential.agreement import Agreement
from differential.routers import ROUTERS, Router
from differential.targets import PRESETS, RUNS, Run, accepted_paths


@pytest.mark.parametrize("router", ROUTERS, ids=str)
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("run", RUNS, ids=str)
def test_every_reader_reads_the_same_path(
    router: Router, preset: str, run: Run, agreements: list[Agreement]
) -> None:
    targets = accepted_paths(preset, run)
    differing = [
        (target.path, router.expected(target), reading)
        for target, reading in zip(targets, router.read_all(targets), strict=True)
        if reading != router.expected(target)
    ]
    agreements.append(Agreement("path", router.name, preset, run.seed, len(targets), len(differing)))
    assert (len(targets), differing[:10]) == (run.count, [])
