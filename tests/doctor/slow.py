"""A module that takes long to import, like one that waits for a database."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

time.sleep(0.5)


def app(_environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"at last"]
