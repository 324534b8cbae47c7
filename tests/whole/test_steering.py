"""Law 11: no header that passes changes what a framework reads from an accepted target or body."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from postel import Policy
from readers.asking import Reader
from whole.conftest import Noting
from whole.generator import FORM, requests
from whole.request import HOST, Request
from whole.scale import EACH_RUN, Run
from whole.steering import STEERING, Behind, all_readers, steered

ROWS = {
    "an empty port": Request(fields=((b"Host", b"demo.test:"),)),
    "an empty port of an address": Request(fields=((b"Host", b"[::1]:"),)),
    "an empty label": Request(fields=((b"Host", b"a..b"),)),
    "two spellings of a name": Request(
        fields=((b"Host", HOST), (b"X-Forwarded-For", b"192.0.2.1"), (b"X_Forwarded_For", b"198.51.100.1"))
    ),
    "Content_Type alone": Request(
        b"/",
        "POST",
        ((b"Host", HOST), (b"Content_Type", FORM), (b"Content-Length", b"7")),
        b"a=1&b=2",
    ),
    "Transfer_Encoding beside a form": Request(
        b"/",
        "POST",
        (
            (b"Host", HOST),
            (b"Content-Type", FORM),
            (b"Content-Length", b"7"),
            (b"Transfer_Encoding", b"chunked"),
        ),
        b"a=1&b=2",
    ),
}
PRESETS = {"STRICT": Policy.STRICT, "STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as made:
        yield made


@pytest.mark.filterwarnings("ignore")  # The warnings of the frameworks do not matter here.
@EACH_RUN
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("reader", all_readers(), ids=str)
def test_no_header_changes_the_reading(
    reader: Reader, preset: str, run: Run, runner: asyncio.Runner, asked_about: Noting
) -> None:
    behind = Behind(reader, PRESETS[preset], runner)
    found, asked = [], 0
    for request in requests(run.seed, run.count(60, 800)):
        asked += behind.read(request).asked
        found += [f"{of}: {request}\n    {what}" for of, what in steered(behind, request)]
    asked_about("steering", run, requests=asked, broken=len(found))
    assert not found, "\n".join(found[:3])
    assert asked > run.count(60, 800) / 20


@pytest.mark.filterwarnings("ignore")  # The warnings of the frameworks do not matter here.
@pytest.mark.parametrize("request_", ROWS.values(), ids=[*ROWS])
def test_known_changes_are_prevented(request_: Request, runner: asyncio.Runner) -> None:
    for reader in all_readers():
        assert not [*steered(Behind(reader, Policy.STANDARD, runner), request_)], str(reader)


@pytest.mark.filterwarnings("ignore")  # The warnings of the frameworks do not matter here.
def test_without_a_middleware_every_part_of_the_law_is_violated(runner: asyncio.Runner) -> None:
    """Otherwise this file would test nothing."""
    found = set()
    for reader in all_readers():
        if reader.name in {"Django, ASGI", "Falcon, WSGI", "Flask in a2wsgi"}:
            behind = Behind(reader, None, runner)
            found |= {of for request in requests(0, 400) for of, _ in steered(behind, request)}
    assert found == {*STEERING}
