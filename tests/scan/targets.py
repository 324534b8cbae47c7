"""Targets that scanners, old links and people send."""

from __future__ import annotations

from itertools import islice
from typing import Final

from differential.targets import paths, queries
from postel import Component, Kind


def _examples() -> list[bytes]:
    targets: list[bytes] = []
    for kind in Kind:
        for component, octets in kind.check.example.items():
            if component is Component.PATH:
                targets.append(octets)
            elif component is Component.QUERY:
                targets.append(b"/x?" + octets)
    return targets


HOSTILE_TARGETS: Final = [
    *_examples(),
    *(path for path in islice(paths(1), 60)),
    *(b"/x?" + query for query in islice(queries(2), 60)),
    *(b"/", b"/a/b?q=1&r=2", b"/search?q=a+b", b"/?utm_source=%C4", b"/?q=%5B&q=1", b"", b"?"),
]
"""Targets of every kind, and targets made by every recipe."""
