"""Every target on every server: one verdict, nothing that was not sent, and no error in a log.

If a server shows the target as sent, and a path that is this target decoded once, the result must equal that
of the normalizer. Otherwise the application receives what it would have routed on without postel, or nothing.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest

from postel import Accepted
from postel._alphabet.percent import percent_decode
from servers.configurations import CONFIGURATIONS
from servers.matrix import POLICIES, Run, run
from servers.views import Shown, kinds_of, path_of, raw_of

pytestmark = pytest.mark.servers

GARBLING = {"werkzeug", "werkzeug, DispatcherMiddleware"}
"""Servers that encode bare octets twice, under every key."""
ERROR = re.compile(r"(?i)\b(?:error|exception|traceback|critical|fatal|alert|emerg|warn(?:ing)?)\b")
OF_LOAD = re.compile(r"waitress\.queue|spawning up to")


@pytest.fixture(
    scope="module", params=CONFIGURATIONS, ids=lambda each: f"{each.name}, {each.protocol}".replace("/", " ")
)
def asked(request: pytest.FixtureRequest) -> Run:
    return run(request.param)


@pytest.fixture(params=POLICIES)
def policy(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def shown(asked: Run) -> list[Shown]:
    return [Shown(asked, sample) for sample in asked.samples]


def test_most_targets_reach_the_application(asked: Run) -> None:
    """Otherwise this file would test nothing."""
    assert len(asked.samples) >= 150
    refused = [reply.status for (stack, _), reply in asked.replies.items() if not reply.reached]
    assert set(refused) <= {0, 400, 404, 414, 502}
    assert Counter(stack for stack, _ in asked.replies)["STANDARD"] == len(asked.samples)


def test_the_application_or_postel_answers_every_request(asked: Run, policy: str) -> None:
    for sample in asked.samples:
        reply = asked.of(policy, sample)
        assert reply.report is not None, (sample, reply)
        assert reply.status == (200 if reply.view else 400), sample
        assert (reply.view is None) == (reply.report["target"] is None), sample


def test_the_verdict_and_the_text_equal_the_normalizers(asked: Run, policy: str) -> None:
    for each in shown(asked):
        if not each.faithful:
            continue
        reply, expected = asked.of(policy, each.sample), each.expected(policy)
        assert reply.report is not None
        assert (reply.view is None) == (not isinstance(expected, Accepted)), each.sample
        found = {(it.kind.slug, it.component.value, it.action.value) for it in expected.findings}
        assert kinds_of(reply) == found, each.sample
        if isinstance(expected, Accepted):
            assert reply.report["target"] == {
                "path": expected.target.path.decode(),
                "text": expected.target.path_text,
                "query": expected.target.query.decode(),
                "pairs": [list(pair) for pair in expected.target.pairs],
            }, each.sample


def test_if_views_differ_the_sent_target_is_judged_too(asked: Run, policy: str) -> None:
    for each in shown(asked):
        if not each.verbatim or each.faithful:
            continue
        reply, expected = asked.of(policy, each.sample), each.expected(policy)
        found = {(it.kind.slug, it.component.value) for it in expected.findings}
        assert {(kind, component) for kind, component, _ in kinds_of(reply)} >= found, each.sample
        assert reply.view is None or isinstance(expected, Accepted), each.sample


def test_the_application_receives_the_routed_path_or_its_documented_repair(asked: Run, policy: str) -> None:
    for each in shown(asked):
        reply = asked.of(policy, each.sample)
        if reply.view is None:
            continue
        bare, given = path_of(asked.configuration, each.bare), path_of(asked.configuration, reply)
        if bare == given or (policy == "LENIENT" and bare == percent_decode(given)):
            continue
        edits = [
            found for found in kinds_of(reply) if found[1] == "path" and found[2] in {"repair", "preserve"}
        ]
        assert edits, (each.sample, bare, given)
        outcomes = (each.expected(policy), each.seen(policy))
        repaired = [each.mount + it.target.path_octets for it in outcomes if isinstance(it, Accepted)]
        assert given in repaired, (each.sample, bare, given)


def test_all_views_agree(asked: Run, policy: str) -> None:
    wsgi = asked.configuration.protocol == "wsgi"
    for sample in asked.samples:
        reply = asked.of(policy, sample)
        if reply.view is None:
            continue
        assert reply.view["stale"] == {}
        target = (reply.report or {})["target"]
        assert reply.view["query"] == target["query"]
        query = f"?{target['query']}" if target["query"] else ""
        raw = raw_of(asked.configuration, reply)
        if raw is None:
            assert wsgi
            assert reply.view["path"].encode("latin-1").decode() == target["text"]
            continue
        whole = raw.partition(b"?")[0]
        assert raw.decode().endswith(target["path"] + query), sample
        path = path_of(asked.configuration, reply)
        assert percent_decode(whole) in {path, policy == "LENIENT" and percent_decode(path)}, sample
        assert path.decode().endswith(target["text"])


def test_nothing_arrives_that_the_client_did_not_send(asked: Run, policy: str) -> None:
    for sample in asked.samples:
        reply = asked.of(policy, sample)
        if reply.view is None or asked.configuration.name in GARBLING:
            continue
        sent = percent_decode(sample.octets)
        path = path_of(asked.configuration, reply)
        assert path.decode().isprintable() or not path.decode().isascii()
        for octets in re.findall(rb"[\x80-\xff]+|\0+", path):
            assert octets in sent, sample
        for pair in (reply.report or {})["target"]["pairs"]:
            for text in pair:
                assert "\ufffd" not in text or "\ufffd".encode() in sent, sample
                assert "\0" not in text or b"\0" in sent, sample
                for mojibake in ("\u00c3\u00a9", "\u00c3\u0084", "\u00e2\u0082"):
                    assert mojibake not in text, sample


def test_hidden_kinds_are_named(asked: Run) -> None:
    """Everything that STRICT would find in the sent octets is in the report, or named as hidden."""
    for each in shown(asked):
        reply = asked.of("STRICT", each.sample)
        assert reply.report is not None
        assert reply.report["verbatim"] or not each.verbatim, each.sample
        if not reply.report["blind"]:
            assert reply.report["verbatim"], each.sample
            assert each.raw is not None, each.sample
            continue
        assert each.missed <= set(reply.report["blind"]), each.sample


def test_no_server_logs_an_error(asked: Run) -> None:
    lines = [line for line in asked.said.splitlines() if ERROR.search(line) and not OF_LOAD.search(line)]
    assert lines == []
