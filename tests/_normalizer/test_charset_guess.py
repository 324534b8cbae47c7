"""Guesses at the charset of a value: which values look like Western text, and which do not."""

from __future__ import annotations

import pytest

from postel._normalizer.charset_guess import WESTERN, guessed_charset
from together import together


def escaped(text: str, charset: str) -> bytes:
    return b"".join(b"%%%02X" % octet for octet in text.encode(charset))


@together(
    ("value", "guess"),
    [
        pytest.param(b"%C4rzteblatt", WESTERN, id="German"),
        pytest.param(b"\xc4rzteblatt", WESTERN, id="bare"),
        pytest.param(b"caf%E9", WESTERN, id="French"),
        pytest.param(b"se%F1or+%BFqu%E9%3F", WESTERN, id="Spanish"),
        pytest.param(b"%93f%FCr%94+50+%80", WESTERN, id="quotation marks and a euro sign"),
        pytest.param(b"S%C3O+PAULO", WESTERN, id="a capital with a tilde"),
        pytest.param(b"%C4", None, id="one letter, which may be of any alphabet"),
        pytest.param(b"%80", None, id="no letter"),
        pytest.param(b"a%81", None, id="an octet that windows-1252 does not define"),
        pytest.param(escaped("привет", "windows-1251"), None, id="Cyrillic"),
        pytest.param(escaped("привет", "koi8-r"), None, id="Cyrillic in another charset"),
        pytest.param(escaped("ελλάδα", "windows-1253"), None, id="Greek"),
        pytest.param(escaped("你好", "gb18030"), None, id="Chinese"),
        pytest.param(escaped("ソース", "shift_jis"), None, id="Japanese"),
        pytest.param(b"a%C3%A4b%E4", None, id="UTF-8 in part"),
        pytest.param(b"caf%C3", None, id="UTF-8 that was cut"),
        pytest.param(b"%C0%AFetc%C0%AFpasswd", None, id="an attack"),
    ],
)
def test_only_western_text_is_guessed(value: bytes, guess: str | None) -> None:
    assert guessed_charset(value) == guess
