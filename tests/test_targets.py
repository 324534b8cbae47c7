"""The list of targets is long, without duplicates, and covers every kind."""

from __future__ import annotations

from postel import Action, Component, Kind, Normalizer, Policy, Target
from targets import BY_NAME, HOST, SAMPLES

ELSEWHERE = {
    (Kind.VIEWS_DISAGREE, Component.PATH): "only a server can cause it",
    (Kind.VIEWS_DISAGREE, Component.QUERY): "only a server can cause it",
    (Kind.PREFIX_MISMATCH, Component.PATH): "it needs a prefix",
    (Kind.ROUTE_MISMATCH, Component.PATH): "it needs a route",
    (Kind.OUTSIDE_ACCEPTED_RANGE, Component.PATH): "it needs a special policy",
    (Kind.OUTSIDE_ACCEPTED_RANGE, Component.QUERY): "it needs a special policy",
    (Kind.NOT_NFC, Component.QUERY): "one target with it in the path is enough",
    (Kind.TOO_MANY_SEGMENTS, Component.PATH): "it depends only on a number",
    (Kind.LONG_SEGMENT, Component.PATH): "it needs a special policy",
    (Kind.TOO_MANY_PAIRS, Component.QUERY): "it depends only on a number",
    (Kind.LONG_NAME, Component.QUERY): "it depends only on a number",
    (Kind.LONG_VALUE, Component.QUERY): "it depends only on a number",
    (Kind.TOO_DEEP, Component.QUERY): "it depends only on a number",
}
"""The kinds that the list need not have, and why."""
READ = {Component.PATH, Component.QUERY}


def test_the_list_is_long_and_without_duplicates() -> None:
    assert len(SAMPLES) >= 150
    assert len({sample.octets for sample in SAMPLES}) == len(BY_NAME) == len(SAMPLES)
    assert all(sample.about and sample.octets for sample in SAMPLES)


def test_the_list_has_every_kind_that_a_target_can_show() -> None:
    watching = Policy.STANDARD
    for kind in Kind:
        for component in READ & set(kind.check.components):
            if Action.REPORT in kind.check.actions[component]:
                watching = watching.reporting(kind, on=component)
    normalizer = Normalizer(watching)
    found = {
        (finding.kind, finding.component)
        for sample in SAMPLES
        for finding in normalizer.examine(Target(sample.path, sample.query, host=HOST.encode())).findings
    }
    kinds = {(kind, each) for kind in Kind for each in kind.check.components if each in READ}
    assert kinds - found == ELSEWHERE.keys()
