"""Markup: HTML in which all text is escaped, because only :class:`Markup` objects count as markup."""

from __future__ import annotations

import html
from typing import Final, final

from postel._alphabet.printable import shown_octets

_LONGEST: Final = 200
"""How many octets of a text are shown."""
_EMPTY: Final = frozenset({"link", "meta"})
"""Elements without an end tag; SVG elements have one."""


@final
class Markup:
    """A piece of HTML."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        """Use text as HTML; pass only constants of this package and results of ``tag``."""
        self.text = text


def tag(name: str, /, *children: Markup | str, **attributes: str | float) -> Markup:
    """Write an element with escaped text. ``class_`` becomes ``class``, and ``data_value`` ``data-value``.

    >>> tag("p", "<b>", class_='"x').text
    '<p class="&quot;x">&lt;b&gt;</p>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for key, value in attributes.items()
    )
    inside = "".join(
        child.text if isinstance(child, Markup) else html.escape(child, quote=False) for child in children
    )
    return Markup(f"<{name}{written}>" + ("" if name in _EMPTY else f"{inside}</{name}>"))


def figure(place: str, value: int, *, exact: bool = True) -> Markup:
    """Write a figure with its path in the output of ``--json``; ``~`` marks an estimate."""
    shown = f"{value:,}" if exact else f"~{value:,}"
    return tag("data", shown, value=value, data_figure=place)


def octets(text: str, most: int = _LONGEST) -> Markup:
    """Write octets as printable ASCII; each character of ``text`` is one octet."""
    return tag("code", shown_octets(text.encode("latin-1"), most))
