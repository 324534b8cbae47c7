"""Recovery: from what a server hands over to what the client sent.

Servers keep the request target under different keys, some keep none, some rewrite it, and some hand over a
decoded path that is not what decoding the target gives. The rules here are those of measured servers:

* What a raw key says is believed where decoding it once gives the decoded view.
* Where it does not, the decoded view is what the application would have routed on: it is judged and handed
  on, as data. The raw view is then judged too, so that nothing is hidden by a server's own tidying.
* Where there is no raw key, the decoded view is all there is; the kinds that it cannot show are named.

Nothing here raises, whatever is in the environ or scope.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from postel._draft import Draft
from postel._octets import percent_decode
from postel._path import resolve_dots
from postel._received import BLIND, Received, as_data
from postel._target import Target

_ABSOLUTE: Final = re.compile(rb"[A-Za-z][A-Za-z0-9+.\-]*+://[^/?#]*+")
_SLASHES: Final = re.compile(rb"//++")
_KEPT_SLASH: Final = re.compile(rb"%2[Ff]")
_REPLACED: Final = "\ufffd".encode()


def recover_environ(environ: Mapping[str, Any]) -> Received:
    """The target of a WSGI environ (PEP 3333)."""
    view, _ = _octets(environ.get("PATH_INFO"))
    query, _ = _octets(environ.get("QUERY_STRING"))
    prefix, _ = _octets(environ.get("SCRIPT_NAME"))
    raw, faithful = _octets(environ.get("REQUEST_URI") or environ.get("RAW_URI"))
    host = _octets(environ["HTTP_HOST"])[0] if "HTTP_HOST" in environ else None
    if not raw or not faithful:
        return _from_view(view, query, prefix, host)
    path, _, raw_query = raw.partition(b"?")
    return _meet(view, query, prefix, path, raw_query, host)


def recover_scope(scope: Mapping[str, Any]) -> Received:
    """The target of an ASGI scope (HTTP and WebSocket connection scopes)."""
    view, root = _text(scope.get("path")), _text(scope.get("root_path"))
    query, _ = _octets(scope.get("query_string"))
    prefix = root if _starts(view, root) else b""
    inner = view[len(prefix) :]
    host = None if inner.startswith(b"/") else _host(scope)
    raw = scope.get("raw_path")
    if isinstance(raw, bytes) and query and raw.endswith(b"?" + query):
        raw = raw[: -len(query) - 1]  # as some test clients have it
    if isinstance(raw, bytes) and root and not prefix and not _shows(inner, raw):
        raw = _split(raw, root)[1]  # as old mounts have it: the path stripped, the raw path not
    if not isinstance(raw, bytes) or (raw == view and not _shows(view, raw)):
        # No raw path, or a decoded one under its name: decoding that would be decoding twice.
        received = _from_view(inner, query, prefix, host)
    else:
        received = _meet(inner, query, prefix, raw, query, host)
    if root and not prefix:  # it does not stand in the path, and is judged with it all the same
        return replace(received, target=replace(received.target, prefix=root))
    return received


def prefix_in_front(scope: Mapping[str, Any]) -> str:
    """The root_path of a scope, where its path begins with it; else empty text."""
    root = scope.get("root_path")
    return root if isinstance(root, str) and _starts(_text(scope.get("path")), _text(root)) else ""


def _octets(value: object) -> tuple[bytes, bool]:
    """Octets from what should be octets or latin-1 text, and whether they are what was received."""
    if isinstance(value, bytes):
        return value, True
    if not isinstance(value, str):
        return b"", False
    try:
        return value.encode("latin-1"), True
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogatepass"), False  # decoded text, where octets were promised


def _text(value: object) -> bytes:
    """Text that a server has decoded, as UTF-8; a lone surrogate in it is then ill-formed."""
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else b""


def _host(scope: Mapping[str, Any]) -> bytes | None:
    for name, value in scope.get("headers") or ():
        if name == b"host" and isinstance(value, bytes):
            return value
    return None


def _starts(path: bytes, prefix: bytes) -> bool:
    return bool(prefix) and path.startswith(prefix) and path[len(prefix) :][:1] in {b"", b"/"}


def _from_view(view: bytes, query: bytes, prefix: bytes, host: bytes | None) -> Received:
    """The decoded view alone: its octets are data."""
    form = _ABSOLUTE.match(view)
    head = form.group() if form else b""
    return Received(
        Target(head + as_data(view[len(head) :]), query, prefix, host),
        as_data(prefix),
        verbatim=False,
        blind=BLIND,
        replaced=_REPLACED in view,
    )


def _meet(
    view: bytes, query: bytes, prefix: bytes, raw: bytes, raw_query: bytes, host: bytes | None
) -> Received:
    """Hold the raw path and query against the decoded view."""
    form = _ABSOLUTE.match(raw)
    head = form.group() if form else b""
    raw_prefix, inner = _split(raw[len(head) :], prefix)
    sent = Target(head + inner, raw_query, prefix, host)
    same_query = query in {raw_query, raw_query.partition(b"#")[0]} or b"#" in inner
    if _shows(view, inner) or (head and _shows(view, sent.path)):
        received = Received(sent, raw_prefix, replaced=_REPLACED in raw)
        if same_query:
            return received
        return replace(received, target=replace(sent, query=query), raw=sent, disagrees=True)
    return Received(
        Target(as_data(view), query, prefix, host),
        raw_prefix,
        raw=sent,
        disagrees=not same_query or _tidied(view) != _tidied(percent_decode(inner)),
        replaced=_REPLACED in view,
    )


def _split(raw: bytes, prefix: bytes) -> tuple[bytes, bytes]:
    """Split the prefix, which is decoded, off a raw path; nothing where it does not stand in front."""
    end = 0
    for _ in range(prefix.count(b"/")):
        end = raw.find(b"/", end + 1)
        if end < 0:
            end = len(raw)
            break
    return (raw[:end], raw[end:]) if percent_decode(raw[:end]) == prefix else (b"", raw)


def _shows(view: bytes, raw: bytes) -> bool:
    """Whether a decoded view is the raw path decoded once, as one of the measured servers does it."""
    path, mark, _ = raw.partition(b"#")
    if mark and _shows(view, path):
        return True  # gunicorn and others cut a fragment from the decoded view alone
    decoded = percent_decode(raw)
    if decoded == view or decoded.decode("utf-8", "replace").encode() == view:
        return True
    if not raw:
        return view == b"/"
    kept = _KEPT_SLASH.findall(raw)
    pieces = [percent_decode(piece) for piece in _KEPT_SLASH.split(raw)]
    return bool(kept) and any(  # cheroot and AllowEncodedSlashes NoDecode keep an escaped slash
        b"".join(map(bytes.__add__, pieces, [*slashes, b""])) == view
        for slashes in (kept, [b"%2F"] * len(kept))
    )


def _tidied(path: bytes) -> bytes:
    """A decoded path as servers tidy it: slashes merged, dots resolved, no TAB, U+FFFD for what is ill-formed."""
    merged = _SLASHES.sub(b"/", path.replace(b"\t", b""))
    edits, _ = resolve_dots(merged)
    return Draft(merged).splice(edits).octets.decode("utf-8", "replace").encode()
