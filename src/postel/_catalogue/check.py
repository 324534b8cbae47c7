"""The vocabulary of the catalogue: components, actions, and the rows of the table.

Each row is a :class:`Check` that describes one kind of fault completely. The module ``completeness`` checks
that each row has what it needs.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, final

from postel._alphabet.characters import NO_CHARACTERS, Characters
from postel._alphabet.spellings import Spelling, pattern_of
from postel._catalogue.views import View


@enum.unique
class Component(enum.Enum):
    """A part of a request or response that is judged separately.

    >>> Component("query") is Component.QUERY
    True
    """

    PATH = "path"
    """Everything before the ``?``, split at slashes: RFC 3986, section 3.3."""
    QUERY = "query"
    """Everything after the ``?``, read as pairs of name and value: URL Standard, section 5.1."""
    FORM = "form"
    """The body of a form, read as pairs of name and value like a query."""
    HOST = "host"
    """The Host header, a host and a port: RFC 9110, section 7.2."""
    COOKIE = "cookie"
    """The cookies of a request, each a name and a value: RFC 6265, section 4.2."""
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

    From lenient to strict: ALLOW, REPORT, the edits (REPAIR, PRESERVE, REPLACE, DROP and DROP_PAIR), REJECT.
    All edits are equally strict.

    >>> Action("drop-pair").edits, Action.REPORT.rank < Action.REJECT.rank
    (True, True)
    """

    ALLOW = "allow"
    """Leave the fault unchanged, and report nothing."""
    REPORT = "report"
    """Leave the fault unchanged, and report it."""
    REPAIR = "repair"
    """Repair the fault in the way that its kind defines."""
    PRESERVE = "preserve"
    """Keep the octets; the decoded path that the application reads shows the escape."""
    REPLACE = "replace"
    """Replace the faulty octets, and only those, with U+FFFD."""
    DROP = "drop"
    """Drop the faulty octets. If that would join the octets on both sides or empty the name, drop the pair.

    In a path, the request is refused if that would join octets, empty an inner segment, or leave a dot
    segment.
    """
    DROP_PAIR = "drop-pair"
    """Drop the whole ``name=value``."""
    REJECT = "reject"
    """Refuse the request."""

    rank: int
    """How strict the action is: 0 for ALLOW, 1 for REPORT, 2 for each edit, 3 for REJECT."""
    edits: bool
    """Whether the action changes what the application reads."""

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
    """The form of the whole target (RFC 9112, section 3.2): ``patterns``, which match at its start."""
    CHARACTER = "character"
    """Single octets and characters: ``bare`` and ``escaped``, or ``patterns`` and ``text``."""
    SEGMENT = "segment"
    """The segments of a path: ``patterns`` and ``text``."""
    PAIR = "pair"
    """The pairs of a query or form: ``patterns``, a function ``find``, or code."""
    TEXT = "text"
    """Whole texts, such as names and values: code judges them."""
    WRITING = "writing"
    """How an octet is spelled, whatever character it stands for: ``patterns`` and code."""
    LIMIT = "limit"
    """Lengths and numbers of parts: ``limit``."""
    FIELD = "field"
    """Header fields: ``names``, or code."""
    MESSAGE = "message"
    """Faults and limits of bodies, and mismatches of views, prefixes and routes: code."""


Columns: TypeAlias = tuple[Action, Action, Action]
"""The action in STRICT, STANDARD and LENIENT."""
Find: TypeAlias = Callable[[bytes], Iterable[tuple[int, int]]]
"""A function that returns the start and end of each fault, in order; no fault spans two pairs."""


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Repair:
    """What REPAIR does for one kind."""

    summary: str
    """What the repair does, in words."""
    replacement: Callable[[bytes], bytes] | None = None
    """Returns the replacement for the faulty octets; ``None`` if other code repairs them."""
    escapes: bool = False
    """Whether the repair escapes the bare characters of the row."""
    before_split: bool = False
    """Whether the repair runs before the path is split into segments, because its result may hold a slash."""
    pattern: bytes | None = None
    """Matches what the repair removes, if that is more than the faulty octets."""


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Check:
    """One row of the catalogue, which describes one kind of fault completely."""

    slug: str
    """The name of the kind in policies, logs, commands and documentation."""
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
    """Patterns for the fault in received octets, by component, if single characters cannot describe it."""
    text: Mapping[str, str] = field(default_factory=dict[str, str])
    """Patterns for the fault in text (``_alphabet/text``); each key lists the first characters of matches."""
    find: Find | None = None
    """Finds the fault in the received octets of a query or form, if no pattern can; must take linear time."""
    found_by: str = ""
    """The module whose code finds or repairs the fault, such as ``_http/fields``; empty if there is none."""
    names: frozenset[bytes] = frozenset()
    """The header fields whose presence is the fault, in lower case with hyphens."""
    limit: str = ""
    """The name of the limit in ``Limits``."""
    hidden_in: frozenset[View] = frozenset()
    """The views that hide the fault, because it is missing there or looks harmless."""
    trigger: Mapping[bytes, bytes] | None = None
    """Where the fault can be, for the proofs: each possible first octet, and a pattern for what follows it.

    A proof is a pattern that matches only components without faults (``_normalizer/proof``). The trigger must
    match at every fault; it may also match elsewhere. It must match an unreserved character and its escapes
    in the same way. The key ``b""`` stands for the start of the component. If the trigger is ``None``, a
    proof searches the component for ``patterns``, which is sound but slower. Each branch of the pattern
    for ``b"%"`` begins with a digit from 0 to 7, because it is tried only at escapes of ASCII characters.
    """
    one_of: Characters = NO_CHARACTERS
    """Characters for the proofs, in place of a trigger: each fault holds at least one of them.

    A proof accepts none of these characters. This is for faults that only tables of Unicode can tell.
    """
    in_proof: bool = False
    """Whether every proof excludes the fault without a trigger.

    This is so for stray percent signs, ill-formed octets, bare non-ASCII text and escapes that are not
    canonical: a proof fails at them, unless the policy allows them or bulk repair repairs them. It also fails
    at characters outside an accepted range.
    """
    status: int = 400
    """The status of a refusal: RFC 9110, section 15.5."""
    names_only: bool = False
    """Whether the kind occurs only in the names of pairs."""
    repair: Repair | None = None
    if_allowed: str
    """What a deployer must guarantee before allowing or reporting the kind."""
    if_edited: str = ""
    """What a deployer must guarantee before choosing an action that edits, except PRESERVE."""
    if_preserved: str = ""
    """What a deployer must guarantee before choosing PRESERVE."""
    never_meant: frozenset[Component] = frozenset()
    """The components in which only attacks and broken links have the fault.

    No log is a reason to leave it unchanged there, so ``postel scan`` suggests no clause that does.
    """
    reference: str
    """The source: a section of a standard, a CVE or a CWE."""
    example: Mapping[Component, bytes]
    """For each component, received octets with this fault."""
    near_miss: Mapping[Component, bytes]
    """For each component, similar octets without it."""

    def pattern(self, component: Component) -> bytes | None:
        r"""Return a bytes pattern for a run of faulty octets; ``None`` if only code finds the fault.

        >>> from postel import Kind
        >>> print(Kind.NUL.check.pattern(Component.PATH).decode())
        (?:(?:[\x00]|%00))++
        """
        if component in self.patterns:
            return self.patterns[component]
        bare = self.bare.get(component, NO_CHARACTERS)
        escaped = self.escaped.get(component, NO_CHARACTERS)
        spelled = (
            (bare & escaped, Spelling.ANY),
            (bare - escaped, Spelling.BARE),
            (escaped - bare, Spelling.ESCAPED),
        )
        branches = [pattern_of(each, spelling) for each, spelling in spelled if each]
        return b"(?:" + b"|".join(branches) + b")++" if branches else None

    def triggers(self, component: Component) -> Mapping[bytes, bytes]:
        """Return the trigger for a component.

        If the row has none, return a search for its pattern, or nothing if proofs need no trigger.

        >>> from postel import Kind
        >>> Kind.PATH_PARAMETER.check.triggers(Component.PATH)
        {b';': b''}
        """
        if self.trigger is not None:
            return self.trigger
        # A target in another form does not begin with a slash, and proofs accept only targets that do.
        needed = not self.in_proof and self.family is not Family.TARGET
        pattern = self.patterns.get(component) if needed else None
        return {b"": b".*?(?:" + pattern + b")"} if pattern else {}

    def supports(self, action: Action, component: Component) -> bool:
        """Whether the kind is detected in a component, and supports the action there."""
        return action in self.actions.get(component, ())

    @property
    def components(self) -> tuple[Component, ...]:
        """The components in which the kind is detected, in the order of the enum."""
        return tuple(component for component in Component if component in self.presets)
