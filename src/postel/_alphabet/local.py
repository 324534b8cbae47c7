"""Local: whether a path or reference stays on the site for every reader.

All readers are considered: those that read it as it stands, those that decode it once more, and those
that drop invisible characters or fold lookalikes. In doubt the answer is no.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from unicodedata import category, combining, normalize

from postel._alphabet.percent import percent_decode
from postel._alphabet.printable import BLANK
from postel._alphabet.reference import Fault, split
from postel._alphabet.text import members

_READINGS: Final = 4
"""How often a path is examined: as it stands, and decoded up to three times; URLs are not escaped deeper."""
_UNICODE_ESCAPE: Final = re.compile(r"%[uU]([0-9A-Fa-f]{4})")
"""An escape outside the URL standards that some servers decode: ECMA-262, section B.2.1.2."""
_LEAVES: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\\\u2028\u2029\ud800-\udfff]"  # some readers remove it or read a slash
    r"|^\s*+(?://|[^/]*[:@])"  # begins with a host, a scheme or a user
)
_DOTS: Final = re.compile(r"(?:^|/)\.\.?(?:/|$)")
_PARAMETERS: Final = re.compile(r";[^/]*")
"""Parameters, which Java servers cut off a segment before they read it."""
_INVISIBLE: Final = re.compile(f"[{members(BLANK, BLANK)}]")


def is_local(reference: str) -> bool:
    """Whether a reference without scheme and host stays on the site for every reader.

    >>> is_local("/cart?x=1&y=%2F"), is_local("//evil.example"), is_local("")
    (True, False, False)
    """
    parts = split(reference)
    if isinstance(parts, Fault) or parts.scheme is not None or parts.host is not None:
        return False
    return bool(reference) and stays(parts.path)


def stays(path: str) -> bool:
    """Whether every reading of a path stays on the site."""
    for _ in range(_READINGS):
        if any(map(_leaves, _alike(path))):
            return False
        decoded = _decoded(path)
        if decoded == path:
            return True
        if decoded is None:
            break
        path = decoded
    return False


def _leaves(path: str) -> bool:
    return _LEAVES.search(path) is not None or ("//" in path and _DOTS.search(path) is not None)


def _alike(path: str) -> Iterator[str]:
    """Yield the path, and what readers see that drop or replace characters."""
    yield path
    if not path.isascii():
        # Marks are dropped, too, because sorting a long run of them is slow (Unicode, UAX #15, section 10).
        path = "".join(
            [each for each in _INVISIBLE.sub("", path) if category(each) != "Cf" and not combining(each)]
        )
        yield path
        path = normalize("NFKC", path)
        yield path
    if ";" in path:
        yield _PARAMETERS.sub("", path)


def _decoded(path: str) -> str | None:
    """A path decoded once; ``None`` if its octets are not UTF-8."""
    path = _UNICODE_ESCAPE.sub(lambda unit: chr(int(unit[1], 16)), path)
    try:
        return percent_decode(path.encode()).decode()
    except UnicodeError:
        return None
