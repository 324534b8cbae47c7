"""X-Vhm-Root: Pyramid puts it in front of the path that it routes by, so a client must not send it."""

from __future__ import annotations

from typing import Any, Final

import pytest
from pyramid.config import Configurator
from pyramid.response import Response

from adapters import ASGI, WSGI, environ_of, scope_of
from postel import Kind, Policy
from postel.wsgi import NormalizeMiddleware

PRESETS: Final = (Policy.STRICT, Policy.STANDARD, Policy.LENIENT)


class Resource(dict[str, Any]):
    """A node of the tree that Pyramid traverses."""


def pyramid() -> Any:
    """Return an application that guards nothing and serves /admin/panel."""
    with Configurator(root_factory=lambda _: Resource(admin=Resource(panel=Resource()))) as config:
        config.add_view(lambda _: Response("panel"), context=Resource)
        return config.make_wsgi_app()


def status(app: Any, root: str) -> str:
    told: list[str] = []
    list(app(environ_of(b"/panel", HTTP_X_VHM_ROOT=root), lambda status, *_: told.append(status)))
    return told[0][:3]


def test_pyramid_routes_by_another_path_unless_postel_refuses_the_header() -> None:
    app = pyramid()
    assert status(app, "/") == "404"
    assert status(app, "/admin") == "200"
    for policy in PRESETS:
        assert status(NormalizeMiddleware(app, policy), "/admin") == "400"
    allowing = Policy.STANDARD.allowing(Kind.REROUTING_HEADER)
    assert status(NormalizeMiddleware(app, allowing), "/admin") == "200"


@pytest.mark.parametrize("name", [b"x-vhm-root", b"x_vhm_root", b"X-VHM_ROOT"])
@pytest.mark.parametrize("policy", PRESETS, ids=["STRICT", "STANDARD", "LENIENT"])
def test_every_spelling_that_a_bridge_reads_as_the_header_is_refused(policy: Policy, name: bytes) -> None:
    answer = ASGI.behind(policy).serve(scope_of(b"/a", headers=[(b"host", b"h"), (name, b"/admin")]))
    assert answer.status == 400
    assert Kind.REROUTING_HEADER in {each.kind for each in answer.report.findings}


def test_other_headers_pass_unjudged() -> None:
    headers = [(b"host", b"h"), (b"x-vhm-host", b"/a"), (b"x-vhm-rooted", b"/b")]
    assert ASGI.behind().serve(scope_of(b"/a", headers=headers)).status == 200
    assert WSGI.behind().serve(environ_of(b"/a", HTTP_X_VHM_HOST="/b")).status == 200
