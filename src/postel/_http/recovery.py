"""Recovery: from what a server hands over to what the client sent.

Servers keep the request target under different keys, some keep none, some rewrite it, and some hand over a
decoded path that differs from the decoded target. The rules come from measured servers:

* A raw key is believed if decoding it once gives the decoded view.
* If it does not, the application would have routed by the decoded view: it is judged and handed on as data.
  The raw view is judged as well, so a server's tidying hides nothing.
* Without a raw key, the decoded view is all there is; the report names the kinds that it hides.

Nothing here raises, whatever is in the environ or scope.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from postel._alphabet.authority import SITE
from postel._alphabet.percent import PATH, percent_decode, percent_encode
from postel._alphabet.regex import compiled
from postel._catalogue.check import Component
from postel._http.headers import host_of, latin1_octets, text_octets
from postel._http.interop import ENVIRON, SCOPE, as_request
from postel._http.received import BLIND, Received, hidden_by
from postel._normalizer.dot_segments import resolve_dots
from postel._normalizer.source_map import Mapped
from postel._normalizer.target import Target

_SITE: Final = compiled(b"(?:" + SITE + b")?+")
_DEEPEST: Final = 32
"""The most segments of a root_path that ``_unmounted`` tries to remove."""
_SLASHES: Final = re.compile(rb"//++")
_SLASH: Final = re.compile(rb"%(2[Ff])")
_REPLACED: Final = "\ufffd".encode()


class _View(NamedTuple):
    """The server's decoded view: path and prefix are data."""

    path: bytes
    query: bytes
    prefix: bytes
    host: bytes | None


class _Raw(NamedTuple):
    """The raw target, as the server hands it over."""

    path: bytes
    query: bytes
    verbatim: bool
    """Whether it consists of the received octets, and not of text decoded from them."""
    keeps: bool
    """Whether the decoded view may have kept an escaped slash."""


def recover_environ(environ: Mapping[str, Any]) -> Received:
    """The target of a WSGI environ (PEP 3333)."""
    decode = text_octets if _is_text(environ) else latin1_octets
    view = _View(
        latin1_octets(environ.get("PATH_INFO")),
        decode(environ.get("QUERY_STRING")),
        latin1_octets(environ.get("SCRIPT_NAME")),
        host_of(environ),
    )
    received = _compared(view, _raw_of_environ(environ) or _raw_of_scope(as_request(environ.get(SCOPE))))
    hidden = hidden_by(environ)
    return replace(received, blind=received.blind | hidden) if hidden else received


def recover_scope(scope: Mapping[str, Any]) -> Received:
    """The target of an ASGI scope (HTTP and WebSocket connection scopes)."""
    path, root = text_octets(scope.get("path")), text_octets(scope.get("root_path")).rstrip(b"/")
    site, inner = _parted(path)
    stands = inner.startswith(root) and inner[len(root) :][:1] in {b"", b"/"}
    if stands:
        path = site + inner[len(root) :]
    view = _View(path, latin1_octets(scope.get("query_string")), root if stands else b"", host_of(scope))
    raw = _raw_of_scope(scope) or _raw_of_environ(as_request(scope.get(ENVIRON)))
    if stands:
        return _compared(view, raw)
    return replace(_compared(view, raw and _unmounted(raw, root, path)), mount=root)


def as_data(octets: bytes) -> bytes:
    """Decoded octets written as a path; everything that could be syntax is escaped, except slashes."""
    return percent_encode(octets, PATH)


# -- the values of the keys ------------------------------------------------------------------------------


def _is_text(environ: Mapping[str, Any]) -> bool:
    """Whether raw target and query were decoded as UTF-8, as gunicorn 27.0 does with HTTP/2."""
    protocol = environ.get("SERVER_PROTOCOL")
    return isinstance(protocol, str) and protocol.startswith("HTTP/2") and "RAW_URI" in environ


def _raw_of_environ(environ: Mapping[str, Any]) -> _Raw | None:
    text = environ.get("REQUEST_URI") or environ.get("RAW_URI")
    if isinstance(text, str) and _is_text(environ):
        text = text_octets(text)
    target = latin1_octets(text)
    path, _, query = target.partition(b"?")
    # Text beyond Latin-1 was decoded from octets that we can only guess.
    verbatim = not isinstance(text, str) or len(text) == len(target)
    return _Raw(path, query, verbatim, keeps=True) if target else None


def _raw_of_scope(scope: Mapping[str, Any]) -> _Raw | None:
    path, query = scope.get("raw_path"), latin1_octets(scope.get("query_string"))
    if not isinstance(path, bytes):
        return None
    # Some test clients write the query behind the path.
    return _Raw(path.removesuffix(b"?" + query), query, verbatim=True, keeps=False)


def _unmounted(raw: _Raw, root: bytes, view: bytes) -> _Raw:
    """Remove the root_path, or its last segments, if an old mount removed them from the decoded path alone.

    Each number of segments costs a comparison, so a root_path of more than `_DEEPEST` segments is not tried.
    """
    if root and root.count(b"/") <= _DEEPEST and not _shows(view, raw.path):
        for start in [place for place, octet in enumerate(root) if octet == ord("/")]:
            prefix, rest = _split(raw.path, root[start:])
            if prefix and _shows(view, rest):
                return raw._replace(path=rest)
    return raw


def _parted(path: bytes) -> tuple[bytes, bytes]:
    """Split a target into scheme with authority (empty unless it is an absolute form) and path."""
    match = _SITE.match(path)
    end = match.end() if match else 0
    return path[:end], path[end:]


def _split(path: bytes, prefix: bytes) -> tuple[bytes, bytes]:
    """Split a decoded prefix off a raw path; returns two empty values if it does not stand in front."""
    count = prefix.count(b"/") + 1
    front = b"/".join(path.split(b"/", count)[:count])
    return (front, path[len(front) :]) if percent_decode(front) == prefix else (b"", path)


# -- the raw and the decoded view compared ----------------------------------------------------------------


def _compared(view: _View, raw: _Raw | None) -> Received:
    """Compare the decoded view with the raw one."""
    if raw is None:
        return _alone(view)
    site, inner = _parted(raw.path)
    prefix, inner = _split(inner, view.prefix) if view.prefix else (b"", inner)
    sent = Target(site + inner, raw.query, view.prefix, view.host)
    # A fragment in the path swallows what some servers still read as the query.
    same_query = b"#" in inner or view.query in {raw.query, raw.query.partition(b"#")[0]}
    if _shows(view.path, inner, keeps=raw.keeps) or (site and _shows(view.path, sent.path)):
        return Received(
            sent if same_query else replace(sent, query=view.query),
            prefix,
            raw=None if same_query else sent,
            disagree=() if same_query else (Component.QUERY,),
            verbatim=raw.verbatim,
            replaced=_REPLACED in sent.path,
        )
    if view.path == inner and same_query:
        return _alone(view)  # a decoded path under a raw name: decoding it would be decoding twice
    same_path = _tidied(view.prefix + _parted(view.path)[1]) == _tidied(percent_decode(prefix + inner))
    return Received(
        _data(view),
        prefix,
        raw=sent,
        disagree=(Component.PATH,) * (not same_path) + (Component.QUERY,) * (not same_query),
        verbatim=raw.verbatim,
        replaced=_REPLACED in view.path and _REPLACED not in percent_decode(inner),
    )


def _alone(view: _View) -> Received:
    """The decoded view alone."""
    return Received(
        _data(view), as_data(view.prefix), verbatim=False, blind=BLIND, replaced=_REPLACED in view.path
    )


def _data(view: _View) -> Target:
    """The decoded view as a target: its octets are data."""
    return Target(as_data(view.path), view.query, view.prefix, view.host)


def _shows(view: bytes, raw: bytes, *, keeps: bool = False) -> bool:
    """Whether a decoded view is the raw path decoded once, the way one of the measured servers decodes."""
    path, mark, _ = raw.partition(b"#")
    if mark and _shows(view, path, keeps=keeps):
        return True  # gunicorn and others cut a fragment off the decoded view only
    decoded = percent_decode(raw)
    if view in {decoded, decoded.decode("utf-8", "replace").encode()}:
        return True
    if not raw.isascii() and view == percent_decode(raw.decode("latin-1").encode()):
        return True  # gunicorn up to 23 encodes bare octets twice
    # cheroot keeps an escaped slash as %2F. Apache's NoDecode keeps it as it was sent: %2F or %2f.
    return keeps and view in {percent_decode(_SLASH.sub(kept, raw)) for kept in (rb"%252F", rb"%25\1")}


def _tidied(path: bytes) -> bytes:
    """A decoded path as servers tidy it: slashes merged, dots resolved, TAB and ill-formed octets removed."""
    merged = _SLASHES.sub(b"/", path.replace(b"\t", b""))
    edits, _ = resolve_dots(merged)
    return Mapped(merged).splice(edits).octets.decode("utf-8", "replace").encode()
