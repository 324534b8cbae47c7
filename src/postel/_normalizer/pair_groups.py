"""Groups of pairs: judge and edit all pairs with the same actions together, in a few calls."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence, Sized
from functools import cache
from itertools import accumulate, chain, count
from operator import add
from typing import TypeAlias, TypeVar, final

from postel._alphabet.text import text_of
from postel._catalogue.check import Action, Component
from postel._catalogue.kinds import Kind
from postel._normalizer.findings import Matches, SpanOf, together
from postel._normalizer.name_characters import marked_names
from postel._normalizer.pairs import Pairs
from postel._policy.name_rules import Actions

Held = TypeVar("Held")
Group: TypeAlias = tuple[Actions, Sequence[int]]
"""Actions, and the pairs in which they hold."""
Edited: TypeAlias = Callable[[bytes, str, Actions, bool], bytes]
"""A function that edits pairs: takes their octets, text, actions and whether they are dropped."""
Divided: TypeAlias = tuple[Actions, bool, Sequence[int]]
"""Actions, whether the pairs are dropped, and the pairs."""


@final
class PairActions:
    """The actions in each pair."""

    __slots__ = ("_each", "_groups")

    def __init__(self, each: Sequence[Actions]) -> None:
        """Find the pairs with the same actions."""
        self._each = each
        columns = list(dict(zip(map(id, each), each, strict=True)).values())
        self._groups: list[Group] = [(columns[0], range(len(each)))]
        if len(columns) > 1:
            members: dict[int, list[int]] = {id(actions): [] for actions in columns}
            for pair, key in enumerate(map(id, each)):
                members[key].append(pair)
            self._groups = [(actions, members[id(actions)]) for actions in columns]

    @property
    def columns(self) -> list[Actions]:
        """The different actions."""
        return [actions for actions, _ in self._groups]

    def at(self, kind: Kind, pair: int) -> Action:
        """Return the action for a kind in a pair."""
        return self._each[pair][kind.index]

    def of(self, kind: Kind, pairs: Sequence[int]) -> list[Action]:
        """Return the action for a kind in each of some pairs."""
        place = kind.index
        if len(self.grouped([kind])) == 1:
            return [self._each[0][place]] * len(pairs)
        return [self._each[pair][place] for pair in pairs]

    def grouped(self, kinds: Iterable[Kind], only: Container[Action] = frozenset(Action)) -> list[Group]:
        """Group pairs by their actions for these kinds; all actions except ``only`` count as one."""
        if len(self._groups) == 1:
            return self._groups
        asked = [kind.index for kind in kinds]
        found: dict[tuple[Action | None, ...], list[Group]] = {}
        for group in self._groups:
            actions = map(group[0].__getitem__, asked)
            key = tuple([action if action in only else None for action in actions])
            found.setdefault(key, []).append(group)
        if len(found) == 1:
            return [(self._groups[0][0], range(len(self._each)))]
        return [
            (alike[0][0], alike[0][1] if len(alike) == 1 else sorted(chain(*[pairs for _, pairs in alike])))
            for alike in found.values()
        ]


def judged_in_groups(
    groups: Sequence[Group],
    pieces: Sequence[Sized],
    joined: Callable[[Sequence[int]], Held],
    judge: Callable[[Held, Actions], Matches],
    span: SpanOf | None = None,
) -> Matches:
    """Judge the pairs of each group together; ``span`` converts the places of a match in all pairs.

    ``pieces`` are the pairs, and ``joined`` joins some of them.
    """
    if len(groups) == 1:
        ((actions, members),) = groups
        matches = judge(joined(members), actions)
        return together([(matches, span)]) if span else matches
    starts = cache(lambda: _starts(pieces))
    found: list[tuple[Matches, SpanOf]] = []
    for actions, members in groups:
        at = _moved(members, [pieces[pair] for pair in members], starts, span)
        found.append((judge(joined(members), actions), at))
    return together(found)


def _moved(
    members: Sequence[int], mine: Sequence[Sized], starts: Callable[[], list[int]], span: SpanOf | None
) -> SpanOf:
    """Return a function that converts a place in the pairs of a group to a place in the component."""
    starts_of_mine = cache(lambda: _starts(mine))

    def moved(start: int, end: int) -> tuple[int, int]:
        place = bisect_right(starts_of_mine(), start) - 1
        by = starts()[members[place]] - starts_of_mine()[place]
        return span(start + by, end + by) if span else (start + by, end + by)

    return moved


def _starts(pieces: Iterable[Sized]) -> list[int]:
    """Return where each pair starts, if all of them are joined."""
    return list(map(add, accumulate(map(len, pieces), initial=0), count()))


def divided(groups: Iterable[Group], dropped: Collection[int]) -> list[Divided]:
    """Divide each group into pairs that are kept and pairs that are ``dropped``."""
    found: list[Divided] = []
    for actions, members in groups:
        removed = [pair for pair in members if pair in dropped] if dropped else []
        kept = [pair for pair in members if pair not in dropped] if removed else members
        found += [(actions, False, kept)] if kept else []
        found += [(actions, True, removed)] if removed else []
    return found


def edited(
    pieces: Sequence[bytes],
    texts: Callable[[list[bytes], Sequence[int]], str],
    groups: Sequence[Divided],
    steps: Sequence[Edited],
) -> Iterator[list[bytes]]:
    """Yield the pairs after each of the ``steps``; ``texts`` returns the text of some pairs."""
    order = [pair for _, _, members in groups for pair in members]
    place_of = dict(zip(order, count(), strict=False)) if len(groups) > 1 else {}
    places = list(map(place_of.__getitem__, range(len(place_of))))
    parts = [list(map(pieces.__getitem__, members)) for _, _, members in groups]
    of_text = [texts(part, members) for part, (_, _, members) in zip(parts, groups, strict=True)]
    joined = list(map(b"&".join, parts))
    for edit in steps:
        joined = [
            edit(octets, text, actions, drops)
            for octets, text, (actions, drops, _) in zip(joined, of_text, groups, strict=True)
        ]
        state = [piece for octets in joined for piece in octets.split(b"&")]
        yield list(map(state.__getitem__, places)) if places else state


def edited_names(
    pairs: Pairs, component: Component, groups: Sequence[Divided], steps: Sequence[Edited], *, cuts: bool
) -> list[bytes]:
    """Return the component after each of the ``steps``, which edit names.

    With ``cuts``, a fragment will be cut, so names in it are not edited.
    """
    pieces, names = pairs.pieces, pairs.written_names
    if cuts:
        last = pairs.octets.count(b"&", 0, pairs.octets.index(b"#"))
        names = [*names[:last], names[last].partition(b"#")[0], *[b""] * (len(pieces) - last - 1)]
    rests = list(map(bytes.removeprefix, pieces, names))

    def texts(part: list[bytes], _members: Sequence[int]) -> str:
        return marked_names(component, text_of(b"&".join(part)))

    return [b"&".join(map(add, state, rests)) for state in edited(names, texts, groups, steps)]
