"""Requests with a second meaning: guards, logs and parsers read one thing, a view reads another.

Each entry has a function that tells whether an answer shows the second meaning. The list is short, because
each entry is one example of a class; other tests generate whole classes. docs/frameworks.md shows the results
of every framework and version.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from postel import Action, Policy
from readers import sites
from readers.asking import HOST, Reader, Request, Seen
from readers.denoting import disagreeing, is_excluded, reference, routed_by

Wrong = Callable[[str, Seen, str], list[str]]
"""Takes a reader's name, its answer and the path handed to it; returns the places with another meaning."""


@dataclass(frozen=True)
class Meaning:
    """A request, and the function that detects its second meaning in an answer."""

    name: str
    request: Request
    wrong: Wrong
    of_site: bool = False
    """Whether the request is for a site with routes and files; otherwise it is for the view of every path."""
    policy: Callable[[], Policy] = lambda: Policy.STANDARD
    others: str | None = None
    """The value of ``Forms(others=)``, if it is not the default."""
    readers: Callable[[Reader], bool] = field(default=lambda _: True)
    why: str = ""
    """The setting that prevents the second meaning, if it is not a default."""

    def __str__(self) -> str:
        return self.name


SETTINGS: Final[dict[str, Any]] = {"forms": True, "headers": {"cookie": Action.DROP_PAIR}}
"""Settings with which bodies and cookies are judged as well."""


def paths(reader: str, seen: Seen, handed: str) -> list[str]:
    if "rest" not in seen.places:
        return []
    routed = "/" + str(seen.places["rest"]).removeprefix("/")
    found = [place for place in disagreeing(seen) if not is_excluded(reader, place, routed)]
    return found if routed == routed_by(reader, handed) else [*found, "rest"]


def places(reader: str, seen: Seen, handed: str) -> list[str]:
    return [what] if (what := sites.misplaced(reader, seen, handed)) else []


def failing(_reader: str, seen: Seen, _handed: str) -> list[str]:
    return ["status"] if seen.status >= 500 else []


def cookies(*expected: tuple[str, str]) -> Wrong:
    """Detect cookies that were not sent."""

    def wrong(_reader: str, seen: Seen, _handed: str) -> list[str]:
        found = seen.places.get("cookies", [])
        return [] if all((name, value) in expected for name, value in found) else ["cookies"]

    return wrong


def all_cookies(*expected: tuple[str, str]) -> Wrong:
    """Detect any difference from these cookies."""

    def wrong(_reader: str, seen: Seen, _handed: str) -> list[str]:
        found = seen.places.get("cookies", list(expected))
        return [] if isinstance(found, list) and set(map(tuple, found)) == set(expected) else ["cookies"]

    return wrong


def unread(_reader: str, seen: Seen, _handed: str) -> list[str]:
    """Detect a form object that fails with a ValueError, which is not a refusal."""
    form = seen.places.get("form")
    return ["form"] if isinstance(form, dict) and form["raised"] == "ValueError" else []


def query(*expected: tuple[str, str]) -> Wrong:
    def wrong(_reader: str, seen: Seen, _handed: str) -> list[str]:
        found = seen.places.get("query", list(expected))
        right = isinstance(found, list) and sorted(map(tuple, found)) == sorted(expected)
        return [] if right and seen.status < 500 else ["query"]

    return wrong


def nul(_reader: str, seen: Seen, _handed: str) -> list[str]:
    """Detect a NUL in a form object."""
    form = seen.places.get("form")
    return ["form"] if isinstance(form, list) and any("\0" in text for pair in form for text in pair) else []


def host(_reader: str, seen: Seen, _handed: str) -> list[str]:
    """Detect a rebuilt URL with another authority or path than the request."""
    url = seen.places.get("url")
    if not isinstance(url, str):
        return []
    found = reference(url)
    return [] if (found.authority, found.path) == (HOST, b"/login") else ["url"]


def forwarded(_reader: str, seen: Seen, _handed: str) -> list[str]:
    return [] if seen.places.get("forwarded for") in (None, "192.0.2.1") else ["forwarded for"]


def _typed(name: str, content_type: bytes, body: bytes = b"f=x%00y", **more: Any) -> Meaning:
    request = Request(b"/form", "POST", ((b"Content-Type", content_type),), body=body)
    return Meaning(name, request, nul, **more)


FORM: Final = b"application/x-www-form-urlencoded"
PARTS: Final = b'--X\r\nContent-Disposition: form-data; name="f"\r\n\r\nx\0y\r\n--X--\r\n'
LONG: Final = b"x" * 300

MEANINGS: Final = (
    # Rebuilt URLs.
    Meaning("`%3F` in a path", Request(b"/health%3F/secret"), paths),
    Meaning("`%23` in a path", Request(b"/health%23/secret"), paths),
    Meaning("a letter, escaped twice", Request(b"/%2570ublic/x"), paths),
    Meaning("dot segments, escaped twice", Request(b"/%252e%252e/x"), paths),
    Meaning("a delimiter, escaped twice", Request(b"/x%253F/y"), paths),
    Meaning("ill-formed UTF-8 in a path", Request(b"/a%C4b"), paths),
    # Routes, mounts, static files.
    Meaning("an empty segment in front of a file", Request(b"/static//secret/key.txt"), places, of_site=True),
    Meaning("an empty segment in front of a view", Request(b"//secret"), places, of_site=True),
    Meaning(
        "an escaped slash in front of a file", Request(b"/static/%2Fsecret/key.txt"), places, of_site=True
    ),
    Meaning("dot segments in a folder", Request(b"/static/open/../secret/key.txt"), places, of_site=True),
    Meaning("a line feed behind a view", Request(b"/q%0A"), places, of_site=True),
    Meaning("NUL behind a file", Request(b"/static/secret.txt%00"), places, of_site=True),
    Meaning("ill-formed UTF-8 in a view", Request(b"/sec%C4ret"), places, of_site=True),
    Meaning("ill-formed UTF-8 in a redirect", Request(b"/slash/%C4"), places, of_site=True),
    Meaning(
        "a segment of 300 octets, as a file",
        Request(b"/static/" + LONG),
        failing,
        of_site=True,
        policy=lambda: Policy.STANDARD.limiting(segment=255),
        why="`limiting(segment=255)`",
    ),
    # Headers that change how the query or a form is read.
    Meaning(
        "`charset=utf-7` beside a query",
        Request(b"/?a=1+ACY-admin+AD0-1", headers=((b"Content-Type", b"text/plain; charset=utf-7"),)),
        query(("a", "1 ACY-admin AD0-1")),
    ),
    Meaning(
        "`charset=rot13` beside a query",
        Request(b"/?a=caf%C3%A9", headers=((b"Content-Type", b"text/plain; charset=rot13"),)),
        query(("a", "caf\u00e9")),
    ),
    Meaning(
        "`charset*=` beside a query",
        Request(b"/?a=1", headers=((b"Content-Type", b"text/plain; charset*=BOGUS''x"),)),
        query(("a", "1")),
    ),
    Meaning("ill-formed UTF-8 in a query", Request(b"/?a=%C4"), query(("a", "%C4"))),
    Meaning("`;` in a query", Request(b"/?a=1;b=2"), query(("a", "1;b=2"))),
    _typed("NUL in a form", FORM),
    _typed("a form, NBSP in front of its type", b"\xa0" + FORM),
    _typed("a form, FS in front of its type", b"\x1c" + FORM),
    _typed("a form, VT behind its type", FORM + b"\x0b"),
    _typed("a form, an empty folded line in front", b"\r\n " + FORM),
    _typed("a form, blanks around the slash", b"application / x-www-form-urlencoded"),
    _typed("a form as `application/x-url-encoded`", b"application/x-url-encoded"),
    _typed("a form as `application/*`", b"application/*"),
    _typed("a form as `*/*`", b"*/*"),
    _typed("a form, a comma in its type", FORM + b", text/plain"),
    _typed(
        "a form as `text/plain`",
        b"text/plain",
        others="refuse",
        why='`Forms(others="refuse")`',
    ),
    _typed("a multipart form", b"multipart/form-data; boundary=X", PARTS),
    _typed("a form in UTF-7", FORM + b"; charset=utf-7", b"f=x%2BAAA-y"),
    Meaning(
        "a form, `Content-Length: 0` and chunked",
        Request(
            b"/form", "POST", ((b"Content-Type", FORM),), body=b"f=x%00y", framing="length 0 and chunked"
        ),
        nul,
    ),
    Meaning(
        "a form of parts without a boundary, and no body",
        Request(b"/form", "POST", ((b"Content-Type", b"multipart/form-data"),)),
        unread,
    ),
    Meaning(
        "a type with a parameter that is empty, and no body",
        Request(b"/form", "POST", ((b"Content-Type", b"text/plain;"),)),
        unread,
    ),
    Meaning(
        "a type with a parameter that has no value, and no body",
        Request(b"/form", "POST", ((b"Content-Type", b"text/plain; x"),)),
        unread,
    ),
    # Cookies, Host, names of fields.
    Meaning(
        "two cookies in two fields, on ASGI",
        Request(headers=((b"Cookie", b"a=1"), (b"Cookie", b"b=2"))),
        all_cookies(("a", "1"), ("b", "2")),
        readers=lambda reader: reader.protocol == "asgi",  # WSGI servers have merged the fields.
    ),
    Meaning(
        "NUL in a cookie, in octal",
        Request(headers=((b"Cookie", b'a="x\\000y"; b=1'),)),
        cookies(("b", "1"), ("a", '"x\\000y"'), ("a", "x\\000y")),
    ),
    Meaning(
        "NBSP around the name of a cookie",
        Request(headers=((b"Cookie", b"\xa0__Host-s=evil; b=1"),)),
        cookies(("b", "1"), ("\xa0__Host-s", "evil")),
    ),
    Meaning(
        "U+2003 around the name of a cookie",
        Request(headers=((b"Cookie", b"\xe2\x80\x83__Host-s=evil; b=1"),)),
        cookies(("b", "1"), ("\u2003__Host-s", "evil"), ("\xe2\x80\x83__Host-s", "evil")),
    ),
    Meaning("a path in the Host", Request(b"/login", host=HOST + b"/admin?"), host),
    Meaning(
        "a path in the Host, LENIENT",
        Request(b"/login", host=HOST + b"/admin?"),
        host,
        policy=lambda: Policy.LENIENT,
    ),
    Meaning("an empty label in the Host", Request(b"/login", host=b"a..b"), failing),
    Meaning("a label of 64 octets in the Host", Request(b"/login", host=b"a" * 64), failing),
    Meaning("another host in the Host", Request(b"/login", host=HOST + b"@evil.test"), host),
    Meaning(
        "`X_Forwarded_For` beside `X-Forwarded-For`, on ASGI",
        Request(headers=((b"X-Forwarded-For", b"192.0.2.1"), (b"X_Forwarded_For", b"198.51.100.1"))),
        forwarded,
        readers=lambda reader: reader.protocol == "asgi",  # WSGI servers merge the fields or drop one.
    ),
)
