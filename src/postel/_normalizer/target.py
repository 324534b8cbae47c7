"""Targets and outcomes: the input and the output of the normalizer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Final, final

from postel._alphabet.frozen import mutable_class
from postel._alphabet.percent import percent_decode, rewrite_strays
from postel._catalogue.finding import Finding

_PERCENT: Final = ord("%")
_OCTETS: Final[type[object]] = bytes
"""An alias of bytes: with it, type checkers accept the check below, which untyped callers need."""


@final
@dataclass(frozen=True, slots=True, init=False)
class Target:
    """Path and query of a request as received: octets, not decoded, the query without its ``?``.

    >>> target = Target(path=b"/caf%C3%A9", query=b"q=C%2B%2B+now&x")
    >>> target.path_text, target.segments, target.pairs
    ('/café', ('café',), (('q', 'C++ now'), ('x', '')))

    ``host`` is the Host header; a target in absolute form must name the same site.
    """

    path: bytes = b"/"
    """The octets before the ``?``: a path, or the target in another form."""
    query: bytes = b""
    """The octets after the ``?``."""
    prefix: bytes = b""
    """The decoded prefix at which the application is mounted: SCRIPT_NAME or root_path."""
    host: bytes | None = None
    preserved: bytes = b""
    """Octets that the decoded view keeps escaped; set by a policy that preserves."""

    def __new__(
        cls,
        path: bytes = b"/",
        query: bytes = b"",
        prefix: bytes = b"",
        host: bytes | None = None,
        preserved: bytes = b"",
    ) -> Target:
        if not (
            isinstance(path, _OCTETS)
            and isinstance(query, _OCTETS)
            and isinstance(prefix, _OCTETS)
            and (host is None or isinstance(host, _OCTETS))
            and isinstance(preserved, _OCTETS)
        ):
            given = {"path": path, "query": query, "prefix": prefix, "host": host, "preserved": preserved}
            raise TypeError(not_octets("Target", given))
        made = _OpenTarget()
        made.path = path
        made.query = query
        made.prefix = prefix
        made.host = host
        made.preserved = preserved
        made.__class__ = cls
        target: Target = made
        return target

    @property
    def path_octets(self) -> bytes:
        """The decoded path as octets; preserved octets keep their escape."""
        if not self.preserved or b"%" not in self.path:
            return percent_decode(self.path)
        octets = self.path
        for spelling, kept in _kept_escapes(self.preserved):
            octets = octets.replace(spelling, kept)
        # A stray "%" is data, and so is "%25". Both are shown as "%25", so neither looks like a kept escape.
        return percent_decode(rewrite_strays(octets, "%2525"))

    @property
    def path_text(self) -> str:
        """The decoded path, as the application reads it."""
        return self.path_octets.decode("utf-8", "surrogateescape")

    @property
    def segments(self) -> tuple[str, ...]:
        """The decoded segments of the path. The path is split before decoding, without its first slash."""
        path = self.path.removeprefix(b"/")
        return tuple(_text(segment) for segment in path.split(b"/"))

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The decoded names and values of the query in order, without empty pairs."""
        return tuple(
            (_text(name.replace(b"+", b" ")), _text(value.replace(b"+", b" ")))
            for name, _, value in (pair.partition(b"=") for pair in self.query.split(b"&") if pair)
        )


def not_octets(of: str, arguments: Mapping[str, object]) -> str:
    """Return the error message for the first argument that is not octets; a host may be ``None``.

    >>> not_octets("Target", {"path": b"/", "query": "a=1"})
    "Target(query='a=1'): query must be bytes; write query=b'a=1'"
    """
    name, given = next(
        each for each in arguments.items() if not isinstance(each[1], bytes) and each != ("host", None)
    )
    octets = repr(given.encode("utf-8", "surrogatepass")) if isinstance(given, str) else "octets"
    return f"{of}({name}={given!r}): {name} must be bytes; write {name}={octets}"


@lru_cache(maxsize=16)
def _kept_escapes(preserved: bytes) -> tuple[tuple[bytes, bytes], ...]:
    """Pair each escape of a preserved octet with octets that decode to it: ``%2f`` with ``%252F``."""
    ordered = sorted(preserved, key=_PERCENT.__ne__)  # "%" is first: the other replacements contain it
    return tuple(
        (b"%" + "".join(spelling).encode(), b"%%25%02X" % octet)
        for octet in ordered
        for spelling in product(*({each, each.lower()} for each in f"{octet:02X}"))
    )


def _text(octets: bytes) -> str:
    # Ill-formed octets occur here only if a policy allows them; each becomes a surrogate.
    return percent_decode(octets).decode("utf-8", "surrogateescape")


@final
@dataclass(frozen=True, slots=True, init=False)
class Accepted:
    """The outcome for an accepted request, with the target that replaces the received one.

    >>> from postel import Target
    >>> Accepted(Target(b"/a")).target.segments
    ('a',)
    """

    target: Target
    """The target that the application reads."""
    findings: tuple[Finding, ...] = ()
    """The faults that were reported or repaired."""
    truncated: bool = field(default=False, kw_only=True)
    """Whether there are more findings than those listed."""

    def __new__(
        cls, target: Target, findings: tuple[Finding, ...] = (), *, truncated: bool = False
    ) -> Accepted:
        made = _OpenAccepted()
        made.target = target
        made.findings = findings
        made.truncated = truncated
        made.__class__ = cls
        accepted: Accepted = made
        return accepted

    def __getnewargs__(self) -> tuple[Target]:
        return (self.target,)


@final
@dataclass(frozen=True, slots=True)
class Rejected:
    """The outcome for a refused request; at least one finding has the action REJECT.

    >>> from postel import Normalizer, Target
    >>> [str(finding) for finding in Normalizer().normalize(Target(b"/%00")).findings]
    ['nul in path at 1: "%00" (reject)']
    """

    findings: tuple[Finding, ...]
    """The findings, in the order in which they were judged."""
    truncated: bool = field(default=False, kw_only=True)
    """Whether there are more findings than those listed, as far as the request was examined."""


_OpenTarget: Final = mutable_class(Target)
_OpenAccepted: Final = mutable_class(Accepted)


def accepted_clean(target: Target) -> Accepted:
    """Create ``Accepted(target)``, in one call instead of three.

    >>> accepted_clean(Target(b"/a")) == Accepted(Target(b"/a"))
    True
    """
    made = _OpenAccepted()
    made.target = target
    made.findings = ()
    made.truncated = False
    made.__class__ = Accepted
    accepted: Accepted = made
    return accepted
