"""How often a request is judged, and how many calls it takes."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import postel
from adapters import ASGI, EACH_PROTOCOL, WSGI, Protocol, Request
from postel import Action, Policy
from postel._http.fields import FieldRules
from postel._http.host import fault_of
from postel._normalizer.routes import RoutedNormalizer
from postel._normalizer.target import Target

SOURCE = f"{Path(postel.__file__).parent}/"
COOKIE = {"cookie": Action.DROP_PAIR, "referer": Action.DROP}
JUDGES = {RoutedNormalizer.normalize.__code__, RoutedNormalizer.examine.__code__}

Seen = Callable[[FrameType], None]


def watched(protocol: Protocol, request: Request, seen: Seen, **settings: Any) -> int:
    """Serve a request, call a function for each call inside postel, and return the status of the answer."""
    through = protocol.behind(**settings)
    through.serve(request)  # The first request compiles patterns that later ones reuse.

    def profiled(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(SOURCE):
            seen(frame)

    sys.setprofile(profiled)
    try:
        return through.serve(request).status
    finally:
        sys.setprofile(None)


def judged(protocol: Protocol, request: Request, **settings: Any) -> tuple[int, list[Target]]:
    """Return the status of the answer, and all targets that were judged for it."""
    targets: list[Target] = []

    def seen(frame: FrameType) -> None:
        if frame.f_code in JUDGES:
            targets.append(frame.f_locals["target"])

    return watched(protocol, request, seen, **settings), targets


@EACH_PROTOCOL
@pytest.mark.parametrize("redirect", [None, True, False])
@pytest.mark.parametrize(
    ("target", "policy"),
    [
        (b"/search?q=50%+off", Policy.STANDARD),
        (b"/search?q=%00", Policy.STANDARD),
        (b"/search?q=%00", Policy.LENIENT),
        (b"/a/./b", Policy.LENIENT),
        (b"/caf%c3%a9", Policy.STANDARD),
        (b"/a//b", Policy.STANDARD),
        (b"//a//b", Policy.STANDARD),
        (b"/wiki/C%23", Policy.STANDARD),
    ],
)
def test_no_target_is_judged_twice(
    protocol: Protocol, target: bytes, policy: Policy, redirect: bool | None
) -> None:
    _, targets = judged(protocol, protocol.request_of(target), policy=policy, redirect=redirect)
    assert targets
    assert Counter(targets).most_common(1)[0][1] == 1


@EACH_PROTOCOL
def test_a_redirect_of_a_repaired_structure_judges_once(protocol: Protocol) -> None:
    request = protocol.request_of(b"/a/./b")
    status, targets = judged(protocol, request, policy=Policy.LENIENT, redirect=True)
    assert (status, [each.path for each in targets]) == (308, [b"/a/./b"])


@EACH_PROTOCOL
def test_a_redirect_of_slashes_judges_the_sent_and_the_merged_path(protocol: Protocol) -> None:
    status, targets = judged(protocol, protocol.request_of(b"/a//b"))
    assert (status, [each.path for each in targets]) == (308, [b"/a//b", b"/a/b"])


@pytest.mark.parametrize(
    ("protocol", "request_"),
    [
        (
            ASGI,
            ASGI.request_of(
                b"/a", headers=[(b"host", b"a.example"), (b"cookie", b"a=%00; b=1"), (b"referer", b"/%00")]
            ),
        ),
        (WSGI, WSGI.request_of(b"/a", HTTP_HOST="a.example", HTTP_COOKIE="a=%00; b=1", HTTP_REFERER="/%00")),
    ],
    ids=["asgi", "wsgi"],
)
def test_a_header_field_is_judged_once(protocol: Protocol, request_: Request) -> None:
    names: list[str] = []
    hosts: list[bytes] = []

    def seen(frame: FrameType) -> None:
        if frame.f_code is FieldRules.judge.__code__:
            names.append(frame.f_locals["name"])
        elif frame.f_code is fault_of.__code__:
            hosts.append(frame.f_locals["host"])

    assert watched(protocol, request_, seen, headers=COOKIE) == 200
    assert (names, hosts) == (["cookie", "referer"], [b"a.example"])


@pytest.mark.parametrize(
    ("protocol", "host"),
    [(ASGI, {"headers": [(b"host", b"a.example")]}), (WSGI, {"HTTP_HOST": "a.example"})],
    ids=["asgi", "wsgi"],
)
def test_a_repaired_query_takes_few_calls(protocol: Protocol, host: Request) -> None:
    files: list[str] = []

    def seen(frame: FrameType) -> None:
        files.append(frame.f_code.co_filename)

    request = protocol.request_of(b"/search?q=50%+off", **host)
    assert watched(protocol, request, seen, policy=Policy.LENIENT) == 200
    assert len(files) < 90
    assert len(set(files)) < 26


@pytest.mark.parametrize(
    ("protocol", "host"),
    [(ASGI, {"headers": [(b"host", b"a.example")]}), (WSGI, {"HTTP_HOST": "a.example"})],
    ids=["asgi", "wsgi"],
)
def test_a_plain_request_takes_two_calls_and_two_matches(protocol: Protocol, host: Request) -> None:
    through = protocol.behind()
    through.serve(protocol.request_of(b"/a?q=1", **host))
    request = protocol.request_of(b"/b?q=2", **host)
    calls: list[str] = []
    matches: list[str] = []

    def profiled(frame: FrameType, event: str, called: object) -> None:
        if frame.f_code.co_filename.startswith(SOURCE):
            if event == "call":
                calls.append(frame.f_code.co_name)
            elif event == "c_call" and getattr(called, "__name__", "") == "fullmatch":
                matches.append(frame.f_code.co_name)

    sys.setprofile(profiled)
    try:
        assert through.serve(request).status == 200
    finally:
        sys.setprofile(None)
    assert calls[:2] == ["__call__", "_clean"]
    assert not {"is_clean", "judge"} & {*calls}
    assert matches == ["_clean", "_clean"]  # query and path; the Host is cached


def test_few_findings_are_made_of_very_many_names_of_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[postel.Finding] = []

    def finding(*values: Any) -> postel.Finding:
        made.append(postel.Finding(*values))
        return made[-1]

    monkeypatch.setattr("postel._middleware.header_findings.Finding", finding)
    headers = [(b"host", b"a.example"), *((b"x_%d" % number, b"") for number in range(900))]
    answer = ASGI.through(ASGI.request_of(b"/a", headers=[*headers, (b"x-899", b"")]), Policy.STANDARD)
    assert answer.status == 400
    assert answer.report.truncated
    assert [(each.kind.slug, each.name) for each in answer.report.findings[:1]] == [
        ("merged-header-names", "x_899")
    ]
    assert len(answer.report.findings) == 8
    assert len(made) == 9
