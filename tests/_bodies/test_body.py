"""Forms are read to their end or to the limit, whatever the client does. Other bodies are not read."""

from __future__ import annotations

import sys
import tracemalloc
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from werkzeug.exceptions import BadRequest

from adapters import ASGI, EACH_PROTOCOL, WSGI, Protocol
from bodies import FORM, Wire, post
from postel import Action, Forms, Kind, Policy, Sample, report_of

SMALL = Forms(limit=16)
UNTOUCHED = Forms(limit=16, over="untouched")


def framings() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])


# -- accepted forms ------------------------------------------------------------------------------------------


@EACH_PROTOCOL
@framings()
@pytest.mark.parametrize(
    "pieces", [[b"q=1&p=2"], [b"q=", b"1&p", b"=2"], [b"q", b"=", b"1", b"&", b"p", b"=", b"2"]], ids=len
)
def test_pieces_are_joined_to_one_body(protocol: Protocol, chunked: bool, pieces: list[bytes]) -> None:
    asked = post(protocol, pieces, chunked=chunked)
    assert asked.body == b"q=1&p=2"
    assert asked.header("content-length") == "7"
    assert asked.header("transfer-encoding") is None
    assert asked.told is None


@EACH_PROTOCOL
def test_a_character_may_be_split_over_two_pieces(protocol: Protocol) -> None:
    assert post(protocol, [b"q=\xc3", b"\xa9%", b"C3%A", b"9"], chunked=True).body == b"q=%C3%A9%C3%A9"


def test_empty_pieces_add_nothing() -> None:
    assert post(ASGI, [b"", b"q=1", b"", b"", b"&p=2", b""], chunked=True).body == b"q=1&p=2"


def test_the_server_sends_the_messages_after_the_body() -> None:
    assert post(ASGI, b"q=1").after == ["http.disconnect"]
    assert post(ASGI, b"q=%41\xc3\xa9").after == ["http.disconnect"]


def test_the_application_receives_one_length() -> None:
    asked = post(ASGI, "q=é".encode(), fields={"accept": "*/*"})
    assert asked.given is not None
    assert asked.given["headers"] == [
        (b"accept", b"*/*"), (b"content-type", FORM.encode()), (b"content-length", b"8"),
    ]  # fmt: skip
    plain = post(ASGI, b"q=1")
    assert plain.given is not None
    assert plain.given["headers"] == [(b"content-type", FORM.encode()), (b"content-length", b"3")]


def test_a_length_under_a_second_key_is_removed_and_a_type_is_rewritten_under_both() -> None:
    twice = {"HTTP_CONTENT_LENGTH": "3", "HTTP_CONTENT_TYPE": f"{FORM}; charset=utf8"}
    fields = {"Content-Length": "3"}
    asked = post(WSGI, b"q=1", content_type=f"{FORM}; charset=utf8", fields=fields, target=b"/a")
    assert asked.status == 200
    wire = Wire([b"q=1"])
    environ = {
        "REQUEST_METHOD": "POST", "PATH_INFO": "/a", "REQUEST_URI": "/a", "QUERY_STRING": "",
        "SCRIPT_NAME": "",
        "CONTENT_TYPE": f"{FORM}; charset=utf8", "CONTENT_LENGTH": "3", "wsgi.input": wire, **twice,
    }  # fmt: skip
    given = WSGI.through(environ, forms=True).given
    assert given is not None
    assert given["CONTENT_TYPE"] == given["HTTP_CONTENT_TYPE"] == FORM
    assert "HTTP_CONTENT_LENGTH" not in given
    assert environ["HTTP_CONTENT_LENGTH"] == "3"


@EACH_PROTOCOL
@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "PUT", "PATCH", "POST"])
def test_forms_are_judged_with_every_method(protocol: Protocol, method: str) -> None:
    assert post(protocol, b"q=%00", method=method).status == 400
    assert post(protocol, b"q=1", method=method).body == b"q=1"


# -- what is never read --------------------------------------------------------------------------------------


@EACH_PROTOCOL
@framings()
@pytest.mark.parametrize(
    "content_type", ["application/json", "multipart/form-data; boundary=x", "text/plain", None]
)
def test_bodies_that_are_not_forms_are_never_read(
    protocol: Protocol, chunked: bool, content_type: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "webob", raising=False)  # WebOb reads bodies without a type as forms
    seen: list[int] = []

    def wsgi_app(environ: Any, start_response: Any) -> list[bytes]:
        seen.append(environ["wsgi.input"].taken)
        start_response("200 OK", [])
        return []

    async def asgi_app(_scope: Any, receive: Any, send: Any) -> None:
        seen.append(0 if (await receive())["more_body"] else 1)  # nothing was read before
        await send({"type": "http.response.start", "status": 200, "headers": []})

    app = wsgi_app if protocol is WSGI else asgi_app
    for target in (b"/a", b"/%7ea"):  # A clean form, and one that is repaired.
        seen.clear()
        asked = post(
            protocol,
            [b"\xff\0", b"%zz"],
            content_type=content_type,
            chunked=chunked,
            target=target,
            app=app,
            forms=Forms(multipart="untouched"),
        )
        assert seen == [0]
        assert asked.status == 200


@EACH_PROTOCOL
@framings()
def test_with_forms_off_nothing_is_read(protocol: Protocol, chunked: bool) -> None:
    asked = post(protocol, [b"q=\xff", b"%00"], forms=False, chunked=chunked)
    assert asked.body == b"q=\xff%00"
    assert asked.header("transfer-encoding") == ("chunked" if chunked else None)
    assert asked.told is None


def test_receive_and_input_are_the_same_objects_if_nothing_is_read() -> None:
    for settings in ({"forms": True}, {}):
        wire = Wire([])
        environ = WSGI.request_of(
            b"/a", "GET", **{"wsgi.input": wire, "CONTENT_TYPE": FORM, "CONTENT_LENGTH": ""}
        )
        given = WSGI.through(environ, **settings).given
        assert given is not None
        assert all(given[key] == value for key, value in environ.items())
        assert given["wsgi.input"] is wire
        assert wire.taken == 0


@EACH_PROTOCOL
def test_a_request_without_a_body_has_no_form(protocol: Protocol) -> None:
    asked = post(protocol, b"", length=0)
    assert (asked.status, asked.body, asked.told) == (200, b"", None)
    # Without a length, and without a sign that the stream ends, PEP 3333 defines no body.
    if protocol is WSGI:
        asked = post(protocol, b"q=%00", length="")
        assert (asked.status, asked.taken) == (200, 0)


@pytest.mark.parametrize("enforce", [True, False])
def test_a_multipart_type_without_a_body_has_a_length_on_wsgi(enforce: bool) -> None:
    """Falcon fails without a length."""
    for kind, length in (("multipart/form-data; boundary=zz", "0"), (FORM, "")):
        asked = post(WSGI, b"", content_type=kind, length="", method="DELETE", enforce=enforce)
        assert asked.given is not None
        assert asked.given["CONTENT_LENGTH"] == (length if enforce else "")
    said = post(WSGI, b"", content_type="multipart/form-data; boundary=zz", length="00", method="GET")
    assert said.given is not None
    assert said.given["CONTENT_LENGTH"] == "00"


@EACH_PROTOCOL
def test_refused_requests_are_not_read(protocol: Protocol) -> None:
    asked = post(protocol, b"q=1", target=b"/%00")
    assert (asked.status, asked.kinds, asked.taken) == (400, ["nul"], 0)
    asked = post(protocol, b"q=1", Policy.LENIENT, target=b"//a", method="GET", redirect=True)
    assert (asked.status, asked.taken) == (308, 0)


def test_websockets_have_no_body() -> None:
    scope = ASGI.request_of(b"/a", type="websocket", headers=[(b"content-type", FORM.encode())])
    read: list[Any] = []

    async def receive() -> Any:
        raise NotImplementedError

    async def app(scope: Any, receive: Any, send: Any) -> None:
        read.append(receive)

    coroutine = ASGI.middleware(app, forms=True)(scope, receive, receive)
    with pytest.raises(StopIteration):
        coroutine.send(None)
    assert read == [receive]


# -- bodies that are too long --------------------------------------------------------------------------------


@EACH_PROTOCOL
@framings()
def test_the_limit_is_exact(protocol: Protocol, chunked: bool) -> None:
    assert post(protocol, b"q=" + b"a" * 14, forms=SMALL, chunked=chunked).status == 200
    asked = post(protocol, b"q=" + b"a" * 15, forms=SMALL, chunked=chunked)
    assert (asked.status, asked.kinds) == (413, ["long-form"])
    assert asked.given is None


@EACH_PROTOCOL
def test_a_body_whose_length_exceeds_the_limit_is_not_read(protocol: Protocol) -> None:
    asked = post(protocol, [b"a" * 2**16] * 160)
    assert (asked.status, asked.taken) == (413, 0)
    assert post(protocol, b"", length="9" * 18).status == 413
    assert post(protocol, b"", length="9" * 19).status == 400


@EACH_PROTOCOL
def test_ten_mebioctets_in_chunks_are_not_read_to_their_end(protocol: Protocol) -> None:
    asked = post(protocol, [b"a" * 2**16] * 160, chunked=True)
    assert (asked.status, asked.kinds) == (413, ["long-form"])
    assert asked.taken <= 2**20 + 2**16


@EACH_PROTOCOL
@framings()
@pytest.mark.parametrize("pieces", [[b"q=" + b"\0" * 50], [b"q="] + [b"\0"] * 50], ids=["one", "many"])
def test_with_over_untouched_long_forms_pass_unchanged(
    protocol: Protocol, chunked: bool, pieces: list[bytes]
) -> None:
    asked = post(protocol, pieces, forms=UNTOUCHED, chunked=chunked)
    assert (asked.status, asked.body) == (200, b"".join(pieces))
    assert asked.header("transfer-encoding") == ("chunked" if chunked else None)
    assert asked.header("content-length") == (None if chunked else "52")
    assert asked.told is not None
    assert [(each.kind, each.action) for each in asked.told.findings] == [(Kind.LONG_FORM, Action.REPORT)]
    assert post(protocol, b"q=%00", forms=UNTOUCHED, chunked=chunked).status == 400


def test_an_untouched_stream_has_all_methods_of_a_stream() -> None:
    lines: list[bytes] = []

    def app(environ: Any, start_response: Any) -> list[bytes]:
        stream = environ["wsgi.input"]
        lines.append(stream.readline())
        lines.extend(stream.readlines(1))
        lines.extend(stream)
        start_response("200 OK", [])
        return []

    post(WSGI, [b"one\ntwo\nthree\n", b"four\nfive", b"\nsix"], forms=UNTOUCHED, chunked=True, app=app)
    assert lines == [b"one\n", b"two\n", b"three\n", b"four\n", b"five\n", b"six"]


# -- wrong lengths and clients that disconnect ---------------------------------------------------------------


@EACH_PROTOCOL
def test_a_body_shorter_than_its_length_is_refused(protocol: Protocol) -> None:
    asked = post(protocol, b"q=1", length=5)
    assert (asked.status, asked.kinds) == (400, ["wrong-length"])
    assert asked.told is not None
    assert asked.told.findings[0].detail == "less than Content-Length says"


def test_a_body_longer_than_its_length_is_refused_on_asgi_and_cut_on_wsgi() -> None:
    asked = post(ASGI, [b"q=1", b"&p=2", b"&r=3"], length=5)
    assert (asked.status, asked.kinds, asked.taken) == (400, ["wrong-length"], 7)
    # On WSGI the octets after the length belong to the next request.
    asked = post(WSGI, [b"q=1", b"&p=2"], length=5)
    assert (asked.status, asked.body, asked.taken) == (200, b"q=1&p", 5)


@EACH_PROTOCOL
@pytest.mark.parametrize("length", ["x", "-1", "1,1", "1 1", "0x1", "1.0", "٣".encode().decode("latin-1")])
def test_malformed_lengths_are_refused(protocol: Protocol, length: str) -> None:
    asked = post(protocol, b"q=1", length=length)
    assert (asked.status, asked.kinds, asked.taken) == (400, ["wrong-length"], 0)


@pytest.mark.parametrize("pieces", [[], [b"q=1"], [b"q=1", b"&p="]], ids=len)
def test_a_disconnected_client_gets_a_refusal(pieces: list[bytes]) -> None:
    asked = post(ASGI, pieces, length=100, ends="disconnect")
    assert (asked.status, asked.kinds, asked.given) == (400, ["wrong-length"], None)
    assert asked.told is not None
    assert [str(each) for each in asked.told.findings] == [
        "wrong-length in form at 0 (the client disconnected) (reject)"
    ]


def test_a_server_that_cannot_send_the_answer_causes_no_error() -> None:
    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def send(_: Any) -> None:
        raise ConnectionResetError

    scope = ASGI.request_of(b"/a", "POST", headers=[(b"content-type", FORM.encode())])
    with pytest.raises(StopIteration):
        ASGI.behind(forms=True).middleware(scope, receive, send).send(None)


@pytest.mark.parametrize(
    "error", [OSError("gone"), ConnectionResetError(), TimeoutError(), ValueError("chunk")]
)
@framings()
def test_a_server_that_raises_counts_as_a_disconnect(error: Exception, chunked: bool) -> None:
    asked = post(WSGI, [b"q=1"], length=5, error=error, chunked=chunked)
    assert (asked.status, asked.kinds, asked.given) == (400, ["wrong-length"], None)
    assert asked.told is not None
    assert asked.told.findings[0].detail == "the server could not read the body"


# -- where nothing is enforced -------------------------------------------------------------------------------


@EACH_PROTOCOL
@framings()
@pytest.mark.parametrize(
    ("pieces", "kinds"),
    [
        ([b"q=1"], []),
        ([b"q=%00", b"\xff"], [Kind.NUL, Kind.ILL_FORMED_UTF8]),
        ([b"q=" + b"a" * 10, b"b" * 10], [Kind.LONG_FORM]),
    ],
    ids=["clean", "faulty", "long"],
)
def test_an_observed_form_is_handed_on_octet_for_octet(
    protocol: Protocol, chunked: bool, pieces: list[bytes], kinds: list[Kind]
) -> None:
    asked = post(protocol, pieces, forms=SMALL, chunked=chunked, enforce=False)
    assert (asked.status, asked.body) == (200, b"".join(pieces))
    assert asked.header("transfer-encoding") == ("chunked" if chunked else None)
    assert ([] if asked.told is None else [each.kind for each in asked.told.findings]) == kinds
    assert report_of(asked.given).refused is bool(kinds)


@EACH_PROTOCOL
def test_a_sample_is_drawn_once(protocol: Protocol, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []

    def draw() -> float:
        drawn.append(1)
        return 0.9 if len(drawn) == 1 else 0.0

    monkeypatch.setattr("postel._http.sampling._drawn", draw)
    asked = post(protocol, b"q=%00", sample=Sample(0.5))
    assert (asked.status, asked.body, len(drawn)) == (200, b"q=%00", 1)


def test_an_incomplete_body_is_handed_on_incomplete() -> None:
    asked = post(ASGI, [b"q=1"], length=9, ends="disconnect", enforce=False)
    assert (asked.status, asked.body, asked.after) == (200, b"q=1", ["http.disconnect"])
    asked = post(WSGI, [b"q=1"], length=9, enforce=False)
    assert (asked.status, asked.body) == (200, b"q=1")
    with pytest.raises(OSError, match="gone"):
        post(WSGI, [b"q=1"], length=9, enforce=False, error=OSError("gone"))


# -- refusals ------------------------------------------------------------------------------------------------


@EACH_PROTOCOL
def test_an_application_that_answers_refusals_receives_no_body(protocol: Protocol) -> None:
    seen: list[Any] = []

    async def asgi_refusal(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["headers"])
        seen.append((await receive())["body"])
        await PlainTextResponse("no", 422)(scope, receive, send)

    def wsgi_refusal(environ: Any, start_response: Any) -> Any:
        seen.append([key for key in environ if key in {"CONTENT_TYPE", "HTTP_TRANSFER_ENCODING"}])
        seen.append(environ["wsgi.input"].read() + environ["CONTENT_LENGTH"].encode())
        return BadRequest()(environ, start_response)

    refusal: Any = asgi_refusal if protocol is ASGI else wsgi_refusal
    for pieces in ([b"q=%00"], [b"q=" + b"a" * 50], [b"q=", b"a" * 50]):
        seen.clear()
        asked = post(protocol, pieces, forms=SMALL, chunked=True, refusal=refusal)
        assert asked.status == (422 if protocol is ASGI else 400)
        assert seen == [[], b"" if protocol is ASGI else b"0"]


@EACH_PROTOCOL
def test_a_refusal_names_the_kind_of_the_fault(protocol: Protocol) -> None:
    asked = post(protocol, b"q=%00&p=%C4")
    assert asked.answer.startswith(b"Bad Request: the request was refused (nul, ill-formed-utf8).\n")
    asked = post(protocol, b"q=%00", fields={"accept": "application/json"})
    assert b'"kinds": ["nul"]' in asked.answer
    assert post(protocol, b"q=%00", statuses={Kind.NUL: 422}).status == 422
    assert post(protocol, b"q=" + b"a" * 50, forms=SMALL, statuses={Kind.LONG_FORM: 400}).status == 400


# -- the memory is bounded -----------------------------------------------------------------------------------

WIDE = Policy.STANDARD.limiting(pairs=2**20, value=8192)


def test_a_body_sent_octet_by_octet_is_one_body() -> None:
    asked = post(ASGI, [b"a"] * 2000, WIDE, chunked=True)
    assert (asked.body, asked.taken) == (b"a" * 2000, 2000)


class Quiet:
    """An application that does not read the body, and a request that does not grow while it is served."""

    def __init__(self, protocol: Protocol, octets: bytes, policy: Policy) -> None:
        self.pieces = [octets[start : start + 2**16] for start in range(0, len(octets), 2**16)]
        self.middleware = protocol.middleware(
            self.wsgi_app if protocol is WSGI else self.asgi_app, policy, forms=True, observer=self.tell
        )
        self.protocol = protocol
        self.answered = 0

    def serve(self) -> None:
        """Serve a request whose pieces are sent in chunks."""
        if self.protocol is WSGI:
            keys = {"CONTENT_TYPE": FORM, "wsgi.input_terminated": True, "wsgi.input": Wire(self.pieces)}
            b"".join(self.middleware(WSGI.request_of(b"/a", "POST", **keys), self.start_response))
            return
        left = iter(self.pieces)

        async def receive() -> Any:
            piece = next(left, b"")
            return {"type": "http.request", "body": piece, "more_body": bool(piece)}

        scope = ASGI.request_of(b"/a", "POST", headers=[(b"content-type", FORM.encode())])
        with pytest.raises(StopIteration):
            self.middleware(scope, receive, self.send).send(None)

    def wsgi_app(self, _environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        return []

    def start_response(self, status: str, *_: Any) -> None:
        self.answered = int(status[:3])

    async def asgi_app(self, _scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(self, message: Any) -> None:
        self.answered = message.get("status", self.answered)

    def tell(self, report: Any) -> None:
        """Ignore a report: the forms have faults on purpose."""


def peak_of(protocol: Protocol, octets: bytes, policy: Policy = WIDE) -> tuple[int, int]:
    """Return the peak memory of postel for a request, in octets, and the status.

    The octets that the client sends do not count.
    """
    quiet = Quiet(protocol, octets, policy)
    quiet.serve()  # The first request creates objects that later ones reuse.
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        quiet.serve()
        return tracemalloc.get_traced_memory()[1] - before, quiet.answered
    finally:
        tracemalloc.stop()


MOST = 6
"""The peak memory is less than this many times the length of the body. Repairs are made block by block."""
SLACK = 10 * 2**20
"""The peak memory may be larger by this many octets if every pair of a block is repaired."""
CLEAN, STRAY = b"q=caf%C3%A9&", b"q=50%&"


@pytest.mark.parametrize(
    ("protocol", "pair", "size"),
    [
        (ASGI, CLEAN, 2**10),
        (ASGI, CLEAN, 100 * 2**10),
        (ASGI, CLEAN, 2**20),
        (WSGI, CLEAN, 2**20),
        (WSGI, STRAY, 2**18),
    ],
    ids=["1 KiB", "100 KiB", "1 MiB", "1 MiB on WSGI", "a repair in every pair"],
)
def test_peak_memory_is_a_small_multiple_of_the_body(protocol: Protocol, pair: bytes, size: int) -> None:
    peak, status = peak_of(protocol, (pair * (size // len(pair) + 1))[: size - size % len(pair)])
    assert status == 200
    assert peak < MOST * size + (SLACK if pair is STRAY else 2**13)


def test_peak_memory_if_edited_names_are_compared() -> None:
    value = b"\xff <" * 140
    form = b"&".join([b"a%%FF%du%%u0061=%s" % (number, value) for number in range(900)])
    peak, status = peak_of(ASGI, form, Policy.LENIENT.rejecting(Kind.DUPLICATE_NAME))
    assert status == 200
    assert peak < MOST * len(form)


@pytest.mark.parametrize("piece", [b"%", b"%z", b"\xff", b"\xff%", b"%20" * 20 + b"%"])
def test_peak_memory_if_the_name_of_a_charset_is_very_long(piece: bytes) -> None:
    form = b"_charset_=" + piece * (2**18 // len(piece))
    peak, status = peak_of(ASGI, form)
    assert status == 415
    assert peak < MOST * len(form)


@EACH_PROTOCOL
def test_peak_memory_of_ten_mebioctets_depends_only_on_the_limit(protocol: Protocol) -> None:
    peak, status = peak_of(protocol, b"q" * 10 * 2**20)
    assert status == 413
    assert peak < 3 * 2**20
