"""Spools: where they hold octets, how many all of them hold together, and that they leave nothing behind."""

from __future__ import annotations

import gc
import os
import re
import tempfile
import threading
from pathlib import Path

import pytest

from adapters import EACH_PROTOCOL, Protocol
from postel import Forms, PolicyError
from postel._bodies.multipart import Respelled, respelled
from postel._bodies.spool import PIECE, Spool, SpoolQuota, pieces


def spool(memory: int = 4, quota: SpoolQuota | None = None, directory: str | None = None) -> Spool:
    return Spool(quota or SpoolQuota(2**24), memory, directory)


def filled(octets: bytes, memory: int = 4, step: int = 1000) -> Spool:
    """Return a spool to which octets were added as the adapters add them."""
    made = spool(memory)
    for start in range(0, len(octets), step):
        assert made.add(octets[start : start + step])
        assert not made.is_full or made.flush()
    return made


def settled() -> None:
    """Wait for files that are being closed."""
    for thread in threading.enumerate():
        if thread.name == "postel-spool":
            thread.join()


def test_a_short_body_stays_in_memory() -> None:
    made = filled(b"abcd")
    assert (made.octets, made.written, made.size) == (b"abcd", 0, 4)
    assert b"".join(pieces(made)) == b"abcd"
    made.close()


@pytest.mark.parametrize("size", [5, PIECE, PIECE + 1, 3 * PIECE + 7])
def test_a_longer_body_goes_to_a_file_without_a_name(tmp_path: Path, size: int) -> None:
    octets = os.urandom(size)
    made = Spool(SpoolQuota(size), 4, str(tmp_path))
    for start in range(0, size, 70_000):
        made.add(octets[start : start + 70_000])
        assert not made.is_full or made.flush()
    assert made.octets is None
    assert made.written > 0
    assert list(tmp_path.iterdir()) == []
    read = list(pieces(made))
    assert b"".join(read) == octets
    assert max(map(len, read)) < 2 * PIECE
    made.close()


@pytest.mark.parametrize("memory", [4, 2**20])
def test_rewritten_octets_replace_the_old_ones(memory: int) -> None:
    octets = bytes(range(256)) * 3000
    changes = (Respelled(0, 3, b"first"), Respelled(1000, 1000, b"more"), Respelled(767_990, 768_000, b""))
    made = filled(octets, memory)
    assert b"".join(pieces(made, changes)) == respelled(octets, changes)
    made.close()


def test_all_spools_share_one_limit() -> None:
    quota = SpoolQuota(10)
    first, second = spool(100, quota), spool(100, quota)
    assert first.add(b"123456")
    assert not second.add(b"12345")
    assert (second.size, quota.left) == (0, 4)
    assert second.add(b"1234")
    first.close()
    first.close()
    assert quota.left == 6
    second.close()
    assert quota.left == 10


def test_a_spool_that_nobody_closes_is_freed_with_its_object() -> None:
    quota = SpoolQuota(10)
    made = spool(4, quota)
    assert made.add(b"12345678")
    assert made.flush()
    assert (quota.left, quota.reserve(3)) == (2, False)
    del made
    gc.collect()
    settled()
    assert quota.reserve(10)
    assert quota.left == 0


def test_a_closed_spool_cannot_be_read() -> None:
    made = filled(b"abcdefgh")
    made.close()
    with pytest.raises(ValueError, match="the request is over, and its body is closed"):
        list(pieces(made))
    settled()


def test_a_file_is_closed_after_the_thread_that_uses_it() -> None:
    made = filled(b"abcdefgh")
    file = made._file
    assert file is not None
    begun, go_on = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go_on.wait(10)

    thread = threading.Thread(target=made._alone, args=(work,))
    thread.start()
    begun.wait(10)
    made.close()
    assert not file.closed
    go_on.set()
    thread.join()
    assert file.closed


def test_a_spool_that_is_closed_before_its_file_is_open() -> None:
    made = spool()
    made._alone(made.close)
    with pytest.raises(ValueError, match="closed"):
        made.flush()


def test_without_a_new_thread_a_file_is_closed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    made = filled(b"abcdefgh")
    monkeypatch.setattr(threading.Thread, "start", start)
    made.close()
    assert made._file is not None
    assert made._file.closed


@EACH_PROTOCOL
def test_a_directory_without_write_access_raises_at_construction(
    protocol: Protocol, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = str(tmp_path / "missing")
    message = (
        f"Forms(spool_dir={missing!r}): no temporary file can be written there; name a directory such as "
        "'/var/tmp', or write memory=1000 to hold all uploads in memory"
    )
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        protocol.behind(forms=Forms(multipart="judge", upload=1000, memory=10, spool_dir=missing))
    # This setting never needs a file.
    protocol.behind(forms=Forms(multipart="judge", upload=1000, memory=1000, spool_dir=missing))
    monkeypatch.setattr(tempfile, "tempdir", missing)
    with pytest.raises(PolicyError):
        protocol.behind(forms=True)
    protocol.behind(forms=Forms(multipart="refuse"))


@EACH_PROTOCOL
@pytest.mark.parametrize("name", ["a\0b", "\ud800"], ids=ascii)
def test_a_directory_that_cannot_exist_raises_at_construction(protocol: Protocol, name: str) -> None:
    with pytest.raises(PolicyError, match="no temporary file can be written there"):
        protocol.behind(forms=Forms(spool_dir=name))


@EACH_PROTOCOL
@pytest.mark.parametrize("kind", [str, Path])
def test_the_directory_is_tested_and_left_empty(
    protocol: Protocol, tmp_path: Path, kind: type[str | Path]
) -> None:
    forms = Forms(multipart="judge", spool_dir=kind(tmp_path))
    assert forms.spool_dir == str(tmp_path)
    protocol.behind(forms=forms)
    settled()
    assert list(tmp_path.iterdir()) == []
