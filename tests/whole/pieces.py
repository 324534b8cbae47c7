"""The pieces from which the generator builds whole requests."""

from __future__ import annotations

from typing import Final

Pieces = tuple[bytes, ...]

DELIMITERS: Final[Pieces] = (
    b"/",
    b"//",
    b"/./",
    b"/../",
    b"%2F",
    b"%2f",
    b"%5C",
    b"\\",
    b";",
    b";a=1",
    b"%3B",
)
"""Octets that separate segments, or that some reader treats as a separator."""

CUTS: Final[Pieces] = (b"?", b"#", b"%3F", b"%3f", b"%23", b"%00", b"%0A", b"%20", b";", b".", b"%", b"&")
"""Octets that end a path for some reader."""

HALVES: Final[Pieces] = (b"%", b"%4", b"%u", b"%u1", b"%u12", b"%uAB", b"%u00e", b"%ud83d", b"%E9", b"%zz")
"""Incomplete escapes, which the octets after them may complete."""

NAMES: Final[Pieces] = (
    *(b"users", b"42", b"me", b"@me", b"a+b", b"a:b", b"x", b"wiki", b"index.html", b"health", b"public"),
    *(
        b"caf%C3%A9",
        b"%E8%B5%B7",
        b"~me",
        b"v1.0",
        b"My%20File.pdf",
        b"a%20b",
        b"C%23",
        b"what%3F",
        b"100%25",
    ),
)
"""Segments of ordinary paths."""

BLANKS: Final[Pieces] = (
    *(b"\xa0", b"\x85", b"\x0b", b"\x0c", b"\x1c", b"\x1d", b"\x1f", b"\xe2\x80\x83", b"\xe3\x80\x80"),
    *(b"\xc2\x85", b"\xc2\xa0", b" ", b"\t"),
)
"""White space that ``strip`` removes from text or octets. In RFC 9110, only the last two are white space."""

METHODS: Final = (*("GET",) * 8, *("POST",) * 8, "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND")

HOSTS: Final[Pieces] = (
    b"demo.test",
    b"demo.test:8000",
    b"127.0.0.1",
    b"[::1]",
    b"DEMO.test.",
    b"web-app:8000",
    b"xn--bcher-kva.test",
)
HOST_PIECES: Final[Pieces] = (
    *(b"/", b"?", b"#", b"@", b"\\", b":", b":80", b":0", b" ", b",", b"%2F", b"%", b"[", b"]", b"\x7f"),
    *(b"\xc3\xa9", b"h", b"admin", b"..", b"_", b"::1", b'"', b"<", b".xn--a"),
    *(b".", b".", b"..b", b"a" * 62, b"." + b"a" * 64),
)

SLASHES: Final[Pieces] = (b"/", b"/", b"/", b"/", b" / ", b"/ ", b" /", b"//", b"")
TYPES: Final[Pieces] = (
    *(b"application",) * 6,
    *(b"multipart", b"text", b"*", b"Application", b"APPLICATION", b"x", b"message"),
)
SUBTYPES: Final[Pieces] = (
    *(b"x-www-form-urlencoded",) * 5,
    *(b"X-WWW-Form-Urlencoded", b"x-url-encoded", b"www-form-urlencoded", b"form-data", b"form-data"),
    *(b"json", b"plain", b"*", b"xml", b"octet-stream", b"x-www-form-urlencoded+json", b"mixed"),
)
CHARSETS: Final[Pieces] = (
    *(b"utf-8", b"UTF-8", b"utf8", b'"utf-8"', b"us-ascii", b"latin-1", b"iso-8859-1", b"windows-1252"),
    *(
        b"utf-7",
        b"utf-7",
        b"utf-16",
        b"utf-16le",
        b"utf-32",
        b"punycode",
        b"idna",
        b"rot13",
        b"undefined",
        b"hex",
    ),
    *(b"unicode_escape", b"raw_unicode_escape", b"cp037", b"hz", b"shift_jis", b"gb18030", b"iso-2022-jp"),
    *(b"utf8mb4", b"binary", b"bogus", b"", b"'", b"\x00", b"utf-8,latin-1", b"utf_8_sig", b"zlib", b"mbcs"),
)
PARAMETERS: Final[Pieces] = (
    b";",
    b"; ",
    b" ; ",
    b"; boundary=X",
    b'; boundary="X"',
    b"; q=1",
    b"; a",
    b", b",
    b'; x="',
)

STEERED: Final[Pieces] = (
    b"+ACY-",
    b"+AD0-",
    b"+AAA-",
    b"+AC8-",
    b"~{",
    b"\\x26",
    b"-",
    b"\x1b$B",
    b"%FE%FF",
    b"%26",
)
"""Octets that some charset reads as other characters than ASCII does."""

COOKIE_NAMES: Final[Pieces] = (
    b"sid",
    b"a",
    b"__Host-s",
    b"__Secure-t",
    b"__Host-s",
    b"csrf.token",
    b"%61",
    b"a/b",
    b"",
)
COOKIE_PIECES: Final[Pieces] = (
    *(
        b"a",
        b"1",
        b"abc",
        b"%20",
        b"%C3%A9",
        b"%00",
        b"%c4",
        b"\\000",
        b"\\012",
        b"\\015",
        b"\\033",
        b"\\101",
    ),
    *(b'\\"', b"\\\\", b"\\303\\251", b"\\377", b"\\0", b"=", b"==", b"{", b'"', b",", b" ", b"\xe9", b"\\"),
)

HEADERS: Final[Pieces] = (
    *(b"X-Forwarded-For",) * 5,
    *(b"X-Forwarded-Host", b"X-Forwarded-Proto", b"X-Forwarded-Prefix", b"X-Real-IP"),
    *(b"X-Original-URL", b"X-Rewrite-URL", b"X-HTTP-Method-Override", b"X-Script-Name", b"Remote-User"),
    *(b"X-Vhm-Root", b"X_Vhm_Root"),
    *(b"Authorization", b"Accept", b"Accept-Language", b"Forwarded", b"Referer", b"Range", b"If-None-Match"),
    *(b"Content-Encoding", b"X-Request-ID", b"Content-Language", b"Accept-Charset", b"Content-Disposition"),
    *(b"Transfer_Encoding", b"Content_Type"),
)
HEADER_VALUES: Final[Pieces] = (
    *(
        b"chunked",
        b"192.0.2.1",
        b"/admin",
        b"other.test",
        b"https",
        b"gzip",
        b"identity",
        b"PUT",
        b"utf-7",
        b"*/*",
    ),
    *(
        b"text/html",
        b"a%00b",
        b"%C4",
        b"http://demo.test/a?b=%00",
        b"",
        b"1",
        b"application/x-www-form-urlencoded",
    ),
)

FORM_PIECES: Final[Pieces] = (
    b"#",
    b"#a=1&b",
    b"&&",
    b"_charset_=",
    b"utf-8",
    b"windows-1252",
    b"%5Fcharset_=",
    b"?",
    b"%00",
)
PART_NAMES: Final[Pieces] = (
    *(b'"a"', b'"q"', b'"caf\xc3\xa9"', b'"a\x00"', b'"%00"', b'"_charset_"', b"a", b"a%b"),
)
"""Names of parts, with quotes and without. postel adds missing quotes."""
PART_PIECES: Final[Pieces] = (
    *(b"1", b"\x00", b"\xff", b"text", b"\xe4\xbd\xa0", b"\x1b", b"\xe2\x80\xae", b"utf-8", b"windows-1252"),
)
"""What policies report, edit and refuse in the texts of parts."""

JSON_PIECES: Final[Pieces] = (
    b'{"a": 1}',
    b'{"a": "\\u0000"}',
    b"[1, 2]",
    b'{"a": "\xff"}',
    b"null",
    b'{"a": 1, "a": 2}',
)

ROOTS: Final = (*("",) * 12, "/sub", "/a/b", "/caf\u00e9")
