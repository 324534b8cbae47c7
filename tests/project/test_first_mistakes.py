"""First mistakes of new users fail with a message that says what to write instead."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

import pytest

import postel
import postel.asgi
import postel.wsgi
from postel import Characters, Kind, LogObserver, Normalizer, Policy, PolicyError, Target, form, javascript
from postel.uri import (
    build_path,
    build_query,
    clean,
    decode_component,
    encode_component,
    is_local,
    parse_path,
    parse_query,
    parse_reference,
    pretty,
)
from terminal import run


def django_middleware(request: Any) -> Any:
    return request


MISTAKES: Final = [
    pytest.param(lambda: Policy("strict"), PolicyError, "write Policy.parse('strict')", id="a preset's name"),
    pytest.param(lambda: Policy.parse("standrad"), PolicyError, "did you mean 'standard'?", id="a preset"),
    pytest.param(
        lambda: Policy.parse("standard limit.pair=5"), PolicyError, "did you mean 'pairs'?", id="a limit"
    ),
    pytest.param(lambda: Kind.of("encoded-slsh"), PolicyError, "did you mean 'encoded-slash'?", id="a kind"),
    pytest.param(lambda: Kind.of("NUL"), PolicyError, "did you mean 'nul'?", id="a kind's name"),
    pytest.param(lambda: Target("/é"), TypeError, r"write path=b'/\xc3\xa9'", id="text for a path"),
    pytest.param(lambda: Target(b"/", "q"), TypeError, "write query=b'q'", id="text for a query"),
    pytest.param(lambda: Target(5), TypeError, "path must be bytes", id="a number for a path"),
    pytest.param(lambda: Target(prefix="x"), TypeError, "write prefix=b'x'", id="text for a prefix"),
    pytest.param(lambda: Target(prefix=None), TypeError, "write prefix=octets", id="None for a prefix"),
    pytest.param(lambda: Target(host="x"), TypeError, "write host=b'x'", id="text for a host"),
    pytest.param(lambda: Target(preserved="/"), TypeError, "write preserved=b'/'", id="text for preserved"),
    pytest.param(
        lambda: Normalizer().is_clean("/x", ""),
        TypeError,
        "is_clean(path='/x'): path must be bytes; write path=b'/x'",
        id="text for a clean path",
    ),
    pytest.param(
        lambda: Normalizer().is_clean(b"/x", "q"), TypeError, "write query=b'q'", id="text for a clean query"
    ),
    pytest.param(
        lambda: Normalizer().is_clean(b"/x", None),
        TypeError,
        "write query=octets",
        id="None for a clean query",
    ),
    pytest.param(
        lambda: Normalizer().examine("/x"),
        TypeError,
        "write examine(Target(b'/path', b'query'))",
        id="text for a target to examine",
    ),
    pytest.param(
        lambda: Normalizer().normalize("/x"),
        TypeError,
        "write normalize(Target(b'/path', b'query'))",
        id="text for a target",
    ),
    pytest.param(
        lambda: postel.wsgi.NormalizeMiddleware(django_middleware),
        PolicyError,
        "wrap the application in wsgi.py",
        id="in Django's MIDDLEWARE, by WSGI",
    ),
    pytest.param(
        lambda: postel.asgi.NormalizeMiddleware(django_middleware),
        PolicyError,
        "wrap the application in wsgi.py or asgi.py",
        id="in Django's MIDDLEWARE, by ASGI",
    ),
    pytest.param(
        lambda: postel.NormalizeMiddleware, ImportError, "postel.wsgi (Flask, wsgi.py)", id="no protocol"
    ),
    pytest.param(
        lambda: postel.wsgi.NormalizeMiddleware(lambda environ, start_response: [], "strict"),
        PolicyError,
        "write policy=Policy.parse('strict')",
        id="a preset's name for a policy",
    ),
    pytest.param(lambda: Policy(5), PolicyError, "begin with a preset", id="a number for a policy's table"),
    pytest.param(lambda: Kind("nul"), PolicyError, "write Kind.of('nul')", id="a slug for a kind"),
    pytest.param(lambda: Kind.of(5), PolicyError, "such as Kind.of('nul')", id="a number for a slug"),
    pytest.param(
        lambda: Policy.STANDARD.allowing(Kind.TAB, on="path"),
        PolicyError,
        "on='path': name a Component, such as Component.PATH",
        id="text for a component",
    ),
    pytest.param(
        lambda: postel.policy_table("standard"), PolicyError, "such as Policy.STANDARD", id="text for a table"
    ),
    pytest.param(lambda: Characters.of(5), ValueError, "as in (0x41, 0x5A)", id="a number for a range"),
    pytest.param(lambda: LogObserver("postel"), PolicyError, "write LogObserver()", id="a logger's name"),
    pytest.param(
        lambda: encode_component("a", place="query"),
        TypeError,
        "such as Place.QUERY_VALUE",
        id="text for a place",
    ),
    pytest.param(
        lambda: postel.Middleware, AttributeError, "no attribute 'Middleware'", id="an unknown name"
    ),
]

_DECODE: Final = "b'/a' is not text; decode it"
NOT_TEXT: Final = [
    pytest.param(clean, b"/a", _DECODE, id="octets to clean"),
    pytest.param(pretty, b"/a", _DECODE, id="octets to print"),
    pytest.param(parse_path, b"/a", _DECODE, id="octets of a path"),
    pytest.param(parse_query, b"/a", _DECODE, id="octets of a query"),
    pytest.param(parse_reference, b"/a", _DECODE, id="octets of a reference"),
    pytest.param(decode_component, b"/a", _DECODE, id="octets to decode"),
    pytest.param(is_local, b"/a", _DECODE, id="octets of a reference to judge"),
    pytest.param(javascript.escape, b"/a", _DECODE, id="octets for JavaScript's escape"),
    pytest.param(javascript.unescape, b"/a", _DECODE, id="octets for JavaScript's unescape"),
    pytest.param(javascript.encodeURI, b"/a", _DECODE, id="octets for JavaScript's encoders"),
    pytest.param(javascript.decodeURI, b"/a", _DECODE, id="octets for JavaScript's decoders"),
    pytest.param(
        is_local, None, "None is not text; pass '' if the parameter is missing", id="a missing parameter"
    ),
    pytest.param(lambda base: is_local("/", base), 5, "5 is not text; write str(5)", id="a number as base"),
    pytest.param(build_path, ["users", 42], "42 is not text; write str(42)", id="a number as segment"),
    pytest.param(build_query, [("page", 2)], "2 is not text; write str(2)", id="a number as value"),
    pytest.param(build_query, {"a": "1"}, "such as [*given.items()]", id="a dict of pairs"),
    pytest.param(form.serialize, {"a": "1"}, "such as [*given.items()]", id="a dict as form"),
    pytest.param(form.serialize, "a=b", "pass a list of pairs", id="text as pairs"),
    pytest.param(form.parse, 5, "5 is not text; write str(5)", id="a number as form"),
]


@pytest.mark.parametrize(("function", "given", "words"), NOT_TEXT)
def test_anything_but_text_is_a_type_error_with_a_remedy(
    function: Callable[[Any], Any], given: Any, words: str
) -> None:
    with pytest.raises(TypeError, match=re.escape(words)):
        function(given)


@pytest.mark.parametrize(("mistake", "error", "words"), MISTAKES)
def test_a_mistake_gets_a_message_with_a_remedy(
    mistake: Callable[[], Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error) as raised:
        mistake()
    assert words in str(raised.value)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("example.com/foo", "https://example.com/foo"),
        ("localhost:8000", "https://localhost:8000"),
        ("books/a.html", "/books/a.html"),
        ("\x1b.example", "/\\x1b.example"),
    ],
)
def test_a_scheme_is_suggested_for_a_url_without_one(text: str, meant: str) -> None:
    assert f"did you mean {meant}?\n" in run("check", "--", text).out


def test_a_hyphen_is_standard_input() -> None:
    assert run("check", "-", given=b"/a\n/b%2F\n").out == run("check", given=b"/a\n/b%2F\n").out


@pytest.mark.parametrize(
    ("name", "package"), [("prometheus", "prometheus_client"), ("opentelemetry", "opentelemetry.metrics")]
)
def test_an_extra_that_is_not_installed_is_named(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"postel.{name}", raising=False)
    with pytest.raises(ModuleNotFoundError, match=rf"pip install '\.\[{name}\]' in the clone"):
        import_module(f"postel.{name}")


def test_help_begins_with_the_middleware() -> None:
    assert postel.__doc__ is not None
    assert "from postel.asgi import NormalizeMiddleware" in "\n".join(postel.__doc__.splitlines()[:8])
