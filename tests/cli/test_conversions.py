"""``encode``, ``decode``, ``clean``, ``pretty``: texts in, texts out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postel import uri
from postel.cli._encode import DECODE, ENCODE
from postel.uri import Place
from terminal import run

ROWS = [
    (["encode", "François"], "Fran%C3%A7ois"),
    (["encode", "a/b;c=d"], "a%2Fb%3Bc%3Dd"),
    (["encode", ""], ""),
    (["encode", "--place", "segment", "a b"], "a%20b"),
    (["encode", "--place", "query", "a=b c"], "a%3Db%20c"),
    (["encode", "--place", "query-name", "a=b"], "a%3Db"),
    (["encode", "--place", "query-value", "a=b"], "a=b"),
    (["encode", "--place", "query", "--plus", "a b+"], "a+b%2B"),
    (["encode", "--plus", "a=b c"], "a%3Db+c"),
    (["encode", "--place", "form", "a b"], "a+b"),
    (["encode", "--place", "form", "--no-plus", "a b"], "a%20b"),
    (["encode", "--no-plus", "a b"], "a%20b"),
    (["encode", "--place", "userinfo", "a:b@c"], "a%3Ab%40c"),
    (["encode", "--place", "fragment", "a b#"], "a%20b%23"),
    (["encode", "--charset", "latin-1", "Ä"], "%C4"),
    (["encode", "--", "--place"], "--place"),
    (["decode", "Fran%C3%A7ois"], "François"),
    (["decode", "a+b%2B"], "a+b+"),
    (["decode", "--plus", "a+b%2B"], "a b+"),
    (["decode", "--place", "form", "a+b"], "a b"),
    (["decode", "--place", "query", "a+b"], "a b"),
    (["decode", "--place", "query", "--no-plus", "a+b"], "a+b"),
    (["decode", "--charset", "latin-1", "%C4"], "Ä"),
    (["decode", "--charset", "ASCII", "a%20b"], "a b"),
    (["clean", "/100%/a b"], "/100%25/a%20b"),
    (["clean", "http://[::1]/[é]"], "http://[::1]/%5B%C3%A9%5D"),
    (["clean", "/%23"], "/%23"),
    (["pretty", "/%7euser/caf%c3%a9?%26"], "/~user/café?%26"),
]


@pytest.mark.parametrize(
    ("argv", "out"), ROWS, ids=lambda each: " ".join(each) if isinstance(each, list) else ""
)
def test_a_text(argv: list[str], out: str) -> None:
    ended = run(*argv)
    assert (ended.code, ended.out, ended.err) == (0, f"{out}\n", "")


FAULTS = [
    pytest.param(
        ["decode", "x", "%C3%A9%C0%AF"],
        "error[ill-formed-utf8]",
        "argument 2, octet 6",
        "^^^^^^ overlong",
        id="utf-8",
    ),
    pytest.param(["decode", "é50%"], "error[malformed-escape]", "octet 4", "^", id="escape"),
    pytest.param(["decode", "\udcff"], "error[lone-surrogate]", "octet 0", "^^^^", id="octet"),
    pytest.param(
        ["decode", "--charset", "ascii", "é"], "warning[undecodable]", "octet 0", "^^^^^^^^", id="bare"
    ),
    pytest.param(
        ["decode", "--charset", "ascii", "%E9"], "warning[undecodable]", "octet 0", "^^^", id="escaped"
    ),
    pytest.param(
        ["decode", "--charset", "cp1252", "a%81"], "warning[undecodable]", "octet 1", "^^^", id="charset"
    ),
    pytest.param(["encode", "a\ud800"], "error[lone-surrogate]", "octet 1", "^" * 12, id="half a character"),
    pytest.param(
        ["encode", "--charset", "ascii", "né"], "warning[not-in-charset]", "octet 1", "^" * 8, id="ascii"
    ),
    pytest.param(["clean", "/\udce9"], "error[lone-surrogate]", "octet 1", "^^^^", id="clean"),
    pytest.param(["pretty", "/\udce9"], "error[lone-surrogate]", "octet 1", "^^^^", id="pretty"),
]


@pytest.mark.parametrize(("argv", "label", "place", "carets"), FAULTS)
def test_a_fault(argv: list[str], label: str, place: str, carets: str) -> None:
    ended = run(*argv)
    assert ended.code == 1
    told = ended.err.splitlines()
    assert told[0].startswith(f"{label}: ")
    assert told[1] == f" --> {place}"
    assert told[4].removeprefix("  | ").strip() == carets


def test_a_fault_does_not_stop_the_others() -> None:
    ended = run("decode", given=b"a%20b\n%zz\n%00\r\nc")
    assert (ended.code, ended.out) == (1, "a b\n\\x00\nc\n")
    assert " --> line 2, octet 0\n" in ended.err


def test_lines_are_taken_as_octets() -> None:
    ended = run("encode", given=b"caf\xe9\n\xc3\xa9\n\n")
    assert (ended.code, ended.out) == (1, "%C3%A9\n\n")
    assert "  | caf\\xe9\n  |    ^^^^\n" in ended.err


def test_without_lines_there_is_nothing_to_say() -> None:
    assert run("encode").out == ""


def test_what_a_terminal_obeys_is_shown_escaped_and_said_so_once() -> None:
    ended = run("decode", "%1B[2J", "%0D%0A", "a%E2%80%AEb", "%C2%9B", "%E2%80%A8")
    assert ended.out.splitlines() == ["\\x1b[2J", "\\r\\n", "a\\u202eb", "\\x9b", "\\u2028"]
    assert ended.err.count("note:") == 1
    assert ended.code == 0


def test_text_that_people_read_is_shown_as_it_is() -> None:
    family = "\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN} a\u200cb c:\\x1b"
    assert run("decode", uri.encode_component(family)).out == f"{family}\n"


def test_what_the_stream_lacks_is_shown_escaped() -> None:
    assert run("decode", "%C3%A9%E6%BC%A2", encoding="latin-1").out == "é\\u6f22\n"
    assert run("encode", "--help", encoding="ascii").out.splitlines()[-2].endswith("S\\xf6hne'")


def test_for_machines() -> None:
    ended = run("decode", "--json", "%1B", "é%zz", "\udcff", "--charset", "utf-8")
    told = [json.loads(line) for line in ended.out.splitlines()]
    assert (ended.code, ended.err) == (1, "")
    assert ended.out.isascii()
    assert told[0] == {"input": "%1B", "output": "\x1b", "error": None}
    assert told[1] == {
        "input": "é%zz",
        "output": None,
        "error": {
            "what": "malformed-escape",
            "summary": "a percent sign that two hex digits do not follow",
            "offset": 1,
            "excerpt": "%zz",
            "detail": "",
        },
    }
    assert (told[2]["input"], told[2]["error"]["what"]) == ("\N{REPLACEMENT CHARACTER}", "lone-surrogate")


def test_for_machines_what_cannot_be_said() -> None:
    [told] = [
        json.loads(line) for line in run("encode", "--json", "--charset", "ascii", "aé").out.splitlines()
    ]
    assert told["error"]["offset"] == 1
    assert told["error"]["detail"] == ""


MISUSE = [
    (["encode", "--plus", "--place", "segment", "x"], "a + is no space in a segment"),
    (["decode", "--plus", "--place", "fragment", "x"], "a + is no space in a fragment"),
    (["encode", "--place", "host", "x"], "invalid choice: 'host'"),
    (["encode", "--charset", "klingon", "x"], "Python knows no charset 'klingon'"),
    (["encode", "--charset", "base64", "x"], "Python knows no charset 'base64'"),
    (["encode", "--charset", "a\0b", "x"], "Python knows no charset 'a\\x00b'"),
    (["encode", "--charset", "\udcff", "x"], "Python knows no charset '\\udcff'"),
    (["decode", "--charset", "undefined", "x"], "Python knows no charset 'undefined'"),
    (["encode", "--oops"], "unrecognized arguments: --oops"),
    (["encode", "--pl", "form", "x"], "unrecognized arguments: --pl"),
]


@pytest.mark.parametrize(("argv", "message"), MISUSE)
def test_misuse(argv: list[str], message: str) -> None:
    ended = run(*argv)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err


@pytest.mark.parametrize("command", [ENCODE.name, DECODE.name])
def test_the_help_names_every_place(command: str) -> None:
    told = run(command, "--help").out
    assert all(place.value in told.replace("\n" + " " * 24, " ") for place in Place)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_for_machines_decode_gives_back_what_encode_was_given(text: str) -> None:
    encoded = run("encode", "--", text).out.removesuffix("\n")
    assert json.loads(run("decode", "--json", "--", encoded).out)["output"] == text
