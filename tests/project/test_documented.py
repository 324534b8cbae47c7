"""Every public name is documented: a sentence, types, units of numbers, errors, an example, a source.

A string below an attribute in its class is the docstring of the attribute. An attribute that is only set in
``__init__`` is documented by the docstring of its class, which contains its name in double backticks.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import io
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from prometheus_client import CollectorRegistry

import postel
import postel.asgi
import postel.doctor
import postel.form
import postel.javascript
import postel.uri
import postel.wsgi
from postel import (
    Bodies,
    Characters,
    Component,
    Forms,
    Json,
    Kind,
    Limits,
    Locations,
    Normalizer,
    Policy,
    Sample,
)
from postel.prometheus import PrometheusObserver
from postel.scan import (
    FORMATS,
    EarlierReport,
    Fields,
    Part,
    Span,
    Tally,
    count_parts,
    count_stream,
    described,
    parts_of,
)
from project.test_package import ENTRANCES
from together import together

BESIDE: Final = {"postel.cli"}  # The commands, which docs/commands.md documents.
MODULES: Final = [postel, *(importlib.import_module(name) for name in ENTRANCES if name not in BESIDE)]
UNIT: Final = re.compile(
    r"octet|character|segment|pair|bracket|share|status|finding|request|strict|precedence|place|whole number"
)
SOURCE: Final = re.compile(r"RFC \d+|URL Standard|ECMA-262|Unicode|PEP \d+|ASGI|HTML|WSGI|CVE-\d+")
STANDARDS: Final = {"postel.asgi", "postel.wsgi", "postel.uri", "postel.form", "postel.javascript"}
"""The modules that implement standards, whose names must cite one."""


@dataclass(frozen=True)
class Name:
    """A public name: its module, its value, and its docstring."""

    path: str
    value: Any
    doc: str
    owner: str = ""
    """The docstring of its class."""
    types: tuple[str, ...] = ()
    """The annotations of an attribute, or of the parameters of a function."""

    @property
    def said(self) -> str:
        return f"{self.doc}\n{self.owner}"


@functools.cache
def written(module: str) -> dict[tuple[str, str], tuple[str, str]]:
    """Return annotation and docstring of each attribute that a module defines, by class and name."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    tree = ast.parse(inspect.getsource(importlib.import_module(module)))
    for scope, body in [
        ("", tree.body),
        *((c.name, c.body) for c in tree.body if isinstance(c, ast.ClassDef)),
    ]:
        for node, following in zip(body, [*body[1:], None], strict=True):
            match node:
                case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                    annotation = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else ""
                    found[scope, name] = (annotation, _text(following))
    return found


def _text(node: ast.stmt | None) -> str:
    match node:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return text
    return ""


def names() -> Iterator[Name]:
    for module in MODULES:
        for name in module.__all__:
            if (module, name) != (postel.uri, "Characters"):  # the same class as postel.Characters
                yield from names_of(f"{module.__name__}.{name}", vars(module)[name], module)


def names_of(path: str, value: Any, module: ModuleType) -> Iterator[Name]:
    name = path.rpartition(".")[2]
    if inspect.isclass(value):
        yield Name(path, value, value.__doc__ or "")
        yield from members(path, value)
    elif inspect.isfunction(value):
        yield Name(path, value, value.__doc__ or "", types=types_of(value))
    else:
        yield Name(path, value, next((doc for _, doc in homes(module, name)), ""))


def homes(module: ModuleType, name: str) -> Iterator[tuple[str, str]]:
    """Yield annotation and docstring of a constant, those in the nearest module first."""
    for each in sorted(_loaded(), key=lambda other: (not other.startswith(module.__name__), other)):
        annotation, doc = written(each).get(("", name), ("", ""))
        if doc:
            yield annotation, doc


@functools.cache
def _loaded() -> frozenset[str]:
    return frozenset(name for name in sys.modules if name.partition(".")[0] == "postel" and "cli" not in name)


def members(path: str, cls: type) -> Iterator[Name]:
    owner = cls.__doc__ or ""
    module = next(each for each in sorted(_loaded()) if (cls.__name__, "") in _classes(each))
    attributes = {name: told for (scope, name), told in written(module).items() if scope == cls.__name__}
    for name, (annotation, doc) in attributes.items():
        if not name.startswith("_") and cls is not Kind:  # _catalogue/test_kinds.py tests its members.
            yield Name(f"{path}.{name}", None, doc, owner, (annotation,))
    for name, value in vars(cls).items():
        if name.startswith("_"):
            continue
        function = getattr(value, "__func__", getattr(value, "fget", value))
        if inspect.isfunction(function):
            yield Name(f"{path}.{name}", function, function.__doc__ or "", owner, types_of(function))


@functools.cache
def _classes(module: str) -> frozenset[tuple[str, str]]:
    tree = ast.parse(inspect.getsource(importlib.import_module(module)))
    return frozenset((node.name, "") for node in tree.body if isinstance(node, ast.ClassDef))


def types_of(function: Callable[..., Any]) -> tuple[str, ...]:
    signature = inspect.signature(function)
    found = [
        str(each.annotation) for name, each in signature.parameters.items() if name not in {"self", "cls"}
    ]
    return (*found, str(signature.return_annotation))


NAMES: Final = list(names())
EVERY_NAME: Final = together("name", NAMES, ids=lambda name: name.path)
CALLED: Final = [each for each in NAMES if inspect.isfunction(each.value) or inspect.isclass(each.value)]


def test_public_names_are_found() -> None:
    assert len(NAMES) > 150


@EVERY_NAME
def test_a_name_has_a_sentence(name: Name) -> None:
    if name.doc:
        first = " ".join(textwrap.dedent(name.doc).strip().split("\n\n")[0].split())
        assert re.match(r"[A-Z`*{\"']|``", first)
        assert re.search(r"[.:;][`)]*$", first)
    else:
        # The docstring of its class may describe an attribute.
        assert f"``{name.path.rpartition('.')[2]}``" in name.owner


@EVERY_NAME
def test_a_name_has_types(name: Name) -> None:
    assert not any("inspect._empty" in each for each in name.types)


@EVERY_NAME
def test_numbers_have_units(name: Name) -> None:
    if any(re.search(r"\b(?:int|float)\b", each) for each in name.types):
        assert UNIT.search(name.said)


@EVERY_NAME
def test_a_standard_is_named(name: Name) -> None:
    module = ".".join(name.path.split(".")[:2])
    if module in STANDARDS:
        assert SOURCE.search(name.said)


@together("name", [each for each in CALLED if not each.owner], ids=lambda name: name.path)
def test_a_name_has_an_example(name: Name) -> None:
    assert ">>> " in name.doc


@together("name", CALLED, ids=lambda name: name.path)
def test_raised_exceptions_are_documented(name: Name) -> None:
    for error in raised_in(name.value):
        assert error in said_of(name)


def said_of(name: Name) -> str:
    """Return the docstrings of a name, of the class that it belongs to, and of its constructor."""
    construction = vars(name.value).get("__init__") if inspect.isclass(name.value) else None
    return f"{name.said}\n{construction.__doc__ if construction else ''}"


def raised_in(value: Any) -> set[str]:
    """Return the exceptions that a function, or the constructor of a class, raises by name."""
    functions = [value]
    if inspect.isclass(value):
        functions = [vars(value)[each] for each in ("__init__", "__post_init__") if each in vars(value)]
    found: set[str] = set()
    for function in functions:
        if not inspect.isfunction(function) or not function.__module__.startswith("postel"):
            continue  # The method of a protocol comes from typing.
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        except OSError:
            continue  # The constructor of a dataclass is generated.
        for node in ast.walk(tree):
            match node:
                case ast.Raise(exc=ast.Call(func=ast.Name(id=error))) | ast.Raise(exc=ast.Name(id=error)):
                    found.add(error)
    return found


# ---- exceptions of called functions, found by trying ----

TEXTS: Final = (
    "",
    "a",
    "/a/b",
    "/a/../b",
    "//a",
    "%",
    "%FF",
    "%C0%AF",
    "/a%2Fb",
    "\ud800",
    "a#b",
    "?",
    "é",
    "..",
    "a/b",
)
_LOGS: Final = (b"", b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd", b"\0" * 99)
_NO_LOG: Final = Part("no.log", FORMATS["common"], 0, 1, is_compressed=False)
BAD: Final[dict[str, list[Callable[[], Any]]]] = {
    "postel.Characters.of": [lambda: Characters.of((5, 1)), lambda: Characters.of((0, 0x110000))],
    "postel.Characters.parse": [lambda: Characters.parse("x"), lambda: Characters.parse("U+110000")],
    "postel.Kind.of": [lambda: Kind.of("none")],
    "postel.Limits": [lambda: Limits(pairs=0)],
    "postel.Locations": [lambda: Locations("no"), lambda: Locations("refuse", ["a/b"])],
    "postel.Normalizer": [lambda: Normalizer("strict")],
    "postel.Policy": [lambda: Policy(())],
    "postel.Policy.parse": [lambda: Policy.parse("none"), lambda: Policy.parse("standard nul=none")],
    "postel.Policy.action": [lambda: Policy.STANDARD.action(Kind.NUL, Component.HOST)],
    "postel.Policy.limiting": [
        lambda: Policy.STANDARD.limiting(none=1),
        lambda: Policy.STANDARD.limiting(pairs=-1),
    ],
    "postel.Policy.keeping": [lambda: Policy.STANDARD.keeping("none")],
    "postel.Policy.accepting": [
        lambda: Policy.STANDARD.accepting(Characters(())),
        lambda: Policy.STANDARD.accepting(Characters.of("a"), names="q"),
    ],
    "postel.Sample": [lambda: Sample(2), lambda: Sample(0.5, by_client="yes")],
    "postel.Json": [lambda: Json(limit=0), lambda: Json(types=["x"])],
    "postel.Bodies": [lambda: Bodies(multipart="judge"), lambda: Bodies(others="refuse")],
    "postel.Forms": [lambda: Forms(limit=0), lambda: Forms(charsets=["none"])],
    "postel.prometheus.PrometheusObserver": [
        lambda: [PrometheusObserver(one) for one in [CollectorRegistry()] * 2]
    ],
    "postel.scan.Fields": [Fields, lambda: Fields(query="q")],
    "postel.scan.Fields.parse": [lambda: Fields.parse([]), lambda: Fields.parse(["none"])],
    "postel.scan.EarlierReport.parse": [lambda: EarlierReport.parse(b"{}")],
    "postel.scan.Span.parse": [lambda: Span.parse("yesterday", None)],
    "postel.scan.described": [lambda: described("$status")],
    "postel.scan.Tally": [lambda: Tally(None)],
    "postel.scan.Tally.update": [lambda: Tally().update(Tally(Policy.STRICT))],
    "postel.scan.count_stream": [
        *(functools.partial(count_stream, io.BytesIO(octets)) for octets in _LOGS),
        lambda: count_stream(None),
        lambda: count_stream(io.BytesIO(b"a"), format_="common"),
        lambda: count_stream(io.BytesIO(b"a"), "strict"),
    ],
    "postel.scan.count_parts": [
        lambda: count_parts([_NO_LOG]),
        lambda: count_parts([], workers=0),
        lambda: count_parts([], "strict"),
    ],
    "postel.scan.parts_of": [
        lambda: parts_of(_NO_LOG.path),
        lambda: parts_of(__file__, "common"),
        lambda: parts_of(__file__, size=0),
    ],
    "postel.report_of": [lambda: postel.report_of({}), lambda: postel.report_of(None)],
    "postel.asgi.NormalizeMiddleware": [functools.partial(postel.asgi.NormalizeMiddleware, None)],
    "postel.wsgi.NormalizeMiddleware": [functools.partial(postel.wsgi.NormalizeMiddleware, None)],
    **{
        f"postel.Policy.{method}": [
            functools.partial(getattr(Policy.STANDARD, method)),
            functools.partial(getattr(Policy.STANDARD, method), "nul"),
            *(functools.partial(getattr(Policy.STANDARD, method), kind) for kind in Kind),
            *(functools.partial(getattr(Policy.STANDARD, method), kind, on=Component.PATH) for kind in Kind),
        ]
        for method in (
            "allowing",
            "reporting",
            "repairing",
            "preserving",
            "replacing",
            "dropping",
            "dropping_pairs",
            "rejecting",
        )
    },
    "postel.doctor.examine": [
        lambda: postel.doctor.examine(None),
        lambda: postel.doctor.examine(repr),
        lambda: postel.doctor.examine(lambda environ, start_response: [], routes=["x"]),
        lambda: postel.doctor.examine(lambda environ, start_response: []),
    ],
    **{
        f"{module.__name__}.{name}": [
            *(functools.partial(getattr(module, name), text) for text in TEXTS),
            *(
                functools.partial(getattr(module, name), TEXTS[1], **option)
                for option in ({"charset": "none"}, {"plus": True}, {"errors": "none"})
                if option.keys() <= inspect.signature(getattr(module, name)).parameters.keys()
            ),
        ]
        for module, names_ in (
            (
                postel.uri,
                (
                    "clean",
                    "decode_component",
                    "encode_component",
                    "is_local",
                    "parse_path",
                    "parse_query",
                    "parse_reference",
                    "percent_decode",
                    "percent_encode",
                    "pretty",
                    "respell",
                ),
            ),
            (postel.form, ("parse",)),
            (postel.javascript, tuple(postel.javascript.__all__)),
        )
        for name in names_
    },
    "postel.uri.address_bar": [
        functools.partial(postel.uri.address_bar, text, browser=browser)
        for text in TEXTS
        for browser in ("firefox", "none")
    ],
    "postel.uri.build_path": [functools.partial(postel.uri.build_path, [text, text]) for text in TEXTS],
    "postel.uri.build_query": [functools.partial(postel.uri.build_query, [(text, text)]) for text in TEXTS],
    "postel.form.serialize": [functools.partial(postel.form.serialize, [(text, text)]) for text in TEXTS],
}
NEVER: Final = {
    "postel.Accepted": "returned, not created by users",
    "postel.Action": "an enum",
    "postel.Component": "an enum",
    "postel.Finding": "returned, not created by users",
    "postel.Kind": "an enum",
    "postel.PolicyError": "raised, not created by users",
    "postel.Rejected": "returned, not created by users",
    "postel.Report": "returned, not created by users",
    "postel.Target": "it accepts hostile input as data",
    "postel.policy_table": "it accepts every policy",
    "postel.uri.BuildError": "raised, not created by users",
    "postel.uri.DecodeError": "raised, not created by users",
    "postel.uri.Place": "an enum",
    "postel.Characters": "its constructors are tried",
    "postel.LogObserver": "it takes a clock",
    "postel.django.check_application": "Django calls it, with its own settings",
    "postel.doctor.ApplicationError": "raised, not created by users",
    "postel.doctor.Disagreement": "returned, not created by users",
    "postel.doctor.Examination": "returned, not created by users",
    "postel.doctor.Reading": "returned, not created by users",
    "postel.opentelemetry.OpenTelemetryObserver": "only the meters raise",
    "postel.scan.Entry": "it accepts any content of a log",
    "postel.scan.Excerpt": "returned, not created by users",
    "postel.scan.EarlierReport": "returned, not created by users",
    "postel.scan.JsonLines": "it accepts any fields",
    "postel.scan.LineFormat": "a protocol",
    "postel.scan.LogError": "raised, not created by users",
    "postel.scan.Part": "it accepts any path",
    "postel.scan.Row": "it has no arguments",
    "postel.scan.Span": "it accepts any times",
    "postel.scan.Summary": "returned, not created by users",
    "postel.scan.Unreadable": "an enum",
    "postel.scan.compared": "it accepts any two reports",
    "postel.scan.detect": "it accepts any content of a log",
    "postel.scan.page_of": "it accepts every summary",
    "postel.scan.report_lines": "it accepts every summary",
    "postel.uri.Reference": "returned, not created by users",
}
"""Callables that raise nothing, and why. Methods without arguments are not listed."""


def test_every_callable_is_tried() -> None:
    assert {each.path for each in CALLED if not each.owner} - BAD.keys() == NEVER.keys()


@together("path", BAD)
def test_exceptions_of_called_functions_are_documented(path: str) -> None:
    [name] = [each for each in NAMES if each.path == path]
    raised = [names for names in map(raised_by, BAD[path]) if names]
    assert [names for names in raised if not any(each in said_of(name) for each in names)] == []


def raised_by(call: Callable[[], Any]) -> list[str]:
    """Return the names of the exceptions that a call raises; none if it returns."""
    try:
        call()
    except Exception as error:
        return [each.__name__ for each in type(error).__mro__ if each not in Exception.__mro__]
    return []
