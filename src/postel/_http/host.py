"""Host: the header by which a request names its site, judged as octets.

Frameworks build URLs from it: with ``Host: example.com/docs?``, some read a request for ``/admin`` as one for
``/docs``. So a Host must be an authority without userinfo, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Final, TypeVar, final

from postel._alphabet.authority import IPV6, NAME, NAME_CHARACTER, PORT
from postel._alphabet.regex import compiled
from postel._errors import PolicyError, is_list

Spelled = TypeVar("Spelled", bytes, str)
"""A Host as octets or as text."""
_UNPROVEN: Final = re.compile("[A-Z_]")
"""Characters of well-formed Hosts that some frameworks misread, so that the full judgement decides."""
_UPPERCASE: Final = re.compile(b"[A-Z]")
_LEGAL: Final = compiled(rf"(?:{NAME_CHARACTER}|[\[\]:])*+".encode())
"""Matches the octets before the first illegal one."""
_NAMED: Final = compiled(rf"({NAME_CHARACTER}++)(?::(?:{PORT}))?".encode())
"""A name whose labels may be too long or empty, and an optional port."""
_FAULTY: Final = re.compile(rb"(?P<long>[^.]{64,})|(?<![^.])\.")
"""A label that is too long, or the dot after an empty one."""
_NUMBERS: Final = re.compile(r"(?:(?:0x[0-9a-f]*|0[0-7]*|[1-9][0-9]*)(?:\.(?!\Z)|\.?\Z)){1,4}")
"""One to four numbers, decimal, octal or hexadecimal, as in the IPv4 addresses of the URL Standard."""
_MOST: Final = 256
"""The most Hosts that a cache holds."""
_VERSION: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
"""Matches the number of a version of HTTP. A client may send any, and some servers pass it on."""
_OLD: Final = re.compile(r"0(?:\.[0-9]+)?|1(?:\.0)?")
"""Matches the versions that do not require a Host. Health checks of load balancers use them, without a Host.

All others require one: RFC 9112, 3.2; RFC 9113, 8.3.1; RFC 9114, 4.3.1.
"""


# The pattern for IPv6 addresses takes long to compile, so it is compiled with the first middleware, not on
# import.
@cache
def _parts() -> re.Pattern[str]:
    return compiled(rf"({NAME}|\[(?:{IPV6})\])(?::({PORT}))?")


@cache
def _setting() -> re.Pattern[str]:
    return compiled(rf"(?:\*\.)?+{NAME}(?::(?:{PORT}))?|\[(?:{IPV6})\]")


@final
class _Proven(dict[Spelled, bool]):
    """A cache of the accepted Hosts, so that later requests with the same Host need no match.

    A Host has at most 260 octets. The cache holds at most 256, because clients can send any number of
    different Hosts; when the cache is full, it is emptied.
    """

    __slots__ = ("_prove",)

    def __init__(self, prove: Callable[[Spelled], object]) -> None:
        super().__init__()
        self._prove: Callable[[Spelled], object] = prove

    def __missing__(self, host: Spelled) -> bool:
        if not self._prove(host):
            return False
        if len(self) >= _MOST:
            self.clear()
        self[host] = True
        return True


@final
class Hosts:
    """The hosts that an application serves; every well-formed one if none are named.

    >>> hosts = Hosts(["example.com", "*.example.com"])
    >>> hosts.proves(b"www.example.com:8000"), hosts.proves(b"example.org"), hosts.proves(b"a/b")
    (True, False, False)
    """

    __slots__ = ("_named", "_wild", "is_open", "proves", "proves_text")

    def __init__(self, hosts: Iterable[str] | None) -> None:
        """``hosts`` are names such as ``example.com``, ``*.example.com`` for all subdomains, or ``[::1]``.

        A name with a port matches that port only. Raises :class:`PolicyError` for any other text.
        """
        named = [] if hosts is None else host_patterns(hosts)
        self._named = frozenset(name for name in named if not name.startswith("*"))
        self._wild = frozenset(name[2:] for name in named if name.startswith("*"))
        self.is_open: bool = not named
        """Whether every host is accepted, because none is named."""
        _parts()  # compiled now, not during a request
        # A method of the dict itself, so that a known Host costs no call of a Python function.
        self.proves: Callable[[bytes], bool] = _Proven(self._proves_octets).__getitem__
        """Whether a Host, given as octets, is proven to need no judgement.

        It then is well-formed, has no upper-case letter or underscore, and is one of the named ones, if any
        are named.
        """
        self.proves_text: Callable[[str], bool] = _Proven(self._proves).__getitem__
        """Like ``proves``, for a Host given as text."""

    def accepts(self, host: bytes | None) -> bool:
        """Whether a Host is one of the named ones, or no hosts are named."""
        return self.is_open or (host is not None and self._accepts(host.decode("latin-1")))

    def _proves_octets(self, host: bytes) -> bool:
        return self._proves(host.decode("latin-1"))

    def _proves(self, text: str) -> bool:
        return _UNPROVEN.search(text) is None and self._accepts(text)

    def _accepts(self, text: str) -> bool:
        match = _parts().fullmatch(text)
        if match is None:
            return False
        if self.is_open:
            return True
        # Routers compare the Host as it was sent, so a dot at the end makes another host.
        name, port = match[1].lower(), match[2]
        ports = ("", f":{port}") if port else ("",)
        if any(name + each in self._named for each in ports):
            return True
        # Only services have underscores in their names, and those are listed one by one.
        while self._wild and (dot := name.find(".")) >= 0 and "_" not in name[:dot]:
            name = name[dot + 1 :]
            if any(name + each in self._wild for each in ports):
                return True
        return False


def fault_of(host: bytes | None, version: str) -> tuple[int, str] | None:
    """The offset and a short description of the fault of a Host; ``None`` if it is well-formed.

    ``version`` is the version of HTTP; not all versions require a Host.

    >>> fault_of(b"example.com/docs?", "1.1"), fault_of(None, "1.0")
    ((11, 'not allowed in a host'), None)
    """
    if not host:
        # granian hands over an empty Host if there is none.
        needed = not is_unnamed(version) and not requires_no_host(version)
        return (0, "missing" if host is None else "empty") if needed else None
    if _parts().fullmatch(host.decode("latin-1")):
        return None
    if b"," in host:
        return host.index(b","), "more than one"
    legal = _LEGAL.match(host)
    end = legal.end() if legal else 0
    return (end, "not allowed in a host") if end < len(host) else _fault_of_name(host)


def _fault_of_name(host: bytes) -> tuple[int, str]:
    """The fault of a Host that holds only legal octets."""
    named = _NAMED.fullmatch(host)
    if named is None:
        return 0, "not a name or address with an optional port"
    label = _FAULTY.search(named[1])
    if label is None:
        return 0, "more than 253 octets"
    return label.start(), "a label of more than 63 octets" if label["long"] else "an empty label"


def uppercase_at(host: bytes) -> int | None:
    """The offset of the first upper-case letter in a Host: RFC 9110, section 4.2.3, ignores the case.

    >>> uppercase_at(b"a.Example"), uppercase_at(b"a.example")
    (2, None)
    """
    letter = _UPPERCASE.search(host)
    return letter.start() if letter else None


def requires_no_host(version: str) -> bool:
    """Whether a version of HTTP does not require a Host."""
    return _OLD.fullmatch(version) is not None


def is_unnamed(version: str) -> bool:
    """Whether the server named no version of HTTP. A missing Host then goes unreported."""
    return _VERSION.fullmatch(version) is None


def host_patterns(hosts: object, setting: str = "hosts") -> list[str]:
    """Check the hosts in a setting; returns them in lower case."""
    if not is_list(hosts):
        raise PolicyError(f"{setting}={hosts!r}: give a list, such as {setting}=['example.com']")
    listed = list(hosts)
    if not listed:
        raise PolicyError(f"{setting}=[]: no request could pass; leave {setting} out, or name one")
    return [_host_pattern(host, setting) for host in listed]


def _host_pattern(host: object, setting: str) -> str:
    if host == "*" and setting == "hosts":
        raise PolicyError("hosts=['*']: leave hosts out to accept every host")
    if isinstance(host, str) and not host.isascii():
        raise PolicyError(f"{setting}=[{host!r}]: a Host is ASCII; write the 'xn--' form of the name")
    if not isinstance(host, str) or not _setting().fullmatch(host):
        raise PolicyError(
            f"{setting}=[{host!r}]: a host is a name such as 'example.com', '*.example.com', "
            "'example.com:8443' or '[::1]'"
        )
    if host.startswith("["):
        if host.lower() != (usual := _as_in_browsers(host)):
            raise PolicyError(f"{setting}=[{host!r}]: browsers write this address {usual!r}; name that")
        return usual
    name, colon, port = host.lower().partition(":")
    if (usual := _ipv4_in_browsers(name)) != name:
        raise PolicyError(
            f"{setting}=[{host!r}]: browsers write this address {usual + colon + port!r}; name that"
        )
    return host.lower()


def _ipv4_in_browsers(name: str) -> str:
    """Return an IPv4 address as browsers write it, and any other name unchanged: URL Standard, section 3.5.

    >>> _ipv4_in_browsers("127.1"), _ipv4_in_browsers("0x7f.0.0.01"), _ipv4_in_browsers("127.1.example")
    ('127.0.0.1', '127.0.0.1', '127.1.example')
    """
    if not _NUMBERS.fullmatch(name):
        return name
    *firsts, last = [
        int(part[2:] or "0", 16) if part.startswith("0x") else int(part, 8 if part.startswith("0") else 10)
        for part in name.removesuffix(".").split(".")
    ]
    if any(each > 0xFF for each in firsts) or last >= 1 << 8 * (4 - len(firsts)):
        return name
    # The last number stands for all octets that are not given one by one.
    octets = *firsts, *last.to_bytes(4 - len(firsts), "big")
    return ".".join(map(str, octets))


def _as_in_browsers(host: str) -> str:
    """Return an IPv6 address in its brackets as browsers write it: URL Standard, section 3.5; RFC 5952.

    >>> _as_in_browsers("[0:0::0001]"), _as_in_browsers("[::FFFF:192.168.0.1]")
    ('[::1]', '[::ffff:c0a8:1]')
    """
    from ipaddress import IPv6Address  # noqa: PLC0415 - slow to import, and seldom needed

    address = IPv6Address(host[1:-1])
    if address.ipv4_mapped is None:
        return f"[{address}]"
    # Python writes the last 32 bits of these addresses as hexadecimal or as IPv4, depending on its version.
    number = int(address.ipv4_mapped)
    return f"[::ffff:{number >> 16:x}:{number & 0xFFFF:x}]"
