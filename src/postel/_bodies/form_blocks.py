"""Split a form into blocks of pairs, and merge the findings about them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, final

from postel._catalogue.check import Action
from postel._catalogue.finding import Finding
from postel._normalizer.findings import MOST, Collector

_CUT: Final = re.compile(rb"(?<!&)&(?!\Z)")
"""The ampersand at which a block ends.

It is the first of several, because an empty pair is found at the ampersand after it. It is not the last octet
of a form, because a block without octets has no pair.
"""
_EVERY_STEP: Final = 100
"""Greater than the number of any step."""


def blocks_of(octets: bytes, size: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of blocks of whole pairs. One ampersand is between two blocks, and in neither.

    >>> list(blocks_of(b"a=1&&b=2&c=3", 2))
    [(0, 3), (4, 8), (9, 12)]
    """
    start = 0
    while cut := _CUT.search(octets, start + size):
        yield start, cut.start()
        start = cut.end()
    yield start, len(octets)


@final
@dataclass(frozen=True, slots=True)
class Block:
    """A block of pairs of a form, and its judgement."""

    start: int
    end: int
    octets: bytes | None
    collector: Collector

    def findings_until(self, last: int) -> tuple[tuple[Finding, ...], bool]:
        """The findings up to the end of a step, and whether there were more."""
        later = (each for each in self.collector.steps if each[0] > last)
        _, findings, truncated = next(later, (last, tuple(self.collector.findings), self.collector.truncated))
        return findings, truncated


def merged_findings(judged: list[Block]) -> tuple[tuple[Finding, ...], bool]:
    """The first findings of all blocks, and whether there were more.

    If any finding rejects, at least one that rejects is among the first.

    The judgement of a form as a whole ends with the step that refuses it, so findings of later steps are left
    out here as well.
    """
    refused = (each.collector.steps[-1][0] for each in judged if each.octets is None and each.collector.steps)
    last = min(refused, default=_EVERY_STEP)
    findings: list[Finding] = []
    truncated = False
    for each in judged:
        start = each.start
        found, more = each.findings_until(last)
        for finding in found:
            if len(findings) == MOST:
                truncated = True
                if finding.action is not Action.REJECT or findings[-1].action is Action.REJECT:
                    continue
                findings.pop()
            findings.append(replace(finding, offset=finding.offset + start) if start else finding)
        truncated = truncated or more
    return tuple(findings), truncated
