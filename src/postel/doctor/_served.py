"""What a server runs: the application with the probe, and with postel in front of it, if so asked.

The doctor writes a module of two lines that calls :func:`served`. If the doctor dies, even killed, its end of
a pipe is closed, and the processes of the server end themselves.
"""

from __future__ import annotations

import os
import signal
import stat
import threading
from collections.abc import Callable
from typing import Any

from postel import Policy
from postel.doctor._application import Application


def served(name: str, policy: str, pipe: int, *, factory: bool) -> Callable[..., Any]:
    """Make the application; an empty policy is none."""
    watch(pipe, lambda: os.killpg(0, signal.SIGKILL))
    application = Application.named(name, factory=factory)
    return application.probed(Policy.parse(policy) if policy else None)


def watch(pipe: int, end: Callable[[], object]) -> threading.Thread | None:
    """Wait for the other end of a pipe to be closed, in a thread; a worker may not have inherited it."""
    try:
        if not stat.S_ISFIFO(os.fstat(pipe).st_mode):
            return None
    except OSError:
        return None

    def wait() -> None:
        os.read(pipe, 1)
        end()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread
