"""Recovery: what each server makes of a target, as measured, and what postel recovers from it.

A row is a server's environ or scope for one target. Versions that differ have rows of their own.
"""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest

from postel import Component, Kind, Target
from postel._alphabet.percent import percent_decode
from postel._http import recovery
from postel._http.headers import header
from postel._http.received import BLIND, Received
from postel._http.recovery import _tidied, recover_environ, recover_scope
from postel._normalizer.dot_segments import resolve_dots
from postel._normalizer.source_map import Mapped
from together import together

PATH, QUERY = Component.PATH, Component.QUERY
MOJIBAKE = "\u00e9".encode().decode("latin-1")  # "é" as PEP 3333 writes the octets of its UTF-8.


def environ(path: str, raw: str | None = None, query: str = "", **keys: Any) -> dict[str, Any]:
    made = {"SCRIPT_NAME": "", "PATH_INFO": path, "QUERY_STRING": query, **keys}
    return made if raw is None else {**made, "REQUEST_URI": raw}


def gunicorn(raw: str, path: str, query: str = "", prefix: str = "") -> dict[str, Any]:
    return {"SCRIPT_NAME": prefix, "PATH_INFO": path, "QUERY_STRING": query, "RAW_URI": raw}


def scope(path: str, raw: bytes | None, query: bytes = b"", root: str = "") -> dict[str, Any]:
    made = {"type": "http", "path": path, "query_string": query, "root_path": root}
    return made if raw is None else {**made, "raw_path": raw}


def sent(path: bytes, query: bytes = b"", prefix: bytes = b"", **fields: Any) -> Received:
    """Expect that postel uses the raw view."""
    return Received(Target(path, query, prefix), prefix, **fields)


def alone(path: bytes, query: bytes = b"", prefix: bytes = b"", **fields: Any) -> Received:
    """Expect that there is no raw view, or none that postel can use."""
    return Received(Target(path, query, prefix), prefix, verbatim=False, blind=BLIND, **fields)


def tidied(path: bytes, raw: bytes, query: bytes = b"", prefix: bytes = b"", **fields: Any) -> Received:
    """Expect that the server changed the path, and that the raw view still has the one that was sent."""
    return Received(Target(path, query, prefix), prefix, raw=Target(raw, query, prefix), **fields)


WSGI = {
    # gunicorn: RAW_URI, whole
    "gunicorn, escapes": (gunicorn("/a%2Fb?q=%C4", "/a/b", "q=%C4"), sent(b"/a%2Fb", b"q=%C4")),
    "gunicorn, fragment": (gunicorn("/a#b", "/a"), sent(b"/a#b")),
    "gunicorn, fragment with a question mark": (gunicorn("/a#b?c", "/a"), sent(b"/a#b", b"c")),
    "gunicorn, fragment in the query": (gunicorn("/a?b#c", "/a", "b"), sent(b"/a", b"b#c")),
    "gunicorn, absolute form": (gunicorn("http://host/a?b", "/a", "b"), sent(b"http://host/a", b"b")),
    "gunicorn, absolute form without a path": (
        gunicorn("http://host?b", "", "b"),
        sent(b"http://host", b"b"),
    ),
    "gunicorn, absolute form under a prefix": (
        gunicorn("http://host/sub/a", "/a", prefix="/sub"),
        Received(Target(b"http://host/a", prefix=b"/sub"), b"/sub"),
    ),
    "gunicorn, CONNECT": (gunicorn("host:80", "80"), tidied(b"80", b"host:80", disagree=(PATH,))),
    "gunicorn, asterisk": (gunicorn("*", "*"), sent(b"*")),
    "gunicorn, no slash": (gunicorn("%2Fa", "/a"), sent(b"%2Fa")),
    "gunicorn, no path": (gunicorn("?q=1", "", "q=1"), sent(b"", b"q=1")),
    "gunicorn, prefix": (gunicorn("/sub/a%41", "/aA", prefix="/sub"), sent(b"/a%41", prefix=b"/sub")),
    "gunicorn, prefix alone": (gunicorn("/sub?a", "", "a", "/sub"), sent(b"", b"a", b"/sub")),
    "gunicorn, prefix in another spelling": (
        gunicorn("/s%75b/a", "/a", prefix="/sub"),
        Received(Target(b"/a", prefix=b"/sub"), b"/s%75b"),
    ),
    "gunicorn, dots that lead out of the prefix": (
        gunicorn("/sub/../admin", "/../admin", prefix="/sub"),
        sent(b"/../admin", prefix=b"/sub"),
    ),
    "gunicorn 20, bare UTF-8 encoded twice": (
        gunicorn(f"/caf{MOJIBAKE}", f"/caf{MOJIBAKE.encode().decode('latin-1')}"),
        sent(b"/caf\xc3\xa9"),
    ),
    "gunicorn 20, bare latin-1 encoded to UTF-8": (
        gunicorn("/caf\xe9", f"/caf{MOJIBAKE}"),
        sent(b"/caf\xe9"),
    ),
    "gunicorn 23, TAB gone": (gunicorn("/a\tb", "/ab"), tidied(b"/ab", b"/a\tb")),
    "gunicorn 23, TAB gone from the query": (
        gunicorn("/a?q=<sc\tript>", "/a", "q=<script>"),
        Received(Target(b"/a", b"q=<script>"), raw=Target(b"/a", b"q=<sc\tript>"), disagree=(QUERY,)),
    ),
    "gunicorn on HTTP/2, decoded text": (
        gunicorn("/a%2Fb?q=\u20ac", "/a/b", "q=\u20ac"),
        sent(b"/a%2Fb", b"q=\xe2\x82\xac", verbatim=False),
    ),
    "gunicorn on HTTP/2, path": (
        gunicorn("/\u20ac", "/\xe2\x82\xac"),
        sent(b"/\xe2\x82\xac", verbatim=False),
    ),
    "gunicorn on HTTP/2, with SERVER_PROTOCOL": (
        {**gunicorn("/caf\xe9?q=\xe9", "/caf\xc3\xa9", "q=\xe9"), "SERVER_PROTOCOL": "HTTP/2"},
        sent(b"/caf\xc3\xa9", b"q=\xc3\xa9"),
    ),
    "gunicorn on HTTP/2, outside of Latin-1": (
        {**gunicorn("/\u20ac?q=\u20ac", "/\xe2\x82\xac", "q=\u20ac"), "SERVER_PROTOCOL": "HTTP/2"},
        sent(b"/\xe2\x82\xac", b"q=\xe2\x82\xac"),
    ),
    "hypercorn on HTTP/2, octets": (
        {**environ("/a", query="q=\xe9"), "SERVER_PROTOCOL": "HTTP/2"},
        alone(b"/a", b"q=\xe9"),
    ),
    # no server does this
    "a kept slash before a fragment that was cut": (environ("/a%2Fb", "/a%2Fb#x"), sent(b"/a%2Fb#x")),
    "two fragments, cut at the first": (environ("/a", "/a#b#c"), sent(b"/a#b#c")),
    "two fragments, cut at the second": (
        environ("/a#b", "/a#b#c"),
        tidied(b"/a%23b", b"/a#b#c", disagree=(PATH,)),
    ),
    "two fragments in the query": (gunicorn("/a?b#c#d", "/a", "b"), sent(b"/a", b"b#c#d")),
    "bare octets, and another path": (
        environ("/b", "/caf\xe9"),
        tidied(b"/b", b"/caf\xe9", disagree=(PATH,)),
    ),
    "decoded text, and another path": (
        gunicorn("/\u20ac", "/b"),
        tidied(b"/b", b"/\xe2\x82\xac", disagree=(PATH,), verbatim=False),
    ),
    "U+FFFD that was not sent, in another path": (
        environ("/b\xef\xbf\xbd", "/c"),
        tidied(b"/b%EF%BF%BD", b"/c", disagree=(PATH,), replaced=True),
    ),
    "U+FFFD that was sent, in another path": (
        environ("/b\xef\xbf\xbd", "/c\xef\xbf\xbd"),
        tidied(b"/b%EF%BF%BD", b"/c\xef\xbf\xbd", disagree=(PATH,)),
    ),
    # waitress
    "waitress, leading slashes merged": (environ("/a//b", "//a//b"), tidied(b"/a//b", b"//a//b")),
    "waitress, leading slashes before the prefix": (
        environ("/a", "//sub/a", SCRIPT_NAME="/sub"),
        Received(Target(b"/a", prefix=b"/sub"), raw=Target(b"//sub/a", prefix=b"/sub")),
    ),
    "waitress, fragment": (environ("/a", "/a#b"), sent(b"/a#b")),
    "waitress, NUL": (environ("/a\0b", "/a\0b"), sent(b"/a\0b")),
    "waitress, TAB": (environ("/ab", "/a\tb"), tidied(b"/ab", b"/a\tb")),
    # cheroot
    "cheroot, escaped slash kept": (environ("/a%2Fb", "/a%2fb"), sent(b"/a%2fb")),
    "cheroot, escaped slash kept as sent": (environ("/a%2Fb", "/a%2Fb"), sent(b"/a%2Fb")),
    "cheroot, escaped slash beside another escape": (environ("/a%2F b", "/a%2f%20b"), sent(b"/a%2f%20b")),
    "cheroot, double escape": (environ("/a%2Fb", "/a%252Fb"), sent(b"/a%252Fb")),
    "cheroot, stray percent sign before an escaped slash": (environ("/%%2F", "/%%2f"), sent(b"/%%2f")),
    "cheroot, asterisk": (environ("/*", "*"), tidied(b"/*", b"*", disagree=(PATH,))),
    # uWSGI
    "uWSGI, dots resolved": (environ("/b", "/a/../b"), tidied(b"/b", b"/a/../b")),
    "uWSGI, escaped dots decoded": (environ("/a/../b", "/a/%2e%2e/b"), sent(b"/a/%2e%2e/b")),
    "uWSGI, absolute form": (environ("http://host/a", "http://host/a?b", "b"), sent(b"http://host/a", b"b")),
    "uWSGI, absolute form, dots resolved": (
        environ("http://host/b", "http://host/a/../b"),
        tidied(b"http://host/b", b"http://host/a/../b"),
    ),
    "uWSGI, corrupted escape": (environ("/\0", "/%zz"), tidied(b"/%00", b"/%zz", disagree=(PATH,))),
    "uWSGI, deleted escape": (environ("/admin", "/admin%"), tidied(b"/admin", b"/admin%", disagree=(PATH,))),
    "uWSGI, unicode escape": (
        environ("/\x00041", "/%u0041"),
        tidied(b"/%00041", b"/%u0041", disagree=(PATH,)),
    ),
    "uWSGI, cut at a space": (environ("/a", "/a"), sent(b"/a")),
    "uWSGI, no target": (environ("", ""), alone(b"")),
    "uWSGI, fragment in the query": (environ("/a", "/a?b#c", "b#c"), sent(b"/a", b"b#c")),
    # servers without a raw key
    "granian, no raw key": (environ("/a/b"), alone(b"/a/b")),
    "granian, decoded once": (environ("/%2e"), alone(b"/%252e")),
    "granian, prefix": (
        environ("/a b", SCRIPT_NAME="/s b"),
        Received(Target(b"/a%20b", prefix=b"/s b"), prefix=b"/s%20b", verbatim=False, blind=BLIND),
    ),
    "wsgiref, ill-formed": (environ("/\xc4"), alone(b"/%C4")),
    "wsgiref, absolute form": (environ("http://host/a b"), alone(b"http://host/a%20b")),
    "wsgiref, absolute form with an odd authority": (environ("http://h{/a"), alone(b"http://h%7B/a")),
    "wsgiref, delimiters": (environ("/a?b#c;d"), alone(b"/a%3Fb%23c;d")),
    "hypercorn's wsgi, octets replaced by U+FFFD": (
        environ("/\xef\xbf\xbd"),
        alone(b"/%EF%BF%BD", replaced=True),
    ),
    "asgiref's bridge, octets replaced by U+FFFD": (
        environ("/a\xef\xbf\xbd"),
        alone(b"/a%EF%BF%BD", replaced=True),
    ),
    # werkzeug's development server
    "werkzeug, replaced": (
        environ("/\xef\xbf\xbd", "/%C4", RAW_URI="/%C4"),
        sent(b"/%C4"),
    ),
    "werkzeug, leading slashes merged in the raw key too": (environ("/a", "/a", RAW_URI="/a"), sent(b"/a")),
    "werkzeug, named in SERVER_SOFTWARE": (
        environ("/a", "/a", RAW_URI="/a", SERVER_SOFTWARE="Werkzeug/3.1.9"),
        sent(b"/a", blind=frozenset({Kind.LEADING_SLASHES, Kind.RAW_NON_ASCII, Kind.ILL_FORMED_UTF8})),
    ),
    "another server, named in SERVER_SOFTWARE": (
        environ("/a", "/a", SERVER_SOFTWARE="waitress"),
        sent(b"/a"),
    ),
    # Apache with mod_wsgi
    "Apache, slashes merged": (environ("/a/b", "/a//b"), tidied(b"/a/b", b"/a//b")),
    "Apache, escaped dots resolved": (environ("/b", "/a/%2e%2E/b"), tidied(b"/b", b"/a/%2e%2E/b")),
    "Apache, NoDecode": (environ("/a%2fb", "/a%2fb"), sent(b"/a%2fb")),
    "Apache, NoDecode and merged": (
        environ("/a%2fb/c", "/a%2fb//c"),
        tidied(b"/a%252fb/c", b"/a%2fb//c", disagree=(PATH,)),
    ),
    "Apache, prefix": (environ("/x", "/sub//x", SCRIPT_NAME="/sub"), tidied(b"/x", b"//x", prefix=b"/sub")),
    "Apache, a replacement character that was sent": (
        environ("/a/\xef\xbf\xbd", "/a//%EF%BF%BD"),
        tidied(b"/a/%EF%BF%BD", b"/a//%EF%BF%BD"),
    ),
    "Apache, absolute form without a path": (
        environ("/", "http://host"),
        tidied(b"/", b"http://host", disagree=(PATH,)),
    ),
    "Apache, CONNECT": (environ("/", "host:80"), tidied(b"/", b"host:80", disagree=(PATH,))),
    "mod_rewrite": (
        environ("/article", "/artikel/5?lang=de", "lang=de&id=5"),
        Received(
            Target(b"/article", b"lang=de&id=5"),
            raw=Target(b"/artikel/5", b"lang=de"),
            disagree=(PATH, QUERY),
        ),
    ),
    # nginx with uwsgi_pass: without SCRIPT_NAME
    "nginx, no SCRIPT_NAME": (
        {"PATH_INFO": "/a/b", "QUERY_STRING": "", "REQUEST_URI": "/a/b"},
        sent(b"/a/b"),
    ),
    "nginx, absolute form cut": (environ("/", "?b", "b"), tidied(b"/", b"", b"b", disagree=(PATH,))),
    # proxies that remove the prefix
    "prefix not in the raw key": (
        environ("/a", "/a", SCRIPT_NAME="/sub"),
        Received(Target(b"/a", prefix=b"/sub")),
    ),
    # test clients
    "httpx, text": (environ("/\u20ac"), alone(b"/%E2%82%AC")),
    "httpx, text within latin-1": (environ("/caf\xe9"), alone(b"/caf%E9")),
    "werkzeug's client": (
        environ("//b", "//a//b", RAW_URI="//a//b"),
        tidied(b"//b", b"//a//b", disagree=(PATH,)),
    ),
    "eventlet": (environ("/a/b", None, "q=1", RAW_PATH_INFO="/a%2Fb"), sent(b"/a%2Fb", b"q=1")),
    # a2wsgi behind an ASGI server
    "a2wsgi, replaced": (
        environ(
            "/\xef\xbf\xbd", None, "q=1", **{"asgi.scope": {"raw_path": b"/%C4", "query_string": b"q=1"}}
        ),
        sent(b"/%C4", b"q=1"),
    ),
    "a2wsgi, prefix": (
        environ(
            "/a/b", SCRIPT_NAME="/sub", **{"asgi.scope": {"raw_path": b"/sub/a%2Fb", "query_string": b""}}
        ),
        sent(b"/a%2Fb", prefix=b"/sub"),
    ),
    "a2wsgi, escaped slash not kept": (
        environ("/a%2Fb", **{"asgi.scope": {"raw_path": b"/a%2Fb", "query_string": b""}}),
        alone(b"/a%252Fb"),
    ),
    "a2wsgi, no raw path": (environ("/a", **{"asgi.scope": {"path": "/a"}}), alone(b"/a")),
    # no server does this
    "an empty environ": ({}, alone(b"")),
    "values of other types": (
        {"PATH_INFO": 1, "QUERY_STRING": None, "SCRIPT_NAME": [], "REQUEST_URI": {}, "asgi.scope": 1},
        alone(b""),
    ),
    "octets in place of text": (environ(b"/a", b"/a"), sent(b"/a")),
    "a lone surrogate": (environ("/\ud800"), alone(b"/%ED%A0%80")),
    "a raw key that is not decoded once": (environ("/%41", "/%41"), alone(b"/%2541")),
    "a raw key that is not decoded once, and another query": (
        environ("/%41", "/%41?a", "b"),
        Received(Target(b"/%2541", b"b"), raw=Target(b"/%41", b"a"), disagree=(PATH, QUERY)),
    ),
}

ASGI = {
    # uvicorn with httptools, granian: path, query and fragment parsed by the server
    "uvicorn": (scope("/a/b", b"/a%2Fb", b"q=1"), sent(b"/a%2Fb", b"q=1")),
    "uvicorn, ill-formed": (scope("/\ufffd", b"/%C4"), sent(b"/%C4")),
    "uvicorn, a replacement character that was sent": (scope("/\ufffd", b"/%EF%BF%BD"), sent(b"/%EF%BF%BD")),
    "granian, bare UTF-8": (scope("/\u00e9", "/\u00e9".encode()), sent(b"/\xc3\xa9")),
    # uvicorn with h11, hypercorn, daphne, gunicorn: the whole target in the path
    "h11, absolute form": (scope("http://host/a", b"http://host/a", b"b"), sent(b"http://host/a", b"b")),
    "h11, fragment": (scope("/a#b", b"/a#b", b"c"), sent(b"/a#b", b"c")),
    "h11, no path": (scope("", b"", b"q=1"), sent(b"", b"q=1")),
    "h11, no slash": (scope("/a", b"%2Fa"), sent(b"%2Fa")),
    "h11, asterisk": (scope("*", b"*"), sent(b"*")),
    "h11, CONNECT": (scope("host:80", b"host:80"), sent(b"host:80")),
    "hypercorn on HTTP/2": (scope("/a b\t", b"/a b\t", b"q=\xe9"), sent(b"/a b\t", b"q=\xe9")),
    # root_path
    "uvicorn, prepended": (scope("/sub/x", b"/sub/x", root="/sub"), sent(b"/x", prefix=b"/sub")),
    "uvicorn, root_path prepended twice": (
        scope("/sub/sub/x", b"/sub/sub/x", root="/sub"),
        sent(b"/sub/x", prefix=b"/sub"),
    ),
    "uvicorn, root_path prepended to an asterisk": (
        scope("/sub*", b"/sub*", root="/sub"),
        Received(Target(b"/sub*"), mount=b"/sub"),
    ),
    "uvicorn 0.22, root_path not prepended": (
        scope("/x", b"/x", root="/sub"),
        Received(Target(b"/x"), mount=b"/sub"),
    ),
    "hypercorn, root_path in the path": (scope("/sub", b"/sub", root="/sub"), sent(b"", prefix=b"/sub")),
    "hypercorn, root_path not in the path": (
        scope("/subway", b"/subway", root="/sub"),
        Received(Target(b"/subway"), mount=b"/sub"),
    ),
    "hypercorn, absolute form": (
        scope("http://host/sub/a", b"http://host/sub/a", root="/sub"),
        Received(Target(b"http://host/a", prefix=b"/sub"), b"/sub"),
    ),
    "daphne, forged": (scope("/x", b"/x", root="//evil"), Received(Target(b"/x"), mount=b"//evil")),
    "daphne, forged, with dots that lead out": (
        scope("/x/../admin", b"/x/../admin", root="/x/.."),
        sent(b"/admin", prefix=b"/x/.."),
    ),
    "a root_path that is only a slash": (scope("//admin", b"//admin", root="/"), sent(b"//admin")),
    "a root_path with a slash at the end": (
        scope("/sub//admin", b"/sub//admin", root="/sub/"),
        sent(b"//admin", prefix=b"/sub"),
    ),
    "a prefix with an escape": (
        scope("/s b/x", b"/s%20b/x", root="/s b"),
        Received(Target(b"/x", prefix=b"/s b"), b"/s%20b"),
    ),
    # granian up to 2.0.1: the decoded path as raw_path
    "granian 2.0, decoded": (scope("/a/b", b"/a/b"), sent(b"/a/b")),
    "granian 2.0, decoded once": (scope("/%2e", b"/%2e"), alone(b"/%252e")),
    "granian 2.0, decoded slash": (scope("/a%2Fb", b"/a%2Fb"), alone(b"/a%252Fb")),
    "granian 2.0, replaced": (
        scope("/\ufffd", b"/\xef\xbf\xbd"),
        sent(b"/\xef\xbf\xbd", replaced=True),
    ),
    # Starlette's mounts
    "Starlette, mount": (scope("/sub/x", b"/sub/x", root="/sub"), sent(b"/x", prefix=b"/sub")),
    "Starlette 0.27, mount": (
        scope("/a/b", b"/sub/a%2Fb", root="/sub"),
        Received(Target(b"/a%2Fb"), mount=b"/sub"),
    ),
    "Starlette 0.27, mount under a root_path": (
        scope("/a/b", b"/sub/a%2Fb", root="/api/sub"),
        Received(Target(b"/a%2Fb"), mount=b"/api/sub"),
    ),
    "Starlette 0.27, many mounts": (
        scope("/a/b", b"/sub" * 40 + b"/a%2Fb", root="/sub" * 40),
        Received(Target(b"/a%2Fb"), mount=b"/sub" * 40),
    ),
    "Starlette 0.27, mount before a fragment": (
        scope("/a/b", b"/sub/a%2Fb#/c", root="/sub"),
        Received(Target(b"/a%2Fb#/c"), mount=b"/sub"),
    ),
    "Starlette 0.27, mount before a fragment that stays": (
        scope("/a/b#/c", b"/sub/a%2Fb#/c", root="/sub"),
        Received(Target(b"/a%2Fb#/c"), mount=b"/sub"),
    ),
    "Starlette 0.27, mount before two number signs": (
        scope("/a/b", b"/sub/a%2Fb#/c#/d", root="/sub"),
        Received(Target(b"/a%2Fb#/c#/d"), mount=b"/sub"),
    ),
    "a fragment that repeats the path": (
        scope("/x", b"/x#/x", root="/x#"),
        Received(Target(b"/x#/x"), mount=b"/x#"),
    ),
    "Starlette 0.27, octets encoded twice": (
        scope("/\u00c3\u00a9", b"/sub/\xc3\xa9", root="/sub"),
        Received(Target(b"/\xc3\xa9"), mount=b"/sub"),
    ),
    "Starlette 0.27, mount and something else": (
        scope("/a", b"/other/b", root="/sub"),
        Received(Target(b"/a"), raw=Target(b"/other/b"), disagree=(PATH,), mount=b"/sub"),
    ),
    # no raw_path
    "Django's AsyncClient": (
        {"type": "http", "path": f"/caf{MOJIBAKE}", "query_string": "q=1"},
        alone(b"/caf%C3%83%C2%A9", b"q=1"),
    ),
    "raw_path None": (scope("/a/b", None) | {"raw_path": None}, alone(b"/a/b")),
    "no raw path, absolute form": (scope("http://host/a", None), alone(b"http://host/a")),
    "no raw path, octets replaced by U+FFFD": (scope("/\ufffd", None), alone(b"/%EF%BF%BD", replaced=True)),
    # test clients
    "raw_path with the query": (scope("/a/b", b"/a%2Fb?q=1", b"q=1"), sent(b"/a%2Fb", b"q=1")),
    "raw_path with an empty query": (scope("/a", b"/a?"), sent(b"/a")),
    # a2wsgi behind a WSGI server
    "a2wsgi": (
        scope("/a/b", None, b"q=1") | {"wsgi_environ": {"RAW_URI": "/a%2Fb?q=1"}},
        sent(b"/a%2Fb", b"q=1"),
    ),
    "a2wsgi, prefix": (
        scope("/sub/a/b", None, root="/sub") | {"wsgi_environ": {"REQUEST_URI": "/sub/a%2Fb"}},
        sent(b"/a%2Fb", prefix=b"/sub"),
    ),
    "a2wsgi, no raw key": (scope("/a", None) | {"wsgi_environ": {"PATH_INFO": "/a"}}, alone(b"/a")),
    # no server does this
    "an empty environ": ({}, alone(b"")),
    "values of other types": (
        {"path": b"/a", "raw_path": "/a", "query_string": 1, "root_path": 1, "headers": 1, "wsgi_environ": 1},
        alone(b""),
    ),
    "a mount that kept an escaped slash": (
        scope("/a%2Fb", b"/sub/a%2Fb", root="/sub"),
        Received(Target(b"/a%252Fb"), raw=Target(b"/sub/a%2Fb"), disagree=(PATH,), mount=b"/sub"),
    ),
    "a mount, and another path after it": (
        scope("/y", b"/sub/x", root="/sub"),
        Received(Target(b"/y"), raw=Target(b"/sub/x"), disagree=(PATH,), mount=b"/sub"),
    ),
    "a prefix that ends in an X": (scope("/X/a", b"/X/a", root="/X"), sent(b"/a", prefix=b"/X")),
    "a lone surrogate": (scope("/\ud800", b"/%ED%A0%80"), sent(b"/%ED%A0%80")),
    "another path than was sent": (
        scope("/index", b"/evil%2Findex"),
        tidied(b"/index", b"/evil%2Findex", disagree=(PATH,)),
    ),
}


@together(("handed", "expected"), WSGI.values(), ids=WSGI)
def test_a_target_is_recovered_from_an_environ(handed: dict[str, Any], expected: Received) -> None:
    assert recover_environ(handed) == expected


@pytest.mark.parametrize(("handed", "expected"), ASGI.values(), ids=ASGI)
def test_a_target_is_recovered_from_a_scope(handed: dict[str, Any], expected: Received) -> None:
    assert recover_scope(handed) == expected


@pytest.mark.parametrize(
    ("root", "path"),
    [
        ("/a" * 32, b"/a" * 32 + b"/" + b"%C3\xa9%FF" * 9000 + b"#"),
        ("/a" * 30_000, b"/a" * 30_000 + b"/%C3\xa9"),
        ("/" * 30_000, b"/" * 30_000 + b"%61"),
    ],
    ids=["many escapes", "many segments", "many slashes"],
)
def test_a_long_root_path_is_decoded_a_few_times_only(
    root: str, path: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded = 0

    def counted(octets: bytes) -> bytes:
        nonlocal decoded
        decoded += len(octets)
        return percent_decode(octets)

    monkeypatch.setattr(recovery, "percent_decode", counted)
    recover_scope(scope("/b", path, root=root))
    assert decoded < 20 * len(path)


def test_host_is_recovered_from_an_environ() -> None:
    handed = environ("/a", "http://host/a")
    assert recover_environ(handed).target.host is None
    assert recover_environ({**handed, "HTTP_HOST": "host"}).target.host == b"host"
    assert recover_environ({**handed, "HTTP_HOST": 1}).target.host == b""


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([(b"host", b"a")], b"a"),
        (((b"accept", b"*/*"), [b"host", b"a"]), b"a"),
        ([(b"host", b"a"), (b"host", b"b")], b"a,b"),
        ([(b"host", "a"), b"host", None, (b"host",), (1, 2, 3)], None),
        ([], None),
        (None, None),
        (1, None),
        (iter([(b"host", b"a")]), None),  # The iterator is not consumed: the application will read it.
    ],
)
def test_the_host_is_read_from_the_headers_of_a_scope(headers: object, expected: bytes | None) -> None:
    assert header({"headers": headers}, b"host") == expected
    assert recover_scope({"headers": headers}).target.host == expected


def test_the_recovered_target_is_what_was_sent() -> None:
    row, _ = WSGI["uWSGI, dots resolved"]
    assert recover_environ(row).sent.path == b"/a/../b"
    assert recover_environ(environ("/a")).sent.path == b"/a"


def test_kinds_that_a_server_hides_are_kinds_of_paths() -> None:
    assert all(PATH in kind.check.presets for kind in BLIND)
    assert Kind.ENCODED_SLASH in BLIND


def test_dots_are_resolved_like_those_of_a_judged_path() -> None:
    pieces = (b"/", b"/.", b"/..", b".", b"a", b"/a", b"/...", b"/.a")
    for path in {b"/" + b"".join(each) for size in range(6) for each in product(pieces, repeat=size)}:
        merged = re.sub(b"//+", b"/", path)
        edits, _ = resolve_dots(merged)
        assert _tidied(path) == Mapped(merged).splice(edits).octets
