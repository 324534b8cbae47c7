"""``make demo``: its output, its exit code, and that it leaves no process behind."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from applications import EXAMPLES, example

demo = example("demo")
TARGETS = [target for requests in demo.REQUESTS.values() for target, _ in requests]
DEMO = [sys.executable, str(EXAMPLES / "demo.py")]
MARK = "POSTEL_TEST_OF_DEMO"


def environment() -> dict[str, str]:
    """Return an environment by which all processes of one run can be found."""
    return {**os.environ, MARK: uuid.uuid4().hex, "PYTHONIOENCODING": "utf-8"}


def processes(environ: dict[str, str]) -> list[int]:
    mark = f"{MARK}={environ[MARK]}".encode()
    found = []
    for file in Path("/proc").glob("[0-9]*/environ"):
        try:
            held = file.read_bytes()
        except OSError:
            continue
        if mark in held.split(b"\0"):
            found.append(int(file.parent.name))
    return found


def run(code: str) -> subprocess.CompletedProcess[str]:
    """Run the demo after a change to it."""
    command = [sys.executable, "-c", f"import sys, demo\n{code}\nsys.exit(demo.main())"]
    return subprocess.run(  # noqa: S603 - our own code
        command, cwd=EXAMPLES, capture_output=True, encoding="utf-8", timeout=120, check=False
    )


# ---- without servers ----


def row(*answers: str) -> str:
    return str(demo.Row("/x", "as expected", answers))


def test_a_line_fits_for_any_answer() -> None:
    assert max(demo.columns(line) for line in row(*["起" * 60] * 4).splitlines()) <= 120
    assert sum(demo.WIDTHS) + 2 * (len(demo.WIDTHS) - 1) <= 120


def test_columns_are_aligned_in_any_script() -> None:
    assert demo.columns("起司堡") == 6
    chinese = demo.line(("起", "b", "c", "d"), [""] * 4)
    latin = demo.line(("a", "b", "c", "d"), [""] * 4)
    assert demo.columns(chinese) == demo.columns(latin)


def test_both_answers_behind_postel_count() -> None:
    assert demo.Row("/x", "yes", ("no", "no", "yes", "yes")).as_expected
    assert not demo.Row("/x", "yes", ("yes", "yes", "yes", "no")).as_expected
    assert not demo.Row("/x", "yes", ("yes", "yes", "no", "yes")).as_expected
    assert "one / two" in row("", "", "one", "two")


def test_invisible_characters_are_shown_escaped() -> None:
    read = b'{"view": "book", "parameters": {"title": "a\\u0000"}, "query": [["q\\n", "\\u001b"]]}'
    assert demo.summary(200, "", read) == r"title='a\x00' 'q\n'='\x1b'"
    assert demo.summary(200, "", b'{"view": "admin"}') == demo.PASSED
    assert demo.summary(404, "", b"") == "404"


def test_there_are_about_thirty_requests() -> None:
    assert 30 <= len(TARGETS) == len(set(TARGETS)) < 40


# ---- with servers ----


@pytest.mark.servers
def test_in_a_pipe_it_has_no_colours() -> None:
    environ = environment()
    done = subprocess.run(  # noqa: S603 - our own code
        DEMO, env=environ, capture_output=True, encoding="utf-8", timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert not re.search(r"[\0-\x09\x0b-\x1f\x7f]", done.stdout)
    lines = done.stdout.splitlines()
    assert max(map(demo.columns, lines)) <= 120
    assert [line.split()[0] for line in lines if line.startswith(("/", "http"))] == TARGETS
    assert lines[-1] == "Behind postel, both gave the same answers to all of them, as expected."
    assert processes(environ) == []


@pytest.mark.servers
def test_on_a_terminal_it_has_colours_and_shows_its_progress() -> None:
    environ = environment()
    ours, theirs = pty.openpty()
    process = subprocess.Popen(DEMO, env=environ, stdout=theirs, stderr=theirs)  # noqa: S603 - our own code
    with process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                shown += os.read(ours, 65536)
            except OSError:  # Linux raises OSError if the other end is closed.
                break
    os.close(ours)
    assert process.returncode == 0
    assert b"sending /search?q=%00" in shown
    assert all(colour.encode() in shown for colour in (demo.RED, demo.GREEN, demo.YELLOW, demo.BOLD))


@pytest.mark.servers
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="the processes are counted in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_demo_leaves_no_process(number: signal.Signals) -> None:
    environ = environment()
    slow = "import time; ask = demo.ask; demo.ask = lambda *of: (time.sleep(0.2), ask(*of))[1]"
    command = [sys.executable, "-c", f"import demo; {slow}; demo.main()"]
    process = subprocess.Popen(  # noqa: S603 - our own code
        command, cwd=EXAMPLES, env=environ, stderr=subprocess.PIPE
    )
    with process:
        deadline = time.monotonic() + 60
        while len(processes(environ)) < 7 and time.monotonic() < deadline:  # demo, servers, workers
            time.sleep(0.05)
        assert len(processes(environ)) == 7
        process.send_signal(number)
        _, complaint = process.communicate(timeout=60)
    assert (process.returncode, complaint) == (128 + number, b"")
    assert processes(environ) == []


@pytest.mark.servers
def test_an_unexpected_answer_is_a_failure() -> None:
    done = run("demo.REQUESTS = {'wrong': [('/books/a', \"title='b'\"), ('/books/b', \"title='b'\")]}")
    assert done.returncode == 1
    assert "Flask behind postel, /books/a: \"title='a'\" instead of \"title='b'\"" in done.stdout
    assert "/books/b:" not in done.stdout


@pytest.mark.servers
def test_a_server_that_does_not_start_is_a_failure_with_a_reason() -> None:
    done = run("demo.SERVERS['Flask on gunicorn'] = f'{demo.GUNICORN} no_such_app:app'")
    assert done.returncode == 1
    assert "no_such_app" in done.stderr
    assert "Traceback" not in done.stderr.partition("\n")[0]
    assert done.stdout == ""
