"""Observers: callables that receive reports, and the one that writes the log."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from traceback import walk_tb
from typing import Final, TypeAlias, final

from postel._alphabet.printable import quoted_octets
from postel._catalogue.check import Action, Component
from postel._catalogue.kinds import Kind
from postel._errors import PolicyError
from postel._http.received import BLIND
from postel._http.report import Report

Observer: TypeAlias = Callable[[Report], object]
"""A callable that receives the report of each request in which something was found."""

INTERVAL: Final = 10.0
"""Seconds in which the log lines about one kind are limited to ``BURST``."""
BURST: Final = 5
"""The most log lines about one kind in an interval; further requests of this kind are only counted."""
_BODIES: Final = frozenset({Component.FORM, Component.JSON})
"""Components that are never quoted, because they may hold passwords."""
_TARGET: Final = 200
"""The most octets of a target in a log line."""
_PREFIX: Final = 64
"""The most octets of a prefix in a log line."""
_OF_PREFIX: Final = frozenset(
    {Kind.LEADING_SLASHES, Kind.EMPTY_SEGMENT, Kind.MISSING_SLASH, Kind.PREFIX_MISMATCH}
)
"""The kinds of findings that appear if the server's prefix ends in a slash."""


def logger() -> logging.Logger:
    """Return the logger ``postel``.

    It is not created on import: ``logging.config.dictConfig`` disables the loggers that exist, unless it is
    told not to. Django calls it after the module that wraps the application has imported postel.
    """
    return logging.getLogger("postel")


@final
class LogObserver:
    """Writes one line for a request to the logger ``postel``.

    The line is a warning if the request is refused, and info if it is redirected or something is reported. If
    it is only edited, the line is for debugging, and lists the edits. For each kind and level, at most five
    lines are written in ten seconds, and a later line says how many requests were not logged. A line is
    printable ASCII of bounded length. Its record has fields, ``postel_id`` and others, for formatters that
    write JSON.

    >>> from postel.wsgi import NormalizeMiddleware
    >>> wrapped = NormalizeMiddleware(lambda environ, start_response: [], observer=LogObserver())
    """

    __slots__ = ("_clock", "_lock", "_windows")

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """``clock`` returns seconds; raises :class:`PolicyError` if it cannot be called."""
        if not callable(clock):
            raise PolicyError(f"LogObserver({clock!r}): clock is a function; write LogObserver()")
        self._clock = clock
        self._lock = threading.Lock()
        self._windows: dict[tuple[Kind, int], tuple[float, int]] = {}

    def __call__(self, report: Report) -> None:
        """Log a report."""
        logged = [each for each in report.findings if each.action in {Action.REPORT, Action.REJECT}]
        refused = report.refused and report.location is None
        tells = logged or report.location is not None
        level = logging.WARNING if refused else logging.INFO if tells else logging.DEBUG
        if not (report.findings and logger().isEnabledFor(level)):
            return
        logged = logged or list(report.findings)
        first = next((each for each in logged if each.action is Action.REJECT), logged[0])
        if first.component in _BODIES:
            first = replace(first, excerpt=b"")
        unlogged = self._unlogged(first.kind, level)
        if unlogged is None:
            return
        more = len(logged) - 1 + report.truncated
        least = "at least " if report.truncated else ""
        method = quoted_octets(report.method.encode(errors="replace")[:16])
        target = quoted_octets(report.received_target[:_TARGET])
        client = quoted_octets(report.client.encode(errors="replace")[:64])
        kinds = list(dict.fromkeys(each.kind.slug for each in logged))
        fields: dict[str, object] = {
            "verdict": report.verdict,
            "id": report.id,
            "method": method[1:-1],
            "target": target[1:-1],
            "client": client[1:-1],
            "kinds": kinds,
            "finding": str(first),
            "findings": more + 1,
            "unlogged": unlogged,
        }
        logger().log(
            level,
            "%s %s %s from %s: %s%s%s%s",
            report.verdict,
            method,
            target,
            client,
            first,
            f"; {least}{more} more finding{'s' * (more > 1)}" if more else "",
            f"; {unlogged} more request{'s' * (unlogged > 1)} of this kind not logged" if unlogged else "",
            f"; id {report.id}" if report.id else "",
            extra={f"postel_{name}": value for name, value in fields.items()},
        )

    def _unlogged(self, kind: Kind, level: int) -> int | None:
        """How many requests of a kind went unlogged before this one; ``None`` if this one is not logged."""
        now = self._clock()
        with self._lock:
            since, count = self._windows.get((kind, level), (now, 0))
            if now - since >= INTERVAL:
                self._windows[kind, level] = (now, 1)
                return max(0, count - BURST)
            self._windows[kind, level] = (since, count + 1)
        return 0 if count < BURST else None


@final
class Observation:
    """Calls an observer. If it raises, that is logged once, and the request goes on."""

    __slots__ = ("_expected", "_explained", "_failed", "_is_blind", "_observer")

    def __init__(self, observer: Observer, expected: str | None) -> None:
        """Wrap an observer; ``expected`` is the setting ``prefix=``."""
        self._observer = observer
        self._expected = expected
        self._failed = False
        self._explained = False
        self._is_blind = False

    def notify(self, report: Report) -> None:
        """Call the observer with a report."""
        try:
            self._observer(report)
        except Exception as error:  # the observer is foreign code, and must not stop requests
            if not self._failed:
                self._failed = True
                # The message of the exception is not logged: it may hold what the client sent.
                logger().error(
                    "the observer %r raised %s in %s; correct it; requests go on, and this is logged once",
                    self._observer,
                    type(error).__name__,
                    _place_of(error),
                )

    def warn_blind(self, report: Report) -> None:
        """Log once that the server hands over only the decoded path, which does not show all faults."""
        if not self._is_blind and report.blind >= BLIND:
            self._is_blind = True
            logger().warning(
                "the server hands over only the decoded path, so %d kinds of faults cannot be detected in "
                "it, such as %s; report_of(request).blind names all of them; this is logged once",
                len(report.blind),
                Kind.ENCODED_SLASH.slug,
            )

    def explain(self, key: str, prefix: object, report: Report) -> None:
        """Log once that requests are refused because the server names no prefix, or one that ends in a slash.

        ``key`` is the server's name for the prefix, such as ``root_path``. uvicorn writes the prefix in front
        of the path: with ``--root-path /`` every ``/x`` becomes ``//x``, and all requests are refused.
        """
        if self._explained or report.target is not None:
            return
        kinds = {each.kind for each in report.findings if each.action is Action.REJECT}
        if self._expected and not prefix and Kind.PREFIX_MISMATCH in kinds:
            self._explained = True
            wanted = quoted_octets(self._expected.encode()[:_PREFIX])
            logger().error(
                "requests without a prefix %s, because prefix= is %s: set %s of the server to %s, or leave "
                "prefix= out; this is logged once",
                "are refused" if report.enforced else "would be refused",
                wanted,
                key,
                wanted,
            )
        elif isinstance(prefix, str) and prefix.endswith("/") and kinds & _OF_PREFIX:
            self._explained = True
            octets = prefix.encode(errors="replace")
            bare = octets.rstrip(b"/")
            logger().error(
                'every request %s: %s of the server is %s and ends in a slash, so that "/x" becomes %s; '
                "%s; this is logged once",
                "is refused" if report.enforced else "would be refused",
                key,
                quoted_octets(octets[:_PREFIX]),
                quoted_octets(octets[:_PREFIX] + b"/x"),
                f"write {quoted_octets(bare[:_PREFIX])}"
                if bare
                else 'leave it out, or write a path such as "/app"',
            )


def _place_of(error: Exception) -> str:
    """Say where an exception was raised. The file and the line do not come from the client."""
    *_, (frame, line) = walk_tb(error.__traceback__)
    return f"{frame.f_code.co_filename}, line {line}"
