"""The URI toolkit: encode, decode, clean, pretty print, build and parse, text in and text out.

These functions are for code that writes URLs. Each docstring names the sections of RFC 3986, RFC 3987,
RFC 3629 or the URL Standard that the function follows. They raise :class:`DecodeError` for text
that cannot be read and :class:`BuildError` for text that cannot be written safely; both are subclasses of
``ValueError``. A wrong type raises ``TypeError``, and a wrong option ``ValueError`` or ``LookupError``.

>>> from postel import uri
>>> uri.clean("http://example.com/Helen Ødegård?100%")
'http://example.com/Helen%20%C3%98deg%C3%A5rd?100%25'
>>> uri.build_path(["files", "50% off?.txt"])
'/files/50%25%20off%3F.txt'

The character classes are sets of characters (:class:`postel.Characters`) with the names of the standards.
The URL Standard's percent-encode sets list what is escaped; the RFCs' classes list what stays bare.

>>> "/" in uri.PCHAR, "/" in uri.QUERY, "é" in uri.PATH_SET
(False, True, True)
"""

from __future__ import annotations

from postel import Characters
from postel._alphabet.reference import Reference
from postel.uri._address_bar import Browser, address_bar
from postel.uri._building import build_path, build_query, parse_path, parse_query
from postel.uri._classes import (
    ALPHA,
    C0_CONTROL_SET,
    COMPONENT_SET,
    DIGIT,
    FORM_SET,
    FRAGMENT,
    FRAGMENT_SET,
    GEN_DELIMS,
    HEXDIG,
    PATH,
    PATH_SET,
    PCHAR,
    QUERY,
    QUERY_SET,
    REG_NAME,
    RESERVED,
    RFC1738_EXTRA,
    RFC1738_NATIONAL,
    RFC1738_PUNCTUATION,
    RFC1738_RESERVED,
    RFC1738_SAFE,
    RFC1738_UNRESERVED,
    RFC2396_DELIMS,
    RFC2396_MARK,
    RFC2396_RESERVED,
    RFC2396_UNRESERVED,
    RFC2396_UNWISE,
    SPECIAL_QUERY_SET,
    SUB_DELIMS,
    UNRESERVED,
    USERINFO,
    USERINFO_SET,
)
from postel.uri._cleaning import clean, respell
from postel.uri._encoding import Errors, Newline, decode_component, encode_component
from postel.uri._errors import BuildError, DecodeError
from postel.uri._local import is_local
from postel.uri._percent import percent_decode, percent_encode
from postel.uri._places import Place
from postel.uri._pretty import pretty
from postel.uri._reference import parse_reference

__all__ = [
    "ALPHA",
    "C0_CONTROL_SET",
    "COMPONENT_SET",
    "DIGIT",
    "FORM_SET",
    "FRAGMENT",
    "FRAGMENT_SET",
    "GEN_DELIMS",
    "HEXDIG",
    "PATH",
    "PATH_SET",
    "PCHAR",
    "QUERY",
    "QUERY_SET",
    "REG_NAME",
    "RESERVED",
    "RFC1738_EXTRA",
    "RFC1738_NATIONAL",
    "RFC1738_PUNCTUATION",
    "RFC1738_RESERVED",
    "RFC1738_SAFE",
    "RFC1738_UNRESERVED",
    "RFC2396_DELIMS",
    "RFC2396_MARK",
    "RFC2396_RESERVED",
    "RFC2396_UNRESERVED",
    "RFC2396_UNWISE",
    "SPECIAL_QUERY_SET",
    "SUB_DELIMS",
    "UNRESERVED",
    "USERINFO",
    "USERINFO_SET",
    "Browser",
    "BuildError",
    "Characters",
    "DecodeError",
    "Errors",
    "Newline",
    "Place",
    "Reference",
    "address_bar",
    "build_path",
    "build_query",
    "clean",
    "decode_component",
    "encode_component",
    "is_local",
    "parse_path",
    "parse_query",
    "parse_reference",
    "percent_decode",
    "percent_encode",
    "pretty",
    "respell",
]
