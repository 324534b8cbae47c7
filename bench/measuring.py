"""Measure contenders that take turns in one process, and compare their medians.

Processor time is measured, so other programs are not counted. They still change the caches and the speed of
the processor. The figures are therefore ratios to what ran in the same turn.
"""

from __future__ import annotations

import re
import statistics
import time
import tracemalloc
from collections.abc import Callable, Mapping
from typing import Any, Final

import httpx
from cases import FORMS, GROWING, KIB, Maker, batch, form
from contenders import BASE, CONTENDERS, Contender

from postel import Component, Normalizer, Policy, Target
from postel._bodies.form_settings import Forms
from postel._bodies.urlencoded import FormRules

_SIZES: Final = (1, 4, 16, 64)
_UNLIMITED: Final = dict.fromkeys(("octets", "segments", "pairs", "name", "value", "depth"), 1 << 21)


def interleaved(
    make: Maker, rounds: int, contenders: Mapping[str, Contender] = CONTENDERS, most: int = 200
) -> dict[str, float | None]:
    """Return the median seconds for a target by contender; None for a contender that raises."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        targets = batch(make, most)
        for name, run in contenders.items():
            begin = time.process_time()
            try:
                run(targets)
            except (ValueError, TypeError, LookupError, httpx.InvalidURL):
                continue
            times[name].append((time.process_time() - begin) / len(targets))
    return {name: statistics.median(each) if each else None for name, each in times.items()}


def growth(rounds: int) -> dict[str, list[float]]:
    """Return the nanoseconds for an octet under STANDARD without limits, at 1, 4, 16 and 64 KiB."""
    normalize = Normalizer(Policy.STANDARD.limiting(**_UNLIMITED)).normalize
    return {
        name: [_octet(place(piece, size * KIB), normalize, rounds) for size in _SIZES]
        for name, (place, piece) in GROWING.items()
    }


def _octet(make: Maker, normalize: Callable[[Target], object], rounds: int) -> float:
    times: list[float] = []
    for _ in range(rounds):
        ((path, query), *_) = batch(make, 2)
        target = Target(path, query)
        begin = time.process_time()
        normalize(target)
        times.append((time.process_time() - begin) / (len(path) + len(query)))
    return statistics.median(times) * 1e9


def memory() -> dict[str, int]:
    """Return the peak memory for a target of 8 KiB, and the memory of a compiled policy, in octets."""
    re.purge()  # otherwise patterns of an earlier policy would be shared, and not counted
    tracemalloc.start()
    normalizer = Normalizer(Policy.STANDARD)
    found = {"a compiled policy": tracemalloc.get_traced_memory()[0]}
    for name, (place, piece) in GROWING.items():
        path, query = place(piece, 8 * KIB)(1)
        target = Target(path.encode(), query.encode())
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        normalizer.normalize(target)
        found[name] = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return found


def forms(rounds: int) -> dict[str, dict[str, float | None]]:
    """Return the median seconds for a body, for ``parse_qsl`` and for postel."""
    judge = FormRules(Policy.STANDARD.limiting(**_UNLIMITED), Forms()).judge
    contenders: dict[str, Callable[[bytes], Any]] = {BASE: _parse, "form": judge}
    results: dict[str, dict[str, float | None]] = {}
    for name, (piece, octets) in FORMS.items():
        times: dict[str, list[float]] = {each: [] for each in contenders}
        for _ in range(max(3, rounds // (1 + octets // (64 * KIB)))):
            body = form(piece, octets)
            for each, run in contenders.items():
                begin = time.process_time()
                run(body)
                times[each].append(time.process_time() - begin)
        results[name] = {each: statistics.median(seconds) for each, seconds in times.items()}
    return results


def _parse(body: bytes) -> object:
    from urllib.parse import parse_qsl  # noqa: PLC0415 - beside its only use

    return parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=None)


__all__ = ["Component", "forms", "growth", "interleaved", "memory"]
