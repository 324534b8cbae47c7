"""``is_local`` is never True if any reader would leave the site, and True for ordinary references.

The readers are urllib, urllib3, yarl, and ada, the URL Standard's parser.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from urllib.parse import quote, unquote, urljoin, urlsplit

import ada_url
import pytest
import yarl
from urllib3.exceptions import LocationParseError
from urllib3.util import parse_url

from postel import uri
from postel.uri import DecodeError, is_local, parse_reference
from together import together
from toolkit.corpora import HERE, rows_of, text

PAGE = "https://site.example/dir/page?q=1#f"
HOME = ("https", "site.example", 443)
Origin = tuple[str | None, str | None, int | None]


def by_urllib(reference: str, base: str) -> Origin:
    parts = urlsplit(urljoin(base, reference))
    return parts.scheme, parts.hostname, parts.port or 443


def by_urllib3(reference: str, base: str) -> Origin:
    parts = parse_url(urljoin(base, reference))
    return parts.scheme, parts.host, parts.port or 443


def by_yarl(reference: str, base: str) -> Origin:
    parts = yarl.URL(base).join(yarl.URL(reference))
    return parts.scheme, parts.host, parts.port


def by_ada(reference: str, base: str) -> Origin:
    parts = ada_url.URL(reference, base=base)
    return parts.protocol.removesuffix(":"), parts.hostname, int(parts.port or 443)


READERS: list[Callable[[str, str], Origin]] = [by_urllib, by_urllib3, by_yarl, by_ada]


def elsewhere(reference: str) -> list[str]:
    """Return the readers that leave the site with this reference; one that refuses it does not leave."""
    leaving: list[str] = []
    for reader in READERS:
        try:
            origin = reader(reference, PAGE)
        except (ValueError, LookupError, LocationParseError):
            continue
        if origin != HOME:
            leaving.append(reader.__name__)
    return leaving


def readings(reference: str) -> set[str]:
    """Return a reference unchanged, trimmed, and with its path decoded once and twice."""
    at = min([reference.find(mark) for mark in "?#" if mark in reference], default=len(reference))
    path, rest = reference[:at], reference[at:]
    return {reference, reference.strip(), unquote(path) + rest, unquote(unquote(path)) + rest}


def holds(reference: str) -> bool:
    """Check ``is_local`` for a reference, with and without a base, and return its answer."""
    said = [is_local(reference), is_local(reference, PAGE)]
    assert said[1] or not said[0], ascii(reference)
    if said[1]:
        for reading in readings(reference):
            assert elsewhere(reading) == [], (ascii(reference), ascii(reading))
    return said[1]


def lines(file: str) -> list[str]:
    rows = (HERE / file).read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return [row for row in rows if not row.startswith("# ")]


ORDINARY = lines("local_references.txt")
PAYLOADS = [
    row.encode("ascii", "backslashreplace").decode("unicode_escape") for row in lines("open_redirects.txt")
]


@together("reference", ORDINARY)
def test_ordinary_references_are_local(reference: str) -> None:
    assert is_local(reference)
    assert holds(reference)
    if reference[0] == "/":
        assert is_local("https://site.example" + reference, PAGE)
        assert holds("https://site.example" + reference)


def test_there_are_two_hundred_references_and_more_than_sixty_payloads() -> None:
    assert len(set(ORDINARY)) == len(ORDINARY) >= 200
    assert len(set(PAYLOADS)) == len(PAYLOADS) >= 160


@together("reference", PAYLOADS, ids=ascii)
def test_no_published_payload_is_local(reference: str) -> None:
    assert not is_local(reference)
    assert not is_local(reference, PAGE)


# The first and last of each run of Default_Ignorable_Code_Point, except format characters: Unicode, 5.21.
IGNORABLE = [
    *("\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u180b", "\u180f", "\u2065", "\u3164", "\ufe00"),
    *("\ufe0f", "\uffa0", "\ufff0", "\ufff8", "\U000e0000", "\U000e0002", "\U000e0080", "\U000e00ff"),
    *("\U000e0100", "\U000e01ef", "\U000e01f0", "\U000e0fff"),
]


@together("character", IGNORABLE, ids=ascii)
def test_characters_that_readers_drop_do_not_hide_a_host(character: str) -> None:
    for written in (character, quote(character)):
        for reference in (f"/{written}/evil.example", f"{written}//evil.example", f"java{written}script:"):
            assert not is_local(reference), ascii(reference)
        assert is_local(f"/a{written}b")


BAD_TO_DJANGO = [
    *("http://example.com", "http:///example.com", "https://example.com", "ftp://example.com"),
    *("\\\\example.com", "\\\\\\example.com", "/\\\\/example.com", "\\\\//example.com", "/\\/example.com"),
    *("\\/example.com", "/\\example.com", "http:/\\//example.com", "http:\\/example.com"),
    *("http:/\\example.com", 'javascript:alert("XSS")', "\njavascript:alert(x)", "java\nscript:alert(x)"),
    *("\x08//example.com", "http://otherserver\\@example.com", "http:\\\\testserver\\@example.com"),
    *("http://testserver\\me:pass@example.com", "http://testserver\\@example.com"),
    *("http:\\\\testserver\\confirm\\me@example.com", "http:999999999", "ftp:9999999999", "\n", ""),
    *("http://[2001:cdba:0000:0000:0000:0000:3257:9652/", "http://2001:cdba:0000:0000:0000:0000:3257:9652]/"),
    "http://good.co/evil",
]
GOOD_TO_DJANGO = [
    *("/view/?param=http://example.com", "/view/?param=https://example.com", "/view?param=ftp://example.com"),
    *(
        "view/?param=//example.com",
        "/url%20with%20spaces/",
        "path/http:2222222222",
        "/confirm/me@example.com",
    ),
    *("https://testserver/", "HTTPS://testserver/", "https://testserver/confirm?email=me@example.com"),
]


@pytest.mark.parametrize("reference", BAD_TO_DJANGO, ids=ascii)
def test_references_that_django_refuses_are_not_local(reference: str) -> None:
    assert not is_local(reference, "https://testserver/")


@pytest.mark.parametrize("reference", GOOD_TO_DJANGO)
def test_references_that_django_accepts_are_local(reference: str) -> None:
    assert is_local(reference, "https://testserver/")


def test_two_references_that_django_accepts_are_not_local() -> None:
    assert not is_local("//testserver/", "https://testserver/")
    assert not is_local("https://user:pass@testserver/", "https://testserver/")


def test_no_reader_leaves_the_site_by_the_cases_of_the_url_standard() -> None:
    yes = 0
    for row in rows_of("wpt_urltestdata"):
        reference, base = text(row["input"]), row.get("base")
        yes += holds(reference)
        if not isinstance(base, str) or not base.startswith(("http://", "https://")):
            continue
        if is_local(reference, base):
            yes += 1
            theirs, ours = ada_url.URL(text(row["href"])), ada_url.URL(base)
            assert theirs.origin == ours.origin, row
    assert yes > 25


PIECES = [
    *("/", "//", "/", "\\", "@", ":", "?", "#", ".", "..", ";", "&", "x=1", "%", "a", "b", "www", "é", "~"),
    *("%2f", "%2F", "%5c", "%09", "%0a", "%0D", "%00", "%20", "%2e", "%2E%2e", "%25", "%252f", "%u002f"),
    *("\t", "\n", "\r", " ", "\x00", "\x1f", "\x7f", "\x85", "\xa0", "\u2028", "\u3000", "\ufeff", "\u200b"),
    *(
        "http:",
        "https:",
        "HTTPS:",
        "javascript:",
        "https://",
        "evil.example",
        "site.example",
        "127.1",
        "[::1]",
    ),
    *("site.example:443", "user@", ":80", "80", "\uff0f", "\uff1a", "\uff0e", "\uff20", "\u2100", "\u3002"),
    *(
        "%EF%BC%8F",
        "%E3%80%82",
        "%c0%af",
        "\ud800",
        "\u0338",
        "\u2044",
        "\u017f",
        "\U000e0000",
        "ß",
        "|",
        "^",
        "<",
        '"',
        "'",
    ),
]


def generated(count: int, seed: int) -> list[str]:
    dice = random.Random(seed)  # noqa: S311 - references, not secrets
    heads = ["", "", "/", "https://site.example", "https://site.example/"]
    return [dice.choice(heads) + "".join(dice.choices(PIECES, k=dice.randrange(1, 8))) for _ in range(count)]


@pytest.mark.no_cover
def test_no_reader_leaves_the_site_by_a_generated_local_reference() -> None:
    assert sum(map(holds, generated(3_000, 1))) > 300


@pytest.mark.evidence
def test_no_reader_leaves_the_site_by_a_hundred_thousand_references() -> None:
    assert sum(map(holds, generated(100_000, 2))) > 10_000


@pytest.mark.parametrize(
    ("base", "message"),
    [
        ("", "base is ''; write an http or https URL"),
        ("/page", "base is '/page'"),
        ("//site.example/", "base is '//site.example/'"),
        ("site.example", "base is 'site.example'"),
        ("ftp://site.example/", "base is 'ftp://site.example/'"),
        ("https:/site.example/", "base has no host that all readers agree on: missing-authority"),
        ("https://münchen.example/", "base has no host that all readers agree on: illegal-authority"),
        ("https://site.example:70000/", "illegal-authority"),
        ("https://evil\\@site.example/", "illegal-character"),
    ],
)
def test_invalid_bases_raise(base: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        is_local("/", base)


@pytest.mark.parametrize(
    ("reference", "base", "stays"),
    [
        ("HTTP://Site.Example:80/a", "http://site.example", True),
        ("http://site.example", "http://site.example:80/x?y", True),
        ("http://site.example/?a=b", "http://site.example/", True),
        ("http://site.example?a=b", "http://site.example/", False),
        ("http://site.example#a", "http://site.example/", False),
        ("http://site.example/", "https://site.example/", False),
        ("https://[::1]:8443/", "https://[::1]:8443/a", True),
        ("https://[::1]/", "https://[::2]/", False),
        ("https://192.0.2.1/", "https://192.0.2.1/", True),
        ("https://site.example/", "https://site.example/?\\\t#\ud800", True),
        ("//site.example/", "https://site.example/", False),
    ],
)
def test_a_reference_with_a_base_is_local_on_the_same_site(reference: str, base: str, stays: bool) -> None:
    assert is_local(reference, base) is stays


@pytest.mark.parametrize(
    ("reference", "parts"),
    [
        ("", (None, None, None, None, "", None, None)),
        ("?#", (None, None, None, None, "", "", "")),
        ("a/b:c?d:e#f?g#h", (None, None, None, None, "a/b:c", "d:e", "f?g#h")),
        ("//h", (None, None, "h", None, "", None, None)),
        ("//h//a", (None, None, "h", None, "//a", None, None)),
        ("ws://me:you@H.example:0/a", ("ws", "me:you", "h.example", 0, "/a", None, None)),
        ("x+1.-:a:b@c", ("x+1.-", None, None, None, "a:b@c", None, None)),
        ("http://[2001:DB8::1]:65535", ("http", None, "[2001:db8::1]", 65535, "", None, None)),
        ("https://127.0.0.1", ("https", None, "127.0.0.1", None, "", None, None)),
        ("https://a.1x/é?[|", ("https", None, "a.1x", None, "/é", "[|", None)),
    ],
)
def test_references_that_all_readers_split_in_the_same_way_are_parsed(
    reference: str, parts: tuple[object, ...]
) -> None:
    found = parse_reference(reference)
    assert parts == (
        *(found.scheme, found.userinfo, found.host, found.port),
        *(found.path, found.query, found.fragment),
    )


@pytest.mark.parametrize(
    ("reference", "what", "offset", "excerpt"),
    [
        ("/a\\b", "illegal-character", 2, "\\"),
        ("/a\tb", "illegal-character", 2, "\t"),
        ("/a?\x85", "illegal-character", 3, "\x85"),
        (" /", "illegal-character", 0, " "),
        ("/\u3000", "illegal-character", 1, "\u3000"),
        ("é:a", "illegal-character", 1, ":"),
        (":a", "illegal-character", 0, ":"),
        ("/a\ud800", "lone-surrogate", 2, "\ud800"),
        ("https:a", "missing-authority", 6, "a"),
        ("https:", "missing-authority", 6, ""),
        ("http:///a", "missing-authority", 5, "///"),
        ("//", "missing-authority", 0, "//"),
        ("//?a", "missing-authority", 0, "//"),
        ("//a b", "illegal-authority", 2, "a b"),
        ("//a@b@c", "illegal-authority", 2, "a@b@c"),
        ("//h:/", "illegal-authority", 2, "h:"),
        ("//h:65536/", "illegal-authority", 2, "h:65536"),
        ("//h:080/", "illegal-authority", 2, "h:080"),
        ("//%68/", "illegal-authority", 2, "%68"),
        ("//é/", "illegal-authority", 2, "é"),
        ("//[::1/", "illegal-authority", 2, "[::1"),
        ("//[1::2::3]/", "illegal-authority", 2, "[1::2::3]"),
        ("//127.1/", "illegal-authority", 2, "127.1"),
        ("//0x7F000001/", "illegal-authority", 2, "0x7F000001"),
        ("//a.0x/", "illegal-authority", 2, "a.0x"),
        ("//1.2.3.4.5/", "illegal-authority", 2, "1.2.3.4.5"),
    ],
)
def test_references_that_readers_split_differently_are_refused(
    reference: str, what: str, offset: int, excerpt: str
) -> None:
    with pytest.raises(DecodeError) as caught:
        parse_reference(reference)
    error = caught.value
    assert (error.what, error.offset, error.excerpt) == (what, offset, excerpt)
    assert error.advice
    assert not is_local(reference)


def test_clean_local_paths_are_local() -> None:
    for reference in ORDINARY:
        assert is_local(uri.clean(reference)), reference


@pytest.mark.parametrize("many", [1, 16, 17, 40])
def test_any_number_of_different_marks_is_dropped(many: int) -> None:
    marks = "".join(map(chr, range(0x300, 0x300 + many)))
    assert not is_local(f"/{marks}/evil.example")
    assert is_local(f"/a{marks}/b")
