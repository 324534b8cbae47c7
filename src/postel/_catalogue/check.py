"""The vocabulary of the catalogue: components, actions, and the rows of the table.

Each row is a :class:`Check` that describes one kind of fault completely. It checks itself: it must say how
the kind is found, it needs an example that fires and a near miss that does not, and its presets may use only
actions that it supports. So a faulty table fails at import and not at a request.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias, final

from postel._alphabet.characters import Characters, Spelling
from postel._catalogue.repairs import escape, to_slashes
from postel._catalogue.views import View


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
    """The names of all header fields: RFC 9110, section 5.1. Findings have offset 0 and quote nothing."""
    JSON = "json"
    """A body in JSON: RFC 8259."""
    LOCATION = "location"
    """The Location header of a response: RFC 9110, section 10.2.2."""

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
    """The stage at which a kind is judged; it decides which fields of the row describe the fault."""

    TARGET = "target"
    """The form of the whole target (RFC 9112, section 3.2): ``patterns``, which match in front."""
    CHARACTER = "character"
    """Single octets and characters: ``bare`` and ``escaped``, or ``patterns`` and ``text``."""
    SEGMENT = "segment"
    """The segments of a path: ``patterns`` and ``text``."""
    PAIR = "pair"
    """The pairs of a query or form: ``patterns``, or a function, ``find``."""
    TEXT = "text"
    """Whole texts: code compares them with each other, with their normal form, or with a range."""
    WRITING = "writing"
    """How an octet is written, whatever it is as a character: ``patterns`` and code."""
    LIMIT = "limit"
    """Lengths and numbers: ``limit``."""
    FIELD = "field"
    """Header fields: ``names``, or code finds them."""
    MESSAGE = "message"
    """Limits, and faults of a body or of the way in which it is sent: code finds them."""


_NOBODY: Final = Characters(())
_ASCII: Final = Characters.of((0, 0x7F))

_PAIRED: Final = frozenset({Component.QUERY, Component.FORM})
_TARGETS: Final = frozenset({Component.PATH, *_PAIRED})
_NO_CODE: Final = "name the module whose code finds it in found_by"
_FINDABLE: Final = frozenset({Action.ALLOW, Action.REPORT, Action.DROP_PAIR, Action.REJECT})

Columns: TypeAlias = tuple[Action, Action, Action]
"""The action in STRICT, STANDARD and LENIENT."""
Find: TypeAlias = Callable[[bytes], Iterable[tuple[int, int]]]
"""Returns the starts and ends of faults in octets, in order, each inside one pair."""


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
    """Matches the fault in decoded text; each key lists the characters with which a match can begin."""
    find: Find | None = None
    """Finds the fault in the received octets of a query or form, if no pattern can; takes linear time."""
    found_by: str = ""
    """The module whose code finds or repairs the fault, if the row alone cannot, such as ``_http/host``."""
    names: frozenset[bytes] = frozenset()
    """The header fields whose presence is the fault, in lower case with hyphens."""
    limit: str = ""
    """The limit in ``Limits`` that is exceeded."""
    hidden_in: frozenset[View] = frozenset()
    """The views in which a path does not show the fault, or shows it like something harmless."""
    trigger: Mapping[bytes, bytes] | None = None
    """Tells the proofs where the fault may be: by first octet, a pattern that matches after that octet.

    Wherever the fault is, a trigger must match; it may also match elsewhere. It must treat an unreserved
    character and its escapes alike. The key ``b""`` stands for the start of the component. An empty trigger
    says that the fault cannot occur in octets that the proofs accept; the proofs of bulk repair also accept
    stray percent signs and bare text. If the trigger is ``None``, a proof searches the component for
    ``patterns``, which is sound but slower. At escapes of non-ASCII text, a proof does not try an alternative
    after ``%`` that begins with a digit up to 7 and continues with a lookbehind.
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
        if (self.repair is None) == any(Action.REPAIR in each for each in self.actions.values()):
            raise ValueError(f"{self.slug}: give a repair if actions list REPAIR, and only then")
        for wrong in self._left_out():
            raise ValueError(f"{self.slug}: {wrong}")

    def _left_out(self) -> Iterator[str]:
        """Yield what the engine lacks in order to find the kind, and what to write."""
        judged = _TARGETS & self.presets.keys()
        match self.family:
            case Family.CHARACTER | Family.SEGMENT:
                yield from self._characters_left_out(judged)
            case Family.WRITING if not self.found_by:
                yield _NO_CODE
            case Family.TARGET | Family.WRITING:
                if missing := judged - self.patterns.keys():
                    yield f"give patterns for {_listed(missing)}"
            case Family.PAIR:
                yield from self._pairs_left_out(judged)
            case Family.FIELD if self.names:
                if any(name != name.lower() or b"_" in name for name in self.names):
                    yield "write names in lower case with hyphens"
                if others := self.presets.keys() - {Component.HEADERS}:
                    yield f"names are names of headers, so they cannot be in {_listed(others)}"
            case _:
                if not self.found_by:
                    yield _NO_CODE
                if (self.family is Family.LIMIT) is not bool(self.limit):
                    yield "name the limit that is exceeded, in a row of that family"
        by_code = self.family is Family.TEXT or (self.family is Family.PAIR and not self.patterns)
        if judged and by_code and self.trigger is None:
            yield "give a trigger: by first octet, a pattern that matches after it wherever the fault is"

    def _characters_left_out(self, judged: frozenset[Component]) -> Iterator[str]:
        if bool(self.patterns) != bool(self.text):
            yield "give patterns and text both, or neither"
        for component, each in self.bare.items():
            if (each - _ASCII) != (self.escaped.get(component, _NOBODY) - _ASCII):
                yield "bare and escaped must agree beyond ASCII"
        if missing := judged - {*self.bare, *self.escaped, *self.patterns}:
            yield f"say what is faulty in {_listed(missing)}: bare and escaped, or patterns and text"
        if self.repair is not None and not self.found_by and not self._is_repaired_by_row(self.repair):
            yield "name the module whose code repairs it in found_by, or repair it by escape or to_slashes"
        if self.family is Family.SEGMENT and (not self.patterns or judged != frozenset({Component.PATH})):
            yield "segments occur in the path only: give patterns and text for it"

    def _is_repaired_by_row(self, repair: Repair) -> bool:
        """Whether the engine needs no code of its own for the repair of a character or segment."""
        if self.family is Family.SEGMENT:
            return repair.replacement is not None
        return repair.replacement in {escape, to_slashes}

    def _pairs_left_out(self, judged: frozenset[Component]) -> Iterator[str]:
        if judged - _PAIRED:
            yield "pairs occur in queries and forms only"
        if self.found_by:
            return
        if self.find is None and (missing := judged - self.patterns.keys()):
            yield f"give patterns for {_listed(missing)}, a function find, or the code in found_by"
        if any(supported - _FINDABLE for supported in self.actions.values()):
            yield "only code edits structure: name it in found_by, or list no edit but drop-pair"

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

    def triggers(self, component: Component) -> Mapping[bytes, bytes]:
        """The trigger for a component: that of the row, or a search for its pattern.

        >>> from postel import Kind
        >>> Kind.PATH_PARAMETER.check.triggers(Component.PATH)
        {b';': b''}
        """
        if self.trigger is not None:
            return self.trigger
        # A path that a proof accepts begins with a slash, so it has no other form.
        pattern = None if self.family is Family.TARGET else self.patterns.get(component)
        return {b"": b".*?(?:" + pattern + b")"} if pattern else {}

    def supports(self, action: Action, component: Component) -> bool:
        """Whether the kind can occur in a component, and supports the action there."""
        return action in self.actions.get(component, ())

    @property
    def components(self) -> tuple[Component, ...]:
        """The components in which the kind is detected, in the order of the enum."""
        return tuple(component for component in Component if component in self.presets)


def _listed(components: Iterable[Component]) -> str:
    return ", ".join(component.value for component in Component if component in components)
