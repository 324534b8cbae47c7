"""A roll-out over a week of invented traffic: people, an old application of our own, and bots.

    python examples/roll_out.py

First the log of last week is scanned. Then the middleware only reports for a week. Then the exemptions that
the policy needs are added, and the middleware enforces. In the end it refuses every bot, but none of the
people and not the old application.
"""

from __future__ import annotations

import io
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

from postel import Policy, Report
from postel.scan import Summary, count_stream
from postel.wsgi import NormalizeMiddleware

SERVED = ("/articles", "/units", "/api", "/search", "/wiki")


@dataclass(frozen=True)
class Sent:
    """The requests that one sender makes in a week."""

    who: str
    times: int
    target: str
    method: str = "GET"
    agent: str = "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0"
    referer: str = "https://example.com/"


WEEK = [
    Sent("people", 400, "/articles/7?page=2"),
    Sent("people", 60, "/units/kg%2Fs"),
    Sent("people", 20, "/articles//7"),
    Sent("people", 12, "/wiki/C%23"),
    Sent("people", 9, "/search?legacy=%C4rzteblatt"),
    Sent("people", 30, "/search?q=50%+off"),
    Sent("old app", 40, "/api/units/m%2Fs", "POST", "WarehouseApp/3.2", "-"),
    Sent("bots", 50, "/..%2F..%2Fetc/passwd", agent="sqlmap/1.9", referer="-"),
    Sent("bots", 30, "/%2e%2e/%2e%2e/etc/passwd", agent="-", referer="-"),
    Sent("bots", 20, "/index.php%00.png", referer="-"),
]


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Serve some paths; answer 404 to all others."""
    is_found = environ["PATH_INFO"].startswith(SERVED)
    start_response("200 OK" if is_found else "404 Not Found", [("content-type", "text/plain")])
    return [b"served" if is_found else b"not found"]


def ask(app: Any, sent: Sent) -> int:
    """Send one request as gunicorn passes it on, and return the status of the answer."""
    path, _, query = sent.target.partition("?")
    environ = {
        "REQUEST_METHOD": sent.method,
        "RAW_URI": sent.target,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query,
        "SERVER_NAME": "example.com",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "SERVER_SOFTWARE": "gunicorn",
        "HTTP_HOST": "example.com",
        "REMOTE_ADDR": "192.0.2.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    told: list[str] = []
    list(app(environ, lambda status, _headers, *_: told.append(status)))
    return int(told[0].split()[0])


def logged() -> bytes:
    """The log of last week, as nginx writes it."""
    lines = [
        f"192.0.2.{number % 250} - - [10/Oct/2026:13:55:36 +0000] "
        f'"{sent.method} {sent.target} HTTP/1.1" {ask(application, sent)} 12 "{sent.referer}" "{sent.agent}"'
        for sent in WEEK
        for number in range(sent.times)
    ]
    return "\n".join(lines).encode()


def main() -> None:
    """Run the week, and print what happens."""
    summary = Summary.of(count_stream(io.BytesIO(logged())))
    print(f"the scan: {summary.refused['policy']} of {summary.requests} requests would be refused")
    senders, redirected = summary.refused_senders, summary.redirected["policy"]
    print(f"  {senders['people']} probably from people, {senders['scanners']} from scanners")
    print(f"  {senders['unclear']} unclear; {redirected} more would be redirected")

    reported: Counter[str] = Counter()

    def observe(report: Report) -> None:
        # A request that would be redirected has a location, and is not refused.
        reported["would refuse"] += report.target is None and report.location is None

    reporting = NormalizeMiddleware(application, Policy.STANDARD, enforce=False, observer=observe)
    answers = Counter(ask(reporting, sent) for sent in WEEK for _ in range(sent.times))
    print(f"a week of reports: {reported['would refuse']} would be refused, {answers[200]} were served")

    suggestion = summary.suggestion
    text = suggestion.policy
    # The user agent in the log is that of our own old application, so these unclear requests are legitimate.
    ours = [each for each in suggestion.if_yours if each.route == "/api/units"]
    routes = {route: Policy.parse(each) for route, each in suggestion.routes.items()}
    routes |= {each.route: Policy.parse(f"{text} {each.clause}") for each in ours}
    print(f"the policy: {text}")
    for route, policy in sorted(routes.items()):
        print(f"  below {route}: {policy}")

    enforcing = NormalizeMiddleware(application, Policy.parse(text), routes=routes)
    refused: Counter[str] = Counter()
    for sent in WEEK:
        if ask(enforcing, sent) in {400, 414}:
            refused[sent.who] += sent.times
    for who in dict.fromkeys(sent.who for sent in WEEK):
        sent_by = sum(sent.times for sent in WEEK if sent.who == who)
        print(f"enforced: {refused[who]} of {sent_by} from {who} refused")


if __name__ == "__main__":
    main()
