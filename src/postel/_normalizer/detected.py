"""What was detected in one component: the matches by sort, and what the stages of editing need to know."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias, final

from postel._alphabet.text import Reading
from postel._catalogue.kinds import Kind
from postel._normalizer.findings import NOTHING, Collector, Matches, NameOf
from postel._normalizer.pairs import Pairs
from postel._normalizer.source_map import Mapped
from postel._policy.name_rules import Actions

Sort: TypeAlias = Literal[
    "form",  # of a target that does not begin with a slash
    "early",  # the first ones, which are reason enough to refuse
    "characters",
    "structure",  # segments, or what is between pairs
    "empty",  # pairs without any octet
    "writing",  # bare non-ASCII characters and spelling
    "split",  # in preserved segments, if they are split again
    "uncomposed",  # text that is not in NFC
    "repeated",  # names
    "outside",  # of accepted ranges
    "foreign",  # references
    "joining",  # characters that cannot be dropped
    "long",  # parts over their limits
    "waiting",  # percent signs that respelling would complete
]
"""What a match is about."""
_NO_PAIRS: Final = Pairs(b"")


@final
class Around(NamedTuple):
    """What is around a component, and takes part in its judgement."""

    host: bytes | None = None
    """The Host header, which the authority in front of a path must equal."""
    elsewhere: Collection[str] = frozenset()
    """The names of pairs in other blocks of a form."""


ALONE: Final = Around()


@final
@dataclass(slots=True, eq=False, repr=False)
class Detected:
    """A component as it is split, and then what was detected in it."""

    reading: Reading
    begins: int = 0
    """Where a path begins, after scheme and authority."""
    start: int = 0
    """The same place in the text."""
    pairs: Pairs = _NO_PAIRS
    name_of: NameOf = None
    """How a finding gets the name of its pair; a path has none."""
    matches: dict[Sort, Matches] = field(default_factory=dict[Sort, Matches])
    """The matches, sort by sort, in the order of their findings."""
    seen: frozenset[Kind] = frozenset()
    """The kinds of characters that were found; in a path, all kinds that were found and are edited."""
    profiles: list[Actions] | None = None
    """The actions for each kind, pair by pair, if they differ."""
    dropped: set[int] = field(default_factory=set[int])
    """The pairs that are dropped as a whole."""
    outside: set[int] = field(default_factory=set[int])
    """The pairs that are dropped for a name outside an accepted range."""
    leaving: dict[str, bool] = field(default_factory=dict[str, bool])
    """For each value that was judged as a reference, whether it leads to another site."""

    is_edited: bool = False
    """Whether any match asks for an edit."""

    def of(self, sort: Sort) -> Matches:
        """The matches of one sort."""
        return self.matches.get(sort, NOTHING)


CLEAN: Final = Detected(Reading(b""))
"""Nothing was detected: there is nothing, or it is proven to be clean."""


Stage: TypeAlias = Callable[[Mapped, Detected, Collector], Mapped | None]
"""A stage of editing; returns its argument if there is nothing to edit, and ``None`` to refuse."""
