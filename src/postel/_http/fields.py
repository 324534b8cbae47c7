"""Cookie and Referer: percent-decoded and judged for NUL, controls and ill-formed UTF-8.

Both can hold URLs and values that a client chose, and frameworks decode both. In a cookie, quoted octets are
also unescaped, and the name is judged. A faulty cookie or Referer may be removed; nothing else is edited.
Fields that are too long are not read.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import accumulate, chain, islice, repeat, takewhile
from typing import Final, cast, final

from postel._alphabet.ill_formed import classify_ill_formed
from postel._alphabet.percent import percent_decode
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import EXCERPT, Finding
from postel._catalogue.kinds import Kind
from postel._errors import PolicyError
from postel._http.cookies import (
    Span,
    may_repeat,
    padded,
    padding_pattern,
    repeated,
    undone,
    with_wide_spaces,
    without_cookies,
    without_tabs_around,
)
from postel._http.readings import Fault, faults_pattern, faulty, readings
from postel._policy.limits import Limits, exceeded

FIELDS: Final[Mapping[str, Component]] = {"cookie": Component.COOKIE, "referer": Component.REFERER}
_ACTIONS: Final = {
    Component.COOKIE: (Action.REPORT, Action.DROP_PAIR, Action.REJECT),
    Component.REFERER: (Action.REPORT, Action.DROP, Action.REJECT),
}
# A backslash may begin an escape in a cookie, and that escape may stand for a percent sign.
_SUSPICIOUS: Final = re.compile(rb"[^\x20-\x5b\x5d-\x7e]|%(?:[01][0-9A-Fa-f]|7[Ff]|[89A-Fa-f][0-9A-Fa-f])")
_DEFAULTS: Final = Limits()
_MOST: Final = 8
"""The most findings about a field that are kept."""
_NAME: Final = 64
"""The most characters of a cookie's name that a finding quotes."""
_CLASSIFIED: Final = 2 * 12
"""Enough received octets to classify ill-formed UTF-8. The first two decoded octets tell its class, and each
of them has at most 12 received ones: ``%XX`` with each of its characters as an octal escape."""
_JOINED: Final = bytes.maketrans(b";&", b"&.")
"""Separates cookies with ampersands, and replaces the ampersands in them."""
_SEPARATORS: Final = bytes(octet if octet == ord("&") else ord(".") for octet in range(256))


@final
@dataclass(frozen=True, slots=True)
class JudgedField:
    """The judgement of all fields with one name."""

    values: tuple[bytes, ...]
    """The values to hand on, in order."""
    findings: tuple[Finding, ...] = ()
    truncated: bool = False
    """Whether there were more findings than those listed."""


@final
class FieldRules:
    """Judges Cookie and Referer; never raises on any octets.

    >>> rules = FieldRules({"cookie": Action.DROP_PAIR})
    >>> rules.judge("cookie", [b"a=1; b=%00; c=%E4%BD%A0"]).values
    (b'a=1; c=%E4%BD%A0',)
    """

    __slots__ = ("_actions", "names")

    def __init__(self, headers: Mapping[str, Action]) -> None:
        """``headers`` maps names to actions. Raises :class:`PolicyError` for an unknown name or action."""
        self._actions: dict[Component, Action] = {}
        for name, action in _items(headers):
            component, wanted = _checked(name, action)
            if component in self._actions:
                raise PolicyError(f"headers: {name!r} is listed twice, in different spellings")
            self._actions[component] = wanted
        self.names: tuple[str, ...] = tuple(name for name in FIELDS if FIELDS[name] in self._actions)
        """The names of the fields that are judged, in lower case."""
        if self.names:  # no request has to wait until these patterns are compiled
            faults_pattern()
            padding_pattern()

    @staticmethod
    def proves(values: Sequence[bytes], most: int = _DEFAULTS.field) -> bool:
        """Whether the fields with one name have at most ``most`` octets, and are proven to have no faults."""
        octets = b";".join(values)
        return _length(values) <= most and _SUSPICIOUS.search(octets) is None and not may_repeat(octets)

    def judge(self, name: str, values: Sequence[bytes], limits: Limits = _DEFAULTS) -> JudgedField:
        """Judge the fields with one name; offsets count as if the fields were joined with ``"; "``."""
        component = FIELDS[name]
        action = self._actions[component]
        if _length(values) > limits.field:
            return _too_long(values, component, action, limits)
        fields = _Fields(values, cookies=component is Component.COOKIE)
        if 1 not in fields.faulty:
            return JudgedField(tuple(values))
        found = list(islice(fields.faults(), _MOST + 1))
        last = found[-1][1][0]
        starts = list(takewhile(last.__ge__, accumulate(map((1).__add__, map(len, values)), initial=0)))
        findings = [
            _finding(kind, component, fields, span, bisect_right(starts, span[0]) - 1, action)
            for kind, span in found[:_MOST]
        ]
        kept: Sequence[bytes] = values
        if action.edits:
            kept = (
                without_cookies(values, fields.faulty)
                if component is Component.COOKIE
                else [value for value, is_faulty in zip(values, fields.faulty, strict=True) if not is_faulty]
            )
        return JudgedField(tuple(kept), tuple(findings), truncated=len(found) > _MOST)


@final
class _Fields:
    """All fields of a request with one name, joined; its pieces are the cookies or the Referer fields."""

    __slots__ = ("_padded", "_received", "_repeated", "_united", "faulty", "octets")

    def __init__(self, values: Sequence[bytes], *, cookies: bool) -> None:
        """Read all pieces in each way."""
        self.octets: bytes = (b";" if cookies else b"&").join(values)
        if cookies:
            received = self.octets.translate(_JOINED)
        elif self.octets.count(b"&") >= len(values):
            received = b"&".join([value.replace(b"&", b".") for value in values])
        else:
            received = self.octets
        self._received = without_tabs_around(received)
        found, self._united = readings(self._received, cookies=cookies)
        text = with_wide_spaces(self.octets) if cookies else ""
        self._padded = padded(text)
        self._repeated = repeated(text)
        every = 0
        for reading in found:
            every |= int.from_bytes(faulty(reading.octets), "little")
        if self._padded or self._repeated:
            marked = bytearray(self._received.translate(_SEPARATORS))
            for start, _ in chain(self._padded, self._repeated):
                marked[start] = 0xFF
            every |= int.from_bytes(faulty(bytes(marked)), "little")
        count = self._received.count(b"&") + 1
        self.faulty: bytes = every.to_bytes(count, "little")
        """An octet for each piece: 1 if it has a fault, and otherwise 0."""

    def faults(self) -> Iterator[Fault]:
        """Yield the faults in order of offset."""
        return merge(
            self._united(0),
            zip(repeat(Kind.PADDED_COOKIE_NAME), self._padded, strict=False),
            zip(repeat(Kind.REPEATED_COOKIE), self._repeated, strict=False),
            key=_span,
        )

    def piece(self, offset: int) -> Span:
        """Return where the piece with an offset begins and ends."""
        end = self._received.find(b"&", offset)
        return self._received.rfind(b"&", 0, offset) + 1, len(self._received) if end < 0 else end


def _span(fault: Fault) -> Span:
    return fault[1]


def _finding(  # noqa: PLR0913, PLR0917 - the parts of a finding
    kind: Kind, component: Component, fields: _Fields, span: Span, fields_before: int, action: Action
) -> Finding:
    start, end = span
    sent = fields.octets[start:end]
    name = None
    if component is Component.COOKIE:
        named = sent
        if kind is not Kind.REPEATED_COOKIE:
            named = fields.octets[slice(*fields.piece(start))].partition(b"=")[0].strip(b" \t")
        name = percent_decode(named[: 12 * _NAME]).decode("utf-8", "surrogateescape")[:_NAME]
    detail = ""
    if kind is Kind.ILL_FORMED_UTF8:
        detail = classify_ill_formed(percent_decode(undone(sent[:_CLASSIFIED])[0]))
    # Quote only the faulty octets, because the rest of a cookie is a secret.
    return Finding(kind, component, start + fields_before, sent[:EXCERPT], action, name, detail)


def _length(values: Sequence[bytes]) -> int:
    """Return the length of fields that are joined with ``"; "``, as they may be handed on."""
    return sum(map(len, values)) + 2 * max(0, len(values) - 1)


def _too_long(values: Sequence[bytes], component: Component, action: Action, limits: Limits) -> JudgedField:
    """Judge fields that are too long to be read: faulty cookies among them cannot be found and dropped."""
    kind = Kind.LONG_FIELD
    action = Action.REJECT if action is Action.DROP_PAIR else action
    detail = exceeded(limits, kind.check.limit, in_form=False)
    kept = () if action is Action.DROP else tuple(values)
    return JudgedField(kept, (Finding(kind, component, 0, b"", action, detail=detail),))


def _items(headers: object) -> list[tuple[object, object]]:
    if isinstance(headers, Mapping):
        return list(cast("Mapping[object, object]", headers).items())
    raise PolicyError(f"headers={headers!r}: write a dict such as {{'cookie': Action.DROP_PAIR}}")


def _checked(name: object, action: object) -> tuple[Component, Action]:
    component = FIELDS.get(name.lower()) if isinstance(name, str) else None
    if component is None:
        raise PolicyError(f"headers={{{name!r}: ...}}: name 'cookie' or 'referer'")
    if not isinstance(action, Action) or action not in _ACTIONS[component]:
        works = ", ".join(f"Action.{each.name}" for each in _ACTIONS[component])
        raise PolicyError(f"headers={{{name!r}: {action!r}}}: write one of {works}")
    return component, action
