"""Rebuilt URLs: whether a framework that is loaded builds ``request.url`` from the decoded path.

Starlette before 1.9 does, so a request for ``/health%3F/secret`` has the URL path ``/health`` there: a guard
that reads ``request.url.path`` lets the request pass, and the router serves the whole path. This module
compares no versions: it lets Starlette build the URL of a test scope.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, cast, final

from postel._alphabet.percent import percent_decode
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import Finding
from postel._catalogue.kinds import Kind
from postel._errors import PolicyError
from postel._http.observers import logger
from postel._normalizer.routes import RouteTable

Mode: TypeAlias = Literal["detect", "safe", "refuse"]

_DELIMITER: Final = re.compile(rb"%3[Ff]|%23|[?#]")
"""Octets that a decoded path shows as ``?`` or ``#``."""
_MODES: Final[tuple[Mode, ...]] = ("detect", "safe", "refuse")
_READER: Final = "starlette.datastructures"
_PATH: Final = "/a?b#c"
_SCOPE: Final[Mapping[str, object]] = {
    "type": "http",
    "method": "GET",
    "scheme": "http",
    "server": ("a.example", 80),
    "root_path": "",
    "app_root_path": "",
    "path": _PATH,
    "raw_path": b"/a%3Fb%23c",
    "query_string": b"",
    "headers": [(b"host", b"a.example")],
}


@final
class RebuiltUrls:
    """Decides which paths with a decoded ``?`` or ``#`` are refused because a rebuilt URL would end there.

    >>> rebuilt = RebuiltUrls({"/wiki": "safe", "/files": "refuse"})
    >>> rebuilt.refuses(b"/wiki/C%23"), rebuilt.refuses(b"/files/C%23")
    (False, True)
    """

    __slots__ = ("_default", "_routes", "_unsafe")

    def __init__(self, modes: object) -> None:
        """``modes`` is one mode for all paths, or a mapping with one for each route.

        The route ``/`` is for all paths outside the other routes; without it, their mode is ``"detect"``.
        ``"detect"`` refuses a path with ``?`` or ``#`` if the loaded Starlette would end it early, ``"safe"``
        never refuses it, and ``"refuse"`` always does. Raises PolicyError for anything else, and if a mapping
        changes nothing.
        """
        routes: dict[str, object] = {}
        name, setting = "rebuilt_urls", modes
        if isinstance(modes, Mapping):
            routes = dict(cast("Mapping[str, object]", modes))
            name, modes = "rebuilt_urls['/']", routes.pop("/", "detect")
        self._default = _mode(name, modes)
        self._routes = RouteTable(
            "rebuilt_urls", {route: _mode(f"rebuilt_urls[{route!r}]", mode) for route, mode in routes.items()}
        )
        self._unsafe: bool | None = None
        """Whether Starlette ends the path early; ``None`` until it is loaded."""
        modes = {self._default, *self._routes.values()}
        if isinstance(setting, Mapping) and modes == {"detect"}:
            raise PolicyError(
                f"rebuilt_urls={setting!r} changes nothing, because each path has 'detect' already; leave "
                "rebuilt_urls out, or write 'safe' or 'refuse' for a route"
            )
        if "detect" in modes:
            self._detects()

    def refuses(self, *paths: bytes) -> bool:
        """Whether a ``?`` or ``#`` is refused in a path; ``paths`` holds its received and repaired forms."""
        modes = {self._routes.find(path) or self._default for path in paths}
        return "refuse" in modes or ("detect" in modes and self._detects())

    def _detects(self) -> bool:
        """Whether Starlette is loaded and ends the path early. Checks again until Starlette is loaded."""
        if self._unsafe is None:
            self._unsafe = _ends_early(sys.modules.get(_READER))
            if self._unsafe:
                logger().warning(
                    "Starlette %s builds request.url from the decoded path, so '/health%%3F/secret' has the "
                    "URL path '/health'; requests with an escaped '?' or '#' in the path are refused; "
                    "upgrade to Starlette 1.9 or newer, or, if nothing reads request.url, "
                    'set rebuilt_urls="safe"',
                    _version(),
                )
        return self._unsafe is True


def delimiter_found(path: bytes) -> Finding:
    """The finding about the first delimiter at which a rebuilt URL would end the path."""
    match = _DELIMITER.search(path)
    offset, excerpt = (match.start(), match.group()) if match else (0, b"")
    detail = "a rebuilt URL would end the path here"
    return Finding(Kind.ENCODED_DELIMITER, Component.PATH, offset, excerpt, Action.REJECT, detail=detail)


def _ends_early(reader: object) -> bool | None:
    """Whether a reader loses what follows a ``?`` in the decoded path; ``None`` if it has no URL class.

    Returns True if the URL class raises or gives no path, because its behaviour is unknown.
    """
    try:
        url: object = getattr(reader, "URL", None)
        if not callable(url):
            return None
        path: object = getattr(url(scope=dict(_SCOPE)), "path", None)
    except Exception:  # foreign code; a stub with this name may raise anything
        return True
    return not isinstance(path, str) or percent_decode(path.encode(errors="replace")) != _PATH.encode()


def _version() -> str:
    version: object = getattr(sys.modules.get("starlette"), "__version__", None)
    return version if isinstance(version, str) else "(of unknown version)"


def _mode(name: str, mode: object) -> Mode:
    for known in _MODES:
        if mode == known:
            return known
    raise PolicyError(
        f"{name}={mode!r}: write 'detect', 'safe' or 'refuse', or a dict such as {{'/wiki': 'safe'}}"
    )
