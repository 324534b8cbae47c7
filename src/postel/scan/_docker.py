"""The log files of Docker: JSON lines, each of which holds a line that a container wrote."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, cast, final

from postel import Kind
from postel.scan._line import LineFormat, Read, Unreadable

_BEGIN: Final = b'{"log":'
_REPLACED: Final = "octets that are not UTF-8, which Docker replaces"


@final
@dataclass(frozen=True, slots=True)
class Docker:
    r"""The format of Docker's json-file driver, around the format of a server.

    >>> from postel.scan import FORMATS
    >>> line = b'{"log":"INFO:     127.0.0.1:4711 - \\"GET /a HTTP/1.1\\" 200 OK\\n","stream":"stdout"}'
    >>> Docker(FORMATS["uvicorn"]).read(line).target
    b'/a'
    """

    inner: LineFormat
    """The format of the lines inside."""

    @property
    def name(self) -> str:
        """The name of the format in reports."""
        return f"docker, {self.inner.name}"

    @property
    def blind(self) -> frozenset[Kind]:
        """The kinds that the format of the server cannot show in a path."""
        return self.inner.blind

    @property
    def hides(self) -> tuple[str, ...]:
        """What else logs of this format do not show."""
        return (*self.inner.hides, _REPLACED)

    def read(self, line: bytes) -> Read:
        """Read one line."""
        written = written_in(line)
        if written is None:
            return Unreadable.OTHER_FORMAT if line.strip() else None
        return self.inner.read(written)


def written_in(line: bytes) -> bytes | None:
    r"""Return the line that a container wrote, without its line break; ``None`` for any other line.

    >>> written_in(b'{"log":"GET /\\n","stream":"stderr","time":"2026-11-28T12:00:00Z"}')
    b'GET /'
    """
    if not line.startswith(_BEGIN):
        return None
    try:
        read: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    log: object = cast("dict[str, object]", read).get("log")
    return log.rstrip("\r\n").encode("utf-8", "replace") if isinstance(log, str) else None
