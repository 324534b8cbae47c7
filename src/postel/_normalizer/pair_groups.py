"""Groups of pairs: edit all pairs with the same actions together, in a few calls."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from operator import add
from typing import TypeAlias

from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._policy.name_rules import Actions

Edited: TypeAlias = Callable[[bytes, str, Actions, bool], bytes]
"""A function that edits pairs: takes their octets, text, actions and whether they are dropped."""
Group: TypeAlias = tuple[Actions, bool, Sequence[int]]
"""Actions, whether the pairs are dropped, and the pairs."""


def grouped(profiles: Sequence[Actions], kinds: Iterable[Kind]) -> list[tuple[Actions, Sequence[int]]]:
    """Group pairs by their actions for these kinds; each group has the profile of its first pair."""
    asked = [kind.index for kind in kinds]
    distinct = dict(zip(map(id, profiles), profiles, strict=True))
    keys = {key: tuple(map(profile.__getitem__, asked)) for key, profile in distinct.items()}
    if len({*keys.values()}) == 1:
        return [(profiles[0], range(len(profiles)))]
    groups: dict[tuple[Action, ...], list[int]] = {}
    members = {key: groups.setdefault(actions, []) for key, actions in keys.items()}
    for pair, key in enumerate(map(id, profiles)):
        members[key].append(pair)
    return [(profiles[group[0]], group) for group in groups.values()]


def divided(groups: Iterable[tuple[Actions, Sequence[int]]], dropped: Collection[int]) -> list[Group]:
    """Divide each group into pairs that are kept and pairs that are ``dropped``."""
    found: list[Group] = []
    for actions, members in groups:
        removed = [pair for pair in members if pair in dropped] if dropped else []
        kept = [pair for pair in members if pair not in dropped] if removed else members
        found += [(actions, False, kept)] if kept else []
        found += [(actions, True, removed)] if removed else []
    return found


def edited(
    pieces: list[bytes], texts: list[str], groups: list[Group], steps: Iterable[Edited]
) -> Iterator[list[bytes]]:
    """Yield the pairs after each of the ``steps``."""
    together = [b"&".join(map(pieces.__getitem__, members)) for _, _, members in groups]
    of_text = ["&".join(map(texts.__getitem__, members)) for _, _, members in groups]
    for edit in steps:
        for number, (actions, drops, _) in enumerate(groups):
            together[number] = edit(together[number], of_text[number], actions, drops)
        if len(groups) == 1:
            yield together[0].split(b"&")
            continue
        state = dict[int, bytes]()
        for octets, (_, _, members) in zip(together, groups, strict=True):
            state.update(zip(members, octets.split(b"&"), strict=True))
        yield [state[pair] for pair in range(len(pieces))]


def edited_names(
    octets: bytes, text: str, groups: list[Group], steps: Iterable[Edited], *, cuts: bool
) -> list[bytes]:
    """Return the component after each of the ``steps``, which edit names.

    With ``cuts``, a fragment will be cut, so names in it are not edited.
    """
    pieces = octets.split(b"&")
    names = [piece.partition(b"=")[0] for piece in pieces]
    of_text = [pair.partition("=")[0] for pair in text.split("&")]
    if cuts:
        last = octets.count(b"&", 0, octets.index(b"#"))
        behind = len(pieces) - last - 1
        names[last:] = [names[last].partition(b"#")[0], *[b""] * behind]
        of_text[last:] = [of_text[last].partition("#")[0], *[""] * behind]
    rests = [piece[len(name) :] for piece, name in zip(pieces, names, strict=True)]
    return [b"&".join(map(add, state, rests)) for state in edited(names, of_text, groups, steps)]
