r"""Forms of parts under a policy: ``multipart/form-data``, read in one way. No body is read here.

Names and texts are judged as those of an urlencoded form are, by the same rules; file names by rules of their
own. What is in files passes octet for octet. A body that only spells its header fields unusually is written
anew, around the same contents; nothing else is ever edited.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, final

from postel._alphabet.percent import measure, percent_encode
from postel._alphabet.steps import Steps, finished
from postel._bodies.parts import Fault, FormPart, read, split
from postel._bodies.urlencoded import FormRules, Forms, JudgedForm
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import EXCERPT, Finding
from postel._catalogue.kinds import Kind
from postel._normalizer.findings import MOST
from postel._policy.policy import Policy

_TURN: Final = 2**7
"""Parts between two turns of others."""
_SLICE: Final = 2**15
"""Octets of escaped texts between two turns of others."""
_ESCAPED_BREAK: Final = re.compile(rb"%0[AD]", re.IGNORECASE)
"""A line break as browsers write it in a name, which one framework undoes."""
_PATH: Final = re.compile(rb"/|\A\.\.?\Z|\A[A-Za-z]:|\\")
"""What makes a path of a file name: a separator, the names of directories, a drive."""
_CRLF: Final = b"\r\n"


@final
class MultipartRules:
    r"""What a policy says of forms of parts; never raises on any octets.

    >>> body = b'--x\r\ncontent-disposition: form-data; name=a\r\n\r\n1\r\n--x--\r\n'
    >>> MultipartRules(Policy.STANDARD, Forms()).judge(body, b"x").octets
    b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n'
    """

    __slots__ = ("_form", "_longest", "_most", "_policy")

    def __init__(self, policy: Policy, forms: Forms) -> None:
        """Judge names and texts as those of forms."""
        self._policy = policy
        self._most = policy.limits.pairs
        self._longest = policy.limits.form_value
        # Escaped for the rules of forms, a text is three times as long.
        self._form = FormRules(policy, replace(forms, limit=4 * forms.limit))

    def judge(self, received: bytes, boundary: bytes, *, signed: bool = False) -> JudgedForm:
        """Judge a body; ``signed`` says that a header holds a digest of it, so that no octet may change."""
        return finished(self.judging(received, boundary, signed=signed))

    def judging(self, received: bytes, boundary: bytes, *, signed: bool = False) -> Steps[JudgedForm]:
        """The same in steps, so that others can have their turn in between."""
        places = split(received, boundary, self._most)
        if places is None:
            return self._refused(received, Kind.TOO_MANY_PAIRS, 0, "")
        if isinstance(places, Fault):
            return self._refused(received, Kind.MULTIPART_SYNTAX, places.offset, places.detail)
        parts: list[FormPart] = []
        for number, (start, end) in enumerate(places, 1):
            part = read(received, start, end)
            if isinstance(part, Fault):
                kind = Kind.PART_CODING if part.is_coding else Kind.PART_HEADER
                return self._refused(received, kind, part.offset, part.detail)
            parts.append(part)
            if number % _TURN == 0:
                yield
        findings = [each for part in parts for each in self._names(received, part)]
        texts = yield from self._texts(received, parts)
        findings += texts.findings
        if texts.octets is None or any(each.action is Action.REJECT for each in findings):
            return JudgedForm(None, _listed(findings), texts.omitted + len(findings[MOST:]))
        octets = received
        unusual = [part for part in parts if part.head != received[part.start : part.content - 4]]
        if unusual:
            findings += [self._spelling(received, part, signed=signed) for part in unusual]
            octets = _written(received, boundary, parts)
        rejected = any(each.action is Action.REJECT for each in findings)
        omitted = texts.omitted + len(findings[MOST:])
        return JudgedForm(None if rejected else octets, _listed(findings), omitted)

    def _names(self, received: bytes, part: FormPart) -> Iterator[Finding]:
        """Findings about names and file names, besides those of the rules of forms."""
        for spelled, at in ((part.name, part.name_at), (part.filename or b"", part.filename_at)):
            if match := _ESCAPED_BREAK.search(spelled):
                yield self._found(received, Kind.NAME_LINE_BREAK, at + match.start(), 3, part)
        filename = part.filename
        if filename is None:
            return
        if not filename and part.content != part.end:
            detail = "a file without a name"
            yield self._found(received, Kind.PART_HEADER, part.filename_at, 0, part, detail)
        try:
            filename.decode()
        except UnicodeDecodeError as error:
            at = part.filename_at + error.start
            yield self._found(received, Kind.ILL_FORMED_UTF8, at, error.end - error.start, part)
        if match := _PATH.search(filename.replace(b'\\"', b'"')):
            yield self._found(received, Kind.FILENAME_PATH, part.filename_at, len(filename), part)

    def _texts(self, received: bytes, parts: list[FormPart]) -> Steps[JudgedForm]:
        """What the rules of forms say of all names, and of the texts; nothing may be edited."""
        pairs: list[bytes] = []
        starts: list[int] = []
        place = 0
        for part in parts:
            name = percent_encode(part.name.replace(b'\\"', b'"'))
            text = b"" if part.filename is not None else received[part.content : part.end]
            if len(text) > self._longest:
                long = self._found(received, Kind.LONG_VALUE, part.content, EXCERPT, part)
                return JudgedForm(None, (long,))
            pairs.append(name + b"=" + percent_encode(text))
            starts.append(place)
            place += len(pairs[-1]) + 1
            if place // _SLICE > starts[-1] // _SLICE:
                yield
        if not parts:
            return JudgedForm(b"")
        written = b"&".join(pairs)
        judged = yield from self._form.judging(written)
        edited = judged.octets is not None and judged.octets != written
        findings = [_moved(received, each, parts, starts, written, edited=edited) for each in judged.findings]
        return JudgedForm(None if edited else judged.octets, tuple(findings), judged.omitted)

    def _spelling(self, received: bytes, part: FormPart, *, signed: bool) -> Finding:
        found = self._found(received, Kind.PART_SPELLING, part.start, EXCERPT, part)
        if signed and found.action is Action.REPAIR:
            return replace(found, action=Action.REJECT, detail="a header holds a digest of the body")
        return found

    def _found(  # noqa: PLR0913, PLR0917 - what is said of a fault
        self, received: bytes, kind: Kind, at: int, length: int, part: FormPart, detail: str = ""
    ) -> Finding:
        action = self._policy.action(kind, Component.FORM)
        if action not in {Action.REPORT, Action.REPAIR}:
            action = Action.REJECT  # no edit of a name, no part that goes
        excerpt = received[at : at + min(length, EXCERPT)]
        name = part.name.decode("utf-8", "replace")[:64]
        return Finding(kind, Component.FORM, at, excerpt, action, name, detail)

    def _refused(self, received: bytes, kind: Kind, at: int, detail: str) -> JudgedForm:
        excerpt = received[at : at + EXCERPT]
        return JudgedForm(None, (Finding(kind, Component.FORM, at, excerpt, Action.REJECT, detail=detail),))


def _moved(  # noqa: PLR0913 - a finding, and what it is about
    received: bytes,
    finding: Finding,
    parts: list[FormPart],
    starts: list[int],
    written: bytes,
    *,
    edited: bool,
) -> Finding:
    """A finding about the written pairs as one about the parts; an edit is a reason to refuse."""
    action = Action.REJECT if edited and finding.action.edits else finding.action
    detail = "a text of parts is not edited" if action is not finding.action else finding.detail
    number = bisect_right(starts, finding.offset) - 1
    part, start = parts[number], starts[number]
    name, mark, value = written[start : finding.offset].partition(b"=")
    offset = part.content + measure(value) if mark else part.name_at + measure(name)
    excerpt = received[offset : offset + measure(finding.excerpt)]
    return replace(finding, offset=offset, excerpt=excerpt, action=action, detail=detail)


def _written(received: bytes, boundary: bytes, parts: list[FormPart]) -> bytes:
    """The body with the header fields in their canonical spelling, and all else as it was."""
    mark = b"--" + boundary
    pieces: list[bytes] = []
    for part in parts:
        pieces += (mark, _CRLF, part.head, _CRLF * 2, received[part.content : part.end], _CRLF)
    return b"".join((*pieces, received[parts[-1].end + 2 :]))


def _listed(findings: list[Finding]) -> tuple[Finding, ...]:
    """The first findings, and one that rejects."""
    first = findings[:MOST]
    rejecting = [each for each in findings if each.action is Action.REJECT]
    if rejecting and not any(each.action is Action.REJECT for each in first):
        first[-1] = rejecting[0]
    return tuple(first)
