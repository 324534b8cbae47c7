"""Frameworks log what they fail at; a test that gives them hostile input is silent about it."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Nothing is logged during a test of the module that imports this."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)
