"""Twelve readers of ten frameworks read the same texts and files behind postel, or none receives the request.

Three differences between frameworks remain, and docs/bodies.md names them. Flask, Quart and Litestar undo the
``%22`` that browsers write for a quote. A file field without a chosen file is an empty file to some and an
empty text to others. Django removes characters that cannot be printed from file names.
"""

from __future__ import annotations

import ast
import random
import re
from typing import Final

import pytest

from _bodies.hostile import Hostile
from _bodies.test_json_frameworks import bodies
from _bodies.test_multipart import (
    DATED,
    DISPOSITION,
    FILE,
    PIECES,
    REPAIRED,
    RULES,
    SAME,
    STARRED,
    TOKENS,
    TYPE,
    TYPES,
    body,
    named,
    part,
)
from _bodies.uploads import UPLOADS, Upload
from json_readers import Reading
from multipart_readers import FRAMEWORKS
from postel import Policy
from postel._alphabet.percent import percent_decode
from readers.left_open import left_open  # noqa: F401 - a fixture
from readers.quiet import quiet  # noqa: F401 - a fixture

POLICIES: Final = {"STRICT": Policy.STRICT, "STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}
REFUSED: Final = {"curl-names", "curl-mixed", "curl-encoder"}
"""Refused ordinary bodies: a backslash, nested parts, and base64, which frameworks read differently."""
REPAIRED_FOR: Final = {"aiohttp"}
"""Ordinary bodies that do not pass octet for octet: aiohttp escapes a space."""

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.no_cover]  # warnings of the frameworks


def read(octets: bytes, types: list[bytes], policy: Policy | None = None) -> dict[str, Reading]:
    return {each.name: each.read(octets, types, policy) for each in FRAMEWORKS}


def plain(value: str | None) -> str | None:
    """Remove the differences that remain between frameworks from what was read."""
    if value is None:
        return None
    fields = [
        ((name or "").replace("%22", '"'), _named(filename), content)
        for (_, name), values in ast.literal_eval(value)
        for filename, content in values
    ]
    return repr(sorted(fields))


def _named(filename: str | None) -> str:
    return "".join(filter(str.isprintable, (filename or "").replace("%22", '"')))


def check(readings: dict[str, Reading], *, half_seen: bool = False) -> bool:
    """Check that all applications read the same and none failed. Return whether they received the request."""
    assert not [name for name, reading in readings.items() if reading.status >= 500]
    if not half_seen:
        assert len({reading.asked for reading in readings.values()}) == 1, readings
    read_by_some = {plain(reading.value) for reading in readings.values() if reading.asked}
    assert len(read_by_some) <= 1, readings
    assert all(reading.status == 200 for reading in readings.values() if reading.asked), readings
    return bool(read_by_some)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("name", "octets", "types"), bodies("multipart"))
def test_hostile_bodies_have_one_meaning_or_none(
    name: str, octets: bytes, types: list[bytes], policy: str
) -> None:
    # WSGI shows only one of two Content-Type fields.
    check(read(octets, types, POLICIES[policy]), half_seen=name == "type-two-headers")


@pytest.mark.parametrize(("name", "octets", "types"), bodies("ordinary_multipart"))
def test_ordinary_bodies_pass(name: str, octets: bytes, types: list[bytes]) -> None:
    assert check(read(octets, types, Policy.STANDARD)) is (name not in REFUSED)


@pytest.mark.parametrize("upload", UPLOADS, ids=lambda each: each.client)
def test_all_read_uploads_of_ordinary_clients_in_the_same_way(upload: Upload) -> None:
    readings = read(upload.octets, [upload.content_type.encode()], Policy.STANDARD)
    assert check(without_falcon(readings, upload.octets)) is not bool(upload.refused)


def test_without_postel_bodies_are_read_in_different_ways_and_make_frameworks_fail() -> None:
    """Otherwise this file would test nothing."""
    readings = [read(*case.values[1:]) for case in bodies("multipart")]
    values = [{plain(each.value) for each in found.values() if each.status == 200} for found in readings]
    assert sum(len(each) > 1 for each in values) >= 40
    assert sum(any(each.status >= 500 for each in found.values()) for found in readings) >= 10


@pytest.mark.parametrize("at", ["file", "text"])
@pytest.mark.parametrize("cut", range(9))
def test_where_a_read_ends_does_not_matter(at: str, cut: int) -> None:
    """Werkzeug 3.1 reads 64 KiB at once. Without postel, it adds a CR if a read ends within a delimiter."""
    front, text = FILE + b"\r\n\r\n", part(content=b"admin")
    behind = b"\r\n" if at == "file" else b"\r\n--zz\r\n" + text + b"\r\n"
    content = b"A" * (2**16 - len(b"--zz\r\n" + front + behind) - cut)
    octets = body(front + content, text)
    assert octets[2**16 - cut :].startswith(b"--zz")
    readings = read(octets, [TYPE.encode()], Policy.STANDARD)
    assert check(readings)
    expected = [(("file", "a"), [("f.txt", content)]), (("text", "a"), [(None, b"admin")])]
    assert readings["Flask"].value == repr(expected)


@pytest.mark.parametrize("octets", [pytest.param(octets, id=name) for name, octets in SAME])
def test_all_read_accepted_forms_in_the_same_way(octets: bytes) -> None:
    check(read(octets, [TYPE.encode()], Policy.STANDARD))


@pytest.mark.parametrize("head", [pytest.param(head, id=name) for name, head in REPAIRED])
def test_all_read_repaired_forms_in_the_same_way(head: bytes) -> None:
    assert check(read(body(part(head)), [TYPE.encode()], Policy.STANDARD))


@pytest.mark.parametrize("sent", [pytest.param(sent, id=name) for name, sent, _ in TYPES])
def test_all_read_types_of_texts_in_the_same_way(sent: bytes) -> None:
    octets = body(part(DISPOSITION + b"\r\nContent-Type: " + sent))
    assert check(without_falcon(read(octets, [TYPE.encode()], Policy.STANDARD), octets))


@pytest.mark.parametrize(
    "spelled", [pytest.param(spelled, id=name) for name, spelled in (*STARRED, *DATED, *TOKENS)]
)
def test_all_read_other_spellings_of_file_names_in_the_same_way(spelled: bytes) -> None:
    assert check(read(named(spelled), [TYPE.encode()], Policy.STANDARD))


NAMES: Final = [
    b"a", b"b c", b"a%22b", b'a\\"b', "\u00e9".encode(), b"a;b", b"a=b", b"=?utf-8?q?=41?=", b"\\ ", b"",
    b" a", b"a ", b"%41", b"a[b]", "\u202e".encode(), "\ufeffa".encode(), "\u00a0a".encode(), b"&quot;",
    b"utf-8''a", b"a/b", b"..", b"C:x", b"&#47;a", b"a&copy", b"CON", "a\u200b".encode(), b"x" * 300,
    b"a\\b", b"&", b"+", b"\x1f", b"f.txt ",
    b'a\\"; name=b', b'a\\";\\ filename=z', b'a\\"\\; b', b'a\\"\\;\\ b', b'a\\"', b'\\"; ', b'a\\"\\;',
]  # fmt: skip
"""Names and file names."""
ESCAPED: Final = [
    b"f.txt",
    b"%c3%a9",
    b"a%22b",
    b"%2e",
    b"a%20b",
    b"%0a",
    b"%00",
    b"%5c",
    b"a%2fb",
    b"%26%2347;",
    b"it's%20(1)*.txt",
    b"'()*",
]
FIELDS: Final = [
    b"Content-Type: text/plain", b"Content-Type: application/x-www-form-urlencoded",
    b"content-type:image/png", b"Content-Type: text/plain; charset=us-ascii",
    b"Content-Type: message/rfc822", b"Content-Type: multipart/mixed",
    b'Content-Type: video/webm; codecs="vp8, opus"', b'Content-Type: text/plain; name="a b.txt"',
    b'Content-Type: text/plain; x=" = /:,"; y="@*"; charset=utf-8',
    b'Content-Type: a/b; x="utf-8\'\' %41"; y=""',
    b"Content-Type: text/plain; charset=ISO-8859-1", b'Content-Type: text/plain; charset="utf-8"',
    b'content-type: text/plain;Charset="windows-1252"', b"Content-Type: TEXT/plain; Charset=UTF-8",
    b"Content-Type: text/plain; x=y; charset=utf-8", b"Content-Length: 1",
    b"Content-Type: text/plain; charset=utf-7; charset=utf-8",
    b"Content-Transfer-Encoding: binary", b"Content-Encoding: gzip", b"Content_Type: text/html",
    b'Content_Disposition: form-data; name="q"', b"%X: y", b"Charset: utf-7", b"name: z", b"X: ",
    b"X:  \xa0", b"MIME-Version: 1.0", b"Content-Range: bytes 0-1/2",
    b"X-Long: " + b"y" * 500, b"X-Longer: " + b"y" * 920, b"Content-Type: application/json",
    b"Content-Type: TEXT/Plain", b"content-type:Text/plain; charset=UTF-8",
    b"X-Extended: a; b*=c; b*0=d", b"X-Coded: a; b*=undefined''%41", b"X-Starred: a*; b=c", b'X-Open: a; b="',
]  # fmt: skip
CONTENTS: Final = [
    b"", b"1", b"\r\n", b"\r", b"\n", b"\r\n--", b"\r\n-x", b"\n--zz", b"--", b"\xc3\xa9", b"\xef\xbb\xbfa",
    b"+AGE-", b"a=1&b=2", b"=C3=A9", b'\r\n\r\nContent-Disposition: form-data; name="z"\r\n\r\n2', b"\t",
    b"\x1b", b"UTF-8",
]  # fmt: skip


def part_made(rng: random.Random) -> bytes:
    """Return a part whose name, header fields and content readers might read in different ways."""
    head = b'Content-Disposition: form-data; name="' + rng.choice(NAMES) + b'"'
    match rng.randrange(6):
        case 0:
            head += b'; filename="' + rng.choice(NAMES) + b'"'
        case 2:
            head += b'; filename=""'
        case 3:
            name = rng.choice((b"it's", b"50%25", b"%41", b"'", b"b", b"%27b'"))
            head += b"; filename=" + rng.choice((name, percent_decode(name))) + b"; filename*=utf-8''" + name
        case 1:
            head += b"; filename*=utf-8''" + rng.choice(ESCAPED)
        case _:
            pass
    if rng.randrange(8) == 0:
        head += rng.choice((b"; size=2", b'; read-date="1 Jan 2026, 00:00 +0"', b'; size="name=q"'))
    fields = [head, *rng.choices(FIELDS, k=rng.choice((0, 0, 1, 2)))]
    rng.shuffle(fields)
    return part(b"\r\n".join(fields), b"".join(rng.choices(CONTENTS, k=rng.randrange(3))))


SEEDS: Final = [*range(3), *(pytest.param(seed, marks=pytest.mark.evidence) for seed in range(3, 8))]

OTHER_TYPE: Final = re.compile(rb"(?i)content-type:[ \t]*+(?!text/plain(?:;|[ ]*+\r))")


def without_falcon(readings: dict[str, Reading], octets: bytes) -> dict[str, Reading]:
    """Leave out Falcon if a part has a type other than text/plain, because Falcon does not read its text."""
    typed = OTHER_TYPE.search(octets) is not None
    return {name: each for name, each in readings.items() if not (typed and name.startswith("Falcon"))}


@pytest.mark.parametrize("seed", SEEDS)
def test_generated_parts_have_one_meaning_or_none(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - no secret
    passed = 0
    for _ in range(150):
        octets = body(*(part_made(rng) for _ in range(rng.choice((1, 1, 2)))))
        handed_on: set[bytes] = set()
        for name, policy in POLICIES.items():
            judged = RULES[name.lower()].judge(octets, b"zz").octets
            # Refused forms are skipped, and so are octets that the frameworks have already read.
            if judged is not None and judged not in handed_on:
                handed_on.add(judged)
                passed += check(without_falcon(read(octets, [TYPE.encode()], policy), octets))
    assert passed


def made(rng: random.Random) -> bytes:
    """Return two parts with pieces inserted, or octets removed, at some places."""
    octets = bytearray(body(part(rng.choice([head for _, head in REPAIRED])), part(content=b"value")))
    for _ in range(rng.randrange(3)):
        at = rng.randrange(len(octets) + 1)
        octets[at : at + rng.choice([0, 0, 1, 2])] = rng.choice([b"", *PIECES])
    return bytes(octets)


@pytest.mark.parametrize("seed", range(8))
def test_generated_bodies_have_one_meaning_or_none(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - no secret
    passed = 0
    for _ in range(25):
        octets = made(rng)
        for policy in (Policy.STANDARD, Policy.LENIENT):
            passed += check(read(octets, [TYPE.encode()], policy))
    assert passed


@pytest.mark.parametrize("seed", range(2))
def test_bodies_of_the_grammar_have_one_meaning_or_none(seed: int) -> None:
    hostile, passed = Hostile(seed), 0
    for _ in range(150):
        octets, content_type = hostile.form()
        passed += check(without_falcon(read(octets, [content_type], Policy.STANDARD), octets))
    assert passed >= 10
