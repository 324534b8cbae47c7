"""Judge forms (``application/x-www-form-urlencoded``) under a policy. Other modules read the stream."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Final, final

from postel._alphabet.charsets import in_utf8, recoding_edits, undefined
from postel._alphabet.percent import percent_decode
from postel._alphabet.spellings import Spelling, octets_pattern
from postel._alphabet.steps import Steps, finished
from postel._bodies.digests import WHY
from postel._bodies.form_blocks import Block, blocks_of, merged_findings
from postel._bodies.form_settings import Forms
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import Finding
from postel._catalogue.kinds import Kind
from postel._normalizer.detected import Context
from postel._normalizer.engine import Engine
from postel._normalizer.findings import MOST, Collector
from postel._normalizer.other_blocks import OtherBlocks
from postel._normalizer.pairs import Pairs
from postel._normalizer.part_limits import PairLimits
from postel._normalizer.source_map import Mapped
from postel._policy.actions import actions_in
from postel._policy.charsets import UTF8
from postel._policy.policy import Policy

# (?:[\x5f]|%5[Ff])(?:[\x63]|%63)...=([^&]*+)
_CHARSET_FIELD: Final = re.compile(
    b"".join(octets_pattern([(octet, octet)], Spelling.ANY) for octet in b"_charset_") + rb"=([^&]*+)"
)
"""The field in which a page may name the charset: HTML, section 4.10.19.1 (naming form controls)."""
_LATER_FIELD: Final = re.compile(b"&" + _CHARSET_FIELD.pattern)
"""The same field after an ampersand. The search is fast, because it begins with one octet."""

_LABEL: Final = 256
"""A longer value of this field names no charset that is accepted: a label has at most 17 characters."""
_BLOCK: Final = 2**13
"""How many octets of a form are judged at once, before the event loop runs again."""
_SMALL: Final = 2**10
"""A block of at most this many octets is judged without a pause."""
_GROWTH: Final = 2
"""With ``over="untouched"``, a repaired form may be this many times as long as the limit."""


@final
@dataclass(frozen=True, slots=True)
class JudgedForm:
    """The judgement of a form."""

    octets: bytes | None
    """What the application reads; ``None`` if the form is refused."""
    findings: tuple[Finding, ...] = ()
    truncated: bool = False
    """Whether there were more findings, as far as the form was judged."""
    recoded: bool = False
    """Whether the form was received in another charset."""
    is_json: bool = False
    """Whether the form was judged as JSON, too."""


@final
class FormRules:
    """Judges forms by a policy; never raises on any octets.

    >>> FormRules(Policy.STANDARD, Forms()).judge("q=Ä 50%".encode()).octets
    b'q=%C3%84 50%25'
    """

    __slots__ = (
        "_charsets",
        "_collector",
        "_engine",
        "_keeps_empty",
        "_keeps_last",
        "_limits",
        "_most",
        "_together",
    )

    def __init__(self, policy: Policy, forms: Forms) -> None:
        """Compile the policy's column for forms."""
        self._charsets = forms.known
        self._most = forms.limit if forms.over == "refuse" else _GROWTH * forms.limit
        self._engine = Engine(policy, Component.FORM)
        self._limits = PairLimits(policy.limits.for_forms())
        self._collector = partial(Collector, policy.limits)
        self._keeps_empty = policy.action(Kind.EMPTY_PAIR, Component.FORM, "") is not Action.REPAIR
        self._keeps_last = policy.keep == "last"
        self._together = actions_in(policy, Kind.DUPLICATE_NAME, Component.FORM) != {Action.ALLOW}

    def judge(self, received: bytes, codec: str | None = None, block: int = _BLOCK) -> JudgedForm:
        """Judge a form, and repair it as the policy says; ``codec`` comes from the Content-Type, if any.

        ``block`` is the approximate number of octets judged together; larger blocks need more memory.
        """
        return finished(self.judging(received, codec, block))

    def judging(
        self, received: bytes, codec: str | None = None, block: int = _BLOCK, *, signed: bool = False
    ) -> Steps[JudgedForm]:
        """Judge a form block by block, so that other work can run in between.

        If ``signed``, a header holds a digest of the form, so no octet may change.
        """
        judged = yield from self._judging(received, codec, block)
        return _unedited(judged, received) if signed else judged

    def _judging(self, received: bytes, codec: str | None, block: int) -> Steps[JudgedForm]:
        collector, mapped = self._collector(), Mapped(received, Component.FORM)
        if not self._limits.hold_number(received):
            collector.add(Kind.TOO_MANY_PAIRS, Action.REJECT, mapped, (0, 0))
        is_long = len(received) > _BLOCK  # other work can run between the passes over the whole form
        if is_long:
            yield
        codec, is_named = (None, False) if collector.rejected else self._codec(mapped, codec, collector)
        if is_long:
            yield
        if codec is None or self._is_too_long(mapped, collector):
            return JudgedForm(None, tuple(collector.findings), collector.truncated)  # judged no further
        if is_long:
            yield
        judged: list[Block] = []
        length = 0
        blocks = list(blocks_of(received, block))
        others = OtherBlocks() if self._together and len(blocks) > 1 else None
        for start, end in reversed(blocks) if self._together and self._keeps_last else blocks:
            if judged:
                yield
            block_collector = self._collector()
            octets = yield from self._judged(received[start:end], codec, block_collector, others)
            judged.append(Block(start, end, octets, block_collector))
            length += len(octets or b"")
            if length > max(self._most, len(received)):
                return JudgedForm(None, (_TOO_LONG,))  # the rest of the form is not judged
            if octets is None and not block_collector.steps:  # octets outside the charset: the only finding
                return JudgedForm(None, merged_findings(judged[-1:])[0])
        judged.sort(key=_start)
        findings, truncated = merged_findings(judged)
        kept = [each.octets for each in judged if each.octets or self._counts_empty(each, received)]
        if None in kept:
            return JudgedForm(None, findings, truncated)
        edited = b"&".join(each for each in kept if each is not None)
        if fault := self._fault_of(edited, received):
            return JudgedForm(None, (*findings[: MOST - 1], fault), truncated or len(findings) == MOST)
        return JudgedForm(edited, findings, truncated, recoded=bool(is_named) or codec != UTF8)

    def judging_unedited(self, blocks: Sequence[tuple[int, Callable[[], bytes]]]) -> Steps[JudgedForm]:
        """Judge a form in UTF-8 while only one block of it is in memory; the policy must not edit forms.

        ``blocks`` are blocks of whole pairs: for each its start, and a function that writes it. The number of
        pairs is not judged.
        """
        long: list[Finding] = []
        truncated = False
        for start, write in blocks:
            collector, mapped = self._collector(), Mapped(write(), Component.FORM)
            codec, _ = self._codec(mapped, None, collector)
            if codec is not None:
                self._is_too_long(mapped, collector)
            found = [replace(each, offset=each.offset + start) for each in collector.findings]
            if codec is None:
                return JudgedForm(None, tuple(found), collector.truncated)
            long += found
            truncated = truncated or collector.truncated
            yield
        if long:
            listed = (*long[: MOST - 1], *long[MOST - 1 :][-1:])
            return JudgedForm(None, listed, truncated or len(long) > MOST)
        judged: list[Block] = []
        others = OtherBlocks() if self._together and len(blocks) > 1 else None
        for start, write in reversed(blocks) if self._together and self._keeps_last else blocks:
            octets, collector = write(), self._collector()
            edited = yield from self._judged(octets, UTF8, collector, others)
            judged.append(Block(start, start + len(octets), None if edited is None else b"", collector))
            yield
        judged.sort(key=_start)
        findings, truncated = merged_findings(judged)
        is_refused = any(each.octets is None for each in judged)
        return JudgedForm(None if is_refused else b"", findings, truncated)

    def _fault_of(self, edited: bytes, received: bytes) -> Finding | None:
        """Why another postel with these settings would not accept a repaired form; ``None`` if it would."""
        if edited == received:
            return None
        if len(edited) > max(self._most, len(received)):
            return _TOO_LONG
        if self._codec(Mapped(edited), UTF8, self._collector())[0] is None:
            # The form is handed on in UTF-8, but after a repair its field _charset_ names another charset.
            return _refusal(Kind.FORM_CODING, "a repair would change the charset that the form names")
        return None

    def _counts_empty(self, block: Block, received: bytes) -> bool:
        """Whether a block that is now empty must be kept: it was refused, or an empty pair in it stays."""
        return block.octets is None or (
            self._keeps_empty and any(True for _ in Pairs(received[block.start : block.end]).empty())
        )

    def _judged(
        self, octets: bytes, codec: str, collector: Collector, others: OtherBlocks | None
    ) -> Steps[bytes | None]:
        """Judge and edit the pairs of a block; ``None`` if they are refused.

        Other work can run between the stages of the judgement, unless there are few octets. If names may not
        be repeated, ``others`` holds the names in other blocks.
        """
        mapped = Mapped(octets, Component.FORM)
        if codec != UTF8:
            recoded = in_utf8(octets, codec)
            if recoded is None:
                fault = undefined(octets, codec)
                end = octets.find(b"&", fault) % (len(octets) + 1)
                detail = "octets that the charset does not define"
                collector.add(
                    Kind.FORM_CODING, Action.REJECT, mapped, (fault, min(fault + 3, end)), detail=detail
                )
                return None
            mapped = mapped.rewritten(recoded, lambda: recoding_edits(octets, codec))
            mapped = mapped.splice([(*each.span(1), b"UTF-8") for each in _charset_fields(mapped.octets)])
        collector.step(-1)
        if not self._together:
            if self._engine.prove(mapped.octets) and self._limits.hold(mapped.octets):
                return mapped.octets
            is_long = len(octets) > 2 * _BLOCK  # a block with a long pair
            if is_long:
                yield
            if codec == UTF8 and self._limits.hold(octets):
                if is_long:
                    repaired = yield from self._engine.repairing(octets, collector)
                else:
                    repaired = self._engine.repair(octets, collector)
                if repaired:
                    return repaired
            if is_long:
                yield
        steps = self._stages(mapped, collector, Context(others=others))
        edited = (yield from steps) if len(octets) > _SMALL else finished(steps)
        if others is not None:
            others.end_block()
        return None if edited is None else edited.octets

    def _stages(self, mapped: Mapped, collector: Collector, context: Context) -> Steps[Mapped | None]:
        seen = yield from self._engine.judging(mapped, collector, context)
        if collector.rejected:
            return None
        return (yield from self._engine.editing(mapped, seen, collector, context))

    def _is_too_long(self, mapped: Mapped, collector: Collector) -> bool:
        """Whether a name or value exceeds its limit; findings about these are then the only ones."""
        value_start = 0
        for kind, start, end in self._limits.long(mapped.octets):
            # If a name is too long, its value is not reported as well. Depth is judged block by block.
            if kind is Kind.LONG_NAME or (kind is Kind.LONG_VALUE and start != value_start):
                collector.add(kind, Action.REJECT, mapped, (start, end))
            value_start = end + 1
        return collector.rejected

    def _codec(self, mapped: Mapped, codec: str | None, collector: Collector) -> tuple[str | None, bool]:
        """The codec of a form, ``None`` to refuse the form; and whether one of its fields names a charset."""
        codecs: set[str | None] = {codec} if codec else set()
        is_named = False
        for match in _charset_fields(mapped.octets):
            value = match[1] if len(match[1]) <= _LABEL else b""
            label = percent_decode(value.replace(b"+", b" ")).decode("latin-1").strip().lower()
            codecs.add(self._charsets.codec(label))
            is_named = True
            if None in codecs or len(codecs) > 1:
                detail = "two charsets" if None not in codecs else "a charset that is not accepted"
                collector.add(Kind.FORM_CODING, Action.REJECT, mapped, match.span(1), detail=detail)
                return None, is_named
        return next(iter(codecs), UTF8), is_named


def _charset_fields(octets: bytes) -> Iterator[re.Match[bytes]]:
    """Yield every field that names a charset; a field with an empty value names none."""
    first = _CHARSET_FIELD.match(octets)
    found = chain([first] if first else (), _LATER_FIELD.finditer(octets))
    return (match for match in found if len(match[1]) > _LABEL or percent_decode(match[1]).strip(b"+ "))


def _refusal(kind: Kind, detail: str) -> Finding:
    """A finding about a form as a whole."""
    return Finding(kind, Component.FORM, 0, b"", Action.REJECT, detail=detail)


_TOO_LONG: Final = _refusal(Kind.LONG_FORM, "repaired, it would exceed Forms.limit")


def _unedited(judged: JudgedForm, received: bytes) -> JudgedForm:
    """Judge a form of which no octet may change: refuse it if it would need an edit."""
    if judged.octets is None or judged.octets == received:
        return judged
    findings = list(judged.findings)
    for number, each in enumerate(findings):
        if each.action.edits:
            findings[number] = replace(each, action=Action.REJECT, detail=WHY)
            return JudgedForm(None, tuple(findings), judged.truncated)
    # The form was recoded, or the finding about the edit is not listed.
    unlisted = _refusal(Kind.FORM_CODING if judged.recoded else Kind.UNJUDGED_BODY, WHY)
    return JudgedForm(None, (*findings[: MOST - 1], unlisted), judged.truncated or len(findings) >= MOST)


def _start(block: Block) -> int:
    return block.start
