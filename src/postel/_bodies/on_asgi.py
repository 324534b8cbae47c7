"""Read bodies on ASGI, to their end or to the limit, before the application is called."""

from __future__ import annotations

from collections.abc import MutableMapping
from contextlib import ExitStack
from itertools import count
from typing import Any, Final, final

from postel._bodies.body import Body, BodyJudge, BodyType
from postel._bodies.content_type import ContentType
from postel._bodies.length import Bound, stated_length
from postel._bodies.messages import body_of, received
from postel._bodies.missing import is_missed
from postel._bodies.multipart import grown
from postel._bodies.multipart_type import MultipartType
from postel._bodies.reading_faults import DISCONNECTED, SHORT_BODY, long_body
from postel._bodies.result_on_asgi import BodyResult
from postel._bodies.turns import give_way, in_turns
from postel._bodies.uploads_on_asgi import Unspooled, read_upload
from postel._http.headers import header, header_values, merged_values, names_of, without_headers
from postel._http.report import Report
from postel._http.websocket import Receive, Scope

_FRAMING: Final = frozenset({b"content-length", b"transfer-encoding"})
_TYPE: Final = frozenset({b"content-type"})


@final
class Replay:
    """A ``receive`` that first returns messages that were received before."""

    __slots__ = ("_messages", "_receive")

    def __init__(self, messages: list[MutableMapping[str, Any]], receive: Receive) -> None:
        """``messages`` are returned first, beginning with the last of them."""
        self._messages = messages
        self._receive = receive

    async def __call__(self) -> MutableMapping[str, Any]:
        """The next message."""
        return self._messages.pop() if self._messages else await self._receive()


async def read_body(
    judge: BodyJudge, scope: Scope, receive: Receive, report: Report, declared: ContentType
) -> BodyResult:
    """Read and judge the body of a request that has been accepted so far."""
    codings = merged_values(scope, b"content-encoding")
    body_type = judge.type_of(declared, codings) or judge.fault_of_type(declared, report)
    if body_type is None:
        return BodyResult(report, receive, _retyped(scope, report, declared))
    length = stated_length(header(scope, b"content-length"))
    coded = bool(header(scope, b"transfer-encoding"))
    is_unjudged = isinstance(body_type, Body)
    # HTTP/2 bodies need neither field; some servers deliver a body despite Content-Length: 0.
    may_be_empty = is_unjudged and length.is_absent if coded else length.is_empty
    if may_be_empty and not (isinstance(body_type, Body) and body_type.even_empty):
        message = await receive()
        # The end can come in a message of its own.
        while not message.get("body") and message.get("more_body"):
            await give_way()
            message = await receive()
        receive = Replay([message], receive)
        if not message.get("body") and (message["type"] == "http.request" or is_unjudged):
            return _without_body(judge, scope, receive, report, declared, body_type)
    if isinstance(body_type, Body):
        return _unjudged(scope, receive, judge.with_fault(report, body_type))
    if fault := judge.early_fault(body_type, length, coded=coded):
        return BodyResult(judge.judge(report, body_type, fault).report, receive)
    return await _judged(judge, scope, receive, report, body_type, length.octets)


async def _judged(  # noqa: PLR0913, PLR0917 - a request and what is known of its body
    judge: BodyJudge, scope: Scope, receive: Receive, report: Report, body_type: BodyType, length: int | None
) -> BodyResult:
    """Read the body to its end, and judge it."""
    if isinstance(body_type, MultipartType):
        return await _spooled(judge, scope, receive, report, body_type, length)
    body, messages, gone = await _read(receive, judge.bound(body_type), length)
    judged = await in_turns(judge.judging(report, body_type, body, names_of(scope)))
    if not report.enforced or judged.octets is None:
        return BodyResult(judged.report, Replay(messages, receive), gone=gone and report.enforced)
    fresh: list[MutableMapping[str, Any]] = [
        {"type": "http.request", "body": judged.octets, "more_body": False}
    ]
    headers = _headers(scope, len(judged.octets), judged.content_type)
    return BodyResult(judged.report, Replay(fresh, receive), headers)


async def _spooled(  # noqa: PLR0913, PLR0917 - as in _judged
    judge: BodyJudge,
    scope: Scope,
    receive: Receive,
    report: Report,
    body_type: MultipartType,
    length: int | None,
) -> BodyResult:
    """Read a multipart form to its end into a spool, and judge it."""
    spool, parser = judge.spool(report), judge.parser(report, body_type)
    with ExitStack() as stack:
        stack.callback(spool.close)
        upload = await read_upload(receive, spool, parser, judge.bound(body_type), length)
        if upload.fault is None:
            steps = judge.judging_parts(report, body_type, parser, spool.octets, names_of(scope))
        else:
            steps = judge.judging(report, body_type, upload.fault)
        judged = await in_turns(steps)
        if report.enforced and judged.report.target is None:
            rest = [] if upload.more is None else [upload.more]
            return BodyResult(judged.report, Replay(rest, receive), gone=upload.gone)
        stack.pop_all()  # the request needs the spool now
    if judged.respelled is None or not report.enforced:
        return BodyResult(judged.report, Unspooled(spool, receive, more=upload.more), spool=spool)
    headers = _headers(scope, spool.size + grown(judged.respelled), judged.content_type)
    return BodyResult(
        judged.report, Unspooled(spool, receive, judged.respelled, parser.parts), headers, spool=spool
    )


def _without_body(  # noqa: PLR0913, PLR0917 - as in _judged
    judge: BodyJudge,
    scope: Scope,
    receive: Receive,
    report: Report,
    declared: ContentType,
    body_type: BodyType | Body,
) -> BodyResult:
    """Handle a request that names a body type but has no body."""
    if isinstance(body_type, Body):
        return BodyResult(report, receive, _retyped(scope, report, declared))
    if is_missed(body_type, report.method):
        return BodyResult(judge.judge(report, body_type, Body()).report, receive)
    is_right = body_type.usual or not report.enforced
    return BodyResult(report, receive, None if is_right else _typed(scope, body_type.written))


def _retyped(scope: Scope, report: Report, declared: ContentType) -> list[Any] | None:
    """The headers with a Content-Type that all readers understand; ``None`` if they need no change."""
    if declared.passed_on == declared.received or not report.enforced:
        return None
    return _typed(scope, declared.passed_on)


def _typed(scope: Scope, value: bytes) -> list[Any]:
    """The headers with another Content-Type."""
    return [*without_headers(scope, _TYPE), (b"content-type", value)]


def _unjudged(scope: Scope, receive: Receive, report: Report) -> BodyResult:
    """Handle a request with a body that is not judged."""
    if not report.enforced or report.target is None:
        return BodyResult(report, receive)
    # All readers treat an empty Content-Type as none, so WebOb does not read a form.
    return BodyResult(report, receive, _typed(scope, b""))


async def _read(
    receive: Receive, bound: Bound, length: int | None
) -> tuple[Body, list[MutableMapping[str, Any]], bool]:
    """Read a body; returns it, the messages to replay, and whether the client disconnected."""
    collected = bytearray()
    most = bound.octets if length is None else length
    more, numbers = True, count(1)
    while more:
        octets, more, other = await received(receive, most - len(collected), numbers)
        collected += octets
        if len(collected) > most:
            return long_body(bound, length), [body_of(bytes(collected), more=more)], False
        if other is not None:
            return DISCONNECTED, [other, body_of(bytes(collected), more=True)], True
    whole = bytes(collected)
    if length is not None and len(whole) < length:
        return SHORT_BODY, [body_of(whole, more=False)], False
    return Body(whole), [body_of(whole, more=False)], False


def _headers(scope: Scope, size: int, content_type: bytes | None) -> list[Any] | None:
    """The headers for a fresh body; ``None`` if the received ones already fit."""
    length = str(size).encode()
    framing = [value for name in sorted(_FRAMING) for value in merged_values(scope, name)]
    # Django reads a form only with a Content-Length; a field Content_Length does not count.
    fits = framing == [length] and header_values(scope, b"content-length") == framing
    if content_type is None and fits:
        return None
    fresh = without_headers(scope, _FRAMING if content_type is None else _FRAMING | _TYPE)
    if content_type is not None:
        fresh.append((b"content-type", content_type))
    fresh.append((b"content-length", length))
    return fresh
