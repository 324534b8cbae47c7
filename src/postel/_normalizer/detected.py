"""What was detected in a component: its matches by sort, and data for the stages of editing."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Literal, NamedTuple, TypeAlias, final

from postel._alphabet.steps import Steps
from postel._alphabet.text import Reading
from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._normalizer.composition import Composition
from postel._normalizer.findings import DROPPING, NOTHING, Collector, Matches, NameOf, changes_octets
from postel._normalizer.other_blocks import OtherBlocks
from postel._normalizer.pair_actions import PairActions
from postel._normalizer.pairs import Pairs
from postel._normalizer.source_map import Mapped

Sort: TypeAlias = Literal[
    "form",  # the form of a target that does not begin with a slash
    "early",  # the first matches, which suffice to refuse the component
    "first",  # the first characters, if there are more than can be kept
    "refused",  # characters after the first ones, of the kinds that are refused in some pair
    "characters",
    "structure",  # faults of segments or pairs
    "empty",  # pairs without any octet
    "writing",  # bare non-ASCII characters and spelling
    "split",  # faults that appear if preserved slashes split segments
    "uncomposed",  # text that is not in NFC
    "repeated",  # names that occur more than once
    "outside",  # characters outside accepted ranges
    "foreign",  # references to other sites
    "joining",  # characters that cannot be dropped, because this would join octets or change a segment
    "long",  # parts over their limits
    "latent",  # stray percent signs that would begin an escape after respelling
]
"""The sort of a match."""
Find: TypeAlias = "Callable[[Detected], Matches]"
"""A function that finds the matches of one sort."""
_NO_PAIRS: Final = Pairs(b"")
_NO_ACTIONS: Final = PairActions((Action.ALLOW,) * len(Kind), 0)


@final
class Context(NamedTuple):
    """What the engine must know from outside a component to judge it."""

    host: bytes | None = None
    """The Host header; a target in absolute form must name the same site."""
    others: OtherBlocks | None = None
    """The names in other blocks of a form; ``None`` if names may be repeated, or there is one block."""
    stage: int = -1
    """The number of the last stage that edited the component; -1 stands for the component as received."""
    beside: int = 0
    """The length of pairs of the component that are left out, because nothing was found in them; an escape
    counts as one octet."""

    def elsewhere(self, names: Collection[str]) -> set[str]:
        """Return those of some names that pairs in other blocks have after the same stage."""
        return set() if self.others is None else self.others.having(names, self.stage)


NO_CONTEXT: Final = Context()


@final
@dataclass(slots=True, eq=False, repr=False)
class Detected:
    """The parts of a component, and what was detected in it."""

    reading: Reading
    path_offset: int = 0
    """The offset at which a path begins, after scheme and authority."""
    path_index: int = 0
    """The same place as an index in the text."""
    pairs: Pairs = _NO_PAIRS
    name_of: NameOf = None
    """Returns the name of the pair at an offset; ``None`` for a path."""
    matches: dict[Sort, Matches] = field(default_factory=dict[Sort, Matches])
    """The matches by sort, in the order of their findings."""
    seen: frozenset[Kind] = frozenset()
    """For pairs, the kinds of all characters that were found. For a path, the kinds of the characters and
    segments that were found, but only those whose action is an edit or PRESERVE."""
    pair_actions: PairActions = _NO_ACTIONS
    """The actions in each pair."""
    pair_actions_left: PairActions | None = None
    """The actions in each pair that a stage leaves; ``None`` if it leaves all pairs."""
    pending: dict[Sort, Find] = field(default_factory=dict[Sort, Find])
    """For each sort that was not looked for yet, a function that finds its matches."""
    pending_without_edits: set[Sort] = field(default_factory=set[Sort])
    """The sorts of ``pending`` whose matches have no action that edits."""
    find_faulty: Callable[[Detected], set[int]] | None = None
    """Finds the pairs of ``faulty``; ``None`` for a path."""
    elsewhere: Collection[str] = frozenset()
    """The names that pairs in other blocks of a form have, too."""
    long: list[tuple[Kind, int, int]] | None = None
    """The names and values over their limits; ``None`` if they were not looked for yet."""
    context: Context = NO_CONTEXT
    """Data from outside the component."""
    leaving: dict[str, bool] = field(default_factory=dict[str, bool])
    """For each value that was judged as a reference, whether it leads to another site."""
    composition: Composition = field(default_factory=partial(Composition, "&"))
    """The texts that were compared with their composed forms."""
    is_respelled: bool = False
    """Whether escapes are known to be canonical after a stage; later stages leave them so."""
    is_settled: bool | None = None
    """Whether a stage leaves nothing to edit or to find, so that its result need not be judged; ``None`` if
    the stage did not try to prove it."""
    drops_at_once: bool = True
    """Whether pairs may still be dropped before they are repaired; false once an attempt has failed."""
    _faulty: set[int] | None = None

    @property
    def left(self) -> PairActions:
        """The actions in each pair that a stage leaves."""
        return self.pair_actions if self.pair_actions_left is None else self.pair_actions_left

    def later(self, sort: Sort, find: Find, *, edits: bool = True) -> None:
        """Find the matches of a sort only when they are needed; the order of sorts stays the same.

        Without ``edits``, no action of these matches edits.
        """
        self.matches[sort] = NOTHING
        self.pending[sort] = find
        if not edits:
            self.pending_without_edits.add(sort)

    def of(self, sort: Sort) -> Matches:
        """Return the matches of one sort."""
        if (find := self.pending.pop(sort, None)) is not None:
            self.matches[sort] = find(self)
        return self.matches.get(sort, NOTHING)

    def found(self, sort: Sort) -> Matches | None:
        """Return the matches of one sort if they were looked for already, otherwise ``None``."""
        return None if sort in self.pending else self.matches.get(sort)

    def compared_names(self) -> set[str]:
        """Return the names of the pairs, except those of ``uncompared`` ones."""
        names, uncompared = self.pairs.names, self.uncompared
        return {names[pair] for pair in self.pairs.filled() if pair not in uncompared}

    def is_outdated(self, context: Context) -> bool:
        """Whether ``elsewhere`` no longer holds the names that other blocks share with these pairs."""
        if context.others is None or not context.others.is_renamed:
            return False
        return context.elsewhere(self.pairs.names) != self.elsewhere

    def editing(self) -> Steps[Matches | None]:
        """Find the first matches with an action that edits, in steps, or return ``None``."""
        for sort in self.matches:
            if sort in self.pending:
                if sort in self.pending_without_edits:
                    continue
                yield
            if (matches := self.of(sort)).have(changes_octets):
                return matches
        return None

    @property
    def edits_characters(self) -> bool:
        """Whether the characters of pairs may need an edit."""
        return any(map(changes_octets, self.pair_actions.acts(self.seen)))

    @property
    def faulty(self) -> set[int]:
        """The pairs that are dropped for what they hold, whatever the other pairs are."""
        if self._faulty is None:
            self._faulty = set() if self.find_faulty is None else self.find_faulty(self)
        return self._faulty

    @property
    def uncompared(self) -> set[int]:
        """The faulty pairs that may have the name of another pair, because they are dropped.

        If a repeated name is refused, it is refused in a faulty pair, too (law 6).
        """
        refused = self.pair_actions.having(Kind.DUPLICATE_NAME, Action.REJECT)
        return self.faulty.difference(refused) if refused else self.faulty

    @property
    def dropped(self) -> set[int]:
        """The pairs that are dropped."""
        if DROPPING.isdisjoint(self.pair_actions.acts([Kind.DUPLICATE_NAME])):
            return self.faulty
        return self.faulty.union(self.of("repeated").dropped)


CLEAN: Final = Detected(Reading(b""))
"""What is detected in a component that is empty or proven to be clean."""


Stage: TypeAlias = Callable[[Mapped, Detected, Collector], Steps[Mapped | None]]
"""A stage of editing in steps; returns its first argument if nothing is to edit, and ``None`` to refuse."""
