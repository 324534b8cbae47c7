r"""Uploads of ordinary clients, as they were sent.

Uploads of libraries were recorded for this table from the versions named. Each sends one form: a text with
umlauts, a text whose name has quotes, and three files under one name: an empty one, one with umlauts in its
name, and one with quotes in its name, whose content looks like the beginning of a boundary.

Uploads of browsers come from the tests of other projects, which are named; all are under the MIT licence.
The header fields and texts are theirs, and the images are cut to their first octets.

Uploads in ``_unrecorded`` were written by hand, from documentation, source code and reports of users. Other
versions of these clients may send other header fields.
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
UNRECORDED: Final = "not recorded, but written by hand"


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
    end: bytes = b"--\r\n"
    """The octets after the last boundary."""
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
        return self.preamble + b"".join(pieces) + mark + self.end


_CONTENTS: Final = ("Grüße".encode(), b"1", b"", b"zwei\nZeilen\n", b"\0\xff\r\n--")
_HEADS: Final = (
    _FORM + b'"text"',
    _FORM + b'"a %22b%22"',
    _FORM + b'"f"; filename="empty.bin"' + _OCTETS,
    _FORM + '"f"; filename="Größe.txt"'.encode() + _PLAIN,
    _FORM + b'"f"; filename="a %22b%22.bin"' + _OCTETS,
)
"""The header fields as most clients send them; see HTML, section 4.10.22.8."""
_TEXT: Final = _HEADS[0]
_NEEDLE: Final = _FORM + b'"f"; filename="Gr%C3%B6%C3%9Fe.txt"'
_EMAIL: Final = b"\r\nMIME-Version: 1.0"
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


def _unrecorded(
    client: str, *heads: bytes, written: Sequence[bytes] = (), refused: str = "", contents: bytes = b"1"
) -> Upload:
    parts = [(head, contents) for head in heads]
    return Upload(client, b"bX3zKq_-AB7d", parts, UNRECORDED, written=written, refused=refused)


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
    _own("superagent 10.4.2, form-data", b"--------------------------525b34f0032d0cc0eea32e9e"),
    _own("got 14.6.6, form-data 4.0.6", b"--------------------------e6d35c775c90fa92ea45be6e"),
    _own("undici 7.30.2, FormData", b"----formdata-undici-028049924645"),
    _own("requests-toolbelt 1.0.0, MultipartEncoder", b"6c09a2e447ea41a1a9f3a536429d4e01"),
    Upload("undici 7.30.2, FormData without an entry", b"----formdata-undici-088269423935", []),
    Upload(
        "got 14.6.6, FormData of Node 20.20.2",
        b"form-data-encoder-b2dzfxq98wgdr71l",
        [(_TEXT, _CONTENTS[0]), (_HEADS[3], _CONTENTS[3])],
        end=b"--\r\n\r\n",
    ),
    Upload(
        "needle 3.5.0",
        b"--------------------NODENEEDLEHTTPCLIENT",
        [(_TEXT, _CONTENTS[0]), (_NEEDLE + b"\r\nContent-Transfer-Encoding: binary" + _PLAIN, _CONTENTS[3])],
        written=[_TEXT, _NEEDLE + _PLAIN],
        end=b"--",
    ),
    Upload(
        "treq 26.7.0",
        b"6227c79a-ffd0-45d2-9af4-a99582855305",
        [(_TEXT, _CONTENTS[0]), (_HEADS[3] + b"\r\nContent-Length: 12", _CONTENTS[3])],
        written=[_TEXT, _HEADS[3]],
    ),
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
    _unrecorded(
        "Apache HttpClient 4 and 5, addTextBody",
        _FORM + b'"a"' + _PLAIN + b"; charset=ISO-8859-1\r\nContent-Transfer-Encoding: 8bit",
        _FORM + b'"b"' + _PLAIN + b"; charset=ISO-8859-1",
        written=[_FORM + name + _PLAIN + b"; charset=utf-8" for name in (b'"a"', b'"b"')],
    ),
    _unrecorded(
        "Apache HttpClient, a text in Latin-1",
        _FORM + b'"a"' + _PLAIN + b"; charset=ISO-8859-1",
        contents=b"Gr\xfc\xdfe",
        refused="part-coding",
    ),
    _unrecorded(
        "MediaRecorder of browsers",
        _FORM + b'"f"; filename="blob"\r\nContent-Type: video/webm; codecs="vp8, opus"',
        _FORM + b'"f"; filename="blob"\r\nContent-Type: audio/webm;codecs=opus',
    ),
    _unrecorded(
        "a mail client that repeats the file name in the type",
        _FORM + b'"f"; filename="a b.txt"\r\nContent-Type: text/plain; name="a b.txt"',
    ),
    _unrecorded(
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
    _unrecorded(
        ".NET HttpClient, a file name with an umlaut",
        b'Content-Disposition: form-data; name=f; filename="=?utf-8?B?w7wudHh0?="; '
        b"filename*=utf-8''%C3%BC.txt",
        refused="part-header",
    ),
    _unrecorded(
        "Spring 6 WebClient, a file",
        _FORM + b'"f"; filename="=?UTF-8?Q?a.txt?="; filename*=UTF-8\'\'a.txt' + _PLAIN,
        refused="part-header",
    ),
    _unrecorded(
        "React Native",
        b'content-disposition: form-data; name="f"; filename="a (1).jpg"; filename*=utf-8\'\'a%20(1).jpg',
        written=[_FORM + b'"f"; filename="a (1).jpg"'],
    ),
    _unrecorded(
        "reqwest",
        _FORM + b"\"f\"; filename*=utf-8''%C3%BC%20it's%20(1).txt",
        written=[_FORM + '"f"; filename="\u00fc it\'s (1).txt"'.encode()],
    ),
    _unrecorded(
        "Jersey FileDataBodyPart",
        b'Content-Type: text/plain\r\nContent-Disposition: form-data; filename="a.txt"; '
        b'modification-date="Thu, 01 Jan 2026 00:00:00 GMT"; size=1; name="f"',
        written=[b"Content-Type: text/plain\r\n" + _FORM + b'"f"; filename="a.txt"'],
    ),
    Upload(
        "Go, multipart.Writer without a part",
        b"bX3zKq_-AB7d",
        [],
        UNRECORDED,
        preamble=b"\r\n",
    ),
    Upload(
        "the email package of Python 3.11",
        b'"===============1402795205316304945=="',
        [
            (
                _PLAIN.lstrip()
                + b'; charset="us-ascii"'
                + _EMAIL
                + b"\r\nContent-Transfer-Encoding: 7bit\r\n"
                + _TEXT,
                b"1",
            )
        ],
        written=[_PLAIN.lstrip() + b"; charset=utf-8" + _EMAIL + b"\r\n" + _TEXT],
    ),
    Upload(
        "Symfony 4",
        b'"_=_symfony_1577836800_abcdef_=_"',
        [(_FORM + b'"a"', b"1")],
        UNRECORDED,
    ),
    _unrecorded(
        "JMeter",
        _FORM + b'"a"' + _PLAIN + b"; charset=US-ASCII\r\nContent-Transfer-Encoding: 8bit",
        written=[_FORM + b'"a"' + _PLAIN + b"; charset=utf-8"],
    ),
    _unrecorded(
        "Spring RestTemplate, StringHttpMessageConverter",
        _FORM + b'"a"' + _PLAIN + b";charset=ISO-8859-1\r\nContent-Length: 1",
        written=[_FORM + b'"a"' + _PLAIN + b"; charset=utf-8"],
    ),
    _unrecorded(
        "a client that quotes the charset",
        _FORM + b'"a"' + _PLAIN + b'; charset="utf-8"',
        written=[_FORM + b'"a"' + _PLAIN + b"; charset=utf-8"],
    ),
]
