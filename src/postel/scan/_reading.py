"""Reading: get complete lines from blocks of octets.

A log may be split into parts that are read at the same time. Each line belongs to exactly one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from postel.scan._counting import Count
from postel.scan._line import LONGEST, Unreadable
from postel.scan._opening import Log


def count_blocks(blocks: Iterable[bytes], count: Count) -> None:
    """Count the lines in consecutive blocks of octets."""
    pending, skipping = b"", False
    for block in blocks:
        fresh = block
        if skipping:
            _, mark, fresh = block.partition(b"\n")
            if not mark:
                continue
            skipping = False
        octets = pending + fresh
        if b"\r\n" in octets:
            octets = octets.replace(b"\r\n", b"\n")
        lines, mark, pending = octets.rpartition(b"\n")
        if mark:
            count.add(lines)
        if len(pending) > LONGEST + 1:  # the last octet may be the CR of the line end
            count.reject(Unreadable.TOO_LONG, pending)
            pending, skipping = b"", True
    count.add(pending.removesuffix(b"\r"))


def lines_between(log: Log, start: int, end: int) -> Iterator[bytes]:
    """Yield the octets of all lines that begin at ``start`` or later and before ``end``, block by block."""
    position = max(0, start - 1)
    log.seek(position)
    inside = start == 0
    for block in log.blocks():
        fresh = block
        if not inside:
            # The line that contains octet start - 1 belongs to another part.
            first, mark, fresh = block.partition(b"\n")
            position += len(first) + len(mark)
            if position >= end:
                return
            if not mark:
                continue
            inside = True
        last = fresh.find(b"\n", max(0, end - 1 - position))
        if last >= 0:
            yield fresh[: last + 1]
            return
        yield fresh
        position += len(fresh)
