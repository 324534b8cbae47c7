"""Bodies of forms between reading and handing on: what has been read, and what the application is to read."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from typing import Final, final

from postel._catalogue import Finding, Kind
from postel._check import Action, Component
from postel._content import FORM_TYPE, ContentType, FormType, form_type
from postel._forms import FormRules, Forms
from postel._normalizer import Normalizer
from postel._report import Report
from postel._routes import RoutedNormalizer
from postel._steps import Steps, finished

_PARTS: Final = "multipart is not judged; Forms(multipart='untouched') lets it pass"
_OTHERS: Final = "no type that Forms names; Forms(others='untouched') lets it pass"
_UNTYPED: Final = "no Content-Type; Forms(others='untouched') lets it pass"
_LENGTH: Final = re.compile(rb"[ \t]*+([0-9]{1,18})[ \t]*+")


@final
@dataclass(frozen=True, slots=True)
class Body:
    """What has been read of a body."""

    octets: bytes = b""
    fault: Kind | None = None
    """Why that is not all of it, or too much."""
    detail: str = ""
    even_empty: bool = False
    """Whether it is a fault where there is no octet, too."""


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

    def recodes(self, declared: ContentType) -> bool:
        """Whether a form goes on under another Content-Type, so that its charset steers nobody."""
        form = form_type(declared, ())
        return (
            form is not None
            and not form.fault
            and self.forms.known.codec(form.charset) is not None
            and self.forms.over == "refuse"
        )

    def may_judge_untyped(self, method: object) -> bool:
        """Whether there may be something to say of a body without a Content-Type.

        WebOb alone reads one as a form, and then only of a POST; it is loaded where it is used.
        """
        return self.forms.others == "refuse" or (method == "POST" and "webob" in sys.modules)

    def unjudged(self, declared: ContentType, report: Report) -> Body | None:
        """What there is to say of a body that is no form, whatever is in it."""
        if declared.flaw:
            # With GET and HEAD a type beside no body is a slip, and does not go on.
            sends = declared.lacks_boundary and report.method not in {"GET", "HEAD"}
            return Body(fault=Kind.MALFORMED_CONTENT_TYPE, detail=declared.flaw, even_empty=sends)
        if declared.seems_form:
            return Body(fault=Kind.MALFORMED_CONTENT_TYPE, detail="a form's type where none is expected")
        if declared.is_multipart:
            refused = self.forms.multipart == "refuse"
            return Body(fault=Kind.UNJUDGED_BODY, detail=_PARTS) if refused else None
        if self.forms.others == "refuse":
            return Body(fault=Kind.UNJUDGED_BODY, detail=_OTHERS if declared.received else _UNTYPED)
        if not declared.received and self.may_judge_untyped(report.method):
            untyped = Body(fault=Kind.UNTYPED_FORM, detail="it has no Content-Type")
            return None if self._action(report, untyped) is Action.ALLOW else untyped
        return None

    def unread(self, form: FormType, length: int | None, *, coded: bool = False) -> Body | None:
        """Why a body is not even read, where its header fields are reason enough.

        ``coded`` says that there is a Transfer-Encoding: where a length stands beside it, readers choose.
        """
        if form.fault or (form.charset and self.forms.known.codec(form.charset) is None):
            return Body(fault=Kind.FORM_CODING, detail=form.fault or "a charset that is not taken")
        if coded and length is not None:
            return Body(fault=Kind.WRONG_LENGTH, detail="Content-Length beside Transfer-Encoding")
        if length is not None and length < 0:
            return Body(fault=Kind.WRONG_LENGTH, detail="no length")
        if length is not None and length > self.forms.limit:
            return Body(fault=Kind.LONG_FORM)
        return None

    def judge(self, report: Report, form: FormType, body: Body) -> Handed:
        """The report with what is found in a form, and what is handed on."""
        return finished(self.judging(report, form, body))

    def judging(self, report: Report, form: FormType, body: Body) -> Steps[Handed]:
        """The same block by block, so that others can have their turn in between."""
        if body.fault is not None:
            return Handed(self.noted(report, body))
        rules = self._rules[self._normalizer.at((report.target or report.received).path)]
        codec = self.forms.known.codec(form.charset) if form.charset else None
        judged = yield from rules.judging(body.octets, codec)
        report = replace(
            report,
            target=None if judged.octets is None else report.target,
            findings=report.findings + judged.findings,
            omitted=report.omitted + judged.omitted,
            received_form=body.octets if self.forms.keep else None,
        )
        recoded = judged.recoded or not form.usual
        return Handed(report, judged.octets, FORM_TYPE if recoded else None)

    def noted(self, report: Report, body: Body) -> Report:
        """The report with what is wrong with a body as a whole."""
        action = self._action(report, body)
        finding = Finding(body.fault or Kind.WRONG_LENGTH, Component.FORM, 0, b"", action, detail=body.detail)
        return replace(
            report,
            target=None if action is Action.REJECT else report.target,
            findings=(*report.findings, finding),
        )

    def _action(self, report: Report, body: Body) -> Action:
        if body.fault is Kind.LONG_FORM and self.forms.over == "untouched":
            return Action.REPORT
        if body.fault is not Kind.UNTYPED_FORM:
            return Action.REJECT
        normalizer = self._normalizer.at((report.target or report.received).path)
        return normalizer.policy.action(Kind.UNTYPED_FORM, Component.FORM)
