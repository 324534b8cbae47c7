"""Judge bodies that have been read, and decide what the application reads in their place."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias, final

from postel._alphabet.steps import Steps, finished
from postel._bodies.content_type import ContentType, FormType, form_type
from postel._bodies.digests import has_digest
from postel._bodies.form_settings import Forms
from postel._bodies.json_settings import Json
from postel._bodies.json_type import JsonType, json_type
from postel._bodies.length import Bound, StatedLength
from postel._bodies.missing import is_missed, needs_body
from postel._bodies.multipart import MultipartRules, Respelled
from postel._bodies.multipart_type import MultipartType, multipart_type
from postel._bodies.parts import MultipartParser
from postel._bodies.spool import QUOTA_EXCEEDED, Spool, SpoolQuota, check_directory
from postel._bodies.urlencoded import FormRules
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import Finding
from postel._catalogue.kinds import Kind
from postel._http.report import Report
from postel._normalizer.normalizer import Normalizer
from postel._normalizer.routes import RoutedNormalizer

if TYPE_CHECKING:
    from postel._bodies.json import JsonRules
    from postel._bodies.json_in_forms import FormAndJsonRules

_PARTS: Final = "multipart is not judged; Forms(multipart='judge') judges it, 'untouched' lets it pass"
_OTHER_PARTS: Final = "multipart other than form-data; Forms(multipart='untouched') lets it pass"
_OTHERS: Final = "a type that {0} does not judge; {0}(others='untouched') lets it pass"
_FORM: Final = "a form; forms=True judges it, Json(others='untouched') lets it pass unjudged"
_UNTYPED: Final = "no Content-Type; {0}(others='untouched') lets it pass"
BodyType: TypeAlias = FormType | JsonType | MultipartType
"""What the header fields say about a body that is judged."""


@final
@dataclass(frozen=True, slots=True)
class Body:
    """The octets of a body, or the reason why it is refused as a whole."""

    octets: bytes = b""
    fault: Kind | None = None
    """Why the body is refused as a whole: it is too long, cut off, unreadable, or of a type not judged."""
    detail: str = ""
    even_empty: bool = False
    """Whether the fault counts even if the body is empty."""


@final
@dataclass(frozen=True, slots=True)
class JudgedBody:
    """The report on a body with its findings, and the body that the application reads."""

    report: Report
    octets: bytes | None = None
    """The octets that the application reads; ``None`` if it reads the received body, a spool, or nothing."""
    content_type: bytes | None = None
    """The Content-Type for the application, if some reader would misread the received one."""
    respelled: tuple[Respelled, ...] | None = None
    """New spellings of parts' header fields, for the spool; ``None`` if the application reads no spool."""


@final
class BodyJudge:
    """Judges forms, JSON or both; each body is judged by the policy of its route."""

    __slots__ = (
        "_form_rules",
        "_forms",
        "_has_forms",
        "_has_json",
        "_json",
        "_json_rules",
        "_normalizer",
        "_part_rules",
        "_quota",
        "_refusing",
        "_signed_form",
        "_signed_json",
        "_types",
        "refuses_others",
    )

    def __init__(self, forms: Forms | None, json: Json | None, normalizer: RoutedNormalizer) -> None:
        """Compile the rules of every route."""
        self._has_forms, self._forms = forms is not None, forms or Forms()
        self._has_json, self._json = json is not None, json or Json()
        self._normalizer = normalizer
        refusing = [each for each in (forms, json) if each is not None and each.others == "refuse"]
        self._refusing = "Bodies" if len(refusing) > 1 else "".join(type(each).__name__ for each in refusing)
        """The class whose setting ``others`` would let bodies of other types pass."""
        self.refuses_others = bool(refusing)
        """Whether bodies of types that are not judged are refused."""
        self._types = frozenset(each.encode() for each in self._json.types)
        self._signed_form, self._signed_json = (
            frozenset(each.encode() for each in settings.signed) for settings in (self._forms, self._json)
        )
        form_rules = {each: FormRules(each.policy, forms) for each in normalizer.all()} if forms else {}
        self._form_rules: Mapping[Normalizer, FormRules | FormAndJsonRules] = form_rules
        self._part_rules: dict[Normalizer, MultipartRules] = (
            {each: MultipartRules(each.policy, forms) for each in normalizer.all()}
            if forms is not None and forms.multipart == "judge"
            else {}
        )
        self._quota = SpoolQuota(self._forms.spool_limit)
        if self._part_rules:
            check_directory(self._forms)
        self._json_rules: dict[Normalizer, JsonRules] = {}
        if json is not None:
            # Most applications judge no JSON, and these modules are slow to import.
            from postel._bodies.json import JsonRules  # noqa: PLC0415
            from postel._bodies.json_in_forms import FormAndJsonRules  # noqa: PLC0415

            self._json_rules = {each: JsonRules(each.policy, json) for each in normalizer.all()}
            self._form_rules = {
                at: FormAndJsonRules(rules, self._json_rules[at], json) for at, rules in form_rules.items()
            }

    def recodes(self, declared: ContentType) -> bool:
        """Whether the application reads a form in UTF-8, so that the received charset has no effect."""
        form = form_type(declared, ())
        return (
            form is not None
            and self._has_forms
            and not form.fault
            and self._codec(form) is not None
            and self._forms.over == "refuse"
        )

    def may_judge_untyped(self, method: object) -> bool:
        """Whether a body without a Content-Type may get a finding: ``unjudged-body`` or ``untyped-form``.

        Only WebOb, if it is loaded, reads such a body as a form, and only in a POST.
        """
        return self.refuses_others or (self._has_forms and method == "POST" and "webob" in sys.modules)

    def type_of(self, declared: ContentType, encodings: Sequence[bytes]) -> BodyType | None:
        """The type of a body by its header fields; ``None`` if bodies of this type are not judged."""
        body_type: BodyType | None = form_type(declared, encodings) if self._has_forms else None
        if body_type is None and self._part_rules:
            body_type = multipart_type(declared, encodings)
        if body_type is None and self._has_json:
            body_type = json_type(declared, encodings, self._types)
        return body_type

    def fault_of_type(self, declared: ContentType, report: Report) -> Body | None:
        """The fault of a body whose type is not judged; ``None`` if the body may pass."""
        if declared.flaw:
            # An empty body is refused only in this case. In others, its malformed type is removed.
            even_empty = declared.lacks_boundary and needs_body(report.method)
            return Body(fault=Kind.MALFORMED_CONTENT_TYPE, detail=declared.flaw, even_empty=even_empty)
        if declared.seems_form and self._has_forms:
            return Body(fault=Kind.MALFORMED_CONTENT_TYPE, detail="a form's media type after another one")
        if declared.is_multipart and self._has_forms:
            refused = Body(fault=Kind.UNJUDGED_BODY, detail=_OTHER_PARTS if self._part_rules else _PARTS)
            return None if self._forms.multipart == "untouched" else refused
        if self.refuses_others:
            detail = _OTHERS if declared.received else _UNTYPED
            if (declared.is_form or declared.is_multipart) and not self._has_forms:
                detail = _FORM
            return Body(fault=Kind.UNJUDGED_BODY, detail=detail.format(self._refusing))
        if not declared.received and self.may_judge_untyped(report.method):
            untyped = Body(fault=Kind.UNTYPED_FORM, detail="no Content-Type")
            return None if self._action(report, untyped) is Action.ALLOW else untyped
        return None

    def bound(self, body_type: BodyType) -> Bound:
        """The maximum length of a body of this type."""
        if isinstance(body_type, JsonType):
            return Bound(self._json.limit, Kind.LONG_JSON, "Json.limit")
        if isinstance(body_type, MultipartType):
            return Bound(self._forms.upload, Kind.LONG_FORM, "Forms.upload")
        return Bound(self._forms.limit, Kind.LONG_FORM, "Forms.limit")

    def early_fault(self, body_type: BodyType, length: StatedLength, *, coded: bool) -> Body | None:
        """The fault for which a body is refused before it is read; ``None`` if it may be read.

        ``coded`` tells whether there is a Transfer-Encoding. Readers disagree if there is a length as well.
        """
        if fault := self._fault(body_type):
            return fault
        if coded and not length.is_absent:
            return Body(fault=Kind.WRONG_LENGTH, detail="both a Content-Length and a Transfer-Encoding")
        if length.is_malformed:
            return Body(fault=Kind.WRONG_LENGTH, detail="a Content-Length that is not a number")
        bound = self.bound(body_type)
        octets = length.octets or 0
        if octets > bound.octets:
            return Body(fault=bound.kind, detail=bound.detail)
        if isinstance(body_type, MultipartType) and octets > self._quota.left:
            return Body(fault=Kind.SPOOL_FULL, detail=QUOTA_EXCEEDED)
        return None

    def spool(self, report: Report) -> Spool:
        """Create the spool that holds a multipart form while it is read."""
        forms = self._forms
        discards = report.enforced and forms.over == "refuse"
        return Spool(self._quota, forms.memory, forms.spool_dir, keep=forms.keep, discards=discards)

    def parser(self, report: Report, body_type: MultipartType) -> MultipartParser:
        """Create the parser that splits a multipart form while it is read."""
        return self._part_rules[self._at(report)].parser(body_type.boundary)

    def _at(self, report: Report) -> Normalizer:
        """The normalizer for the report's route."""
        return self._normalizer.at((report.target or report.received).path)

    def _fault(self, body_type: BodyType) -> Body | None:
        """The fault in the Content-Type or Content-Encoding of a body; ``None`` if there is none."""
        kind = Kind.FORM_CODING
        if isinstance(body_type, JsonType):
            kind = Kind.JSON_CODING
        elif isinstance(body_type, MultipartType):
            kind = Kind.FORM_CODING if body_type.is_coding else Kind.MALFORMED_CONTENT_TYPE
        elif body_type.charset and self._codec(body_type) is None:
            return Body(fault=kind, detail=body_type.fault or self._forms.known.refusal(body_type.charset))
        return Body(fault=kind, detail=body_type.fault) if body_type.fault else None

    def judge(
        self, report: Report, body_type: BodyType, body: Body, names: Sequence[bytes] = ()
    ) -> JudgedBody:
        """Judge a body; returns the report with its findings, and the body to hand on."""
        return finished(self.judging(report, body_type, body, names))

    def judging(
        self, report: Report, body_type: BodyType, body: Body, names: Sequence[bytes] = ()
    ) -> Steps[JudgedBody]:
        """Judge a body block by block, so that other work can run in between.

        ``names`` are the names of all header fields; one of them may hold a digest of the body.
        """
        if body.fault is not None:
            return JudgedBody(self.with_fault(report, body, body_type))
        if isinstance(body_type, MultipartType):
            parser = self.parser(report, body_type)
            yield from parser.feeding(body.octets)
            parser.close()
            return (yield from self.judging_parts(report, body_type, parser, body.octets, names))
        normalizer = self._at(report)
        if isinstance(body_type, JsonType):
            if not body.octets and not is_missed(body_type, report.method):
                return JudgedBody(report, b"", _written(body_type))
            json_rules = self._json_rules[normalizer]
            read = yield from json_rules.judging(body.octets, signed=has_digest(names, self._signed_json))
            report = _with(report, read.octets, read.findings, more=read.truncated)
            if self._json.keep:
                report = replace(report, received_json=body.octets)
            return JudgedBody(report, read.octets, _written(body_type))
        codec = self._codec(body_type) if body_type.charset else None
        form = yield from self._form_rules[normalizer].judging(
            body.octets, codec, signed=has_digest(names, self._signed_form)
        )
        report = _with(report, form.octets, form.findings, more=form.truncated)
        if self._forms.keep:
            report = replace(report, received_form=body.octets)
        if self._json.keep and form.is_json:
            report = replace(report, received_json=body.octets)
        return JudgedBody(report, form.octets, body_type.written if form.recoded else _written(body_type))

    def judging_parts(
        self,
        report: Report,
        body_type: MultipartType,
        parser: MultipartParser,
        octets: bytes | None,
        names: Sequence[bytes],
    ) -> Steps[JudgedBody]:
        """Judge a multipart form that has been parsed; ``octets`` is its body if that is empty or kept."""
        if octets == b"" and not is_missed(body_type, report.method):
            return JudgedBody(report, None, _written(body_type), ())
        rules = self._part_rules[self._at(report)]
        signed = has_digest(names, self._signed_form)
        form = yield from rules.judging(parser, signed=signed, is_ascii=body_type.is_ascii)
        octets_read = None if form.respelled is None else b""
        report = _with(report, octets_read, form.findings, more=form.truncated)
        if self._forms.keep:
            report = replace(report, received_form=octets)
        return JudgedBody(report, None, _written(body_type), form.respelled)

    def with_fault(self, report: Report, body: Body, body_type: BodyType | None = None) -> Report:
        """Add a finding about the body as a whole to a report."""
        of_json = isinstance(body_type, JsonType) or not self._has_forms
        component = Component.JSON if of_json else Component.FORM
        action = self._action(report, body)
        finding = Finding(body.fault or Kind.WRONG_LENGTH, component, 0, b"", action, detail=body.detail)
        return _with(report, None if action is Action.REJECT else b"", (finding,))

    def _codec(self, form: FormType) -> str | None:
        return self._forms.known.codec(form.charset)

    def _action(self, report: Report, body: Body) -> Action:
        if body.fault is Kind.LONG_FORM and self._forms.over == "untouched":
            return Action.REPORT
        if body.fault is not Kind.UNTYPED_FORM:
            return Action.REJECT
        return self._at(report).policy.action(Kind.UNTYPED_FORM, Component.FORM)


def _written(body_type: BodyType) -> bytes | None:
    """The Content-Type to hand on; ``None`` if the received one is right."""
    return None if body_type.usual else body_type.written


def _with(report: Report, octets: bytes | None, found: tuple[Finding, ...], *, more: bool = False) -> Report:
    """Add findings about a body to a report. The request is refused if ``octets`` is ``None``."""
    return replace(
        report,
        target=None if octets is None else report.target,
        findings=report.findings + found,
        truncated=report.truncated or more,
    )
