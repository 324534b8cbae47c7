"""Policies: what is done about each kind in each component, as an immutable value.

A policy is a total table, kind by component to action, with rules for single names on top, ranges of accepted
characters, and limits. Every method returns a new policy; a later call replaces what it covers. Whatever a
row of the catalogue does not support is refused here, so that nothing downstream has to ask again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Final, final

from postel._catalogue import Kind
from postel._characters import Characters
from postel._check import Action, Component
from postel._errors import PolicyError
from postel._limits import Limits
from postel._names import NamePattern, name_patterns

COMPONENTS: Final = (Component.PATH, Component.QUERY, Component.FORM)
"""The components that a policy rules."""

TRACKING_NAMES: Final = (
    "utm_*",
    "gclid",
    "gbraid",
    "wbraid",
    "dclid",
    "fbclid",
    "msclkid",
    "ttclid",
    "twclid",
    "yclid",
    "igshid",
    "mc_cid",
    "mc_eid",
    "_ga",
    "_gl",
)
"""Names that others append to your links; a fault in them is nobody's loss."""


@final
@dataclass(frozen=True, slots=True)
class NameRule:
    """An action for one kind in the pairs whose name matches."""

    kind: Kind
    component: Component
    pattern: NamePattern
    action: Action


@final
@dataclass(frozen=True, slots=True)
class Acceptance:
    """The characters that a component, or the value of the pairs whose name matches, may hold."""

    characters: Characters
    component: Component
    pattern: NamePattern | None


@final
@dataclass(frozen=True, slots=True)
class Policy:
    """What is done about each kind of fault, in each component. Immutable and hashable.

    Begin with a preset and say what differs:

    >>> policy = Policy.STANDARD.preserving(Kind.ENCODED_SLASH)
    >>> policy.action(Kind.ENCODED_SLASH, Component.PATH)
    <Action.PRESERVE: 'preserve'>

    An action that a kind does not support there is a :class:`PolicyError`.
    """

    STRICT: ClassVar[Policy]
    """Whatever is not canonical is refused: for new applications whose clients you write."""
    STANDARD: ClassVar[Policy]
    """What can have two meanings is refused, what people mistype is mended: the default."""
    LENIENT: ClassVar[Policy]
    """As much as can be understood is mended, if nothing in front of postel judges paths."""

    table: tuple[tuple[Action, ...], ...]
    """For each component of ``COMPONENTS``, an action for each kind in the enum's order."""
    rules: tuple[NameRule, ...] = ()
    """Rules for single names; the last that matches holds."""
    acceptances: tuple[Acceptance, ...] = ()
    """Ranges of accepted characters; each that speaks of a value must hold."""
    limits: Limits = Limits()

    def action(self, kind: Kind, component: Component, name: str | None = None) -> Action:
        """What is done about a kind in a component, in the pair of that decoded name."""
        if name is not None:
            for rule in reversed(self.rules):
                if rule.kind is kind and rule.component is component and rule.pattern.matches(name):
                    return rule.action
        return self.table[COMPONENTS.index(component)][kind.index]

    def allowing(
        self, *kinds: Kind, on: On = None, names: Iterable[str] | None = None
    ) -> Policy:
        """Leave these kinds as they are, unnoted. Each row's ``if_allowed`` says what you then guarantee."""
        return self._with(Action.ALLOW, kinds, on, names)

    def reporting(
        self, *kinds: Kind, on: On = None, names: Iterable[str] | None = None
    ) -> Policy:
        """Leave these kinds as they are, and note them."""
        return self._with(Action.REPORT, kinds, on, names)

    def repairing(
        self, *kinds: Kind, on: On = None, names: Iterable[str] | None = None
    ) -> Policy:
        """Mend these kinds as their rows say. Each row's ``if_repaired`` says what you then guarantee."""
        return self._with(Action.REPAIR, kinds, on, names)

    def preserving(self, *kinds: Kind, on: On = None) -> Policy:
        """Keep the escape of these kinds in the application's decoded view of the path."""
        return self._with(Action.PRESERVE, kinds, on, None)

    def replacing(
        self, *kinds: Kind, on: On = None, names: Iterable[str] | None = None
    ) -> Policy:
        """Put U+FFFD for the octets in fault, and for those only."""
        return self._with(Action.REPLACE, kinds, on, names)

    def dropping(
        self, *kinds: Kind, on: On = None, names: Iterable[str] | None = None
    ) -> Policy:
        """Drop the octets in fault; where that would join kept octets on both sides, the whole pair.

        A path has no pairs: there, what would join is refused.
        """
        return self._with(Action.DROP, kinds, on, names)

    def dropping_pairs(
        self, *kinds: Kind, on: On = None, names: Iterable[str] | None = None
    ) -> Policy:
        """Drop the whole ``name=value`` that holds these kinds."""
        return self._with(Action.DROP_PAIR, kinds, on, names)

    def rejecting(
        self, *kinds: Kind, on: On = None, names: Iterable[str] | None = None
    ) -> Policy:
        """Refuse requests with these kinds."""
        return self._with(Action.REJECT, kinds, on, names)

    def accepting(
        self, characters: Characters, *, on: On = None, names: Iterable[str] | None = None
    ) -> Policy:
        """Let through only these characters, judged on decoded text.

        With ``names``, in the values of the pairs of these names; else in the path and in every name and
        value. What is outside is ``Kind.OUTSIDE_ACCEPTED_RANGE``. The slashes of a path are always accepted.

        >>> from postel import LATIN
        >>> policy = Policy.STANDARD.accepting(LATIN, names=["q"])
        """
        if not isinstance(characters, Characters):
            raise PolicyError(
                f"accepting({characters!r}): ranges of characters are asked for, such as postel.LATIN "
                "or Characters.of('abc', (0x370, 0x3FF))"
            )
        patterns = name_patterns(names)
        components = self._components([Kind.OUTSIDE_ACCEPTED_RANGE], on, patterns)
        added = [
            Acceptance(characters, component, pattern)
            for component in components
            for pattern in patterns or (None,)
        ]
        replaced = {(each.component, each.pattern) for each in added}
        kept = [
            each
            for each in self.acceptances
            if (each.component, each.pattern) not in replaced
            and not (patterns is None and each.component in components)
        ]
        return replace(self, acceptances=(*kept, *added))

    def limiting(self, **limits: int) -> Policy:
        """Set limits by name, as :class:`Limits` has them: ``policy.limiting(pairs=100)``."""
        unknown = limits.keys() - set(Limits.__slots__)
        if unknown:
            raise PolicyError(
                f"limiting({', '.join(sorted(unknown))}): there is no such limit; "
                f"the limits are {', '.join(Limits.__slots__)}"
            )
        return replace(self, limits=replace(self.limits, **limits))

    def _with(
        self, action: Action, kinds: tuple[Kind, ...], on: On, names: Iterable[str] | None
    ) -> Policy:
        if not kinds:
            raise PolicyError(f"no kind to {action.value}: name one, such as Kind.ENCODED_SLASH")
        patterns = name_patterns(names)
        table = [list(column) for column in self.table]
        rules = list(self.rules)
        for kind in kinds:
            if not isinstance(kind, Kind):
                raise PolicyError(f"{kind!r} is no Kind; write Kind.{_guess(kind)}")
            for component in _supporting(kind, action, self._components([kind], on, patterns), on):
                rules = [
                    rule
                    for rule in rules
                    if rule.kind is not kind
                    or rule.component is not component
                    or (patterns is not None and rule.pattern not in patterns)
                ]
                if patterns is None:
                    table[COMPONENTS.index(component)][kind.index] = action
                else:
                    rules += [NameRule(kind, component, each, action) for each in patterns]
        return replace(self, table=tuple(map(tuple, table)), rules=tuple(rules))

    @staticmethod
    def _components(
        kinds: Iterable[Kind], on: On, patterns: tuple[NamePattern, ...] | None
    ) -> list[Component]:
        """The components that a call speaks of, each one where the kinds can occur."""
        possible = [c for c in COMPONENTS if all(c in kind.check.presets for kind in kinds)]
        asked = possible if on is None else [on] if isinstance(on, Component) else list(on)
        for component in asked:
            if not isinstance(component, Component):
                raise PolicyError(f"on={component!r}: name a Component, such as Component.QUERY")
            if component not in possible:
                slugs = ", ".join(kind.slug for kind in kinds)
                raise PolicyError(
                    f"{slugs} does not occur in {component.value}, only in "
                    f"{', '.join(each.value for each in possible)}"
                )
        if patterns is not None:
            if on is not None and Component.PATH in asked:
                raise PolicyError("names= speaks of pairs, and a path has none; leave PATH out of on=")
            asked = [component for component in asked if component is not Component.PATH]
            if not asked:
                raise PolicyError(f"names= speaks of pairs, and {kind_list(kinds)} is of paths only")
        return asked


On = Component | Iterable[Component] | None


def kind_list(kinds: Iterable[Kind]) -> str:
    """Kinds for people: ``nul, control``."""
    return ", ".join(kind.slug for kind in kinds)


def _supporting(
    kind: Kind, action: Action, components: Iterable[Component], on: On
) -> list[Component]:
    """Of these components, those where the kind supports the action; with ``on``, that must be all."""
    components = list(components)
    able = [component for component in components if action in kind.check.actions[component]]
    lacking = [component for component in components if component not in able]
    if lacking and (on is not None or not able):
        where = lacking[0]
        works = [each.value for each in Action if each in kind.check.actions[where]]
        raise PolicyError(
            f"{kind.slug} cannot be set to {action.value} in {where.value}; "
            f"what works there: {', '.join(works)}"
        )
    return able


def _guess(kind: object) -> str:
    text = str(kind).upper().replace("-", "_")
    return text if text in Kind.__members__ else Kind.ENCODED_SLASH.name


def _preset(column: int) -> Policy:
    return Policy(
        tuple(
            tuple(
                kind.check.presets[component][column] if component in kind.check.presets else Action.ALLOW
                for kind in Kind
            )
            for component in COMPONENTS
        )
    )


Policy.STRICT = _preset(0)
Policy.STANDARD = _preset(1).dropping_pairs(Kind.ILL_FORMED_UTF8, names=TRACKING_NAMES)
Policy.LENIENT = _preset(2)
