"""The forms in which servers and access logs show a request; each hides some kinds."""

from __future__ import annotations

import enum


@enum.unique
class View(enum.Enum):
    """A form in which a server or an access log shows a request; it hides some kinds."""

    DECODED = "decoded"
    """The decoded path from a server without a raw target; the server may have cut it or merged slashes."""
    MERGED = "merged"
    """A raw target with leading slashes merged and bare octets read as Latin-1, then written as UTF-8."""
    REWRITTEN = "rewritten"
    """A path that was decoded and escaped again before it was logged."""
    CLEANED = "cleaned"
    """A rewritten path in which the server has also resolved dot segments and merged slashes."""
    UNESCAPED = "unescaped"
    """A cleaned path that is written without escapes."""
    ESCAPED = "escaped"
    """A target in which all bare octets that need an escape are escaped."""
    SITELESS = "siteless"
    """A target from which a scheme and host have been removed."""


def views(words: str) -> frozenset[View]:
    """Read views from words.

    >>> views("decoded") == {View.DECODED}
    True
    """
    return frozenset(map(View, words.split()))
