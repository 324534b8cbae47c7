"""The limits of header fields: their number on ASGI, and the length of Cookie and Referer."""

from __future__ import annotations

import asyncio
from typing import Final

import pytest

from adapters import ASGI, EACH_PROTOCOL, Protocol, Request, Served, environ_of, scope_of
from postel import Action, Component, Kind, Policy

HOST: Final = (b"host", b"h")
MOST: Final = 32_768
STANDARD: Final = Policy.STANDARD


def many(count: int, name: bytes = b"x-%d") -> list[tuple[bytes, bytes]]:
    """Return a Host and other fields, ``count`` in all."""
    return [HOST, *((name % number, b"1") for number in range(count - 1))]


def request(protocol: Protocol, name: str, value: bytes) -> Request:
    """Return a request with one field, whose value is ASCII or Latin-1."""
    if protocol is ASGI:
        return scope_of(b"/a", headers=[HOST, (name.encode(), value)])
    return environ_of(b"/a", HTTP_HOST="h", **{f"HTTP_{name.upper()}": value.decode("latin-1")})


@pytest.mark.parametrize("name", [b"x-%d", b"x_%d"], ids=["clean names", "names with an underscore"])
def test_the_number_of_fields_is_limited(name: bytes) -> None:
    assert ASGI.behind().serve(scope_of(b"/a", headers=many(1000, name))).status == 200
    answer = ASGI.behind().serve(scope_of(b"/a", headers=many(1001, name)))
    assert answer.status == 431
    (found,) = answer.report.findings
    assert (found.kind, found.component, found.action) == (
        Kind.TOO_MANY_FIELDS, Component.HEADERS, Action.REJECT
    )  # fmt: skip
    assert found.detail == "more than Limits.fields, 1,000"


def test_a_route_has_a_limit_of_its_own() -> None:
    wrapped = ASGI.behind(STANDARD.limiting(fields=9), routes={"/few": STANDARD.limiting(fields=5)})
    for count, path, status in [(5, b"/few", 200), (6, b"/few", 431), (9, b"/a", 200), (10, b"/a", 431)]:
        assert wrapped.serve(scope_of(path, headers=many(count))).status == status


def test_very_many_fields_are_not_examined(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    monkeypatch.setattr(
        "postel._middleware.header_findings.doubtful_names", lambda names: seen.append(len(names)) or ()
    )
    headers = many(20_000, b"x_%d")
    assert ASGI.behind().serve(scope_of(b"/a", headers=headers)).status == 431
    assert ASGI.behind().serve(scope_of(b"/a", headers=headers[:900])).status == 200
    assert seen == [900]


@EACH_PROTOCOL
@pytest.mark.parametrize("name", ["cookie", "referer"])
@pytest.mark.parametrize("octet", [b"a", b"\xff"], ids=["clean", "faulty"])
def test_a_long_field_is_refused_without_being_read(protocol: Protocol, name: str, octet: bytes) -> None:
    def serve(length: int) -> Served:
        return protocol.behind(headers={name: Action.REJECT}).serve(request(protocol, name, octet * length))

    longest, longer = serve(MOST), serve(MOST + 1)
    assert longest.status == (200 if octet == b"a" else 400)
    assert longer.status == 431
    (found,) = longer.report.findings
    assert (found.kind, found.component, found.excerpt) == (Kind.LONG_FIELD, Component(name), b"")
    assert found.detail == "more than Limits.field, 32,768"


@EACH_PROTOCOL
def test_a_long_field_is_reported_dropped_or_left_alone_as_headers_say(protocol: Protocol) -> None:
    cases: list[tuple[str, dict[str, Action], int, bool]] = [
        ("cookie", {}, 200, True),
        ("cookie", {"cookie": Action.REPORT}, 200, True),
        ("cookie", {"cookie": Action.DROP_PAIR}, 431, False),
        ("referer", {"referer": Action.REPORT}, 200, True),
        ("referer", {"referer": Action.DROP}, 200, False),
    ]
    for name, headers, status, is_kept in cases:
        answer = protocol.behind(STANDARD.limiting(field=9), headers=headers).serve(
            request(protocol, name, 10 * b"a")
        )
        assert answer.status == status, (name, headers)
        if status == 200:
            given = answer.given or {}
            values = dict(given["headers"]) if protocol is ASGI else given
            assert ((name.encode() if protocol is ASGI else f"HTTP_{name.upper()}") in values) is is_kept


def test_the_fields_with_one_name_are_measured_together() -> None:
    wrapped = ASGI.behind(STANDARD.limiting(field=9), headers={"cookie": Action.REJECT})
    # They are measured as they are handed on, joined with "; ".
    for fields, status in [([b"a=1", b"c=22"], 200), ([b"a=1", b"c=223"], 431)]:
        headers = [HOST, *((b"cookie", each) for each in fields)]
        assert wrapped.serve(scope_of(b"/a", headers=headers)).status == status


def test_other_requests_are_served_between_long_fields() -> None:
    headers = [HOST, (b"cookie", b"\xff" * MOST), (b"referer", b"\xff" * MOST)]
    through = ASGI.behind(headers={"cookie": Action.DROP_PAIR, "referer": Action.DROP})
    turns: list[str] = []

    async def other() -> None:
        for _ in range(9):
            turns.append("other")
            await asyncio.sleep(0)

    async def judged() -> None:
        await through.middleware(scope_of(b"/a", headers=headers), receive, send)
        turns.append("judged")

    async def both() -> None:
        await asyncio.gather(judged(), other())

    async def receive() -> Request:
        raise AssertionError

    async def send(_: Request) -> None: ...

    asyncio.run(both())
    assert turns.index("judged") == 2
    assert through.given is not None
    assert [name for name, _ in through.given["headers"]] == [b"host"]
