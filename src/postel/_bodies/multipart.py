r"""Judge multipart forms (``multipart/form-data``) under a policy. Other modules read the stream.

Names and texts are judged by the rules of urlencoded forms. File names have rules of their own. The content
of files passes unchanged. Header fields in an unusual spelling are rewritten with the same values. Nothing
else is edited.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, final

from postel._alphabet.steps import Steps, finished
from postel._bodies.digests import WHY
from postel._bodies.form_part import Fault, FormPart
from postel._bodies.form_settings import Forms
from postel._bodies.part_names import faults_in, ruled_name, unquoted
from postel._bodies.part_readings import NameReadings
from postel._bodies.part_texts import TextRules
from postel._bodies.parts import MultipartParser, PartLimits
from postel._bodies.urlencoded import JudgedForm
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import EXCERPT, Finding
from postel._catalogue.kinds import Kind
from postel._normalizer.findings import MOST
from postel._policy.policy import Policy

_BEYOND: Final = re.compile(rb"[\x80-\xff]")
_OTHER_CHARSET: Final = "octets beyond ASCII in a charset other than UTF-8"
_GROWN: Final = "with its header fields rewritten, it would exceed Forms.limit or Forms.upload"
_TOGETHER: Final = 32
"""How many parts are examined before other work can run."""


@final
class Respelled(NamedTuple):
    """The new spelling of a part's header fields, and the span in the received body that it replaces."""

    start: int
    end: int
    octets: bytes


@final
@dataclass(frozen=True, slots=True)
class JudgedParts:
    """The judgement of a multipart form."""

    respelled: tuple[Respelled, ...] | None
    """The changes to the body, in order; ``None`` if it is refused."""
    findings: tuple[Finding, ...] = ()
    truncated: bool = False
    """Whether there were more findings, as far as the form was judged."""


@final
class MultipartRules:
    r"""Judges multipart forms by a policy; never raises on any octets.

    >>> body = b'--x\r\ncontent-disposition: form-data; name=a\r\n\r\n1\r\n--x--\r\n'
    >>> MultipartRules(Policy.STANDARD, Forms()).judge(body, b"x").octets
    b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n'
    """

    __slots__ = ("_limits", "_policy", "_readings", "_texts")

    def __init__(self, policy: Policy, forms: Forms) -> None:
        """Compile the rules of forms for names and texts."""
        self._policy = policy
        most = min(forms.parts, policy.limits.pairs)
        self._limits = PartLimits(most, forms.headers, policy.limits.form_value, forms.limit, forms.upload)
        self._readings = NameReadings(policy)
        self._texts = TextRules(policy, forms)

    def parser(self, boundary: bytes) -> MultipartParser:
        """Create the parser of a body, with the limits of the settings and of the policy."""
        return MultipartParser(boundary, self._limits)

    def judge(self, received: bytes, boundary: bytes, *, signed: bool = False) -> JudgedForm:
        """Judge a whole body; ``signed`` tells that a header holds a digest of it, so no octet may change."""
        parser = self.parser(boundary)
        finished(parser.feeding(received))
        parser.close()
        judged = finished(self.judging(parser, signed=signed))
        if judged.respelled is None:
            return JudgedForm(None, judged.findings, judged.truncated)
        return JudgedForm(respelled(received, judged.respelled), judged.findings, judged.truncated)

    def judging(
        self, parser: MultipartParser, *, signed: bool = False, is_ascii: bool = False
    ) -> Steps[JudgedParts]:
        """Judge a body that has been parsed, in steps, so that other work can run in between.

        ``is_ascii`` tells that header fields and texts must be ASCII: the Content-Type names a charset other
        than UTF-8.
        """
        if fault := parser.fault or (_beyond_ascii(parser.parts) if is_ascii else None):
            found = Finding(
                fault.kind,
                Component.FORM,
                fault.offset,
                fault.excerpt,
                Action.REJECT,
                fault.name,
                fault.detail,
            )
            return JudgedParts(None, (found,))
        parts = parser.parts
        findings: list[Finding] = []
        spelled: dict[bytes, bytes] = {}
        rejected = False
        for number, part in enumerate(parts, 1):
            faults = (*faults_in(part), *self._readings.faults_in(part, spelled))
            judged = [self._found(part, *fault) for fault in faults]
            findings += [each for each in judged if each.action is not Action.ALLOW]
            rejected = rejected or any(each.action is Action.REJECT for each in judged)
            if rejected and len(findings) > MOST:
                return JudgedParts(None, _listed(findings), truncated=True)
            if number % _TOGETHER == 0:
                yield
        spelled.clear()  # its names are not needed any more
        texts = yield from self._texts.judging(parts)
        findings += texts.findings
        rejected = texts.octets is None or any(each.action is Action.REJECT for each in findings)
        unusual = [] if rejected else [part for part in parts if part.head != part.sent]
        findings += [self._spelling(part, signed=signed) for part in unusual]
        changes = tuple(Respelled(each.start, each.content - 4, each.head) for each in unusual)
        if not parser.has_room(grown(changes)):
            findings.append(Finding(Kind.LONG_FORM, Component.FORM, 0, b"", Action.REJECT, detail=_GROWN))
        rejected = rejected or any(each.action is Action.REJECT for each in findings)
        truncated = texts.truncated or len(findings) > MOST
        return JudgedParts(None if rejected else changes, _listed(findings), truncated)

    def _spelling(self, part: FormPart, *, signed: bool) -> Finding:
        found = self._found(part, Kind.PART_SPELLING, part.start, len(part.sent))
        if signed and found.action is Action.REPAIR:
            return replace(found, action=Action.REJECT, detail=WHY)
        return found

    def _found(self, part: FormPart, kind: Kind, at: int, length: int, detail: str = "") -> Finding:
        name = unquoted(part.name) if kind is Kind.DUPLICATE_NAME else ruled_name(part, at)
        action = self._policy.action(kind, Component.FORM, name)
        if action.edits and kind is not Kind.PART_SPELLING:
            action = Action.REJECT  # names are never edited, and parts are never dropped
        at, length = part.received(at, length)
        return Finding(kind, Component.FORM, at, part.excerpt(at, length), action, part.shown, detail)


def _beyond_ascii(parts: Sequence[FormPart]) -> Fault | None:
    """The first fault of a form in which header fields and texts must be ASCII."""
    for part in parts:
        for octets, start in ((part.sent, part.start), (part.text, part.content)):
            if match := _BEYOND.search(octets):
                excerpt = octets[match.start() : match.start() + EXCERPT]
                return Fault(Kind.FORM_CODING, start + match.start(), _OTHER_CHARSET, excerpt, part.shown)
    return None


def respelled(received: bytes, changes: Sequence[Respelled]) -> bytes:
    """Return a body with the new header fields of its parts."""
    pieces: list[bytes] = []
    place = 0
    for each in changes:
        pieces += (received[place : each.start], each.octets)
        place = each.end
    return b"".join((*pieces, received[place:])) if changes else received


def grown(changes: Sequence[Respelled]) -> int:
    """How many octets longer a body is with the new header fields of its parts."""
    return sum(len(octets) - (end - start) for start, end, octets in changes)


def _listed(findings: list[Finding]) -> tuple[Finding, ...]:
    """The first findings, including one that rejects, if any does."""
    first = findings[:MOST]
    rejecting = [each for each in findings if each.action is Action.REJECT]
    if rejecting and not any(each.action is Action.REJECT for each in first):
        first[-1] = rejecting[0]
    return tuple(first)
