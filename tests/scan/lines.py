"""Lines of access logs in the notation of each format."""

from __future__ import annotations

import json
from typing import Final

BROWSER: Final = b"Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0"
PROGRAM: Final = b"sqlmap/1.9"
SITE: Final = b"https://example.com/"
TIME: Final = b"10/Oct/2026:13:55:36 +0000"


def combined(
    target: bytes,
    *,
    client: bytes = b"192.0.2.1",
    method: bytes = b"GET",
    status: int = 200,
    referer: bytes = b"-",
    agent: bytes = BROWSER,
) -> bytes:
    """Return a line in the combined format; the target is written unchanged."""
    return b'%b - - [10/Oct/2026:13:55:36 +0000] "%b %b HTTP/1.1" %d 12 "%b" "%b"' % (
        *(client, method, target, status, referer, agent),
    )


def caddy(target: str) -> bytes:
    return json.dumps(
        {
            "level": "info",
            "ts": 1646861401.5241024,
            "logger": "http.log.access",
            "msg": "handled request",
            "request": {
                "remote_ip": "192.0.2.1",
                "remote_port": "41342",
                "client_ip": "192.0.2.1",
                "proto": "HTTP/2.0",
                "method": "GET",
                "host": "example.com",
                "uri": target,
                "headers": {"User-Agent": ["curl/7.82.0"], "Accept": ["*/*"]},
            },
            "duration": 0.000929675,
            "size": 10900,
            "status": 200,
        }
    ).encode()


def traefik(target: str) -> bytes:
    return json.dumps(
        {
            "ClientAddr": "192.0.2.1:4711",
            "ClientHost": "192.0.2.1",
            "DownstreamStatus": 404,
            "RequestHost": "example.com",
            "RequestMethod": "GET",
            "RequestPath": target,
            "RequestProtocol": "HTTP/1.1",
            "request_User-Agent": "curl/7.82.0",
            "level": "info",
            "msg": "",
        }
    ).encode()


def balancer(request: bytes, agent: bytes = b"curl/7.46.0") -> bytes:
    return (
        b"https 2026-10-02T22:23:00.186641Z app/my-loadbalancer/50dc6c495c0c9188 192.0.2.1:2817 10.0.0.1:80 "
        b'0.086 0.048 0.037 200 200 0 57 "' + request + b'" "' + agent + b'" ECDHE-RSA-AES128-GCM-SHA256 '
        b"TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/my-targets/73e2 "
        b'"Root=1-58337281-1d84f3d73c47ec4e58577259" "www.example.com" "arn:aws:acm:us-east-2" 1 '
        b'2026-10-02T22:22:48.364000Z "forward" "-" "-"'
    )


def cloudfront(stem: bytes, query: bytes = b"-", agent: bytes = b"curl/7.46.0") -> bytes:
    return b"\t".join(
        [
            *(
                b"2026-12-04",
                b"21:02:31",
                b"LAX1",
                b"392",
                b"192.0.2.1",
                b"GET",
                b"d111111abcdef8.cloudfront.net",
            ),
            *(stem, b"200", b"-", agent, query, b"-", b"Hit", b"SOX4xwn4XV6Q4rgb7XiVGOHms", b"example.com"),
        ]
    )


def cloudflare(target: str) -> bytes:
    return json.dumps(
        {
            "ClientIP": "192.0.2.1",
            "ClientRequestHost": "example.com",
            "ClientRequestMethod": "GET",
            "ClientRequestPath": target.partition("?")[0],
            "ClientRequestProtocol": "HTTP/2",
            "ClientRequestReferer": "",
            "ClientRequestURI": target,
            "ClientRequestUserAgent": "curl/7.82.0",
            "EdgeResponseStatus": 200,
            "EdgeStartTimestamp": "2026-10-10T13:55:36Z",
            "RayID": "3a6050bcbe121a87",
        }
    ).encode()


def haproxy(target: bytes, *, client: bytes = b"192.0.2.1", status: int = 200) -> bytes:
    return (
        b"Oct 10 13:55:36 lb haproxy[14389]: %b:33317 [10/Oct/2026:13:55:36.655] http-in static/srv1 "
        b'10/0/30/69/109 %d 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} "GET %b HTTP/1.1"'
    ) % (client, status, target)


def iis(stem: bytes, query: bytes = b"-", agent: bytes = b"curl/7.82.0") -> bytes:
    return b"2026-10-10 13:55:36 10.0.0.1 GET %b %b 443 - 192.0.2.1 %b https://example.com/ 200 0 0 5" % (
        stem,
        query,
        agent,
    )


IIS_HEAD: Final = (
    b"#Software: Microsoft Internet Information Services 10.0\r\n#Version: 1.0\r\n"
    b"#Date: 2026-10-10 00:00:00\r\n"
    b"#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) "
    b"cs(Referer) sc-status sc-substatus sc-win32-status time-taken\r\n"
)

HEADS: Final = (
    b"#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem "
    b"sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id "
    b"x-host-header\n"
)
