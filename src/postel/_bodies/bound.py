"""The maximum length of a body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from postel._catalogue.kinds import Kind


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
