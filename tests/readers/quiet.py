"""Frameworks log their failures. Tests that cause them with hostile input switch the logging off."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Switch logging off during the tests of a module that imports this fixture."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)
