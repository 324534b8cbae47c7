"""Build and parse paths and queries component by component, and refuse ambiguous ones.

Building and parsing are inverse and accept the same values. By default they refuse legal but dangerous
values: a reader that decodes before it splits, or that resolves dots, would see another path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeVar, cast

from postel.uri._encoding import decode_at, encode_component
from postel.uri._errors import BuildError, DecodeError, require_text
from postel.uri._places import Place

_Item = TypeVar("_Item")
_DOTS: Final = re.compile(r"\.\.?(?:;.*)?", re.DOTALL)
"""Matches a dot segment, also with a parameter, which Java servers cut off before they resolve it."""
_ENCODED_SLASH: Final = re.compile(r"%2[Ff]")


def build_path(segments: Iterable[str], *, slashes: bool = False, dot_segments: bool = False) -> str:
    """Write a path of these segments, each of which is data.

    >>> build_path(["wiki", "Ørsted?", "100%"]), build_path(["a", ""]), build_path([])
    ('/wiki/%C3%98rsted%3F/100%25', '/a/', '')

    No segments give the empty path, one empty segment gives ``/``, and an empty last segment gives a
    trailing slash.

    Raises :class:`BuildError` for three things. A segment that holds a slash needs
    ``slashes=True``, because many readers take ``%2F`` for a separator. A segment that is ``.`` or
    ``..``, alone, between slashes or before a ``;``, needs ``dot_segments=True``; no escape helps,
    because ``%2E`` is the same segment. A path must not begin with ``//``, which is an authority.
    Raises :class:`DecodeError` for a lone surrogate. RFC 3986, sections 2.2, 3.3 and 6.2.2.

    >>> build_path(["files", "../etc"])
    Traceback (most recent call last):
    postel.uri.BuildError: encoded-slash at 1: '../etc': split it, or pass slashes=True
    >>> build_path(["files", "a/b"], slashes=True)
    '/files/a%2Fb'
    """
    segments = listed(segments, "segments")
    for index, segment in enumerate(segments):
        require_text(segment)
        if "/" in segment and not slashes:
            advice = "split it, or pass slashes=True"
            raise BuildError("encoded-slash", index, segment, advice)
        if _has_dots(segment) and not dot_segments:
            advice = "resolve it first, rename the segment, or pass dot_segments=True"
            raise BuildError("dot-segment", index, segment, advice)
    if len(segments) > 1 and not segments[0]:
        raise BuildError("leading-slashes", 0, "", "leave out the empty first segment")
    return "".join(["/" + encode_component(segment, place=Place.SEGMENT) for segment in segments])


def parse_path(raw: str, *, slashes: bool = False, dot_segments: bool = False) -> list[str]:
    """Read a path into its decoded segments; the inverse of :func:`build_path`.

    >>> parse_path("/wiki/%C3%98rsted%3F"), parse_path("/a/"), parse_path("/"), parse_path("")
    (['wiki', 'Ørsted?'], ['a', ''], [''], [])

    Dot segments are not resolved, and empty segments are kept. Raises :class:`DecodeError` for
    everything that :func:`decode_component` and :func:`build_path` refuse, with the same two
    options, and for text that is not a path alone: without a leading slash, or with a ``?`` or
    ``#``. RFC 3986, sections 2.2, 3.3 and 6.2.2.

    >>> parse_path("/files/..%2Fetc")
    Traceback (most recent call last):
    postel.uri.DecodeError: encoded-slash at 9: '%2F': pass slashes=True if it is data
    """
    require_text(raw)
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
    """Write a query of these pairs of name and value, each of which is data.

    >>> build_query([("name", "Helen Ødegård"), ("back_uri", "/a?b=c&d")])
    'name=Helen%20%C3%98deg%C3%A5rd&back_uri=/a?b%3Dc%26d'

    All parsers read the same pairs: plus, ampersand, semicolon and equals sign are always escaped,
    and each pair has an ``=``. A space becomes ``%20``, or ``+`` with ``plus=True``. With
    ``equals=True`` an equals sign in a value stays bare, because readers that follow the URL Standard
    split a pair at its first ``=``. The result does not include the ``?``. Raises :class:`DecodeError` for
    a lone surrogate, and ``TypeError`` for a list of values, and for items that are not pairs. RFC 3986,
    section 3.4; URL Standard, section 5.2.

    >>> build_query([("a=b", "c=d")]), build_query([("a=b", "c=d")], equals=True)
    ('a%3Db=c%3Dd', 'a%3Db=c=d')
    """
    pieces: list[str] = []
    for name, value in listed(pairs, "pairs"):
        written = encode_component(value, place=Place.QUERY_VALUE, plus=plus)
        if equals:
            written = written.replace("%3D", "=")  # a percent sign in the value itself is now %25
        pieces.append(encode_component(name, place=Place.QUERY_NAME, plus=plus) + "=" + written)
    return "&".join(pieces)


def parse_query(raw: str, *, plus: bool = True) -> list[tuple[str, str]]:
    """Read a query strictly into its decoded pairs; the inverse of :func:`build_query`.

    >>> parse_query("name=Helen+%C3%98deg%C3%A5rd&q=a%2Bb%26c=d&flag")
    [('name', 'Helen Ødegård'), ('q', 'a+b&c=d'), ('flag', '')]

    The query is split at ``&``, and each pair at its first ``=``. A pair without ``=`` has an empty
    value, and an empty pair is skipped. A ``+`` is a space unless ``plus=False``. Raises
    :class:`DecodeError` for faults as in :func:`decode_component`, and for a ``#``;
    :func:`postel.form.parse` is the lenient parser. URL Standard, section 5.1.
    """
    require_text(raw)
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


def listed(items: Iterable[_Item], what: Literal["segments", "pairs"]) -> list[_Item]:
    """Return the items as a list. Raises TypeError for a str, a mapping, and pairs that are not pairs.

    >>> listed(["ab"], "pairs")
    Traceback (most recent call last):
    TypeError: 'ab' is not a pair; write (name, value)
    """
    if isinstance(items, str):
        raise TypeError(f"a str is one text; pass a list of {what}")
    if isinstance(items, Mapping):
        advice = ", such as [*given.items()]" if what == "pairs" else ""
        raise TypeError(f"a mapping is not a list; pass a list of {what}{advice}")
    found = list(items)
    for each in found if what == "pairs" else ():
        if not isinstance(each, tuple | list) or len(cast("list[object]", each)) != 2:
            raise TypeError(f"{each!r} is not a pair; write (name, value)")
    return found


def _has_dots(segment: str) -> bool:
    """Whether some reader sees a dot segment, such as a reader that decodes before it splits."""
    return any(_DOTS.fullmatch(part) for part in segment.split("/"))


def _refuse_delimiter(raw: str, delimiters: str) -> None:
    if match := re.search(f"[{delimiters}]", raw):
        raise DecodeError("illegal-character", match.start(), match[0])
