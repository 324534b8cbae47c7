"""The diagrams of the documentation. ``make pages`` runs this file, which writes docs/_static.

Each diagram has a background and colours for light and dark pages. The second diagram marks what postel
finds in a URL, and ``tests/project/test_docs.py`` checks that postel still finds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from postel import Component, Finding, Normalizer, Policy, Target

STATIC: Final = Path(__file__).parent.parent / "docs" / "_static"
STYLE: Final = Path(__file__).with_suffix(".css").read_text("utf-8")
MARKER: Final = """\
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path class="head" d="M0 0 8 4 0 8z"/></marker></defs>
"""
EXAMPLE: Final = Target(path=b"/caf%c3%a9/a%2Fb", query=b"q=50%+off&ref=%C0%AF")
CELL: Final = 23.0
"""The width of one octet in the second diagram."""


def picture(width: int, height: int, title: str, body: Iterator[str]) -> str:
    """Return a whole file."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-labelledby="title"><title id="title">{escape(title)}</title>\n'
        f"<style>\n{STYLE}</style>\n{MARKER}"
        f'<rect class="ground" width="{width}" height="{height}" rx="14"/>',
        *body,
    ]
    return "\n".join([*lines, "</svg>\n"])


def text(x: float, y: float, words: str, kind: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}">{escape(words)}</text>'


# ---- the steps of a request ----

STEPS: Final = (
    ("recover", "what was sent,", "undecoded"),
    ("prove", "that nothing", "can be wrong"),
    ("judge", "all refusals", "and limits first"),
    ("edit", "never creating", "new delimiters"),
    ("look again", "nothing more", "needs an edit"),
    ("rewrite", "every view", "says the same"),
)


def way() -> str:
    return picture(1160, 330, "A request's way through postel", _way())


def _way() -> Iterator[str]:
    yield from _card(20, 96, 112, "client", "and proxies,", "servers")
    yield from _card(1028, 96, 112, "application", "guard, router,", "query parser")
    yield '<rect class="around" x="158" y="34" width="844" height="194" rx="12"/>'
    yield text(176, 62, "postel", "strong blue")
    lefts = [176 + number * 138 for number in range(len(STEPS))]
    for left, (name, *lines) in zip(lefts, STEPS, strict=True):
        yield from _card(left, 96, 118, name, *lines)
    for begin, end in zip([132, *(left + 118 for left in lefts)], [*lefts, 1028], strict=True):
        yield f'<path class="arrow" d="M{begin} 134H{end - 2}"/>'
    # The arrow from the proof to the application.
    yield '<path class="arrow" d="M373 96V82Q373 74 381 74H1076Q1084 74 1084 82V92"/>'
    yield text(392, 64, "most requests: proven harmless, handed on at once", "small")
    for x in (lefts[2] + 59, lefts[4] + 59):
        yield f'<path class="arrow" d="M{x} 172V252"/>'
    yield '<rect class="card" x="456" y="256" width="430" height="52" rx="9"/>'
    yield text(671, 278, "400, or 414: the kinds, and nothing of what was sent", "middle bad")
    yield text(671, 297, "or any application of yours", "middle small")
    yield text(176, 208, "report_of(request) has all the results", "small")


def _card(x: float, y: float, width: float, name: str, *lines: str) -> Iterator[str]:
    yield f'<rect class="card" x="{x:g}" y="{y:g}" width="{width:g}" height="76" rx="9"/>'
    yield text(x + width / 2, y + 25, name, "strong middle")
    for number, line in enumerate(lines):
        yield text(x + width / 2, y + 45 + 16 * number, line, "tiny middle")


# ---- one URL, cut ----


@dataclass(frozen=True)
class Piece:
    """Octets of the URL that belong together, and the colour behind them."""

    octets: bytes
    colour: str
    label: str = ""


def pieces() -> Iterator[Piece]:
    """Cut the example as RFC 3986 and the URL Standard cut it."""
    for segment in EXAMPLE.path.split(b"/")[1:]:
        yield Piece(b"/", "mark")
        yield Piece(segment, "path", "segment")
    separator = b"?"
    for pair in EXAMPLE.query.split(b"&"):
        name, _, value = pair.partition(b"=")
        yield Piece(separator, "mark")
        yield Piece(name, "name", "name")
        yield Piece(b"=", "mark")
        yield Piece(value, "value", "value")
        separator = b"&"


def url() -> str:
    octets = len(EXAMPLE.path) + 1 + len(EXAMPLE.query)
    return picture(round(octets * CELL) + 240, 290, "One URL, cut into components, with findings", _url())


def _url() -> Iterator[str]:
    x = 30.0
    query_at = 30 + (len(EXAMPLE.path) + 1) * CELL
    yield text(30, 40, "path", "strong blue")
    yield text(query_at, 40, "query", "strong blue")
    for piece in pieces():
        width = len(piece.octets) * CELL
        box = f'x="{x + 1:g}" y="74" width="{width - 2:g}" height="38" rx="5"'
        yield f'<rect {box} fill="var(--{piece.colour})"/>'
        for number, octet in enumerate(piece.octets):
            yield text(x + (number + 0.5) * CELL, 100, chr(octet), "code middle")
        if piece.label:
            yield text(x + width / 2, 66, piece.label, "small middle")
        x += width
    for number, finding in enumerate(findings()):
        begin = (query_at if finding.component is Component.QUERY else 30.0) + finding.offset * CELL
        width = len(finding.excerpt) * CELL
        colour = "bad" if finding.action.edits is False else "repair"
        y = 124.0
        depth = 150 + 36 * number
        yield (
            f'<path d="M{begin + 3:g} {y:g}v7h{width - 6:g}v-7M{begin + 11:g} {y + 7:g}V{depth - 6:g}" '
            f'fill="none" stroke="var(--{colour})" stroke-width="2"/>'
        )
        detail = f" ({finding.detail})" if finding.detail else ""
        effect = "refused" if colour == "bad" else finding.action.value + "ed"
        yield text(begin + 19, depth - 2, f"{finding.kind.slug}{detail}: {effect}", f"strong {colour}")


def findings() -> list[Finding]:
    """The findings of the default policy in the example, in order."""
    found = Normalizer(Policy.STANDARD).normalize(EXAMPLE).findings
    return sorted(found, key=lambda each: (each.component is Component.QUERY, each.offset), reverse=True)


PICTURES: Final = {"way.svg": way, "url.svg": url}

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (STATIC / name).write_text(draw(), "utf-8")
