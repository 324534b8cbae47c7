"""Observers: what is logged, how much, and that an observer cannot break a request."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from adapters import ASGI, WSGI, Protocol, call_asgi, environ_of, scope_of, through_asgi, through_wsgi
from bodies import post
from postel import Action, Component, Finding, Kind, Policy, Report, Target, report_of
from postel._http.observers import BURST, INTERVAL, LogObserver
from postel.asgi import NormalizeMiddleware

LONGEST = 2500


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(params=[WSGI, ASGI], ids=["wsgi", "asgi"])
def protocol(request: pytest.FixtureRequest) -> Protocol:
    found: Protocol = request.param
    return found


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.INFO, "postel"):
        yield caplog


def report(*findings: Finding, received: bytes = b"/a", **fields: Any) -> Report:
    refused = any(each.action is Action.REJECT for each in findings)
    target = Target(received)
    return Report(target, None if refused else target, findings, **fields)


def finding(kind: Kind, action: Action, excerpt: bytes = b"%00", name: str | None = None) -> Finding:
    return Finding(kind, Component.PATH, 1, excerpt, action, name)


NUL = finding(Kind.NUL, Action.REJECT)
EMPTY = finding(Kind.EMPTY_SEGMENT, Action.REPORT, b"//")
MENDED = finding(Kind.SPELLING, Action.REPAIR, b"%7e")


# -- what is logged ------------------------------------------------------------------------------------------


def test_refused_requests_are_warnings(log: pytest.LogCaptureFixture) -> None:
    answer = through_wsgi(environ_of(b"/%00?q=1"), observer=LogObserver())
    (record,) = log.records
    sent_id = dict(answer.headers)["x-request-id"]
    assert (record.name, record.levelname) == ("postel", "WARNING")
    assert record.getMessage() == (
        f'refused "GET" "/%00?q=1" from "192.0.2.1": nul in path at 1: "%00" (reject); id {sent_id}'
    )
    assert record.exc_info is None


def test_reported_requests_are_information(log: pytest.LogCaptureFixture) -> None:
    through_asgi(scope_of(b"/a%2520b"), observer=LogObserver())
    (record,) = log.records
    assert record.levelname == "INFO"
    assert record.getMessage() == (
        'reported "GET" "/a%2520b" from "192.0.2.1": double-escape in path at 2: "%2520" (report)'
    )


@pytest.mark.parametrize(("enforce", "verdict"), [(True, "redirected"), (False, "would redirect")])
def test_redirected_requests_are_information(
    log: pytest.LogCaptureFixture, enforce: bool, verdict: str
) -> None:
    through_asgi(scope_of(b"/a//b"), enforce=enforce, observer=LogObserver())
    (record,) = log.records
    assert record.levelname == "INFO"
    assert record.getMessage() == (
        f'{verdict} "GET" "/a//b" from "192.0.2.1": empty-segment in path at 3: "/" (reject)'
    )


@pytest.mark.parametrize(("enforce", "verdict"), [(True, "redirected"), (False, "would redirect")])
def test_redirects_to_repaired_paths_are_information(
    log: pytest.LogCaptureFixture, enforce: bool, verdict: str
) -> None:
    through_wsgi(
        environ_of(b"/a/./b"), Policy.LENIENT, redirect=True, enforce=enforce, observer=LogObserver()
    )
    (record,) = log.records
    assert record.levelname == "INFO"
    assert record.getMessage() == (
        f'{verdict} "GET" "/a/./b" from "192.0.2.1": dot-segment in path at 3: "." (repair)'
    )


def test_requests_that_would_be_refused_are_warnings(log: pytest.LogCaptureFixture) -> None:
    through_wsgi(environ_of(b"/%00"), enforce=False, observer=LogObserver())
    (record,) = log.records
    assert record.levelname == "WARNING"
    assert record.getMessage().startswith('would refuse "GET" "/%00"')


def test_the_default_observer_logs(log: pytest.LogCaptureFixture) -> None:
    async def app(*_: Any) -> None:
        raise NotImplementedError

    call_asgi(NormalizeMiddleware(app), scope_of(b"/%00"))
    assert [record.levelname for record in log.records] == ["WARNING"]


def test_repairs_are_no_information(log: pytest.LogCaptureFixture) -> None:
    LogObserver()(report(MENDED))
    assert not log.records


@pytest.mark.parametrize(("enforce", "verdict"), [(True, "edited"), (False, "would edit")])
def test_edits_are_for_debugging(caplog: pytest.LogCaptureFixture, enforce: bool, verdict: str) -> None:
    with caplog.at_level(logging.DEBUG, "postel"):
        through_wsgi(environ_of(b"/caf%c3%a9?utm_x=%C4"), enforce=enforce, observer=LogObserver())
    (record,) = caplog.records
    assert record.levelname == "DEBUG"
    assert record.getMessage() == (
        f'{verdict} "GET" "/caf%c3%a9?utm_x=%C4" from "192.0.2.1": spelling in path at 4: "%c3%a9" (repair); '
        "1 more finding"
    )
    assert fields_of(record)["postel_kinds"] == ["spelling", "ill-formed-utf8"]


def test_a_preserved_escape_is_not_logged_as_a_repair(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "postel"):
        LogObserver()(report(finding(Kind.ENCODED_SLASH, Action.PRESERVE, b"%2F")))
    assert caplog.messages[0].startswith('edited "')


def test_nothing_found_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "postel"):
        LogObserver()(report())
    assert not caplog.records


def test_repairs_leave_room_for_refusals(caplog: pytest.LogCaptureFixture) -> None:
    observer = LogObserver(lambda: 0.0)
    repaired = report(finding(Kind.NUL, Action.DROP, b"%00"))
    with caplog.at_level(logging.DEBUG, "postel"):
        for each in (*[repaired] * 9, report(NUL)):
            observer(each)
    assert [each.levelname for each in caplog.records] == [*["DEBUG"] * 5, "WARNING"]


def test_the_reason_for_the_refusal_comes_first(log: pytest.LogCaptureFixture) -> None:
    LogObserver()(report(EMPTY, NUL, MENDED, truncated=True))
    assert log.messages == [
        'refused "" "/a" from "": nul in path at 1: "%00" (reject); at least 2 more findings'
    ]


def test_records_below_the_level_are_not_counted(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    observer = LogObserver(clock)
    with caplog.at_level(logging.WARNING, "postel"):
        for _ in range(100):
            observer(report(EMPTY))
    with caplog.at_level(logging.INFO, "postel"):
        observer(report(EMPTY))
    assert len(caplog.records) == 1
    assert "not logged" not in caplog.text


# -- fields for formatters that write JSON -------------------------------------------------------------------


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    return {name: value for name, value in vars(record).items() if name.startswith("postel_")}


def test_a_record_has_fields(protocol: Protocol, log: pytest.LogCaptureFixture) -> None:
    answer = protocol.through(protocol.request_of(b"/%2F%00?q=1"), observer=LogObserver())
    (record,) = log.records
    assert fields_of(record) == {
        "postel_verdict": "refused",
        "postel_id": dict(answer.headers)["x-request-id"],
        "postel_method": "GET",
        "postel_target": "/%2F%00?q=1",
        "postel_client": "192.0.2.1",
        "postel_kinds": ["encoded-slash", "nul"],
        "postel_finding": 'encoded-slash in path at 1: "%2F" (reject)',
        "postel_findings": 2,
        "postel_unlogged": 0,
    }
    assert json.loads(json.dumps(fields_of(record))) == fields_of(record)


def test_a_report_without_refusal_has_no_id(protocol: Protocol, log: pytest.LogCaptureFixture) -> None:
    protocol.through(protocol.request_of(b"/a%2520b"), observer=LogObserver())
    (record,) = log.records
    assert (fields_of(record)["postel_verdict"], fields_of(record)["postel_id"]) == ("reported", "")


def test_a_field_counts_the_requests_that_were_not_logged(
    clock: Clock, log: pytest.LogCaptureFixture
) -> None:
    observer = LogObserver(clock)
    for _ in range(BURST + 3):
        observer(report(NUL))
    clock.now += INTERVAL
    observer(report(NUL))
    assert fields_of(log.records[-1])["postel_unlogged"] == 3


# -- one printable line of bounded length --------------------------------------------------------------------

NASTY = [
    b"/a\r\nWARNING:postel:forged",
    b"/\x1b[2J\x1b]0;title\x07",
    b"/%0d%0aSet-Cookie:a",
    b"/\xe2\x80\xae\xc2\x85\xe2\x80\xa8",
    b"/%C4\xff\xfe",
    b'/"quoted\\',
    b"/" + b"\xff" * 100_000,
    b"/" + b"a/" * 100_000,
    b"/?" + "\u20ac".encode() * 3000 + b"=%00",
    b"/a?" + b"%00" * 3000,
]


@pytest.mark.parametrize("target", NASTY)
@pytest.mark.parametrize("policy", [Policy.STRICT, Policy.LENIENT])
def test_a_record_is_one_printable_line_of_bounded_length(
    target: bytes, policy: Policy, log: pytest.LogCaptureFixture
) -> None:
    nasty = target.decode("latin-1")
    through_wsgi(environ_of(target, f"GET{nasty}", REMOTE_ADDR=nasty), policy, observer=LogObserver())
    through_asgi(scope_of(target, nasty, client=(nasty, 1)), policy, observer=LogObserver())
    through_wsgi(
        {"PATH_INFO": f"/\ud800\u20ac{nasty}", "QUERY_STRING": nasty}, policy, observer=LogObserver()
    )
    for record in log.records:
        texts = [text for text in fields_of(record).values() if isinstance(text, str)]
        assert all(text.isascii() and (text.isprintable() or not text) for text in texts)
        assert sum(map(len, texts)) < LONGEST
    for message in log.messages:
        assert message.isascii()
        assert message.isprintable()
        assert len(message) < LONGEST


def test_long_names_are_cut(log: pytest.LogCaptureFixture) -> None:
    name = "\U0001f600" * 64
    LogObserver()(report(finding(Kind.NUL, Action.REJECT, b"\0" * 48, name), received=b"\0" * 9000))
    assert len(log.messages[0]) < LONGEST


BODIES = [
    ("application/x-www-form-urlencoded", b"password=" + b"secret" * 20_000),
    ("application/x-www-form-urlencoded", "password=\u0441\u0435\u043a\u0440\u0435\u0442".encode("cp1251")),
    ("application/json", b'{"password": secret}'),
    ("application/json", b'{"password": "secret\x01"}'),
    (
        "multipart/form-data; boundary=x",
        b'--x\r\nContent-Disposition: form-data; secret="a"\r\n\r\n1\r\n--x--',
    ),
]


@pytest.mark.parametrize(("content_type", "body"), BODIES)
def test_a_body_is_never_quoted(
    content_type: str, body: bytes, protocol: Protocol, log: pytest.LogCaptureFixture
) -> None:
    told: list[Report] = []

    def observe(report: Report) -> None:
        told.append(report)
        LogObserver()(report)

    post(protocol, body, content_type=content_type, json=True, observer=observe)
    (record,) = log.records
    for text in (record.getMessage(), str(fields_of(record))):
        assert "secret" not in text
        assert "\\xf1" not in text.lower()
    assert any(each.excerpt for each in told[0].findings)


# -- floods --------------------------------------------------------------------------------------------------


def test_a_flood_leaves_a_few_lines_and_a_count(clock: Clock, log: pytest.LogCaptureFixture) -> None:
    observer = LogObserver(clock)
    flood = [report(NUL, received=b"/%d" % number) for number in range(1000)]
    for number in range(100_000):
        observer(flood[number % 1000])
    assert len(log.records) == BURST
    clock.now += INTERVAL
    observer(flood[0])
    assert len(log.records) == BURST + 1
    assert log.messages[-1].endswith(f"; {100_000 - BURST} more requests of this kind not logged")
    observer(flood[1])
    assert "not logged" not in log.messages[-1]
    for number in range(2, BURST + 1):
        observer(flood[number])
    clock.now += INTERVAL
    observer(flood[0])
    assert log.messages[-1].endswith("; 1 more request of this kind not logged")


def test_a_flood_takes_no_memory(clock: Clock) -> None:
    observer = LogObserver(clock)
    kinds = [report(finding(kind, Action.REJECT)) for kind in Kind]
    for _ in range(3):
        for each in kinds:
            observer(each)
        clock.now += INTERVAL
    assert len(observer._windows) == len(Kind)
    before = sys.getsizeof(observer._windows)
    for number in range(20_000):
        observer(report(NUL, received=b"/%d" % number, client=f"192.0.2.{number}"))
    assert sys.getsizeof(observer._windows) == before


def test_a_flood_of_one_kind_does_not_hide_another(clock: Clock, log: pytest.LogCaptureFixture) -> None:
    observer = LogObserver(clock)
    for _ in range(100):
        observer(report(NUL))
    observer(report(EMPTY))
    assert Counter(record.levelname for record in log.records) == {"WARNING": BURST, "INFO": 1}


def test_a_flood_through_the_middleware_leaves_a_few_lines(
    clock: Clock, log: pytest.LogCaptureFixture
) -> None:
    observer = LogObserver(clock)
    for number in range(2000):
        through_wsgi(environ_of(b"/%%00%d" % number), observer=observer)
    assert len(log.records) == BURST


def test_few_requests_are_all_logged(clock: Clock, log: pytest.LogCaptureFixture) -> None:
    observer = LogObserver(clock)
    for _ in range(20):
        observer(report(NUL))
        clock.now += INTERVAL / 4
    assert len(log.records) == 20


# -- your own observers --------------------------------------------------------------------------------------


def test_an_observer_receives_every_request_with_a_finding() -> None:
    told: list[Report] = []
    observe = told.append
    through = {"observer": Tell(observe)}
    for target in (b"/a", b"/%7euser", b"/a%2520b", b"/%00"):
        through_wsgi(environ_of(target), **through)
        through_asgi(scope_of(target), **through)
    assert [each.received_target for each in told] == [b"/%7euser"] * 2 + [b"/a%2520b"] * 2 + [b"/%00"] * 2
    assert [each.refused for each in told] == [False] * 4 + [True] * 2


class Tell:
    """An observer that is compared by identity."""

    def __init__(self, observe: Any) -> None:
        self.observe = observe

    def __call__(self, report: Report) -> None:
        self.observe(report)


class Broken(Exception):  # noqa: N818
    def __str__(self) -> str:
        raise NotImplementedError


def test_an_observer_that_raises_is_logged_once(log: pytest.LogCaptureFixture) -> None:
    def raising(report: Report) -> None:
        raise Broken(report.received_target.decode())

    for _ in range(3):
        assert through_wsgi(environ_of(b"/a%2520b\x1b"), observer=raising).status == 400
        assert through_wsgi(environ_of(b"/a%2520b"), observer=raising).status == 200
    (record,) = log.records
    assert record.levelname == "ERROR"
    assert record.exc_info is None
    assert "raising" in record.getMessage()
    place = f"{__file__}, line {raising.__code__.co_firstlineno + 1}"
    assert (
        f"raised Broken in {place}; correct it; requests go on, and this is logged once"
        in record.getMessage()
    )
    assert "\x1b" not in record.getMessage()


def test_exceptions_other_than_errors_propagate() -> None:
    def leaving(_: Report) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        through_wsgi(environ_of(b"/%00"), observer=leaving)


# -- a server that hands over only the decoded path ----------------------------------------------------------


def test_a_server_that_hides_faults_is_named_once(protocol: Protocol, log: pytest.LogCaptureFixture) -> None:
    raw = ("raw_path",) if protocol is ASGI else ("REQUEST_URI", "RAW_URI")
    whole = (scope_of if protocol is ASGI else environ_of)(b"/a")
    app = protocol.behind()
    app.serve(whole)
    assert log.messages == []
    for _ in range(2):
        app.serve({key: value for key, value in whole.items() if key not in raw})
    [line] = log.messages
    blind = report_of(app.given).blind
    assert Kind.ENCODED_SLASH in blind
    assert line == (
        f"the server hands over only the decoded path, so {len(blind)} kinds of faults cannot be detected "
        "in it, such as encoded-slash; report_of(request).blind names all of them; this is logged once"
    )
    assert log.records[0].levelname == "WARNING"


# -- a prefix that ends in a slash ---------------------------------------------------------------------------

ROOT, NAME = "root_path (--root-path)", "SCRIPT_NAME"
LEAVE = 'leave it out, or write a path such as "/app"'
APP = {**environ_of(b"/app/x"), "SCRIPT_NAME": "/app/"}
# Each row: a request as a server hands it over, the prefix in the log, the result for "/x", and the remedy.
PREFIXED = [
    (scope_of(b"//x", root_path="/"), ROOT, "/", "//x", LEAVE),
    (scope_of(b"//", root_path="/"), ROOT, "/", "//x", LEAVE),
    (scope_of(b"/app//x", root_path="/app/"), ROOT, "/app/", "/app//x", 'write "/app"'),
    ({**environ_of(b"/x"), "SCRIPT_NAME": "/"}, NAME, "/", "//x", LEAVE),
    ({**APP, "PATH_INFO": "x"}, NAME, "/app/", "/app//x", 'write "/app"'),
    ({**APP, "PATH_INFO": "/x"}, NAME, "/app/", "/app//x", 'write "/app"'),
]


@pytest.mark.parametrize("enforce", [True, False])
@pytest.mark.parametrize(("request_", "key", "prefix", "written", "remedy"), PREFIXED)
def test_a_prefix_that_ends_in_a_slash_is_named_as_the_cause_once(  # noqa: PLR0917 - a row of the table
    log: pytest.LogCaptureFixture,
    request_: dict[str, Any],
    key: str,
    prefix: str,
    written: str,
    remedy: str,
    *,
    enforce: bool,
) -> None:
    protocol = ASGI if "path" in request_ else WSGI
    behind = protocol.behind(enforce=enforce)
    for _ in range(3):
        assert behind.serve(request_).report.refused
    (said,) = [record for record in log.records if "ends in a slash" in record.getMessage()]
    assert said.levelno == logging.ERROR
    verdict = "is refused" if enforce else "would be refused"
    assert said.getMessage() == (
        f'every request {verdict}: {key} of the server is "{prefix}" and ends in a slash, '
        f'so that "/x" becomes "{written}"; {remedy}; this is logged once'
    )
    protocol.behind(enforce=enforce).serve(request_)
    assert sum("ends in a slash" in line for line in log.messages) == 2, "each middleware logs it once"


def test_other_prefixes_are_not_named_as_the_cause(log: pytest.LogCaptureFixture) -> None:
    for protocol, request_ in (
        (ASGI, scope_of(b"/x", root_path="/")),  # Hypercorn and others put no prefix in front of the path.
        (ASGI, scope_of(b"/x%00", root_path="/")),
        (ASGI, scope_of(b"//x", root_path="")),
        (ASGI, scope_of(b"/app//x", root_path="/app")),
        (ASGI, scope_of(b"//x", root_path=None)),
        (WSGI, {**environ_of(b"/app//x"), "SCRIPT_NAME": "/app", "PATH_INFO": "//x"}),
    ):
        protocol.behind().serve(request_)
    ASGI.behind(Policy.LENIENT).serve(scope_of(b"//x", root_path="/"))
    assert not any("ends in a slash" in line for line in log.messages)


def test_a_hostile_prefix_is_shown_as_ascii_and_in_part(log: pytest.LogCaptureFixture) -> None:
    WSGI.behind().serve({**environ_of(b"/x"), "SCRIPT_NAME": "/\r\n\udc80" + "a" * 10_000 + "/"})
    (line,) = [line for line in log.messages if "ends in a slash" in line]
    assert line.isascii()
    assert line.isprintable()
    assert len(line) < 600


# -- a server that was not told the prefix -------------------------------------------------------------------


@pytest.mark.parametrize("enforce", [True, False])
@pytest.mark.parametrize(("protocol", "key"), [(ASGI, ROOT), (WSGI, NAME)])
def test_a_server_that_was_not_told_the_prefix_is_named_as_the_cause_once(
    log: pytest.LogCaptureFixture, protocol: Protocol, key: str, *, enforce: bool
) -> None:
    behind = protocol.behind(prefix="/caf\u00e9", enforce=enforce)
    for _ in range(3):
        assert behind.serve(protocol.request_of(b"/x")).report.refused
    (said,) = [record for record in log.records if "without a prefix" in record.getMessage()]
    assert said.levelno == logging.ERROR
    verdict = "are refused" if enforce else "would be refused"
    assert said.getMessage() == (
        rf'requests without a prefix {verdict}, because prefix= is "/caf\xc3\xa9": set {key} of the server '
        r'to "/caf\xc3\xa9", or leave prefix= out; this is logged once'
    )


@pytest.mark.parametrize("protocol", [ASGI, WSGI])
def test_another_prefix_is_not_called_a_missing_one(
    log: pytest.LogCaptureFixture, protocol: Protocol
) -> None:
    for prefix, request_ in (
        ("/shop", protocol.mounted(b"/other/x", "/other")),
        ("/shop", protocol.mounted(b"/shop/x%00", "/shop")),
        ("", protocol.mounted(b"/other/x", "/other")),
        ("", protocol.request_of(b"/x%00")),
        (None, protocol.request_of(b"/x%00")),
    ):
        assert protocol.behind(prefix=prefix).serve(request_).report.refused
    assert not any("without a prefix" in line for line in log.messages)


CONFIGURED_LATER = """
import logging.config
from postel.wsgi import NormalizeMiddleware
from werkzeug.test import Client
from werkzeug.wrappers import Response

handlers = {"stderr": {"class": "logging.StreamHandler"}}
logging.config.dictConfig({"version": 1, "handlers": handlers, "root": {"handlers": ["stderr"]}})
Client(NormalizeMiddleware(Response("read"))).get("/%00")
"""


def test_logging_that_is_configured_after_the_import_keeps_the_log() -> None:
    command = [sys.executable, "-c", CONFIGURED_LATER]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - code of this test
    assert ended.stderr.startswith('refused "GET" "/%00" from ')
