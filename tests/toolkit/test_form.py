from __future__ import annotations

import pytest

from postel import form
from postel.uri import DecodeError


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("", []),
        ("a=b&c", [("a", "b"), ("c", "")]),
        ("a+b=%2B", [("a b", "+")]),
        ("%=%zz", [("%", "%zz")]),
        ("a=\ud800x\ud83d\ude00\udc00", [("a", "\ufffdx😀\ufffd")]),
        ("a=é%FF", [("a", "é\ufffd")]),
        ("\ufeffa=1;b=2", [("\ufeffa", "1;b=2")]),
    ],
)
def test_a_form_is_parsed_to_pairs(text: str, pairs: list[tuple[str, str]]) -> None:
    assert form.parse(text) == pairs


def test_octets_are_parsed_to_pairs() -> None:
    assert form.parse(b"a=\xc3\xa9\xff&b=%C3\xa9") == [("a", "é\ufffd"), ("b", "é")]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("a\nb", "a%0D%0Ab"),
        ("a\rb", "a%0D%0Ab"),
        ("a\r\nb", "a%0D%0Ab"),
        ("\n\r\r\n\n", "%0D%0A%0D%0A%0D%0A%0D%0A"),
        ("\x0b\x0c\x85\u2028", "%0B%0C%C2%85%E2%80%A8"),
    ],
)
def test_line_breaks_are_cr_lf(value: str, written: str) -> None:
    assert form.serialize([("t", value)]) == f"t={written}"
    assert form.serialize([(value, "")]) == f"{written}="


def test_line_breaks_are_unchanged_on_request() -> None:
    pairs = [("a\nb", "c\rd\r\n")]
    assert form.serialize(pairs, crlf=False) == "a%0Ab=c%0Dd%0D%0A"
    assert form.parse(form.serialize(pairs, crlf=False)) == pairs


def test_pairs_are_serialized() -> None:
    everything = "".join(map(chr, range(0x20, 0x7F)))
    written = form.serialize([("q", everything)])
    assert written == (
        "q=+%21%22%23%24%25%26%27%28%29*%2B%2C-.%2F0123456789%3A%3B%3C%3D%3E%3F%40"
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ%5B%5C%5D%5E_%60abcdefghijklmnopqrstuvwxyz%7B%7C%7D%7E"
    )
    assert form.serialize([]) == ""
    with pytest.raises(DecodeError, match="lone-surrogate"):
        form.serialize([("a", "\ud800")])
