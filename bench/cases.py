"""The inputs that are measured. Each case returns path and query of its n-th target; no two are equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Final, TypeAlias
from urllib.parse import quote

Case: TypeAlias = tuple[bytes, bytes]
"""Path and query, in octets."""
Maker: TypeAlias = Callable[[int], tuple[str, str]]

KIB: Final = 1024
_NUMBERS: Final = count(100_000)


def filled(piece: str, octets: int) -> str:
    """Repeat a piece to about this many octets, without cutting it."""
    return piece * (octets // len(piece.encode()))


def _european(n: int) -> str:
    return quote("Ärzteblatt-Übersicht-für-Größe") + str(n)


def _cjk(n: int) -> str:
    return quote("起司堡東京都渋谷区") + str(n)


def _in_query(piece: str, octets: int) -> Maker:
    return lambda n: (f"/search/{n}", f"q={filled(piece, octets - 30)}{n}")


def _in_path(piece: str, octets: int) -> Maker:
    return lambda n: (f"/{n}/{filled(piece, octets - 30)}", "")


PLAIN: Final[dict[str, Maker]] = {
    "root": lambda n: ("/", ""),
    "plain, one pair": lambda n: (f"/articles/{n}", f"page={n}"),
    "plain, three pairs": lambda n: (f"/articles/{n}/comments", f"page=2&sort=newest&id={n}"),
    "plain, ten pairs": lambda n: (f"/search/{n}", "&".join(f"field{i}=value{n}" for i in range(10))),
    "marketing": lambda n: (
        f"/landing/{n}",
        "utm_source=newsletter&utm_medium=email&utm_campaign=spring%20sale&utm_content=a%2Bb&utm_term="
        f"running%20shoes&gclid=Cj0KCQ{n}&fbclid=IwAR0{n}",
    ),
    "European": lambda n: (f"/suche/{_european(n)}", f"q={_european(n)}&ort={_european(n)}"),
    "CJK": lambda n: (f"/wiki/{_cjk(n)}", f"q={_cjk(n)}&area={_cjk(n)}"),
}
"""Targets that the default policy accepts unchanged."""
DIRTY: Final[dict[str, tuple[Callable[[str, int], Maker], str]]] = {
    "typed text": (_in_query, "50% off and more text, "),
    "spaces": (_in_query, "some words and "),
    "raw UTF-8": (_in_query, "Größe, 起司堡 "),
    "lower-case hex": (_in_path, "gr%c3%b6%c3%9fe-"),
    "needless escapes": (_in_path, "%7Euser%2Dname%5F"),
}
"""Targets that the default policy repairs: where the repeated text stands, and the text."""
HOSTILE: Final[dict[str, tuple[Callable[[str, int], Maker], str]]] = {
    "a third escapes": (_in_query, "%C0%AFabcdefghijkl"),
    "one kind": (_in_query, "%00"),
    "many kinds": (_in_query, "%00%zz<%E2%80%AE%u00e9;%C4"),
    "raw octets": (_in_query, "a\x00b\x1f"),
    "dot segments": (_in_path, "../"),
    "half an escape": (_in_query, "%"),
}
"""Targets that the default policy refuses, in the same form."""


def _at_the_end(n: int) -> tuple[str, str]:
    path, query = _in_query("plain text", 8 * KIB)(n)
    return path, query + "%00"


CASES: Final[dict[str, Maker]] = {
    **PLAIN,
    "lower-case hex and needless escapes": lambda n: (
        f"/suche/{_european(n).lower()}/%7Euser",
        f"q={_european(n).lower()}&user=%7Euser",
    ),
    **{f"dirty: {name}, 8 KiB": place(piece, 8 * KIB) for name, (place, piece) in DIRTY.items()},
    **{f"hostile: {name}, 8 KiB": place(piece, 8 * KIB) for name, (place, piece) in HOSTILE.items()},
    "hostile: one fault at the end, 8 KiB": _at_the_end,
}
GROWING: Final = {"dirty: " + name: row for name, row in DIRTY.items()} | {
    "hostile: " + name: row for name, row in HOSTILE.items()
}
"""Targets that are also made in other lengths."""
FORMS: Final[dict[str, tuple[str, int]]] = {
    f"form, {name}, {size}": (piece, octets)
    for name, piece in (("plain", "field=some+value&"), ("typed text", "note=50% off, and more&"))
    for size, octets in (("1 KiB", KIB), ("64 KiB", 64 * KIB), ("1 MiB", KIB * KIB))
}
"""Bodies: the text that is repeated, and the approximate length in octets."""


def batch(make: Maker, most: int) -> Sequence[Case]:
    """Return new targets: at most ``most``, and fewer if they are long."""
    path, query = make(next(_NUMBERS))
    size = max(2, min(most, 200_000 // (len(path) + len(query) + 200)))
    return [(p.encode(), q.encode()) for p, q in (make(next(_NUMBERS)) for _ in range(size))]


def form(piece: str, octets: int) -> bytes:
    """Return a new body."""
    return f"{filled(piece, octets)}n={next(_NUMBERS)}".encode()
