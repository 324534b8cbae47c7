"""Forms: bodies of ``application/x-www-form-urlencoded`` under a policy. No body is read here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, Literal, cast, final

from postel._catalogue import Finding, Kind
from postel._characters import Spelling, octets_pattern
from postel._charsets import UTF8, Charsets, rewritten
from postel._check import Action, Component
from postel._draft import Draft
from postel._errors import PolicyError
from postel._notes import MOST, Notes
from postel._octets import measure, percent_decode
from postel._pair_rules import PairRules
from postel._pairs import Pairs
from postel._policy import Policy
from postel._wholesale import Wholesale

_CHARSET_FIELD: Final = re.compile(
    rb"(?:\A|&)"
    + b"".join(octets_pattern([(octet, octet)], Spelling.ANY) for octet in b"_charset_")
    + rb"=([^&]*+)"
)
"""The field in which a page may say the charset: HTML, section 4.10.19.1 (naming form controls)."""


_BLOCK: Final = 2**16
"""Octets of a form that are looked at together."""
_CUT: Final = re.compile(rb"(?<!&)&(?!&|\Z)")
_EVERY_STEP: Final = 100
"""More than there are steps."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Forms:
    """How forms are read. Immutable; what could not work is a :class:`PolicyError`.

    >>> Forms(limit=100_000, charsets=["windows-1252"]).limit
    100000
    """

    limit: int = 2**20
    """The most octets of a form; they are held in memory. What is in the form the policy's limits say."""
    over: Literal["refuse", "untouched"] = "refuse"
    """What is done with more: a 413, or it goes to the application as it comes, unjudged."""
    multipart: Literal["refuse", "untouched"] = "refuse"
    """What is done with forms of parts, which nobody judges yet: a 415, or they go to the application."""
    others: Literal["refuse", "untouched"] = "untouched"
    """What is done with bodies of other types, or of none; Bottle reads each of them as a form."""
    charsets: Iterable[str] = ()
    """Charsets besides UTF-8, such as ``windows-1252``; a form in one of them is handed on in UTF-8."""
    keep: bool = False
    """Whether ``Report.received_form`` keeps the octets as received, for signatures."""
    known: Charsets = field(init=False, repr=False, compare=False)
    """The charsets, by their labels."""

    def __post_init__(self) -> None:
        """Check each setting."""
        _check(self.limit, self.keep)
        for name in ("over", "multipart", "others"):
            _check_choice(name, getattr(self, name))
        object.__setattr__(self, "charsets", _listed(self.charsets))
        object.__setattr__(self, "known", Charsets(self.charsets))


def _check(limit: object, keep: object) -> None:
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise PolicyError(f"Forms(limit={limit!r}): a limit is a whole number of octets from 1")
    if not isinstance(keep, bool):
        raise PolicyError(f"Forms(keep={keep!r}): write keep=True or keep=False")


def _check_choice(name: str, value: object) -> None:
    if value not in ("refuse", "untouched"):
        raise PolicyError(f"Forms({name}={value!r}): write 'refuse' or 'untouched'")


def _listed(charsets: object) -> tuple[object, ...]:
    if isinstance(charsets, Iterable) and not isinstance(charsets, str):
        return tuple(cast("Iterable[object]", charsets))
    raise PolicyError(f"Forms(charsets={charsets!r}): a list is asked for; write charsets=['windows-1252']")


@final
@dataclass(frozen=True, slots=True)
class JudgedForm:
    """What came of a form."""

    octets: bytes | None
    """What the application reads; ``None`` where the form is refused."""
    findings: tuple[Finding, ...] = ()
    omitted: int = 0
    """How many findings more there were than are listed; where the form is refused, at least so many."""
    recoded: bool = False
    """Whether it was written in another charset."""


@final
class FormRules:
    """What a policy says of forms, compiled; never raises on any octets.

    >>> FormRules(Policy.STANDARD, Forms()).judge("q=Ä 50%".encode()).octets
    b'q=%C3%84 50%25'
    """

    __slots__ = ("_charsets", "_keeps_empty", "_limits", "_mend", "_pairs", "_prove", "_together")

    def __init__(self, policy: Policy, forms: Forms) -> None:
        """Compile the column of forms."""
        self._charsets = forms.known
        self._limits = policy.limits.for_forms()
        self._pairs = PairRules(policy, Component.FORM)
        self._prove = self._pairs.prove
        self._mend = Wholesale(policy, Component.FORM, self._prove).mend
        self._keeps_empty = policy.action(Kind.EMPTY_PAIR, Component.FORM, "") is not Action.REPAIR
        repeated = Kind.DUPLICATE_NAME
        self._together = policy.action(repeated, Component.FORM) is not Action.ALLOW or any(
            rule.kind is repeated and rule.component is Component.FORM and rule.action is not Action.ALLOW
            for rule in policy.rules
        )

    def judge(self, received: bytes, codec: str | None = None, block: int = _BLOCK) -> JudgedForm:
        """Judge and, as the policy asks, mend a form; ``codec`` is that of the Content-Type, if any.

        ``block`` is about how many octets are looked at together: what is noted of each place takes memory.
        """
        notes, draft = Notes(), Draft(received, Component.FORM)
        codec, said = self._codec(draft, codec, notes)
        if codec == UTF8 and self._prove(received) and self._is_within_limits(received):
            return JudgedForm(received)
        if codec is None or self._too_much(draft, notes):
            return JudgedForm(None, tuple(notes.findings))  # judged alone: it is not read any further
        judged: list[_Block] = []
        for start, end in [(0, len(received))] if self._together else _blocks(received, block):
            noted = Notes()
            octets = self._judged(received[start:end], codec, noted)
            judged.append(_Block(start, end, octets, noted))
            if octets is None and not noted.steps:  # it is not in its charset: that is then all that is said
                return JudgedForm(None, _merged(judged[-1:])[0])
        findings, omitted = _merged(judged)
        kept = [each.octets for each in judged if each.octets or self._left_empty(each, received)]
        if None in kept:
            return JudgedForm(None, findings, omitted)
        edited = b"&".join(each for each in kept if each is not None)
        if codec == UTF8 and edited != received and self._codec(Draft(edited), UTF8, Notes())[0] is None:
            # What was dropped has left a field that names another charset.
            left = Finding(Kind.FORM_CODING, Component.FORM, 0, b"", Action.REJECT, detail="after mending")
            return JudgedForm(None, (*findings[: MOST - 1], left), omitted)
        return JudgedForm(edited, findings, omitted, recoded=bool(said) or codec != UTF8)

    def _left_empty(self, block: _Block, received: bytes) -> bool:
        """Whether a block of no octets is a pair: an empty one stays where all others of the block go."""
        return block.octets is None or (
            self._keeps_empty and any(True for _ in Pairs(received[block.start : block.end]).empty())
        )

    def _judged(self, octets: bytes, codec: str, notes: Notes) -> bytes | None:
        """Some pairs of a form, edited; ``None`` where they are refused."""
        draft = Draft(octets, Component.FORM)
        if codec != UTF8:
            edits, fault = rewritten(octets, codec)
            if fault is not None:
                end = octets.find(b"&", fault) % (len(octets) + 1)
                detail = "octets that the charset does not have"
                notes.add(Kind.FORM_CODING, Action.REJECT, draft, (fault, min(fault + 3, end)), detail=detail)
                return None
            draft = draft.splice([*edits, *((*each.span(1), b"UTF-8") for each in _said(octets))])
        notes.step(-1)
        if self._prove(draft.octets) and self._is_within_limits(draft.octets):
            return draft.octets
        if codec == UTF8 and self._is_within_limits(octets) and (mended := self._mend(octets, notes)):
            return mended
        seen = self._pairs.look(draft, notes)
        edited = None if notes.rejected else self._pairs.edit(draft, seen, notes)
        return None if edited is None else edited.octets

    def _too_much(self, draft: Draft, notes: Notes) -> bool:
        """Whether there is more than a limit lets through; that is then all that is said."""
        octets, limits = draft.octets, self._limits
        if octets.count(b"&") >= limits.pairs:
            notes.add(Kind.TOO_MANY_PAIRS, Action.REJECT, draft, (0, 0))
            return True
        start, short = 0, min(limits.name, limits.value)
        for pair in octets.split(b"&"):
            if len(pair) > short:
                name, _, value = pair.partition(b"=")
                middle = start + len(name)
                if len(name) > limits.name < measure(name):
                    notes.add(Kind.LONG_NAME, Action.REJECT, draft, (start, middle))
                elif len(value) > limits.value < measure(value):
                    notes.add(Kind.LONG_VALUE, Action.REJECT, draft, (middle + 1, start + len(pair)))
            start += len(pair) + 1
        return notes.rejected

    def _is_within_limits(self, octets: bytes) -> bool:
        """Whether it is proven that no limit is exceeded."""
        limits = self._limits
        return (
            octets.count(b"&") < limits.pairs
            and octets.count(b"[") + octets.count(b"%5B") + octets.count(b"%5b") <= limits.depth
            and (len(octets) <= min(limits.name, limits.value) or self._are_short(octets.split(b"&")))
        )

    def _are_short(self, pairs: list[bytes]) -> bool:
        limits = self._limits
        longest = max(map(len, pairs))
        return longest <= min(limits.name, limits.value) or (
            longest <= limits.value + 1
            and all(len(pair) <= limits.name or -1 < pair.find(b"=") <= limits.name for pair in pairs)
        )

    def _codec(self, draft: Draft, codec: str | None, notes: Notes) -> tuple[str | None, bool]:
        """The codec of a form, ``None`` if there is no single one; and whether a field says one."""
        codecs: set[str | None] = {codec} if codec else set()
        said = False
        for match in _said(draft.octets):
            label = percent_decode(match[1].replace(b"+", b" ")).decode("latin-1").strip().lower()
            codecs.add(self._charsets.codec(label))
            said = True
            if None in codecs or len(codecs) > 1:
                detail = "two charsets" if None not in codecs else "a charset that is not taken"
                notes.add(Kind.FORM_CODING, Action.REJECT, draft, match.span(1), detail=detail)
                return None, said
        return next(iter(codecs), UTF8), said


def _said(octets: bytes) -> Iterator[re.Match[bytes]]:
    """Every field that names a charset; one with no value, as a page without scripts sends it, names none."""
    return (match for match in _CHARSET_FIELD.finditer(octets) if match[1].strip(b"+ "))


def _blocks(octets: bytes, size: int) -> Iterator[tuple[int, int]]:
    """Where blocks of whole pairs begin and end; between two there is one ampersand, and no empty pair."""
    start = 0
    while cut := _CUT.search(octets, start + size):
        yield start, cut.start()
        start = cut.end()
    yield start, len(octets)


@final
@dataclass(frozen=True, slots=True)
class _Block:
    """Some pairs of a form, from a start to an end, and what came of them."""

    start: int
    end: int
    octets: bytes | None
    notes: Notes

    def noted(self, last: int) -> tuple[tuple[Finding, ...], int]:
        """What was noted up to a step."""
        behind = (each for each in self.notes.steps if each[0] > last)
        _, findings, omitted = next(behind, (last, tuple(self.notes.findings), self.notes.omitted))
        return findings, omitted


def _merged(judged: list[_Block]) -> tuple[tuple[Finding, ...], int]:
    """The findings of all blocks, the first of them and one that rejects; and how many more there were.

    Judged together, they would all be looked at up to the step that refuses one of them, and no further.
    """
    refused = (each.notes.steps[-1][0] for each in judged if each.octets is None and each.notes.steps)
    last = min(refused, default=_EVERY_STEP)
    findings: list[Finding] = []
    omitted = 0
    for each in judged:
        start = each.start
        noted, more = each.noted(last)
        for finding in noted:
            moved = replace(finding, offset=finding.offset + start) if start else finding
            if len(findings) < MOST:
                findings.append(moved)
                continue
            omitted += 1
            if moved.action is Action.REJECT and findings[-1].action is not Action.REJECT:
                findings[-1] = moved
        omitted += more
    return tuple(findings), omitted
