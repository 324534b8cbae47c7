"""What was received: the target that a server lets us see, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from postel._catalogue import Kind
from postel._check import Component
from postel._target import Target

BLIND: Final = frozenset(
    {
        Kind.ABSOLUTE_FORM,
        Kind.AUTHORITY_FORM,
        Kind.MISSING_SLASH,
        Kind.FRAGMENT,
        Kind.UNICODE_ESCAPE,
        Kind.MALFORMED_ESCAPE,
        Kind.ILLEGAL_CHARACTER,
        Kind.ENCODED_SLASH,
        Kind.ENCODED_DELIMITER,
        Kind.BACKSLASH,
        Kind.ENCODED_DOT_SEGMENT,
        Kind.LEADING_SLASHES,
        Kind.RAW_NON_ASCII,
        Kind.SPELLING,
        Kind.VIEWS_DISAGREE,
    }
)
"""The kinds of a path that nobody can tell, or not tell apart, in its decoded view alone.

The forms of a target and slashes in front are among them: many servers that show nothing else cut or merge
these before they decode.
"""


_TIDIED: Final = frozenset({Kind.LEADING_SLASHES, Kind.RAW_NON_ASCII, Kind.ILL_FORMED_UTF8})
_NOTHING: Final[frozenset[Kind]] = frozenset()


def hidden_by(request: Mapping[str, Any]) -> frozenset[Kind]:
    """The kinds that a server hides although it has a raw target, where it says which one it is.

    Werkzeug's development server (3.1) writes one slash for several in front, and encodes bare octets twice.
    """
    software = request.get("SERVER_SOFTWARE")
    return _TIDIED if isinstance(software, str) and software.startswith("Werkzeug/") else _NOTHING


@final
@dataclass(frozen=True, slots=True)
class Received:
    """One request's target as recovered, before it is judged."""

    target: Target
    """What is judged and, edited, handed on: what the application would have routed on."""
    prefix: bytes = b""
    """The prefix as it stood in the received path; empty where it did not stand there."""
    raw: Target | None = None
    """Where that is not what the client sent: what the client sent. It is judged, too."""
    disagree: tuple[Component, ...] = ()
    """Where the two differ by more than a server's tidying."""
    verbatim: bool = True
    """Whether path and query are the client's own octets."""
    blind: frozenset[Kind] = frozenset()
    """The kinds that could not be seen."""
    replaced: bool = False
    """Whether the decoded view holds U+FFFD that a server may have put for ill-formed octets."""
    mount: bytes = b""
    """A root_path that does not stand in front of the path. It is judged, too."""

    @property
    def seen(self) -> Target:
        """The client's octets as far as they can be seen."""
        return self.raw or self.target
