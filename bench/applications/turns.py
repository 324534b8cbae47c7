"""Let the same application answer in turns, without postel and behind it, and write down what each turn cost.

Each contender answers a number of requests in a row. When all have had a turn, the processor seconds of a
request in each of them become a line of the file that the environment names, and the next round begins. One
process for all of them keeps out what differs between two processes of the same server: some per cent.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, final

REQUESTS: Final = 200
"""The number of requests in one turn."""
COSTS: Final = "POSTEL_BENCH_COSTS"
"""The variable of the environment that names the file."""


@final
class Turns:
    """The contenders, and whose turn it is."""

    def __init__(self, bare: Any, postel: Any) -> None:
        self._contenders: Mapping[str, Any] = {"bare": bare, "postel": postel, "bare again": bare}
        self._waiting: list[str] = []
        self._costs: dict[str, float] = {}
        self._name = ""
        self._left = 0
        self._since = 0.0

    def next(self) -> Any:
        """Return the application that answers the next request."""
        if not self._left:
            self._change()
        self._left -= 1
        return self._contenders[self._name]

    def _change(self) -> None:
        now = time.process_time()
        if self._name:
            self._costs[self._name] = (now - self._since) / REQUESTS
        if not self._waiting:
            if self._costs:
                with Path(os.environ[COSTS]).open("a", encoding="ascii") as file:
                    file.write(json.dumps(self._costs) + "\n")
            self._waiting = random.sample(list(self._contenders), len(self._contenders))
        self._name = self._waiting.pop()
        self._left = REQUESTS
        self._since = time.process_time()
