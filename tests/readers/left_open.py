"""Close files that failing frameworks leave open, after the tests of each module."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def left_open() -> Iterator[None]:
    """Collect garbage after the tests of a module, because failing frameworks leave files open."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()
