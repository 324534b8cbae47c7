"""Servers that hand over another target than the client has sent, each with an example.

Behind postel, the application receives what it would have routed on, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from servers.configurations import BY_NAME as CONFIGURED
from servers.configurations import REWRITTEN
from servers.matrix import Reply, ask, read, run, serving
from targets import BY_NAME

pytestmark = pytest.mark.servers


def reply(configuration: str, stack: str, sample: str) -> Reply:
    return run(CONFIGURED[configuration]).of(stack, BY_NAME[sample])


def path(configuration: str, stack: str, sample: str) -> str | None:
    """Return the decoded path that the application receives, or ``None`` if the request is refused."""
    view = reply(configuration, stack, sample).view
    return view and view["path"]


def findings(configuration: str, stack: str, sample: str) -> set[str]:
    report = reply(configuration, stack, sample).report
    assert report is not None
    return {kind for kind, _, _, _ in report["findings"]}


@pytest.mark.parametrize(
    ("sample", "damaged"),
    [("percent-behind", "/a"), ("half-escape", "/"), ("no-hex", "/\0"), ("unicode-escape", "/\x00041")],
)
def test_uwsgi_damages_malformed_escapes(sample: str, damaged: str) -> None:
    assert path("uWSGI, wsgi", "bare", sample) == damaged
    assert path("uWSGI, wsgi", "STANDARD", sample) is None
    assert path("uWSGI, wsgi", "LENIENT", sample) == (None if "\0" in damaged else damaged)


@pytest.mark.parametrize(
    "name",
    ["cheroot, wsgi", "cheroot, PathInfoDispatcher, wsgi", "Apache, AllowEncodedSlashes NoDecode, wsgi"],
)
def test_kept_escaped_slashes_are_not_mistaken_for_others(name: str) -> None:
    assert path(name, "bare", "encoded-slash") == path(name, "bare", "double-slash-escape") == "/a%2Fb"
    assert path(name, "STANDARD", "encoded-slash") is None
    assert "encoded-slash" in findings(name, "STANDARD", "encoded-slash")
    assert path(name, "STANDARD", "double-slash-escape") is None
    assert findings(name, "STANDARD", "double-slash-escape") == {"unsafe-double-escape"}
    assert path(name, "LENIENT", "encoded-slash") == "/a%2Fb"
    assert path(name, "LENIENT", "double-slash-escape") == "/a%252Fb"


@pytest.mark.parametrize("sample", ["leading-slashes", "leading-host", "leading-three"])
def test_waitress_merges_leading_slashes(sample: str) -> None:
    sent = BY_NAME[sample].octets.decode()
    merged = "/" + sent.lstrip("/")
    assert path("waitress, wsgi", "bare", sample) == merged
    assert path("waitress, wsgi", "STANDARD", sample) is None
    assert "leading-slashes" in findings("waitress, wsgi", "STANDARD", sample)
    assert path("waitress, wsgi", "LENIENT", sample) in {merged, merged.replace("//", "/")}


@pytest.mark.parametrize(
    "sample", ["plain", "needless-escape", "encoded-slash", "double-slash-escape", "nested"]
)
def test_uvicorn_puts_its_prefix_in_front_of_both_views(sample: str) -> None:
    name = "uvicorn --root-path, asgi"
    bare = reply(name, "bare", sample).view
    assert bare is not None
    assert bare["path"].startswith("/sub/")
    assert bare["raw"]["raw_path"] == "/sub" + BY_NAME[sample].octets.decode()
    for policy in ("STANDARD", "LENIENT"):
        report = reply(name, policy, sample).report
        assert report is not None
        assert (report["prefix"], report["received"]) == ("/sub", bare["raw"]["raw_path"])
        given = path(name, policy, sample)
        assert given is None or given.startswith("/sub/")
    assert findings(name, "STANDARD", "dots-above") == {"dot-segment"}


@pytest.mark.parametrize("sample", ["bare-utf8", "bare-euro", "bare-utf8-in-query", "bare-euro-in-query"])
def test_gunicorn_hands_over_text_on_http2(sample: str) -> None:
    name, sent = "gunicorn, HTTP/2, wsgi", BY_NAME[sample].octets
    bare = reply(name, "bare", sample).view
    assert bare is not None
    assert bare["raw"]["RAW_URI"] == sent.decode()
    found = reply(name, "STANDARD", sample)
    assert found.report is not None
    assert found.view is not None
    assert found.report["received"] == sent.decode("latin-1")
    assert findings(name, "STANDARD", sample) == {"raw-non-ascii"}
    assert found.view["raw"]["RAW_URI"].isascii()
    assert found.view["query"].isascii()


# -- mod_rewrite ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rewriting() -> Iterator[int]:
    with serving(REWRITTEN) as process:
        yield process.port


def rewritten(port: int, target: bytes, stack: str) -> Reply:
    return read(ask(port, target, (f"X-Stack: {stack}",)))


@pytest.mark.parametrize(
    ("target", "routed"),
    [
        (b"/old/a", "/new/a"),
        (b"/old/a/b?q=1", "/new/a/b"),
        (b"/old/%61", "/new/a"),
        (b"/old/caf%C3%A9", "/new/caf\u00c3\u00a9"),
    ],
    ids=ascii,
)
def test_a_rewritten_path_is_used_in_every_view(rewriting: int, target: bytes, routed: str) -> None:
    bare = rewritten(rewriting, target, "bare").view
    assert bare is not None
    assert bare["path"] == routed
    assert bare["raw"]["REQUEST_URI"] == target.decode()
    assert bare["stale"]["SCRIPT_URL"].startswith("/old/")
    assert rewritten(rewriting, target, "STRICT").view is None
    for policy in ("STANDARD", "LENIENT"):
        reply = rewritten(rewriting, target, policy)
        assert reply.view is not None
        assert reply.report is not None
        assert reply.view["path"] == routed
        assert reply.view["raw"]["REQUEST_URI"].startswith("/new/")
        assert reply.view["stale"] == {}
        assert "views-disagree" in {kind for kind, _, _, _ in reply.report["findings"]}


@pytest.mark.parametrize(
    "target", [b"/old/a%0A", b"//old/a", b"/old/a%C4", b"/old/%2e%2e/b", b"/x/../old/a"], ids=ascii
)
def test_the_sent_target_is_judged_even_if_it_is_rewritten(rewriting: int, target: bytes) -> None:
    assert rewritten(rewriting, target, "bare").reached
    assert rewritten(rewriting, target, "STANDARD").view is None


@pytest.mark.parametrize("sample", ["plain", "nested", "query"])
def test_script_url_is_removed_without_a_rewrite_too(rewriting: int, sample: str) -> None:
    target = BY_NAME[sample].octets
    bare = rewritten(rewriting, target, "bare").view
    reply = rewritten(rewriting, target, "STANDARD")
    assert bare is not None
    assert reply.view is not None
    assert bare["stale"].keys() >= {"SCRIPT_URL"}
    assert reply.view["stale"] == {}
    assert reply.view["path"] == bare["path"]
