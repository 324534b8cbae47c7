"""Judging a long form lets the event loop run other tasks between its blocks; a short form needs no pause."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import MutableMapping
from types import SimpleNamespace
from typing import Any

import pytest

from postel import LATIN, Forms, Kind, Policy
from postel._bodies.urlencoded import FormRules
from postel._normalizer.detected import Detected
from postel._normalizer.pair_grammar import PairGrammar
from postel.asgi import NormalizeMiddleware

SHORT = b"q=%zz <"
LONG = b"&".join([SHORT * 100] * 100)
TURNS = 3 + 8 + 9 * 10
"""How often other tasks run: after each of three scans of the form, between nine blocks of pairs, and ten
times while a block is judged and edited."""


class Exchange:
    """One request with a form, and the messages that the application received."""

    content_type = b"application/x-www-form-urlencoded"

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.received = b""

    async def receive(self) -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": self.body, "more_body": False}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        raise AssertionError(message)

    async def application(self, _scope: Any, receive: Any, _send: Any) -> None:
        self.received = (await receive())["body"]

    async def run(self) -> None:
        headers = [
            (b"host", b"example.com"),
            (b"content-type", self.content_type),
            (b"content-length", b"%d" % len(self.body)),
        ]
        scope = {
            "type": "http",
            "method": "POST",
            "http_version": "1.1",
            "path": "/",
            "raw_path": b"/",
            "query_string": b"",
            "headers": headers,
        }
        await NormalizeMiddleware(self.application, forms=Forms())(scope, self.receive, self.send)


def turns_beside(exchange: Exchange) -> int:
    """Run an exchange on asyncio, and return how often another task ran meanwhile."""

    async def both() -> int:
        turns, judging = 0, asyncio.create_task(exchange.run())
        while not judging.done():
            await asyncio.sleep(0)
            turns += 1
        await judging
        return turns

    return asyncio.run(both())


@pytest.mark.parametrize(("body", "least"), [(SHORT, 0), (LONG, 8)], ids=["short", "long"])
def test_other_tasks_run_on_asyncio(body: bytes, least: int) -> None:
    exchange = Exchange(body)
    turns = turns_beside(exchange)
    assert len(exchange.received) > len(body)
    assert turns >= least


@pytest.mark.parametrize(
    ("body", "expected"), [(LONG, TURNS), (SHORT, 0)], ids=["a long form", "a short form needs no pause"]
)
def test_other_tasks_run_on_trio(body: bytes, expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the calls of trio's checkpoint are counted, because no loop of trio runs here."""
    turns = 0

    async def checkpoint() -> None:
        nonlocal turns
        turns += 1

    lowlevel = SimpleNamespace(checkpoint=checkpoint, current_task=object)
    monkeypatch.setitem(sys.modules, "trio", SimpleNamespace(__name__="trio", lowlevel=lowlevel))
    exchange = Exchange(body)
    _by_hand(exchange)
    assert turns == expected
    assert exchange.received.startswith(b"q=%25zz")


def test_trio_is_asked_first_because_asyncio_may_run_it_as_a_guest(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = 0

    async def checkpoint() -> None:
        nonlocal turns
        turns += 1
        await asyncio.sleep(0)

    lowlevel = SimpleNamespace(checkpoint=checkpoint, current_task=object)
    monkeypatch.setitem(sys.modules, "trio", SimpleNamespace(__name__="trio", lowlevel=lowlevel))
    asyncio.run(Exchange(LONG).run())
    assert turns == TURNS


class Pieces(Exchange):
    """The same with a body in messages of some octets, all of which the server has ready."""

    def __init__(
        self, body: bytes, size: int, content_type: bytes = b"application/x-www-form-urlencoded"
    ) -> None:
        super().__init__(body)
        self.pieces = [body[at : at + size] for at in range(0, len(body), size)] if size else [b""] * 1000
        self.content_type = content_type

    async def receive(self) -> MutableMapping[str, Any]:
        piece = self.pieces.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(self.pieces)}


HEADS = b"".join(
    b'--zz\r\nContent-Disposition: form-data; name="a%d"\r\n\r\n1\r\n' % number for number in range(30)
)
FILE = b'--zz\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\n' + b"a" * 2**18 + b"\r\n"


@pytest.mark.parametrize(
    ("exchange", "least"),
    [
        pytest.param(lambda: Pieces(b"a=" + b"1" * 1000, 1), 1000 // 64, id="small messages"),
        pytest.param(lambda: Pieces(b"a=" + b"1" * 20_000, 66), 300 // 64, id="messages of 66 octets"),
        pytest.param(lambda: Pieces(b"", 0), 990, id="empty messages"),
        pytest.param(
            lambda: Pieces(FILE + b"--zz--\r\n", 2**12, b"multipart/form-data; boundary=zz"), 7, id="a file"
        ),
        pytest.param(
            lambda: Pieces(HEADS * 10 + b"--zz--\r\n", 2**12, b"multipart/form-data; boundary=zz"),
            4,
            id="heads of parts in several messages",
        ),
    ],
)
def test_other_tasks_run_while_messages_are_ready(exchange: Any, least: int) -> None:
    assert turns_beside(exchange()) > least


def test_one_great_value_is_judged_and_edited_in_turns() -> None:
    policy = (
        Policy.STANDARD.repairing(Kind.SPELLING, Kind.LONE_NEWLINE)
        .dropping(Kind.CONTROL)
        .dropping_pairs(Kind.OUTSIDE_ACCEPTED_RANGE)
        .accepting(LATIN)
    )
    steps = FormRules(policy, Forms()).judging(b"a=" + b"%0A%01" * 32_768)
    assert len(list(steps)) == 15  # two of them are after the proof and after the repair in bulk


def test_a_value_that_an_edit_makes_too_long_is_refused_before_it_is_examined(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    examined = []
    detect = PairGrammar.detect

    def counted(grammar: PairGrammar, detected: Detected, *others: Any) -> Any:
        examined.append(len(detected.pairs.octets))
        return detect(grammar, detected, *others)

    monkeypatch.setattr(PairGrammar, "detect", counted)
    policy = Policy.STANDARD.replacing(Kind.ILL_FORMED_UTF8).repairing(Kind.LONE_NEWLINE)
    form = b"a=" + b"%C0%AF" * 32_768
    judged = FormRules(policy, Forms()).judge(form)
    assert judged.octets is None
    assert [(each.kind, each.offset) for each in judged.findings][-1] == (Kind.LONG_VALUE, 2)
    assert examined == [len(form)]


@pytest.mark.parametrize("loaded", [True, False], ids=["asyncio is loaded", "nothing is loaded"])
def test_without_a_loop_nothing_is_awaited(loaded: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not loaded:
        monkeypatch.delitem(sys.modules, "asyncio")
    monkeypatch.delitem(sys.modules, "trio", raising=False)
    exchange = Exchange(LONG)
    _by_hand(exchange)
    assert exchange.received.startswith(b"q=%25zz")


def _by_hand(exchange: Exchange) -> None:
    with pytest.raises(StopIteration):
        exchange.run().send(None)
