"""Recovery: from what the server hands over, find the request target that the client sent.

WSGI and ASGI require a decoded path and a query: the decoded view. Most servers also hand over the raw
target, under different keys; some rewrite it, and some decode it in their own way. The rules come from
measured servers:

* A raw target is trusted if decoding it once gives the decoded view.
* Otherwise the decoded view is percent-encoded again, judged and handed on, because an application routes by
  it. The raw target is judged as well, so a server that tidies the path hides no fault.
* Without a raw target, only the decoded view is judged, and the report names the kinds that it hides.

No function here raises, whatever the environ or scope holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from postel._alphabet.authority import OPTIONAL_SITE
from postel._alphabet.percent import PATH, percent_decode, percent_encode
from postel._catalogue.check import Component
from postel._http.headers import host_of, latin1_octets, text_octets
from postel._http.interop import ENVIRON, SCOPE, as_request
from postel._http.received import BLIND, Received, hidden_by
from postel._normalizer.target import Target

_SLASHES: Final = re.compile(rb"//++")
_SLASH: Final = re.compile(rb"%(2[Ff])")
_REPLACED: Final = "\ufffd".encode()


class _View(NamedTuple):
    """The server's decoded view. Path and prefix are decoded octets."""

    path: bytes
    query: bytes
    prefix: bytes
    host: bytes | None


class _Raw(NamedTuple):
    """The raw target, as the server hands it over."""

    path: bytes
    query: bytes
    verbatim: bool
    """Whether path and query are the received octets, and not guessed from decoded text."""
    keeps_slash: bool
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
    site, inner = _split_site(path)
    includes_root = inner.startswith(root) and inner[len(root) :][:1] in {b"", b"/"}
    if includes_root:
        path = site + inner[len(root) :]
    view = _View(
        path, latin1_octets(scope.get("query_string")), root if includes_root else b"", host_of(scope)
    )
    raw = _raw_of_scope(scope) or _raw_of_environ(as_request(scope.get(ENVIRON)))
    if includes_root:
        return _compared(view, raw)
    return replace(_compared(view, raw and _unmounted(raw, root, path)), mount=root)


def encoded_path(octets: bytes) -> bytes:
    """Encode decoded octets as a path: everything that could be syntax is escaped, except slashes."""
    return percent_encode(octets, PATH)


# -- reading the keys of an environ or scope -------------------------------------------------------------


def _is_text(environ: Mapping[str, Any]) -> bool:
    """Whether raw target and query were decoded as UTF-8, as gunicorn 27.0 does with HTTP/2."""
    protocol = environ.get("SERVER_PROTOCOL")
    return isinstance(protocol, str) and protocol.startswith("HTTP/2") and "RAW_URI" in environ


def _raw_of_environ(environ: Mapping[str, Any]) -> _Raw | None:
    text = environ.get("REQUEST_URI") or environ.get("RAW_URI")
    if not text and isinstance(path := environ.get("RAW_PATH_INFO"), str):  # eventlet
        text = f"{path}?{environ.get('QUERY_STRING', '')}"
    if isinstance(text, str) and _is_text(environ):
        text = text_octets(text)
    target = latin1_octets(text)
    path, _, query = target.partition(b"?")
    # Text beyond Latin-1 was decoded from octets that we can only guess.
    verbatim = not isinstance(text, str) or len(text) == len(target)
    return _Raw(path, query, verbatim, keeps_slash=True) if target else None


def _raw_of_scope(scope: Mapping[str, Any]) -> _Raw | None:
    path, query = scope.get("raw_path"), latin1_octets(scope.get("query_string"))
    if not isinstance(path, bytes):
        return None
    # Some test clients append the query to the raw path.
    return _Raw(path.removesuffix(b"?" + query), query, verbatim=True, keeps_slash=False)


def _unmounted(raw: _Raw, root: bytes, view: bytes) -> _Raw:
    """Remove the root_path, or its last segments, if only the decoded path lacks them, as in Starlette 0.27.

    Decoding again in another charset adds and removes no slash, so the number of slashes tells how many
    segments the decoded path lacks. Some servers cut a fragment off the decoded path.
    """
    if not root:
        return raw
    if _is_decoded_from(view, raw.path):
        return raw
    for slashes in {percent_decode(each).count(b"/") for each in (raw.path, raw.path.partition(b"#")[0])}:
        lacking = slashes - view.count(b"/")
        if 0 < lacking <= root.count(b"/"):
            prefix, rest = _split_prefix(raw.path, root[len(root.rsplit(b"/", lacking)[0]) :])
            if prefix and _is_decoded_from(view, rest):
                return raw._replace(path=rest)
    return raw


def _split_site(path: bytes) -> tuple[bytes, bytes]:
    """Split a target into scheme with authority (empty unless in absolute form), and path."""
    match = OPTIONAL_SITE.match(path)
    end = match.end() if match else 0
    return path[:end], path[end:]


def _split_prefix(path: bytes, prefix: bytes) -> tuple[bytes, bytes]:
    """Split a raw path into the prefix, as written there, and the rest. A missing prefix is ``b''``."""
    count = prefix.count(b"/") + 1
    front = b"/".join(path.split(b"/", count)[:count])
    return (front, path[len(front) :]) if percent_decode(front) == prefix else (b"", path)


# -- comparing the raw target with the decoded view -------------------------------------------------------


def _compared(view: _View, raw: _Raw | None) -> Received:
    """Compare the decoded view with the raw target, and choose the one to judge and hand on."""
    if raw is None:
        return _of_decoded(view)
    site, inner = _split_site(raw.path)
    prefix, inner = _split_prefix(inner, view.prefix) if view.prefix else (b"", inner)
    sent = Target(site + inner, raw.query, view.prefix, view.host)
    # After a "#" in the path there is no query, but some servers still hand one over.
    same_query = b"#" in inner or view.query in {raw.query, raw.query.partition(b"#")[0]}
    if _is_decoded_from(view.path, inner, keeps_slash=raw.keeps_slash) or (
        site and _is_decoded_from(view.path, sent.path)
    ):
        return Received(
            sent if same_query else replace(sent, query=view.query),
            prefix,
            raw=None if same_query else sent,
            disagree=() if same_query else (Component.QUERY,),
            verbatim=raw.verbatim,
            replaced=_REPLACED in sent.path,
        )
    if view.path == inner and same_query:
        return _of_decoded(view)  # the raw key holds a path that is already decoded
    same_path = _tidied(view.prefix + _split_site(view.path)[1]) == _tidied(percent_decode(prefix + inner))
    return Received(
        _data(view),
        prefix,
        raw=sent,
        disagree=(Component.PATH,) * (not same_path) + (Component.QUERY,) * (not same_query),
        verbatim=raw.verbatim,
        replaced=_REPLACED in view.path and _REPLACED not in percent_decode(inner),
    )


def _of_decoded(view: _View) -> Received:
    """The received target if the server hands over no raw target that can be used."""
    return Received(
        _data(view), encoded_path(view.prefix), verbatim=False, blind=BLIND, replaced=_REPLACED in view.path
    )


def _data(view: _View) -> Target:
    """The decoded view as a target, with its path encoded again."""
    return Target(encoded_path(view.path), view.query, view.prefix, view.host)


def _is_decoded_from(view: bytes, raw: bytes, *, keeps_slash: bool = False) -> bool:
    """Whether one of the measured servers would decode the raw path to this view."""
    path, mark, _ = raw.partition(b"#")
    if mark and _is_decoded_from(view, path, keeps_slash=keeps_slash):
        return True  # gunicorn and others cut the fragment off the decoded view only
    decoded = percent_decode(raw)
    if view in {decoded, decoded.decode("utf-8", "replace").encode()}:
        return True
    if not raw.isascii() and view == percent_decode(raw.decode("latin-1").encode()):
        return True  # gunicorn up to 23 encodes bare octets twice
    # cheroot keeps an escaped slash as %2F. Apache's NoDecode keeps it as it was sent: %2F or %2f.
    return keeps_slash and view in {percent_decode(_SLASH.sub(kept, raw)) for kept in (rb"%252F", rb"%25\1")}


def _tidied(path: bytes) -> bytes:
    """A decoded path as servers tidy it: slashes merged, dots resolved, TAB and ill-formed octets removed."""
    merged = _SLASHES.sub(b"/", path.replace(b"\t", b""))
    return _without_dots(merged).decode("utf-8", "replace").encode()


def _without_dots(path: bytes) -> bytes:
    """Resolve the dot segments of a path, unless one leads above the root: RFC 3986, section 5.2.4."""
    if b"/." not in path:
        return path
    front, *segments = path.split(b"/")
    kept: list[bytes] = []
    for segment in segments:
        if segment == b"..":
            if not kept:
                return path
            kept.pop()
        elif segment != b".":
            kept.append(segment)
    if segments[-1] in {b".", b".."}:
        kept.append(b"")
    return b"/".join([front, *kept])
