"""Examples of refused requests: a few in full, with their faults and the clauses that would accept them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import Final, final

from postel.scan._exemptions import Exempter, Exemption
from postel.scan._kind_rows import field_text
from postel.scan._tally import Excerpt, Row

_MOST: Final = 10


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One request that would be refused; its texts have one character U+0000 to U+00FF for each octet."""

    sender: str
    """Who seems to have sent the request: ``people``, ``unclear`` or ``scanners``."""
    method: str
    target: str
    whole: bool
    """Whether the target is complete."""
    status: int
    """The status of the answer; 0 if not logged."""
    agent: str
    referer: str
    reasons: list[Reason]


@final
@dataclass(frozen=True, slots=True)
class Reason:
    """One reason to refuse the request."""

    kind: str
    component: str
    summary: str
    """The summary of the kind."""
    excerpt: str
    """The faulty octets."""
    exemption: Exemption | None
    """The clause that would accept the fault; ``None`` if every clause would lose characters."""


def refusals(exempter: Exempter, groups: Sequence[tuple[str, Sequence[Row]]]) -> list[Refusal]:
    """Return some different refused requests, first those of the first group, from as many rows as possible.

    Requests differ if their methods or their targets do.
    """
    different: dict[tuple[bytes, bytes], tuple[str, Excerpt]] = {}
    for sender, rows in groups:
        for excerpt in _in_turns(rows):
            different.setdefault((excerpt.method, excerpt.target), (sender, excerpt))
    return [_refusal(exempter, *each) for each in islice(different.values(), _MOST)]


def _in_turns(rows: Sequence[Row]) -> Iterator[Excerpt]:
    """Yield one request of each row, then another one of each."""
    by_row = [(excerpt for excerpt, _ in row.excerpts) for row in rows]
    return (each for each in chain.from_iterable(zip_longest(*by_row)) if each is not None)


def _refusal(exempter: Exempter, sender: str, excerpt: Excerpt) -> Refusal:
    return Refusal(
        sender=sender,
        method=excerpt.method.decode("latin-1"),
        target=excerpt.target.decode("latin-1"),
        whole=excerpt.whole,
        status=excerpt.status,
        agent=field_text(excerpt.agent),
        referer=field_text(excerpt.referer),
        reasons=[
            Reason(
                finding.kind.slug,
                finding.component.value,
                finding.kind.check.summary,
                finding.excerpt.decode("latin-1"),
                clause,
            )
            for finding, clause in (exempter.reasons(excerpt) if excerpt.whole else ())
        ],
    )
