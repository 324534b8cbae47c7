"""``postel scan``: judge the requests in access logs under a policy."""

from __future__ import annotations

import argparse
import contextlib
import stat
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Final, TypeVar, final

from postel import Policy
from postel.cli._command import FINE, REFUSED, Command, Parser
from postel.cli._console import Colour, Console
from postel.cli._page_file import expect_page, path_argument, written_at_end
from postel.cli._policy_argument import expect_policy
from postel.cli._progress import progress_bar
from postel.scan import (
    FORMATS,
    EarlierReport,
    Fields,
    JsonLines,
    LineFormat,
    LogError,
    Part,
    Progress,
    Span,
    Summary,
    Tally,
    Unreadable,
    compared,
    count_stream,
    described,
    page_of,
    parts_of,
    report_lines,
)
from postel.scan._detection import UNRECOGNISED
from postel.scan._json_guess import GuessedJson
from postel.scan._parts import counted_parts

T = TypeVar("T")

_STANDARD_INPUT: Final = "-"
_JSON: Final = "json"
_LONGEST: Final = 64 * 1024 * 1024
"""The most octets of an earlier report that are read; ordinary reports have a few thousand."""
_ADVICE: Final = {
    UNRECOGNISED: "the format is not recognised: name it with --format, describe it with --log-format, or "
    "name the fields of JSON lines with --field",
}
"""Messages of ``postel.scan`` whose advice is for Python, with advice for the command line."""


def _expect_logs(parser: Parser) -> None:
    parser.add_argument("logs", metavar="LOG", nargs="*", help="'-' or no LOG reads standard input")


def _expect_options(parser: Parser) -> None:
    expect_policy(parser)
    parser.add_argument(
        "--format",
        choices=[*FORMATS, _JSON],
        metavar="NAME",
        help=f"{', '.join(FORMATS)} or {_JSON}; default: detected from the log; gunicorn is never detected",
    )
    parser.add_argument(
        "--log-format",
        metavar="TEXT",
        help="nginx's log_format or Apache's LogFormat, such as '$remote_addr \"$request\" $status'",
    )
    parser.add_argument(
        "--field",
        action="append",
        default=[],
        dest="fields",
        metavar="WHAT=FIELD",
        help="a field of JSON lines, such as target=request_uri or agent=headers.User-Agent; may be repeated",
    )
    parser.add_argument(
        "--since", metavar="TIME", help="skip requests before TIME, such as 2026-10-10 or 2026-10-10T13:55"
    )
    parser.add_argument("--until", metavar="TIME", help="skip requests from TIME on")
    parser.add_argument(
        "--against",
        type=_earlier_report,
        metavar="FILE",
        help="show what has changed since an earlier report, which --json has written",
    )
    parser.add_argument(
        "--workers", type=_number, metavar="N", help="number of processes; default: one for each processor"
    )
    expect_page(parser)


def _number(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= 1024:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text[:64]!a}: write a number from 1 to 1024")


def _earlier_report(text: str) -> EarlierReport:
    try:
        with path_argument(text).open("rb") as file:
            return EarlierReport.parse(file.read(_LONGEST))
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text[:200]!a}: {error.strerror}") from None
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text[:200]!a}: {error}") from None


def _run(args: argparse.Namespace, console: Console) -> int:
    format_, span = _format(args), _span(args)
    _keep_logs(args)
    with contextlib.ExitStack() as files:
        # Open the page first, so that a long scan is not lost if it cannot be written.
        write = None if args.html is None else files.enter_context(written_at_end(args.html))
        logs = _Logs(args, console, format_, span)
        summary = Summary.of(logs.tally())
        against = [] if args.against is None else list(compared(args.against, summary))
        if logs.failed and not (logs.read or args.json):
            return REFUSED  # a report without a log would only hide the errors
        if args.json:
            console.out.json({**summary.as_json(), **({"against": against} if against else {})})
        else:
            for line in report_lines(summary, console.out.strong, against=against):
                console.out.line(line)
        console.out.flush()
        # If a log failed and nothing was read, an earlier page stays.
        if write is not None and (summary.requests or not (logs.failed or logs.damaged)):
            write(page_of(summary, against=against))
    for log in logs.damaged:
        logs.complain(f"{_named(log)}: the compressed log is cut off or damaged, so no policy is suggested")
    if summary.is_mostly_unread:
        formats = ", ".join(summary.formats)
        lines = f"{summary.unread:,} of {summary.lines:,} lines"
        logs.complain(f"{lines} could not be read as {formats}, so no policy is suggested")
    if span is not None and not summary.requests and not logs.failed:
        label = console.err.painted("note:", Colour.NOTED)
        console.complain(f"{label} no request is in the selected span ({span})")
    return REFUSED if logs.failed else FINE


@final
class _Logs:
    """The logs to scan.

    ``failed`` tells whether some log could not be read, and ``read`` how many logs or parts were. ``damaged``
    holds the names of compressed logs that were read only up to a fault.
    """

    def __init__(
        self, args: argparse.Namespace, console: Console, format_: LineFormat | None, span: Span | None
    ) -> None:
        self._args = args
        self._console = console
        self._format = format_
        self._span = span
        self.failed = False
        self.read = 0
        self.damaged: list[str] = []

    def tally(self) -> Tally:
        """Count all logs. A log that cannot be read does not stop the others."""
        policy: Policy = self._args.policy
        tally = Tally(policy)
        names: list[str] = self._args.logs or [_STANDARD_INPUT]
        parts: list[Part] = []
        streams: list[str] = []
        seen: set[tuple[int, int]] = set()
        for log in names:
            with self._complaining(log):
                if log == _STANDARD_INPUT or _is_stream(log):
                    streams.append(log)
                elif (same := _identity(log)) in seen:
                    label = self._console.err.painted("note:", Colour.NOTED)
                    self._console.complain(f"{label} {_named(log)} is named twice, and read once")
                else:
                    seen.add(same)
                    parts += parts_of(path_argument(log), self._format, span=self._span)
        octets = None if streams else sum(part.end - part.start for part in parts)
        with progress_bar(self._console, octets) as progress:
            for log in streams:
                with self._complaining(log):
                    self._add(log, self._count(log, policy, progress), tally)
            for part, counted in counted_parts(parts, policy, workers=self._args.workers, progress=progress):
                with self._complaining(part.path):
                    self._add(part.path, counted(), tally)
        return tally

    def _add(self, log: str, counted: Tally, tally: Tally) -> None:
        """Add what was counted in a log, or in a part of it."""
        self.read += 1
        tally.update(counted)
        if counted.unreadable[Unreadable.CUT_OFF.value]:
            self.damaged.append(log)

    def _count(self, log: str, policy: Policy, progress: Progress | None) -> Tally:
        if log != _STANDARD_INPUT:
            with path_argument(log).open("rb", buffering=0) as raw:
                return count_stream(raw, policy, self._format, name=log, span=self._span, progress=progress)
        if sys.stdin is None:  # closed at start
            return Tally(policy)
        if sys.stdin.isatty():
            self._console.complain("postel scan: reading a log from the terminal; Ctrl-D ends it")
        return count_stream(sys.stdin.buffer, policy, self._format, span=self._span, progress=progress)

    @contextlib.contextmanager
    def _complaining(self, log: str) -> Generator[None, None, None]:
        try:
            yield
        except (OSError, LogError, argparse.ArgumentTypeError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            self.complain(f"{_named(log)}: {_ADVICE.get(reason, reason)}")

    def complain(self, words: str) -> None:
        """Report a log that could not be read, and remember that one failed."""
        self.failed = True
        self._console.complain(f"{self._console.err.painted('error:', Colour.BAD)} {words}")


def _named(log: str) -> str:
    return "standard input" if log == _STANDARD_INPUT else f"{log[:200]!a}"


def _keep_logs(args: argparse.Namespace) -> None:
    """Raise ``ArgumentTypeError`` if the page would replace one of the logs."""
    page: Path | None = args.html
    if page is None:
        return
    for log in args.logs:
        with contextlib.suppress(OSError, ValueError):  # one of them does not exist, or has no valid name
            if not page.samefile(log):
                continue
            raise argparse.ArgumentTypeError(
                f"argument --html: {log[:200]!a} is one of the logs; "
                "name a new file, such as --html report.html"
            )


def _identity(log: str) -> tuple[int, int]:
    """Return what two names of one file have in common."""
    found = path_argument(log).stat()
    return found.st_dev, found.st_ino


def _is_stream(log: str) -> bool:
    """Whether a log can be read only once, such as the pipe of ``<(zcat ...)``."""
    mode = path_argument(log).stat().st_mode
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _format(args: argparse.Namespace) -> LineFormat | None:
    if args.fields and args.format not in {None, _JSON}:
        raise argparse.ArgumentTypeError("--field is for JSON lines: write --format json, or no --format")
    if args.log_format is not None:
        if args.fields or args.format:
            raise argparse.ArgumentTypeError("--log-format cannot be combined with --format or --field")
        if args.log_format in {*FORMATS, _JSON}:
            name = args.log_format
            raise argparse.ArgumentTypeError(f"{name} is the name of a format: write --format {name}")
        return _understood(lambda: described(args.log_format))
    if args.fields:
        return _understood(lambda: JsonLines(Fields.parse(args.fields)))
    if args.format == _JSON:
        return GuessedJson()
    return FORMATS[args.format] if args.format else None


def _span(args: argparse.Namespace) -> Span | None:
    if args.since is None and args.until is None:
        return None
    return _understood(lambda: Span.parse(args.since, args.until))


def _understood(read: Callable[[], T]) -> T:
    try:
        return read()
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


SCAN: Final = Command(
    name="scan",
    summary="judge the requests in access logs, and suggest a policy",
    details="Every target is judged as the middleware would judge it.\n"
    "Logs may be compressed with gzip, bzip2, xz or zstd.\n"
    "Exit codes: 0 all logs were read, 1 some could not be read, 2 wrong usage.",
    example="""\
$ postel scan access.log access.log.1 access.log.2.gz""",
    options=_expect_options,
    arguments=_expect_logs,
    run=_run,
)
