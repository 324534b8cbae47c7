"""Repairs that make a body longer: what is handed on is within the limits, so another postel accepts it."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters import EACH_PROTOCOL, Protocol
from bodies import FORM, post
from postel import Forms, Json, Policy

JSON: Final = "application/json"
PARTS: Final = "multipart/form-data; boundary=zz"
SMALL: Final = Forms(limit=100)
LAX: Final = Forms(limit=100, over="untouched")
WESTERN: Final = Forms(limit=100, charsets=["windows-1252"])
LONG: Final = {"json": Json(limit=100)}
E_ACUTE: Final = "é".encode()


def parts(head: bytes, count: int = 2) -> bytes:
    return (b"--zz\r\n" + head + b"\r\n\r\n1\r\n") * count + b"--zz--\r\n"


USUAL: Final = b'Content-Disposition: form-data; name="a"'
UNUSUAL: Final = b"Content-Disposition: form-data; name=a"
"""``USUAL`` without the quotes: two octets shorter, and rewritten as ``USUAL``."""
HEADS: Final = 2 * len(USUAL)
WHOLE: Final = len(parts(USUAL))

ROWS: Final[dict[str, tuple[dict[str, Any], str, bytes, bytes | None]]] = {
    "a form at the limit": ({"forms": SMALL}, FORM, b"q=" + E_ACUTE * 16, b"q=" + b"%C3%A9" * 16),
    "a form that a repair makes too long": ({"forms": SMALL}, FORM, b"q=" + E_ACUTE * 17, None),
    "small pairs that repairs make too long": (
        {"forms": SMALL},
        FORM,
        b"&".join([b"a=" + E_ACUTE] * 12),
        None,
    ),
    "a form at the limit without a repair": (
        {"forms": SMALL},
        FORM,
        b"q=" + b"%C3%A9" * 16,
        b"q=" + b"%C3%A9" * 16,
    ),
    "a form in another charset": ({"forms": WESTERN}, FORM, b"_charset_=latin1&q=" + b"\xe9" * 20, None),
    "a repair beyond the limit if longer forms pass": (
        {"forms": LAX},
        FORM,
        b"q=" + E_ACUTE * 17,
        b"q=" + b"%C3%A9" * 17,
    ),
    "a repair beyond twice the limit if longer forms pass": (
        {"forms": LAX},
        FORM,
        b"q=" + E_ACUTE * 40,
        None,
    ),
    "JSON at the limit": (LONG, JSON, b'"' + b"\xff" * 32 + b'"', b'"' + "\ufffd".encode() * 32 + b'"'),
    "JSON that a repair makes too long": (LONG, JSON, b'"' + b"\xff" * 33 + b'"', None),
    "long JSON after a byte order mark": (LONG, JSON, b'\xef\xbb\xbf"' + b"\xff" * 33 + b'"', None),
    "a multipart form at the limit": ({"forms": Forms(upload=WHOLE)}, PARTS, parts(UNUSUAL), parts(USUAL)),
    "a multipart form that is too long": ({"forms": Forms(upload=WHOLE - 1)}, PARTS, parts(UNUSUAL), None),
    "texts of a multipart form at the limit": (
        {"forms": Forms(limit=HEADS + 2)},
        PARTS,
        parts(UNUSUAL),
        parts(USUAL),
    ),
    "texts of a multipart form that are too long": (
        {"forms": Forms(limit=HEADS + 1)},
        PARTS,
        parts(UNUSUAL),
        None,
    ),
    "a multipart form that is too long, in a file": (
        {"forms": Forms(upload=WHOLE - 1, memory=1)},
        PARTS,
        parts(UNUSUAL),
        None,
    ),
}
"""Settings, a type, a body, and what the application reads; ``None`` if the body is refused."""


@pytest.mark.parametrize(("settings", "declared", "received", "handed"), ROWS.values(), ids=list(ROWS))
@EACH_PROTOCOL
def test_a_repaired_body_is_within_the_limits(
    protocol: Protocol, settings: dict[str, Any], declared: str, received: bytes, handed: bytes | None
) -> None:
    once = post(protocol, received, Policy.LENIENT, content_type=declared, **settings)
    if handed is None:
        kind = "long-json" if declared == JSON else "long-form"
        assert (once.status, once.kinds, once.given) == (413, [kind], None)
        return
    assert (once.status, once.body) == (200, handed)
    again = post(protocol, handed, Policy.LENIENT, content_type=declared, **settings)
    assert (again.status, again.body) == (200, handed)


GROWING: Final = [
    b"a",
    b"&",
    b"=",
    b"%",
    b"%zz",
    b"\xff",
    b"\0",
    b'"',
    b",",
    E_ACUTE,
    E_ACUTE * 9,
    b"%C3%A9" * 3,
]
TIGHT: Final = {"forms": Forms(limit=60), "json": Json(limit=60)}


@given(
    st.lists(st.sampled_from(GROWING), max_size=9).map(b"".join),
    st.sampled_from([FORM, JSON]),
    st.sampled_from([Policy.STANDARD, Policy.LENIENT]),
)
@EACH_PROTOCOL
def test_what_is_handed_on_is_accepted_again(
    protocol: Protocol, octets: bytes, declared: str, policy: Policy
) -> None:
    received = b'["' + octets.replace(b'"', b'","') + b'"]' if declared == JSON else octets
    once = post(protocol, received, policy, content_type=declared, **TIGHT)
    if once.status == 200:
        again = post(protocol, once.body, policy, content_type=declared, **TIGHT)
        assert (again.status, again.body) == (200, once.body)


SMALL: Final = Forms(limit=1500, upload=2000)
PARTS: Final = b'--x\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n%b\r\n--x--\r\n' % (
    b"1" * 2500
)


@EACH_PROTOCOL
@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
@pytest.mark.parametrize(
    ("declared", "octets", "detail"),
    [
        (FORM, b"a=" + b"1" * 2500, "more than Forms.limit, 1,500 octets"),
        ("multipart/form-data; boundary=x", PARTS, "more than Forms.upload, 2,000 octets"),
        (JSON, b"[" + b" " * 2500 + b"]", "more than Json.limit, 1,000 octets"),
    ],
    ids=["form", "upload", "json"],
)
def test_a_finding_about_a_long_body_names_the_setting(
    protocol: Protocol, chunked: bool, declared: str, octets: bytes, detail: str
) -> None:
    settings: dict[str, Any] = {"forms": SMALL, "json": Json(limit=1000)}
    asked = post(protocol, octets, content_type=declared, chunked=chunked, **settings)
    assert asked.told is not None
    assert [(each.excerpt, each.detail) for each in asked.told.findings] == [(b"", detail)]
