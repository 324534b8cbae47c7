"""Make the mutants of a module with mutmut's operators."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import final

import libcst
from libcst.metadata import MetadataWrapper, WhitespaceInclusivePositionProvider
from mutmut.mutation.file_mutation import create_mutations


@final
@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    function: str
    was: str
    becomes: str
    """The lines that the change removes and adds."""
    source: str


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield the mutants of a module, in mutmut's order."""
    source = path.read_text("utf-8")
    module, mutations, _, _ = create_mutations(str(path), source)
    positions = MetadataWrapper(module, unsafe_skip_copy=True).resolve(WhitespaceInclusivePositionProvider)
    names = {function: name for name, function in _functions(module)}
    lines = source.splitlines(keepends=True)
    for each in mutations:
        function = each.contained_by_top_level_function
        if function is None or function not in names:
            continue
        place = positions[each.original_node]
        first, last = place.start.line - 1, place.end.line - 1
        changed = lines[first][: place.start.column]
        changed += module.code_for_node(each.mutated_node) + lines[last][place.end.column :]
        before, after = lines[first : last + 1], changed.splitlines(keepends=True)
        sides = [[line.strip() for line in side] for side in (before, after)]
        diff = [*difflib.unified_diff(*sides, n=0, lineterm="")][2:]
        lost, got = ("\n".join(line[1:] for line in diff if line.startswith(mark)) for mark in "-+")
        yield Mutant(names[function], lost, got, "".join([*lines[:first], *after, *lines[last + 1 :]]))


def _functions(module: libcst.Module) -> Iterator[tuple[str, libcst.FunctionDef]]:
    for each in module.body:
        if isinstance(each, libcst.FunctionDef):
            yield each.name.value, each
        elif isinstance(each, libcst.ClassDef):
            methods = [part for part in each.body.body if isinstance(part, libcst.FunctionDef)]
            yield from ((f"{each.name.value}.{method.name.value}", method) for method in methods)
