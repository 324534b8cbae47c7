"""Actions: what a policy does in one component."""

from __future__ import annotations

from collections.abc import Iterator

from postel._catalogue.check import Action, Component
from postel._catalogue.kinds import Kind
from postel._policy.name_rules import Actions
from postel._policy.policy import Policy
from postel._policy.rules import COMPONENTS, rules_of


def actions_by_kind(policy: Policy, component: Component) -> Actions:
    """Return the action for each kind in a component, in the order of kinds; rules for names are left out."""
    return policy.table[COMPONENTS.index(component)]


def actions_in(policy: Policy, kind: Kind, component: Component) -> set[Action]:
    """Return the actions for a kind in all parts of a component: the general one, and those for names.

    >>> policy = Policy.STANDARD.rejecting(Kind.SPELLING, on=Component.QUERY, names=["signature"])
    >>> sorted(each.value for each in actions_in(policy, Kind.SPELLING, Component.QUERY))
    ['allow', 'reject']
    """
    named = rules_of(policy.rules, kind, component)
    return {policy.action(kind, component), *(rule.action for rule in named)}


def active(policy: Policy, component: Component) -> Iterator[Kind]:
    """Yield the kinds that the policy does not allow everywhere in a component."""
    column = actions_by_kind(policy, component)
    named = {rule.kind for rule in policy.rules if rule.component is component}
    for kind in Kind:
        if component in kind.check.presets and (column[kind.index] is not Action.ALLOW or kind in named):
            yield kind
