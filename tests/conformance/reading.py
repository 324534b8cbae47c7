"""Translate a borrowed row into a request for postel. No other module translates the terms of a source.

Each source of paths has a policy, which is derived from a preset where the question is defined. The
translations assume:

- A request target ends its path at the first ``?``; the query begins after it. Fragments stay in place.

- Results are compared in the spelling of RFC 3986, section 6.2.2: upper-case hex, unreserved characters bare.

- DROP removes the faulty octets, or the whole pair if it would join the text on both sides.

- A text without a leading slash is not a request target. If a source's function accepts one, it is put below
the root. If the result still climbs (``../a``), postel must refuse it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final
from urllib.parse import urlsplit

from postel import Accepted, Action, Component, Kind, Normalizer, Policy, Rejected, Target

UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
REFUSED: Final = "refused"
GONE: Final = "the pair is gone"

CHARACTERS: Final = (
    Kind.NUL,
    Kind.CONTROL,
    Kind.LINE_BREAK,
    Kind.TAB,
    Kind.C1_CONTROL,
    Kind.LINE_SEPARATOR,
    Kind.NONCHARACTER,
    Kind.BIDI_CONTROL,
    Kind.INVISIBLE,
)
"""Characters that a decoder accepts and that postel judges."""

ANY_TEXT: Final = (
    Policy.LENIENT.allowing(*CHARACTERS)
    .allowing(Kind.NAME_LINE_BREAK)
    .allowing(Kind.DELIMITER_LOOKALIKE, Kind.ENCODED_DELIMITER, Kind.ENCODED_BACKSLASH)
    .rejecting(Kind.ILL_FORMED_UTF8)
)
"""Accepts every text and refuses ill-formed UTF-8, as a UTF-8 decoder does."""


@cache
def normalizer(policy: Policy) -> Normalizer:
    return Normalizer(policy)


def read(policy: Policy, target: Target) -> Accepted | Rejected:
    """Return the outcome, after checking that it is the same with and without the proof."""
    outcome = normalizer(policy).normalize(target)
    examined = normalizer(policy).examine(target)
    assert views(outcome) == views(examined)
    return outcome


def views(outcome: Accepted | Rejected) -> object:
    """Return everything that an application or an observer can see of an outcome."""
    if isinstance(outcome, Rejected):
        return outcome
    target = outcome.target
    return (
        target.path,
        target.query,
        target.path_text,
        target.segments,
        target.pairs,
        outcome.findings,
    )


def received(octets: bytes) -> Target:
    """Split a request target as a server does."""
    path, _, query = octets.partition(b"?")
    return Target(path=path, query=query)


def accepts(policy: Policy, target: Target) -> bool:
    return isinstance(read(policy, target), Accepted)


def verdict(policy: Policy, target: Target) -> str:
    """Return ``accept`` or ``reject``, the words that most sources use."""
    return "accept" if accepts(policy, target) else "reject"


def kinds(policy: Policy, target: Target) -> set[Kind]:
    """Return the kinds that were found."""
    return {finding.kind for finding in read(policy, target).findings}


def raw_path(policy: Policy, target: Target) -> str:
    """Return the path as it is passed on, or the refusal with its kinds."""
    outcome = read(policy, target)
    return outcome.target.path.decode() if isinstance(outcome, Accepted) else refusal(outcome)


def path_text(policy: Policy, target: Target) -> str:
    """Return the path as the application reads it, or the refusal with its kinds."""
    outcome = read(policy, target)
    return outcome.target.path_text if isinstance(outcome, Accepted) else refusal(outcome)


def raw_target(policy: Policy, target: Target) -> str:
    """Return path and query as they are passed on, or the refusal with its kinds."""
    outcome = read(policy, target)
    if isinstance(outcome, Rejected):
        return refusal(outcome)
    query = outcome.target.query
    return (outcome.target.path + (b"?" + query if query else b"")).decode()


def refusal(outcome: Rejected) -> str:
    first = next(each for each in outcome.findings if each.action is Action.REJECT)
    return f"{REFUSED}: {first.kind.slug} {first.detail}".rstrip()


def was_refused(reading: str) -> bool:
    return reading.startswith(REFUSED)


def pairs(policy: Policy, query: bytes) -> tuple[tuple[str, str], ...] | str:
    """Return the pairs as the application reads them, or the refusal with its kinds."""
    outcome = read(policy, Target(query=query))
    return outcome.target.pairs if isinstance(outcome, Accepted) else refusal(outcome)


def value(policy: Policy, octets: bytes) -> str:
    """Return what an application reads from a received value."""
    found = pairs(policy, b"q=" + octets)
    if isinstance(found, str):
        return found
    return GONE if not found else found[0][1]


def grouped(flat: tuple[tuple[str, str], ...]) -> list[tuple[str, list[str]]]:
    """Return pairs by name, in the order in which the names first appear."""
    names: dict[str, list[str]] = {}
    for name, each in flat:
        names.setdefault(name, []).append(each)
    return list(names.items())


def escaped(octets: bytes, keep: frozenset[int] = frozenset()) -> bytes:
    """Percent-encode every octet except those to keep."""
    return b"".join(bytes((octet,)) if octet in keep else f"%{octet:02X}".encode() for octet in octets)


def undecoded(path: str) -> bytes:
    """Return a received path that decodes to this one.

    Everything that could be syntax is escaped, except slashes.
    """
    return escaped(path.encode(), UNRESERVED | frozenset(b"/"))


def spelled(octets: str) -> str:
    """Return an escaped text in canonical spelling."""
    return re.sub("%[0-9A-Fa-f]{2}", _canonical, octets)


def _canonical(escape: re.Match[str]) -> str:
    octet = int(escape[0][1:], 16)
    return chr(octet) if octet in UNRESERVED else escape[0].upper()


def dropped(shown: str, faulty: str) -> str:
    """Return the result of DROP for a value; ``faulty`` is the inside of a character class of regex."""
    if re.search(f"[^{faulty}][{faulty}]+[^{faulty}]", shown):
        return GONE
    return re.sub(f"[{faulty}]", "", shown)


def rooted(path: str) -> str:
    """Put a path below the root."""
    return path if path.startswith("/") else "/" + path


def climbs(result: str) -> bool:
    """Whether a source's result for a relative path still leads above its starting point."""
    return result == ".." or result.startswith("../")


def merged(base: str, reference: str) -> str:
    """Merge the path of a reference with its base, dots unresolved: RFC 3986, sections 5.2.2 and 5.2.3."""
    of_base, of_reference = urlsplit(base), urlsplit(reference)
    if of_reference.scheme or of_reference.netloc or of_reference.path.startswith("/"):
        return of_reference.path
    if not of_reference.path:
        return of_base.path
    return of_base.path.rpartition("/")[0] + "/" + of_reference.path


PATH: Final = Component.PATH
QUERY: Final = Component.QUERY
