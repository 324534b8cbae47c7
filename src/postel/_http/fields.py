"""Cookie and Referer: their octets judged after percent-decoding, for NUL, controls and ill-formed UTF-8.

Both hold what clients have made of other URLs and values, and frameworks decode both. Of a cookie, what is
quoted is undone, too, and its name is judged. Everything else is the application's own affair, and stays as
it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import merge
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
_KINDS: Final = (Kind.ILL_FORMED_UTF8, Kind.NUL, Kind.CONTROL)
# A backslash may begin an escape of a cookie, and what stands behind one may be a percent sign.
_SUSPICIOUS: Final = re.compile(rb"[^\x20-\x5b\x5d-\x7e]|%(?:[01][0-9A-Fa-f]|7[Ff]|[89A-Fa-f][0-9A-Fa-f])")
_TOUCHING: Final = re.compile(rb"[\x80-\xff]%[89A-Fa-f][0-9A-Fa-f]|%[89A-Fa-f][0-9A-Fa-f][\x80-\xff]")
"""Octets beyond ASCII, bare and escaped, side by side."""
_MOST: Final = 8
"""The most findings of a field that are kept; more are only counted."""
_NAME: Final = 64
"""The most characters of a cookie's name that a finding quotes."""


@cache
def _scanner() -> Scanner[str]:
    return at_characters(Component.QUERY, _KINDS)


@final
@dataclass(frozen=True, slots=True)
class JudgedField:
    """What came of the fields of one name."""

    values: tuple[bytes, ...]
    """Those that go on, in order."""
    findings: tuple[Finding, ...] = ()
    omitted: int = 0
    """How many findings more there were than are listed; at least so many, if there are two readings."""


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
        if self.names:
            _scanner()  # compiled here, and not at a request

    @staticmethod
    def proves(values: Sequence[bytes]) -> bool:
        """Whether it is proven that there is nothing wrong with the fields of one name."""
        octets = b";".join(values)
        return _SUSPICIOUS.search(octets) is None and not repeats(octets)

    def judge(self, name: str, values: Sequence[bytes]) -> JudgedField:
        """Judge the fields of one name; offsets count as if they stood behind one another, with ``"; "``."""
        component = FIELDS[name]
        action = self._actions[component]
        cookies = component is Component.COOKIE
        fields = [value.split(b";") if cookies else [value] for value in values]
        places, pieces = _placed(fields)
        judged = _Pieces(pieces, cookies=cookies)
        findings: list[Finding] = []
        count = done = 0
        for place in judged.faulty:
            if len(findings) == _MOST:
                break
            found = judged.faults(place)
            listed = list(islice(found, _MOST - len(findings)))
            findings += (
                _finding(kind, component, places[place], pieces[place], span, action) for kind, span in listed
            )
            left = next(found, None) is not None
            count += max(len(listed) + left, judged.count([place]) if left else 0)
            done += 1
        count += judged.count(judged.faulty[done:])
        kept: list[bytes] = []
        first, faulty = 0, set(judged.faulty)
        for value, each in zip(values, fields, strict=True):
            going = {number for number in range(len(each)) if first + number in faulty}
            first += len(each)
            kept += [value] if not (going and action.edits) else _without(each, going)
        return JudgedField(tuple(kept), tuple(findings), count - len(findings))


def _placed(fields: Sequence[Sequence[bytes]]) -> tuple[list[int], list[bytes]]:
    """All pieces of the fields without the blanks around them, and where each begins."""
    places: list[int] = []
    pieces: list[bytes] = []
    offset = 0
    for field in fields:
        for piece in field:
            begins, bare = _bare(piece)
            places.append(offset + begins)
            pieces.append(bare)
            offset += len(piece) + 1
        offset += 1
    return places, pieces


def _bare(piece: bytes) -> tuple[int, bytes]:
    """A cookie without the blanks around it, and where it begins."""
    bare = piece.strip(b" \t")
    if bare.endswith(b"\\"):
        bare = piece.lstrip(b" \t")  # what is quoted so is no blank around the cookie: WebOb
    return piece.index(bare) if bare else 0, bare


_Fault: TypeAlias = tuple[Kind, Span]


@final
class _Pieces:
    """The cookies of a request, or a Referer: which of them are in fault, told for all of them together.

    Each is read as it is sent and, if it is a cookie, once what is quoted in it is undone. Some decode a
    field before its escapes: ``%C3`` makes no text of a bare octet behind it.
    """

    __slots__ = ("_copies", "_first", "_padded", "_pieces", "_read", "_starts", "faulty")

    def __init__(self, pieces: list[bytes], *, cookies: bool) -> None:
        """Look at all pieces in each of their readings."""
        self._pieces = self._read = pieces
        self._starts: list[Sequence[int]] = []
        if cookies and b"\\" in b"".join(pieces):
            read = [undone(piece) for piece in pieces]
            self._read, self._starts = [octets for octets, _ in read], [starts for _, starts in read]
        together = [_joined(self._read)]
        if self._read != pieces:
            together.append(_joined(pieces))
        together += [each.replace(b"%", b".") for each in together if _TOUCHING.search(each) is not None]
        readings = [_scanner().parts(text_of(each), _KINDS) for each in together]
        self._first = readings[0]
        """What is seen in each piece in its first reading."""
        self._copies = {place: spans for (_, place), spans in repeated([pieces]).items()} if cookies else {}
        self._padded = _padded(pieces) if cookies else {}
        self.faulty = [
            place
            for place, seen in enumerate(map(any, zip(*readings, strict=True)))
            if seen or place in self._copies or place in self._padded
        ]
        """Which pieces are in fault."""

    def faults(self, place: int) -> Iterator[_Fault]:
        """The faults of a piece, in order of place."""
        piece, octets = self._pieces[place], self._read[place]
        found = _faults(octets)
        if octets != piece:
            starts = self._starts[place]
            read = ((kind, (starts[start], starts[end])) for kind, (start, end) in found)
            found = _united(read, _faults(piece))
        return merge(
            found,
            ((Kind.PADDED_COOKIE_NAME, span) for span in self._padded.get(place, ())),
            ((Kind.REPEATED_COOKIE, span) for span in self._copies.get(place, ())),
            key=_span,
        )

    def count(self, places: Sequence[int]) -> int:
        """How many faults there are in some pieces in fault: in the first reading, or one in another."""
        text = text_of(_joined([self._read[place] for place in places]))
        names = [found for found in (self._padded, self._copies) if found]
        beside = [(place, len(each[place])) for each in names for place in places if place in each]
        known = {place for place, _ in beside}
        elsewhere = [place for place in places if not self._first[place] and place not in known]
        return sum(_scanner().counts(text).values()) + sum([more for _, more in beside]) + len(elsewhere)


def _joined(pieces: Iterable[bytes]) -> bytes:
    """Pieces with an ampersand between them, and none in them."""
    return b"&".join([piece.replace(b"&", b".") for piece in pieces])


def _padded(pieces: Sequence[bytes]) -> dict[int, list[Span]]:
    """The blanks around the names of some cookies."""
    if all(map(bytes.isascii, pieces)):
        return {}
    known = {piece: padding(piece) for piece in set(pieces) if not piece.isascii()}
    return {place: spans for place, piece in enumerate(pieces) if (spans := known.get(piece))}


def _faults(octets: bytes) -> Iterator[_Fault]:
    """The faults of a piece as it is, and as whoever decodes its bare octets first reads it."""
    if _TOUCHING.search(octets) is None:
        return _found(octets)
    return _united(_found(octets), _found(octets.replace(b"%", b".")))


def _found(octets: bytes) -> Iterator[_Fault]:
    reading = Reading(octets)
    return ((kind, reading.span(start, end)) for kind, start, end in _scanner().walk(reading.text))


def _united(first: Iterator[_Fault], second: Iterator[_Fault]) -> Iterator[_Fault]:
    """The faults of two views, in order of place; of the second, those that are not in the first."""
    known = 0
    ahead = next(first, None)
    for fault in second:
        start, end = fault[1]
        while ahead is not None and ahead[1][0] < end:
            known = ahead[1][1]
            yield ahead
            ahead = next(first, None)
        if known <= start:
            yield fault
    if ahead is not None:
        yield ahead
    yield from first


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
