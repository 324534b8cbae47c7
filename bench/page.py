"""The benchmark, and the page that it writes: docs/performance.md.

    python bench/page.py [--rounds N] [--wrk PATH] [--requests] [--only CASE ...] [--write FILE]

Without ``--write`` the page is printed. With ``--requests``, only whole servers are measured, and only their
section is printed or replaced.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Final

import body_costs
import load
import measuring
import middleware
import worst
from cases import CASES, FORMS, GROWING
from contenders import BASE, CONTENDERS, DISTRIBUTIONS, OURS
from page_sections import section_of, with_section

import servers

_OTHERS: Final = [name for name in CONTENDERS if name not in {BASE, *OURS}]
_WIDTH: Final = 24
_REQUESTS: Final = "## A request"
_HEAD: Final = """\
# Performance

<!-- Written by "make bench-page"; not edited by hand. -->

This page shows what a request costs, and then what single targets, forms and bodies cost. `make bench` prints
it for your machine."""
_WHOLE: Final = """\
Processor time of a plain request with three pairs under wrk, in microseconds. Its header fields are only
Host, or those of a browser. In one process of the server, applications without postel and behind it answer in
turns. The last column compares two applications without postel, so its distance from 1 is chance."""
_RATIOS: Final = """\
The figures are ratios to the time of `urllib.parse.unquote(path)` and `parse_qsl(query)`, with which many
frameworks decode a target: 0.5 is half of that time. Each round makes new targets, and in one process each
contender in turn reads all of them. Processor time is measured, and medians are compared.

*proof* is `Normalizer.is_clean`, whose proofs the middleware tries first; *outcome* is `Normalizer.normalize`
with all of its findings. The policy is `Policy.STANDARD` unless another is named. A bar shows the outcome,
and `¦` marks the time of urllib. If there is nothing to decode, urllib is so fast that the ratio says little;
the last column therefore gives the outcome's time for each octet."""


def page(rounds: int, wrk: str | None, only: list[str]) -> Iterator[str]:
    """Yield the lines of the page."""
    yield _HEAD
    yield ""
    python = f"CPython {platform.python_version()}, {platform.machine()}"
    yield f"{python}, {_processor()}, {os.cpu_count()} processors; "
    yield ", ".join(f"{name} {version(name)}" for name in DISTRIBUTIONS) + "."
    yield from _requests(rounds, wrk)
    yield from _section(
        "The middleware alone",
        "The same request without a server, in microseconds. *no-op* is a wrapper that does nothing. *added*",
    )
    yield "is the difference between postel and this wrapper, divided by the time of the wrapper."
    yield ""
    rows = (
        (
            side,
            *(f"{each[name] * 1e6:.2f}" for name in each),
            f"{(each['postel'] - each['no-op']) / each['no-op']:.1f}",
        )
        for side, each in middleware.measure(rounds * 4).items()
    )
    yield from _table(("protocol", "alone", "no-op", "postel", "added"), rows)
    results = {case: measuring.interleaved(CASES[case], rounds) for case in only}
    yield from _section("Targets", _RATIOS)
    yield ""
    yield from _table(
        ("case", "urllib, µs", "proof", "outcome", "LENIENT", "", "ns an octet"), _ours(results)
    )
    yield from _section(
        "Beside other libraries",
        "The same ratios for other libraries, which do different work. A dash means that the library",
    )
    yield "raises."
    yield ""
    yield from _table(("case", *_OTHERS), _theirs(results))
    yield from _section(
        "Growth",
        "Nanoseconds to judge one octet, without limits. Equal figures in a row mean linear growth.",
    )
    yield ""
    rows = (
        (name, *(f"{each:.0f}" for each in row))
        for name, row in measuring.growth(max(3, rounds // 3)).items()
    )
    yield from _table(("shape", "1 KiB", "4 KiB", "16 KiB", "64 KiB"), rows)
    yield from _section(
        "Memory", "The peak memory in KiB for judging a target of 8 KiB, without the target itself."
    )
    yield ""
    yield from _table(
        ("shape", "KiB"), ((name, f"{each / 1024:.0f}") for name, each in measuring.memory().items())
    )
    yield from _section("Forms", "The time of postel's `FormRules` for a body, as a ratio to `parse_qsl`.")
    yield ""
    rows = (
        (name, f"{each[BASE] * 1e6:.0f}", f"{each['form'] / each[BASE]:.2f}")
        for name, each in measuring.forms(rounds).items()
    )
    yield from _table(("body", "parse_qsl, µs", "postel"), rows)
    yield ""
    yield from body_costs.section(rounds * 5).rstrip("\n").split("\n")
    yield ""
    yield _NOTES


_NOTES: Final = """\
## What is behind the figures

- **Clean targets** match one regular expression for each component, and need no further work. For a plain
  target with three pairs, half of the time goes into the path: after each slash the pattern checks whether
  a dot segment or the name of a device begins. A third goes into the query, the rest into calls and
  limits. An outcome creates two more objects.
- **Dirty targets that are accepted** are repaired in bulk: a proof, a replacement for each different
  octet or escape, and a pass for the findings. Respelling escapes costs less than decoding them. If
  there is little or nothing to decode, as in spaces or raw UTF-8, urllib does almost no work, and the
  ratio is large.
- **Hostile targets** are read no further than a refusal needs: the first 32 faults are listed, and if one
  of them refuses, the rest is not judged.
- **The middleware** makes four to twelve checks of a request besides the proof: types, views that
  must agree, the Host, and whether another postel has judged the request already. Then it copies the environ
  or scope, because some servers reuse them: a mark "already judged" in the original would let the next
  request pass unjudged.
  In a whole server the same checks cost more, since its caches are cold."""


def _requests(rounds: int, wrk: str | None) -> Iterator[str]:
    """Yield the lines of the section about whole servers."""
    yield from _section(_REQUESTS.removeprefix("## "), _WHOLE)
    yield ""
    if wrk is None:
        yield "Not measured, because wrk is missing."
        return
    rows = (
        (
            name,
            fields,
            f"{each['bare'] * 1e6:.0f}",
            f"{each['postel'] * 1e6:.0f}",
            f"{each['ratio of postel']:.3f}",
            f"{each['ratio of bare again']:.3f}",
        )
        for name, fields, each in servers.measure(wrk, max(3, rounds // 2))
    )
    yield from _table(
        (
            "server",
            "fields",
            "without postel",
            "behind postel",
            "ratio",
            "ratio of a second one without postel",
        ),
        rows,
    )


def _section(title: str, text: str) -> Iterator[str]:
    yield from ("", f"## {title}", "", text)


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|---|" + "---:|" * (len(head) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def _ours(results: Mapping[str, Mapping[str, float | None]]) -> Iterator[tuple[str, ...]]:
    for case, medians in results.items():
        base, outcome = medians[BASE] or 0.0, medians["outcome"] or 0.0
        path, query = CASES[case](1)
        octet = outcome / len((path + query).encode()) * 1e9
        ratios = (_ratio(medians[name], base) for name in OURS)
        yield (case, f"{base * 1e6:.1f}", *ratios, f"`{_bar(outcome / base)}`", f"{octet:.0f}")


def _theirs(results: Mapping[str, Mapping[str, float | None]]) -> Iterator[tuple[str, ...]]:
    for case, medians in results.items():
        yield (case, *(_ratio(medians[name], medians[BASE] or 0.0) for name in _OTHERS))


def _ratio(seconds: float | None, base: float) -> str:
    return "-" if seconds is None else f"{seconds / base:.2f}"


def _bar(ratio: float) -> str:
    """Return a bar of text; eight cells stand for the time of urllib."""
    cells = min(_WIDTH, round(ratio * 8))
    bar = "#" * cells + " " * (_WIDTH - cells)
    return bar[:8] + "¦" + bar[8:] + (">" if ratio * 8 > _WIDTH else "")


def _processor() -> str:
    """Return the system's name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def main() -> None:
    """Print or write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--wrk", default=os.environ.get("POSTEL_WRK") or None)
    parser.add_argument("--requests", action="store_true")
    parser.add_argument("--only", nargs="*", choices=list(CASES), default=list(CASES))
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    lines: list[str] = []
    measured = (
        _requests(options.rounds, options.wrk)
        if options.requests
        else page(options.rounds, options.wrk, options.only)
    )
    for line in measured:
        lines.append(line.rstrip())
        if options.write is None:
            print(lines[-1])
            sys.stdout.flush()
    if options.write is not None:
        text = "\n".join(lines) + "\n"
        before = options.write.read_text("utf-8") if options.write.exists() else ""
        if options.requests:
            text = with_section(before, _REQUESTS, text.lstrip("\n") + "\n")
        for each in (worst, load):  # these sections are written by programs of their own, which take minutes
            if section := section_of(before, each.TITLE):
                text = with_section(text, each.TITLE, section)
        options.write.write_text(text, "utf-8")


__all__ = ["FORMS", "GROWING", "page"]


if __name__ == "__main__":
    main()
