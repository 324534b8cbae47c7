"""Active kinds: those that a policy does not allow everywhere in a component."""

from __future__ import annotations

from collections.abc import Iterable

from postel._catalogue.check import Action, Component
from postel._catalogue.kinds import Kind
from postel._policy.actions import actions_by_kind
from postel._policy.policy import Policy


def active(policy: Policy, component: Component) -> Iterable[Kind]:
    """Yield the kinds that the policy does not allow everywhere in a component."""
    column = actions_by_kind(policy, component)
    named = {rule.kind for rule in policy.rules if rule.component is component}
    for kind in Kind:
        if component in kind.check.presets and (column[kind.index] is not Action.ALLOW or kind in named):
            yield kind
