from __future__ import annotations

from collections.abc import Callable

import pytest

from postel import uri

ALNUM = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@pytest.mark.parametrize(
    ("name", "punctuation"),
    [
        ("UNRESERVED", "-._~"),
        ("PCHAR", "-._~!$&'()*+,;=:@"),
        ("PATH", "-._~!$&'()*+,;=:@/"),
        ("QUERY", "-._~!$&'()*+,;=:@/?"),
        ("FRAGMENT", "-._~!$&'()*+,;=:@/?"),
        ("USERINFO", "-._~!$&'()*+,;=:"),
        ("REG_NAME", "-._~!$&'()*+,;="),
        ("RFC2396_UNRESERVED", "-_.!~*'()"),
        ("RFC1738_UNRESERVED", "$-_.+!*'(),"),
    ],
)
def test_classes_with_letters_and_digits_have_these_members(name: str, punctuation: str) -> None:
    assert getattr(uri, name) == uri.Characters.of(ALNUM + punctuation)


@pytest.mark.parametrize(
    ("name", "characters"),
    [
        ("ALPHA", ALNUM[10:]),
        ("DIGIT", ALNUM[:10]),
        ("HEXDIG", "0123456789ABCDEFabcdef"),
        ("GEN_DELIMS", ":/?#[]@"),
        ("SUB_DELIMS", "!$&'()*+,;="),
        ("RESERVED", ":/?#[]@!$&'()*+,;="),
        ("RFC2396_MARK", "-_.!~*'()"),
        ("RFC2396_RESERVED", ";/?:@&=+$,"),
        ("RFC2396_DELIMS", '<>#%"'),
        ("RFC2396_UNWISE", "{}|\\^[]`"),
        ("RFC1738_SAFE", "$-_.+"),
        ("RFC1738_EXTRA", "!*'(),"),
        ("RFC1738_NATIONAL", "{}|\\^~[]`"),
        ("RFC1738_PUNCTUATION", '<>#%"'),
        ("RFC1738_RESERVED", ";/?:@&="),
    ],
)
def test_other_classes_have_these_members(name: str, characters: str) -> None:
    assert getattr(uri, name) == uri.Characters.of(characters)


@pytest.mark.parametrize(
    ("name", "printable"),
    [
        ("C0_CONTROL_SET", ""),
        ("FRAGMENT_SET", ' "<>`'),
        ("QUERY_SET", ' "#<>'),
        ("SPECIAL_QUERY_SET", " \"#<>'"),
        ("PATH_SET", ' "#<>?^`{}'),
        ("USERINFO_SET", ' "#<>?^`{}/:;=@[\\]|'),
        ("COMPONENT_SET", ' "#<>?^`{}/:;=@[\\]|$%&+,'),
        ("FORM_SET", " \"#<>?^`{}/:;=@[\\]|$%&+,!'()~"),
    ],
)
def test_percent_encode_sets_contain_controls_and_all_of_non_ascii(name: str, printable: str) -> None:
    others = uri.Characters.of((0, 0x1F), (0x7F, 0x10FFFF))
    assert getattr(uri, name) == uri.Characters.of(printable) | others


def test_every_exported_name_is_tested() -> None:
    assert sorted(set(uri.__all__), key=uri.__all__.index) == uri.__all__
    assert all(hasattr(uri, name) for name in uri.__all__)


@pytest.mark.parametrize(
    "misused",
    [
        lambda given: uri.PATH_SET | given,
        lambda given: uri.PATH_SET & given,
        lambda given: uri.PATH_SET - given,
        lambda given: uri.percent_encode("a b", escaping=given),
        lambda given: uri.percent_encode(b"a b", escaping=given),
    ],
)
def test_text_in_place_of_a_set_is_refused_with_the_remedy(misused: Callable[[object], object]) -> None:
    with pytest.raises(TypeError, match=r"^'x' is not a set of characters; write Characters\.of\('x'\)$"):
        misused("x")
    with pytest.raises(
        TypeError, match=r"^\['x'\] is not a set of characters; write Characters\.of\(\.\.\.\)$"
    ):
        misused(["x"])
