"""Variants: spellings of a request that a guard and the router may read differently."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, final

from postel import Kind
from postel.doctor._request import HOST, Request

_NONE: Final = ()


@final
@dataclass(frozen=True, slots=True)
class Variant:
    """A spelling of a request, and the kinds by which a policy judges it."""

    name: str
    request: Request
    kinds: tuple[Kind, ...]
    """The kinds by which a policy judges the variant; empty if only the application can judge it."""


def variants(plain: Request, opened: bytes) -> Iterator[Variant]:
    """Yield every variant of a request; ``opened`` is a path that everyone may request."""
    path, mark, query = plain.target.partition(b"?")
    rest = mark + query
    for name, spelled, kinds in _paths(path, opened.partition(b"?")[0]):
        yield Variant(name, replace(plain, target=spelled + rest), kinds)
    absolute = b"http://" + HOST + plain.target
    yield Variant("an absolute form", replace(plain, target=absolute), (Kind.ABSOLUTE_FORM,))
    for host in (b"/?", opened.partition(b"?")[0] + b"?", b"#", b"\\", b"/"):
        name = "a path in the Host"
        yield Variant(name, replace(plain, host=HOST + host), (Kind.MALFORMED_HOST,))
    if plain.method == "GET":
        yield Variant("HEAD for GET", replace(plain, method="HEAD"), _NONE)


def _paths(path: bytes, opened: bytes) -> Iterator[tuple[str, bytes, tuple[Kind, ...]]]:
    yield "slashes in front", b"/" + path, (Kind.LEADING_SLASHES,)
    yield "a backslash in front", b"\\" + path, (Kind.MISSING_SLASH, Kind.BACKSLASH)
    for at in [place for place in range(1, len(path)) if path[place : place + 1] == b"/"]:
        before, behind = path[:at], path[at + 1 :]
        for name, octets, *kinds in _SEPARATORS:
            yield name, before + octets + behind, tuple(kinds)
    for name, octets, *kinds in _FRONTS:
        yield name, octets + path, tuple(kinds)
    for name, octets, *kinds in _ENDS:
        yield name, path + octets, tuple(kinds)
    head, slash, last = path.rpartition(b"/")
    if last[:1].isalnum():
        first, other = b"%02X" % last[0], last[1:]
        yield "an escaped letter", head + slash + b"%" + first + other, (Kind.SPELLING,)
        yield "a letter, escaped twice", head + slash + b"%25" + first + other, (Kind.UNSAFE_DOUBLE_ESCAPE,)
        yield "ill-formed UTF-8", head + slash + last[:1] + b"%C4" + other, (Kind.ILL_FORMED_UTF8,)
        yield "NUL inside", head + slash + last[:1] + b"%00" + other, (Kind.NUL,)
    whole = path.lstrip(b"/")
    if whole[:1].isalnum():
        first, other = b"%02X" % whole[0], whole[1:]
        yield "an escaped letter in front", b"/%" + first + other, (Kind.SPELLING,)
    yield "another case", path.swapcase(), _NONE
    for name, octets, *kinds in _BEHIND_OPEN_PATH:
        yield name, opened.rstrip(b"/") + octets + path, tuple(kinds)


_Row = tuple[str, bytes, Kind]
_SEPARATORS: Final[tuple[_Row, ...]] = (
    ("an empty segment", b"//", Kind.EMPTY_SEGMENT),
    ("an escaped slash", b"%2F", Kind.ENCODED_SLASH),
    ("an overlong slash", b"%C0%AF", Kind.ILL_FORMED_UTF8),
    ("a dot segment", b"/./", Kind.DOT_SEGMENT),
    ("dot segments", b"/x/../", Kind.DOT_SEGMENT),
    ("an escaped dot segment", b"/%2e/", Kind.ENCODED_DOT_SEGMENT),
    ("a parameter of a segment", b";x/", Kind.PATH_PARAMETER),
    ("a backslash", b"\\", Kind.BACKSLASH),
    ("an escaped backslash", b"%5C", Kind.ENCODED_BACKSLASH),
    ("a slash, escaped twice", b"%252F", Kind.UNSAFE_DOUBLE_ESCAPE),
)
_FRONTS: Final[tuple[_Row, ...]] = (
    ("a dot segment in front", b"/.", Kind.DOT_SEGMENT),
    ("dot segments in front", b"/x/..", Kind.DOT_SEGMENT),
    ("an escaped dot segment in front", b"/%2e", Kind.ENCODED_DOT_SEGMENT),
    ("a parameter in front", b"/;x", Kind.PATH_PARAMETER),
    ("an escaped slash in front", b"/%2F", Kind.ENCODED_SLASH),
)
_ENDS: Final[tuple[tuple[str, bytes] | _Row, ...]] = (
    ("a slash at the end", b"/"),
    ("a dot segment at the end", b"/.", Kind.DOT_SEGMENT),
    ("a dot at the end", b".", Kind.TRAILING_DOT_OR_SPACE),
    ("a space at the end", b"%20", Kind.TRAILING_DOT_OR_SPACE),
    ("a parameter at the end", b";x", Kind.PATH_PARAMETER),
    ("a matrix parameter at the end", b";x=1", Kind.PATH_PARAMETER),
    ("an escaped question mark", b"%3F", Kind.ENCODED_DELIMITER),
    ("an escaped number sign", b"%23", Kind.ENCODED_DELIMITER),
    ("a fragment", b"#x", Kind.FRAGMENT),
    ("NUL at the end", b"%00", Kind.NUL),
    ("a line feed at the end", b"%0A", Kind.LINE_BREAK),
    ("an escaped slash at the end", b"%2F", Kind.ENCODED_SLASH),
)
_BEHIND_OPEN_PATH: Final[tuple[_Row, ...]] = (
    ("dot segments after an open path", b"/..", Kind.DOT_SEGMENT),
    ("escaped dot segments after an open path", b"/%2e%2e", Kind.ENCODED_DOT_SEGMENT),
    ("escaped slash and dots after an open path", b"%2F..", Kind.ENCODED_SLASH),
    ("a parameter and dots after an open path", b"/..;", Kind.ENCODED_DOT_SEGMENT),
    ("an escaped question mark after an open path", b"%3F", Kind.ENCODED_DELIMITER),
    ("an escaped number sign after an open path", b"%23", Kind.ENCODED_DELIMITER),
)
