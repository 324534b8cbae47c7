"""The tally: exact counts of bounded size, with the verdicts of the middleware."""

from __future__ import annotations

import io
import pickle

import pytest

from _http.test_redirect import MERGED
from adapters import WSGI
from differential.targets import PRESETS
from postel import LATIN, Accepted, Action, Component, Kind, Normalizer, Policy, Rejected, Target
from postel.scan import Entry, Fields, JsonLines, Tally, count_stream
from postel.scan._agents import agent_class
from postel.scan._counting import route_of
from postel.scan._judging import Judge
from scan.lines import BROWSER, PROGRAM, SITE, caddy, combined
from scan.targets import HOSTILE_TARGETS

PATH, QUERY = Component.PATH, Component.QUERY


def tally_of(*lines: bytes, policy: Policy = Policy.STANDARD) -> Tally:
    return count_stream(io.BytesIO(b"\n".join(lines)), policy)


NORMALIZERS = {name.lower(): Normalizer(preset) for name, preset in PRESETS.items()}
POLICIES = {
    **PRESETS,
    "exempting": Policy.STANDARD.preserving(Kind.ENCODED_SLASH).allowing(
        Kind.ILL_FORMED_UTF8, names=["legacy"]
    ),
    "naming": Policy.STANDARD.rejecting(Kind.RAW_BRACKET, names=["q"]).rejecting(
        Kind.DUPLICATE_NAME, names=["a"]
    ),
    "accepting": Policy.STANDARD.accepting(LATIN, names=["q"]),
    "limiting": Policy.STANDARD.limiting(octets=20),
    "noting": Policy.LENIENT.reporting(Kind.DUPLICATE_NAME),
}


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_a_target_is_counted_by_the_verdict_of_the_normalizer(policy: Policy) -> None:
    """The tally of a target holds what the normalizer finds."""
    normalizer = Normalizer(policy)
    judge = Judge(policy)
    for target in HOSTILE_TARGETS:
        path, _, query = target.partition(b"?")
        outcome = normalizer.normalize(Target(path, query))
        for _ in range(2):  # The second time, the verdict comes from the cache.
            verdict = judge.judge(Entry(None, b"GET", target, 200))
            noted = dict(verdict.found) if verdict else {}
            assert {(place, action) for place, actions in noted.items() for action in actions} == {
                ((each.kind, each.component), each.action) for each in outcome.findings
            }
            refused = verdict.refused if verdict else ()
            assert ("policy" in refused) == isinstance(outcome, Rejected)
            for name, alone in NORMALIZERS.items():
                assert (name in refused) == isinstance(alone.normalize(Target(path, query)), Rejected)


@pytest.mark.parametrize("policy", PRESETS)
def test_a_tally_counts_redirects_like_the_middleware(policy: str) -> None:
    through = WSGI.behind(PRESETS[policy])
    judge = Judge(PRESETS[policy])
    targets = [target for target, _ in MERGED] + HOSTILE_TARGETS
    redirected = 0
    for target in targets:
        if not target.startswith(b"/") or b"#" in target:  # Servers handle these in different ways.
            continue
        status = through.serve(WSGI.request_of(target)).status
        verdict = judge.judge(Entry(None, b"GET", target, 200))
        assert (verdict is not None and "policy" in verdict.redirected) == (status == 308), target
        redirected += status == 308
    assert (redirected > 5) is (policy != "LENIENT")


def test_only_get_and_head_are_redirected() -> None:
    def counted(method: bytes) -> tuple[int, int]:
        tally = tally_of(combined(b"/a//b", method=method))
        return tally.redirected["policy"], tally.refused["policy"]

    assert {method: counted(method) for method in (b"GET", b"HEAD", b"POST", b"OPTIONS")} == {
        **dict.fromkeys((b"GET", b"HEAD"), (1, 0)),
        **dict.fromkeys((b"POST", b"OPTIONS"), (0, 1)),
    }
    unknown = count_stream(io.BytesIO(b'{"t": "/a//b"}'), format_=JsonLines(Fields(target="t")))
    assert unknown.refused["policy"] == 1  # A redirect is not certain without a method.


def test_edited_and_refused_requests_are_counted() -> None:
    tally = tally_of(combined(b"/a?q=50%+off"), combined(b"/a%00?q=50%"), combined(b"/wiki/C%23"))
    assert (tally.edited, tally.refused["policy"], tally.clean) == (1, 1, 0)
    assert dict(tally.changes) == {("edited", "/a"): 1, ("refused", "/*"): 1}


def test_a_row_counts_the_requests_with_a_kind() -> None:
    tally = tally_of(
        combined(b"/a%00", client=b"192.0.2.1", status=404, agent=PROGRAM),
        combined(b"/b%00%00?q=50%", client=b"192.0.2.2", referer=SITE),
        combined(b"/c", client=b"192.0.2.3"),
        combined(b"/b%00", client=b"192.0.2.2", agent=b"-").replace(b'" 200 ', b'" - '),
    )
    row = tally.rows[Kind.NUL, PATH]
    assert (tally.requests, tally.clean, tally.clients.distinct) == (4, 1, 3)
    assert tally.refused == {"policy": 3, "strict": 3, "standard": 3, "lenient": 3}
    assert tally.would_refuse["lenient", Kind.NUL, PATH] == 3
    assert tally.would_refuse["strict", Kind.MALFORMED_ESCAPE, QUERY] == 1
    assert (row.requests, row.clients.distinct) == (3, 2)
    assert (row.referred, row.with_status, row.served) == (1, 2, 1)
    assert row.actions == {Action.REJECT: 3}
    assert row.agents == {"scanner": 1, "browser": 1, "none": 1}
    assert sorted(excerpt.target for excerpt, _ in row.excerpts) == [b"/a%00", b"/b%00", b"/b%00%00?q=50%"]
    assert tally.rows[Kind.MALFORMED_ESCAPE, QUERY].actions == {Action.REPAIR: 1}


def test_a_request_with_two_actions_counts_once() -> None:
    policy = Policy.STANDARD.allowing(Kind.NUL, names=["a"]).dropping_pairs(Kind.NUL, names=["b"])
    row = tally_of(combined(b"/?b=%00&c=%00"), policy=policy).rows[Kind.NUL, QUERY]
    assert (row.requests, row.actions) == (1, {Action.DROP_PAIR: 1, Action.REJECT: 1})


def test_only_options_may_ask_for_the_whole_server() -> None:
    assert tally_of(combined(b"*", method=b"OPTIONS")).clean == 1
    assert tally_of(combined(b"*")).refused["lenient"] == 1


def test_a_whole_url_is_judged_with_its_host() -> None:
    here, elsewhere = caddy("http://example.com/a"), caddy("http://example.org/a")
    tally = tally_of(here, elsewhere, here)
    assert (tally.requests, tally.refused["standard"]) == (3, 1)


def test_tallies_of_different_policies_cannot_be_added() -> None:
    with pytest.raises(ValueError, match="'standard' and 'lenient'"):
        Tally() + Tally(Policy.LENIENT)
    with pytest.raises(TypeError):
        Tally() + 1  # a tally can only be added to a tally
    assert Tally() != 1
    assert Tally().row((Kind.NUL, PATH)) != 1


@pytest.mark.parametrize(
    ("path", "route"),
    [
        (b"/", "/"),
        (b"", "/"),
        (b"/search", "/search"),
        (b"/users/4711/edit", "/users/*/edit"),
        (b"/a/b/c/d/e", "/a/b/c/..."),
        (b"/item/550e8400-e29b-41d4-a716-446655440000", "/item/*"),
        (b"/units/kg%2Fs", "/units/*"),
        (b"//admin", "//admin"),
        (b"/caf\xc3\xa9", "/*"),
        (b"/" + b"x" * 33, "/*"),
        (b"http://example.com/a", "/*"),
        (b"no/slash", "/*"),
    ],
)
def test_a_path_is_counted_under_its_route(path: bytes, route: str) -> None:
    assert route_of(path) == route


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        (BROWSER, "browser"),
        (
            b"Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML) "
            b"Version/19.0 Mobile/15E148 Safari/604.1",
            "browser",
        ),
        (b"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "crawler"),
        (
            b"Mozilla/5.0 (X11; Linux) AppleWebKit/537.36 (compatible; bingbot/2.0) Chrome/1 Safari/1",
            "crawler",
        ),
        (b"Mozilla/5.0 zgrab/0.x", "scanner"),
        (b"sqlmap/1.9#stable (https://sqlmap.org)", "scanner"),
        (b"Fuzz Faster U Fool v2.1.0-dev", "scanner"),
        (b"Mozilla/5.0 [en] (X11, U; OpenVAS-VT 21.9)", "scanner"),
        (b"httpx - Open-source project (github.com/projectdiscovery/httpx)", "scanner"),
        (b"python-httpx/0.28.1", "program"),
        (b"BarcodeScanner/2.1 (iPhone; iOS 19)", "program"),
        (b"python-requests/2.32", "program"),
        (b"-", "none"),
        (b"", "none"),
    ],
)
def test_an_agent_is_classified(agent: bytes, expected: str) -> None:
    assert agent_class(agent) == expected


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three times the distinct lines, clients and targets give a tally of about the same size."""
    monkeypatch.setattr("postel.scan._tally.CLIENTS", 512)
    sizes = [
        len(
            pickle.dumps(
                tally_of(
                    *(
                        combined(
                            b"/x/%d%%00/" % number + b"y" * 200, client=b"c%d" % number, agent=b"a%d" % number
                        )
                        for number in range(count)
                    )
                )
            )
        )
        for count in (1_500, 4_500)
    ]
    assert sizes[1] < 1.05 * sizes[0]
    assert isinstance(Normalizer().normalize(Target(b"/x")), Accepted)


def test_the_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        combined(b"/x/%d%%0%d" % (number % 40, number % 10), client=b"c%d" % (number % 30))
        for number in range(100)
    ]
    whole = tally_of(*lines)
    monkeypatch.setattr("postel.scan._counting._KNOWN", 7)
    monkeypatch.setattr("postel.scan._judging._KNOWN", 7)
    assert tally_of(*lines) == whole
    assert whole.clients.distinct == 30
