"""``check``: verdicts, findings with carets, and advice that works."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from _http.test_redirect import MERGED
from adapters import WSGI
from laws.strategies import PATH_PIECES, PRESETS, QUERY_PIECES
from postel import Accepted, Action, Finding, Kind, Normalizer, Policy
from postel._alphabet.printable import printable_octets
from postel._normalizer.advice import Adviser, is_closed
from postel.cli._console import Printer
from postel.cli._judgement import Judgement
from postel.cli._url import Url
from terminal import run

POLICIES = {
    **PRESETS,
    "narrow": Policy.parse(
        "standard limit.octets=40 limit.segments=3 limit.pairs=3 limit.name=6 limit.value=9 limit.depth=1 "
        'accept@query[q]=ascii duplicate-name=reject not-nfc=report nul@query["tags[]"]=drop'
    ),
}
NORMALIZERS = {name: Normalizer(policy) for name, policy in POLICIES.items()}
ADVISERS = {name: Adviser(policy) for name, policy in POLICIES.items()}
names = st.sampled_from(list(POLICIES))
urls = st.builds(
    lambda front, path, query: front + b"".join(path) + b"".join(query),
    st.sampled_from([b"/", b"/", b"", b"http://example.com/", b"https://h", b"http://h\\"]),
    st.lists(st.sampled_from(PATH_PIECES), max_size=6),
    st.lists(st.sampled_from([b"?", b"?q=", b"&a=", b"&long-name=", *QUERY_PIECES]), max_size=8),
)


def checked(*argv: str, given: bytes = b"") -> list[Any]:
    return [json.loads(line) for line in run("check", "--json", *argv, given=given).out.splitlines()]


@pytest.mark.parametrize(
    ("url", "path", "query"),
    [
        (b"/a?b?c", b"/a", b"b?c"),
        (b"/a", b"/a", b""),
        (b"/a?", b"/a", b""),
        (b"", b"", b""),
        (b"?q", b"", b"q"),
        (b"/a#b?c", b"/a#b", b"c"),
        (b"http://h/a?b#c?d", b"/a", b"b"),
        (b"http://h", b"/", b""),
        (b"http://h?q", b"/", b"q"),
        (b"http://u:p@h:80/a", b"/a", b""),
        (b"http://h\\a", b"\\a", b""),
        (b"http:/h/a", b"http:/h/a", b""),
        (b"//h/a", b"//h/a", b""),
    ],
)
def test_the_part_of_a_url_that_is_sent(url: bytes, path: bytes, query: bytes) -> None:
    target = Url.of(url).target
    assert (target.path, target.query) == (path, query)


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["/"], 0),
        (["/?q=1", "/a%zz"], 1),
        (["/a%zz", "/?q=1"], 1),
        (["/a%2Fb"], 1),
        (["--policy", "lenient", "/a%2Fb"], 0),
        (["--policy", "standard encoded-slash=preserve", "/a%2Fb"], 0),
        (["--policy", "strict", "/?q=a+b"], 0),
        (["--policy", "strict spelling=reject", "/?q=a+b"], 1),
    ],
)
def test_the_exit_code_is_the_verdict(argv: list[str], code: int) -> None:
    assert run("check", *argv).code == code
    assert run("check", "--json", *argv).code == code


def test_lines_are_judged_one_by_one() -> None:
    ended = run("check", given=b"/a\r\n/\xff\n\n")
    assert ended.code == 1
    assert 'accepted: /a\n  policy  standard\n  path    "/a"\n  target  /a\n\n' in ended.out
    assert " --> line 2, path, octet 1\n  |\n  | /\\xff\n  |  ^^^^ out-of-range\n" in ended.out
    assert " --> line 3, path, octet 0\n  |\n  | \n  | ^\n" in ended.out
    assert ended.err == ""


def test_a_refusal_for_length_has_its_own_status() -> None:
    [told] = checked("/" + "a" * 9000)
    assert told["status"] == 414
    assert [each["clause"] for each in told["findings"][0]["advice"]] == ["limit.octets=16384"]
    shown = run("check", "/" + "a" * 9000).out
    assert max(map(len, shown.splitlines())) < 200
    assert "  answer  414\n" in shown


def test_many_findings_and_pairs_are_cut_short_for_people() -> None:
    ended = run("check", "/?" + "&".join(["a=%zz"] * 40))
    assert ended.out.count("repair[malformed-escape]") == 32
    assert "  and more findings, which are not listed\n" in ended.out
    assert ended.out.count("  pair  ") == 16
    assert "  and 24 more pairs\n" in ended.out
    [told] = checked("/?" + "&".join(["a=%zz"] * 40))
    assert (told["truncated"], len(told["reads"]["pairs"])) == (True, 40)


def test_json_has_everything_that_an_application_reads() -> None:
    [told] = checked("--policy", "standard ill-formed-utf8@query=allow", "/%C3%A9/x%20y?q=%FF%C3%84&r")
    assert told["reads"] == {
        "path": "/é/x y",
        "segments": ["é", "x y"],
        "pairs": [["q", "\N{REPLACEMENT CHARACTER}Ä"], ["r", ""]],
        "target": "/%C3%A9/x%20y?q=%FF%C3%84&r",
    }


def test_json_has_octets_as_latin_1() -> None:
    [told] = checked(given=b"/\xc3\xa9?\xffa=\xff")
    assert told["received"] == "/Ã©?\xffa=\xff"
    assert {each["excerpt"] for each in told["findings"]} == {"Ã©", "\xff"}


def advice_on(url: str, kind: Kind, policy: str = "standard") -> list[str]:
    [told] = checked("--policy", policy, url)
    return [
        each["clause"] for found in told["findings"] if found["kind"] == kind.slug for each in found["advice"]
    ]


ADVICE = [
    pytest.param("/a%2Fb", Kind.ENCODED_SLASH, ["encoded-slash=preserve"], id="path only"),
    pytest.param("/..%2Fb", Kind.ENCODED_SLASH, [], id="a dot segment would appear"),
    pytest.param("/..%2Fb?q=%C0%AF", Kind.ENCODED_SLASH, [], id="the same if the query is refused, too"),
    pytest.param(
        "/%00?a=%u0000",
        Kind.UNICODE_ESCAPE,
        ["unicode-escape@query[a]=allow", "unicode-escape@query[a]=drop-pair"],
        id="a NUL would appear in the query, and the path is refused",
    ),
    pytest.param(
        "/a/../b",
        Kind.DOT_SEGMENT,
        ["dot-segment=allow", "dot-segment=repair"],
        id="a dot segment that can be resolved",
    ),
    pytest.param("/../b", Kind.DOT_SEGMENT, ["dot-segment=allow"], id="above the root"),
    pytest.param("/?q=%00", Kind.NUL, ["nul@query[q]=allow", "nul@query[q]=drop-pair"], id="by name"),
    pytest.param(
        "/?a%20b=%00", Kind.NUL, ['nul@query["a b"]=allow', 'nul@query["a b"]=drop-pair'], id="a quoted name"
    ),
    pytest.param(
        "/?%C3%A9=%00",
        Kind.NUL,
        [r'nul@query["\u{E9}"]=allow', r'nul@query["\u{E9}"]=drop-pair'],
        id="a name beyond ASCII",
    ),
    pytest.param(
        "/?*=%00", Kind.NUL, ["nul@query=allow", "nul@query=drop-pair"], id="a name that would be a pattern"
    ),
    pytest.param("/?=%00", Kind.NUL, ["nul@query=allow", "nul@query=drop-pair"], id="no name"),
    pytest.param("/?a;=%00", Kind.NUL, ["nul@query=allow", "nul@query=drop-pair"], id="a faulty name"),
    pytest.param(f"/?{'n' * 64}=%00", Kind.NUL, ["nul@query=allow", "nul@query=drop-pair"], id="a long name"),
    pytest.param("/%00", Kind.NUL, ["nul@path=allow", "nul@path=replace"], id="in a path"),
    pytest.param(
        "/?q=%zz", Kind.MALFORMED_ESCAPE, ["malformed-escape@query[q]=allow"], id="an edit of the preset"
    ),
    pytest.param("/?=x", Kind.EMPTY_NAME, ["empty-name@query=allow"], id="a report of the preset"),
    pytest.param("/%2e%2e", Kind.ENCODED_DOT_SEGMENT, [], id="no policy accepts it"),
    pytest.param("a", Kind.MISSING_SLASH, [], id="no policy accepts it, without an excerpt"),
    pytest.param("/a#b", Kind.FRAGMENT, ["fragment@path=repair"], id="only an edit accepts it"),
    pytest.param(
        "/?q=caf%E9",
        Kind.ILL_FORMED_UTF8,
        ["charset[q]=windows-1252", "ill-formed-utf8@query[q]=allow"],
        id="a charset in place of an edit that loses text",
    ),
    pytest.param(
        "/?a%20b=caf%E9",
        Kind.ILL_FORMED_UTF8,
        ['charset["a b"]=windows-1252', 'ill-formed-utf8@query["a b"]=allow'],
        id="a charset of a quoted name",
    ),
    pytest.param(
        "/?q=%C4",
        Kind.ILL_FORMED_UTF8,
        ["ill-formed-utf8@query[q]=allow", "ill-formed-utf8@query[q]=drop"],
        id="no charset, because the guess is not certain",
    ),
    pytest.param(
        "/?*=caf%E9",
        Kind.ILL_FORMED_UTF8,
        ["ill-formed-utf8@query=allow", "ill-formed-utf8@query=drop"],
        id="no charset for a name that would be a pattern",
    ),
    pytest.param(
        "/caf%E9", Kind.ILL_FORMED_UTF8, ["ill-formed-utf8@path=replace"], id="no charset for a path"
    ),
]


@pytest.mark.parametrize(("url", "kind", "clauses"), ADVICE)
def test_the_clauses_that_are_advised_for_a_finding(url: str, kind: Kind, clauses: list[str]) -> None:
    assert advice_on(url, kind) == clauses


@pytest.mark.parametrize(
    ("url", "kind", "escapes"),
    [
        ("/a%2Fb", Kind.ENCODED_SLASH, "%2F for such a slash"),
        ("/a%3Bb", Kind.ENCODED_DELIMITER, "%3F, %23 or %3B for such a delimiter"),
    ],
)
def test_the_guarantee_for_an_escape_that_is_kept(url: str, kind: Kind, escapes: str) -> None:
    [told] = checked("--policy", f"strict {kind.slug}=reject", url)
    [guarantee] = [
        each["guarantee"]
        for each in told["findings"][0]["advice"]
        if each["clause"] == f"{kind.slug}=preserve"
    ]
    assert guarantee == (
        f"The application expects {escapes} in the decoded path, %25 for every percent sign, "
        "and decodes each segment once."
    )


@pytest.mark.parametrize(
    ("url", "is_logged"), [(r"/caf\xC3\xA9", True), (r"/a\xray", False), (r"/a\b", False)]
)
def test_an_octet_as_logs_write_it_is_recognised(url: str, is_logged: bool) -> None:
    note = r"  = in a log, \xC3 stands for one octet; printf writes it: printf '\xC3' | postel check"
    assert (note in run("check", url).out) is is_logged


@pytest.mark.parametrize(
    ("url", "where"), [("/a%00.png", "path"), ("/a%0A", "path"), ("/?q=a%00", "query"), ("/?q=a%0A", "")]
)
def test_what_only_attacks_and_broken_links_have_is_marked(url: str, where: str) -> None:
    text = run("check", url).out
    assert ("only attacks and broken links have this in a" in text) is bool(where)
    assert f"only attacks and broken links have this in a {where}" in text or not where


def test_a_rule_for_a_name_gets_advice_for_that_name() -> None:
    policy = "standard foreign-reference@query[next,to*]=reject"
    wanted = ["foreign-reference@query[next]=allow", "foreign-reference@query[next]=drop-pair"]
    assert advice_on("/?next=//evil", Kind.FOREIGN_REFERENCE, policy) == wanted
    assert advice_on("/?to*=//evil", Kind.FOREIGN_REFERENCE, policy) == []


def test_a_value_in_an_older_charset_is_shown_decoded() -> None:
    ended = run("check", "--policy", "standard charset[q]=windows-1252", "/s?q=%C4rzteblatt")
    assert ended.code == 0
    assert "read as windows-1252" in ended.out
    assert "policy: read in the charset of this parameter, and handed on in UTF-8" in ended.out
    assert 'pair    "q" = "Ärzteblatt"' in ended.out


LIMITS = [
    ("/a/b/c", Kind.TOO_MANY_SEGMENTS, "limit.segments=2", ["limit.segments=4"]),
    ("/?a&b&c", Kind.TOO_MANY_PAIRS, "limit.pairs=2", ["limit.pairs=4"]),
    ("/?name=1", Kind.LONG_NAME, "limit.name=1", ["limit.name=4"]),
    ("/?a=value", Kind.LONG_VALUE, "limit.value=1", ["limit.value=8"]),
    ("/?a[b][c]=1", Kind.TOO_DEEP, "limit.depth=1", ["limit.depth=2"]),
    ("/?a=bcdef", Kind.TOO_LONG, "limit.octets=2", ["limit.octets=8"]),
    ("/?a=bcdef", Kind.TOO_LONG, "limit.octets=2 limit.value=2", ["limit.octets=8 limit.value=8"]),
    ("/a/%2e%2e", Kind.TOO_LONG, "limit.octets=3", []),
]


@pytest.mark.parametrize(("url", "kind", "limit", "clauses"), LIMITS)
def test_the_clauses_that_are_advised_for_a_limit(
    url: str, kind: Kind, limit: str, clauses: list[str]
) -> None:
    assert advice_on(url, kind, f"standard {limit}") == clauses


@pytest.mark.parametrize(
    ("url", "note"),
    [("/%2e%2e", "no policy accepts it"), ("/..%2Fb", "no single policy clause accepts it")],
)
def test_a_finding_without_advice_says_so(url: str, note: str) -> None:
    assert f"  = {note}\n" in run("check", url).out


def test_kinds_that_no_policy_accepts_are_always_rejected() -> None:
    closed = {kind for kind in Kind if is_closed(kind)}
    assert Kind.ENCODED_DOT_SEGMENT in closed
    assert Kind.TOO_LONG not in closed
    assert all(
        Policy.LENIENT.action(kind, component) is Action.REJECT
        for kind in closed
        for component in kind.check.presets
    )


def counts_for_less(finding: Finding, url: Url, policy: Policy) -> bool:
    later = Normalizer(policy).examine(url.target).findings
    return not any(
        other.kind is finding.kind
        and other.component is finding.component
        and other.offset == finding.offset
        and other.action.rank >= finding.action.rank
        for other in later
    )


# Each example compiles a policy for every piece of advice.
@settings(max_examples=max(15, settings().max_examples // 4))
@given(names, urls)
def test_advised_clauses_remove_the_finding(name: str, octets: bytes) -> None:
    url = Url.of(octets)
    outcome = NORMALIZERS[name].examine(url.target)
    for finding, pieces in zip(outcome.findings, ADVISERS[name].advise(url.target, outcome), strict=True):
        for each in pieces:
            policy = Policy.parse(f"{POLICIES[name]} {each.clause}")
            assert counts_for_less(finding, url, policy), (finding, each)


def judgement(name: str, octets: bytes) -> Judgement:
    url = Url.of(octets)
    outcome = NORMALIZERS[name].normalize(url.target)
    return Judgement(url, str(POLICIES[name]), outcome, ADVISERS[name].advise(url.target, outcome))


@given(names, urls)
def test_carets_are_under_exactly_the_octets_of_the_finding(name: str, octets: bytes) -> None:
    judged = judgement(name, octets)
    lines = list(judged.lines("", Printer(None)))
    marked = [
        above[begin : begin + carets]
        for above, below in itertools.pairwise(lines)
        for mark in [re.match(r"(  \| *)(\^+)", below)]
        if mark
        for begin, carets in [(mark.end(1), len(mark[2]))]
    ]
    findings = sorted(judged.outcome.findings, key=judged.url.place_of)
    for finding, text in zip(findings, marked, strict=True):
        begin = judged.url.place_of(finding)
        assert octets[begin : begin + len(finding.excerpt)] == finding.excerpt
        if finding.excerpt:
            assert text == "".join(printable_octets(finding.excerpt))
        else:
            assert len(text) <= 1


@given(names, urls)
def test_what_is_printed_is_bounded_and_printable(name: str, octets: bytes) -> None:
    for line in judgement(name, octets).lines("line 1", Printer(None)):
        assert line.isprintable()
        assert len(line) < 400


@given(names, urls)
def test_text_and_json_give_the_normalizers_verdict(name: str, octets: bytes) -> None:
    judged = judgement(name, octets)
    accepted = isinstance(judged.outcome, Accepted)
    told = json.loads(json.dumps(judged.as_json()))
    assert told["accepted"] is accepted
    assert told["received"].encode("latin-1") == octets
    assert (told["reads"] is not None) is accepted
    assert (told["status"] in {400, 414}) is not accepted
    [verdict] = [line for line in judged.lines("", Printer(None)) if re.match("accepted|refused", line)]
    assert verdict.startswith("accepted") is accepted


def test_octets_are_read_unchanged() -> None:
    octets = bytes(range(256)).replace(b"\n", b"").replace(b"\r", b"")
    [line] = checked(given=octets)
    [argument] = checked("--", octets.decode("utf-8", "surrogateescape"))
    assert line["received"].encode("latin-1") == argument["received"].encode("latin-1") == octets


@pytest.mark.parametrize("policy", PRESETS)
def test_check_says_where_a_request_is_redirected_to(policy: str) -> None:
    """The middleware redirects there."""
    through = WSGI.behind(PRESETS[policy])
    targets = [target for target, _ in MERGED if target.startswith(b"/")]
    lines = checked("--policy", policy, given=b"\n".join(targets))
    for target, told in zip(targets, lines, strict=True):
        answer = through.serve(WSGI.request_of(target))
        assert told["redirect"] == dict(answer.headers).get("location"), target


def test_a_redirect_is_a_line_of_the_answer() -> None:
    lines = run("check", "/a//b?q=1").out.splitlines()
    assert lines[-2:] == ["  answer  400", "          308 to /a/b?q=1 for GET and HEAD"]
    assert run("check", "/a/https://b").out.splitlines()[-1] == "  answer  400"


@pytest.mark.parametrize("line", ["GET /a%2Fb HTTP/1.1", "GET /a%2Fb"])
def test_a_request_line_is_recognised(line: str) -> None:
    assert "  = did you mean /a%2Fb?" in run("check", line).out.splitlines()
