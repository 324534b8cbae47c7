"""The vocabulary of the catalogue: components, actions, and the rows of the table.

Each row is a :class:`Check` that describes one kind of fault completely. It checks itself: it needs an
example that fires and a near miss that does not, and its presets may use only actions that it supports. So a
faulty table fails at import and not at a request.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar, final

from postel._alphabet.characters import Characters, Spelling


@enum.unique
class Component(enum.Enum):
    """A part of a request that is judged by itself.

    >>> Component("query") is Component.QUERY
    True
    """

    PATH = "path"
    """Everything before the ``?``, split at slashes: RFC 3986, section 3.3."""
    QUERY = "query"
    """Everything after the ``?``, read as pairs of name and value: URL Standard, section 5.1."""
    FORM = "form"
    """The body of a form, read as pairs of name and value, too."""
    HOST = "host"
    """The Host header, a host and a port: RFC 9110, section 7.2."""
    COOKIE = "cookie"
    """The cookies of a request, pair by pair: RFC 6265, section 4.2."""
    REFERER = "referer"
    """The Referer header, the page that links here: RFC 9110, section 10.1.3."""
    CONTENT_TYPE = "content-type"
    """The Content-Type header; some readers decode the query in its charset: RFC 9110, section 8.3."""
    HEADERS = "headers"
    """The names of all header fields: RFC 9110, section 5.1.

    A finding here has offset 0 and quotes nothing; its ``name`` is the header's.
    """
    JSON = "json"
    """A body in JSON: RFC 8259."""

    if TYPE_CHECKING:

        def __hash__(self) -> int: ...

    else:
        __hash__ = object.__hash__  # members are singletons, and the hash of Enum costs a Python call


@enum.unique
class Action(enum.Enum):
    """What happens when a check finds a fault.

    ``ALLOW < REPORT <`` the edits ``< REJECT``; the edits are not ordered among themselves.

    >>> Action("drop-pair").edits, Action.REPORT.rank < Action.REJECT.rank
    (True, True)
    """

    ALLOW = "allow"
    """Leave it and report nothing."""
    REPORT = "report"
    """Leave it and report it."""
    REPAIR = "repair"
    """Repair it, in the way that its kind defines."""
    PRESERVE = "preserve"
    """Keep the escape in the application's decoded view."""
    REPLACE = "replace"
    """Replace the faulty octets, and only those, with U+FFFD."""
    DROP = "drop"
    """Drop the faulty octets, or the whole pair if octets on both sides would be joined."""
    DROP_PAIR = "drop-pair"
    """Drop the whole ``name=value``."""
    REJECT = "reject"
    """Refuse the request."""

    rank: int
    """How strict it is: 0 allow, 1 report, 2 every edit, 3 reject."""
    edits: bool
    """Whether it changes what the application reads."""

    def __init__(self, word: str) -> None:
        """Set plain attributes, which are faster to read than properties."""
        self.rank = {"allow": 0, "report": 1, "reject": 3}.get(word, 2)
        self.edits = self.rank == 2

    if TYPE_CHECKING:

        def __hash__(self) -> int: ...

    else:
        __hash__ = object.__hash__  # members are singletons, and the hash of Enum costs a Python call


@enum.unique
class Family(enum.Enum):
    """How a check detects its kind."""

    TARGET = "target"
    """By the form of the whole target (RFC 9112, section 3.2)."""
    CHARACTER = "character"
    """By a single octet or character."""
    SEGMENT = "segment"
    """By a segment of a path."""
    WRITING = "writing"
    """By how an octet is written; the same octet may also be faulty as a character."""
    STRUCTURAL = "structural"
    """By code of its own: counts, comparisons, whole names and values."""


_NOBODY: Final = Characters(())
_ASCII: Final = Characters.of((0, 0x7F))

Columns: TypeAlias = tuple[Action, Action, Action]
"""The action in STRICT, STANDARD and LENIENT."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """What REPAIR does for one kind."""

    summary: str
    """The repair in words."""
    replacement: Callable[[bytes], bytes] | None = None
    """Returns the replacement for the faulty octets; ``None`` if the kind has code of its own."""
    before_split: bool = False
    """Whether to repair before the path is split into segments, because the result may hold a slash."""
    pattern: bytes | None = None
    """Matches what the repair removes, if that is more than the faulty octets."""


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Check:
    """One row of the catalogue, which describes one kind of fault completely."""

    slug: str
    """The name of the kind in text: policies, logs, commands, documentation."""
    summary: str
    """What is wrong, in a few words."""
    family: Family
    presets: Mapping[Component, Columns]
    """The components in which the kind is detected, with the action of each preset."""
    actions: Mapping[Component, frozenset[Action]]
    """The supported actions, by component."""
    bare: Mapping[Component, Characters] = field(default_factory=dict[Component, Characters])
    """The characters that are faulty if bare, by component."""
    escaped: Mapping[Component, Characters] = field(default_factory=dict[Component, Characters])
    """The characters that are faulty if escaped, by component."""
    patterns: Mapping[Component, bytes] = field(default_factory=dict[Component, bytes])
    """Matches the fault in received octets, by component, if ``bare`` and ``escaped`` cannot describe it."""
    text: Mapping[str, str] = field(default_factory=dict[str, str])
    """The same as ``patterns``, over text; each key lists the characters with which a match can begin."""
    trigger: Mapping[bytes, bytes] | None = None
    """For the proofs: by first octet, a pattern that must match after it wherever ``patterns`` match.

    It may match too much, but never too little. The empty octet is the start of the component. Rows with
    ``patterns`` need a trigger; it is empty if nothing that a proof accepts can match ``patterns``. After
    ``%``, an alternative that begins with a digit up to 7 and then looks behind is not tried at escapes of
    non-ASCII text.
    """
    status: int = 400
    """The status of a refusal: RFC 9110, section 15.5."""
    names_only: bool = False
    """Whether only the names of pairs are examined."""
    repair: Repair | None = None
    if_allowed: str
    """What a deployer must guarantee in order to allow the kind."""
    if_repaired: str = ""
    """What a deployer must guarantee in order to have the kind edited."""
    reference: str
    """The source: a section of a standard, a CVE."""
    example: Mapping[Component, bytes]
    """For each component, received octets with this fault."""
    near_miss: Mapping[Component, bytes]
    """For each component, similar octets without it."""

    def __post_init__(self) -> None:
        """Raise ValueError if the row contradicts itself."""
        for name in ("actions", "example", "near_miss"):
            if getattr(self, name).keys() != self.presets.keys():
                raise ValueError(f"{self.slug}: {name} must have the same components as presets")
        for component, columns in self.presets.items():
            if unsupported := set(columns) - self.actions[component]:
                raise ValueError(f"{self.slug}: a preset uses {unsupported}, which actions does not list")
        if self.patterns and self.trigger is None:
            raise ValueError(f"{self.slug}: patterns need a trigger, because proofs rely on it")
        if self.family in {Family.CHARACTER, Family.SEGMENT}:
            if bool(self.patterns) != bool(self.text):
                raise ValueError(f"{self.slug}: patterns and text must both be given, or neither")
            for component, each in self.bare.items():
                if (each - _ASCII) != (self.escaped.get(component, _NOBODY) - _ASCII):
                    raise ValueError(f"{self.slug}: bare and escaped must agree beyond ASCII")
        if (self.repair is None) == any(Action.REPAIR in each for each in self.actions.values()):
            raise ValueError(f"{self.slug}: give a repair if actions list REPAIR, and only then")

    def pattern(self, component: Component) -> bytes | None:
        """A bytes pattern for a run of faulty octets; ``None`` if the kind has code of its own."""
        if component in self.patterns:
            return self.patterns[component]
        bare = self.bare.get(component, _NOBODY)
        escaped = self.escaped.get(component, _NOBODY)
        spelled = (
            (bare & escaped, Spelling.ANY),
            (bare - escaped, Spelling.BARE),
            (escaped - bare, Spelling.ESCAPED),
        )
        branches = [each.pattern(spelling) for each, spelling in spelled if each]
        return b"(?:" + b"|".join(branches) + b")++" if branches else None

    def supports(self, action: Action, component: Component) -> bool:
        """Whether it can be looked for in a component, with this action."""
        return action in self.actions.get(component, ())

    @property
    def components(self) -> tuple[Component, ...]:
        """The components in which the kind is detected, in the order of the enum."""
        return tuple(component for component in Component if component in self.presets)


Cell = TypeVar("Cell")


# Looked up by itself: a call of an enum takes five times as long, and the catalogue needs a thousand.
_COMPONENTS: Final = {component.value: component for component in Component}
_ACTIONS: Final = {action.value: action for action in Action}


def by_component(cells: Mapping[str, Cell]) -> Iterator[tuple[Component, Cell]]:
    """Yield each component with its cell; the name ``pairs`` stands for the query and the form."""
    for name, cell in cells.items():
        for each in ("query", "form") if name == "pairs" else (name.replace("_", "-"),):
            yield _COMPONENTS.get(each) or Component(each), cell


def presets(**cells: str) -> Mapping[Component, Columns]:
    """Read the three columns of each component from words: ``presets(path="reject reject repair")``."""
    return MappingProxyType({component: _columns(words.split()) for component, words in by_component(cells)})


def actions(**cells: str) -> Mapping[Component, frozenset[Action]]:
    """Read the supported actions of each component from words."""
    return MappingProxyType(
        {component: frozenset(map(_action, words.split())) for component, words in by_component(cells)}
    )


def characters(**cells: Characters | str | tuple[int, int]) -> Mapping[Component, Characters]:
    """Read the characters of each component from a set, from text, or from the ends of a range."""
    return MappingProxyType(
        {
            component: cell if isinstance(cell, Characters) else Characters.of(cell)
            for component, cell in by_component(cells)
        }
    )


def octets(**cells: bytes) -> Mapping[Component, bytes]:
    """Octets for each component: patterns, examples, near misses."""
    return MappingProxyType(dict(by_component(cells)))


def _action(word: str) -> Action:
    return _ACTIONS.get(word) or Action(word)


def _columns(words: list[str]) -> Columns:
    strict, standard, lenient = map(_action, words)
    return (strict, standard, lenient)
