r"""Uploads of ordinary clients, as they were sent.

Those of libraries were recorded for this table from the versions named. Each sends one form: a text with
umlauts, a text whose name has quotes, and three files under one name: an empty one, one with umlauts in its
name, and one with quotes in its name, whose content looks like the beginning of a boundary.

Those of browsers are recorded in the tests of other projects, which are named; all are under the MIT licence.
The header fields and texts are theirs, and the images are cut to their first octets.

Those of ``_documented`` were not recorded. They are written as the documentation of the clients describes
their header fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_TYPE: Final = b"multipart/form-data; boundary="
_FORM: Final = b"Content-Disposition: form-data; name="
_OCTETS: Final = b"\r\nContent-Type: application/octet-stream"
_PLAIN: Final = b"\r\nContent-Type: text/plain"
_IMAGE: Final = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
_BOTTLE: Final = "bottlepy/bottle, test/test_multipart.py, commit 0fc2b72, from Werkzeug's tests/multipart"
_FORMIDABLE: Final = "node-formidable/formidable, test/fixture/http, commit 9d4885c"
_MULTIPARTY: Final = "pillarjs/multiparty, test/fixture/http, commit a786412"
OWN: Final = "recorded for this table"
DOCUMENTED: Final = "written from the documentation of the client"


@dataclass(frozen=True)
class Upload:
    """One form as a client sends it, and postel's outcome."""

    client: str
    boundary: bytes
    parts: Sequence[tuple[bytes, bytes]]
    """The header fields of each part, and its content."""
    source: str = OWN
    type: bytes = _TYPE
    """The Content-Type, up to the boundary."""
    preamble: bytes = b""
    """Octets in front of the first boundary."""
    written: Sequence[bytes] = ()
    """The header fields of each part as handed on, if they are written anew."""
    refused: str = ""
    """The kind for which it is refused; empty if it passes."""

    @property
    def content_type(self) -> str:
        return (self.type + self.boundary).decode()

    @property
    def octets(self) -> bytes:
        return self._of([head for head, _ in self.parts])

    @property
    def handed(self) -> bytes:
        """Return the body that the application reads."""
        return self._of(self.written) if self.written else self.octets

    def _of(self, heads: Sequence[bytes]) -> bytes:
        mark = b"--" + self.boundary.strip(b'"')
        pieces = [
            mark + b"\r\n" + head + b"\r\n\r\n" + content + b"\r\n"
            for head, (_, content) in zip(heads, self.parts, strict=True)
        ]
        return self.preamble + b"".join(pieces) + mark + b"--\r\n"


_CONTENTS: Final = ("Grüße".encode(), b"1", b"", b"zwei\nZeilen\n", b"\0\xff\r\n--")
_HEADS: Final = (
    _FORM + b'"text"',
    _FORM + b'"a %22b%22"',
    _FORM + b'"f"; filename="empty.bin"' + _OCTETS,
    _FORM + '"f"; filename="Größe.txt"'.encode() + _PLAIN,
    _FORM + b'"f"; filename="a %22b%22.bin"' + _OCTETS,
)
"""The header fields as most clients send them; see HTML, section 4.10.22.8."""
_AIOHTTP: Final = (
    b"Content-Type: text/plain; charset=utf-8\r\n" + _FORM + b'"text"',
    b"Content-Type: text/plain; charset=utf-8\r\n" + _FORM + b'"a\\ \\"b\\""',
    b"Content-Type: application/octet-stream\r\n" + _FORM + b'"f"; filename="empty.bin"',
    b"Content-Type: text/plain\r\n" + _FORM + b'"f"; filename="Gr%C3%B6%C3%9Fe.txt"',
    b"Content-Type: application/octet-stream\r\n" + _FORM + b'"f"; filename="a%20%22b%22.bin"',
)


def _own(
    client: str, boundary: bytes, heads: Sequence[bytes] = _HEADS, written: Sequence[bytes] = ()
) -> Upload:
    return Upload(client, boundary, list(zip(heads, _CONTENTS, strict=True)), written=written)


def _documented(
    client: str, *heads: bytes, written: Sequence[bytes] = (), refused: str = "", contents: bytes = b"1"
) -> Upload:
    parts = [(head, contents) for head in heads]
    return Upload(client, b"bX3zKq_-AB7d", parts, DOCUMENTED, written=written, refused=refused)


def _images(first: bytes, second: bytes, text: bytes) -> list[tuple[bytes, bytes]]:
    image = b"\r\nContent-Type: image/png"
    return [
        (_FORM + b'"file1"; filename="' + first + b'"' + image, _IMAGE),
        (_FORM + b'"file2"; filename="' + second + b'"' + image, _IMAGE),
        (_FORM + b'"text"', text),
    ]


def _titled(filename: bytes) -> list[tuple[bytes, bytes]]:
    return [
        (_FORM + b'"title"', b"Weird filename"),
        (
            _FORM + b'"upload"; filename="' + filename + b'"' + _PLAIN,
            b"I am a text file with a funky name!\n",
        ),
    ]


_WEIRD: Final = ": \\ ? % * | %22 < > . ☃ ; ' @ # $ ^ & ( ) - _ = + { } [ ] ` ~.txt".encode()
_WEBKIT: Final = b"----WebKitFormBoundaryjdSFhcARk8fyGNy6"
_DECOMPOSED: Final = (_FORM + '"f"; filename="Gro\u0308\u00dfe.txt"'.encode() + _PLAIN, b"1")

UPLOADS: Final = [
    _own("curl 7.88.1, -F", b"------------------------f51d00c66e89a48b"),
    _own(
        "requests 2.34.2",
        b"7a764c9de1add7abc5d613306a7ff807",
        (*_HEADS[:2], _HEADS[2].removesuffix(_OCTETS), *_HEADS[3:]),
    ),
    _own("httpx 0.28.1", b"b84a2ef69177b62bca457c71a1f426d2"),
    _own("urllib3 2.8.0", b"bba848d3e10b6fd0c6fbf87cf7a0503a"),
    _own(
        "aiohttp 3.14.5",
        b"d04cc65919404ea29ba5964051e47fe8",
        _AIOHTTP,
        written=(_AIOHTTP[0], _AIOHTTP[1].replace(b"\\ ", b" "), *_AIOHTTP[2:]),
    ),
    _own("fetch of Node 20.20.2, FormData", b"----formdata-undici-037528386568"),
    _own("axios 1.21.1, form-data", b"--------------------------8e0ab47f1eba49d38d9d555e"),
    Upload(
        "Firefox 3",
        b"---------------------------14904044739787191031754711748",
        _images(b"accept.png", b"add.png", b"--long text\r\n--with boundary\r\n--lookalikes--"),
        _BOTTLE,
    ),
    Upload(
        "Safari 3",
        _WEBKIT,
        _images(b"gtk-apply.png", b"gtk-no.png", "this is another text with ümläüts".encode()),
        _BOTTLE,
    ),
    Upload(
        "Opera 8",
        b"----------zEO9jQKmLc2Cq88c23Dx19",
        _images(b"arrow_branch.png", b"award_star_bronze_1.png", "blafasel öäü".encode()),
        _BOTTLE,
    ),
    Upload(
        "Internet Explorer 6, whose file names are paths",
        b"---------------------------7d91b03a20128",
        _images(b"C:\\Python25\\wztest\\file1.png", b"C:\\Python25\\wztest\\file2.png", b"ie6 sucks :-/"),
        _BOTTLE,
        refused="part-header",
    ),
    Upload(
        "Chrome 13, a file name of all sorts",
        b"----WebKitFormBoundarytyE4wkKlZ5CQJVTG",
        _titled(_WEIRD),
        _FORMIDABLE,
        written=[head for head, _ in _titled(_WEIRD.replace(b"\\ ", b" "))],
    ),
    Upload(
        "Chrome, on a page that is not in UTF-8",
        b"----WebKitFormBoundarytyE4wkKlZ5CQJVTG",
        _titled(b"J&#923;&#778;KE_2023-02-25T16:44:24.129Z.txt"),
        _MULTIPARTY,
        refused="part-header",
    ),
    Upload(
        "Safari 10.1, without a blank in the type",
        b"----WebKitFormBoundaryfXkrPTBtsGbpd3XV",
        [_DECOMPOSED],
        "the Content-Type: swoole/swoole-src, pull request 1212; the file name is decomposed, as on macOS",
        type=b"multipart/form-data;boundary=",
    ),
    Upload(
        "Bun 1.3.13",
        b"-WebkitFormBoundary1493ef9033594e1f83f9e85b0e703bf8",
        [(_FORM + b'"file"; filename="page-17.pdf"' + _OCTETS, _IMAGE), (_FORM + b'"purpose"', b"user_data")],
        "the boundary and the header fields: oven-sh/bun, issue 29630",
    ),
    _documented(
        "Apache HttpClient 4 and 5, addTextBody",
        _FORM + b'"a"' + _PLAIN + b"; charset=ISO-8859-1\r\nContent-Transfer-Encoding: 8bit",
        _FORM + b'"b"' + _PLAIN + b"; charset=ISO-8859-1",
        written=[_FORM + name + _PLAIN + b"; charset=utf-8" for name in (b'"a"', b'"b"')],
    ),
    _documented(
        "Apache HttpClient, a text in Latin-1",
        _FORM + b'"a"' + _PLAIN + b"; charset=ISO-8859-1",
        contents=b"Gr\xfc\xdfe",
        refused="part-coding",
    ),
    _documented(
        "MediaRecorder of browsers",
        _FORM + b'"f"; filename="blob"\r\nContent-Type: video/webm; codecs="vp8, opus"',
        _FORM + b'"f"; filename="blob"\r\nContent-Type: audio/webm;codecs=opus',
    ),
    _documented(
        "a mail client that repeats the file name in the type",
        _FORM + b'"f"; filename="a b.txt"\r\nContent-Type: text/plain; name="a b.txt"',
    ),
    _documented(
        ".NET HttpClient, PowerShell -Form",
        b"Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=a",
        b"Content-Disposition: form-data; name=f; filename=it's.txt; filename*=utf-8''it%27s.txt",
        b"Content-Disposition: form-data; name=f; filename=\"a (1).txt\"; filename*=utf-8''a%20%281%29.txt",
        written=(
            b"Content-Type: text/plain; charset=utf-8\r\n" + _FORM + b'"a"',
            _FORM + b'"f"; filename="it\'s.txt"',
            _FORM + b'"f"; filename="a (1).txt"',
        ),
    ),
    _documented(
        ".NET HttpClient, a file name with an umlaut",
        b'Content-Disposition: form-data; name=f; filename="=?utf-8?B?w7wudHh0?="; '
        b"filename*=utf-8''%C3%BC.txt",
        refused="part-header",
    ),
    _documented(
        "Spring 6 WebClient, a file",
        _FORM + b'"f"; filename="=?UTF-8?Q?a.txt?="; filename*=UTF-8\'\'a.txt' + _PLAIN,
        refused="part-header",
    ),
    _documented(
        "React Native",
        b'content-disposition: form-data; name="f"; filename="a (1).jpg"; filename*=utf-8\'\'a%20(1).jpg',
        written=[_FORM + b'"f"; filename="a (1).jpg"'],
    ),
    _documented(
        "reqwest",
        _FORM + b"\"f\"; filename*=utf-8''%C3%BC%20it's%20(1).txt",
        written=[_FORM + '"f"; filename="\u00fc it\'s (1).txt"'.encode()],
    ),
    _documented(
        "Jersey FileDataBodyPart",
        b'Content-Type: text/plain\r\nContent-Disposition: form-data; filename="a.txt"; '
        b'modification-date="Thu, 01 Jan 2026 00:00:00 GMT"; size=1; name="f"',
        written=[b"Content-Type: text/plain\r\n" + _FORM + b'"f"; filename="a.txt"'],
    ),
    Upload(
        "Go, multipart.Writer without a part",
        b"bX3zKq_-AB7d",
        [],
        DOCUMENTED,
        preamble=b"\r\n",
        refused="multipart-syntax",
    ),
    Upload(
        "the email package of Python",
        b'"===============1234567890123456789=="',
        [(_FORM + b'"a"', b"1")],
        DOCUMENTED,
        refused="malformed-content-type",
    ),
    Upload(
        "Symfony 4",
        b'"_=_symfony_1577836800_abcdef_=_"',
        [(_FORM + b'"a"', b"1")],
        DOCUMENTED,
        refused="malformed-content-type",
    ),
    _documented(
        "JMeter",
        _FORM + b'"a"' + _PLAIN + b"; charset=US-ASCII\r\nContent-Transfer-Encoding: 8bit",
        written=[_FORM + b'"a"' + _PLAIN + b"; charset=utf-8"],
    ),
    _documented(
        "Spring RestTemplate, StringHttpMessageConverter",
        _FORM + b'"a"' + _PLAIN + b";charset=ISO-8859-1\r\nContent-Length: 1",
        written=[_FORM + b'"a"' + _PLAIN + b"; charset=utf-8"],
    ),
    _documented(
        "a client that quotes the charset",
        _FORM + b'"a"' + _PLAIN + b'; charset="utf-8"',
        written=[_FORM + b'"a"' + _PLAIN + b"; charset=utf-8"],
    ),
]
