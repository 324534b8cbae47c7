"""Find stray percent signs that would begin an escape once the escapes after them are respelled."""

from __future__ import annotations

import re
from typing import Final

from postel._alphabet.percent import MALFORMED_PERCENT
from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._catalogue.patterns import HEX_DIGIT, any_case
from postel._normalizer.findings import NOTHING, Matches, listed
from postel._policy.name_rules import Actions

_DIGITS: Final = HEX_DIGIT * 2 + b"|" + any_case("u") + HEX_DIGIT * 4
_LATENT: Final = re.compile(MALFORMED_PERCENT + b"(?:" + _DIGITS + b")")
"""A stray ``%`` that begins an escape once the escape after it is respelled: ``%4%31`` becomes ``%41``."""


RESPELLED: Final = "it would begin an escape once the octets after it are respelled"
"""The detail of a finding about a stray percent sign."""


def holds_latent_escape(octets: bytes) -> bool:
    """Whether there is a stray percent sign that may begin an escape after respelling."""
    return _LATENT.search(octets) is not None


def latent_escapes(octets: bytes, actions: Actions, start: int = 0) -> Matches:
    """Find stray percent signs that would begin an escape once the escapes after them are respelled.

    Such a sign is refused if the policy allows or reports it, and repairs spelling.

    >>> actions = [Action.REPORT] * len(Kind)
    >>> actions[Kind.SPELLING.index] = Action.REPAIR
    >>> [span for _, _, *span in latent_escapes(b"/%u12%c3/%u12%43x/%4%31", tuple(actions)).first(9)]
    [[18, 23]]
    """
    kind, left = Kind.MALFORMED_ESCAPE, {Action.ALLOW, Action.REPORT}
    if actions[Kind.SPELLING.index] is not Action.REPAIR or actions[kind.index] not in left:
        return NOTHING
    found = [(Action.REJECT, kind, *match.span()) for match in _LATENT.finditer(octets, start)]
    return listed(found, RESPELLED)
