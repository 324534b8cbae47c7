"""Octets are divided into runs of text and other octets as a reader does that takes one token at a time."""

from __future__ import annotations

import re
from itertools import product
from typing import Final

from postel._catalogue.repairs import composed_runs

TOKEN: Final = re.compile(rb"%[uU][0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|.", re.DOTALL)
TEXT: Final = re.compile(rb"[\x80-\xff]|%[89A-Fa-f].")
UNRESERVED: Final = re.compile(
    rb"[A-Za-z0-9._~-]|%(?:2[DdEe]|3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|7[Ee])"
)
PIECES: Final = [
    *(b"%", b"%%", b"u", b"4", b"C", b"00", b"61", b"~", b"/", b"%4", b"%u", b"%u00", b"%C", b"%65"),
    *(b"%2F", b"%C3", b"\xcc\x81", b"\xff"),
]  # fmt: skip


def divided(octets: bytes) -> list[bytes]:
    """Return other octets and runs of text in turn; a run includes the unreserved character before it."""
    pieces = [b"", b""]
    tokens: list[bytes] = TOKEN.findall(octets)
    for token, after in zip(tokens, [*tokens[1:], b""], strict=True):
        if TEXT.fullmatch(token):
            pieces[-1] += token
        elif UNRESERVED.fullmatch(token) and TEXT.fullmatch(after):
            pieces += [b"", token] if pieces[-1] else []
            pieces[-1] = token
        else:
            pieces += [b"", b""] if pieces[-1] else []
            pieces[-2] += token
    return pieces


def test_the_reader_of_this_module() -> None:
    found = divided(b"a%C3b/%65\xff%u0065\xff%")
    assert found == [b"", b"a%C3", b"b/", b"%65\xff", b"%u0065", b"\xff", b"%", b""]


def test_octets_are_divided_at_the_same_places() -> None:
    for pieces in product(PIECES, repeat=4):
        octets = b"".join(pieces)
        found = composed_runs(octets)[0]
        while found[-2:] == [b"", b""] and len(found) > 2:
            del found[-2:]
        assert found == divided(octets), octets
