"""Charts: SVG bars that fill the available width, without scripts."""

from __future__ import annotations

from collections.abc import Sequence

from postel.scan._markup import Markup, tag


def bar(part: int, whole: int, kind: str, label: str) -> Markup:
    """A bar that shows a part of a whole; screen readers get the label."""
    return _drawing(
        "bar",
        label,
        tag("rect", width="100%", height="100%", class_="track"),
        tag("rect", width=_percent(part, whole), height="100%", class_=kind),
    )


def stacked(parts: Sequence[tuple[int, str]], label: str) -> Markup:
    """A bar of several parts side by side."""
    whole = sum(count for count, _ in parts)
    before = 0
    pieces: list[Markup] = []
    for count, kind in parts:
        pieces.append(
            tag(
                "rect",
                x=_percent(before, whole),
                width=_percent(count, whole),
                height="100%",
                class_=kind,
            )
        )
        before += count
    return _drawing("bar whole", label, tag("rect", width="100%", height="100%", class_="track"), *pieces)


def swatch(kind: str) -> Markup:
    """A coloured square for a legend."""
    return tag("svg", tag("rect", width="100%", height="100%", class_=kind), aria_hidden="true")


def _drawing(kind: str, label: str, *pieces: Markup) -> Markup:
    return tag("svg", tag("title", label), *pieces, class_=kind, role="img", aria_label=label)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.4f}%"
