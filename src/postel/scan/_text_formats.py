"""Text formats: combined with or without a prefix, common, gunicorn, uvicorn and AWS load balancers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, final

from postel import Kind
from postel._alphabet.authority import SITE
from postel._catalogue.kinds import hidden_in
from postel._catalogue.views import View
from postel.scan._line import Entry, Read, Unreadable, parted, status_of, unescape, without_port

# Atomic groups, because possessive ones are broken in CPython 3.11.0 to 3.11.4 (python/cpython#106052).
_QUOTED: Final = rb'"([^"\\]*+(?>(?:\\.[^"\\]*+)*))"'
_TIME: Final = rb"(?=[^\[\]]{0,44}\d{4})[^\[\]]{1,48}+"
"""Matches a time in any notation: a year, or seconds since 1970. Without this check, noise could match."""
_COMBINED: Final = re.compile(
    rb"(\S++) .*?\[("
    + _TIME
    + rb")\] "
    + _QUOTED
    + rb" (\d{3}|-) \S++(?: "
    + _QUOTED
    + b" "
    + _QUOTED
    + b")?",
    re.DOTALL,
)
_GUNICORN: Final = re.compile(
    rb"(\S++) .*?\[(" + _TIME + rb')\] "([^"\\]*+(?>(?:\\"?+[^"\\]*+)*))" (\d{3}) \S++', re.DOTALL
)
_UVICORN: Final = re.compile(
    rb'(?:INFO:\s++)?(\S*+) - "(\S++) (\S.*) HTTP/\d[.\d]*+" (\d{3})[^"]*+', re.DOTALL
)
_BALANCER: Final = re.compile(
    rb"\S++ (\S++) \S++ (\S++) \S++ \S++ \S++ \S++ (\d{3}|-) \S++ \S++ \S++ " + _QUOTED + b" " + _QUOTED,
    re.DOTALL,
)
_HOST: Final = re.compile(rb"\S++ (?=[0-9A-Fa-f]*[.:][0-9A-Fa-f.:]*+ )")
"""Matches a virtual host before the client's address: ``example.com:443 192.0.2.1 - - ...``."""
_PREFIX: Final = re.compile(
    rb"(?:<\d{1,3}>)?(?:"
    rb"(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.+Z-]++) \S++ [^\s:\[]++(?:\[\d++\])?:"
    rb"|\d{4}-\d\d-\d\dT[\d:.+Z-]++ std(?:out|err) [FP]) "
)
"""``Oct 10 13:55:36 web nginx[7]:`` and ``2026-10-10T13:55:36Z stdout F``."""
_SITE: Final = re.compile(SITE)

NO_HEADERS: Final = "agents and referers, so it is unknown who sent a request"


def _request(  # noqa: PLR0913 - the fields of an entry
    client: bytes,
    line: tuple[bytes, bytes] | None,
    status: bytes,
    referer: bytes | None = None,
    agent: bytes | None = None,
    *,
    time: bytes | None,
) -> Read:
    if line is None:
        return Unreadable.NO_REQUEST
    return Entry(client, *line, status_of(status), referer, agent, time=time)


@final
@dataclass(frozen=True, slots=True)
class Combined:
    """The combined and the common log format of Apache and nginx, and similar formats.

    Further fields are ignored. See Apache, mod_log_config; nginx, ngx_http_log_module.
    """

    name: str = "combined"
    blind: frozenset[Kind] = frozenset()
    hides: tuple[str, ...] = ()

    def read(self, line: bytes) -> Read:
        """Read one line, given without its line break; never raises."""
        match = _COMBINED.match(line)
        if match is None:
            return Unreadable.OTHER_FORMAT if line.strip() else None
        client, time, request, status, referer, agent = match.groups()
        request = parted(request)
        if request is None:
            return Unreadable.NO_REQUEST
        method, target = request
        return Entry(
            client,
            method,
            unescape(target),
            status_of(status),
            referer and unescape(referer),
            agent and unescape(agent),
            time=time,
        )


@final
@dataclass(frozen=True, slots=True)
class Prefixed:
    """The combined format with a prefix before each line."""

    name: str
    prefix: re.Pattern[bytes]
    """Matches the prefix."""
    blind: frozenset[Kind] = frozenset()
    hides: tuple[str, ...] = ()

    def read(self, line: bytes) -> Read:
        """Read one line, given without its line break; never raises."""
        match = self.prefix.match(line)
        if match is None:
            return Unreadable.OTHER_FORMAT if line.strip() else None
        return _AFTER_PREFIX.read(line[match.end() :])


_AFTER_PREFIX: Final = Combined()
HOSTED: Final = Prefixed("vhost_combined", _HOST)
"""Apache's ``vhost_combined`` of Debian, and similar formats.

The host is the configured name and not what the client sent, so it is not judged.
"""
PREFIXED: Final = Prefixed("prefixed", _PREFIX)
"""The prefixes of syslog, journald (RFC 3164, RFC 3339) and containers (CRI)."""


@final
@dataclass(frozen=True, slots=True)
class Gunicorn:
    r"""gunicorn's access log: combined, but the only escape is ``\"`` for ``"``."""

    name: str = "gunicorn"
    blind: frozenset[Kind] = frozenset()
    hides: tuple[str, ...] = ()

    def read(self, line: bytes) -> Read:
        """Read one line, given without its line break; never raises."""
        match = _GUNICORN.match(line)
        if match is None:
            return Unreadable.OTHER_FORMAT if line.strip() else None
        client, time, request, status = match.groups()
        rest = line[match.end() :]
        referer, _, agent = rest[2:-1].partition(b'" "') if rest.endswith(b'"') else (b"", b"", b"")
        return _request(client, parted(_bare(request)), status, _bare(referer), _bare(agent), time=time)


def _bare(text: bytes) -> bytes:
    return text.replace(b'\\"', b'"')


@final
@dataclass(frozen=True, slots=True)
class Uvicorn:
    """uvicorn's access log: the path was decoded and escaped again, and there are no headers."""

    name: str = "uvicorn"
    blind: frozenset[Kind] = hidden_in(View.REWRITTEN)
    hides: tuple[str, ...] = (NO_HEADERS, "times")

    def read(self, line: bytes) -> Read:
        """Read one line, given without its line break; never raises."""
        match = _UVICORN.fullmatch(line)
        if match is None:
            return Unreadable.OTHER_FORMAT if line.strip() else None
        client, method, target, status = match.groups()
        return _request(without_port(client), (method, target), status, time=None)


@final
@dataclass(frozen=True, slots=True)
class Balancer:
    """The access log of AWS Application Load Balancers.

    These write every target in absolute form, so a log cannot show whether the client sent a scheme and
    authority; both are cut off. See the user guide, "Access logs for your Application Load Balancer".
    """

    name: str = "alb"
    blind: frozenset[Kind] = hidden_in(View.SITELESS)
    hides: tuple[str, ...] = ("referers",)

    def read(self, line: bytes) -> Read:
        """Read one line, given without its line break; never raises."""
        match = _BALANCER.match(line)
        if match is None:
            return Unreadable.OTHER_FORMAT if line.strip() else None
        time, client, status, request, agent = match.groups()
        line_of_request = parted(request)
        if line_of_request is None or line_of_request[0] == b"-":
            return Unreadable.NO_REQUEST
        method, target = line_of_request
        site = _SITE.match(target)
        return _request(
            without_port(client),
            (method, unescape(target[site.end() :] if site else target) or b"/"),
            status,
            None,
            unescape(agent),
            time=time,
        )
