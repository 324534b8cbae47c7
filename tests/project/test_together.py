"""Cases that run together: none is skipped, and each that fails is named."""

from __future__ import annotations

import inspect

import pytest

from together import cases_of, together

ASKED: list[tuple[int, str]] = []


@together("number", [1, 2, 3])
@together("word", [pytest.param("a", id="first"), "b"])
def every(number: int, word: str, least: int) -> None:
    ASKED.append((number, word))
    assert number < least


@pytest.fixture(autouse=True)
def _afresh() -> None:
    ASKED.clear()


def test_every_combination_runs() -> None:
    every(least=4)
    assert sorted(ASKED) == [(1, "a"), (1, "b"), (2, "a"), (2, "b"), (3, "a"), (3, "b")]
    assert cases_of(every) == 6
    assert cases_of(test_every_combination_runs) == 1


def test_each_failure_is_named_and_the_others_run() -> None:
    with pytest.raises(ExceptionGroup) as raised:
        every(least=3)
    assert raised.value.message == "2 of 6 cases fail: first-3, b-3"
    assert [each.__notes__ for each in raised.value.exceptions] == [["case: first-3"], ["case: b-3"]]
    assert len(ASKED) == 6


def test_cases_with_equal_names_get_different_names() -> None:
    @together("number", [1, 2, 3], ids=lambda number: "odd" if number % 2 else "even")
    def even(number: int) -> None:
        assert number % 2 == 0

    with pytest.raises(ExceptionGroup, match="2 of 3 cases fail: odd, odd"):
        even()


def test_a_missing_exception_is_a_failure() -> None:
    @together("error", [ValueError, KeyError], ids=lambda error: error.__name__)
    def raising(error: type[Exception]) -> None:
        with pytest.raises(error):
            raise ValueError

    with pytest.raises(BaseExceptionGroup, match="1 of 2 cases fail: KeyError"):
        raising()

    @together("error", [ValueError, KeyError], ids=["one", "two"])
    def silent(error: type[Exception]) -> None:
        with pytest.raises(error):
            pass

    with pytest.raises(BaseExceptionGroup, match="2 of 2 cases fail: one, two"):
        silent()


def test_a_case_that_skips_is_a_failure() -> None:
    @together("number", [1, 2])
    def skipping(number: int) -> None:
        if number == 1:
            pytest.skip("it would hide the second")

    with pytest.raises(BaseExceptionGroup, match="1 of 2 cases fail: 1"):
        skipping()


def test_several_arguments_form_a_row() -> None:
    @together(("one", "other"), [(1, 1), pytest.param(2, 3, id="odd")])
    def equal(one: int, other: int) -> None:
        assert one == other

    with pytest.raises(ExceptionGroup, match="1 of 2 cases fail: odd"):
        equal()


def test_fixtures_of_pytest_are_passed_on() -> None:
    assert [*inspect.signature(every).parameters] == ["least"]


def test_a_table_has_rows_without_marks() -> None:
    with pytest.raises(ValueError, match="tests nothing"):
        together("number", [])
    with pytest.raises(ValueError, match="no marks"):
        together("number", [pytest.param(1, marks=pytest.mark.skip)])
