"""Write octets: replace each octet with one or three octets, in a few passes over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final


@final
class Writer:
    """Replaces each octet with its entry in a table; the entries have one or three octets.

    >>> Writer([b"%%%02X" % octet for octet in range(256)]).written(b"a/")
    b'%61%2F'
    """

    __slots__ = ("_left_out", "_planes")

    def __init__(self, table: Sequence[bytes]) -> None:
        """Compile a table of 256 entries; some octet must be in no entry."""
        held = set(b"".join(table))
        self._left_out = bytes(octet for octet in range(256) if octet not in held)[:1]
        full = [entry if len(entry) > 1 else entry + 2 * self._left_out for entry in table]
        self._planes = [bytes(entry[place] for entry in full) for place in range(3)]

    def written(self, octets: bytes) -> bytes:
        """Return the octets with each octet replaced."""
        written = bytearray(3 * len(octets))
        for place, plane in enumerate(self._planes):
            written[place::3] = octets.translate(plane)
        return bytes(written.translate(None, self._left_out))
