"""Findings: what is reported about a fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

from postel._alphabet.frozen import mutable_class
from postel._alphabet.printable import quoted_octets
from postel._catalogue.check import Action, Component
from postel._catalogue.kinds import Kind

EXCERPT: Final = 48
"""A finding quotes at most this many octets of a fault."""


@final
@dataclass(frozen=True, slots=True, init=False)
class Finding:
    """A fault in a request: which kind, where, and what the policy does about it.

    In the received octets of the component, ``received[offset:offset + len(excerpt)] == excerpt``. A run of
    octets with the same fault is one finding. ``str`` gives one line of printable ASCII for any request.

    >>> from postel import Action, Component, Kind
    >>> print(Finding(Kind.NUL, Component.QUERY, 2, b"%00", Action.REJECT, name="q"))
    nul in query at 2: "%00", of "q" (reject)
    """

    kind: Kind
    """The kind of fault."""
    component: Component
    """Where the fault is; ``offset`` counts in this component."""
    offset: int
    """Octets from the start of the component as received; always 0 in ``Component.HEADERS``."""
    excerpt: bytes
    """The first octets of the fault, 48 at most."""
    action: Action
    """What the policy does about the fault."""
    name: str | None = None
    """The decoded name of the pair, cookie or header, if there is one."""
    detail: str = ""
    """More about the fault, in fixed words: for ill-formed UTF-8, its class. Only for a prefix that does not
    match, it quotes the prefix, in printable ASCII."""

    def __new__(  # noqa: PLR0913, PLR0917 - the fields
        cls,
        kind: Kind,
        component: Component,
        offset: int,
        excerpt: bytes,
        action: Action,
        name: str | None = None,
        detail: str = "",
    ) -> Finding:
        made = _OpenFinding()
        made.kind = kind
        made.component = component
        made.offset = offset
        made.excerpt = excerpt
        made.action = action
        made.name = name
        made.detail = detail
        made.__class__ = cls
        finding: Finding = made
        return finding

    def __getnewargs__(self) -> tuple[Kind, Component, int, bytes, Action]:
        return self.kind, self.component, self.offset, self.excerpt, self.action

    def __str__(self) -> str:
        """One line of printable ASCII."""
        detail = f" ({self.detail})" if self.detail else ""
        name = "" if self.name is None else f", of {quoted_octets(self.name.encode(errors='replace'))}"
        excerpt = f": {quoted_octets(self.excerpt)}" if self.excerpt else ""
        return (
            f"{self.kind.slug} in {self.component.value} at {self.offset}{excerpt}{detail}{name} "
            f"({self.action.value})"
        )


_OpenFinding: Final = mutable_class(Finding)
