"""Law 9: all available readers read the same list of pairs as postel from what a preset accepts."""

from __future__ import annotations

from itertools import islice

import pytest

from differential.agreement import Agreement, Raw
from differential.readers import OTHERS, READERS, Reader
from differential.targets import PRESETS, RUNS, Run, accepted_queries, queries

ASKED = [*READERS, *(pytest.param(reader, marks=pytest.mark.evidence) for reader in OTHERS)]


@pytest.mark.parametrize("reader", ASKED, ids=str)
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("run", RUNS, ids=str)
def test_every_reader_reads_the_same_pairs(
    reader: Reader, preset: str, run: Run, agreements: list[Agreement]
) -> None:
    reader.require()
    targets = accepted_queries(preset, run)
    readings = reader.read_all([target.query for target in targets])
    compared, differing = 0, []
    for target, reading in zip(targets, readings, strict=True):
        expected = reader.expected(target)
        compared += expected is not None
        if expected not in (None, reader.view(reading)):
            differing.append((target.query, target.pairs, reading))
    agreements.append(Agreement("query", reader.name, preset, run.seed, compared, len(differing)))
    assert (len(targets), differing[:10]) == (run.count, [])
    assert compared > run.count / 2


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_without_postel_readers_disagree(run: Run, raw: list[Raw]) -> None:
    share_of_agreement("Python and Node", READERS, run, raw)


@pytest.mark.evidence
@pytest.mark.parametrize("run", RUNS[1:], ids=str)
def test_without_postel_readers_in_all_languages_disagree(run: Run, raw: list[Raw]) -> None:
    share_of_agreement("all languages", (*READERS, *OTHERS), run, raw)


def share_of_agreement(group: str, members: tuple[Reader, ...], run: Run, raw: list[Raw]) -> None:
    """Record how many generated queries all readers without a quirk read alike; some queries differ."""
    generated = list(islice(queries(run.seed), run.count))
    readers = [reader for reader in members if not reader.absence() and not reader.quirk]
    every = [reader.read_all(generated) for reader in readers]
    agreed = sum(
        all(
            reader.view(reading) == reader.view(readings[0])
            for reader, reading in zip(readers, readings, strict=True)
        )
        for readings in zip(*every, strict=True)
    )
    raw.append(Raw(group, run.seed, tuple(map(str, readers)), run.count, agreed))
    assert agreed < run.count
