"""Observers: who is told of a request that something was found in, and the one that writes the log."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final, TypeAlias, final

from postel._catalogue import Kind, quoted
from postel._check import Action
from postel._report import Report

Observer: TypeAlias = Callable[[Report], object]
"""Called with the report of every request in which something was found."""

LOGGER: Final = logging.getLogger("postel")
INTERVAL: Final = 10.0
"""Seconds for which a kind that was logged is then only counted, once it has had its burst."""
BURST: Final = 5
"""Lines of a kind in one interval before it is only counted."""
_TARGET: Final = 200
"""The most octets of a target in a log line."""
_PREFIX: Final = 64
"""The most octets of a prefix in a log line."""
_OF_PREFIX: Final = frozenset(
    {Kind.LEADING_SLASHES, Kind.EMPTY_SEGMENT, Kind.MISSING_SLASH, Kind.PREFIX_MISMATCH}
)
"""What a prefix that ends in a slash leads to."""


@final
class LogObserver:
    """Writes one line a request on logger ``postel``: a warning where it is refused, else information.

    A redirect is information.

    Only REPORT and REJECT are worth a line. A flood of one kind leaves a few lines an interval, the next of
    which says how many there were. A line is printable ASCII, of bounded length.

    >>> from postel.wsgi import NormalizeMiddleware
    >>> wrapped = NormalizeMiddleware(lambda environ, start_response: [], observer=LogObserver())
    """

    __slots__ = ("_clock", "_lock", "_windows")

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """``clock`` gives seconds."""
        self._clock = clock
        self._lock = threading.Lock()
        self._windows: dict[Kind, tuple[float, int]] = {}

    def __call__(self, report: Report) -> None:
        """Write what there is to say of a request."""
        told = [each for each in report.findings if each.action in {Action.REPORT, Action.REJECT}]
        if not told:
            return
        first = next((each for each in told if each.action is Action.REJECT), told[0])
        refused = report.refused and report.location is None
        level = logging.WARNING if refused else logging.INFO
        if not LOGGER.isEnabledFor(level):
            return
        hidden = self._hidden(first.kind)
        if hidden is None:
            return
        done, would = ("refused", "would refuse") if refused else ("redirected", "would redirect")
        verdict = (done if report.enforced else would) if refused or report.location else "reported"
        more = len(told) - 1 + report.omitted
        least = "at least " if report.refused and report.omitted else ""
        LOGGER.log(
            level,
            "%s %s %s from %s: %s%s%s",
            verdict,
            quoted(report.method.encode(errors="replace")[:16]),
            quoted(report.received_target[:_TARGET]),
            quoted(report.client.encode(errors="replace")[:64]),
            first,
            f"; {least}{more} more findings" if more else "",
            f"; {hidden} more requests of this kind were not logged" if hidden else "",
        )

    def _hidden(self, kind: Kind) -> int | None:
        """How many requests of a kind went unlogged before this one; ``None`` if this one does, too."""
        now = self._clock()
        with self._lock:
            since, count = self._windows.get(kind, (now, 0))
            if now - since >= INTERVAL:
                self._windows[kind] = (now, 1)
                return max(0, count - BURST)
            self._windows[kind] = (since, count + 1)
        return 0 if count < BURST else None


@final
class Observation:
    """Calls an observer, and never lets it hurt a request: what it raises is logged once."""

    __slots__ = ("_explained", "_failed", "_observer")

    def __init__(self, observer: Observer) -> None:
        """Keep the observer."""
        self._observer = observer
        self._failed = False
        self._explained = False

    def tell(self, report: Report) -> None:
        """Hand over a report."""
        try:
            self._observer(report)
        except Exception as error:  # somebody else's code, in front of every request
            if not self._failed:
                self._failed = True
                # No word of the exception: what is in it may be the client's.
                LOGGER.error(
                    "the observer %r raised %s; this is said once, and requests go on",
                    self._observer,
                    type(error).__name__,
                )

    def explain(self, key: str, prefix: object, report: Report) -> None:
        """Name the cause, once, where requests are refused since the server's prefix ends in a slash.

        ``key`` is the name of the prefix. uvicorn writes it in front of the path: with ``--root-path /``,
        every ``/x`` is ``//x``, and nothing else says why all of them are refused.
        """
        if self._explained or report.target is not None:
            return
        if not (isinstance(prefix, str) and prefix.endswith("/")):
            return
        if not any(each.kind in _OF_PREFIX and each.action is Action.REJECT for each in report.findings):
            return
        self._explained = True
        octets = prefix.encode(errors="replace")
        bare = octets.rstrip(b"/")
        LOGGER.error(
            'every request %s: %s of the server is %s and ends in a slash, so that "/x" becomes %s; '
            "%s; this is said once",
            "is refused" if report.enforced else "would be refused",
            key,
            quoted(octets[:_PREFIX]),
            quoted(octets[:_PREFIX] + b"/x"),
            f"write {quoted(bare[:_PREFIX])}" if bare else 'leave it out, or write a path such as "/app"',
        )
