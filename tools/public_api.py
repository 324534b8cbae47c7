"""List the public names with the names of their parameters and attributes.

``tests/project/test_package.py`` compares them with tests/project/public_api.txt, so that none is changed by
accident. Run this file to accept a change, and tell users of it in CHANGELOG.md.
"""

from __future__ import annotations

import enum
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import postel

FILE: Final = Path(__file__).parents[1] / "tests" / "project" / "public_api.txt"
_MARKS: Final = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def modules() -> list[str]:
    """Return the modules that users import from."""
    beside = [name for _, name, _ in pkgutil.iter_modules(postel.__path__) if not name.startswith("_")]
    return ["postel", *(f"postel.{name}" for name in beside)]


def lines() -> Iterator[str]:
    """Yield a line for each public name, and for each public member of a class."""
    for module in modules():
        contents = importlib.import_module(module)
        for name in sorted(contents.__all__):
            value = getattr(contents, name)
            yield f"{module}.{name}{_parameters(value)}"
            if inspect.isclass(value) and value.__module__.startswith("postel"):
                for member in sorted({member for member in _members(value) if not member.startswith("_")}):
                    parameters = _parameters(inspect.getattr_static(value, member, None))
                    yield f"{module}.{name}.{member}{parameters}"


def _members(value: type) -> list[str]:
    """Return the names of methods, properties, enum members, and slotted or annotated attributes."""
    return [*vars(value), *getattr(value, "__annotations__", {})]


def _parameters(value: object) -> str:
    """Return the parameters of a function, or of a class with a constructor of its own; otherwise nothing."""
    value = getattr(value, "__func__", value)
    made = (
        inspect.isclass(value)
        and not issubclass(value, enum.Enum)
        and {"__init__", "__new__"} & {*vars(value)}
    )
    if not (made or inspect.isfunction(value)):
        return ""
    written: list[str] = []
    for each in inspect.signature(value).parameters.values():
        if each.kind is each.KEYWORD_ONLY and not any(name.startswith("*") for name in written):
            written.append("*")
        written.append(_MARKS.get(each.kind, "") + each.name + "=" * (each.default is not each.empty))
    return f"({', '.join(written)})"


def text() -> str:
    """Return the whole file."""
    return "".join(f"{line}\n" for line in lines())


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
