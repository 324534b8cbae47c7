"""Places: where in a URL a text is to stand, and what therefore stays bare in it."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, Self, final

from postel import _octets
from postel._octets import Octets
from postel.uri._classes import characters_of

if TYPE_CHECKING:
    from postel import Characters

_ASCII: Final[Octets] = frozenset(range(0x80))


@final
@enum.unique
class Place(enum.Enum):
    """Where in a URL a text is to stand, which decides what must be escaped in it.

    A place keeps bare what RFC 3986 allows there, less what the URL Standard escapes there all the
    same, less what divides that place into parts. ``keep`` is that class as octets, ``escaped`` its
    complement as characters. ``plus`` says whether a space is written ``+`` if nobody asks; it is
    None where a plus is never a space.

    >>> Place("query-value") is Place.QUERY_VALUE, "/" in Place.SEGMENT.escaped
    (True, True)
    """

    ANYWHERE = ("anywhere", _octets.UNRESERVED, None)
    """A place that is not known: only what has no meaning anywhere stays bare.

    RFC 3986, section 2.3."""
    SEGMENT = ("segment", _octets.PCHAR - frozenset(b";=,+"), None)
    """One segment of a path: RFC 3986, section 3.3.

    Of its characters ``;``, ``=`` and ``,`` may set off parameters, and ``+`` is a space to those
    who take a path for a form."""
    QUERY_NAME = (
        "query-name",
        _octets.QUERY - _octets.SPECIAL_QUERY_SET - frozenset(b"&;=+"),
        False,
    )
    """The name in ``name=value``: RFC 3986, section 3.4."""
    QUERY_VALUE = (
        "query-value",
        _octets.QUERY - _octets.SPECIAL_QUERY_SET - frozenset(b"&;=+"),
        False,
    )
    """The value in ``name=value``: RFC 3986, section 3.4.

    A second ``=`` divides nothing to most readers, and to some it does."""
    FORM = ("form", _ASCII - _octets.FORM_SET, True)
    """A name or value of a form: URL Standard, section 5.2."""
    USERINFO = ("userinfo", _octets.USERINFO - _octets.USERINFO_SET, None)
    """A user name or a password, not both: RFC 3986, section 3.2.1."""
    FRAGMENT = ("fragment", _octets.FRAGMENT - _octets.FRAGMENT_SET, None)
    """What follows ``#``: RFC 3986, section 3.5."""

    keep: Octets
    plus: bool | None

    def __new__(cls, slug: str, keep: Octets, plus: bool | None) -> Self:  # noqa: FBT001 - a column
        """One row of the table above."""
        place = object.__new__(cls)
        place._value_ = slug
        place.keep = keep
        place.plus = plus
        return place

    @property
    def escaped(self) -> Characters:
        """The characters that are escaped there, but for a space that is written ``+``."""
        return characters_of(frozenset(range(0x100)) - self.keep)
