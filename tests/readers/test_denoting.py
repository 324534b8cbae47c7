"""In every framework, rebuilt URLs denote the routed path, and the path names the served view or file.

`make test` runs this with the frameworks of constraints.txt and a few targets, `make frameworks` with every
version of tests/readers/versions and more targets, and `make evidence-full` with ten thousand for each
preset.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import postel.asgi
import postel.wsgi
from differential.targets import PRESETS, paths
from postel import Accepted, Kind, Normalizer, Policy, Report, Target
from readers import sites
from readers.asking import HOST, App, Reader, Request, Seen, ask, ask_all, each_asked
from readers.denoting import EXCLUDED, MERGES, denotes, disagreeing, is_excluded, reference, routed_by
from readers.places import make_folder
from readers.record import note
from readers.registry import readers, version_of
from targets import SAMPLES

pytestmark = pytest.mark.filterwarnings("ignore")  # The warnings of the frameworks do not matter here.

COUNT = int(os.environ.get("POSTEL_GENERATED", "100"))
"""How many generated targets a preset accepts."""
SITE_TARGETS = list(dict.fromkeys(sites.targets()))[:: 19 if COUNT < 1000 else 3 if COUNT < 5000 else 1]
SEED = int(os.environ.get("POSTEL_SEED", "0"))
PRESERVING = {"LENIENT", "STANDARD, preserving"}
POLICIES = {**PRESETS, "STANDARD, preserving": Policy.STANDARD.preserving(Kind.ENCODED_SLASH)}

EACH_READER = pytest.mark.parametrize("reader", readers(), ids=str)
EACH_SITE = pytest.mark.parametrize("reader", [each for each in readers() if each.site], ids=str)
EACH_POLICY = pytest.mark.parametrize("policy", POLICIES)


def ignore(_: Report) -> None:
    """Ignore a report, because refusals are intended here."""


def behind(reader: Reader, policy: Policy, application: Any, spied: Any = None, **settings: Any) -> App:
    """Return an application behind postel."""
    middleware = postel.asgi if reader.protocol == "asgi" else postel.wsgi

    def wrap(app: Any) -> Any:
        return middleware.NormalizeMiddleware(app, policy, observer=ignore, **settings)

    return App(reader, application, wrap, spied)


def split(target: bytes) -> Target:
    path, _, query = target.partition(b"?")
    return Target(path, query, host=HOST)


@cache
def accepted(policy: str) -> dict[bytes, Target]:
    """Return kept and generated targets that a policy accepts, as received and as accepted."""
    normalizer = Normalizer(POLICIES[policy])
    found: dict[bytes, Target] = {}
    generated = 0
    for target in _candidates():
        outcome = normalizer.normalize(split(target or b""))
        if target is None:
            generated = len(found)  # The targets after this one are generated.
        elif isinstance(outcome, Accepted):
            found.setdefault(target, outcome.target)
            if generated and len(found) - generated >= COUNT:
                break
    return found


def _candidates() -> Iterator[bytes | None]:
    yield from (each.octets for each in SAMPLES if each.origin)
    yield None
    yield from paths(SEED)


# -- rebuilt URLs --------------------------------------------------------------------------------------------


@EACH_POLICY
@EACH_READER
def test_rebuilt_urls_denote_the_routed_path(reader: Reader, policy: str) -> None:
    targets = accepted(policy)
    app = behind(reader, POLICIES[policy], reader.everything())
    wrong: list[tuple[bytes, str, Any]] = []
    asked = 0
    for (received, target), seen in zip(targets.items(), ask_all(app, map(Request, targets)), strict=True):
        if not seen.asked:  # The middleware refuses requests that it knows a reader would misread.
            continue
        asked += 1
        assert seen.status == 200, (received, seen)
        routed = "/" + str(seen.places["rest"]).removeprefix("/")
        assert routed == routed_by(reader.name, target.path_text), received
        places = disagreeing(seen, preserving=policy in PRESERVING)
        wrong += [
            (received, place, seen.places[place])
            for place in places
            if not is_excluded(reader.name, place, routed)
        ]
    note("denoting", _compared(reader, policy, asked, wrong))
    assert wrong == []
    assert asked > COUNT / 2


def _compared(reader: Reader, policy: str, asked: int, wrong: list[Any]) -> dict[str, Any]:
    return {
        "framework": reader.name,
        "version": version_of(reader),
        "policy": policy,
        "targets": asked,
        "differing": len(wrong),
    }


@EACH_READER
def test_every_exclusion_is_needed(reader: Reader) -> None:
    """Without postel, the excluded place misreads at least one target; otherwise, remove the exclusion."""
    targets = [b"/a%3Fb", b"/a%23b", b"/My%2520File.pdf", b"/%20b", b"/a%3Ab"]
    answers = ask_all(App(reader, reader.everything()), map(Request, targets))
    for excluded in EXCLUDED.get(reader.name, ()):
        for place in excluded.places:
            found = [
                seen
                for seen in answers
                if place in disagreeing(seen) and excluded.concerns("/" + routed_rest(seen))
            ]
            assert found, (place, excluded.reason)


def routed_rest(seen: Seen) -> str:
    return str(seen.places["rest"]).removeprefix("/")


def test_without_postel_most_frameworks_denote_another_path() -> None:
    """The frameworks that escape correctly are the ones without an exclusion."""
    targets = [b"/health%3F/secret", b"/%2570ublic/x", b"/x//y", b"/My%2520File.pdf"]
    for reader in readers():
        found = ask_all(App(reader, reader.everything()), map(Request, targets))
        wrong = {place for seen in found for place in disagreeing(seen)}
        assert bool(wrong) == (reader.name in EXCLUDED), (reader, wrong)


def test_how_urls_are_compared() -> None:
    assert reference("https://h?x").path == b""
    assert reference("/a?b#c").path == b"/a"
    assert denotes("http://postel.test", "/")
    assert denotes("/caf\u00e9", "/caf\u00e9")
    assert denotes("/caf%C3%A9", "/caf\u00e9")
    assert not denotes("//secret/x", "/secret/x")
    assert not denotes("http://evil.test/x", "/x")
    assert not denotes("http://postel.test/a?b", "/a?b")
    assert not denotes("http://postel.test/%70", "/%70")
    assert not denotes("http://postel.test/kg%2Fs", "/kg%2Fs")
    assert not denotes("http://postel.test/kg/s", "/kg%2Fs", preserving=True)
    assert not denotes("http://postel.test/kg%s", "/kg%25s", preserving=True)


# -- routes, mounts, redirects, static files -----------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("files"))


def misplaced(
    reader: Reader, app: App, handed: list[str], targets: list[bytes], *, preserving: bool = False
) -> list[tuple[bytes, str]]:
    """Return the targets for which another view or file is served, with a description."""
    found = []
    for target, seen in zip(targets, each_asked(app, map(Request, targets)), strict=True):
        if handed and (what := sites.misplaced(reader.name, seen, handed[-1], preserving=preserving)):
            found.append((target, what))
        handed.clear()
    return found


@EACH_POLICY
@EACH_SITE
def test_the_served_view_or_file_is_the_one_that_the_path_names(
    reader: Reader, policy: str, folder: Path
) -> None:
    handed: list[str] = []
    assert reader.site is not None
    app = behind(
        reader,
        POLICIES[policy],
        reader.site(folder),
        lambda given: handed.append(sites.path_handed(given)),
    )
    assert misplaced(reader, app, handed, SITE_TARGETS, preserving=policy in PRESERVING) == []


@EACH_SITE
def test_readers_known_to_serve_something_else_do_so(reader: Reader, folder: Path) -> None:
    assert reader.site is not None
    app = App(reader, reader.site(folder))
    assert sites.served(ask(app, Request(b"/static/secret.txt/"))) == "/static/secret.txt"
    mounted = ask(app, Request(b"/mx/secret")).places.get("rest")
    assert (mounted is not None) == (reader.name in sites.MOUNTS)


@EACH_SITE
def test_a_site_serves_its_named_views_and_files(reader: Reader, folder: Path) -> None:
    """Otherwise no wrong file could be served either."""
    assert reader.site is not None
    app = App(reader, reader.site(folder))
    found = [sites.served(ask(app, Request(target))) for target in sites.NAMED]
    without_a_slash = [each for each in found if each]
    assert len(without_a_slash) >= len(sites.NAMED) - 4, found


# -- exemptions by route -------------------------------------------------------------------------------------


@EACH_SITE
def test_a_route_of_postel_matches_the_paths_that_the_router_matches(reader: Reader, folder: Path) -> None:
    """``routes=`` and a router read the same segments, in every spelling."""
    assert reader.site is not None
    for segment in (b"@me", b"a+b", b"a:b", b"$x", b"one"):
        route = "/units/" + segment.decode()
        app = behind(reader, Policy.LENIENT, reader.site(folder), routes={route: Policy.STRICT})
        for at in range(len(segment)):
            respelled = segment[:at] + b"%%%02X" % segment[at] + segment[at + 1 :]
            seen = ask(app, Request(b"/units/" + respelled + b"?a=%5B%5D<"))
            assert not (seen.asked and seen.places.get("unit") == segment.decode()), (respelled, route)


def test_readers_that_merge_slashes_are_listed() -> None:
    assert set(MERGES) <= {each.name for each in readers()} | {"Litestar"}
