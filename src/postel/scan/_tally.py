"""The tally: what was counted, in bounded memory, such that the tallies of parts sum to that of the whole."""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple, Self, TypeAlias, final

from postel import Action, Component, Kind, Policy
from postel.scan._lowest import Lowest

Place: TypeAlias = tuple[Kind, Component]
"""A kind and the component that it was found in."""

CLIENTS: Final = 4096
"""Clients up to which they are counted exactly; beyond, the standard error is 1.6 %."""
ROW_CLIENTS: Final = 512
"""The same for each row; 4.4 %."""
EXCERPTS: Final = 512
"""Requests of each row that are kept. Up to so many, what is told of routes and agents is exact."""
UNREAD_EXCERPTS: Final = 8
CHANGES: Final = 4096
"""Pairs of an outcome and a route that are counted; beyond, some routes are missing."""


@final
class Excerpt(NamedTuple):
    """What is kept of a request; each text is clipped.

    >>> Excerpt(b"/a%00", True, "/*", b"curl/8", b"").route
    '/*'
    """

    target: bytes
    """The first octets of the request target."""
    whole: bool
    """Whether the target is not clipped."""
    route: str
    """The first segments of its path, without what is not plain in them."""
    agent: bytes
    """The first octets of the header User-Agent."""
    referer: bytes
    """The first octets of the header Referer."""
    method: bytes = b"GET"
    """The method."""
    status: int = 0
    """The status of the answer; 0 where the log has none."""


@final
class Row:  # noqa: PLW1641 - it changes
    """What was counted of some requests: of those with one kind in one component, or of those refused for it.

    >>> row = Row()
    >>> row.requests, row.clients.distinct
    (0, 0)
    """

    __slots__ = (
        "actions",
        "agents",
        "clients",
        "excerpts",
        "hits",
        "referred",
        "requests",
        "served",
        "with_status",
    )

    def __init__(self) -> None:
        """Nothing counted."""
        self.requests: int = 0
        self.actions: Counter[Action] = Counter()
        """By action, the requests; one may have findings under two."""
        self.agents: Counter[str] = Counter()
        """By class of agent: browser, crawler, scanner, program, none; empty in a log without agents."""
        self.hits: Counter[str] = Counter()
        """By whose they look like, the requests: people, scanners, unclear."""
        self.referred: int = 0
        """Requests that came by a link: with a Referer."""
        self.with_status: int = 0
        """Requests of which the log has the status of the answer."""
        self.served: int = 0
        """Requests of these that were answered with a status below 400."""
        self.clients: Lowest[None] = Lowest(ROW_CLIENTS)
        self.excerpts: Lowest[Excerpt] = Lowest(EXCERPTS)

    def update(self, other: Row) -> None:
        """Count what another has counted."""
        self.requests += other.requests
        self.actions.update(other.actions)
        self.agents.update(other.agents)
        self.hits.update(other.hits)
        self.referred += other.referred
        self.with_status += other.with_status
        self.served += other.served
        self.clients.update(other.clients)
        self.excerpts.update(other.excerpts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Row) and all(
            getattr(self, name) == getattr(other, name) for name in self.__slots__
        )


@final
class Tally:  # noqa: PLW1641 - it changes
    """What a scan has counted; of bounded size, whatever was scanned.

    A tally pickles, and ``a + b`` is the tally of what both have counted. It does not matter how lines were
    parted, where each part was counted, or in which order the parts are summed: the sum equals the tally of
    all lines counted at once. ``Tally(policy)`` is the tally of nothing.

    >>> from postel import Policy
    >>> nothing = Tally(Policy.STANDARD)
    >>> nothing + nothing == nothing
    True
    """

    __slots__ = (
        "blind",
        "changes",
        "clean",
        "clients",
        "edited",
        "formats",
        "hides",
        "lines",
        "policy",
        "redirected",
        "refusals",
        "refused",
        "requests",
        "rows",
        "unread",
        "unreadable",
        "would_redirect",
        "would_refuse",
    )

    def __init__(self, policy: Policy = Policy.STANDARD) -> None:
        """Nothing counted, under a policy."""
        self.policy: str = str(policy)
        """The text form of the policy that was judged by."""
        self.lines: int = 0
        """Lines with something in them."""
        self.requests: int = 0
        """Lines that were read as a request."""
        self.clean: int = 0
        """Requests in which the policy notes nothing."""
        self.edited: int = 0
        """Requests that the policy edits and lets pass."""
        self.unreadable: Counter[str] = Counter()
        """By reason, the lines that were not read as a request."""
        self.unread: Lowest[tuple[str, bytes]] = Lowest(UNREAD_EXCERPTS)
        """Some of these, clipped, with their reason."""
        self.formats: Counter[str] = Counter()
        """By format, the lines."""
        self.blind: set[tuple[str, Kind]] = set()
        """By format, the kinds that it cannot show."""
        self.hides: set[tuple[str, str]] = set()
        """By format, what else its logs do not show."""
        self.clients: Lowest[None] = Lowest(CLIENTS)
        self.refused: Counter[str] = Counter()
        """By policy, the requests that it would refuse: ``policy``, ``strict``, ``standard``, ``lenient``."""
        self.redirected: Counter[str] = Counter()
        """By policy, the requests that it would redirect to a path with its slashes merged, refusing none."""
        self.would_refuse: Counter[tuple[str, Kind, Component]] = Counter()
        """By policy, kind and component, the requests that it would refuse for that reason, too."""
        self.would_redirect: Counter[tuple[str, Kind, Component]] = Counter()
        """The same for those that it would redirect."""
        self.refusals: dict[tuple[Place, str], Row] = {}
        """The requests that the policy refuses, each in one row: by first reason and whose it looks like."""
        self.changes: Lowest[tuple[str, str]] = Lowest(CHANGES)
        """By outcome (``edited``, ``redirected``, ``refused``) and route, the requests."""
        self.rows: dict[Place, Row] = {}
        """By kind and component, what the policy notes."""

    def update(self, other: Tally) -> None:
        """Count what another has counted under the same policy; else a ``ValueError``."""
        if self.policy != other.policy:
            raise ValueError(f"tallies under two policies have no sum: {self.policy!r} and {other.policy!r}")
        self.lines += other.lines
        self.requests += other.requests
        self.clean += other.clean
        self.edited += other.edited
        self.unreadable.update(other.unreadable)
        self.unread.update(other.unread)
        self.formats.update(other.formats)
        self.blind |= other.blind
        self.hides |= other.hides
        self.clients.update(other.clients)
        self.refused.update(other.refused)
        self.redirected.update(other.redirected)
        self.would_refuse.update(other.would_refuse)
        self.would_redirect.update(other.would_redirect)
        self.changes.update(other.changes)
        for place, row in other.rows.items():
            self.row(place).update(row)
        for (place, who), row in other.refusals.items():
            self.refusal(place, who).update(row)

    def row(self, place: Place) -> Row:
        """The row of a place; a new one, where nothing was found there yet."""
        row = self.rows.get(place)
        if row is None:
            row = self.rows[place] = Row()
        return row

    def refusal(self, place: Place, who: str) -> Row:
        """The row of what is refused first for this place, and looks like theirs."""
        row = self.refusals.get((place, who))
        if row is None:
            row = self.refusals[place, who] = Row()
        return row

    def __add__(self, other: Tally) -> Self:
        """A new tally of what both have counted."""
        if not isinstance(other, Tally):  # pyright: ignore[reportUnnecessaryIsInstance] - whoever does not type-check
            return NotImplemented
        whole = type(self)(Policy.parse(self.policy))
        whole.update(self)
        whole.update(other)
        return whole

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tally) and all(
            getattr(self, name) == getattr(other, name) for name in self.__slots__
        )
