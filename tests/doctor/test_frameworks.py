"""Each framework is recognised. Behind the policy, all places of its request object show the same URL."""

from __future__ import annotations

from typing import Any, Final

import pytest

from doctor_section import cells, lines_of
from frameworks_page import PAGE
from postel import Kind, Policy, Report
from postel.doctor._application import Application
from postel.doctor._catalogue import CATALOGUE, SecondMeaning
from postel.doctor._frameworks import ADAPTERS
from postel.doctor._probe import WsgiProbe
from readers.asking import Reader
from readers.doctored import application_of, examined, places, row
from readers.record import note
from readers.registry import readers, version_of

EXCLUDED: Final = {
    "Flask": {"request.full_path"},
    "Quart": {"request.full_path"},
    "Litestar": {"request.url"},
    "Starlette": {"url_for()"},
    "FastAPI": {"url_for()"},
    "Falcon, ASGI": {"req.url"},
    "Falcon, WSGI": {"req.url"},
    "Bottle": {"request.url"},
}
"""Places in request objects that may still differ behind the policy; see docs/laws.md."""


@pytest.mark.parametrize("reader", readers(), ids=str)
def test_the_policy_closes_every_difference(reader: Reader) -> None:
    found = examined(reader)
    for each in found:
        note("doctor", row(reader, each))
    assert any(places(each.bare) for each in found)
    left = {place for each in found for place in places(each.behind)}
    assert left - EXCLUDED.get(reader.name, set()) == set()


@pytest.mark.parametrize("reader", readers(), ids=str)
def test_the_page_says_what_the_doctor_finds_today(reader: Reader) -> None:
    """This test compares the installed versions; `make frameworks` compares all supported versions."""
    said = lines_of(PAGE.read_text("utf-8"), reader.name, version_of(reader))
    rows = [row(reader, each) for each in examined(reader)]
    assert said == {each["meaning"]: cells(each) for each in rows if each["bare"]}


@pytest.mark.parametrize("reader", readers(), ids=str)
def test_a_plain_request_has_no_difference(reader: Reader) -> None:
    # For an existing page, every place shows the URL as it was handed over.
    with reader.entered():
        application = Application.of(application_of(reader))
        # Bottle reads a form under every type.
        for meaning in PLAIN[: -1 if reader.name == "Bottle" else None]:
            answer = application.asker(None, 10)(meaning)
            assert answer.note is not None
            assert answer.note.differences == ()


def _plain() -> Any:
    from postel.doctor._request import Request  # noqa: PLC0415

    form = (b"Content-Type", b"application/x-www-form-urlencoded; charset=utf-8")
    parts = (b"Content-Type", b"multipart/form-data; boundary=X")
    body = b'--X\r\nContent-Disposition: form-data; name="f"\r\n\r\nx\r\n--X--\r\n'
    return [
        Request(b"/caf%C3%A9/a%20b?q=caf%C3%A9&q=2&r=a%20b", headers=((b"Cookie", b'a=1; b="x y"'),)),
        Request(b"/", headers=((b"X-Forwarded-For", b"192.0.2.1"),)),
        Request(b"/form", "POST", (form,), body=b"f=x&g=caf%C3%A9"),
        Request(b"/form", "POST", (parts,), body=body),
        Request(b"/json", "POST", ((b"Content-Type", b"application/json"),), body=b"{}"),
    ]


PLAIN: Final = _plain()


def test_every_reader_of_the_tests_has_an_adapter() -> None:
    for reader in readers():
        with reader.entered():
            application = Application.of(application_of(reader))
        assert application.frameworks[0] in ADAPTERS
        assert application.versions().keys() == set(application.frameworks)


@pytest.mark.parametrize("meaning", CATALOGUE, ids=lambda meaning: f"{meaning.family.value}: {meaning.name}")
def test_a_row_names_the_clause_that_judges_it(meaning: SecondMeaning) -> None:
    def app(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        return []

    reports: list[Report] = []
    policy = Policy.STANDARD.reporting(Kind.PATH_PARAMETER)
    wrapped = (asgi_reports if meaning.kinds[0] in ONLY_ON_ASGI else wsgi_reports)(app, policy, reports)
    wrapped(meaning)
    assert set(meaning.kinds) <= {each.kind for report in reports for each in report.findings}
    assert meaning.why.endswith(".")


ONLY_ON_ASGI: Final = {Kind.MERGED_HEADER_NAMES, Kind.SPLIT_COOKIE}


def wsgi_reports(app: Any, policy: Policy, reports: list[Report]) -> Any:
    from postel.doctor._application import BEHIND  # noqa: PLC0415
    from postel.wsgi import NormalizeMiddleware  # noqa: PLC0415

    wrapped = NormalizeMiddleware(WsgiProbe(app, ()), policy, observer=reports.append, **BEHIND)
    return lambda meaning: list(wrapped(meaning.request.environ(), lambda *_: None))


def asgi_reports(app: Any, policy: Policy, reports: list[Report]) -> Any:
    import asyncio  # noqa: PLC0415

    from postel.asgi import NormalizeMiddleware  # noqa: PLC0415
    from postel.doctor._application import BEHIND  # noqa: PLC0415

    async def served(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: Any) -> None: ...

    wrapped = NormalizeMiddleware(served, policy, observer=reports.append, **BEHIND)
    return lambda meaning: asyncio.run(wrapped(meaning.request.scope(), send, send))
