"""Reading: each line of a log is counted once, however the log is split and compressed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import pickle
import re
import signal
import sys
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

from postel import Policy
from postel.scan import FORMATS, LogError, Tally, count_parts, count_stream, parts_of
from postel.scan._counting import Count
from postel.scan._judging import Judge
from postel.scan._opening import BLOCK, Log
from postel.scan._parts import _workers_for
from postel.scan._reading import LONGEST, count_blocks, lines_between
from scan.lines import BROWSER, PROGRAM, SITE, combined

TARGETS = [
    *(b"/", b"/articles/7?page=2", b"/search?q=a+b", b"/a%00", rb"/\x22", b"//admin", b"/units/kg%2Fs"),
    *(b"/search?q=%C4", b"/search?q=50%+off", b"/..;/x", b"/caf%c3%a9", b"/a;b", b"http://example.com/"),
]
LINES = [
    combined(
        target,
        client=b"192.0.2.%d" % (number % 7),
        status=404 if number % 3 else 200,
        referer=SITE if number % 2 else b"-",
        agent=PROGRAM if number % 5 else BROWSER,
    )
    for number, target in enumerate(TARGETS * 12)
] + [b"nonsense", b"", combined(b"/x").replace(b"GET /x HTTP/1.1", rb"\x16\x03")]
LOG = b"\n".join(LINES)


def tally_of(log: bytes) -> Tally:
    return count_stream(io.BytesIO(log))


WHOLE = tally_of(LOG)
JUDGE = Judge(Policy.STANDARD)


def test_the_log_has_many_parts() -> None:
    assert WHOLE.requests == len(TARGETS) * 12
    assert WHOLE.unreadable == {"other-format": 1, "no-request": 1}
    assert WHOLE.lines == WHOLE.requests + 2
    assert WHOLE.refused["standard"] == WHOLE.refused["policy"] == 12 * 4
    assert WHOLE.redirected["standard"] == WHOLE.redirected["policy"] == 12


@pytest.mark.parametrize("size", [1499, 9000, 10**9])
def test_parts_sum_to_the_whole(tmp_path: Path, size: int) -> None:
    log = tmp_path / "access.log"
    log.write_bytes(LOG)
    parts = parts_of(log, size=size)
    whole = Tally()
    for part in reversed(parts):
        whole = pickle.loads(pickle.dumps(part)).count() + whole  # noqa: S301 - made here
    assert whole == count_parts(parts) == WHOLE


def _end_the_process(_: Policy) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_parts_are_counted_here_if_the_system_kills_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "access.log"
    log.write_bytes(LOG)
    submit = ProcessPoolExecutor.submit

    def submit_death(pool: ProcessPoolExecutor, _: object, policy: Policy) -> Future[None]:
        return submit(pool, _end_the_process, policy)

    monkeypatch.setattr(ProcessPoolExecutor, "submit", submit_death)
    assert count_parts(parts_of(log, size=900), workers=2) == WHOLE


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from([b"", b"a", b"bc", b"d" * 9, b"\r", b"e\r"]), max_size=12),
    st.integers(1, 12),
    st.booleans(),
)
def test_every_line_is_in_one_part(lines: list[bytes], size: int, ended: bool) -> None:
    log = b"\n".join(lines) + b"\n" * ended
    found = b"".join(
        block
        for start in range(0, len(log), size)
        for block in lines_between(Log(io.BytesIO(log)), start, min(start + size, len(log)))
    )
    assert found == log


@pytest.mark.parametrize("size", [1, 3, 50, 4096])
def test_blocks_of_any_size_have_the_same_tally(size: int) -> None:
    count = Count(JUDGE, FORMATS["combined"])
    log = LOG.replace(b"\n", b"\r\n") if size != 3 else LOG
    count_blocks((log[at : at + size] for at in range(0, len(log), size)), count)
    assert count.tally == WHOLE


@pytest.mark.parametrize("block", [1000, LONGEST, 3 * LONGEST, 10 * LONGEST])
def test_a_line_that_is_too_long_is_unreadable(block: int) -> None:
    begin = combined(b"/a")
    log = (
        begin + b"\n" + b"x" * (3 * LONGEST) + b"\n" + begin + b"x" * (LONGEST - len(begin)) + b"\r\n" + begin
    )
    count = Count(JUDGE, FORMATS["combined"])
    count_blocks((log[at : at + block] for at in range(0, len(log), block)), count)
    assert (count.tally.requests, count.tally.unreadable) == (3, {"too-long": 1})
    assert count.tally.lines == 4
    assert [excerpt for excerpt, _ in count.tally.unread] == [("too-long", b"x" * 160)]


@pytest.mark.parametrize("size", [BLOCK // 3, 2 * BLOCK])
def test_a_long_line_over_many_parts_is_counted_once(tmp_path: Path, size: int) -> None:
    log = tmp_path / "access.log"
    log.write_bytes(combined(b"/a") + b"\n" + b"x" * (3 * LONGEST) + b"\n" + combined(b"/b"))
    assert count_parts(parts_of(log, size=size)) == tally_of(log.read_bytes())


COMPRESSED = {
    "gzip": gzip.compress(LOG), "bzip2": bz2.compress(LOG),
    "xz": lzma.compress(LOG), "zstd": zstd.compress(LOG),
}  # fmt: skip
EVERY = pytest.mark.parametrize("name", COMPRESSED)


@EVERY
def test_a_compressed_log_has_the_tally_of_the_log(tmp_path: Path, name: str) -> None:
    log = tmp_path / "access.log"
    log.write_bytes(COMPRESSED[name])
    [part] = parts_of(log, size=10)
    told: list[int] = []
    assert count_parts([part], progress=told.append) == WHOLE
    assert sum(told) == len(COMPRESSED[name])
    assert tally_of(COMPRESSED[name]) == WHOLE


@EVERY
@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_log_is_read_up_to_the_damage(tmp_path: Path, name: str, damage: str) -> None:
    """The lines before the damage are counted, and the damage counts as an unreadable line."""
    octets = COMPRESSED[name]
    middle = len(octets) // 2
    log = tmp_path / "access.log"
    log.write_bytes(
        octets[:middle] if damage == "cut" else octets[:middle] + b"\xff" * 40 + octets[middle + 40 :]
    )
    tally = count_parts(parts_of(log))
    assert tally.unreadable["cut-off"] == 1
    assert ("cut-off", str(log).encode()[:160]) in [excerpt for excerpt, _ in tally.unread]
    assert count_stream(io.BytesIO(log.read_bytes()), name="-").unreadable["cut-off"] == 1


def test_a_log_of_several_gzip_members_is_read() -> None:
    half = len(LINES) // 2
    log = gzip.compress(b"\n".join(LINES[:half]) + b"\n") + gzip.compress(b"\n".join(LINES[half:]))
    assert tally_of(log) == WHOLE


def test_without_the_extra_a_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(LogError, match=r"pip install '\.\[scan\]' in the clone"):
        tally_of(COMPRESSED["zstd"])
    monkeypatch.setitem(sys.modules, "lzma", None)
    with pytest.raises(LogError, match="decompress the log with xz -dc"):
        tally_of(COMPRESSED["xz"])


NAME: Any = "combined"
"""A text where a function expects another type."""


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: count_stream(NAME), "stream='combined': open it in binary mode, or use parts_of for a path"),
        (lambda: count_stream(cast("Any", io.StringIO("a"))), "open it in binary mode"),
        (
            lambda: count_stream(io.BytesIO(b"a"), format_=NAME),
            "format_='combined': give a format, such as FORMATS['combined']",
        ),
        (lambda: parts_of(__file__, NAME), "format_='combined': give a format"),
        (lambda: parts_of(__file__, size=0), "size=0: write a number of octets from 1"),
        (lambda: count_parts([], NAME), "policy='combined' is not a Policy; write Policy.STANDARD"),
        (lambda: Tally(cast("Any", None)), "policy=None is not a Policy"),
    ],
)
def test_wrong_arguments_raise_with_advice(call: Callable[[], object], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        call()


@pytest.mark.parametrize("log", [b"", b"\n", b"\r\n\n"])
def test_an_empty_log_has_an_empty_tally(tmp_path: Path, log: bytes) -> None:
    file = tmp_path / "access.log"
    file.write_bytes(log)
    assert tally_of(log) == count_parts(parts_of(file)) == Tally()


def test_several_processes_have_the_same_tally(tmp_path: Path) -> None:
    """Two processes, a compressed log and parts of a plain one have the same tally."""
    plain, packed = tmp_path / "plain.log", tmp_path / "packed.log.gz"
    plain.write_bytes(LOG + b"\n")
    packed.write_bytes(gzip.compress(LOG))
    parts = [*parts_of(plain, size=9000), *parts_of(packed)]
    told: list[int] = []
    assert count_parts(parts, workers=2, progress=told.append) == WHOLE + WHOLE
    assert sum(told) == plain.stat().st_size + packed.stat().st_size
    assert count_parts(parts[:3], workers=2) == count_parts(parts[:3]) == count_parts(parts[:3], workers=None)


def test_large_logs_are_read_by_several_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, packed = tmp_path / "plain.log", tmp_path / "packed.log.gz"
    plain.write_bytes(LOG)
    packed.write_bytes(gzip.compress(LOG))
    parts = [*parts_of(plain), *parts_of(packed)]
    assert _workers_for(parts) == _workers_for([]) == 1
    monkeypatch.setattr("postel.scan._parts.PART", 100)
    assert _workers_for(parts) == len(os.sched_getaffinity(0))
    monkeypatch.setattr("postel.scan._parts.PART", 8 * packed.stat().st_size)
    assert _workers_for(parts_of(packed)) == 1
