"""Groups of pairs: pairs with the same actions are judged and edited together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest

from postel import Accepted, Action, Component, Forms, Kind, Normalizer, Policy, Target
from postel._bodies.urlencoded import FormRules
from postel._normalizer.findings import Matches, listed, rejects
from postel._normalizer.pair_actions import PairActions, except_in, in_octets, in_text
from postel._normalizer.pair_groups import judged_in_groups
from postel._policy.name_rules import NUMBERS, Actions
from postel._policy.rules import COMPONENTS


def actions(policy: Policy) -> Actions:
    """Return the actions of a policy in pairs of a query."""
    return policy.table[COMPONENTS.index(Component.QUERY)]


REFUSED: Final = actions(Policy.STANDARD)
REPORTED: Final = actions(Policy.STANDARD.reporting(Kind.NUL))
DROPPED: Final = actions(Policy.STANDARD.dropping_pairs(Kind.NUL))
REJECT, REPORT, DROP_PAIR = (NUMBERS[each] for each in (Action.REJECT, Action.REPORT, Action.DROP_PAIR))
MIXED: Final = PairActions(REFUSED, 5, {Kind.NUL: bytes([REJECT, REPORT, DROP_PAIR, REPORT, REJECT])})


def in_pairs(pair_actions: PairActions, many: int) -> list[Action]:
    return [pair_actions.at(Kind.NUL, pair) for pair in range(many)]


@pytest.mark.parametrize("some", [[0], [1, 3], [4, 2, 1], [0, 1, 2, 3, 4]], ids=str)
def test_some_of_the_pairs_keep_their_actions(some: list[int]) -> None:
    every = in_pairs(MIXED, 5)
    assert every == [Action.REJECT, Action.REPORT, Action.DROP_PAIR, Action.REPORT, Action.REJECT]
    wanted = [every[pair] for pair in some]
    assert in_pairs(MIXED.among(some), len(some)) == wanted
    assert MIXED.of(Kind.NUL, some) == wanted
    assert MIXED.of(Kind.CONTROL, some) == [Action.REJECT] * len(some)


def test_two_different_actions_are_kept_for_some_of_the_pairs() -> None:
    pair_actions = PairActions(REFUSED, 3, {Kind.NUL: bytes([REJECT, REPORT, REPORT])})
    assert in_pairs(pair_actions.among([2, 0]), 2) == [Action.REPORT, Action.REJECT]


def test_equal_actions_are_kept_for_some_of_the_pairs() -> None:
    pair_actions = PairActions(REFUSED, 3, {Kind.NUL: bytes([REPORT] * 3)})
    assert not pair_actions.differ
    assert pair_actions.common == REPORTED
    assert in_pairs(pair_actions.among([0, 2]), 2) == [Action.REPORT] * 2
    assert pair_actions.grouped([Kind.NUL]) == [(REPORTED, range(3))]


def test_pairs_are_grouped_by_the_actions_that_matter() -> None:
    assert MIXED.grouped([Kind.NUL]) == [(REFUSED, [0, 4]), (REPORTED, [1, 3]), (DROPPED, [2])]
    assert MIXED.grouped([Kind.CONTROL]) == [(REFUSED, range(5))]


PIECES: Final = ["a", "bcd", "", "efghi", "j"]


@pytest.mark.parametrize("kind", [Kind.NUL, Kind.CONTROL], ids=str)
def test_matches_in_groups_are_located_in_the_whole_component(kind: Kind) -> None:
    def judge(members: Sequence[int], actions: Actions) -> Matches:
        action, joined = actions[kind.index], "&".join([PIECES[pair] for pair in members])
        found = [(action, kind, at, at + 1) for at, letter in enumerate(joined) if letter != "&"]
        return listed(found, f"{len(joined)}")

    matches = judged_in_groups(MIXED.grouped([kind]), PIECES, judge)
    at = [(start, start + 1) for start, letter in enumerate("&".join(PIECES)) if letter != "&"]
    assert [(start, end) for _, _, start, end in matches.first(20)] == at
    assert [(start, end) for _, _, start, end in matches.first(3)] == at[:3]
    if kind is Kind.NUL:
        refused, reported = Action.REJECT, Action.REPORT
        assert [action for action, *_ in matches.first(20)] == [refused, *[reported] * 8, refused]
    assert matches.find(rejects)[2] == 0


def test_some_pairs_are_edited_and_every_pair_returns_to_its_place() -> None:
    assert in_text("a&b&&c&d", [0, 2, 3], lambda text: text.upper() + "!") == "A&b&&C!&d"
    assert in_octets(b"a&b&c", range(3), bytes.upper) == b"A&B&C"
    assert in_octets(b"a&b&c", [1, 2], bytes.swapcase) == b"a&B&C"
    assert in_text("a&b", [], str.upper) == in_text("a&b", [0, 1], str.lower) == "a&b"


def test_an_edit_of_some_pairs_is_undone() -> None:
    assert except_in({0, 2}, "A&B&&D", "a&b&c&d") == "a&B&c&D"


def test_the_pairs_in_which_a_kind_is_present_and_has_an_action() -> None:
    assert MIXED.having_both(Kind.NUL, Action.REPORT, b"\1\1\0\0\1") == b"\0\1\0\0\0"
    assert MIXED.having_both(Kind.NUL, Action.DROP_PAIR, b"\1\1\0\0\1") == b""
    assert MIXED.having_both(Kind.CONTROL, Action.REJECT, b"\1\0\0\0\1") == b"\1\0\0\0\1"
    assert MIXED.having_both(Kind.CONTROL, Action.REPORT, b"\1\0\0\0\1") == b""


@pytest.mark.parametrize("others", [0, 20], ids=["few findings", "many findings"])
def test_octets_are_written_by_the_rules_for_their_pairs(others: int) -> None:
    policy = Policy.LENIENT.reporting(Kind.RAW_NON_ASCII, names=["a"])
    query = "a=\u00e9&b=\u00e9&" * (1 + others) + "c=1"
    outcome = Normalizer(policy).normalize(Target(query=query.encode()))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == query.replace("b=\u00e9", "b=%C3%A9").encode()
    found = [(finding.name, finding.action) for finding in outcome.findings]
    assert found == ([("a", Action.REPORT), ("b", Action.REPAIR)] * (1 + others))[:32]


def test_the_pairs_in_which_a_kind_has_an_action() -> None:
    assert MIXED.having(Kind.NUL, Action.REJECT) == [0, 4]
    assert not MIXED.having(Kind.NUL, Action.DROP)
    same = {action for action in Action if MIXED.having(Kind.SPELLING, action)}
    assert len(same) == 1
    assert MIXED.having(Kind.SPELLING, *same) == range(5)


@pytest.mark.parametrize("ruled", [{}, {Kind.NUL: bytes([REJECT, REPORT, REJECT])}], ids=["one", "two"])
def test_some_of_the_pairs_keep_the_names_that_rules_foresee(ruled: dict[Kind, bytes]) -> None:
    some = PairActions(REFUSED, 3, ruled, ["a", "b", "c"]).among([2, 1])
    assert some.foreseen == ["c", "b"]
    assert some.acts([Kind.NUL]) == ({Action.REJECT, Action.REPORT} if ruled else {Action.REJECT})


def test_pairs_whose_actions_differ_only_elsewhere_are_in_one_group() -> None:
    nul, control = bytes([REPORT, REJECT, REPORT, REPORT]), bytes([REPORT, REJECT, REJECT, REPORT])
    pair_actions = PairActions(REFUSED, 4, {Kind.NUL: nul, Kind.CONTROL: control})
    assert pair_actions.grouped([Kind.NUL]) == [(REPORTED, [0, 2, 3]), (REFUSED, [1])]
    assert [members for _, members in pair_actions.grouped([Kind.CONTROL, Kind.NUL])] == [[0, 3], [1], [2]]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        pytest.param(b"a=%0A&q=b", b"a=%0D%0A&q=b", id="in a value that no rule covers"),
        pytest.param(b"a=b&q=%0A", None, id="in a value that a rule covers"),
        pytest.param(b"a=%0A&q=%0A", None, id="in both"),
    ],
)
def test_rules_for_names_apply_to_the_structure_of_pairs(form: bytes, expected: bytes | None) -> None:
    policy = Policy.LENIENT.repairing(Kind.LONE_NEWLINE).rejecting(Kind.LONE_NEWLINE, names=["q"])
    assert FormRules(policy, Forms()).judge(form).octets == expected


@pytest.mark.parametrize("names", [None, ["*"], [""]], ids=str)
def test_pairs_without_a_name_are_dropped_beside_other_faults(names: list[str] | None) -> None:
    policy = Policy.LENIENT.dropping_pairs(Kind.EMPTY_NAME, names=names)
    outcome = Normalizer(policy).normalize(Target(b"/", b"=a&b=%zz&=%zz&c==1"))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"b=%25zz&c==1"


def test_a_kind_that_a_rule_allows_for_a_name_has_no_finding_there() -> None:
    policy = Policy.STANDARD.rejecting(Kind.TAB, on=Component.QUERY)
    normalizer = Normalizer(policy.allowing(Kind.TAB, names=["a"], on=Component.QUERY))
    assert normalizer.normalize(Target(query=b"a=%09")) == Accepted(Target(query=b"a=%09"))
    outcome = normalizer.normalize(Target(query=b"a=%09&b=%09"))
    assert [(each.kind, each.offset) for each in outcome.findings] == [(Kind.TAB, 8)]


@pytest.mark.parametrize("query", [b"=x&a=1&=y", b"a=1&=x&b=2&=y", b"a=1&b=2&=x&c=3&=y&=z"])
def test_pairs_with_another_action_for_their_structure_are_dropped(query: bytes) -> None:
    policy = Policy.LENIENT.dropping_pairs(Kind.EMPTY_NAME, names=[""], on=Component.QUERY)
    outcome = Normalizer(policy).normalize(Target(query=query))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"&".join(each for each in query.split(b"&") if not each.startswith(b"="))
