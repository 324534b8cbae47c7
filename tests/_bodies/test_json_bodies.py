"""JSON behind the middleware: which bodies are read, refused, handed on and reported, on both protocols."""

from __future__ import annotations

import hashlib
import hmac
import io
import logging
from typing import Any, Final

import pytest

import postel.asgi
import postel.wsgi
from adapters import ASGI, EACH_PROTOCOL, WSGI, Protocol
from bodies import FORM, Asked, Wire, post
from postel import Action, Bodies, Component, Forms, Json, Kind, LogObserver, Policy, PolicyError, report_of

JSON: Final = "application/json"
BOM: Final = b"\xef\xbb\xbf"
SMALL: Final = Json(limit=16)


def sent(
    protocol: Protocol, octets: bytes | list[bytes], policy: Policy = Policy.STANDARD, **given: Any
) -> Asked:
    return post(protocol, octets, policy, **{"content_type": JSON, "forms": False, "json": True, **given})


framings = pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])


# -- what passes ---------------------------------------------------------------------------------------------


@EACH_PROTOCOL
@framings
@pytest.mark.parametrize(
    "pieces", [[b'{"a": 1}'], [b'{"a"', b": 1}"], [b'{"\xc3', b'\xa9": 1}', b""]], ids=len
)
def test_clean_json_passes_octet_for_octet(protocol: Protocol, chunked: bool, pieces: list[bytes]) -> None:
    asked = sent(protocol, pieces, chunked=chunked)
    assert asked.body == b"".join(pieces)
    assert asked.header("content-length") == str(len(asked.body))
    assert asked.header("transfer-encoding") is None
    assert asked.header("content-type") == JSON
    assert asked.told is None


@EACH_PROTOCOL
def test_a_bom_is_cut(protocol: Protocol) -> None:
    asked = sent(protocol, BOM + b"[1]", json=Json(keep=True))
    assert (asked.body, asked.header("content-length")) == (b"[1]", "3")
    assert asked.told is not None
    assert asked.told.received_json == BOM + b"[1]"
    assert asked.told.received_form is None
    (found,) = asked.told.findings
    assert (found.kind, found.component, found.action) == (
        Kind.BYTE_ORDER_MARK,
        Component.JSON,
        Action.REPAIR,
    )


@EACH_PROTOCOL
@pytest.mark.parametrize(
    ("field", "handed"),
    [
        ("Application/JSON;charset=UTF-8", "application/json; charset=utf-8"),
        ("application/json;", "application/json"),
        ("application/json;charset=utf-8", "application/json;charset=utf-8"),
        ("application/problem+json", "application/problem+json"),
    ],
)
def test_the_type_is_handed_on_in_a_spelling_that_all_recognise(
    protocol: Protocol, field: str, handed: str
) -> None:
    assert sent(protocol, b"{}", content_type=field).header("content-type") == handed
    untouched = sent(protocol, b"{}", content_type=field, enforce=False)
    assert untouched.header("content-type") == field


@EACH_PROTOCOL
@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "OPTIONS"])
def test_a_json_type_without_a_body_is_accepted_for_some_methods(protocol: Protocol, method: str) -> None:
    upload = "multipart/form-data; boundary=x"
    for settings in ({"length": 0}, {"length": ""}, {"chunked": True}):
        asked = sent(protocol, b"", method=method, content_type="Application/JSON", **settings)
        assert (asked.status, asked.header("content-type")) == (200, JSON)
        assert (asked.body, asked.told) == (b"", None)
        asked = sent(protocol, b"", method=method, content_type=upload, forms=True, **settings)
        assert (asked.status, asked.header("content-type"), asked.body) == (200, upload, b"")
        for missed in (JSON, upload):
            assert sent(protocol, b"", content_type=missed, forms=True, **settings).status == 400


@EACH_PROTOCOL
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("field", [None, "", "text/plain", "multipart/x; boundary=y"])
def test_a_chunked_body_without_octets_counts_as_no_body(
    protocol: Protocol, method: str, field: str | None
) -> None:
    """Node and httpx send such a body if they do not know in advance that it is empty."""
    asked = sent(protocol, b"", method=method, content_type=field, chunked=True, forms=True)
    assert (asked.status, asked.body, asked.told) == (200, b"", None)
    asked = sent(protocol, b"1", method=method, content_type=field, chunked=True, forms=True)
    assert (asked.status, asked.kinds) == (415, ["unjudged-body"])
    both = {"transfer-encoding": "chunked"}
    asked = sent(protocol, b"", method=method, content_type=field, length=0, fields=both, forms=True)
    assert asked.status == 415


@EACH_PROTOCOL
def test_more_types_can_be_named(protocol: Protocol) -> None:
    named = Json(types=["application/csp-report"], others="untouched")
    faulty = b'{"a":1,"a":2}'
    assert sent(protocol, faulty, content_type="application/csp-report", json=named).kinds == [
        "duplicate-name"
    ]
    assert sent(protocol, faulty, content_type="text/plain", json=named).body == faulty


@EACH_PROTOCOL
def test_a_route_has_a_policy_of_its_own(protocol: Protocol) -> None:
    faulty = b'{"a":1,"a":2}'
    routes = {"/a": Policy.STANDARD.reporting(Kind.DUPLICATE_NAME, on=Component.JSON)}
    assert sent(protocol, faulty, routes=routes).body == faulty
    assert sent(protocol, faulty, routes=routes, target=b"/b").status == 400


# -- what does not pass --------------------------------------------------------------------------------------


@EACH_PROTOCOL
@framings
@pytest.mark.parametrize(
    ("octets", "field", "status", "slug"),
    [
        pytest.param(b'{"a":1,"a":2}', JSON, 400, "duplicate-name", id="a name twice"),
        pytest.param(b"[" * 1000, JSON, 400, "deep-json", id="deep"),
        pytest.param(b"{", JSON, 400, "json-syntax", id="broken"),
        pytest.param(b'"\\ud800"', "application/x+json", 400, "lone-surrogate", id="a surrogate"),
        pytest.param(b"\xff", JSON, 400, "ill-formed-utf8", id="ill-formed"),
        pytest.param(b'"12345678901234"1', JSON, 413, "long-json", id="too long"),
        pytest.param("[1]".encode("utf-16"), JSON, 415, "json-coding", id="UTF-16"),
        pytest.param(b"[]", f"{JSON}; charset=utf-16", 415, "json-coding", id="a charset"),
        pytest.param(b"[]", "text/plain", 415, "unjudged-body", id="another type"),
        pytest.param(b"[]", None, 415, "unjudged-body", id="no type"),
        pytest.param(b"[]", "multipart/x+json", 415, "malformed-content-type", id="parts, no boundary"),
        pytest.param(b"[]", f"{FORM}+json", 415, "unjudged-body", id="a form with a suffix"),
        pytest.param(b"[]", f'{JSON}; x="{FORM}"', 415, "unjudged-body", id="a form in a parameter"),
        pytest.param(b"[]", "multipart/x+json; boundary=zz", 415, "unjudged-body", id="parts, a boundary"),
        pytest.param(b"a=1", FORM, 415, "unjudged-body", id="a form"),
        pytest.param(b"--x--", "multipart/form-data; boundary=x", 415, "unjudged-body", id="parts"),
        pytest.param(b"[]", "application / json", 415, "malformed-content-type", id="blanks in a type"),
    ],
)
def test_refused_bodies(  # noqa: PLR0917 - columns of the table
    protocol: Protocol, chunked: bool, octets: bytes, field: str | None, status: int, slug: str
) -> None:
    settings = {"json": SMALL} if slug == "long-json" else {}
    asked = sent(protocol, octets, content_type=field, chunked=chunked, **settings)
    assert (asked.status, asked.kinds, asked.given) == (status, [slug], None)
    assert asked.told is not None
    assert asked.told.findings[-1].component is Component.JSON
    untouched = sent(protocol, octets, content_type=field, chunked=chunked, enforce=False, **settings)
    assert (untouched.status, untouched.body) == (200, octets)
    assert untouched.told is not None
    assert untouched.told.refused


@EACH_PROTOCOL
@pytest.mark.parametrize("terminated", [False, True])
def test_an_empty_body_is_refused_for_methods_that_need_one(protocol: Protocol, terminated: bool) -> None:
    for method in ("POST", "PUT", "PATCH", "post", "Put"):
        for field in (JSON, "multipart/form-data; boundary=zz"):
            asked = sent(protocol, b"", method=method, content_type=field, terminated=terminated, forms=True)
            assert (asked.status, len(asked.kinds)) == (400, 1)
    asked = sent(protocol, b"", terminated=terminated, enforce=False)
    assert (asked.status, asked.body) == (200, b"")


@pytest.mark.parametrize("method", ["GET", "DELETE", "POST"])
@pytest.mark.parametrize("field", [JSON, FORM, "multipart/form-data; boundary=x", "text/plain", None])
def test_an_empty_body_in_any_number_of_messages_is_the_same(field: str | None, method: str) -> None:
    whole = sent(WSGI, b"", method=method, content_type=field, forms=True)
    for pieces in ([b""], [b"", b""], [b"", b"", b""]):
        asked = sent(ASGI, pieces, method=method, content_type=field, forms=True)
        assert (asked.status, asked.kinds, asked.body) == (whole.status, whole.kinds, b"")
    asked = sent(ASGI, [b"", b"", b"[1]"], content_type="text/plain", length=0)
    assert asked.kinds == ["unjudged-body"]


@EACH_PROTOCOL
def test_a_compressed_body_is_refused(protocol: Protocol) -> None:
    asked = sent(protocol, b"[]", fields={"content-encoding": "gzip"})
    assert (asked.status, asked.kinds) == (415, ["json-coding"])


@EACH_PROTOCOL
@pytest.mark.parametrize("length", ["3", "1", "x"])
def test_a_length_must_be_right(protocol: Protocol, length: str) -> None:
    asked = sent(protocol, b"[]", length=length, terminated=True)
    assert (asked.status, asked.kinds) == (400, ["wrong-length"])


@EACH_PROTOCOL
def test_a_length_over_the_limit_is_refused_unread(protocol: Protocol) -> None:
    asked = sent(protocol, b"[" + b" " * 100 + b"]", json=SMALL)
    assert (asked.status, asked.kinds, asked.taken) == (413, ["long-json"], 0)


@EACH_PROTOCOL
def test_the_limit_is_100_kib_unless_it_is_set(protocol: Protocol) -> None:
    longest = b"[" + b" " * (100 * 1024 - 2) + b"]"
    assert sent(protocol, longest).status == 200
    assert sent(protocol, longest + b" ").kinds == ["long-json"]


@EACH_PROTOCOL
def test_a_digest_forbids_a_repair(protocol: Protocol) -> None:
    signed = Json(signed=["Stripe-Signature"])
    for name in ("content-digest", "stripe-signature"):
        asked = sent(protocol, BOM + b"{}", fields={name: "x"}, json=signed)
        assert (asked.status, asked.kinds) == (400, ["byte-order-mark"])
        assert sent(protocol, b"{}", fields={name: "x"}, json=signed).body == b"{}"
    assert sent(protocol, BOM + b"{}", fields={"stripe-signature": "x"}).body == b"{}"


# -- beside forms --------------------------------------------------------------------------------------------


@EACH_PROTOCOL
def test_forms_and_json_are_judged_together(protocol: Protocol) -> None:
    both: dict[str, Any] = {"forms": Forms(keep=True), "json": True}
    assert sent(protocol, b"q=\xc3\xa9", content_type=FORM, **both).body == b"q=%C3%A9"
    assert sent(protocol, b'{"a":1,"a":2}', **both).kinds == ["duplicate-name"]
    refused = sent(protocol, b"x", content_type="text/plain", **both)
    assert refused.kinds == ["unjudged-body"]
    assert refused.told is not None
    assert (
        refused.told.findings[-1].detail
        == "a type that Json does not judge; Json(others='untouched') lets it pass"
    )
    refused = sent(protocol, b"x", content_type="text/plain", forms=Forms(others="refuse"), json=True)
    assert refused.told is not None
    assert (
        refused.told.findings[-1].detail
        == "a type that Bodies does not judge; Bodies(others='untouched') lets it pass"
    )
    passing = Bodies(forms=Forms(others="refuse"), json=True, others="untouched")
    assert sent(protocol, b"x", content_type="text/plain", json=False, bodies=passing).body == b"x"
    both["json"] = Json(others="untouched")
    assert sent(protocol, b"x", content_type="text/plain", **both).body == b"x"
    asked = sent(protocol, b"x", content_type="multipart/form-data; boundary=y", **both)
    assert asked.kinds == ["multipart-syntax"]


@EACH_PROTOCOL
@pytest.mark.parametrize("declared", [FORM, "application/x-url-encoded", "multipart/form-data; boundary=y"])
def test_a_form_without_the_setting_for_forms_is_refused_with_advice_to_judge_it(
    protocol: Protocol, declared: str
) -> None:
    asked = sent(protocol, b"q=1", content_type=declared)
    assert (asked.status, asked.kinds) == (415, ["unjudged-body"])
    assert asked.told is not None
    detail = "a form; forms=True judges it, Json(others='untouched') lets it pass unjudged"
    assert asked.told.findings[-1].detail == detail


@EACH_PROTOCOL
def test_without_the_setting_json_passes_unread(protocol: Protocol) -> None:
    asked = sent(protocol, b'{"a":1,"a":2}', json=False)
    assert (asked.body, asked.told) == (b'{"a":1,"a":2}', None)


@pytest.mark.parametrize("middleware", [postel.asgi.NormalizeMiddleware, postel.wsgi.NormalizeMiddleware])
def test_invalid_settings_raise(middleware: Any) -> None:
    def app(scope: Any, receive: Any, send: Any = None) -> None: ...

    with pytest.raises(
        PolicyError, match=r"^json=1: write json=True, or a Json such as json=Json\(limit=100_000\)$"
    ):
        middleware(
            app if middleware is postel.asgi.NormalizeMiddleware else lambda environ, start: [], json=1
        )


# -- logs and signatures -------------------------------------------------------------------------------------


@EACH_PROTOCOL
def test_the_log_names_the_member(protocol: Protocol, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="postel"):
        sent(protocol, b'{"user":{"name":"\\u0000"}}', observer=LogObserver())
    (message,) = caplog.messages
    assert message.startswith(
        'refused "POST" "/a" from "192.0.2.1": nul in json at 17, of "user.name" (reject); id '
    )


@EACH_PROTOCOL
def test_a_type_that_one_framework_reads_as_json_is_judged_if_the_setting_names_it(
    protocol: Protocol,
) -> None:
    def asked(**settings: Any) -> tuple[int, list[str]]:
        answer = post(protocol, b'"\\ud800"', content_type="application/json-rpc", json=Json(**settings))
        return answer.status, answer.kinds if answer.status != 200 else []

    assert asked() == (415, ["unjudged-body"])
    assert asked(types=["application/json-rpc"]) == (400, ["lone-surrogate"])


@EACH_PROTOCOL
def test_a_signature_is_verified_over_what_was_received(protocol: Protocol) -> None:
    """GitHub, Slack and Stripe sign the octets before anybody reads them."""
    key, received = b"key", BOM + b'{"paid": 100}'
    sent_with = hmac.new(key, received, hashlib.sha256).hexdigest()
    asked = sent(
        protocol, received, json=Json(keep=True), fields={"x-hub-signature-256": f"sha256={sent_with}"}
    )
    kept = report_of(asked.given).received_json
    assert kept is not None
    assert kept == received != asked.body
    assert hmac.compare_digest(hmac.new(key, kept, hashlib.sha256).hexdigest(), sent_with)


def test_a_stream_that_wsgi_ends_is_read_to_its_end() -> None:
    ends = {"wsgi.input": Wire([b"[1", b"]"]), "wsgi.input_terminated": True, "CONTENT_TYPE": JSON}
    answer = WSGI.through(WSGI.request_of(b"/a", "POST", HTTP_HOST="h", **ends), json=True)
    assert answer.given is not None
    assert answer.given["wsgi.input"].read() == b"[1]"
    assert answer.given["CONTENT_LENGTH"] == "3"
    empty = {"wsgi.input": io.BytesIO(), "wsgi.input_terminated": True, "CONTENT_TYPE": "Application/JSON"}
    answer = WSGI.through(WSGI.request_of(b"/a", "GET", HTTP_HOST="h", **empty), json=True)
    assert answer.given is not None
    assert answer.given["CONTENT_TYPE"] == JSON


def test_a_disconnected_client_is_answered_with_400() -> None:
    asked = sent(ASGI, [b"[1,"], chunked=True, ends="disconnect")
    assert asked.kinds == ["wrong-length"]
