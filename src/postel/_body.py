"""Bodies of forms between reading and handing on: what has been read, and what the application is to read."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final, final

from postel._catalogue import Finding, Kind
from postel._check import Action, Component
from postel._content import FORM_TYPE, FormType
from postel._forms import FormRules, Forms
from postel._normalizer import Normalizer
from postel._report import Report
from postel._routes import RoutedNormalizer

_LENGTH: Final = re.compile(rb"[ \t]*+([0-9]{1,18})[ \t]*+")


@final
@dataclass(frozen=True, slots=True)
class Body:
    """What has been read of a body."""

    octets: bytes = b""
    fault: Kind | None = None
    """Why that is not all of it, or too much."""
    detail: str = ""


@final
@dataclass(frozen=True, slots=True)
class Handed:
    """A form as it goes on, with the report that now speaks of it, too."""

    report: Report
    octets: bytes | None = None
    """The fresh body; ``None`` where the application reads what the client sends, or nothing."""
    content_type: bytes | None = None
    """What takes the place of the Content-Type, where that said another charset."""


def length_of(value: bytes | None) -> int | None:
    """What a Content-Length says, ``None`` if there is none; -1 is what no length is."""
    if not value:
        return None
    match = _LENGTH.fullmatch(value)
    return int(match[1]) if match else -1


@final
class FormJudge:
    """The rules for forms of a policy and those of its routes."""

    __slots__ = ("_normalizer", "_rules", "forms")

    def __init__(self, forms: Forms, normalizer: RoutedNormalizer) -> None:
        """Compile the rules of every route."""
        self.forms = forms
        self._normalizer = normalizer
        self._rules: dict[Normalizer, FormRules] = {
            each: FormRules(each.policy, forms) for each in normalizer.all()
        }

    def unread(self, form: FormType, length: int | None) -> Body | None:
        """Why a body is not even read, where its header fields are reason enough."""
        if form.fault or (form.charset and self.forms.known.codec(form.charset) is None):
            return Body(fault=Kind.FORM_CODING, detail=form.fault or "a charset that is not taken")
        if length is not None and length < 0:
            return Body(fault=Kind.WRONG_LENGTH, detail="no length")
        if length is not None and length > self.forms.limit:
            return Body(fault=Kind.LONG_FORM)
        return None

    def judge(self, report: Report, form: FormType, body: Body) -> Handed:
        """The report with what is found in a form, and what is handed on."""
        if body.fault is not None:
            return Handed(self._faulty(report, body))
        rules = self._rules[self._normalizer.at((report.target or report.received).path)]
        judged = rules.judge(body.octets, self.forms.known.codec(form.charset) if form.charset else None)
        report = replace(
            report,
            target=None if judged.octets is None else report.target,
            findings=report.findings + judged.findings,
            omitted=report.omitted + judged.omitted,
            received_form=body.octets if self.forms.keep else None,
        )
        recoded = judged.recoded or not form.usual
        return Handed(report, judged.octets, FORM_TYPE if recoded else None)

    def _faulty(self, report: Report, body: Body) -> Report:
        kind = body.fault or Kind.WRONG_LENGTH
        untouched = kind is Kind.LONG_FORM and self.forms.over == "untouched"
        action = Action.REPORT if untouched else Action.REJECT
        finding = Finding(kind, Component.FORM, 0, b"", action, detail=body.detail)
        return replace(
            report,
            target=report.target if untouched else None,
            findings=(*report.findings, finding),
        )
