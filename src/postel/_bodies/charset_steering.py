"""Charsets in a Content-Type that change how a reader decodes the query, or make the reader fail.

On WSGI, Django decodes the query in the charset of Content-Type, on every method: with ``charset=utf-7`` it
reads ``+ACY-`` in a query as an ampersand. Some names make Django fail, on ASGI too.

This module looks labels up in tables, never with ``codecs.lookup``, which would import a module that the
client names.
"""

from __future__ import annotations

import re
from encodings import normalize_encoding
from encodings.aliases import aliases
from typing import Final, NamedTuple

from postel._bodies.content_type import LONGEST, ContentType, Parameter
from postel._catalogue.kinds import Kind

UTF8_MODULES: Final = frozenset({"utf_8"})
"""Python's codec modules that read UTF-8."""
_COMPATIBLE: Final = """
    ascii big5 big5hkscs charmap cp1006 cp1125 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257
    cp1258 cp437 cp720 cp737 cp775 cp850 cp852 cp855 cp856 cp857 cp858 cp860 cp861 cp862 cp863 cp865
    cp866 cp869 cp874 cp932 cp949 cp950 euc_jis_2004 euc_jisx0213 euc_jp euc_kr gb18030 gb2312 gbk
    hp_roman8 iso8859_1 iso8859_10 iso8859_11 iso8859_13 iso8859_14 iso8859_15 iso8859_16 iso8859_2
    iso8859_3 iso8859_4 iso8859_5 iso8859_6 iso8859_7 iso8859_8 iso8859_9 johab koi8_r koi8_t koi8_u
    kz1048 latin_1 mac_arabic mac_croatian mac_cyrillic mac_farsi mac_greek mac_iceland mac_latin2
    mac_roman mac_romanian mac_turkish palmos ptcp154 shift_jis tis_620 utf_8_sig
"""
ASCII_COMPATIBLE: Final = frozenset(_COMPATIBLE.split())
"""Codecs that decode ASCII octets to the same characters."""
_INCOMPATIBLE: Final = """
    base64_codec bz2_codec cp037 cp1026 cp1140 cp273 cp424 cp500 cp864 cp875 hex_codec hz idna
    iso2022_jp iso2022_jp_1 iso2022_jp_2 iso2022_jp_2004 iso2022_jp_3 iso2022_jp_ext iso2022_kr mbcs oem
    punycode quopri_codec raw_unicode_escape rot_13 shift_jis_2004 shift_jisx0213 undefined
    unicode_escape utf_16 utf_16_be utf_16_le utf_32 utf_32_be utf_32_le utf_7 uu_codec zlib_codec
"""
OTHERS: Final = frozenset(_INCOMPATIBLE.split())
"""Codecs that may decode ASCII octets to other text, or fail."""
_KNOWN: Final = UTF8_MODULES | ASCII_COMPATIBLE | OTHERS
_CODE_PAGE: Final = re.compile(r"cp[0-9]+(?:_[0-9]+)*")
"""What ``int`` reads as a number after ``cp``."""
_BEYOND_ASCII: Final = re.compile(rb"[\x80-\xff]|%[89A-Fa-f][0-9A-Fa-f]")
_EXTENDED: Final = re.compile(rb"[0-9A-Za-z_-]++\*")
_HARMLESS: Final = re.compile(rb"utf-8'[A-Za-z-]*+'[!#$%&*+.^_`|~0-9A-Za-z-]*+", re.IGNORECASE)
"""A value that names UTF-8 as its charset: RFC 8187, section 3.2.1."""
_NAMES_UTF8: Final = re.compile(rb";[ \t]*+charset[ \t]*+=[ \t]*+(?:utf-?8|\"utf-?8\")[ \t]*+(?=;|\Z)")
"""A parameter that every reader recognises as ``charset=utf-8``."""
_MAY_NAME: Final = re.compile(rb"(?:charset|\*)[^;=*]*+=")
"""Where a lax reader could find the name of a charset, including ``name*=`` (RFC 8187)."""
UNCLEAR: Final = "readers disagree about the charset"
"""The detail of a finding about a Content-Type whose charset readers disagree about."""


class Charset(NamedTuple):
    """A finding about a charset, and its place in the field."""

    kind: Kind
    start: int
    end: int
    detail: str


def module_of(label: str) -> str | None:
    """The module of the codec that Python would use for a label; ``None`` if it has none.

    >>> module_of("UTF-7"), module_of("Latin1"), module_of("utf8mb4")
    ('utf_7', 'latin_1', None)
    """
    name = normalize_encoding(label.lower())
    module = aliases.get(name) or aliases.get(name.replace(".", "_"))
    if module is None and name not in _KNOWN and _CODE_PAGE.fullmatch(name):
        return "mbcs"  # from Python 3.14 on, Windows has a codec for each code page; cp65000 is UTF-7
    return module or (name if name in _KNOWN else None)


def charset_of(declared: ContentType, query: bytes) -> Charset | None:
    """The finding about the charset of a Content-Type in a request with this query; ``None`` if it is fine.

    >>> from postel._bodies.content_type import content_type
    >>> charset_of(content_type([b"text/plain; charset=utf-7"]), b"a=1+ACY-b").kind
    Kind.STEERING_CHARSET
    """
    if is_unclear(declared):
        return Charset(Kind.STEERING_CHARSET, 0, len(declared.received), UNCLEAR)
    judged = [_judged(each, query) for each in declared.parameters if each.name == b"charset"]
    found = [each for each in judged if each is not None]
    steering = [each for each in found if each.kind is Kind.STEERING_CHARSET]
    return next(iter(steering + found), None)


def is_unclear(declared: ContentType) -> bool:
    """Whether readers disagree about the charset, or fail when they look for one."""
    if declared.fault or any(each.unsure for each in declared.parameters):
        _, mark, tail = declared.received.partition(b";")
        rest = _NAMES_UTF8.sub(b"", mark + tail.lower())
        return len(declared.received) > LONGEST or _MAY_NAME.search(rest) is not None
    names = [each.name for each in declared.parameters]
    return any(b"*" in each.name and not _is_harmless(each, names) for each in declared.parameters)


def _is_harmless(parameter: Parameter, names: list[bytes]) -> bool:
    """Whether every reader reads an extended parameter in the same way."""
    name = parameter.name
    return (
        name != b"charset*"
        and _EXTENDED.fullmatch(name) is not None
        and names.count(name) + names.count(name[:-1]) == 1
        and _HARMLESS.fullmatch(parameter.value) is not None
    )


def _judged(parameter: Parameter, query: bytes) -> Charset | None:
    module = module_of(parameter.value.decode("ascii"))
    if module in UTF8_MODULES or not parameter.value:
        return None
    beyond = _BEYOND_ASCII.search(query) is not None
    if module is not None and (beyond or (query and module not in ASCII_COMPATIBLE)):
        detail = "the query would be decoded in this charset"
        return Charset(Kind.STEERING_CHARSET, parameter.start, parameter.end, detail)
    if module == "ascii":
        return None
    detail = "a charset other than UTF-8, which does not change how the query is read"
    return Charset(Kind.FOREIGN_CHARSET, parameter.start, parameter.end, detail)
