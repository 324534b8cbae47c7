"""Judge the names, texts and file names of parts by the rules of urlencoded forms.

Each name is written and judged as a pair of such a form, with the text of the part or its file name as the
value. A long text is judged in slices, each with the name of the part.

Nothing is edited: what a policy would edit in an urlencoded form, it refuses in a part.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Final, NamedTuple, final

from postel._alphabet.percent import QUERY, measure, percent_encode
from postel._alphabet.steps import Steps
from postel._alphabet.writer import Writer
from postel._bodies.form_part import FormPart
from postel._bodies.form_settings import Forms
from postel._bodies.part_names import unquoted
from postel._bodies.urlencoded import FormRules, JudgedForm
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import Finding
from postel._catalogue.kinds import Kind
from postel._errors import LARGEST
from postel._normalizer.findings import MOST
from postel._policy.actions import actions_in
from postel._policy.policy import Policy
from postel._policy.rules import COMPONENTS

_SLICE: Final = 2**14
"""How many octets of a text, or of pairs, are judged together."""
_BLOCK: Final = 2**13
"""How many octets of pairs are written at once if all names must be judged together."""
_KEPT: Final = QUERY - frozenset(b"&=;+") | frozenset(range(0x80, 0x100))
_WRITTEN: Final = Writer(
    [b"+" if octet == ord(" ") else percent_encode(bytes((octet,)), _KEPT) for octet in range(0x100)]
)
"""Writes texts as pairs; as few octets as possible are escaped, because escapes are three times as long."""
_UNESCAPED: Final = bytes(_KEPT | {ord(" ")})
_QUOTE: Final = _WRITTEN.written(b'"')
_WRITING: Final = (
    Kind.UNICODE_ESCAPE,
    Kind.MALFORMED_ESCAPE,
    Kind.ILLEGAL_CHARACTER,
    Kind.RAW_BRACKET,
    Kind.RAW_NON_ASCII,
    Kind.SEMICOLON,
    Kind.SPELLING,
)
"""Kinds that concern the spelling of urlencoded forms. Texts of parts are not escaped, so they have none."""
_NEVER_EDITED: Final = "texts of a multipart form are never edited"
"""The detail of a finding whose fault is edited in an urlencoded form, and refused in a multipart one."""
_CUT: Final = re.compile(rb"[^\x80-\xbf\n]|(?<!\r)\n|(?<=[\x80-\xbf]{4})[\x80-\xbf]")
"""Matches octets in front of which a text may be cut without splitting a character or a CR LF."""
_CUT_ASCII: Final = re.compile(rb"[\x00-\x09\x0b-\x7f]|(?<!\r)\n")
"""Like ``_CUT``, but only where the next character cannot compose with the one before."""


@final
class _Slice(NamedTuple):
    """A name with a text or a slice of it."""

    part: FormPart
    start: int
    """The offset of the slice in the text."""
    end: int

    @property
    def pair(self) -> bytes:
        """The name and the text as a pair of an urlencoded form."""
        return _WRITTEN.written(_name_of(self.part)) + b"=" + _WRITTEN.written(self._text)

    @property
    def size(self) -> int:
        """The length of the pair, which is not written for it."""
        octets = _name_of(self.part) + self._text
        return len(octets) + 2 * len(octets.translate(None, _UNESCAPED)) + len(b"=")

    @property
    def _text(self) -> bytes:
        return _value_of(self.part)[self.start : self.end]


@final
class TextRules:
    """Judges the names and texts of parts by a policy. A form that would need an edit is refused."""

    __slots__ = ("_cut", "_policy", "_rules", "_slice", "_together")

    def __init__(self, policy: Policy, forms: Forms) -> None:
        """Compile the rules of urlencoded forms for texts of parts."""
        # Escapes make a text up to three times as long. Parts cannot be handed on in another charset.
        rules = replace(forms, limit=min(LARGEST, 4 * forms.limit), charsets=())
        self._policy = policy.allowing(*_WRITING, on=Component.FORM)
        self._rules = FormRules(_refusing_edits(self._policy), rules)
        composes = _detects(policy, Kind.NOT_NFC)
        self._cut = _CUT_ASCII if composes else _CUT
        # A URL reference must be judged as a whole. Limits.form_value bounds its length.
        self._slice = policy.limits.form_value if _detects(policy, Kind.FOREIGN_REFERENCE) else _SLICE
        self._together = _detects(policy, Kind.DUPLICATE_NAME)
        """Whether all names must be judged together, because the policy looks for repeated ones."""

    def judging(self, parts: Sequence[FormPart]) -> Steps[JudgedForm]:
        """Judge parts; stops after the first slice that is refused."""
        findings: list[Finding] = []
        truncated, octets = False, 0
        group: list[_Slice] = []
        for each in chain.from_iterable(map(self._slices, parts)):
            # Slices of a text share its name, which would count as repeated.
            is_alone = self._together and each.start > 0
            octets += each.size
            if not is_alone:
                group.append(each)
            if octets < _SLICE and not is_alone:
                continue
            yield
            octets = 0
            if is_alone or not self._together:
                judged = yield from self._judged([each] if is_alone else group, MOST - len(findings))
                findings += judged.findings
                truncated = truncated or judged.truncated
                if judged.octets is None:
                    return JudgedForm(None, tuple(findings), truncated)
                group = group if is_alone else []
        judged = yield from self._judged(group, MOST - len(findings))
        return JudgedForm(judged.octets, (*findings, *judged.findings), truncated or judged.truncated)

    def _slices(self, part: FormPart) -> Iterator[_Slice]:
        text, start = _value_of(part), 0
        while len(text) - start > self._slice:
            cut = self._cut.search(text, start + self._slice)
            if cut is None:
                break
            yield _Slice(part, start, cut.start())
            start = cut.start()
        yield _Slice(part, start, len(text))

    def _judged(self, slices: Sequence[_Slice], most: int) -> Steps[JudgedForm]:
        """Judge slices together; keep the first ``most`` findings, and those that reject."""
        if not slices:
            return JudgedForm(b"")
        starts: list[int] = []
        place = 0
        for each in slices:
            starts.append(place)
            place += each.size + 1
        if self._together:
            judged = yield from self._rules.judging_unedited(_blocks(slices, starts))
        else:
            judged = yield from self._rules.judging(_form(slices))
        kept = [
            found
            for number, found in enumerate(judged.findings)
            if number < most or found.action is Action.REJECT
        ]
        findings: list[Finding] = []
        for found in kept:
            number = bisect_right(starts, found.offset) - 1
            findings.append(self._moved(found, slices[number], found.offset - starts[number]))
        truncated = judged.truncated or len(kept) < len(judged.findings)
        return JudgedForm(judged.octets, tuple(findings), truncated)

    def _moved(self, finding: Finding, place: _Slice, offset: int) -> Finding:
        """Turn a finding about a pair into one about a part."""
        part = place.part
        ruled = None if finding.name is None else unquoted(part.name)
        is_edit = self._policy.action(finding.kind, Component.FORM, ruled).edits
        name, mark, value = place.pair[:offset].partition(b"=")
        if mark and part.filename is None:
            offset, length = part.content + place.start + measure(value), measure(finding.excerpt)
        else:
            offset = part.filename_at + _in_head(value) if mark else part.name_at + _in_head(name)
            offset, length = part.received(offset, _in_head(finding.excerpt))
        excerpt = part.excerpt(offset, length)
        detail = _NEVER_EDITED if is_edit else finding.detail
        return replace(finding, offset=offset, excerpt=excerpt, detail=detail)


def _name_of(part: FormPart) -> bytes:
    return part.name.replace(b'\\"', b'"')


def _value_of(part: FormPart) -> bytes:
    """The text of a part, or its file name."""
    return part.text if part.filename is None else part.filename.replace(b'\\"', b'"')


def _form(slices: Sequence[_Slice]) -> bytes:
    """Write slices as an urlencoded form."""
    return b"&".join(each.pair for each in slices)


def _blocks(slices: Sequence[_Slice], starts: Sequence[int]) -> list[tuple[int, Callable[[], bytes]]]:
    """Divide slices into blocks: for each its start in the whole form, and a function that writes it."""
    blocks: list[tuple[int, Callable[[], bytes]]] = []
    first = 0
    for number, (each, start) in enumerate(zip(slices, starts, strict=True), 1):
        if number == len(slices) or start + each.size >= starts[first] + _BLOCK:
            blocks.append((starts[first], partial(_form, slices[first:number])))
            first = number
    return blocks


def _in_head(escaped: bytes) -> int:
    """How many octets this text takes in the header of a part, where a backslash precedes each quote."""
    return measure(escaped) + escaped.count(_QUOTE)


def _detects(policy: Policy, kind: Kind) -> bool:
    """Whether a policy looks for a kind in any field of a form."""
    return actions_in(policy, kind, Component.FORM) != {Action.ALLOW}


def _refusing_edits(policy: Policy) -> Policy:
    """A policy that refuses a form wherever this one edits it."""
    column = COMPONENTS.index(Component.FORM)
    table = list(policy.table)
    table[column] = tuple(map(_refusal_of, table[column]))
    rules = [
        replace(rule, action=_refusal_of(rule.action)) if rule.component is Component.FORM else rule
        for rule in policy.rules
    ]
    return replace(policy, table=tuple(table), rules=tuple(rules))


def _refusal_of(action: Action) -> Action:
    return Action.REJECT if action.edits else action
