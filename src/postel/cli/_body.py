"""``postel check --form`` and ``--json-body``: judge a body under a policy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, final

from postel import Action, Component, Finding, Forms, Json, Kind, Policy
from postel._alphabet.printable import quoted, shown_octets
from postel._bodies.json import JsonRules, JudgedJson
from postel._bodies.json_in_forms import FormAndJsonRules
from postel._bodies.multipart import MultipartRules
from postel._bodies.multipart_type import boundary_of
from postel._bodies.urlencoded import FormRules, JudgedForm
from postel._http.refusal import status_of
from postel._normalizer.advice import bracketed, effect, is_closed
from postel.cli._console import COLOURS, Colour, Printer
from postel.cli._diagnostic import Diagnostic
from postel.cli._judgement import finding_as_json

_LONGEST: Final = 72
"""The most characters of a text that are shown to people."""
_CONTEXT: Final = 128
"""How many octets before and after a fault may be shown."""


@final
@dataclass(frozen=True, slots=True)
class BodyJudgement:
    """A body, a policy, and what the policy does with the body."""

    octets: bytes
    policy: Policy
    judged: JudgedForm | JudgedJson

    @classmethod
    def of_json(cls, octets: bytes, policy: Policy) -> BodyJudgement:
        """Judge a body as ``json=True`` does."""
        if len(octets) > Json().limit:
            return cls(octets, policy, JudgedJson(None, (_whole(Kind.LONG_JSON, Component.JSON),)))
        return cls(octets, policy, JsonRules(policy, Json()).judge(octets))

    @classmethod
    def of_form(cls, octets: bytes, policy: Policy) -> BodyJudgement:
        """Judge a body as ``forms=True`` does; one that begins with a boundary is a multipart form."""
        boundary = boundary_of(octets)
        if len(octets) > (Forms().limit if boundary is None else Forms().upload):
            return cls(octets, policy, JudgedForm(None, (_whole(Kind.LONG_FORM, Component.FORM),)))
        if boundary is None:
            return cls(octets, policy, FormRules(policy, Forms()).judge(octets))
        return cls(octets, policy, MultipartRules(policy, Forms()).judge(octets, boundary))

    @classmethod
    def of_both(cls, octets: bytes, policy: Policy) -> BodyJudgement:
        """Judge a form as ``forms=True, json=True`` does; a urlencoded form may be JSON as well."""
        if boundary_of(octets) is not None or len(octets) > Forms().limit:
            return cls.of_form(octets, policy)
        rules = FormAndJsonRules(FormRules(policy, Forms()), JsonRules(policy, Json()), Json())
        return cls(octets, policy, rules.judge(octets))

    @property
    def is_refused(self) -> bool:
        """Whether the policy refuses the body."""
        return self.judged.octets is None

    def lines(self, place: str, printer: Printer) -> Iterator[str]:
        """Yield a diagnostic for each finding, the verdict, and what the application reads."""
        judged = self.judged
        for finding in judged.findings:
            yield from self._diagnostic(finding, place).lines(printer)
            yield ""
        if judged.octets is None:
            verdict, colour = "refused", Colour.BAD
        elif judged.octets != self.octets:
            verdict, colour = "accepted after a repair", Colour.CHANGED
        else:
            verdict, colour = "accepted", Colour.GOOD
        yield f"{printer.painted(f'{verdict}:', colour)} {shown_octets(self.octets, _LONGEST)}"
        if judged.omitted:
            least = "at least " if judged.octets is None else ""
            yield f"  and {least}{judged.omitted} more finding{'s' * (judged.omitted > 1)}"
        yield f"  policy  {self.policy}"
        if judged.octets is None:
            yield f"  answer  {status_of(self.judged.findings)}"
        elif judged.octets != self.octets:
            yield f"  body    {shown_octets(judged.octets, _LONGEST)}"

    def as_json(self) -> dict[str, object]:
        """Return a JSON object, in which each octet is one character U+0000 to U+00FF."""
        judged = self.judged
        return {
            "received": self.octets.decode("latin-1"),
            "policy": str(self.policy),
            "accepted": judged.octets is not None,
            "status": status_of(self.judged.findings) if judged.octets is None else None,
            "findings": [finding_as_json(finding) for finding in judged.findings],
            "omitted": judged.omitted,
            "reads": None if judged.octets is None else judged.octets.decode("latin-1"),
        }

    def _diagnostic(self, finding: Finding, place: str) -> Diagnostic:
        kind, action = finding.kind, finding.action
        where = [place] if place else []
        where.append(f"body, octet {finding.offset}")
        if finding.name is not None:
            where.append(f"of {quoted(finding.name, _LONGEST)}")
        notes = [f"policy: {effect(kind, action)}"]
        if Action.REPORT in kind.check.actions[finding.component] and action is Action.REJECT:
            by_name = self.policy.action(kind, finding.component) is not action
            name = bracketed(finding.name or "") if by_name else ""
            notes.append(
                f"add {kind.slug}@{finding.component.value}{name}=report: {effect(kind, Action.REPORT)}\n"
                f"you must guarantee: {kind.check.if_allowed}"
            )
        elif action is Action.REJECT and is_closed(kind):
            notes.append("no policy accepts it")
        begin = max(0, finding.offset - _CONTEXT)
        end = finding.offset + len(finding.excerpt) + _CONTEXT
        return Diagnostic(
            label=f"{action.value}[{kind.slug}]",
            colour=COLOURS.get(action, Colour.CHANGED),
            summary=kind.check.summary,
            place=", ".join(where),
            octets=self.octets[begin:end],
            start=finding.offset - begin,
            length=len(finding.excerpt),
            remark=finding.detail,
            notes=notes,
        )


def _whole(kind: Kind, component: Component) -> Finding:
    """A finding about a body as a whole, which is refused unread."""
    return Finding(kind, component, 0, b"", Action.REJECT)
