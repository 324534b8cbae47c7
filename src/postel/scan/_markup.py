"""Markup: HTML in which all text is escaped, since nothing but an element is taken as markup."""

from __future__ import annotations

import html
from typing import Final, final

from postel._printable import shown_octets

_LONGEST: Final = 200
"""The most octets of a text that is shown."""
_EMPTY: Final = frozenset({"link", "meta"})
"""Elements that have no end tag; those of SVG have one."""


@final
class Markup:
    """A piece of HTML."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        """Take text as HTML; only constants of this package, and what ``tag`` has made."""
        self.text = text


def tag(name: str, /, *children: Markup | str, **attributes: str | float) -> Markup:
    """An element; text in it is escaped. ``class_`` is ``class``, and ``data_value`` ``data-value``.

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
    """A figure, and where ``--json`` has it; one that is not exact is marked with ``~``."""
    shown = f"{value:,}" if exact else f"~{value:,}"
    return tag("data", shown, value=value, data_figure=place)


def octets(text: str, most: int = _LONGEST) -> Markup:
    """Octets, a character for each, as printable ASCII."""
    return tag("code", shown_octets(text.encode("latin-1"), most))
