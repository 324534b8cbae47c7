"""The readings of a part's name: Flask, Quart and Litestar decode ``a%22b`` to ``a"b``.

Browsers write a quote in a name as ``%22``, and a line break as ``%0D%0A``: HTML, section 4.10.22.8. Other
readers keep the escapes. Rules for names and for repeated names must hold for each reading.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

from postel._bodies.form_part import FormPart
from postel._bodies.part_names import NameFault, unquoted
from postel._catalogue.check import Action, Component
from postel._catalogue.kinds import Kind
from postel._policy.policy import Policy

_QUOTE: Final = b"%22"
_DECODED: Final = "some readers decode escapes in the name"
_RULED: Final = "some readers decode escapes in the name, and other rules apply to the decoded name"


@final
class NameReadings:
    """Finds names to which a rule of the policy applies in one reading, but not in another.

    >>> policy = Policy.STANDARD.rejecting(Kind.NUL, on=Component.FORM, names=['a"b'])
    >>> [NameReadings(policy).differ(name) for name in ("a%22b", "c%22d")]
    [True, False]
    """

    __slots__ = ("_action", "_matchers", "_quoteless")

    def __init__(self, policy: Policy) -> None:
        """Collect the patterns of the rules for names in forms."""
        ruled = [rule.pattern for rule in policy.rules if rule.component is Component.FORM]
        accepted = [each for each in policy.acceptances if each.component is Component.FORM]
        accepting = [each.pattern for each in accepted if each.pattern is not None]
        self._quoteless = [
            None if each.pattern is None else each.pattern.matcher()
            for each in accepted
            if '"' not in each.characters
        ]
        """The accepted ranges without the quote: for each a matcher of names, or ``None`` for all names."""
        self._matchers = tuple(pattern.matcher() for pattern in dict.fromkeys((*ruled, *accepting)))
        self._action = policy.action

    def differ(self, name: str) -> bool:
        """Whether a rule applies to one reading of a name, and not to another."""
        first, *others = readings_of(name)
        return any(
            (matcher(first) is None) is not (matcher(other) is None)
            for other in others
            for matcher in self._matchers
        )

    def faults_in(self, part: FormPart, spelled: dict[bytes, bytes]) -> Iterator[NameFault]:
        """Yield a fault if the readings match different rules, and one if a reading equals an earlier one.

        ``spelled`` maps readings of earlier names to the names as written, all in UTF-8, which takes less
        memory than text. This call adds the readings of the part. It does not report names that are equal as
        written; :class:`TextRules` does.
        """
        name = unquoted(part.name)
        if self._quoteless:
            yield from self._outside(part, name)
        if self.differ(name):
            yield NameFault(Kind.PART_HEADER, part.name_at, len(part.name), _RULED)
        written = name.encode()
        written = part.name if written == part.name else written  # one object for both
        _, *others = readings_of(name)
        first = [spelled.setdefault(each, written) for each in (written, *map(str.encode, others))]
        is_repeated = any(each != written for each in first)
        if is_repeated and self._action(Kind.DUPLICATE_NAME, Component.FORM, name) is not Action.ALLOW:
            yield NameFault(Kind.DUPLICATE_NAME, part.name_at, len(part.name), _DECODED)

    def _outside(self, part: FormPart, name: str) -> Iterator[NameFault]:
        """Yield a fault for an escaped quote in a name or a file name, if no quote is accepted there."""
        if _QUOTE in part.name and None in self._quoteless:
            at = part.name_at + part.name.index(_QUOTE)
            yield NameFault(Kind.OUTSIDE_ACCEPTED_RANGE, at, len(_QUOTE), _DECODED)
        if _QUOTE in (part.filename or b"") and any(
            covers is None or covers(name) for covers in self._quoteless
        ):
            at = part.filename_at + (part.filename or b"").index(_QUOTE)
            yield NameFault(Kind.OUTSIDE_ACCEPTED_RANGE, at, len(_QUOTE), _DECODED)


def readings_of(name: str) -> list[str]:
    """The names that readers see; the first is the name as written.

    >>> readings_of("a"), readings_of("a%22b")
    (['a'], ['a%22b', 'a"b'])
    """
    if "%" not in name:
        return [name]
    quoted = name.replace("%22", '"')
    return list(dict.fromkeys((name, quoted, quoted.replace("%0D", "\r").replace("%0A", "\n"))))
