"""Parts: what a scan of several logs is cut into, so that each part can be counted anywhere."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias, final

from postel import Policy
from postel.scan._counting import Count, Judge
from postel.scan._detection import format_for
from postel.scan._line import LineFormat
from postel.scan._opening import Log
from postel.scan._reading import count_blocks, lines_between
from postel.scan._span import Span, within
from postel.scan._tally import Tally

Progress: TypeAlias = Callable[[int], object]
"""Told of octets of logs that have been read, since it was told last."""

PART: Final = 32 * 1024 * 1024
"""Octets of a part: some seconds of work."""


@final
@dataclass(frozen=True, slots=True)
class Part:
    """Some lines of a log, in a format: those that begin in a range of octets. It pickles.

    >>> from postel.scan import FORMATS
    >>> Part("access.log", FORMATS["combined"], 0, 4096, is_compressed=False).end
    4096
    """

    path: str
    """The path of the log."""
    format: LineFormat
    """What its lines are read with."""
    start: int
    """Octets of the log in front of the range."""
    end: int
    """Octets of the log up to the end of the range."""
    is_compressed: bool
    """Then the range is all of it."""

    def count(self, policy: Policy = Policy.STANDARD) -> Tally:
        """The tally of this part."""
        tally = Tally(policy)
        self.count_into(tally, Judge(policy), None)
        return tally

    def count_into(self, tally: Tally, judge: Judge, progress: Progress | None) -> None:
        """Count this part into a tally."""
        count = Count(judge, self.format, tally)
        with opened(self.path) as (raw, log):
            blocks = log.blocks() if self.is_compressed else lines_between(log, self.start, self.end)
            count_blocks(_told(blocks, raw, progress, self.start), count)
            if log.damaged is not None:
                count.reject(log.damaged, os.fsencode(self.path))


@contextlib.contextmanager
def opened(path: str) -> Generator[tuple[BinaryIO, Log], None, None]:
    """A log that is open while the block runs."""
    with Path(path).open("rb", buffering=0) as raw:
        log = Log(raw)
        try:
            yield raw, log
        finally:
            log.close()


def _told(blocks: Iterable[bytes], raw: BinaryIO, progress: Progress | None, start: int) -> Iterator[bytes]:
    """The same blocks; on the way, say how far the file has been read."""
    told = start
    for block in blocks:
        yield block
        if progress is not None:
            progress(raw.tell() - told)
            told = raw.tell()


def parts_of(
    path: str | os.PathLike[str],
    format_: LineFormat | None = None,
    *,
    size: int = PART,
    span: Span | None = None,
) -> list[Part]:
    """The parts of a log, each of about so many octets; of a compressed one, one part.

    The format is detected in its first lines, unless it is given. An ``OSError`` where the log cannot be
    opened, a :class:`LogError` where it cannot be decompressed or nobody knows its format. With ``span``,
    only lines of that time are counted.

    >>> parts_of("no.log")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'no.log'
    """
    text = os.fspath(path)
    with opened(text) as (_, log):
        form = within(_format_of(log, format_)[1], span)
        end = Path(text).stat().st_size
        if log.is_compressed:
            return [Part(text, form, 0, end, is_compressed=True)]
    return [
        Part(text, form, start, min(start + size, end), is_compressed=False) for start in range(0, end, size)
    ]


def _format_of(log: Log, format_: LineFormat | None) -> tuple[bytes, LineFormat]:
    """The first octets of a log, and the format that they are of."""
    head = log.head() if format_ is None else log.read()
    return head, format_for(head, format_)


def count_stream(  # noqa: PLR0913 - options, each by its name
    stream: BinaryIO,
    policy: Policy = Policy.STANDARD,
    format_: LineFormat | None = None,
    *,
    name: str = "-",
    span: Span | None = None,
    progress: Progress | None = None,
) -> Tally:
    """The tally of a stream of octets, which is read once from where it stands to its end.

    A :class:`LogError` where it is compressed and cannot be decompressed, or nobody knows its format.
    ``name`` stands for it in reports; ``progress`` is told of octets, without compression.

    >>> import io
    >>> from postel.scan import FORMATS
    >>> count_stream(io.BytesIO(b"nonsense"), format_=FORMATS["combined"]).unreadable.total()
    1
    """
    tally = Tally(policy)
    log = Log(stream)
    try:
        head, form = _format_of(log, format_)
        count = Count(Judge(policy), within(form, span), tally)
        count_blocks(_measured(_after(head, log), progress), count)
        if log.damaged is not None:
            count.reject(log.damaged, name.encode())
    finally:
        log.close()
    return tally


def _after(head: bytes, log: Log) -> Iterator[bytes]:
    yield head
    yield from log.blocks()


def _measured(blocks: Iterator[bytes], progress: Progress | None) -> Iterator[bytes]:
    for block in blocks:
        yield block
        if progress is not None:
            progress(len(block))


def count_parts(
    parts: Sequence[Part],
    policy: Policy = Policy.STANDARD,
    *,
    workers: int = 1,
    progress: Progress | None = None,
) -> Tally:
    """The tally of parts, counted here or by so many processes; ``progress`` is told of octets read.

    An ``OSError`` or :class:`LogError` where a log can no longer be read.

    >>> count_parts([]).lines
    0
    """
    tally = Tally(policy)
    if workers <= 1 or len(parts) <= 1:
        judge = Judge(policy)
        for part in parts:
            part.count_into(tally, judge, progress)
        return tally
    # Spawned: a fork would copy the threads of a progress bar half. Ctrl-C is this process's to act on.
    with ProcessPoolExecutor(
        min(workers, len(parts)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    ) as pool:
        waiting = iter(parts)
        running: dict[Future[Tally], Part] = {}
        try:
            while True:
                # Few at a time: whatever is counted and not summed yet, is held here.
                for part in islice(waiting, 2 * workers - len(running)):
                    running[pool.submit(part.count, policy)] = part
                if not running:
                    return tally
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    counted = running.pop(done)
                    tally.update(done.result())
                    if progress is not None:
                        progress(counted.end - counted.start)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
