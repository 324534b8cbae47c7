"""The application that a server runs: wrapped in the probe and, if there is a policy, in postel.

The doctor writes a module of two lines that calls :func:`served`. If the doctor ends, even if it is killed,
its end of a pipe is closed, and the processes of the server then kill themselves.
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
    """Create the application, without postel if the policy is empty."""
    watch(pipe, lambda: os.killpg(0, signal.SIGKILL))
    application = Application.named(name, factory=factory)
    return application.probed(Policy.parse(policy) if policy else None)


def watch(pipe: int, end: Callable[[], object]) -> threading.Thread | None:
    """Call ``end`` when the other end of a pipe is closed; does nothing in a worker without the pipe."""
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
