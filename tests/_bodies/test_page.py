"""The tables of docs/bodies.md show what the frameworks read today; `make evidence` checks all tables."""

from __future__ import annotations

import platform

import pytest

from body_tables import PAGE, body_tables, section_of
from readers.left_open import left_open  # noqa: F401 - a fixture

pytestmark = [
    pytest.mark.evidence,
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.no_cover,
    pytest.mark.skipif(
        platform.python_version_tuple()[:2] != ("3", "11"), reason="the page was made with Python 3.11"
    ),
]


def test_the_tables_are_current() -> None:
    assert section_of(PAGE.read_text("utf-8")) == body_tables() + "\n"
