"""The doctor finds the bypass of a guard on ``request.url.path`` in each Starlette that allows it."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("starlette", reason="this set of frameworks has no Starlette")

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from postel import Kind, Policy
from postel.doctor import examine
from starlettes.application import guarded, scope_of

HOST = {"headers": [(b"host", b"localhost/?")]}
IS_STEERED = Request({**scope_of(b"/admin/panel"), **HOST}).url.path != "/admin/panel"
"""Whether a path in the Host becomes the path of the URL: CVE-2026-48710."""


async def health(_: Any) -> PlainTextResponse:
    return PlainTextResponse("well")


async def panel(_: Any) -> PlainTextResponse:
    return PlainTextResponse("the panel")


APP = Starlette(routes=[Route("/health", health), Route("/admin/panel", panel)])
ROUTES = ["/health", "/admin/panel"]


@pytest.mark.parametrize(
    "passes",
    [lambda path: path == "/health", lambda path: not path.startswith("/admin")],
    ids=["open paths", "all except secret paths"],
)
def test_the_bypass_of_a_guard_on_the_path_of_the_url_is_found(passes: Any) -> None:
    found = examine(guarded(APP, passes), routes=ROUTES)
    assert [(each.rule, each.kinds) for each in found.bare] == [
        ("guard", (Kind.MALFORMED_HOST,))
    ] * IS_STEERED
    assert found.behind == ()
    assert all(each.cve == "CVE-2026-48710" for each in found.bare)
    assert all(each.clause(Policy.STANDARD) == "malformed-host=reject" for each in found.bare)


def test_readings_of_the_url_are_shown() -> None:
    readings = {each.meaning.name: each for each in examine(APP).readings}
    note = readings["a path"].bare.note
    assert note is not None
    assert ("request.url" in {each.place for each in note.differences}) is IS_STEERED
