"""``postel scan``: which logs it reads, its options, and its reports."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import pytest

from postel import Policy
from postel.cli import _progress
from postel.cli._console import Console, Printer
from postel.scan import FORMATS
from scan.lines import BROWSER, PROGRAM, SITE, caddy, combined
from terminal import Stream, run

PEOPLE = [
    combined(target, client=b"192.0.2.%d" % number, referer=SITE)
    for number, target in enumerate(
        [b"/units/kg%2Fs", b"/units/m%2Fs?q[]=50%+off", b"/units/1%2Fs"] * 3
        + [b"/search?legacy=%E4rzte", b"/search?q=b", b"/"]
    )
]
SCANNER = [
    combined(rb"/a\x22%%00%d" % number, client=b"203.0.113.7", status=404, agent=PROGRAM)
    for number in range(9)
]
LOG = b"\n".join([*PEOPLE, *SCANNER, b"nonsense", combined(b"/").replace(b"GET / HTTP/1.1", b"-")])


@pytest.fixture
def log(tmp_path: Path) -> str:
    file = tmp_path / "access.log"
    file.write_bytes(LOG)
    return str(file)


def scanned(*argv: str, given: bytes = b"") -> dict[str, object]:
    ended = run("scan", "--json", *argv, given=given)
    assert ended.code == 0
    assert ended.err == ""
    told: dict[str, object] = json.loads(ended.out)
    return told


def test_the_report_is_current(log: str) -> None:
    ended = run("scan", log)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == (Path(__file__).parent.parent / "scan" / "report.txt").read_text("utf-8")


def test_the_suggested_policy_accepts_requests_of_people(log: str) -> None:
    told = scanned(log)
    suggestion = told["suggestion"]
    assert isinstance(suggestion, dict)
    assert [suggestion[each] for each in ("people", "tried", "passing", "estimate")] == [10] * 4
    assert suggestion["policy"] == "standard charset[legacy]=windows-1252"
    assert suggestion["routes"] == {"/units": "standard encoded-slash=preserve charset[legacy]=windows-1252"}
    names: dict[str, object] = {"Policy": Policy}
    exec(str(told["code"]), names)  # noqa: S102 - it is made to be pasted
    assert names["routes"] == {"/units": Policy.parse(suggestion["routes"]["/units"])}


def test_standard_input_and_compressed_logs_are_read(log: str, tmp_path: Path) -> None:
    told = scanned(log)
    packed = tmp_path / "access.log.gz"
    packed.write_bytes(gzip.compress(LOG))
    assert scanned(given=LOG) == scanned("-", given=LOG) == scanned(given=gzip.compress(LOG)) == told
    assert scanned(str(packed)) == told
    both = scanned(log, str(packed), "--workers", "2")
    assert (both["requests"], both["clients"]) == (2 * 21, told["clients"])


def test_options_set_the_policy_the_format_and_the_fields(log: str) -> None:
    assert scanned(log, "--policy", "lenient")["policy"] == "lenient"
    assert scanned("--format", "caddy", given=caddy("/a%00"))["requests"] == 1
    nginx = b'{"request_uri": "/a%00", "http_user_agent": "x"}'
    told = scanned("--field", "target=request_uri", "--field", "agent=http_user_agent", given=nginx)
    assert told["refused"] == {"policy": 1, "strict": 1, "standard": 1, "lenient": 1}
    assert told["formats"] == {"json": 1}
    assert scanned("--format", "json", "--field", "target=request_uri", given=nginx)["requests"] == 1


@pytest.mark.parametrize(
    "argv",
    [
        ["--field", "target=x", "--format", "caddy"],
        ["--field", "nothing"],
        ["--format", "csv"],
        ["--log-format", "$status"],
        ["--log-format", "$request", "--format", "combined"],
        ["--since", "yesterday"],
        ["--since", "2026-10-10T12:00", "--until", "2026-10-10T12:00"],
        ["--workers", "0"],
        ["--workers", "9" * 99],
        ["--workers", "00000199999"],
        ["--html", "\0"],
        ["--html", "\ud800"],
        ["--policy", "nothing"],
    ],
)
def test_invalid_options_give_exit_code_2(argv: list[str]) -> None:
    ended = run("scan", *argv)
    assert (ended.code, ended.out) == (2, "")
    assert "error:" in ended.err


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--since", "2026-10-10", "--until", "2026-10-09"], "until must be after since"),
        (
            ["--workers", "000001" + "0" * 5000],
            f"argument --workers: '000001{'0' * 58}': write a number from 1 to 1024",
        ),
        (
            ["--log-format", "combined"],
            "combined is the name of a format: write --format combined",
        ),
        (["--log-format", "json"], "json is the name of a format: write --format json"),
    ],
)
def test_an_invalid_option_gets_advice(argv: list[str], words: str) -> None:
    ended = run("scan", *argv)
    assert (ended.code, ended.err.splitlines()[0]) == (2, f"postel scan: error: {words}")


def test_a_span_without_requests_is_mentioned() -> None:
    ended = run("scan", "--since", "2027-01-01", given=LOG.partition(b"nonsense")[0])
    assert ended.code == 0
    assert ended.err == "note: no request is in the selected span (since 2027-01-01 00:00:00)\n"
    assert run("scan", "--since", "2000-01-01", given=LOG).err == ""
    assert "note" not in run("scan", "/nope", "--since", "2027-01-01").err


def test_fields_of_json_are_guessed_if_the_format_is_named(log: str, tmp_path: Path) -> None:
    line = b'{"request_uri": "/a%00", "http_user_agent": "x"}'
    assert scanned("--format", "json", given=line) == scanned(given=line)
    file = tmp_path / "access.json"
    file.write_bytes(b"\n".join([line] * 9))
    assert scanned("--format", "json", str(file)) == scanned(str(file))
    assert (
        scanned("--format", "json", given=caddy("/a%00"))["refused"]
        == scanned(given=caddy("/a%00"))["refused"]
    )
    assert scanned("--format", "json", given=b"\n \n")["lines"] == 0
    ended = run("scan", "--format", "json", given=b"\n" * 2**20 + b"nonsense")
    assert "1 of 1 lines could not be read as json" in ended.err
    ended = run("scan", "--format", "json", log)
    assert ended.code == 1
    assert ended.err.endswith(
        "no field of JSON is known to hold a target: name it with --field target=NAME\n"
    )


@pytest.mark.parametrize("name", ["missing.log", "\0", "\ud800", "."])
def test_a_log_that_cannot_be_read_does_not_stop_the_others(log: str, tmp_path: Path, name: str) -> None:
    there = str(tmp_path / name) if name.isprintable() else name
    ended = run("scan", "--json", there, log)
    assert ended.code == 1
    assert ended.err.startswith("error: ")
    assert len(ended.err.splitlines()) == 1
    assert json.loads(ended.out)["requests"] == 21


def test_a_closed_standard_input_is_an_empty_log(monkeypatch: pytest.MonkeyPatch) -> None:
    from postel.cli import main  # noqa: PLC0415 - run() would open a standard input

    monkeypatch.setattr(sys, "stdin", None)
    assert main(["scan", "--json"]) == 0


@pytest.mark.parametrize("name", FORMATS)
def test_an_empty_log_has_a_report(name: str) -> None:
    ended = run("scan", "--format", name)
    assert ended.code == 0
    assert ended.out.startswith("0 requests from 0 clients, judged by: standard\n")


def test_hostile_lines_are_escaped_for_the_terminal() -> None:
    lines = [
        combined(target, referer=target, agent=target, client=target)
        for target in (rb"/\x1b[31m%00", b"/\x1b]0;x\x07%00", b"/\xc2\x9b%00", b"/\xe2\x80\xae%C4")
    ]
    ended = run("scan", given=b"\n".join([*lines, *(b"\x1b[2J" + line for line in lines)]), terminal=True)
    assert ended.code == 0
    plain = ended.out.replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert plain.isascii()
    assert plain.replace("\n", "").isprintable()


# ---- progress ----


def test_progress_is_shown_on_a_terminal(log: str) -> None:
    ended = run("scan", log, terminal=True)
    assert ended.code == 0
    assert "\x1b[" in ended.err
    assert "\x1b[?25h" in ended.err  # The cursor is shown again.


def test_no_progress_is_shown_in_a_pipe(log: str) -> None:
    assert run("scan", log).err == ""


def test_no_progress_is_shown_without_the_extra(log: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich", None)
    assert run("scan", log, terminal=True).err == ""
    console = Console(Printer(None), Printer(Stream(terminal=True)))
    with _progress.progress_bar(console, 10) as progress:
        assert progress is None


def test_lines_of_people_have_the_agent_of_a_browser() -> None:
    """Otherwise the tests of requests of people would test nothing."""
    assert BROWSER in PEOPLE[0]
