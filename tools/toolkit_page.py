"""The tables of docs/toolkit.md, from the code and from tests/toolkit/capabilities.toml.

``make pages`` runs this file, which writes them anew.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, get_args

from postel import form, javascript, uri
from postel.uri import Place
from toolkit.corpora import CHECKOUT, HERE

PAGE: Final = CHECKOUT / "docs" / "toolkit.md"
PUNCTUATION: Final = [chr(point) for point in range(0x20, 0x7F) if not chr(point).isalnum()]
NAMES: Final = {"uri": uri, "form": form, "javascript": javascript, "Place": Place}


@dataclass(frozen=True)
class Capability:
    """A requirement of a specification, the call and command that meet it, and their results."""

    asks: str
    source: str
    call: str
    gives: str
    command: str = ""
    prints: str = ""

    def answer(self) -> object:
        """Return the result of the call, or the error that it raises."""
        try:
            return eval(self.call, dict(NAMES))  # noqa: S307 - our own file
        except (uri.BuildError, uri.DecodeError) as error:
            return error

    def spelled(self) -> str:
        """Return the result as capabilities.toml spells it."""
        answer = self.answer()
        return f"{type(answer).__name__}: {answer}" if isinstance(answer, ValueError) else repr(answer)


def capabilities() -> list[Capability]:
    rows = tomllib.loads((HERE / "capabilities.toml").read_text(encoding="utf-8"))["row"]
    return [Capability(**row) for row in rows]


def code(text: str) -> str:
    """Text as code in a cell."""
    fence = "``" if "`" in text else "`"
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")


def of_capabilities() -> list[str]:
    """The table of requirements."""
    lines = ["| requirement | source | call and result | command |", "|---|---|---|---|"]
    for row in capabilities():
        printed = row.prints.splitlines()[0] if row.prints else ""
        command = code(row.command) if row.command else "none"
        if printed:
            command += f"<br>{code(printed)}"
        lines.append(f"| {row.asks} | {row.source} | {code(row.call)}<br>{code(row.gives)} | {command} |")
    return lines


def of_places() -> list[str]:
    """The table of characters that stay bare, from the members of the enum."""
    spaces = {
        None: "`%20`",
        False: "`%20`, or `+` with `plus=True`",
        True: "`+`, or `%20` with `plus=False`",
    }
    return [
        "| `Place` | punctuation that stays bare | a space |",
        "|---|---|---|",
        *(
            f"| `{place.name}` | `{bare}` | {spaces[place.plus]} |"
            for place in Place
            for bare in [" ".join(c for c in PUNCTUATION if c not in place.escaped)]
        ),
    ]


def of_address_bars() -> list[str]:
    """The table of what ``clean`` and each browser write for each character in each component."""
    browsers = get_args(uri.Browser)
    writers: list[Callable[[str], str]] = [uri.clean]
    writers += [lambda text, browser=browser: uri.address_bar(text, browser=browser) for browser in browsers]
    heads = ["`clean`", *(browser.capitalize() for browser in browsers)]
    names = {" ": "space", "\t": "tab (line ends alike)", "\x7f": "DEL (controls alike)"}
    names |= {"é": "`é` (all outside ASCII alike)", "%": "`%` that begins no escape"}
    leads = {"path": "/", "query": "/?", "fragment": "/#"}
    lines = [
        "| | "
        + " | ".join(f"{component}: {heads[0]} | " + " | ".join(heads[1:]) for component in leads)
        + " |",
        "|---" * (1 + len(leads) * len(writers)) + "|",
    ]
    for character in [*PUNCTUATION, "\t", "\x7f", "é"]:
        cells = [
            _cell(character, write(f"http://h{lead}a{character}b"), f"http://h{lead}a")
            for lead in leads.values()
            for write in writers
        ]
        delimits = {"path": "?#", "query": "#", "fragment": ""}
        for at, component in enumerate(leads):
            if character in delimits[component]:
                cells[at * len(writers) : (at + 1) * len(writers)] = ["delimiter"] * len(writers)
        if set(cells) - {"bare", "delimiter"}:
            lines.append(f"| {names.get(character, code(character))} | {' | '.join(cells)} |")
    return lines


def _cell(character: str, written: str, front: str) -> str:
    became = written.removeprefix(front).removesuffix("b")
    if became == character:
        return "bare"
    if not became:
        return "removed"
    return f"`{became}`" if became.startswith("%") else f"becomes `{became}`"


TABLES: Final = {
    "capabilities": of_capabilities,
    "places": of_places,
    "address bars": of_address_bars,
}


def renewed(page: str) -> str:
    """The page with current tables."""
    for name, table in TABLES.items():
        pattern = rf"(?<=<!-- {name} -->\n)(?:\|.*\n)*"
        page, count = re.subn(pattern, lambda _, table=table: "\n".join(table()) + "\n", page)
        if count != 1:
            raise SystemExit(f"docs/toolkit.md must have one table below the mark {name!r}, not {count}")
    return page


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
