"""References: split a URL, absolute or relative, where every reader splits it.

RFC 3986 and the URL Standard split most references alike. If they do not, a browser goes to another
host than a check on the server saw; such a reference is an error here and never a guess.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Final, final

from postel.uri._encoding import octets_of
from postel.uri._errors import DecodeError

_ILLEGAL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\\\u2028\u2029]|^[\s\ufeff]|[\s\ufeff]\Z")
"""Characters that some readers remove, some read as a slash and some as data; and white space at the ends."""
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*+")
_SPECIAL: Final = frozenset(("http", "https", "ws", "wss", "ftp", "file"))
"""Special schemes, after which browsers find a host even without slashes: URL Standard, section 4.2."""
_AUTHORITY: Final = re.compile(
    r"(?:(?P<userinfo>[A-Za-z0-9\-._~!$&'()*+,;=:%]*+)@)?"
    r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9\-._]++)"
    r"(?::(?P<port>0|[1-9][0-9]{0,4}))?"
)
_ENDS_IN_NUMBER: Final = re.compile(r"(?:.*\.)?(?:[0-9]+|0[Xx][0-9A-Fa-f]*)\.?", re.DOTALL)
"""A host that the URL Standard reads as an IPv4 address, whatever its spelling: section 3.5."""
_LAST_PORT: Final = 0xFFFF


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The parts of a reference as spelled, without delimiters; ``None`` for a missing part.

    RFC 3986, section 3.

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


def parse_reference(text: str) -> Reference:
    r"""Split a reference into scheme, authority, path, query and fragment, if all readers split it alike.

    >>> parse_reference("../a?b=/c").path, parse_reference("//example.com").host
    ('../a', 'example.com')
    >>> parse_reference("https:/\t/example.com")
    Traceback (most recent call last):
    postel.uri.DecodeError: illegal-character at 7: '\t': escape it

    Raises :class:`DecodeError` for everything that readers split differently: controls, tabs, line
    breaks and backslashes anywhere, and white space at either end; ``https:`` and other special
    schemes without two slashes and a host, and three slashes; a host outside ASCII (implementations
    disagree on ``xn--`` forms), an IPv4 address that is not four decimal numbers, and an invalid
    port; text before a first colon that is not a scheme; and lone surrogates.

    Path, query and fragment are not judged further; :func:`is_local` does that. RFC 3986, section 3
    and appendix B; URL Standard, section 4.4.
    """
    octets_of(text)
    if illegal := _ILLEGAL.search(text):
        raise DecodeError("illegal-character", illegal.start(), illegal[0])
    rest, hash_mark, fragment = text.partition("#")
    rest, question_mark, query = rest.partition("?")
    scheme, path = _scheme_of(rest)
    at = len(rest) - len(path)
    authority: re.Match[str] | None = None
    if path.startswith("//"):
        authority, path = _authority_of(path, at)
    elif scheme in _SPECIAL:
        raise DecodeError("missing-authority", at, path[:2])
    return Reference(
        scheme=scheme,
        userinfo=authority["userinfo"] if authority else None,
        host=authority["host"].lower() if authority else None,
        port=int(authority["port"]) if authority and authority["port"] else None,
        path=path,
        query=query if question_mark else None,
        fragment=fragment if hash_mark else None,
    )


def _scheme_of(rest: str) -> tuple[str | None, str]:
    """Split off the scheme, in lower case, and return the rest."""
    first = rest.partition("/")[0]
    before, colon, _ = first.partition(":")
    if not colon:
        return None, rest
    if _SCHEME.fullmatch(before) is None:
        raise DecodeError("illegal-character", len(before), ":")
    return before.lower(), rest[len(before) + 1 :]


def _authority_of(path: str, at: int) -> tuple[re.Match[str], str]:
    """Split ``path``, which begins with two slashes at offset ``at``, into authority and path."""
    written, slash, path = path[2:].partition("/")
    if not written:
        raise DecodeError("missing-authority", at, "//" + slash)
    authority = _AUTHORITY.fullmatch(written)
    if authority is None or not _is_host(authority["host"]) or int(authority["port"] or 0) > _LAST_PORT:
        raise DecodeError("illegal-authority", at + 2, written)
    return authority, slash + path


def _is_host(host: str) -> bool:
    """Whether every reader reads the same host from this ASCII text."""
    try:
        if host[0] == "[":
            ipaddress.IPv6Address(host[1:-1])
        elif _ENDS_IN_NUMBER.fullmatch(host):
            ipaddress.IPv4Address(host)
    except ValueError:
        return False
    return True
