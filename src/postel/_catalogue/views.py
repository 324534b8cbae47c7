"""The views of requests that hide kinds: those of servers, and of access logs."""

from __future__ import annotations

import enum


@enum.unique
class View(enum.Enum):
    """A view of requests that hides kinds: a server's, or that of an access log."""

    DECODED = "decoded"
    """The decoded path alone, from a server without a raw target; it may have cut and merged before."""
    MERGED = "merged"
    """A raw target in which slashes in front are merged and bare octets are encoded twice."""
    REWRITTEN = "rewritten"
    """A path that a log's writer has decoded and written again."""
    CLEANED = "cleaned"
    """The same view, in which the server also resolved dot segments and merged slashes."""
    UNESCAPED = "unescaped"
    """A cleaned path that is written without escapes."""
    ESCAPED = "escaped"
    """A target with escapes in place of all bare octets that need them."""
    SITELESS = "siteless"
    """A target without the scheme and host that may have stood in front."""


def views(words: str) -> frozenset[View]:
    """Read views from words.

    >>> views("decoded") == {View.DECODED}
    True
    """
    return frozenset(map(View, words.split()))
