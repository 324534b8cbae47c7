"""Ordinary requests pass unchanged: the same values in environ and scope, and the same octets of the body."""

from __future__ import annotations

import asyncio
import functools
import io
import json
import shutil
import subprocess
import sys
import threading
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, make_server

import httpx
import pytest

import postel.asgi
import postel.wsgi
from adapters import EACH_PROTOCOL, WSGI, Protocol
from frameworks.ordinary import ORDINARY, Sent
from postel import Action, Forms, Policy, report_of
from together import together
from wire import environ_of, scope_of

POLICIES = {"STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}
SETTINGS: Any = {"headers": {"cookie": Action.DROP_PAIR, "referer": Action.DROP}}
OF_BODIES = {"wsgi.input", "wsgi.input_terminated"}
BODIES = Path(__file__).parents[1] / "_bodies" / "measured"
EACH_POLICY = pytest.mark.parametrize("policy", POLICIES)
EACH_REQUEST = together("sent", ORDINARY, ids=lambda each: each.name)


@dataclass
class Spy:
    """An application that keeps what it received, and answers 200."""

    given: dict[str, Any] | None = None
    body: bytes = b""
    statuses: list[int] = field(default_factory=list)

    def wsgi(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        self.given = dict(environ)
        ends = environ.get("wsgi.input_terminated")
        length = int(environ.get("CONTENT_LENGTH") or 0)
        self.body = environ["wsgi.input"].read() if ends else environ["wsgi.input"].read(length)
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [b"ok"]

    async def asgi(self, scope: Any, receive: Any, send: Any) -> None:
        self.given = dict(scope)
        more = True
        while more:
            message = await receive()
            self.body += message.get("body", b"")
            more = message.get("more_body", False)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"ok"})


def environ(sent: Sent) -> dict[str, Any]:
    """Return a request as gunicorn hands it over."""
    made = environ_of(sent.target, sent.method)
    del made["HTTP_HOST"], made["HTTP_ACCEPT"]
    if sent.target == b"*":
        made["PATH_INFO"] = "*"
    for name, value in sent.headers:
        key = name.upper().replace("-", "_")
        made[key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"] = value
    made |= {"SERVER_PROTOCOL": f"HTTP/{sent.version}", "wsgi.input_terminated": True}
    return made


def scope(sent: Sent) -> dict[str, Any]:
    """Return a request as uvicorn hands it over."""
    headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in sent.headers]
    return {**scope_of(sent.target, sent.method), "http_version": sent.version, "headers": headers}


@functools.cache  # Compiling a policy takes longer than a request.
def stack(protocol: Protocol, policy: str, forms: Forms | bool) -> tuple[Spy, Any]:
    spy = Spy()
    middleware = (postel.wsgi if protocol is WSGI else postel.asgi).NormalizeMiddleware
    app = spy.wsgi if protocol is WSGI else spy.asgi
    return spy, middleware(app, POLICIES[policy], observer=lambda _: None, forms=forms, **SETTINGS)


def ask(protocol: Protocol, sent: Sent, policy: str, *, forms: Forms | bool = True) -> Spy:
    """Send a request through the middleware of a protocol."""
    spy, outer = stack(protocol, policy, forms)
    spy.given, spy.body, spy.statuses = None, b"", []
    if protocol is WSGI:
        request = {**environ(sent), "wsgi.input": io.BytesIO(sent.body)}
        list(outer(request, lambda status, *_: spy.statuses.append(int(status[:3]))))
        return spy
    messages = [{"type": "http.request", "body": sent.body, "more_body": False}]

    async def receive() -> Any:
        return messages.pop() if messages else await asyncio.Event().wait()

    async def send(message: Any) -> None:
        spy.statuses.extend([message["status"]] if "status" in message else [])

    asyncio.run(outer(scope(sent), receive, send))
    return spy


def assert_unchanged(protocol: Protocol, sent: Sent, spy: Spy) -> None:
    """Check that the application received the very same values, and reads the very same octets."""
    assert spy.statuses == [200]
    assert spy.given is not None
    wanted = environ(sent) if protocol is WSGI else scope(sent)
    given = {key: value for key, value in spy.given.items() if key in wanted or not key.startswith("postel.")}
    assert {key: value for key, value in given.items() if key not in OF_BODIES} == {
        key: value for key, value in wanted.items() if key not in OF_BODIES
    }
    assert spy.body == sent.body


# -- recorded ------------------------------------------------------------------------------------------------


@pytest.fixture
def no_webob(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unload WebOb, because postel changes bodies without a Content-Type if it is loaded:

    WebOb reads them as forms.
    """
    monkeypatch.delitem(sys.modules, "webob", raising=False)


NOT_AS_SENT: Final = {"aiohttp", "curl-names", "curl-mixed", "curl-encoder"}
"""Recorded multipart forms that do not pass octet for octet: docs/bodies.md says why."""


@pytest.mark.usefixtures("no_webob")
@EACH_PROTOCOL
@EACH_POLICY
@EACH_REQUEST
def test_recorded_requests_pass_unchanged(protocol: Protocol, policy: str, sent: Sent) -> None:
    spy = ask(protocol, sent, policy)
    assert_unchanged(protocol, sent, spy)
    findings = report_of(spy.given).findings
    assert all(each.action is Action.REPORT for each in findings)
    assert (
        not findings or "XML in UTF-16" in sent.name or "latin-1" in sent.name or "Host:" not in sent.fields
    )


@EACH_PROTOCOL
@pytest.mark.parametrize(
    "sent",
    [each for each in ORDINARY if each.method == "POST" and "content-type:" not in each.fields.lower()],
    ids=lambda each: each.name,
)
def test_if_webob_is_loaded_a_missing_type_becomes_an_empty_one(protocol: Protocol, sent: Sent) -> None:
    """All frameworks treat an empty Content-Type as a missing one, and WebOb does not read a form then."""
    import webob  # noqa: F401, PLC0415 - it only has to be loaded

    spy = ask(protocol, sent, "STANDARD")
    assert (spy.statuses, spy.body) == ([200], sent.body)
    assert spy.given is not None
    empty = ("content-type", "") if protocol is WSGI else (b"content-type", b"")
    if protocol is WSGI:
        assert not spy.given.pop("CONTENT_TYPE", "")
    else:
        spy.given["headers"] = [each for each in spy.given["headers"] if each != empty]
    assert_unchanged(protocol, sent, spy)


@EACH_PROTOCOL
@pytest.mark.parametrize("sent", [each for each in ORDINARY if each.is_multipart], ids=lambda each: each.name)
def test_the_setting_refuse_refuses_uploads(protocol: Protocol, sent: Sent) -> None:
    assert ask(protocol, sent, "STANDARD", forms=Forms(multipart="refuse")).statuses == [415]
    for forms in (False, Forms(multipart="untouched")):
        assert_unchanged(protocol, sent, ask(protocol, sent, "STANDARD", forms=forms))


def test_there_are_many_requests() -> None:
    clients = {each.name.partition(":")[0] for each in ORDINARY}
    assert {"Chromium", "Firefox", "curl", "requests", "httpx", "axios", "fetch"} <= clients
    assert len(ORDINARY) == len({each.name for each in ORDINARY}) > 80


# -- bodies that other projects have recorded ----------------------------------------------------------------


def recorded(name: str) -> list[Sent]:
    return [
        Sent(
            row["id"],
            "POST /upload HTTP/1.1",
            "Host: h\n" + "\n".join(f"Content-Type: {each}" for each in row["content_type"]),
            b"".join(text.encode("latin-1") * times for text, times in row["octets"]),
        )
        for row in json.loads((BODIES / name).read_text("utf-8"))
    ]


@EACH_PROTOCOL
@pytest.mark.parametrize("name", ["ordinary_multipart.json", "ordinary_json.json"])
def test_recorded_bodies_pass_unchanged(protocol: Protocol, name: str) -> None:
    for sent in recorded(name):
        forms = Forms(multipart="untouched") if sent.name in NOT_AS_SENT else True
        assert_unchanged(protocol, sent, ask(protocol, sent, "STANDARD", forms=forms))


# -- over a socket -------------------------------------------------------------------------------------------

Ask = Callable[[str], object]
CAFE = {"q": "café + tea", "tags[]": "1"}
PAIRS = urllib.parse.urlencode(CAFE).encode()
CLIENTS: dict[str, Ask] = {
    "urllib, a query": lambda url: (
        urllib.request.build_opener().open(f"{url}/a/b%20c?{PAIRS.decode()}").read()
    ),
    "urllib, a form": lambda url: urllib.request.build_opener().open(f"{url}/a", data=PAIRS).read(),
    "httpx, a query": lambda url: httpx.get(f"{url}/caf\u00e9", params=CAFE, cookies={"a": "b=="}),
    "httpx, a form": lambda url: httpx.post(f"{url}/a", data=CAFE),
    "httpx, JSON": lambda url: httpx.put(f"{url}/a", json=CAFE),
    "httpx, octets": lambda url: httpx.post(
        f"{url}/a", content=b"\0\xff", headers={"Content-Type": "image/png"}
    ),
    "httpx, files": lambda url: httpx.post(f"{url}/a", files={"f": ("x.bin", b"\0\xff")}, data={"a": "1"}),
    "httpx, nothing": lambda url: httpx.delete(f"{url}/a"),
    "curl, files": lambda url: _run(
        "curl",
        "-sS",
        "-F",
        "q=café + tea",
        "-F",
        'f=@-;filename=a "ä".bin',
        f"{url}/a",
        given=b"\0\xff\r\n--",
    ),
    "fetch of Node, FormData": lambda url: _run("node", "-e", FETCHING, f"{url}/a"),
}
FETCHING: Final = """\
const form = new FormData();
form.append("q", "café + tea");
form.append("f", new Blob([new Uint8Array([0, 255, 13, 10, 45, 45])]), 'a "ä".bin');
form.append("f", new Blob([]), "empty.bin");
await fetch(process.argv[1], { method: "POST", body: form });
"""


def _run(command: str, *arguments: str, given: bytes = b"") -> None:
    """Run another client, which may not be installed."""
    if (path := shutil.which(command)) is None:
        pytest.skip(f"{command} is not installed")
    if command == "node":
        arguments = ("--input-type=module", *arguments)
    subprocess.run([path, *arguments], input=given, check=True, timeout=60, capture_output=True)  # noqa: S603 - ours


class Quiet(WSGIRequestHandler):
    """A handler without a log."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
        pass


@dataclass
class Both:
    """One application that is called without postel and behind it in turns."""

    spy: Spy = field(default_factory=Spy)
    behind: bool = False

    def __post_init__(self) -> None:
        self.outer = postel.wsgi.NormalizeMiddleware(self.spy.wsgi, forms=True, **SETTINGS)

    def __call__(self, given: Any, start_response: Any) -> Any:
        return (self.outer if self.behind else self.spy.wsgi)(given, start_response)


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Both, str]]:
    app = Both()
    with make_server("127.0.0.1", 0, app, handler_class=Quiet) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield app, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("client", CLIENTS)
def test_a_real_client_is_read_as_without_postel(served: tuple[Both, str], client: str) -> None:
    app, url = served
    given: list[dict[str, Any]] = []
    for app.behind in (False, True):
        app.spy.given, app.spy.body = None, b""
        CLIENTS[client](url)
        assert app.spy.given is not None
        found = {key: value for key, value in app.spy.given.items() if isinstance(value, str)}
        found["body"] = app.spy.body.replace(_boundary(app.spy.given), b"")
        found.pop("REMOTE_PORT", None)
        found["CONTENT_TYPE"] = found.get("CONTENT_TYPE", "").partition(";")[0]
        given.append(found)
    assert given[0] == given[1]


def _boundary(given: dict[str, Any]) -> bytes:
    """Return the boundary, which httpx creates for each request, or octets that no body holds."""
    return str(given.get("CONTENT_TYPE", "")).partition("boundary=")[2].encode() or b"\xff no boundary"
