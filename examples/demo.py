"""``make demo``: send the same URLs to two applications on real servers, without postel and behind it.

Starlette runs on uvicorn and Flask on gunicorn, as in ``starlette_app.py`` and ``flask_app.py`` beside this
file. Both have a guard that keeps everyone from /admin. Each request goes to all four applications over a
plain socket, because a client library would change the URLs of ``REQUESTS``.

The exit code is 0 only if both applications behind postel answered every request as ``REQUESTS`` expects.
"""

import contextlib
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

GUARDED = "403 by the guard"
PASSED = "THE GUARDED PAGE"

REQUESTS = {
    "Ordinary URLs are served unchanged": [
        ("/books/caf%C3%A9?page=2", "title='café' page='2'"),
        ("/books/1+1", "title='1+1'"),
        ("/books/a%2520b", "title='a%20b'"),
        ("/search?q=C%2B%2B+now", "q='C++ now'"),
        ("/search?q=%E8%B5%B7%E5%8F%B8%E5%A0%A1", "q='起司堡'"),
        ("/search?q=%C3%84rzteblatt", "q='Ärzteblatt'"),
        ("/search?tags[]=1&tags[]=2", "tags[]='1' tags[]='2'"),
        ("/search?u=http%3A%2F%2Fh%3Fa%3D1%26b", "u='http://h?a=1&b'"),
        ("/admin/panel", GUARDED),
    ],
    "What people and old links write is repaired": [
        ("/books/caf%c3%a9", "title='café'"),
        ("/%61dmin/panel", GUARDED),
        ("/search?q=50%+off", "q='50% off'"),
        ("/search?a=1;b=2", "a='1;b=2'"),
        ("/search?q=a|b", "q='a|b'"),
        ("/search?q=x&gclid=caf%E9", "q='x'"),
        ("http://demo.test/search?q=x", "q='x'"),
    ],
    "Ill-formed text and URLs are refused": [
        ("/search?q=%C4rzteblatt", "400 ill-formed-utf8"),
        ("/search?q=%ED%A0%80", "400 ill-formed-utf8"),
        ("/books/%C0%AF", "400 ill-formed-utf8"),
        ("/books/a%C4b", "400 ill-formed-utf8"),
        ("/search?q=%00", "400 nul"),
        ("/books/x%00.txt", "400 nul"),
        ("/search?q=%1B%5B2J", "400 control"),
        ("/search?q%0A=1", "400 name-line-break"),
        ("/books/%zz", "400 malformed-escape"),
        ("/search?q=%u00e9", "400 unicode-escape"),
    ],
    "What a guard and an application read differently is refused": [
        ("//admin/panel", "308 to /admin/panel"),
        ("/%2Fadmin/panel", "400 encoded-slash"),
        ("/admin%2Fpanel", "400 encoded-slash"),
        ("/admin%0A", "400 line-break"),
        ("/./admin/panel", "400 dot-segment"),
        ("/books/../admin/panel", "400 dot-segment"),
        ("/books/%2e%2e/admin", "400 encoded-dot-segment"),
        ("/admin/..;/admin/panel", "400 encoded-dot-segment"),
        ("/\\admin/panel", "400 backslash, leading-slashes"),
        ("/admin/panel#x", "400 fragment"),
        ("http://elsewhere.test/admin/panel", "400 absolute-form"),
    ],
}
"""The requests by subject, each with what both applications behind postel read."""

# h11 passes on the target unchanged; httptools cuts it at '#' and drops the authority.
UVICORN = "uvicorn --http h11 --no-access-log --fd {fd}"
GUNICORN = "gunicorn --no-control-socket --bind fd://{fd}"
SERVERS = {
    "Starlette on uvicorn": f"{UVICORN} starlette_app:bare",
    "Flask on gunicorn": f"{GUNICORN} flask_app:bare",
    "Starlette behind postel": f"{UVICORN} starlette_app:app",
    "Flask behind postel": f"{GUNICORN} flask_app:app",
}
HERE = Path(__file__).parent
TIMEOUT = 30.0
WIDTHS = (37, 23, 24, 30)
RED, GREEN, YELLOW, BOLD = "\33[31m", "\33[32m", "\33[33m", "\33[1m"


@dataclass(frozen=True)
class Server:
    """A server process, the port that it listens on, and the file that it logs to."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path

    def stop(self) -> None:
        """Terminate the process; kill it if it does not end."""
        self.process.terminate()
        try:
            self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@contextlib.contextmanager
def serving(commands: Iterable[str], directory: Path) -> Iterator[list[Server]]:
    """Run servers during the block. They inherit listening sockets, so no other program takes their ports."""
    servers: list[Server] = []
    with tempfile.TemporaryDirectory() as logs, contextlib.ExitStack() as stack:
        for number, command in enumerate(commands):
            log = Path(logs, f"{number}.log")
            with socket.create_server(("127.0.0.1", 0)) as listener, log.open("wb") as output:
                process = subprocess.Popen(  # noqa: S603 - the commands are constants of this file
                    [sys.executable, "-m", *command.format(fd=listener.fileno()).split()],
                    cwd=directory,
                    pass_fds=[listener.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,  # Ctrl-C reaches this process alone, which then stops the servers
                )
                servers.append(Server(listener.getsockname()[1], process, log))
            stack.callback(servers[-1].stop)
        try:
            yield servers
        finally:
            for server in servers:  # end all at once; the stack then waits for each
                server.process.terminate()


class NoAnswerError(Exception):
    """A server did not answer; the text holds its log."""


def ask(server: Server, target: str) -> tuple[int, str, bytes]:
    """Send one GET request with an unchanged target. Return status, head and body of the answer."""
    fields = "Host: demo.test\r\nAccept: application/json\r\nConnection: close"
    request = f"GET {target} HTTP/1.1\r\n{fields}\r\n\r\n"
    try:
        with socket.create_connection(("127.0.0.1", server.port), TIMEOUT) as connection:
            connection.sendall(request.encode("latin-1"))
            response = b"".join(iter(lambda: connection.recv(65536), b""))
        head, _, body = response.partition(b"\r\n\r\n")
        return int(head.split(b" ", 2)[1]), head.decode("latin-1"), body
    except (OSError, IndexError) as error:
        log = server.log.read_text("utf-8", "replace")[-2000:]
        raise NoAnswerError(f"no answer to {target!r}: {error}\n{log}") from error


LOCATION = re.compile(r"^location: (\S+)", re.IGNORECASE | re.MULTILINE)


def summary(status: int, head: str, body: bytes) -> str:
    """Summarise an answer: what the application read, or why it read nothing."""
    if "application/problem+json" in head:
        return f"{status} {', '.join(json.loads(body)['kinds'])}"
    if status == 308:
        return "308 to " + "".join(LOCATION.findall(head))
    if status != 200:
        return GUARDED if status == 403 else str(status)
    read = json.loads(body)
    if read["view"] == "admin":
        return PASSED
    pairs = [*read["parameters"].items(), *read["query"]]
    return " ".join(f"{name if name.isprintable() else repr(name)}={value!r}" for name, value in pairs)


@dataclass(frozen=True)
class Row:
    """One request, the expected answer behind postel, and the answers of all four applications."""

    target: str
    expected: str
    answers: tuple[str, ...]

    @property
    def as_expected(self) -> bool:
        """Whether both applications behind postel gave the expected answer."""
        return set(self.answers[2:]) == {self.expected}

    def __str__(self) -> str:
        """Return one line of the table. Both answers behind postel share a cell, since they must be equal."""
        *bare, behind = (
            self.answers[:3] if self.as_expected else (*self.answers[:2], " / ".join(self.answers[2:]))
        )
        colours = [RED if each == PASSED else YELLOW if each != behind else "" for each in bare]
        return line((self.target, *bare, behind), ("", *colours, GREEN if self.as_expected else RED))


def line(cells: Sequence[str], colours: Sequence[str]) -> str:
    """Join cells to a line. A cell that is too wide is cut, and then ends in dots."""
    parts = []
    for text, width, colour in zip(cells, WIDTHS, colours, strict=True):
        shown = text
        while columns(shown) > width:
            shown = shown.removesuffix("...")[:-1] + "..."
        parts.append(painted(shown, colour) + " " * (width - columns(shown)))
    return "  ".join(parts).rstrip()


def columns(text: str) -> int:
    """Return the number of columns of a text on a terminal, where a Chinese character takes two."""
    return sum(1 + (unicodedata.east_asian_width(character) in "WF") for character in text)


def painted(text: str, colour: str) -> str:
    """Colour a text if the output is a terminal."""
    coloured = colour and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return f"{colour}{text}\33[0m" if coloured else text


def progress(text: str) -> None:
    """Show a line of progress if the output is a terminal; the next one replaces it."""
    if sys.stderr.isatty():
        print(f"\r\33[K{text}", end="", file=sys.stderr, flush=True)


def interrupted(number: int, _: object) -> NoReturn:
    """Raise an exception, so that the servers are stopped, and ignore further signals meanwhile."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    progress("")
    sys.exit(128 + number)


def main() -> int:
    """Run the servers, send them the requests, print the answers, and return the exit status."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, interrupted)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # some pipes are not UTF-8
    progress("starting the servers: two applications, each without postel and behind it")
    try:
        with serving(SERVERS.values(), HERE) as servers:
            table = {
                subject: [answered(servers, target, expected) for target, expected in requests]
                for subject, requests in REQUESTS.items()
            }
            progress("stopping the servers")
    except NoAnswerError as error:
        progress("")
        print(error, file=sys.stderr)
        return 1
    progress("")
    print(line(("", *list(SERVERS)[:2], "both, behind postel"), [BOLD] * 4))
    for subject, rows in table.items():
        print(f"\n{painted(subject, BOLD)}", *rows, sep="\n")
    return conclude([row for rows in table.values() for row in rows])


def answered(servers: list[Server], target: str, expected: str) -> Row:
    """Send one target to all servers."""
    progress(f"sending {target}")
    return Row(target, expected, tuple(summary(*ask(server, target)) for server in servers))


def conclude(rows: list[Row]) -> int:
    """Print what the table shows, or which answers were wrong. Return the exit status."""
    passed = sum(PASSED in row.answers[:2] for row in rows)
    differing = sum(row.answers[0] != row.answers[1] for row in rows)
    print(
        f"\n{len(rows)} requests. Without postel, the two applications differ on {differing} of them, "
        f"and {passed} pass a guard."
    )
    wrong = [row for row in rows if not row.as_expected]
    for row in wrong:
        for name, answer in zip(list(SERVERS)[2:], row.answers[2:], strict=True):
            if answer != row.expected:
                print(f"{name}, {row.target}: {answer!r} instead of {row.expected!r}")
    if not wrong:
        print("Behind postel, both gave the same answers to all of them, as expected.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
