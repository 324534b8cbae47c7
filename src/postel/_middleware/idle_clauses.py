"""Warn of clauses of a policy about bodies that the middleware does not judge."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from postel._catalogue.check import Component
from postel._catalogue.kinds import Kind
from postel._http.observers import LOGGER
from postel._policy.policy import Policy
from postel._policy.text_form import PolicyText

_SHOWN: Final = 3
"""A warning quotes at most this many clauses."""
_FORM_LIMIT: Final = "limit.form-value"
_LOCAL: Final = Kind.FOREIGN_REFERENCE.slug
_LIMIT: Final = "limit the rules to the query with on=Component.QUERY"
_LEAVE_OUT: Final = "leave these rules out (on= says which components a rule covers)"
_KINDS: Final = {kind.slug: kind for kind in Kind}


def warn_of_idle_clauses(policies: Iterable[Policy], judged: Collection[Component]) -> None:
    """Log a warning if a clause is only about forms or JSON, and these are not among the ``judged`` bodies.

    A rule against references to other sites counts if forms are among its components. People who name a
    parameter for redirects expect it to be covered wherever it is sent.
    """
    for body, setting in ((Component.FORM, "forms=True"), (Component.JSON, "json=True")):
        if body in judged:
            continue
        idle = [clause for policy in policies for clause in idle_clauses(policy, body)]
        if idle:
            LOGGER.warning(
                "a policy has rules for %s bodies, which are not judged: %s; pass %s, or %s",
                body.value,
                ", ".join(idle[:_SHOWN]) + (", ..." if len(idle) > _SHOWN else ""),
                setting,
                _LIMIT if all(clause.startswith(_LOCAL) for clause in idle) else _LEAVE_OUT,
            )


def idle_clauses(policy: Policy, body: Component) -> Iterator[str]:
    """Yield the clauses that have less effect than they say if bodies of this component are not judged.

    >>> list(idle_clauses(Policy.parse("standard nul@form=drop nul@path=reject"), Component.FORM))
    ['nul@form=drop']
    """
    source = PolicyText(str(policy))
    _, clauses = source.read()
    for clause in clauses:
        subject, value = clause.subject, clause.value
        kind = _KINDS.get(subject.text)
        if kind is None:
            is_idle = subject.text == _FORM_LIMIT and body is Component.FORM
        else:
            components = [word.text for word in clause.components] or [
                each.value for each in kind.check.components
            ]
            is_idle = components == [body.value] or (
                kind is Kind.FOREIGN_REFERENCE and body.value in components
            )
        if is_idle:
            yield source.text[subject.offset : value.offset + len(value.text)]
