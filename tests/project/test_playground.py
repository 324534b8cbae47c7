"""The playground shows what postel finds, escapes all input, and works without JavaScript."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from django.conf import settings
from django.utils.functional import empty
from hypothesis import given
from hypothesis import strategies as st

from applications import EXAMPLES, django_settings, example
from postel import Action, Normalizer, Policy, Rejected, Target
from postel.uri import build_query
from together import together
from wire import Answer, ask_asgi

with django_settings(empty):  # The playground has its own settings for Django.
    anatomy, conversion, verdicts, frameworks, playground = (
        example(f"playground.{name}") for name in ("anatomy", "conversion", "verdicts", "frameworks", "app")
    )
    SETTINGS: Final = settings._wrapped

HOSTILE: Final = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'-alert(1)-'",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "/\u202e\u2066<blink>\u200b",
    "//evil.example/%0d%0aSet-Cookie:x",
    "http://[::1",
    "http://u:p@h:99999999/?#",
    "?",
    "#",
    "",
    "/" + "a/" * 900,
    "/?" + "a[b]=<&" * 200,
    "/\ud800",
    "\U0001f4a9%F0%9F%92%A9",
)


@pytest.fixture(autouse=True)
def _its_settings() -> Iterator[None]:
    with django_settings(SETTINGS):
        yield


def get(path: str, **parameters: str) -> Answer:
    query = build_query(
        [(name, value.encode("utf-8", "replace").decode()) for name, value in parameters.items()]
    )
    return ask_asgi(playground.app, f"{path}?{query}".encode() if query else path.encode())


def text_of(answer: Answer) -> str:
    """Return the text of a page, without markup."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", answer.body.decode())).split())


# ---- its contents ----


@pytest.mark.parametrize("url", [*playground.EXAMPLES, playground.FIRST_URL])
def test_the_verdicts_equal_postels(url: str) -> None:
    judged = verdicts.judge(url)
    for verdict, policy in zip(
        judged.verdicts, (Policy.STRICT, Policy.STANDARD, Policy.LENIENT), strict=True
    ):
        outcome = Normalizer(policy).normalize(judged.url.target)
        assert (verdict.word == "refused") is isinstance(outcome, Rejected)
        refusing = {each.kind.slug for each in outcome.findings if each.action is Action.REJECT}
        assert set(verdict.kinds) == refusing


def test_every_finding_is_marked_at_its_octets() -> None:
    judged = verdicts.judge("https://example.com/caf%c3%a9/a%2Fb?q=50%+off&ref=%C0%AF#top")
    marked = {
        row.number: "".join(piece.text for piece in judged.pieces if row.number in piece.numbers)
        for row in judged.rows
    }
    assert [(row.kind.slug, marked[row.number]) for row in judged.rows] == [
        ("spelling", "%c3%a9"),
        ("encoded-slash", "%2F"),
        ("malformed-escape", "%"),
        ("spelling", "+"),
        ("ill-formed-utf8", "%C0%AF"),
    ]
    assert [row.excerpt for row in judged.rows] == list(marked.values())
    assert [row.severity for row in judged.rows] == ["repair", "bad", "repair", "strict", "bad"]


def test_a_url_is_cut_into_its_components() -> None:
    url = anatomy.Url.of("https://u@example.com/a/b?n=v&flag#f")
    cut = [(part.role, url.octets[part.begin : part.end].decode()) for part in anatomy.parts(url)]
    assert [pair for pair in cut if pair[0] != "delimiter"] == [
        ("scheme", "https:"),
        ("authority", "u@example.com"),
        ("segment", ""),
        ("segment", "a"),
        ("segment", "b"),
        ("name", "n"),
        ("value", "v"),
        ("name", "flag"),
        ("fragment", "f"),
    ]
    assert (url.sent, url.host) == (b"/a/b?n=v&flag", b"example.com")
    assert anatomy.Url.of("https://h").sent == b"/"
    assert anatomy.Url.of("/a#f").target == Target(b"/a#f")


@given(st.text(st.sampled_from(list("/?&=#%;.\\:a2Fé\u202e\U0001f4a9\0\n<")), max_size=40))
def test_any_input_is_shown_completely(text: str) -> None:
    judged = verdicts.judge(text)
    assert "".join(piece.text for piece in judged.pieces) == anatomy.visible(text)
    numbers = {number for piece in judged.pieces for number in piece.numbers}
    assert numbers <= {row.number for row in judged.rows}
    for row in judged.rows:
        assert (
            row.number in numbers
            or row.offset >= len(judged.url.octets) - judged.url.path_at - 1
            or not row.excerpt
        )


def test_the_frameworks_are_those_of_the_readme() -> None:
    url = anatomy.Url.of("/books/%C0%AF?q=%C4")
    readings = {
        name: (bare, behind) for name, bare, behind in (each.read(url) for each in frameworks.FRAMEWORKS)
    }
    assert [(name, bare.path, bare.pairs) for name, (bare, _) in readings.items()] == [
        ("Django", "/books/%C0%AF", (("q", "\ufffd"),)),
        ("Flask", "/books/\ufffd\ufffd", (("q", "%C4"),)),
        ("Starlette", "/books/\ufffd\ufffd", (("q", "\ufffd"),)),
    ]
    assert {behind.ended for _, behind in readings.values()} == {"400 ill-formed-utf8"}


def test_the_frameworks_agree_behind_postel() -> None:
    url = anatomy.Url.of("/caf%c3%a9?q=50%+off&a=1;b")
    [behind] = {framework.read(url)[2] for framework in frameworks.FRAMEWORKS}
    assert (behind.path, behind.pairs) == ("/café", (("q", "50% off"), ("a", "1;b")))


def test_the_failure_of_a_framework_is_shown() -> None:
    # Flask fails for a raw octet beyond ASCII in a query, which no browser sends.
    readings = [framework.read(anatomy.Url.of("/?q=\u00e9\udcff")) for framework in frameworks.FRAMEWORKS]
    assert all(behind.ended.startswith("400") or behind.pairs for _, _, behind in readings)
    failing = anatomy.Url(b"/", Target(b"/", b"q=\xff"), b"h", 0, 2)
    assert [framework.read(failing)[1].ended for framework in frameworks.FRAMEWORKS][1].startswith("500")


def test_the_page_shows_everything() -> None:
    page = text_of(get("/", url="/a%2Fb?q=50%+off"))
    for word in (
        "STRICT refused",
        "STANDARD refused",
        "LENIENT repaired",
        "encoded-slash",
        "path at 2",
        "Django",
        "Starlette",
    ):
        assert word in page
    assert "canonical /a%2Fb?q=50%25+off" in page


def test_the_policy_of_a_visitor_has_a_fourth_verdict() -> None:
    page = text_of(get("/", url="/a%2Fb", policy="standard encoded-slash=preserve"))
    assert "YOURS accepted" in page
    assert "there is no action 'keep'" in text_of(get("/", url="/", policy="standard encoded-slash=keep"))


def test_the_link_holds_the_state() -> None:
    url, policy = "/a%2Fb?q=<\u00e9>#&x=+", "lenient nul=reject"
    answer = get("/", url=url, policy=policy)
    [link] = re.findall(r'<a class="mono" href="([^"]+)">/\?url=', answer.body.decode())
    again = ask_asgi(playground.app, html.unescape(link).encode())
    assert again.body == answer.body


def test_text_is_escaped_and_read_by_component_and_charset() -> None:
    converted = conversion.convert("\u00c4 &+", "latin-1")
    assert {line.names[0]: line.escaped.text for line in converted.places} == {
        "any place": "%C4%20%26%2B",
        "segment of a path": "%C4%20&%2B",
        "name in a query": "%C4%20%26%2B",
        "value in a query": "%C4%20%26%2B",
        "form": "%C4+%26%2B",
        "user name": "%C4%20&+",
        "fragment": "%C4%20&+",
    }
    assert conversion.convert("%C4+", "latin-1").places[4].read.text == "\u00c4 "
    assert {line.names: line.escaped.text for line in converted.functions} == {
        ("encodeURIComponent", "decodeURIComponent"): "%C3%84%20%26%2B",
        ("encodeURI", "decodeURI"): "%C3%84%20&+",
        ("fixed_encodeURI", "fixed_decodeURI"): "%C3%84%20&+",
        ("stable_encodeURI", "stable_decodeURI"): "%C3%84%20&+",
        ("escape", "unescape"): "%C4%20%26+",
    }


def test_ascii_warns_about_characters_that_it_cannot_encode() -> None:
    page = text_of(get("/text", text="na\u00efve", charset="ascii"))
    assert "ASCII has no '\u00ef' (character 3 of the text). In UTF-8 it is %C3%AF: use that." in page
    assert conversion.convert("naive", "ascii").warning == ""
    assert "In UTF-8" not in text_of(get("/text", text="na\u00efve", charset="nonsense"))


@pytest.mark.parametrize("charset", conversion.CHARSETS)
def test_every_charset_decodes_what_it_encodes(charset: str) -> None:
    for line in conversion.convert("a b/%?", charset).places:
        read = conversion.convert(line.escaped.text, charset).places
        [back] = [other.read.text for other in read if other.names == line.names]
        assert back == "a b/%?"


# ---- whatever is pasted ----


@together("text", HOSTILE, ids=ascii)
@together(("path", "name"), [("/", "url"), ("/", "policy"), ("/text", "text"), ("/text", "charset")])
def test_hostile_input_is_inert(path: str, name: str, text: str) -> None:
    answer = get(path, **{name: text})
    page = answer.body.decode()
    assert answer.status == 200
    plain = get(path).body.decode()
    assert len(re.findall(r"<script", page)) == len(re.findall(r"<script", plain)) == 1
    assert page.count("<img") == plain.count("<img") == 1
    assert "<blink" not in page
    assert not re.search(r"[\u202a-\u202e\u2066-\u2069\u200b]", re.sub(r'\w+="[^"]*"', "", page))
    assert {href[:1] for href in re.findall(r'href="([^"]*)"', page)} <= {"/", "#"}


def test_long_input_is_cut_with_a_message() -> None:
    page = text_of(get("/", url="/" + "a" * 3000))
    assert "The first 2000 characters are shown; 1001 more were given." in page


def test_the_page_itself_is_behind_postel() -> None:
    answer = ask_asgi(playground.app, b"/?url=%C0%AF")
    assert answer.status == 400
    assert "ill-formed-utf8" in text_of(answer)
    assert "%C0%AF" not in answer.body.decode()


def test_the_playground_starts_without_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    sent: list[str] = []
    messages = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]

    async def receive() -> Any:
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message["type"])

    asyncio.run(playground.app({"type": "lifespan", "state": {}}, receive, send))
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert caplog.records == []


@pytest.mark.parametrize("target", ["/", "/text", "/static/playground.js", "/none", "/?url=%00"])
def test_every_answer_allows_no_foreign_or_inline_code(target: str) -> None:
    answer = ask_asgi(playground.app, target.encode())
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("target", ["/", "/text", "/?url=%00"])
def test_no_page_has_inline_code_or_foreign_addresses(target: str) -> None:
    page = ask_asgi(playground.app, target.encode()).body.decode()
    assert not re.search(r"<script(?![^>]* src=)|<style|\son\w+=|\sstyle=", page)
    assert not re.search(r'(?:src|href|action)="(?!/(?!/)|#)', page)
    for file in re.findall(r'"/static/([^"]+)"', page):
        assert ask_asgi(playground.app, f"/static/{file}".encode()).status == 200


def test_no_file_names_another_host() -> None:
    for file in (EXAMPLES / "playground").rglob("*.*"):
        if file.suffix in {".js", ".css", ".html"}:
            assert not re.search(r"https?://|@import|url\(", file.read_text("utf-8"))


def test_a_refusal_for_length_has_a_message() -> None:
    answer = get("/", url="/" + "a" * 9000)
    assert answer.status == 414
    assert "414: the request for this page was refused" in text_of(answer)


@pytest.mark.parametrize(("cut", "words"), [("5", "5 more were given"), ("x", ""), ("9" * 99, "")])
def test_the_page_names_how_much_the_script_has_cut(cut: str, words: str) -> None:
    shown = text_of(get("/", url="/a", cut=cut))
    assert words in shown
    assert ("more were given" in shown) is bool(words)


def test_an_unknown_charset_is_named() -> None:
    assert "There is no charset klingon ; UTF-8 is used." in text_of(
        get("/text", text="a", charset="klingon")
    )
    assert (
        "<b>"
        not in get("/text", text="a", charset="<b>").body.decode().partition("There is no charset")[2][:99]
    )
