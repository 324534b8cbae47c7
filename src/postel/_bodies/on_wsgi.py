"""Read bodies on WSGI, to their end or to the limit, before the application is called."""

from __future__ import annotations

import io
from contextlib import ExitStack
from typing import Any, Final

from postel._alphabet.steps import finished
from postel._bodies.body import Body, BodyJudge, BodyType
from postel._bodies.content_type import ContentType
from postel._bodies.length import Bound, StatedLength, stated_length
from postel._bodies.missing import is_missed
from postel._bodies.multipart import grown
from postel._bodies.multipart_type import MultipartType
from postel._bodies.reading_faults import SHORT_BODY, UNREADABLE, long_body
from postel._bodies.result_on_wsgi import BodyResult
from postel._bodies.uploads_on_wsgi import PIECE, read_upload, resumed, stream_of, untouched
from postel._catalogue.kinds import Kind
from postel._http.headers import latin1_octets
from postel._http.interop import Environ
from postel._http.report import Report

_PEEK: Final = Bound(0, Kind.WRONG_LENGTH)
"""The limit for a body that should be empty: one octet is read to find out."""
_FRAMING: Final = ("HTTP_CONTENT_LENGTH", "HTTP_TRANSFER_ENCODING")


def read_body(judge: BodyJudge, environ: Environ, report: Report, declared: ContentType) -> BodyResult:
    """Read and judge the body of a request that has been accepted so far."""
    encoding = environ.get("HTTP_CONTENT_ENCODING")
    encodings = [] if encoding is None else [latin1_octets(encoding)]
    body_type = judge.type_of(declared, encodings) or judge.fault_of_type(declared, report)
    if body_type is None:
        return BodyResult(report, _retyped(environ, report, declared))
    if isinstance(body_type, Body):
        return _unjudged(judge, environ, report, declared, body_type)
    return _judged(judge, environ, report, body_type)


def _judged(judge: BodyJudge, environ: Environ, report: Report, body_type: BodyType) -> BodyResult:
    """Read and judge a body of a type that is judged."""
    length, coded, ends = _framing(environ)
    stream, changes = environ.get("wsgi.input"), Environ()
    if not coded and length.is_empty:
        if not ends:
            # PEP 3333 requires a length for a body, unless the server says that it ends the stream.
            return _without_body(judge, environ, report, body_type)
        peeked, octets = _read(stream, _PEEK, None, ends=True)
        if not octets and peeked.fault is None:
            return _without_body(judge, environ, report, body_type)
        stream = changes["wsgi.input"] = resumed(octets, stream, None)
    fault = judge.early_fault(body_type, length, coded=coded)
    if fault is None and length.octets is None and not ends:  # Bottle decodes the chunks, others read nothing
        fault = Body(fault=Kind.WRONG_LENGTH, detail="a Transfer-Encoding that the server has not decoded")
    if fault is not None:
        return BodyResult(judge.judge(report, body_type, fault).report, changes)
    if isinstance(body_type, MultipartType):
        return _spooled(judge, environ, report, body_type, stream)
    body, octets = _read(stream, judge.bound(body_type), length.octets, ends=ends)
    judged = judge.judge(report, body_type, body, _names(environ))
    if not report.enforced or judged.octets is None:
        size = None if ends else length.octets
        rest = io.BytesIO(octets) if body.fault is None else resumed(octets, stream, size)
        return BodyResult(judged.report, {"wsgi.input": rest})
    return BodyResult(
        judged.report, _fresh(environ, io.BytesIO(judged.octets), len(judged.octets), judged.content_type)
    )


def _spooled(
    judge: BodyJudge, environ: Environ, report: Report, body_type: MultipartType, stream: Any
) -> BodyResult:
    """Read a multipart form from ``stream`` into a spool, and judge it."""
    length, _, ends = _framing(environ)
    spool, parser = judge.spool(report), judge.parser(report, body_type)
    with ExitStack() as stack:
        stack.callback(spool.close)
        upload = read_upload(stream, spool, parser, judge.bound(body_type), length.octets, ends=ends)
        if upload.fault is None:
            judged = finished(judge.judging_parts(report, body_type, parser, spool.octets, _names(environ)))
        else:
            judged = judge.judge(report, body_type, upload.fault)
        if report.enforced and judged.report.target is None:
            return BodyResult(judged.report)
        stack.pop_all()  # the request needs the spool now
    if judged.respelled is None or not report.enforced:
        rest = untouched(spool, upload, stream, None if ends else length.octets)
        return BodyResult(judged.report, {"wsgi.input": rest}, spool)
    size = spool.size + grown(judged.respelled)
    fresh = _fresh(environ, stream_of(spool, judged.respelled, parser.parts), size, judged.content_type)
    # Without this key, Werkzeug reads through a stream of its own, which calls ``readinto``.
    return BodyResult(judged.report, fresh | {"wsgi.input_terminated": None}, spool)


def _without_body(judge: BodyJudge, environ: Environ, report: Report, body_type: BodyType) -> BodyResult:
    """Handle a request that names a body type but has no body."""
    if is_missed(body_type, report.method):
        return BodyResult(judge.judge(report, body_type, Body()).report)
    if not report.enforced:
        return BodyResult(report)
    changes = {} if body_type.usual else _typed(environ, body_type.written)
    if isinstance(body_type, MultipartType) and not environ.get("CONTENT_LENGTH"):
        changes["CONTENT_LENGTH"] = "0"  # without it, Falcon fails
    return BodyResult(report, changes)


def _names(environ: Environ) -> list[bytes]:
    """The names of the header fields in lower case."""
    names = (key.removeprefix("HTTP_") for key in environ if key.startswith("HTTP_"))
    return [latin1_octets(name.replace("_", "-").lower()) for name in names]


def _framing(environ: Environ) -> tuple[StatedLength, bool, bool]:
    """The stated length, whether there is a Transfer-Encoding, and whether the server ends the stream."""
    return (
        stated_length(latin1_octets(environ.get("CONTENT_LENGTH"))),
        bool(environ.get("HTTP_TRANSFER_ENCODING")),
        bool(environ.get("wsgi.input_terminated")),
    )


def _unjudged(
    judge: BodyJudge, environ: Environ, report: Report, declared: ContentType, unjudged: Body
) -> BodyResult:
    """Handle a request with a body type that is not judged."""
    changes: Environ = {}
    length, coded, ends = _framing(environ)
    may_be_empty = ends and length.is_absent if coded else length.is_empty
    if may_be_empty and not unjudged.even_empty:
        retyped = BodyResult(report, _retyped(environ, report, declared))
        if not ends:
            return retyped
        stream = environ.get("wsgi.input")
        body, octets = _read(stream, _PEEK, None, ends=True)
        if body.fault is None:
            return retyped
        changes["wsgi.input"] = resumed(octets, stream, None)
    report = judge.with_fault(report, unjudged)
    if report.enforced and report.target is not None:
        # WebOb reads a body without a type as a form; no reader does so with an empty type.
        changes["CONTENT_TYPE"] = ""
    return BodyResult(report, changes)


def _read(stream: Any, bound: Bound, length: int | None, *, ends: bool) -> tuple[Body, bytes]:
    """Read a body; returns it, or its fault, and the octets that were read.

    ``ends`` tells that the server ends the stream at the end of the body, whatever Content-Length says.
    """
    most = bound.octets if length is None else length
    wanted = most + 1 if ends else most
    collected = bytearray()
    try:
        while len(collected) < wanted and (piece := stream.read(min(PIECE, wanted - len(collected)))):
            collected += piece
    except Exception:  # the server may raise anything, because of what the client sent
        return UNREADABLE, bytes(collected)
    octets = bytes(collected)
    if len(octets) > most:
        return long_body(bound, length), octets
    if length is not None and len(octets) < length:
        return SHORT_BODY, octets
    return Body(octets), octets


def _fresh(environ: Environ, stream: Any, size: int, content_type: bytes | None) -> Environ:
    """The changes to an environ for a fresh body."""
    changes: Environ = {
        "wsgi.input": stream,
        "wsgi.input_terminated": True,
        "CONTENT_LENGTH": str(size),
        **dict.fromkeys(key for key in _FRAMING if key in environ),
    }
    return changes if content_type is None else changes | _typed(environ, content_type)


def _retyped(environ: Environ, report: Report, declared: ContentType) -> Environ:
    """The changes to an environ if readers disagree about its Content-Type."""
    if declared.passed_on == declared.received or not report.enforced:
        return {}
    return _typed(environ, declared.passed_on)


def _typed(environ: Environ, value: bytes) -> Environ:
    """The changes to an environ for another Content-Type."""
    keys = ("CONTENT_TYPE", "HTTP_CONTENT_TYPE") if "HTTP_CONTENT_TYPE" in environ else ("CONTENT_TYPE",)
    return dict.fromkeys(keys, value.decode("latin-1"))
