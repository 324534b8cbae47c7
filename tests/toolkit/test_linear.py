"""Hostile texts: twice the text takes at most about twice the steps; calls of Python and of C are counted.

The work of an expression inside one call is not counted. So each text is also tried at 64 KiB, where
quadratic work would not end.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from laws.checks import steps_of
from postel import form, javascript, uri
from sampling import EVERY, sample

LENGTH = 1 << 16

TEXTS = {
    ascii(piece): piece
    for piece in (
        *("%", "%2", "%25", "%FF", "%C3", "%C3%A9", "%E2%82", "%CC%81", "%u0041", "%ED%A0%80"),
        *("[", "]", ":", "@", "/", "//", "/..", "#", "?", "&", "=", "+", ";", "a", "\ud83d", "é"),
        *(
            "[::1]@",
            ":1",
            "%20",
            "%2525",
            ";/",
            "./",
            "\uff9e\uff9f",
            "\u0316\u0300",
            "é%C3",
            "a%41",
            "%2F",
            "&%",
            "..;",
            " ",
        ),
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
    lambda text: uri.pretty(text, spaces=True),
    uri.percent_decode,
    lambda text: uri.address_bar(text, browser="firefox"),
    uri.parse_reference,
    uri.is_local,
    lambda text: uri.is_local("/" + text),
    lambda text: uri.is_local("https://example.com/" + text, "https://example.com/"),
    lambda text: uri.pretty("//" + text),
    lambda text: uri.parse_path("/a" + text, slashes=True, dot_segments=True),
    uri.parse_query,
    lambda text: uri.build_path([text], slashes=True, dot_segments=True),
    lambda text: uri.build_query([(text, text)]),
    form.parse,
    lambda text: form.serialize([(text, text)]),
    *(getattr(javascript, name) for name in javascript.__all__),
]


def applied(function: Callable[[str], object], text: str) -> None:
    with suppress(uri.DecodeError, uri.BuildError):
        function(text)


@EVERY
@pytest.mark.no_cover
def test_every_function_ends_for_every_long_text(every: int) -> None:
    for piece, function in sample(itertools.product(TEXTS.values(), FUNCTIONS), every):
        applied(function, piece * (LENGTH // len(piece)))


@pytest.mark.parametrize("piece", TEXTS.values(), ids=TEXTS)
def test_steps_grow_with_the_text(piece: str) -> None:
    short, long = (piece * (length // len(piece)) for length in (1 << 10, 1 << 11))
    for function in FUNCTIONS:
        few, many = steps_of(partial(applied, function, short)), steps_of(partial(applied, function, long))
        assert many <= 2.3 * few + 200, function
