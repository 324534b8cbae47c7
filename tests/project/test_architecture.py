"""The import rules: which package may import which, what pure modules may use, and how long a file may be."""

from __future__ import annotations

import ast
import functools
import graphlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import house
from together import together

SOURCE: Final = Path(__file__).parents[2] / "src" / "postel"

# The packages of the core, from the bottom up. Each imports only the ones before it.
PACKAGES: Final = (
    "_errors",
    "_alphabet",
    "_catalogue",
    "_policy",
    "_normalizer",
    "_http",
    "_bodies",
    "_middleware",
)
ADAPTERS: Final = ("asgi", "wsgi")
ORDER: Final = PACKAGES + ADAPTERS

# Pure packages do no input or output and read no clock. Only the named modules of these packages do.
PURE: Final = ("_errors", "_alphabet", "_catalogue", "_policy", "_normalizer", "_http", "_bodies")
IMPURE: Final = {
    "_bodies.body": "asks whether WebOb is loaded, because WebOb reads forms of other types",
    "_bodies.on_asgi": "reads what a client sends",
    "_bodies.on_wsgi": "reads what a client sends",
    "_bodies.spool": "keeps long bodies in temporary files",
    "_bodies.turns": "asks which event loop runs, and works in threads",
    "_bodies.uploads_on_asgi": "reads what a client sends",
    "_bodies.uploads_on_wsgi": "reads what a client sends",
    "_http.observers": "writes the log",
    "_http.request_id": "draws random ids",
    "_http.sampling": "draws at random",
}

# Modules beside the core, from the bottom up. They use the public names of the core, and its alphabet.
BESIDE: Final = (
    "prometheus",
    "opentelemetry",
    "django",
    "uri",
    "form",
    "javascript",
    "scan",
    "doctor",
    "cli",
    "__main__",
)
SHARED_WITH_BESIDE: Final = {"_alphabet"}
# Other modules of the core that some of them use: the views of requests, advice on a policy, the status of a
# refusal, the check for consecutive slashes, the kinds that are judged in cookies, the components that a
# policy covers, the judgement of a JSON body, the adapters, and the search inside middleware.
SHARED_WITH_ONE: Final = {
    "scan": {"_catalogue.kinds", "_catalogue.views", "_normalizer.advice", "_http.slashes"},
    "cli": {
        "_normalizer.advice",
        "_http.refusal",
        "_http.slashes",
        "_http.readings",
        "_policy.rules",
        "_bodies",
    },
    "django": {"asgi", "wsgi", "_middleware.outermost"},
    "doctor": {"asgi", "wsgi", "_middleware.outermost", "_policy.rules"},
}

# The extras of pyproject.toml, and the one module that imports each.
EXTRAS: Final = {
    "cli._completion": "shtab",
    "cli._progress": "rich",
    "prometheus": "prometheus_client",
    "opentelemetry": "opentelemetry",
}

PURE_STDLIB: Final = {
    "__future__",
    "binascii",
    "bisect",
    "collections",
    "collections.abc",
    "dataclasses",
    "difflib",
    "encodings",
    "encodings.aliases",
    "enum",
    "functools",
    "http",
    "heapq",
    "html",
    "inspect",
    "ipaddress",
    "itertools",
    "json",
    "math",
    "operator",
    # These two turn a path object into text and touch no file.
    "os.PathLike",
    "os.fspath",
    "re",
    "types",
    "typing",
    "unicodedata",
}
IMPURE_BUILTINS: Final = {"__import__", "breakpoint", "eval", "exec", "input", "open", "print"}

# File names that describe no content, so that anything could end up there.
MEANINGLESS: Final = {"base", "common", "handler", "helper", "manager", "misc", "util"}
LONGEST_FILE: Final = 320
# An enum is closed, so its rows cannot be split over several files.
LONG_TABLES: Final = {"_catalogue.kinds"}

# Classes that are closed by their nature, or that exist to be implemented.
OPEN_BY_NATURE: Final = {
    "Enum",
    "Flag",
    "IntEnum",
    "IntFlag",
    "NamedTuple",
    "Protocol",
    "StrEnum",
    "TypedDict",
}

# The places where every exception may be caught: "module.function" and the reason.
CATCHES_EVERYTHING: Final[dict[str, str]] = {
    "doctor._application._imported": "importing an application can raise anything, and the doctor reports it",
    "doctor._application._made": "a factory can raise anything, and the doctor reports it",
    "doctor._asking._in_time.run": "an exception of an application is a 500, as servers answer it",
    "doctor._asking.asgi_asker.asked": "an application may raise anything when its client disconnects",
    "doctor._differences._awaited": "if a framework raises for a hostile request, the exception is compared",
    "doctor._differences._places": "if a framework cannot create a request object, the exception is compared",
    "doctor._differences._value_or_error": "if reading an attribute raises, the exception is compared",
    "doctor._routes.known_routes": "an application may be unable to describe its API",
    "django._warning": "importing an application can raise anything, and the check reports it",
    "_http.observers.Observation.notify": "an observer can raise anything",
    "_middleware.misread_hosts._is_misread": "the function of Werkzeug may be replaced by anything",
    "_middleware.rebuilt_urls._ends_early": "the URL class of Starlette may be replaced by anything",
    "_bodies.uploads_on_wsgi.read_upload": "each server raises its own exception if a body breaks off",
    "_bodies.on_wsgi._read": "each server raises its own exception if a body breaks off",
}
ALL_EXCEPTIONS: Final = {"BaseException", "BaseExceptionGroup", "Exception", "ExceptionGroup"}

FILES: Final = sorted(SOURCE.rglob("*.py"))


def name_of(file: Path) -> str:
    """Return the name inside the package, such as ``_errors`` or ``scan._iis``; empty for the package."""
    parts = file.relative_to(SOURCE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


MODULES: Final = {name_of(file): file for file in FILES}
UNITS: Final = {name.partition(".")[0] for name in MODULES} - {""}
EVERY_MODULE: Final = together("module", sorted(MODULES), ids=lambda name: name or "__init__")


@functools.cache  # Every test reads all modules.
def tree_of(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_bytes())


def imports_of(module: str) -> Iterator[str]:
    """Yield the absolute name of every import, wherever the statement is."""
    package = ["postel", *module.split(".")] if module else ["postel"]
    if module and MODULES[module].name != "__init__.py":
        package.pop()
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*parents, *([node.module] if node.module else [])])
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def modules_imported_by(module: str) -> set[str]:
    """Return the postel modules that a module imports; the empty name is the package itself."""
    ours = [name for name in imports_of(module) if f"{name}.".startswith("postel.")]
    return {longest_module_of(name.removeprefix("postel").removeprefix(".")) for name in ours}


def longest_module_of(name: str) -> str:
    """Return the module that contains a name of ``from module import name``, or that is this name."""
    while name and name not in MODULES:
        name = name.rpartition(".")[0]
    return name


def units_imported_by(module: str) -> set[str]:
    """Return the packages and public modules that a module imports; ``postel`` means its public names."""
    return {name.partition(".")[0] or "postel" for name in modules_imported_by(module)}


def foreign_imports_of(module: str, *, beyond: set[str]) -> list[str]:
    """Return imports that belong neither to the package nor to one of those modules."""
    allowed = beyond | {"postel"}
    return sorted(
        imported
        for imported in imports_of(module)
        if not any(imported == name or imported.startswith(f"{name}.") for name in allowed)
    )


def test_modules_are_found() -> None:
    assert UNITS


def test_every_module_is_listed() -> None:
    assert sorted(UNITS - {*ORDER, *BESIDE}) == []


def allowed_to(module: str) -> set[str]:
    """Return the packages and single modules that a module may import."""
    unit = module.partition(".")[0]
    if not unit:
        # `import postel` must not load a protocol that the application does not use.
        return {*PACKAGES} - {"_middleware"}
    if unit in BESIDE:
        above = BESIDE[: BESIDE.index(unit)]
        return {"postel", unit, *above, *SHARED_WITH_BESIDE, *SHARED_WITH_ONE.get(unit, ())}
    # The two adapters do not import each other.
    return {unit, *ORDER[: ORDER.index(unit)]} - {*ADAPTERS} if unit in ORDER else set()


@EVERY_MODULE
def test_imports_lead_only_downwards(module: str) -> None:
    allowed = allowed_to(module)
    imported = modules_imported_by(module)
    assert [
        name
        for name in sorted(imported)
        if (name.partition(".")[0] or "postel") not in allowed and name not in allowed
    ] == []


def test_the_drawing_is_current() -> None:
    assert house.PAGE.read_text("utf-8") == house.page(), "run: make pages"


def test_no_module_imports_itself_indirectly() -> None:
    # `postel` itself imports the core for its public names, and the packages beside the core import those.
    graph = {
        module: modules_imported_by(module) - {"", module.partition(".")[0]} for module in MODULES if module
    }
    graphlib.TopologicalSorter(graph).prepare()


@together("module", [name for name in MODULES if name.partition(".")[0] in PURE and name not in IMPURE])
def test_pure_modules_do_no_input_or_output(module: str) -> None:
    assert foreign_imports_of(module, beyond=PURE_STDLIB) == []
    names = {node.id for node in ast.walk(tree_of(module)) if isinstance(node, ast.Name)}
    assert sorted(names & IMPURE_BUILTINS) == []


@EVERY_MODULE
def test_only_the_standard_library_is_imported(module: str) -> None:
    # Type checkers know _typeshed without an installation. At run time it is never imported.
    extra = {EXTRAS[module]} if module in EXTRAS else set[str]()
    assert foreign_imports_of(module, beyond={*sys.stdlib_module_names, "_typeshed", *extra}) == []


def test_extras_are_used() -> None:
    assert {
        module: foreign_imports_of(module, beyond={*sys.stdlib_module_names}) != [] for module in EXTRAS
    } == (dict.fromkeys(EXTRAS, True))


def test_a_file_is_short() -> None:
    lengths = {module: len(file.read_bytes().splitlines()) for module, file in MODULES.items()}
    # The sets must be equal: a table that has become short enough is an ordinary file again.
    assert {module for module, length in lengths.items() if length > LONGEST_FILE} == LONG_TABLES


@EVERY_MODULE
def test_file_names_describe_their_content(module: str) -> None:
    words = {word.removesuffix("s") for part in module.split(".") for word in part.split("_")}
    assert sorted(words & MEANINGLESS) == []


def last_name(expression: ast.expr) -> str:
    """Return ``final`` for ``typing.final``, ``Protocol`` for ``typing.Protocol[T]``."""
    subject = expression.value if isinstance(expression, ast.Subscript) else expression
    return ast.unparse(subject).rpartition(".")[2]


@EVERY_MODULE
def test_every_class_is_final(module: str) -> None:
    assert [
        node.name
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.ClassDef)
        and "final" not in map(last_name, node.decorator_list)
        and OPEN_BY_NATURE.isdisjoint(map(last_name, node.bases))
    ] == []


def functions_that_catch_everything(node: ast.AST, path: str) -> Iterator[str]:
    """Yield the dotted name of the function around each handler of every exception."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ExceptHandler):
            caught = child.type.elts if isinstance(child.type, ast.Tuple) else [child.type]
            # A bare `except:` has no type and catches everything.
            if any(type_ is None or last_name(type_) in ALL_EXCEPTIONS for type_ in caught):
                yield path
        named = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        yield from functions_that_catch_everything(child, f"{path}.{child.name}" if named else path)


def test_every_exception_is_caught_by_name() -> None:
    found = {
        function
        for module in MODULES
        for function in functions_that_catch_everything(tree_of(module), module or "__init__")
    }
    # The sets must be equal, so that a function that no longer needs its exemption loses it.
    assert found == set(CATCHES_EVERYTHING)


def test_only_the_doctor_command_imports_the_doctor() -> None:
    # The doctor runs other people's applications. Neither servers nor other commands may load it.
    knowing = {module for module in MODULES if "doctor" in units_imported_by(module)}
    assert {module for module in knowing if not module.startswith("doctor")} == {"cli._doctor"}
    outside = [
        node
        for node in tree_of("cli._doctor").body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("postel.doctor")
    ]
    assert outside == []
