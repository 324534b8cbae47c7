"""Judgements: the result for one URL under a policy, as text and as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, final

from postel import Accepted, Action, Finding, Kind, Rejected
from postel._alphabet.printable import quoted, scalar_values, shown_octets
from postel._http.refusal import status_of
from postel._normalizer.advice import Advice, effect, is_closed
from postel.cli._console import COLOURS, Colour, Printer
from postel.cli._diagnostic import Diagnostic
from postel.cli._url import Url

_LONGEST: Final = 72
"""How many characters of a text are shown."""
_MOST: Final = 16
"""How many pairs are shown."""
_BEGINS_WITH_HOST: Final = re.compile(rb"[A-Za-z0-9\-.]+(?:\.[A-Za-z]{2,}|:\d+)(?:[/?#]|\Z)")
"""Matches text such as ``example.com/a`` or ``localhost:8000``."""
_REQUEST_LINE: Final = re.compile(rb"[A-Z]+ (\S+)(?: HTTP/[0-9.]+)?")
"""Matches the first line of a request; its group is the target."""
_LOGGED: Final = re.compile(rb"\\x[0-9A-Fa-f]{2}")
"""Matches an octet as logs write it."""
_FROM_LOG: Final = r"in a log, \xC3 stands for one octet; printf writes it: printf '\xC3' | postel check"


@final
@dataclass(frozen=True, slots=True)
class Judgement:
    """A URL, a policy as text, its outcome, advice on each finding, and the target of a redirect."""

    url: Url
    policy: str
    outcome: Accepted | Rejected
    advice: list[list[Advice]]
    merged: Accepted | None = None
    """The target to which GET and HEAD are redirected; ``None`` without a redirect."""

    def lines(self, place: str, printer: Printer) -> Iterator[str]:
        """Yield a diagnostic for each finding in order, the verdict, and what the application reads."""
        for finding, advice in self._in_order():
            yield from self._diagnostic(finding, advice, place).lines(printer)
            yield ""
        outcome = self.outcome
        is_refused = isinstance(outcome, Rejected)
        verdict = verdict_of(printer, is_refused=is_refused, is_changed=self._is_changed())
        yield f"{verdict} {shown_octets(self.url.octets, _LONGEST)}"
        yield from omission_lines(is_truncated=outcome.truncated)
        yield f"  policy  {self.policy}"
        yield from self._answer(outcome) if isinstance(outcome, Rejected) else _reading(outcome)

    def as_json(self) -> dict[str, object]:
        """Return a JSON object, in which each octet is one character U+0000 to U+00FF."""
        outcome = self.outcome
        return {
            "received": self.url.octets.decode("latin-1"),
            "policy": self.policy,
            "accepted": isinstance(outcome, Accepted),
            "status": status_of(outcome.findings) if isinstance(outcome, Rejected) else None,
            "redirect": None if self.merged is None else _octets(self.merged).decode("latin-1"),
            "findings": [
                {**finding_as_json(finding), "advice": [_advice_as_json(each) for each in advice]}
                for finding, advice in self._in_order()
            ],
            "truncated": outcome.truncated,
            "reads": _reading_as_json(outcome) if isinstance(outcome, Accepted) else None,
        }

    def _answer(self, outcome: Rejected) -> Iterator[str]:
        yield f"  answer  {status_of(outcome.findings)}"
        if self.merged is not None:
            octets = _octets(self.merged)
            yield f"          308 to {shown_octets(octets, len(octets))} for GET and HEAD"

    def _in_order(self) -> list[tuple[Finding, list[Advice]]]:
        pairs = zip(self.outcome.findings, self.advice, strict=True)
        return sorted(pairs, key=lambda pair: self.url.place_of(pair[0]))

    def _is_changed(self) -> bool:
        if isinstance(self.outcome, Rejected):
            return False
        given, target = self.url.target, self.outcome.target
        return (target.path, target.query) != (given.path, given.query)

    def _with_front(self) -> str:
        """Return the given text, with the scheme or slash that is probably missing at its start.

        For a request line, return its target.
        """
        octets = self.url.octets
        if match := _REQUEST_LINE.fullmatch(octets):
            return shown_octets(match[1], _LONGEST)
        front = b"https://" if _BEGINS_WITH_HOST.match(octets) else b"/"
        return shown_octets(front + octets, _LONGEST)

    def _diagnostic(self, finding: Finding, advice: list[Advice], place: str) -> Diagnostic:
        kind, is_refused = finding.kind, finding.action is Action.REJECT
        notes: list[str] = []
        if finding.component in kind.check.never_meant:
            notes.append(f"only attacks and broken links have this in a {finding.component.value}")
        for each in advice:
            guarantee = f"\nyou must guarantee: {each.guarantee}" if each.guarantee else ""
            add = "to accept it, add" if is_refused else "add"
            notes.append(f"{add} {each.clause}: {each.effect}{guarantee}")
        if is_refused and not advice:
            notes.append("no policy accepts it" if is_closed(kind) else "no single policy clause accepts it")
        if kind is Kind.BACKSLASH and _LOGGED.match(self.url.octets, self.url.place_of(finding)):
            notes.append(_FROM_LOG)
        if kind in {Kind.MISSING_SLASH, Kind.AUTHORITY_FORM}:
            notes.append(f"did you mean {self._with_front()}?")
        where = f"{finding.component.value}, octet {finding.offset}"
        start = self.url.place_of(finding)
        return diagnostic_of(finding, (place, where), self.url.octets, start, notes)


def verdict_of(printer: Printer, *, is_refused: bool, is_changed: bool) -> str:
    """Return the verdict in its colour."""
    if is_refused:
        return printer.painted("refused:", Colour.BAD)
    if is_changed:
        return printer.painted("accepted after edits:", Colour.CHANGED)
    return printer.painted("accepted:", Colour.GOOD)


def omission_lines(*, is_truncated: bool) -> Iterator[str]:
    """Yield a line that says that not all findings are shown, if so."""
    if is_truncated:
        yield "  and more findings, which are not listed"


def diagnostic_of(  # noqa: PLR0913 - each is known only to the caller
    finding: Finding,
    place: tuple[str, str],
    octets: bytes,
    start: int,
    notes: Iterable[str],
    *,
    is_quoted: bool = True,
) -> Diagnostic:
    """Return the diagnostic of a finding.

    ``place`` is the place of the judged input, which may be empty, and the place of the finding in it.
    ``octets`` are the octets around the finding, which begins at ``start``.
    """
    kind, action = finding.kind, finding.action
    where = [each for each in place if each]
    if finding.name is not None:
        where.append(f"of {quoted(finding.name, _LONGEST)}")
    return Diagnostic(
        label=f"{action.value}[{kind.slug}]",
        colour=COLOURS.get(action, Colour.CHANGED),
        summary=kind.check.summary,
        place=", ".join(where),
        octets=octets,
        start=start,
        length=len(finding.excerpt),
        remark=finding.detail,
        is_quoted=is_quoted,
        notes=[f"policy: {effect(kind, action)}", *notes],
    )


def _reading(outcome: Accepted) -> Iterator[str]:
    """Yield lines that show what the application would read."""
    target = outcome.target
    yield f"  path    {quoted(target.path_text, _LONGEST)}"
    for name, value in target.pairs[:_MOST]:
        yield f"  pair    {quoted(name, _LONGEST)} = {quoted(value, _LONGEST)}"
    if (more := len(target.pairs) - _MOST) > 0:
        yield f"  and {more} more pair{'s' * (more > 1)}"
    octets = _octets(outcome)
    yield f"  target  {shown_octets(octets, len(octets))}"


def _octets(outcome: Accepted) -> bytes:
    target = outcome.target
    return target.path + (b"?" + target.query if target.query else b"")


def finding_as_json(finding: Finding) -> dict[str, object]:
    """Return a finding as a JSON object, in which each octet is one character U+0000 to U+00FF."""
    return {
        "kind": finding.kind.slug,
        "component": finding.component.value,
        "offset": finding.offset,
        "excerpt": finding.excerpt.decode("latin-1"),
        "name": None if finding.name is None else scalar_values(finding.name),
        "detail": finding.detail,
        "action": finding.action.value,
    }


def _advice_as_json(advice: Advice) -> dict[str, object]:
    return {"clause": advice.clause, "effect": advice.effect, "guarantee": advice.guarantee}


def _reading_as_json(outcome: Accepted) -> dict[str, object]:
    target = outcome.target
    return {
        "path": scalar_values(target.path_text),
        "segments": [scalar_values(segment) for segment in target.segments],
        "pairs": [[scalar_values(name), scalar_values(value)] for name, value in target.pairs],
        "target": _octets(outcome).decode("latin-1"),
    }
