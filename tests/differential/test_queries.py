"""Law 9: what a preset accepts, every reader at hand reads as the same list of pairs as postel does."""

from __future__ import annotations

from itertools import islice

import pytest

from differential.readers import READERS, Reader
from differential.targets import PRESETS, accepted_queries, queries

COUNT = 10_000


@pytest.mark.parametrize("reader", READERS, ids=str)
@pytest.mark.parametrize("preset", PRESETS)
def test_every_reader_reads_the_same_pairs(reader: Reader, preset: str) -> None:
    reader.require()
    targets = accepted_queries(preset, COUNT)
    readings = reader.read_all([target.query for target in targets])
    differing = [
        (target.query, target.pairs, reading)
        for target, reading in zip(targets, readings, strict=True)
        if reader.expected(target) != reader.view(reading)
    ]
    assert (len(targets), differing[:10]) == (COUNT, [])


def test_without_postel_they_do_not(shares: list[str]) -> None:
    generated = list(islice(queries(COUNT), COUNT))
    readers = [reader for reader in READERS if reader.is_there() and not reader.quirk]
    every = [reader.read_all(generated) for reader in readers]
    agreed = sum(
        all(
            reader.view(reading) == reader.view(readings[0])
            for reader, reading in zip(readers, readings, strict=True)
        )
        for readings in zip(*every, strict=True)
    )
    shares.append(
        f"before postel, {len(readers)} readers agree on {agreed} of {COUNT} generated queries "
        f"({agreed / COUNT:.0%}); after it, on all that it accepts"
    )
    assert agreed < COUNT
