"""The catalogue, row by row:

its fields, the faults that it detects, and that every action works as described.

Rows that need another test are named below, with the reason.
"""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import pytest

from postel import (
    LATIN,
    Accepted,
    Action,
    Component,
    Finding,
    Kind,
    Normalizer,
    Policy,
    PolicyError,
    Rejected,
    Target,
)
from postel._alphabet.percent import percent_decode
from postel._alphabet.printable import quoted_octets
from postel._catalogue.cells import actions, by_component, characters, octets, presets
from postel._catalogue.check import Check, Family, Repair
from postel._catalogue.completeness import require_complete
from postel._catalogue.kinds import not_a_kind
from postel._normalizer.engine import Engine
from postel._normalizer.findings import Collector
from postel._normalizer.routes import RoutedNormalizer
from postel._normalizer.source_map import Mapped
from postel._policy.rules import COMPONENTS
from together import together

PATH, QUERY, FORM, HOST, *_ = Component
ALLOW, REPORT, REPAIR, PRESERVE, REPLACE, DROP, DROP_PAIR, REJECT = Action
BY_SETTING: Final = (Component.COOKIE, Component.LOCATION)
"""Components whose actions a setting of the middleware chooses, instead of a policy."""
PRESETS: Final = {"strict": Policy.STRICT, "standard": Policy.STANDARD, "lenient": Policy.LENIENT}
METHODS: Final[dict[Action, Callable[..., Policy]]] = {
    ALLOW: Policy.allowing,
    REPORT: Policy.reporting,
    REPAIR: Policy.repairing,
    PRESERVE: Policy.preserving,
    REPLACE: Policy.replacing,
    DROP: Policy.dropping,
    DROP_PAIR: Policy.dropping_pairs,
    REJECT: Policy.rejecting,
}

# -- rows that cannot be tested like the others --------------------------------------------------------------

NOT_IN_A_TARGET: Final = frozenset(
    kind
    for kind in Kind
    if kind.check.family in {Family.FIELD, Family.MESSAGE}
    or {*kind.check.components}.isdisjoint({PATH, QUERY, FORM, Component.JSON})
)
"""Kinds of faults that are not in a target. They are tested with the modules that ``found_by`` names."""
BY_PATTERN: Final = {Family.TARGET, Family.CHARACTER, Family.SEGMENT, Family.WRITING}
BEHIND_A_POLICY: Final = {
    Kind.OUTSIDE_ACCEPTED_RANGE: "no character is outside of the range until a policy sets one",
    Kind.LONG_SEGMENT: "by default a segment may be as long as the path",
    Kind.LONG_VALUE: "by default the limit of the query is reached before the limit of a value",
}


def _ready(policy: Policy, kind: Kind) -> Policy:
    """Return the policy with the settings without which the kind is never found."""
    if kind is Kind.OUTSIDE_ACCEPTED_RANGE:
        return policy.accepting(LATIN)
    if kind is Kind.LONG_SEGMENT:
        return policy.limiting(segment=255)
    return policy.limiting(octets=10_000) if kind is Kind.LONG_VALUE else policy


# -- one component judged by itself --------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """The outcome for one component: its octets, if it is accepted, and the findings."""

    octets: bytes | None
    findings: tuple[Finding, ...]

    def of(self, kind: Kind) -> list[Finding]:
        return [finding for finding in self.findings if finding.kind is kind]


@cache
def _normalizer(policy: Policy) -> Normalizer:
    return Normalizer(policy)


@cache
def _engine(policy: Policy, component: Component) -> Engine:
    return Engine(policy, component)


def _target(component: Component, received: bytes) -> Target:
    return Target(received) if component is PATH else Target(query=received)


def judge(policy: Policy, component: Component, received: bytes) -> Verdict:
    """Judge a component by its rules. Only the normalizer judges its length."""
    if len(received) >= policy.limits.octets and component is not FORM:
        return judge_whole(policy, component, received)
    collector, mapped, engine = (
        Collector(policy.limits),
        Mapped(received, component),
        _engine(policy, component),
    )
    detected = engine.judge(mapped, collector)
    edited = None if collector.rejected else engine.edit(mapped, detected, collector)
    return Verdict(edited.octets if edited else None, tuple(collector.findings))


def judge_whole(policy: Policy, component: Component, received: bytes) -> Verdict:
    """Judge with a whole normalizer. This is slow for many policies, because each must be compiled."""
    outcome = _normalizer(policy).examine(_target(component, received))
    if isinstance(outcome, Rejected):
        return Verdict(None, outcome.findings)
    return Verdict(outcome.target.path if component is PATH else outcome.target.query, outcome.findings)


def _set(policy: Policy, kind: Kind, component: Component, action: Action) -> Policy:
    return METHODS[action](policy, kind, on=component)


def _quiet() -> Policy:
    """Return a policy that edits as little as possible, so that a change is due to the kind under test."""
    policy = Policy.STRICT
    for kind in Kind:
        for component, supported in kind.check.actions.items():
            for action in (ALLOW, REPORT, PRESERVE):
                if action in supported and component in COMPONENTS:
                    policy = _set(policy, kind, component, action)
                    break
    return policy


QUIET: Final = _quiet()

CELLS: Final = [
    pytest.param(kind, component, id=f"{kind.slug}@{component.value}")
    for kind in Kind
    for component in kind.check.components
    if kind not in NOT_IN_A_TARGET and component is not Component.JSON
]
ACTIONS: Final = [
    pytest.param(kind, component, action, id=f"{kind.slug}@{component.value}={action.value}")
    for kind in Kind
    for component in kind.check.components
    if kind not in NOT_IN_A_TARGET and component is not Component.JSON
    for action in Action
    if action in kind.check.actions[component]
]


# -- what a row says -----------------------------------------------------------------------------------------

KINDS: Final = together("kind", Kind, ids=lambda kind: kind.slug)


@KINDS
def test_a_slug_is_the_name_of_the_member_in_kebab_case(kind: Kind) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", kind.slug)
    assert Kind.of(kind.slug) is kind
    assert repr(kind) == f"Kind.{kind.name}"


def test_slugs_are_unique_and_indexes_are_the_order() -> None:
    assert len({kind.slug for kind in Kind}) == len(Kind)
    assert [kind.index for kind in Kind] == list(range(len(Kind)))


@KINDS
def test_the_components_of_a_row_belong_together(kind: Kind) -> None:
    check = kind.check
    assert set(check.components) <= {*COMPONENTS, *BY_SETTING}, "policies do not cover other components"
    for alone in (HOST, Component.HEADERS, *BY_SETTING):
        assert set(check.components) == {alone} or alone not in check.components, "the only component"
    assert Component.REFERER not in check.components, "Referer has no kind of its own"


@KINDS
def test_a_row_supports_refusing(kind: Kind) -> None:
    for component in kind.check.components:
        assert REJECT in kind.check.actions[component], component
        assert (DROP_PAIR in kind.check.actions[component]) <= (component in {QUERY, FORM, Component.COOKIE})
        assert (PRESERVE in kind.check.actions[component]) <= (component is PATH)


@pytest.mark.parametrize("slug", ["", "no-such-kind", "nul ", "encoded slash"])
def test_unknown_slugs_raise(slug: str) -> None:
    with pytest.raises(PolicyError, match=f"^there is no kind {slug!r}; "):
        Kind.of(slug)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param("nul", Kind.NUL, id="a slug"),
        pytest.param("ENCODED_SLASH", Kind.ENCODED_SLASH, id="a name"),
        pytest.param("encodedslash", Kind.ENCODED_SLASH, id="a slug without its hyphen"),
        pytest.param("semi-colon", Kind.SEMICOLON, id="a slug with an extra hyphen"),
        pytest.param("dotsegments", Kind.DOT_SEGMENT, id="plural"),
    ],
)
def test_the_nearest_kind_is_suggested(text: str, kind: Kind) -> None:
    assert not_a_kind(text) == f"{text!r} is not a Kind; write {kind!r}"


@pytest.mark.parametrize("text", ["", "?", "x" * 10_000], ids=["nothing", "a question mark", "a long text"])
def test_without_a_similar_kind_there_is_an_example(text: str) -> None:
    assert not_a_kind(text).endswith("; name kinds one by one, such as Kind.NUL, Kind.TAB")


def test_a_kind_keeps_its_identity_when_copied_or_pickled() -> None:
    for kind in Kind:
        assert copy.deepcopy(kind) is kind
        assert pickle.loads(pickle.dumps(kind)) is kind  # noqa: S301 - our own octets


def test_a_finding_survives_pickling() -> None:
    # A log record that is sent to another process holds a finding.
    finding = Finding(Kind.NUL, QUERY, 2, b"%00", REJECT, "q")
    assert pickle.loads(pickle.dumps(finding)) == finding  # noqa: S301 - our own octets


# -- a row that contradicts itself cannot be made ------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param(
            {"example": octets(path=b"/%00")}, "Kind.NUL: example must have the same components as presets",
            id="a missing example",
        ),
        pytest.param(
            {"near_miss": octets(path=b"/", pairs=b"q", host=b"h")},
            "Kind.NUL: near_miss must have the same components as presets", id="an extra near miss",
        ),
        pytest.param(
            {"actions": actions(pairs="allow reject")},
            "Kind.NUL: actions must have the same components as presets", id="missing actions",
        ),
        pytest.param(
            {
                "presets": presets(
                    path="reject reject preserve", pairs="reject reject reject", json="reject reject reject"
                )
            },
            "Kind.NUL: a preset uses {<Action.PRESERVE: 'preserve'>}, which actions does not list",
            id="a preset with an unlisted action",
        ),
        pytest.param(
            {"repair": Repair(summary="gone")},
            "Kind.NUL: give a repair if actions list REPAIR, and only then",
            id="a repair that actions do not list",
        ),
        pytest.param(
            {"patterns": octets(path=b"%00")},
            "Kind.NUL: give patterns and text both, or neither", id="no pattern for text",
        ),
        pytest.param(
            {"bare": characters(path="\0\u00e9", pairs="\0")},
            "Kind.NUL: bare and escaped must have the same characters beyond ASCII",
            id="a character that is faulty only if bare",
        ),
        pytest.param(
            {"actions": actions(path="repair reject", pairs="repair reject drop-pair", json="report reject")},
            "Kind.NUL: give a repair if actions list REPAIR, and only then", id="a missing repair",
        ),
    ],
)  # fmt: skip
def test_a_contradictory_row_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        require_complete(replace(Kind.NUL.check, **changes), "NUL")


def test_cells_have_a_component_or_two() -> None:
    assert list(by_component({"path": 1, "pairs": 2})) == [(PATH, 1), (QUERY, 2), (FORM, 2)]
    assert characters(path="ab", pairs=LATIN)[PATH].text() == "ab"
    with pytest.raises(ValueError, match="'paths' is not a valid Component"):
        octets(paths=b"/")
    with pytest.raises(ValueError, match="'mend' is not a valid Action"):
        actions(path="mend")


def test_a_row_is_immutable() -> None:
    check = Kind.NUL.check
    with pytest.raises(AttributeError):
        check.slug = "zero"  # The assignment must fail.
    with pytest.raises(TypeError):
        check.presets[PATH] = (ALLOW, ALLOW, ALLOW)  # This must fail as well.


def test_a_row_without_characters_or_patterns_has_no_pattern() -> None:
    assert Kind.TOO_LONG.check.pattern(PATH) is None
    assert Kind.NUL.check.pattern(HOST) is None


@KINDS
def test_character_and_segment_kinds_have_a_pattern_for_each_component(kind: Kind) -> None:
    for component in kind.check.components:
        pattern = kind.check.pattern(component)
        if kind.check.family not in BY_PATTERN or component is Component.JSON:
            continue
        assert pattern is not None
        assert kind.check.family in {Family.TARGET, Family.SEGMENT} or not re.match(pattern, b"")


# -- the example fires, the near miss does not ---------------------------------------------------------------


@together(("kind", "component"), CELLS)
@together("preset", PRESETS)
def test_the_example_fires_and_the_near_miss_does_not(preset: str, kind: Kind, component: Component) -> None:
    policy = _ready(PRESETS[preset], kind)
    check = kind.check
    if policy.action(kind, component) is ALLOW:
        policy = _set(policy, kind, component, REPORT)
    action = policy.action(kind, component)
    fired = judge(policy, component, check.example[component])
    assert [finding.action for finding in fired.of(kind)][:1] == [action]
    if REPORT in check.actions[component]:
        noted = judge(_set(policy, kind, component, REPORT), component, check.example[component])
        assert [finding.action for finding in noted.of(kind)][:1] == [REPORT]
        missed = judge(_set(policy, kind, component, REPORT), component, check.near_miss[component])
        assert missed.of(kind) == []
    missed = judge(policy, component, check.near_miss[component])
    assert missed.of(kind) == []


@together(("kind", "component"), CELLS)
def test_a_finding_points_at_the_example(kind: Kind, component: Component) -> None:
    received = kind.check.example[component]
    verdict = judge(_set(_ready(QUIET, kind), kind, component, REJECT), component, received)
    for finding in verdict.of(kind):
        assert finding.component is component
        assert received[finding.offset : finding.offset + len(finding.excerpt)] == finding.excerpt
        place = f"{kind.slug} in {component.value} at {finding.offset}"
        assert str(finding).removeprefix(place).startswith(': "' if finding.excerpt else (" (", ", of "))
        assert str(finding).isascii()
        assert str(finding).isprintable()


@together(("kind", "component"), [param for param in CELLS if param.values[1] is not FORM])
@together("preset", PRESETS)
def test_the_normalizer_and_its_proof_agree_with_the_component(
    preset: str, kind: Kind, component: Component
) -> None:
    policy = _ready(PRESETS[preset], kind)
    normalizer = _normalizer(policy)
    for received in (kind.check.example[component], kind.check.near_miss[component]):
        assert judge_whole(policy, component, received) == judge(policy, component, received)
        target = _target(component, received)
        slow = normalizer.examine(target)
        assert normalizer.normalize(target) == slow
        if normalizer.is_clean(target.path, target.query):
            assert isinstance(slow, Accepted)
            assert slow.findings == ()
            assert (slow.target.path, slow.target.query) == (target.path, target.query)
            assert slow.target.path_octets == target.path_octets


# -- every action keeps its promise --------------------------------------------------------------------------


@together(("kind", "component", "action"), ACTIONS)
@together("preset", [*PRESETS, "quiet"])
def test_an_action_has_its_documented_effect(
    preset: str, kind: Kind, component: Component, action: Action
) -> None:
    base = QUIET if preset == "quiet" else PRESETS[preset]
    policy = _set(_ready(base, kind), kind, component, action)
    received = kind.check.example[component]
    verdict = judge(policy, component, received)
    noted = [finding.action for finding in verdict.of(kind)]
    if action is ALLOW:
        assert noted == []
    elif action is REJECT:
        assert REJECT in noted
        assert verdict.octets is None
    else:
        assert action in noted
    if verdict.octets is None:
        assert any(finding.action is REJECT for finding in verdict.findings)
        return
    if preset == "quiet" and action in {ALLOW, REPORT, PRESERVE}:
        assert verdict.octets == received
    again = judge(policy, component, verdict.octets)
    assert again.octets == verdict.octets
    assert {finding.action for finding in again.findings} <= {REPORT, PRESERVE}
    if action.edits and action is not PRESERVE:
        assert again.of(kind) == []


# The result of REPAIR for the example of each row, without other edits.
REPAIRED: Final = {
    (Kind.ABSOLUTE_FORM, PATH): b"/a",
    (Kind.FRAGMENT, PATH): b"/admin",
    (Kind.FRAGMENT, QUERY): b"q=1",
    (Kind.UNICODE_ESCAPE, PATH): b"/caf%C3%A9",
    (Kind.UNICODE_ESCAPE, QUERY): b"q=caf%C3%A9",
    (Kind.MALFORMED_ESCAPE, PATH): b"/50%25zz",
    (Kind.MALFORMED_ESCAPE, QUERY): b"q=50%25+off",
    (Kind.ILLEGAL_CHARACTER, PATH): b"/a%7Bb%7D",
    (Kind.ILLEGAL_CHARACTER, QUERY): b"q=a%7Cb",
    (Kind.RAW_BRACKET, QUERY): b"tags%5B%5D=1",
    (Kind.ENCODED_SLASH, PATH): b"/admin/panel",
    (Kind.BACKSLASH, PATH): b"/a/b",
    (Kind.ENCODED_BACKSLASH, PATH): b"/a/b",
    (Kind.SEMICOLON, QUERY): b"a=1%3Bb=2",
    (Kind.DOT_SEGMENT, PATH): b"/admin",
    (Kind.LEADING_SLASHES, PATH): b"/admin",
    (Kind.EMPTY_SEGMENT, PATH): b"/a/b",
    (Kind.PATH_PARAMETER, PATH): b"/admin/panel",
    (Kind.EMPTY_PAIR, QUERY): b"a=1",
    (Kind.DUPLICATE_NAME, QUERY): b"a=1",
    (Kind.NOT_NFC, PATH): b"/caf%C3%A9",
    (Kind.NOT_NFC, QUERY): b"q=caf%C3%A9",
    (Kind.RAW_NON_ASCII, PATH): b"/caf%C3%A9",
    (Kind.RAW_NON_ASCII, QUERY): b"q=%C3%A9",
    (Kind.SPELLING, PATH): b"/~user",
    (Kind.SPELLING, QUERY): b"q=%C3%A4",
}


def test_every_repair_is_in_the_table() -> None:
    assert REPAIRED.keys() == {
        (kind, component)
        for kind in Kind
        for component in (PATH, QUERY)
        if REPAIR in kind.check.actions.get(component, ())
    }


@pytest.mark.parametrize(
    ("kind", "component", "repaired"),
    [
        pytest.param(kind, component, repaired, id=f"{kind.slug}@{component.value}")
        for (kind, where), repaired in REPAIRED.items()
        for component in ((where, FORM) if where is QUERY and FORM in kind.check.presets else (where,))
    ],
)
def test_repair_has_the_documented_result(kind: Kind, component: Component, repaired: bytes) -> None:
    policy = _set(QUIET, kind, component, REPAIR)
    assert judge(policy, component, kind.check.example[component]).octets == repaired


def _faulty(kind: Kind, component: Component, text: str) -> set[str]:
    """Return the characters of a text that belong to a kind; for ill-formed octets, their surrogates."""
    check = kind.check
    if kind is Kind.ILL_FORMED_UTF8:
        return {character for character in text if "\ud800" <= character <= "\udfff"}
    return {character for character in text if character in check.escaped[component]}


def _with_action(action: Action) -> list[Any]:
    return [param for param in ACTIONS if param.values[2] is action]


@pytest.mark.parametrize(("kind", "component", "action"), _with_action(REPLACE))
def test_replace_writes_the_replacement_character_for_the_fault(
    kind: Kind, component: Component, action: Action
) -> None:
    policy = _set(QUIET, kind, component, action)
    received = kind.check.example[component]
    decoded = percent_decode(received)
    faulty = _faulty(kind, component, decoded.decode(errors="surrogateescape"))
    expected = "".join("\ufffd" if c in faulty else c for c in decoded.decode(errors="replace"))
    repaired = judge(policy, component, received).octets
    assert repaired is not None
    assert percent_decode(repaired).decode() == expected


@pytest.mark.parametrize(("kind", "component", "action"), _with_action(DROP))
def test_drop_removes_faults_at_the_ends_and_never_joins_the_rest(
    kind: Kind, component: Component, action: Action
) -> None:
    policy = _set(QUIET, kind, component, action)
    received = kind.check.example[component]
    text = percent_decode(received).decode(errors="surrogateescape")
    faulty = _faulty(kind, component, text)
    front, value = ("/", text[1:]) if component is PATH else ("q=", text[2:])
    stripped = value.strip("".join(faulty))
    repaired = judge(policy, component, received).octets
    if set(stripped) & faulty:
        assert repaired == (None if component is PATH else b"")
    else:
        assert repaired is not None
        assert percent_decode(repaired).decode() == front + stripped


@pytest.mark.parametrize(("kind", "component", "action"), _with_action(DROP_PAIR))
def test_drop_pair_removes_only_the_whole_pair(kind: Kind, component: Component, action: Action) -> None:
    policy = _set(_ready(QUIET, kind), kind, component, action)
    example = kind.check.example[component]
    for front, behind, left in [
        (b"", b"", b""),
        (b"x=1&", b"", b"x=1"),
        (b"", b"&y=2", b"y=2"),
        (b"x=1&", b"&y=2", b"x=1&y=2"),
        (b"x=1&&", b"&&y=2", b"x=1&&&y=2"),
        (example + b"&", b"&" + example, b""),
        (b"x=1&" + example + b"&", b"", b"x=1"),
    ]:
        assert judge(policy, component, front + example + behind).octets == left


@pytest.mark.parametrize(("kind", "component", "action"), _with_action(PRESERVE))
def test_preserve_keeps_the_escape_in_the_decoded_view(
    kind: Kind, component: Component, action: Action
) -> None:
    target = Target(kind.check.example[component])
    outcome = Normalizer(_set(QUIET, kind, component, action)).normalize(target)
    assert isinstance(outcome, Accepted)
    escape = re.search(rb"%[0-9A-Fa-f]{2}", target.path)
    assert escape is not None
    assert escape[0].upper() in outcome.target.path_octets
    assert percent_decode(escape[0]) not in outcome.target.path_octets.replace(escape[0].upper(), b"")[1:]


# -- rows whose faults are not in a target -------------------------------------------------------------------


def test_the_list_of_exceptions_is_current() -> None:
    seen = {param.values[0] for param in CELLS}
    assert seen | NOT_IN_A_TARGET == set(Kind)
    assert not seen & NOT_IN_A_TARGET
    for kind in BEHIND_A_POLICY:
        component = QUERY if QUERY in kind.check.presets else PATH
        verdict = judge(Policy.STANDARD, component, kind.check.example[component])
        assert verdict.of(kind) == []


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("prefix", "why"),
    [
        pytest.param(b"/sub", None, id="clean"),
        pytest.param(b"/sub/deep", None, id="two segments"),
        pytest.param("/ä".encode(), None, id="text"),
        pytest.param(b"/a b", None, id="a space is data"),
        pytest.param(b"/..", "dot-segment", id="a dot segment"),
        pytest.param(b"/a/../b", "dot-segment", id="a dot segment inside"),
        pytest.param(b"//evil", "leading-slashes", id="two slashes"),
        pytest.param(b"/\xff", "ill-formed-utf8", id="ill-formed"),
        pytest.param(b"/\0", "nul", id="nul"),
        pytest.param(b"sub", "missing-slash", id="no slash in front"),
        pytest.param(b"/sub/", "it ends in a slash", id="a slash at the end"),
        pytest.param(b"/", "it ends in a slash", id="a slash alone"),
    ],
)
def test_a_malformed_prefix_is_refused(preset: str, prefix: bytes, why: str | None) -> None:
    outcome = Normalizer(PRESETS[preset]).normalize(Target(b"/a", prefix=prefix))
    if why is None:
        assert isinstance(outcome, Accepted)
        return
    assert isinstance(outcome, Rejected)
    assert [(finding.kind, finding.detail, finding.action) for finding in outcome.findings] == [
        (Kind.PREFIX_MISMATCH, why, REJECT)
    ]


def test_a_prefix_may_hold_reported_faults() -> None:
    target = Target(b"/a", prefix=b"/\xc2\x85")
    assert Normalizer(Policy.STANDARD).normalize(target) == Accepted(target)
    assert isinstance(Normalizer(Policy.STRICT).normalize(target), Rejected)


def test_a_prefix_may_precede_an_empty_path() -> None:
    for prefix in (b"/sub", b"/sub/"):
        outcome = Normalizer(Policy.STRICT).normalize(Target(b"", prefix=prefix))
        assert outcome == Accepted(Target(b"", prefix=prefix))
    assert isinstance(Normalizer(Policy.STRICT).normalize(Target(b"")), Rejected)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_repair_into_another_route_is_refused(preset: str) -> None:
    check = Kind.ROUTE_MISMATCH.check
    policy = PRESETS[preset].repairing(Kind.DOT_SEGMENT)
    routed = RoutedNormalizer(policy, {"/route": policy})
    outcome = routed.normalize(Target(check.example[PATH]))
    assert isinstance(outcome, Rejected)
    assert [finding.kind for finding in outcome.findings if finding.action is REJECT] == [Kind.ROUTE_MISMATCH]
    near = routed.normalize(Target(check.near_miss[PATH]))
    assert isinstance(near, Accepted)
    assert near.findings == ()


def test_a_target_is_not_judged_for_the_views_of_a_request() -> None:
    for component, received in Kind.VIEWS_DISAGREE.check.example.items():
        assert judge(Policy.STRICT, component, received).findings == ()


def test_policies_do_not_apply_to_the_host_of_a_target() -> None:
    with pytest.raises(PolicyError):
        Policy.STANDARD.allowing(Kind.NUL, on=HOST)


# -- faults of a row that its example does not show ----------------------------------------------------------

# Each row: a kind, more octets that belong to it, and octets that do not.
MORE: Final = [
    pytest.param(
        Kind.DELIMITER_LOOKALIKE,
        [b"/%E2%84%80", b"/%E2%84%85", b"/%EF%B8%B0", b"/%EF%BC%9F", b"/%EF%BC%8F", "/\uff1f".encode()],
        [b"/%E2%84%82", b"/%EF%B8%B1", b"/%EF%BC%A0"],
        id="characters that NFKC turns into a delimiter or a dot",
    ),
    pytest.param(
        Kind.DEVICE_NAME,
        [
            b"/C:/x",
            b"/c:",
            b"/%43:/x",
            b"/C%3A/x",
            b"/a/C:/x",
            b"/index.php::$DATA",
            b"/a::%24data/b",
            b"/a::$INDEX_ALLOCATION",
        ],
        [b"/CC:/x", b"/1:/x", b"/index.php:$DATA", b"/a::b", b"/a/b:c", b"/http://h"],
        id="drives and streams",
    ),
]


@pytest.mark.parametrize(("kind", "firing", "missing"), MORE)
def test_more_faults_that_a_row_covers(kind: Kind, firing: list[bytes], missing: list[bytes]) -> None:
    policy = _set(QUIET, kind, PATH, REPORT)
    for received in firing:
        assert judge(policy, PATH, received).of(kind), received
        assert not Normalizer(policy).is_clean(received)
    for received in missing:
        assert judge(policy, PATH, received).of(kind) == [], received


# -- text ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("received", "text"),
    [
        pytest.param(b"", '""', id="nothing"),
        pytest.param(b"a b", '"a b"', id="printable"),
        pytest.param(b'"', r'"\x22"', id="a quotation mark"),
        pytest.param(b"\\", r'"\x5c"', id="a backslash"),
        pytest.param(b"\r\n\0\x1b\x7f", r'"\x0d\x0a\x00\x1b\x7f"', id="controls"),
        pytest.param("ä".encode(), r'"\xc3\xa4"', id="beyond ASCII"),
    ],
)
def test_quoted_octets_are_printable_ascii(received: bytes, text: str) -> None:
    assert quoted_octets(received) == text


def test_every_octet_is_quoted_unambiguously_as_printable_ascii() -> None:
    quotations = {quoted_octets(bytes([octet])) for octet in range(256)}
    assert len(quotations) == 256
    assert all(text.isascii() and text.isprintable() for text in quotations)


def test_the_catalogue_holds_checks() -> None:
    assert all(isinstance(kind.value, Check) for kind in Kind)
