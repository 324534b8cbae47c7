"""Groups of pairs: pairs with the same actions are judged and edited together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest

from postel import Action, Component, Kind, Policy
from postel._normalizer.edits import Text
from postel._normalizer.findings import Matches, listed
from postel._normalizer.pair_groups import PairActions, divided, edited, judged_in_groups
from postel._policy.name_rules import Actions
from postel._policy.rules import COMPONENTS


def actions(policy: Policy) -> Actions:
    """Return the actions of a policy in pairs of a query."""
    return policy.table[COMPONENTS.index(Component.QUERY)]


REFUSED: Final = actions(Policy.STANDARD)
REPORTED: Final = actions(Policy.STANDARD.reporting(Kind.NUL))
DROPPED: Final = actions(Policy.STANDARD.dropping_pairs(Kind.NUL))
MIXED: Final = PairActions([REFUSED, REPORTED, DROPPED], [0, 1, 2, 1, 0])


def in_pairs(doing: PairActions, many: int) -> list[Action]:
    return [doing.at(Kind.NUL, pair) for pair in range(many)]


@pytest.mark.parametrize("some", [[0], [1, 3], [4, 2, 1], [0, 1, 2, 3, 4]], ids=str)
def test_some_of_the_pairs_keep_their_actions(some: list[int]) -> None:
    every = in_pairs(MIXED, 5)
    assert every == [Action.REJECT, Action.REPORT, Action.DROP_PAIR, Action.REPORT, Action.REJECT]
    wanted = [every[pair] for pair in some]
    assert in_pairs(MIXED.among(some), len(some)) == wanted
    assert MIXED.of(Kind.NUL, some) == wanted
    assert MIXED.of(Kind.CONTROL, some) == [Action.REJECT] * len(some)


def test_two_different_actions_are_kept_for_some_of_the_pairs() -> None:
    doing = PairActions([REFUSED, REPORTED], [0, 1, 1])
    assert in_pairs(doing.among([2, 0]), 2) == [Action.REPORT, Action.REJECT]


def test_equal_actions_are_kept_for_some_of_the_pairs() -> None:
    doing = PairActions([REFUSED, REPORTED], [1, 1, 1])
    assert doing.columns == [REPORTED]
    assert in_pairs(doing.among([0, 2]), 2) == [Action.REPORT] * 2
    assert doing.grouped([Kind.NUL]) == [(REPORTED, range(3))]


def test_pairs_are_grouped_by_the_actions_that_matter() -> None:
    assert MIXED.grouped([Kind.NUL]) == [(REFUSED, [0, 4]), (REPORTED, [1, 3]), (DROPPED, [2])]
    assert MIXED.grouped([Kind.NUL], only={Action.DROP_PAIR}) == [(REFUSED, [0, 1, 3, 4]), (DROPPED, [2])]
    assert MIXED.grouped([Kind.NUL], only={Action.DROP}) == [(REFUSED, range(5))]
    assert MIXED.grouped([Kind.CONTROL]) == [(REFUSED, range(5))]


PIECES: Final = ["a", "bcd", "", "efghi", "j"]


@pytest.mark.parametrize("moves", [False, True])
@pytest.mark.parametrize("kind", [Kind.NUL, Kind.CONTROL], ids=str)
def test_matches_in_groups_are_located_in_the_whole_component(kind: Kind, moves: bool) -> None:
    def judge(joined: str, actions: Actions) -> Matches:
        action = actions[kind.index]
        found = [(action, kind, at, at + 1) for at, letter in enumerate(joined) if letter != "&"]
        return listed(found, f"{len(joined)}")

    def joined(members: Sequence[int]) -> str:
        return "&".join([PIECES[pair] for pair in members])

    def span(start: int, end: int) -> tuple[int, int]:
        return start + 100, end + 100

    by = 100 if moves else 0
    matches = judged_in_groups(MIXED.grouped([kind]), PIECES, joined, judge, span if moves else None)
    text = "&".join(PIECES)
    at = [(start + by, start + 1 + by) for start, letter in enumerate(text) if letter != "&"]
    assert [(start, end) for _, _, start, end in matches.first(20)] == at
    assert [(start, end) for _, _, start, end in matches.first(3)] == at[:3]
    assert matches.count == 10
    if kind is Kind.NUL:
        refused, reported = Action.REJECT, Action.REPORT
        assert [action for action, *_ in matches.first(20)] == [refused, *[reported] * 8, refused]
    assert matches.rejecting is not None
    assert matches.rejecting()[2] == by


@pytest.mark.parametrize(
    ("dropped", "groups"),
    [
        pytest.param([], [(REFUSED, False, [0, 4]), (REPORTED, False, [1, 3])], id="nothing"),
        pytest.param([2], [(REFUSED, False, [0, 4]), (REPORTED, False, [1, 3])], id="none of them"),
        pytest.param([4], [(REFUSED, False, [0]), (REFUSED, True, [4]), (REPORTED, False, [1, 3])], id="one"),
        pytest.param([1, 3], [(REFUSED, False, [0, 4]), (REPORTED, True, [1, 3])], id="a group"),
    ],
)
def test_groups_are_divided_into_kept_and_dropped_pairs(
    dropped: list[int], groups: list[tuple[Actions, bool, list[int]]]
) -> None:
    assert divided([(REFUSED, [0, 4]), (REPORTED, [1, 3])], dropped) == groups


def shout(octets: bytes, text: Text, actions: Actions, drops: bool) -> list[bytes]:
    """Return the octets in capitals, then with a mark behind each letter that tells how they were edited."""
    assert octets.decode() == text()
    mark = b"-" if drops else b"!" if actions is REFUSED else b"?"
    return [octets.upper(), b"".join([bytes([each]) + (b"" if each == 0x26 else mark) for each in octets])]


def test_each_group_is_edited_and_every_pair_returns_to_its_place() -> None:
    groups = divided(MIXED.grouped([Kind.NUL]), {2, 4})
    pieces = [piece.encode() for piece in PIECES]
    capitals, marked = edited(pieces, lambda: PIECES, groups, shout)
    assert capitals == [piece.upper() for piece in pieces]
    assert marked == [b"a!", b"b?c?d?", b"", b"e?f?g?h?i?", b"j-"]
    _, marked = edited(pieces, lambda: PIECES, [(REFUSED, False, range(5))], shout)
    assert marked == [b"a!", b"b!c!d!", b"", b"e!f!g!h!i!", b"j!"]
