"""``postel scan``: what a policy would make of the requests in access logs."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Final

from postel import Policy
from postel.cli._check import policy_of
from postel.cli._command import FINE, REFUSED, Command, Parser
from postel.cli._console import Colour, Console
from postel.cli._progress import progress_bar
from postel.scan import (
    FORMATS,
    Fields,
    JsonLines,
    LineFormat,
    LogError,
    Part,
    Summary,
    Tally,
    count_parts,
    count_stream,
    page_of,
    parts_of,
    report_lines,
)

_STANDARD_INPUT: Final = "-"
_JSON: Final = "json"


def _expect(parser: Parser) -> None:
    parser.add_argument("logs", metavar="LOG", nargs="*", help="'-', or none at all, is standard input")
    parser.add_argument(
        "--policy", type=policy_of, default=Policy.STANDARD, metavar="TEXT", help="the policy to judge by"
    )
    parser.add_argument(
        "--format",
        choices=[*FORMATS, _JSON],
        metavar="NAME",
        help=f"{', '.join(FORMATS)} or {_JSON}; detected, but for gunicorn and {_JSON}",
    )
    parser.add_argument(
        "--field",
        action="append",
        default=[],
        dest="fields",
        metavar="WHAT=FIELD",
        help="of JSON lines, such as target=request_uri or agent=headers.User-Agent",
    )
    parser.add_argument("--workers", type=_number, default=1, metavar="N", help="processes that count")
    parser.add_argument("--html", type=_file, metavar="FILE", help="write the report as a page, too")


def _number(text: str) -> int:
    if text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= 1024:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text[:64]!a}: a number from 1 to 1024 is asked for")


def _file(text: str) -> Path:
    try:
        if b"\0" not in os.fsencode(text):
            return Path(text)
    except UnicodeEncodeError:
        pass
    raise argparse.ArgumentTypeError(f"{text[:64]!a} cannot be the name of a file")


def _run(args: argparse.Namespace, console: Console) -> int:
    format_ = _format(args)
    code = FINE
    tally = Tally(args.policy)
    parts: list[Part] = []
    for log in args.logs or [_STANDARD_INPUT]:
        try:
            if log == _STANDARD_INPUT:
                if sys.stdin is not None:  # closed before we began
                    tally.update(count_stream(sys.stdin.buffer, args.policy, format_))
            else:
                parts += parts_of(_file(log), format_)
        except (OSError, LogError, argparse.ArgumentTypeError) as error:
            code = REFUSED
            said = (error.strerror if isinstance(error, OSError) else None) or error
            console.complain(f"{console.err.painted('error:', Colour.BAD)} {log[:200]!a}: {said}")
    with progress_bar(console, sum(part.end - part.start for part in parts)) as progress:
        tally.update(count_parts(parts, args.policy, workers=args.workers, progress=progress))
    summary = Summary.of(tally)
    if args.html is not None:
        args.html.write_text(page_of(summary), "utf-8")
    if args.json:
        console.out.json(summary.as_json())
        return code
    for line in report_lines(summary, console.out.strong):
        console.out.line(line)
    return code


def _format(args: argparse.Namespace) -> LineFormat | None:
    if args.fields and args.format not in {None, _JSON}:
        raise argparse.ArgumentTypeError("--field is for lines of JSON: --format json, or none")
    if args.fields or args.format == _JSON:
        try:
            return JsonLines(Fields.parse(args.fields))
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
    return FORMATS[args.format] if args.format else None


SCAN: Final = Command(
    name="scan",
    summary="judge the requests of access logs, and suggest a policy",
    details="Every target is judged as the middleware would judge it.\n"
    "Logs may be compressed with gzip, bzip2 or zstd.",
    example="""\
$ postel scan access.log access.log.1 access.log.2.gz""",
    expect=_expect,
    run=_run,
)
