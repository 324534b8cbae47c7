"""Cookie and Referer: their octets judged after percent-decoding, for NUL, controls and ill-formed UTF-8.

Both hold what clients have made of other URLs and values, and frameworks decode both. Of a cookie, what is
quoted is undone, too, and its name is judged. Everything else is the application's own affair, and stays as
it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeAlias, cast, final

from postel._alphabet.percent import classify_ill_formed, percent_decode
from postel._alphabet.text import Reading, text_of
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import EXCERPT, Finding
from postel._catalogue.kinds import Kind
from postel._errors import PolicyError
from postel._http.cookies import Span, padding, repeated, repeats, undone
from postel._normalizer.scanner import Scanner, at_characters

FIELDS: Final[Mapping[str, Component]] = {"cookie": Component.COOKIE, "referer": Component.REFERER}
_ACTIONS: Final = {
    Component.COOKIE: (Action.REPORT, Action.DROP_PAIR, Action.REJECT),
    Component.REFERER: (Action.REPORT, Action.DROP, Action.REJECT),
}
_SCANNER: Final[Scanner[str]] = at_characters(Component.QUERY, (Kind.ILL_FORMED_UTF8, Kind.NUL, Kind.CONTROL))
# A backslash may begin an escape of a cookie, and what stands behind one may be a percent sign.
_SUSPICIOUS: Final = re.compile(rb"[^\x20-\x5b\x5d-\x7e]|%(?:[01][0-9A-Fa-f]|7[Ff]|[89A-Fa-f][0-9A-Fa-f])")
_PLAIN: Final = re.compile(rb"[\0-\x5b\x5d-\x7f]*+")
"""ASCII in which nothing is quoted: it is read in one way."""
_TOUCHING: Final = re.compile(rb"[\x80-\xff]%[89A-Fa-f][0-9A-Fa-f]|%[89A-Fa-f][0-9A-Fa-f][\x80-\xff]")
"""Octets beyond ASCII, bare and escaped, side by side."""
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
    def proves(values: Sequence[bytes]) -> bool:
        """Whether it is proven that there is nothing wrong with the fields of one name."""
        octets = b";".join(values)
        return _SUSPICIOUS.search(octets) is None and not repeats(octets)

    def judge(self, name: str, values: Sequence[bytes]) -> JudgedField:
        """Judge the fields of one name; offsets count as if they stood behind one another, with ``"; "``."""
        component = FIELDS[name]
        action = self._actions[component]
        findings: list[Finding] = []
        kept: list[bytes] = []
        cookies = component is Component.COOKIE
        fields = [value.split(b";") if cookies else [value] for value in values]
        copies = repeated([[piece.strip(b" \t") for piece in each] for each in fields]) if cookies else {}
        count = offset = 0
        known: dict[bytes, int] = {}
        for field, (value, pieces) in enumerate(zip(values, fields, strict=True)):
            start, going = offset, set[int]()
            for number, piece in enumerate(pieces):
                spans = copies.get((field, number), [])
                if spans or _SUSPICIOUS.search(piece) is not None:
                    begins, bare = _bare(piece)
                    if not spans and len(findings) == _MOST and _PLAIN.fullmatch(bare) is not None:
                        known[piece] = sum(_SCANNER.counts(text_of(bare)).values())
                    elif spans or piece not in known or (known[piece] and len(findings) < _MOST):
                        faults, more = _faults_of_cookie(bare) if cookies else _faults(bare)
                        known[piece] = len(faults) + more
                        faults += [(Kind.REPEATED_COOKIE, span) for span in spans]
                        found = sorted(faults, key=_span)[: _MOST - len(findings)]
                        findings += (
                            _finding(kind, component, start + begins, bare, span, action)
                            for kind, span in found
                        )
                    if faulty := known[piece] + len(spans):
                        going.add(number)
                        count += faulty
                start += len(piece) + 1
            offset += len(value) + 2
            kept += [value] if not (going and action.edits) else _without(pieces, going)
        return JudgedField(tuple(kept), tuple(findings), count - len(findings))


def _bare(piece: bytes) -> tuple[int, bytes]:
    """A cookie without the blanks around it, and where it begins."""
    bare = piece.strip(b" \t")
    if bare.endswith(b"\\"):
        bare = piece.lstrip(b" \t")  # what is quoted so is no blank around the cookie: WebOb
    return piece.index(bare) if bare else 0, bare


_Fault: TypeAlias = tuple[Kind, Span]


def _faults(octets: bytes) -> tuple[list[_Fault], int]:
    """The first faults, and how many more there are."""
    if _SUSPICIOUS.search(octets) is None:
        return [], 0
    if _TOUCHING.search(octets) is not None:
        # Some decode the field first, and its escapes then: "%C3" makes no text of a bare octet behind it.
        return _united(len(octets), list(_found(octets)), _found(octets.replace(b"%", b"."))), 0
    first = list(islice(_found(octets), _MOST))
    more = sum(_SCANNER.counts(text_of(octets)).values()) if len(first) == _MOST else len(first)
    return first, more - len(first)


def _found(octets: bytes) -> Iterator[_Fault]:
    reading = Reading(octets)
    return ((kind, reading.span(start, end)) for kind, start, end in _SCANNER.walk(reading.text))


def _faults_of_cookie(piece: bytes) -> tuple[list[_Fault], int]:
    """Those of a cookie as it is sent, and as it is once what is quoted is undone, each once."""
    if b"\\" in piece:
        octets, starts = undone(piece)
        read = [(kind, (starts[start], starts[end])) for kind, (start, end) in _every(octets)]
        faults, more = _united(len(piece), read, _every(piece)), 0
    else:
        faults, more = _faults(piece)
    return faults + [(Kind.PADDED_COOKIE_NAME, span) for span in padding(piece)], more


def _every(octets: bytes) -> list[_Fault]:
    """All faults."""
    faults, more = _faults(octets)
    return list(_found(octets)) if more else faults


def _united(length: int, faults: list[_Fault], more: Iterable[_Fault]) -> list[_Fault]:
    """The faults of two views of as many octets; of the second, those that are not in the first."""
    known = bytearray(length)
    for _, (start, end) in faults:
        known[start:end] = b"\1" * (end - start)
    return faults + [(kind, span) for kind, span in more if 1 not in known[slice(*span)]]


def _span(fault: _Fault) -> Span:
    return fault[1]


def _without(pieces: list[bytes], going: set[int]) -> list[bytes]:
    """A field of the pieces that do not go, if any is left."""
    left = [piece for number, piece in enumerate(pieces) if number not in going]
    if left and 0 in going:
        left[0] = left[0].lstrip(b" \t")
    return [b";".join(left)] if left else []


def _finding(  # noqa: PLR0913, PLR0917 - what is said of a fault
    kind: Kind, component: Component, base: int, piece: bytes, span: Span, action: Action
) -> Finding:
    start, end = span
    name = None
    if component is Component.COOKIE:
        sent = piece[start:end] if kind is Kind.REPEATED_COOKIE else piece.partition(b"=")[0].strip(b" \t")
        name = percent_decode(sent[: 12 * _NAME]).decode("utf-8", "surrogateescape")[:_NAME]
    fault = undone(piece[start:end])[0]
    detail = classify_ill_formed(percent_decode(fault)) if kind is Kind.ILL_FORMED_UTF8 else ""
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
