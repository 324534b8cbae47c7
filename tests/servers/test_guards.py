"""Guards on real servers: a request that a guard behind postel lets pass does not reach the guarded page.

Under STANDARD, postel also serves nothing that the bare application would have answered with 404. A guard in
a proxy in front judges the received path, and does not see the repairs of postel behind it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from guard_targets import HOSTILE
from servers.guarded import ASGI_APPS, GUARDED, GUARDED_PATHS, OPEN, WSGI_APPS
from servers.processes import SERVERS, Server, ask, running

pytestmark = pytest.mark.servers

GUARDS = ("path", "raw")
POLICIES = ("STANDARD", "LENIENT")


@pytest.fixture(scope="module", params=SERVERS, ids=lambda server: server.name)
def server(request: pytest.FixtureRequest) -> Iterator[tuple[Server, int]]:
    with running(request.param) as port:
        yield request.param, port


def frameworks(server: Server) -> list[str]:
    return list(WSGI_APPS if server.protocol == "wsgi" else ASGI_APPS)


def test_the_applications_serve_their_pages_and_guards_stop_plain_requests(
    server: tuple[Server, int],
) -> None:
    made, port = server
    for framework in frameworks(made):
        for policy in ("bare", *POLICIES):
            for secret in GUARDED_PATHS:
                assert ask(port, secret.encode(), f"{framework} none {policy}").body == GUARDED
                assert ask(port, secret.encode(), f"{framework} path {policy}").status == 403
            assert ask(port, b"/", f"{framework} path {policy}").body == OPEN


def test_without_postel_some_guards_do_not_hold(server: tuple[Server, int]) -> None:
    """Otherwise this file would test nothing."""
    made, port = server
    passed = {
        target
        for target in HOSTILE
        for framework in frameworks(made)
        for guard in GUARDS
        if ask(port, target, f"{framework} {guard} bare").body == GUARDED
    }
    assert passed


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("target", HOSTILE, ids=ascii)
def test_guards_hold(server: tuple[Server, int], target: bytes, policy: str) -> None:
    made, port = server
    for framework in frameworks(made):
        for guard in GUARDS:
            answer = ask(port, target, f"{framework} {guard} {policy}")
            assert GUARDED not in answer.body
            assert answer.status < 500


@pytest.mark.parametrize("target", HOSTILE, ids=ascii)
def test_postel_serves_nothing_that_is_a_404_without_it(server: tuple[Server, int], target: bytes) -> None:
    made, port = server
    for framework in frameworks(made):
        if ask(port, target, f"{framework} none bare").status == 404:
            assert ask(port, target, f"{framework} none STANDARD").status in {308, 400, 404}
