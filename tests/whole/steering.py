"""Law 11: no header that passes changes how an accepted target or body is read.

A reader is an application of a framework that returns what it has read. It gets two requests: the original
one, and a plain one. For the target, the plain one has no header except a Host; for the body, it is the
plainest form. The two readings are compared. The checks describe a difference in a few words, and return
``""`` if there is none.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from typing import Any, Final, final

import postel.asgi
import postel.wsgi
from postel import Action, Forms, Policy
from readers.asking import Reader
from readers.registry import readers
from whole.excluded import quirks_of
from whole.request import HOST, Request, environ_of, messages_of, scope_of
from whole.serving import Answer, call_asgi, call_wsgi

FORM: Final = b"application/x-www-form-urlencoded"
PATIENCE: Final = 20.0
TARGET: Final = ("path", "script", "query", "rest", "url.path", "full_path", "path_qs", "quoted path")
"""The places in which a view reads the target, by the names that the readers give them."""
URLS: Final = (
    "url",
    "base_url",
    "path_url",
    "url, replaced",
    "url_for",
    "url_for, external",
    "url of the root",
)
"""The places that hold a whole URL, except Falcon's ``forwarded_uri``, which trusts headers of the client."""
_SITE: Final = re.compile(r"\A[a-z]+://[^/?#]*")
_BROKEN: Final = frozenset(
    {"LookupError", "UnicodeError", "UnicodeDecodeError", "ValueError", "AttributeError"}
)
"""Exceptions that frameworks answer with 500, because they are not errors of a client."""


@final
@dataclass(frozen=True)
class Reading:
    """What an application has read from a request."""

    status: int
    asked: bool
    places: Mapping[str, Any]

    def text(self, place: str) -> str | None:
        """Return the text of a place, if it is text."""
        found = self.places.get(place)
        return found if isinstance(found, str) else None


def _flask_in_a2wsgi() -> Any:
    from a2wsgi import WSGIMiddleware  # noqa: PLC0415 - imported where the application is made

    from readers.of_flask import everything  # noqa: PLC0415

    return WSGIMiddleware(everything())


@cache
def all_readers() -> tuple[Reader, ...]:
    """Return the readers of every framework, and a WSGI application on an ASGI server.

    The names of its header fields are those of an environ, in which ``-`` and ``_`` are equal. Django did the
    same on ASGI, until it dropped names with an underscore (CVE-2026-3902).
    """
    mounted = Reader("Flask in a2wsgi", "asgi", "a2wsgi", _flask_in_a2wsgi)
    return (*readers(), *([mounted] if find_spec("a2wsgi") and find_spec("flask") else []))


@final
class Behind:
    """The application of a reader behind a middleware."""

    def __init__(self, reader: Reader, policy: Policy | None, runner: asyncio.Runner) -> None:
        self.reader = reader
        self._runner = runner
        self._asked = False
        self._known: dict[Request, Reading] = {}
        with reader.entered():
            self._app = reader.everything()
        spy: Any = self._wsgi if reader.protocol == "wsgi" else self._asgi
        module = postel.wsgi if reader.protocol == "wsgi" else postel.asgi
        self._outer = (
            spy if policy is None else module.NormalizeMiddleware(spy, policy, **settings_of(reader))
        )

    def read(self, request: Request) -> Reading:
        """Return what is read from a request; an exception of the application is a 500."""
        if request not in self._known:
            if len(self._known) > 64:
                self._known.clear()
            self._known[request] = self._read(request)
        return self._known[request]

    def _read(self, request: Request) -> Reading:
        self._asked = False
        answer = Answer(500)
        with contextlib.suppress(Exception), self.reader.entered():
            if self.reader.protocol == "wsgi":
                answer = call_wsgi(self._outer, environ_of(request))
            else:
                answer = self._runner.run(self._answered(request))
        places: Any = {}
        with contextlib.suppress(ValueError):
            places = json.loads(answer.body) if self._asked and answer.body else {}
        return Reading(answer.status, self._asked, places if isinstance(places, dict) else {})

    async def _answered(self, request: Request) -> Answer:
        served = call_asgi(self._outer, scope_of(request), messages_of(request))
        return await asyncio.wait_for(served, PATIENCE)

    def _wsgi(self, environ: Any, start_response: Any) -> Any:
        self._asked = True
        return self._app(environ, start_response)

    async def _asgi(self, scope: Any, receive: Any, send: Any) -> None:
        self._asked = True
        await self._app(scope, receive, send)


def settings_of(reader: Reader) -> dict[str, Any]:
    """Return the settings of the middleware in front of a reader.

    Bottle reads every content type as a form, so other bodies have to be refused in front of it.
    """
    forms: Any = True
    if reader.distribution == "bottle":
        with contextlib.suppress(TypeError):
            forms = Forms(others="refuse")  # Some versions of postel do not have this setting.
    return {"forms": forms, "headers": {"cookie": Action.DROP_PAIR, "referer": Action.DROP}, "observer": repr}


def plain(request: Request) -> Request:
    """Return the same target with no header except a Host, and without a body."""
    return Request(request.target, request.method, root=request.root)


_OF_PARTS: Final = re.compile(rb"--([0-9A-Za-z]+)\r\n(?=Content-Disposition:)")
"""The first boundary of a multipart form, as the generator writes it."""


def plain_form(request: Request) -> Request:
    """Return the same body as the plainest form, sent to ``/``; a multipart form stays one."""
    body = request.delivered
    of_parts = _OF_PARTS.match(body)
    declared = FORM if of_parts is None else b"multipart/form-data; boundary=" + of_parts[1]
    fields = ((b"Host", HOST), (b"Content-Type", declared), (b"Content-Length", b"%d" % len(body)))
    return Request(b"/", request.method, fields, body)


Steers = Callable[[Behind, Request], str]


def of_the_target(behind: Behind, request: Request) -> str:
    """Check that the target is read, and answered, as it is without headers."""
    reading, bare = behind.read(request), behind.read(plain(request))
    if not bare.asked:
        return "refused without its headers"
    if reading.status != bare.status:
        return f"status {reading.status}, and {bare.status} without headers"
    for place in TARGET:
        one, other = reading.places.get(place), bare.places.get(place)
        if one != other:
            return f"{place} is {one!r}, and {other!r} without headers"
    return ""


def of_urls(behind: Behind, request: Request) -> str:
    """Check that a rebuilt URL has the same path and query under any Host, and that no reader fails."""
    reading, bare = behind.read(request), behind.read(plain(request))
    for place in (*URLS, "host_url", "host"):
        if (raised := _raised(reading, place)) in _BROKEN:
            return f"{place} raises {raised}"
    for place in URLS:
        one, other = reading.text(place), bare.text(place)
        if one is None or other is None:
            continue
        if _SITE.sub("", one) != _SITE.sub("", other):
            return f"{place} is {one!r}, and {other!r} with a plain Host"
    return ""


def of_the_form(behind: Behind, request: Request) -> str:
    """Check that the fields of a form equal those of the plainest form with the same octets."""
    reading = behind.read(request)
    form, media = reading.places.get("form"), reading.places.get("json")
    if isinstance(form, dict):
        return f"the form raises {form['raised']}" if form.get("raised") in _BROKEN else ""
    is_typed = request.values(b"content-type") == [FORM]  # With another type, a reader may find no form.
    if not (form or (is_typed and form == [])) or _is_json(request, media):
        return ""
    other = behind.read(plain_form(request))
    if not other.asked:
        return f"the form is {form}, but the plainest form is refused"
    if form != other.places.get("form"):
        return f"the form is {form}, and {other.places.get('form')} under a plain type"
    return ""


def of_cookies(behind: Behind, request: Request) -> str:
    """Check that a cookie is in the header under the name that is read, and has no control character.

    On ASGI, several fields are read as one.
    """
    reading = behind.read(request)
    cookies = reading.places.get("cookies")
    if not isinstance(cookies, list):
        raised = _raised(reading, "cookies")
        return f"the cookies raise {raised}" if raised else ""
    values = request.values(b"cookie")
    if len(values) > 1 and behind.reader.protocol == "asgi":
        one = behind.read(request.having(b"Cookie", b"; ".join(values))).places.get("cookies")
        if cookies != one:
            return f"cookies are {cookies}, and {one} in one field"
    pieces = [piece for value in values for piece in value.split(b";")]
    names = {piece.partition(b"=")[0].strip(b" \t") for piece in pieces}
    for name, value in cookies:
        if re.search(r"[\x00-\x08\x0a-\x1f\x7f]", name + value):
            return f"the cookie {name!r} is {value!r}"
        if not name.startswith(("__Host-", "__Secure-")):
            continue
        spelled = {name.encode(), name.encode("latin-1", "replace")}
        if len(values) > 1 and "," in name and behind.reader.protocol == "wsgi":
            continue  # A server has joined two fields by a comma, and thereby merged two names.
        if not spelled & names:
            return f"the cookie {name!r} has another name in the header"
        if sum(piece.partition(b"=")[0].strip(b" \t") in spelled for piece in pieces) > 1:
            return f"several cookies are named {name!r}"
    return ""


def of_headers(behind: Behind, request: Request) -> str:
    """Check that a header is read unchanged if the fields with an underscore in the name are removed."""
    without = replace(request, fields=tuple(each for each in request.fields if b"_" not in each[0]))
    one, other = (behind.read(each).places.get("forwarded for") for each in (request, without))
    if other is None or one == other:
        return ""
    return f"X-Forwarded-For is {one!r}, and {other!r} without the name that has an underscore"


STEERING: Final[dict[str, Steers]] = {
    "target": of_the_target,
    "urls": of_urls,
    "form": of_the_form,
    "cookies": of_cookies,
    "headers": of_headers,
}
"""The parts of law 11, by what a header must not steer."""


def steered(behind: Behind, request: Request) -> Iterator[tuple[str, str]]:
    """Yield each violation by a request that reaches a reader: the part of the law, and the difference."""
    if not request.ends or not behind.read(request).asked:
        return
    for name, check in STEERING.items():
        if (what := check(behind, request)) and not quirks_of(behind.reader.distribution, name, request):
            yield name, what


def _raised(reading: Reading, place: str) -> str | None:
    """Return the name of the exception that a place raised, if any."""
    found = reading.places.get(place)
    return found.get("raised") if isinstance(found, dict) else None


def _is_json(request: Request, media: Any) -> bool:
    """Whether what was read as fields is JSON, which Falcon returns in the same place."""
    if media is None:
        return False
    with contextlib.suppress(ValueError):
        json.loads(request.delivered)
        return True
    return False
