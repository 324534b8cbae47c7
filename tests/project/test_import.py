"""An import compiles no patterns, and no request has to: building a middleware does all of it."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from pathlib import Path
from typing import Final, TypeAlias

import pytest

Stages: TypeAlias = dict[str, list[list[str]]]

SCRIPT: Final = Path(__file__).with_name("compiling.py")
FOR_JUDGING: Final = {
    "postel._bodies.body",
    "postel._bodies.json",
    "postel._bodies.multipart",
    "postel._normalizer.engine",
    "postel._normalizer.recoding",
    "postel._normalizer.scanner",
}
"""The modules that judge; they are loaded when something that needs them is built."""


@functools.cache  # Two tests use the result.
def stages(protocol: str, preset: str) -> Stages:
    """Return, for each stage, the modules that compiled a pattern, and those that were loaded."""
    command = [sys.executable, str(SCRIPT), protocol, preset]
    ran = subprocess.run(  # noqa: S603 - our own code
        command, capture_output=True, encoding="utf-8", timeout=120, check=True
    )
    found: Stages = json.loads(ran.stdout)
    return found


@pytest.mark.parametrize("preset", ["STRICT", "STANDARD", "LENIENT"])
@pytest.mark.parametrize("protocol", ["asgi", "wsgi"])
def test_no_request_compiles_a_pattern_or_loads_a_module(protocol: str, preset: str) -> None:
    found = stages(protocol, preset)
    assert found["requests"] == [[], []]


@pytest.mark.parametrize("protocol", ["asgi", "wsgi"])
def test_the_modules_that_judge_are_loaded_at_construction(protocol: str) -> None:
    found = stages(protocol, "STANDARD")
    _, imported = found["import"]
    compiled, built = found["building"]
    assert FOR_JUDGING.isdisjoint(imported)
    assert set(built) >= FOR_JUDGING
    assert "postel._normalizer.proof" in compiled
