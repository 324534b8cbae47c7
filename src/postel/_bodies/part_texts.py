"""Names and texts of parts, judged by the rules of urlencoded forms.

Each is escaped, and judged as a pair of such a form. A long text is judged slice by slice, each slice under
the name of the part.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final, NamedTuple, final

from postel._alphabet.percent import measure, percent_encode
from postel._alphabet.steps import Steps
from postel._bodies.part_head import FormPart
from postel._bodies.urlencoded import FormRules, JudgedForm
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import Finding
from postel._catalogue.kinds import Kind
from postel._policy.policy import Policy

_SLICE: Final = 2**13
"""Octets of a text, and of escaped pairs, that are judged together."""
_CUT: Final = re.compile(rb"[^\x80-\xbf\n]|(?<!\r)\n|(?<=[\x80-\xbf]{4})[\x80-\xbf]")
"""A text can be cut in front of these: neither a character nor a pair of CR and LF is cut in two."""
_CUT_ASCII: Final = re.compile(rb"[\x00-\x09\x0b-\x7f]|(?<!\r)\n")
"""The same, and the character behind the cut does not compose with the one in front of it."""


@final
class _Slice(NamedTuple):
    """A name, and a text or a slice of it."""

    part: FormPart
    start: int
    """Where the slice begins in the text."""
    pair: bytes
    """Both, escaped."""


@final
class TextRules:
    """Judges the names and texts of parts by a policy. Where it would edit one, the form is refused."""

    __slots__ = ("_cut", "_rules", "_together")

    def __init__(self, policy: Policy, rules: FormRules) -> None:
        """Judge by the rules of forms, which have the same policy."""
        self._rules = rules
        composes = _asks(policy, Kind.NOT_NFC)
        self._cut = _CUT_ASCII if composes else _CUT
        self._together = _asks(policy, Kind.DUPLICATE_NAME)
        """Whether all names have to be seen together."""

    def judging(self, parts: Sequence[FormPart]) -> Steps[JudgedForm]:
        """Judge parts, up to the slice with the first reason to refuse them."""
        findings: list[Finding] = []
        omitted = octets = 0
        group: list[_Slice] = []
        for each in chain.from_iterable(map(self._slices, parts)):
            is_alone = self._together and each.start > 0  # else its name would be there twice
            octets += len(each.pair)
            if not is_alone:
                group.append(each)
            if octets < _SLICE and not is_alone:
                continue
            yield
            octets = 0
            if is_alone or not self._together:
                judged = yield from self._judged([each] if is_alone else group)
                findings += judged.findings
                omitted += judged.omitted
                if judged.octets is None:
                    return JudgedForm(None, tuple(findings), omitted)
                group = group if is_alone else []
        judged = yield from self._judged(group)
        return JudgedForm(judged.octets, (*findings, *judged.findings), omitted + judged.omitted)

    def _slices(self, part: FormPart) -> Iterator[_Slice]:
        name = percent_encode(part.name.replace(b'\\"', b'"')) + b"="
        text, start = part.text, 0
        while len(text) - start > _SLICE:
            cut = self._cut.search(text, start + _SLICE)
            if cut is None:
                break
            yield _Slice(part, start, name + percent_encode(text[start : cut.start()]))
            start = cut.start()
        yield _Slice(part, start, name + percent_encode(text[start:]))

    def _judged(self, slices: Sequence[_Slice]) -> Steps[JudgedForm]:
        if not slices:
            return JudgedForm(b"")
        starts: list[int] = []
        place = 0
        for each in slices:
            starts.append(place)
            place += len(each.pair) + 1
        written = b"&".join(each.pair for each in slices)
        judged = yield from self._rules.judging(written)
        edited = judged.octets is not None and judged.octets != written
        findings: list[Finding] = []
        for found in judged.findings:
            number = bisect_right(starts, found.offset) - 1
            findings.append(_moved(found, slices[number], found.offset - starts[number], edited=edited))
        return JudgedForm(None if edited else judged.octets, tuple(findings), judged.omitted)


def _asks(policy: Policy, kind: Kind) -> bool:
    """Whether a policy does not allow a kind in every field of a form."""
    return policy.action(kind, Component.FORM) is not Action.ALLOW or any(
        rule.kind is kind and rule.component is Component.FORM and rule.action is not Action.ALLOW
        for rule in policy.rules
    )


def _moved(finding: Finding, place: _Slice, offset: int, *, edited: bool) -> Finding:
    """A finding about a pair as one about a part; an edit is a reason to refuse."""
    action = Action.REJECT if edited and finding.action.edits else finding.action
    detail = "a text of parts is not edited" if action is not finding.action else finding.detail
    part = place.part
    name, mark, value = place.pair[:offset].partition(b"=")
    offset = part.content + place.start + measure(value) if mark else part.name_at + measure(name)
    excerpt = part.excerpt(offset, measure(finding.excerpt))
    return replace(finding, offset=offset, excerpt=excerpt, action=action, detail=detail)
