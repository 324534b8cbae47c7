"""No request reaches a guarded view or file unless the guard saw that path, wherever the guard stands."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from whole.conftest import Noting
from whole.guarded import KEPT, Guarded
from whole.guarded_more import all_guarded
from whole.request import Request
from whole.scale import EACH_RUN, Run
from whole.walking import KEPT_PATHS, walks
from whole.walls import BARE, PRESETS, Wall, guards_of, routes

EACH_PLACE = pytest.mark.parametrize("guarded", all_guarded(), ids=str)


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as made:
        yield made


@pytest.mark.filterwarnings("ignore")  # The warnings of the frameworks do not matter here.
@EACH_RUN
@EACH_PLACE
def test_no_request_bypasses_a_guard(
    guarded: Guarded, run: Run, runner: asyncio.Runner, asked_about: Noting
) -> None:
    """A short run tests one preset in each place, with its own seed; a long run tests all pairs."""
    place = all_guarded().index(guarded)
    found, asked = [], 0
    for number, guard in enumerate(guards_of(guarded)):
        presets = [*PRESETS] if run.long else [[*PRESETS][(place + number) % len(PRESETS)]]
        for preset in presets:
            wall = Wall(guarded, guard, preset, runner)
            seed = run.seed if run.long else place
            ways = list(walks(seed, run.count(25, 150)))
            found += [str(walk) for walk in wall.walks(ways)]
            asked += len(ways)
    asked_about("guards", run, requests=asked, broken=len(found))
    assert not found, "\n".join(found[:3])


@pytest.mark.filterwarnings("ignore")  # The warnings of the frameworks do not matter here.
@EACH_PLACE
def test_without_postel_a_guard_stops_plain_requests(guarded: Guarded, runner: asyncio.Runner) -> None:
    """A guard that lets everything through shows that the guarded pages exist."""
    if guarded.routes:
        return
    for guard in guards_of(guarded):
        wall = Wall(guarded, guard, BARE, runner)
        assert not [path for path in KEPT_PATHS if wall.is_passed(Request(path))]
    lets = Guarded(guarded.framework, guarded.place, guarded.protocol, lambda _: guarded.make(lambda _: True))
    there = [path for path in KEPT_PATHS if Wall(lets, "keeps", BARE, runner).is_passed(Request(path))]
    assert (
        len(there) >= len(KEPT_PATHS) - 2
    )  # Only the other guard protects /secret, and a decorator guards no files.


@pytest.mark.filterwarnings("ignore")  # The warnings of the frameworks do not matter here.
def test_without_a_middleware_guards_are_bypassed(runner: asyncio.Runner) -> None:
    """Otherwise this file would test nothing."""
    asked = list(walks(0, 60))
    passed = [
        guarded
        for guarded in all_guarded()
        if not guarded.routes and any(map(Wall(guarded, "keeps", BARE, runner).is_passed, asked))
    ]
    assert len({each.framework for each in passed}) == len({each.framework for each in all_guarded()})


def test_every_route_can_be_guarded() -> None:
    assert routes() == KEPT
