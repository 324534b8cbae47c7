"""Address bars: how Firefox and Chrome escape a URL that somebody types.

Both parse URLs as the URL Standard says, but each has tables of its own for escaping: Firefox ``EscapeChars``
in ``nsEscape.cpp``, Chrome one for each component in ``url_canon_path.cc``, ``url_canon_query.cc`` and
``url_canon_etc.cc``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from postel import Characters
from postel.uri._classes import FRAGMENT_SET, PATH_SET, SPECIAL_QUERY_SET
from postel.uri._encoding import encode_text
from postel.uri._percent import percent_encode

if TYPE_CHECKING:
    from collections.abc import Mapping

Browser: TypeAlias = Literal["firefox", "chrome"]
"""A browser whose differences from the URL Standard, section 1.3, are known."""

_PATH_SETS: Final[Mapping[Browser, Characters]] = {
    "firefox": PATH_SET,
    "chrome": PATH_SET | Characters.of("|"),
}
"""The browsers differ only in the path, where Chrome also escapes ``|``, unlike the Standard."""

_AT_THE_ENDS: Final = "".join(map(chr, range(0x21)))
_REMOVED: Final = re.compile(r"[\t\n\r]")
_HEAD: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]*+:)?[/\\]{2,}[^/\\]*+|[^/\\]*+")
"""Matches scheme and authority; without a scheme, everything before the first slash is the host."""


def address_bar(text: str, *, browser: Browser) -> str:
    r"""Escape an http or https URL as a browser does if it is typed into the address bar.

    >>> address_bar("http://example.com/a|b c?q='d'", browser="firefox")
    'http://example.com/a|b%20c?q=%27d%27'
    >>> address_bar("http://example.com/a|b c?q='d'", browser="chrome")
    'http://example.com/a%7Cb%20c?q=%27d%27'

    Controls and spaces at either end are removed, as are tabs and line breaks anywhere; a backslash
    in the path becomes a slash. Path, query and fragment are escaped in UTF-8, each by its own set.
    Brackets stay, and so does a ``%`` that does not begin an escape. Other steps of browsers are
    left out: the host is neither lower-cased nor written as ``xn--``, and dot segments stay.

    >>> address_bar(" http://example.com/50%\\é[1]#^ ", browser="chrome")
    'http://example.com/50%/%C3%A9[1]#^'

    The result need not be a valid URI; :func:`clean` writes one. Raises :class:`DecodeError` for a
    lone surrogate, and ``ValueError`` for another browser. URL Standard, sections 1.3 and 4.4.
    """
    if browser not in _PATH_SETS:
        raise ValueError(f"browser is {browser!r}; it can be {' or '.join(map(repr, _PATH_SETS))}")
    encode_text(text)
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
