"""Cookie and Referer: percent-decoded and judged for NUL, controls and ill-formed UTF-8.

Both can hold URLs and values that a client chose, and frameworks decode both. In a cookie, quoted octets are
also unescaped, and the name is judged. A faulty cookie or Referer may be removed; nothing else is edited.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from heapq import merge
from itertools import accumulate, chain, compress, islice
from typing import TYPE_CHECKING, Final, TypeAlias, cast, final

from postel._alphabet.ill_formed import classify_ill_formed
from postel._alphabet.percent import percent_decode
from postel._alphabet.text import Reading, text_of
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import EXCERPT, Finding
from postel._catalogue.kinds import Kind
from postel._errors import PolicyError
from postel._http.cookies import (
    Span,
    may_repeat,
    padding,
    received_offset,
    repeated,
    stripped,
    unescaped,
    without_cookies,
)

if TYPE_CHECKING:
    from postel._normalizer.scanner import Scanner

FIELDS: Final[Mapping[str, Component]] = {"cookie": Component.COOKIE, "referer": Component.REFERER}
_ACTIONS: Final = {
    Component.COOKIE: (Action.REPORT, Action.DROP_PAIR, Action.REJECT),
    Component.REFERER: (Action.REPORT, Action.DROP, Action.REJECT),
}
_KINDS: Final = (Kind.ILL_FORMED_UTF8, Kind.NUL, Kind.CONTROL)
"""The faults that ``headers=`` looks for, listed so that no new kind is refused in cookies by accident."""
# A backslash may begin an escape in a cookie, and that escape may stand for a percent sign.
_SUSPICIOUS: Final = re.compile(rb"[^\x20-\x5b\x5d-\x7e]|%(?:[01][0-9A-Fa-f]|7[Ff]|[89A-Fa-f][0-9A-Fa-f])")
_TOUCHING: Final = re.compile(rb"[\x80-\xff]%[89A-Fa-f][0-9A-Fa-f]|%[89A-Fa-f][0-9A-Fa-f][\x80-\xff]")
"""A bare octet beyond ASCII next to an escaped one."""
_BEFORE: Final = 16
"""The search for the faults behind an offset begins so many characters before it."""
_FAR: Final = 512
"""If a fault ends at least so many octets before the next one that counts, those between are passed."""
_MOST: Final = 8
"""The most findings about a field that are kept; further ones are only counted."""
_NAME: Final = 64
"""The most characters of a cookie's name that a finding quotes."""


@cache
def _scanner() -> Scanner[str]:
    from postel._normalizer.scanner import at_characters  # noqa: PLC0415 - few applications need it

    return at_characters(Component.QUERY, _KINDS)


@final
@dataclass(frozen=True, slots=True)
class JudgedField:
    """The judgement of all fields with one name."""

    values: tuple[bytes, ...]
    """The values to hand on, in order."""
    findings: tuple[Finding, ...] = ()
    omitted: int = 0
    """How many more findings there were; a lower bound if ``_Pieces`` read a field in several ways."""


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
        if self.names:
            _scanner()  # compile it now, not during a request

    @staticmethod
    def proves(values: Sequence[bytes]) -> bool:
        """Whether the fields with one name are proven to have no faults."""
        octets = b";".join(values)
        return _SUSPICIOUS.search(octets) is None and not may_repeat(octets)

    def judge(self, name: str, values: Sequence[bytes]) -> JudgedField:
        """Judge the fields with one name; offsets count as if the fields were joined with ``"; "``."""
        component = FIELDS[name]
        action = self._actions[component]
        cookies = component is Component.COOKIE
        unstripped = b";".join(values).split(b";") if cookies and values else list(values)
        pieces = stripped(unstripped)
        judged = _Pieces(pieces, cookies=cookies)
        ends = (
            list(accumulate([value.count(b";") + 1 for value in values]))
            if cookies
            else range(1, len(unstripped) + 1)
        )
        findings: list[Finding] = []
        count = done = offset = previous = 0
        for place in judged.faulty:
            if len(findings) == _MOST:
                break
            offset += sum(map(len, unstripped[previous:place])) + place - previous
            previous = place
            base = offset + bisect_right(ends, place) + unstripped[place].index(pieces[place])
            found = judged.faults(place)
            listed = list(islice(found, _MOST - len(findings)))
            findings += (
                _finding(kind, component, base, pieces[place], span, action) for kind, span in listed
            )
            has_more = next(found, None) is not None
            count += max(len(listed) + has_more, judged.count([place]) if has_more else 0)
            done += 1
        count += judged.count(judged.faulty[done:])
        kept: Sequence[bytes] = values
        if action.edits and cookies:
            kept = without_cookies(values, ends, judged.faulty)
        elif action.edits:
            faulty = set(judged.faulty)
            kept = [value for place, value in enumerate(values) if place not in faulty]
        return JudgedField(tuple(kept), tuple(findings), count - len(findings))


_Fault: TypeAlias = tuple[Kind, Span]


@final
class _Pieces:
    """The cookies or the Referer fields of a request; finds the faulty ones in one pass over all of them.

    Each piece is read as received and, if it is a cookie, also with its quoted octets unescaped. Some readers
    decode UTF-8 before they undo percent-encoding: they never join ``%C3`` and a bare octet after it. So a
    piece with an escape next to a bare octet is also read without decoding its escapes.
    """

    __slots__ = ("_copies", "_first", "_padded", "_pieces", "_read", "faulty")

    def __init__(self, pieces: list[bytes], *, cookies: bool) -> None:
        """Scan all pieces in each of their readings."""
        self._pieces = pieces
        received = _joined(pieces)
        read = unescaped(received) if cookies and b"\\" in received else received
        self._read = read.split(b"&")
        """The pieces with their escapes undone and their ampersands replaced."""
        together = [read] if read == received else [read, received]
        together += [each.replace(b"%", b".") for each in together if _TOUCHING.search(each) is not None]
        readings = [_scanner().census.parts(text_of(each), _KINDS) for each in together]
        self._first = readings[0]
        """The matches in the first reading of each piece."""
        named = cookies and b"__" in received
        self._copies = {place: spans for (_, place), spans in repeated([pieces]).items()} if named else {}
        self._padded = _padded(pieces) if cookies else {}
        seen = {place for reading in readings for place in compress(range(len(pieces)), reading)}
        self.faulty: list[int] = sorted(seen.union(self._copies, self._padded))
        """The indices of the faulty pieces."""

    def faults(self, place: int) -> Iterator[_Fault]:
        """The faults of a piece, in order of offset."""
        piece = self._pieces[place].replace(b"&", b".")
        octets = self._read[place]
        found = _faults(octets)
        if octets != piece:
            sent = received_offset(piece)
            read = ((kind, (sent(start), sent(end))) for kind, (start, end) in found)
            found = _united(read, partial(_faults, piece), piece)
        return merge(
            found,
            ((Kind.PADDED_COOKIE_NAME, span) for span in self._padded.get(place, ())),
            ((Kind.REPEATED_COOKIE, span) for span in self._copies.get(place, ())),
            key=_span,
        )

    def count(self, places: Sequence[int]) -> int:
        """Count the faults in faulty pieces; a piece that is faulty only in a later reading has one fault."""
        text = text_of(b"&".join([self._read[place] for place in places]))
        names = [found for found in (self._padded, self._copies) if found]
        in_names = [(place, len(each[place])) for each in names for place in places if place in each]
        counted = {place for place, _ in in_names}
        later = [place for place in places if not self._first[place] and place not in counted]
        return sum(_scanner().counts(text).values()) + sum([more for _, more in in_names]) + len(later)


def _joined(pieces: Sequence[bytes]) -> bytes:
    """Join pieces with ampersands, after replacing the ampersands inside them."""
    if b"&" in b";".join(pieces):
        pieces = [piece.replace(b"&", b".") for piece in pieces]
    return b"&".join(pieces)


def _padded(pieces: Sequence[bytes]) -> dict[int, list[Span]]:
    """The non-ASCII white space around names of cookies, by piece."""
    if all(map(bytes.isascii, pieces)):
        return {}
    known = {piece: spans for piece in set(pieces) if not piece.isascii() and (spans := padding(piece))}
    return {place: known[piece] for place, piece in enumerate(pieces) if piece in known} if known else {}


def _faults(octets: bytes, begin: int = 0) -> Iterator[_Fault]:
    """The faults of a piece in two readings: with its escapes decoded, and with its escapes left alone.

    Those that end before ``begin`` may be left out.
    """
    if _TOUCHING.search(octets) is None:
        return _found(octets, begin)
    return _united(_found(octets, begin), partial(_found, octets.replace(b"%", b".")), octets, begin)


def _found(octets: bytes, begin: int = 0) -> Iterator[_Fault]:
    reading = Reading(octets)
    # A run that begins before this index is found from there on, and begins before ``begin``, too.
    index = max(0, len(text_of(octets[:begin])) - _BEFORE)
    return ((kind, reading.span(*at)) for kind, *at in _scanner().walk(reading.text, index))


def _united(
    first: Iterator[_Fault], second: Callable[[int], Iterator[_Fault]], octets: bytes, begin: int = 0
) -> Iterator[_Fault]:
    """Merge the faults of two readings by offset; of two that overlap, keep the one of the first reading.

    If the first reading has few faults, one scan of all other octets shows whether the second adds any.
    ``second`` returns the faults of the second reading, and may leave out those that end before an offset.
    """
    few = list(islice(first, _MOST + 1))
    if len(few) <= _MOST and not _is_faulty(_hidden(octets, few)):
        yield from few
        return
    first = chain(few, first)
    known = 0
    ahead = next(first, None)
    others = second(begin)
    while (fault := next(others, None)) is not None:
        start, end = fault[1]
        while ahead is not None and ahead[1][0] < end:
            known = ahead[1][1]
            yield ahead
            ahead = next(first, None)
        if known <= start:
            yield fault
        elif known - end > _FAR:
            others = second(known)
    if ahead is not None:
        yield ahead
    yield from first


def _is_faulty(octets: bytes) -> bool:
    """Whether a piece has a fault in one of the two readings of :func:`_faults`."""
    readings = {octets, octets.replace(b"%", b".")} if _TOUCHING.search(octets) is not None else {octets}
    return any(_scanner().scan(text_of(each), most=1) for each in readings)


def _hidden(octets: bytes, faults: Iterable[_Fault]) -> bytes:
    """The octets, with full stops in place of the given faults."""
    hidden = bytearray(octets)
    for _, (start, end) in faults:
        hidden[start:end] = b"." * (end - start)
    return bytes(hidden)


def _span(fault: _Fault) -> Span:
    return fault[1]


def _finding(  # noqa: PLR0913, PLR0917 - the parts of a finding
    kind: Kind, component: Component, base: int, piece: bytes, span: Span, action: Action
) -> Finding:
    start, end = span
    name = None
    if component is Component.COOKIE:
        sent = piece[start:end] if kind is Kind.REPEATED_COOKIE else piece.partition(b"=")[0].strip(b" \t")
        name = percent_decode(sent[: 12 * _NAME]).decode("utf-8", "surrogateescape")[:_NAME]
    detail = ""
    if kind is Kind.ILL_FORMED_UTF8:
        detail = classify_ill_formed(percent_decode(unescaped(piece[start:end])))
    # Quote only the faulty octets, because the rest of a cookie is a secret.
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
        raise PolicyError(f"headers={{{name!r}: ...}}: name 'cookie' or 'referer'")
    if not isinstance(action, Action) or action not in _ACTIONS[component]:
        works = ", ".join(f"Action.{each.name}" for each in _ACTIONS[component])
        raise PolicyError(f"headers={{{name!r}: {action!r}}}: write one of {works}")
    return component, action
