"""Places: where in a URL a text will stand, and which characters stay bare there."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, Self, final

from postel._alphabet import percent
from postel._alphabet.percent import Octets
from postel.uri._classes import characters_of

if TYPE_CHECKING:
    from postel import Characters

_ASCII: Final[Octets] = frozenset(range(0x80))
_IN_PAIR: Final[Octets] = percent.QUERY - percent.SPECIAL_QUERY_SET - frozenset(b"&;=+")
"""The octets that stay bare in both parts of a pair, so that text for one is safe in the other."""


@final
@enum.unique
class Place(enum.Enum):
    """Where in a URL a text will stand, which decides what must be escaped in it.

    The characters that RFC 3986 allows in a place stay bare there, except those that the URL Standard
    escapes and those that divide the place into parts. ``keep`` holds them as octets; ``escaped``
    holds all other characters. ``plus`` tells whether a space becomes ``+`` by default; it is None if
    a plus is never a space.

    >>> Place("query-value") is Place.QUERY_VALUE, "/" in Place.SEGMENT.escaped
    (True, True)
    """

    ANYWHERE = ("anywhere", percent.UNRESERVED, None)
    """An unknown place: only unreserved characters stay bare, which is safe everywhere.

    RFC 3986, section 2.3."""
    SEGMENT = ("segment", percent.PCHAR - frozenset(b";=,+"), None)
    """One segment of a path: RFC 3986, section 3.3.

    ``;``, ``=`` and ``,`` are escaped, because some readers take them for delimiters of parameters, and
    ``+``, because some decode it as a space."""
    QUERY_NAME = ("query-name", _IN_PAIR - frozenset(b"?"), False)
    """The name in ``name=value``: RFC 3986, section 3.4.

    A ``?`` is escaped, because some readers drop one at the beginning of a query."""
    QUERY_VALUE = ("query-value", _IN_PAIR, False)
    """The value in ``name=value``: RFC 3986, section 3.4.

    An ``=`` is escaped, because some readers split a pair at a second one, too."""
    FORM = ("form", _ASCII - percent.FORM_SET, True)
    """A name or value of a form: URL Standard, section 5.2."""
    USERINFO = ("userinfo", percent.USERINFO - percent.USERINFO_SET, None)
    """A user name or a password, not both: RFC 3986, section 3.2.1."""
    FRAGMENT = ("fragment", percent.FRAGMENT - percent.FRAGMENT_SET, None)
    """The text after ``#``: RFC 3986, section 3.5."""

    keep: Octets
    plus: bool | None

    def __new__(cls, slug: str, keep: Octets, plus: bool | None) -> Self:  # noqa: FBT001 - a column
        """Build a member from its row above."""
        place = object.__new__(cls)
        place._value_ = slug
        place.keep = keep
        place.plus = plus
        return place

    @property
    def escaped(self) -> Characters:
        """The characters that are escaped in this place; a space may be written ``+`` instead."""
        return characters_of(frozenset(range(0x100)) - self.keep)
