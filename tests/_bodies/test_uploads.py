"""Multipart forms through the middleware are spooled and handed on in pieces, and nothing is left behind."""

from __future__ import annotations

import asyncio
import gc
import io
import os
import re
import resource
import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from _bodies.test_multipart import DISPOSITION, FILE, PIECES, REFUSED, RULES, TYPE, body, judged, part
from _bodies.test_spool import settled
from adapters import ASGI, EACH_PROTOCOL, WSGI, Protocol, Request, environ_of, scope_of
from bodies import Wire, post
from postel import Forms, Kind, Policy, report_of
from postel._alphabet.steps import finished
from postel._bodies import uploads_on_asgi
from postel._bodies.length import Bound
from postel._bodies.multipart import MultipartRules
from postel._bodies.parts import MultipartParser
from postel._bodies.spool import PIECE, Spool, SpoolQuota
from postel._bodies.uploads_on_asgi import read_upload
from postel._catalogue.finding import EXCERPT

MEMORY: Final = 5000
JUDGE: Final = Forms(multipart="judge", memory=MEMORY, upload=2**22)
LARGE: Final = body(part(), part(FILE, bytes(range(256)) * 4000), part(content=b"2"))
PIECES_OF_LARGE: Final = [LARGE[start : start + 50_000] for start in range(0, len(LARGE), 50_000)]


def open_files() -> int:
    settled()
    return len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0


def room(through: Any) -> int:
    """Return how many octets all spools of a middleware may still hold."""
    left: int = through.middleware._pipeline.bodies._quota.left
    return left


OWN_MIDDLEWARE: Final[dict[str, Any]] = {"routes": {}}
"""Settings with a dict are not hashable, so that ``post`` builds a middleware for each request."""


def leave_room(octets: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave this room in each middleware that is built from now on, as if other uploads held the rest."""
    monkeypatch.setattr("postel._bodies.body.SpoolQuota", lambda _: SpoolQuota(octets))


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    before = open_files()
    yield
    assert open_files() == before


@EACH_PROTOCOL
@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
def test_a_long_form_passes_octet_for_octet(protocol: Protocol, chunked: bool) -> None:
    asked = post(protocol, PIECES_OF_LARGE, content_type=TYPE, chunked=chunked, forms=JUDGE)
    assert (asked.body == LARGE, asked.header("content-length")) == (True, str(len(LARGE)))
    assert asked.told is None


@EACH_PROTOCOL
def test_a_long_form_is_rewritten_around_its_files(protocol: Protocol) -> None:
    octets = LARGE.replace(DISPOSITION + b"\r\n", DISPOSITION.lower() + b"\r\n")
    pieces = [octets[start : start + 50_000] for start in range(0, len(octets), 50_000)]
    asked = post(protocol, pieces, content_type=TYPE, forms=JUDGE)
    assert asked.body == LARGE
    assert post(protocol, pieces, content_type=TYPE, forms=JUDGE, enforce=False).body == octets


@EACH_PROTOCOL
def test_received_octets_are_kept_up_to_the_memory_limit(protocol: Protocol) -> None:
    keeping = Forms(multipart="judge", memory=MEMORY, keep=True)
    for octets, kept in ((body(part()), body(part())), (LARGE, None)):
        asked = post(protocol, [octets], content_type=TYPE, forms=keeping)
        assert report_of(asked.given).received_form == kept


@EACH_PROTOCOL
@pytest.mark.parametrize(
    ("settings", "slug"),
    [
        pytest.param({"upload": 20_000}, "long-form", id="octets of the whole form"),
        pytest.param({"limit": 50}, "long-form", id="octets of texts and header fields"),
        pytest.param({"parts": 2}, "too-many-pairs", id="number of parts"),
        pytest.param({"headers": 1}, "part-header", id="number of header fields in a part"),
        pytest.param({}, "spool-full", id="octets of all spools"),
    ],
)
@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
def test_a_form_beyond_a_limit_is_refused(
    protocol: Protocol, settings: dict[str, Any], slug: str, chunked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if slug == "spool-full":
        leave_room(100_000, monkeypatch)
    whole = body(part(FILE, bytes(range(256)) * 4000), part(), part(DISPOSITION + b"\r\nX: y"))
    octets = [whole[start : start + 50_000] for start in range(0, len(whole), 50_000)]
    forms = Forms(multipart="judge", memory=MEMORY, **settings)
    form = {"content_type": TYPE, "chunked": chunked, "forms": forms, **OWN_MIDDLEWARE}
    asked = post(protocol, octets, **form)
    assert (asked.given, asked.kinds) == (None, [slug])
    assert asked.status == {"long-form": 413, "spool-full": 503}.get(slug, 400)
    if not chunked and slug == "spool-full":
        assert asked.taken == 0
    # If faults are only reported, the application reads the same octets.
    untouched = post(protocol, octets, **form, enforce=False)
    assert untouched.body == whole
    assert untouched.told is not None
    assert [each.kind.slug for each in untouched.told.findings] == [slug]


@EACH_PROTOCOL
@pytest.mark.parametrize(
    ("upload", "left", "expected"),
    [
        pytest.param(20_000, 10_000, 503, id="less room than the limit"),
        pytest.param(20_000, 20_000, 413, id="room for exactly the limit"),
        pytest.param(20_000, 20_001, 413, id="more room than the limit"),
        pytest.param(2**22, 20_000, 503, id="much less room than the limit"),
    ],
)
def test_the_lower_of_two_limits_decides_whatever_the_size_of_pieces(
    protocol: Protocol, upload: int, left: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_room(left, monkeypatch)
    whole = body(part(FILE, bytes(range(256)) * 100))
    forms = Forms(memory=MEMORY, upload=upload)
    form = {"content_type": TYPE, "chunked": True, "forms": forms, **OWN_MIDDLEWARE}
    for step in (1000, 19_999, 20_000, 20_001, len(whole)):
        pieces = [whole[at : at + step] for at in range(0, len(whole), step)]
        asked = post(protocol, pieces, **form)
        assert (asked.status, asked.given) == (expected, None), step
        untouched = post(protocol, pieces, **form, enforce=False)
        assert untouched.body == whole


@EACH_PROTOCOL
def test_with_over_untouched_long_forms_pass(protocol: Protocol) -> None:
    forms = Forms(multipart="judge", upload=20_000, over="untouched", memory=MEMORY)
    for chunked in (False, True):
        asked = post(protocol, PIECES_OF_LARGE, content_type=TYPE, chunked=chunked, forms=forms)
        assert (asked.status, asked.body == LARGE) == (200, True)
        assert asked.told is not None
        assert [each.kind for each in asked.told.findings] == [Kind.LONG_FORM]


@EACH_PROTOCOL
@pytest.mark.parametrize("length", [len(LARGE) - 10, len(LARGE) + 10])
def test_a_wrong_length_is_found(protocol: Protocol, length: int) -> None:
    asked = post(protocol, PIECES_OF_LARGE, content_type=TYPE, length=length, terminated=True, forms=JUDGE)
    assert asked.kinds == ["wrong-length"]


# -- forms that will be refused ------------------------------------------------------------------------------

FAULTY: Final = b"x" + LARGE
IN_THE_MIDDLE: Final = LARGE[:200_000] + b"\r\n--zz-" + LARGE[200_000:]


@EACH_PROTOCOL
@pytest.mark.parametrize("keep", [False, True], ids=["not kept", "kept"])
@pytest.mark.parametrize(
    ("octets", "most"), [pytest.param(FAULTY, 1, id="at once"), pytest.param(IN_THE_MIDDLE, 5, id="later")]
)
def test_a_form_that_will_be_refused_is_no_longer_held(
    protocol: Protocol, octets: bytes, most: int, keep: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[int] = []
    add = Spool.add

    def counted(spool: Spool, piece: bytes) -> bool:
        added = add(spool, piece)
        if len(piece) > 1:  # otherwise the middleware tries whether the disk can be written
            held.append(JUDGE.spool_limit - spool._quota.left)
        return added

    monkeypatch.setattr(Spool, "add", counted)
    forms = replace(JUDGE, keep=keep)
    pieces = [octets[at : at + 50_000] for at in range(0, len(octets), 50_000)]
    with full_disk() if most == 1 else nullcontext():
        asked = post(protocol, pieces, content_type=TYPE, forms=forms, **OWN_MIDDLEWARE)
    assert (asked.status, asked.kinds, asked.taken) == (400, ["multipart-syntax"], len(octets))
    assert (len(held), set(held[most:])) == (len(pieces), {0})
    assert min(held[:most]) > 0


@EACH_PROTOCOL
def test_a_short_form_that_is_refused_can_be_kept(protocol: Protocol) -> None:
    for octets, kept in ((b"x" + body(part()), b"x" + body(part())), (FAULTY, None)):
        asked = post(protocol, [octets], content_type=TYPE, forms=replace(JUDGE, keep=True))
        assert asked.told is not None
        assert (asked.kinds, asked.told.received_form) == (["multipart-syntax"], kept)


@EACH_PROTOCOL
def test_a_form_that_passes_in_spite_of_a_fault_is_held(protocol: Protocol) -> None:
    forms = Forms(upload=20_000, over="untouched", memory=MEMORY)
    pieces = [FAULTY[at : at + 5000] for at in range(0, len(FAULTY), 5000)]
    asked = post(protocol, pieces, content_type=TYPE, chunked=True, forms=forms)
    assert (asked.status, asked.body == FAULTY) == (200, True)
    untouched = post(protocol, pieces, content_type=TYPE, forms=JUDGE, enforce=False)
    assert (untouched.status, untouched.body == FAULTY) == (200, True)


@EACH_PROTOCOL
@pytest.mark.parametrize(
    ("upload", "left", "expected"),
    [(2**22, 2**22, 400), (2**22, len(FAULTY), 400), (2**22, 100_000, 503), (100_000, 100_000, 413)],
)
def test_the_size_of_pieces_does_not_change_why_a_faulty_form_is_refused(
    protocol: Protocol, upload: int, left: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_room(left, monkeypatch)
    form = {"content_type": TYPE, "chunked": True, "forms": replace(JUDGE, upload=upload), **OWN_MIDDLEWARE}
    for octets in (FAULTY, IN_THE_MIDDLE[: len(FAULTY)]):
        for step in (10_000, 99_999, 100_001, len(octets)):
            pieces = [octets[at : at + step] for at in range(0, len(octets), step)]
            assert post(protocol, pieces, **form).status == expected, step


# -- the disk ------------------------------------------------------------------------------------------------


@contextmanager
def full_disk() -> Iterator[None]:
    """Limit the size of files during the block."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3 * MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@EACH_PROTOCOL
@pytest.mark.parametrize("cut", [len(LARGE), 4 * MEMORY], ids=["a whole form", "a form without an end"])
def test_a_full_disk_is_answered_with_503(protocol: Protocol, cut: int) -> None:
    octets = body(part(FILE, bytes(range(256)) * 4000)[:cut])
    pieces = [octets[start : start + 2**18] for start in range(0, len(octets), 2**18)]
    through = protocol.behind(forms=JUDGE)
    left = room(through)
    with full_disk():
        asked = post(protocol, pieces, content_type=TYPE, forms=JUDGE)
        untouched = post(protocol, pieces, content_type=TYPE, forms=JUDGE, enforce=False)
    assert (asked.status, asked.kinds, asked.given) == (503, ["spool-full"], None)
    assert untouched.body == octets
    assert room(through) == left


@EACH_PROTOCOL
def test_a_deleted_directory_is_answered_with_503(protocol: Protocol, tmp_path: Path) -> None:
    place = tmp_path / "spool"
    place.mkdir()
    through = protocol.behind(
        forms=Forms(multipart="judge", memory=MEMORY, spool_dir=str(place)), observer=lambda report: None
    )
    shutil.rmtree(place)
    headers = [(b"content-type", TYPE.encode()), (b"content-length", b"%d" % len(LARGE))]
    if protocol is WSGI:
        keys = {"CONTENT_TYPE": TYPE, "CONTENT_LENGTH": str(len(LARGE)), "wsgi.input": Wire([LARGE])}
        assert through.serve(environ_of(b"/a", "POST", **keys)).status == 503
    else:
        assert asyncio.run(served(through.middleware, scope_of(b"/a", "POST", headers=headers))) == 503
    assert room(through) == JUDGE.spool_limit


# -- when room is released -----------------------------------------------------------------------------------


def test_room_is_released_after_the_answer() -> None:
    statuses: list[int] = []
    middleware: Any = None

    class Answer(list[bytes]):
        closed = False

        def close(self) -> None:
            self.closed = True

    answer = Answer([b"read"])

    def app(environ: Request, start_response: Any) -> list[bytes]:
        if environ["PATH_INFO"] == "/outer":
            b"".join(middleware(upload(b"/inner"), start_response))
        start_response("200 OK", [])
        return answer

    def upload(target: bytes) -> Request:
        keys = {"CONTENT_TYPE": TYPE, "CONTENT_LENGTH": str(len(LARGE)), "wsgi.input": Wire([LARGE])}
        return environ_of(target, "POST", **keys)

    def start_response(status: str, *_: Any) -> None:
        statuses.append(int(status[:3]))

    forms = Forms(multipart="judge", memory=MEMORY, upload=len(LARGE) + 1, spool_limit=len(LARGE) + 1)
    middleware = WSGI.middleware(app, forms=forms, observer=lambda report: None)
    given = middleware(upload(b"/outer"), start_response)
    assert statuses == [503, 200]
    assert list(given) == [b"read"]
    given.close()
    assert answer.closed
    middleware(upload(b"/outer"), start_response).close()
    assert statuses == [503, 200, 503, 200]


@EACH_PROTOCOL
def test_an_application_that_raises_leaves_nothing(protocol: Protocol) -> None:
    def fails(*_: Any) -> Any:
        raise LookupError

    async def fails_later(*_: Any) -> None:
        raise LookupError

    app = fails if protocol is WSGI else fails_later
    with pytest.raises(LookupError):
        post(protocol, PIECES_OF_LARGE, content_type=TYPE, forms=JUDGE, app=app)


@EACH_PROTOCOL
def test_a_client_that_stops_half_way(protocol: Protocol) -> None:
    stops = {"ends": "disconnect"} if protocol is ASGI else {"error": OSError()}
    for enforce in (True, False):
        asked = post(
            protocol, PIECES_OF_LARGE[:9], content_type=TYPE, length=len(LARGE), forms=JUDGE,
            **(stops if enforce or protocol is ASGI else {}), enforce=enforce,
        )  # fmt: skip
        assert (asked.given is None) == enforce
        assert asked.told is not None
        assert [each.kind for each in asked.told.findings] == [Kind.WRONG_LENGTH]


# -- the event loop ------------------------------------------------------------------------------------------


async def served(app: Any, scope: Request, pieces: list[bytes] | None = None) -> int:
    """Return the status of the answer to a long upload."""
    left = list(PIECES_OF_LARGE if pieces is None else pieces)
    statuses: list[int] = []

    async def receive() -> Request:
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    async def send(message: Request) -> None:
        statuses.append(message.get("status", 0))

    await app(scope, receive, send)
    return statuses[0]


class Counting(ThreadPoolExecutor):
    """An executor that counts its calls."""

    asked = 0

    def submit(self, *given_: Any, **settings: Any) -> Any:
        self.asked += 1
        return super().submit(*given_, **settings)


def test_threads_do_the_work_of_the_disk() -> None:
    sizes: list[int] = []

    async def app(_: Request, receive: Any, send: Any) -> None:
        more = True
        while more:
            message = await receive()
            more = message["more_body"]
            sizes.append(len(message["body"]))
        await send({"type": "http.response.start", "status": 200, "headers": []})

    middleware = ASGI.middleware(app, forms=JUDGE)
    scope = scope_of(b"/a", "POST", headers=[(b"content-type", TYPE.encode())])
    executor = Counting()

    async def counted() -> int:
        asyncio.get_running_loop().set_default_executor(executor)
        return await served(middleware, scope)

    assert asyncio.run(counted()) == 200
    assert sum(sizes) == len(LARGE)
    assert max(sizes) < 2 * PIECE
    written = 1 + (len(LARGE) - MEMORY) // (PIECE + 50_000)
    assert executor.asked >= written + len(sizes)
    sizes.clear()


def test_threads_do_the_work_of_the_disk_on_trio(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test replaces trio and counts the calls of ``to_thread.run_sync``. No loop of trio runs."""
    asked = 0

    async def checkpoint() -> None:
        pass

    async def run_sync(work: Any) -> Any:
        nonlocal asked
        asked += 1
        return work()

    lowlevel = SimpleNamespace(checkpoint=checkpoint, current_task=object)
    threads = SimpleNamespace(run_sync=run_sync)
    trio = SimpleNamespace(__name__="trio", lowlevel=lowlevel, to_thread=threads)
    monkeypatch.setitem(sys.modules, "trio", trio)
    assert post(ASGI, PIECES_OF_LARGE, content_type=TYPE, forms=JUDGE).body == LARGE
    assert asked >= len(LARGE) // (PIECE + 50_000)


def test_trio_without_a_loop_is_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    def current_task() -> None:
        raise RuntimeError("must be called from async context")

    trio = SimpleNamespace(__name__="trio", lowlevel=SimpleNamespace(current_task=current_task))
    monkeypatch.setitem(sys.modules, "trio", trio)
    assert post(ASGI, PIECES_OF_LARGE, content_type=TYPE, forms=JUDGE).body == LARGE


def test_a_request_that_is_cancelled_leaves_nothing() -> None:
    async def app(*_: Any) -> None:
        raise AssertionError("the application must not be called")

    middleware = ASGI.middleware(app, forms=JUDGE)
    scope = scope_of(b"/a", "POST", headers=[(b"content-type", TYPE.encode())])
    left = PIECES_OF_LARGE[:3]

    async def receive() -> Request:
        if not left:
            await asyncio.sleep(3600)
        return {"type": "http.request", "body": left.pop(0), "more_body": True}

    async def cancelled() -> None:
        task = asyncio.create_task(middleware(scope, receive, None.__class__))
        while left:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert middleware._pipeline.bodies._quota.left == JUDGE.spool_limit


def test_an_answer_that_nobody_closes_does_not_keep_its_quota() -> None:
    """WsgiToAsgi of asgiref and WSGIMiddleware of Starlette never close an answer."""

    def app(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        return [environ["wsgi.input"].read()]

    environ = environ_of(
        b"/a",
        REQUEST_METHOD="POST",
        CONTENT_TYPE=TYPE,
        CONTENT_LENGTH=str(len(LARGE)),
        **{"wsgi.input": None},
    )
    middleware = WSGI.middleware(app, forms=JUDGE)
    for _ in range(3):
        environ["wsgi.input"] = io.BytesIO(LARGE)
        assert b"".join(middleware(environ, lambda *_: None)) == LARGE
    gc.collect()
    assert middleware._pipeline.bodies._quota.left == JUDGE.spool_limit


async def reading(read: Any, *, memory: int = MEMORY) -> None:
    """Send a long upload to an application that reads it with ``read``."""

    async def app(_: Request, receive: Any, send: Any) -> None:
        await read(receive)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    middleware = ASGI.middleware(app, forms=Forms(memory=memory, upload=2**22))
    assert (
        await served(middleware, scope_of(b"/a", "POST", headers=[(b"content-type", TYPE.encode())])) == 200
    )


@pytest.mark.parametrize("memory", [MEMORY, 2**22], ids=["in a file", "in memory"])
def test_tasks_that_receive_at_the_same_time_get_each_piece_once(memory: int) -> None:
    got: list[bytes] = []

    async def read(receive: Any) -> None:
        async def one() -> None:
            message = await receive()
            got.append(message["body"])

        await asyncio.gather(one(), one(), one())
        while sum(map(len, got)) < len(LARGE):
            await one()

    asyncio.run(reading(read, memory=memory))
    assert b"".join(got) == LARGE


def test_tasks_that_find_the_last_piece_taken_ask_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    async def off_loop(work: Callable[[], object]) -> object:
        await asyncio.sleep(0)  # by now, each task has seen that a piece is left
        return work()

    monkeypatch.setattr(uploads_on_asgi, "off_loop", off_loop)
    got: list[bytes] = []
    asked: list[object] = []

    async def read(receive: Any) -> None:
        async def one() -> None:
            try:
                message = await receive()
            except IndexError as error:  # the server has nothing more
                asked.append(error)
            else:
                got.append(message["body"])

        await asyncio.gather(*[one() for _ in range(9)])

    asyncio.run(reading(read))
    assert b"".join(got) == LARGE
    assert len(asked) == 9 - len(got) > 0


def test_a_call_that_is_cancelled_loses_nothing() -> None:
    got: list[bytes] = []

    async def read(receive: Any) -> None:
        more = True
        while more:
            waiting = asyncio.create_task(receive())
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            message = await receive()
            got.append(message["body"])
            more = message["more_body"]

    asyncio.run(reading(read))
    assert b"".join(got) == LARGE


def test_a_piece_that_was_read_for_a_cancelled_call_is_returned_by_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cancelled: list[bool] = []
    got: list[bytes] = []

    async def off_loop(work: Callable[[], object]) -> object:
        done = work()
        if cancelled:
            raise asyncio.CancelledError  # the work was done all the same
        return done

    monkeypatch.setattr(uploads_on_asgi, "off_loop", off_loop)

    async def read(receive: Any) -> None:
        more = True
        while more:
            cancelled.append(True)
            with pytest.raises(asyncio.CancelledError):
                await receive()
            cancelled.clear()
            message = await receive()
            got.append(message["body"])
            more = message["more_body"]

    asyncio.run(reading(read))
    assert b"".join(got) == LARGE


@pytest.mark.parametrize("memory", [MEMORY, 2**22], ids=["in a file", "in memory"])
@pytest.mark.parametrize("before", [0, 1], ids=["nothing was read", "a piece was read"])
def test_a_call_after_the_end_of_the_request_says_every_time_that_it_is_over(
    memory: int, before: int
) -> None:
    kept: list[Any] = []

    async def read(receive: Any) -> None:
        for _ in range(before):
            assert (await receive())["more_body"]
        kept.append(receive)

    async def late() -> None:
        await reading(read, memory=memory)
        for _ in range(3):
            assert await kept[0]() == {"type": "http.disconnect"}

    asyncio.run(late())


def test_a_call_during_the_end_of_the_request_says_that_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Any] = []
    ended = asyncio.Event()

    async def off_loop(work: Callable[[], object]) -> object:
        if kept:
            await ended.wait()
        return work()

    monkeypatch.setattr(uploads_on_asgi, "off_loop", off_loop)

    async def read(receive: Any) -> None:
        kept.append(asyncio.create_task(receive()))
        await asyncio.sleep(0)

    async def late() -> None:
        await reading(read)
        ended.set()
        assert await kept[0] == {"type": "http.disconnect"}

    asyncio.run(late())


def test_a_body_whose_file_cannot_be_read_fails_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> bytes:
        raise OSError(5, "Input/output error")

    async def read(receive: Any) -> None:
        monkeypatch.setattr(Spool, "read", fails)
        with pytest.raises(OSError, match="Input/output error"):
            await receive()
        for _ in range(3):
            with pytest.raises(ValueError, match="reading it has failed before"):
                await receive()

    asyncio.run(reading(read))


class CountingParser:
    """A parser that counts how often it is called."""

    calls = 0
    fault = None

    def add(self, octets: bytes) -> bool:
        assert octets
        self.calls += 1
        return False

    def close(self) -> None:
        pass


@pytest.mark.parametrize("step", [1, 2, 3, 7, 64, 500, 4095, 4096, 9000])
def test_small_messages_are_collected(step: int) -> None:
    parser, quota = CountingParser(), SpoolQuota(2**20)
    left = [LARGE[at : at + step] for at in range(0, 40_000, step)][::-1]

    async def receive() -> Request:
        return {"type": "http.request", "body": left.pop(), "more_body": bool(left)}

    spool = Spool(quota, 2**20, None)
    reads: Any = read_upload(receive, spool, parser, Bound(2**20, Kind.LONG_FORM), None)
    with pytest.raises(StopIteration):
        reads.send(None)
    assert spool.octets == LARGE[: spool.size]
    assert parser.calls <= 1 + spool.size / 4096


# -- delimiters ----------------------------------------------------------------------------------------------


def handed_on(cut: int) -> tuple[bytes, list[tuple[int, int]]]:
    """Return a long form that is rewritten, and the places of its delimiters.

    One delimiter begins ``cut`` octets before a piece ends.
    """
    first = part(FILE.lower()) + b"\r\n--zz\r\n" + FILE + b"\r\n\r\n"
    # A piece ends PIECE octets after header fields that were rewritten.
    fill = bytes(PIECE - cut + len(FILE) - len(first))
    octets = b"--zz\r\n" + first + fill + b"\r\n--zz\r\n" + part() + b"\r\n--zz--\r\n"
    expected = octets.replace(FILE.lower(), FILE)
    places = [each.span() for each in re.finditer(rb"\r\n--zz(?:--)?\r\n", expected)]
    return octets, places


@pytest.mark.parametrize("memory", [MEMORY, 2**22], ids=["in a file", "in memory"])
@pytest.mark.parametrize("cut", range(-9, 10))
def test_no_piece_ends_within_a_delimiter(cut: int, memory: int) -> None:
    octets, places = handed_on(cut)
    forms = Forms(memory=memory)
    pieces: list[bytes] = []

    async def app(_: Request, receive: Any, send: Any) -> None:
        more = True
        while more:
            message = await receive()
            more = message["more_body"]
            pieces.append(message["body"])
        await send({"type": "http.response.start", "status": 200, "headers": []})

    assert post(ASGI, [octets], content_type=TYPE, forms=forms, app=app).status == 200
    assert b"".join(pieces) == octets.replace(FILE.lower(), FILE)
    ends = [sum(map(len, pieces[: number + 1])) for number in range(len(pieces))]
    assert not [end for end in ends for start, stop in places if start < end < stop]
    assert len(ends) == 2 or cut < 0


READS: Final[dict[str, Any]] = {
    "read": lambda stream, size: stream.read(size),
    "read1": lambda stream, size: stream.read1(size),
    "readline": lambda stream, size: stream.readline(size),
    "readinto": lambda stream, size: into(stream.readinto, size),
    "readinto1": lambda stream, size: into(stream.readinto1, size),
    "in turn": lambda stream, size: into(stream.readinto, size) + stream.readline(size) + stream.read(1),
}


def into(readinto: Any, size: int) -> bytes:
    room = bytearray(size)
    return bytes(room[: readinto(memoryview(room))])


@pytest.mark.parametrize("way", READS)
@pytest.mark.parametrize("cut", range(-9, 10))
def test_no_readinto_ends_within_a_delimiter(cut: int, way: str) -> None:
    octets, places = handed_on(cut)
    pieces: list[bytes] = []

    def app(environ: Request, start_response: Any) -> list[bytes]:
        assert "wsgi.input_terminated" not in environ
        while piece := READS[way](environ["wsgi.input"], 2**16):
            pieces.append(piece)
        start_response("200 OK", [])
        return []

    assert post(WSGI, [octets], content_type=TYPE, terminated=True, app=app).status == 200
    assert b"".join(pieces) == octets.replace(FILE.lower(), FILE)
    ends = [sum(map(len, pieces[: number + 1])) for number in range(len(pieces))]
    if way.startswith("readinto"):
        assert not [end for end in ends for start, stop in places if start < end < stop]
    if way == "read":
        assert all(len(each) == 2**16 for each in pieces[:-1]), "WebOb reads a shorter piece as the end"


def test_a_body_on_wsgi_can_be_iterated() -> None:
    octets = body(part(FILE, b"1\n22\n"), part())

    def app(environ: Request, start_response: Any) -> list[bytes]:
        assert list(environ["wsgi.input"]) == octets.splitlines(keepends=True)
        assert environ["wsgi.input"].read() == b""
        start_response("200 OK", [])
        return []

    assert post(WSGI, octets, content_type=TYPE, app=app).status == 200


# -- piece by piece ------------------------------------------------------------------------------------------


def parted(pieces: list[bytes], rules: MultipartRules) -> MultipartParser:
    parser = rules.parser(b"zz")
    for each in pieces:
        parser.add(each)
        finished(parser.parsing())
    parser.close()
    return parser


SMALL: Final = MultipartRules(Policy.STANDARD.limiting(form_value=6), Forms(limit=150, parts=3))
ALIKE: Final = [
    *PIECES,
    b"--zz--",
    b"\r\n--zz\r\n",
    b"\r\n\r\n1\r\n",
    b"123456789",
    b"-",
    b"z",
    b"zz",
    b"\r",
    b"Content-Length: 1",
]


@given(st.lists(st.sampled_from(ALIKE), max_size=14).map(b"".join), st.sampled_from([1, 2, 3, 7, 40]))
def test_the_size_of_pieces_does_not_matter(octets: bytes, step: int) -> None:
    for received in (octets, b"--zz\r\n" + octets, body(part(content=octets)), body(part(FILE, octets))):
        whole = parted([received], SMALL)
        pieces = parted([received[at : at + step] for at in range(0, len(received), step)], SMALL)
        assert (pieces.parts, pieces.fault) == (whole.parts, whole.fault)


@pytest.mark.no_cover
@pytest.mark.parametrize("octets", [pytest.param(octets, id=name) for name, octets, _ in REFUSED])
def test_where_a_form_is_cut_into_pieces_does_not_change_the_fault(octets: bytes) -> None:
    for rules in (SMALL, RULES["standard"]):
        whole = parted([octets], rules)
        cuts = [at for at in range(len(octets)) if min(at, len(octets) - at) < 400]
        assert {parted([octets[:at], octets[at:]], rules).fault for at in cuts} <= {whole.fault}
        assert parted([octets[at : at + 1] for at in range(len(octets))], rules).fault == whole.fault


def test_octets_after_a_fault_are_not_parsed() -> None:
    parser = MultipartParser(b"zz", MultipartRules(Policy.STANDARD, Forms())._limits)
    parser.add(b"--y")
    finished(parser.parsing())
    fault = parser.fault
    assert fault is not None
    finished(parser.feeding(body(*[part()] * 99)))
    finished(parser.parsing())
    assert parser.parts == []
    assert parser.fault == replace(fault, excerpt=(b"--y" + body(part()))[:EXCERPT]), "only the excerpt grows"
    parser.add(b"more")
    assert len(parser.fault.excerpt) == EXCERPT


def test_single_octets_are_collected_before_they_are_parsed() -> None:
    parser = MultipartParser(b"zz", MultipartRules(Policy.STANDARD, Forms())._limits)
    octets = body(part(DISPOSITION + b"\r\nX: " + b"y" * 900), part())
    due = [number for number in range(len(octets)) if parser.add(octets[number : number + 1])]
    assert due == list(range(2**10 - 1, len(octets)))
    assert parser.parts == []
    assert not parser.add(b"")
    parser.close()
    assert len(parser.parts) == 2


def test_header_fields_count_towards_the_limit() -> None:
    rules = MultipartRules(Policy.STANDARD, Forms(limit=50))
    assert [each.kind for each in rules.judge(body(part(FILE), part(FILE)), b"zz").findings] == [
        Kind.LONG_FORM
    ]


def test_header_fields_without_an_end_are_refused() -> None:
    octets = b"--zz\r\n" + DISPOSITION + b"\r\n--zz--"
    assert [each.detail for each in judged(octets).findings] == [
        "header fields without an empty line after them"
    ]
