"""``postel doctor``: find requests that an application reads in two ways."""

from __future__ import annotations

import argparse
import contextlib
import shlex
import signal
import sys
import textwrap
import threading
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Final

from postel.cli._command import FINE, MISUSED, REFUSED, Command, Parser
from postel.cli._console import Colour, Console
from postel.cli._page_file import expect_page, written_at_end
from postel.cli._policy_argument import expect_policy

if TYPE_CHECKING:
    from postel.doctor import Examination
    from postel.doctor._asking import Asker
    from postel.doctor._routes import Route

# These repeat names and numbers of the doctor, which the other commands do not import.
_SERVERS: Final = (
    "uvicorn",
    "gunicorn",
    "hypercorn",
    "granian",
    "waitress",
    "daphne",
    "wsgiref",
    "in-process",
)
_SOURCES: Final = ("openapi", "urlconf", "url_map", "routes")
_SECONDS: Final = 10.0
"""The timeout of an answer."""
_MOST_SECONDS: Final = 600
"""The longest timeout of an answer, in seconds; the doctor limits an examination to the same time."""
_SLOW: Final = 10.0
"""Seconds after which a message says that the import is still running."""
_WARNING: Final = (
    "The application gets hundreds of requests, or thousands if it has many routes. In some\n"
    "applications, even GET changes data: use a test database, and turn off services that send mail\n"
    "or take payments."
)


def _expect_application(parser: Parser) -> None:
    parser.add_argument("application", metavar="MODULE:APP", help="module:attribute, as for a server")


def _expect_options(parser: Parser) -> None:
    expect_policy(parser)
    parser.add_argument(
        "--factory", action="store_true", help="APP is a function that returns the application"
    )
    parser.add_argument(
        "--server",
        choices=_SERVERS,
        metavar="NAME",
        help="the server that runs the application; default: the first one that is installed, or else "
        "in-process",
    )
    parser.add_argument(
        "--server-args",
        type=_words,
        default=[],
        metavar="ARGS",
        help="more arguments for the server, such as --server-args=--proxy-headers",
    )
    parser.add_argument(
        "--route",
        action="append",
        default=[],
        dest="routes",
        metavar="PATH",
        help="a page to request, such as /admin or 'POST /path name=value'; may be repeated",
    )
    parser.add_argument(
        "--routes-from",
        choices=_SOURCES,
        metavar="WHAT",
        help=f"read routes only from this source: {', '.join(_SOURCES[:-1])} or {_SOURCES[-1]}",
    )
    parser.add_argument(
        "--header",
        action="append",
        default=[],
        dest="headers",
        metavar="FIELD",
        help="a header field for each request, such as 'Cookie: a=b'; may be repeated",
    )
    parser.add_argument("--unsafe-methods", action="store_true", help="also send POST requests")
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=_SECONDS,
        metavar="S",
        help=f"seconds for each answer, at most {_MOST_SECONDS}; default: {_SECONDS:.0f}",
    )
    parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")
    expect_page(parser)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        fault = (
            "a quotation mark is not closed" if "quotation" in str(error) else "nothing follows a backslash"
        )
        raise argparse.ArgumentTypeError(f"{text[:200]!a}: {fault}") from None


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0 < (seconds := float(text)) <= _MOST_SECONDS:
            return seconds
    raise argparse.ArgumentTypeError(
        f"{text[:200]!a}: write seconds, more than 0 and at most {_MOST_SECONDS}"
    )


def _run(args: argparse.Namespace, console: Console) -> int:
    # Import the doctor here, because the other commands do not need it.
    from postel.doctor import ApplicationError  # noqa: PLC0415
    from postel.doctor._page import page_of  # noqa: PLC0415
    from postel.doctor._report import report_lines  # noqa: PLC0415

    with contextlib.ExitStack() as files:
        write = None if args.html is None else files.enter_context(written_at_end(args.html))
        try:
            # Keep the application's own output out of the report.
            with contextlib.redirect_stdout(sys.stderr):
                examination = _examined(args, console)
        except ApplicationError as error:
            label = console.err.painted("error:", Colour.BAD)
            console.complain(f"postel doctor: {label} {error}")
            return MISUSED
        if args.json:
            console.out.json(examination.as_json())
        else:
            for line in report_lines(examination, console.out.strong):
                console.out.line(line)
        console.out.flush()
        if write is not None:
            write(page_of(examination))
    return REFUSED if examination.behind else FINE


def _examined(args: argparse.Namespace, console: Console) -> Examination:
    from postel.doctor._application import Application  # noqa: PLC0415 - as above
    from postel.doctor._asking import socket_asker  # noqa: PLC0415
    from postel.doctor._examination import IN_PROCESS, examined  # noqa: PLC0415
    from postel.doctor._request import field_of  # noqa: PLC0415
    from postel.doctor._routes import Route, known_routes  # noqa: PLC0415
    from postel.doctor._sender import Sender  # noqa: PLC0415
    from postel.doctor._servers import Service, server_for  # noqa: PLC0415

    fields = [_field(field_of, text) for text in args.headers]
    routes = [_route(Route.parse, text, unsafe_methods=args.unsafe_methods) for text in args.routes]
    with _mentioned(console, f"{args.application!a} is still being imported; Ctrl-C stops it"):
        application = Application.named(args.application, factory=args.factory)
    routes += known_routes(application, args.routes_from)
    wanted = args.server
    server = None if wanted == IN_PROCESS else server_for(application.protocol, wanted)
    if args.server_args and server is None:
        raise argparse.ArgumentTypeError("--server-args needs a server; in-process starts none")
    _warn(console, asked=not args.yes)
    with contextlib.ExitStack() as running:
        running.enter_context(_terminated())
        progress = running.enter_context(_progress(console))
        askers: list[Asker] = []
        for policy in (None, args.policy):
            if server is None:
                askers.append(application.asker(policy, args.timeout))
                continue
            service = Service(server, args.server_args, application, args.application, args.factory)
            askers.append(socket_asker(running.enter_context(service.running(policy)), args.timeout))
        return examined(
            application,
            name=args.application,
            server=server or IN_PROCESS,
            policy=args.policy,
            senders=[Sender(ask, fields, progress) for ask in askers],
            routes=list(dict.fromkeys(routes)),
            unsafe_methods=args.unsafe_methods,
        )


def _field(field_of: Callable[[str, str], tuple[bytes, bytes]], text: str) -> tuple[bytes, bytes]:
    name, colon, value = text.partition(":")
    try:
        if not colon:
            raise ValueError("write 'Name: value'")
        return field_of(name, value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"--header {text[:200]!a}: {error}") from None


def _route(parse: Callable[[str], Route], text: str, *, unsafe_methods: bool) -> Route:
    try:
        route = parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"--route {error}") from None
    if not route.is_read and not unsafe_methods:
        raise argparse.ArgumentTypeError(
            f"--route: {route.request.line()} is sent only with --unsafe-methods"
        )
    return route


def _warn(console: Console, *, asked: bool) -> None:
    if not asked:
        return
    console.complain(*_WARNING.split("\n"))
    if sys.stdin is None or not sys.stdin.isatty():
        raise argparse.ArgumentTypeError("standard input is not a terminal; confirm with --yes")
    console.complain("Go on? [y/N]")
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise argparse.ArgumentTypeError("not confirmed, so no request was sent")


@contextlib.contextmanager
def _mentioned(console: Console, words: str) -> Generator[None, None, None]:
    """Print ``words`` if the block is still running after some seconds."""
    timer = threading.Timer(_SLOW, console.complain, [f"postel doctor: {words}"])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextlib.contextmanager
def _terminated() -> Generator[None, None, None]:
    """Let SIGTERM end the command as Ctrl-C does, so that the servers are stopped."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def _progress(console: Console) -> Generator[Callable[[int], object] | None, None, None]:
    """Count the requests on one line of a terminal, which is erased at the end."""
    if not console.err.is_terminal:
        yield None
        return
    sent = 0

    def count(requests: int) -> None:
        nonlocal sent
        sent += requests
        if sent % 20 == 0:
            sys.stderr.write(f"\r{sent:,} requests")
            sys.stderr.flush()

    try:
        yield count
    finally:
        sys.stderr.write("\r" + " " * 24 + "\r")
        sys.stderr.flush()


DOCTOR: Final = Command(
    name="doctor",
    summary="find requests that an application reads in two ways",
    details="Runs the application on this machine, once without postel and once behind a\n"
    "policy. Connects to no other host.\n"
    f"{textwrap.fill('Servers: ' + ', '.join(_SERVERS) + '.', 76)}\n"
    "Exit codes: 0 no finding behind the policy, 1 findings, 2 wrong usage.",
    example="""\
$ postel doctor examples.guarded:bare --server in-process --yes""",
    options=_expect_options,
    arguments=_expect_application,
    run=_run,
)
