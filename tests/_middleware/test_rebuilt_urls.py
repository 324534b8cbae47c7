"""URLs that frameworks rebuild have the path that was routed, or the request is refused.

Werkzeug decodes some escapes a second time, and Starlette before 1.9 ended the path at a decoded "?". Readers
that postel does not cover are listed here by name, each with what it reads today.
"""

from __future__ import annotations

import functools
import itertools
import re
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, cast
from unittest import mock
from urllib.parse import quote, unquote, urlsplit

import falcon.asgi
import flask
import litestar
import pytest
import starlette
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import URL
from werkzeug.wrappers import Request

from adapters import ASGI, WSGI, environ_of, run, scope_of
from postel import Action, Kind, Normalizer, Policy, PolicyError, Target
from postel._http.report import KEY
from sampling import EVERY, sample
from together import together

ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
BEHIND = functools.cache(WSGI.behind)  # Compiling a policy takes longer than a request.
STANDARD = BEHIND(Policy.STANDARD)
NORMALIZER = Normalizer()


def written(text: str) -> str:
    """Return a path as a URL holds it: illegal characters are escaped, and no escape is decoded."""
    return ESCAPE.sub(lambda match: match[0].upper(), quote(text, safe="!\"$%&'()*+,/:;<=>@[\\]^`{|}~"))


def rebuilt(target: bytes, policy: Policy = Policy.STANDARD) -> tuple[str, str] | None:
    """Return the routed path, and the path of Werkzeug's ``request.url``, both as a URL holds them."""
    environ = environ_of(target, HTTP_HOST="a.example", SERVER_NAME="a", SERVER_PORT="80")
    through = STANDARD if policy == Policy.STANDARD else BEHIND(policy)
    given = through.serve({**environ, "wsgi.url_scheme": "http"}).given
    if given is None:
        return None
    request = Request(given)
    parts = urlsplit(request.url)
    assert parts.hostname == "a.example"
    assert urlsplit(request.base_url).path == parts.path
    return written(request.root_path + request.path), written(parts.path)


# -- Werkzeug ------------------------------------------------------------------------------------------------


def is_decoded_twice(octet: int) -> bool:
    """Whether Werkzeug's request.url has the octet in place of a double escape such as ``%2541``."""
    both = rebuilt(b"/a%%25%02Xb" % octet, Policy.STANDARD.allowing(Kind.UNSAFE_DOUBLE_ESCAPE))
    assert both is not None
    return both[0] != both[1]


@pytest.mark.no_cover
@together("octet", range(256))
def test_targets_that_werkzeug_decodes_twice_are_refused(octet: int) -> None:
    escape = b"%%25%02X" % octet
    kinds = {each.kind for each in NORMALIZER.examine(Target(b"/a" + escape + b"b")).findings}
    assert kinds == {Kind.UNSAFE_DOUBLE_ESCAPE if octet < 0x80 and octet != 0x20 else Kind.DOUBLE_ESCAPE}
    if is_decoded_twice(octet):
        assert rebuilt(b"/a" + escape + b"b") is None


@pytest.mark.no_cover
def test_werkzeug_still_decodes_twice() -> None:
    """Otherwise this file would test nothing, and unsafe-double-escape would refuse too much."""
    assert {octet for octet in range(256) if is_decoded_twice(octet)} == set(range(0x21, 0x7F)) - set(b"#%/?")


@pytest.mark.parametrize("target", [b"/%2570ublic/x", b"/public/%252e%252e/x", b"/x%253Ay", b"/%25%34%30me"])
def test_a_target_that_a_guard_on_werkzeugs_url_misreads_is_refused(target: bytes) -> None:
    """If postel allows the double escape, such a guard reads ``/%2570ublic/x`` as ``/public/x``."""
    both = rebuilt(target, Policy.STANDARD.allowing(Kind.UNSAFE_DOUBLE_ESCAPE))
    assert both is not None
    assert both[0] != both[1]
    assert rebuilt(target) is None


PIECES = [
    b"/", b"a", b"%25", b"%", b"2", b"5", b"%32", b"%35", b"4", b"1", b"%34", b"%2e", b".", b"e", b"u",
    b"%C3%A9", "é".encode(), b"%20", b" ", b":", b"%3A", b"%3B", b"%3F", b"%23", b"+", b"%5B", b"[", b"%7e",
    b";", b"\\",
]  # fmt: skip


def agrees(target: bytes) -> bool:
    both = rebuilt(target)
    return both is None or both[0] == both[1]


@pytest.mark.no_cover
@EVERY
def test_werkzeugs_url_has_the_routed_path_for_every_short_path(every: int) -> None:
    accepted = 0
    for pieces in sample(itertools.product(PIECES, repeat=3), every):
        target = b"/" + b"".join(pieces)
        if (both := rebuilt(target)) is not None:
            assert both[0] == both[1], target
            accepted += 1
    assert accepted > 1000 // every


@given(pieces=st.lists(st.sampled_from(PIECES), max_size=12))
def test_werkzeugs_url_has_the_routed_path(pieces: list[bytes]) -> None:
    assert agrees(b"/" + b"".join(pieces))


@given(octets=st.binary(max_size=12))
def test_werkzeugs_url_has_the_routed_path_for_random_targets(octets: bytes) -> None:
    assert agrees(b"/" + octets)


def test_werkzeug_reads_a_double_escape_beyond_ascii_as_text() -> None:
    """postel does not cover this reader: as a URI the path is the same, but as text it is another one."""
    given = STANDARD.serve(environ_of(b"/caf%25C3%25A9", HTTP_HOST="h", **{"wsgi.url_scheme": "http"})).given
    assert given is not None
    request = Request(given)
    assert (request.path, urlsplit(request.url).path) == ("/caf%C3%A9", "/café")


# -- Starlette -----------------------------------------------------------------------------------------------

READER = "starlette.datastructures"
TARGETS = (b"/wiki/C%23", b"/what%3F", b"/health%3F/secret", b"/health%23/secret")


class OldURL:
    """The URL class of Starlette before 1.9."""

    def __init__(self, scope: Any) -> None:
        self.path = urlsplit(f"{scope['scheme']}://{scope['headers'][0][1].decode()}{scope['path']}").path


class Raising:
    """A URL class that raises."""

    def __init__(self, scope: Any) -> None:
        raise LookupError(scope)


class Odd(ModuleType):
    """A module whose attributes cannot be read."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


def module(**names: Any) -> ModuleType:
    made = ModuleType(READER)
    vars(made).update(names)
    return made


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def load(reader: object) -> None:
        monkeypatch.setitem(sys.modules, READER, cast("ModuleType", reader))

    return load


Load = Callable[[object], None]


def test_the_current_starlette_needs_no_refusal(caplog: pytest.LogCaptureFixture) -> None:
    through = ASGI.behind()
    for target in TARGETS:
        served = through.serve(scope_of(target, headers=[(b"host", b"h")]))
        assert served.given is not None
        assert unquote(URL(scope={**served.given, "scheme": "http"}).path) == served.given["path"]
    assert caplog.records == []


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "policy",
    [Policy.STRICT, Policy.STANDARD, Policy.LENIENT, Policy.STANDARD.allowing(Kind.ENCODED_DELIMITER)],
    ids=["STRICT", "STANDARD", "LENIENT", "allowing"],
)
def test_an_old_starlette_receives_no_delimiter(loaded: Load, target: bytes, policy: Policy) -> None:
    loaded(module(URL=OldURL))
    through = ASGI.behind(policy)
    answer = through.serve(scope_of(target))
    assert (answer.status, answer.given, answer.kinds) == (400, None, ["encoded-delimiter"])
    assert through.serve(scope_of(target.partition(b"%")[0])).status == 200
    if policy != Policy.STRICT:
        found = answer.report.findings[-1]
        assert (found.kind, found.action) == (Kind.ENCODED_DELIMITER, Action.REJECT)
        assert target[found.offset :].startswith(found.excerpt)
        assert found.excerpt in {b"%3F", b"%23"}
        assert found.detail == "a rebuilt URL would end the path here"


def test_preserved_escapes_are_safe(loaded: Load) -> None:
    loaded(module(URL=OldURL))
    served = ASGI.behind(Policy.STANDARD.preserving(Kind.ENCODED_DELIMITER)).serve(scope_of(b"/wiki/C%23"))
    assert served.given is not None
    assert served.given["path"] == "/wiki/C%23"
    assert ASGI.behind().serve(scope_of(b"/a%3Bb?q=%3F%23")).status == 200


def test_a_prefix_is_judged_as_well(loaded: Load) -> None:
    loaded(module(URL=OldURL))
    through = ASGI.behind(Policy.STANDARD.allowing(Kind.ENCODED_DELIMITER))
    assert through.serve(ASGI.mounted(b"/sub%3Fx/a", "/sub?x")).kinds == ["encoded-delimiter"]
    assert through.serve(scope_of(b"/a", root_path="/sub?x")).kinds == ["encoded-delimiter"]
    assert through.serve(ASGI.mounted(b"/sub/a", "/sub")).status == 200


def test_handshakes_are_refused_too(loaded: Load) -> None:
    loaded(module(URL=OldURL))
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    through = ASGI.behind()
    run(through.middleware({**scope_of(b"/health%3F/secret"), "type": "websocket"}, send, send))
    assert (sent, through.given) == ([{"type": "websocket.close", "code": 1008}], None)


def test_each_value_of_the_setting_refuses_the_right_paths(loaded: Load) -> None:
    def statuses(words: Any) -> list[int]:
        through = ASGI.behind(rebuilt_urls=words)
        return [through.serve(scope_of(target)).status for target in (b"/wiki/C%23", b"/%77iki/a", b"/x%3F")]

    assert statuses("refuse") == [400, 200, 400]
    assert statuses({"/wiki": "refuse"}) == [400, 200, 200]
    assert statuses({"/": "refuse", "/wiki": "safe"}) == [200, 200, 400]
    loaded(module(URL=OldURL))
    assert statuses("detect") == [400, 200, 400]
    assert statuses("safe") == [200, 200, 200]
    assert statuses({"/wiki": "safe"}) == [200, 200, 400]
    assert statuses({"/*": "safe"}) == [200, 200, 200]
    assert statuses({"/": "safe", "/wiki": "detect"}) == [400, 200, 200]


def test_only_paths_in_the_safe_route_before_and_after_repair_are_safe(loaded: Load) -> None:
    loaded(module(URL=OldURL))
    through = ASGI.behind(Policy.LENIENT, rebuilt_urls={"/wiki": "safe"})
    assert through.serve(scope_of(b"/wiki/a/../C%23")).status == 200
    assert through.serve(scope_of(b"/wiki/../C%23")).status == 400
    assert through.serve(scope_of(b"/x/../wiki/C%23")).status == 400


def test_the_advice_to_upgrade_is_logged_once(loaded: Load, caplog: pytest.LogCaptureFixture) -> None:
    loaded(module(URL=OldURL))
    through = ASGI.behind()
    for _ in range(3):
        through.serve(scope_of(b"/wiki/C%23"))
    (record,) = [each for each in caplog.records if "request.url" in each.getMessage()]
    assert record.levelname == "WARNING"
    assert record.name == "postel"
    message = record.getMessage()
    assert message.startswith(f"Starlette {starlette.__version__} builds request.url from the decoded path")
    assert "upgrade to Starlette 1.9 or newer" in message
    assert 'rebuilt_urls="safe"' in message


def test_the_log_has_no_version_if_there_is_none(
    loaded: Load, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    loaded(module(URL=OldURL))
    monkeypatch.setitem(sys.modules, "starlette", ModuleType("starlette"))
    ASGI.behind()
    assert caplog.records[0].getMessage().startswith("Starlette (of unknown version) builds")


def test_a_starlette_that_is_loaded_later_is_detected(loaded: Load) -> None:
    loaded(None)
    through = ASGI.behind()
    assert through.serve(scope_of(b"/wiki/C%23")).status == 200
    loaded(module(URL=OldURL))
    assert through.serve(scope_of(b"/wiki/C%23")).status == 400
    loaded(None)
    assert through.serve(scope_of(b"/wiki/C%23")).status == 400  # the result is remembered


@pytest.mark.parametrize("reader", [None, module(), module(URL="text"), "text", 5], ids=repr)
def test_without_a_url_class_nothing_is_rebuilt(loaded: Load, reader: object) -> None:
    loaded(reader)
    assert ASGI.behind().serve(scope_of(b"/wiki/C%23")).status == 200


@pytest.mark.parametrize(
    "reader",
    [module(URL=Raising), module(URL=lambda scope: None), module(URL=mock.MagicMock()), Odd("odd")],
    ids=["raises", "gives nothing", "gives a mock", "raises when it is read"],
)
def test_a_url_class_that_fails_is_not_trusted(loaded: Load, reader: object) -> None:
    loaded(reader)
    assert ASGI.behind().serve(scope_of(b"/wiki/C%23")).status == 400
    assert ASGI.behind().serve(scope_of(b"/wiki/C")).status == 200


def test_without_enforcement_the_url_is_only_reported(loaded: Load) -> None:
    loaded(module(URL=OldURL))
    scope = scope_of(b"/wiki/C%23")
    served = ASGI.behind(enforce=False).serve(scope)
    assert served.given is not None
    assert {key: value for key, value in served.given.items() if key != KEY} == scope
    assert served.report.refused


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("never", "rebuilt_urls='never': write 'detect', 'safe' or 'refuse', or a dict"),
        (None, "rebuilt_urls=None: write"),
        (["safe"], "rebuilt_urls=['safe']: write"),
        ({"/wiki": "never"}, "rebuilt_urls['/wiki']='never': write"),
        ({"/wiki": ["safe"]}, "rebuilt_urls['/wiki']=['safe']: write"),
        ({"/": "never"}, "rebuilt_urls['/']='never': write"),
        ({"wiki": "safe"}, "rebuilt_urls['wiki']: a route is a path such as"),
        ({5: "safe"}, "rebuilt_urls[5]: a route is a path such as"),
        ({"/a*": "safe"}, "rebuilt_urls['/a*']: 'a*' is not a placeholder for one segment"),
        ({"/a/{b}": "safe", "/a/*": "safe"}, "rebuilt_urls: '/a/*' is listed twice"),
        (
            {},
            "rebuilt_urls={} changes nothing, because each path has 'detect' already; leave rebuilt_urls out",
        ),
        ({"/x": "detect"}, "rebuilt_urls={'/x': 'detect'} changes nothing"),
        ({"/x": "detect", "/": "detect"}, "rebuilt_urls={'/x': 'detect', '/': 'detect'} changes nothing"),
    ],
)
def test_invalid_settings_raise(words: Any, message: str) -> None:
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}"):
        ASGI.behind(rebuilt_urls=words)


def test_a_route_that_begins_with_the_prefix_is_named(caplog: pytest.LogCaptureFixture) -> None:
    ASGI.behind(rebuilt_urls={"/": "safe", "/api/wiki": "refuse"}, prefix="/api")
    (message,) = [record.getMessage() for record in caplog.records]
    assert message.startswith("rebuilt_urls['/api/wiki'] begins with prefix='/api', but ")
    assert message.endswith("write '/wiki'")


# -- readers that are excluded by name -----------------------------------------------------------------------


def test_flasks_full_path_ends_at_a_decoded_delimiter() -> None:
    given = STANDARD.serve(
        environ_of(b"/health%3F/secret", HTTP_HOST="h", **{"wsgi.url_scheme": "http"})
    ).given
    assert given is not None
    request = flask.Request(given)
    assert (request.path, request.full_path) == ("/health?/secret", "/health?/secret?")
    assert urlsplit(request.full_path).path == "/health"
    assert urlsplit(request.url).path == "/health%3F/secret"


def handed(target: bytes) -> dict[str, Any]:
    scope = scope_of(target, headers=[(b"host", b"h")], scheme="http", http_version="1.1", server=("h", 80))
    given = ASGI.behind().serve(scope).given
    assert given is not None
    return given


def test_litestars_url_ends_at_a_decoded_delimiter() -> None:
    request = litestar.Request[Any, Any, Any](cast("Any", handed(b"/health%3F/secret")))
    assert urlsplit(str(request.url)).path == "/health"


def test_falcons_url_on_asgi_ends_at_a_decoded_delimiter() -> None:
    request = falcon.asgi.Request(handed(b"/health%3F/secret"), cast("Any", None))
    assert request.path == "/health?/secret"
    assert urlsplit(request.url).path == "/health"
    assert urlsplit(request.uri).path == "/health"
