"""No target bypasses a guard on ``request.url.path``, whichever Starlette is installed.

`make test` runs this with the Starlette of constraints.txt, `make frameworks` with every version of
tests/readers/versions.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="this set of frameworks has no Starlette")

import postel.asgi
from guard_targets import HOSTILE, made_of_pieces
from postel import Policy
from starlettes.application import GUARDS, LOOKS, Answer, Watched, application, ask, behind, guarded
from targets import SAMPLES

POLICIES = {"STRICT": Policy.STRICT, "STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}
HERE = Path(__file__).parent
VERSION = version("starlette")
IS_OLD = tuple(map(int, VERSION.split(".")[:2])) < (1, 9)
"""Whether ``request.url`` is built from the decoded path without escaping it."""
WRITTEN = [
    b"/health", b"/secret", b"/health%3F/secret", b"/health%23/secret", b"/static//secret/key.txt",
    *HOSTILE,
    *(each.octets for each in SAMPLES if each.origin),
]  # fmt: skip
TARGETS = list(dict.fromkeys([*WRITTEN, *made_of_pieces()]))


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return application(tmp_path_factory.mktemp("static"))


async def answered(app: Any, target: bytes, *, may_fail: bool = False) -> Answer:
    try:
        return await ask(app, target)
    except Exception:
        if not may_fail:
            raise
        return Answer(500, "")  # as a server answers


def asked(app: Any, targets: list[bytes]) -> list[Answer]:
    async def all_of_them() -> list[Answer]:
        return [await answered(app, each) for each in targets]

    return asyncio.run(all_of_them())


def read(app: Any, target: bytes) -> Answer:
    return asked(app, [target])[0]


# -- guards --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Served:
    """A target that was served: the view's answer, and the path that each guard saw."""

    target: bytes
    body: str
    saw: dict[str, str]


@functools.cache
def served(app: Any, policy: str | None) -> list[Served]:
    watched = Watched(app)
    outer = behind(watched, POLICIES[policy]) if policy else watched
    found: list[Served] = []

    async def ask_all() -> None:
        for target in TARGETS:
            watched.saw = None
            answer = await answered(outer, target, may_fail=not policy)
            if answer.status == 200:
                assert watched.saw is not None, target
                found.append(Served(target, answer.body, watched.saw))

    asyncio.run(ask_all())
    return found


def slipped(app: Any, policy: str | None, look: str, rule: str) -> list[Served]:
    """Return the targets that the guard let pass, but would have stopped if it had seen the served path."""
    passes = GUARDS[rule]
    return [each for each in served(app, policy) if passes(each.saw[look]) and not passes(each.body)]


@pytest.mark.parametrize("rule", GUARDS)
def test_without_postel_guards_do_not_hold(app: Any, rule: str) -> None:
    """Otherwise this file would test nothing."""
    targets = {each.target for each in slipped(app, None, "request.url.path", rule)}
    assert (b"/health%3F/secret" in targets) == (IS_OLD and rule == "open paths")
    assert (b"/health%23/secret" in targets) == (IS_OLD and rule == "open paths")
    assert (b"/static//secret/key.txt" in targets) == (rule == "all except secret paths")


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("rule", GUARDS)
def test_guards_hold(app: Any, policy: str, look: str, rule: str) -> None:
    assert slipped(app, policy, look, rule)[:5] == []


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("rule", GUARDS)
def test_a_guard_written_in_the_usual_way_holds(app: Any, policy: str, rule: str) -> None:
    outer = behind(guarded(app, GUARDS[rule]), POLICIES[policy])
    answers = dict(zip(WRITTEN, asked(outer, WRITTEN), strict=True))
    assert {
        target: answer.body
        for target, answer in answers.items()
        if answer.status == 200 and not GUARDS[rule](answer.body)
    } == {}
    assert answers[b"/health"].body == "/health"
    assert answers[b"/secret"].status == 403


@pytest.mark.parametrize("policy", POLICIES)
def test_the_url_keeps_the_path(app: Any, policy: str) -> None:
    """A guard sees the routed path, except for escapes that newer versions write."""
    saw = [each.saw for each in served(app, policy)]
    assert len(saw) > 50
    assert [each for each in saw if respelled(each["request.url.path"]) != respelled(each["scope"])][:5] == []


def respelled(path: str) -> str:
    return path.replace("?", "%3F").replace("#", "%23").replace("\\", "%5C")


# -- ordinary names ------------------------------------------------------------------------------------------

ORDINARY = {b"/wiki/C%23": "/wiki/C#", b"/what%3F": "/what?"}
EACH_ORDINARY = pytest.mark.parametrize("target", ORDINARY, ids=bytes.decode)


async def show_url(scope: Any, receive: Any, send: Any) -> None:
    from starlette.requests import Request  # noqa: PLC0415 - beside its one use
    from starlette.responses import PlainTextResponse  # noqa: PLC0415

    await PlainTextResponse(str(Request(scope).url))(scope, receive, send)


@EACH_ORDINARY
@pytest.mark.parametrize("policy", ["STANDARD", "LENIENT"])
def test_ordinary_names_are_served_where_the_url_is_read_correctly(
    app: Any, target: bytes, policy: str
) -> None:
    answer = read(behind(app, POLICIES[policy]), target)
    assert answer.status == (400 if IS_OLD else 200)
    if not IS_OLD:
        assert answer.body == ORDINARY[target]
        url = read(behind(show_url, POLICIES[policy]), target)
        assert url.body == f"http://postel.test{target.decode()}"


@EACH_ORDINARY
def test_the_setting_safe_accepts_ordinary_names(app: Any, target: bytes) -> None:
    answer = read(behind(app, Policy.STANDARD, rebuilt_urls="safe"), target)
    assert (answer.status, answer.body) == (200, ORDINARY[target])


@EACH_ORDINARY
def test_the_setting_refuse_refuses_ordinary_names(app: Any, target: bytes) -> None:
    assert read(behind(app, Policy.STANDARD, rebuilt_urls="refuse"), target).status == 400


def test_the_reason_is_logged_once(app: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    middleware = postel.asgi.NormalizeMiddleware(app, observer=lambda _: None)
    asked(middleware, [*ORDINARY, *ORDINARY, b"/health"])
    said = [each.getMessage() for each in caplog.records if "starlette" in each.getMessage().lower()]
    assert len(said) == (1 if IS_OLD else 0)
    assert all(VERSION in each and "rebuilt_urls" in each for each in said)
