"""Labels of charsets: the names of the encodings that postel can read besides UTF-8.

These are the encodings of the Encoding Standard that keep ASCII unchanged; in any other encoding, ``&`` could
be half a character. Labels are looked up in a table and not among Python's codecs, so a client cannot make
Python import a codec.
"""

from __future__ import annotations

from typing import Final

UTF8_LABELS: Final = ("utf-8", "utf8", "unicode-1-1-utf-8")

_STANDARD: Final = """
    cp866: ibm866 866 cp866
    iso8859-2: iso-8859-2 iso8859-2 latin2 l2
    iso8859-3: iso-8859-3 iso8859-3 latin3 l3
    iso8859-4: iso-8859-4 iso8859-4 latin4 l4
    iso8859-5: iso-8859-5 iso8859-5 cyrillic
    iso8859-6: iso-8859-6 iso8859-6 arabic
    iso8859-7: iso-8859-7 iso8859-7 greek
    iso8859-8: iso-8859-8 iso8859-8 hebrew
    iso8859-10: iso-8859-10 iso8859-10 latin6 l6
    iso8859-13: iso-8859-13 iso8859-13
    iso8859-14: iso-8859-14 iso8859-14
    iso8859-15: iso-8859-15 iso8859-15 latin9 latin-9 l9
    iso8859-16: iso-8859-16
    koi8-r: koi8-r koi8 koi
    koi8-u: koi8-u
    mac-roman: macintosh mac
    cp874: windows-874 iso-8859-11 tis-620
    cp1250: windows-1250 cp1250
    cp1251: windows-1251 cp1251
    cp1252: windows-1252 cp1252 iso-8859-1 iso8859-1 latin1 latin-1 l1 us-ascii ascii
    cp1253: windows-1253 cp1253
    cp1254: windows-1254 cp1254 iso-8859-9 iso8859-9 latin5 l5
    cp1255: windows-1255 cp1255
    cp1256: windows-1256 cp1256
    cp1257: windows-1257 cp1257
    cp1258: windows-1258 cp1258
    mac-cyrillic: x-mac-cyrillic
    gb18030: gb18030 gbk gb2312 gb_2312-80
    big5hkscs: big5 big5-hkscs
    euc_jp: euc-jp
    cp932: shift_jis shift-jis sjis windows-31j
    cp949: euc-kr ks_c_5601-1987 korean windows-949
"""
"""Python's codecs, each with its name in the Encoding Standard, section 4.2, and common other labels."""

_ROWS: Final = [row.strip().partition(": ") for row in _STANDARD.strip().splitlines()]
CODECS: Final = {label: codec for codec, _, labels in _ROWS for label in labels.split()}
"""Python's codec for each label."""
NAMES: Final = {codec: labels.split()[0] for codec, _, labels in _ROWS}
"""The name of the charset for each codec: its first label."""
