"""The summary: who is hit, and what would let them pass; and its reports where there is little to tell."""

from __future__ import annotations

import io

import pytest

from postel import Kind, Policy
from postel.scan import FORMATS, Summary, Tally, count_stream, page_of, report_lines
from scan.lines import BROWSER, PROGRAM, SITE, combined

CRAWLER = b"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"


def summary_of(*lines: bytes, policy: Policy = Policy.STANDARD, name: str = "combined") -> Summary:
    return Summary.of(count_stream(io.BytesIO(b"\n".join(lines)), policy, FORMATS[name]))


def refused(number: int, **others: object) -> bytes:
    return combined(b"/a%%00%d" % number, client=b"c%d" % number, **others)  # type: ignore[arg-type] # of combined


@pytest.mark.parametrize(
    ("lines", "who", "words"),
    [
        ([refused(1, referer=SITE, status=404)] * 3, "unclear", ["came by a link", "answered with an error"]),
        ([refused(1, referer=SITE)] * 3, "people", ["100 % came by a link", "100 % were served"]),
        ([refused(n, agent=CRAWLER) for n in range(4)], "people", ["of search engines"]),
        ([refused(n, agent=PROGRAM, status=404) for n in range(4)], "scanners", ["100 % are of programs"]),
        ([refused(n, agent=b"-", status=200) for n in range(4)], "scanners", ["do not say of what"]),
        ([refused(1, status=403)] * 120, "scanners", ["120 requests a client", "with an error"]),
        ([refused(n, status=302) for n in range(4)], "people", ["say that they are browsers"]),
    ],
)
def test_who_is_hit(lines: list[bytes], who: str, words: list[str]) -> None:
    [line] = [each for each in summary_of(*lines).kinds if each.kind == "nul"]
    assert line.who == who
    assert all(each in line.reason for each in words)


def test_a_log_that_tells_nothing_of_them() -> None:
    summary = summary_of(b'INFO:     127.0.0.1:4711 - "GET /%00 HTTP/1.1" 200 OK', name="uvicorn")
    [line] = summary.kinds
    assert (line.who, line.reason) == ("unclear", "the log tells too little of them")
    assert "encoded-slash" in summary.blind["uvicorn"]
    assert any("A log of format uvicorn cannot show" in each for each in report_lines(summary))
    assert "A log of format uvicorn cannot show" in page_of(summary)
    assert summary.suggestion.tried == 0
    assert any("Nothing that is refused looks like people's." in each for each in report_lines(summary))


def test_nothing() -> None:
    summary = Summary.of(Tally())
    assert (summary.kinds, summary.suggestion.policy) == ([], "standard")
    page = page_of(summary)
    assert "What was found" not in page
    assert "Lines that were not read" not in page


def hits(*targets: bytes) -> list[bytes]:
    return [combined(target, referer=SITE, client=b"c%d" % number) for number, target in enumerate(targets)]


def test_clauses_are_narrow() -> None:
    suggestion = summary_of(*hits(b"/x?a=%C4", b"/x?b=%C4", b"/units/%2F", b"/other/x%2F/y")).suggestion
    assert suggestion.policy == "standard ill-formed-utf8@query[a]=drop ill-formed-utf8@query[b]=drop"
    assert list(suggestion.routes) == ["/other", "/units"]
    assert (suggestion.tried, suggestion.passing) == (4, 4)


def test_many_names_or_routes_are_one_clause() -> None:
    names = [b"/x?name%c=%%C4" % letter for letter in b"abcdefgh"]
    routes = [b"/route%c/x%%2F" % letter for letter in b"abcdefgh"]
    suggestion = summary_of(*hits(*names, *routes)).suggestion
    assert Policy.parse(suggestion.policy) == Policy.parse(
        "standard ill-formed-utf8@query=drop encoded-slash=preserve"
    )
    assert suggestion.routes == {}
    assert suggestion.passing == 16


def test_what_holds_everywhere_makes_others_needless() -> None:
    """A path of which no prefix can be said, beside some of which one can."""
    suggestion = summary_of(*hits(b"/1%2Fa", b"/units/1%2Fa", b"/2%2Fb/a")).suggestion
    assert (suggestion.policy, suggestion.routes) == ("standard encoded-slash=preserve", {})
    assert [each.clause for each in suggestion.clauses] == ["encoded-slash=preserve"]


def test_what_cannot_be_let_pass() -> None:
    """No policy takes a dot segment in disguise; and what is clipped, nobody can try."""
    summary = summary_of(*hits(b"/a/%2e%2e/b", b"/a%00/" + b"x" * 500))
    assert summary.suggestion.clauses == []
    assert (summary.suggestion.tried, summary.suggestion.passing) == (1, 0)


def test_another_policy() -> None:
    policy = Policy.STANDARD.rejecting(Kind.EMPTY_SEGMENT)
    suggestion = summary_of(*hits(b"/a//b"), policy=policy).suggestion
    assert (suggestion.tried, suggestion.passing) == (1, 1)


def test_estimates_are_marked() -> None:
    lines = [refused(number, referer=SITE, agent=BROWSER) for number in range(700)]
    summary = summary_of(*lines)
    [line] = summary.kinds
    assert (line.requests, line.tops_exact, line.clients_exact) == (700, False, False)
    assert line.agents[0].requests == 700
    assert abs(line.clients - 700) < 140
    assert "~700" in "\n".join(report_lines(summary))
    assert "Routes, estimated" in page_of(summary)
