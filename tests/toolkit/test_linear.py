"""Hostile texts of 64 KiB: what is quadratic anywhere does not end in time."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from postel import form, javascript, uri

LENGTH = 1 << 16
LIMIT = 2.0  # seconds: many times what the slowest takes, and less than a square would

TEXTS = {
    ascii(piece): piece * (LENGTH // len(piece))
    for piece in (
        *("%", "%2", "%25", "%FF", "%C3", "%C3%A9", "%E2%82", "%CC%81", "%u0041", "%ED%A0%80"),
        *("[", "]", ":", "@", "/", "//", "/..", "#", "?", "&", "=", "+", ";", "a", "\ud83d", "é"),
        *("[::1]@", ":1", "é%C3", "a%41", "%2F", "&%", "..;", " "),
    )
}
FUNCTIONS: list[Callable[[str], object]] = [
    uri.encode_component,
    uri.percent_encode,
    uri.decode_component,
    lambda text: uri.decode_component(text, errors="drop"),
    lambda text: uri.decode_component(text, errors="replace", charset="shift_jis"),
    lambda text: uri.decode_component(text[:-1] + "%FF"),
    uri.clean,
    lambda text: uri.clean("http://" + text),
    lambda text: uri.clean("?" + text),
    uri.respell,
    uri.pretty,
    lambda text: uri.pretty("//" + text),
    lambda text: uri.parse_path("/a" + text, slashes=True, dot_segments=True),
    uri.parse_query,
    lambda text: uri.build_path([text], slashes=True, dot_segments=True),
    lambda text: uri.build_query([(text, text)]),
    form.parse,
    lambda text: form.serialize([(text, text)]),
    *(getattr(javascript, name) for name in javascript.__all__),
]


@pytest.mark.parametrize("name", TEXTS)
def test_no_text_is_too_long(name: str) -> None:
    for function in FUNCTIONS:
        start = time.perf_counter()
        with suppress(uri.DecodeError, uri.BuildError):
            function(TEXTS[name])
        assert time.perf_counter() - start < LIMIT, function
