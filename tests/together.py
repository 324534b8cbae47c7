"""Many cases as one test, for tables that are long and whose cases are short.

pytest collects, runs and reports each parameter as a separate test, which takes longer than such a case.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable
from typing import Any, Final

import pytest

SHOWN: Final = 10
"""How many of the failing cases are shown in full; all of them are named."""
FAILURES: Final = (Exception, pytest.fail.Exception, pytest.skip.Exception)
"""Exceptions that fail a case.

``pytest.raises`` raises the second one. The third one is a skip, which would hide the cases after it.
"""

Test = Callable[..., None]
Case = tuple[str, dict[str, Any]]
"""The name of a case, and its arguments."""


def together(
    names: str | tuple[str, ...],
    cases: Iterable[Any],
    ids: Callable[[Any], object] | Iterable[str] | None = None,
) -> Callable[[Test], Test]:
    """Run all cases in one test; its failure names each case that fails.

    The arguments are those of ``pytest.mark.parametrize``, and several stack in the same way. All cases share
    the fixtures of the test.
    """
    arguments = (names,) if isinstance(names, str) else names
    named = ids if ids is None or callable(ids) else [*ids]
    axis: list[Case] = []
    for number, case in enumerate(cases):
        values, name = _values(case, single=isinstance(names, str))
        if name is None and isinstance(named, list):
            name = named[number]
        given = dict(zip(arguments, values, strict=True))
        axis.append((name or "-".join(str(named(each) if named else each) for each in values), given))
    if not axis:
        raise ValueError(f"{names}: a table without rows tests nothing")

    def decorate(test: Test) -> Test:
        inner, axes = getattr(test, "_together", (test, []))
        return _folded(inner, [*axes, axis], test)

    return decorate


def _values(case: Any, *, single: bool) -> tuple[tuple[Any, ...], str | None]:
    if isinstance(case, type(pytest.param())):
        if case.marks:
            raise ValueError(f"{case}: a case that is run together with others has no marks")
        return tuple(case.values), None if case.id is None else str(case.id)
    return ((case,) if single else tuple(case)), None


def _folded(inner: Test, axes: list[list[Case]], marked: Test) -> Test:
    @functools.wraps(marked)
    def run(**fixtures: Any) -> None:
        failed: list[tuple[str, BaseException]] = []
        for combination in itertools.product(*axes):
            name = "-".join(name for name, _ in combination)
            arguments = {key: value for _, given in combination for key, value in given.items()}
            try:
                inner(**fixtures, **arguments)
            except FAILURES as error:  # All failures are raised together below.
                error.add_note(f"case: {name}")
                failed.append((name, error))
        if failed:
            message = f"{len(failed)} of {_count(axes)} cases fail: {', '.join(name for name, _ in failed)}"
            raise BaseExceptionGroup(message, [error for _, error in failed[:SHOWN]])

    given = {name for axis in axes for name in axis[0][1]}
    signature = inspect.signature(inner)
    kept = [each for name, each in signature.parameters.items() if name not in given]
    vars(run).update(_together=(inner, axes), __signature__=signature.replace(parameters=kept))
    return run


def _count(axes: list[list[Case]]) -> int:
    count = 1
    for axis in axes:
        count *= len(axis)
    return count


def cases_of(test: object) -> int:
    """Return how many cases a test runs together; one for any other test."""
    _, axes = getattr(test, "_together", (test, []))
    return _count(axes)
