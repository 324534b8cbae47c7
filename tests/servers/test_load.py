"""A worker that receives the most expensive inputs answers all other requests correctly.

bench/load.py measures how soon.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest

BENCH: Final = Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))
try:
    from load import Load, measured, plain, serving
finally:
    sys.path.remove(str(BENCH))

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(find_spec("uvicorn") is None, reason="uvicorn is not installed"),
]
SECONDS: Final = 4
KIB: Final = 1024
# Each row: expensive pieces of a path, a query and a form, which a search found. They are repeated.
MOST_EXPENSIVE: Final = [
    pytest.param("standard", b"%34%3a", b"%C31", b"%20%30\xc0\xaf&a", id="standard"),
    pytest.param("standard", b"%2F:%2f", b"%u12&a=", b"a%0A&%[", id="standard, refused"),
    pytest.param("lenient", b"%2Fc:%2f", b"&a=a%0D%uDE00", b"%5c\xe2\x80\x8b%ED%A0%80", id="lenient"),
]


@pytest.mark.parametrize(("policy", "path", "query", "form"), MOST_EXPENSIVE)
def test_ordinary_requests_are_answered_correctly(
    policy: str, path: bytes, query: bytes, form: bytes
) -> None:
    load = Load(
        (b"/" + path * (8000 // len(path)), b"/?" + query * (8000 // len(query))),
        form * (1024 * KIB // len(form)),
    )
    with serving(policy) as port:
        waits = measured(port, load, SECONDS)
    assert len(waits.ordinary) == SECONDS * 20
    assert waits.wrong == 0
    assert sum(waits.others.values()) == SECONDS * 21
    assert waits.others.keys() <= {200, 400, 413, 414}, waits.others


def test_plain_inputs_of_the_same_lengths_are_accepted() -> None:
    load = plain()
    assert min(map(len, load.targets)) > 7 * KIB
    assert len(load.form) == 1024 * KIB
    with serving("standard") as port:
        waits = measured(port, load, 1)
    assert waits.others == {200: 21}
    assert waits.wrong == 0
