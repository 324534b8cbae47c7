"""Generate hostile bodies from a grammar of everything that parsers read in different ways.

The grammar does not depend on what postel accepts. Bodies are mostly well-formed. A few of their names,
parameters, header fields, contents or types are in forms that parsers disagree about.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

_ATOMS: Final[list[bytes | str]] = [
    *(
        b"a",
        b"b",
        b"1",
        b"file",
        b".",
        b" ",
        b";",
        b"=",
        b'\\"',
        b"%22",
        b"%41",
        b"%2F",
        b"%5C",
        b"%00",
        b"%",
    ),
    *(b"'", b"''", b"utf-8''", b"UTF-8'en'", b"=?utf-8?q?=41?=", b"=?utf-8?b?QQ==?=", b"&", b"&amp;", b"&#"),
    *(b"&#x2f;", b"&notit;", b"+", b"*", b"*0", b"[", b"]", b"{", b"<", b"(", b"@", b",", b":", b"?", b"/"),
    *(b"\\", b"\\ ", b"\\;", b"\\=", b"\\.", b"..", b"|", b"`", b"$", b"#", b"~", b"^", b"!", b"\t", b"name"),
    *(b"_charset_", b"_method", b"__proto__", b"isindex", b"filename", b"CON", b".txt", b".php", b"\x7f"),
    *("é", "ß", "ı", "İ", "ſ", "\xa0", "\xad", "\x85", "\u200b", "\u200d", "\u2028", "\u202e", "\ufeff"),
    *("\ufffd", "\uffff", "\U0001f600", "\u0301", "\u3000", "\uff0f", "\u180e", b"\xff", b"\xc3", b"\1"),
]
_FIELDS: Final = [
    *(
        "Content-Type",
        "Content-Length",
        "Content-Transfer-Encoding",
        "Content-Encoding",
        "Content-Disposition",
    ),
    *(
        "X-A",
        "Content-ID",
        "MIME-Version",
        "Content-Range",
        "Transfer-Encoding",
        "Host",
        "0",
        "From",
        "Charset",
    ),
    *("Name", "Filename", "Content-Location", "Content-Language"),
]
_VALUES: Final = {
    "Content-Type": [
        *("application/json", "text/html", "text/plain;charset=UTF-8", 'text/plain; charset="utf-8"', "text"),
        *("text/plain; charset=utf_8", "message/rfc822", "text/plain; format=flowed; charset=utf-8", "*/*"),
        *("text/plain; charset*=utf-8''utf-7", "application/x-url-encoded", "text/plain; charset=", "a/b"),
        *('text/plain;x=";charset=utf-7;"; charset=utf-8', "text/plain; boundary=x", "multipart/mixed", ""),
        *("image/svg+xml", "text/plain; charset=utf-16", "application/x-www-form-urlencoded"),
        *('a/b; x="y, z"', 'text/plain; x="; y"; charset=utf-8', "a/b; x=y z", 'a/b; x=" filename=y "'),
        *("text/plain; charset=ISO-8859-1", "text/plain; Charset=UTF-8", 'text/plain;charset="us-ascii"'),
    ],
    "Content-Length": ["0", "1", "2", "-1", "+1", "01", "1,1"],
    "Content-Transfer-Encoding": ["binary", "8bit", "7BIT", "base64", "quoted-printable", ""],
    "Content-Disposition": ['form-data; name="z"'],
}
_OTHER_VALUES: Final = ["", "y", "form-data; name=q", "gzip", "a:b", "(", '"', "y" * 500, "y" * 900, "\t"]
_EXTENDED: Final = [
    *("a.txt", "%61.txt", "%c3%a9", "a%20b", "%22", "%5c", "%2e", "%00", "%26amp%3B", "a+b", "%252e", "a&b"),
    *("it's.txt", "a%20(1)*.txt", "'", "en'a", "%27a"),
    *("%EF%BB%BFa", "%c2%85", "%e2%80%a8x", "~", "a" * 250, "%20a", "a.", "%25"),
]
_CONTENTS: Final[list[bytes | str]] = [
    *(
        b"",
        b"1",
        b"v",
        b"\r\n",
        b"\r",
        b"\n",
        b"\r\n--",
        b"--",
        b"\xef\xbb\xbf",
        b"\xc3\xa9",
        b"+AGE-",
        b"=41",
    ),
    *(b"a=1&b=2", b"QQ==", b"\t", b"\x0b", b"\0", b"\x1b", b"\xff", b"\xed\xa0\x80", b'{"a":1}', b"\r\n\r\n"),
    *(b"\xc2\x85", b"\xe2\x80\xa8", b"\xef\xbf\xbd", b"%41", b"%00", b"utf-7", b"From a\r\n", b" ", b"&amp;"),
]
_BOUNDARIES: Final = [b"x", b"----WebKitFormBoundaryAbCdEf0123456789", b"a.b_c+d-e", b"--", b"0", b"x" * 70]
_STRINGS: Final = [
    *(
        "a",
        "b",
        "é",
        "\ufeff",
        "\u2028",
        "\x85",
        "\ufffd",
        "\uffff",
        "\U0001f600",
        "\x7f",
        "\\n",
        "\\t",
        "\\b",
    ),
    *(
        "\\/",
        "\\\\",
        '\\"',
        "\\u0041",
        "\\ud83d\\ude00",
        "\\ud83d",
        "\\ude00",
        "\\u0000",
        "\\u001f",
        "\\uffff",
    ),
    *("\\x41", "\\'", "\\u 041", "\\u00_1", "\\u\u0660\u0660\u0660\u0660", "\t", "\1", "'", "[", "//", "#"),
]
_NUMBERS: Final = [
    *("0", "-0", "1", "1.0", "1e5", "1E+5", "1e308", "1e309", "-1e309", "1e-400", "0e999", "00", "01", "-01"),
    *(
        "+1",
        ".5",
        "5.",
        "1e",
        "0x10",
        "1_000",
        "\uff11",
        "NaN",
        "Infinity",
        "-Infinity",
        "inf",
        "true",
        "null",
    ),
    *("9007199254740993", "18446744073709551616", "-9223372036854775809", "1" * 999, "1" * 1001, "1" * 4301),
    *("1" * 400, "1" * 310 + ".0", "1" * 400 + "e-400", "True", "None", "nul", "-", "1-"),
]
_BLANKS: Final = ["\t", "\n", "\r\n", "\x0b", "\xa0", "\ufeff", "/**/", "//\n", "#\n", "\0"]
_JSON_TYPES: Final = [
    *(
        b"application/json; charset=utf-8",
        b'application/json;charset="UTF-8"',
        b"application/json; charset=utf-7",
    ),
    *(b"Application/Json", b"application/json ; charset=utf8", b"application/json; x=y", b"application/*"),
    *(b'application/json; x=";charset=utf-7"', b"text/json", b"application/json5", b"text/plain", b""),
    *(b"application/json, text/plain", b"application/json; charset", b"application/json;"),
]


class Hostile:
    """Makes random bodies from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - no secret

    def _one(self, ordinary: bytes | str, *others: bytes | str, of: int = 10) -> bytes:
        """Return the ordinary piece, or one of the others with a probability of 1 in ``of``."""
        chosen = ordinary if self.random.randrange(of) else self.random.choice(others)
        return chosen.encode() if isinstance(chosen, str) else chosen

    def _some(self, pieces: Sequence[bytes | str], most: int) -> bytes:
        chosen = self.random.choices(pieces, k=self.random.randint(0, most))
        return b"".join(each.encode() if isinstance(each, str) else each for each in chosen)

    def form(self) -> tuple[bytes, bytes]:
        """Return a multipart form and its Content-Type."""
        mark = self.random.choice(_BOUNDARIES)
        parts = [
            b"--" + mark + b"\r\n" + self._part(mark) + b"\r\n" for _ in range(self.random.choice((1, 1, 2)))
        ]
        octets = b"".join(parts) + b"--" + mark + self._one(b"--\r\n", b"--", b"--\n", b"-- \r\n", b"\r\n")
        if not self.random.randrange(10):
            at, cut = self.random.randrange(len(octets)), self.random.choice((0, 0, 1, 9))
            piece = self.random.choice((b"", b"\r", b"\n", b" ", b'"', b"\\", b"\0", b"\t", b"--" + mark))
            octets = octets[:at] + piece + octets[at + cut :]
        media = self._one(
            "multipart/form-data", "Multipart/Form-Data", "multipart/mixed", "multipart/x", of=20
        )
        name = self._one("; boundary=", ";boundary=", " ; Boundary=", ";; boundary=")
        tail = self._one("", "; charset=utf-8", "; charset=utf-7", ";", "; x=y", "; boundary=y")
        return octets, media + name + self._one(mark, b'"' + mark + b'"') + tail

    def _part(self, mark: bytes) -> bytes:
        fields = [self._disposition(), *(self._field() for _ in range(self.random.choice((0, 0, 0, 1, 2))))]
        self.random.shuffle(fields)
        return (
            b"\r\n".join(fields)
            + b"\r\n\r\n"
            + self._some([*_CONTENTS, b"\r\n--" + mark[:-1], b"--" + mark], 3)
        )

    def _value(self) -> bytes:
        name = self._some(_ATOMS, 3) if self.random.randrange(3) else b"a"
        return self._one(b'"' + name + b'"', name, b"'" + name + b"'")

    def _disposition(self) -> bytes:
        said = [b"name=" + self._value()]
        match self.random.randrange(8):
            case 0 | 1:
                said.append(b"filename=" + self._value())
            case 2:
                said.append(b'filename=""')
            case 3:
                coding = self._one("utf-8''", "UTF-8'de'", "iso-8859-1''", of=4)
                said.append(b"filename*=" + coding + self.random.choice(_EXTENDED).encode())
            case _:
                pass
        said += [
            self._one(
                b"x=y",
                b"size=1",
                b'read-date="1, 2"',
                b'filename="b"',
                b"filename*=utf-8''b",
                b"name=c",
                b"name*=utf-8''c",
                of=2,
            )
        ][: self.random.randrange(10) == 0]
        sep = self._one("; ", ";", " ; ", ";\t", ", ")
        kind = self._one("form-data", "Form-Data", "attachment", of=20)
        return self._one("Content-Disposition: ", "content-disposition:") + kind + sep + sep.join(said)

    def _field(self) -> bytes:
        name = self.random.choice(_FIELDS)
        value = self.random.choice(_VALUES.get(name, _OTHER_VALUES))
        spelled = self._one(name, name.lower(), name.upper(), name.replace("-", "_"))
        return spelled + self._one(": ", ":", ":  ", ":\t", " :") + value.encode() + self._one("", " ", "\t")

    def json(self) -> tuple[bytes, bytes]:
        """Return a JSON body and its Content-Type."""
        octets = self._blank() + self._json_value(0) + self._blank()
        match self.random.randrange(40):
            case 0:
                octets = octets.decode().encode(
                    self.random.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig"))
                )
            case 1 | 2:
                at = self.random.randrange(len(octets) + 1)
                piece = self.random.choice(
                    (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\\", b'"', b"]", b",", b"\0")
                )
                octets = octets[:at] + piece + octets[at:]
            case 3:
                levels = self.random.choice((50, 99, 100, 101, 200))
                octets = b"[" * levels + octets + b"]" * levels
            case _:
                pass
        return octets, self._one(b"application/json", *_JSON_TYPES, of=4)

    def _blank(self) -> bytes:
        return self._one("", " ", *_BLANKS, of=20)

    def _string(self) -> bytes:
        return b'"' + self._some(_STRINGS, 3) + b'"'

    def _json_value(self, level: int) -> bytes:
        match self.random.randrange(6 if level < 4 else 3):
            case 0:
                return self.random.choice(_NUMBERS).encode()
            case 1 | 2:
                return self._string()
            case 3:
                values = [
                    self._blank() + self._json_value(level + 1) for _ in range(self.random.randrange(3))
                ]
                return b"[" + b",".join(values) + self._one("]", ",]", of=30)
            case _:
                names = [
                    self.random.choice((b'"a"', b'"b"', self._string()))
                    for _ in range(self.random.randrange(3))
                ]
                members = [name + self._one(":", "=", of=40) + self._json_value(level + 1) for name in names]
                return b"{" + b",".join(members) + self._one("}", ",}", of=30)
