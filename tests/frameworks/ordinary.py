"""Requests of ordinary clients, as they send them.

Requests of browsers and services are written by hand. The others are recorded: requests 2.34.2, httpx 0.28.1,
aiohttp 3.14.5, urllib of Python 3.11, curl 7.88.1, fetch of Node 20 and axios 1.21.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FORM: Final = "application/x-www-form-urlencoded"
UPLOAD: Final = "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW0"
BINARY: Final = b"\x00\xff\x1b%00&="
CAFE: Final = "café".encode()


@dataclass(frozen=True)
class Sent:
    """One request: its line, its fields, and its body as the server hands it on."""

    name: str
    line: str
    fields: str
    body: bytes = b""
    chunked: bool = False

    @property
    def method(self) -> str:
        return self.line.split()[0]

    @property
    def target(self) -> bytes:
        return self.line.split()[1].encode("latin-1")

    @property
    def version(self) -> str:
        return self.line.split()[2].removeprefix("HTTP/")

    @property
    def headers(self) -> list[tuple[str, str]]:
        """Return the fields, including those that frame the body."""
        named = [field.partition(": ") for field in self.fields.strip().splitlines()]
        found = [(name, value) for name, _, value in named]
        if self.chunked:
            found.append(("Transfer-Encoding", "chunked"))
        elif self.body:
            found.append(("Content-Length", str(len(self.body))))
        return found

    @property
    def is_multipart(self) -> bool:
        return "multipart/form-data" in self.fields


def _sent(
    client: str, name: str, line: str, more: str = "", body: bytes = b"", *, chunked: bool = False
) -> Sent:
    shown = line if " HTTP/" in line else f"{line} HTTP/1.1"
    return Sent(f"{client}: {name}", shown, _CLIENTS[client] + more, body, chunked)


_CHROMIUM: Final = """Host: shop.example
Connection: keep-alive
sec-ch-ua: "Chromium";v="130", "Not?A_Brand";v="99"
sec-ch-ua-mobile: ?0
sec-ch-ua-platform: "Linux"
User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0
Accept-Encoding: gzip, deflate, br, zstd
Accept-Language: de-DE,de;q=0.9,en;q=0.8
Cookie: _ga=GA1.2.12.56; session=eyJhIjoxfQ==; consent={"a":1,"b":"x"}; last=%2Fs%3Fq%3Dcaf%C3%A9; t="dark"
"""
_FIREFOX: Final = """Host: shop.example
User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0
Accept-Language: de,en-US;q=0.7,en;q=0.3
Accept-Encoding: gzip, deflate, br, zstd
Connection: keep-alive
Cookie: csrftoken=AbC123; sessionid=x1y2; cart=[1,2,3]
"""
_PAGE: Final = """Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8
Upgrade-Insecure-Requests: 1
Sec-Fetch-Dest: document
Sec-Fetch-Mode: navigate
Sec-Fetch-Site: same-origin
Sec-Fetch-User: ?1
Referer: https://shop.example/s%C3%BC%C3%9F?q=a+b#c
"""
_FETCH: Final = """Accept: */*
Origin: https://shop.example
Sec-Fetch-Dest: empty
Sec-Fetch-Mode: cors
Sec-Fetch-Site: same-origin
Referer: https://shop.example/
"""
_CLIENTS: Final = {
    "Chromium": _CHROMIUM,
    "Firefox": _FIREFOX,
    "curl": "Host: 127.0.0.1:8000\nUser-Agent: curl/7.88.1\nAccept: */*\n",
    "requests": "Host: web-app:8000\nUser-Agent: python-requests/2.34.2\nAccept-Encoding: gzip, deflate\n"
    "Accept: */*\nConnection: keep-alive\n",
    "httpx": "Host: [::1]:8000\nAccept: */*\nAccept-Encoding: gzip, deflate\nConnection: keep-alive\n"
    "User-Agent: python-httpx/0.28.1\n",
    "aiohttp": "Host: localhost:8000\nAccept: */*\nAccept-Encoding: gzip, deflate\n"
    "User-Agent: Python/3.11 aiohttp/3.14.5\n",
    "urllib": "Accept-Encoding: identity\nHost: localhost:8000\nUser-Agent: Python-urllib/3.11\n"
    "Connection: close\n",
    "fetch": "host: api.example\nconnection: keep-alive\naccept: */*\naccept-language: *\n"
    "sec-fetch-mode: cors\nuser-agent: node\naccept-encoding: gzip, deflate\n",
    "axios": "Accept: application/json, text/plain, */*\nUser-Agent: axios/1.21.1\n"
    "Accept-Encoding: gzip, compress, deflate, br\nHost: api.example:443\nConnection: keep-alive\n",
    "jQuery": _FIREFOX + "Accept: */*\nX-Requested-With: XMLHttpRequest\n",
    "balancer": "",
    "probe": "Host: 10.1.2.3:8080\nConnection: close\n",
    "hook": "Host: shop.example\nAccept: */*\nX-Forwarded-For: 192.0.2.7\nX-Forwarded-Proto: https\n"
    "X-Real-IP: 192.0.2.7\n",
}
_TEXT: Final = "Content-Type: text/plain;charset=UTF-8"
_JSON: Final = "Content-Type: application/json"
_FORM: Final = f"Content-Type: {FORM}"
_SEARCH: Final = "GET /search?q=caf%C3%A9+%26+th%C3%A9&tags%5B%5D=1&tags%5B%5D=2"
_PARTS: Final = (
    b'------WebKitFormBoundary7MA4YWxkTrZu0gW0\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'
    b"------WebKitFormBoundary7MA4YWxkTrZu0gW0\r\n"
    b'Content-Disposition: form-data; name="f"; filename="x.bin"\r\n'
    b"Content-Type: application/octet-stream\r\n\r\n" + BINARY + b"\r\n"
    b"------WebKitFormBoundary7MA4YWxkTrZu0gW0--\r\n"
)

ORDINARY: Final = [
    # Browsers.
    _sent("Chromium", "a page", "GET /wiki/Caf%C3%A9?tab=2&q=a+b", _PAGE),
    _sent(
        "Chromium",
        "a page with a fragmentless anchor",
        "GET /blog/2024/?utm_source=x&utm_medium=e-mail",
        _PAGE,
    ),
    _sent(
        "Chromium", "a form", "POST /kauf", _PAGE + _FORM, b"a=1&q=caf%C3%A9+%2B&text=a%0D%0Ab&tags%5B%5D=1"
    ),
    _sent("Chromium", "an empty form", "POST /kauf", _PAGE + _FORM + "\nContent-Length: 0"),
    _sent("Chromium", "fetch of a string", "POST /s", _FETCH + _TEXT, b"text " + CAFE),
    _sent("Chromium", "fetch of JSON", "POST /api", _FETCH + _JSON, b'{"a":"' + CAFE + b'"}'),
    _sent("Chromium", "fetch of pairs", "POST /u", _FETCH + _FORM + ";charset=UTF-8", b"a=1&q=caf%C3%A9+%2B"),
    _sent("Chromium", "fetch of a blob", "POST /b", _FETCH + "Content-Type: image/png", BINARY),
    _sent("Chromium", "fetch of octets", "PUT /b", _FETCH, BINARY),
    _sent("Chromium", "an upload", "POST /f", _FETCH + f"Content-Type: {UPLOAD}", _PARTS),
    _sent("Chromium", "a beacon", "POST /log", _FETCH + _TEXT, b'{"t":1}'),
    _sent(
        "Chromium",
        "a report",
        "POST /csp",
        _FETCH + "Content-Type: application/csp-report",
        b'{"csp-report":{}}',
    ),
    _sent("Chromium", "a preflight", "OPTIONS /api", _FETCH + "Access-Control-Request-Method: PUT"),
    _sent(
        "Chromium",
        "an event source",
        "GET /events?id=7",
        _FETCH + "Cache-Control: no-cache\nLast-Event-ID: 3",
    ),
    _sent("Chromium", "a range", "GET /v/film.mp4", _FETCH + 'Range: bytes=0-\nIf-Range: "abc"'),
    _sent("Chromium", "an asset", "GET /static/app.min.js?v=1.2.3", _FETCH + 'If-None-Match: W/"1"'),
    _sent("Firefox", "a page", "GET /suche?q=stra%C3%9Fe&l=de-DE", _PAGE),
    _sent("Firefox", "a form", "POST /kauf", _PAGE + _FORM, b"a=1&b=&q=50%25+off"),
    _sent("Firefox", "an upload", "POST /f", _PAGE + f"Content-Type: {UPLOAD}", _PARTS),
    _sent("Firefox", "fetch of JSON", "PATCH /api/1", _FETCH + _JSON, b"[1,2]"),
    _sent("jQuery", "a form", "POST /x", _FORM + "; charset=UTF-8", b"a=1&list%5B%5D=1&list%5B%5D=2"),
    _sent("jQuery", "JSON", "POST /x", _JSON + "; charset=UTF-8", b'{"a":1}'),
    # Libraries.
    _sent("requests", "a query", _SEARCH, "Cookie: session=abc=="),
    _sent("requests", "a dict", "POST /form", _FORM, b"a=1&q=caf%C3%A9+%2B&l=x&l=y"),
    _sent("requests", "a string", "POST /str", "", b"a=1&b=%C3%A9"),
    _sent("requests", "octets", "POST /raw", "", BINARY),
    _sent("requests", "JSON", "POST /json", _JSON, b'{"a": "caf\\u00e9", "n": 1}'),
    _sent("requests", "a file", "PUT /f", "", BINARY),
    _sent("requests", "a generator", "POST /gen", "", b"onetwo", chunked=True),
    _sent("requests", "files", "POST /files", f"Content-Type: {UPLOAD}", _PARTS),
    _sent("requests", "delete", "DELETE /d/1", "Content-Length: 0"),
    _sent("httpx", "a query", _SEARCH, "Cookie: session=abc=="),
    _sent("httpx", "a dict", "POST /form", _FORM, b"a=1&q=caf%C3%A9+%2B&l=x&l=y"),
    _sent("httpx", "JSON", "POST /json", _JSON, b'{"a":"' + CAFE + b'","n":1}'),
    _sent("httpx", "octets", "POST /content", "", BINARY),
    _sent("httpx", "files", "POST /files", f"Content-Type: {UPLOAD}", _PARTS),
    _sent("httpx", "options", "OPTIONS /o"),
    _sent("httpx", "head", "HEAD /h"),
    _sent("aiohttp", "a query", _SEARCH, "Cookie: session=abc"),
    _sent("aiohttp", "a dict", "POST /form", _FORM, b"a=1&q=caf%C3%A9+%2B"),
    _sent("aiohttp", "text", "POST /text", "Content-Type: text/plain; charset=utf-8", b"text " + CAFE),
    _sent("aiohttp", "octets", "POST /bytes", "Content-Type: application/octet-stream", BINARY),
    _sent("urllib", "a query", "GET /u?q=%C3%A9"),
    _sent("urllib", "a form", "POST /u", _FORM, b"a=1&q=%C3%A9"),
    _sent("fetch", "a query", _SEARCH),
    _sent("fetch", "a string", "POST /s", _TEXT.lower(), b"text " + CAFE),
    _sent("fetch", "pairs", "POST /u", f"content-type: {FORM};charset=UTF-8", b"a=1&q=caf%C3%A9+%2B"),
    _sent("fetch", "JSON", "POST /j", _JSON, b'{"a":"' + CAFE + b'"}'),
    _sent("fetch", "a blob without a type", "POST /b", "", b"data"),
    _sent("fetch", "octets", "PUT /ab", "", BINARY),
    _sent("fetch", "parts", "POST /fd", f"content-type: {UPLOAD}", _PARTS),
    _sent("fetch", "nothing", "POST /post", "content-length: 0"),
    _sent("axios", "a query", _SEARCH),
    _sent("axios", "JSON", "POST /json", _JSON, b'{"a":"' + CAFE + b'","n":1.5}'),
    _sent("axios", "JSON with a charset", "PATCH /p", _JSON + ";charset=utf-8", b'{"a":1}'),
    _sent("axios", "a string", "POST /str", _FORM, b"a=1&q=%C3%A9"),
    _sent("axios", "pairs", "POST /usp", _FORM + ";charset=utf-8", b"a=1&q=caf%C3%A9+%2B"),
    _sent("axios", "nested", "POST /nested", _FORM, b"a=1&b%5B%5D=x&c%5Bd%5D=1"),
    _sent("axios", "parts", "POST /pf", f"Content-Type: {UPLOAD}", _PARTS),
    _sent("curl", "a query", "GET /search?q=caf%C3%A9&x=a+b", 'Cookie: a=1; b="x y"'),
    _sent("curl", "-d", "POST /d", _FORM, b"a=1&q=caf%C3%A9"),
    _sent("curl", "--data-urlencode", "POST /d", _FORM, b"q=50%25+off+%C3%A9"),
    _sent("curl", "--json", "POST /json", _JSON, b'{"a":"' + CAFE + b'"}'),
    _sent("curl", "-T", "PUT /up.bin", "Expect: 100-continue", BINARY),
    _sent("curl", "-T -", "PUT /stdin", "Expect: 100-continue", BINARY, chunked=True),
    _sent("curl", "-F", "POST /files", f"Content-Type: {UPLOAD}", _PARTS),
    _sent("curl", "-I", "HEAD /head"),
    _sent("curl", "--request-target *", "OPTIONS *"),
    _sent("curl", "-0", "GET /ten HTTP/1.0"),
    _sent(
        "curl", "a type with a charset", "POST /t", "Content-Type: text/plain; charset=utf-8", b"x " + CAFE
    ),
    _sent("curl", "XML", "POST /soap", 'Content-Type: text/xml; charset="utf-8"\nSOAPAction: "x"', b"<a/>"),
    _sent(
        "curl",
        "XML in UTF-16",
        "POST /soap",
        "Content-Type: text/xml; charset=utf-16",
        "<a/>".encode("utf-16"),
    ),
    _sent("curl", "latin-1", "POST /t", "Content-Type: text/plain; charset=iso-8859-1", b"caf\xe9"),
    _sent(
        "curl",
        "git",
        "POST /r.git/git-upload-pack",
        "Content-Type: application/x-git-upload-pack-request",
        BINARY,
    ),
    # Health checks and webhooks.
    _sent("balancer", "HTTP/1.0 without a Host", "GET /health HTTP/1.0"),
    _sent("balancer", "HAProxy's OPTIONS", "OPTIONS / HTTP/1.0"),
    _sent("probe", "Kubernetes", "GET /healthz", "User-Agent: kube-probe/1.31\nAccept: */*"),
    _sent(
        "probe", "ELB", "GET /health", "User-Agent: ELB-HealthChecker/2.0\nAccept-Encoding: gzip, compressed"
    ),
    _sent("probe", "Google", "GET /", "User-Agent: GoogleHC/1.0"),
    _sent(
        "probe",
        "Prometheus",
        "GET /metrics?name%5B%5D=up",
        "User-Agent: Prometheus/2.55.0\nAccept: application/openmetrics-text;version=1.0.0;q=0.5,*/*;q=0.1\n"
        "X-Prometheus-Scrape-Timeout-Seconds: 10",
    ),
    _sent(
        "hook",
        "Stripe",
        "POST /hook",
        _JSON + "; charset=utf-8\nStripe-Signature: t=1,v1=ab",
        b'{\n  "id": "e"\n}',
    ),
    _sent("hook", "GitHub", "POST /hook", _FORM, b"payload=%7B%22a%22%3A%22%C3%A9%22%7D"),
    _sent(
        "hook", "Twilio", "POST /sms", _FORM + "; charset=UTF-8", b"From=%2B4930123&Body=Hallo+%F0%9F%98%80"
    ),
]
