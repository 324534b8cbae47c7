"""``encode``, ``decode``, ``clean``, ``pretty``: text in, text out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postel import uri
from postel.cli._console import Printer
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
    (["encode", "--place", "query-value", "a=b"], "a%3Db"),
    (
        ["encode", " !\"#$%&'()*+,/:;<=>?@[\\]^`{|}-._~aA0"],
        "%20%21%22%23%24%25%26%27%28%29%2A%2B%2C%2F%3A%3B%3C%3D%3E%3F%40%5B%5C%5D%5E%60%7B%7C%7D-._~aA0",
    ),
    (["encode", "--whole", "a\r\nb"], "a%0D%0Ab"),
    (["encode", "--newline", "lf", "a\r\nb\rc"], "a%0Ab%0Ac"),
    (["encode", "--newline", "cr", "a\r\nb\n"], "a%0Db%0D"),
    (["encode", "--newline", "keep", "--place", "form", "a\nb"], "a%0Ab"),
    (["encode", "--place", "form", "a\nb"], "a%0D%0Ab"),
    (["encode", "--octets", "\udcff\0é"], "%FF%00%C3%A9"),
    (["encode", "--octets", "--place", "form", "a b\n"], "a+b%0A"),
    (["encode", "--octets", "--place", "segment", "--newline", "crlf", "&\n"], "&%0D%0A"),
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
    (["decode", "--errors", "drop", "a%FF%zzé"], "azzé"),
    (["decode", "--errors", "replace", "--charset", "ascii", "a%FFé"], "a\ufffdé"),
    (["clean", "/100%/a b"], "/100%25/a%20b"),
    (["clean", "http://[::1]/[é]"], "http://[::1]/%5B%C3%A9%5D"),
    (["clean", "/%23"], "/%23"),
    (["clean", "--as", "firefox", "http://h/a|b\\c?'[%"], "http://h/a|b/c?%27[%"),
    (["clean", "--as", "chrome", "http://h/a|b\\c?'[%"], "http://h/a%7Cb/c?%27[%"),
    (["pretty", "/%41%7euser/caf%C3%A9?%26"], "/%41%7euser/café?%26"),
    (["pretty", "--respell", "/%41%7euser/caf%c3%a9?%26"], "/A~user/café?%26"),
    (["pretty", "--spaces", "/a%20b%7C%C2%A0%20"], "/a b|%C2%A0%20"),
]


@pytest.mark.parametrize(
    ("argv", "out"), ROWS, ids=lambda each: " ".join(each) if isinstance(each, list) else ""
)
def test_a_text_is_converted(argv: list[str], out: str) -> None:
    ended = run(*argv)
    assert (ended.code, ended.out, ended.err) == (0, f"{out}\n", "")


FAULTS = [
    pytest.param(
        ["decode", "x", "%C3%A9%C0%AF"],
        "error[ill-formed-utf8]",
        "argument 2, octet 6",
        "^^^^^^ overlong",
        id="decode, ill-formed UTF-8",
    ),
    pytest.param(
        ["decode", "é50%"], "error[malformed-escape]", "octet 4", "^", id="decode, a malformed escape"
    ),
    pytest.param(
        ["decode", "\udcff"], "error[lone-surrogate]", "octet 0", "^^^^", id="decode, an undecodable octet"
    ),
    pytest.param(
        ["decode", "--charset", "ascii", "é"],
        "warning[undecodable]",
        "octet 0",
        "^^^^^^^^",
        id="decode, a bare character beyond ASCII",
    ),
    pytest.param(
        ["decode", "--charset", "ascii", "%E9"],
        "warning[undecodable]",
        "octet 0",
        "^^^",
        id="decode, an escape beyond ASCII",
    ),
    pytest.param(
        ["decode", "--charset", "cp1252", "a%81"],
        "warning[undecodable]",
        "octet 1",
        "^^^",
        id="decode, an octet that the charset does not define",
    ),
    pytest.param(
        ["encode", "a\ud800"], "error[lone-surrogate]", "octet 1", "^" * 12, id="encode, a lone surrogate"
    ),
    pytest.param(
        ["encode", "--charset", "ascii", "né"],
        "warning[not-in-charset]",
        "octet 1",
        "^" * 8,
        id="encode, a character beyond the charset",
    ),
    pytest.param(
        ["clean", "/\udce9"], "error[lone-surrogate]", "octet 1", "^^^^", id="clean, an undecodable octet"
    ),
    *(
        pytest.param(
            ["js", name, "a\udcff"], "error[lone-surrogate]", "octet 1", "^^^^", id=f"{name}, no UTF-8"
        )
        for name in ("escape", "unescape", "decodeURI", "encodeURIComponent")
    ),
    pytest.param(
        ["pretty", "/\udce9"], "error[lone-surrogate]", "octet 1", "^^^^", id="pretty, an undecodable octet"
    ),
]


@pytest.mark.parametrize(("argv", "label", "place", "carets"), FAULTS)
def test_a_fault_is_shown_with_its_place_and_carets(
    argv: list[str], label: str, place: str, carets: str
) -> None:
    ended = run(*argv)
    assert ended.code == 1
    told = ended.err.splitlines()
    assert told[0].startswith(f"{label}: ")
    assert told[1] == f" --> {place}"
    assert told[4].removeprefix("  | ").strip() == carets


def test_whole_reads_standard_input_as_one_text() -> None:
    assert run("encode", "--whole", given=b"a\r\nb").out == "a%0D%0Ab\n"
    assert run("encode", "--whole", given=b"\r\n\n\r").out == "%0D%0A%0A%0D\n"
    assert run("encode", "--whole", "--newline", "lf", given=b"a\r\nb\r").out == "a%0Ab%0A\n"
    assert run("encode", "--whole", "--place", "form", given=b"a\nb c").out == "a%0D%0Ab+c\n"
    assert run("encode", given=b"a\r\nb\n").out == "a\nb\n"
    assert run("decode", "--whole", given=b"%41\n%42").out == "A\\nB\n"
    ended = run("encode", "--whole", given=b"a\n\xff")
    assert (ended.code, ended.out) == (1, "")
    assert " --> octet 2\n" in ended.err


@pytest.mark.parametrize("place", Place)
def test_octets_are_read_and_written(place: Place) -> None:
    octets = bytes(range(256)) + b"\r\n+ %41\n"
    encoded = run("encode", "--octets", "--place", place.value, given=octets)
    assert (encoded.code, encoded.err) == (0, "")
    assert encoded.out.count("\n") == 1
    decoded = run(
        "decode", "--octets", "--place", place.value, given=encoded.out.encode(), encoding="latin-1"
    )
    assert (decoded.code, decoded.out.encode("latin-1"), decoded.err) == (0, octets, "")
    told = json.loads(run("decode", "--octets", "--json", "--place", place.value, encoded.out[:-1]).out)
    assert told["output"].encode("latin-1") == octets
    told = json.loads(run("encode", "--octets", "--json", "--place", place.value, given=octets).out)
    assert told == {"input": octets.decode("latin-1"), "output": encoded.out[:-1], "error": None}


def test_octets_are_written_one_after_the_other() -> None:
    ended = run("decode", "--octets", "%00", "%zz", "a+%FF", encoding="latin-1")
    assert (ended.code, ended.out) == (1, "\0a+\xff")
    assert "= write %25 for a percent sign" in ended.err


def test_without_streams_octets_are_dropped() -> None:
    Printer(None).octets(b"\0")


def test_local_says_which_references_stay_on_the_site() -> None:
    ended = run("local", given=b"/a\n//b\r\n\n/\xff\n/\x1b[2J\n")
    assert (ended.code, ended.err) == (1, "")
    assert ended.out == "stays   /a\nleaves  //b\nleaves\nleaves  /\\udcff\nleaves  /\\x1b[2J\n"
    assert run("local", "/a", "?b", terminal=True).out == (
        "\x1b[32mstays \x1b[0m  /a\n\x1b[32mstays \x1b[0m  ?b\n"
    )
    ended = run("local", "--base", "https://h/a", "https://H:443/b", "/c")
    assert (ended.code, ended.out) == (0, "stays   https://H:443/b\nstays   /c\n")
    told = [json.loads(line) for line in run("local", "--json", "/", "/\udcff").out.splitlines()]
    assert told == [{"input": "/", "local": True}, {"input": "/\ufffd", "local": False}]


def test_javascript_functions_by_name() -> None:
    assert run("js", "escape", "ä漢").out == "%E4%u6F22\n"
    assert run("js", "unescape", "%u6f22").out == "漢\n"
    ended = run("js", "encodeURIComponent", "a", "\udcff")
    assert (ended.code, ended.out) == (1, "a\n")
    assert "invalid choice: 'eval'" in run("js", "eval", "1").err


def test_a_fault_does_not_stop_the_others() -> None:
    ended = run("decode", given=b"a%20b\n%zz\n%00\r\nc")
    assert (ended.code, ended.out) == (1, "a b\n\\x00\nc\n")
    assert " --> line 2, octet 0\n" in ended.err


def test_lines_are_read_as_octets() -> None:
    ended = run("encode", given=b"caf\xe9\n\xc3\xa9\n\n")
    assert (ended.code, ended.out) == (1, "%C3%A9\n\n")
    assert "  | caf\\xe9\n  |    ^^^^\n" in ended.err


def test_empty_input_gives_no_output() -> None:
    assert run("encode").out == ""


def test_terminal_controls_are_escaped_with_one_note() -> None:
    ended = run("decode", "%1B[2J", "%0D%0A", "a%E2%80%AEb", "%C2%9B", "%E2%80%A8")
    assert ended.out.splitlines() == ["\\x1b[2J", "\\r\\n", "a\\u202eb", "\\x9b", "\\u2028"]
    assert ended.err.count("note:") == 1
    assert ended.code == 0


def test_readable_text_is_shown_unchanged() -> None:
    family = "\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN} a\u200cb c:\\x1b"
    assert run("decode", uri.encode_component(family)).out == f"{family}\n"


def test_characters_that_the_stream_cannot_encode_are_escaped() -> None:
    assert run("decode", "%C3%A9%E6%BC%A2", encoding="latin-1").out == "é\\u6f22\n"
    assert run("encode", "--help", encoding="ascii").out.splitlines()[-2].endswith("S\\xf6hne'")


def test_json_has_the_input_and_the_output_or_the_error() -> None:
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
            "summary": "a percent sign that is not followed by two hex digits",
            "offset": 1,
            "excerpt": "%zz",
            "detail": "",
            "advice": "write %25 for a percent sign",
        },
    }
    assert (told[2]["input"], told[2]["error"]["what"]) == ("\N{REPLACEMENT CHARACTER}", "lone-surrogate")
    assert told[2]["error"]["advice"] == "convert the input to UTF-8, or use postel encode --octets"


def test_json_of_text_that_cannot_be_encoded() -> None:
    [told] = [
        json.loads(line) for line in run("encode", "--json", "--charset", "ascii", "aé").out.splitlines()
    ]
    assert told["error"]["offset"] == 1
    assert told["error"]["detail"] == ""


MISUSE = [
    (
        ["encode", "--plus", "--place", "segment", "x"],
        "a + is a space only in a query or form, not in a segment",
    ),
    (
        ["decode", "--plus", "--place", "fragment", "x"],
        "a + is a space only in a query or form, not in a fragment",
    ),
    (
        ["encode", "--plus", "--place", "anywhere", "x"],
        "a + is a space only in a query or form; leave --plus out, or",
    ),
    (["encode", "--octets", "--charset", "utf-8", "x"], "octets have no charset; leave --charset out"),
    (["decode", "--octets", "--errors", "drop", "x"], "all octets are valid; leave --errors out"),
    (["decode", "--newline", "lf", "x"], "there is no option --newline; write -- before a text"),
    (["encode", "--newline", "nl", "x"], "invalid choice: 'nl'"),
    (["local", "--base", "site.example", "/"], "argument --base: base is 'site.example'; write an http"),
    (
        ["local", "--base", "https://\udcff/", "/"],
        "argument --base: base has no host that all readers agree on",
    ),
    (["clean", "--as", "lynx", "x"], "invalid choice: 'lynx'"),
    (["encode", "--place", "host", "x"], "invalid choice: 'host'"),
    (["encode", "--charset", "klingon", "x"], "Python does not know the charset 'klingon'"),
    (["encode", "--charset", "base64", "x"], "Python does not know the charset 'base64'"),
    (["encode", "--charset", "a\0b", "x"], "Python does not know the charset 'a\\x00b'"),
    (["encode", "--charset", "\udcff", "x"], "Python does not know the charset '\\udcff'"),
    (["decode", "--charset", "undefined", "x"], "Python does not know the charset 'undefined'"),
    (["encode", "--oops"], "there is no option --oops; write -- before a text"),
    (["encode", "--pl", "form", "x"], "there is no option --pl; write -- before a text"),
]


@pytest.mark.parametrize(("argv", "message"), MISUSE)
def test_invalid_arguments_give_exit_code_2(argv: list[str], message: str) -> None:
    ended = run(*argv)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err


def test_octets_are_never_written_to_a_terminal() -> None:
    ended = run("decode", "--octets", "%1B", terminal=True)
    assert (ended.code, ended.out) == (2, "")
    assert "write to a file or pipe, or add --json" in ended.err
    assert run("decode", "--octets", "--json", "%1B", terminal=True).code == 0


@pytest.mark.parametrize("command", [ENCODE.name, DECODE.name])
def test_the_help_names_every_place(command: str) -> None:
    told = run(command, "--help").out
    assert all(place.value in told.replace("\n" + " " * 24, " ") for place in Place)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_in_json_decode_returns_the_input_of_encode(text: str) -> None:
    encoded = run("encode", "--", text).out.removesuffix("\n")
    assert json.loads(run("decode", "--json", "--", encoded).out)["output"] == text
