"""The toolkit's page and docstrings: every example runs, and no table is written by hand."""

from __future__ import annotations

import doctest
import importlib

import pytest

from postel import uri
from postel.uri import Place
from toolkit.corpora import CHECKOUT

PAGE = CHECKOUT / "docs" / "toolkit.md"
MODULES = [
    "postel.uri",
    "postel.form",
    "postel.javascript",
    "postel.uri._building",
    "postel.uri._cleaning",
    "postel.uri._encoding",
    "postel.uri._pretty",
]
PUNCTUATION = [chr(point) for point in range(0x20, 0x7F) if not chr(point).isalnum()]


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_docstrings_run(module: str) -> None:
    results = doctest.testmod(importlib.import_module(module))
    assert results.attempted > 0
    assert results.failed == 0


def test_examples_of_the_page_run() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert results.attempted > 30
    assert results.failed == 0


def places() -> list[str]:
    """The table of places, from the members of the enum."""
    spaces = {
        None: "`%20`",
        False: "`%20`, or `+` with `plus=True`",
        True: "`+`, or `%20` with `plus=False`",
    }
    return [
        f"| `{place.name}` | `{bare}` | {spaces[place.plus]} |"
        for place in Place
        for bare in [" ".join(c for c in PUNCTUATION if c not in place.escaped)]
    ]


def address_bars() -> list[str]:
    """What is escaped: by ``clean`` as it does, by browsers as the URL Standard has it."""
    columns = [
        ("/", uri.PATH_SET, {"?": "delimiter", "#": "delimiter", "\\": "becomes `/`"}),
        ("?", uri.SPECIAL_QUERY_SET, {"#": "delimiter"}),
        ("#", uri.FRAGMENT_SET, {}),
    ]
    rows: list[str] = []
    for character in [*PUNCTUATION, "\t", "\x7f", "é"]:
        cells: list[str] = []
        for lead, escaping, special in columns:
            cleaned = uri.clean(f"{lead}a{character}b")[2:-1]
            browsers = uri.percent_encode(character, escaping=escaping)
            if special.get(character) == "delimiter":
                cells += ["delimiter", "delimiter"]
            elif character == "\t":
                # URL Standard, section 4.4: the parser removes tabs and newlines before all else.
                cells += [f"`{cleaned}`", "removed"]
            else:
                cells += [
                    "bare" if cleaned == character else f"`{cleaned}`",
                    special.get(character, "bare" if browsers == character else f"`{browsers}`"),
                ]
        if any(cell not in {"bare", "delimiter"} for cell in cells):
            names = {" ": "space", "\t": "tab (line ends alike)", "\x7f": "DEL (controls alike)"}
            names |= {"é": "`é` (all outside ASCII alike)", "%": "`%` that begins no escape"}
            names |= {"|": "`\\|`", "`": "`` ` ``"}
            rows.append(f"| {names.get(character, f'`{character}`')} | {' | '.join(cells)} |")
    return rows


@pytest.mark.parametrize(
    ("heading", "rows"),
    [
        pytest.param("<!-- places -->", places(), id="places"),
        pytest.param("<!-- address bars -->", address_bars(), id="address bars"),
    ],
)
def test_tables_are_what_the_code_says(heading: str, rows: list[str]) -> None:
    table = PAGE.read_text(encoding="utf-8").split(heading)[1].lstrip("\n").splitlines()
    written = table[2 : 2 + len(rows)]
    assert written == rows
    assert not table[2 + len(rows)].startswith("|")


def test_the_page_names_every_character_class() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in uri.__all__ if name.isupper() or name[-1].isupper())
