"""Scanning: where in a component each kind of the catalogue is seen.

Characters are looked for in the text of a component, whatever their octets are spelled like; the structure of
paths and pairs, and how octets are written, in the octets themselves. A scanner is one pattern, made from the
rows of the kinds that a policy does something about: it walks from one suspicious run to the next.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from itertools import islice
from operator import attrgetter
from typing import AnyStr, Final, Generic, TypeAlias, final

from postel._alphabet.characters import Characters
from postel._alphabet.regex import compiled
from postel._alphabet.text import ESCAPED, IN_NAME, members
from postel._catalogue.check import Action, Component, Family
from postel._catalogue.kinds import Kind
from postel._normalizer.census import Census
from postel._normalizer.findings import MOST, NOTHING, JudgedMatch, Matches, edits, listed, rejects
from postel._policy.name_rules import Actions

ActionAt: TypeAlias = Callable[[Kind, int], Action]
"""What is done about a kind at a place."""
Match: TypeAlias = tuple[Kind, int, int]
"""A kind and the start and end of what it is seen in."""

_NOBODY: Final = Characters(())
_NO_CENSUS: Final = Census(())
_GROUP: Final = attrgetter("lastindex")
_NO_KINDS: Final[frozenset[Kind]] = frozenset()
PAIRED: Final = (Component.QUERY, Component.FORM)


@final
class Scanner(Generic[AnyStr]):
    """A pattern that passes what nobody looks for, and then marks the start and the kind of what it meets.

    The marks are empty groups: the first stands where a run in fault begins, the others, one a kind, where it
    ends.
    """

    __slots__ = ("_census", "_finditer", "_kinds", "pattern")

    def __init__(self, kinds: Iterable[Kind], pattern: AnyStr, census: Census | None = None) -> None:
        """``kinds`` are those of the groups of the pattern; a census counts them without it."""
        self._kinds = (None, None, *kinds)
        self._census = census
        self.pattern: AnyStr = pattern
        found = compiled(pattern, re.DOTALL)
        self._finditer: Callable[..., Iterator[re.Match[AnyStr]]] = found.finditer

    def parts(self, text: str, kinds: Collection[Kind]) -> list[bytes]:
        """For each pair of a text what is seen in it of some kinds: empty, if that is nothing."""
        return (self._census or _NO_CENSUS).parts(text, kinds)

    def counts(self, octets: AnyStr, start: int = 0, *, exact: bool = True) -> Mapping[Kind, int]:
        """How many of each kind are seen; where that need not be ``exact``, at least one."""
        if self._census is not None and isinstance(octets, str):
            return self._census.counts(octets, start, exact=exact)
        counts = Counter(map(_GROUP, self._finditer(octets, start)))
        return {kind: counts[index] for index, kind in enumerate(self._kinds) if kind and index in counts}

    def first(self, octets: AnyStr, start: int, kinds: Collection[Kind]) -> Match:
        """The first of some kinds, of which there is one."""
        if self._census is not None and isinstance(octets, str):
            start = self._census.first(octets, start, kinds)
        return next(self.walk(octets, start, kinds))

    def scan(self, octets: AnyStr, start: int = 0, most: int | None = None) -> list[Match]:
        """What is seen from ``start`` on, in order of place, at most ``most`` of it."""
        return list(islice(self.walk(octets, start), most))

    def walk(self, octets: AnyStr, start: int = 0, kinds: Container[Kind] | None = None) -> Iterator[Match]:
        """What is seen from ``start`` on, one after another; of all kinds, or of some."""
        by_group = {
            group: kind
            for group, kind in enumerate(self._kinds)
            if kind is not None and (kinds is None or kind in kinds)
        }
        return (
            (by_group[match.lastindex], match.end(1), match.end())
            for match in self._finditer(octets, start)
            if match.lastindex in by_group
        )


def judged(  # noqa: PLR0913 - the last by name only
    scanner: Scanner[AnyStr],
    text: AnyStr,
    start: int,
    actions: Actions,
    span: Callable[[int, int], tuple[int, int]],
    *,
    exact: bool,
    found: list[Match] | None = None,
) -> tuple[Matches, frozenset[Kind]]:
    """What a scanner sees under a column of actions, and of which kinds; what is allowed is not seen.

    A little of it is listed. More is counted in bulk, where that is to be ``exact``, and looked at only where
    somebody asks. ``span`` gives the place in octets; ``found`` is the first of it, if somebody has looked.
    """
    if found is None:
        found = scanner.scan(text, start, MOST + 1)
    if len(found) <= MOST:
        if not found:
            return NOTHING, _NO_KINDS
        seen = [
            (action, kind, *span(*at))
            for kind, *at in found
            if (action := actions[kind.index]) is not Action.ALLOW
        ]
        return listed(seen), frozenset([kind for kind, _, _ in found])
    counts = scanner.counts(text, start, exact=exact)

    def walk(kinds: Container[Kind]) -> Iterator[Match]:
        return ((kind, *span(*at)) for kind, *at in scanner.walk(text, start, kinds))

    def first(kinds: Collection[Kind]) -> Match:
        kind, *at = scanner.first(text, start, kinds)
        return kind, *span(*at)

    return counted(counts, actions, walk, first), frozenset(counts)


def counted(
    counts: Mapping[Kind, int],
    actions: Actions,
    walk: Callable[[Container[Kind]], Iterator[Match]],
    first: Callable[[Collection[Kind]], Match],
) -> Matches:
    """What is seen so many times; ``walk`` gives all of some kinds, and ``first`` the first of them."""
    done = {kind: actions[kind.index] for kind in counts if actions[kind.index] is not Action.ALLOW}
    if not done:
        return NOTHING

    def some(most: int) -> Iterator[JudgedMatch]:
        return islice(((done[kind], kind, start, end) for kind, start, end in walk(done)), most)

    def shown(acts: Callable[[Action], bool]) -> Callable[[], JudgedMatch] | None:
        kinds = [kind for kind, action in done.items() if acts(action)]

        def show() -> JudgedMatch:
            kind, start, end = first(kinds)
            return done[kind], kind, start, end

        return show if kinds else None

    return Matches(sum(map(counts.__getitem__, done)), shown(rejects), shown(edits), some)


def reported(
    scanner: Scanner[AnyStr],
    octets: AnyStr,
    actions: ActionAt | Actions,
    span: Callable[[int, int], tuple[int, int]] = lambda start, end: (start, end),
) -> Matches:
    """The same where it is proven that only reports are left: no more than the first are looked at.

    ``actions`` is a column, or says what is done at a place.
    """
    asked = None if callable(actions) else {kind for kind in Kind if actions[kind.index] is not Action.ALLOW}

    def seen() -> Iterator[JudgedMatch]:
        for kind, *at in scanner.walk(octets, kinds=asked):
            begins, ends = span(*at)
            action = actions(kind, begins) if callable(actions) else actions[kind.index]
            if action is not Action.ALLOW:
                yield action, kind, begins, ends

    return Matches(1, None, None, lambda most: islice(seen(), most))


def at_octets(component: Component, kinds: Iterable[Kind]) -> Scanner[bytes]:
    """A scanner for kinds that are looked for in octets; it stops where a trigger begins."""
    rows = [(kind, kind.check.patterns.get(component)) for kind in kinds]
    found = [(kind, pattern) for kind, pattern in rows if pattern]
    if not found:
        return Scanner([], rb"()\Z")
    octets = re.escape(b"".join({octet for kind, _ in found for octet in kind.check.trigger or {}}))
    any_of_them = b"|".join(pattern for _, pattern in found)
    passing = b"(?:(?!" + any_of_them + b")(?:[^" + octets + b"]++|[" + octets + b"]))*+"
    groups = b"|".join(b"(?:" + pattern + b")()" for _, pattern in found)
    # With \Z among the alternatives a clean tail is a match, not one failed attempt an octet.
    return Scanner([kind for kind, _ in found], passing + b"()(?:" + groups + rb"|\Z)")


def at_segments(asked: Collection[Kind]) -> Scanner[str]:
    """A scanner for what lies between the slashes of the text of a path.

    What is of a kind that nobody asks about is passed, since it is of no kind behind that one.
    """
    rows = [
        (kind, *row) for kind in acting(Component.PATH, Family.SEGMENT) for row in kind.check.text.items()
    ]
    loud = "".join(first for _, first, _ in rows)
    any_of_them = "|".join(pattern for _, _, pattern in rows)
    seen = [(kind, pattern) for kind, _, pattern in rows if kind in asked]
    passed = [f"(?!{any_of_them})(?:[^{loud}]++|[{loud}])"]
    for number, (kind, _, pattern) in enumerate(rows):
        if kind not in asked:
            before = "|".join(earlier for other, _, earlier in rows[:number] if other in asked)
            passed.append(f"(?!{before})(?:{pattern})" if before else f"(?:{pattern})")
    groups = "".join(f"(?:{pattern})()|" for _, pattern in seen)
    return Scanner([kind for kind, _ in seen], rf"(?:{'|'.join(passed)})*+()(?:{groups}\Z)")


def at_characters(component: Component, kinds: Iterable[Kind]) -> Scanner[str]:
    """A scanner for faulty characters of a text, as ``in_names`` has marked it."""
    rows = [(kind, class_of(component, kind)) for kind in kinds]
    # Of no more than sixteen bits first: the engine looks those up, and compares the others range by range.
    rows = sorted((row for row in rows if row[1]), key=lambda row: (bool(row[0].check.text), "\\U" in row[1]))
    if not rows:
        return Scanner([], r"()\Z")
    groups: list[str] = []
    looks: list[str] = []
    steps = ""
    first = "".join(held for kind, held in rows if not kind.check.text)
    if "\\U" in first:
        first = re.sub(r"\\U[0-9a-f]{8}(?:-\\U[0-9a-f]{8})?", "", first)
        steps += _BEYOND
    for kind, held in rows:
        if kind.check.text:
            steps += held
            for pattern in kind.check.text.values():
                groups.append(f"(?:{pattern})()")
                looks.append(pattern.replace(")++", ")"))  # one is as good as many
        else:
            groups.append(f"[{held}][{held}]*+()")  # the engine compares a first class at once
            if "\\U" in held:
                looks.append(f"[{held}]")
    quiet = f"[^{first}{steps}]*+"
    if steps:
        quiet += f"(?:(?!{'|'.join(looks)})[{steps}]{quiet})*+"
    return Scanner([kind for kind, _ in rows], rf"{quiet}()(?:{'|'.join(groups)}|\Z)", Census(rows))


_BEYOND: Final = "\U00010000-\U0010ffff"
"""The members of a class of the characters of more than sixteen bits."""


def class_of(component: Component, kind: Kind) -> str:
    """The members of the class of characters of text that a kind is of; nothing where a class says it not."""
    check = kind.check
    if check.text:
        return "".join(check.text)
    bare, escaped = (each.get(component, _NOBODY) for each in (check.bare, check.escaped))
    if not check.names_only:
        return members(bare, escaped)
    # Another kind is of the same characters where they do not stand in a name.
    return "".join(f"\\u{IN_NAME + ord(each):04x}" for each in escaped.text())


def acting(component: Component, family: Family, acts: Callable[[Kind], bool] = lambda _: True) -> list[Kind]:
    """The kinds of a family that anything is done about."""
    return [
        kind
        for kind in Kind
        if kind.check.family is family and component in kind.check.presets and acts(kind)
    ]


FORMS: Final = tuple(
    (kind, re.compile(kind.check.patterns[Component.PATH]).match)
    for kind in acting(Component.PATH, Family.TARGET)
)
"""The forms of a target but for a path; each matches at the front only."""


_SHARED: Final = {
    component: re.compile(
        "["
        + "".join(
            members(_NOBODY, kind.check.escaped[component])
            for kind in Kind
            if kind.check.names_only and component in kind.check.escaped
        )
        + "]"
    )
    for component in PAIRED
}
"""The escaped characters that are another kind's where they stand in a name."""


def in_names(component: Component, text: str) -> str:
    """The text of pairs, with what is another kind's in a name told apart there."""
    shared = _SHARED[component]
    if shared.search(text) is None:
        return text
    marked: list[str] = []
    for pair in text.split("&"):
        name, equals, value = pair.partition("=")
        marked.append(shared.sub(_as_in_name, name) + equals + value)
    return "&".join(marked)


def _as_in_name(match: re.Match[str]) -> str:
    return chr(ord(match[0]) - ESCAPED + IN_NAME)
