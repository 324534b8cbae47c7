"""Patterns for names of pairs: exact, except that ``*`` matches any run of characters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, cast, final

from postel._alphabet.text import NO_TEXT
from postel._errors import PolicyError

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
        return re.compile(self._pattern("."), re.DOTALL).fullmatch

    def among(self, names: Sequence[str]) -> Sequence[object]:
        """Tell for each of very many names, with something true or false, whether it matches.

        >>> NamePattern("*b").among(["a", "ab"])
        [False, True]
        """
        first, *rest = parts = self.text.split("*")
        if not rest:
            return [name == first for name in names]
        if not any(rest):
            return [name.startswith(first) for name in names]
        if not any(parts[:-1]):
            return [name.endswith(rest[-1]) for name in names]
        if len(parts) == 3 and not first and not rest[-1]:
            return [rest[0] in name for name in names]
        return list(map(self.matcher(), names))

    def finder(self) -> Callable[[str], list[str]]:
        """Return a function that finds the matching names in a text in which ``NO_TEXT`` surrounds each name.

        >>> NamePattern("a*").finder()(NO_TEXT + NO_TEXT.join(["a", "b", "ab"]) + NO_TEXT)
        ['a', 'ab']
        """
        return re.compile(f"{NO_TEXT}({self._pattern(f'[^{NO_TEXT}]')})(?={NO_TEXT})").findall

    def _pattern(self, each: str) -> str:
        """Return a pattern for the name, in which ``each`` matches one character."""
        first, *parts = map(re.escape, self.text.split("*"))
        last = [f"{each}*{parts.pop()}"] if parts else []
        # The groups are atomic, so a part between two stars is searched for only once.
        return "".join([first, *(f"(?>{each}*?{part})" for part in parts), *last])


def name_patterns(names: Iterable[str] | None) -> tuple[NamePattern, ...] | None:
    """Return the patterns in ``names=``, or ``None`` if ``names`` is ``None``."""
    if names is None:
        return None
    listed = _listed(names)
    if not listed:
        raise PolicyError("names=[]: leave names out, or give at least one name")
    for name in listed:
        if not isinstance(name, str):
            raise PolicyError(f"names=[{name!r}]: a name is text, such as 'utm_*'")
    return tuple(dict.fromkeys(NamePattern(name) for name in listed if isinstance(name, str)))


def _listed(names: object) -> list[object]:
    if isinstance(names, Iterable) and not isinstance(names, str):
        return list(cast("Iterable[object]", names))
    raise PolicyError(f"names={names!r}: give a list; write names=[{str(names)!r}]")
