"""The requirements of the specifications: each row of capabilities.toml, as a call and as a command."""

from __future__ import annotations

import pytest

from terminal import session
from together import together
from toolkit_page import Capability, capabilities

ROWS = capabilities()


@together("row", ROWS, ids=lambda row: row.asks)
def test_each_call_gives_its_result(row: Capability) -> None:
    assert row.spelled() == row.gives


@pytest.mark.parametrize("row", [row for row in ROWS if row.command], ids=lambda row: row.asks)
def test_each_command_prints_its_result(row: Capability) -> None:
    _, *printed = session([f"$ {row.command}"]).removesuffix("\n").split("\n")
    if row.prints:
        assert printed[0] == row.prints
    else:
        assert "\n".join(printed) == str(row.answer())


def test_there_are_enough_rows_without_duplicates() -> None:
    assert len(ROWS) >= 57
    assert len({row.asks for row in ROWS}) == len({(row.call, row.source) for row in ROWS}) == len(ROWS)
    assert sum(not row.command for row in ROWS) <= 3
