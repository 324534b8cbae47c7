"""Parts: a scan splits logs into parts, which several processes can count."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread
from typing import BinaryIO, Final, TypeAlias, final

from postel import Policy
from postel.scan._counting import Count
from postel.scan._detection import format_for
from postel.scan._judging import Judge
from postel.scan._line import LineFormat
from postel.scan._opening import Log
from postel.scan._reading import count_blocks, lines_between
from postel.scan._span import Span, within
from postel.scan._tally import Tally

Progress: TypeAlias = Callable[[int], object]
"""Called with the number of octets that were read since the last call."""

PART: Final = 16 * 1024 * 1024
"""The size of a part in octets. A part takes about half a second, so all processes end almost together."""
_PACKED: Final = 8
"""The approximate number of decompressed octets for each octet of a compressed log."""


@final
@dataclass(frozen=True, slots=True)
class Part:
    """The lines of a log that begin in a range of octets; can be pickled.

    >>> from postel.scan import FORMATS
    >>> Part("access.log", FORMATS["combined"], 0, 4096, is_compressed=False).end
    4096
    """

    path: str
    """The path of the log."""
    format: LineFormat
    """The format of its lines."""
    start: int
    """The start of the range, as an offset in octets."""
    end: int
    """The end of the range, as an offset in octets."""
    is_compressed: bool
    """Whether the log is compressed; the range is then the whole file."""

    def count(self, policy: Policy = Policy.STANDARD) -> Tally:
        """Count this part."""
        return _counted(self, Tally(policy), Judge(policy), None)


def _counted(part: Part, tally: Tally, judge: Judge, progress: Progress | None) -> Tally:
    """Count a part into an empty tally, and return that."""
    count = Count(judge, part.format, tally)
    with opened(part.path) as (raw, log):
        blocks = log.blocks() if part.is_compressed else lines_between(log, part.start, part.end)
        count_blocks(_with_progress(blocks, raw, progress, part.start), count)
        if log.damaged is not None:
            count.reject(log.damaged, os.fsencode(part.path))
    return tally


@contextlib.contextmanager
def opened(path: str) -> Generator[tuple[BinaryIO, Log], None, None]:
    """Open a log while the block runs."""
    with Path(path).open("rb", buffering=0) as raw:
        log = Log(raw)
        try:
            yield raw, log
        finally:
            log.close()


def _with_progress(
    blocks: Iterable[bytes], raw: BinaryIO, progress: Progress | None, start: int
) -> Iterator[bytes]:
    """Yield the blocks, and report how many octets of the file have been read."""
    position = start
    for block in blocks:
        yield block
        if progress is not None:
            progress(raw.tell() - position)
            position = raw.tell()


def parts_of(
    path: str | os.PathLike[str],
    format_: LineFormat | None = None,
    *,
    size: int = PART,
    span: Span | None = None,
) -> list[Part]:
    """Split a log into parts of about ``size`` octets; a compressed log is one part.

    The format is detected from the first lines, unless it is given. With ``span``, only lines of that time
    are counted. Raises ``OSError`` if the log cannot be opened, :class:`LogError` if it cannot be
    decompressed or its format is not recognised, ``TypeError`` unless ``format_`` is a format, and
    ``ValueError`` for a size below 1.

    >>> parts_of("no.log")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'no.log'
    """
    if size < 1:
        raise ValueError(f"size={size!r}: write a number of octets from 1")
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
    """Return the first octets of a log, and its format."""
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
    """Count a stream from its position to its end, reading it once.

    Reports call the stream ``name``; ``progress`` is called with numbers of decompressed octets. Raises
    :class:`LogError` if the stream cannot be decompressed or its format is not recognised, ``TypeError``
    unless ``stream`` is a binary stream and ``format_`` is a format, and ``PolicyError`` unless ``policy`` is
    a Policy.

    >>> import io
    >>> from postel.scan import FORMATS
    >>> count_stream(io.BytesIO(b"nonsense"), format_=FORMATS["combined"]).unreadable.total()
    1
    """
    tally = Tally(policy)
    if not hasattr(stream, "readinto"):
        raise TypeError(f"stream={stream!r}: open it in binary mode, or use parts_of for a path")
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


def _workers_for(parts: Iterable[Part]) -> int:
    """Return how many processes to start: one for each ``PART`` octets, at most one for each processor."""
    octets = sum((part.end - part.start) * (_PACKED if part.is_compressed else 1) for part in parts)
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(processors, octets // PART))


def count_parts(
    parts: Sequence[Part],
    policy: Policy = Policy.STANDARD,
    *,
    workers: int | None = 1,
    progress: Progress | None = None,
) -> Tally:
    """Count parts, in this process or in several; ``progress`` is called with numbers of octets.

    With ``workers=None``, large logs are counted by as many processes as there are processors.
    Raises ``OSError`` or :class:`LogError` if a log can no longer be read, ``ValueError`` if ``workers`` is
    less than 1, and ``PolicyError`` unless ``policy`` is a Policy.

    >>> count_parts([]).lines
    0
    """
    tally = Tally(policy)
    for _, counted in counted_parts(parts, policy, workers=workers, progress=progress):
        tally.update(counted())
    return tally


def counted_parts(
    parts: Sequence[Part], policy: Policy, *, workers: int | None, progress: Progress | None
) -> Iterator[tuple[Part, Callable[[], Tally]]]:
    """Yield each part with a function that returns its own tally; count parts as ``count_parts`` does.

    The function raises ``OSError`` or :class:`LogError` if the log can no longer be read.
    """
    if workers is None:
        workers = _workers_for(parts)
    if workers < 1:
        raise ValueError(f"workers={workers}: write a number of processes from 1, or None for the default")
    if workers == 1 or len(parts) <= 1:
        judge = Judge(policy)
        for part in parts:
            yield part, partial(_counted, part, Tally(policy), judge, progress)
        return
    # Spawned, because a fork would not copy the threads of a progress bar.
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(
        min(workers, len(parts)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_prepare_process,
    ) as pool:
        waiting = iter(parts)
        running: dict[Future[Tally], Part] = {}
        started: set[BaseProcess] = set()
        try:
            while True:
                # Count few parts at a time, because tallies stay in memory until the caller has summed them.
                for part in islice(waiting, 2 * workers - len(running)):
                    running[_submitted(pool, part, policy)] = part
                    started = started or {*multiprocessing.active_children()} - others
                if not running:
                    started.clear()  # idle processes end with the pool
                    return
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    part = running.pop(done)
                    if progress is not None:
                        progress(part.end - part.start)
                    yield part, partial(_result, done, part, policy)
        finally:
            for process in started:  # the caller reads no further, or there was Ctrl-C
                process.terminate()
            pool.shutdown(wait=False, cancel_futures=True)


def _prepare_process() -> None:
    """Let only the parent handle Ctrl-C, and end this process with the parent, even if that is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if (parent := multiprocessing.parent_process()) is not None:
        Thread(target=_end_with, args=[parent], daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _submitted(pool: ProcessPoolExecutor, part: Part, policy: Policy) -> Future[Tally]:
    try:
        return pool.submit(part.count, policy)
    except BrokenProcessPool as error:
        failed: Future[Tally] = Future()
        failed.set_exception(error)
        return failed


def _result(done: Future[Tally], part: Part, policy: Policy) -> Tally:
    """Return what a process has counted.

    If the system has killed one of the processes, for example because memory ran out, the whole pool is
    broken. The part is then counted in this process.
    """
    try:
        return done.result()
    except BrokenProcessPool:
        return part.count(policy)
