"""Judging: what the normalizer of the middleware decides about a target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, final

from postel import Accepted, Action, Component, Kind, Normalizer, Policy, Rejected, Target
from postel._http.slashes import merged_redirect
from postel.scan._line import Entry
from postel.scan._shapes import LONGEST, Shape, has_shapes, shape_of
from postel.scan._tally import KindInComponent

PRESETS: Final = {"strict": Policy.STRICT, "standard": Policy.STANDARD, "lenient": Policy.LENIENT}
"""The presets, the strictest first. A target that a preset accepts is accepted by all later presets."""

_KNOWN: Final = 8192
"""How many verdicts are cached."""


@final
class Verdict(NamedTuple):
    """What to count for a target."""

    found: tuple[tuple[KindInComponent, tuple[Action, ...]], ...]
    """The findings of the policy: each kind and component with its actions."""
    refused: tuple[str, ...]
    """The policies that refuse the target; those in ``redirected`` do not refuse it for GET and HEAD."""
    redirected: frozenset[str]
    """The policies that redirect GET and HEAD."""
    reasons: tuple[tuple[str, Kind, Component], ...]
    first: KindInComponent | None
    """The first reason why the policy refuses the target, in the order of the catalogue."""
    is_edited: bool
    """Whether the policy accepts the target after edits."""


@final
class Judge:
    """Judges targets under a policy and the presets; caches recent verdicts."""

    __slots__ = (
        "_has_shapes",
        "_is_clean",
        "_of_shape",
        "_of_target",
        "_others",
        "_own",
        "_presets",
        "policy",
    )

    def __init__(self, policy: Policy) -> None:
        """Compile the policies."""
        self.policy: Policy = policy
        presets = {name: Normalizer(preset) for name, preset in PRESETS.items()}
        self._presets = tuple(presets.items())
        # If the policy equals a preset, they share one normalizer.
        same = [each for each in presets.values() if each.policy == policy]
        self._own = same[0] if same else Normalizer(policy)
        self._is_clean = presets["strict"].is_clean
        # A policy that allows all that STRICT allows finds nothing in a target that is clean under STRICT.
        each_once = {id(each): each for each in (self._own, *presets.values())}.values()
        self._others = tuple(each.is_clean for each in each_once if not _is_covered(each.policy))
        self._has_shapes = has_shapes(policy)
        self._of_target: dict[bytes, Verdict | None] = {}
        self._of_shape: dict[Shape, Verdict] = {}

    def judge(self, entry: Entry) -> Verdict | None:
        """Return what to count for a request; ``None`` if all policies accept it without findings."""
        target = entry.target
        if target.startswith(b"/"):
            return self.judge_path(target)
        if entry.method == b"OPTIONS" and target == b"*":
            return None
        # The verdict on a target in absolute form depends on the Host.
        path, _, query = target.partition(b"?")
        return None if self._proves(path, query) else self._examined(Target(path, query, host=entry.host))

    def judge_path(self, target: bytes) -> Verdict | None:
        """Return what to count for a target that begins with a slash."""
        if target in self._of_target:
            return self._of_target[target]
        path, _, query = target.partition(b"?")
        is_short = len(target) <= LONGEST
        if self._proves(path, query):
            verdict = None
        elif is_short and self._has_shapes:
            verdict = self._by_shape(target, path, query)
        else:
            verdict = self._examined(Target(path, query))
        if is_short:
            if len(self._of_target) >= _KNOWN:
                self._of_target.clear()
            self._of_target[target] = verdict
        return verdict

    def _proves(self, path: bytes, query: bytes) -> bool:
        if not self._is_clean(path, query):
            return False
        return not self._others or all(is_clean(path, query) for is_clean in self._others)

    def _by_shape(self, target: bytes, path: bytes, query: bytes) -> Verdict:
        shape = shape_of(target)
        verdict = self._of_shape.get(shape)
        if verdict is None:
            if len(self._of_shape) >= _KNOWN:
                self._of_shape.clear()
            verdict = self._of_shape[shape] = self._examined(Target(path, query))
        return verdict

    def _examined(self, target: Target) -> Verdict:
        own = self._own
        outcome = own.normalize(target)
        found: dict[KindInComponent, dict[Action, None]] = {}
        for finding in outcome.findings:
            found.setdefault((finding.kind, finding.component), {})[finding.action] = None
        refused: list[str] = []
        redirected: set[str] = set()
        reasons: dict[tuple[str, Kind, Component], None] = {}
        for name, normalizer, each in (("policy", own, outcome), *self._of_presets(target, outcome)):
            if isinstance(each, Rejected):
                refused.append(name)
                reasons.update(dict.fromkeys((name, *place) for place in _reasons(each)))
                if merged_redirect(target, each, normalizer):
                    redirected.add(name)
        return Verdict(
            tuple((place, tuple(actions)) for place, actions in found.items()),
            tuple(refused),
            frozenset(redirected),
            tuple(reasons),
            min(_reasons(outcome), key=_precedence, default=None),
            isinstance(outcome, Accepted) and any(finding.action.edits for finding in outcome.findings),
        )

    def _of_presets(
        self, target: Target, outcome: Accepted | Rejected
    ) -> Iterator[tuple[str, Normalizer, Accepted | Rejected]]:
        """Yield the presets that refuse a target; ``outcome`` is the outcome of the policy."""
        for name, preset in self._presets:
            each = outcome if preset is self._own else preset.normalize(target)
            if isinstance(each, Accepted):
                return
            yield name, preset, each


def _reasons(outcome: Accepted | Rejected) -> list[KindInComponent]:
    return [(each.kind, each.component) for each in outcome.findings if each.action is Action.REJECT]


def _precedence(place: KindInComponent) -> int:
    return place[0].index


def _is_covered(policy: Policy) -> bool:
    """Whether a policy allows all that STRICT allows."""
    strict = Policy.STRICT
    allowed = {
        (kind, component)
        for kind in Kind
        for component in kind.check.components
        if component in {Component.PATH, Component.QUERY} and strict.action(kind, component) is Action.ALLOW
    }
    return (
        all(policy.action(kind, component) is Action.ALLOW for kind, component in allowed)
        and not any(
            (rule.kind, rule.component) in allowed and rule.action is not Action.ALLOW
            for rule in policy.rules
        )
        and not policy.acceptances
        and policy.limits == strict.limits
    )
