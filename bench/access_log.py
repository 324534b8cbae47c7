"""Write an access log of ordinary and hostile requests, and the counts that a scan of it must report.

    python bench/access_log.py 1000000 access.log > expected.json

Each row of MIXTURE says how many of a thousand lines it makes, which presets refuse its requests, and which
kinds STANDARD finds. These expectations are written by hand. The same number of lines always gives the same
log.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_BROWSERS: Final = (
    "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)",
)
_SCANNERS: Final = ("Mozilla/5.0 zgrab/0.x", "python-requests/2.32.3", "-")


_WORDS: Final = (
    *("red", "blue", "shoes", "for", "men", "size", "winter", "coat", "how", "to", "install", "python"),
    *("on", "windows", "best", "book", "of", "jazz", "near", "me"),
)


@dataclass(frozen=True, slots=True)
class Row:
    """Requests of one form. In the target, ``{n}`` stands for a number and ``{w}`` for some words."""

    per_mille: int
    target: str
    """The target as nginx writes it."""
    refused_by: str = ""
    """The presets that refuse it, or redirect it."""
    found: str = ""
    """Kinds and components that STANDARD finds, such as ``nul@path``."""
    hostile: bool = False
    redirected_by: str = ""
    """The presets of ``refused_by`` that redirect it instead."""


MIXTURE: Final = (
    Row(320, "/articles/{n}"),
    Row(200, "/articles/{n}/comments?page=2&sort=newest"),
    Row(100, "/static/app.{n}.js"),
    Row(110, "/"),
    Row(60, "/search?q=word{n}"),
    Row(60, "/search?utm_source=feed&utm_medium=rss&q={n}"),
    Row(50, "/wiki/caf%C3%A9-{n}?q=%E8%B5%B7%E5%8F%B8"),
    # The rows below are a tenth of all lines; STRICT edits or refuses them.
    Row(20, "/search?q={w}"),  # STRICT respells "+" as "%20"
    Row(10, "/list?tags[]={w}&tags[]={n}", "strict"),
    Row(10, "/caf%c3%a9/{n}", "", "spelling@path"),
    Row(8, "/search?q={w}+{n}%+off", "strict", "malformed-escape@query"),
    Row(6, "/units/kg%2F{n}", "strict standard", "encoded-slash@path"),
    Row(4, "//articles/{n}", "strict standard", "leading-slashes@path", redirected_by="strict standard"),
    Row(6, "/articles//{n}", "strict standard", "empty-segment@path", redirected_by="strict standard"),
    Row(4, "/search?q={w}+%E4rzte{n}", "strict standard", "ill-formed-utf8@query"),
    Row(4, "/wiki/C%23?page={n}", "strict", "encoded-delimiter@path"),
    Row(4, r"/stra\xC3\x9Fe/{n}", "strict", "raw-non-ascii@path"),
    Row(6, "/{n}%00.php", "strict standard lenient", "nul@path", hostile=True),
    Row(
        6,
        "/cgi-bin/.%2e/{n}/bin/sh",
        "strict standard lenient",
        "encoded-dot-segment@path spelling@path",
        hostile=True,
    ),
    Row(4, "/%C0%AE%C0%AE/{n}", "strict standard lenient", "ill-formed-utf8@path", hostile=True),
    Row(4, r"/\x22{n}", "strict", "illegal-character@path", hostile=True),
    Row(4, "/x/{n}%0D%0ASet-Cookie:a", "strict standard lenient", "line-break@path", hostile=True),
)
NONSENSE: Final = 1
"""How many of each thousand lines cannot be read as log lines."""


def lines(count: int, seed: int = 1) -> Iterator[tuple[Row | None, str]]:
    """Yield rows and lines, the same for the same seed; the row is ``None`` if a line cannot be read."""
    source = random.Random(seed)  # noqa: S311 - every run must give the same log
    deck = [row for row in MIXTURE for _ in range(row.per_mille)] + [None] * NONSENSE
    for number in range(count):
        if number % len(deck) == 0:
            source.shuffle(deck)
        row = deck[number % len(deck)]
        if row is None:
            yield None, f"the rest of line {number}"
            continue
        target = row.target.replace("{n}", str(source.randrange(1_000_000)))
        if "{w}" in target:
            target = target.replace("{w}", "+".join(source.choices(_WORDS, k=source.randrange(2, 7))))
        if row.hostile:
            client, status, referer, agent = (
                f"203.0.113.{source.randrange(16)}",
                404,
                "-",
                source.choice(_SCANNERS),
            )
        else:
            client = f"10.{source.randrange(16)}.{source.randrange(256)}.{source.randrange(256)}"
            status, referer, agent = 200, "https://example.com/", source.choice(_BROWSERS)
        second = number % 60
        yield (
            row,
            f"{client} - - [10/Oct/2026:13:{number // 60 % 60:02}:{second:02} +0000] "
            f'"GET {target} HTTP/1.1" {status} {source.randrange(99999)} "{referer}" "{agent}"',
        )


def expected(counts: Counter[Row | None]) -> dict[str, object]:
    """Return the counts that a scan under STANDARD must report."""
    requests = Counter({row: count for row, count in counts.items() if row is not None})
    kinds: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    redirected: Counter[str] = Counter()
    for row, count in requests.items():
        for name in row.refused_by.split():
            (redirected if name in row.redirected_by.split() else refused)[name] += count
        for place in row.found.split():
            kinds[place] += count
    return {
        "lines": counts.total(),
        "requests": requests.total(),
        "clean": sum(count for row, count in requests.items() if not row.found),
        "unreadable": {"other-format": counts[None]} if counts[None] else {},
        "refused": _by_policy(refused),
        "redirected": _by_policy(redirected),
        "kinds": dict(sorted(kinds.items())),
    }


def _by_policy(counts: Counter[str]) -> dict[str, int]:
    return {
        "policy": counts["standard"],
        **{name: counts[name] for name in ("strict", "standard", "lenient")},
    }


def write(count: int, path: Path, seed: int = 1) -> dict[str, object]:
    """Write a log, and return the counts that a scan of it must report."""
    counts: Counter[Row | None] = Counter()
    with path.open("w", encoding="ascii", newline="\n") as file:
        for row, line in lines(count, seed):
            counts[row] += 1
            file.write(line + "\n")
    return expected(counts)


def main() -> None:
    """Write a log, and print the counts that a scan of it must report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lines", type=int)
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    json.dump(write(options.lines, options.file), sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
