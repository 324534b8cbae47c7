"""Pairs that are dropped at once before a repair give the same result as in two stages."""

from __future__ import annotations

import random
from typing import Final, Literal

import pytest

from _normalizer.mixtures import edited, mixtures
from postel import (
    ASCII,
    LATIN,
    Accepted,
    Action,
    Characters,
    Component,
    Forms,
    Kind,
    Normalizer,
    Policy,
    PolicyError,
    Rejected,
    Target,
)
from postel._alphabet.steps import Steps
from postel._bodies.urlencoded import FormRules
from postel._normalizer.detected import Detected
from postel._normalizer.engine import Engine
from postel._normalizer.findings import Collector
from postel._normalizer.pair_stages import PairStages
from postel._normalizer.source_map import Mapped

PIECES: Final = [
    *(b"&", b"&", b"&a=", b"&b=", b"=", b"a", b"b", b"%", b"%%", b"%4", b"1", b";", b" ", b"+", b"[", b"|"),
    *(b"%C4", b"\xc4", b"%FF", b"\xff", b"%7F", b"\x7f", b"%00", b"%09", b"%0A", b"%0D", b"%0D%0A", b"\xa4"),
    *(b"%u0041", b"%u0000", b"%uD83D", b"%uDE00", b"%E2%80%AE", b"\xe2\x80\xa8", b"%C3%A4", b"\xc3\xa4"),
    *(b"%EF%BF%BE", b"%7e", b"%c3%b6", b"e%CC%81", b"//x", b"https:", b"&utm_a=", b"&gclid="),
    *(b"&e%CC%81=", b"&\xc3\xa9", b"&%C3%A9=", b"%CC%81", b"\xcc\xb8", b"%3C", b"%CD%BE", b"%25%34%31"),
    *(b"&a%u0062=", b"&ab=", b"&a%7Fb="),
]
NAMED: Final = [
    *(
        b"&a%u0062=",
        b"&ab=",
        b"&a%7Fb=",
        b"&ae%CC%81=",
        b"&a\xc3\xa9=",
        b"&b=",
        b"&b%7F=",
        b"%",
        b"1",
        b"%7F",
    ),
]
"""Names that a repair may make equal."""
KINDS: Final = {
    component: [kind for kind in Kind if component in kind.check.actions]
    for component in (Component.QUERY, Component.FORM)
}
OFTEN: Final = [
    *(Kind.DUPLICATE_NAME, Kind.EMPTY_PAIR, Kind.ILL_FORMED_UTF8, Kind.LONE_NEWLINE, Kind.CONTROL),
    *(Kind.UNICODE_ESCAPE, Kind.DUPLICATE_NAME),
]
NAMES: Final = [["a"], ["b"], ["*1"], ["a*"], ["*"], ["utm_*", "a"]]
EDITS: Final = [Action.DROP, Action.DROP_PAIR, Action.REPAIR, Action.REPLACE, Action.REPORT]


def _of_names(component: Component) -> list[Policy]:
    """Return policies under which a repair gives a name another form than in other pairs."""
    base = Policy.LENIENT.repairing(Kind.DUPLICATE_NAME, on=component)
    policies: list[Policy] = []
    for composing in (base, base.repairing(Kind.NOT_NFC, on=component)):
        for kind, edit in ((Kind.UNICODE_ESCAPE, "repairing"), (Kind.CONTROL, "dropping")):
            reported = composing.reporting(kind, on=component)
            edited = getattr(composing, edit)(kind, on=component)
            policies += [getattr(reported, edit)(kind, names=["a*"], on=component)]
            policies += [edited.reporting(kind, names=["a*"], on=component)]
    return policies


def _policies(chance: random.Random, component: Component) -> list[Policy]:
    """Return presets, and policies with up to four other actions, for all pairs or for certain names."""
    policies = [Policy.LENIENT, Policy.STANDARD]
    while len(policies) < 60:
        policy = chance.choice(policies[:2])
        for _ in range(chance.randint(1, 4)):
            kind, action = chance.choice(chance.choice([KINDS[component], OFTEN])), chance.choice(EDITS)
            if kind.check.supports(action, component):
                word = {Action.DROP_PAIR: "dropping_pairs", Action.REPAIR: "repairing"}
                name = word.get(action) or {
                    Action.DROP: "dropping", Action.REPLACE: "replacing", Action.REPORT: "reporting",
                }[action]  # fmt: skip
                names = {"names": chance.choice(NAMES)} if chance.random() < 0.3 else {}
                try:
                    policy = getattr(policy, name)(kind, on=component, **names)
                except PolicyError:  # the kind has another rule beside this one
                    continue
        if chance.random() < 0.2:
            names = chance.choice([None, *NAMES])
            policy = policy.accepting(LATIN, on=component, names=names).dropping_pairs(
                Kind.OUTSIDE_ACCEPTED_RANGE, on=component
            )
        elif chance.random() < 0.4:
            policy = policy.repairing(Kind.NOT_NFC, Kind.DUPLICATE_NAME, on=component)
        if chance.random() < 0.3:
            name, value, octets = chance.choices([4, 9, 30, 100], k=3)
            policy = policy.limiting(name=name, value=value, octets=10 * octets)
        policies.append(policy)
    return policies


@pytest.mark.no_cover
@pytest.mark.parametrize("of_names", [False, True], ids=["any policy", "repairs of names"])
@pytest.mark.parametrize("component", [Component.QUERY, Component.FORM])
@pytest.mark.parametrize("seed", range(3))
def test_dropping_pairs_at_once_changes_nothing(
    seed: int, component: Component, monkeypatch: pytest.MonkeyPatch, *, of_names: bool
) -> None:
    chance = random.Random(seed)  # noqa: S311 - inputs, no secrets
    shortcuts = 0
    taken = PairStages._at_once

    def counted(
        stages: PairStages, mapped: Mapped, detected: Detected, collector: Collector
    ) -> Steps[tuple[Mapped, bool] | None]:
        nonlocal shortcuts
        found = yield from taken(stages, mapped, detected, collector)
        shortcuts += found is not None
        return found

    policies = 8 * _of_names(component) if of_names else _policies(chance, component)
    for policy in policies:
        engine, slow = Engine(policy, component), Engine(policy, component)
        for octets in mixtures(chance, NAMED if of_names else PIECES, policy, component):
            with monkeypatch.context() as patch:
                patch.setattr(PairStages, "_at_once", counted)
                fast = edited(engine, octets, component)
                patch.setattr(PairStages, "_at_once", lambda *_: iter(()))
                assert edited(slow, octets, component) == fast, (str(policy), octets)
    assert shortcuts


@pytest.mark.parametrize("others", [0, 40], ids=["few findings", "many findings"])
@pytest.mark.parametrize("names", [["a*"], ["ab"]], ids=str)
def test_a_name_that_only_a_rule_decodes_is_repeated(names: list[str], others: int) -> None:
    policy = Policy.LENIENT.reporting(Kind.UNICODE_ESCAPE).repairing(Kind.DUPLICATE_NAME)
    policy = policy.repairing(Kind.UNICODE_ESCAPE, names=names)
    outcome = Normalizer(policy).normalize(Target(query=b"ab=1&a%u0062=2" + others * b"&z=%"))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"ab=1" + (b"&a%u0062=2" if names == ["ab"] else b"") + b"&z=%25" * (
        others > 0
    )


def test_a_name_that_is_equal_only_once_its_lines_are_ended_is_refused() -> None:
    policy = Policy.LENIENT.repairing(Kind.DUPLICATE_NAME, Kind.LONE_NEWLINE).allowing(Kind.NAME_LINE_BREAK)
    judged = FormRules(policy, Forms()).judge(b"&".join([*40 * [b"a%0A=<"], b"a%0D%0A=1", b"b=2"]))
    assert judged.octets is None
    last = judged.findings[-1]
    assert (last.kind, last.excerpt, last.detail) == (Kind.DUPLICATE_NAME, b"a%0D%0A", "after a repair")


def test_no_octet_is_dropped_from_a_name_that_drops_its_pair() -> None:
    policy = Policy.LENIENT.dropping_pairs(Kind.NOT_NFC).dropping(Kind.NUL).rejecting(Kind.TAB, names=["q"])
    outcome = Normalizer(policy).normalize(Target(query=b"ae%CC%81%00=1&b=2&c%00=3"))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"b=2&c=3"


@pytest.mark.parametrize("others", [0, 40], ids=["few findings", "many findings"])
def test_a_reference_that_a_repair_makes_local_is_kept(others: int) -> None:
    policy = Policy.LENIENT.replacing(Kind.ILL_FORMED_UTF8, Kind.CONTROL).repairing(Kind.NOT_NFC)
    policy = policy.dropping_pairs(Kind.FOREIGN_REFERENCE, names=["next"])
    outcome = Normalizer(policy).normalize(Target(query=b"next=%C3/e" + others * b"&a=%FF"))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"next=%EF%BF%BD/e" + others * b"&a=%EF%BF%BD"


@pytest.mark.parametrize("others", [0, 40], ids=["few findings", "many findings"])
def test_a_value_is_outside_the_range_of_a_name_that_only_a_repair_makes(others: int) -> None:
    policy = Policy.LENIENT.accepting(ASCII, names=["a*"])
    outcome = Normalizer(policy).normalize(Target(query=b"%FFa=%C3%A9&b=1" + others * b"&z=%"))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"b=1" + others * b"&z=%25"


BOTH: Final = (Component.QUERY, Component.FORM)
SAME: Final = Policy.LENIENT.repairing(Kind.DUPLICATE_NAME)
COMPOSED: Final = SAME.repairing(Kind.NOT_NFC)
ANY_NAME: Final = Policy.LENIENT.allowing(Kind.DUPLICATE_NAME)
ENDED: Final = SAME.allowing(Kind.LINE_BREAK, on=Component.FORM).repairing(
    Kind.LONE_NEWLINE, on=Component.FORM
)
STRAY: Final = b"&z=%zz"
HIDDEN: Final = b"&x=%E2%80%8Ba"
LONG: Final = 6 * b"%E0%A5%98"
"""Composed, it is twice as long."""


def _ruled(policy: Policy, kind: Kind, edit: Literal["dropping", "repairing"], name: str) -> Policy:
    """Report a kind, and edit it in the pairs of a name."""
    return getattr(policy.reporting(kind, on=BOTH), edit)(kind, on=BOTH, names=[name])


@pytest.mark.parametrize(
    ("policy", "octets", "other"),
    [
        pytest.param(_ruled(SAME, Kind.CONTROL, "dropping", "*"), b"a=1&a%01=2", b"&a", id="dropped"),
        pytest.param(_ruled(SAME, Kind.INVISIBLE, "dropping", "a*"), b"a=1&a%E2%80%8B=2", b"&a", id="hidden"),
        pytest.param(
            _ruled(SAME, Kind.UNICODE_ESCAPE, "repairing", "*"), b"a=1&%u0061=2", b"&a", id="decoded"
        ),
        pytest.param(
            _ruled(SAME, Kind.ILL_FORMED_UTF8, "dropping", "*"), b"a=1&a%FF=2", b"&a", id="ill-formed"
        ),
        pytest.param(
            ANY_NAME.accepting(LATIN, names=["q"], on=BOTH).rejecting(Kind.OUTSIDE_ACCEPTED_RANGE),
            *(b"q%E2%80%8B=%D0%96", HIDDEN),
            id="a range for the repaired name",
        ),
        pytest.param(
            ANY_NAME.dropping(Kind.NONCHARACTER).rejecting(Kind.FOREIGN_REFERENCE, names=["q"], on=BOTH),
            *(b"q=%EF%B7%90//evil.com", HIDDEN),
            id="a repaired reference",
        ),
        pytest.param(
            ANY_NAME.rejecting(Kind.EMPTY_PAIR), b"a=1&x=1&#x", HIDDEN, id="an empty pair after a cut"
        ),
        pytest.param(COMPOSED.reporting(Kind.MALFORMED_ESCAPE), b"a=e%CC%81", STRAY + b"#", id="not settled"),
        pytest.param(
            COMPOSED.limiting(octets=150), b"a=1&" + LONG + b"=1&" + LONG + b"=1", b"&x", id="too long"
        ),
        pytest.param(COMPOSED.limiting(value=20), b"a=1&a=" + LONG, b"&x", id="a long value"),
        pytest.param(COMPOSED, b"a=1&a=%FF%3D%CC%B8", b"&x", id="a sign that composes"),
        pytest.param(COMPOSED, b"a=1&a=%FFa" + 36 * b"%CC%81", b"&x", id="a long run of marks"),
        pytest.param(
            Policy.LENIENT.repairing(Kind.NOT_NFC),
            *(b"a=%EF%AC%AC" + 15 * b"%CD%84", STRAY),
            id="marks of the character before a run",
        ),
        pytest.param(ENDED.limiting(form_value=10), b"a=" + 8 * b"%0A", b"&x", id="lines that are too long"),
    ],
)
@pytest.mark.parametrize("component", BOTH)
def test_very_many_findings_change_no_verdict(
    policy: Policy, octets: bytes, other: bytes, component: Component, monkeypatch: pytest.MonkeyPatch
) -> None:
    for received in (octets + other, octets + 40 * other.removesuffix(b"#") + b"#" * other.endswith(b"#")):
        fast = edited(Engine(policy, component), received, component)
        if fast[0] is not None:
            assert edited(Engine(policy, component), fast[0], component)[0] == fast[0]
        with monkeypatch.context() as patch:
            patch.setattr(PairStages, "_at_once", lambda *_: iter(()))
            assert edited(Engine(policy, component), received, component) == fast


@pytest.mark.parametrize("others", [0, 40], ids=["few findings", "many findings"])
@pytest.mark.parametrize(
    ("kind", "back"),
    [
        (Kind.EMPTY_PAIR, b"&#x"),
        (Kind.FOREIGN_REFERENCE, b"&%01=//b#@:c"),
        (Kind.FOREIGN_REFERENCE, b"&z=//b#x"),
    ],
)
def test_a_fault_that_only_a_cut_makes_is_refused(kind: Kind, back: bytes, others: int) -> None:
    outcome = Normalizer(SAME.rejecting(kind)).normalize(Target(query=b"%01a=1" + others * b"&%01a" + back))
    assert isinstance(outcome, Rejected)
    assert outcome.findings[-1].kind is kind


@pytest.mark.parametrize("query", [b"a=1", b"a=1&b=2", b"a=1&b=%C3%A9"])
@pytest.mark.parametrize("fault", [b"\x7f", b"%zz\x7f", b"\xff%zz"])
def test_very_many_faults_in_a_fragment_drop_no_pair(query: bytes, fault: bytes) -> None:
    outcome = Normalizer(Policy.LENIENT).normalize(Target(query=query + b"#" + 40 * (fault + b"a")))
    assert isinstance(outcome, Accepted)
    assert outcome.truncated
    assert outcome.target.query == query


@pytest.mark.parametrize("back", [b"", b"#x"], ids=["no fragment", "a fragment"])
def test_text_is_composed_where_pairs_cannot_be_dropped_at_once(back: bytes) -> None:
    policy = Policy.LENIENT.repairing(Kind.NOT_NFC, Kind.DUPLICATE_NAME)
    policy = policy.reporting(Kind.MALFORMED_ESCAPE)
    query = b"z=%zz&" + b"&".join(b"a%d=%%E1%%BF%%AF" % number for number in range(40))
    outcome = Normalizer(policy).normalize(Target(query=query + back))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == query.replace(b"%E1%BF%AF", b"%60")


@pytest.mark.parametrize("others", [0, 40], ids=["few findings", "many findings"])
@pytest.mark.parametrize("text", [b"%FF%3C%CC%B8", b"%FF%3E%CC%81%CC%B8", b"%FF" + 31 * b"%CC%81"])
def test_a_repeated_name_does_not_hide_text_that_cannot_be_composed(text: bytes, others: int) -> None:
    policy = Policy.LENIENT.repairing(Kind.NOT_NFC, Kind.DUPLICATE_NAME)
    outcome = Normalizer(policy).normalize(Target(query=b"a=1&a=" + text + others * b"&z=%"))
    assert isinstance(outcome, Rejected)
    assert outcome.findings[-1].kind is Kind.NOT_NFC


@pytest.mark.parametrize("others", [0, 40], ids=["few findings", "many findings"])
@pytest.mark.parametrize("back", [b"", b"#x"], ids=["no fragment", "a fragment"])
@pytest.mark.parametrize(("keep", "kept"), [("first", b"%C3%A9=1"), ("last", b"%C3%A9=2")])
def test_names_that_composing_makes_equal_are_repeated(
    keep: Literal["first", "last"], kept: bytes, back: bytes, others: int
) -> None:
    policy = Policy.LENIENT.repairing(Kind.NOT_NFC, Kind.DUPLICATE_NAME).keeping(keep)
    query = "e\u0301=1&\u00e9=2".encode() + others * b"&z=%00" + back
    outcome = Normalizer(policy).normalize(Target(query=query))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == kept


@pytest.mark.parametrize("others", [0, 40], ids=["few findings", "many findings"])
@pytest.mark.parametrize("keep", ["first", "last"])
def test_of_two_values_that_composing_makes_too_long_the_first_is_found(
    keep: Literal["first", "last"], others: int
) -> None:
    policy = Policy.LENIENT.repairing(Kind.NOT_NFC, Kind.DUPLICATE_NAME).keeping(keep).limiting(value=8)
    value = 3 * "\u0344".encode()
    outcome = Normalizer(policy).normalize(Target(query=b"a=" + value + b"&a=" + value + others * b"&z=%00"))
    assert isinstance(outcome, Rejected)
    last = outcome.findings[-1]
    assert (last.kind, last.offset, last.excerpt) == (Kind.LONG_VALUE, 2, value)


@pytest.mark.parametrize("others", [0, 40], ids=["few findings", "many findings"])
def test_a_line_end_outside_the_accepted_range_is_refused(others: int) -> None:
    accepted = ASCII | Characters.of("\n")
    policy = Policy.LENIENT.repairing(Kind.LONE_NEWLINE).dropping_pairs(Kind.OUTSIDE_ACCEPTED_RANGE)
    policy = policy.accepting(accepted, on=Component.FORM)
    judged = FormRules(policy, Forms()).judge(b"a=%0Ax" + others * b"&z=%7F")
    assert judged.octets is None
    assert judged.findings[-1].kind is Kind.OUTSIDE_ACCEPTED_RANGE


def test_a_name_that_a_repair_repeats_is_found_after_a_cut() -> None:
    policy = Policy.LENIENT.dropping(Kind.NUL).repairing(Kind.DUPLICATE_NAME)
    outcome = Normalizer(policy).normalize(Target(query=b"a=1&a%00=2#x"))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"a=1"
    assert [each.kind for each in outcome.findings] == [Kind.NUL, Kind.FRAGMENT, Kind.DUPLICATE_NAME]


@pytest.mark.parametrize("beyond", [0, 1])
def test_a_dropped_pair_counts_for_the_length_with_its_ampersand(beyond: int) -> None:
    policy = Policy.LENIENT.repairing(Kind.NOT_NFC, Kind.DUPLICATE_NAME).limiting(octets=300)
    composed = 40 * (2 * 3 + 1)  # U+0958 decomposes to two characters of three octets each
    repeated = b"&a=" + (300 + beyond - composed - 5) * b"y"
    outcome = Normalizer(policy).normalize(Target(query=b"a=" + 40 * "\u0958x".encode() + repeated))
    assert outcome.truncated
    assert isinstance(outcome, Rejected if beyond else Accepted)
