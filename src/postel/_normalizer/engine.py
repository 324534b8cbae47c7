"""The engine: judge one component as received, and edit or refuse it.

The grammar of the component splits it and finds faults. Then the component is edited stage by stage. The
result of each stage is proven to be clean or judged again, because an edit can give octets a second meaning.
A component that still needs an edit after the last stage is refused. If few pairs of a long component are
faulty, only these are edited. Paths and pairs have different grammars, with the same methods, and share
everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from postel._alphabet.percent import measure
from postel._alphabet.steps import Steps, finished
from postel._catalogue.check import Action, Component
from postel._catalogue.kinds import Kind
from postel._normalizer.bulk import BulkRepair
from postel._normalizer.column import Column
from postel._normalizer.composition import left_in, prepare
from postel._normalizer.detected import NO_CONTEXT, Context, Detected
from postel._normalizer.faulty_pairs import faulty_pairs
from postel._normalizer.findings import MOST, NOTHING, UNLIMITED, Collector, Matches, listed, rejects
from postel._normalizer.pair_actions import PairActions
from postel._normalizer.pair_grammar import PairGrammar
from postel._normalizer.pairs import Pairs
from postel._normalizer.part_limits import PairLimits, SegmentLimits
from postel._normalizer.path_grammar import PathGrammar
from postel._normalizer.scanner import Match
from postel._normalizer.source_map import Mapped
from postel._policy.policy import Policy

_LEFT: Final = frozenset({Action.REPORT, Action.PRESERVE})
"""The actions of faults that edits leave in place."""
_LONG: Final = 2048
"""A proof of a longer component costs about as much as judging it, and may fail."""
_RENAMED: Final = "a stricter rule for the repaired name"


@final
class Engine:
    """Judges and edits one component, compiled from a policy."""

    __slots__ = ("_column", "_divides", "_grammar", "limits", "prove", "repair", "repairing")

    def __init__(self, policy: Policy, component: Component) -> None:
        """Compile the actions of a policy for the component."""
        self._column = column = Column(policy, component)
        if Kind.NOT_NFC in column.active:
            prepare()
        is_path = component is Component.PATH
        # Charsets are looked for in the edited component, and repeated names depend on other pairs.
        self._divides = not (is_path or policy.charsets or Kind.DUPLICATE_NAME in column.active)
        self._grammar = PathGrammar(column) if is_path else PairGrammar(column)
        self.limits: SegmentLimits | PairLimits = self._grammar.limits
        self.prove: Callable[[bytes], object] = column.prove
        """Proves that no check fires, and that the decoded view of a path keeps no escape."""
        bulk = BulkRepair(policy, component, column.prove_octets)
        self.repair: Callable[[bytes, Collector], bytes | None] = bulk.repair
        """Repairs octets in bulk, without judging them; returns ``None`` if bulk repair may not be enough."""
        self.repairing: Callable[[bytes, Collector], Steps[bytes | None]] = bulk.repairing
        """The same in steps, for a block that has a long pair."""

    def judge(self, mapped: Mapped, collector: Collector, context: Context = NO_CONTEXT) -> Detected:
        """Judge a component as it was received, and collect findings."""
        return finished(self.judging(mapped, collector, context))

    def edit(
        self, mapped: Mapped, detected: Detected, collector: Collector, context: Context = NO_CONTEXT
    ) -> Mapped | None:
        """Make every edit that the policy requires; ``None`` if the result is refused."""
        return finished(self.editing(mapped, detected, collector, context))

    def judging(
        self, mapped: Mapped, collector: Collector, context: Context, before: Detected | None = None
    ) -> Steps[Detected]:
        """Judge a component in steps; ``before`` is what was detected before an edit, if there was one."""
        again = before is not None
        grammar = self._grammar
        detected = grammar.split(mapped.octets, context)
        found = self._column.scanner.scan(detected.reading.text, detected.path_index, most=MOST + 1)
        if not again and (early := self._early(detected, found, collector)):
            detected.matches = {"early": early}
        else:
            yield
            yield from grammar.detect(detected, found, before)
            yield
        take = collector.take_again if again else collector.take
        for sort in detected.matches:
            if sort in detected.pending:
                # No finding can be added, and what detect() left for later cannot reject, so it is skipped.
                if collector.truncated:
                    continue
                yield
            matches = detected.of(sort)
            if matches is NOTHING:
                continue
            yield
            # Dropping pairs moves empty pairs, so these would be reported twice. Only a cut makes a new one.
            if not (again and sort == "empty" and not matches.have(rejects)):
                take(matches, mapped, detected.name_of)
        return detected

    def _early(self, detected: Detected, found: list[Match], collector: Collector) -> Matches | None:
        """Return the first matches if they suffice to refuse the component, or ``None``.

        They suffice if they are more than can be kept and one of them rejects, or if there are too many
        parts. Kinds with rules for names are left out.
        """
        actions, named = self._column.actions, self._column.names.kinds
        many = len(found) > MOST and named.isdisjoint([kind for kind, _, _ in found])
        excess = self._grammar.excess(detected, many=many)
        if excess is None and not many:
            return None
        form = list(detected.of("form").first(1))
        acts = [action for action, *_ in form] + [actions[kind.index] for kind, _, _ in found]
        # Most components are not refused here, so the matches are located only in those that are.
        if excess is None and not collector.suffices(acts):
            return None
        span = detected.reading.span
        seen = [(actions[kind.index], kind, *span(*at)) for kind, *at in found if kind not in named]
        return listed([*form, *seen, *([(Action.REJECT, *excess)] if excess else [])])

    def editing(
        self, mapped: Mapped, detected: Detected, collector: Collector, context: Context
    ) -> Steps[Mapped | None]:
        """Make the edits in steps; if few pairs of a long component are faulty, only in these."""
        divides = self._divides and context.others is None and not collector.truncated
        faulty = faulty_pairs(mapped, detected) if divides else None
        if faulty is None:
            return (yield from self._edited(mapped, detected, collector, context))
        yield
        within = context if self._column.most == UNLIMITED else context._replace(beside=faulty.beside)
        part = self._grammar.split(faulty.mapped.octets, within)
        found = self._column.scanner.scan(part.reading.text, most=MOST + 1)
        detected.pair_actions_left = detected.pair_actions.among(faulty.members)
        yield from self._grammar.detect(part, found, detected)
        edited = yield from self._edited(faulty.mapped, part, collector, within)
        return None if edited is None else faulty.rejoined(edited, cut=Kind.FRAGMENT in detected.seen)

    def _edited(
        self, mapped: Mapped, detected: Detected, collector: Collector, context: Context
    ) -> Steps[Mapped | None]:
        """Make the edits stage by stage."""
        stages, others, received = self._grammar.stages, context.others, mapped
        for number, stage in enumerate(stages):
            # Names that were edited in other blocks are compared even if no octet here is edited.
            is_edited = detected.edits_characters or (yield from detected.editing()) is not None
            if not is_edited and (others is None or not others.is_renamed):
                break
            context = context if others is None else context._replace(stage=number)
            yield
            edited = (yield from stage(mapped, detected, collector)) if is_edited else mapped
            if edited is mapped and not detected.is_outdated(context):
                continue
            if edited is None or self._refuse_length(edited, context, collector):
                return None
            if not detected.is_settled and self._refuse_long_part(edited, number, collector):
                return None
            if detected.is_settled is None:
                detected.is_settled = self._is_proven(edited.octets, detected, collector, context)
            if self._refuse_uncomposed(edited, detected, number, collector):
                return None
            if detected.is_settled:
                return None if self._refuse_new_name(edited, detected.left, collector) else edited
            mapped = edited
            collector.step(number)
            yield
            detected = yield from self.judging(mapped, collector, context, detected)
            if collector.rejected:
                return None
        collector.step(len(stages))
        left = yield from detected.editing()
        is_refused = collector.refuse_unsettled(mapped, left) or (
            mapped is not received and self._refuse_new_name(mapped, detected.pair_actions, collector)
        )
        return None if is_refused else mapped

    def _refuse_uncomposed(
        self, mapped: Mapped, detected: Detected, number: int, collector: Collector
    ) -> bool:
        """Refuse the component if composing left a part that is not in NFC; return whether it was refused.

        If more findings may be added, a component that is not settled is judged instead.
        """
        composed, is_path = detected.composition, self._column.component is Component.PATH
        if detected.is_settled:  # a proof compares the pairs that were composed, but not the segments
            may_be_left = is_path and composed.is_whole and not composed.is_done
        else:
            may_be_left = composed.is_refused and collector.truncated
        span = left_in(mapped.octets, "/" if is_path else "&") if may_be_left else None
        if span is None:
            return False
        collector.step(number)
        name = None if is_path else Pairs(mapped.octets).name_at(span[0])
        collector.add(Kind.NOT_NFC, Action.REJECT, mapped, span, name=name)
        return True

    def _refuse_new_name(self, mapped: Mapped, pair_actions: PairActions, collector: Collector) -> bool:
        """Refuse the component if edits gave a pair a name with a stricter rule; return whether it was."""
        renamed = self._grammar.renamed(mapped, pair_actions)
        if renamed is None:
            return False
        collector.step(len(self._grammar.stages))
        kind, name, *span = renamed
        collector.add(kind, Action.REJECT, mapped, (span[0], span[1]), name=name, detail=_RENAMED)
        return True

    def _refuse_length(self, mapped: Mapped, context: Context, collector: Collector) -> bool:
        """Refuse the component if an edit made it too long; return whether it was refused."""
        most = self._column.most - context.beside
        if len(mapped.octets) <= most or measure(mapped.octets) <= most:
            return False
        received = Mapped(mapped.received, mapped.component)
        collector.add(Kind.TOO_LONG, Action.REJECT, received, (0, len(received.octets)))
        return True

    def _refuse_long_part(self, mapped: Mapped, number: int, collector: Collector) -> bool:
        """Refuse the component if edits made parts too many or too long; return whether it was refused."""
        octets = mapped.octets
        if self.limits.hold(octets):
            return False
        collector.step(number)
        kind, start, end = self.limits.many(octets) or next(self.limits.long(octets))
        name = None if self._column.component is Component.PATH else Pairs(octets).name_at(start)
        collector.add(kind, Action.REJECT, mapped, (start, end), name=name)
        return True

    def _is_proven(self, octets: bytes, before: Detected, collector: Collector, context: Context) -> bool:
        """Whether nothing is left to edit or refuse, and no finding can be added; limits are not tested."""
        column = self._column
        if context.others is not None:
            return False
        if collector.truncated:
            return column.is_settled(octets, before.composition)
        if len(octets) > _LONG or not all(
            map(_LEFT.isdisjoint, [each.actions for each in before.matches.values()])
        ):
            return False  # a proof would cost as much as judging, or fail
        return column.is_clean(octets, before.composition)
