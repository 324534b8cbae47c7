"""A suite: one test for each family of requests, and a baseline of accepted findings with reasons."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Self, cast, final

from postel import Policy
from postel.doctor._catalogue import Family
from postel.doctor._disagreement import Disagreement
from postel.doctor._examination import Examination, Reading, examine

BASELINE: Final = "baseline"
FAMILIES: Final = (*(family.value for family in Family), "guards", "redirects", BASELINE)
"""The names of the tests; the last one checks that all entries of the baseline were found."""
_FAMILY_OF_RULE: Final = {
    "guard": "guards",
    "charset": Family.CHARSET.value,
    "content type": Family.CONTENT_TYPE.value,
    "length": Family.LENGTH.value,
    "redirect": "redirects",
}


@final
class BaselineError(ValueError):
    """Raised for a baseline that cannot be read; the message says what is wrong."""


@final
class Suite:
    """The findings that remain behind a policy, by family, except those that a baseline accepts."""

    __slots__ = ("_accepted", "_found", "missing")

    def __init__(self, examination: Examination, accepted: Mapping[str, str]) -> None:
        self._accepted = accepted
        self.missing: list[str] = [route.request.line() for route in examination.missing]
        """The routes that answer 404, so that their names may be wrong."""
        self._found: dict[str, dict[str, str]] = {family: {} for family in FAMILIES}
        for reading in examination.readings:
            for key, text in _reading_complaints(reading, examination.policy):
                self._found[reading.meaning.family.value][key] = text
        for each in examination.behind:
            self._found[_FAMILY_OF_RULE[each.rule]][each.key()] = _finding_complaint(each, examination.policy)

    @classmethod
    def of(cls, app: object, *, baseline: str | Path | None = None, **settings: Any) -> Self:
        """Examine an application with the settings of ``examine``; a baseline is a TOML file."""
        accepted = {} if baseline is None else accepted_in(Path(baseline).read_text("utf-8"))
        return cls(examine(app, **settings), accepted)

    def complaints(self, family: str) -> list[str]:
        """Return the findings of a family that the baseline does not accept.

        For the family ``baseline``, these are the accepted findings that were not found.
        """
        if family == BASELINE:
            keys = {key for found in self._found.values() for key in found}
            return [
                f"{key!a} is in the baseline but was not found; remove the entry"
                for key in self._accepted
                if key not in keys
            ]
        return [text for key, text in self._found[family].items() if key not in self._accepted]


def accepted_in(text: str) -> dict[str, str]:
    r"""Read a baseline: a table ``[accepted]`` of keys and reasons. Raises BaselineError for anything else.

    >>> accepted_in('[accepted]\n"guard GET /admin spelling" = "the proxy refuses it"')
    {'guard GET /admin spelling': 'the proxy refuses it'}
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BaselineError(f"the baseline is not TOML: {error}") from None
    accepted: object = tables.get("accepted")
    if not isinstance(accepted, dict) or tables.keys() != {"accepted"}:
        raise BaselineError("a baseline is one table, [accepted], with a reason for each key")
    reasons = cast("dict[str, object]", accepted)
    for key, reason in reasons.items():
        if not isinstance(reason, str) or not reason.strip():
            raise BaselineError(f"{key!a} has no reason: write {key!a} = 'why it is accepted'")
    return {key: str(reason) for key, reason in reasons.items()}


def _reading_complaints(reading: Reading, policy: Policy) -> Iterable[tuple[str, str]]:
    meaning, answer = reading.meaning, reading.behind
    for each in answer.differences:
        key = f"reading {meaning.name}, {each.place}"
        clause = reading.clause(policy)
        yield (
            key,
            (
                f"{meaning.request.line()}: {each.sentence()}; "
                f"to close it: {clause}\n  {meaning.request.curl()}\n  to accept it: {key!a} = 'why'"
            ),
        )


def _finding_complaint(each: Disagreement, policy: Policy) -> str:
    saw = "; ".join(each.saw)
    return (
        f"{each.title}: {saw}; {each.clause(policy)}\n  {each.request.curl()}\n"
        f"  to accept it: {each.key()!a} = 'why'"
    )
