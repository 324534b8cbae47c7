"""Bodies by Content-Type and framing: which are forms, which are refused, and which pass unchanged."""

from __future__ import annotations

import asyncio
import io
import json
import sys
from itertools import product
from typing import Annotated, Any, Final

import bottle
import httpx
import litestar
import pytest
from hypothesis import given
from hypothesis import strategies as st
from litestar.enums import RequestEncodingType
from litestar.params import Body as DeclaredBody
from pyramid.config import Configurator

import postel.asgi
from _normalizer.test_plain import is_proven, plain
from adapters import ASGI, EACH_PROTOCOL, WSGI, Protocol
from applications import ignore
from bodies import FORM, Wire, post
from form_readers import FRAMEWORKS, Body
from postel import Action, Component, Forms, Kind, Policy
from postel._alphabet.printable import quoted_octets
from postel._bodies.content_type import LONGEST, Parameter, content_type, form_type, proof
from together import together

MULTI_PART: Final = RequestEncodingType.MULTI_PART
NAMED: Final = {each.name: each for each in FRAMEWORKS}
REFUSING: Final = Forms(others="refuse")
FORM_FIELD: Final = (b"content-type", FORM.encode())


@pytest.fixture(autouse=True)
def _without_webob(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that WebOb is not loaded. The tests that need it load it."""
    monkeypatch.delitem(sys.modules, "webob", raising=False)


@pytest.fixture
def with_webob(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "webob", bottle)


# -- what is a plain media type ------------------------------------------------------------------------------

PLAIN: Final = [
    ("application/json", "application/json"),
    ("Text/HTML;Charset=UTF-8", "text/html"),
    ("application/vnd.api+json; ext=x; profile=y", "application/vnd.api+json"),
    ("text/plain;", "text/plain"),
    ("text/plain ; ;\t; a=b \t", "text/plain"),
    ("text/plain \t", "text/plain"),
    ('multipart/form-data; boundary="----=_Part (1)"', "multipart/form-data"),
    ('multipart/related; start-info="a/b; action=\\"urn:x\\""', "multipart/related"),
    ("a!#$&^_.+-/b'`|~%", "a!#$&^_.+-/b'`|~%"),
    ("a/b; c=d*e", "a/b"),
    ("a/b; c*=utf-8''d", "a/b"),
    ('video/webm; codecs="vp8, opus"', "video/webm"),
]
NOT_PLAIN: Final = [
    " ", "\t", ";", "/", "a", "a/", "/b", "a/b/c", "a /b", "a/ b", "a / b", " a/b", "\ta/b", "a/b c",
    "a/b,c/d", "a/b, c/d", ",a/b", "a/b,", "*/*", "a/*", "*/b", "a/x*y", '"a/b"', "a/b; c", "a/b; c =d",
    "a/b; c= d", "a/b; c=", 'a/b; c="', 'a/b; c="d"e', 'a/b; c="d, */*"', 'a/b; c="\t"',
    'a/b; c="\\"', "a/b; c=d=e",
    "a/b; =d", "a=b/c", "a/b:", "a/b; c=d/e", "a/b; charset: utf-8", "a/b\0", "\x0ba/b", "a/b\x0c", "a/b\r\n",
    "\r\n a/b", "a/b;\r\n c=d", "\x1ca/b", "a/b\x1f", "\x85a/b", "a/b\xa0", "a/\xa0b", "a/b;\xa0c=d",
    'a/b; c="\xe9"', "a/b\x7f", "ä/b", "a/" + "b" * LONGEST,
]  # fmt: skip


@pytest.mark.parametrize(("text", "media"), PLAIN)
def test_plain_media_types_have_no_fault(text: str, media: str) -> None:
    declared = content_type([text.encode("latin-1")])
    assert (declared.media, declared.fault) == (media.encode(), "")


@together("text", NOT_PLAIN, ids=ascii)
def test_malformed_media_types_have_a_fault(text: str) -> None:
    declared = content_type([text.encode("latin-1")])
    assert declared.fault
    assert (declared.media, declared.parameters) == (b"", ())


def test_an_empty_type_is_absent_and_two_are_malformed() -> None:
    assert content_type([]) == content_type([b""])
    assert content_type([]).fault == ""
    for fields in ([b"a/b", b"a/b"], [b"a/b", b""], [b"", b""]):
        assert content_type(fields).fault == "more than one"


def test_parameters_are_returned_with_their_offsets() -> None:
    declared = content_type([b'a/b; C=d;E="f\\"g"'])
    assert declared.parameters == (
        Parameter(b"c", b"d", 7, 8, unsure=False), Parameter(b"e", b'f"g', 11, 17, unsure=True),
    )  # fmt: skip


@given(st.text(st.sampled_from("ab/;=\"\\ \t,*'c-8\xa0\0"), max_size=24))
def test_proven_types_are_plain_and_not_forms(text: str) -> None:
    for value in (
        text,
        f"application/{text}",
        f"application/json{text}",
        f"{FORM}{text}",
        f"multipart/{text}",
    ):
        octets = value.encode("latin-1")
        declared = content_type([octets])
        if proof(of_forms=False)(octets):
            assert not declared.fault
        if proof(of_forms=True)(octets):
            assert not any((declared.fault, declared.is_form, declared.is_multipart, declared.seems_form))
            assert form_type(declared, []) is None


# -- malformed types: reported without rules for forms, refused with them ------------------------------------


@pytest.mark.no_cover
@EACH_PROTOCOL
@together("text", NOT_PLAIN, ids=ascii)
def test_malformed_media_types_are_refused_where_forms_are_judged(protocol: Protocol, text: str) -> None:
    asked = post(protocol, b"q=%00", content_type=text)
    assert (asked.status, asked.given, asked.taken) == (415, None, 0)
    if len(text) > LONGEST:
        return  # This one is refused as a steering charset.
    assert asked.kinds == ["malformed-content-type"]
    asked = post(protocol, b"q=%00", content_type=text, forms=False)
    if "charset" not in text:
        assert (asked.status, asked.body) == (200, b"q=%00")
    assert asked.told is not None
    (found, *_) = asked.told.findings
    assert (found.kind, found.component) == (Kind.MALFORMED_CONTENT_TYPE, Component.CONTENT_TYPE)
    assert found.action is Action.REPORT
    assert found.excerpt == text.encode("latin-1")[:48]


@EACH_PROTOCOL
@pytest.mark.parametrize("text", ["*/*", "a/b", "a", "multipart/form-data", "multipart/x; boundary=y"])
def test_a_malformed_type_without_a_body_is_removed(protocol: Protocol, text: str) -> None:
    for length in (0, ""):
        asked = post(protocol, b"", content_type=text, length=length, method="GET", forms=REFUSING)
        # A type that readers interpret in two ways, or that makes a reader fail, is not handed on.
        left = None if text in {"*/*", "a", "multipart/form-data"} else text
        assert (asked.status, asked.header("content-type") or None) == (200, left)
        observed = post(
            protocol, b"", content_type=text, length=length, method="GET", forms=REFUSING, enforce=False
        )
        assert (observed.status, observed.header("content-type")) == (200, text)


NO_BOUNDARY: Final = [
    "multipart/form-data", "multipart/form-data; q=1", "Multipart/Form-Data;",
    "multipart/mixed; charset=utf-8",
    'multipart/form-data; boundary=""', 'multipart/form-data; boundary=" "',
    "multipart/x; boundary*=utf-8''x",
    f"multipart/form-data; boundary={'x' * 202}", 'multipart/form-data; boundary=x; boundary="y "',
]  # fmt: skip


@EACH_PROTOCOL
@pytest.mark.parametrize("text", NO_BOUNDARY)
@pytest.mark.parametrize("octets", [b"", b"--x--"], ids=["no body", "a body"])
def test_multipart_without_a_boundary_is_refused(protocol: Protocol, text: str, octets: bytes) -> None:
    for forms in (True, REFUSING, Forms(multipart="untouched")):
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            asked = post(protocol, octets, content_type=text, forms=forms, method=method)
            if method == "DELETE" and not octets:
                assert (asked.status, asked.header("content-type") or None) == (200, None)
                continue
            assert (asked.status, asked.taken) == (415, 0)
            assert asked.told is not None
            assert {each.kind for each in asked.told.findings} <= {
                Kind.MALFORMED_CONTENT_TYPE, Kind.STEERING_CHARSET,
            }  # fmt: skip
    observed = post(protocol, octets, content_type=text, enforce=False)
    assert (observed.status, observed.body, observed.header("content-type")) == (200, octets, text)
    if "*" in text:  # Django fails for this one.
        return
    asked = post(protocol, octets, content_type=text, forms=False)
    assert (asked.status, asked.body, asked.header("content-type")) == (200, octets, text)
    assert asked.told is not None
    assert [str(each).partition(": ")[2] for each in asked.told.findings] == [
        f"{quoted_octets(text.encode()[:48])} (multipart without a boundary) (report)"
    ]
    assert post(protocol, octets, Policy.STRICT, content_type=text, forms=False).status == 415


BOUNDARIES: Final = [
    "x",
    '"x y"',
    "-" * 70,
    f'"{"x" * 201}"',
    '"x;y"',
    "----WebKitFormBoundary7MA4YWxkTrZu0gW",
]


@EACH_PROTOCOL
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_boundaries_are_recognised(protocol: Protocol, boundary: str) -> None:
    asked = post(
        protocol,
        b"",
        content_type=f"multipart/form-data; boundary={boundary}",
        forms=Forms(multipart="untouched"),
    )
    assert (asked.status, asked.told) == (200, None)


def test_pyramid_fails_for_an_empty_multipart_form_without_a_boundary() -> None:
    """Without postel, this request is answered with a 500."""
    app = pyramid_app()
    asked: dict[str, Any] = {"app": app, "content_type": "multipart/form-data; q=1"}
    for method in ("POST", "PUT"):
        with pytest.raises(ValueError, match="Invalid boundary"):
            post(WSGI, b"", forms=False, method=method, **asked)
        assert post(WSGI, b"", method=method, **asked).status == 415
    assert json.loads(post(WSGI, b"", method="GET", **asked).answer) == []


# Each row: a Content-Type, and the one that is handed on. None of these requests has a form.
WRITTEN: Final = [
    ("text/plain;", "text/plain"), ("text/plain; ;charset=utf-8 ; ", "text/plain;charset=utf-8"),
    ("text/plain;;a=1", "text/plain;a=1"), ("Text/Plain; A=B;", "Text/Plain; A=B"),
    ('multipart/x; boundary="a;b";', 'multipart/x; boundary="a;b"'),
    ("text/plain ", "text/plain"), ("application/json; charset=utf-8", "application/json; charset=utf-8"),
]  # fmt: skip


@EACH_PROTOCOL
@pytest.mark.parametrize(("text", "written"), WRITTEN)
@pytest.mark.parametrize("octets", [b"", b"{}"], ids=["no body", "a body"])
def test_empty_parameters_are_removed(protocol: Protocol, text: str, written: str, octets: bytes) -> None:
    untouched = Forms(multipart="untouched")
    asked = post(protocol, octets, content_type=text, forms=untouched)
    assert (asked.status, asked.body, asked.header("content-type"), asked.told) == (
        200,
        octets,
        written,
        None,
    )
    again = post(protocol, octets, content_type=written, forms=untouched)
    assert again.header("content-type") == written
    for settings in ({"forms": untouched, "enforce": False}, {"forms": False}):
        asked = post(protocol, octets, content_type=text, **settings)
        assert (asked.status, asked.header("content-type")) == (200, text)


def test_bottle_does_not_fail_for_a_parameter_without_a_value() -> None:
    """Without postel, this request is answered with a 500, whatever the type and the method."""
    app = bottle.Bottle()
    app.config["catchall"] = False
    app.route("/a", ["GET", "POST"], lambda: json.dumps(list(bottle.request.POST.items())))
    for text in ("text/plain;", "text/plain; x", "text/plain; charset=utf-8;", f"{FORM};", f"{FORM}; x"):
        for method in ("GET", "POST"):
            asked: dict[str, Any] = {"app": app, "content_type": text, "method": method}
            with pytest.raises(ValueError, match="not enough values"):
                post(WSGI, b"", forms=False, **asked)
            for forms in (True, REFUSING):
                assert json.loads(post(WSGI, b"", forms=forms, **asked).answer) == []
    asked = {"app": app, "content_type": "text/plain;"}
    assert json.loads(post(WSGI, b"q=1", forms=True, **asked).answer) == [["q", "1"]]
    assert post(WSGI, b"q=1", forms=True, app=app, content_type="text/plain; x").status == 415


def test_two_fields_are_refused() -> None:
    scope = ASGI.request_of(
        b"/a", "POST", headers=[(b"content-type", b"a/b"), (b"content-type", FORM.encode()), (b"host", b"h")]
    )
    answer = ASGI.through(scope, forms=True)
    # The request has no body, so the kind is only reported.
    assert (answer.status, [each.kind for each in answer.report.findings]) == (
        200,
        [Kind.MALFORMED_CONTENT_TYPE],
    )
    scope["headers"].append((b"content-length", b"5"))
    assert ASGI.through(scope, forms=True).status == 415


BOTH_SPELLINGS: Final = [
    ("a/b", "a/b", 200), ("a/b", FORM, 415), (FORM, "a/b", 415), ("", "a", 415), ("", "a/b", 415),
    ("", FORM, 415), (None, "a/b", 415), (None, FORM, 415), (None, "multipart/form-data; boundary=x", 415),
    (None, "application/json", 415),
]  # fmt: skip
"""The values of ``Content-Type`` and of ``Content_Type``, and the status for a request with a body."""


@pytest.mark.parametrize(("first", "second", "status"), BOTH_SPELLINGS)
def test_on_wsgi_a_type_under_a_second_key_must_agree_with_the_first(
    first: str | None, second: str, status: int
) -> None:
    """Some servers write the header ``Content_Type`` to ``HTTP_CONTENT_TYPE``.

    Django REST framework reads that key if ``CONTENT_TYPE`` is missing.
    """
    wire = Wire([b"q=%00"])
    keys = {"CONTENT_TYPE": first, "HTTP_CONTENT_TYPE": second, "wsgi.input": wire}
    environ = WSGI.request_of(b"/a", "POST", **keys, CONTENT_LENGTH="5", HTTP_HOST="h")
    assert WSGI.through(environ, forms=True).status == status
    assert wire.taken == 0


@pytest.mark.parametrize(("first", "second", "status"), BOTH_SPELLINGS)
def test_on_asgi_a_type_under_a_name_with_an_underscore_must_agree_too(
    first: str | None, second: str, status: int
) -> None:
    """Django before 4.2.30 merges ``Content-Type`` and ``Content_Type``, and so do bridges to WSGI."""
    policy = Policy.STANDARD.reporting(Kind.MERGED_HEADER_NAMES)
    fields = {"content_type": second} if first is None else {"content-type": first, "content_type": second}
    asked = post(ASGI, b"q=%00", policy, content_type=None, fields=fields)
    assert asked.status == status
    assert asked.kinds == (["malformed-content-type"] if status == 415 else [""])


@pytest.mark.parametrize("name", ["content-encoding", "content_encoding"])
def test_content_encoding_is_judged_with_a_hyphen_or_an_underscore(name: str) -> None:
    assert post(ASGI, b"q=1", fields={name: "gzip"}).kinds == ["form-coding"]
    assert post(ASGI, b"q=1", fields={name: "identity"}).status == 200


CODINGS: Final = [
    ([], True), (["identity"], True), (["identity", "Identity"], True), (["", ""], True), ([" "], True),
    (["identity, identity"], True), (["identity,"], True), (["gzip"], False), (["identity", "gzip"], False),
    (["identity, gzip"], False), (["identity identity"], False),
]  # fmt: skip


@EACH_PROTOCOL
@pytest.mark.parametrize("judged", [FORM, "application/json", "multipart/form-data; boundary=x"])
@pytest.mark.parametrize(("codings", "passes"), CODINGS)
def test_several_content_encoding_fields_are_read_as_one_list(
    protocol: Protocol, codings: list[str], passes: bool, judged: str
) -> None:
    octets = PARTS.replace(b"\0", b"1") if judged.startswith("multipart") else b"1"
    refused = "json-coding" if "json" in judged else "form-coding"
    asked = post(protocol, octets, content_type=judged, json=True, fields={"content-encoding": codings})
    assert (asked.status, asked.kinds) == ((200, [""]) if passes else (415, [refused]))


@pytest.mark.parametrize(
    ("octets", "fields", "kept"),
    [
        (
            b"q=1",
            {"content_length": "9", "transfer_encoding": "chunked"},
            {FORM_FIELD, (b"content-length", b"3")},
        ),
        (b"", {"content_type": "a"}, {(b"content-type", b"")}),
    ],
    ids=["the length and coding of a form", "a malformed type without a body"],
)
def test_a_rewritten_field_replaces_the_one_with_an_underscore(
    octets: bytes, fields: dict[str, str], kept: set[tuple[bytes, bytes]]
) -> None:
    policy = Policy.STANDARD.reporting(Kind.MERGED_HEADER_NAMES)
    asked = post(ASGI, octets, policy, content_type=FORM if octets else None, fields=fields)
    assert asked.given is not None
    assert kept <= set(asked.given["headers"])
    assert not [name for name, _ in asked.given["headers"] if b"_" in name]


@pytest.mark.parametrize("judged", [FORM, "application/json", "multipart/form-data; boundary=x"])
def test_a_judged_body_has_one_field_that_says_where_it_ends(judged: str) -> None:
    """HTTP/2 needs no such field, but Django on ASGI reads no multipart form without a Content-Length."""
    octets = PARTS.replace(b"\0", b"1") if judged.startswith("multipart") else b"1"
    right, accepted = str(len(octets)), 0
    policy = Policy.STANDARD.reporting(Kind.MERGED_HEADER_NAMES)
    framing = {"content-length", "content_length", "transfer-encoding", "transfer_encoding"}
    for values in product([None, right, "chunked", [right, right]], repeat=4):
        fields = {
            name: value for name, value in zip(sorted(framing), values, strict=True) if value is not None
        }
        asked = post(ASGI, octets, policy, content_type=judged, json=True, framed=False, fields=fields)
        if asked.given is not None:
            accepted += 1
            found = [each for each in asked.given["headers"] if each[0].decode() in framing]
            assert found == [(b"content-length", right.encode())], fields
    assert accepted > 50


@EACH_PROTOCOL
@pytest.mark.parametrize(
    "text",
    [
        f"{FORM}2", f"x-{FORM}", f'a/b; c="{FORM}"', 'a/b; c="multipart/form-data"', "a/x-url-encoded",
        "text/x-www-form-urlencoded; a=b", "application/x-multipart/y",
    ],
)  # fmt: skip
def test_a_type_that_contains_the_type_of_a_form_is_malformed(protocol: Protocol, text: str) -> None:
    """Falcon reads any such type as a form if ``auto_parse_form_urlencoded`` is set."""
    asked = post(protocol, b"q=%00", content_type=text)
    assert (asked.status, asked.kinds) == (415, ["malformed-content-type"])


# -- other types that frameworks read as forms ---------------------------------------------------------------


def quart(body: Body, *, bare: bool = False) -> Any:
    return NAMED["Quart"].read(body, None if bare else Policy.STANDARD)


def test_quart_reads_other_types_as_forms() -> None:
    dodging = Body(b"q=%00", "application/x-url-encoded")
    assert quart(dodging, bare=True).fields == {"q": ["\0"]}
    assert (quart(dodging).status, quart(dodging).asked) == (400, False)
    for framework in FRAMEWORKS:  # Behind postel, all frameworks read this type as a form.
        assert framework.read(Body(b"q=1", dodging.content_type), Policy.STANDARD).fields == {"q": ["1"]}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Django", f"\xa0{FORM}"), ("Django", f"{FORM}\x85"), ("Django on ASGI", f"\x1c{FORM}"),
        ("Falcon", f"\x0b{FORM}"), ("Falcon", "application / x-www-form-urlencoded"),
        ("Falcon", f'text/plain; a=", {FORM};b=c"'), ("Falcon on ASGI", "*/x-www-form-urlencoded"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore")  # The warnings of the frameworks do not matter here.
def test_types_that_frameworks_guess_are_refused(name: str, text: str) -> None:
    framework, body = NAMED[name], Body(b"q=%00", text)
    assert framework.read(body).fields == {"q": ["\0"]}
    reading = framework.read(body, Policy.STANDARD)
    assert (reading.status, reading.asked) == (415, False)


# -- multipart forms -----------------------------------------------------------------------------------------

PARTS: Final = b'--x\r\nContent-Disposition: form-data; name="q"\r\n\r\n\0\r\n--x--\r\n'


@EACH_PROTOCOL
@pytest.mark.parametrize(
    "text",
    ["multipart/form-data; boundary=x", 'Multipart/X; boundary="x"', "multipart/mixed;boundary=x"],
)
def test_multipart_forms_are_refused_unless_the_setting_lets_them_pass(protocol: Protocol, text: str) -> None:
    refusing = Forms(multipart="refuse")
    for settings in ({"length": len(PARTS)}, {"chunked": True}):
        asked = post(protocol, PARTS, content_type=text, forms=refusing, **settings)
        assert (asked.status, asked.kinds) == (415, ["unjudged-body"])
        assert (asked.taken > 0) is ("chunked" in settings)  # without a length, the body may be empty
        assert asked.told is not None
        assert asked.told.findings[-1].detail == (
            "multipart is not judged; Forms(multipart='judge') judges it, 'untouched' lets it pass"
        )
    for others in ("untouched", "refuse"):
        forms = Forms(multipart="untouched", others=others)
        asked = post(protocol, PARTS, content_type=text, forms=forms)
        assert (asked.status, asked.body, asked.header("content-type")) == (200, PARTS, text)
        assert asked.told is None
    observed = post(protocol, PARTS, content_type=text, enforce=False)
    assert (observed.status, observed.body) == (200, PARTS)
    assert observed.told is not None
    assert observed.told.refused


def test_no_framework_reads_parts_that_were_not_judged() -> None:
    body = Body(PARTS, "multipart/form-data; boundary=x")
    assert NAMED["Django"].read(body).fields == NAMED["Starlette"].read(body).fields == {"q": ["\0"]}
    for framework in FRAMEWORKS:
        assert framework.read(body, Policy.STANDARD).asked is False


# -- bodies of other types -----------------------------------------------------------------------------------


@EACH_PROTOCOL
@pytest.mark.parametrize("text", ["application/json", "text/plain; charset=utf-8", "a/b", "", None])
@pytest.mark.parametrize("chunked", [False, True])
def test_bodies_of_other_types_are_refused_if_the_setting_says_so(
    protocol: Protocol, text: str | None, chunked: bool
) -> None:
    asked = post(protocol, b"{}", content_type=text, chunked=chunked, forms=REFUSING)
    assert (asked.status, asked.kinds) == (415, ["unjudged-body"])
    assert (asked.taken > 0) is chunked  # without a length, the body may be empty
    assert asked.told is not None
    detail = "a type that Forms does not judge" if text else "no Content-Type"
    assert asked.told.findings[-1].detail == f"{detail}; Forms(others='untouched') lets it pass"
    assert post(protocol, b"{}", content_type=text, chunked=chunked).body == b"{}"
    assert post(protocol, b"q=1", forms=REFUSING).body == b"q=1"


@pytest.mark.parametrize("enforce", [True, False])
@pytest.mark.parametrize("octets", [b"", b"{}"])
def test_a_body_without_content_length_is_detected(enforce: bool, octets: bytes) -> None:
    """HTTP/2 sends such bodies. postel reads the first octet to see whether there is one, and hands it on."""
    refused = enforce and bool(octets)
    settings: Any = {"forms": REFUSING, "enforce": enforce}
    pieces = [octets[:1], octets[1:]] if octets else [b""]
    asked = post(ASGI, pieces, content_type=None, length="", **settings)
    assert (asked.status, asked.body) == ((415, b"") if refused else (200, octets))
    ends = {"wsgi.input": Wire(pieces), "wsgi.input_terminated": True, "HTTP_HOST": "h"}
    answer = WSGI.through(WSGI.request_of(b"/a", "POST", **ends), **settings)
    assert answer.status == (415 if refused else 200)
    if answer.given is not None:
        assert answer.given["wsgi.input"].read(2) + answer.given["wsgi.input"].read(2) == octets


def test_a_disconnect_before_the_body_is_not_a_body() -> None:
    asked = post(ASGI, [], content_type="a/b", length=0, forms=REFUSING)
    assert (asked.status, asked.after) == (200, ["http.disconnect"])


def test_bottle_reads_every_type_as_a_form_unless_others_are_refused() -> None:
    app = bottle.Bottle()
    app.config["catchall"] = False
    app.route("/a", "POST", lambda: json.dumps(list(bottle.request.forms.items())))

    def read(forms: Forms | bool, text: str, octets: bytes = b"q=%00") -> tuple[int, Any]:
        asked = post(WSGI, octets, content_type=text, forms=forms, app=app)
        return asked.status, json.loads(asked.answer) if asked.status == 200 else None

    for text in ("text/plain", "application/json", "a/b"):
        assert read(True, text) == (200, [["q", "\0"]])
        assert read(REFUSING, text) == (415, None)
    assert read(REFUSING, FORM, b"q=1") == read(True, f"{FORM};", b"q=1") == (200, [["q", "1"]])


@litestar.post("/", status_code=200)
async def litestar_view(data: Annotated[dict[str, str], DeclaredBody(media_type=FORM)]) -> dict[str, str]:
    return data


def test_litestar_reads_any_type_if_a_handler_declares_a_form() -> None:
    async def read(forms: Forms | bool) -> tuple[int, str]:
        app = litestar.Litestar([litestar_view], openapi_config=None)
        behind: Any = postel.asgi.NormalizeMiddleware(app, forms=forms, observer=ignore)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(behind)) as client:
            answer = await client.post("http://h/", content=b"q=%00", headers={"content-type": "text/plain"})
        return answer.status_code, answer.text

    assert asyncio.run(read(forms=True)) == (200, '{"q":"\\u0000"}')
    assert asyncio.run(read(REFUSING))[0] == 415


AMBIGUOUS: Final = (
    b'a=\r\n--x\r\nContent-Disposition: form-data; name="b"; filename="../x"\r\n\r\n1\r\n--x--\r\n'
)
"""Octets that are a pair of an urlencoded form, and also a multipart form with one file."""


@litestar.post("/", status_code=200)
async def litestar_parts(data: Annotated[dict[str, Any], DeclaredBody(media_type=MULTI_PART)]) -> list[str]:
    return list(data)


@pytest.mark.parametrize("parameter", ["boundary=x", "charset=utf-8; boundary=x", 'y="z"; Boundary="x"'])
def test_litestar_finds_no_parts_in_an_urlencoded_form(parameter: str) -> None:
    """For a handler that declares parts, Litestar looks for ``boundary=`` and ignores the media type."""

    async def read(forms: bool) -> tuple[int, str]:
        app: Any = litestar.Litestar([litestar_parts], openapi_config=None)
        policy = Policy.STANDARD.reporting(Kind.CONTROL, on=Component.FORM)
        policy = policy.reporting(Kind.SEMICOLON, on=Component.FORM)
        behind: Any = postel.asgi.NormalizeMiddleware(app, policy, forms=forms, observer=ignore)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(behind)) as client:
            fields = {"content-type": f"{FORM}; {parameter}"}
            answer = await client.post("http://h/", content=AMBIGUOUS, headers=fields)
        return answer.status_code, answer.text

    assert asyncio.run(read(forms=False)) == (200, '["b"]')
    assert asyncio.run(read(forms=True))[0] == 400


def test_litestar_finds_no_parts_in_json() -> None:
    """Litestar 2.3 to 2.12 split a body at the boundary without its dashes, even within quotes."""
    octets = b'"X9X--Content-Disposition: form-data; name=admin    X9X"'

    async def read(parameter: str, forms: bool) -> tuple[int, str]:
        app: Any = litestar.Litestar([litestar_parts], openapi_config=None)
        behind: Any = postel.asgi.NormalizeMiddleware(app, forms=forms, json=forms, observer=ignore)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(behind)) as client:
            fields = {"content-type": f"application/json; {parameter}"}
            answer = await client.post("http://h/", content=octets, headers=fields)
        return answer.status_code, answer.text

    for parameter in ("boundary=X9X", 'x="a\\"; boundary=X9X; y=\\""', 'y="z"; Boundary="X9X"'):
        without = asyncio.run(read("z=1", forms=True))
        assert asyncio.run(read(parameter, forms=True)) == without
        assert "admin" not in without[1]


# -- bodies without a type, which WebOb reads as forms -------------------------------------------------------


def pyramid_app() -> Any:
    with Configurator() as config:
        config.add_route("any", "/a")
        config.add_view(lambda request: list(request.POST.items()), route_name="any", renderer="json")
        return config.make_wsgi_app()


@pytest.mark.usefixtures("with_webob")
@pytest.mark.parametrize("chunked", [False, True])
def test_pyramid_reads_no_form_without_a_type(chunked: bool) -> None:
    app = pyramid_app()

    def read(**settings: Any) -> Any:
        asked = post(WSGI, b"q=%00", app=app, content_type=None, chunked=chunked, **settings)
        assert asked.status == 200
        found = [] if asked.told is None else [str(each) for each in asked.told.findings]
        return json.loads(asked.answer), found

    assert read(forms=False)[0] == [["q", "\0"]]
    reported = "untyped-form in form at 0 (no Content-Type) (report)"
    assert read() == ([], [reported])
    assert read(enforce=False) == ([["q", "\0"]], [reported])
    assert read(policy=Policy.STANDARD.allowing(Kind.UNTYPED_FORM)) == ([["q", "\0"]], [])
    asked = post(
        WSGI, b"q=1", Policy.STANDARD.rejecting(Kind.UNTYPED_FORM), content_type=None, chunked=chunked
    )
    assert (asked.status, asked.kinds) == (415, ["untyped-form"])
    assert json.loads(post(WSGI, b"q=1", app=app, chunked=chunked).answer) == [["q", "1"]]


@EACH_PROTOCOL
@pytest.mark.usefixtures("with_webob")
def test_with_webob_bodies_without_a_type_are_otherwise_unchanged(protocol: Protocol) -> None:
    for octets in (b'{"a": 1}', b"\0\xff"):
        asked = post(protocol, octets, content_type=None)
        assert (asked.status, asked.body) == (200, octets)
        assert not asked.header("content-type")
    for method in ("PUT", "GET"):  # WebOb does not read these bodies.
        assert post(protocol, b"q=%00", content_type=None, method=method).told is None
    assert post(protocol, b"", content_type=None).told is None
    assert post(protocol, b"{}", content_type="application/json").told is None


def test_falcon_and_fastapi_read_json_without_a_type(with_webob: None) -> None:
    for name in ("Falcon", "Falcon on ASGI"):
        assert NAMED[name].read(Body(b'{"a": "b"}', ""), Policy.STANDARD).fields == {"a": ["b"]}


@EACH_PROTOCOL
def test_a_body_without_a_type_passes_the_proof_unless_webob_is_loaded(
    protocol: Protocol, monkeypatch: pytest.MonkeyPatch
) -> None:
    posted: dict[str, Any] = {"REQUEST_METHOD" if protocol is WSGI else "method": "POST"}
    untyped = plain(protocol, **posted)
    assert is_proven(protocol, untyped, forms=True)
    assert not is_proven(protocol, untyped, forms=REFUSING)
    monkeypatch.setitem(sys.modules, "webob", bottle)
    assert not is_proven(protocol, untyped, forms=True)
    assert is_proven(protocol, plain(protocol), forms=True)
    assert is_proven(protocol, untyped)


# -- length and transfer coding ------------------------------------------------------------------------------


@EACH_PROTOCOL
@pytest.mark.parametrize("length", ["0", "5", "3", "x"])
def test_a_length_beside_a_coding_is_refused(protocol: Protocol, length: str) -> None:
    """Some servers use Content-Length and some use Transfer-Encoding."""
    for fields in ({"transfer-encoding": "chunked"}, {"transfer-encoding": "identity"}):
        asked = post(protocol, b"q=%00", length=length, fields=fields)
        assert (asked.status, asked.kinds, asked.taken) == (400, ["wrong-length"], 0)
        assert asked.told is not None
        assert asked.told.findings[-1].detail == "both a Content-Length and a Transfer-Encoding"


@pytest.mark.parametrize("length", [0, 3])
def test_a_form_is_read_to_its_real_end(length: int) -> None:
    asked = post(ASGI, [b"q=1&p", b"=%00"], length=length)
    assert (asked.status, asked.kinds) == (400, ["wrong-length"])
    observed = post(ASGI, [b"q=1&p", b"=%00"], length=length, enforce=False)
    assert (observed.body, observed.told is not None) == (b"q=1&p=%00", True)


@EACH_PROTOCOL
def test_a_form_without_octets_is_empty(protocol: Protocol) -> None:
    for settings in ({"length": 0}, {"length": ""}, {"chunked": True}):
        asked = post(protocol, b"", **settings)
        assert (asked.status, asked.body, asked.told) == (200, b"", None)
    asked = post(protocol, b"", content_type=FORM.upper(), length=0)
    assert asked.header("content-type") == FORM
    asked = post(protocol, b"", content_type=FORM.upper(), length=0, enforce=False)
    assert asked.header("content-type") == FORM.upper()


def test_chunks_that_a_server_has_not_decoded_are_refused() -> None:
    """Bottle decodes the chunks itself; other frameworks read nothing."""
    chunks = b"5\r\nq=%00\r\n0\r\n\r\n"
    app = bottle.Bottle()
    app.route("/a", "POST", lambda: json.dumps(list(bottle.request.forms.items())))
    fields = {"transfer-encoding": "chunked"}
    bare = post(WSGI, chunks, length="", fields=fields, forms=False, app=app)
    assert json.loads(bare.answer) == [["q", "\0"]]
    asked = post(WSGI, chunks, length="", fields=fields, app=app)
    assert (asked.status, asked.kinds, asked.taken) == (400, ["wrong-length"], 0)
    assert asked.told is not None
    assert asked.told.findings[-1].detail == "a Transfer-Encoding that the server has not decoded"


# -- what ordinary clients send ------------------------------------------------------------------------------

OCTETS: Final = bytes(range(256))
ORDINARY: Final = [
    {"json": {"a": "é"}}, {"content": b'{"a": 1}'}, {"content": OCTETS}, {"content": "é"},
    {"data": {"a": "é", "b": "1"}},
    {"content": b"<a/>", "headers": {"Content-Type": "text/xml; charset=utf-8"}},
    {"content": b"{}", "headers": {"Content-Type": "application/json;charset=UTF-8"}},
    {"content": b"a=1", "headers": {"Content-Type": "text/plain;charset=UTF-8"}},
    {"content": b"a=1", "headers": {"Content-Type": f"{FORM};charset=UTF-8"}},
    {"content": OCTETS, "headers": {"Content-Type": "application/octet-stream"}},
    {"content": b"{}", "headers": {"Content-Type": "application/vnd.api+json; ext=\"https://a/b\""}},
    {"content": b"<a/>", "headers": {"Content-Type": 'a/soap+xml; charset="utf-8"; action="urn:a#b"'}},
    {"content": b"{}", "headers": {"Content-Type": "application/json; charset=utf-8; profile=x"}},
]  # fmt: skip


@EACH_PROTOCOL
@together("forms", [False, True])
@together("sent", ORDINARY, ids=ascii)
def test_ordinary_requests_pass_unchanged(protocol: Protocol, forms: bool, sent: Any) -> None:
    request = httpx.Request("POST", "http://h/a", **sent)
    fields = {name.lower(): value for name, value in request.headers.items()}
    asked = post(
        protocol, request.content, content_type=fields.pop("content-type", None), fields=fields, forms=forms,
        target=b"/a?q=%C3%A9",
    )  # fmt: skip
    assert (asked.status, asked.body, asked.told) == (200, request.content, None)
    for name, value in request.headers.items():
        assert asked.header(name) == value
    if protocol is ASGI:
        assert asked.given is not None
        assert sorted(asked.given["headers"]) == sorted(
            (name.lower(), value) for name, value in request.headers.raw
        )


@EACH_PROTOCOL
def test_multipart_forms_pass_where_the_setting_lets_them_pass(protocol: Protocol) -> None:
    request = httpx.Request("POST", "http://h/a", files={"f": ("é.bin", OCTETS)}, data={"a": "b"})
    octets, text = request.read(), request.headers["content-type"]
    for forms in (False, Forms(multipart="untouched")):
        asked = post(protocol, octets, content_type=text, forms=forms)
        assert (asked.body, asked.header("content-type"), asked.told) == (octets, text, None)


@pytest.mark.parametrize(("length", "octets"), [("0", b"a=%00"), ("3", b"a=1&b=%00")])
def test_a_server_that_ends_the_stream_may_deliver_more_than_the_length(length: str, octets: bytes) -> None:
    form = {"CONTENT_TYPE": "application/x-www-form-urlencoded", "CONTENT_LENGTH": length}
    request = WSGI.request_of(b"/a", "POST", **form, **{"wsgi.input": io.BytesIO(octets)})
    answer = WSGI.behind(forms=True).serve({**request, "wsgi.input_terminated": True})
    assert answer.kinds == ["wrong-length"]
