"""Writing octets by a table: the same as one octet after the other."""

from __future__ import annotations

import random

import pytest

from postel._alphabet.writer import Writer

ESCAPES = [b"%%%02X" % octet for octet in range(256)]
TABLES = {
    "every octet is escaped": ESCAPES,
    "octets above ASCII are escaped": [
        bytes([octet]) if octet < 0x80 else ESCAPES[octet] for octet in range(256)
    ],
    "ASCII is escaped": [bytes([octet]) if octet > 0x7F else ESCAPES[octet] for octet in range(256)],
    "a space is a plus sign": [b"+" if octet == 0x20 else bytes([octet]) for octet in range(256)],
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_all_octets_are_written_like_each_alone(table: list[bytes]) -> None:
    writer, chance = Writer(table), random.Random(0)  # noqa: S311 - inputs, no secrets
    for octets in (b"", bytes(range(256)), *(chance.randbytes(length) for length in range(1, 60))):
        assert writer.written(octets) == b"".join(map(table.__getitem__, octets))
