"""Write the environ for the application, in which all keys that hold the URL agree."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, Final

from postel._http.headers import withheld_headers
from postel._http.interop import SCOPE, Environ, as_request
from postel._http.recovery import encoded_path
from postel._http.report import KEY, Report
from postel._normalizer.target import Target

_STALE: Final = ("SCRIPT_URL", "SCRIPT_URI", "REDIRECT_URL")
"""Keys with further copies of the URL, which some servers add and some frameworks read. They are removed."""
_FIELDS: Final = "headers_raw"
"""The key in which eventlet keeps all header fields as received. It is removed if one of them changes."""


def rewritten(environ: Environ, changes: Mapping[str, Any], report: Report, target: Target) -> Environ:
    """A shallow copy of an environ with an accepted target; ``None`` in ``changes`` removes a key."""
    fresh = {**environ, **changes, KEY: report}
    if changes:
        fresh.pop(_FIELDS, None)
    for key, value in changes.items():
        if value is None:
            del fresh[key]
    return with_target(fresh, target)


def neutral(environ: Environ, report: Report) -> Environ:
    """A copy of an environ for the refusal application: a request for ``/``, safe to show in a template."""
    shown = {**environ, "SCRIPT_NAME": "", KEY: report}
    for name in withheld_headers(each.component for each in report.findings):
        shown.pop(f"HTTP_{name.decode().upper().replace('-', '_')}", None)
    for key in ("CONTENT_TYPE", _FIELDS, SCOPE):
        shown.pop(key, None)
    shown.update({"CONTENT_LENGTH": "0", "wsgi.input": io.BytesIO()})
    return with_target(shown, Target(b"/"))


def with_target(environ: Mapping[str, Any], target: Target) -> Environ:
    """A copy of an environ in which every key that the server uses for a target holds this one.

    Further copies of the URL are removed. A bridge from ASGI keeps the scope in the environ.
    """
    path = encoded_path(target.prefix) + target.path
    raw = path + b"?" + target.query if target.query else path
    fresh = {
        **environ,
        "PATH_INFO": target.path_octets.decode("latin-1"),
        "QUERY_STRING": target.query.decode("latin-1"),
    }
    for key, octets in (("REQUEST_URI", raw), ("RAW_URI", raw), ("RAW_PATH_INFO", path)):
        if key in fresh:
            fresh[key] = octets.decode("latin-1")
    if SCOPE in fresh and "path" in (scope := as_request(fresh[SCOPE])):
        text = target.prefix.decode() + target.path_text
        fresh[SCOPE] = {**scope, "path": text, "raw_path": path, "query_string": target.query}
    for key in _STALE:
        fresh.pop(key, None)
    return fresh
