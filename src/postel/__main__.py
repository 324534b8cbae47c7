"""The commands: ``postel``, or ``python -m postel``."""

from __future__ import annotations

import sys

_INTERRUPTED = 130
"""The exit code after Ctrl-C: 128 and the number of the signal, as in a shell."""


def main() -> int:
    """Run a command; Ctrl-C ends it quietly, also while modules are still being imported."""
    try:
        from postel.cli import main as run  # noqa: PLC0415

        return run()
    except KeyboardInterrupt:
        return _INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
