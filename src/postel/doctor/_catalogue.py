"""The catalogue: requests that can be read in two ways, by family, each with the kinds that detect it.

Each request stands for a class of requests. The application need not have a route for it, because the probe
reads the request before the application answers.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import Final, final

from postel import Kind
from postel.doctor._request import HOST, Request


@final
@enum.unique
class Family(enum.Enum):
    """The part of a request that has the second meaning."""

    TARGET = "targets"
    CHARSET = "charsets"
    CONTENT_TYPE = "content types"
    LENGTH = "lengths"
    COOKIE = "cookies"
    HOST = "hosts"
    HEADER = "header names"


@final
@dataclass(frozen=True, slots=True)
class SecondMeaning:
    """A request that can be read in two ways."""

    name: str
    family: Family
    request: Request
    kinds: tuple[Kind, ...]
    """The kinds by which a policy judges it."""
    why: str
    """What an attacker gains if two places read the request differently."""
    known: str = ""
    """A published vulnerability of the same form, if the kinds do not name one."""
    setting: str = ""
    """A setting that the middleware needs besides a policy in order to judge the request."""

    @property
    def cve(self) -> str:
        """A published vulnerability of the same form; empty if none is known."""
        return self.known or cve_of(self.kinds)


def cve_of(kinds: tuple[Kind, ...]) -> str:
    """Return the first CVE in the references of these kinds; empty if there is none."""
    found = (_CVE.search(kind.check.reference) for kind in kinds)
    return next((each[0] for each in found if each), "")


_CVE: Final = re.compile(r"CVE-\d+-\d+")
FORM: Final = b"application/x-www-form-urlencoded"
FORMS: Final = "forms=True"
COOKIES: Final = 'headers={"cookie": Action.DROP_PAIR}'

_GUARD: Final = (
    "A guard reads one place and accepts the request; the router reads the other place and serves it."
)
_QUERY: Final = "A header decides how the query is decoded; a log or a guard in front decodes it differently."
_TYPE: Final = (
    "A guard that finds forms by their type ignores this body, but the application reads it as a form."
)
_COOKIE: Final = "A guard in front checks the cookie as sent; the application reads another name or value."
_HOST: Final = "Guards, links and redirects that use the rebuilt URL get another path or host."


def _target(name: str, target: bytes, *kinds: Kind) -> SecondMeaning:
    return SecondMeaning(name, Family.TARGET, Request(target), kinds, _GUARD)


def _charset(name: str, target: bytes, content_type: bytes) -> SecondMeaning:
    request = Request(target, headers=((b"Content-Type", content_type),))
    return SecondMeaning(name, Family.CHARSET, request, (Kind.STEERING_CHARSET,), _QUERY)


def _typed(name: str, content_type: bytes, *kinds: Kind, body: bytes = b"f=x") -> SecondMeaning:
    request = Request(b"/", "POST", ((b"Content-Type", content_type),), body=body)
    return SecondMeaning(name, Family.CONTENT_TYPE, request, kinds, _TYPE, setting=FORMS)


def _cookie(name: str, *values: bytes, kinds: tuple[Kind, ...], setting: str = COOKIES) -> SecondMeaning:
    request = Request(b"/", headers=tuple((b"Cookie", value) for value in values))
    return SecondMeaning(name, Family.COOKIE, request, kinds, _COOKIE, setting=setting)


def _host(name: str, host: bytes) -> SecondMeaning:
    request = Request(b"/login", host=host)
    return SecondMeaning(name, Family.HOST, request, (Kind.MALFORMED_HOST,), _HOST)


CATALOGUE: Final = (
    _target("an escaped question mark", b"/health%3F/secret", Kind.ENCODED_DELIMITER),
    _target("an escaped number sign", b"/health%23/secret", Kind.ENCODED_DELIMITER),
    _target("a letter, escaped twice", b"/%2570ublic/x", Kind.UNSAFE_DOUBLE_ESCAPE),
    _target("dot segments, escaped twice", b"/%252e%252e/x", Kind.UNSAFE_DOUBLE_ESCAPE),
    _target("a delimiter, escaped twice", b"/x%253F/y", Kind.UNSAFE_DOUBLE_ESCAPE),
    _target("ill-formed UTF-8 in a path", b"/a%C4b", Kind.ILL_FORMED_UTF8),
    _target("an overlong slash", b"/a%C0%AFb", Kind.ILL_FORMED_UTF8),
    _target("slashes in front of a path", b"//evil.example/x", Kind.LEADING_SLASHES),
    _target("an empty segment", b"/a//b", Kind.EMPTY_SEGMENT),
    _target("an escaped slash", b"/a%2Fb", Kind.ENCODED_SLASH),
    _target("a backslash", b"/a\\b", Kind.BACKSLASH),
    _target("an escaped backslash", b"/a%5Cb", Kind.ENCODED_BACKSLASH),
    _target("dot segments", b"/a/../b", Kind.DOT_SEGMENT),
    _target("escaped dot segments", b"/a/%2e%2e/b", Kind.ENCODED_DOT_SEGMENT),
    _target("a parameter of a segment", b"/a;x=1/b", Kind.PATH_PARAMETER),
    _target("NUL in a path", b"/a%00b", Kind.NUL),
    _target("a line feed in a path", b"/a%0Ab", Kind.LINE_BREAK),
    _target("a bare percent sign", b"/50%off", Kind.MALFORMED_ESCAPE),
    _target("an absolute form", b"http://evil.example/a", Kind.ABSOLUTE_FORM),
    _target("ill-formed UTF-8 in a query", b"/?a=%C4", Kind.ILL_FORMED_UTF8),
    _target("a semicolon in a query", b"/?a=1;b=2", Kind.SEMICOLON),
    _target("an escape of UTF-16 in a query", b"/?a=%u0041", Kind.UNICODE_ESCAPE),
    _charset("UTF-7 beside a query", b"/?a=1+ACY-admin+AD0-1", b"text/plain; charset=utf-7"),
    _charset("UTF-16 beside a query", b"/?a=caf%C3%A9", b"text/plain; charset=utf-16"),
    _charset("rot13 beside a query", b"/?a=caf%C3%A9", b"text/plain; charset=rot13"),
    _charset("charset*= beside a query", b"/?a=1", b"text/plain; charset*=BOGUS''x"),
    _typed("NBSP in front of a form's type", b"\xa0" + FORM, Kind.MALFORMED_CONTENT_TYPE),
    _typed("FS in front of a form's type", b"\x1c" + FORM, Kind.MALFORMED_CONTENT_TYPE),
    _typed("VT behind a form's type", FORM + b"\x0b", Kind.MALFORMED_CONTENT_TYPE),
    _typed("blanks around the slash", b"application / x-www-form-urlencoded", Kind.MALFORMED_CONTENT_TYPE),
    _typed("application/*", b"application/*", Kind.MALFORMED_CONTENT_TYPE),
    _typed("*/*", b"*/*", Kind.MALFORMED_CONTENT_TYPE),
    _typed("a comma in a form's type", FORM + b", text/plain", Kind.MALFORMED_CONTENT_TYPE),
    _typed("application/x-url-encoded", b"application/x-url-encoded", Kind.NUL, body=b"f=x%00"),
    _typed("a form in UTF-7", FORM + b"; charset=utf-7", Kind.FORM_CODING, body=b"f=x%2BAEE-y"),
    SecondMeaning(
        "a length of 0 beside chunks",
        Family.LENGTH,
        Request(b"/", "POST", ((b"Content-Type", FORM),), body=b"f=x", framing="both"),
        (Kind.WRONG_LENGTH,),
        "A guard that trusts the length sees no body, but the application reads one.",
        "CVE-2024-1135",
        FORMS,
    ),
    _cookie("two fields", b"a=1", b"b=2", kinds=(Kind.SPLIT_COOKIE,), setting=""),
    _cookie("NUL in octal", b'a="x\\000y"; b=1', kinds=(Kind.NUL,)),
    _cookie(
        "NBSP around a name",
        b"\xa0__Host-s=evil; b=1",
        kinds=(Kind.ILL_FORMED_UTF8,),
    ),
    _cookie(
        "U+2003 around a name",
        b"\xe2\x80\x83__Host-s=evil; b=1",
        kinds=(Kind.PADDED_COOKIE_NAME,),
    ),
    _host("a path", HOST + b"/admin?"),
    _host("another host behind @", HOST + b"@evil.example"),
    _host("a number sign", HOST + b"#"),
    _host("a backslash", HOST + b"\\evil.example"),
    _host("an empty label", b"a..b"),
    SecondMeaning(
        "X_Forwarded_For beside X-Forwarded-For",
        Family.HEADER,
        Request(b"/", headers=((b"X-Forwarded-For", b"192.0.2.1"), (b"X_Forwarded_For", b"198.51.100.1"))),
        (Kind.MERGED_HEADER_NAMES,),
        "A proxy in front has judged one of the two fields, and the application reads the other.",
    ),
)
"""All second meanings. Requests with a body use POST, so they are sent only with ``--unsafe-methods``."""
