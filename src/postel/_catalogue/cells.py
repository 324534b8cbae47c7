"""Functions that read fields of a catalogue row from short texts, one for each component.

``presets(path="reject repair repair")`` maps ``Component.PATH`` to three actions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, TypeVar

from postel._alphabet.characters import Characters
from postel._catalogue.check import Action, Columns, Component

Cell = TypeVar("Cell")


# Dicts, because calling an enum takes five times as long, and the catalogue makes a thousand look-ups.
_COMPONENTS: Final = {component.value: component for component in Component}
_ACTIONS: Final = {action.value: action for action in Action}


def by_component(cells: Mapping[str, Cell]) -> Iterator[tuple[Component, Cell]]:
    """Yield each component with its cell; the name ``pairs`` stands for the query and the form."""
    for name, cell in cells.items():
        for each in ("query", "form") if name == "pairs" else (name.replace("_", "-"),):
            yield _COMPONENTS.get(each) or Component(each), cell


def presets(**cells: str) -> Mapping[Component, Columns]:
    """Read three actions for each component, for STRICT, STANDARD and LENIENT, from words."""
    return MappingProxyType({component: _columns(words.split()) for component, words in by_component(cells)})


def actions(**cells: str) -> Mapping[Component, frozenset[Action]]:
    """Read the supported actions of each component from words."""
    return MappingProxyType(
        {component: frozenset(map(_action, words.split())) for component, words in by_component(cells)}
    )


def characters(**cells: Characters | str | tuple[int, int]) -> Mapping[Component, Characters]:
    """Read the characters of each component from a set, from text, or from the ends of a range."""
    return MappingProxyType(
        {
            component: cell if isinstance(cell, Characters) else Characters.of(cell)
            for component, cell in by_component(cells)
        }
    )


def components(*names: str) -> frozenset[Component]:
    """Read a set of components from their names."""
    return frozenset(component for component, _ in by_component(dict.fromkeys(names)))


def octets(**cells: bytes) -> Mapping[Component, bytes]:
    """Map each component to octets: a pattern, an example or a near miss."""
    return MappingProxyType(dict(by_component(cells)))


def _action(word: str) -> Action:
    return _ACTIONS.get(word) or Action(word)


def _columns(words: list[str]) -> Columns:
    strict, standard, lenient = map(_action, words)
    return (strict, standard, lenient)
