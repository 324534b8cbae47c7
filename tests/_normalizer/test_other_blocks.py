"""The names in other blocks of a form, stage by stage."""

from __future__ import annotations

import pytest

from postel._normalizer.other_blocks import OtherBlocks

STAGES = range(-1, 6)


def stages_of(others: OtherBlocks, name: str) -> list[int]:
    """Return the stages after which another block has a pair of this name."""
    return [stage for stage in STAGES if others.having([name, "unknown"], stage)]


def ended(*blocks: list[tuple[int, set[str]]]) -> OtherBlocks:
    """Return the names of some blocks, each given as a list of stages and names."""
    others = OtherBlocks()
    for block in blocks:
        for stage, names in block:
            others.begins(stage, names.copy)
        others.end_block()
    return others


def test_at_first_there_are_no_names() -> None:
    others = OtherBlocks()
    assert stages_of(others, "a") == []
    assert not others.is_renamed


def test_names_count_once_their_block_has_ended() -> None:
    others = OtherBlocks()
    others.begins(-1, {"a"}.copy)
    assert stages_of(others, "a") == []
    others.end_block()
    assert stages_of(others, "a") == [*STAGES]
    others.end_block()  # a block without names
    assert stages_of(others, "a") == [*STAGES]


def test_only_names_that_are_asked_for_are_returned() -> None:
    others = ended([(-1, {"a", "b", "c"})])
    assert others.having(["b", "c", "d"], 0) == {"b", "c"}


@pytest.mark.parametrize(
    ("states", "stages", "is_renamed"),
    [
        ([(-1, {"a"})], {"a": [*STAGES]}, False),
        ([(-1, {"a"}), (0, {"a"}), (2, {"a"})], {"a": [*STAGES]}, False),
        ([(-1, {"a"}), (1, {"b"})], {"a": [-1, 0], "b": [1, 2, 3, 4, 5]}, True),
        ([(-1, {"a"}), (0, {"b"}), (3, {"c"})], {"a": [-1], "b": [0, 1, 2], "c": [3, 4, 5]}, True),
        ([(-1, {"a"}), (1, {"b"}), (4, {"a"})], {"a": [-1, 0, 4, 5], "b": [1, 2, 3]}, True),
        ([(-1, {"a", "b"}), (2, {"b"})], {"a": [-1, 0, 1], "b": [*STAGES]}, True),
    ],
)
def test_a_name_is_there_from_its_stage_until_the_next_change(
    states: list[tuple[int, set[str]]], stages: dict[str, list[int]], is_renamed: bool
) -> None:
    others = ended(states)
    assert {name: stages_of(others, name) for name in stages} == stages
    assert others.is_renamed == is_renamed


def test_blocks_are_added_up() -> None:
    others = ended([(-1, {"a"}), (2, {"b"})], [(-1, {"x"}), (4, {"a"})], [(-1, {"b", "c"})])
    assert stages_of(others, "a") == [-1, 0, 1, 4, 5]
    assert stages_of(others, "b") == stages_of(others, "c") == [*STAGES]
    assert others.is_renamed
