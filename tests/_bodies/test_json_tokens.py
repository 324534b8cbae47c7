"""JSON token by token: the faults of names and values, levels, and how often other tasks may run."""

from __future__ import annotations

import pytest

from postel import Json, Kind
from postel._alphabet.steps import Steps, finished
from postel._bodies.json_escapes import has_plain_escapes, lone_replaced
from postel._bodies.json_scan import TURN
from postel._bodies.json_tokens import deep_at, path, seen_in


def seen(
    text: str, settings: Json | None = None, *, replaces: bool = False
) -> list[tuple[Kind, int, str | None, str]]:
    """Return the kind, the start, the path and the detail of each match."""
    found = seen_in(text, settings or Json(), {}, replaces=replaces)
    return [(each[0], each[1], path(each[3]), each[4]) for each in found if each]


def turns(steps: Steps[object]) -> int:
    """Count the steps."""
    return sum(1 for _ in steps)


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        pytest.param("[[[1]],[[1]]]", 3, 13, id="levels are closed one by one"),
        pytest.param("[[[1]],[[[1]]]]", 3, 9, id="too deep behind a closed level"),
        pytest.param('[{"]": [0]}]', 2, 7, id="a bracket in a name closes nothing"),
    ],
)
def test_where_a_text_becomes_too_deep(text: str, most: int, expected: int) -> None:
    assert finished(deep_at(text, most)) == expected


@pytest.mark.parametrize("character", ["\\n", "\\r", "\\t"])
def test_a_line_break_or_tab_in_a_name_is_found(character: str) -> None:
    assert seen(f'{{"a{character}b": 1}}')[0][0] is Kind.NAME_LINE_BREAK


def test_matches_in_names_have_a_path_and_no_detail() -> None:
    text = '{"a": {"b\\n": 1, "b\\n": 2}}'
    name = "a.b\n"
    assert seen(text) == [
        (Kind.NAME_LINE_BREAK, 7, name, ""),
        (Kind.NAME_LINE_BREAK, 17, name, ""),
        (Kind.DUPLICATE_NAME, 17, name, ""),
    ]


def test_too_many_members_are_named_by_the_object_that_has_them() -> None:
    assert seen('{"a": {"b": {"c": 1, "d": 2}}}', Json(members=1)) == [
        (Kind.TOO_MANY_MEMBERS, 21, "a.b", "more than Json.members")
    ]


@pytest.mark.parametrize("replaces", [False, True])
def test_names_are_compared_as_they_will_be_read(replaces: bool) -> None:
    kinds = [kind for kind, *_ in seen(r'{"\ud800": 1, "\ud801": 2}', replaces=replaces)]
    assert (Kind.DUPLICATE_NAME in kinds) is replaces


@pytest.mark.parametrize(
    ("value", "long"), [("€€", False), ("€€€", True), ("aaaaaaaa", False), ("aaaaaaaaa", True)]
)
def test_the_length_of_a_value_is_counted_in_octets(value: str, long: bool) -> None:
    assert [kind for kind, *_ in seen(f'["{value}"]', Json(string=8))] == [Kind.LONG_VALUE] * long


@pytest.mark.parametrize("faults", [TURN - 1, TURN, 2 * TURN])
def test_other_tasks_run_once_for_so_many_faulty_escapes(faults: int) -> None:
    found = list(seen_in('["' + r"\u0001a" * faults + '"]', Json(), {}))
    assert found.count(None) == faults // TURN


@pytest.mark.parametrize("matches", [15, 16, 47])
def test_other_tasks_run_while_many_escapes_are_passed(matches: int) -> None:
    text = r"\n" * 512 * (matches - 2)  # one match is the rest of the text, and one the end
    assert turns(has_plain_escapes(text)) == matches // 16


@pytest.mark.parametrize("matches", [TURN - 1, TURN, 3 * TURN - 1])
def test_other_tasks_run_while_surrogates_are_replaced(matches: int) -> None:
    text = r"\ud800a" * (matches - 2)  # one match is the last letter, and one the end
    assert turns(lone_replaced(text)) == matches // TURN


@pytest.mark.parametrize("matches", [TURN - 2, TURN - 1, TURN, 3 * TURN - 1])
def test_other_tasks_run_while_levels_are_counted(matches: int) -> None:
    text = "[]" * (matches // 2) + "[" * (matches % 2)
    assert turns(deep_at(text, 10)) == (matches + 1) // TURN  # one match is the end


def test_a_name_in_an_outer_object_is_no_repetition_of_one_in_a_closed_object() -> None:
    assert seen('{"a": {"x": 1, "y": {"z": 1}}, "x": 2}') == []


def test_repeated_members_count_as_members() -> None:
    kinds = [kind for kind, *_ in seen('{"a": 1, "a": 2, "a": 3}', Json(members=2))]
    assert kinds == [Kind.DUPLICATE_NAME, Kind.TOO_MANY_MEMBERS, Kind.DUPLICATE_NAME]


def test_constants_and_limits_have_a_detail() -> None:
    text = r'["\u0000", 1e999, "abcd", {"abc": NaN}]'
    numbers = {"1e999": Kind.INFINITE_NUMBER}
    found = [(each[0], each[4]) for each in seen_in(text, Json(name=2, string=3), numbers) if each]
    assert found == [
        (Kind.LONG_VALUE, "more octets than Json.string"),
        (Kind.NUL, ""),
        (Kind.INFINITE_NUMBER, ""),
        (Kind.LONG_VALUE, "more octets than Json.string"),
        (Kind.LONG_NAME, "more octets than Json.name"),
        (Kind.JSON_SYNTAX, "NaN and Infinity are not JSON"),
    ]


@pytest.mark.parametrize("tokens", [TURN - 1, TURN, 2 * TURN - 1])
def test_other_tasks_run_once_for_so_many_tokens(tokens: int) -> None:
    text = "[" + "1," * (tokens - 3) + "1]"  # two tokens are the end of the array and that of the text
    assert list(seen_in(text, Json(), {})).count(None) == tokens // TURN
