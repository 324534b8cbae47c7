"""References: split a URL, absolute or relative, into the parts that every reader finds.

RFC 3986 and the URL Standard split most references in the same way. Where they differ, a browser may go to a
host that a check on the server did not see. ``split`` returns a Fault for such references and never guesses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple, final

from postel._alphabet.authority import IPV4, IPV6, SCHEME
from postel._alphabet.regex import compiled

_ILLEGAL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\\\u2028\u2029]|^[\s\ufeff]|[\s\ufeff]\Z")
"""Matches characters that some readers remove or read as a slash, and white space at either end."""
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_SCHEME: Final = re.compile(SCHEME.decode())
_SPECIAL: Final = frozenset(("http", "https", "ws", "wss", "ftp", "file"))
"""Special schemes, after which browsers find a host even without slashes: URL Standard, section 4.2."""
_AUTHORITY: Final = re.compile(
    r"(?:(?P<userinfo>[A-Za-z0-9\-._~!$&'()*+,;=:%]*+)@)?"
    r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9\-._]++)"
    r"(?::(?P<port>0|[1-9][0-9]{0,4}))?"
)
_ENDS_IN_NUMBER: Final = re.compile(r"(?:.*\.)?(?:[0-9]+|0[Xx][0-9A-Fa-f]*)\.?", re.DOTALL)
"""Matches a host that the URL Standard reads as an IPv4 address, in any spelling: section 3.5."""
_LAST_PORT: Final = 0xFFFF


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The parts of a reference as spelled, without delimiters; ``None`` for a missing part.

    RFC 3986, section 3.

    >>> from postel.uri import parse_reference
    >>> parse_reference("https://h:8443/a?b")
    Reference(scheme='https', userinfo=None, host='h', port=8443, path='/a', query='b', fragment=None)
    """

    scheme: str | None
    """The scheme in lower case, before the first colon: RFC 3986, section 3.1."""
    userinfo: str | None
    """The part of the authority before the ``@``: RFC 3986, section 3.2.1."""
    host: str | None
    """The host in lower case, an IPv6 address in its brackets: RFC 3986, section 3.2.2."""
    port: int | None
    """The port, a whole number from 0 to 65535: RFC 3986, section 3.2.3."""
    path: str
    """The path, which may be empty: RFC 3986, section 3.3."""
    query: str | None
    """The text after the first question mark: RFC 3986, section 3.4."""
    fragment: str | None
    """The text after the first number sign: RFC 3986, section 3.5."""


@final
class Fault(NamedTuple):
    """The place at which readers split a reference in different ways."""

    what: str
    """One of ``lone-surrogate``, ``illegal-character``, ``missing-authority`` and ``illegal-authority``."""
    offset: int
    """The number of characters before the fault."""
    excerpt: str
    """The faulty text."""


def prepare() -> None:
    """Compile the pattern that :func:`split` needs for IP addresses, so that no request waits for it."""
    _address()


def split(text: str) -> Reference | Fault:
    """Split a reference into its parts, or return a Fault if readers split it differently.

    >>> split("/a?b#c").path, split("https:a")
    ('/a', Fault(what='missing-authority', offset=6, excerpt='a'))
    """
    if faulty := _SURROGATE.search(text) or _ILLEGAL.search(text):
        what = "lone-surrogate" if _SURROGATE.match(faulty[0]) else "illegal-character"
        return Fault(what, faulty.start(), faulty[0])
    rest, hash_mark, fragment = text.partition("#")
    rest, question_mark, query = rest.partition("?")
    scheme, path = _scheme_of(rest)
    if scheme is not None and _SCHEME.fullmatch(scheme) is None:
        return Fault("illegal-character", len(scheme), ":")
    at = len(rest) - len(path)
    authority: re.Match[str] | None = None
    if path.startswith("//"):
        written, slash, path = path[2:].partition("/")
        if not written:
            return Fault("missing-authority", at, "//" + slash)
        authority = _authority_of(written)
        if authority is None:
            return Fault("illegal-authority", at + 2, written)
        path = slash + path
    elif scheme is not None and scheme.lower() in _SPECIAL:
        return Fault("missing-authority", at, path[:2])
    return Reference(
        scheme=None if scheme is None else scheme.lower(),
        userinfo=authority["userinfo"] if authority else None,
        host=authority["host"].lower() if authority else None,
        port=int(authority["port"]) if authority and authority["port"] else None,
        path=path,
        query=query if question_mark else None,
        fragment=fragment if hash_mark else None,
    )


def _scheme_of(rest: str) -> tuple[str | None, str]:
    """Split at the first colon of the first segment; the scheme is ``None`` if there is no colon."""
    before, colon, _ = rest.partition("/")[0].partition(":")
    return (before, rest[len(before) + 1 :]) if colon else (None, rest)


def _authority_of(written: str) -> re.Match[str] | None:
    """Match the parts of an authority; ``None`` unless every reader finds the same parts."""
    authority = _AUTHORITY.fullmatch(written)
    if authority is None or not _is_host(authority["host"]) or int(authority["port"] or 0) > _LAST_PORT:
        return None
    return authority


def _is_host(host: str) -> bool:
    """Whether every reader reads the same host from this ASCII text."""
    if host[0] == "[" or _ENDS_IN_NUMBER.fullmatch(host):
        return _address().fullmatch(host) is not None
    return True


@cache  # the pattern takes long to compile, and few references have an IP address
def _address() -> re.Pattern[str]:
    return compiled(rf"\[(?:{IPV6})\]|{IPV4}")
