"""Address bars: what Firefox and Chrome make of a URL that somebody types.

Both read by the URL Standard and escape by tables of their own: ``EscapeChars`` in Firefox's
``nsEscape.cpp``; in Chrome's ``url_canon_path.cc``, ``url_canon_query.cc`` and ``url_canon_etc.cc``
one for each component.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from postel import Characters
from postel.uri._classes import FRAGMENT_SET, PATH_SET, SPECIAL_QUERY_SET
from postel.uri._encoding import octets_of
from postel.uri._percent import percent_encode

if TYPE_CHECKING:
    from collections.abc import Mapping

Browser: TypeAlias = Literal["firefox", "chrome"]
"""A browser of which it is known how it departs from the URL Standard, section 1.3."""

_PATH_SETS: Final[Mapping[Browser, Characters]] = {
    "firefox": PATH_SET,
    "chrome": PATH_SET | Characters.of("|"),
}
"""The one component in which the two differ, from each other and Chrome from the Standard."""

_AT_THE_ENDS: Final = "".join(map(chr, range(0x21)))
_REMOVED: Final = re.compile(r"[\t\n\r]")
_HEAD: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]*+:)?[/\\]{2,}[^/\\]*+|[^/\\]*+")
"""Scheme and authority; without a scheme what stands before the first slash is a host."""


def address_bar(text: str, *, browser: Browser) -> str:
    r"""Write a URL of http or https as a browser sends it on if it is typed into the address bar.

    >>> address_bar("http://example.com/a|b c?q='d'", browser="firefox")
    'http://example.com/a|b%20c?q=%27d%27'
    >>> address_bar("http://example.com/a|b c?q='d'", browser="chrome")
    'http://example.com/a%7Cb%20c?q=%27d%27'

    Controls and spaces at either end go, tabs and line breaks anywhere; a backslash in the path is a
    slash. What path, query and fragment cannot hold is escaped in UTF-8, each by its set; a ``%``
    that begins no escape stays, and so do brackets. That is all: the host is neither lower-cased
    nor written as ``xn--``, and dot segments are not resolved, which browsers also do.

    >>> address_bar(" http://example.com/50%\\é[1]#^ ", browser="chrome")
    'http://example.com/50%/%C3%A9[1]#^'

    What comes out need not be a valid URI: :func:`clean` writes one. A lone surrogate is a
    :class:`DecodeError`, and another browser a ``ValueError``. URL Standard, sections 1.3 and 4.4.
    """
    if browser not in _PATH_SETS:
        raise ValueError(f"browser is {browser!r}; it can be {' or '.join(map(repr, _PATH_SETS))}")
    octets_of(text)
    rest, hash_mark, fragment = _REMOVED.sub("", text.strip(_AT_THE_ENDS)).partition("#")
    rest, question_mark, query = rest.partition("?")
    head = _HEAD.match(rest)
    path_at = head.end() if head else 0
    return "".join(
        (
            rest[:path_at],
            percent_encode(rest[path_at:].replace("\\", "/"), escaping=_PATH_SETS[browser]),
            question_mark,
            percent_encode(query, escaping=SPECIAL_QUERY_SET),
            hash_mark,
            percent_encode(fragment, escaping=FRAGMENT_SET),
        )
    )
