"""``postel check --form`` and ``--json-body``: judge a body under a policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, final

from postel import Action, Component, Finding, Forms, Json, Kind, Policy, PolicyError
from postel._alphabet.printable import shown_octets
from postel._bodies.json import JsonRules, JudgedJson
from postel._bodies.json_in_forms import FormAndJsonRules
from postel._bodies.length import Bound
from postel._bodies.multipart import MultipartRules
from postel._bodies.multipart_type import boundary_of
from postel._bodies.urlencoded import FormRules, JudgedForm
from postel._http.refusal import status_of
from postel._normalizer.advice import WHOLE, bracketed, effect, is_closed, refused_kinds
from postel.cli._console import Printer
from postel.cli._diagnostic import Diagnostic
from postel.cli._judgement import diagnostic_of, finding_as_json, omission_lines, verdict_of

_LONGEST: Final = 72
"""The most characters of a text that are shown to people."""
_CONTEXT: Final = 128
"""How many octets before and after a fault may be shown."""
_ENDS: Final = (b"\n", b"\r\n")
"""The ends of a body that is a line; they are faults in a form."""


JudgeBody = Callable[[bytes, Policy], JudgedForm | JudgedJson]


def judged_as_json(octets: bytes, policy: Policy) -> JudgedJson:
    """Judge a body as ``json=True`` does."""
    bound = Bound(Json().limit, Kind.LONG_JSON, "Json.limit")
    if len(octets) > bound.octets:
        return JudgedJson(None, (_whole(bound, Component.JSON),))
    return JsonRules(policy, Json()).judge(octets)


def judged_as_form(octets: bytes, policy: Policy) -> JudgedForm:
    """Judge a body as ``forms=True`` does; one that begins with a boundary is a multipart form."""
    boundary = boundary_of(octets)
    bound = Bound(Forms().limit, Kind.LONG_FORM, "Forms.limit")
    if boundary is not None:
        bound = Bound(Forms().upload, Kind.LONG_FORM, "Forms.upload")
    if len(octets) > bound.octets:
        return JudgedForm(None, (_whole(bound, Component.FORM),))
    if boundary is None:
        return FormRules(policy, Forms()).judge(octets)
    return MultipartRules(policy, Forms()).judge(octets, boundary)


def judged_as_both(octets: bytes, policy: Policy) -> JudgedForm:
    """Judge a form as ``forms=True, json=True`` does; a urlencoded form may be JSON as well."""
    if boundary_of(octets) is not None or len(octets) > Forms().limit:
        return judged_as_form(octets, policy)
    rules = FormAndJsonRules(FormRules(policy, Forms()), JsonRules(policy, Json()), Json())
    return rules.judge(octets)


@final
@dataclass(frozen=True, slots=True)
class BodyJudgement:
    """A body, a policy, and what the policy does with the body."""

    octets: bytes
    policy: Policy
    judge: JudgeBody
    judged: JudgedForm | JudgedJson

    @classmethod
    def of(cls, octets: bytes, policy: Policy, judge: JudgeBody) -> BodyJudgement:
        """Judge a body by one of the functions above."""
        return cls(octets, policy, judge, judge(octets, policy))

    @property
    def is_refused(self) -> bool:
        """Whether the policy refuses the body."""
        return self.judged.octets is None

    def lines(self, place: str, printer: Printer) -> Iterator[str]:
        """Yield a diagnostic for each finding, the verdict, and what the application reads."""
        judged = self.judged
        is_refused, is_changed = self.is_refused, judged.octets != self.octets
        for finding in judged.findings:
            yield from self._diagnostic(finding, place).lines(printer)
            yield ""
        verdict = verdict_of(printer, is_refused=is_refused, is_changed=is_changed)
        yield f"{verdict} {shown_octets(self.octets, _LONGEST, is_quoted=False)}"
        yield from omission_lines(is_truncated=judged.truncated)
        yield f"  policy  {self.policy}"
        if judged.octets is None:
            yield f"  answer  {status_of(self.judged.findings)}"
        elif is_changed:
            yield f"  body    {shown_octets(judged.octets, _LONGEST, is_quoted=False)}"

    def as_json(self) -> dict[str, object]:
        """Return a JSON object, in which each octet is one character U+0000 to U+00FF."""
        judged = self.judged
        return {
            "received": self.octets.decode("latin-1"),
            "policy": str(self.policy),
            "accepted": judged.octets is not None,
            "status": status_of(self.judged.findings) if judged.octets is None else None,
            "findings": [finding_as_json(finding) for finding in judged.findings],
            "truncated": judged.truncated,
            "reads": None if judged.octets is None else judged.octets.decode("latin-1"),
        }

    def _diagnostic(self, finding: Finding, place: str) -> Diagnostic:
        kind, action = finding.kind, finding.action
        notes: list[str] = []
        if self.octets[finding.offset :] in _ENDS:
            notes.append("echo ends its output with a newline; write the body with printf instead")
        if Action.REPORT in kind.check.actions[finding.component] and action is Action.REJECT:
            clause = self._clause(finding)
            guarantee = f"\nyou must guarantee: {kind.check.if_allowed}"
            notes.append(
                f"to accept it, add {clause}: {effect(kind, Action.REPORT)}{guarantee}"
                if clause
                else "no single policy clause accepts it"
            )
        elif action is Action.REJECT and is_closed(kind):
            notes.append("no policy accepts it")
        begin = max(0, finding.offset - _CONTEXT)
        end = finding.offset + len(finding.excerpt) + _CONTEXT
        where = f"body, octet {finding.offset}"
        around, start = self.octets[begin:end], finding.offset - begin
        return diagnostic_of(finding, (place, where), around, start, notes, is_quoted=False)

    def _clause(self, finding: Finding) -> str | None:
        """Return the clause that reports a finding, for its name if that is enough."""
        front = f"{finding.kind.slug}@{finding.component.value}"
        # A finding quotes only the beginning of a long name.
        name = finding.name if finding.name and len(finding.name) <= WHOLE else ""
        clauses = dict.fromkeys(f"{front}{each}=report" for each in (bracketed(name), ""))
        return next((clause for clause in clauses if self._helps(clause, finding)), None)

    def _helps(self, clause: str, finding: Finding) -> bool:
        """Whether a clause reports a finding and refuses nothing else instead."""
        try:
            after = self.judge(self.octets, Policy.parse(f"{self.policy} {clause}")).findings
        except PolicyError:  # JSON has no names, or the clause would undo a rule for a name
            return False
        is_there = any(
            (each.kind, each.offset, each.action) == (finding.kind, finding.offset, Action.REJECT)
            for each in after
        )
        return not is_there and refused_kinds(after) <= refused_kinds(self.judged.findings)


def _whole(bound: Bound, component: Component) -> Finding:
    """A finding about a body as a whole, which is refused unread."""
    return Finding(bound.kind, component, 0, b"", Action.REJECT, detail=bound.detail)
