"""Scan the structure of pairs, with the pattern of each row or with its function ``find``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from postel._catalogue.check import Component
from postel._catalogue.kinds import Kind
from postel._normalizer.scanner import Scanner


def at_octets(component: Component, kinds: Iterable[Kind]) -> Scanner[bytes]:
    """Return a scanner over octets for kinds of the pair family; it skips octets that begin no match."""
    rows = [(kind, kind.check.patterns.get(component), kind.check.find) for kind in kinds]
    finds = {kind: find for kind, _, find in rows if find is not None}
    found = [(kind, pattern) for kind, pattern, _ in rows if pattern]
    if not found:
        return Scanner([], rb"()\Z", finds=finds)
    octets = re.escape(b"".join({octet for kind, _ in found for octet in kind.check.trigger or {}}))
    any_of_them = b"|".join(pattern for _, pattern in found)
    # Without a trigger, a match can begin with any octet.
    anywhere = any(kind.check.trigger is None for kind, _ in found)
    step = b"." if anywhere else b"[^" + octets + b"]++|[" + octets + b"]"
    passing = b"(?:(?!" + any_of_them + b")(?:" + step + b"))*+"
    groups = b"|".join(b"(?:" + pattern + b")()" for _, pattern in found)
    # \Z makes the clean rest one match; without it, the engine would try and fail at each octet.
    return Scanner([kind for kind, _ in found], passing + b"()(?:" + groups + rb"|\Z)", finds=finds)
