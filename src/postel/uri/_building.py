"""Build and parse paths and queries, component by component, refusing what has no single meaning.

Building and parsing accept the same things and are inverse. What is refused by default is legal and
dangerous: a reader that decodes before it splits, or that resolves dots, sees another path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, TypeVar

from postel.uri._encoding import decode_at, encode_component
from postel.uri._errors import BuildError, DecodeError
from postel.uri._places import Place

_Item = TypeVar("_Item")
_DOTS: Final = re.compile(r"\.\.?(?:;.*)?", re.DOTALL)
"""A dot segment, also with a parameter, which Java's servers cut before they resolve it."""
_ENCODED_SLASH: Final = re.compile(r"%2[Ff]")


def build_path(segments: Iterable[str], *, slashes: bool = False, dot_segments: bool = False) -> str:
    """Write the path that consists of these segments, each of them data.

    >>> build_path(["wiki", "Ørsted?", "100%"]), build_path(["a", ""]), build_path([])
    ('/wiki/%C3%98rsted%3F/100%25', '/a/', '')

    No segments make the empty path, one empty segment makes ``/``, a last empty one a slash at the
    end.

    A :class:`BuildError` refuses a segment that holds a slash (as ``%2F`` it is read as a separator
    by many) unless ``slashes=True``; a segment that is ``.`` or ``..``, alone or between slashes or
    before a ``;`` (no escape can say it: ``%2E`` is the same segment) unless ``dot_segments=True``;
    and a path that would begin with ``//``, which is an authority. Text that is none is a
    :class:`DecodeError`. RFC 3986, sections 2.2, 3.3 and 6.2.2.

    >>> build_path(["files", "../etc"])
    Traceback (most recent call last):
    postel.uri.BuildError: encoded-slash at 1: '../etc': split it, or pass slashes=True
    >>> build_path(["files", "a/b"], slashes=True)
    '/files/a%2Fb'
    """
    segments = _listed(segments)
    for index, segment in enumerate(segments):
        if "/" in segment and not slashes:
            advice = "split it, or pass slashes=True"
            raise BuildError("encoded-slash", index, segment, advice)
        if _has_dots(segment) and not dot_segments:
            advice = "resolve it before, give the name another form, or pass dot_segments=True"
            raise BuildError("dot-segment", index, segment, advice)
    if len(segments) > 1 and not segments[0]:
        raise BuildError("leading-slashes", 0, "", "leave the empty first segment out")
    return "".join(["/" + encode_component(segment, place=Place.SEGMENT) for segment in segments])


def parse_path(raw: str, *, slashes: bool = False, dot_segments: bool = False) -> list[str]:
    """Read a path into its decoded segments: what :func:`build_path` was given.

    >>> parse_path("/wiki/%C3%98rsted%3F"), parse_path("/a/"), parse_path("/"), parse_path("")
    (['wiki', 'Ørsted?'], ['a', ''], [''], [])

    Nothing is resolved and nothing merged: an empty segment is one. A :class:`DecodeError` refuses
    what :func:`decode_component` and :func:`build_path` refuse, with the same two options, and what
    is no path by itself: without a slash in front, or with a ``?`` or ``#``. RFC 3986, sections
    2.2, 3.3 and 6.2.2.

    >>> parse_path("/files/..%2Fetc")
    Traceback (most recent call last):
    postel.uri.DecodeError: encoded-slash at 9: '%2F': pass slashes=True if it is data
    """
    if not raw:
        return []
    if raw[0] != "/":
        raise DecodeError("missing-slash", 0, raw[0])
    if raw.startswith("//"):
        raise DecodeError("leading-slashes", 0, "//")
    _refuse_delimiter(raw, "?#")
    segments: list[str] = []
    origin = 1
    for spelled in raw[1:].split("/"):
        segment = decode_at(spelled, origin, plus=False)
        if not slashes and (slash := _ENCODED_SLASH.search(spelled)):
            raise DecodeError("encoded-slash", origin + slash.start(), slash[0])
        if not dot_segments and _has_dots(segment):
            raise DecodeError("dot-segment", origin, spelled)
        segments.append(segment)
        origin += len(spelled) + 1
    return segments


def build_query(pairs: Iterable[tuple[str, str]], *, plus: bool = False, equals: bool = False) -> str:
    """Write the query that consists of these pairs of name and value, each of them data.

    >>> build_query([("name", "Helen Ødegård"), ("back_uri", "/a?b=c&d")])
    'name=Helen%20%C3%98deg%C3%A5rd&back_uri=/a?b%3Dc%26d'

    It leaves parsers nothing to disagree on: plus, ampersand, semicolon and equals sign are always
    escaped, and each pair has its ``=``. A space is ``%20``, or ``+`` with ``plus=True``. With
    ``equals=True`` an equals sign in a value stays bare, where it divides nothing: every reader of
    the URL Standard parts a pair at the first. The ``?`` is not part of it. Text that is none is a
    :class:`DecodeError`. RFC 3986, section 3.4; URL Standard, section 5.2.

    >>> build_query([("a=b", "c=d")]), build_query([("a=b", "c=d")], equals=True)
    ('a%3Db=c%3Dd', 'a%3Db=c=d')
    """
    pieces: list[str] = []
    for name, value in _listed(pairs):
        written = encode_component(value, place=Place.QUERY_VALUE, plus=plus)
        if equals:
            written = written.replace("%3D", "=")  # a percent sign of the value's own is %25 by now
        pieces.append(encode_component(name, place=Place.QUERY_NAME, plus=plus) + "=" + written)
    return "&".join(pieces)


def parse_query(raw: str, *, plus: bool = True) -> list[tuple[str, str]]:
    """Read a query into its decoded pairs, strictly: what :func:`build_query` was given.

    >>> parse_query("name=Helen+%C3%98deg%C3%A5rd&q=a%2Bb%26c=d&flag")
    [('name', 'Helen Ødegård'), ('q', 'a+b&c=d'), ('flag', '')]

    Pairs are parted at ``&``, each at its first ``=``; a name without one has an empty value, and
    nothing between two ``&`` is no pair. A ``+`` is a space unless ``plus=False``. A fault is a
    :class:`DecodeError` as in :func:`decode_component`, and so is a ``#``;
    :func:`postel.form.parse` is the lenient reading. URL Standard, section 5.1.
    """
    _refuse_delimiter(raw, "#")
    pairs: list[tuple[str, str]] = []
    origin = 0
    for pair in raw.split("&"):
        if pair:
            name, equals, value = pair.partition("=")
            value_origin = origin + len(name) + len(equals)
            pairs.append((decode_at(name, origin, plus=plus), decode_at(value, value_origin, plus=plus)))
        origin += len(pair) + 1
    return pairs


def _listed(items: Iterable[_Item]) -> list[_Item]:
    """The items; a string is iterable, and never what was meant."""
    if isinstance(items, str):
        raise TypeError("a str is one text; pass a list of segments, or of pairs")
    return list(items)


def _has_dots(segment: str) -> bool:
    """Whether a segment is a dot segment, if only to a reader that decodes before it splits."""
    return any(_DOTS.fullmatch(part) for part in segment.split("/"))


def _refuse_delimiter(raw: str, delimiters: str) -> None:
    if match := re.search(f"[{delimiters}]", raw):
        raise DecodeError("illegal-character", match.start(), match[0])
