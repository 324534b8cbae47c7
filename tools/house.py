"""The import graph of CONTRIBUTING.md. ``make pages`` runs this file, which rewrites it.

A room is a package or a public module. An arrow means "imports"; an arrow that others imply is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).parent.parent / "src" / "postel"
PAGE: Final = Path(__file__).parent.parent / "CONTRIBUTING.md"
BEGIN: Final = '<!-- Made by "make pages", not edited by hand. -->\n```mermaid\n'
END: Final = "```\n"


def rooms() -> dict[str, set[str]]:
    """Return, for each room, the rooms that it imports; ``postel`` is the package's own ``__init__``."""
    names = {file.stem if file.suffix else file.name for file in SOURCE.iterdir()} - {
        "__init__",
        "__pycache__",
    }
    graph: dict[str, set[str]] = {}
    for file in SOURCE.rglob("*.py"):
        first = file.relative_to(SOURCE).parts[0].removesuffix(".py")
        room = "postel" if first == "__init__" else first
        found = {
            part[1] if part[1:] and part[1] in names else "postel"
            for part in (name.split(".") for name in imported(ast.parse(file.read_bytes())))
            if part[0] == "postel"
        }
        graph.setdefault(room, set()).update(found - {room})
    return graph


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield the absolute name of everything that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def reached(graph: Mapping[str, set[str]], start: str, *, without: str) -> set[str]:
    """Return the rooms that ``start`` imports, directly or not, if it did not import ``without`` itself."""
    seen: set[str] = set()
    waiting = graph[start] - {without}
    while waiting:
        room = waiting.pop()
        seen.add(room)
        waiting |= graph[room] - seen
    return seen


def drawing() -> str:
    """Return the graph in Mermaid's language."""
    graph = rooms()
    arrows = [
        f"    {room} --> {each}\n"
        for room in sorted(graph)
        for each in sorted(graph[room])
        if each not in reached(graph, room, without=each)
    ]
    return "".join(["graph TD\n", *arrows])


def page() -> str:
    """Return CONTRIBUTING.md with the current drawing."""
    before, begin, rest = PAGE.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{begin}{drawing()}{end}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
