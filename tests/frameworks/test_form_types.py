"""No content type lets a NUL bypass the rules for forms and reach the form object of a framework.

Every framework is called with every content type, every method, and every coding of the body.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from frameworks.asking_forms import CODINGS, Bench, Read, bench
from frameworks.content_types import CONTENT_TYPES, ContentType
from frameworks.form_objects import METHODS, READERS, Reader
from frameworks.read_bare import CODINGS_READ, METHODS_READ, READ_BARE
from together import together

pytestmark = pytest.mark.filterwarnings("ignore")  # The warnings of the frameworks do not matter here.

EACH_READER = pytest.mark.parametrize("reader", READERS, ids=lambda each: each.name)
PLAIN = [each for each in CONTENT_TYPES if each.name in {
    "the form", "upper case", "charset=utf-8", "charset=utf-8, quoted", "a semicolon at the end",
    "a parameter",
}]  # fmt: skip
PAIRS = [
    (reader, sent)
    for sent in PLAIN
    for reader, read in zip(READERS, READ_BARE[sent.name], strict=True)
    if read == "x"
]
"""Each framework with each plain type under which it reads a form without postel."""
CLEAN = b"a=1&f=x%20y"


@pytest.fixture(scope="module")
def asked() -> Iterator[Bench]:
    with bench() as made:
        yield made


def mark(found: Read) -> str:
    return "x" if found.has_nul else "!" if found.status >= 500 else "-"


# -- without postel ------------------------------------------------------------------------------------------


def test_there_are_sixty_types_and_eleven_frameworks() -> None:
    assert len({each.fields for each in CONTENT_TYPES}) == len({each.name for each in CONTENT_TYPES}) >= 60
    assert len({each.name.partition(",")[0] for each in READERS}) == 11
    assert len(METHODS) == 5


@together("sent", CONTENT_TYPES, ids=lambda each: each.name)
def test_what_is_read_without_postel(asked: Bench, sent: ContentType) -> None:
    read = [asked.read(reader, sent, "POST", "length", behind=False) for reader in READERS]
    assert "".join(map(mark, read)) == READ_BARE[sent.name]


@EACH_READER
def test_methods_and_codings_that_are_read_without_postel(asked: Bench, reader: Reader) -> None:
    form, *_ = CONTENT_TYPES
    methods = [each for each in METHODS if asked.read(reader, form, each, "length", behind=False).has_nul]
    codings = [each for each in CODINGS if asked.read(reader, form, "POST", each, behind=False).has_nul]
    assert " ".join(methods) == METHODS_READ[reader.name]
    assert ", ".join(codings) == CODINGS_READ[reader.name]


# -- behind postel -------------------------------------------------------------------------------------------


@EACH_READER
@together("sent", CONTENT_TYPES, ids=lambda each: each.name)
def test_no_type_lets_a_nul_reach_a_form_object(asked: Bench, reader: Reader, sent: ContentType) -> None:
    for method in METHODS:
        for coding in CODINGS:
            read = asked.read(reader, sent, method, coding, behind=True)
            assert not read.has_nul, (method, coding)
            assert read.status < 500, (method, coding, read.failed)


@together(("reader", "sent"), PAIRS, ids=lambda each: each.name)
def test_a_clean_form_of_a_plain_type_is_read(asked: Bench, reader: Reader, sent: ContentType) -> None:
    """Otherwise postel could pass the test above by refusing everything."""
    for method in METHODS_READ[reader.name].split():
        for coding in ("length", "chunked"):
            read = asked.read(reader, replace(sent, body=CLEAN), method, coding, behind=True)
            assert set(read.told) == {"a", "1", "f", "x y"}, (method, coding)
