"""The tally: counts in bounded memory; the sum of the tallies of parts equals the tally of all lines."""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple, Self, TypeAlias, final

from postel import Action, Component, Kind, Policy, PolicyError
from postel.scan._lowest import Lowest

KindInComponent: TypeAlias = tuple[Kind, Component]
"""A kind and the component in which it was found."""

CLIENTS: Final = 4096
"""Up to this many clients are counted exactly; above it, the standard error is 1.6 %."""
ROW_CLIENTS: Final = 512
"""Up to this many clients of a row are counted exactly; above it, the standard error is 4.4 %."""
EXCERPTS: Final = 512
"""How many requests of each row are kept; up to this many, figures on routes and agents are exact."""
UNREAD_EXCERPTS: Final = 8
CHANGES: Final = 4096
"""How many pairs of an outcome and a route are counted; if there are more, some routes are missing."""


@final
class Excerpt(NamedTuple):
    """The kept parts of a request, each clipped.

    >>> Excerpt(b"/a%00", True, "/*", b"curl/8", b"").route
    '/*'
    """

    target: bytes
    """The first octets of the request target."""
    whole: bool
    """Whether the target is complete."""
    route: str
    """The first segments of its path, with stars for those that are not plain words."""
    agent: bytes
    """The first octets of the User-Agent."""
    referer: bytes
    """The first octets of the Referer."""
    method: bytes = b"GET"
    """The method."""
    status: int = 0
    """The status of the answer; 0 if not logged."""


@final
class Row:  # noqa: PLW1641 - it changes
    """Counts of the requests with one kind in one component, or of those refused for it.

    >>> row = Row()
    >>> row.requests, row.clients.distinct
    (0, 0)
    """

    __slots__ = (
        "actions",
        "agents",
        "clients",
        "excerpts",
        "referred",
        "requests",
        "senders",
        "served",
        "with_status",
    )

    def __init__(self) -> None:
        """Create an empty row."""
        self.requests: int = 0
        """Requests in this row."""
        self.actions: Counter[Action] = Counter()
        """Requests by action; a request may have findings with several actions."""
        self.agents: Counter[str] = Counter()
        """Requests by class of agent: browser, crawler, scanner, program, none; empty without agents."""
        self.senders: Counter[str] = Counter()
        """Requests by sender: people, scanners, unclear."""
        self.referred: int = 0
        """Requests with a Referer."""
        self.with_status: int = 0
        """Requests with a logged status."""
        self.served: int = 0
        """Requests with a status below 400."""
        self.clients: Lowest[None] = Lowest(ROW_CLIENTS)
        """The clients, as hashes of their addresses; their number is estimated if it is above 512."""
        self.excerpts: Lowest[Excerpt] = Lowest(EXCERPTS)
        """Some of the requests, each clipped."""

    def update(self, other: Row) -> None:
        """Add the counts of another row."""
        self.requests += other.requests
        self.actions.update(other.actions)
        self.agents.update(other.agents)
        self.senders.update(other.senders)
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
    """The counts of a scan, of bounded size.

    Tallies can be pickled and added. It does not matter how lines were split into parts, where each part was
    counted, or in which order the parts are added: the sum equals the tally of all lines counted at once.
    ``Tally(policy)`` is empty.

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
        """Create an empty tally for a policy. Raises PolicyError unless ``policy`` is a Policy."""
        if not isinstance(policy, Policy):  # pyright: ignore[reportUnnecessaryIsInstance] - for untyped callers
            raise PolicyError(
                f"policy={policy!r} is not a Policy; write Policy.STANDARD or Policy.parse(...)"
            )
        self.policy: str = str(policy)
        """The policy, in text form."""
        self.lines: int = 0
        """Lines that are not empty."""
        self.requests: int = 0
        """Lines that were read as requests."""
        self.clean: int = 0
        """Requests without findings under the policy."""
        self.edited: int = 0
        """Requests that the policy accepts after edits."""
        self.unreadable: Counter[str] = Counter()
        """Lines that are not requests, by reason."""
        self.unread: Lowest[tuple[str, bytes]] = Lowest(UNREAD_EXCERPTS)
        """Some of these lines, clipped, with their reasons."""
        self.formats: Counter[str] = Counter()
        """Lines by format."""
        self.blind: set[tuple[str, Kind]] = set()
        """The kinds that each format cannot show."""
        self.hides: set[tuple[str, str]] = set()
        """What else each format does not show."""
        self.clients: Lowest[None] = Lowest(CLIENTS)
        """The clients, as hashes of their addresses; their number is estimated if it is above 4,096."""
        self.refused: Counter[str] = Counter()
        """Requests that each policy would refuse: ``policy``, ``strict``, ``standard``, ``lenient``."""
        self.redirected: Counter[str] = Counter()
        """Requests that each policy would redirect to a path with its slashes merged."""
        self.would_refuse: Counter[tuple[str, Kind, Component]] = Counter()
        """Requests that each policy would refuse, by kind and component; a request may count for several."""
        self.would_redirect: Counter[tuple[str, Kind, Component]] = Counter()
        """Requests that each policy would redirect, by kind and component."""
        self.refusals: dict[tuple[KindInComponent, str], Row] = {}
        """The requests that the policy refuses, each in one row, by first reason and sender."""
        self.changes: Lowest[tuple[str, str]] = Lowest(CHANGES)
        """Requests by outcome (``edited``, ``redirected``, ``refused``) and route."""
        self.rows: dict[KindInComponent, Row] = {}
        """The findings of the policy, by kind and component."""

    def update(self, other: Tally) -> None:
        """Add the counts of another tally. Raises ``ValueError`` if its policy differs."""
        if self.policy != other.policy:
            raise ValueError(f"cannot add tallies of two policies: {self.policy!r} and {other.policy!r}")
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
        for (place, sender), row in other.refusals.items():
            self.refusal(place, sender).update(row)

    def row(self, place: KindInComponent) -> Row:
        """Return the row for a kind and component, created if needed."""
        row = self.rows.get(place)
        if row is None:
            row = self.rows[place] = Row()
        return row

    def refusal(self, place: KindInComponent, sender: str) -> Row:
        """Return the row for requests with this first reason for refusal and this sender."""
        row = self.refusals.get((place, sender))
        if row is None:
            row = self.refusals[place, sender] = Row()
        return row

    def __add__(self, other: Tally) -> Self:
        """Return the sum as a new tally."""
        if not isinstance(other, Tally):  # pyright: ignore[reportUnnecessaryIsInstance] - for untyped callers
            return NotImplemented
        whole = type(self)(Policy.parse(self.policy))
        whole.update(self)
        whole.update(other)
        return whole

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tally) and all(
            getattr(self, name) == getattr(other, name) for name in self.__slots__
        )
