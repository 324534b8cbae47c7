"""Law 9 on the attack lists: all readers read the accepted payloads in the same way."""

from __future__ import annotations

from functools import cache

import pytest

from conformance.corpora import cases, require
from conformance.test_attacks import FILE, targets
from differential.agreement import Agreement
from differential.readers import OTHERS, READERS, Reader
from differential.routers import ROUTERS, Router
from differential.targets import PRESETS
from postel import Accepted, Normalizer, Target

ASKED = [*READERS, *(pytest.param(reader, marks=pytest.mark.evidence) for reader in OTHERS)]


@cache
def accepted(preset: str) -> list[Target]:
    """Return the payloads that a preset accepts, in any place of a request."""
    require(FILE)
    normalizer = Normalizer(PRESETS[preset])
    outcomes = [normalizer.normalize(target) for case in cases(FILE) for target in targets(case).values()]
    return [outcome.target for outcome in outcomes if isinstance(outcome, Accepted)]


@pytest.mark.parametrize("reader", ASKED, ids=str)
@pytest.mark.parametrize("preset", PRESETS)
def test_every_reader_reads_the_same_pairs(reader: Reader, preset: str, agreements: list[Agreement]) -> None:
    reader.require()
    attacks = [target for target in accepted(preset) if target.query]
    compared, differing = 0, []
    for target, reading in zip(attacks, reader.read_all([each.query for each in attacks]), strict=True):
        expected = reader.expected(target)
        compared += expected is not None
        if expected not in (None, reader.view(reading)):
            differing.append((target.query, target.pairs, reading))
    agreements.append(Agreement("attack in a query", reader.name, preset, 0, compared, len(differing)))
    assert differing == []
    assert compared


@pytest.mark.parametrize("router", ROUTERS, ids=str)
@pytest.mark.parametrize("preset", PRESETS)
def test_every_reader_reads_the_same_path(router: Router, preset: str, agreements: list[Agreement]) -> None:
    attacks = [target for target in accepted(preset) if not target.query]
    differing = [
        (target.path, router.expected(target), reading)
        for target, reading in zip(attacks, router.read_all(attacks), strict=True)
        if reading != router.expected(target)
    ]
    agreements.append(Agreement("attack in a path", router.name, preset, 0, len(attacks), len(differing)))
    assert differing == []
    assert attacks
