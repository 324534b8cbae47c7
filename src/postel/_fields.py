"""Cookie and Referer: their octets judged after percent-decoding, for NUL, controls and ill-formed UTF-8.

Both hold what clients have made of other URLs and values, and frameworks decode both. Everything else in them
is the application's own affair, and stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast, final

from postel._catalogue import EXCERPT, Finding, Kind
from postel._check import Action, Component
from postel._errors import PolicyError
from postel._octets import classify_ill_formed, percent_decode
from postel._scanner import CHARACTERS

FIELDS: Final[Mapping[str, Component]] = {"cookie": Component.COOKIE, "referer": Component.REFERER}
_ACTIONS: Final = {
    Component.COOKIE: (Action.REPORT, Action.DROP_PAIR, Action.REJECT),
    Component.REFERER: (Action.REPORT, Action.DROP, Action.REJECT),
}
_KINDS: Final = frozenset({Kind.NUL, Kind.CONTROL, Kind.ILL_FORMED_UTF8})
_SUSPICIOUS: Final = re.compile(rb"[^\x20-\x7e]|%(?:[01][0-9A-Fa-f]|7[Ff]|[89A-Fa-f][0-9A-Fa-f])")
_MOST: Final = 8
"""The most findings of a field that are kept; more are only counted."""
_NAME: Final = 64
"""The most characters of a cookie's name that a finding quotes."""


@final
@dataclass(frozen=True, slots=True)
class JudgedField:
    """What came of the fields of one name."""

    values: tuple[bytes, ...]
    """Those that go on, in order."""
    findings: tuple[Finding, ...] = ()
    omitted: int = 0
    """How many findings more there were than are listed."""


@final
class FieldRules:
    """What is done about faults in Cookie and Referer; never raises on any octets.

    >>> rules = FieldRules({"cookie": Action.DROP_PAIR})
    >>> rules.judge("cookie", [b"a=1; b=%00; c=%E4%BD%A0"]).values
    (b'a=1; c=%E4%BD%A0',)
    """

    __slots__ = ("_actions", "names")

    def __init__(self, headers: Mapping[str, Action]) -> None:
        """``headers`` says the action by name; what could not work is a :class:`PolicyError`."""
        self._actions: dict[Component, Action] = {}
        for name, action in _items(headers):
            component, wanted = _checked(name, action)
            if component in self._actions:
                raise PolicyError(f"headers: {name!r} is there twice, spelled differently")
            self._actions[component] = wanted
        self.names: tuple[str, ...] = tuple(name for name in FIELDS if FIELDS[name] in self._actions)
        """The names of the fields that are judged, in lower case."""

    @staticmethod
    def proves(value: bytes) -> bool:
        """Whether it is proven that there is nothing wrong with a field."""
        return _SUSPICIOUS.search(value) is None

    def judge(self, name: str, values: Sequence[bytes]) -> JudgedField:
        """Judge the fields of one name; offsets count as if they stood behind one another, with ``"; "``."""
        component = FIELDS[name]
        action = self._actions[component]
        findings: list[Finding] = []
        kept: list[bytes] = []
        count = offset = 0
        for value in values:
            pieces = value.split(b";") if component is Component.COOKIE else [value]
            start, going = offset, set[int]()
            for number, piece in enumerate(pieces):
                for kind, first, last in _faults(piece):
                    going.add(number)
                    count += 1
                    if len(findings) < _MOST:
                        findings.append(_finding(kind, component, start, piece, (first, last), action))
                start += len(piece) + 1
            offset += len(value) + 2
            kept += [value] if not (going and action.edits) else _without(pieces, going)
        return JudgedField(tuple(kept), tuple(findings), count - len(findings))


def _faults(octets: bytes) -> Iterator[tuple[Kind, int, int]]:
    if FieldRules.proves(octets):
        return
    bare = octets.strip(b" \t")
    begins = octets.index(bare) if bare else 0
    for kind, start, end in CHARACTERS[Component.QUERY].scan(bare):
        if kind in _KINDS:
            yield kind, begins + start, begins + end


def _without(pieces: list[bytes], going: set[int]) -> list[bytes]:
    """A field of the pieces that do not go, if any is left."""
    left = [piece for number, piece in enumerate(pieces) if number not in going]
    if left and 0 in going:
        left[0] = left[0].lstrip(b" \t")
    return [b";".join(left)] if left else []


def _finding(  # noqa: PLR0913, PLR0917 - what is said of a fault
    kind: Kind, component: Component, base: int, piece: bytes, span: tuple[int, int], action: Action
) -> Finding:
    start, end = span
    name = None
    if component is Component.COOKIE:
        name = percent_decode(piece.partition(b"=")[0].strip(b" \t")).decode("utf-8", "surrogateescape")[
            :_NAME
        ]
    detail = classify_ill_formed(percent_decode(piece[start:end])) if kind is Kind.ILL_FORMED_UTF8 else ""
    # Only the octets in fault: what else is in a cookie is a secret.
    return Finding(
        kind, component, base + start, piece[start : min(end, start + EXCERPT)], action, name, detail
    )


def _items(headers: object) -> list[tuple[object, object]]:
    if isinstance(headers, Mapping):
        return list(cast("Mapping[object, object]", headers).items())
    raise PolicyError(f"headers={headers!r}: write a dict such as {{'cookie': Action.DROP_PAIR}}")


def _checked(name: object, action: object) -> tuple[Component, Action]:
    component = FIELDS.get(name.lower()) if isinstance(name, str) else None
    if component is None:
        raise PolicyError(f"headers={{{name!r}: ...}}: what is judged is 'cookie' and 'referer'")
    if not isinstance(action, Action) or action not in _ACTIONS[component]:
        works = ", ".join(f"Action.{each.name}" for each in _ACTIONS[component])
        raise PolicyError(f"headers={{{name!r}: {action!r}}}: what works there: {works}")
    return component, action
