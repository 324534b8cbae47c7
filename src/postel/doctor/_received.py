"""The request as the server passed it on, read without a framework; each place is compared with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self, final
from urllib.parse import parse_qsl, unquote_to_bytes

Pairs = list[tuple[str, str]]

_PLAIN: Final = re.compile(r"\w+", re.ASCII)
_FORM: Final = re.compile(r"application/x-www-form-urlencoded[ \t]*(?:;.*)?", re.IGNORECASE | re.DOTALL)


@final
@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request as a server or postel passes it to the application."""

    values: Mapping[str, Any]
    """The environ or the scope itself."""
    path: bytes
    """The decoded path, including the prefix that the application is mounted at."""
    query: bytes
    host: str
    content_type: str
    cookies: tuple[str, ...]
    forwarded: tuple[str, ...]
    """The values of the fields with the exact name ``X-Forwarded-For``."""
    body: bytes
    inner: Any = None
    """The framework's own object, which its request needs."""

    @classmethod
    def of_environ(cls, environ: Mapping[str, Any], body: bytes, inner: Any = None) -> Self:
        """Read an environ (PEP 3333)."""
        return cls(
            environ,
            (environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")).encode("latin-1"),
            environ.get("QUERY_STRING", "").encode("latin-1"),
            environ.get("HTTP_HOST", ""),
            environ.get("CONTENT_TYPE", ""),
            (environ.get("HTTP_COOKIE", ""),),
            (environ.get("HTTP_X_FORWARDED_FOR", ""),),
            body,
            inner,
        )

    @classmethod
    def of_scope(cls, scope: Mapping[str, Any], body: bytes, inner: Any = None) -> Self:
        """Read a scope of ASGI."""
        fields: dict[bytes, list[str]] = {}
        for name, value in scope["headers"]:
            fields.setdefault(name.lower(), []).append(value.decode("latin-1"))
        raw = scope.get("raw_path")
        return cls(
            scope,
            unquote_to_bytes(raw) if raw else str(scope["path"]).encode("utf-8", "surrogateescape"),
            scope.get("query_string", b""),
            "".join(fields.get(b"host", [])[:1]),
            "".join(fields.get(b"content-type", [])[:1]),
            tuple(fields.get(b"cookie", ())),
            tuple(fields.get(b"x-forwarded-for", ())),
            body,
            inner,
        )

    @property
    def is_environ(self) -> bool:
        """Whether the request is an environ of WSGI."""
        return "PATH_INFO" in self.values

    def pairs(self) -> Pairs:
        """Return the pairs of the query, decoded as UTF-8."""
        return _pairs(self.query)

    def form(self) -> Pairs:
        """Return the pairs of the body if its type is that of a form."""
        return _pairs(self.body) if _FORM.fullmatch(self.content_type) else []

    def cookie_pairs(self) -> set[tuple[str, str]]:
        """Return the cookies (RFC 6265, section 5.4), with and without quotes, as Latin-1 and as UTF-8."""
        found: set[tuple[str, str]] = set()
        for piece in (piece for field in self.cookies for piece in field.split(";")):
            name, _, value = piece.strip(" \t").partition("=")
            for each in (value, value[1:-1] if value[:1] == value[-1:] == '"' else value):
                found |= {(name, each), (_utf8(name), _utf8(each))}
        return found

    def plain_cookies(self) -> set[tuple[str, str]]:
        """Return the cookies that consist of letters and digits, which every framework must read."""
        return {pair for pair in self.cookie_pairs() if all(map(_PLAIN.fullmatch, pair))}


def _pairs(octets: bytes) -> Pairs:
    text = octets.decode("utf-8", "surrogateescape")
    return parse_qsl(text, keep_blank_values=True, errors="surrogateescape")


def _utf8(text: str) -> str:
    return text.encode("latin-1", "replace").decode("utf-8", "surrogateescape")
