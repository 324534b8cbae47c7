"""Markup: HTML in which all text is escaped, since nothing but an element is taken as markup."""

from __future__ import annotations

import html
from typing import Final, final

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
