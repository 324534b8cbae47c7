"""The summary: whose requests are refused and which clauses accept them, and reports of small logs."""

from __future__ import annotations

import io

import pytest

from postel import LATIN, Component, Kind, Policy
from postel.scan import FORMATS, Summary, Tally, count_stream, page_of, report_lines
from scan.lines import BROWSER, PROGRAM, SITE, combined

CRAWLER = b"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"


def summary_of(*lines: bytes, policy: Policy = Policy.STANDARD, name: str = "combined") -> Summary:
    return Summary.of(count_stream(io.BytesIO(b"\n".join(lines)), policy, FORMATS[name]))


def told(summary: Summary) -> str:
    """Return the report with its lines joined."""
    return " ".join(" ".join(report_lines(summary)).split())


def refused(number: int, **others: object) -> bytes:
    return combined(b"/a%%00%d" % number, client=b"c%d" % number, **others)  # In the combined format.


@pytest.mark.parametrize(
    ("others", "who", "words"),
    [
        ({"referer": SITE}, "people", ["100 % have a referer", "100 % were served"]),
        ({"referer": SITE, "agent": PROGRAM}, "scanners", ["come from known attack tools"]),
        ({"referer": SITE, "agent": b"OurApp/7"}, "people", ["come from programs, which may be your own"]),
        ({"referer": SITE, "status": 404}, "unclear", ["have a referer", "0 % were served"]),
        ({"status": 302}, "people", ["claim to be browsers"]),
        ({"status": 404}, "scanners", ["0 % were served"]),
        ({"status": 401}, "people", ["0 % were served"]),
        ({"status": 502}, "unclear", ["0 % were served"]),
        ({"agent": CRAWLER}, "people", ["come from search engines"]),
        ({"agent": CRAWLER, "status": 404}, "scanners", ["come from search engines"]),
        ({"agent": b"-"}, "unclear", ["have no agent"]),
        ({"agent": b"OurApp/7"}, "unclear", ["come from programs, which may be your own"]),
        ({"agent": b"OurApp/7", "status": 400}, "scanners", ["0 % were served"]),
    ],
)
def test_who_seems_to_have_sent_a_request(others: dict[str, object], who: str, words: list[str]) -> None:
    summary = summary_of(*(refused(number, **others) for number in range(4)))
    [line] = [each for each in summary.kinds if each.kind == "nul"]
    assert line.main_sender == who
    assert line.senders == summary.refused_senders == {"people": 0, "unclear": 0, "scanners": 0, who: 4}
    assert all(each in line.reason for each in words)


@pytest.mark.parametrize(("referer", "who"), [(b"-", "unclear"), (SITE, "people")])
def test_one_client_without_a_referer_may_be_a_scanner_that_claims_to_be_a_browser(
    referer: bytes, who: str
) -> None:
    lines = [combined(b"/a%%2F%d" % number, client=b"c", referer=referer) for number in range(20)]
    summary = summary_of(*lines)
    assert summary.refused_senders == {"people": 0, "unclear": 0, "scanners": 0, who: 20}
    assert bool(summary.suggestion.clauses) == (who == "people")
    for text in ("\n".join(report_lines(summary)), page_of(summary)):
        only = "nly if you know that the unclear requests are legitimate"
        assert (only in text) is (who == "unclear")
        assert "encoded-slash=preserve" in text
    [line] = summary.kinds
    assert "all of them come from one client" in line.reason


def test_requests_of_people_are_found_among_those_of_scanners() -> None:
    people = [refused(number, referer=SITE) for number in range(3)]
    summary = summary_of(*people, *(refused(number, agent=PROGRAM) for number in range(900)))
    assert summary.refused_senders == {"people": 3, "unclear": 0, "scanners": 900}
    [line] = summary.kinds
    assert (line.senders, line.main_sender) == (summary.refused_senders, "scanners")
    assert "under 1 % have a referer" in line.reason
    assert summary.suggestion.people == 3


def test_very_busy_clients_are_not_people() -> None:
    summary = summary_of(*[refused(1, referer=SITE)] * 120)
    assert summary.refused_senders == {"people": 0, "unclear": 120, "scanners": 0}
    assert "120 requests per client" in summary.kinds[0].reason
    assert (summary.suggestion.people, summary.suggestion.clauses) == (0, [])


def test_a_request_with_several_reasons_is_counted_once() -> None:
    summary = summary_of(*hits(b"/a%00%2F?q=%C4", b"/a%2F?q=%C4", b"/a"))
    assert summary.refused_senders["people"] == summary.refused["policy"] == 2
    assert sum(summary.outcomes.values()) == summary.requests == 3


def test_a_log_without_agents_and_referers() -> None:
    summary = summary_of(b'INFO:     127.0.0.1:4711 - "GET /%00 HTTP/1.1" 200 OK', name="uvicorn")
    [line] = summary.kinds
    assert (line.main_sender, line.reason) == ("unclear", "100 % were served")
    assert "encoded-slash" in summary.blind["uvicorn"]
    for text in ("\n".join(report_lines(summary)), page_of(summary)):
        assert "In a path, the format uvicorn cannot show these kinds:" in text
        assert "does not show: agents and referers" in text
        assert "Do not enforce yet: 1 refused request (100 %)" in text


def test_an_empty_log() -> None:
    summary = Summary.of(Tally())
    assert (summary.kinds, summary.suggestion.policy) == ([], "standard")
    page = page_of(summary)
    assert "What was found" not in page
    assert "Lines that were not read" not in page


def hits(*targets: bytes) -> list[bytes]:
    return [combined(target, referer=SITE, client=b"c%d" % number) for number, target in enumerate(targets)]


def test_clauses_are_narrow() -> None:
    suggestion = summary_of(*hits(b"/x?a=%C4", b"/x?b=%C4", b"/units/%2F", b"/other/x%2F/y")).suggestion
    assert suggestion.policy == "standard ill-formed-utf8@query[a]=allow ill-formed-utf8@query[b]=allow"
    assert list(suggestion.routes) == ["/other", "/units"]
    assert (suggestion.people, suggestion.tried, suggestion.passing, suggestion.estimate) == (4, 4, 4, 4)


def test_many_names_or_routes_become_one_clause() -> None:
    names = [b"/x?name%c=%%C4" % letter for letter in b"abcdefgh"]
    routes = [b"/route%c/x%%2F" % letter for letter in b"abcdefgh"]
    suggestion = summary_of(*hits(*names, *routes)).suggestion
    assert Policy.parse(suggestion.policy) == Policy.parse(
        "standard ill-formed-utf8@query=allow encoded-slash=preserve"
    )
    assert suggestion.routes == {}
    assert suggestion.passing == 16


def test_a_clause_for_all_names_stands_before_one_for_a_single_name() -> None:
    names = [b"/x?name%c=%%C4" % letter for letter in b"abcdefgh"]
    suggestion = summary_of(*hits(*[b"/%C4?z=%C4"] * 9, *names)).suggestion
    assert "ill-formed-utf8@query[z]=allow" in [each.clause for each in suggestion.clauses]
    assert "ill-formed-utf8@query=allow" in [each.clause for each in suggestion.clauses]


def test_no_clause_undoes_a_rule_for_a_name() -> None:
    policy = Policy.parse("standard ill-formed-utf8@query[id]=drop foreign-reference@query[next]=reject")
    names = [b"/x?name%c=%%C4" % letter for letter in b"abcdefgh"]
    suggestion = summary_of(*hits(*names, b"/?next=//evil", b"/x?id=%C4"), policy=policy).suggestion
    assert "foreign-reference@query[next]=allow" in suggestion.policy
    assert "ill-formed-utf8@query[id]=drop" in suggestion.policy
    assert (suggestion.people, suggestion.passing) == (9, 9)


def test_a_parameter_in_an_older_encoding_gets_a_charset_clause() -> None:
    suggestion = summary_of(*hits(b"/x?q=caf%E9", b"/x?q=%C4", b"/x?q=f%FCr+%80", b"/x?q=%81")).suggestion
    assert suggestion.policy == "standard charset[q]=windows-1252"
    assert (suggestion.people, suggestion.passing) == (4, 3)
    [clause] = suggestion.clauses
    assert clause.guarantee == "Clients that do not send UTF-8 in this parameter send windows-1252."


def test_a_charset_that_fits_few_values_is_not_suggested() -> None:
    targets = [b"/x?q=%%C4&n=%d" % number for number in range(3)]
    suggestion = summary_of(*hits(*targets, b"/x?q=caf%E9")).suggestion
    assert suggestion.policy == "standard ill-formed-utf8@query[q]=allow charset[q]=windows-1252"
    assert (suggestion.people, suggestion.passing) == (4, 4)


def test_a_charset_for_many_names_becomes_one_clause() -> None:
    names = [b"/x?name%c=caf%%E9" % letter for letter in b"abcdefgh"]
    suggestion = summary_of(*hits(*names)).suggestion
    assert suggestion.policy == "standard charset[*]=windows-1252"
    assert suggestion.passing == 8


def test_a_clause_for_all_paths_replaces_clauses_for_routes() -> None:
    """One of these paths has no prefix in common with the others."""
    suggestion = summary_of(*hits(b"/1%2Fa", b"/units/1%2Fa", b"/2%2Fb/a")).suggestion
    assert (suggestion.policy, suggestion.routes) == ("standard encoded-slash=preserve", {})
    assert [each.clause for each in suggestion.clauses] == ["encoded-slash=preserve"]


def test_a_route_of_many_segments_is_a_prefix() -> None:
    suggestion = summary_of(*hits(b"/repos/o/r/git/ref/heads%2Ffix")).suggestion
    assert suggestion.routes == {"/repos/o/r": "standard encoded-slash=preserve"}
    assert suggestion.passing == suggestion.people


@pytest.mark.parametrize(
    ("target", "clause"),
    [
        (b"/x?q=%C4rzteblatt", "charset[q]=windows-1252"),
        (b"/x?q=%C4", "ill-formed-utf8@query[q]=allow"),  # One octet may be a letter of any alphabet.
        (b"/x?q=%CF%F0%E8%E2%E5%F2", "ill-formed-utf8@query[q]=allow"),
        (b"/x?q=caf%u00e9", "unicode-escape@query[q]=allow"),
        (b"/x?q=a%00b", "nul@query[q]=drop-pair"),
        (b"/x?a%0Ab=1", "name-line-break@query=drop-pair"),
        (b"/x?%C4=1", "ill-formed-utf8@query=allow"),
        (b"/x/50%zz", "malformed-escape@path=repair"),  # REPAIR only escapes the percent sign.
        (b"/x/caf%u00e9", "unicode-escape@path=allow"),
        (b"/x/a%5Cb", "encoded-backslash=preserve"),
        (rb"/x/a\\b", "backslash=repair"),
        (b"/x/a%252Fb", "unsafe-double-escape=allow"),
        (b"/x/../b", "dot-segment=repair"),
        (b"/x/https://b", "empty-segment=allow"),
        (b"/x%00", ""),  # No clause leaves unchanged what only attacks and broken links have.
        (b"/x%0A", ""),
        (b"/x%09", ""),
        (b"/x%1B", ""),
        (b"/x?q=1#b", ""),  # The only edit would turn C# into C.
        (b"/x/%C4", ""),  # The only actions would remove characters of a name.
    ],
)
def test_clauses_that_lose_least_come_first(target: bytes, clause: str) -> None:
    policy = Policy.STANDARD.rejecting(Kind.ILLEGAL_CHARACTER, on=Component.PATH)
    [line] = [each for each in summary_of(*hits(target), policy=policy).kinds if each.refused_by["policy"]]
    assert [each.clause for each in line.exemptions] == [clause] * bool(clause)


def test_a_limit_has_neither_route_nor_name() -> None:
    policy = Policy.STANDARD.limiting(octets=20)
    [line] = summary_of(*hits(b"/a/b/" + b"c" * 30), policy=policy).kinds
    assert [(each.clause, each.route) for each in line.exemptions] == [("limit.octets=40", "")]


def test_a_kind_that_can_only_be_reported_is_reported() -> None:
    policy = Policy.STANDARD.accepting(LATIN, names=["q"])
    [line] = summary_of(*hits(b"/x?q=%E8%B5%B7"), policy=policy).kinds
    assert [each.clause for each in line.exemptions] == ["outside-accepted-range@query[q]=report"]


def test_requests_that_no_clause_accepts_are_counted() -> None:
    """No policy accepts an escaped dot segment, and a clipped target cannot be tried."""
    summary = summary_of(*hits(b"/a/%2e%2e/b", b"/a%00/" + b"x" * 500))
    suggestion = summary.suggestion
    assert suggestion.clauses == []
    assert (suggestion.people, suggestion.tried, suggestion.passing) == (2, 1, 0)
    assert not suggestion.is_exact
    assert "accepts about 0. This is an estimate: it was tried on 1 of them and accepts 0 of those." in told(
        summary
    )


def test_the_suggestion_is_tried_with_the_scanned_policy() -> None:
    policy = Policy.STANDARD.rejecting(Kind.PATH_PARAMETER)
    suggestion = summary_of(*hits(b"/a;b"), policy=policy).suggestion
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
