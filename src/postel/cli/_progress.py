"""A progress bar on terminals, if rich, an optional package, is installed."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Generator

from postel.cli._console import Console
from postel.scan import Progress


@contextlib.contextmanager
def progress_bar(console: Console, octets: int | None) -> Generator[Progress | None, None, None]:
    """Show how many octets have been read while the block runs; ``octets`` is the total if it is known."""
    if not console.err.is_terminal:
        yield None
        return
    try:
        from rich import console as rich_console  # noqa: PLC0415 - an extra, and slow to load
        from rich import progress  # noqa: PLC0415 - as above
    except ImportError:
        yield None
        return
    columns = (
        progress.BarColumn(),
        progress.DownloadColumn(),
        progress.TransferSpeedColumn(),
        progress.TimeRemainingColumn(),
    )
    # The bar disappears at the end, and output of the command is not redirected.
    with progress.Progress(
        *columns,
        console=rich_console.Console(file=sys.stderr),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as bar:
        yield functools.partial(bar.advance, bar.add_task("", total=octets))
