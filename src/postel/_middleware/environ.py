"""Write the environ for the application, in which all keys that hold the URL agree."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from postel._http.headers import withheld_headers
from postel._http.recovery import encoded_path
from postel._http.report import KEY, Report
from postel._normalizer.target import Target

Environ: TypeAlias = dict[str, Any]
_STALE: Final = ("SCRIPT_URL", "SCRIPT_URI", "REDIRECT_URL")
"""Keys with further copies of the URL, which some servers add and some frameworks read. They are removed."""


def rewritten(environ: Environ, changes: Mapping[str, Any], report: Report, target: Target) -> Environ:
    """A shallow copy of an environ with an accepted target; ``None`` in ``changes`` removes a key."""
    query = b"?" + target.query if target.query else b""
    fresh = {
        **environ,
        **changes,
        "PATH_INFO": target.path_octets.decode("latin-1"),
        "QUERY_STRING": target.query.decode("latin-1"),
        KEY: report,
    }
    for key, value in changes.items():
        if value is None:
            del fresh[key]
    return _with_raw_target(fresh, (encoded_path(target.prefix) + target.path + query).decode("latin-1"))


def neutral(environ: Environ, report: Report) -> Environ:
    """A copy of an environ for the refusal application: a request for ``/``, safe to show in a template."""
    shown = {**environ, "SCRIPT_NAME": "", "PATH_INFO": "/", "QUERY_STRING": "", KEY: report}
    for name in withheld_headers(each.component for each in report.findings):
        shown.pop(f"HTTP_{name.decode().upper().replace('-', '_')}", None)
    shown.pop("CONTENT_TYPE", None)
    shown.update({"CONTENT_LENGTH": "0", "wsgi.input": io.BytesIO()})
    return _with_raw_target(shown, "/")


def _with_raw_target(environ: Environ, raw: str) -> Environ:
    """Write a raw target under every key that the server uses for it, and remove other copies of the URL."""
    for key in ("REQUEST_URI", "RAW_URI"):
        if key in environ:
            environ[key] = raw
    for key in _STALE:
        environ.pop(key, None)
    return environ
