"""Bodies that are made to be expensive are refused, with a bound on the memory."""

from __future__ import annotations

import tracemalloc
from typing import Any, Final

import pytest

from _bodies.test_multipart import DISPOSITION, FILE, TYPE, body, part
from adapters import EACH_PROTOCOL, Protocol
from bodies import post
from postel import Component, Forms, Json, Kind, Policy

MIB: Final = 2**20
PIECE: Final = 2**16
MEMORY: Final = 2**18
FORMS: Final = Forms(memory=MEMORY)
MOST: Final = 5 * MIB
"""The peak memory in octets: five times the default limit for header fields and texts."""
HEADERS: Final = DISPOSITION + b"".join(b"\r\nX-%d: y" % number for number in range(10_000))

MULTIPART: Final = {
    "10,000 parts": (body(*[part()] * 10_000), "too-many-pairs"),
    "10,000 empty parts": (body(*[part(content=b"")] * 10_000), "too-many-pairs"),
    "10,000 header fields": (body(part(HEADERS)), "part-header"),
    "10,000 parameters": (body(part(DISPOSITION + b"; a=b" * 10_000)), "part-header"),
    "one long header field": (body(part(DISPOSITION + b"\r\nX: " + b"y" * MIB)), "part-header"),
    "1 MiB of boundaries": (b"--zz\r\n" * (MIB // 6), "part-header"),
    "1 MiB of last boundaries": (b"--zz--\r\n" * (MIB // 8), "multipart-syntax"),
    "1 MiB of texts": (body(*[part(content=b"a" * 60_000)] * 18), "long-form"),
    "one long text": (body(part(content=b"a" * MIB)), "long-value"),
    "a part without an end": (body(part(FILE, b"a" * MIB))[:-8], "multipart-syntax"),
}
LOOKALIKES: Final = [
    b"\r\n--",
    b"\r\n-",
    b"\r\n",
    b"\r\n--y",
    b"--",
    b"\r\n--X",
    b"\n--",
    b"\r\n--\r\n--",
    b"\r\n--z",
    b"z\r\n",
]
JSON: Final = {
    "100,000 arrays": (b"[" * 100_000, "deep-json"),
    "100,000 arrays that end": (b"[" * 50_000 + b"]" * 50_000, "deep-json"),
    "100,000 objects": (b'{"":' * 25_000, "deep-json"),
    "arrays after strings": (b'["\\"[",' * 12_000, "deep-json"),
    "members": (b"{" + b",".join(b'"%d":0' % number for number in range(10_001)) + b"}", "too-many-members"),
    "one name again and again": (b"{" + b",".join([b'"":0'] * 10_001) + b"}", "duplicate-name"),
    "digits": (b"[" + b"1" * 99_998 + b"]", "long-number"),
    "an exponent": (b"[1e" + b"9" * 900 + b"]", "infinite-number"),
    "commas": (b"[" + b"," * 99_998 + b"]", "json-syntax"),
    "more than the limit": (b"[" + b" " * 102_400 + b"]", "long-json"),
}


def pieces(octets: bytes) -> list[bytes]:
    return [octets[start : start + PIECE] for start in range(0, len(octets), PIECE)]


def refused(
    protocol: Protocol, octets: bytes, content_type: str, forms: Forms | bool, json: Json | bool
) -> str:
    """Return the kind for which a body is refused, and check that the memory stays small."""
    post(protocol, b"", content_type=content_type, forms=forms, json=json)  # create cached objects
    sent = pieces(octets)
    tracemalloc.start()
    try:
        asked = post(protocol, sent, content_type=content_type, forms=forms, json=json)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert asked.given is None
    assert peak < MOST
    (kind,) = asked.kinds
    return kind


@EACH_PROTOCOL
@pytest.mark.parametrize("name", MULTIPART)
def test_hostile_multipart_forms_are_refused_in_bounded_memory(protocol: Protocol, name: str) -> None:
    octets, kind = MULTIPART[name]
    assert refused(protocol, octets, TYPE, FORMS, json=False) == kind


ONCE: Final = Policy.STANDARD.rejecting(Kind.DUPLICATE_NAME, on=Component.FORM)
LARGE: Final = {
    "tabs": body(*[part(b'%s%d"' % (DISPOSITION[:-1], number), b"\t" * 960) for number in range(990)]),
    "long names": body(*[part(b'%s%d"' % (DISPOSITION[:-1] + b"'" * 940, number)) for number in range(990)]),
    "a repeated name": body(*[part(content=b"\t" * 960)] * 990),
    "long texts": body(*[part(b'%s%d"' % (DISPOSITION[:-1], each), b"\t" * 60_000) for each in range(17)]),
}
EMOJI: Final = "\U0001f600".encode()
LARGE["names with an emoji"] = body(
    *[part(b'%s%d%s"' % (DISPOSITION[:-1], number, EMOJI + b"a" * 920 + b"%22")) for number in range(990)]
)
EACH_POLICY: Final = {
    "no rule": Policy.STANDARD,
    "a rule": ONCE,
    "a rule for one name": Policy.STANDARD.reporting(Kind.DUPLICATE_NAME, on=Component.FORM, names=["a1"]),
    "the last is kept": Policy.STANDARD.repairing(Kind.DUPLICATE_NAME).keeping("last"),
    "references": ONCE.reporting(Kind.FOREIGN_REFERENCE, on=Component.FORM),
    "composed": Policy.LENIENT.reporting(Kind.DUPLICATE_NAME).repairing(Kind.NOT_NFC),
    "strict": Policy.STRICT,
}


@EACH_PROTOCOL
@pytest.mark.parametrize("policy", EACH_POLICY)
@pytest.mark.parametrize("name", LARGE)
def test_large_multipart_forms_take_bounded_memory_under_every_policy(
    protocol: Protocol, name: str, policy: str
) -> None:
    sent = pieces(LARGE[name])
    post(protocol, body(part()), EACH_POLICY[policy], content_type=TYPE, forms=FORMS)  # create cached objects
    tracemalloc.start()
    try:
        post(protocol, sent, EACH_POLICY[policy], content_type=TYPE, forms=FORMS)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < MOST


def _form(pair: bytes, between: bytes = b"&") -> bytes:
    return between.join([pair] * (MIB // (len(pair) + len(between))))


LARGE_FORMS: Final = {
    "clean": _form(b"a=" + b"b" * 1000),
    "two ampersands": _form(b"a=" + b"%zz%uD83D" * 200, b"&&"),
    "two ampersands, dirty": _form(b"a=" + b"50% <" * 200, b"&&"),
    "lone newlines": _form(b"a=" + b"%0D%3F" * 32_760),
    "stray percent signs and units": _form(b"a=" + b"%zz%uD83D" * 7000),
}


@EACH_PROTOCOL
@pytest.mark.parametrize("policy", [Policy.STRICT, Policy.STANDARD, Policy.LENIENT], ids=str)
@pytest.mark.parametrize("name", LARGE_FORMS)
def test_large_forms_take_bounded_memory(protocol: Protocol, name: str, policy: Policy) -> None:
    sent = pieces(LARGE_FORMS[name])
    post(protocol, b"a=%3F", policy, forms=True)  # create cached objects
    tracemalloc.start()
    try:
        post(protocol, sent, policy, forms=True)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < MOST


@EACH_PROTOCOL
def test_an_upload_in_memory_is_held_once(protocol: Protocol) -> None:
    upload = 8 * MIB

    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        while environ["wsgi.input"].read(PIECE):
            pass
        start_response("200 OK", [])
        return []

    async def app_on_asgi(_: object, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body"})

    sent = pieces(body(part(FILE, bytes(upload))))
    given: dict[str, Any] = {
        "content_type": TYPE,
        "forms": Forms(memory=2**24),
        "app": app if protocol.name == "wsgi" else app_on_asgi,
    }
    post(protocol, body(part()), **given)  # create cached objects
    tracemalloc.start()
    try:
        asked = post(protocol, sent, **given)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert asked.status == 200
    assert peak < 1.5 * upload


@EACH_PROTOCOL
@pytest.mark.parametrize("piece", LOOKALIKES)
def test_lookalikes_of_boundaries_take_bounded_memory(protocol: Protocol, piece: bytes) -> None:
    """A file may contain any number of them. A text with so many of them is refused."""
    octets = body(part(FILE, piece * (MIB // len(piece))))
    tracemalloc.start()
    try:
        asked = post(protocol, pieces(octets), content_type=TYPE, forms=FORMS)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (asked.body == octets, peak < MOST) == (True, True)
    assert refused(protocol, body(part(content=piece * (MIB // len(piece)))), TYPE, FORMS, json=False)


@EACH_PROTOCOL
@pytest.mark.parametrize("name", JSON)
def test_hostile_json_is_refused_in_bounded_memory(protocol: Protocol, name: str) -> None:
    octets, kind = JSON[name]
    assert refused(protocol, octets, "application/json", forms=False, json=True) == kind
