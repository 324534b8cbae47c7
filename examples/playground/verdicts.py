"""The verdict of each preset on a URL, and the findings."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from postel import Accepted, Action, Finding, Kind, Normalizer, Policy, Rejected
from postel.uri import clean, pretty, respell

from .anatomy import Mark, Piece, Url, pieces, visible

PRESETS = {"STRICT": Policy.STRICT, "STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}
YOURS = "YOURS"
"""The name of the policy that the visitor has written."""


@dataclass(frozen=True)
class Verdict:
    """The verdict of one policy on a URL."""

    name: str
    word: str
    status: int
    kinds: tuple[str, ...]
    target: str
    path: str
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Row:
    """One finding, and what each policy does about it."""

    number: int
    kind: Kind
    where: str
    offset: int
    excerpt: str
    detail: str
    severity: str
    actions: tuple[str, ...]


@dataclass(frozen=True)
class Judged:
    """Everything that the page shows about a URL, except what the frameworks read."""

    url: Url
    pieces: list[Piece]
    verdicts: list[Verdict]
    rows: list[Row]
    truncated: bool
    canonical: str
    pretty: str
    clean: str


@functools.lru_cache(maxsize=64)
def normalizer(policy: Policy) -> Normalizer:
    """Compile a policy, once for many requests."""
    return Normalizer(policy)


def judge(text: str, policy: Policy | None = None) -> Judged:
    """Judge a URL by all presets, and by the policy that the visitor has written."""
    url = Url.of(text)
    policies = {**PRESETS, **({YOURS: policy} if policy else {})}
    outcomes = {name: normalizer(each).examine(url.target) for name, each in policies.items()}
    rows = _rows(url, outcomes)
    marks = [
        Mark(row.number, begin, begin + max(1, len(finding.excerpt)), row.severity)
        for row, (finding, begin) in zip(rows, _places(url, outcomes), strict=True)
    ]
    spelled = respell(url.octets.decode())
    return Judged(
        url,
        pieces(url, marks),
        [_verdict(url, name, outcome) for name, outcome in outcomes.items()],
        rows,
        any(outcome.truncated for outcome in outcomes.values()),
        spelled,
        pretty(spelled),
        clean(url.octets.decode()),
    )


def _verdict(url: Url, name: str, outcome: Accepted | Rejected) -> Verdict:
    refusing = [each.kind for each in outcome.findings if each.action is Action.REJECT]
    kinds = tuple(dict.fromkeys(kind.slug for kind in refusing))
    if isinstance(outcome, Rejected):
        return Verdict(name, "refused", max(kind.check.status for kind in refusing), kinds, "", "", ())
    target = outcome.target
    written = target.path + (b"?" + target.query if target.query else b"")
    pairs = tuple((visible(each), visible(value)) for each, value in target.pairs)
    word = "accepted" if written == url.sent else "repaired"
    return Verdict(name, word, 200, kinds, visible(written.decode()), visible(target.path_text), pairs)


def _places(url: Url, outcomes: dict[str, Accepted | Rejected]) -> list[tuple[Finding, int]]:
    """Return the findings of all policies, each once, in the order of their places."""
    found: dict[tuple[Kind, str, int], tuple[Finding, int]] = {}
    for outcome in outcomes.values():
        for each in outcome.findings:
            key = (each.kind, each.component.value, each.offset)
            found.setdefault(key, (each, url.place(each.component, each.offset)))
    return sorted(found.values(), key=lambda pair: (pair[1], pair[0].kind.index))


def _rows(url: Url, outcomes: dict[str, Accepted | Rejected]) -> list[Row]:
    done = {
        name: {(each.kind, each.component, each.offset): each.action for each in outcome.findings}
        for name, outcome in outcomes.items()
    }
    rows: list[Row] = []
    for number, (each, _) in enumerate(_places(url, outcomes), start=1):
        key = (each.kind, each.component, each.offset)
        actions = [done[name].get(key, Action.ALLOW) for name in outcomes]
        default = done["STANDARD"].get(key)
        rows.append(
            Row(
                number,
                each.kind,
                each.component.value,
                each.offset,
                visible(each.excerpt.decode("utf-8", "backslashreplace")),
                each.detail,
                _severity(default),
                tuple(action.value for action in actions),
            )
        )
    return rows


def _severity(action: Action | None) -> str:
    if action is None:
        return "strict"
    return "bad" if action is Action.REJECT else "repair" if action.edits else "note"
