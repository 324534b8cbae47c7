"""The views in which servers and access logs show requests; each hides some kinds."""

from __future__ import annotations

import enum


@enum.unique
class View(enum.Enum):
    """A way in which a server or an access log shows requests, and hides kinds."""

    DECODED = "decoded"
    """The decoded path from a server without a raw target; the server may have cut or merged it, too."""
    MERGED = "merged"
    """A raw target in which slashes in front are merged and bare octets are encoded twice."""
    REWRITTEN = "rewritten"
    """A path that a log's writer has decoded and written again."""
    CLEANED = "cleaned"
    """A rewritten path in which the server has also resolved dot segments and merged slashes."""
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
