"""The character classes of the standards, as sets of characters, each under the name it has there.

RFC classes say what may stand bare. The URL Standard's percent-encode sets say what is escaped:
they hold everything outside ASCII, too.
"""

from __future__ import annotations

from typing import Final

from postel import Characters, _octets

_NON_ASCII: Final = Characters.of((0x80, 0x10FFFF))


def characters_of(octets: _octets.Octets) -> Characters:
    """The characters that a class of octets means: of ASCII as listed, of others all or none."""
    ascii_part = Characters.of(*((octet, octet) for octet in octets if octet < 0x80))
    return ascii_part | _NON_ASCII if 0x80 in octets else ascii_part


def pattern_of(characters: Characters) -> str:
    """A pattern for one character of a set, which must not be empty."""
    return "[" + "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in characters.ranges) + "]"


# -- RFC 3986, appendix A --------------------------------------------------------------------------

ALPHA: Final = characters_of(_octets.ALPHA)
DIGIT: Final = characters_of(_octets.DIGIT)
HEXDIG: Final = characters_of(_octets.HEXDIG)
UNRESERVED: Final = characters_of(_octets.UNRESERVED)
GEN_DELIMS: Final = characters_of(_octets.GEN_DELIMS)
SUB_DELIMS: Final = characters_of(_octets.SUB_DELIMS)
RESERVED: Final = characters_of(_octets.RESERVED)
PCHAR: Final = characters_of(_octets.PCHAR)
PATH: Final = characters_of(_octets.PATH)
QUERY: Final = characters_of(_octets.QUERY)
FRAGMENT: Final = characters_of(_octets.FRAGMENT)
USERINFO: Final = characters_of(_octets.USERINFO)
REG_NAME: Final = characters_of(_octets.REG_NAME)

# -- RFC 2396, section 2 ---------------------------------------------------------------------------

RFC2396_MARK: Final = characters_of(_octets.RFC2396_MARK)
RFC2396_UNRESERVED: Final = characters_of(_octets.RFC2396_UNRESERVED)
RFC2396_RESERVED: Final = characters_of(_octets.RFC2396_RESERVED)
RFC2396_DELIMS: Final = Characters.of('<>#%"')  # section 2.4.3
RFC2396_UNWISE: Final = Characters.of("{}|\\^[]`")  # section 2.4.3

# -- RFC 1738, section 5 ---------------------------------------------------------------------------

RFC1738_SAFE: Final = characters_of(_octets.RFC1738_SAFE)
RFC1738_EXTRA: Final = characters_of(_octets.RFC1738_EXTRA)
RFC1738_UNRESERVED: Final = characters_of(_octets.RFC1738_UNRESERVED)
RFC1738_RESERVED: Final = characters_of(_octets.RFC1738_RESERVED)
RFC1738_NATIONAL: Final = Characters.of("{}|\\^~[]`")
RFC1738_PUNCTUATION: Final = Characters.of('<>#%"')

# -- URL Standard, section 1.3: what is escaped ----------------------------------------------------

C0_CONTROL_SET: Final = characters_of(_octets.C0_CONTROL_SET)
FRAGMENT_SET: Final = characters_of(_octets.FRAGMENT_SET)
QUERY_SET: Final = characters_of(_octets.QUERY_SET)
SPECIAL_QUERY_SET: Final = characters_of(_octets.SPECIAL_QUERY_SET)
PATH_SET: Final = characters_of(_octets.PATH_SET)
USERINFO_SET: Final = characters_of(_octets.USERINFO_SET)
COMPONENT_SET: Final = characters_of(_octets.COMPONENT_SET)
FORM_SET: Final = characters_of(_octets.FORM_SET)
