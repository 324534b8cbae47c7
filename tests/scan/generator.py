"""The generator of bench/access_log.py."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent.parent.parent / "bench" / "access_log.py"


def _module() -> Any:
    spec = importlib.util.spec_from_file_location("access_log", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # Dataclasses need the module to be registered.
    spec.loader.exec_module(module)
    return module


access_log = _module()
write = access_log.write
