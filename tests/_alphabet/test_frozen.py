"""Frozen dataclasses that are built from unfrozen twins behave like other frozen dataclasses."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any, Final

import pytest

from postel import Accepted, Action, Component, Finding, Kind, Target
from postel._normalizer.target import accepted_clean

FINDING: Final = Finding(Kind.NUL, Component.PATH, 1, b"%00", Action.REJECT)
WHOLE: Final = Finding(Kind.NUL, Component.QUERY, 2, b"%00", Action.DROP, "q", "a detail")
TARGET: Final = Target(b"/a", b"q", b"/sub", b"h", b"/%")

# Each row: a class, its arguments, and all of its fields in order.
ROWS: Final = [
    pytest.param(Target, (), {}, (b"/", b"", b"", None, b""), id="target without arguments"),
    pytest.param(
        Target, (b"/a",), {"host": b"h"}, (b"/a", b"", b"", b"h", b""), id="target with a keyword argument"
    ),
    pytest.param(
        Target,
        (b"/a", b"q", b"/s", b"h", b"%"),
        {},
        (b"/a", b"q", b"/s", b"h", b"%"),
        id="target with all fields",
    ),
    pytest.param(Accepted, (TARGET,), {}, (TARGET, (), False), id="accepted"),
    pytest.param(
        Accepted,
        (TARGET, (FINDING,)),
        {"truncated": True},
        (TARGET, (FINDING,), True),
        id="accepted, with findings",
    ),
    pytest.param(
        Finding,
        (Kind.NUL, Component.PATH, 1, b"%00", Action.REJECT),
        {},
        (Kind.NUL, Component.PATH, 1, b"%00", Action.REJECT, None, ""),
        id="finding",
    ),
    pytest.param(
        Finding,
        (Kind.NUL, Component.PATH, 1, b"%00", Action.REJECT, "q"),
        {"detail": "d"},
        (Kind.NUL, Component.PATH, 1, b"%00", Action.REJECT, "q", "d"),
        id="finding with all fields",
    ),
]


@pytest.mark.parametrize(("made", "args", "kwargs", "values"), ROWS)
def test_a_frozen_class_equals_one_made_by_the_decorator_alone(
    made: Any, args: tuple[Any, ...], kwargs: dict[str, Any], values: tuple[Any, ...]
) -> None:
    names = [each.name for each in fields(made)]
    this = made(*args, **kwargs)
    assert type(this) is made
    assert tuple(getattr(this, name) for name in names) == values
    written = ", ".join(f"{name}={value!r}" for name, value in zip(names, values, strict=True))
    assert repr(this) == f"{made.__name__}({written})"
    other = made(**dict(zip(names, values, strict=True)))
    assert this == other
    assert hash(this) == hash(other)
    assert made.__match_args__ == tuple(each.name for each in fields(made) if not each.kw_only)


@pytest.mark.parametrize(
    "this", [Target(), TARGET, Accepted(TARGET, (FINDING,), truncated=True), FINDING, WHOLE]
)
def test_frozen_objects_can_be_copied_pickled_and_replaced(this: Any) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(this, protocol)) == this  # noqa: S301 - pickled in this test
    for other in (copy.copy(this), copy.deepcopy(this), replace(this)):
        assert type(other) is type(this)
        assert other == this
    last = fields(this)[-1].name
    another = b"another" if isinstance(this, Target) else "another"  # all fields of a Target are octets
    changed = replace(this, **{last: another})
    assert getattr(changed, last) == another
    assert changed != this


@pytest.mark.parametrize("this", [TARGET, Accepted(TARGET), accepted_clean(TARGET), FINDING])
def test_frozen_objects_have_only_their_fields_and_never_change(this: Any) -> None:
    for name in (fields(this)[0].name, "another", "__class__"):
        with pytest.raises((FrozenInstanceError, TypeError)):
            setattr(this, name, None)
        with pytest.raises((FrozenInstanceError, TypeError)):
            delattr(this, name)
    assert not hasattr(this, "__dict__")


def test_a_clean_outcome_equals_any_other() -> None:
    assert accepted_clean(TARGET) == Accepted(TARGET)
    assert type(accepted_clean(TARGET)) is Accepted
    match accepted_clean(TARGET):
        case Accepted(Target(path, query), findings, truncated=truncated):
            assert (path, query, findings, truncated) == (b"/a", b"q", (), False)
