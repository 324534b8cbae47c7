"""The settings under which the laws are checked: presets, policies whose rules interact, and random ones."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, final

from fuzz.invariants import POLICIES
from laws.strategies import with_rule
from postel import Action, Component, Forms, Json, Kind, Normalizer, Policy, PolicyError
from postel._bodies.urlencoded import FormRules
from whole.serving import PROTOCOLS, Probe

_COMPONENTS: Final = (Component.PATH, Component.QUERY, Component.FORM)
_RULES: Final = [
    (kind, component, action)
    for kind in Kind
    for component in _COMPONENTS
    if component in kind.check.presets
    for action in sorted(kind.check.actions[component], key=lambda each: each.value)
]
_EDITS: Final = [rule for rule in _RULES if rule[2].edits]
"""Rules that edit; random policies use them often, because an edit may hide a fault of another kind."""
_NAMES: Final = (None, None, ["a"], ["q", "tags[]"], ["*"])


@final
@dataclass(frozen=True, eq=False)
class Setting:
    """Settings of a middleware, with the middlewares, the normalizer and the rules that they give."""

    name: str
    policy: Policy
    more: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def probes(self) -> dict[str, Probe]:
        """Return an application behind a middleware, for each protocol."""
        return self._probes({})

    @cached_property
    def observing(self) -> dict[str, Probe]:
        """Return the same as ``probes``, with ``enforce=False``."""
        return self._probes({"enforce": False})

    @cached_property
    def normalizer(self) -> Normalizer:
        """Return the normalizer."""
        return Normalizer(self.policy)

    @cached_property
    def forms(self) -> FormRules:
        """Return the rules for forms."""
        return FormRules(self.policy, Forms())

    def _probes(self, more: Mapping[str, Any]) -> dict[str, Probe]:
        settings = {
            "policy": self.policy,
            "forms": True,
            "headers": {"cookie": Action.DROP_PAIR, "referer": Action.DROP},
            **self.more,
            **more,
        }
        return {protocol: Probe(protocol, settings) for protocol in PROTOCOLS}

    def __str__(self) -> str:
        return self.name


def random_policy(source: random.Random) -> Policy:
    """Return a preset with some more rules, of any kind in any component."""
    policy = source.choice((Policy.STRICT, Policy.STANDARD, Policy.LENIENT, Policy.LENIENT))
    for _ in range(source.randint(1, 5)):
        kind, component, action = source.choice(_RULES if source.randrange(2) else _EDITS)
        names = None if component is Component.PATH else source.choice(_NAMES)
        try:
            policy = with_rule(policy, kind, component, action, names)
        except PolicyError:
            continue  # The rule is not possible for names, or together with another one.
    return policy


def form_policies() -> list[Policy]:
    """Return each preset with each single rule that edits forms."""
    edits = [rule for rule in _EDITS if rule[1] is Component.FORM]
    presets = (Policy.STRICT, Policy.STANDARD, Policy.LENIENT)
    return [
        with_rule(preset, *rule, names) for preset in presets for rule in edits for names in (None, ["a"])
    ]


def _shut(kind: Kind) -> Policy:
    return Policy.STANDARD.rejecting(kind)


PRESETS: Final = [
    Setting("STRICT", Policy.STRICT),
    Setting("STANDARD", Policy.STANDARD),
    Setting("LENIENT", Policy.LENIENT),
]
MIXED: Final = [
    *(Setting(f"mixed {number}", policy) for number, policy in enumerate(POLICIES[3:])),
    Setting(
        "routes",
        Policy.STANDARD,
        {"routes": {"/users": Policy.LENIENT, "/users/@me": Policy.STRICT, "/a+b": _shut(Kind.SEMICOLON)}},
    ),
    Setting("prefix", Policy.STANDARD, {"prefix": "/sub"}),
    Setting("hosts", Policy.LENIENT, {"hosts": ["demo.test"]}),
    Setting("redirect", Policy.LENIENT, {"redirect": True}),
    Setting("charsets", Policy.LENIENT, {"forms": Forms(charsets=["windows-1252"])}),
    Setting(
        "small",
        Policy.LENIENT,
        {"forms": Forms(limit=40, upload=200), "json": Json(limit=20, others="untouched")},
    ),
    Setting("no fields", Policy.STANDARD, {"forms": False, "headers": None}),
]


def settings(seed: int, count: int) -> list[Setting]:
    """Return the mixed settings, ``count`` random ones, and about as many presets, by repeating them."""
    source = random.Random(seed)  # noqa: S311 - the same in every run
    drawn = [random_policy(source) for _ in range(count)]
    others = [*MIXED, *(Setting(str(policy), policy) for policy in drawn)]
    return [*PRESETS * (1 + count // 4), *others]
