from __future__ import annotations

import unicodedata

import pytest

from postel import uri


def escaped(text: str) -> str:
    return "".join(f"%{octet:02X}" for octet in text.encode())


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        pytest.param("/Fran%C3%A7ois", "/François", id="Latin"),
        pytest.param("/%E6%BC%A2?%D1%8F=%F0%9F%98%80#%C3%84", "/漢?я=😀#Ä", id="in every component"),
        pytest.param("/%E2%80%99%E2%80%93%E2%82%AC", "/’–€", id="punctuation and symbols"),
        pytest.param("/e%CC%81", "/e\u0301", id="a mark on a bare letter"),
        pytest.param("/%C3%A9%CC%A3", "/é\u0323", id="a mark on a shown letter"),
        pytest.param("/%D7%90%D6%B8", "/\u05d0\u05b8", id="right to left"),
        pytest.param("/é%C3%A9", "/éé", id="text that is not a valid URI"),
    ],
)
def test_characters_that_are_shown(given: str, shown: str) -> None:
    assert uri.pretty(given) == shown
    assert uri.pretty(shown) == shown


@pytest.mark.parametrize(
    "given",
    [
        pytest.param("/%21%22%23%24%25%26%27%28%29%2A%2B%2C%2F%3A%3B%3C%3D%3E%3F%40", id="reserved"),
        pytest.param("/%5B%5C%5D%5E%60%7B%7C%7D", id="illegal ASCII"),
        pytest.param("/%41%7E%2E%2E", id="unreserved, because cleaning would not escape it again"),
        pytest.param("/%20%09%0A%00%7F", id="space and controls"),
        pytest.param("/%C2%80%C2%85%C2%9F", id="C1 controls"),
        pytest.param("/%C2%A0%E2%80%83%E3%80%80%E1%9A%80", id="spaces"),
        pytest.param("/%E2%80%A8%E2%80%A9", id="line ends"),
        pytest.param("/%E2%80%AE%E2%81%A6%D8%9C%E2%80%8E", id="bidi controls"),
        pytest.param("/a%E2%80%8B%E2%80%8C%E2%80%8D%C2%AD%EF%BB%BF", id="invisible"),
        pytest.param("/a%EF%B8%8F%CD%8F%F3%A0%84%80", id="variation selectors and the joiner"),
        pytest.param("/%E3%85%A4%E2%A0%80%EF%BE%A0", id="letters that look blank"),
        pytest.param("/%F3%A0%81%81", id="tags"),
        pytest.param("/%EE%80%80%F4%80%80%80", id="private use"),
        pytest.param("/%EF%BF%BE%EF%B7%90%F4%8F%BF%BF", id="noncharacters"),
        pytest.param("/%CD%B8", id="unassigned"),
        pytest.param("/%EF%BF%BD%EF%BF%BC", id="replacement characters"),
        pytest.param("/%EF%BC%8F%EF%BC%9F%EF%BC%85%EF%BC%8E%EF%BC%A0", id="fullwidth delimiters"),
        pytest.param("/%E2%88%95%E2%81%84%E2%A7%B8%E2%95%B1%E2%88%96", id="slashes"),
        pytest.param("/%E3%80%82%E2%80%A4%E2%80%A6%EF%B9%92", id="dots"),
        pytest.param("/%E2%84%80%C2%BD%C2%A8%E2%A9%B4", id="characters that NFKC turns into a delimiter"),
        pytest.param("/%CD%BE%CB%B8%E2%88%B6", id="semicolon and colons"),
        pytest.param("/%CC%81?%CC%B8=%CC%B8", id="a mark on a delimiter"),
        pytest.param("/%41%CC%81", id="a mark on a hex digit"),
        pytest.param("/%E2%80%A6%CC%81", id="a mark after a character that stays escaped"),
        pytest.param("/a%CC%B8%CC%B6", id="a mark that strikes through"),
        pytest.param("/1%E2%83%A3", id="a mark that encloses"),
        pytest.param("/%C3%28%FF%ED%A0%80%C0%AF%F4%90%80%80", id="ill-formed UTF-8"),
        pytest.param("/%c3%a9%C3%a9", id="lower-case hex, which cleaning would not restore"),
        pytest.param("/%F0%9F%94%8F%F0%9F%94%90%F0%9F%94%92%F0%9F%94%93", id="the four padlocks"),
        pytest.param("http://%C3%A4:%C3%B6@%C3%BC/", id="the authority"),
        pytest.param("//%C3%A4", id="the authority without a scheme"),
    ],
)
def test_characters_that_stay_escaped(given: str) -> None:
    assert uri.pretty(given) == given


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        pytest.param("/a%20b?c%20d#e%20f", "/a b?c d#e f", id="spaces"),
        pytest.param("/%22%3C%3E%5C%5E%60%7B%7C%7D", '/"<>\\^`{|}', id="characters that no URI contains"),
        pytest.param("/%20%C3%A9%20%C3%A9", "/ é é", id="spaces beside shown letters"),
        pytest.param("/a%20%CC%81", "/a %CC%81", id="a mark on a space"),
        pytest.param("/a%20%20", "/a%20%20", id="spaces at the end, which are invisible"),
        pytest.param("/a%20%20b%20", "/a  b%20", id="a space at the end, after others"),
        pytest.param("%20", "%20", id="a space alone"),
        pytest.param("/%2520%%20x", "/%2520% x", id="a space beside percent signs"),
        pytest.param("/%5c%3c%7c", "/%5c%3c%7c", id="lower-case hex, which cleaning would not restore"),
        pytest.param("/%09%0A%0D%00%1F%7F", "/%09%0A%0D%00%1F%7F", id="controls"),
        pytest.param("/%C2%A0%E2%80%A8%E2%80%AEx", "/%C2%A0%E2%80%A8%E2%80%AEx", id="other spaces, bidi"),
        pytest.param("/%F0%9F%94%92", "/%F0%9F%94%92", id="a padlock"),
        pytest.param("/%5B%5D%21%27%23%25%2F", "/%5B%5D%21%27%23%25%2F", id="reserved"),
        pytest.param("//a%20b/%20/", "//a%20b/ /", id="a path, but not the authority"),
    ],
)
def test_characters_that_are_shown_with_spaces(given: str, shown: str) -> None:
    assert uri.pretty(given, spaces=True) == shown
    assert uri.pretty(shown, spaces=True) == shown
    assert uri.clean(shown) == uri.clean(given)


def test_at_most_four_marks_are_shown_on_one_letter() -> None:
    mark, spelled = "\u0301", "%CC%81"
    assert uri.pretty("/a" + 6 * spelled) == "/a" + 4 * mark + 2 * spelled
    assert uri.pretty("/%C3%A9" + 6 * spelled) == "/é" + 4 * mark + 2 * spelled


@pytest.mark.no_cover
def test_every_character_survives_and_no_dubious_one_is_shown() -> None:
    doubtful = set("!\"#$%&'()*+,./:;<=>?@[\\]^`{|} ")
    shown = 0
    # The planes with characters. Those between them are unassigned, and pretty treats them all in the same
    # way.
    for start in (*range(0x80, 0x33480, 0x400), *range(0xE0080, 0xE0480, 0x400), 0x10FC80):
        characters = [
            chr(point)
            for point in range(start, min(start + 0x400, 0x110000))
            if not 0xD800 <= point <= 0xDFFF
        ]
        given = "".join("/a" + escaped(character) for character in characters)
        pretty = uri.pretty(given)
        assert uri.clean(pretty) == given
        assert uri.clean(given) == given
        if pretty == given:
            continue
        for part, character in zip(pretty.split("/a")[1:], characters, strict=True):
            if part.isascii():
                assert part == escaped(character)
                continue
            shown += 1
            assert part == character
            assert character.isprintable()
            assert doubtful.isdisjoint(unicodedata.normalize("NFKC", character))
            assert unicodedata.bidirectional(character) not in {
                *("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI", "BN"),
            }
            assert not any(
                word in unicodedata.name(character, "")
                for word in ("VARIATION SELECTOR", "INVISIBLE", "ZERO WIDTH", "COMBINING ENCLOSING")
            )
    assert shown > 100_000
