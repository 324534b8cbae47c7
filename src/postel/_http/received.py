"""The received target as the server shows it, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from postel._catalogue.check import Component
from postel._catalogue.kinds import Kind, hidden_in
from postel._catalogue.views import View
from postel._normalizer.target import Target

BLIND: Final = hidden_in(View.DECODED)
"""The kinds of faults in a path that its decoded view does not show."""
_TIDIED: Final = hidden_in(View.MERGED)
_NOTHING: Final[frozenset[Kind]] = frozenset()


def hidden_by(request: Mapping[str, Any]) -> frozenset[Kind]:
    """The kinds of faults that a known server hides even in its raw target; empty for other servers.

    Werkzeug's development server (3.1) merges slashes at the start, and encodes bare octets twice.
    """
    software = request.get("SERVER_SOFTWARE")
    return _TIDIED if isinstance(software, str) and software.startswith("Werkzeug/") else _NOTHING


@final
@dataclass(frozen=True, slots=True)
class Received:
    """The target of one request as recovered, before it is judged."""

    target: Target
    """The target that is judged and handed on. Without postel, the application would route by it."""
    prefix: bytes = b""
    """The prefix as written in the received path; empty if the path did not include it."""
    raw: Target | None = None
    """What the client sent, if that differs from ``target``. It is judged, too."""
    disagree: tuple[Component, ...] = ()
    """The components in which ``target`` and ``raw`` differ, apart from the usual tidying by servers."""
    verbatim: bool = True
    """Whether path and query are the client's own octets."""
    blind: frozenset[Kind] = frozenset()
    """The kinds that this environ or scope cannot show."""
    replaced: bool = False
    """Whether the decoded view holds U+FFFD, which a server may have written for ill-formed octets."""
    mount: bytes = b""
    """A ``root_path`` that does not stand in front of the path. It is judged, too."""

    @property
    def sent(self) -> Target:
        """The target that the client sent, as far as the server shows it."""
        return self.raw or self.target
