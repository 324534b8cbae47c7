"""The vocabulary of the catalogue: components, actions, and what one row of the table says.

A row is a :class:`Check`: everything that there is to know of one kind of fault. A row that has an example
which must fire and a near miss which must not cannot be built without them, nor with an action in a preset
that it does not support: a faulty table fails at import, not at a request.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, TypeAlias, TypeVar, final

from postel._characters import Characters, Spelling


@enum.unique
class Component(enum.Enum):
    """A part of a request that is read by itself.

    >>> Component("query") is Component.QUERY
    True
    """

    PATH = "path"
    """What stands in front of the ``?``, split at slashes: RFC 3986, section 3.3."""
    QUERY = "query"
    """What stands behind it, read as pairs of name and value: URL Standard, section 5.1."""
    FORM = "form"
    """The body of a form, read as the same pairs."""
    HOST = "host"
    """The host and port that the request is for: RFC 9110, section 7.2."""
    COOKIE = "cookie"
    """The cookies of a request, pair by pair: RFC 6265, section 4.2."""
    REFERER = "referer"
    """Where the client says that it comes from: RFC 9110, section 10.1.3."""
    CONTENT_TYPE = "content-type"
    """The Content-Type field, whose charset some readers apply to the query: RFC 9110, section 8.3."""
    HEADERS = "headers"
    """The names of all header fields: RFC 9110, section 5.1.

    There is no one text of them: a finding has offset 0 and quotes nothing, and its ``name`` is the header's.
    """
    JSON = "json"
    """A body in JSON: RFC 8259."""


@enum.unique
class Action(enum.Enum):
    """What happens to what a check finds.

    ``ALLOW < REPORT <`` the edits ``< REJECT``; the edits among themselves have no order.

    >>> Action("drop-pair").edits, Action.REPORT.rank < Action.REJECT.rank
    (True, True)
    """

    ALLOW = "allow"
    """Not noted, left as it is."""
    REPORT = "report"
    """Noted, left as it is."""
    REPAIR = "repair"
    """The row's own mending."""
    PRESERVE = "preserve"
    """The application's decoded view keeps the escape."""
    REPLACE = "replace"
    """U+FFFD for the faulty octets, and for those only."""
    DROP = "drop"
    """The faulty octets go; where that would join kept octets on both sides, the whole pair goes."""
    DROP_PAIR = "drop-pair"
    """The whole ``name=value`` goes."""
    REJECT = "reject"
    """The request goes no further."""

    rank: int
    """How strict it is: 0 allow, 1 report, 2 every edit, 3 reject."""
    edits: bool
    """Whether it changes what the application reads."""

    def __init__(self, word: str) -> None:
        """Keep what every request asks for as plain attributes."""
        self.rank = {"allow": 0, "report": 1, "reject": 3}.get(word, 2)
        self.edits = self.rank == 2

    __hash__ = object.__hash__  # a member is one object, and an enum's own hash is a call of Python


@enum.unique
class Family(enum.Enum):
    """How a check finds what it looks for."""

    TARGET = "target"
    """By the form of the whole target (RFC 9112, section 3.2)."""
    CHARACTER = "character"
    """By what an octet or character is, where it stands."""
    SEGMENT = "segment"
    """By what lies between two slashes of a path."""
    WRITING = "writing"
    """By how an octet is written, whatever it is: the same octet may also be of a character kind."""
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
    """In words, for people."""
    mend: Callable[[bytes], bytes] | None = None
    """From the octets in fault to those that take their place; absent where code of its own does it."""
    before_split: bool = False
    """Whether it is done before a path is split into segments, since it can write a slash."""
    pattern: bytes | None = None
    """What it takes away, where that is more than the octets in fault."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One row of the catalogue: all that there is to know of one kind of fault."""

    slug: str
    """The kind's name in text: policies, logs, commands, documentation."""
    summary: str
    """What is wrong, in a few words."""
    family: Family
    presets: Mapping[Component, Columns]
    """The components that it is looked for in, with the action of each preset there."""
    actions: Mapping[Component, frozenset[Action]]
    """The actions that it supports, by component."""
    bare: Mapping[Component, Characters] = field(default_factory=dict[Component, Characters])
    """The characters that it looks for where they stand as themselves, by component."""
    escaped: Mapping[Component, Characters] = field(default_factory=dict[Component, Characters])
    """The characters that it looks for where they are escaped, by component."""
    patterns: Mapping[Component, bytes] = field(default_factory=dict[Component, bytes])
    """What it matches in received octets, by component, where characters alone do not say it."""
    text: Mapping[str, str] = field(default_factory=dict[str, str])
    """The same as ``patterns`` over text, by the members of the class that its first character is of."""
    trigger: Mapping[bytes, bytes] | None = None
    """For the shortcuts: by first octet, a pattern for what must then follow if ``patterns`` are to match.

    It may match too much, never too little. The empty octet is the start of the component. Rows with
    ``patterns`` have one; it is empty where what a shortcut passes can never match them. Behind ``%``, an
    alternative that begins with a digit up to 7, and looks back later, is not asked for at escapes of text.
    """
    status: int = 400
    """The status of a refusal for it: RFC 9110, section 15.5."""
    names_only: bool = False
    """Whether it is looked for in the names of pairs only."""
    repair: Repair | None = None
    if_allowed: str
    """What whoever allows it must guarantee."""
    if_repaired: str = ""
    """What whoever lets it be edited must guarantee."""
    reference: str
    """Where it is written: a section of a standard, a CVE."""
    example: Mapping[Component, bytes]
    """For each component, received octets in which it fires."""
    near_miss: Mapping[Component, bytes]
    """For each component, the closest octets in which it does not."""

    def __post_init__(self) -> None:
        """Refuse a row that contradicts itself."""
        for name in ("actions", "example", "near_miss"):
            if getattr(self, name).keys() != self.presets.keys():
                raise ValueError(f"{self.slug}: {name} must speak of the components of presets")
        for component, columns in self.presets.items():
            if unsupported := set(columns) - self.actions[component]:
                raise ValueError(f"{self.slug}: a preset has {unsupported}, which it cannot do")
        if self.patterns and self.trigger is None:
            raise ValueError(f"{self.slug}: patterns need a trigger, or no shortcut could be trusted")
        if self.family in {Family.CHARACTER, Family.SEGMENT}:
            if bool(self.patterns) != bool(self.text):
                raise ValueError(f"{self.slug}: patterns of characters are said in octets and as text")
            for component, each in self.bare.items():
                if (each - _ASCII) != (self.escaped.get(component, _NOBODY) - _ASCII):
                    raise ValueError(f"{self.slug}: beyond ASCII, bare and escaped characters are the same")
        if (self.repair is None) == any(Action.REPAIR in each for each in self.actions.values()):
            raise ValueError(f"{self.slug}: REPAIR and a repair go together")

    def pattern(self, component: Component) -> bytes | None:
        """A bytes pattern for a run of what it looks for; ``None`` where code of its own looks."""
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
        """Where it is looked for, in the order of the enum."""
        return tuple(component for component in Component if component in self.presets)


Cell = TypeVar("Cell")


def by_component(cells: Mapping[str, Cell]) -> Iterator[tuple[Component, Cell]]:
    """Name components by their enum; ``pairs`` is short for the query and the form."""
    for name, cell in cells.items():
        for each in ("query", "form") if name == "pairs" else (name.replace("_", "-"),):
            yield Component(each), cell


def presets(**cells: str) -> Mapping[Component, Columns]:
    """The three columns of each component, as words: ``presets(path="reject reject repair")``."""
    return MappingProxyType({component: _columns(words.split()) for component, words in by_component(cells)})


def actions(**cells: str) -> Mapping[Component, frozenset[Action]]:
    """The supported actions of each component, as words."""
    return MappingProxyType(
        {component: frozenset(map(Action, words.split())) for component, words in by_component(cells)}
    )


def characters(**cells: Characters | str) -> Mapping[Component, Characters]:
    """Characters for each component, as a set or as text."""
    return MappingProxyType(
        {
            component: Characters.of(cell) if isinstance(cell, str) else cell
            for component, cell in by_component(cells)
        }
    )


def octets(**cells: bytes) -> Mapping[Component, bytes]:
    """Octets for each component: patterns, examples, near misses."""
    return MappingProxyType(dict(by_component(cells)))


def _columns(words: list[str]) -> Columns:
    strict, standard, lenient = map(Action, words)
    return (strict, standard, lenient)
