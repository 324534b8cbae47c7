"""Plain targets, as in most requests: short, with no escape in the path and no opening bracket in the query.

No such target exceeds a limit, and its path is its own decoded view. So the middleware proves one by two
matches, and saves the call of ``is_clean`` and its further tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, final

from postel._catalogue.check import Component
from postel._normalizer.proof import proof
from postel._policy.limits import safe_length
from postel._policy.policy import Policy


@final
class PlainTargets(NamedTuple):
    """Proves that a target is plain and clean."""

    prove_path: Callable[[bytes], object]
    prove_query: Callable[[bytes], object]
    """Proves a query that is not empty."""
    most: int
    """The most octets of path and query together; a longer target is not proven."""


def _proves_nothing(_: bytes) -> None:
    """Prove no path and no query."""


NO_TARGETS: Final = PlainTargets(_proves_nothing, _proves_nothing, -1)


def plain_targets(policy: Policy) -> PlainTargets:
    """Return the proofs for a policy.

    >>> plain = plain_targets(Policy.STANDARD)
    >>> bool(plain.prove_path(b"/a")), bool(plain.prove_path(b"/%C3%A4")), bool(plain.prove_query(b"a[b]=1"))
    (True, False, False)
    """
    path, query = (proof(policy, each, plain=True).fullmatch for each in (Component.PATH, Component.QUERY))
    return PlainTargets(path, query, safe_length(policy.limits))
