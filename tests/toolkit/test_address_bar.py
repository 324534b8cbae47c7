"""Address bars, compared with the tables in the browsers' sources and with the answers of Chromium."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from postel import uri
from postel.uri import DecodeError
from toolkit.corpora import HERE

FACTS: dict[str, Any] = tomllib.loads((HERE / "address_bars.toml").read_text(encoding="utf-8"))
LEADS = {"path": "http://h/", "query": "http://h/?", "fragment": "http://h/#"}
LEFT_OUT = {"path": "?#%\\", "query": "#%", "fragment": "%"}


@pytest.mark.parametrize(
    "table", FACTS["table"], ids=lambda table: f"{table['browser']}, {table['component']}"
)
def test_the_escapes_equal_those_of_the_sources(table: dict[str, str]) -> None:
    lead = LEADS[table["component"]]
    for point in range(0x100):
        character = chr(point)
        if character in "\t\n\r" or character in LEFT_OUT[table["component"]]:
            continue
        escaped = character in table["escaped"] or not 0x20 <= point < 0x7F
        written = "".join(f"%{octet:02X}" for octet in character.encode()) if escaped else character
        assert uri.address_bar(f"{lead}a{character}b", browser=table["browser"]) == f"{lead}a{written}b"


@pytest.mark.parametrize("component", LEADS)
def test_chromium_gave_the_same_answers(component: str) -> None:
    lead, changed = LEADS[component], FACTS["recorded"][component]
    for character in [*map(chr, range(1, 0x80)), "é"]:
        if character in {"?", "#"}:
            continue
        written = changed.get(character, f"a{character}b")
        assert uri.address_bar(f"{lead}a{character}b", browser="chrome") == lead + written
    assert len(changed) > 30


@pytest.mark.parametrize("browser", ["firefox", "chrome"])
@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param(" \x00http://h/a b \n", "http://h/a%20b", id="white space at the ends"),
        pytest.param("ht\ntp://h/a\tb?c\rd", "http://h/ab?cd", id="characters that are removed"),
        pytest.param("http://[::1]:80/[a]%zz%", "http://[::1]:80/[a]%zz%", id="brackets and percent signs"),
        pytest.param("http:\\\\h\\a\\b?\\#\\", "http:\\\\h/a/b?\\#\\", id="backslashes"),
        pytest.param("münchen.de/ä?ö#ü", "münchen.de/%C3%A4?%C3%B6#%C3%BC", id="a host is not escaped"),
        pytest.param("http://me@h", "http://me@h", id="no path"),
        pytest.param("/a b?c?d#e?f#g", "/a%20b?c?d#e?f#g", id="a path alone"),
        pytest.param("//h/a/../b/./%2e", "//h/a/../b/./%2e", id="dots stay"),
    ],
)
def test_both_browsers_send_the_same_url(typed: str, sent: str, browser: uri.Browser) -> None:
    assert uri.address_bar(typed, browser=browser) == sent


def test_invalid_arguments_raise() -> None:
    with pytest.raises(DecodeError, match="lone-surrogate at 8"):
        uri.address_bar("http://h\ud800", browser="chrome")
    with pytest.raises(ValueError, match="browser is 'lynx'; it can be 'firefox' or 'chrome'"):
        uri.address_bar("", browser="lynx")  # The value is wrong on purpose.
