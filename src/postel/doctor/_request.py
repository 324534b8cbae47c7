"""A request, octet for octet: as octets for a socket, as an environ, as a scope and as a curl command."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, final
from urllib.parse import unquote_to_bytes

from postel._alphabet.authority import SITE

Framing = Literal["length", "chunked", "both"]

HOST: Final = b"localhost"
"""The default Host; frameworks that check hosts accept it in development."""
_ABSOLUTE: Final = re.compile(SITE)
_PLAIN: Final = re.compile(r"[\w@%+=:,./-]+", re.ASCII)
_NAME: Final = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
_SINGLE: Final = frozenset({"CONTENT_TYPE", "CONTENT_LENGTH", "HTTP_HOST"})
_SENT_AS_IT_IS: Final = re.compile(rb"/[^#\x00-\x20\x7f-\xff]*")
"""Targets that curl does not change if they are part of a URL."""
ADDRESS: Final = "http://127.0.0.1:8000"
"""The address in curl commands."""


@final
@dataclass(frozen=True, slots=True)
class Request:
    """One request.

    >>> Request(b"/admin%2Fpanel").line()
    'GET /admin%2Fpanel'
    """

    target: bytes
    method: str = "GET"
    headers: tuple[tuple[bytes, bytes], ...] = ()
    """The header fields except Host and those of the framing."""
    host: bytes = HOST
    body: bytes = b""
    framing: Framing = "length"
    """``both`` sends a Content-Length of 0 together with chunks (RFC 9112, section 6.3)."""

    def line(self) -> str:
        """Return method and target as printable ASCII, for people."""
        return f"{self.method} {_printable(self.target)}"

    def fields(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield all header fields in the order in which they are sent."""
        yield b"Host", self.host
        yield from self.headers
        if self.framing == "length" and (self.body or self.method == "POST"):
            yield b"Content-Length", b"%d" % len(self.body)
        if self.framing == "both":
            yield b"Content-Length", b"0"
        if self.framing != "length":
            yield b"Transfer-Encoding", b"chunked"

    def octets(self) -> bytes:
        """Return the octets to write to a socket."""
        lines = [b"%s: %s\r\n" % field for field in (*self.fields(), (b"Connection", b"close"))]
        body = self.body
        if self.framing != "length":
            body = (b"%x\r\n%s\r\n" % (len(body), body) if body else b"") + b"0\r\n\r\n"
        return b"%s %s HTTP/1.1\r\n%s\r\n%s" % (self.method.encode(), self.target, b"".join(lines), body)

    def environ(self) -> dict[str, Any]:
        """Return the environ that a WSGI server makes of the request (PEP 3333); it joins repeated fields."""
        path, _, query = _origin(self.target).partition(b"?")
        environ: dict[str, Any] = {
            "REQUEST_METHOD": self.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
            "QUERY_STRING": query.decode("latin-1"),
            "RAW_URI": self.target.decode("latin-1"),
            "REQUEST_URI": self.target.decode("latin-1"),
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "8000",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(self.body),
            "wsgi.errors": io.StringIO(),
            "wsgi.multithread": False,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
        if self.framing != "length":
            environ["wsgi.input_terminated"] = True
        for name, value in self.fields():
            key = name.decode("latin-1").upper().replace("-", "_")
            key = key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"
            text = value.decode("latin-1")
            joined = "; " if key == "HTTP_COOKIE" else ","
            environ[key] = text if key in _SINGLE or key not in environ else environ[key] + joined + text
        return environ

    def scope(self) -> dict[str, Any]:
        """Return the scope that an ASGI server makes of the request."""
        path, _, query = _origin(self.target).partition(b"?")
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": self.method,
            "scheme": "http",
            "path": unquote_to_bytes(path).decode("utf-8", "replace"),
            "raw_path": path,
            "query_string": query,
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in self.fields()],
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 8000),
            "state": {},
        }

    def curl(self, address: str = ADDRESS) -> str:
        """Return a curl command that sends the same request; it needs curl 7.55 or newer."""
        words = ["curl", "-i", "--globoff", "--path-as-is"]
        if self.method == "HEAD":
            words.append("--head")
        elif self.method != ("POST" if self.body else "GET"):
            words += ["-X", self.method]
        fields = [(b"Host", self.host)] * (self.host != HOST) + [*self.headers]
        if self.framing == "both":
            fields.append((b"Content-Length", b"0"))
        if self.framing != "length":
            fields.append((b"Transfer-Encoding", b"chunked"))
        for name, value in fields:
            words += ["-H", _word(b"%s: %s" % (name, value))]
        if self.body:
            words += ["--data-raw", _word(self.body)]  # --data-binary would read a file after an @
        if _SENT_AS_IT_IS.fullmatch(self.target):
            words.append(_word(address.encode() + self.target))
        else:
            words += ["--request-target", _word(self.target), f"{address}/"]
        return " ".join(words)


def field_of(name: str, value: str) -> tuple[bytes, bytes]:
    r"""Return the octets of a header field. Raises ValueError if it cannot be sent.

    >>> field_of("X-User", "Zo\u00eb")
    (b'X-User', b'Zo\xc3\xab')
    """
    if not _NAME.fullmatch(name.strip()):
        raise ValueError(f"{name[:200]!a} is not the name of a header field, such as 'Cookie'")
    if {"\r", "\n"} & {*value}:
        raise ValueError(f"the value {value[:200]!a} contains a line break")
    return name.strip().encode(), octets_of(value.strip())


def octets_of(text: str) -> bytes:
    """Encode a text in UTF-8. Raises ValueError for a surrogate.

    Octets of the command line that are not UTF-8 stay, although Python reads them as surrogates.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise ValueError(f"{text[:200]!a} cannot be sent: it contains a surrogate") from None


def _origin(target: bytes) -> bytes:
    """Return the target without scheme and authority, which servers remove (RFC 9112, section 3.2.2)."""
    absolute = _ABSOLUTE.match(target)
    return target[absolute.end() :] if absolute else target


def _printable(octets: bytes) -> str:
    return "".join(chr(octet) if 0x20 <= octet < 0x7F else f"\\x{octet:02x}" for octet in octets)


def _word(octets: bytes) -> str:
    """Write a word for a shell: bare, in quotes, or as ``$'...'`` if some octets are not printable."""
    text = octets.decode("latin-1")
    if _PLAIN.fullmatch(text):
        return text
    if all(0x20 <= octet < 0x7F for octet in octets) and "'" not in text:
        return f"'{text}'"
    escaped = "".join(f"\\{each}" if each in "\\'" else _printable(each.encode("latin-1")) for each in text)
    return f"$'{escaped}'"
