"""Patterns for names of pairs: exact, except that ``*`` matches any run of characters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, final

from postel._errors import PolicyError, is_list

TRACKING_NAMES: Final = (
    "utm_*",
    "gclid",
    "gbraid",
    "wbraid",
    "dclid",
    "fbclid",
    "msclkid",
    "ttclid",
    "twclid",
    "yclid",
    "igshid",
    "mc_cid",
    "mc_eid",
    "_ga",
    "_gl",
)
"""Parameters that other sites append to your links; a faulty one can be dropped without loss."""


@final
@dataclass(frozen=True, slots=True)
class NamePattern:
    """A name in which ``*`` stands for any run of characters; nothing else is special.

    >>> NamePattern("utm_*").matches("utm_source"), NamePattern("q").matches("Q")
    (True, False)
    """

    text: str

    def matches(self, name: str) -> bool:
        """Whether a decoded name matches, in time linear in the name for each ``*``."""
        return self.matcher()(name) is not None

    def matcher(self) -> Callable[[str], object]:
        """Return a compiled test for many names; the test returns ``None`` for a name that does not match."""
        first, *parts = map(re.escape, self.text.split("*"))
        last = [f".*{parts.pop()}"] if parts else []
        # The groups are atomic, so a part between two stars is searched for only once.
        return re.compile("".join([first, *(f"(?>.*?{part})" for part in parts), *last]), re.DOTALL).fullmatch

    def among(self) -> Callable[[Sequence[str]], Sequence[bool]]:
        """Return a compiled test of very many names, whose results are true for names that match.

        >>> NamePattern("*b").among()(["a", "ab"])
        [False, True]
        """
        first, *rest = parts = self.text.split("*")
        if not rest:
            return lambda names: [name == first for name in names]
        # A comparison is faster than a call of startswith.
        if not any(rest):
            end = len(first)
            return lambda names: [name[:end] == first for name in names]
        if not any(parts[:-1]):
            last, begin = rest[-1], -len(rest[-1])
            return lambda names: [name[begin:] == last for name in names]
        if len(parts) == 3 and not first and not rest[-1]:
            return lambda names: [rest[0] in name for name in names]
        matcher = self.matcher()
        return lambda names: [match is not None for match in map(matcher, names)]


def name_patterns(names: Iterable[str] | None) -> tuple[NamePattern, ...] | None:
    """Return the patterns in ``names=``, or ``None`` if ``names`` is ``None``."""
    if names is None:
        return None
    listed = _listed(names)
    if not listed:
        raise PolicyError("names=[]: give at least one name, such as names=['q']")
    for name in listed:
        if not isinstance(name, str):
            raise PolicyError(f"names=[{name!r}]: a name is text, such as 'utm_*'")
    return tuple(dict.fromkeys(NamePattern(name) for name in listed if isinstance(name, str)))


def _listed(names: object) -> list[object]:
    if is_list(names):
        return list(names)
    example = names.decode("latin-1") if isinstance(names, bytes) else str(names)
    raise PolicyError(f"names={names!r}: give a list; write names=[{example!r}]")
