"""Warn of clauses of a policy about bodies that the middleware does not judge."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from postel._bodies.form_settings import Forms
from postel._bodies.json_settings import Json
from postel._catalogue.check import Component
from postel._catalogue.kinds import Kind
from postel._http.observers import logger
from postel._policy.policy import Policy
from postel._policy.text_form import Clause, PolicyText

_SHOWN: Final = 3
"""A warning quotes at most this many clauses."""
_FORM_LIMIT: Final = "limit.form-value"
_LOCAL: Final = Kind.FOREIGN_REFERENCE.slug
_LIMIT: Final = "limit the rules to the query with on=Component.QUERY"
_LEAVE_OUT: Final = "leave these rules out (on= says which components a rule covers)"
_KINDS: Final = {kind.slug: kind for kind in Kind}
_OF_PARTS: Final = ("_bodies/part", "_bodies/multipart")
"""How the modules begin that find the faults of multipart forms only."""


def warn_of_idle_clauses(policies: Iterable[Policy], forms: Forms | None, json: Json | None) -> None:
    """Log a warning if a clause is only about bodies that are not judged: forms, multipart forms, or JSON.

    A rule against references to other sites counts if forms are among its components. People who name a
    parameter for redirects expect it to be covered wherever it is sent.
    """
    each_read = [_read(policy) for policy in policies]
    settings = ((Component.FORM, "forms=True", forms), (Component.JSON, "json=True", json))
    unjudged = [body.value for body, _, given in settings if given is None]
    for body, remedy, given in settings:
        if given is None:
            _warn(body.value, remedy, [idle for read in each_read for idle in _idle(read, body, unjudged)])
    if forms is not None and forms.multipart == "untouched":
        of_parts = [text for read in each_read for clause, text in read if _is_of_parts(clause)]
        _warn("multipart", 'Forms(multipart="judge")', of_parts)


def _warn(body: str, remedy: str, idle: list[str]) -> None:
    if idle:
        logger().warning(
            "a policy has rules for %s bodies, which are not judged: %s; pass %s, or %s",
            body,
            ", ".join(idle[:_SHOWN]) + (", ..." if len(idle) > _SHOWN else ""),
            remedy,
            _LIMIT if all(clause.startswith(_LOCAL) for clause in idle) else _LEAVE_OUT,
        )


def _read(policy: Policy) -> list[tuple[Clause, str]]:
    """Return the clauses of a policy, each with its text."""
    source = PolicyText(str(policy))
    _, clauses = source.read()
    ends = [clause.value.offset + len(clause.value.text) for clause in clauses]
    return [(each, source.text[each.subject.offset : end]) for each, end in zip(clauses, ends, strict=True)]


def _idle(read: list[tuple[Clause, str]], body: Component, unjudged: Collection[str]) -> Iterator[str]:
    """Yield the clauses about a body whose other components, if there are more, are not judged either."""
    # The same range for several components is written as several clauses.
    accepted = {(each.names, each.value.text) for each, _ in read if not {*_components(each)} <= {*unjudged}}
    for clause, text in read:
        components, is_local = _components(clause), clause.subject.text == _LOCAL
        if clause.subject.text == _FORM_LIMIT:
            is_idle = body is Component.FORM
        elif clause.subject.text == "accept":
            is_idle = components == [body.value] and (clause.names, clause.value.text) not in accepted
        else:
            # A clause about both bodies is quoted once.
            is_idle = components[:1] == [body.value] and {*components} <= {*unjudged}
        if is_idle or (is_local and body.value in components):
            yield text


def _components(clause: Clause) -> list[str]:
    """Return the components of a clause; those of its kind if it names none."""
    kind = _KINDS.get(clause.subject.text)
    of_kind = [] if kind is None else [each.value for each in kind.check.components]
    return [word.text for word in clause.components] or of_kind


def _is_of_parts(clause: Clause) -> bool:
    """Whether a clause is about faults that only multipart forms have."""
    kind = _KINDS.get(clause.subject.text)
    return kind is not None and kind.check.found_by.startswith(_OF_PARTS)
