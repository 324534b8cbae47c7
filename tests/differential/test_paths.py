"""Law 9 on paths: everyone reads the path that postel reads, raw or decoded by a server.

The decoded view is handed over as a server would: octets as latin-1 text under WSGI, text under ASGI.
Under LENIENT, which preserves, it keeps data slashes and data ``%`` escaped, which is undone before it
is compared with what the raw path decodes to. Parsers of whole URLs must take the raw path as it is:
what they would still resolve or re-encode is no canonical path.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import pytest

from differential.readers import environ
from differential.targets import PRESETS, accepted_paths
from postel import Target

COUNT: Final = 3_000


def differing(preset: str, expected: Callable[[Target], str], read: Callable[[Target], str]) -> Any:
    targets = accepted_paths(preset, COUNT)
    assert len(targets) == COUNT
    return [
        (target.path, expected(target), read(target))
        for target in targets
        if expected(target) != read(target)
    ][:10]


def text(target: Target) -> str:
    return target.path_text


def raw(target: Target) -> str:
    return target.path.decode("ascii")


def wholly_decoded(target: Target) -> str:
    """The decoded view without the escapes that it preserves."""
    if not target.preserved:
        return target.path_text
    return target.path_text.replace("%2F", "/").replace("%25", "%")


@pytest.mark.parametrize("preset", PRESETS)
def test_urllib_decodes_the_raw_path_to_the_text(preset: str) -> None:
    assert differing(preset, wholly_decoded, lambda target: unquote(raw(target), errors="strict")) == []


@pytest.mark.parametrize("preset", PRESETS)
def test_urllib_finds_the_same_path_in_a_url(preset: str) -> None:
    assert differing(preset, raw, lambda target: urlsplit(f"http://h{raw(target)}").path) == []


@pytest.mark.parametrize("preset", PRESETS)
def test_werkzeug_reads_the_text(preset: str) -> None:
    request = pytest.importorskip("werkzeug.wrappers").Request
    assert differing(preset, text, lambda target: request(wsgi(target)).path) == []


@pytest.mark.parametrize("preset", PRESETS)
def test_werkzeug_routes_the_text(preset: str) -> None:
    """Its converter for paths wants no slash in front, and no empty text: a rule of its own for these."""
    routing = pytest.importorskip("werkzeug.routing")

    class Everything(routing.PathConverter):  # type: ignore[name-defined,misc]  # imported late
        regex = ".*"
        part_isolating = False

    rules = routing.Map(
        [routing.Rule("/<everything:rest>", endpoint="all")],
        converters={"everything": Everything},
        merge_slashes=False,
    )

    def routed(target: Target) -> str:
        _, arguments = rules.bind_to_environ(wsgi(target)).match()
        return "/" + str(arguments["rest"])

    assert differing(preset, text, routed) == []


@pytest.mark.parametrize("preset", PRESETS)
def test_starlette_routes_the_text(preset: str) -> None:
    routing = pytest.importorskip("starlette.routing")
    route = routing.Route("/{rest:path}", endpoint=routing.NoMatchFound)

    def routed(target: Target) -> str:
        scope = {"type": "http", "method": "GET", "path": target.path_text, "root_path": ""}
        match, child = route.matches(scope)
        assert match is routing.Match.FULL
        return "/" + str(child["path_params"]["rest"])

    assert differing(preset, text, routed) == []


@pytest.mark.parametrize("preset", PRESETS)
def test_django_reads_the_text(preset: str) -> None:
    request = pytest.importorskip("django.core.handlers.wsgi").WSGIRequest
    with importlib.import_module("applications").django_configured():
        assert differing(preset, text, lambda target: request(wsgi(target)).path_info) == []


@pytest.mark.parametrize("preset", PRESETS)
def test_falcon_reads_the_text(preset: str) -> None:
    request = pytest.importorskip("falcon").Request
    assert differing(preset, text, lambda target: str(request(wsgi(target)).path)) == []


@pytest.mark.parametrize("preset", PRESETS)
def test_the_url_standard_takes_the_raw_path_as_it_is(preset: str) -> None:
    url = pytest.importorskip("ada_url").URL
    assert differing(preset, raw, lambda target: str(url(f"http://h{raw(target)}").pathname)) == []


@pytest.mark.parametrize("preset", PRESETS)
def test_yarl_decodes_the_raw_path_to_the_text(preset: str) -> None:
    url = pytest.importorskip("yarl").URL
    assert differing(preset, wholly_decoded, lambda target: str(url(f"http://h{raw(target)}").path)) == []


def wsgi(target: Target) -> dict[str, Any]:
    return environ(b"", target.path_octets)
