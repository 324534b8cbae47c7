"""A progress bar on terminals, if the extra that draws it is installed."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Generator

from postel.cli._console import Console
from postel.scan import Progress


@contextlib.contextmanager
def progress_bar(console: Console, octets: int | None) -> Generator[Progress | None, None, None]:
    """Show how many octets have been read while the block runs, and of how many if that is known."""
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
    # Other output is printed above the bar, and the bar disappears at the end.
    with progress.Progress(
        *columns,
        console=rich_console.Console(file=sys.stderr),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as bar:
        yield functools.partial(bar.advance, bar.add_task("", total=octets))
