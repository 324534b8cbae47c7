"""Targets made of hostile and ordinary pieces, the same ones in every run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, final

import pytest

from postel import Accepted, Normalizer, Policy, Target

PRESETS: Final = {
    "STRICT": Policy.STRICT,
    "STANDARD": Policy.STANDARD,
    "LENIENT": Policy.LENIENT,
}


@final
@dataclass(frozen=True)
class Run:
    """The seed of the generators, and the number of targets."""

    seed: int
    count: int

    def __str__(self) -> str:
        return f"seed {self.seed}"


RUNS: Final = (
    Run(0, 1_000),
    *(pytest.param(Run(seed, 10_000), marks=pytest.mark.evidence, id=f"seed {seed}") for seed in (1, 2, 3)),
)
"""`make test` does the first run, `make evidence` all of them."""

WORDS: Final[tuple[bytes, ...]] = (
    *(b"a", b"b", b"q", b"id", b"42", b"0", b"-1", b"user", b"x.y", b"a_b", b"~me", b"true", b"null"),
    *(b"caf%C3%A9", b"%C3%84rzteblatt", b"%E8%B5%B7%E5%8F%B8%E5%A0%A1", b"%D0%BC%D0%B8%D1%80"),
    *(b"%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB", b"%D9%85%DB%8C%E2%80%8C%D8%AE", b"a%CC%88", b"%EF%BF%BD"),
    *(b"%20", b"%21", b"%25", b"%26", b"%27", b"%2B", b"%2C", b"%2F", b"%3A", b"%3B", b"%3D", b"%3F"),
    *(b"%22", b"%3C", b"%3E", b"%5C", b"%7C", b"%5B", b"%5D", b"%7B", b"%60", b"%40", b"%23", b"%24"),
)
"""Pieces that every preset accepts in a query."""

ODDITIES: Final[tuple[bytes, ...]] = (
    *(b"+", b"[]", b"[a]", b";", b"%0D%0A", b"%09", b"|", b"{", b'"', b"<", b"^", b"`", b" ", b"\\"),
    *(b"%", b"%%", b"%z", b"%4", b"%zz", b"%25zz", b"%2526", b"%253D", b"%u00e9", b"%uD83D%uDE00", b"%u"),
    *(b"%2%36", b"%%36%36", b"%c3%a9", b"%41", b"%7e", b"%2b", b"%3d", b"%E2%80%8B", b"%EF%BB%BF"),
    *(b"%C2%85", b"%E2%80%A8", b"%EF%BF%BE", b"%E2%80%AE", "\u00e9".encode(), "\u8d77".encode()),
    *(b"=", b"==", b"&&", b"&", b"=&", b"&=", b"?", b"??", b"/", b":", b"@", b"'", b"!", b"$", b"(", b"*"),
)
"""Pieces that people and programs send and that STRICT refuses or repairs."""

ATTACKS: Final[tuple[bytes, ...]] = (
    *(b"%00", b"%C0%AF", b"%C4", b"%E2%82", b"%ED%A0%80", b"%F5%80%80%80", b"%80", b"%FF", b"%E2%28%A1"),
    *(b"\x00", b"\x01", b"\t", b"\n", b"\r", b"\x7f", b"\xc4", b"\xff\xfe", b"%1B", b"%7F", b"%uD800"),
    *(b"#", b"#a=1&b", b"%u0026", b"%u003D", b"%u002541", b"%\xc3\xa9", b"%C3%", b"%C3&%A9", b"%E2%80%00%A8"),
)
"""Pieces that only attackers send."""

SEGMENTS: Final[tuple[bytes, ...]] = (
    *(b"/", b"/", b"/", b"/", b".", b"..", b"/..", b"/.", b"/../", b"/./", b"//", b"/%2e", b"/%2E%2E"),
    *(b"%2F", b"%252F", b"%5C", b"\\", b";", b";a=1", b"..;", b"%3B", b"%3F", b"%23", b"http://h/", b"*"),
    *(b"/con", b"/a.", b"/...", b"/.a", b"%E2%88%95", b"%EF%BC%8F", b"/wiki/C%23", b"%2525", b"%2f%2e%2e"),
)
"""Pieces of paths, used in addition to the others."""


@final
@dataclass(frozen=True)
class Recipe:
    """How often a piece is taken from each list; each target is made by one recipe."""

    lists: tuple[tuple[bytes, ...], ...]
    weights: tuple[int, ...]

    def piece(self, source: random.Random) -> bytes:
        (chosen,) = source.choices(self.lists, self.weights)
        return source.choice(chosen)


PAIRS: Final = (
    Recipe((WORDS,), (1,)),
    Recipe((WORDS, ODDITIES), (3, 1)),
    Recipe((WORDS, ODDITIES, ATTACKS), (4, 4, 1)),
)
PATHS: Final = (
    Recipe((WORDS, (b"/",)), (1, 1)),
    Recipe((WORDS, SEGMENTS), (1, 1)),
    Recipe((WORDS, SEGMENTS, ODDITIES, ATTACKS), (6, 8, 2, 1)),
)


def queries(seed: int) -> Iterator[bytes]:
    """Yield queries forever: names and values of up to three pieces, with separators between pairs."""
    source = random.Random(seed)  # noqa: S311 - the same in every run is what is wanted
    while True:
        recipe = source.choice(PAIRS)
        pairs = [
            b"".join(recipe.piece(source) for _ in range(source.randint(1, 2)))
            + source.choice((b"=", b"=", b"=", b""))
            + b"".join(recipe.piece(source) for _ in range(source.randint(0, 3)))
            for _ in range(source.randint(1, 4))
        ]
        yield b"&".join(pairs)


def paths(seed: int) -> Iterator[bytes]:
    """Yield paths of up to eight pieces forever."""
    source = random.Random(seed)  # noqa: S311 - the same in every run is what is wanted
    while True:
        recipe = source.choice(PATHS)
        yield b"/" + b"".join(recipe.piece(source) for _ in range(source.randint(0, 8)))


@cache
def accepted_queries(preset: str, run: Run) -> tuple[Target, ...]:
    """Return the first targets with different queries that a preset accepts."""
    return _accepted(preset, run.count, (Target(query=query) for query in queries(run.seed)))


@cache
def accepted_paths(preset: str, run: Run) -> tuple[Target, ...]:
    """Return the first targets with different paths that a preset accepts."""
    return _accepted(preset, run.count, (Target(path=path) for path in paths(run.seed)))


def _accepted(preset: str, count: int, targets: Iterator[Target]) -> tuple[Target, ...]:
    normalizer = Normalizer(PRESETS[preset])
    accepted: dict[Target, None] = {}
    for target in targets:
        outcome = normalizer.normalize(target)
        if isinstance(outcome, Accepted):
            accepted.setdefault(outcome.target)
            if len(accepted) == count:
                break
    return tuple(accepted)
