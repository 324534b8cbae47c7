r"""Judge JSON bodies under a policy: RFC 8259. Other modules read the stream.

A body without faults passes octet for octet. Repairs cut octets, or replace some with U+FFFD. Nothing is
serialised again.

>>> from postel import Policy
>>> from postel._bodies.json_settings import Json
>>> rules = JsonRules(Policy.STANDARD, Json())
>>> rules.judge(b'\xef\xbb\xbf{"a": 1}').octets, rules.judge(b'{"a": 1, "a": 2}').octets
(b'{"a": 1}', None)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, final

from postel._alphabet.ill_formed import classify_ill_formed
from postel._alphabet.regex import compiled
from postel._alphabet.steps import Steps, finished
from postel._bodies.digests import WHY
from postel._bodies.json_escapes import has_plain_escapes, lone_replaced
from postel._bodies.json_scan import Scan, is_deeper
from postel._bodies.json_settings import Json
from postel._bodies.json_tokens import deep_at, path, seen_in
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import EXCERPT, Finding
from postel._catalogue.kinds import Kind
from postel._normalizer.findings import MOST
from postel._normalizer.pairs import NAME
from postel._policy.policy import Policy

AFTER_VALUE: Final = "text after the value"
"""The detail of a fault after a whole value; all parsers stop there."""
_BOM: Final = "\ufeff".encode()
_OTHER_UTF: Final = compiled(rb"\xff\xfe|\xfe\xff|\x00|.\x00", re.DOTALL)
"""How text in UTF-16 or UTF-32 begins: RFC 4627, section 3."""
_SLICE: Final = 2**12
"""How many characters are processed before other work can run."""
_SEQUENCE: Final = 6
"""The most octets of an ill-formed run that are classified."""
_ESCAPED: Final = compiled("[\udc80-\udcff]")
_ESCAPED_RUN: Final = compiled("[\udc80-\udcff]++")


@final
@dataclass(frozen=True, slots=True)
class JudgedJson:
    """The judgement of a JSON body."""

    octets: bytes | None
    """What the application reads; ``None`` if the body is refused."""
    findings: tuple[Finding, ...] = ()
    truncated: bool = False
    """Whether there were more findings, as far as the body was judged."""


@final
class _Found:
    """The first findings of one body, including the first repair and one that rejects."""

    __slots__ = ("_actions", "_cut", "_place", "_received", "findings", "rejected", "truncated", "unlisted")

    def __init__(self, actions: Mapping[Kind, Action], received: bytes) -> None:
        self._actions = actions
        self._received = received
        self._cut = 0
        self._place = (0, 0)
        self.findings: list[Finding] = []
        self.rejected = False
        self.truncated = False
        self.unlisted = {kind: False for kind, action in actions.items() if action is Action.ALLOW}
        """The kinds whose findings are not listed, each with whether such a finding is left out."""

    def cut(self, octets: int) -> None:
        """Record that this many octets were cut from the front of the text."""
        self._cut = octets

    def rewind(self) -> None:
        """Go back to the start of the text, so that :meth:`place` accepts its first characters again."""
        self._place = (0, 0)

    def place(self, text: str, index: int) -> int:
        """The offset in the received body of the character at ``index`` in its text.

        Call it in ascending order of ``index``; all calls together then read the text once.
        """
        known, octets = self._place
        octets += len(_octets(text[known:index]))
        self._place = (index, octets)
        return self._cut + octets

    def add(self, kind: Kind, start: int, end: int, *, name: str | None = None, detail: str = "") -> None:
        """Add a finding about the octets from ``start`` to ``end``.

        If the list is full, the finding replaces the last one, and only the first repair and a finding that
        rejects are still listed.
        """
        action = self._actions[kind]
        excerpt = self._received[start : min(end, start + EXCERPT)]
        quoted = None if name is None else name[:NAME]
        finding = Finding(kind, Component.JSON, start, excerpt, action, quoted, detail)
        if len(self.findings) < MOST:
            self.findings.append(finding)
        else:
            self.truncated = True
            self.findings[-1] = finding
        self.rejected = self.rejected or action is Action.REJECT
        if len(self.findings) == MOST:
            edits = any(each.action.edits for each in self.findings)
            for other, its in self._actions.items():
                if its is Action.REPORT or (edits and its.edits):
                    self.unlisted[other] = True

    def judged(self, octets: bytes | None) -> JudgedJson:
        """The judgement of the body."""
        return JudgedJson(None if self.rejected else octets, tuple(self.findings), self.truncated)


@final
class JsonRules:
    """Judges JSON by a policy; never raises on any octets."""

    __slots__ = ("_actions", "_json")

    def __init__(self, policy: Policy, settings: Json) -> None:
        """Judge by a policy and within the limits of the settings."""
        self._actions = {
            kind: policy.action(kind, Component.JSON) for kind in Kind if Component.JSON in kind.check.presets
        }
        self._json = settings

    def judge(self, received: bytes, *, signed: bool = False) -> JudgedJson:
        """Judge a body; ``signed`` tells that a header holds a digest of it, so no octet may change."""
        return finished(self.judging(received, signed=signed))

    def judging(self, received: bytes, *, signed: bool = False) -> Steps[JudgedJson]:
        """Judge a body in steps, so that other work can run in between."""
        judged = yield from self._judging(received)
        return unedited(judged, received, WHY) if signed else judged

    def _judging(self, received: bytes) -> Steps[JudgedJson]:
        """Judge a body that may be repaired."""
        found = _Found(self._actions, received)
        octets = received
        if octets.startswith(_BOM):
            found.add(Kind.BYTE_ORDER_MARK, 0, len(_BOM))
            octets = octets.removeprefix(_BOM)
            found.cut(len(_BOM))
        elif _OTHER_UTF.match(octets):
            found.add(Kind.JSON_CODING, 0, 2, detail="UTF-16 or UTF-32")
        if found.rejected:
            return found.judged(None)
        text = octets.decode("utf-8", "surrogateescape")
        read: str | None = text
        if not text.isascii() and _ESCAPED.search(text):
            read = yield from _well_formed(text, found)
        if read is None or (yield from self._is_deep(octets, text, found)):
            return found.judged(None)
        replaced = yield from self._read(text, read, found)
        if replaced != text:
            octets = replaced.encode()
            if len(octets) > max(self._json.limit, len(received)):
                # Another postel with these settings would not accept the repaired body.
                found.add(Kind.LONG_JSON, 0, 0, detail="repaired, it would exceed Json.limit")
        return found.judged(octets)

    def _is_deep(self, octets: bytes, text: str, found: _Found) -> Steps[bool]:
        """Whether the text is nested deeper than the limit. If so, no recursive parser may read it."""
        most = self._json.depth
        if not (yield from is_deeper(octets, most)):
            return False
        place = yield from deep_at(text, most)
        if place == len(text):
            return False
        start = found.place(text, place)
        found.add(Kind.DEEP_JSON, start, start + 1, detail="more levels than Json.depth")
        return True

    def _read(self, text: str, read: str, found: _Found) -> Steps[str]:
        """Judge a text. ``read`` is the text with ill-formed octets replaced; its length is the same."""
        yield
        scan = Scan(read, self._json)
        if scan.overflows:
            found.add(Kind.DEEP_JSON, 0, 0, detail="more levels than the server's stack has room for")
        elif scan.fault is not None:
            start = found.place(text, scan.fault)
            detail = AFTER_VALUE if scan.has_more else "" if read else "empty"
            found.add(Kind.JSON_SYNTAX, start, start + EXCERPT, detail=detail)
        else:
            numbers = yield from scan.faulty_numbers()
            is_plain = scan.is_plain and not numbers and self._has_short_strings(read)
            if not (is_plain and (yield from has_plain_escapes(read))):
                return (yield from self._detected(text, read, numbers, found))
        return read

    def _has_short_strings(self, text: str) -> bool:
        """Whether the text is so short that no string in it can exceed the limit."""
        most = self._json.string
        return most is None or len(text) <= most // 4  # a character takes at most four octets

    def _detected(self, text: str, read: str, numbers: Mapping[str, Kind], found: _Found) -> Steps[str]:
        """Collect the findings of a well-formed text, up to the first reason to refuse it."""
        replaces = self._actions[Kind.LONE_SURROGATE] is Action.REPLACE
        unlisted = found.unlisted
        yield
        for seen in seen_in(read, self._json, numbers, replaces=replaces):
            if seen is None:
                yield
            elif (is_left_out := unlisted.get(seen[0])) is not None:
                found.truncated = found.truncated or is_left_out
            else:
                kind, begin, end, names, detail = seen
                start = found.place(text, begin)
                length = len(_octets(text[begin:end]))
                found.add(kind, start, start + length, name=path(names), detail=detail)
                if found.rejected:
                    return read
        return (yield from lone_replaced(read)) if replaces else read


def _well_formed(text: str, found: _Found) -> Steps[str | None]:
    """The text with U+FFFD for each ill-formed octet; ``None`` if the policy refuses one."""
    for match in _ESCAPED_RUN.finditer(text):
        if (is_left_out := found.unlisted.get(Kind.ILL_FORMED_UTF8)) is not None:
            found.truncated = found.truncated or is_left_out
            break
        start = found.place(text, match.start())
        detail = classify_ill_formed(_octets(match[0][:_SEQUENCE]))
        found.add(Kind.ILL_FORMED_UTF8, start, start + len(match[0]), detail=detail)
        if found.rejected:
            return None
    found.rewind()
    replaced: list[str] = []
    for start in range(0, len(text), _SLICE):
        replaced.append(_ESCAPED.sub("\ufffd", text[start : start + _SLICE]))
        yield
    return "".join(replaced)


def _octets(text: str) -> bytes:
    """The octets of a text that holds ill-formed octets as surrogates."""
    return text.encode("utf-8", "surrogateescape")


def unedited(judged: JudgedJson, received: bytes, why: str) -> JudgedJson:
    """The judgement of a body that must not change: it is refused if it would need a repair."""
    if judged.octets is None or judged.octets == received:
        return judged
    edits = next(each for each in judged.findings if each.action.edits)
    rejects = replace(edits, action=Action.REJECT, detail=why)
    findings = tuple(rejects if each is edits else each for each in judged.findings)
    return JudgedJson(None, findings, judged.truncated)
