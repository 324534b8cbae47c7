"""Random mixtures of pieces, and what an engine makes of them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from postel import Component, Limits, Policy
from postel._alphabet.percent import measure
from postel._normalizer.engine import Engine
from postel._normalizer.findings import Collector
from postel._normalizer.source_map import Mapped


def mixtures(
    chance: random.Random, pieces: Sequence[bytes], policy: Policy, component: Component
) -> Iterator[bytes]:
    """Yield some mixtures of a few of the pieces; each is within the limit of octets of a target."""
    for _ in range(12):
        few = chance.choices(pieces, k=chance.randint(1, 7))
        size = chance.choice([20, 60, 150])
        mixed = b"".join(chance.choices([*few, b"&", b"&a="], k=size))
        octets = chance.choice([mixed, b"&".join([b"".join(few)] * size)])
        if component is Component.FORM or measure(octets) <= policy.limits.octets:
            yield octets


def edited(engine: Engine, octets: bytes, component: Component) -> tuple[bytes | None, list[object], bool]:
    """Return the edited octets (``None`` if refused), the findings, and whether there were more."""
    collector, mapped = Collector(Limits()), Mapped(octets, component)
    detected = engine.judge(mapped, collector)
    found = None if collector.rejected else engine.edit(mapped, detected, collector)
    return found and found.octets, [*collector.findings], collector.truncated
