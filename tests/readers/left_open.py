"""What frameworks leave open, collected where it was left."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def left_open() -> Iterator[None]:
    """Collect what a module's tests left open: Django does not close a body for which it raises,
    and others not the temporary files of a form that they refuse.
    """
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()
