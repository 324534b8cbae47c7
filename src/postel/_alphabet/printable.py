r"""Printable: show hostile input as text without control characters, which a terminal would obey.

Octets of printable ASCII are written as themselves. All other octets, the backslash and the double quote are
written as ``\xHH``; in a body, which is shown without quotes around it, a double quote stays bare. Decoded
text keeps its printable characters, whatever their script.
"""

from __future__ import annotations

import re
from typing import Final

from postel._alphabet.characters import Characters

_JOINERS: Final = "\u200c\u200d"
"""Joiners are not printable for ``str.isprintable``, but many languages and emoji need them."""
BLANK: Final = Characters.of(
    # Invisible characters (Default_Ignorable_Code_Point) other than format characters, and blanks.
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159\U00016fe4",
    (0x180B, 0x180F),
    (0xFE00, 0xFE0F),
    # Unicode reserves these ranges for more invisible characters; most are not assigned yet.
    (0x2065, 0x2065),
    (0xFFF0, 0xFFF8),
    (0xE0000, 0xE0FFF),
    "\ufffc\ufffd",  # replacement characters
    "\U0001f50f\U0001f510\U0001f512\U0001f513",  # padlocks, which browsers reserve for security
)
"""Characters that are shown as nothing, as a blank or as a box, and padlocks."""
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_CELLS: Final = tuple(
    chr(octet) if 0x20 <= octet < 0x7F and octet not in b'"\\' else f"\\x{octet:02x}" for octet in range(256)
)
_UNQUOTED_CELLS: Final = tuple('"' if octet == 0x22 else cell for octet, cell in enumerate(_CELLS))
"""The same for text that does not stand in quotes, where a double quote is clear."""


def argument_octets(text: str) -> bytes:
    r"""Return the octets of a command-line argument or a line of a file, which Python has decoded to text.

    >>> argument_octets("\udcff"), argument_octets("é")
    (b'\xff', b'\xc3\xa9')
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")  # a lone surrogate: Windows passes UTF-16


def argument_text(octets: bytes) -> str:
    """Decode octets; ill-formed octets become surrogates, as in command-line arguments."""
    return octets.decode("utf-8", "surrogateescape")


def printable_octets(octets: bytes, *, is_quoted: bool = True) -> list[str]:
    """Return the printable text for each octet; without ``is_quoted``, a double quote stands for itself."""
    cells = _CELLS if is_quoted else _UNQUOTED_CELLS
    return [cells[octet] for octet in octets]


def shown_octets(octets: bytes, most: int, *, is_quoted: bool = True) -> str:
    """Write octets as printable ASCII; three dots stand for the octets after the first ``most``."""
    shown = printable_octets(octets[:most], is_quoted=is_quoted)
    return "".join(shown) + ("..." if len(octets) > most else "")


def quoted_octets(octets: bytes) -> str:
    r"""Write octets in double quotes; octets that are not safe to print become ``\xHH``.

    >>> print(quoted_octets(b'a"\n'))
    "a\x22\x0a"
    """
    return '"' + "".join(printable_octets(octets)) + '"'


def shown(text: str) -> str:
    r"""Replace each character that is not safe to show with its Python escape.

    >>> print(shown("é\x1b[2J\u202e"))
    é\x1b[2J\u202e
    """
    return text if text.isprintable() else "".join(map(_shown, text))


def quoted(text: str, most: int) -> str:
    r"""Write text in double quotes; three dots stand for the text after ``most`` characters.

    >>> print(quoted('say "hi"\n', 100))
    "say \"hi\"\n"
    """
    written = shown(text[:most].replace("\\", "\\\\").replace('"', '\\"'))
    return f'"{written}"' + ("..." if len(text) > most else "")


def scalar_values(text: str) -> str:
    """Replace each surrogate with U+FFFD for JSON, because JSON readers need not accept surrogates."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def _shown(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    return character.encode("unicode_escape").decode("ascii")
