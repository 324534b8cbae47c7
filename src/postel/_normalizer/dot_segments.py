"""Dot segments: remove them from a path."""

from __future__ import annotations

from postel._normalizer.source_map import Edit


def resolve_dots(octets: bytes) -> tuple[list[Edit], tuple[tuple[int, int], str] | None]:
    """Return the edits that remove dot segments from a path, and the span and reason of a fault, if any.

    RFC 3986, section 5.2.4, with two differences: a ``..`` that leads above the root is a fault, and so is
    one after an empty segment, because some readers count that segment and others merge the slashes.

    >>> resolve_dots(b"/a/./b/../c")[0]
    [(2, 4, b''), (4, 6, b''), (6, 9, b'')]
    """
    edits: list[Edit] = []
    kept: list[tuple[int, int]] = []
    start = 0
    while start < len(octets):
        end = octets.find(b"/", start + 1)
        last = end < 0
        end = len(octets) if last else end
        segment = octets[start + 1 : end]
        if segment == b"..":
            if not kept:
                return [], ((start + 1, end), "above the root")
            above = kept.pop()
            if above[1] == above[0] + 1:
                return [], ((start + 1, end), "over an empty segment")
            edits.append((*above, b""))
        if segment in {b".", b".."}:
            edits.append((start + 1 if last else start, end, b""))
        else:
            kept.append((start, end))
        start = end
    return sorted(edits), None
