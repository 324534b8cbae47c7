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
"""Letters of ASCII: RFC 3986, appendix A."""
DIGIT: Final = characters_of(_octets.DIGIT)
"""The ten digits: RFC 3986, appendix A."""
HEXDIG: Final = characters_of(_octets.HEXDIG)
"""Hex digits of either case: RFC 3986, appendix A; section 2.1 reads both alike."""
UNRESERVED: Final = characters_of(_octets.UNRESERVED)
"""What means the same bare and escaped: RFC 3986, section 2.3."""
GEN_DELIMS: Final = characters_of(_octets.GEN_DELIMS)
"""Delimiters between components: RFC 3986, section 2.2."""
SUB_DELIMS: Final = characters_of(_octets.SUB_DELIMS)
"""Delimiters inside of components: RFC 3986, section 2.2."""
RESERVED: Final = characters_of(_octets.RESERVED)
"""Both kinds of delimiters: RFC 3986, section 2.2."""
PCHAR: Final = characters_of(_octets.PCHAR)
"""What may stand bare in a segment of a path: RFC 3986, section 3.3."""
PATH: Final = characters_of(_octets.PATH)
"""What may stand bare in a path, slashes too: RFC 3986, section 3.3."""
QUERY: Final = characters_of(_octets.QUERY)
"""What may stand bare in a query: RFC 3986, section 3.4."""
FRAGMENT: Final = characters_of(_octets.FRAGMENT)
"""What may stand bare in a fragment: RFC 3986, section 3.5."""
USERINFO: Final = characters_of(_octets.USERINFO)
"""What may stand bare in a user name and password: RFC 3986, section 3.2.1."""
REG_NAME: Final = characters_of(_octets.REG_NAME)
"""What may stand bare in a registered name of a host: RFC 3986, section 3.2.2."""

# -- RFC 2396, section 2 ---------------------------------------------------------------------------

RFC2396_MARK: Final = characters_of(_octets.RFC2396_MARK)
"""Punctuation that was unreserved: RFC 2396, section 2.3."""
RFC2396_UNRESERVED: Final = characters_of(_octets.RFC2396_UNRESERVED)
"""Letters, digits and marks: RFC 2396, section 2.3; what JavaScript's functions leave bare."""
RFC2396_RESERVED: Final = characters_of(_octets.RFC2396_RESERVED)
"""What was reserved: RFC 2396, section 2.2."""
RFC2396_DELIMS: Final = Characters.of('<>#%"')
"""What sets off a URI in other text: RFC 2396, section 2.4.3."""
RFC2396_UNWISE: Final = Characters.of("{}|\\^[]`")
"""What gateways were known to change: RFC 2396, section 2.4.3."""

# -- RFC 1738, section 5 ---------------------------------------------------------------------------

RFC1738_SAFE: Final = characters_of(_octets.RFC1738_SAFE)
"""Safe punctuation: RFC 1738, section 5."""
RFC1738_EXTRA: Final = characters_of(_octets.RFC1738_EXTRA)
"""Extra punctuation: RFC 1738, section 5."""
RFC1738_UNRESERVED: Final = characters_of(_octets.RFC1738_UNRESERVED)
"""Letters, digits, safe and extra: RFC 1738, section 5."""
RFC1738_RESERVED: Final = characters_of(_octets.RFC1738_RESERVED)
"""What was reserved: RFC 1738, section 5."""
RFC1738_NATIONAL: Final = Characters.of("{}|\\^~[]`")
"""What national variants of ASCII replace: RFC 1738, section 5."""
RFC1738_PUNCTUATION: Final = Characters.of('<>#%"')
"""What sets off a URL in other text: RFC 1738, section 5."""

# -- URL Standard, section 1.3: what is escaped ----------------------------------------------------

C0_CONTROL_SET: Final = characters_of(_octets.C0_CONTROL_SET)
"""Escaped everywhere: URL Standard, section 1.3."""
FRAGMENT_SET: Final = characters_of(_octets.FRAGMENT_SET)
"""Escaped in a fragment: URL Standard, section 1.3."""
QUERY_SET: Final = characters_of(_octets.QUERY_SET)
"""Escaped in a query: URL Standard, section 1.3."""
SPECIAL_QUERY_SET: Final = characters_of(_octets.SPECIAL_QUERY_SET)
"""Escaped in a query of http and its like: URL Standard, section 1.3."""
PATH_SET: Final = characters_of(_octets.PATH_SET)
"""Escaped in a path: URL Standard, section 1.3."""
USERINFO_SET: Final = characters_of(_octets.USERINFO_SET)
"""Escaped in a user name or password: URL Standard, section 1.3."""
COMPONENT_SET: Final = characters_of(_octets.COMPONENT_SET)
"""What encodeURIComponent escapes: URL Standard, section 1.3."""
FORM_SET: Final = characters_of(_octets.FORM_SET)
"""Escaped in a form: URL Standard, section 1.3."""
