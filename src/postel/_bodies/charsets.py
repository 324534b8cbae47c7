"""Charsets: the legacy encodings that forms may use, for applications that still have such clients.

They are the encodings of the Encoding Standard that keep ASCII unchanged; in any other, ``&`` could be half a
character. Labels are looked up in a table and not among Python's codecs, so a client cannot have a codec
imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, final

from postel._alphabet.percent import percent_decode, percent_encode
from postel._errors import PolicyError
from postel._normalizer.source_map import Edit

UTF8: Final = "utf-8"
_UTF8_LABELS: Final = ("utf-8", "utf8", "unicode-1-1-utf-8")

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
"""Python's codecs, each with its labels in the Encoding Standard, section 4.2."""

_CODECS: Final = {
    label: codec
    for codec, _, labels in (line.strip().partition(": ") for line in _STANDARD.strip().splitlines())
    for label in labels.split()
}
_LONGEST: Final = 4
"""The most octets in one character; gb18030 needs four."""
_UNIT: Final = re.compile(rb"%[0-9A-Fa-f]{2}|[^%&=]", re.DOTALL)
_NON_ASCII: Final = re.compile(rb"[\x80-\xff]|%[89A-Fa-f][0-9A-Fa-f]")


@final
class Charsets:
    """The charsets that forms may use: UTF-8 and the configured ones.

    >>> Charsets(["windows-1252"]).codec("latin-1"), Charsets([]).codec("latin-1")
    ('cp1252', None)
    """

    __slots__ = ("_codecs",)

    def __init__(self, labels: Iterable[str]) -> None:
        """Look up the labels. Raises :class:`PolicyError` for a charset that is not supported."""
        allowed = {_checked(label) for label in labels}
        self._codecs = {label: codec for label, codec in _CODECS.items() if codec in allowed}
        self._codecs.update(dict.fromkeys(_UTF8_LABELS, UTF8))

    def codec(self, label: str) -> str | None:
        """The codec for a label in lower case; ``None`` if forms may not use it."""
        return self._codecs.get(label)


def rewritten(octets: bytes, codec: str) -> tuple[list[Edit], int | None]:
    """The edits that convert a form to UTF-8, and the first offset that cannot be decoded, if any.

    >>> rewritten(b"q=caf%E9&p=1", "cp1252")
    ([(5, 8, b'%C3%A9')], None)
    """
    edits: list[Edit] = []
    position = 0
    while match := _NON_ASCII.search(octets, position):
        position = match.start()
        found = _character(octets, position, codec)
        if found is None:
            return edits, position
        end, text = found
        edits.append((position, end, percent_encode(text.encode())))
        position = end
    return edits, None


def _character(octets: bytes, start: int, codec: str) -> tuple[int, str] | None:
    """The end of the character that begins at ``start``, and the character.

    The shortest run that decodes is right, because no lead octet is a character by itself.
    """
    gathered, end = b"", start
    for _ in range(_LONGEST):
        unit = _UNIT.match(octets, end)
        if unit is None:
            break
        gathered += percent_decode(unit.group())
        end = unit.end()
        try:
            return end, gathered.decode(codec)
        except UnicodeDecodeError:
            pass
    return None


def _checked(label: object) -> str:
    codec = _CODECS.get(label.lower()) if isinstance(label, str) else None
    if codec is not None:
        return codec
    if isinstance(label, str) and label.lower() in _UTF8_LABELS:
        raise PolicyError(f"charsets=[{label!r}]: UTF-8 is always accepted; leave it out")
    names = ", ".join(line.partition(": ")[2].split()[0] for line in _STANDARD.strip().splitlines())
    raise PolicyError(f"charsets=[{label!r}]: the supported charsets are {names}")
