"""Count, in a new interpreter, what an import, a middleware and its requests compile and load.

Run it with a protocol and a preset. It prints JSON: for each stage, the modules of postel that compiled a
pattern, and those that were loaded.
"""

from __future__ import annotations

import importlib
import io
import json
import logging
import re
import sys
from types import FrameType
from typing import Any, Final

# Each request makes postel run other code.
TARGETS: Final = [
    (b"/", b""),
    (b"/a", b"q=1"),
    (b"/a//b", b""),
    (b"//a", b""),
    (b"/a/../b", b"a=%00&b=%zz"),
    (b"/caf%c3%a9/%7Ea", b"q=50%+off&q=2&&"),
    (b"/caf\xc3\xa9\xff", b"q=%ff%C4rzte&utm_x=%ff"),
    (b"/%u00e4%2Fb;c=1", b"%u0041=%25%34%31&a=e\xcc\x81&b=%F0%9F%98%80&p=a%0Ab"),
    (b"/a%3Fb%23c", b"next=//evil.example&next=/a;b/%2F/c&to=%2F%09%2Fx&q=%E2%80%AE%EF%BB%BF"),
    (b"/users/5/files/%2e%2e/a%5Cb\x00", b"a[b]=1&a.b=2&a;c=3&" + b"x=%C4&" * 200),
]
FIELDS: Final = [
    ("host", "a.example"),
    ("host", "[::1]:80"),
    ("host", "192.0.2.1"),
    ("host", "a..b/"),
    ("cookie", "a=1; __Host-b=%00; __Host-b=2; c=\\015"),
    ("referer", "https://a.example/%ff%00"),
    ("content-type", r'text/plain; charset="a\\"b"'),
    ("content-type", r'text/plain; charset="a\b"'),
    ("content-type", "text/*"),
    ("accept", "application/problem+json;q=0.9"),
    ("x-request-id", "abc"),
    ("content-length", "1,2"),
]
FORMS: Final = [b"a=1&b=%zz", b"a=%00&b=\xff&_charset_=latin-1", b"a=caf%E9&next=//evil.example", b"{}"]
PARTS: Final = [
    b'--b\r\nContent-Disposition: form-data; name="a b"; filename="AB"; filename*=utf-8\'\'%41%42\r\n'
    b"Content-Type: text/plain; charset=utf-8\r\n\r\nx\xc3\xa9\r\n--b--\r\n",
    b"--b\r\nContent-Disposition: form-data; name=a\r\n\r\n%00\xff\r\n--b--\r\n",
    b"--c",
]
OF_JSON: Final = [
    b'{"a": [1, "\\u0000", {"a": 1, "a": 2}]}',
    b'{"a": "\xff", "b": 1e999}',
    b"[",
    b"\xff\xfe",
]
BODIES: Final = [
    *(("application/x-www-form-urlencoded", each) for each in FORMS),
    *(("application/x-www-form-urlencoded; charset=windows-1252", each) for each in FORMS),
    *(("multipart/form-data; boundary=b", each) for each in PARTS),
    *(("application/json", each) for each in OF_JSON),
]
LOCATIONS: Final = ["/a", "//evil.example", "https://192.0.2.1/a", "https://[::1]/", "https:a", "/\t/b"]


class Stages:
    """What was compiled and loaded since the previous stage."""

    def __init__(self) -> None:
        self.seen: dict[str, tuple[list[str], list[str]]] = {}
        self._compiled: list[str] = []
        self._loaded: set[str] = set()
        self._code = re._compiler.compile.__code__
        sys.setprofile(self._profiled)

    def _profiled(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call" or frame.f_code is not self._code:
            return
        caller: FrameType | None = frame.f_back
        while caller is not None and caller.f_globals["__name__"] in {"re", "postel._alphabet.regex"}:
            caller = caller.f_back
        if caller is not None:
            self._compiled.append(caller.f_globals["__name__"])

    def end(self, name: str) -> None:
        loaded = {each for each in sys.modules if each.startswith("postel.")}
        compiled = [each for each in self._compiled if each.startswith("postel.")]
        self.seen[name] = (compiled, sorted(loaded - self._loaded))
        self._loaded |= loaded
        self._compiled.clear()


def asgi_request(
    wrapped: Any, path: str, target: tuple[bytes, bytes], headers: list[tuple[str, str]], body: bytes
) -> None:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(_: object) -> None:
        pass

    scope = {
        "type": "http",
        "method": "POST" if body else "GET",
        "http_version": "1.1",
        "raw_path": target[0],
        "path": path,
        "query_string": target[1],
        "headers": [(name.encode(), value.encode()) for name, value in headers],
    }
    try:
        wrapped(scope, receive, send).send(None)
    except StopIteration:
        return
    raise AssertionError("the coroutine waits for something")


def wsgi_request(
    wrapped: Any, path: str, target: tuple[bytes, bytes], headers: list[tuple[str, str]], body: bytes
) -> None:
    sent, query = (each.decode("latin-1") for each in target)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "POST" if body else "GET",
        "REQUEST_URI": f"{sent}?{query}" if query else sent,
        "SCRIPT_NAME": "",
        "PATH_INFO": path.encode().decode("latin-1"),
        "QUERY_STRING": query,
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.input": io.BytesIO(body),
    }
    for name, value in headers:
        key = name.upper().replace("-", "_")
        environ[key if key.startswith("CONTENT_") else f"HTTP_{key}"] = value
    answer = wrapped(environ, lambda *_: None)
    list(answer)
    getattr(answer, "close", list)()


def asgi_app(leads: list[str]) -> Any:
    async def app(_: object, receive: Any, send: Any) -> None:
        await receive()
        located = [(b"location", leads[-1].encode())]
        await send({"type": "http.response.start", "status": 302, "headers": located})
        await send({"type": "http.response.body", "body": b""})

    return app


def wsgi_app(leads: list[str]) -> Any:
    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        environ["wsgi.input"].read()
        start_response("302 Found", [("Location", leads[-1])])
        return [b""]

    return app


def main(protocol: str, preset: str) -> None:
    stages = Stages()
    module = importlib.import_module(f"postel.{protocol}")
    stages.end("import")

    from postel import LATIN, Action, Bodies, Forms, Policy  # noqa: PLC0415 - after the first stage
    from postel._alphabet.percent import percent_decode  # noqa: PLC0415

    logging.disable()
    leads = ["/a"]
    application, request = (asgi_app, asgi_request) if protocol == "asgi" else (wsgi_app, wsgi_request)
    policy = getattr(Policy, preset).local(names=["next", "to"]).accepting(LATIN, names=["q"])
    wrapped = module.NormalizeMiddleware(
        application(leads),
        policy.charset("windows-1252", names=["q", "x"]),
        routes={"/users/{id}/files": Policy.LENIENT},
        hosts=["a.example", "[::1]"],
        locations="report",
        bodies=Bodies(forms=Forms(charsets=["windows-1252"]), json=True, others="untouched"),
        headers={"cookie": Action.DROP_PAIR, "referer": Action.REPORT},
        request_id="X-Request-ID",
    )
    stages.end("building")

    def serve(target: tuple[bytes, bytes], *headers: tuple[str, str], body: bytes = b"") -> None:
        path = percent_decode(target[0]).decode(errors="replace")
        request(wrapped, path, target, list(headers), body)

    host = ("host", "a.example")
    for target in TARGETS:
        serve(target, host)
    for field in FIELDS:
        serve((b"/a", b""), *([] if field[0] == "host" else [host]), field)
    for kind, body in BODIES:
        serve((b"/a", b""), host, ("content-type", kind), ("content-length", str(len(body))), body=body)
    for lead in LOCATIONS:
        leads.append(lead)
        serve((b"/a", b""), host)
    stages.end("requests")
    sys.setprofile(None)
    sys.stdout.write(json.dumps(stages.seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
