"""``postel kinds`` and ``postel explain``: list the catalogue, and show its entries in full."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator, Mapping
from typing import Final

from postel import Action, Characters, Component, Kind, PolicyError
from postel._alphabet.columns import aligned
from postel._alphabet.printable import shown_octets
from postel._http.readings import JUDGED
from postel.cli._command import FINE, Command, Parser, no_arguments
from postel.cli._console import Colour, Console, Printer

_PRESETS: Final = ("strict", "standard", "lenient")
_WIDTH: Final = 88
_LABEL: Final = 16
"""The width of a label and the space after it."""
_CHARSET: Final = (
    "charset[q]=windows-1252 reads values of q in a query in that charset, if they are not UTF-8"
)
_LONGEST: Final = 56
"""How many octets of an example are shown; some have thousands."""
_BY_SETTING: Final = {
    Component.COOKIE: "headers=",
    Component.REFERER: "headers=",
    Component.LOCATION: "locations=",
}
"""The components whose actions come from a setting of the middleware and not from a policy."""


def _kind(slug: str) -> Kind:
    try:
        return Kind.of(slug.lower().replace("_", "-"))
    except PolicyError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _expect_kinds(parser: Parser) -> None:
    parser.add_argument("kinds", metavar="KIND", nargs="+", type=_kind, help="a slug, as in postel kinds")


def _list(args: argparse.Namespace, console: Console) -> int:
    if args.json:
        for kind in Kind:
            console.out.json(_as_json(kind))
        return FINE
    rows = [row for kind in Kind for row in _rows(kind)]
    head, *lines = aligned([["kind", "where", *_PRESETS], *rows])
    console.out.line(console.out.painted(head, Colour.STRONG))
    for line in lines:
        console.out.line(line)
    return FINE


def _rows(kind: Kind) -> Iterator[list[str]]:
    """Yield rows of the actions of the presets; components with the same actions share a row."""
    groups: dict[tuple[Action, ...], list[Component]] = {}
    for component in kind.check.components:
        groups.setdefault(kind.check.presets[component], []).append(component)
    for columns, components in groups.items():
        words = [action.value for action in columns]
        setting = _BY_SETTING.get(components[0])
        yield [kind.slug, _listed(components), *([setting] * len(words) if setting else words)]


def _explain(args: argparse.Namespace, console: Console) -> int:
    for number, kind in enumerate(args.kinds):
        if args.json:
            console.out.json(_as_json(kind))
            continue
        if number:
            console.out.line()
        for line in _explanation(kind, console.out):
            console.out.line(line)
    return FINE


def _explanation(kind: Kind, printer: Printer) -> Iterator[str]:
    check = kind.check
    yield f"{printer.painted(kind.slug, Colour.STRONG)}: {check.summary}"
    yield ""
    yield from aligned([["where", *_PRESETS], *(row[1:] for row in _rows(kind))])
    yield ""
    yield from _entries("can be", {each: ", ".join(_supported(kind, each)) for each in check.components})
    yield from _entries("bare", {each: _spaced(members) for each, members in check.bare.items()})
    yield from _entries("escaped", {each: _spaced(members) for each, members in check.escaped.items()})
    if setting := _BY_SETTING.get(check.components[0]):
        yield from _entry("set by", f"the setting {setting} of the middleware, not by a policy")
    if kind in JUDGED:
        yield from _entry("also in", "cookie, referer: with the setting headers= of the middleware")
    yield from _entry("only in", "names" if check.names_only else "")
    yield from _entry("family", check.family.value)
    yield from _entry("limit", check.limit)
    yield from _entry("hidden in", ", ".join(_views(kind)))
    yield from _entry("repair", check.repair.summary if check.repair else "")
    yield from _entry("charset", _CHARSET if kind is Kind.ILL_FORMED_UTF8 else "")
    guarantees = {
        "to allow it": check.if_allowed,
        "to edit it": check.if_edited,
        "to preserve it": check.if_preserved,
    }
    for label, text in guarantees.items():
        yield from _entry(label, f"you must guarantee: {text}" if text else "")
    yield from _entry("answer", str(check.status))
    yield from _entry("see", check.reference)
    yield from _entries("example", {each: _clipped(octets) for each, octets in check.example.items()})
    yield from _entries("near miss", {each: _clipped(octets) for each, octets in check.near_miss.items()})


def _entries(label: str, texts: Mapping[Component, str]) -> Iterator[str]:
    """Yield the entries of components; components with the same text share an entry."""
    groups: dict[str, list[Component]] = {}
    for component, text in texts.items():
        groups.setdefault(text, []).append(component)
    for text, components in groups.items():
        yield from _entry(label, text, f"{_listed(components)}: ")


def _entry(label: str, text: str, place: str = "") -> Iterator[str]:
    """Yield a label and its text, wrapped; yield nothing if the text is empty."""
    return iter(
        textwrap.wrap(
            place + text if text else "",
            _WIDTH,
            initial_indent=label.ljust(_LABEL),
            subsequent_indent=" " * (_LABEL + len(place)),
            break_on_hyphens=False,
        )
    )


def _spaced(characters: Characters) -> str:
    return str(characters).replace(",", ", ")


def _clipped(octets: bytes) -> str:
    """Write octets; three dots stand for the middle of long ones, because a fault is often at the end."""
    if len(octets) <= _LONGEST:
        return shown_octets(octets, _LONGEST) or "nothing"
    half = _LONGEST // 2
    return f"{shown_octets(octets[:half], half)}...{shown_octets(octets[-half:], half)}"


def _supported(kind: Kind, component: Component) -> list[str]:
    return [action.value for action in Action if action in kind.check.actions[component]]


def _views(kind: Kind) -> list[str]:
    return sorted(view.value for view in kind.check.hidden_in)


def _listed(components: list[Component]) -> str:
    return ", ".join(component.value for component in components)


def _as_json(kind: Kind) -> dict[str, object]:
    check = kind.check
    return {
        "kind": kind.slug,
        "summary": check.summary,
        "family": check.family.value,
        "components": {
            component.value: {
                **{
                    preset: action.value
                    for preset, action in zip(_PRESETS, check.presets[component], strict=True)
                },
                "actions": _supported(kind, component),
                "bare": str(check.bare.get(component, "")),
                "escaped": str(check.escaped.get(component, "")),
                "example": check.example[component].decode("latin-1"),
                "near_miss": check.near_miss[component].decode("latin-1"),
            }
            for component in check.components
        },
        "names_only": check.names_only,
        "limit": check.limit or None,
        "hidden_in": _views(kind),
        "repair": check.repair.summary if check.repair else None,
        "if_allowed": check.if_allowed,
        "if_edited": check.if_edited,
        "if_preserved": check.if_preserved,
        "status": check.status,
        "reference": check.reference,
    }


KINDS: Final = Command(
    name="kinds",
    summary="list the kinds of faults that a URL can have",
    details="Shows each kind by component, with the action of each preset.",
    example="""\
$ postel kinds""",
    options=no_arguments,
    arguments=no_arguments,
    run=_list,
)
EXPLAIN: Final = Command(
    name="explain",
    summary="explain a kind in full",
    details="",
    example="""\
$ postel explain encoded-slash""",
    options=no_arguments,
    arguments=_expect_kinds,
    run=_explain,
)
