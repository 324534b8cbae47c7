"""No noise is detected as a log, and an endless stream of noise is not read forever."""

from __future__ import annotations

import io
import random
from typing import Final

import pytest

from postel.scan import LogError, count_stream, detect

ALPHABETS: Final = {
    "octets": [bytes([octet]) for octet in range(256)],
    "printable": [bytes([octet]) for octet in (*range(32, 127), 9, 10)],
    "tabs": [bytes([octet]) for octet in b"\t\t\t\t\t\nabc019-:./ GET"],
    "blanks": [bytes([octet]) for octet in b'     \n019aZ-:[]"/.'],
    "quotes": [bytes([octet]) for octet in b'"" []\n\\ /:019GETHP.-{}#'],
    "JSON": [bytes([octet]) for octet in b'{{}}[]""::,,\n 01aurl/'],
    "base64": [bytes([octet]) for octet in b"ABCDEFxyz0123456789+/=\n"],
    "words of logs": [
        *(b"GET", b"POST", b"/", b"/a", b"200", b"404", b"-", b"192.0.2.1", b"2026-10-10", b"13:55:36", b'"'),
        *(
            b"[10/Oct/2026:13:55:36 +0000]",
            b'"GET',
            b'HTTP/1.1"',
            b"\t",
            b"\t",
            b" ",
            b" ",
            b" ",
            b"\n",
            b"{",
        ),
        *(b"}", b'"url":', b'"/a"', b",", b"1", b"HTTP/1.1", b":80", b"Oct 10 13:55:36", b"INFO:", b"1.5"),
        *(b"https://a/b", b"haproxy[1]:", b"#Fields:", b"cs-method", b"cs-uri-stem", b"date"),
    ],
}
COUNTS: Final = (20, pytest.param(2_000, marks=pytest.mark.evidence))


def noise(name: str, seed: int) -> bytes:
    source = random.Random(f"{name} {seed}")  # noqa: S311 - the same noise in every run
    return b"".join(source.choices(ALPHABETS[name], k=source.choice([40, 400, 4_000])))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", ALPHABETS)
def test_noise_is_not_detected_as_a_log(name: str, count: int) -> None:
    taken = {seed: form.name for seed in range(count) if (form := detect(noise(name, seed))) is not None}
    assert taken == {}


@pytest.mark.parametrize("name", ALPHABETS)
def test_an_endless_stream_of_noise_is_not_read_forever(name: str) -> None:
    class Endless(io.RawIOBase):
        read_so_far = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:
            self.read_so_far += len(buffer)
            assert self.read_so_far < 2**24
            block = noise(name, self.read_so_far)
            buffer[:] = (block * (len(buffer) // len(block) + 1))[: len(buffer)]
            return len(buffer)

    with pytest.raises(LogError, match="the format is not recognised"):
        count_stream(Endless())
