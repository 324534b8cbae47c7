"""Advice: policy clauses that give a finding a milder action, and what the deployer must guarantee for each.

Each clause is tried before it is suggested, on the component that it is about: the finding must disappear or
get a milder action, and nothing else may be refused instead. For example, no clause is suggested to repair a
dot segment that leads above the root, because the request would still be refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, final

from postel._catalogue.check import Action, Component
from postel._catalogue.finding import Finding
from postel._catalogue.kinds import Kind
from postel._errors import PolicyError
from postel._normalizer.charset_guess import guessed_charset
from postel._normalizer.normalizer import Normalizer
from postel._normalizer.target import Accepted, Rejected, Target
from postel._policy.policy import Policy
from postel._policy.text_form import written

_RULED: Final = (Component.PATH, Component.QUERY, Component.FORM)
WHOLE: Final = 63
"""A name of up to this many characters is complete in a finding, which quotes 64 at most."""
_EFFECTS: Final = {
    Action.ALLOW: "left unchanged",
    Action.REPORT: "reported, and left unchanged",
    Action.REPAIR: "read in the charset of this parameter, and handed on in UTF-8",
    Action.PRESERVE: "the path that the application reads keeps the escape",
    Action.REPLACE: "the faulty octets are replaced with U+FFFD",
    Action.DROP: "the faulty octets are dropped",
    Action.DROP_PAIR: "the whole name=value is dropped",
    Action.REJECT: "the request is refused",
}
"""The effect of each action. For REPAIR, a kind that has a repair shows the summary of the repair instead.
The text here is for charsets: ill-formed UTF-8 is repaired by reading it in another charset."""


@final
@dataclass(frozen=True, slots=True)
class Advice:
    """A clause to add to the text form of a policy."""

    clause: str
    effect: str
    """What the clause does."""
    guarantee: str
    """What the deployer must guarantee before adding the clause; may be empty."""


def guarantee(kind: Kind, action: Action) -> str:
    """Return what the deployer must guarantee before choosing an action for a kind; may be empty."""
    if action is Action.PRESERVE:
        return kind.check.if_preserved
    return kind.check.if_edited if action.edits else kind.check.if_allowed


def bracketed(name: str) -> str:
    """Write the name of a pair for a clause; empty without a name, or if it has ``*``, a wildcard there."""
    return f"[{written(name)}]" if name and "*" not in name else ""


def effect(kind: Kind, action: Action) -> str:
    """Describe what an action does to a kind."""
    repair = kind.check.repair
    return repair.summary if action is Action.REPAIR and repair else _EFFECTS[action]


@final
class Adviser:
    """Gives advice for one policy; caches the normalizers with which it tries clauses."""

    __slots__ = ("_compiled", "_text", "policy")

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._text = str(policy)
        self._compiled: dict[str, Normalizer | None] = {}

    def advise(self, target: Target, outcome: Accepted | Rejected) -> list[list[Advice]]:
        """Return the clauses that help for each finding: a wider limit, a charset, or milder actions."""
        trials = _Trials(self, target, outcome)
        return [list(self._advice_on(finding, trials)) for finding in outcome.findings]

    def normalizer(self, *clauses: str) -> Normalizer | None:
        """Return a normalizer for the policy with the first of these clauses that undoes no rule for a name.

        Return ``None`` if every clause undoes one, so that none of them can be added.
        """
        for clause in clauses:
            if clause not in self._compiled:
                self._compiled[clause] = self._compile(clause)
            if normalizer := self._compiled[clause]:
                return normalizer
        return None

    def _compile(self, clause: str) -> Normalizer | None:
        try:
            return Normalizer(Policy.parse(f"{self._text} {clause}"))
        except PolicyError:
            return None

    def _advice_on(self, finding: Finding, trials: _Trials) -> Iterator[Advice]:
        kind, check = finding.kind, finding.kind.check
        if check.limit:
            for clause in self._wider(finding, trials.target):
                if trials.help(clause, finding):
                    yield Advice(clause, _EFFECTS[Action.ALLOW], "The application can handle this much.")
                    return
        name = trials.clause_name(finding)
        charset = trials.charset(finding) if name else None
        if charset is not None:
            yield Advice(
                f"charset{name}={charset}",
                f"read in {charset} where it is not UTF-8, and handed on in UTF-8",
                f"Clients that do not send UTF-8 in this parameter send {charset}.",
            )
        # If reading in another charset keeps the text, no clause that would lose text is advised.
        for edits in (False, True) if charset is None else (False,):
            for action in _milder(finding, edits=edits):
                named = _clause(finding, action, name)
                # Try it for all names, so that one compiled policy serves parameters of any name.
                if trials.help(_clause(finding, action, ""), finding, named):
                    yield Advice(named, effect(kind, action), guarantee(kind, action))
                    break

    def _wider(self, finding: Finding, target: Target) -> Iterator[str]:
        """Yield clauses that double the limit again and again, until it must suffice for the target."""
        name = finding.kind.check.limit
        limits: list[int] = [getattr(self.policy.limits, name)]
        most = 4 * (len(target.path) + len(target.query))  # an edit writes at most three octets for one
        while limits[-1] < most:
            limits.append(2 * limits[-1])
            yield f"limit.{name}={limits[-1]}"
        if finding.kind is Kind.TOO_LONG:  # a value that makes a target too long may be too long by itself
            yield from (f"limit.{name}={each} limit.value={each}" for each in limits[1:])


@final
class _Trials:
    """Tries clauses on one target, and caches the results."""

    __slots__ = ("_adviser", "_found", "_outcome", "target")

    def __init__(self, adviser: Adviser, target: Target, outcome: Accepted | Rejected) -> None:
        self.target = target
        self._adviser = adviser
        self._outcome = outcome
        self._found: dict[tuple[object, ...], tuple[Finding, ...]] = {}

    def help(self, clause: str, finding: Finding, named: str = "") -> bool:
        """Whether a clause gives a finding a milder action and does not refuse anything else instead.

        ``named`` is the same clause for one name. It is tried if the clause would undo rules for names.
        """
        clauses = (clause, named) if named else (clause,)
        return all(self._helps(clauses, finding, target) for target in self._tried(finding))

    def _tried(self, finding: Finding) -> list[Target]:
        """Return the targets on which to try clauses for a finding.

        The path and the query are tried each on its own, because a target that is refused for one of them is
        not examined to the end. Only the limit of octets is about both.
        """
        target = self.target
        if finding.kind is Kind.TOO_LONG:
            return [target]
        in_path = finding.component is Component.PATH
        alone = replace(target, query=b"") if in_path else replace(target, path=b"/")
        # An edit writes at most three octets for one.
        is_short = 3 * (len(target.path) + len(target.query)) <= self._adviser.policy.limits.octets
        return [alone] if is_short else [alone, target]

    def _helps(self, clauses: tuple[str, ...], finding: Finding, target: Target) -> bool:
        key = (*clauses, target)
        if key not in self._found:
            normalizer = self._adviser.normalizer(*clauses)
            tried = self._outcome if normalizer is None else normalizer.examine(target)
            self._found[key] = tried.findings
        found = self._found[key]
        end = finding.offset + max(1, len(finding.excerpt))
        for other in found:
            same = (other.kind, other.component) == (finding.kind, finding.component)
            if same and finding.offset <= other.offset < end and other.action.rank >= finding.action.rank:
                return False
        return refused_kinds(found) <= refused_kinds(self._outcome.findings)

    def clause_name(self, finding: Finding) -> str:
        """Write the name of the pair for a clause; empty if the clause cannot be limited to this name.

        A rule for a name applies only if the name has no finding of its own.
        """
        name = finding.name
        if not name or len(name) > WHOLE or self._outcome.truncated:
            return ""
        start, end = self._name_at(finding)
        if any(
            other.component is finding.component and start <= other.offset < end
            for other in self._outcome.findings
        ):
            return ""
        return bracketed(name)

    def charset(self, finding: Finding) -> str | None:
        """Return the charset other than UTF-8 that the value of a finding is probably in, or ``None``."""
        if finding.kind is not Kind.ILL_FORMED_UTF8 or finding.component is not Component.QUERY:
            return None
        value = self.target.query[self._name_at(finding)[1] + 1 :].partition(b"&")[0]
        charset = guessed_charset(value)
        # Try the charset for all names, so that one compiled policy serves parameters of any name.
        return charset if charset and self.help(f"charset[*]={charset}", finding) else None

    def _name_at(self, finding: Finding) -> tuple[int, int]:
        """Return the start and end of the name in the pair that holds a finding."""
        query = self.target.query
        start = query.rfind(b"&", 0, finding.offset) + 1
        return start, start + len(query[start:].partition(b"&")[0].partition(b"=")[0])


def refused_kinds(findings: Iterable[Finding]) -> set[tuple[Kind, Component]]:
    """Return the kinds that are refused, each with the component of the finding."""
    return {(each.kind, each.component) for each in findings if each.action is Action.REJECT}


def is_closed(kind: Kind) -> bool:
    """Whether every policy refuses this kind."""
    return not kind.check.limit and set().union(*kind.check.actions.values()) == {Action.REJECT}


def _milder(finding: Finding, *, edits: bool) -> list[Action]:
    """Return the actions that are milder than the finding's; if LENIENT edits, its edit is first."""
    lenient = Policy.LENIENT.action(finding.kind, finding.component)
    supported = finding.kind.check.actions[finding.component]
    milder = [
        each
        for each in Action
        if each in supported and each.rank < finding.action.rank and each.edits is edits
    ]
    return sorted(milder, key=lambda each: each is not lenient) if edits else milder


def _clause(finding: Finding, action: Action, name: str) -> str:
    components = [each for each in finding.kind.check.components if each in _RULED]
    place = f"@{finding.component.value}" if len(components) > 1 else ""
    return f"{finding.kind.slug}{place}{name}={action.value}"
