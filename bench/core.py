"""How long postel takes for a target, beside what every framework pays for it anyway.

Contenders take turns in one process, round after round, on targets that are never twice the same; what is
printed are medians, as ratios to ``urllib.parse.unquote(path)`` and ``parse_qsl(query)`` on the same targets
in the same round. An absolute time is of this machine and this moment, and is printed once for scale.

    python bench/core.py [--rounds N] [--only CASE ...] [--json]
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from itertools import count
from typing import Final, TypeAlias
from urllib.parse import parse_qsl, quote, unquote

from postel import Normalizer, Policy, Target

Case: TypeAlias = tuple[bytes, bytes]
Contender: TypeAlias = Callable[[Sequence[Case]], object]

_NUMBERS: Final = count(100_000)
_KIB8: Final = 8 * 1024


def _filled(piece: str, octets: int) -> str:
    return (piece * (octets // len(piece) + 1))[:octets]


def _cjk(n: int) -> str:
    return quote("起司堡東京都渋谷区") + str(n)


def _european(n: int) -> str:
    return quote("Ärzteblatt-Übersicht-für-Größe") + str(n)


CASES: Final[dict[str, Callable[[int], tuple[str, str]]]] = {
    "root": lambda n: ("/", ""),
    "plain, one pair": lambda n: (f"/articles/{n}", f"page={n}"),
    "plain, three pairs": lambda n: (f"/articles/{n}/comments", f"page=2&sort=newest&id={n}"),
    "plain, ten pairs": lambda n: (f"/search/{n}", "&".join(f"field{i}=value{n}" for i in range(10))),
    "marketing": lambda n: (
        f"/landing/{n}",
        f"utm_source=newsletter&utm_medium=email&utm_campaign=spring%20sale&utm_content=a%2Bb&gclid=Cj0KCQ{n}",
    ),
    "European": lambda n: (f"/suche/{_european(n)}", f"q={_european(n)}&ort={_european(n)}"),
    "CJK": lambda n: (f"/wiki/{_cjk(n)}", f"q={_cjk(n)}&area={_cjk(n)}"),
    "lower-case hex": lambda n: (f"/suche/{_european(n).lower()}", f"q={_european(n).lower()}"),
    "dirty, 8 KiB": lambda n: (
        f"/search/{n}",
        "q=" + _filled("50% off and more text, ", _KIB8 - 64) + str(n),
    ),
    "hostile, a third escapes, 8 KiB": lambda n: (
        f"/search/{n}",
        "q=" + _filled("%C0%AFabcdefghijkl", _KIB8 - 64) + str(n),
    ),
    "hostile, dot segments, 8 KiB": lambda n: (f"/{n}" + "/.." * 2700, ""),
    "hostile, many kinds, 8 KiB": lambda n: (
        f"/search/{n}",
        "q=" + _filled("%00%zz<%E2%80%AE%u00e9;%C4", _KIB8 - 64) + str(n),
    ),
}
"""For each case, path and query of the n-th target."""


def _urllib(batch: Sequence[Case]) -> None:
    for path, query in batch:
        unquote(path.decode())
        parse_qsl(query.decode(), keep_blank_values=True, max_num_fields=None)


class Postel:
    """A policy's proof, or its proof with an outcome built."""

    def __init__(self, policy: Policy) -> None:
        self._normalizer = Normalizer(policy)

    def proof(self, batch: Sequence[Case]) -> None:
        """The question that the adapters ask first."""
        is_clean = self._normalizer.is_clean
        for path, query in batch:
            is_clean(path, query)

    def outcome(self, batch: Sequence[Case]) -> None:
        """An outcome built."""
        normalize = self._normalizer.normalize
        for path, query in batch:
            normalize(Target(path, query))


def contenders() -> Iterator[tuple[str, Contender]]:
    """Everything at hand that reads a path and a query."""
    standard = Postel(Policy.STANDARD)
    yield "urllib", _urllib
    yield "is_clean", standard.proof
    yield "normalize", standard.outcome
    yield "normalize (LENIENT)", Postel(Policy.LENIENT).outcome
    try:
        from yarl import URL  # noqa: PLC0415 - a contender that may be absent
    except ImportError:
        print("absent: yarl", file=sys.stderr)
    else:
        yield (
            "yarl",
            lambda batch: [
                (url.path, list(url.query.items()))
                for url in (
                    URL.build(path=p.decode(), query_string=q.decode(), encoded=True) for p, q in batch
                )
            ],
        )
    try:
        from ada_url import URL as AdaURL  # noqa: N811, PLC0415 - as above; there are two of that name
        from ada_url import URLSearchParams  # noqa: PLC0415 - as above
    except ImportError:
        print("absent: ada-url", file=sys.stderr)
    else:
        yield (
            "ada-url",
            lambda batch: [
                (unquote(url.pathname), list(URLSearchParams(url.search).items()))
                for url in (AdaURL(f"http://h{p.decode()}?{q.decode()}") for p, q in batch)
            ],
        )


def measure(case: str, rounds: int, names: Sequence[tuple[str, Contender]]) -> dict[str, float]:
    """Median seconds a target for each contender; not a number for one that raises."""
    make = CASES[case]
    path, query = make(next(_NUMBERS))
    size = max(2, min(200, 200_000 // (len(path) + len(query) + 200)))
    times: dict[str, list[float]] = {name: [] for name, _ in names}
    for _ in range(rounds):
        batch = [(p.encode(), q.encode()) for p, q in (make(next(_NUMBERS)) for _ in range(size))]
        for name, run in names:
            begin = time.process_time()
            try:
                run(batch)
            except ValueError:
                continue
            times[name].append((time.process_time() - begin) / size)
    return {name: statistics.median(values) if values else math.nan for name, values in times.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--only", nargs="*", choices=list(CASES), default=list(CASES))
    parser.add_argument("--json", action="store_true", help="for machines")
    options = parser.parse_args()
    names = list(contenders())
    results: dict[str, dict[str, float]] = {}
    for case in options.only:
        if sys.stderr.isatty():
            print(f"\r{case:40}", end="", file=sys.stderr)
        results[case] = measure(case, options.rounds, names)
    if options.json:
        print(json.dumps(results, indent=2))
        return
    print(f"\nCPython {platform.python_version()}, {platform.machine()}; " + ", ".join(_versions()))
    print("Medians as ratios to urllib; urllib in microseconds a target.\n")
    columns = [name for name, _ in names if name != "urllib"]
    print(f"| {'case':33} | urllib µs | " + " | ".join(columns) + " |")
    print("|---|---:|" + "---:|" * len(columns))
    for case, medians in results.items():
        base = medians["urllib"]
        cells = " | ".join(
            "raises" if math.isnan(medians[name]) else f"{medians[name] / base:.2f}" for name in columns
        )
        print(f"| {case:33} | {base * 1e6:.1f} | {cells} |")


def _versions() -> Iterator[str]:
    for name in ("postel", "yarl", "ada-url"):
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            yield f"{name} not installed"


if __name__ == "__main__":
    main()
