"""Behind postel, no second meaning of ``meanings.py`` reaches a view."""

from __future__ import annotations

from pathlib import Path

import pytest

from frameworks_page import PAGE, Column, columns_of
from readers.asking import Reader, Request, ask
from readers.asking_meanings import Answer, bare, behind, concerns
from readers.meanings import MEANINGS, Meaning
from readers.record import note
from readers.registry import readers, version_of
from readers.test_denoting import POLICIES
from readers.test_denoting import behind as behind_policy
from together import together

pytestmark = pytest.mark.filterwarnings("ignore")  # The warnings of the frameworks do not matter here.


CASES = [
    pytest.param(meaning, reader, id=f"{meaning}-{reader}")
    for meaning in MEANINGS
    for reader in readers()
    if concerns(meaning, reader)
]


@together(("meaning", "reader"), CASES)
def test_behind_postel_there_is_no_second_meaning(meaning: Meaning, reader: Reader) -> None:
    """For some meanings this needs a setting that is not the default; ``why`` names it."""
    before, after = bare(meaning, reader), behind(meaning, reader)
    note("meanings", _row(meaning, reader, before, after))
    assert after.wrong == (), (str(before), str(after))


def _row(meaning: Meaning, reader: Reader, before: Answer, after: Answer) -> dict[str, str]:
    return {
        "framework": reader.name,
        "version": version_of(reader),
        "meaning": meaning.name,
        "bare": str(before),
        "behind": str(after),
    }


ORDINARY = [
    Request(b"/"),
    Request(b"/wiki/Caf%C3%A9%20au%20lait?q=1&q=2"),
    Request(b"/names/a+b@c?tags%5B%5D=1"),
    Request(b"/?q=50%25%20off&page=2"),
    Request(
        b"/form", "POST", ((b"Content-Type", b"application/x-www-form-urlencoded"),), body=b"a=1&b=%C3%A9"
    ),
    Request(b"/json", "POST", ((b"Content-Type", b"application/json"),), body=b'{"a": 1}'),
    Request(b"/x", headers=((b"Cookie", b'a=1; b="two"'),)),
    Request(b"/x", prefix="/app"),
]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("reader", readers(), ids=str)
def test_ordinary_requests_are_read_unchanged(reader: Reader, policy: str) -> None:
    application = reader.everything()
    app = behind_policy(reader, POLICIES[policy], application, forms=True)
    observing = behind_policy(reader, POLICIES[policy], application, enforce=False)
    for request in ORDINARY:
        seen = ask(app, request)
        assert (seen.status, seen.asked) == (200, True), (request, seen)
        raw = ask(observing, request)
        assert {**seen.places, "body": 0} == {**raw.places, "body": 0}, request


# -- the page ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reader", readers(), ids=str)
def test_the_page_says_what_is_read_today(reader: Reader) -> None:
    """This test compares the installed versions; `make frameworks` compares all supported versions."""
    columns = columns_of(Path(PAGE).read_text("utf-8"))
    found = Column(
        {
            meaning.name: (str(bare(meaning, reader)), str(behind(meaning, reader)))
            for meaning in MEANINGS
            if concerns(meaning, reader)
        }
    )
    key = reader.name, version_of(reader)
    assert key in columns, "run `make frameworks-page`"
    said = columns[key]
    assert {name: cells for name, cells in found.items() if name in said or "**" in cells[0]} == said
