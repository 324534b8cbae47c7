from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Callable

import pytest

from postel import form, javascript, uri
from postel.uri import DecodeError
from sampling import EVERY
from toolkit.corpora import Comparison, rows_of, text

SIX: dict[str, Callable[[str], str]] = {
    "escape": javascript.escape,
    "unescape": javascript.unescape,
    "encodeURI": javascript.encodeURI,
    "encodeURIComponent": javascript.encodeURIComponent,
    "decodeURI": javascript.decodeURI,
    "decodeURIComponent": javascript.decodeURIComponent,
}

FIXED: dict[str, Callable[[str], str]] = {
    "fixed_encodeURI": javascript.fixed_encodeURI,
    "fixed_decodeURI": javascript.fixed_decodeURI,
}
"""Two functions that documentation of JavaScript recommends; their source is in NODE."""

NODE = """
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
const fixedEncodeURI = (str) => encodeURI(str).replace(/%5B/g, '[').replace(/%5D/g, ']');
const fixedDecodeURI = (str) => decodeURI(str.replace(/%5B/gi, '[').replace(/%5D/gi, ']'));
const six = [escape, unescape, encodeURI, encodeURIComponent, decodeURI, decodeURIComponent];
const answer = (f, text) => {
  try { return f(text); } catch (error) { if (error instanceof URIError) return null; throw error; }
};
const forms = (text) => {
  const pairs = new URLSearchParams("&" + text);
  return [Array.from(pairs), pairs.toString()];
};
const eight = [...six, fixedEncodeURI, fixedDecodeURI];
const answers = texts.map((text) => [...eight.map((f) => answer(f, text)), forms(text)]);
process.stdout.write(JSON.stringify(answers));
"""

PIECES = [
    *"%%%%/?#[]&=+;,:@$!'()*~-._ aAfFgGzZ09uU<>\\^`{|}\"",
    *(
        "%u",
        "%u00e9",
        "%uD83D",
        "%ude00",
        "%uD83",
        "%2F",
        "%2f",
        "%25",
        "%41",
        "%5B",
        "%5b",
        "%5d",
        "%5D",
        "%255B",
        "%zz",
        "%4",
    ),
    *("%C3%A9", "%c3", "%A9", "%E2%82%AC", "%E2%82", "%F0%9F%98%80", "%ED%A0%80", "%F4%90%80%80"),
    *("%C0%AF", "%E0%80%AF", "%FF", "%F8%80%80%80%80", "%00", "%7F", "%20", "\0", "\x7f", "\n"),
    *("é", "ÿ", "Ā", "漢", "\uffff", "\U0001f600", "\U0010ffff", "\ud83d", "\ude00", "\ud800"),
]


def test_functions_agree_with_test262(request: pytest.FixtureRequest) -> None:
    comparison = Comparison("test262_uri")
    for row in rows_of("test262_uri"):
        given = text(row["in"])
        if row.get("verdict") == "URIError":
            with pytest.raises(DecodeError) as caught:
                SIX[row["op"]](given)
            assert given.startswith(caught.value.excerpt, caught.value.offset)
            comparison.hold(row, lambda: "URIError", "URIError")
        else:
            comparison.hold(row, lambda row=row: SIX[row["op"]](text(row["in"])), text(row["out"]))
    comparison.conclude(request.config)


@EVERY
def test_twenty_thousand_strings_have_the_results_of_node(every: int) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not on PATH")
    dice = random.Random(20_000)  # noqa: S311 - strings, not secrets
    texts = ["".join(dice.choices(PIECES, k=dice.randrange(12))) for _ in range(20_000 // every)]
    run = subprocess.run(  # noqa: S603 - our own script
        [node, "-e", NODE], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    differences: list[tuple[str, str, object, object]] = []
    for given, theirs in zip(texts, json.loads(run.stdout), strict=True):
        ours = [_answer(function, given) for function in (SIX | FIXED).values()]
        if given.isascii():
            pairs = form.parse(given)
            ours.append([[list(pair) for pair in pairs], form.serialize(pairs, crlf=False)])
        else:
            # Beside ill-formed UTF-8, Node 20 reads a bare "é" as the octet E9.
            ours.append(theirs[-1])
        differences += [
            (name, given, mine, other)
            for name, mine, other in zip([*SIX, *FIXED, "URLSearchParams"], ours, theirs, strict=True)
            if mine != other
        ]
    assert differences == []


def _answer(function: Callable[[str], str], given: str) -> object:
    try:
        return function(given)
    except DecodeError:
        return None


@pytest.mark.parametrize(
    ("function", "given", "what", "offset", "excerpt"),
    [
        ("encodeURI", "😀\ud83d", "lone-surrogate", 1, "\ud83d"),
        ("encodeURI", "\ud83d\ude00\ud83d", "lone-surrogate", 2, "\ud83d"),
        ("encodeURIComponent", "a\ude00\ud83d", "lone-surrogate", 1, "\ude00"),
        ("decodeURI", "/%2F%zz", "malformed-escape", 4, "%zz"),
        ("decodeURIComponent", "é%", "malformed-escape", 1, "%"),
        ("decodeURIComponent", "%41%C0%AF", "ill-formed-utf8", 3, "%C0%AF"),
        ("decodeURI", "%C3%2F%zz", "ill-formed-utf8", 0, "%C3"),
        ("fixed_encodeURI", "[\ud800]", "lone-surrogate", 1, "\ud800"),
        ("fixed_decodeURI", "%25%C3", "ill-formed-utf8", 3, "%C3"),
        ("fixed_decodeURI", "%5B%", "malformed-escape", 3, "%"),
        ("stable_encodeURI", "[\ud800]", "lone-surrogate", 1, "\ud800"),
        ("stable_decodeURI", "%25%C3", "ill-formed-utf8", 3, "%C3"),
        ("stable_decodeURI", "%5B%", "malformed-escape", 3, "%"),
    ],
)
def test_functions_raise_where_javascript_throws(
    function: str, given: str, what: str, offset: int, excerpt: str
) -> None:
    with pytest.raises(DecodeError) as caught:
        getattr(javascript, function)(given)
    error = caught.value
    assert (error.what, error.offset, error.excerpt) == (what, offset, excerpt)


def test_two_surrogates_that_form_a_pair_are_one_character() -> None:
    pair = "\ud83d\ude00"
    assert javascript.encodeURI(pair) == javascript.encodeURI("😀") == "%F0%9F%98%80"
    assert javascript.escape(pair) == javascript.escape("😀") == "%uD83D%uDE00"
    assert javascript.unescape("\ud83d%uDE00") == javascript.unescape(pair) == "😀"
    assert javascript.decodeURI(pair) == "😀"


def test_fixed_functions_leave_and_restore_all_brackets() -> None:
    given = "[http://[::1]/é?a[]=%5B1%5d"
    assert javascript.encodeURI(given) == "%5Bhttp://%5B::1%5D/%C3%A9?a%5B%5D=%255B1%255d"
    assert javascript.fixed_encodeURI(given) == "[http://[::1]/%C3%A9?a[]=%255B1%255d"
    assert javascript.fixed_decodeURI(javascript.fixed_encodeURI(given)) == given
    assert javascript.fixed_decodeURI(given) == "[http://[::1]/é?a[]=[1]"
    assert javascript.fixed_decodeURI("%5b%5B%5d%5D%2f%255B") == "[[]]%2f%5B"


def test_only_stable_functions_leave_brackets_and_escapes() -> None:
    given = "http://[::1]/é?a[]=%5B1%5D&b=%20 c%"
    assert javascript.encodeURI(given) == ("http://%5B::1%5D/%C3%A9?a%5B%5D=%255B1%255D&b=%2520%20c%25")
    stable = javascript.stable_encodeURI(given)
    assert stable == "http://[::1]/%C3%A9?a[]=%5B1%5D&b=%20%20c%25"
    assert javascript.stable_encodeURI(stable) == stable
    assert javascript.decodeURI(stable) == "http://[::1]/é?a[]=[1]&b=  c%"
    assert javascript.stable_decodeURI(stable) == "http://[::1]/é?a[]=%5B1%5D&b=  c%25"
    assert javascript.stable_encodeURI(javascript.stable_decodeURI(stable)) == stable


@pytest.mark.parametrize(
    ("given", "decoded", "stable"),
    [
        ("%2541", "%41", "%2541"),
        ("%5b%5D", "[]", "%5b%5D"),
        ("%2f%23%3A", "%2f%23%3A", "%2f%23%3A"),
        ("%41%20%7B", "A {", "A {"),
    ],
)
def test_what_stable_decoding_leaves_escaped(given: str, decoded: str, stable: str) -> None:
    assert javascript.decodeURI(given) == decoded
    assert javascript.stable_decodeURI(given) == stable


def test_every_exported_name_is_tested() -> None:
    assert all(callable(getattr(javascript, name)) for name in javascript.__all__)
    assert set(SIX) < set(javascript.__all__)
    assert uri.DecodeError is DecodeError
