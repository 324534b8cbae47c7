"""No charset in a Content-Type changes how Django reads the query.

The codecs of Python are classified by how they decode ASCII.
"""

from __future__ import annotations

import codecs
import encodings
import itertools
import json
import pkgutil
import sys
import time
from collections.abc import Sequence
from encodings.aliases import aliases
from io import BytesIO
from typing import Any, Final

import pytest
from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.wsgi import WSGIRequest
from hypothesis import example, given
from hypothesis import strategies as st

from _normalizer.test_plain import is_proven, plain
from adapters import ASGI, EACH_PROTOCOL, WSGI, Protocol, call_asgi, call_wsgi
from applications import django_configured, ignore
from bodies import FORM, post
from postel import Action, Component, Finding, Forms, Kind, Policy
from postel._bodies.charset_steering import ASCII_COMPATIBLE, OTHERS, UTF8_MODULES, charset_of, module_of
from postel._bodies.content_type import LONGEST, content_type
from together import together

# -- Django, behind postel -----------------------------------------------------------------------------------

Pairs = dict[str, list[str]]
FAILED: Final = 500


def pairs_of(request: WSGIRequest | ASGIRequest) -> bytes:
    return json.dumps(dict(request.GET.lists())).encode()


def wsgi_app(environ: Any, start_response: Any) -> list[bytes]:
    answer = pairs_of(WSGIRequest(environ))
    start_response("200 OK", [])
    return [answer]


async def asgi_app(scope: Any, _receive: Any, send: Any) -> None:
    answer = pairs_of(ASGIRequest(scope, BytesIO()))
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": answer})


def read(
    protocol: Protocol, fields: Sequence[bytes], query: bytes, method: str = "GET", **settings: Any
) -> Pairs | int:
    """Return what Django reads from a query, or the status if Django does not answer with 200.

    ``bare`` asks Django without postel.
    """
    app: Any = wsgi_app if protocol is WSGI else asgi_app
    if not settings.pop("bare", False):
        app = protocol.middleware(app, observer=ignore, **settings)
    target = b"/a?" + query if query else b"/a"
    try:
        with django_configured():
            if protocol is WSGI:
                keys = {"CONTENT_TYPE": fields[-1].decode("latin-1")} if fields else {}
                answer = call_wsgi(app, WSGI.request_of(target, method, **{"wsgi.input": BytesIO(), **keys}))
            else:
                headers = [(b"content-type", each) for each in fields]
                answer = call_asgi(app, ASGI.request_of(target, method, headers=headers))
    except Exception:  # Servers answer a request with a 500 after any exception.
        return FAILED
    return json.loads(answer.body) if answer.status == 200 else answer.status


# Each row: a Content-Type, a query, and what Django reads.
STEERED: Final = [
    pytest.param(
        b"text/plain; charset=utf-7",
        b"a=1+ACY-admin+AD0-1",
        {"a": ["1"], "admin": ["1"]},
        id="a charset that adds a parameter",
    ),
    pytest.param(b"text/plain; charset=utf-7", b"a=%2BAAA-", {"a": ["\0"]}, id="a charset that adds a NUL"),
    pytest.param(b"x/y;CHARSET=Utf_7", b"a=%2BAAA-", {"a": ["\0"]}, id="in another spelling"),
    pytest.param(b'x/y; charset="u7"', b"a=%2BAAA-", {"a": ["\0"]}, id="an alias in quotes"),
    pytest.param(b'x/y; charset="<utf-7>"', b"a=%2BAAA-", {"a": ["\0"]}, id="in quotes and angle brackets"),
    pytest.param(b'x/y; charset="utf\\-7"', b"a=%2BAAA-", None, id="with a backslash escape"),
    pytest.param(b"x/y; charset*0=utf; charset*1=-7", b"a=%2BAAA-", {"a": ["\0"]}, id="in two pieces"),
    pytest.param(b"x/y; charset*=utf-8''utf-7", b"a=%2BAAA-", {"a": ["\0"]}, id="as an extended parameter"),
    pytest.param(b"x/y; charset=utf-8; charset=utf-7", b"a=%2BAAA-", {"a": ["\0"]}, id="the second of two"),
    pytest.param(b"x/y;\xa0charset=utf-7", b"a=%2BAAA-", {"a": ["\0"]}, id="after a NBSP"),
    pytest.param(b"x;charset=utf-7", b"a=%2BAAA-", {"a": ["\0"]}, id="without a media type"),
    pytest.param(
        b'x/y; a="\\\\"; b="; charset=utf-7; c"', b"a=%2BAAA-", {"a": ["\0"]}, id="hidden behind a backslash"
    ),
    pytest.param(b"x/y; charset=iso-8859-1", b"a=%C3%A9", {"a": ["Ã©"]}, id="Latin-1 beside UTF-8"),
    pytest.param(b"x/y; charset=ascii", b"a=%C3%A9", {"a": ["\ufffd\ufffd"]}, id="ASCII beside UTF-8"),
    pytest.param(b"x/y; charset=utf-16", b"ab=1", None, id="UTF-16"),
    pytest.param(b"x/y; charset=idna", b"a=%2E", FAILED, id="IDNA"),
    pytest.param(b"x/y; charset=raw-unicode-escape", b"a=%5Cu0041", {"a": ["A"]}, id="raw-unicode-escape"),
    pytest.param(
        b"x/y; charset=punycode", b"a=%C3%A9", None, id="punycode"
    ),  # Django raises or reads nothing
    pytest.param(
        *(b"x/y; charset=punycode", b"a=1", FAILED),
        id="punycode of ASCII",
        marks=pytest.mark.skipif(sys.version_info >= (3, 13), reason="the decoder does not raise any more"),
    ),
    pytest.param(b"x/y; charset=rot13", b"a=1", FAILED, id="rot13"),
    pytest.param(b"x/y; charset=undefined", b"a=1", FAILED, id="undefined"),
    pytest.param(b"x/y; charset=zlib", b"a=1", FAILED, id="zlib"),
    pytest.param(b"x/y; charset=x\0", b"a=1", FAILED, id="NUL in a label"),
]


@together("method", ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize(("field", "query", "steered"), STEERED)
def test_no_charset_changes_how_django_reads_a_query(
    field: bytes, query: bytes, steered: Pairs | int | None, method: str
) -> None:
    bare = read(WSGI, [field], query, method, bare=True)
    assert bare != read(WSGI, [], query, method, bare=True), "the charset changes nothing"
    assert steered is None or bare == steered
    assert read(WSGI, [field], query, method) == 415


# Each row: a Content-Type for which Django fails, on both protocols, even without a query.
FAILING: Final = [
    pytest.param([b"x/y; charset*=BOGUS''x"], id="an extended charset"),
    pytest.param([b"x/y; name*=BOGUS''x"], id="an extended name"),
    pytest.param([b"x/y; a*=1; a*0=2"], id="a parameter both whole and in pieces"),
    pytest.param([b"x/y; charset=\0"], id="NUL in a label"),
]


@EACH_PROTOCOL
@pytest.mark.parametrize("fields", FAILING)
def test_no_content_type_makes_django_fail(protocol: Protocol, fields: list[bytes]) -> None:
    assert read(protocol, fields, b"", bare=True) == FAILED
    assert read(protocol, fields, b"") == read(protocol, fields, b"a=1") == 415


def test_two_content_types_are_read_as_one() -> None:
    """Django on ASGI joins two Content-Type fields."""
    fields = [b"x/y", b"x/y; name*=BOGUS''x"]
    assert read(ASGI, fields, b"a=1", bare=True) == FAILED
    assert read(ASGI, fields, b"a=1") == 415
    assert read(ASGI, [b"x/y", b"x/z"], b"a=1") == {"a": ["1"]}


_PIECES = [
    b"text/plain", b"x/y", b"application/json", FORM.encode(), b"*/*", b"/", b" ", b"\t", b";", b"; ",
    b",", b"=", b'"', b"\\", b"*", b"'", b"''", b"charset", b"Charset", b"charset=", b"; charset=",
    b"; charset*=", b"*0", b"*1*", b"name", b"; a=", b"; name*=", b"utf-8", b"UTF-8''", b"utf", b"-7",
    b"utf-7", b"u7", b"latin-1", b"rot13", b"punycode", b"bogus", b"utf8mb4", b"\0", b"\xa0", b"\x85",
    b"\x1f", b"\r\n ", b"<", b">", b"(", b".", b"_", b"%41",
]  # fmt: skip
FIELDS = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=9).map(b"".join)
QUERIES = st.sampled_from(
    [b"", b"a=1", b"a=1+ACY-b+AD0-1", b"a=%2BAAA-", b"a=%C3%A9", b"a=%5Cu0041&b", b"a=~{VR~}"]
)


@pytest.mark.no_cover
@pytest.mark.parametrize("forms", [False, True])
@given(fields=st.lists(FIELDS, min_size=1, max_size=2), query=QUERIES)
@example(fields=[b"x/y; charset=u7"], query=b"a=%2BAAA-")
@example(fields=[b"x/y;\xa0a*=BOGUS''x"], query=b"")
def test_accepted_charsets_leave_the_query_unchanged(forms: bool, fields: list[bytes], query: bytes) -> None:
    fields = [each.strip(b" \t") for each in fields]  # servers strip this white space
    for protocol in (WSGI, ASGI):
        found = read(protocol, fields, query, forms=forms)
        assert found in (415, read(protocol, [], query, bare=True))


# -- what passes ---------------------------------------------------------------------------------------------

PASSING: Final = [
    pytest.param(b"application/json; charset=utf-8", b"a=%C3%A9", None, id="UTF-8"),
    pytest.param(b"text/plain;charset=UTF-8", b"a=%C3%A9", None, id="as fetch writes it"),
    pytest.param(b'text/xml; charset="utf-8"; x=y;', b"a=1", None, id="in quotes"),
    pytest.param(b"text/plain; charset=utf8", b"a=%C3%A9", None, id="an alias"),
    pytest.param(b"text/plain; charset=us-ascii", b"a=1", None, id="ASCII beside ASCII"),
    pytest.param(b'text/plain; charset=""', b"a=1", None, id="an empty charset"),
    pytest.param(b"application/pdf; name*=utf-8'en'a%C3%A9.pdf", b"a=1", None, id="an extended name"),
    pytest.param(
        b'multipart/related; boundary=x; start-info="a/b; action=\\"c\\""',
        b"a=1",
        None,
        id="quotes in quotes",
    ),
    pytest.param(b'a/b; c="d; charset=utf-8; e"', b"a=1", None, id="UTF-8 in quotes"),
    pytest.param(b"a/b; c=charset", b"a=1", None, id="the word charset alone"),
    pytest.param(b"text/plain; charset=iso-8859-1", b"a=1", Kind.FOREIGN_CHARSET, id="Latin-1 beside ASCII"),
    pytest.param(b"text/xml; charset=utf-16", b"", Kind.FOREIGN_CHARSET, id="UTF-16 beside nothing"),
    pytest.param(b"text/plain; charset=binary", b"a=%C3%A9", Kind.FOREIGN_CHARSET, id="an unknown charset"),
    pytest.param(b"a/b; boundary==x", b"a=1", Kind.MALFORMED_CONTENT_TYPE, id="no media type"),
    pytest.param(
        b"a/b; boundary==x; charset=UTF-8", b"a=1", Kind.MALFORMED_CONTENT_TYPE, id="no media type, and UTF-8"
    ),
    pytest.param(b"*/*;q=0.8", b"a=1", Kind.MALFORMED_CONTENT_TYPE, id="a value of Accept"),
    pytest.param(b"a/b, */*;q=0.8", b"a=1", Kind.MALFORMED_CONTENT_TYPE, id="a longer value of Accept"),
]


CODE_PAGES = {
    "cp65000": "mbcs",
    "CP65000": "mbcs",
    "cp6_5000": "mbcs",
    "cp065000": "mbcs",
    "cp_65000": None,
    "cp65001": "utf_8",
    "cp1252": "cp1252",
    "cpx": None,
}


@pytest.mark.parametrize("label", CODE_PAGES)
def test_any_code_page_is_a_codec_on_windows(label: str) -> None:
    assert module_of(label) == CODE_PAGES[label]


@EACH_PROTOCOL
@pytest.mark.parametrize(("field", "query", "kind"), PASSING)
def test_charsets_that_change_nothing_pass(
    protocol: Protocol, field: bytes, query: bytes, kind: Kind | None
) -> None:
    assert read(protocol, [field], query) == read(protocol, [], query, bare=True)
    asked = post(
        protocol, b"{}", content_type=field.decode(), target=b"/a?" + query, fields={"host": "h"}, forms=False
    )
    assert (asked.status, asked.body, asked.header("content-type")) == (200, b"{}", field.decode())
    found = [] if asked.told is None else [(each.kind, each.action) for each in asked.told.findings]
    assert found == ([] if kind is None else [(kind, Action.REPORT)])


@EACH_PROTOCOL
def test_findings_point_into_the_field(protocol: Protocol) -> None:
    asked = post(protocol, b"", content_type="a/b; charset=utf-7", target=b"/a?q=1", fields={"host": "h"})
    assert asked.told is not None
    assert asked.told.findings == (
        Finding(
            Kind.STEERING_CHARSET, Component.CONTENT_TYPE, 13, b"utf-7", Action.REJECT,
            detail="the query would be decoded in this charset",
        ),
    )  # fmt: skip
    long = "a/b; charset*=" + "x" * 100
    asked = post(protocol, b"", content_type=long, fields={"host": "h"})
    assert asked.told is not None
    assert [each.excerpt for each in asked.told.findings] == [long.encode()[:48]]


@EACH_PROTOCOL
def test_policies_set_the_actions(protocol: Protocol) -> None:
    def ask(field: str, policy: Policy, query: bytes = b"a=1") -> tuple[int, list[Kind]]:
        asked = post(protocol, b"", policy, content_type=field, target=b"/a?" + query, fields={"host": "h"})
        return asked.status, [] if asked.told is None else [each.kind for each in asked.told.findings]

    watched = Policy.STANDARD.reporting(Kind.STEERING_CHARSET)
    assert ask("a/b; charset=utf-7", watched) == (200, [Kind.STEERING_CHARSET])
    quiet = Policy.STANDARD.allowing(Kind.FOREIGN_CHARSET)
    assert ask("a/b; charset=latin-1", quiet) == (200, [])
    assert ask("a/b; charset=latin-1", Policy.STANDARD.rejecting(Kind.FOREIGN_CHARSET))[0] == 415
    allowing = Policy.STRICT.allowing(Kind.MALFORMED_CONTENT_TYPE, on=Component.CONTENT_TYPE)
    for forms, status in ((False, 200), (True, 415)):
        asked = post(protocol, b"x", allowing, content_type="a", fields={"host": "h"}, forms=forms)
        assert asked.status == status
    assert (
        post(protocol, b"x", Policy.STRICT, content_type="a", fields={"host": "h"}, forms=False).status == 415
    )


def test_websockets_have_no_body_and_so_no_charset() -> None:
    given_ = ASGI.through(
        ASGI.request_of(b"/a?q=%C3%A9", type="websocket", headers=[(b"content-type", b"a/b; charset=utf-7")])
    )
    assert given_.report.findings == ()


# -- forms in an accepted charset ----------------------------------------------------------------------------


@EACH_PROTOCOL
@pytest.mark.parametrize("octets", [b"p=%E9", b""], ids=["a form", "no body"])
def test_a_form_handed_on_in_utf8_has_a_harmless_charset(protocol: Protocol, octets: bytes) -> None:
    taken = Forms(charsets=["windows-1252"])
    asked = post(
        protocol, octets, forms=taken, content_type=f"{FORM}; charset=windows-1252", target=b"/a?q=%C3%A9"
    )
    assert (asked.status, asked.header("content-type")) == (200, FORM)
    for other in (Forms(), Forms(charsets=["windows-1252"], over="untouched")):
        asked = post(
            protocol, octets, forms=other, content_type=f"{FORM}; charset=cp1252", target=b"/a?q=%C3%A9"
        )
        assert asked.status == 415
    asked = post(
        protocol, octets, forms=taken, content_type=f"{FORM}; charset=cp1252", enforce=False, target=b"/a"
    )
    assert asked.header("content-type") == f"{FORM}; charset=cp1252"


@EACH_PROTOCOL
@pytest.mark.parametrize(
    "text", [f"{FORM}; charset=bogus", f"{FORM}; charset=utf-16", f"{FORM}; charset=a; charset=b"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_charset_of_an_empty_form_does_not_matter(protocol: Protocol, text: str, method: str) -> None:
    """The server says that there is no body, or the client sends an empty body."""
    for settings in ({"length": 0}, {"length": ""}):
        asked = post(protocol, b"", content_type=text, method=method, **settings)
        assert (asked.status, asked.body, asked.header("content-type")) == (200, b"", FORM)
        ends = post(protocol, b"", content_type=text, method=method, terminated=True, **settings)
        assert (ends.status, ends.body, ends.header("content-type")) == (200, b"", FORM)
    for octets in (b"q", b"q=%00&p=1"):  # The octet that postel read ahead is not lost.
        for length in (0, ""):
            asked = post(protocol, octets, content_type=text, terminated=True, length=length)
            assert (asked.status, asked.kinds) == (415, ["form-coding"])
            observed = post(
                protocol, octets, content_type=text, terminated=True, length=length, enforce=False
            )
            assert (observed.status, observed.body) == (200, octets)
            assert observed.header("content-type") == text


# -- refusals ------------------------------------------------------------------------------------------------


@EACH_PROTOCOL
def test_an_application_that_answers_refusals_gets_no_steering_charset(protocol: Protocol) -> None:
    seen: list[Any] = []

    async def asgi_refusal(scope: Any, receive: Any, send: Any) -> None:
        seen.append([name for name, _ in scope["headers"]])
        await send({"type": "http.response.start", "status": 418, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    def wsgi_refusal(environ: Any, start_response: Any) -> list[bytes]:
        seen.append([key for key in environ if "TYPE" in key])
        start_response("418 ", [])
        return []

    refusal: Any = asgi_refusal if protocol is ASGI else wsgi_refusal
    asked = post(
        protocol, b"x", content_type="a/b; charset=utf-7", target=b"/a?q=1", refusal=refusal, forms=False
    )
    assert (asked.status, seen) == (418, [[]])


# -- the table of codecs -------------------------------------------------------------------------------------

MODULES: Final = sorted(
    each.name for each in pkgutil.iter_modules(encodings.__path__) if each.name != "aliases"
)
ASCII: Final = bytes(range(128))
HAZARDS: Final = [
    b"\\u0041", b"\\x41", b"\\N{DIGIT ONE}", b"~{VR~}", b"~~", b"+ACY-", b"\x1b$B0!\x1b(B", b"\x0e0!\x0f",
    b"&#65;", b"xn--a-", b"a-b", b"=41", b"%41", b"A.B", b"", b"-", b"a" * 40, ASCII,
]  # fmt: skip
"""ASCII octets that at least one codec decodes as other text, or does not decode."""


def decoded(octets: bytes, module: str) -> str | None:
    try:
        return octets.decode(module)
    except (ValueError, LookupError):
        return None


def reads_ascii(module: str) -> bool:
    texts = [*HAZARDS, *(bytes(pair) for pair in itertools.product(range(128), repeat=2))]
    return all(decoded(text, module) == text.decode("ascii") for text in [*texts, *map(bytes, zip(ASCII))])


@pytest.mark.no_cover
@pytest.mark.filterwarnings("ignore")  # The unicode_escape codec warns about unknown escapes.
@together("module", MODULES)
def test_every_codec_of_this_python_is_in_its_class(module: str) -> None:
    """A codec that a later Python adds belongs to no class until somebody adds it here."""
    assert (module in UTF8_MODULES) + (module in ASCII_COMPATIBLE) + (module in OTHERS) == 1
    if module in {"mbcs", "oem"}:
        return  # Only Windows has these codecs.
    assert reads_ascii(module) is (module not in OTHERS)
    assert (decoded("é".encode() * 2, module) == "éé") is (module in UTF8_MODULES | {"utf_8_sig"})


def test_every_alias_names_a_codec_of_the_table() -> None:
    assert set(aliases.values()) <= UTF8_MODULES | ASCII_COMPATIBLE | OTHERS


def spellings(name: str) -> list[str]:
    words = name.replace("-", "_").split("_")
    return [
        name, name.upper(), "-".join(words), " ".join(words), f"_{name}_", f"'{name}'", ".".join(words),
        "--".join(words), "".join(words), f"{name}.", f"<{name}>", f"{name}x", f"é{name}",
    ]  # fmt: skip


LABELS: Final = sorted(
    {spelled for name in [*MODULES, *aliases] for spelled in spellings(name)}
    | {"", ".", "..", "aliases", "__init__", "normalize_encoding", "utf8mb4", "binary", "x" * 900, "utf.8"}
)


def test_a_label_names_the_codec_that_python_finds_for_it() -> None:
    for label in LABELS:
        module = module_of(label)
        try:
            codec = codecs.lookup(label)
        except LookupError:
            assert module is None or module in {"mbcs", "oem"}, label
        else:
            assert module is not None, label
            assert codec.name == codecs.lookup(module).name, label


def test_labels_are_not_looked_up_in_the_codec_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    def lookup(_: str) -> Any:
        raise AssertionError

    monkeypatch.setattr(codecs, "lookup", lookup)
    before, cached = set(sys.modules), len(encodings._cache)
    for label in [*LABELS, "this", "antigravity"]:
        if label.isascii():
            charset_of(content_type([b'x/y; charset="%s"' % label.encode()]), b"q=%C3%A9")
    assert set(sys.modules) == before
    assert len(encodings._cache) == cached


# -- how much of a Content-Type is read ----------------------------------------------------------------------


@EACH_PROTOCOL
def test_a_content_type_that_is_too_long_is_refused(protocol: Protocol) -> None:
    """Newer versions of Django raise if it has more than 10,000 octets."""
    within = "a/b; c=" + "d" * (LONGEST - 7)
    assert post(protocol, b"x", content_type=within, fields={"host": "h"}).status == 200
    for forms in (False, True):
        asked = post(protocol, b"x", content_type=within + "d", fields={"host": "h"}, forms=forms)
        assert (asked.status, asked.kinds) == (415, ["steering-charset"])
        assert post(protocol, b"", content_type="a/" + "b" * LONGEST, forms=forms).status == 415


@pytest.mark.parametrize(
    "piece", [b"*", b"charset", b";charset=utf-8", b"; a*", b'"', b'\\"', b";", b" ", b"'"]
)
def test_a_long_content_type_is_read_in_bounded_time(piece: bytes) -> None:
    for field in (b"x/y;" + piece * 200, b"x/y; a=" + piece * 200, b"x/y" + piece * 200, piece * 200):
        received = field[:LONGEST]
        start = time.perf_counter()
        charset_of(content_type([received]), b"q=1")
        assert time.perf_counter() - start < 0.05


@EACH_PROTOCOL
def test_a_common_type_passes_the_proof(protocol: Protocol) -> None:
    def typed(value: bytes) -> Any:
        if protocol is WSGI:
            return plain(protocol, CONTENT_TYPE=value.decode("latin-1"))
        return plain(protocol, headers=[(b"host", b"h"), (b"content-type", value)])

    for value in (b"application/json", b"text/plain;charset=UTF-8", b"multipart/x; boundary=--x", b""):
        assert is_proven(protocol, typed(value))
        assert is_proven(protocol, typed(value), forms=True) is (value[:5] != b"multi")
        assert not is_proven(protocol, typed(value), forms=Forms(others="refuse"))
    for value in (b"a", b"a/b; charset=utf-7", b"a/b; charset=latin-1", b"\xe9/b", b" a/b", b"a/b\n", b"*/*"):
        assert not is_proven(protocol, typed(value))
    assert not is_proven(protocol, typed(FORM.encode()), forms=True)


@EACH_PROTOCOL
@together("method", ["GET", "POST"])
@together("tail", [b"charset*=utf-8''utf-7", b"charset*0=utf-7", b"x*=BOGUS''y", b"x*=rot13''y", b"a'*='b"])
@together("charset", [b"", b"; charset=utf-8", b'; charset="utf-8"'])
def test_other_parameters_of_a_form_do_not_change_the_charset(
    protocol: Protocol, method: str, tail: bytes, charset: bytes
) -> None:
    field = b"application/x-www-form-urlencoded" + charset + b"; " + tail
    for forms in (False, True):
        found = read(protocol, [field], b"a=1+ACY-admin+AD0-1&b=%2BAAA-", method, forms=forms)
        assert found in (415, {"a": ["1 ACY-admin AD0-1"], "b": ["+AAA-"]})
