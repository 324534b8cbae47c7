"""Scanning: find where each kind of the catalogue matches in a component.

Faulty characters are found in the text of a component, whatever their spelling; faults of structure and
spelling are found in its octets. A scanner has one pattern, made from the rows of the active kinds. The
pattern skips clean text and stops at each faulty run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from heapq import merge
from itertools import chain, islice
from operator import attrgetter, itemgetter
from typing import AnyStr, Final, Generic, TypeAlias, final

from postel._alphabet.characters import NO_CHARACTERS
from postel._alphabet.regex import compiled
from postel._alphabet.text import IN_NAME, members
from postel._catalogue.check import Action, Component, Family
from postel._catalogue.kinds import Kind
from postel._normalizer.census import Census
from postel._normalizer.findings import MOST, NOTHING, JudgedMatch, Matches, SpanOf, Test, listed
from postel._policy.name_rules import Actions

Span: TypeAlias = tuple[int, int]
Match: TypeAlias = tuple[Kind, int, int]
"""A kind, and the start and end of a match."""

_NO_CENSUS: Final = Census(())
_GROUP: Final = attrgetter("lastindex")
_NO_KINDS: Final[frozenset[Kind]] = frozenset()


@final
class Scanner(Generic[AnyStr]):
    """Finds matches with a pattern that skips clean text and marks the start and the kind of each match.

    The marks are empty groups. The first group marks the start of a faulty run. Each kind has a group, and
    the group of the matching kind marks the end.
    """

    __slots__ = ("_finditer", "_finds", "_kinds", "apart", "census", "in_pattern", "pattern")

    def __init__(
        self,
        kinds: Iterable[Kind],
        pattern: AnyStr,
        census: Census | None = None,
        *,
        finds: Mapping[Kind, Callable[[AnyStr], Iterable[Span]]] | None = None,
    ) -> None:
        """Create a scanner; ``kinds`` are the kinds of the groups in ``pattern``, in order.

        ``finds`` maps a kind that is not in the pattern to a function that finds its matches. ``census``
        finds the kinds that are present without the pattern.
        """
        self._kinds = (None, None, *kinds)
        self.in_pattern: frozenset[Kind] = frozenset(kind for kind in self._kinds if kind is not None)
        """The kinds that the pattern finds."""
        self.apart: frozenset[Kind] = frozenset(finds or ())
        """The kinds that functions find."""
        self.census: Census = census or _NO_CENSUS
        self._finds: Mapping[Kind, Callable[[AnyStr], Iterable[Span]]] = finds or {}
        self.pattern: AnyStr = pattern
        self._finditer: Callable[..., Iterator[re.Match[AnyStr]]] = compiled(pattern, re.DOTALL).finditer

    def present(self, octets: AnyStr, start: int = 0, codes: bytes | None = None) -> frozenset[Kind]:
        """Return the kinds that have a match from ``start`` on.

        ``codes`` are those of the census for a text, if they are known.
        """
        if self.census is not _NO_CENSUS and isinstance(octets, str):
            return self.census.present(octets, start, codes)
        groups = set(map(_GROUP, self._finditer(octets, start)))
        found = [kind for index, kind in enumerate(self._kinds) if kind and index in groups]
        found += [
            kind for kind, find in self._finds.items() if any(begins >= start for begins, _ in find(octets))
        ]
        return frozenset(found)

    def first(self, octets: AnyStr, start: int, kinds: Collection[Kind]) -> Match:
        """Return the first match of these kinds; there must be such a match."""
        if self.census is not _NO_CENSUS and isinstance(octets, str):
            start = self.census.first(octets, start, kinds)
        return next(self.walk(octets, start, kinds))

    def scan(self, octets: AnyStr, start: int = 0, most: int | None = None) -> list[Match]:
        """Return the matches from ``start`` on in order, up to ``most`` of them."""
        return list(islice(self.walk(octets, start), most))

    def walk(self, octets: AnyStr, start: int = 0, kinds: Container[Kind] | None = None) -> Iterator[Match]:
        """Yield the matches from ``start`` on; if ``kinds`` is given, only those of these kinds."""
        by_group = {
            group: kind
            for group, kind in enumerate(self._kinds)
            if kind is not None and (kinds is None or kind in kinds)
        }
        matched = (
            (by_group[match.lastindex], match.end(1), match.end())
            for match in self._finditer(octets, start)
            if match.lastindex in by_group
        )
        if not self._finds:
            return matched
        found: list[Iterator[Match]] = [
            ((kind, begins, ends) for begins, ends in find(octets) if begins >= start)
            for kind, find in self._finds.items()
            if kinds is None or kind in kinds
        ]
        return merge(matched, *found, key=itemgetter(1))

    def leap(self, text: AnyStr, start: int, kinds: Container[Kind], codes: bytes) -> Iterator[Match]:
        """Yield what ``walk`` yields, but leap over matches of other kinds.

        ``codes`` are those of the census.
        """
        beginnings, end = self.census.beginnings(kinds, codes), start
        while (begins := beginnings.find(1, end)) >= 0:
            match = next(self._finditer(text, begins))  # the pattern matches at the end, too
            kind, end = self._kinds[match.lastindex or 0], match.end()
            if kind is None:
                return
            if kind in kinds:
                yield kind, match.end(1), end


def places_of(character: AnyStr, octets: AnyStr) -> Iterator[Span]:
    """Yield every occurrence of one character."""
    end = 0
    while (start := octets.find(character, end)) >= 0:
        end = start + 1
        yield start, end


def judged(  # noqa: PLR0913 - the last two are given by name
    scanner: Scanner[AnyStr],
    text: AnyStr,
    start: int,
    actions: Actions,
    span: SpanOf = lambda start, end: (start, end),
    *,
    found: list[Match] | None = None,
    codes: Callable[[], bytes] | None = None,
) -> tuple[Matches, frozenset[Kind]]:
    """Return the matches of a scanner that ``actions`` does not allow, and the kinds of all matches.

    A few matches are listed. More matches are located when they are needed. ``span`` converts indices to
    offsets; ``found`` holds the first matches, and ``codes`` returns the codes of the census, if they are
    known.
    """
    if found is None:
        found = scanner.scan(text, start, MOST + 1)
    if len(found) <= MOST:
        if not found:
            return NOTHING, _NO_KINDS
        seen = [
            (action, kind, begins, ends)
            for kind, begins, ends in found
            if (action := actions[kind.index]) is not Action.ALLOW
        ]
        return listed(seen, span=span), frozenset([kind for kind, _, _ in found])
    # The pattern continues where its last match ends, but places that functions find may be inside a match.
    rest = start if scanner.apart else found[-1][2]
    present = scanner.present(text, rest, codes and codes()).union([kind for kind, _, _ in found])

    def walk(kinds: Container[Kind]) -> Iterator[Match]:
        if codes is not None:  # other matches may be very many, if they are allowed in some pairs
            more = scanner.leap(text, rest, kinds, codes())
        else:
            more = islice(scanner.walk(text, rest), len(found) if scanner.apart else 0, None)
        return ((kind, *span(*at)) for kind, *at in chain(found, more) if kind in kinds)

    def first(kinds: Collection[Kind]) -> Match:
        kind, *at = scanner.first(text, start, kinds)
        return kind, *span(*at)

    return located(present, actions, walk, first), present


def located(
    present: Iterable[Kind],
    actions: Actions,
    walk: Callable[[Container[Kind]], Iterator[Match]],
    first: Callable[[Collection[Kind]], Match],
) -> Matches:
    """Create Matches of the kinds that are present; ``walk`` and ``first`` locate matches when needed."""
    done = {kind: actions[kind.index] for kind in present if actions[kind.index] is not Action.ALLOW}
    if not done:
        return NOTHING

    def some(most: int) -> Iterator[JudgedMatch]:
        return islice(((done[kind], kind, start, end) for kind, start, end in walk(done)), most)

    def find(test: Test) -> JudgedMatch:
        kind, start, end = first([kind for kind, action in done.items() if test(action)])
        return done[kind], kind, start, end

    return Matches(find, some, actions=frozenset(done.values()))


def at_characters(component: Component, kinds: Iterable[Kind]) -> Scanner[str]:
    """Return a scanner for faulty characters in a text that ``NameCharacters`` has marked."""
    rows = [(kind, class_of(component, kind)) for kind in kinds]
    # Classes of 16-bit characters come first: the regex engine looks these characters up in a table, but
    # compares other characters range by range.
    rows = sorted((row for row in rows if row[1]), key=lambda row: (bool(row[0].check.text), "\\U" in row[1]))
    if not rows:
        return Scanner([], r"()\Z")
    groups: list[str] = []
    lookaheads: list[str] = []
    passes: list[str] = []
    stops = steps = ""
    rests: dict[str, list[str]] = {}
    first = "".join(held for kind, held in rows if not kind.check.text)
    if "\\U" in first:
        beyond = "".join(f"(?<![{held}])" for kind, held in rows if not kind.check.text and "\\U" in held)
        first = re.sub(r"\\U[0-9a-f]{8}(?:-\\U[0-9a-f]{8})?", "", first)
        passes.append(f"[{_BEYOND}]{beyond}")
        stops = _BEYOND
    # If the matches of some kind need a lookahead at each character, so do others with the same character.
    stepped = {
        held for kind, held in rows for each in kind.check.text.values() if not rest_after_run(held, each)
    }
    for kind, held in rows:
        if kind is Kind.ILL_FORMED_UTF8:  # a match begins with each of these characters
            groups += [f"(?:{pattern})()" for pattern in kind.check.text.values()]
            stops += held
        elif kind.check.text:
            for pattern in kind.check.text.values():
                groups.append(f"(?:{pattern})()")
                if held not in stepped and (rest := rest_after_run(held, pattern)):
                    rests.setdefault(held, []).append(rest)
                else:
                    steps += held
                    lookaheads.append(pattern.replace(")++", ")"))  # one character is enough
        else:
            groups.append(f"[{held}][{held}]*+()")  # it is skipped faster if it begins with a class
    # Each pass begins with one class, so the engine compares one character before it tries a lookahead.
    # In a run of such characters, only the last one can begin a match.
    passes += [f"(?:[{held}]+(?!{'|'.join(each)}))++" for held, each in rests.items()]
    if steps:
        passes.append(f"(?!{'|'.join(lookaheads)})[{steps}]")
    clean = f"[^{first}{''.join(rests)}{steps}{stops}]*+"
    if passes:
        clean += f"(?:(?:{'|'.join(passes)}){clean})*+"
    return Scanner([kind for kind, _ in rows], rf"{clean}()(?:{'|'.join(groups)}|\Z)", Census(rows))


def at_octets(component: Component, kinds: Iterable[Kind]) -> Scanner[bytes]:
    """Return a scanner over octets for kinds of the pair family; it skips octets that begin no match."""
    rows = [(kind, kind.check.patterns.get(component), kind.check.find) for kind in kinds]
    finds = {kind: find for kind, _, find in rows if find is not None}
    found = [(kind, pattern) for kind, pattern, _ in rows if pattern]
    if not found:
        return Scanner([], rb"()\Z", finds=finds)
    octets = re.escape(b"".join({octet for kind, _ in found for octet in kind.check.trigger or {}}))
    any_of_them = b"|".join(pattern for _, pattern in found)
    # Without a trigger, a match can begin with any octet.
    anywhere = any(kind.check.trigger is None for kind, _ in found)
    step = b"." if anywhere else b"[^" + octets + b"]++|[" + octets + b"]"
    passing = b"(?:(?!" + any_of_them + b")(?:" + step + b"))*+"
    groups = b"|".join(b"(?:" + pattern + b")()" for _, pattern in found)
    # \Z makes the clean rest one match; without it, the engine would try and fail at each octet.
    return Scanner([kind for kind, _ in found], passing + b"()(?:" + groups + rb"|\Z)", finds=finds)


def rest_after_run(held: str, pattern: str) -> str:
    """Return what follows the first character of each match in a run, or "" if it may be that character too.

    >>> rest_after_run("%", "(?:[%](?:[01][A-F]|[2]0))++"), rest_after_run("%", "(?:[%](?:[^/]A|[2]0))++")
    ('[01][A-F]|[2]0', '')
    >>> rest_after_run("%", "(?:%[uU][0-9]{4})++"), rest_after_run("%", "(?:%%*[uU])++")
    ('[uU][0-9]{4}', '')
    """
    first = re.escape(held)
    parts = re.fullmatch(rf"\(\?:(?:\[{first}\]\(\?:(.*)\)|{first}([^|]*))\)\+\+", pattern)
    if len(held) > 1 or parts is None:
        return ""
    rest: str = parts[1] or parts[2]
    classes: list[str] = re.findall(r"(?:\A|\|)(\[[^]]++\]|)", rest)
    return "" if any(re.match(each, held) for each in classes) else rest


_BEYOND: Final = "\U00010000-\U0010ffff"
"""The body of a character class for all characters beyond 16 bits."""


def class_of(component: Component, kind: Kind) -> str:
    """Return the body of a class for the characters with which matches of a kind begin; may be empty."""
    check = kind.check
    if check.text:
        return "".join(check.text)
    bare, escaped = (each.get(component, NO_CHARACTERS) for each in (check.bare, check.escaped))
    if not check.names_only:
        return members(bare, escaped)
    # ``NameCharacters`` has given these characters code points of their own in names.
    return "".join(f"\\u{IN_NAME + ord(each):04x}" for each in escaped.text())


def kinds_of_family(
    component: Component, family: Family, acts: Callable[[Kind], bool] = lambda _: True
) -> list[Kind]:
    """Return the kinds of a family in a component for which ``acts`` is true."""
    return [
        kind
        for kind in Kind
        if kind.check.family is family and component in kind.check.presets and acts(kind)
    ]


FORMS: Final = tuple(
    (kind, re.compile(kind.check.patterns[Component.PATH]).match)
    for kind in kinds_of_family(Component.PATH, Family.TARGET)
)
"""The forms of a target that is not a path, each with a function that matches at the start of the target."""
