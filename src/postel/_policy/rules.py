"""Rules: the parts of a policy, and checks that a kind supports an action in a component."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias, cast, final

from postel._alphabet.characters import Characters
from postel._catalogue.check import Action, Component
from postel._catalogue.kinds import Kind
from postel._errors import PolicyError
from postel._policy.names import NamePattern, name_patterns

COMPONENTS: Final = (
    Component.PATH,
    Component.QUERY,
    Component.FORM,
    Component.HOST,
    Component.CONTENT_TYPE,
    Component.HEADERS,
    Component.JSON,
)
"""The components that a policy covers."""
_PAIRED: Final = (Component.QUERY, Component.FORM)
"""The components that consist of pairs, which have names."""

On: TypeAlias = Component | Iterable[Component] | None
"""Values of ``on=``; ``None`` stands for every component where the kinds can occur."""


@final
@dataclass(frozen=True, slots=True)
class NameRule:
    """An action for one kind in the pairs whose name matches a pattern."""

    kind: Kind
    component: Component
    pattern: NamePattern
    action: Action


@final
@dataclass(frozen=True, slots=True)
class Acceptance:
    """The characters accepted in a component; with a pattern, only in values of pairs whose name matches."""

    characters: Characters
    component: Component
    pattern: NamePattern | None

    def order(self) -> tuple[int, str]:
        """Sort key; the order of ranges has no meaning, because a value must be within all of them."""
        return COMPONENTS.index(self.component), self.pattern.text if self.pattern else ""


def with_acceptances(
    earlier: Iterable[Acceptance], characters: object, on: On, names: Iterable[str] | None
) -> tuple[Acceptance, ...]:
    """Return the earlier ranges and new ones, which replace those for the same components and names.

    Without ``names``, they replace all ranges in their components. Raises PolicyError unless ``characters``
    are a :class:`Characters`.
    """
    if not isinstance(characters, Characters):
        raise PolicyError(
            f"accepting({characters!r}): give a set of characters, such as postel.LATIN "
            "or Characters.of('abc', (0x370, 0x3FF))"
        )
    patterns = name_patterns(names)
    components = covered(Kind.OUTSIDE_ACCEPTED_RANGE, on, patterns)
    added = [
        Acceptance(characters, component, pattern)
        for component in components
        for pattern in patterns or (None,)
    ]
    replaced = {(each.component, each.pattern) for each in added}
    kept = [
        each
        for each in earlier
        if (each.component, each.pattern) not in replaced
        and not (patterns is None and each.component in components)
    ]
    return tuple(sorted((*kept, *added), key=Acceptance.order))


def require_cell(kind: object, component: object) -> None:
    """Raise PolicyError unless these are a Kind and a Component that policies cover."""
    if not (isinstance(kind, Kind) and isinstance(component, Component)):
        raise PolicyError(
            f"action({kind!r}, {component!r}): name a Kind and a Component, "
            "such as Kind.NUL and Component.QUERY"
        )
    if component not in COMPONENTS:
        raise PolicyError(not_covered(component))


def components_of(on: object) -> list[Component]:
    """Return the components in ``on=``. Raises PolicyError unless each is a Component."""
    if isinstance(on, Component):
        return [on]
    requested: list[object] = [on]
    if isinstance(on, Iterable) and not isinstance(on, str):
        requested = list(cast("Iterable[object]", on))
    for component in requested or [on]:
        if not isinstance(component, Component):
            named = next((each for each in Component if each.value == component), Component.QUERY)
            raise PolicyError(f"on={component!r}: name a Component, such as Component.{named.name}")
    return [component for component in requested if isinstance(component, Component)]


def covered(kind: Kind, on: On, patterns: tuple[NamePattern, ...] | None) -> list[Component]:
    """Return the components that ``on=`` and ``names=`` select; the kind must occur in each of them."""
    possible = [component for component in COMPONENTS if component in kind.check.presets]
    if not possible:
        where = kind.check.components[0].value
        name, value = "headers", f"{{{where!r}: Action.REJECT}}"
        if kind.check.components[0] is Component.LOCATION:
            name, value = "locations", "'refuse'"
        raise PolicyError(
            f"policies do not cover {kind.slug}, a fault of {where}s; set {name}= of the middleware instead, "
            f"such as {name}={value}"
        )
    requested = possible if on is None else components_of(on)
    for component in requested:
        if component not in COMPONENTS:
            raise PolicyError(not_covered(component))
        if component not in possible:
            raise PolicyError(
                f"{kind.slug} does not occur in {component.value}, only in "
                f"{', '.join(each.value for each in possible)}"
            )
    if patterns is None:
        return requested
    paired: list[Component] = [component for component in requested if component in _PAIRED]
    if on is not None and paired != requested:
        other = next(component for component in requested if component not in _PAIRED)
        raise PolicyError(f"names select pairs, and {other.value} has none; leave {other.value} out")
    if not paired:
        raise PolicyError(f"names select pairs; {kind.slug} occurs only in {requested[0].value}")
    return paired


def not_covered(component: Component) -> str:
    """Return the message for a component that has no actions in a policy.

    >>> not_covered(Component.COOKIE)
    'policies do not cover cookie; set headers= of the middleware'
    """
    setting = "locations" if component is Component.LOCATION else "headers"
    return f"policies do not cover {component.value}; set {setting}= of the middleware"


def supporting(kind: Kind, action: Action, components: list[Component], on: On) -> list[Component]:
    """Return the components where the kind supports the action; with ``on``, it must support it in each."""
    able = [component for component in components if action in kind.check.actions[component]]
    lacking = [component for component in components if component not in able]
    if lacking and (on is not None or not able):
        where = lacking[0]
        works = [each.value for each in Action if each in kind.check.actions[where]]
        raise PolicyError(
            f"{kind.slug} cannot be set to {action.value} in {where.value}, only to {', '.join(works)}"
        )
    return able


def preset_table(column: int) -> tuple[tuple[Action, ...], ...]:
    """Return the table of a preset; the rows of the catalogue have an action for each preset."""
    return tuple(
        tuple(
            kind.check.presets[component][column] if component in kind.check.presets else Action.ALLOW
            for kind in Kind
        )
        for component in COMPONENTS
    )


def rules_of(rules: Iterable[NameRule], kind: Kind, component: Component) -> list[NameRule]:
    """Return the rules for one kind in one component."""
    return [rule for rule in rules if rule.kind is kind and rule.component is component]
