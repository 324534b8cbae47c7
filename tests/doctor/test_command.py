"""``postel doctor``: its output, its question before it starts, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

from postel import Policy
from postel.cli import _doctor as command
from postel.doctor import Disagreement, Examination
from postel.doctor._answer import Answer, Difference, Note
from postel.doctor._catalogue import CATALOGUE
from postel.doctor._disagreement import closing
from postel.doctor._examination import IN_PROCESS as IN_PROCESS_NAME
from postel.doctor._examination import TIMEOUT, Reading
from postel.doctor._page import page_of
from postel.doctor._report import report_lines
from postel.doctor._request import Request
from postel.doctor._routes import SOURCES
from postel.doctor._sender import _MOST_SECONDS
from postel.doctor._servers import SERVERS
from terminal import Ended, run

ROOT: Final = Path(__file__).parent.parent.parent
BARE: Final = "examples.guarded:bare"
IN_PROCESS: Final = ("--server", "in-process", "--yes")


@pytest.fixture(autouse=True)
def _in_the_clone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(ROOT)
    before = signal.getsignal(signal.SIGTERM)
    yield
    assert signal.getsignal(signal.SIGTERM) is before


def doctor(*words: str, **more: Any) -> Ended:
    return run("doctor", *words, **more)


def test_a_bypassed_guard_is_reported() -> None:
    ended = doctor(BARE, *IN_PROCESS, "--route", "/admin/panel")
    assert (ended.code, ended.err) == (0, "")
    assert "finding: a guard is bypassed by an escaped slash\n --> GET /admin%2Fpanel\n" in ended.out
    assert "  = closed by encoded-slash=reject\n  = behind the policy: gone\n" in ended.out
    assert ended.out.endswith("\n2 findings without postel, 0 behind the policy\n")


def test_the_report_advises_a_clause_that_closes_the_hole() -> None:
    lax = "standard spelling=allow"
    ended = doctor(BARE, *IN_PROCESS, "--route", "/admin/panel", "--policy", lax)
    assert ended.code == 1
    assert "  = to close it, add spelling=reject\n  = behind the policy: still there\n" in ended.out


def test_the_report_can_be_json() -> None:
    found = json.loads(doctor(BARE, *IN_PROCESS, "--route", "/admin/panel", "--json").out)
    assert (found["application"], found["protocol"], found["server"]) == (BARE, "asgi", "in-process")
    assert [each["kinds"] for each in found["bare"]] == [["encoded-slash"], ["spelling"]]
    assert found["bare"][0]["curl"] == "curl -i --globoff --path-as-is http://127.0.0.1:8000/admin%2Fpanel"
    assert (found["behind"], found["routes"]) == ([], ["GET /admin/panel"])
    assert len(found["readings"]) == sum(each.request.method == "GET" for each in CATALOGUE)


def test_output_of_an_application_is_not_part_of_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    ended = doctor("doctor.somebodys:talking", *IN_PROCESS, "--json")
    assert json.loads(ended.out)["protocol"] == "wsgi"
    assert "hello" in ended.err


def test_a_slow_import_is_mentioned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("postel.cli._doctor._SLOW", 0.05)
    ended = doctor("doctor.slow:app", *IN_PROCESS)
    assert ended.code == 0
    assert ended.err == "postel doctor: 'doctor.slow:app' is still being imported; Ctrl-C stops it\n"


def test_an_application_that_is_already_wrapped() -> None:
    for name in ("examples.flask_app:app", "examples.starlette_app:app"):
        out = doctor(name, *IN_PROCESS).out
        assert "postel already wraps this application" in out
        assert "refused" not in out  # The application has not read requests that postel itself refuses.
    assert "postel already wraps" not in doctor("examples.flask_app:bare", *IN_PROCESS).out


def test_the_report_can_be_html(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert doctor(BARE, *IN_PROCESS, "--route", "/admin/panel", "--html", str(page)).code == 0
    assert "curl -i --globoff --path-as-is http://127.0.0.1:8000/admin%2Fpanel" in page.read_text("utf-8")


def test_the_doctor_runs_a_server() -> None:
    ended = doctor(
        *("doctor.somebodys:plain", "--server", "wsgiref", "--server-args", "a 'b c'"),
        *("--yes", "--route", "/admin"),
    )
    assert (ended.code, ended.err) == (0, "")
    assert "doctor.somebodys:plain: wsgi, no known framework, wsgiref\n" in ended.out


def test_given_headers_are_sent_with_each_request() -> None:
    ended = doctor(
        "examples.flask_app:bare", *IN_PROCESS, "--header", "Content-Type: text/html", "--unsafe-methods"
    )
    assert ended.code == 0


def test_octets_of_an_argument_are_sent_as_they_are() -> None:
    argument = os.fsdecode(b"POST /admin a=\xff\xc3\xa9")
    ended = doctor(
        *("doctor.somebodys:leaky", *IN_PROCESS, "--json", "--unsafe-methods"),
        *("--header", os.fsdecode(b"X: \xff"), "--route", argument),
    )
    assert (ended.code, ended.err) == (0, "")
    [found] = json.loads(ended.out)["bare"]
    assert r"--data-raw $'a=\xff\xc3\xa9'" in found["curl"]


def test_the_command_has_the_names_and_limits_of_the_doctor() -> None:
    assert (*SERVERS, IN_PROCESS_NAME) == command._SERVERS
    assert SOURCES == command._SOURCES
    assert TIMEOUT == command._SECONDS
    assert _MOST_SECONDS == command._MOST_SECONDS
    text = " ".join(doctor("--help").out.split())
    assert f"Servers: {', '.join(SERVERS)}, {IN_PROCESS_NAME}. Exit codes" in text
    assert f"at most {_MOST_SECONDS:.0f}; default: {TIMEOUT:.0f}" in text


# -- before the first request --------------------------------------------------------------------------------


def test_the_doctor_warns_that_get_may_change_data() -> None:
    ended = doctor(BARE, "--server", "in-process")
    assert ended.code == 2
    assert "even GET changes" in ended.err
    assert "test database" in ended.err
    assert "confirm with --yes" in ended.err


@pytest.mark.parametrize(("said", "code"), [(b"y\n", 0), (b"Yes\n", 0), (b"n\n", 2), (b"", 2)])
def test_the_doctor_asks_for_confirmation_on_a_terminal(said: bytes, code: int) -> None:
    ended = doctor(BARE, "--server", "in-process", given=said, typed=True)
    assert ended.code == code
    assert "Go on? [y/N]\n" in ended.err


def test_the_doctor_shows_progress_only_on_a_terminal() -> None:
    ended = doctor(BARE, *IN_PROCESS, terminal=True)
    assert "\r20 requests" in ended.err
    assert ended.err.endswith("\r")
    assert doctor(BARE, *IN_PROCESS).err == ""


# -- what cannot be examined ---------------------------------------------------------------------------------

ERRORS: Final = [
    pytest.param(("nowhere:app", *IN_PROCESS), "there is no module 'nowhere' here", id="no module"),
    pytest.param(
        ("doctor.somebodys:failing", *IN_PROCESS),
        "answers 500 to every plain request: RuntimeError: no database",
        id="status 500 for every request",
    ),
    pytest.param(
        ("doctor.somebodys:waiting", "--timeout", "0.05", *IN_PROCESS), "does not answer", id="no answer"
    ),
    pytest.param(
        ("doctor.somebodys:Silent", "--factory", "--timeout", "0.05", *IN_PROCESS),
        "the application stopped answering at GET /",
        id="no answer after the first requests",
    ),
    pytest.param((BARE, *IN_PROCESS, "--route", "x"), "--route 'x': a route is /path", id="an invalid route"),
    pytest.param(
        (BARE, *IN_PROCESS, "--route", "/", "--route", "POST /x a=1"),
        "--route: POST /x is sent only with --unsafe-methods",
        id="a route with an unsafe method",
    ),
    pytest.param(
        (BARE, *IN_PROCESS, "--header", "x"), "--header 'x': write 'Name: value'", id="an invalid header"
    ),
    pytest.param(
        (BARE, *IN_PROCESS, "--header", "a b: c"),
        "--header 'a b: c': 'a b' is not the name of a header field, such as 'Cookie'",
        id="an invalid header name",
    ),
    pytest.param(
        (BARE, *IN_PROCESS, "--header", "a: b\nc: d"),
        r"--header 'a: b\nc: d': the value ' b\nc: d' contains a line break",
        id="a header with a line break",
    ),
    pytest.param(
        (BARE, *IN_PROCESS, "--header", "Host: a b"),
        "postel doctor: error: postel answers 400 to a plain request; check the policy and the header fields",
        id="a header that postel refuses",
    ),
    *(
        pytest.param(
            (BARE, *IN_PROCESS, "--timeout", text), "more than 0 and at most 600", id=f"{text} seconds"
        )
        for text in ("0", "nan", "inf", "-1", "x")
    ),
    pytest.param((BARE, *IN_PROCESS, "--html", "a\0"), "is not a valid file name", id="an invalid file name"),
    pytest.param(
        (BARE, *IN_PROCESS, "--html", "/nope/x"),
        "postel doctor: error: argument --html: '/nope/x': No such file or directory",
        id="a page in a folder that does not exist",
    ),
    pytest.param(
        (BARE, *IN_PROCESS, "--html", "pyproject.toml"),
        "argument --html: 'pyproject.toml' exists and is not a page of postel",
        id="a page in place of another file",
    ),
    pytest.param(
        (BARE, *IN_PROCESS, "--routes-from", "url_map"),
        "this application has no such routes",
        id="no URL map",
    ),
    pytest.param(
        (BARE, "--yes", "--server-args", "'"),
        """argument --server-args: "'": a quotation mark is not closed""",
        id="an open quotation mark",
    ),
    pytest.param(
        (BARE, "--yes", "--server-args", "a\\"),
        "argument --server-args: 'a\\\\': nothing follows a backslash",
        id="a backslash at the end",
    ),
    pytest.param(
        (BARE, *IN_PROCESS, "--server-args=--proxy-headers"),
        "--server-args needs a server; in-process starts none",
        id="arguments for no server",
    ),
    pytest.param(
        (BARE, "--server", "waitress", "--yes"),
        "waitress is not installed",
        id="a server that is not installed",
        marks=pytest.mark.skipif(find_spec("waitress") is not None, reason="waitress is installed"),
    ),
]


@pytest.mark.parametrize(("words", "said"), ERRORS)
def test_errors_are_one_sentence(words: tuple[str, ...], said: str) -> None:
    ended = doctor(*words)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert "Traceback" not in ended.err


def test_a_slow_page_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("postel.doctor._examination._SLOW", -1.0)
    ended = doctor(BARE, *IN_PROCESS, "--route", "/admin/panel")
    assert "left out, because they take longer than a second: GET /admin/panel\n" in ended.out
    assert ended.out.endswith("0 findings without postel, 0 behind the policy\n")


def test_a_page_that_does_not_exist_is_mentioned() -> None:
    ended = doctor(BARE, *IN_PROCESS, "--route", "/admim", "--route", "/admin/panel")
    assert "answered with 404, so their names may be wrong: GET /admim\n" in ended.out
    told = json.loads(doctor(BARE, *IN_PROCESS, "--route", "/admim", "--json").out)
    assert told["missing"] == ["GET /admim"]


def test_the_doctor_gives_up_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("postel.doctor._sender._MOST_SECONDS", -1.0)
    ended = doctor(BARE, *IN_PROCESS)
    assert (ended.code, ended.out) == (2, "")
    assert "the examination takes longer than -1 seconds; name fewer routes" in ended.err


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("200 OK", "another program answers on the application's port; try again"),
        ("400 Bad Request", "the server answers 400 to a plain request; check the header fields"),
    ],
)
def test_a_port_in_use_is_left_alone(monkeypatch: pytest.MonkeyPatch, status: str, said: str) -> None:
    def greet(environ: object, start_response: Any) -> list[bytes]:
        start_response(status, [])
        return [b"somebody else"]

    with make_server("127.0.0.1", 0, greet, handler_class=Quiet) as other:
        Thread(target=other.serve_forever, daemon=True).start()
        monkeypatch.setattr("postel.doctor._servers._free_port", lambda: other.server_port)
        ended = doctor("doctor.somebodys:plain", "--server", "wsgiref", "--yes")
        other.shutdown()
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


class Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None: ...


def test_a_termination_signal_is_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    def terminate(*_: object, **__: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr("postel.doctor._examination.examined", terminate)
    assert doctor(BARE, *IN_PROCESS).code == 130


# -- reports -------------------------------------------------------------------------------------------------

HOLE: Final = Disagreement(
    rule="guard",
    title="a <guard>",
    request=Request(b"/a\x1b"),
    plain=Request(b"/a"),
    saw=("one\x1b",),
    why="why",
    remedy="do it otherwise",
    others=2,
)
RAISING: Final = Note("", (Difference("request.url", "raises KeyError", "PATH_INFO", "b"),))
NOTE: Final = Note("", (Difference("request.url", "<a>", "PATH_INFO", "b"),))


def examination(
    *readings: Reading, bare: tuple[Disagreement, ...] = (), behind: tuple[Disagreement, ...] = ()
) -> Examination:
    return Examination(
        name="x:app",
        protocol="wsgi",
        server="in-process",
        versions={"flask": "1"},
        is_wrapped=True,
        policy=Policy.STANDARD,
        routes=(),
        slow=(),
        missing=(),
        requests=1,
        readings=readings,
        bare=bare,
        behind=behind,
    )


def test_a_report_has_a_line_for_each_reading_and_hole() -> None:
    one = Reading(CATALOGUE[0], Answer(200, note=NOTE), Answer(0))
    two = Reading(CATALOGUE[1], Answer(200, note=RAISING), Answer(400))
    lines = list(report_lines(examination(one, two, bare=(HOLE,), behind=(HOLE,))))
    cells = [re.split("  +", line)[1:] for line in lines]
    assert ["request.url", "no answer", one.clause(Policy.STANDARD)] in cells
    assert ["request.url raises KeyError", "refused, 400", two.clause(Policy.STANDARD)] in cells
    assert "  = 2 other requests of this kind did the same" in lines
    assert "  = behind the policy: still there" in lines
    assert "  = do it otherwise" in lines
    assert "\x1b" not in "".join(lines)
    assert "  = behind the policy: found only there" in list(report_lines(examination(behind=(HOLE,))))
    assert "No route is known, so no guard was examined. Name pages with --route." in lines
    assert "None of the 0 requests of the catalogue is read in two ways." in list(report_lines(examination()))


def test_a_page_escapes_what_it_shows() -> None:
    one = Reading(CATALOGUE[0], Answer(200, note=NOTE), Answer(400))
    two = Reading(CATALOGUE[1], Answer(200, note=NOTE), Answer(200, note=Note()))
    three = Reading(CATALOGUE[2], Answer(200, note=NOTE), Answer(0))
    page = page_of(examination(one, two, three, bare=(HOLE,)))
    assert "<td>refused, 400" in page
    assert "<td>no answer" in page
    assert "a &lt;guard&gt;" in page
    assert "<a>" not in page
    assert "\x1b" not in page
    assert "one meaning" in page


def test_keys_are_stable() -> None:
    assert HOLE.key() == "guard GET /a -"
    assert closing((), "forms=True", Policy.STANDARD) == "with forms=True"
