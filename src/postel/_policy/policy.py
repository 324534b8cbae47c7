"""Policies: what happens to each kind in each component, as an immutable value.

A policy has an action for every kind in every component, rules for single names, ranges of accepted
characters, charsets, and limits. Methods such as ``rejecting`` return a new policy; a later call overrides an
earlier one. An unsupported action raises here, so other modules need not check it again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, Literal, cast, final

from postel._alphabet.characters import Characters
from postel._catalogue.check import Action, Component
from postel._catalogue.kinds import Kind, not_a_kind
from postel._errors import PolicyError, nothing_named
from postel._policy.charsets import CharsetRule, charset_clause, with_charset
from postel._policy.clause_values import action_of, characters_of, kept_of
from postel._policy.limits import Limits, limit_named, limit_of, limited, limits_that_differ
from postel._policy.names import TRACKING_NAMES, name_patterns
from postel._policy.rules import (
    COMPONENTS,
    Acceptance,
    NameRule,
    On,
    components_of,
    covered,
    preset_table,
    require_cell,
    supporting,
    with_acceptances,
)
from postel._policy.text_form import PRESETS, Clause, PolicyText, accepting_clause, clauses_about


@final
@dataclass(frozen=True, slots=True)
class Policy:
    """What happens to each kind of fault in each component. Immutable and hashable.

    Begin with a preset and change it:

    >>> from postel import Component, Kind
    >>> policy = Policy.STANDARD.preserving(Kind.ENCODED_SLASH)
    >>> policy.action(Kind.ENCODED_SLASH, Component.PATH)
    <Action.PRESERVE: 'preserve'>

    Raises :class:`PolicyError` for an action that a kind does not support in a component.
    """

    STRICT: ClassVar[Policy]
    """Refuses everything that is not canonical, except what it repairs: spelling, ``;`` in a query or form,
    lone newlines in a form, several Cookie fields, and upper case in a Host. For new applications whose
    clients you write."""
    STANDARD: ClassVar[Policy]
    """The default. Refuses what readers understand differently, repairs what people mistype, and drops
    parameters of ``TRACKING_NAMES`` that are not UTF-8."""
    LENIENT: ClassVar[Policy]
    """Repairs every fault whose meaning is clear. Use it only if nothing in front of postel judges paths."""

    table: tuple[tuple[Action, ...], ...]
    """For each component of ``COMPONENTS``, an action for each kind, in the order of the enum."""
    rules: tuple[NameRule, ...] = ()
    """Rules for single names; of the rules for a kind, the last one that matches a name applies."""
    acceptances: tuple[Acceptance, ...] = ()
    """Ranges of accepted characters; a value must be within every range that covers it."""
    charsets: tuple[CharsetRule, ...] = ()
    """The charsets of single parameters of a query; the last rule that matches a name applies."""
    limits: Limits = field(default_factory=Limits)
    """How long a request and its parts may be."""
    keep: Literal["first", "last"] = "first"
    """Which of several pairs with the same name stays if duplicate-name is repaired."""

    def __post_init__(self) -> None:
        """Raise unless the table is complete and ``keep`` is valid."""
        table = cast("object", self.table)
        if isinstance(table, str):
            raise PolicyError(f"Policy({table!r}): write Policy.parse({table!r})")
        if not isinstance(table, tuple) or [*map(len, self.table)] != [len(Kind)] * len(COMPONENTS):
            raise PolicyError("Policy(...): begin with a preset, such as Policy.STANDARD, and change it")
        if self.keep not in ("first", "last"):
            raise PolicyError(f"keep={self.keep!r}: write 'first' or 'last'")

    @classmethod
    def parse(cls, text: str) -> Policy:
        """Read a policy from its text form, which ``str`` writes: docs/policy.md.

        >>> Policy.parse("standard encoded-slash=preserve malformed-escape@query[q]=reject limit.pairs=100")
        Policy.parse('standard malformed-escape@query[q]=reject encoded-slash=preserve limit.pairs=100')

        It may have several lines and comments (``#``). Raises :class:`PolicyError`, with a caret, for a
        syntax error, an unsupported action, or a clause that undoes an earlier one with names.
        """
        source = PolicyText(text)
        preset, clauses = source.read()
        base = _PRESETS.get(preset.text.lower())
        if base is None:
            raise source.fault(preset.offset, nothing_named("preset", preset.text, _PRESETS))
        policy = base
        for clause in clauses:
            before, policy = policy, policy._with_clause(source, clause)
            source.check_kept(clause, base._named, before._named, policy._named)
        return policy

    def __str__(self) -> str:
        """The text form: the nearest preset, and the clauses that change it."""
        forms = ((name, list(self._differences(preset))) for name, preset in _PRESETS.items())
        name, clauses = min(forms, key=lambda form: len(form[1]))
        return " ".join((name, *clauses))

    def __repr__(self) -> str:
        """An expression that evaluates to an equal policy."""
        return f"Policy.parse({str(self)!r})"

    def action(self, kind: Kind, component: Component, name: str | None = None) -> Action:
        """Return the action for a kind in a component; with ``name``, in the pair with that decoded name.

        Raises :class:`PolicyError` for a component that policies do not cover.
        """
        require_cell(kind, component)
        if name is not None:
            for rule in reversed(self.rules):
                if rule.kind is kind and rule.component is component and rule.pattern.matches(name):
                    return rule.action
        return self.table[COMPONENTS.index(component)][kind.index]

    def allowing(self, *kinds: Kind, on: On = None, names: Iterable[str] | None = None) -> Policy:
        """Accept these kinds without a report. ``Kind.check.if_allowed`` says what you must guarantee.

        ``on`` is one component or several; by default all in which the kinds support the action. ``names``
        are decoded names of parameters, in which ``*`` stands for any characters; by default all names.
        Later calls win. Raises :class:`PolicyError` if a kind supports the action in none of the components.
        All methods named after actions take the same arguments, except :meth:`preserving`.

        >>> policy = Policy.STANDARD.allowing(Kind.ILL_FORMED_UTF8, on=Component.QUERY, names=["legacy_*"])
        """
        return self._with(Action.ALLOW, kinds, on, names)

    def reporting(self, *kinds: Kind, on: On = None, names: Iterable[str] | None = None) -> Policy:
        """Accept these kinds unchanged, and report them to the observer.

        >>> policy = Policy.STANDARD.reporting(Kind.DOT_SEGMENT)
        """
        return self._with(Action.REPORT, kinds, on, names)

    def repairing(self, *kinds: Kind, on: On = None, names: Iterable[str] | None = None) -> Policy:
        """Repair these kinds. ``Kind.check.if_edited`` says what you must guarantee.

        >>> policy = Policy.STANDARD.repairing(Kind.UNICODE_ESCAPE)
        """
        return self._with(Action.REPAIR, kinds, on, names)

    def preserving(self, *kinds: Kind, on: On = None) -> Policy:
        """Keep the escape of these kinds in the application's decoded view of the path.

        >>> policy = Policy.STANDARD.preserving(Kind.ENCODED_SLASH)
        """
        return self._with(Action.PRESERVE, kinds, on, None)

    def replacing(self, *kinds: Kind, on: On = None, names: Iterable[str] | None = None) -> Policy:
        """Replace the faulty octets, and only those, with U+FFFD (Unicode, section 3.9).

        ``Kind.check.if_edited`` says what you must guarantee.

        >>> policy = Policy.STANDARD.replacing(Kind.ILL_FORMED_UTF8, names=["comment"])
        """
        return self._with(Action.REPLACE, kinds, on, names)

    def dropping(self, *kinds: Kind, on: On = None, names: Iterable[str] | None = None) -> Policy:
        """Drop the faulty octets. ``Kind.check.if_edited`` says what you must guarantee.

        If this would join the octets on both sides, or empty the name, the whole pair is dropped. In a path,
        the request is refused if it would join octets, empty an inner segment, or leave a dot segment.

        >>> policy = Policy.LENIENT.dropping(Kind.INVISIBLE)
        """
        return self._with(Action.DROP, kinds, on, names)

    def dropping_pairs(self, *kinds: Kind, on: On = None, names: Iterable[str] | None = None) -> Policy:
        """Drop each ``name=value`` with these kinds. ``Kind.check.if_edited`` says what you must guarantee.

        >>> policy = Policy.STANDARD.dropping_pairs(Kind.ILL_FORMED_UTF8, names=["ref"])
        """
        return self._with(Action.DROP_PAIR, kinds, on, names)

    def rejecting(self, *kinds: Kind, on: On = None, names: Iterable[str] | None = None) -> Policy:
        """Refuse requests with these kinds.

        >>> policy = Policy.STANDARD.rejecting(Kind.BIDI_CONTROL, Kind.INVISIBLE)
        """
        return self._with(Action.REJECT, kinds, on, names)

    def accepting(
        self, characters: Characters, *, on: On = None, names: Iterable[str] | None = None
    ) -> Policy:
        """Accept only these characters, judged on decoded text.

        With ``names``, this applies to the values of pairs with these names; without, to the path and every
        name and value. Other characters are ``Kind.OUTSIDE_ACCEPTED_RANGE``, except slashes in a path, and
        the first equals sign of a pair.

        >>> from postel import LATIN
        >>> policy = Policy.STANDARD.accepting(LATIN, names=["q"])
        """
        return replace(self, acceptances=with_acceptances(self.acceptances, characters, on, names))

    def charset(self, label: str, *, names: Iterable[str]) -> Policy:
        """Read the values of these parameters of a query in an older charset, and hand them on in UTF-8.

        Well-formed UTF-8 stays unchanged. A value that is valid in neither is ill-formed UTF-8.
        ``"utf-8"`` undoes an earlier call. Labels are the usual ones of the Encoding Standard, section 4.2.

        >>> policy = Policy.STANDARD.charset("windows-1252", names=["q"])
        """
        return replace(self, charsets=with_charset(self.charsets, label, names))

    def local(self, *, names: Iterable[str], on: On = None) -> Policy:
        """Refuse requests in which a parameter with one of these names leads to another site.

        Empty values pass, and so do references for which :func:`postel.uri.is_local` is true: CWE-601. A URL
        with a host never passes. Forms are covered only if the middleware has ``forms=True``.

        >>> policy = Policy.STANDARD.local(names=["next"])
        """
        return self.rejecting(Kind.FOREIGN_REFERENCE, on=on, names=names)

    def limiting(self, **limits: int | None) -> Policy:
        """Set limits by their names in :class:`Limits`, which has their units and defaults.

        >>> policy = Policy.STANDARD.limiting(octets=2048, pairs=50)
        """
        return replace(self, limits=limited(self.limits, limits))

    def keeping(self, which: Literal["first", "last"]) -> Policy:
        """Set which of several pairs with the same name stays if ``Kind.DUPLICATE_NAME`` is repaired.

        Raises :class:`PolicyError` for anything but 'first' and 'last'.

        >>> policy = Policy.LENIENT.repairing(Kind.DUPLICATE_NAME).keeping("last")
        """
        if which not in ("first", "last"):
            raise PolicyError(f"keeping({which!r}): write 'first' or 'last'")
        return replace(self, keep=which)

    def _with_clause(self, source: PolicyText, clause: Clause) -> Policy:
        """Return this policy, changed by a clause of the text form."""
        subject, value = clause.subject.text.lower(), clause.value.text
        on = [source.component(word) for word in clause.components] or None
        names = clause.names or None
        if subject == "charset":
            return replace(self, charsets=charset_clause(self.charsets, source, clause))
        offset = clause.subject.offset
        try:
            if subject == "keep" or subject.startswith("limit."):
                if on or names:
                    raise PolicyError(f"{subject} applies to the whole policy; leave out '@' and '['")
                limit = None if subject == "keep" else limit_named(subject.removeprefix("limit."))
                offset = clause.value.offset
                if limit is None:
                    return self.keeping(kept_of(value))
                return self.limiting(**{limit: limit_of(limit, value)})
            kind = Kind.OUTSIDE_ACCEPTED_RANGE if subject == "accept" else Kind.of(subject)
            for word in clause.components:
                offset = word.offset
                covered(kind, source.component(word), name_patterns(names))
            offset = clause.value.offset
            if subject == "accept":
                return self.accepting(characters_of(value), on=on, names=names)
            return self._with(action_of(value), (kind,), on, names)
        except ValueError as error:
            raise source.fault(offset, str(error)) from None

    @property
    def _named(self) -> tuple[NameRule | Acceptance, ...]:
        return *self.rules, *self.acceptances

    def _differences(self, base: Policy) -> Iterable[str]:
        """Yield the clauses of the text form that turn ``base`` into this policy."""
        for kind in Kind:
            yield from clauses_about(kind, (self.table, self.rules), (base.table, base.rules))
        for component in COMPONENTS:
            yield from (accepting_clause(each) for each in self.acceptances if each.component is component)
        yield from (each.clause for each in self.charsets)
        yield from limits_that_differ(self.limits, base.limits)
        if self.keep != base.keep:
            yield f"keep={self.keep}"

    def _with(self, action: Action, kinds: tuple[object, ...], on: On, names: Iterable[str] | None) -> Policy:
        if not kinds:
            raise PolicyError(f"no kind to {action.value}: name one, such as Kind.ENCODED_SLASH")
        patterns = name_patterns(names)
        on = None if on is None else components_of(on)  # an iterator can be read only once
        table = [list(column) for column in self.table]
        rules = list(self.rules)
        for kind in kinds:
            if not isinstance(kind, Kind):
                raise PolicyError(not_a_kind(kind))
            for component in supporting(kind, action, covered(kind, on, patterns), on):
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
        # The rules are sorted, so that calls for different kinds give equal policies in any order.
        rules.sort(key=lambda rule: (COMPONENTS.index(rule.component), rule.kind.index))
        return replace(self, table=tuple(map(tuple, table)), rules=tuple(rules))


Policy.STRICT = Policy(preset_table(0))
Policy.STANDARD = Policy(preset_table(1)).dropping_pairs(Kind.ILL_FORMED_UTF8, names=TRACKING_NAMES)
Policy.LENIENT = Policy(preset_table(2))
_PRESETS: Final = dict(zip(PRESETS, (Policy.STANDARD, Policy.STRICT, Policy.LENIENT), strict=True))
