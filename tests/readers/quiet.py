"""Switch off the logging of frameworks that fail for hostile input."""

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
