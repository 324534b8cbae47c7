"""Multipart forms under a policy: a table of hostile ones, and how they pass through the middleware."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from itertools import chain
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from multipart import MultipartParser, ParserError

from adapters import EACH_PROTOCOL, Protocol
from bodies import post
from laws.strategies import form_policies
from postel import LATIN, Action, Component, Forms, Json, Kind, Policy, PolicyError
from postel._alphabet.percent import percent_decode
from postel._alphabet.steps import finished
from postel._bodies.content_type import content_type
from postel._bodies.multipart import MultipartRules
from postel._bodies.multipart_type import multipart_type
from postel._bodies.urlencoded import FormRules, JudgedForm

PRESETS: Final = {"strict": Policy.STRICT, "standard": Policy.STANDARD, "lenient": Policy.LENIENT}
RULES: Final = {name: MultipartRules(policy, Forms()) for name, policy in PRESETS.items()}
TYPE: Final = "multipart/form-data; boundary=zz"
JUDGE: Final = Forms(multipart="judge", keep=True, upload=2**16)
DISPOSITION: Final = b'Content-Disposition: form-data; name="a"'
FILE: Final = DISPOSITION + b'; filename="f.txt"'
OWN: Final = (
    Kind.MULTIPART_SYNTAX, Kind.PART_HEADER, Kind.PART_CODING, Kind.PART_SPELLING, Kind.FILENAME_PATH,
    Kind.FILENAME_DEVICE,
)  # fmt: skip


PIECES: Final = [
    b"--zz", b"\r\n", b"--", b"\n", DISPOSITION, FILE, b"\r\n\r\n", b"a", b'"', b";", b" ", b"\\", b"%22",
    b"\0", b":", "é".encode(), b"\xff", b'; filename="b"', b"Content-Type: text/plain",
]  # fmt: skip
TEXTS: Final = [
    b"a", b"\0", b"\xff", b"\n", b"%00", "\u202e".encode(), b"\x1b", "e\u0301".encode(), b"windows-1252",
    b"//h", "\u202ea".encode() * 20,
]  # fmt: skip
"""What policies report, edit and refuse in texts."""


def body(*parts: bytes, end: bytes = b"--\r\n") -> bytes:
    """Join parts with boundaries. Each part is header fields, an empty line and a content."""
    return b"".join(b"--zz\r\n" + part + b"\r\n" for part in parts) + b"--zz" + end


def part(head: bytes = DISPOSITION, content: bytes = b"1") -> bytes:
    return head + b"\r\n\r\n" + content


def named(parameters: bytes) -> bytes:
    return body(part(b"Content-Disposition: form-data; " + parameters))


def judged(octets: bytes, preset: str = "standard", **given_: Any) -> JudgedForm:
    return RULES[preset].judge(octets, b"zz", **given_)


def kinds(result: JudgedForm) -> list[str]:
    return [finding.kind.slug for finding in result.findings if finding.action is Action.REJECT]


# -- the catalogue -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", OWN, ids=lambda kind: kind.slug)
def test_the_example_fires_and_the_near_miss_does_not(kind: Kind) -> None:
    check, form = kind.check, Component.FORM
    for preset, action in zip(PRESETS, check.presets[form], strict=True):
        found = RULES[preset].judge(check.example[form], b"x").findings
        expected = [] if action is Action.ALLOW else [(kind, form, action)]
        assert [(each.kind, each.component, each.action) for each in found] == expected
        assert RULES[preset].judge(check.near_miss[form], b"x").findings == ()


# -- a table -------------------------------------------------------------------------------------------------

SAME: Final = [
    ("no part", b"--zz--\r\n"),
    ("no part, and no line end at the end", b"--zz--"),
    ("two line ends at the end, as got writes them", body(part()) + b"\r\n"),
    ("no part, as Go writes it", b"\r\n--zz--\r\n"),
    ("no part, as Go writes it, and no line end at the end", b"\r\n--zz--"),
    ("a text", body(part())),
    ("an empty text", body(part(content=b""))),
    ("text of all planes", body(part(content="é€😀".encode()))),
    ("line breaks of all sorts", body(part(content=b"a\r\nb\nc\rd\r\n"))),
    ("dashes", body(part(content=b"--\r\n--y\r\n-x"))),
    ("one name twice", body(part(), part())),
    ("a file of any octets", body(part(FILE, bytes(range(256))))),
    ("a list of codecs in a type", body(part(FILE + b'\r\nContent-Type: video/webm; codecs="vp8, opus"'))),
    (
        "a name parameter in a type",
        body(part(FILE + b'\r\nContent-Type: text/plain; name="a b.txt"; charset=utf-8')),
    ),
    ("a file and its type", body(part(FILE + b"\r\nContent-Type: text/plain; charset=UTF-8"))),
    ("a text and its type", body(part(DISPOSITION + b"\r\nContent-Type: text/plain; charset=utf-8"))),
    ("the type in front", body(part(b"Content-Type: text/plain\r\n" + DISPOSITION))),
    ("an unknown field", body(part(DISPOSITION + b"\r\nX-Y: z"))),
    ("an asterisk in an unknown field", body(part(DISPOSITION + b"\r\nX-Y: */*; z=1"))),
    ("no file chosen", body(part(DISPOSITION + b'; filename=""', b""))),
    ("a quote as browsers write it", named(b'name="a%22b"')),
    ("a quote as curl writes it", named(b'name="a\\"b"')),
    ("umlauts in names", named('name="ä"; filename="ö.txt"'.encode())),
    ("lookalikes", named('name="a"; filename="a．．／x"'.encode())),
    ("almost devices", named(b'name="a"; filename="NULL.txt"')),
    ("a device after a word", named(b'name="a"; filename="x.con"')),
    ("a file name of 255 characters", named(b'name="a"; filename="' + "ä".encode() * 255 + b'"')),
    ("an ampersand", named(b'name="a"; filename="R&D, Fish & Chips.txt"')),
    ("fields as long as Django reads", body(part(DISPOSITION + b"\r\nX: " + b"y" * 973))),
    ("a narrow blank, as macOS writes it", named('name="a"; filename="3.04\u202fPM.png"'.encode())),
    ("blanks and semicolons", named(b'name="a b; c"; filename="x;y.txt"')),
]
REPAIRED: Final = [
    ("lower case", b'content-disposition: form-data; name="a"'),
    ("another case", b'CONTENT-Disposition: Form-Data; NAME="a"'),
    ("tokens", b"Content-Disposition: form-data; name=a"),
    ("no blank", b'Content-Disposition:form-data;name="a"'),
    (
        "as browsers write it",
        b'Content-Disposition: form-data; name="\\a"'.replace(b"\\a", b"a")[:-1] + b'"',
    ),
    ("an encoding that changes nothing", DISPOSITION + b"\r\nContent-Transfer-Encoding: 8bit"),
    ("the length of the content", DISPOSITION + b"\r\nContent-Length: 1"),
]
_HEADER: Final = "part-header"
_SYNTAX: Final = "multipart-syntax"
REFUSED: Final = [
    ("an empty body", b"", "multipart-syntax"),
    ("another boundary", b"--y--\r\n", "multipart-syntax"),
    ("a preamble", b"\r\n" + body(part()), "multipart-syntax"),
    ("an epilogue", body(part()) + b"x", "multipart-syntax"),
    ("a part after the end", body(part()) + body(part()), "multipart-syntax"),
    ("padding", body(part()).replace(b"--zz\r\n", b"--zz \r\n", 1), "multipart-syntax"),
    ("bare line feeds", body(part()).replace(b"\r\n", b"\n"), "multipart-syntax"),
    ("no end", body(part(), end=b"\r\n"), "multipart-syntax"),
    ("one dash", body(part(), end=b"-\r\n"), "multipart-syntax"),
    ("cut off", body(part())[:-8], "multipart-syntax"),
    ("a boundary in a value", body(part(content=b"a --zz b")), "multipart-syntax"),
    ("a boundary after a bare line feed", body(part(content=b"a\n--zz\r\nb")), "multipart-syntax"),
    ("a boundary without its dashes", body(part(content=b"a zz b")), "multipart-syntax"),
    ("a bare boundary on a line", body(part(FILE, b"a\r\nzz\r\n" + part() + b"--\r\nzz\r\nb")), _SYNTAX),
    ("a boundary at the beginning of a file", body(part(FILE, b"zz--")), "multipart-syntax"),
    ("a boundary at the end of a file", body(part(FILE, b"1\r\n-zz")), "multipart-syntax"),
    ("a boundary in a name", named(b'name="azzb"'), "multipart-syntax"),
    ("a boundary after a backslash in a name", named(b'name="a\\--zz"'), "multipart-syntax"),
    ("a boundary in a header field's name", body(part(DISPOSITION + b"\r\nX-zz: y")), "multipart-syntax"),
    ("a boundary in an escaped file name", named(b"name=\"a\"; filename*=utf-8''%7Az"), "multipart-syntax"),
    ("a longer boundary", body(part(content=b"a\r\n--zzy\r\n")), "multipart-syntax"),
    ("no header fields", body(b"\r\n1"), "part-header"),
    ("no empty line", body(DISPOSITION), "part-header"),
    ("no empty line before the delimiter", b"--zz\r\n" + DISPOSITION + b"\r\n\r\n--zz--\r\n", _HEADER),
    ("no Content-Disposition", body(part(b"Content-Type: text/plain")), "part-header"),
    ("a folded field", body(part(DISPOSITION + b';\r\n filename="b"')), "part-header"),
    ("a blank before the colon", body(part(DISPOSITION.replace(b":", b" :"))), "part-header"),
    ("two dispositions", body(part(DISPOSITION + b"\r\n" + FILE)), "part-header"),
    ("another disposition", body(part(b'Content-Disposition: attachment; name="a"')), "part-header"),
    ("too many fields", body(part(DISPOSITION + b"".join(b"\r\nX-%d: 1" % n for n in range(8)))), _HEADER),
    ("fields too long for Django", body(part(DISPOSITION + b"\r\nX: " + b"y" * 974)), "part-header"),
    ("too long fields", body(part(DISPOSITION + b"\r\nX: " + b"y" * 5000)), "part-header"),
    ("a field beyond ASCII", body(part(DISPOSITION + b"\r\nX: \xe9")), "part-header"),
    ("a wrong length", body(part(DISPOSITION + b"\r\nContent-Length: 2")), "part-header"),
    ("nested parts", body(part(DISPOSITION + b"\r\nContent-Type: multipart/mixed; boundary=y")), _HEADER),
    ("a malformed type", body(part(DISPOSITION + b"\r\nContent-Type: text")), "part-header"),
    ("no name", named(b'filename="b"'), "part-header"),
    ("an escaped quote and a semicolon", named(b'name="a\\"; filename=b"'), "part-header"),
    ("an escaped quote, a semicolon and an escape", named(b'name="a\\";\\ filename=b"'), "part-header"),
    ("an escaped quote and an escaped semicolon", named(b'name="a\\"\\; b"'), "part-header"),
    ("an escaped semicolon in a file name", named(b'name="a"; filename="a\\"\\;\\ b"'), "part-header"),
    ("two names", named(b'name="a"; name="b"'), "part-header"),
    ("name*", named(b"name*=utf-8''b"), "part-header"),
    ("an unknown parameter", named(b'x="; name=b"; name="a"'), "part-header"),
    ("continuations", named(b'name="a"; filename*0="b"'), "part-header"),
    ("blanks around the equals sign", named(b'name = "a"'), "part-header"),
    ("an open quote", named(b'name="a'), "part-header"),
    ("text after a quote", named(b'name="a"b'), "part-header"),
    ("a comma", named(b'name="a", filename="b"'), "part-header"),
    ("a bracket without quotes", named(b"name=a[0]"), "part-header"),
    ("a line break in a token", named(b"name=a%0A"), "name-line-break"),
    ("no part, and two line ends at the end", b"--zz--\r\n\r\n", _SYNTAX),
    ("three line ends at the end", body(part()) + b"\r\n\r\n", _SYNTAX),
    ("a line end and a CR at the end", body(part()) + b"\r", _SYNTAX),
    ("a line end in front of a form with parts", b"\r\n" + body(part()), _SYNTAX),
    ("a line end and a boundary", b"\r\n--zz\r\n", _SYNTAX),
    ("two line ends and no parts", b"\r\n\r\n--zz--\r\n", _SYNTAX),
    ("an empty part, as .NET writes it", b"--zz\r\n\r\n--zz--\r\n", _HEADER),
    ("a backslash before a letter", named(b'name="a\\b"'), "part-header"),
    ("a control", named(b'name="a\x01"'), "part-header"),
    ("NUL", named(b'name="a\0"'), "part-header"),
    ("two file names", named(b"name=\"a\"; filename=\"b.txt\"; filename*=utf-8''c.php"), "part-header"),
    ("a size twice", named(b"name=a; filename=b; size=1; size=1"), _HEADER),
    ("a second name in a quoted size", named(b'size="; name=b"; name="a"'), _HEADER),
    ("a size with an escape", named(b'size="\\""; name="a"'), _HEADER),
    ("an extended date", named(b"name=a; filename=b; modification-date*=utf-8''1"), _HEADER),
    ("apostrophes in one of two file names", named(b"name=a; filename='b'; filename*=utf-8''b"), _HEADER),
    ("an escape in one of two file names", named(b"name=a; filename=b%41; filename*=utf-8''b%41"), _HEADER),
    ("parentheses without quotes", named(b"name=a; filename=b(1)"), _HEADER),
    ("a confirmed path", named(b"name=a; filename=..%; filename*=utf-8''..%2f"), _HEADER),
    ("a file name in latin-1", named(b"name=\"a\"; filename*=iso-8859-1''c"), "part-header"),
    ("a file without a name", body(part(DISPOSITION + b'; filename=""', b"x")), "part-header"),
    ("a form in a part", body(part(FILE + b"\r\nContent-Type: application/x-www-form-urlencoded")), _HEADER),
    ("an empty name", named(b'name=""'), _HEADER),
    ("an empty name of a file", named(b'name=""; filename="b"'), _HEADER),
    ("a long file name", named(b'name="a"; filename="' + b"b" * 256 + b'"'), _HEADER),
    ("an underscore in a field's name", body(part(DISPOSITION + b"\r\nX_Y: z")), _HEADER),
    ("a percent sign in a field's name", body(part(DISPOSITION + b"\r\n%X: z")), _HEADER),
    ("an extended parameter in pieces", body(part(DISPOSITION + b"\r\nX: a; b*=c; b*0=d")), _HEADER),
    ("an extended parameter in a field", body(part(DISPOSITION + b"\r\nX: a; b*=idna''%41")), _HEADER),
    ("a blank in front of a name", named(b'name=" a"'), _HEADER),
    ("a wide blank after a name", named('name="a\u3000"'.encode()), _HEADER),
    ("a name that is an escaped blank", named(b'name="\\ "'), _HEADER),
    ("a character reference", named(b'name="a"; filename="&#47;b"'), _HEADER),
    ("a character reference without its end", named(b'name="a"; filename="b&copy.txt"'), _HEADER),
    ("a line break in an escaped file name", named(b"name=\"a\"; filename*=utf-8''b%0D%0AX:%20y"), _HEADER),
    ("NUL in an escaped file name", named(b"name=\"a\"; filename*=utf-8''b%00"), _HEADER),
    ("base64", body(part(DISPOSITION + b"\r\nContent-Transfer-Encoding: base64")), "part-coding"),
    ("utf-7", body(part(DISPOSITION + b"\r\nContent-Type: text/plain; charset=utf-7")), "part-coding"),
    (
        "two charsets",
        body(part(DISPOSITION + b"\r\nContent-Type: text/plain; charset=utf-7; charset=utf-8")),
        "part-coding",
    ),
    (
        "UTF-8 declared as Latin-1",
        body(part(DISPOSITION + b"\r\nContent-Type: text/plain; charset=ISO-8859-1", "\u00e9".encode())),
        "part-coding",
    ),
    (
        "a text declared as Latin-1",
        body(part(DISPOSITION + b'\r\nContent-Type: text/plain; charset="iso-8859-1"', b"1\xe9")),
        "part-coding",
    ),
    (
        "a name beyond ASCII and an ASCII charset",
        body(part(DISPOSITION.replace(b'"a"', b'"\xc3\xa4"') + b"\r\nContent-Type: a/b; charset=ascii")),
        "part-coding",
    ),
    ("Latin-1 for a file", body(part(FILE + b"\r\nContent-Type: a/b; charset=iso-8859-1")), "part-coding"),
    (
        "a charset between parameters",
        body(part(DISPOSITION + b"\r\nContent-Type: text/plain; charset=utf-8; x=y")),
        "part-coding",
    ),
    (
        "a charset in a quoted parameter",
        body(part(DISPOSITION + b'\r\nContent-Type: text/plain; x="; charset=utf-8"')),
        "part-coding",
    ),
    ("a blank in the type of a text", body(part(DISPOSITION + b'\r\nContent-Type: a/b; x="c d"')), _HEADER),
    (
        "a blank in the type where no file was chosen",
        body(part(DISPOSITION + b'; filename=""\r\nContent-Type: a/b; x="c d"', b"")),
        "part-header",
    ),
    ("a semicolon in a type", body(part(FILE + b'\r\nContent-Type: a/b; x="c; d"')), _HEADER),
    ("a quote in a type", body(part(FILE + b'\r\nContent-Type: a/b; x="c \\" d"')), _HEADER),
    ("a blank in a type without quotes", body(part(FILE + b"\r\nContent-Type: a/b; x=c d")), _HEADER),
    ("an asterisk in the type of a file", body(part(FILE + b'\r\nContent-Type: a/b; x*="c d"')), _HEADER),
    ("one open quote", body(part(DISPOSITION + b'\r\nContent-Type: a/b; charset="a')), "part-coding"),
    ("utf-16 for a file", body(part(FILE + b"\r\nContent-Type: text/plain; charset=utf-16")), "part-coding"),
    (
        "a charset where no file was chosen",
        body(part(DISPOSITION + b'; filename=""\r\nContent-Type: text/plain; charset=utf-8', b"")),
        "part-header",
    ),
    ("ill-formed UTF-8 in a name", named(b'name="\xff"'), "ill-formed-utf8"),
    ("ill-formed UTF-8 in a file name", named(b'name="a"; filename="\xff"'), "ill-formed-utf8"),
    ("ill-formed UTF-8 in a text", body(part(content=b"\xff")), "ill-formed-utf8"),
    ("NUL in a text", body(part(content=b"a\0b")), "nul"),
    ("a control in a text", body(part(content=b"\x1b[2J")), "control"),
    ("a line break in a name", named(b'name="a%0D%0Ab"'), "name-line-break"),
    ("a line break in a file name", named(b'name="a"; filename="b%0ac"'), "name-line-break"),
    ("another charset", body(part(DISPOSITION.replace(b'"a"', b'"_charset_"'), b"utf-16")), "form-coding"),
    ("a long text", body(part(content=b"a" * 65_537)), "long-value"),
    ("too many parts", body(*[part()] * 1001), "too-many-pairs"),
    ("a path", named(b'name="a"; filename="../b"'), "filename-path"),
    ("a folder", named(b'name="a"; filename="b/c"'), "filename-path"),
    ("the folder above", named(b'name="a"; filename=".."'), "filename-path"),
    ("only an invisible character", named('name="a"; filename="\u202e"'.encode()), "filename-path"),
    ("two dots and an invisible character", named('name="a"; filename=".\u200b."'.encode()), "filename-path"),
    ("a drive", named(b'name="a"; filename="C:x"'), "filename-path"),
    ("an invisible character and a drive", named('name="a"; filename="\u202eC:x"'.encode()), "filename-path"),
    ("a wide space and a drive", named('name="a"; filename="\u3000C:x"'.encode()), "filename-path"),
    ("an invisible character in a drive", named('name="a"; filename="C\u200b:x"'.encode()), "filename-path"),
    ("a path in another spelling", named(b"name=\"a\"; filename*=utf-8''..%2Fb"), "filename-path"),
]  # fmt: skip


@pytest.mark.parametrize("octets", [pytest.param(octets, id=name) for name, octets in SAME])
def test_accepted_forms_pass_octet_for_octet(octets: bytes) -> None:
    result = judged(octets)
    assert (result.octets, kinds(result)) == (octets, [])
    assert judged(octets, signed=True).octets == octets


@pytest.mark.parametrize("head", [pytest.param(head, id=name) for name, head in REPAIRED])
def test_header_fields_are_written_as_browsers_write_them(head: bytes) -> None:
    received = body(part(FILE, b"\0\xff"), part(head), part())
    result = judged(received)
    if head == DISPOSITION:
        assert result.octets == received
        return
    assert result.octets == body(part(FILE, b"\0\xff"), part(), part())
    (found,) = result.findings
    assert (found.kind, found.action) == (Kind.PART_SPELLING, Action.REPAIR)
    assert found.offset == received.index(head)
    assert judged(result.octets or b"") == JudgedForm(result.octets)
    assert kinds(judged(received, "strict")) == ["part-spelling"]
    signed = judged(received, signed=True)
    assert (signed.octets, kinds(signed)) == (None, ["part-spelling"])


TYPES: Final = [
    ("in another case", b"Text/PLAIN", b"text/plain"),
    ("with a parameter", b"TEXT/plain; charset=UTF-8", b"text/plain; charset=UTF-8"),
    ("another type", b"Text/HTML", b"Text/HTML"),
    ("a longer type", b"Text/Plain-X", b"Text/Plain-X"),
    ("ASCII", b"text/plain; charset=us-ascii", b"text/plain; charset=utf-8"),
    ("Latin-1, as Apache HttpClient says", b"text/plain; charset=ISO-8859-1", b"text/plain; charset=utf-8"),
    ("Latin-9", b"text/plain;charset=iso-8859-15", b"text/plain; charset=utf-8"),
    ("a code page", b"TEXT/plain; Charset=Windows-1252", b"text/plain; charset=utf-8"),
    ("quoted ASCII", b'text/plain; charset="us-ascii"', b"text/plain; charset=utf-8"),
    ("quotes", b'text/plain; charset="UTF-8"', b"text/plain; charset=utf-8"),
    ("a parameter in another case", b"text/plain; Charset=UTF-8", b"text/plain; charset=utf-8"),
    ("two parameters", b"a/b; c=d;charset=ISO-8859-1", b"a/b; c=d; charset=utf-8"),
    ("another spelling of UTF-8", b"text/plain;charset=UTF8", b"text/plain;charset=UTF8"),
]


@pytest.mark.parametrize(("sent", "written"), [row[1:] for row in TYPES], ids=[row[0] for row in TYPES])
def test_the_type_of_a_text_is_written_in_lower_case(sent: bytes, written: bytes) -> None:
    """Falcon compares the type with ``text/plain``, and the comparison is case-sensitive."""
    received, expected = (body(part(DISPOSITION + b"\r\nContent-Type: " + each)) for each in (sent, written))
    result = judged(received)
    assert result.octets == expected
    assert [each.kind for each in result.findings] == [Kind.PART_SPELLING] * (sent != written)


DATED: Final = [
    (
        "in front of the name",
        b'filename="b"; modification-date="Thu, 01 Jan 2026 00:00:00 GMT"; size=2; name="a"',
    ),
    (
        "after the name",
        b'name="a"; filename="b"; Creation-Date=""; read-date="1 Jan 2026 00:00:00 +0000"; size="2"',
    ),
]


@pytest.mark.parametrize("said", [row[1] for row in DATED], ids=[row[0] for row in DATED])
def test_dates_and_the_size_of_a_file_are_cut(said: bytes) -> None:
    """RFC 2183, sections 2.4 to 2.7."""
    assert judged(named(said)).octets == named(b'name="a"; filename="b"')


STARRED: Final = [
    ("an apostrophe, as .NET writes it", b"name=a; filename=it's.txt; filename*=utf-8''it%27s.txt"),
    ("a percent sign", b"name=a; filename=50%.txt; filename*=utf-8''50%25.txt"),
    ("parentheses, as React Native writes them", b"name=a; filename=\"b (1).c\"; filename*=utf-8''b%20(1).c"),
    ("an apostrophe that is not escaped", b"name=a; filename*=utf-8''%C3%BC%20it's.txt"),
    ("many apostrophes", b"filename*=utf-8''b''*'.c;name=a"),
    ("signs without quotes", b"name=a; filename=b*(1); filename*=utf-8''b*(1)"),
    ("apostrophes in place of quotes", b"filename='b'; filename*=utf-8''%27b%27; name=a"),
]


def test_a_second_spelling_of_a_file_name_is_cut() -> None:
    expected = named('name="a"; filename="ö b.txt"'.encode())
    for spelled in (
        "name=a; filename=\"ö b.txt\"; filename*=UTF-8''%C3%B6%20b.txt",
        "name=\"a\"; filename*=utf-8'en'%C3%B6%20b.txt",
    ):
        assert judged(named(spelled.encode())).octets == expected


TOKENS: Final = [
    ("a percent sign", b"name=a%b"),
    ("an escaped quote", b"name=a%22"),
    ("an apostrophe", b"name=it's; filename=it's.txt"),
    ("all punctuation of a token", b"name=!#$%&'*+.^_`|~-; filename=50%.txt"),
]


@pytest.mark.parametrize("spelled", [row[1] for row in TOKENS], ids=[row[0] for row in TOKENS])
def test_tokens_are_quoted(spelled: bytes) -> None:
    expected = b"; ".join(
        name + b'="' + value + b'"'
        for name, _, value in (each.partition(b"=") for each in spelled.split(b"; "))
    )
    assert judged(named(spelled)).octets == named(expected)
    assert judged(named(expected)).octets == named(expected)


@pytest.mark.parametrize("spelled", [row[1] for row in STARRED], ids=[row[0] for row in STARRED])
def test_a_file_name_that_filename_star_confirms_is_quoted(spelled: bytes) -> None:
    name = percent_decode(spelled.rpartition(b"utf-8''")[2].partition(b";")[0])
    assert judged(named(spelled)).octets == named(b'name="a"; filename="' + name + b'"')


@pytest.mark.parametrize(
    ("octets", "slug"), [pytest.param(octets, slug, id=name) for name, octets, slug in REFUSED]
)
def test_refused_forms(octets: bytes, slug: str) -> None:
    for preset in PRESETS:
        result = judged(octets, preset)
        assert result.octets is None
        assert slug in kinds(result) or preset == "lenient"
        for each in result.findings:
            assert octets[each.offset : each.offset + len(each.excerpt)] == each.excerpt


HOLDS_IT: Final = "its boundary occurs in the header fields of a part; choose a longer one"


@pytest.mark.parametrize("boundary", [b"data", b"form-data", b"name", b"Content", b"-", b"a"])
def test_a_boundary_that_occurs_in_header_fields_is_refused(boundary: bytes) -> None:
    for head in (DISPOSITION, DISPOSITION.lower()):
        (found,) = RULES["standard"].judge(body(part(head)).replace(b"zz", boundary), boundary).findings
        assert (found.kind, found.detail) == (Kind.MULTIPART_SYNTAX, HOLDS_IT)


@pytest.mark.parametrize("boundary", [b"boundary", b"X-BOUNDARY", b"xxx", b"AaB03x", b"----b", b"0", b"x"])
def test_boundaries_of_clients_written_by_hand_are_accepted(boundary: bytes) -> None:
    octets = body(part(), part(FILE.replace(b".txt", b""), b"\r\n--a\r\n")).replace(b"zz", boundary)
    assert RULES["standard"].judge(octets, boundary) == JudgedForm(octets)


def test_a_boundary_of_dashes_is_refused() -> None:
    (found,) = RULES["standard"].judge(body(part()).replace(b"zz", b"--"), b"--").findings
    assert (found.kind, found.detail) == (
        Kind.MULTIPART_SYNTAX,
        "its boundary occurs where no part begins or ends",
    )


def split_at_the_word(octets: bytes, boundary: bytes) -> list[tuple[bytes, bytes]]:
    """Return the names and contents that Litestar 2.12 and older read:

    they split at the boundary without its dashes.
    """
    read: list[tuple[bytes, bytes]] = []
    for piece in octets.split(boundary)[1:-1]:
        head, _, content = piece[2:-4].partition(b"\r\n\r\n")
        if name := re.search(rb'[ ;]name="([^"]*)"', head):
            read.append((name[1], content))
    return read


@given(
    st.lists(st.sampled_from([*PIECES, b"zz", b"z", b"\r\nzz\r\n", b"--\r\nzz"]), max_size=12), st.booleans()
)
def test_readers_that_ignore_the_dashes_read_the_same_parts(pieces: list[bytes], in_file: bool) -> None:
    octets = body(part(FILE if in_file else DISPOSITION, b"".join(pieces)), part(content=b"2"))
    passed = judged(octets, "lenient").octets
    if passed is not None:
        assert split_at_the_word(passed, b"zz") == [(b"a", b"".join(pieces)), (b"a", b"2")]
    hidden = b"1\r\nzz\r\n" + part() + b"\r\n--"
    assert len(split_at_the_word(body(part(FILE, hidden)), b"zz")) == 2


def test_a_finding_points_into_the_body_and_names_the_field() -> None:
    octets = body(part(FILE, b"\0" * 50), part(DISPOSITION, "é\u2028\x1b".encode()))
    *_, found = judged(octets).findings
    assert (found.kind, found.name, found.excerpt) == (Kind.CONTROL, "a", b"\x1b")
    assert found.offset == octets.index(b"\x1b")


def test_a_finding_after_a_quote_in_a_name_points_at_it() -> None:
    octets = named(b'name="\\"a\\"\xff"')
    assert [each.offset for each in judged(octets).findings] == [octets.index(b"\xff")]


def test_the_excerpt_of_a_name_with_quotes_is_whole() -> None:
    rules = MultipartRules(Policy.STANDARD.rejecting(Kind.NOT_NFC, on=Component.FORM), Forms())
    for value in ('e\u0301\\"x\\"y', 'e\u0301\\ \\"'):
        written = value.encode()
        for octets in (named(b'name="%s"' % written), named(b'name="n"; filename="%s"' % written)):
            (found,) = rules.judge(octets, b"zz").findings
            assert (found.kind, found.offset) == (Kind.NOT_NFC, octets.index(written))
            assert found.excerpt == written


QUOTED: Final = [b"a", b"bc", b"\\ ", b"\\!", b'\\"', b"%41", "é".encode(), b"~"]
EXTENDED: Final = [b"a", b"bc", b"%41", b"%c3%A9", b"!", b"%20", b"%25"]
FAULTS: Final = [
    ("ill-formed-utf8", b"\xff", b"%ff"),
    ("bidi-control", "\u202e".encode(), b"%E2%80%ae"),
    ("c1-control", b"\xc2\x85", b"%C2%85"),
]


@given(
    st.sampled_from(["name", "filename", "filename*"]),
    st.lists(st.sampled_from(range(8)), max_size=12),
    st.integers(0, 12),
    st.sampled_from(FAULTS),
)
def test_a_finding_in_a_name_points_at_the_octets_received(
    where: str, chosen: list[int], place: int, fault: tuple[str, bytes, bytes]
) -> None:
    slug, raw, escaped = fault
    is_extended = where == "filename*"
    units = EXTENDED if is_extended else QUOTED
    written = [units[number % len(units)] for number in chosen]
    written.insert(place, marker := escaped if is_extended else raw)
    value = b"".join([b"x", *written, b"x"])
    parameters = {
        "name": b'name="' + value + b'"',
        "filename": b'name="n"; filename="' + value + b'"',
        "filename*": b"name=\"n\"; filename*=utf-8''" + value,
    }
    octets = named(parameters[where])
    found = [each for each in judged(octets).findings if each.kind.slug == slug]
    assert [(each.offset, each.excerpt) for each in found] == [(octets.index(marker), marker)]


def test_a_text_is_never_edited() -> None:
    rules = MultipartRules(Policy.STANDARD.dropping_pairs(Kind.NUL, on=Component.FORM), Forms())
    result = rules.judge(body(part(content=b"\0")), b"zz")
    assert result.octets is None
    assert [(each.kind, each.action, each.detail) for each in result.findings] == [
        (Kind.NUL, Action.REJECT, "texts of a multipart form are never edited")
    ]


MARKED: Final = part(content="\u202e".encode())
"""A part that LENIENT reports."""
UNEDITED: Final = [
    ("a NUL behind many reported parts", body(*[MARKED] * 40, part(content=b"\0")), Kind.NUL),
    (
        "ill-formed UTF-8 behind many reported parts",
        body(*[MARKED] * 40, part(content=b"\xff")),
        Kind.ILL_FORMED_UTF8,
    ),
    (
        "ill-formed UTF-8 behind many reported characters of one text",
        body(part(content="\u202ea".encode() * 40 + b"\xff")),
        Kind.ILL_FORMED_UTF8,
    ),
    ("a name", body(*[MARKED] * 40, part(DISPOSITION.replace(b'"a"', b'"b\x80"'))), Kind.ILL_FORMED_UTF8),
]


@pytest.mark.parametrize(
    ("octets", "kind"), [pytest.param(octets, kind, id=name) for name, octets, kind in UNEDITED]
)
@pytest.mark.parametrize("signed", [False, True], ids=["unsigned", "signed"])
def test_the_finding_that_needs_an_edit_is_kept_as_the_reason_of_the_refusal(
    octets: bytes, kind: Kind, signed: bool
) -> None:
    result = judged(octets, "lenient", signed=signed)
    assert (result.octets, len(result.findings)) == (None, 32)
    (reason,) = [each for each in result.findings if each.action is Action.REJECT]
    assert (reason.kind, reason.detail) == (kind, "texts of a multipart form are never edited")


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("label", "slug"),
    [("windows-1252", "form-coding"), ("latin1", "form-coding"), ("koi8-r", "form-coding"), ("utf-8", "")],
)
@EACH_PROTOCOL
def test_no_part_is_read_in_another_charset(protocol: Protocol, preset: str, label: str, slug: str) -> None:
    """Not even in one of ``Forms.charsets``, because texts are never edited."""
    head = b'Content-Disposition: form-data; name="_charset_"'
    western = Forms(charsets=["windows-1252"])
    answer = post(
        protocol, body(part(), part(head, label.encode())), PRESETS[preset], content_type=TYPE, forms=western
    )
    assert (answer.status, answer.kinds) == (415 if slug else 200, [slug])


def test_rules_for_names_apply() -> None:
    rules = MultipartRules(Policy.STANDARD.allowing(Kind.NUL, on=Component.FORM, names=["a"]), Forms())
    octets = body(part(content=b"\0"))
    assert rules.judge(octets, b"zz").octets == octets
    assert rules.judge(octets.replace(b'"a"', b'"b"'), b"zz").octets is None


FILE_NAMED: Final = [
    (Policy.STRICT, "a\u202etxt.exe", ["bidi-control"]),
    (
        Policy.STANDARD.rejecting(Kind.BIDI_CONTROL, on=Component.FORM, names=["f"]),
        "a\u202eb",
        ["bidi-control"],
    ),
    (Policy.STANDARD.rejecting(Kind.BIDI_CONTROL, on=Component.FORM, names=["g"]), "a\u202eb", None),
    (Policy.STANDARD.dropping(Kind.INVISIBLE, on=Component.FORM), "a\u200bb", ["invisible"]),
    (Policy.STANDARD.accepting(LATIN, on=Component.FORM), "\u0444.txt", ["outside-accepted-range"]),
    (Policy.STANDARD.accepting(LATIN, on=Component.FORM), "\xe9.txt", None),
    (Policy.STANDARD.limiting(form_value=5), "abcdef", ["long-value"]),
    (Policy.STANDARD, 'a \\"b\\" (1) 50%.txt', None),
]
"""Policies, file names, and the kinds for which they are refused."""


@pytest.mark.parametrize(("policy", "filename", "refused"), FILE_NAMED, ids=ascii)
def test_a_file_name_is_judged_as_the_value_of_its_field(
    policy: Policy, filename: str, refused: list[str] | None
) -> None:
    octets = named(b'name="f"; filename="' + filename.encode() + b'"')
    result = MultipartRules(policy, Forms()).judge(octets, b"zz")
    seen = [found.kind.slug for found in result.findings if found.action is Action.REJECT]
    assert (result.octets, seen) == ((octets, []) if refused is None else (None, refused))


def test_a_finding_in_a_file_name_points_at_it() -> None:
    octets = named(b'name="f"; filename="a\\"b\xe2\x80\xae"')
    (found,) = [each for each in judged(octets, "strict").findings if each.kind is Kind.BIDI_CONTROL]
    assert (found.excerpt, found.offset) == (b"\xe2\x80\xae", octets.index(b"\xe2"))


@pytest.mark.parametrize(
    ("octets", "offset"),
    [
        pytest.param(body(part(), part(FILE, b"\xff")), None, id="content of a file"),
        pytest.param(body(part(content=b"a\xc3\xa9")), 1, id="a text"),
        pytest.param(named('name="\u00e9"'.encode()), 0, id="a name"),
        pytest.param(named('name="a"; filename="\u00e9"'.encode()), 0, id="a file name"),
    ],
)
@EACH_PROTOCOL
def test_a_form_in_a_charset_like_ascii_is_ascii(
    protocol: Protocol, octets: bytes, offset: int | None
) -> None:
    for charset in ("ISO-8859-1", "us-ascii"):
        asked = post(protocol, octets, content_type=f"multipart/form-data; charset={charset}; boundary=zz")
        if offset is None:
            assert (asked.body, asked.header("content-type")) == (octets, TYPE)
        else:
            assert (asked.status, asked.kinds) == (415, ["form-coding"])
            assert asked.told is not None
            found = asked.told.findings[-1]
            assert octets[found.offset : found.offset + 2] == "\u00e9".encode()
            assert octets[found.offset :].startswith(found.excerpt)
    assert post(protocol, octets, content_type=f"{TYPE}; charset=utf-8").body == octets


def test_reported_faults_pass() -> None:
    policy = Policy.STANDARD.reporting(Kind.FILENAME_PATH, Kind.NAME_LINE_BREAK, on=Component.FORM)
    octets = named(b'name="a%0A"; filename="b/c"')
    result = MultipartRules(policy, Forms()).judge(octets, b"zz")
    assert result.octets == octets
    assert {each.action for each in result.findings} == {Action.REPORT}


DEVICES: Final = [
    b"CON", b"nul.txt", b"Aux.c", b"prn.tar.gz", b"COM1", b"com0.log", b"lpt9", "COM\u00b9.txt".encode(),
    b"CONIN$", b"conout$.txt", b"CON .txt", b"nul:", b"C\xe2\x80\x8bON", b"a.txt::$DATA",
]  # fmt: skip
"""Names of devices and streams of Windows."""


@pytest.mark.parametrize("name", [pytest.param(each, id=repr(each)) for each in DEVICES])
def test_devices_of_windows_are_reported(name: bytes) -> None:
    octets = named(b'name="a"; filename="' + name + b'"')
    found = [each for each in judged(octets).findings if each.kind is Kind.FILENAME_DEVICE]
    assert [(each.action, each.offset, each.excerpt) for each in found] == [
        (Action.REPORT, octets.index(name), name)
    ]
    assert judged(octets).octets == octets
    assert "filename-device" in kinds(judged(octets, "strict"))
    assert "filename-device" not in {each.kind.slug for each in judged(octets, "lenient").findings}
    rule = Policy.STANDARD.rejecting(Kind.FILENAME_DEVICE, on=Component.FORM, names=["a"])
    assert MultipartRules(rule, Forms()).judge(octets, b"zz").octets is None


@pytest.mark.parametrize(
    ("kind", "octets"),
    [
        (Kind.NAME_LINE_BREAK, named(b'name="a%0D%0Ab"')),
        (Kind.NAME_LINE_BREAK, named(b'name="a"; filename="b%0Ac"')),
        (Kind.ILL_FORMED_UTF8, named(b'name="\xe9"')),
        (Kind.ILL_FORMED_UTF8, named(b'name="a"; filename="\xe9.txt"')),
        (Kind.ILL_FORMED_UTF8, body(part(content=b"\xe9"))),
        (Kind.DUPLICATE_NAME, named(b'name="a%22b"')[:-8] + named(b'name="a\\"b"')),
        (Kind.FILENAME_DEVICE, named(b'name="a"; filename="nul"')),
    ],
)
def test_what_a_policy_allows_passes_without_a_finding(kind: Kind, octets: bytes) -> None:
    """What a policy reports passes with a finding, and what it rejects is refused."""
    for policy, actions in (
        (Policy.STANDARD.rejecting(kind, on=Component.FORM), {Action.REJECT}),
        (Policy.STANDARD.reporting(kind, on=Component.FORM), {Action.REPORT}),
        (Policy.STANDARD.allowing(kind, on=Component.FORM), set()),
    ):
        result = MultipartRules(policy, Forms()).judge(octets, b"zz")
        assert {each.action for each in result.findings} == actions, policy
        assert result.octets == (None if actions == {Action.REJECT} else octets)


@pytest.mark.parametrize("kind", [Kind.MULTIPART_SYNTAX, Kind.PART_HEADER, Kind.PART_CODING])
def test_the_syntax_of_parts_cannot_be_allowed(kind: Kind) -> None:
    with pytest.raises(PolicyError, match="cannot be set to allow in form, only to reject"):
        Policy.STANDARD.allowing(kind, on=Component.FORM)


def test_other_faults_of_an_ill_formed_file_name_are_judged() -> None:
    policy = Policy.STANDARD.allowing(Kind.ILL_FORMED_UTF8, on=Component.FORM).rejecting(
        Kind.BIDI_CONTROL, on=Component.FORM
    )
    result = MultipartRules(policy, Forms()).judge(named(b'name="a"; filename="\xe9\xe2\x80\xae.txt"'), b"zz")
    assert [each.kind for each in result.findings] == [Kind.BIDI_CONTROL]
    assert result.octets is None


def test_of_many_findings_a_reason_to_refuse_is_kept() -> None:
    head = b"Content-Disposition: form-data; name=a"
    result = judged(body(*[part(head)] * 40), "strict")
    assert (len(result.findings), result.truncated, result.octets) == (32, True, None)
    policy = Policy.STANDARD.reporting(Kind.NAME_LINE_BREAK, on=Component.FORM)
    many = body(*[part(DISPOSITION.replace(b'"a"', b'"%0A"'))] * 40, part(DISPOSITION + b'; filename="/b"'))
    result = MultipartRules(policy, Forms()).judge(many, b"zz")
    assert (len(result.findings), result.truncated) == (32, True)
    assert result.findings[-1].kind is Kind.FILENAME_PATH


def test_names_are_examined_in_steps_and_no_longer_than_needed() -> None:
    rules = MultipartRules(Policy.STANDARD, Forms())
    for name, steps, findings in ((b'name="%%22%d"', 6, 0), (b'name="a"; filename="&amp;%d"', 1, 32)):
        parser = rules.parser(b"zz")
        heads = [b"Content-Disposition: form-data; " + name % number for number in range(200)]
        finished(parser.feeding(body(*map(part, heads))))
        parser.close()
        judging, passed = rules.judging(parser), 0
        try:
            while True:
                next(judging)
                passed += 1
        except StopIteration as stopped:
            judged_parts = stopped.value
        assert passed >= steps
        assert (len(judged_parts.findings), judged_parts.truncated) == (findings, findings > 0)


def test_judging_yields_between_parts() -> None:
    steps = RULES["standard"].parser(b"zz").feeding(body(*[part()] * 900))
    assert len(list(steps)) >= 7


@given(st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join), st.booleans())
def test_laws_hold_for_random_bodies(octets: bytes, framed: bool) -> None:
    received = body(part(content=octets)) if framed else b"--zz\r\n" + octets + b"\r\n--zz--\r\n"
    for preset in PRESETS:
        result = judged(received, preset)
        for each in result.findings:
            assert received[each.offset : each.offset + len(each.excerpt)] == each.excerpt
        if result.octets is None:
            assert kinds(result)
        else:
            assert judged(result.octets, preset).octets == result.octets
            check_by_another(result.octets)


NAMED: Final = [b'Content-Disposition: form-data; name="%s"' % name for name in (b"a", b"q", b"_charset_")]
SOME_PARTS: Final = st.tuples(
    st.builds(part, st.sampled_from(NAMED), st.sampled_from(TEXTS)), st.sampled_from([1, 1, 40])
).map(lambda each: [each[0]] * each[1])


@given(
    form_policies.map(str),
    st.lists(st.lists(SOME_PARTS, min_size=1, max_size=3), min_size=10, max_size=10),
    st.sampled_from([(), ("windows-1252",)]),
)
def test_a_refusal_has_a_reason_under_any_policy(
    policy: str, some: list[list[list[bytes]]], charsets: tuple[str, ...]
) -> None:
    rules = MultipartRules(Policy.parse(policy), Forms(charsets=charsets))
    for groups in some:
        octets = body(*chain.from_iterable(groups))
        result = rules.judge(octets, b"zz")
        assert (result.octets is None) is bool(kinds(result))
        assert result.octets in {None, octets}


def check_by_another(octets: bytes) -> None:
    """Check that the strictest other parser reads the form, too, with the same number of parts."""
    try:
        read = list(MultipartParser(io.BytesIO(octets), b"zz", strict=True))
    except ParserError as error:
        raise AssertionError(octets) from error
    assert len(read) == octets.count(b"--zz") - 1


# -- Content-Type --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "written", "fault"),
    [
        (b"multipart/form-data; boundary=zz", None, ""),
        (b"multipart/form-data;boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW0", None, ""),
        (b"Multipart/Form-Data; Boundary=zz", b"multipart/form-data; boundary=zz", ""),
        (b'multipart/form-data; boundary="zz"', b"multipart/form-data; boundary=zz", ""),
        (b"multipart/form-data; charset=UTF-8; boundary=zz", b"multipart/form-data; boundary=zz", ""),
        (b"multipart/form-data; boundary=zz; charset=utf-7", b"", "a charset other than UTF-8"),
        (b"multipart/form-data; charset=ISO-8859-1; boundary=zz", b"multipart/form-data; boundary=zz", ""),
        (b'multipart/form-data; boundary="==zz=="', None, ""),
        (b'multipart/form-data; Boundary="=z"', b'multipart/form-data; boundary="=z"', ""),
        (b'multipart/form-data; boundary="z:z"', b"", "a boundary that some readers do not accept"),
        (b"multipart/form-data; boundary=zz; y=z", b"", "a parameter other than boundary"),
        (b"multipart/form-data; boundary=zz; boundary=zz", b"", "a boundary that some readers do not accept"),
        (b"multipart/form-data; boundary='x'", b"", "a boundary that some readers do not accept"),
        (b"multipart/form-data; boundary=" + b"z" * 71, b"", "a boundary that some readers do not accept"),
    ],
)
def test_the_content_type_is_rewritten_or_has_a_fault(
    field: bytes, written: bytes | None, fault: str
) -> None:
    read = multipart_type(content_type([field]), [])
    assert read is not None
    assert read.fault == fault
    if not fault:
        assert (read.written, read.usual) == (written or field, written is None)


def test_types_that_are_not_multipart_forms() -> None:
    assert multipart_type(content_type([b"multipart/mixed; boundary=zz"]), []) is None
    assert multipart_type(content_type([b"multipart/form-data"]), []) is None
    coded = multipart_type(content_type([TYPE.encode()]), [b"gzip"])
    assert coded is not None
    assert (coded.fault, coded.is_coding) == ("a Content-Encoding", True)


# -- through the middleware ----------------------------------------------------------------------------------


@EACH_PROTOCOL
@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
def test_a_form_is_handed_on(protocol: Protocol, chunked: bool) -> None:
    octets = body(part(FILE, bytes(range(256))), part())
    asked = post(protocol, [octets[:9], octets[9:]], content_type=TYPE, chunked=chunked, forms=JUDGE)
    assert (asked.body, asked.header("content-type")) == (octets, TYPE)
    assert (asked.header("content-length"), asked.told) == (str(len(octets)), None)


@EACH_PROTOCOL
def test_a_form_is_repaired_and_its_octets_are_kept(protocol: Protocol) -> None:
    octets = body(part(DISPOSITION.lower()))
    asked = post(protocol, octets, content_type=TYPE.replace("m", "M"), forms=JUDGE)
    assert (asked.body, asked.header("content-type")) == (body(part()), TYPE)
    assert asked.told is not None
    assert asked.told.received_form == octets
    untouched = post(protocol, octets, content_type=TYPE, forms=JUDGE, enforce=False)
    assert untouched.body == octets
    for name in ("content-digest", "x-slack-signature"):
        signed = replace(JUDGE, signed=["x-slack-signature"])
        refused = post(protocol, octets, content_type=TYPE, forms=signed, fields={name: "x"})
        assert (refused.status, refused.kinds) == (400, ["part-spelling"])


@EACH_PROTOCOL
@pytest.mark.parametrize(
    ("octets", "field", "status", "slug"),
    [
        (body(part(content=b"\0")), TYPE, 400, "nul"),
        (b"--zz", TYPE, 400, "multipart-syntax"),
        (b"", TYPE, 400, "multipart-syntax"),
        (body(part(DISPOSITION + b"\r\nContent-Transfer-Encoding: base64")), TYPE, 415, "part-coding"),
        (body(part()), f"{TYPE}; y=z", 415, "malformed-content-type"),
        (body(part()), f"{TYPE}; charset=utf-16", 415, "form-coding"),
        (body(part()), "multipart/mixed; boundary=zz", 415, "unjudged-body"),
        (body(part(FILE, b"y" * 2**16)), TYPE, 413, "long-form"),
    ],
)
def test_refused_requests(protocol: Protocol, octets: bytes, field: str, status: int, slug: str) -> None:
    asked = post(protocol, octets, content_type=field, forms=JUDGE)
    assert (asked.status, slug in asked.kinds, asked.given) == (status, True, None)
    assert post(protocol, octets, content_type=field, forms=JUDGE, enforce=False).body == octets


@EACH_PROTOCOL
def test_multipart_forms_and_json_are_judged_together(protocol: Protocol) -> None:
    settings: dict[str, Any] = {"forms": JUDGE, "json": Json()}
    assert post(protocol, body(part()), content_type=TYPE, **settings).body == body(part())
    assert post(protocol, b"[]", content_type="application/json", **settings).body == b"[]"


def test_invalid_settings_raise() -> None:
    with pytest.raises(PolicyError, match=r"write 'judge', 'refuse' or 'untouched'$"):
        Forms(multipart="pass")  # The type is wrong on purpose.


def test_judging_yields_between_long_texts() -> None:
    octets = body(*[part(content=b"a" * 40_000)] * 5)
    assert judged(octets).octets == octets
    parser = RULES["standard"].parser(b"zz")
    list(parser.feeding(octets))
    assert len(list(RULES["standard"].judging(parser))) >= 5


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        (b"/cart?x=1&y=2", True),
        (b"", True),
        (b"//evil.example", False),
        (b"/\\evil", False),
        (b"/" + b"a" * 9_000 + b"//b", True),
        (b"/a//b" + b"c" * 9_000 + b"/../d", False),
        (b"a" * 9_000 + b":b", False),
    ],
    ids=[
        "local",
        "empty",
        "a host",
        "a backslash",
        "long",
        "dots after long text",
        "a colon after long text",
    ],
)
def test_a_reference_in_a_part_is_judged_as_a_whole(text: bytes, passes: bool) -> None:
    rules = MultipartRules(Policy.STANDARD.local(names=["next"]), Forms())
    head = b'Content-Disposition: form-data; name="next"'
    result = rules.judge(body(part(), part(head, text)), b"zz")
    assert (result.octets is not None) is passes
    assert kinds(result) == ([] if passes else ["foreign-reference"])


# -- long texts, slice by slice ------------------------------------------------------------------------------

OTHER: Final = DISPOSITION.replace(b'"a"', b'"b"')
LONG_TEXTS: Final = {
    "plain": b"a" * 50_000,
    "Chinese": "\u8d77".encode() * 16_000,
    "line ends": b"\r\n" * 25_000,
    "newlines": b"\n" * 50_000,
    "composed": "e\u0301".encode() * 16_000,
    "percent signs": b"%41%" * 12_000,
}


@pytest.mark.parametrize("together", [False, True], ids=["text by text", "all texts together"])
@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in LONG_TEXTS.items()])
def test_a_long_text_passes(text: bytes, together: bool) -> None:
    policy = Policy.STANDARD.reporting(Kind.DUPLICATE_NAME) if together else Policy.STANDARD
    octets = body(part(content=text), part(OTHER, b"2"))
    result = MultipartRules(policy, Forms()).judge(octets, b"zz")
    assert (result.octets, result.findings) == (octets, ())


@pytest.mark.parametrize("together", [False, True], ids=["text by text", "all texts together"])
def test_a_finding_in_a_long_text_points_into_the_body(together: bool) -> None:
    policy = Policy.STANDARD.reporting(Kind.DUPLICATE_NAME) if together else Policy.STANDARD
    octets = body(part(), part(OTHER, "\u8d77".encode() * 15_000 + b"\0" + b"a" * 9000))
    result = MultipartRules(policy, Forms()).judge(octets, b"zz")
    (finding,) = result.findings
    assert (result.octets, finding.kind, finding.name) == (None, Kind.NUL, "b")
    assert finding.offset == octets.index(b"\0")


def test_the_first_reported_faults_of_a_long_text_are_listed() -> None:
    mark = "\u202e".encode()
    result = judged(body(part(content=(mark + b"a" * 99) * 600)))
    assert (len(result.findings), result.truncated) == (32, True)


@pytest.mark.parametrize("together", [False, True], ids=["text by text", "all texts together"])
def test_a_text_that_cannot_be_cut_is_judged_whole(together: bool) -> None:
    """Combining characters after the start of a text are found, and so are ill-formed octets."""
    policy = Policy.LENIENT.reporting(Kind.NOT_NFC)
    policy = policy.reporting(Kind.DUPLICATE_NAME) if together else policy
    octets = body(part(content=("e" + "\u0301" * 10_000).encode()))
    result = MultipartRules(policy, Forms()).judge(octets, b"zz")
    assert {each.kind for each in result.findings} == {Kind.NOT_NFC}
    octets = body(part(content=b"\x80" * 30_000))
    assert MultipartRules(policy, Forms()).judge(octets, b"zz").octets is None


@pytest.mark.parametrize("together", [False, True], ids=["text by text", "all texts together"])
def test_a_fault_of_the_whole_form_points_into_the_body_behind_long_texts(together: bool) -> None:
    """A name over its limit, and a charset, are found before the texts are judged."""
    policy = Policy.STANDARD.limiting(name=9)
    policy = policy.reporting(Kind.DUPLICATE_NAME) if together else policy
    front = [part(content=b"\t" * 9000), part(OTHER, b"\t" * 9000)]
    for name, text, kind in (
        (b"a name too long", b"1", Kind.LONG_NAME),
        (b"_charset_", b"x", Kind.FORM_CODING),
    ):
        octets = body(*front, part(DISPOSITION.replace(b'"a"', b'"%s"' % name), text))
        result = MultipartRules(policy, Forms()).judge(octets, b"zz")
        (finding,) = result.findings
        assert (result.octets, finding.kind) == (None, kind)
        assert finding.offset == octets.index(name if kind is Kind.LONG_NAME else b"x\r\n--zz--")


@pytest.mark.parametrize(
    ("parameters", "detail"),
    [
        (rb'name="a"; filename="C:\dir\x.txt"', "a backslash, which readers undo in different ways"),
        (b'name="a"; filename="x', "a malformed parameter"),
        (b'filename="x.txt"', "no name parameter"),
    ],
)
def test_a_refused_disposition_says_what_is_wrong(parameters: bytes, detail: str) -> None:
    octets = body(part(b"Content-Disposition: form-data; " + parameters))
    (finding,) = MultipartRules(Policy.STANDARD, Forms()).judge(octets, b"zz").findings
    assert (finding.kind, finding.detail) == (Kind.PART_HEADER, detail)
    assert octets[finding.offset :].startswith(finding.excerpt)


@pytest.mark.parametrize("media_type", ["multipart", "urlencoded"])
def test_a_long_value_is_reported_with_its_limit(media_type: str) -> None:
    policy = Policy.STANDARD.limiting(form_value=2000)
    if media_type == "multipart":
        findings = MultipartRules(policy, Forms()).judge(body(part(content=b"b" * 2001)), b"zz").findings
    else:
        findings = FormRules(policy, Forms()).judge(b"a=" + b"b" * 2001).findings
    assert [each.detail for each in findings] == ["more than Limits.form_value, 2,000"]


def test_repeated_names_are_found_however_long_the_texts_are() -> None:
    policy = Policy.STANDARD.rejecting(Kind.DUPLICATE_NAME)
    octets = body(part(content=b"a" * 30_000), part(content=b"a" * 30_000))
    result = MultipartRules(policy, Forms()).judge(octets, b"zz")
    assert (result.octets, kinds(result)) == (None, ["duplicate-name"])
