"""Checks that each row of the catalogue is complete, run at import.

Without these checks, an incomplete row would fail only at a request, or ``is_clean`` would miss the new kind.
The tests check two more things, which need compiled patterns: only the example has the fault, not the near
miss, and the trigger matches at every fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from postel._alphabet.characters import NO_CHARACTERS, Characters
from postel._alphabet.regex import branches
from postel._alphabet.text import ILL_FORMED
from postel._catalogue.check import Action, Check, Component, Family, Repair
from postel._catalogue.repairs import to_slashes

_ASCII: Final = Characters.of((0, 0x7F))
_PAIRED: Final = frozenset({Component.QUERY, Component.FORM})
_TARGETS: Final = frozenset({Component.PATH, *_PAIRED})
_FINDABLE: Final = frozenset({Action.ALLOW, Action.REPORT, Action.DROP_PAIR, Action.REJECT})
_NEVER_PLAIN: Final = frozenset({"%", ILL_FORMED})
"""First characters of faults that no proof accepts: a stray percent sign, and ill-formed octets."""
_OF_ASCII: Final = re.compile(rb"(?:[0-7]|\[[0-7]++\])(?![*?{])")
"""Matches the start of a pattern that can match only in an escape of ASCII, after its percent sign."""
_NO_CODE: Final = "found_by is empty: name the module whose code finds the fault"
_A_TRIGGER: Final = "give a trigger: each first octet of the fault, and a pattern that matches after it"


def require_complete(row: Check, member: str) -> None:
    """Raise ValueError if the row of a member is incomplete or contradicts itself.

    >>> from dataclasses import replace
    >>> from postel import Kind
    >>> require_complete(replace(Kind.NUL.check, reference=""), "NUL")
    Traceback (most recent call last):
    ValueError: Kind.NUL: reference is empty: name the section of a standard, the CVE or the CWE
    """
    for fault in chain(_cells(row), _detection(row), _proof(row), _words(row, member)):
        raise ValueError(f"Kind.{member}: {fault}")


def _words(row: Check, member: str) -> Iterator[str]:
    """Yield what is wrong with the texts that people read."""
    slug = member.lower().replace("_", "-")
    if row.slug != slug:
        yield f"slug is {row.slug!r}: write {slug!r}, the name of the member in lower case with hyphens"
    texts = (
        ("summary", row.summary, "say what is wrong in a few words"),
        ("reference", row.reference, "name the section of a standard, the CVE or the CWE"),
    )
    for name, text, wanted in texts:
        if not text.strip():
            yield f"{name} is empty: {wanted}"
        if text != text.strip() or text.endswith("."):
            yield f"{name} is {text!r}: write it without blanks around it and without a full stop"
    if row.repair is not None and not row.repair.summary:
        yield "the summary of repair is empty: say what the repair does in a few words"
    supported = frozenset[Action]().union(*row.actions.values())
    leaves = bool(supported & {Action.ALLOW, Action.REPORT})
    # PRESERVE does not change octets. It only keeps an escape in the decoded view.
    edits = any(action.edits for action in supported - {Action.PRESERVE})
    promises = (
        ("if_allowed", row.if_allowed, leaves, "allow or report"),
        ("if_edited", row.if_edited, edits, "an edit"),
        ("if_preserved", row.if_preserved, Action.PRESERVE in supported, "preserve"),
    )
    for name, text, needed, actions in promises:
        if needed and not text.endswith("."):
            yield f"{name} is {text!r}: say in a sentence what a deployer must guarantee"
        if text and not needed:
            yield f"{name} is {text!r}: leave it empty, because actions do not list {actions}"


def _cells(row: Check) -> Iterator[str]:
    """Yield the contradictions between presets, actions, examples and repair."""
    if not row.presets:
        yield "presets is empty: name the components in which the kind is detected"
    for name in ("actions", "example", "near_miss"):
        if getattr(row, name).keys() != row.presets.keys():
            yield f"{name} must have the same components as presets"
    for component, columns in row.presets.items():
        if unsupported := set(columns) - row.actions[component]:
            yield f"a preset uses {unsupported}, which actions does not list"
    same = {each for each in row.presets if row.example[each] == row.near_miss[each]}
    # An example cannot show all faults of these two families, such as a wrong length.
    if same and row.family not in {Family.FIELD, Family.MESSAGE}:
        yield f"example and near_miss are the same in {_listed(same)}: only the example may have the fault"
    if (row.repair is None) == any(Action.REPAIR in each for each in row.actions.values()):
        yield "give a repair if actions list REPAIR, and only then"


def _detection(row: Check) -> Iterator[str]:
    """Yield what the row must add so that the engine can find the kind."""
    judged = _TARGETS & row.presets.keys()
    match row.family:
        case Family.CHARACTER | Family.SEGMENT:
            yield from _characters(row, judged)
        case Family.WRITING if not row.found_by:
            yield _NO_CODE
        case Family.TARGET | Family.WRITING:
            if missing := judged - row.patterns.keys():
                yield f"give patterns for {_listed(missing)}"
        case Family.PAIR:
            yield from _pairs(row, judged)
        case Family.FIELD if row.names:
            if any(name != name.lower() or b"_" in name for name in row.names):
                yield "write names in lower case with hyphens"
            if others := row.presets.keys() - {Component.HEADERS}:
                yield f"only rows of the component headers have names, but presets has {_listed(others)}"
        case _:
            if not row.found_by:
                yield _NO_CODE
            if (row.family is Family.LIMIT) is not bool(row.limit):
                yield "give limit in rows of the family limit, and in no others"


def _characters(row: Check, judged: frozenset[Component]) -> Iterator[str]:
    if bool(row.patterns) != bool(row.text):
        yield "give patterns and text both, or neither"
    for component, each in row.bare.items():
        if (each - _ASCII) != (row.escaped.get(component, NO_CHARACTERS) - _ASCII):
            yield "bare and escaped must have the same characters beyond ASCII"
    if missing := judged - {*row.bare, *row.escaped, *row.patterns}:
        yield f"say what is faulty in {_listed(missing)}: bare and escaped, or patterns and text"
    if row.repair is not None and not row.found_by and not _is_repaired_by_row(row.family, row.repair):
        yield "found_by is empty: name the module that repairs the fault, set escapes, or use to_slashes"
    if row.family is Family.SEGMENT and (not row.patterns or judged != frozenset({Component.PATH})):
        yield "segments occur in the path only: give patterns and text for it"


def _is_repaired_by_row(family: Family, repair: Repair) -> bool:
    """Whether the row suffices to repair a character or segment, without a module in ``found_by``."""
    if family is Family.SEGMENT:
        return repair.replacement is not None
    return repair.escapes or repair.replacement is to_slashes


def _pairs(row: Check, judged: frozenset[Component]) -> Iterator[str]:
    if judged - _PAIRED:
        yield "pairs occur in queries and forms only"
    if row.found_by:
        return
    if row.find is None and (missing := judged - row.patterns.keys()):
        yield f"give patterns for {_listed(missing)}, a function find, or the code in found_by"
    if any(supported - _FINDABLE for supported in row.actions.values()):
        yield "edits of structure need code: name its module in found_by, or list no edit except drop-pair"


def _proof(row: Check) -> Iterator[str]:
    """Yield the reasons for which a proof could accept the fault."""
    by_code = row.family is Family.TEXT or (row.family is Family.PAIR and not row.patterns)
    if row.in_proof:
        if row.trigger is not None:
            yield "give a trigger or in_proof, not both"
        if row.family not in {Family.CHARACTER, Family.TEXT, Family.WRITING}:
            yield f"proofs do not exclude faults of the family {row.family.value}: remove in_proof"
        if row.family is Family.CHARACTER and not (row.text and row.text.keys() <= _NEVER_PLAIN):
            yield "in_proof needs text whose only keys are '%' and ill-formed octets: remove in_proof"
    elif row.trigger is not None and not row.trigger:
        passes = "trigger is empty, so is_clean would accept the fault"
        yield f"{passes}: leave it out if patterns describe the fault, or {_A_TRIGGER}"
    elif by_code and row.trigger is None and not row.one_of and _TARGETS & row.presets.keys():
        yield _A_TRIGGER
    if any(not _OF_ASCII.match(each) for each in branches((row.trigger or {}).get(b"%", b"0"))):
        yield "each branch of the trigger for '%' must begin with a digit from 0 to 7; else give one_of"


def _listed(components: Iterable[Component]) -> str:
    return ", ".join(component.value for component in Component if component in components)
