"""Compare a scan with an earlier one, from the report that ``--json`` wrote.

The file may come from anybody, so only numbers and known names are read from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Self, cast, final

from postel import Component, Kind, Policy
from postel.scan._conclusion import share
from postel.scan._summary import Summary

_WORDS: Final = {
    "requests": "requests",
    "refused": "refused",
    "redirected": "redirected",
    "people": "refused, probably from people",
    "unclear": "refused, unclear",
    "scanners": "refused, from scanners or already failing",
}
"""The totals that are compared, and how a report names them."""


@final
@dataclass(frozen=True, slots=True)
class EarlierReport:
    """The figures of an earlier report.

    >>> import json
    >>> from postel.scan import EarlierReport, Summary, Tally
    >>> EarlierReport.parse(json.dumps(Summary.of(Tally()).as_json()).encode()).totals["refused"]
    0
    """

    policy: str
    """The policy of that scan, in text form."""
    totals: dict[str, int]
    """Requests by outcome and by sender; ``requests`` counts all of them."""
    refused: dict[tuple[str, str], int]
    """How many requests the policy would refuse for a fault, by kind and component."""

    @classmethod
    def parse(cls, octets: bytes) -> Self:
        """Read a report of ``--json``. Raises ``ValueError`` for anything else."""
        try:
            report = _mapping(json.loads(octets))
            senders = _mapping(report["refused_senders"])
            lines = [_mapping(each) for each in cast("list[object]", report["kinds"])]
            return cls(
                str(Policy.parse(cast("str", report["policy"]))),
                {
                    "requests": _count(report["requests"]),
                    **{name: _count(_mapping(report[name])["policy"]) for name in ("refused", "redirected")},
                    **{name: _count(senders[name]) for name in ("people", "unclear", "scanners")},
                },
                dict(_refused(lines)),
            )
        except (ValueError, TypeError, KeyError, RecursionError):  # a PolicyError is a ValueError
            raise ValueError("not a report of this version; write one with 'postel scan --json'") from None


def _refused(lines: list[Mapping[str, object]]) -> Iterator[tuple[tuple[str, str], int]]:
    kinds, components = {each.slug for each in Kind}, {each.value for each in Component}
    for line in lines:
        kind, component = line["kind"], line["component"]
        if kind in kinds and component in components:
            yield (str(kind), str(component)), _count(_mapping(line["refused_by"])["policy"])


def compared(earlier: EarlierReport, summary: Summary) -> Iterator[str]:
    """Yield what has changed: the totals, and each kind that is refused more or less often.

    >>> import json
    >>> from postel.scan import EarlierReport, Summary, Tally, compared
    >>> summary = Summary.of(Tally())
    >>> next(compared(EarlierReport.parse(json.dumps(summary.as_json()).encode()), summary))
    'requests: 0 (0 %) -> 0 (0 %)'
    """
    now = EarlierReport(
        summary.policy,
        {
            "requests": summary.requests,
            "refused": summary.refused["policy"],
            "redirected": summary.redirected["policy"],
            **summary.refused_senders,
        },
        {(each.kind, each.component): each.refused_by["policy"] for each in summary.kinds},
    )
    if earlier.policy != now.policy:
        yield f"The earlier scan used another policy: {earlier.policy}"
    for name, words in _WORDS.items():
        yield f"{words}: {_step(earlier.totals[name], now.totals[name], earlier, now)}"
    changed = {
        place: (earlier.refused.get(place, 0), now.refused.get(place, 0))
        for place in {**earlier.refused, **now.refused}
    }
    for (kind, component), (before, after) in sorted(
        changed.items(), key=lambda each: (-each[1][1], each[0])
    ):
        if before != after:
            word = " (new)" if not before else " (gone)" if not after else ""
            yield f"refused for {kind} in {component}: {_step(before, after, earlier, now)}{word}"


def _step(before: int, after: int, earlier: EarlierReport, now: EarlierReport) -> str:
    then, today = earlier.totals["requests"], now.totals["requests"]
    return f"{before:,} ({share(before, then)}) -> {after:,} ({share(after, today)})"


def _mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise TypeError
    return cast("dict[str, object]", value)


def _count(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value < 10**18:
        raise TypeError
    return int(value)
