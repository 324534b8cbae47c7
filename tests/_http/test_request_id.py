"""Request ids are the same in the answer, the log line and the report, and ids of a client are checked."""

from __future__ import annotations

import json
import logging
import re
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from werkzeug.exceptions import BadRequest

from adapters import ASGI, WSGI, Protocol, Request, Served
from postel import LogObserver, PolicyError, Report, report_of

RANDOM = re.compile(r"[0-9a-f]{16}")
HELP = "https://example.com/help/refused?lang=en#a"


@pytest.fixture(params=[WSGI, ASGI], ids=["wsgi", "asgi"])
def protocol(request: pytest.FixtureRequest) -> Protocol:
    found: Protocol = request.param
    return found


def asked(protocol: Protocol, target: bytes, *ids: bytes, name: str = "x-request-id", **more: str) -> Request:
    """Return a request with these ids in a header; WSGI servers join several with commas."""
    fields = {name: b",".join(ids)} if ids else {}
    fields |= {key: value.encode() for key, value in more.items()}
    if protocol is WSGI:
        keys = {
            f"HTTP_{key.upper().replace('-', '_')}": each.decode("latin-1") for key, each in fields.items()
        }
        return protocol.request_of(target, **keys)
    headers = [(key.encode(), value) for key, value in fields.items() if key != name]
    return protocol.request_of(target, headers=[*headers, *((name.encode(), each) for each in ids)])


def serve(protocol: Protocol, request: Request, **settings: Any) -> Served:
    return protocol.behind(**settings).serve(request)


def id_of(answer: Served) -> str:
    return dict(answer.headers)["x-request-id"]


def test_the_id_is_the_same_everywhere(protocol: Protocol, caplog: pytest.LogCaptureFixture) -> None:
    reports: list[Report] = []

    def observe(report: Report) -> None:
        reports.append(report)
        LogObserver()(report)

    with caplog.at_level(logging.INFO, "postel"):
        answer = serve(protocol, asked(protocol, b"/%00"), observer=observe)
    name = id_of(answer)
    assert RANDOM.fullmatch(name)
    assert [report.id for report in reports] == [name]
    assert caplog.messages[0].endswith(f"; id {name}")
    assert f"\nRequest id: {name}\n" in answer.body.decode()


def test_each_refusal_has_its_own_id(protocol: Protocol) -> None:
    assert len({id_of(serve(protocol, asked(protocol, b"/%00"))) for _ in range(100)}) == 100


@pytest.mark.parametrize("target", [b"/a", b"/a%2520b", b"/a//b"])
def test_accepted_requests_have_no_id(protocol: Protocol, target: bytes) -> None:
    answer = serve(protocol, asked(protocol, target, b"abc"), request_id="X-Request-ID")
    assert "x-request-id" not in dict(answer.headers)
    assert answer.report.id == ""


def test_requests_that_would_be_refused_have_an_id(protocol: Protocol) -> None:
    answer = serve(protocol, asked(protocol, b"/%00", b"abc"), request_id="X-Request-ID", enforce=False)
    assert answer.status == 200
    assert report_of(answer.given).id == "abc"


def test_an_incoming_id_is_ignored_unless_a_setting_names_its_header(protocol: Protocol) -> None:
    assert RANDOM.fullmatch(id_of(serve(protocol, asked(protocol, b"/%00", b"abc"))))
    other = asked(protocol, b"/%00", b"abc", name="x-correlation-id")
    assert RANDOM.fullmatch(id_of(serve(protocol, other, request_id="X-Request-ID")))
    assert id_of(serve(protocol, other, request_id="X-Correlation-ID")) == "abc"


@pytest.mark.parametrize("sent", [b"a", b"req_01.A-z", b"a" * 64, b"4bf92f3577b34da6a3ce929d0e0e4736"])
def test_a_plain_id_is_used(protocol: Protocol, sent: bytes) -> None:
    answer = serve(protocol, asked(protocol, b"/%00", sent), request_id="x-request-id")
    assert id_of(answer) == answer.report.id == sent.decode()


@pytest.mark.parametrize(
    "sent",
    [
        *(b"", b"a" * 65, b"a b", b" a", b"a\n", b"a\r\nSet-Cookie: a=1", b"a,b", b"a:b", b"a/b", b"a=b"),
        *(b'a"', b"<script>", b"%41", b"\xc3\xa9", b"\xff", b"\0", b"\x1b[2J", b"a" * 100_000),
    ],
)
def test_other_ids_are_ignored(protocol: Protocol, sent: bytes) -> None:
    answer = serve(protocol, asked(protocol, b"/%00", sent), request_id="x-request-id")
    assert RANDOM.fullmatch(id_of(answer))


def test_two_ids_are_ignored(protocol: Protocol) -> None:
    answer = serve(protocol, asked(protocol, b"/%00", b"abc", b"xyz"), request_id="x-request-id")
    assert RANDOM.fullmatch(id_of(answer))


def test_your_own_refusal_reads_the_id_from_the_report() -> None:
    seen: list[str] = []

    def wsgi_refusal(environ: Request, start_response: Any) -> list[bytes]:
        seen.append(report_of(environ).id)
        start_response("400 Bad Request", [])
        return []

    async def asgi_refusal(scope: Request, _receive: Any, send: Any) -> None:
        seen.append(report_of(scope).id)
        await send({"type": "http.response.start", "status": 400, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    for protocol, refusal in ((WSGI, wsgi_refusal), (ASGI, asgi_refusal)):
        answer = serve(protocol, asked(protocol, b"/%00", b"abc"), refusal=refusal, request_id="X-Request-ID")
        assert answer.report.id == "abc"
    assert seen == ["abc", "abc"]


def test_an_answer_links_to_help(protocol: Protocol) -> None:
    answer = serve(protocol, asked(protocol, b"/%00"), help_url=HELP)
    assert answer.body.decode().endswith(f"\nHelp: {HELP}\n")
    assert dict(answer.headers)["link"] == f'<{HELP}>; rel="help"'
    problem = json.loads(
        serve(protocol, asked(protocol, b"/%00", accept="application/json"), help_url=HELP).body
    )
    assert problem["type"] == HELP
    assert "link" not in dict(serve(protocol, asked(protocol, b"/%00")).headers)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        *(
            (
                {"request_id": name},
                f"request_id={name!r}: a header name has letters, digits and hyphens, at most 64, "
                "such as 'X-Request-ID'",
            )
            for name in ("", "X Request", "X_Request_ID", "X-Id:", b"X-Id", True, "é", "x" * 65)
        ),
        *(
            (
                {"request_id": name},
                f"request_id={name!r}: this header describes the body; name another, such as 'X-Request-ID'",
            )
            for name in ("Content-Type", "content-length")
        ),
        *(
            (
                {"request_id": name},
                f"request_id={name!r}: this header holds a secret, and an id is logged; name another, "
                "such as 'X-Request-ID'",
            )
            for name in ("Cookie", "authorization", "Proxy-Authorization")
        ),
        *(
            (
                {"help_url": url},
                f"help_url={url!r}: write a URL with a host, in ASCII, such as 'https://example.com/refused'",
            )
            for url in (
                *("", "/help", "example.com", "javascript:alert(1)", "https://", "https://a b", 1),
                *("https:///", "https:///help", "https://?help", "https://:80/", "https://@/help"),
            )
        ),
        *(({"help_url": f"https://a/{bad}"}, "") for bad in ("<", ">", '"', "\n", "é")),
    ],
)
def test_invalid_settings_raise(protocol: Protocol, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}"):
        protocol.middleware(lambda *_: None, **settings)


def test_a_help_link_with_your_own_refusal_raises(protocol: Protocol) -> None:
    refusal = BadRequest() if protocol is WSGI else PlainTextResponse("no", 400)
    message = (
        "help_url= cannot be combined with refusal=, which writes its own page; leave help_url out, or link "
        "to it in refusal"
    )
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        protocol.middleware(protocol.behind().middleware.app, refusal=refusal, help_url=HELP)
