"""Test clients and bridges between the protocols:

each of them rewrites, decodes or hides targets in its own way.

Whatever they do, an accepted request holds nothing that was not sent, and all its views agree.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import a2wsgi
import httpx
import pytest
import starlette.testclient
import werkzeug.test
from asgiref.wsgi import WsgiToAsgi
from django.test import AsyncRequestFactory, RequestFactory

import postel.asgi
import postel.wsgi
from adapters import call_asgi, call_wsgi
from applications import django_configured, ignore
from postel import Accepted, Normalizer, Policy, Report, Target, report_of
from postel._alphabet.percent import percent_decode
from targets import HOST, SAMPLES, Sample
from wire import environ_of, scope_of

POLICIES = {"STRICT": Policy.STRICT, "STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}
NORMALIZERS = {name: Normalizer(policy) for name, policy in POLICIES.items()}
CAN_NOT_BE_SENT = (httpx.InvalidURL, UnicodeError, ValueError, LookupError)
"""Exceptions of clients that refuse to send a target."""


@dataclass
class Spy:
    """An application that keeps what it received."""

    given: list[dict[str, Any]] = field(default_factory=list)

    def wsgi(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        self.given.append(environ)
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [b""]

    async def asgi(self, scope: Any, _receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            self.given.append(scope)
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})


def text_of(sample: Sample) -> str:
    """Return the target as it is typed into a client; raise an error if its octets are not text."""
    return sample.octets.decode("utf-8")


def url_of(sample: Sample) -> str:
    text = text_of(sample)
    return text if "://" in text[:8] else f"http://{HOST}{text}"


# -- clients -------------------------------------------------------------------------------------------------


def over_asgi_transport(app: Any, sample: Sample) -> None:
    async def ask() -> None:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
            await client.get(url_of(sample))

    asyncio.run(ask())


def over_wsgi_transport(app: Any, sample: Sample) -> None:
    with httpx.Client(transport=httpx.WSGITransport(app)) as client:
        client.get(url_of(sample))


def with_starlette(app: Any, sample: Sample) -> None:
    starlette.testclient.TestClient(app, f"http://{HOST}").get(text_of(sample))


def with_werkzeug(app: Any, sample: Sample) -> None:
    werkzeug.test.Client(app).get(text_of(sample), base_url=f"http://{HOST}")


def with_django(app: Any, sample: Sample) -> None:
    call_wsgi(app, RequestFactory().get(text_of(sample)).environ)


def with_async_django(app: Any, sample: Sample) -> None:
    call_asgi(app, AsyncRequestFactory().get(text_of(sample)).scope)


# -- bridges -------------------------------------------------------------------------------------------------


def served_by_asgi(app: Any, sample: Sample) -> None:
    """Call an ASGI application as a server does."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(_: Any) -> None:
        pass

    asyncio.run(app({**scope_of(sample.octets), "headers": [(b"host", HOST.encode())]}, receive, send))


def through_a2wsgi_to_wsgi(app: Any, sample: Sample) -> None:
    served_by_asgi(a2wsgi.WSGIMiddleware(app), sample)


def through_asgiref_to_wsgi(app: Any, sample: Sample) -> None:
    served_by_asgi(WsgiToAsgi(app), sample)


def through_a2wsgi_to_asgi(app: Any, sample: Sample) -> None:
    call_wsgi(a2wsgi.ASGIMiddleware(app), {**environ_of(sample.octets), "HTTP_HOST": HOST})


@dataclass(frozen=True)
class Way:
    """A client or bridge in front of an application, and the protocol of the application."""

    name: str
    protocol: str
    go: Callable[[Any, Sample], None]
    least: int
    """The minimum number of targets that the client or bridge can send."""
    garbles: bool = False
    """Whether it turns octets into text irreversibly."""


WAYS = [
    Way("httpx.ASGITransport", "asgi", over_asgi_transport, 150),
    Way("httpx.WSGITransport", "wsgi", over_wsgi_transport, 150),
    Way("starlette.testclient", "asgi", with_starlette, 150),
    Way("werkzeug.test", "wsgi", with_werkzeug, 150),
    Way("django.test, WSGI", "wsgi", with_django, 150),
    Way("django.test, ASGI", "asgi", with_async_django, 150, garbles=True),
    Way("a2wsgi.WSGIMiddleware", "wsgi", through_a2wsgi_to_wsgi, 190),
    Way("asgiref.wsgi.WsgiToAsgi", "wsgi", through_asgiref_to_wsgi, 180),
    Way("a2wsgi.ASGIMiddleware", "asgi", through_a2wsgi_to_asgi, 150),
]


@dataclass(frozen=True)
class Arrived:
    """What an application receives without postel, and behind each policy; ``None`` if postel refuses."""

    sample: Sample
    bare: dict[str, Any]
    behind: dict[str, tuple[Report, dict[str, Any] | None]]


@pytest.fixture(scope="module", autouse=True)
def _django() -> Iterator[None]:
    with django_configured():
        yield


@pytest.fixture(scope="module", params=WAYS, ids=lambda way: way.name)
def way(request: pytest.FixtureRequest) -> Way:
    found: Way = request.param
    return found


@pytest.fixture(scope="module")
def arrived(way: Way, _django: None) -> list[Arrived]:
    """Send all targets, and leave out those that the client refuses to send."""
    found: list[Arrived] = []
    middleware = postel.wsgi if way.protocol == "wsgi" else postel.asgi
    spy, refused = Spy(), Spy()
    app, refusal = (spy.wsgi, refused.wsgi) if way.protocol == "wsgi" else (spy.asgi, refused.asgi)
    stacks = {
        name: middleware.NormalizeMiddleware(app, policy, refusal=refusal, redirect=False, observer=ignore)
        for name, policy in POLICIES.items()
    }
    for sample in SAMPLES:
        spy.given.clear()
        try:
            way.go(app, sample)
        except CAN_NOT_BE_SENT:
            continue
        if not spy.given:
            continue
        (bare,) = spy.given
        behind = {}
        for name, stack in stacks.items():
            spy.given.clear()
            refused.given.clear()
            way.go(stack, sample)
            (given,) = (*spy.given, *refused.given)
            behind[name] = (report_of(given), given if spy.given else None)
        found.append(Arrived(sample, bare, behind))
    return found


def path_of(request: dict[str, Any]) -> bytes:
    if "PATH_INFO" not in request:
        return str(request["path"]).encode()
    try:
        return f"{request['SCRIPT_NAME']}{request['PATH_INFO']}".encode("latin-1")
    except UnicodeEncodeError:
        return f"{request['SCRIPT_NAME']}{request['PATH_INFO']}".encode()


def query_of(request: dict[str, Any]) -> bytes:
    query = request["QUERY_STRING"] if "QUERY_STRING" in request else request["query_string"]
    return query if isinstance(query, bytes) else query.encode("latin-1")


def raws_of(request: dict[str, Any]) -> Iterator[bytes]:
    """Yield the raw path under each key that has one."""
    for key in ("REQUEST_URI", "RAW_URI"):
        if key in request:
            yield request[key].encode("latin-1").partition(b"?")[0]
    if "raw_path" in request:
        yield request["raw_path"]


def test_enough_targets_can_be_sent(way: Way, arrived: list[Arrived]) -> None:
    assert len(arrived) >= way.least


@pytest.mark.parametrize("policy", POLICIES)
def test_all_views_agree(arrived: list[Arrived], policy: str) -> None:
    for each in arrived:
        report, given = each.behind[policy]
        if given is None:
            assert report.refused
            continue
        assert report.target is not None
        path = path_of(given)
        assert path.decode() == report.target.path_text, each.sample
        assert query_of(given) == report.target.query, each.sample
        for raw in raws_of(given):
            assert percent_decode(raw) in {path, policy == "LENIENT" and percent_decode(path)}, each.sample


@pytest.mark.parametrize("policy", POLICIES)
def test_nothing_arrives_that_was_not_sent(way: Way, arrived: list[Arrived], policy: str) -> None:
    for each in arrived:
        report, given = each.behind[policy]
        if given is None or report.target is None or way.garbles:
            continue
        sent = percent_decode(each.sample.octets)
        for run in re.findall(rb"[\x80-\xff]+|\0+", path_of(given)):
            assert run in sent, each.sample
        for text in (text for pair in report.target.pairs for text in pair):
            assert "\ufffd" not in text or "\ufffd".encode() in sent, each.sample
            assert "\0" not in text or b"\0" in sent, each.sample


@pytest.mark.parametrize("policy", POLICIES)
def test_targets_that_arrive_as_sent_have_the_same_verdict(
    way: Way, arrived: list[Arrived], policy: str
) -> None:
    for each in arrived:
        report, given = each.behind[policy]
        if report.received_target != each.sample.octets.removesuffix(b"?") or not report.verbatim:
            continue
        target = Target(each.sample.path, each.sample.query, host=HOST.encode())
        outcome = NORMALIZERS[policy].normalize(target)
        if path_of(each.bare) != percent_decode(each.sample.path):
            continue  # The client has rewritten the path or decodes it in another way.
        assert isinstance(outcome, Accepted) == (given is not None), each.sample


@pytest.mark.parametrize("policy", POLICIES)
def test_the_application_receives_the_routed_path_or_its_documented_repair(
    arrived: list[Arrived], policy: str
) -> None:
    for each in arrived:
        report, given = each.behind[policy]
        if given is None:
            continue
        path, bare = path_of(given), path_of(each.bare)
        if bare not in {path, policy == "LENIENT" and percent_decode(path)}:
            assert any(it.action.edits for it in report.findings), (each.sample, bare, path)
