"""The character classes of the standards as sets of characters, with the names they have there.

The RFCs' classes list what may stand bare. The URL Standard's percent-encode sets list what is
escaped, including everything outside ASCII.
"""

from __future__ import annotations

from typing import Final

from postel import Characters
from postel._alphabet import percent

_NON_ASCII: Final = Characters.of((0x80, 0x10FFFF))


def characters_of(octets: percent.Octets) -> Characters:
    """Return the characters of a class of octets. It must hold all octets outside ASCII, or none of them."""
    ascii_part = Characters.of(*((octet, octet) for octet in octets if octet < 0x80))
    return ascii_part | _NON_ASCII if 0x80 in octets else ascii_part


def pattern_of(characters: Characters) -> str:
    """Return a pattern for one character of a non-empty set."""
    return "[" + "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in characters.ranges) + "]"


# -- RFC 3986, appendix A --------------------------------------------------------------------------

ALPHA: Final = characters_of(percent.ALPHA)
"""Letters of ASCII: RFC 3986, appendix A."""
DIGIT: Final = characters_of(percent.DIGIT)
"""The ten digits: RFC 3986, appendix A."""
HEXDIG: Final = characters_of(percent.HEXDIG)
"""Hex digits of either case, which are equivalent: RFC 3986, appendix A and section 2.1."""
UNRESERVED: Final = characters_of(percent.UNRESERVED)
"""Characters that mean the same bare and escaped: RFC 3986, section 2.3."""
GEN_DELIMS: Final = characters_of(percent.GEN_DELIMS)
"""Delimiters between components: RFC 3986, section 2.2."""
SUB_DELIMS: Final = characters_of(percent.SUB_DELIMS)
"""Delimiters within components: RFC 3986, section 2.2."""
RESERVED: Final = characters_of(percent.RESERVED)
"""Both kinds of delimiters: RFC 3986, section 2.2."""
PCHAR: Final = characters_of(percent.PCHAR)
"""Characters that may stand bare in a path segment: RFC 3986, section 3.3."""
PATH: Final = characters_of(percent.PATH)
"""Characters that may stand bare in a path, including slashes: RFC 3986, section 3.3."""
QUERY: Final = characters_of(percent.QUERY)
"""Characters that may stand bare in a query: RFC 3986, section 3.4."""
FRAGMENT: Final = characters_of(percent.FRAGMENT)
"""Characters that may stand bare in a fragment: RFC 3986, section 3.5."""
USERINFO: Final = characters_of(percent.USERINFO)
"""Characters that may stand bare in a user name and password: RFC 3986, section 3.2.1."""
REG_NAME: Final = characters_of(percent.REG_NAME)
"""Characters that may stand bare in a registered host name: RFC 3986, section 3.2.2."""

# -- RFC 2396, section 2 ---------------------------------------------------------------------------

RFC2396_MARK: Final = characters_of(percent.RFC2396_MARK)
"""Punctuation that was unreserved: RFC 2396, section 2.3."""
RFC2396_UNRESERVED: Final = characters_of(percent.RFC2396_UNRESERVED)
"""Letters, digits and marks, which JavaScript's functions leave bare: RFC 2396, section 2.3."""
RFC2396_RESERVED: Final = characters_of(percent.RFC2396_RESERVED)
"""Reserved characters: RFC 2396, section 2.2."""
RFC2396_DELIMS: Final = Characters.of('<>#%"')
"""Delimiters around a URI in other text: RFC 2396, section 2.4.3."""
RFC2396_UNWISE: Final = Characters.of("{}|\\^[]`")
"""Characters that gateways were known to change: RFC 2396, section 2.4.3."""

# -- RFC 1738, section 5 ---------------------------------------------------------------------------

RFC1738_SAFE: Final = characters_of(percent.RFC1738_SAFE)
"""Safe punctuation: RFC 1738, section 5."""
RFC1738_EXTRA: Final = characters_of(percent.RFC1738_EXTRA)
"""Extra punctuation: RFC 1738, section 5."""
RFC1738_UNRESERVED: Final = characters_of(percent.RFC1738_UNRESERVED)
"""Letters, digits, safe and extra punctuation: RFC 1738, section 5."""
RFC1738_RESERVED: Final = characters_of(percent.RFC1738_RESERVED)
"""Reserved characters: RFC 1738, section 5."""
RFC1738_NATIONAL: Final = Characters.of("{}|\\^~[]`")
"""Characters that national variants of ASCII replace: RFC 1738, section 5."""
RFC1738_PUNCTUATION: Final = Characters.of('<>#%"')
"""Delimiters around a URL in other text: RFC 1738, section 5."""

# -- URL Standard, section 1.3: what is escaped ----------------------------------------------------

C0_CONTROL_SET: Final = characters_of(percent.C0_CONTROL_SET)
"""Escaped in every component: URL Standard, section 1.3."""
FRAGMENT_SET: Final = characters_of(percent.FRAGMENT_SET)
"""Escaped in a fragment: URL Standard, section 1.3."""
QUERY_SET: Final = characters_of(percent.QUERY_SET)
"""Escaped in a query: URL Standard, section 1.3."""
SPECIAL_QUERY_SET: Final = characters_of(percent.SPECIAL_QUERY_SET)
"""Escaped in a query of http and other special schemes: URL Standard, section 1.3."""
PATH_SET: Final = characters_of(percent.PATH_SET)
"""Escaped in a path: URL Standard, section 1.3."""
USERINFO_SET: Final = characters_of(percent.USERINFO_SET)
"""Escaped in a user name or password: URL Standard, section 1.3."""
COMPONENT_SET: Final = characters_of(percent.COMPONENT_SET)
"""Escaped by encodeURIComponent: URL Standard, section 1.3."""
FORM_SET: Final = characters_of(percent.FORM_SET)
"""Escaped in a form: URL Standard, section 1.3."""
