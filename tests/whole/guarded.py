"""Applications with a guard: each framework, and each place where people write a guard.

Every application has the same views: ``/admin/panel``, ``/docs/<anything>``, the files below ``/files``,
``/app/admin``, which is a mounted application if the framework has mounts, and a view for all other paths. A
guard judges the path that it receives. The answer of a page that it should have stopped is ``SECRET``.

There are two guards. One stops a few paths. The other stands in front of the view for all other paths, and
lets only a few of them through.
"""

# Each framework is imported where its application is made.
# ruff: noqa: PLC0415

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, final
from urllib.parse import quote, unquote, urlsplit

KEPT: Final = (
    "/admin",
    "/docs/private",
    "/docs/@me",
    "/docs/a+b",
    "/docs/{id}/keys",
    "/files/private",
    "/app/admin",
)
_KEPT: Final = re.compile("|".join(re.escape(each).replace(r"\{id\}", "[^/]+") for each in KEPT))
OPEN: Final = ("/health", "/public")
SECRET: Final = b"SECRET"
Guard = Callable[[str], bool]
"""Takes a path; returns whether a request for it may pass."""


def keeps(path: str) -> bool:
    """Whether the guard of a few paths lets this path through."""
    found = _KEPT.match(path)
    return found is None or path[found.end() :][:1] not in {"", "/"}


def opens(path: str) -> bool:
    """Whether the guard of the other paths lets this path through."""
    path = path.rstrip("/")
    return path in OPEN or path.startswith(f"{OPEN[1]}/")


GUARDS: Final[dict[str, Guard]] = {"keeps": keeps, "opens": opens}


def below(rest: str) -> bytes:
    """Return the answer of the view below ``/docs/``."""
    return b"a document" if keeps(f"/docs/{rest}") else SECRET


def any_other(rest: str) -> bytes:
    """Return the answer of the view for all other paths, which only the second guard protects."""
    return b"open" if opens(f"/{rest}") or not keeps(f"/{rest}") else b"other SECRET"


@cache
def folder() -> str:
    """Return a folder of static files."""
    made = Path(tempfile.mkdtemp(prefix="postel-guarded-"))
    for name, octets in (("private/key.txt", SECRET), ("open.txt", b"a file"), ("health", b"a file")):
        (made / name).parent.mkdir(exist_ok=True)
        (made / name).write_bytes(octets)
    return str(made)


def inside(path: str, root: str) -> str:
    """Return a path without the prefix of the application, decoded or not."""
    for each in (root, quote(root)):
        if root and path.startswith(f"{each}/"):
            return path[len(each) :]
    return path


Seen = Callable[[Any], str]
"""Returns the path that a guard reads from a request."""


@final
@dataclass(frozen=True)
class Guarded:
    """An application of a framework with a guard in one place."""

    framework: str
    place: str
    protocol: str
    make: Callable[[Guard], Any]
    routes: bool = False
    """Whether the guard is a policy that refuses everything on the routes of the first guard."""

    def __str__(self) -> str:
        return f"{self.framework}, {self.place}"


# -- in front of any application -----------------------------------------------------------------------------


def root_of(environ: Any) -> str:
    return str(environ["SCRIPT_NAME"]).encode("latin-1").decode()


def raw_of(environ: Any) -> str:
    return inside(str(environ["RAW_URI"]).partition("?")[0], root_of(environ))


def werkzeug_path(environ: Any) -> str:
    from werkzeug import Request

    return Request(environ).path


def werkzeug_url(environ: Any) -> str:
    from werkzeug import Request

    return inside(urlsplit(Request(environ).url).path, root_of(environ))


WSGI_PLACES: Final[dict[str, Seen]] = {
    "PATH_INFO": lambda environ: environ["PATH_INFO"],
    "RAW_URI": raw_of,
    "RAW_URI, unquoted": lambda environ: unquote(raw_of(environ)),
    "werkzeug's path": werkzeug_path,
    "werkzeug's url": werkzeug_url,
    "werkzeug's url, unquoted": lambda environ: unquote(werkzeug_url(environ)),
}


def behind_wsgi(seen: Seen, make: Callable[[], Any]) -> Callable[[Guard], Any]:
    def made(guard: Guard) -> Any:
        app = make()

        def guarded(environ: Any, start_response: Any) -> Any:
            if not guard(seen(environ)):
                start_response("403 Forbidden", [])
                return [b"guarded"]
            return app(environ, start_response)

        return guarded

    return made


def inner_path(scope: Any) -> str:
    return inside(scope["path"], scope.get("root_path", ""))


def inner_raw(scope: Any) -> str:
    return inside(bytes(scope["raw_path"]).decode("latin-1"), scope.get("root_path", ""))


def starlette_url(scope: Any) -> str:
    from starlette.requests import Request

    return inside(Request(scope).url.path, scope.get("root_path", ""))


ASGI_PLACES: Final[dict[str, Seen]] = {
    'scope["path"]': inner_path,
    'scope["raw_path"]': inner_raw,
    'scope["raw_path"], unquoted': lambda scope: unquote(inner_raw(scope)),
    "starlette's url.path": starlette_url,
}


def behind_asgi(seen: Seen, make: Callable[[], Any]) -> Callable[[Guard], Any]:
    def made(guard: Guard) -> Any:
        app = make()

        async def guarded(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http" and not guard(seen(scope)):
                await send({"type": "http.response.start", "status": 403, "headers": []})
                await send({"type": "http.response.body", "body": b"guarded"})
                return
            await app(scope, receive, send)

        return guarded

    return made


def around(framework: str, protocol: str, make: Callable[[], Any]) -> Iterator[Guarded]:
    """Yield the guards that can stand in front of an application."""
    places = WSGI_PLACES if protocol == "wsgi" else ASGI_PLACES
    behind = behind_wsgi if protocol == "wsgi" else behind_asgi
    for place, seen in places.items():
        yield Guarded(framework, place, protocol, behind(seen, make))
    yield Guarded(framework, "routes=", protocol, lambda _: make(), routes=True)
