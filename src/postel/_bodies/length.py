"""The length of a body, as the Content-Length states it, and the maximum length."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, final

from postel._catalogue.kinds import Kind

_LENGTH: Final = re.compile(rb"[ \t]*+([0-9]{1,18})[ \t]*+")


@final
@dataclass(frozen=True, slots=True)
class StatedLength:
    """What a Content-Length states."""

    octets: int | None
    """The length of the body in octets; ``None`` if the field is absent, empty or malformed."""
    is_malformed: bool = False
    """Whether the field is not a number of at most 18 digits."""

    @property
    def is_absent(self) -> bool:
        """Whether the field is absent or empty."""
        return self.octets is None and not self.is_malformed

    @property
    def is_empty(self) -> bool:
        """Whether the field is absent, empty or 0."""
        return not self.octets and not self.is_malformed


def stated_length(value: bytes | None) -> StatedLength:
    """The length that a Content-Length states.

    >>> stated_length(b"12")
    StatedLength(octets=12, is_malformed=False)
    >>> stated_length(b"1,2").is_malformed, stated_length(None).is_absent
    (True, True)
    """
    if not value:
        return StatedLength(None)
    match = _LENGTH.fullmatch(value)
    return StatedLength(int(match[1])) if match else StatedLength(None, is_malformed=True)


@final
@dataclass(frozen=True, slots=True)
class Bound:
    """The maximum length of a body, the kind of the finding about a longer one, and the setting.

    >>> Bound(102_400, Kind.LONG_JSON, "Json.limit").detail
    'more than Json.limit, 102,400 octets'
    """

    octets: int
    kind: Kind
    setting: str = ""

    @property
    def detail(self) -> str:
        """What a longer body exceeds, in fixed words."""
        return f"more than {self.setting}, {self.octets:,} octets"
