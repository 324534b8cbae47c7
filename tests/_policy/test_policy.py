"""Policies: the presets, how calls compose, and the message for every policy that is invalid."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from typing import Any, Final

import pytest

from postel import (
    ASCII,
    LATIN,
    TRACKING_NAMES,
    Accepted,
    Action,
    Characters,
    Component,
    Kind,
    Limits,
    Normalizer,
    Policy,
    PolicyError,
    Rejected,
    Target,
)
from postel._policy.rules import COMPONENTS
from together import together

PATH, QUERY, FORM, HOST, COOKIE, *_ = Component
ALLOW, REPORT, REPAIR, PRESERVE, REPLACE, DROP, DROP_PAIR, REJECT = Action
RULED: Final = COMPONENTS
PRESETS: Final = {"STRICT": Policy.STRICT, "STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}


# -- the presets ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("column", "preset"), list(enumerate(PRESETS)), ids=PRESETS)
def test_a_preset_equals_its_column_of_the_catalogue(column: int, preset: str) -> None:
    policy = PRESETS[preset]
    for kind in Kind:
        for component in RULED:
            columns = kind.check.presets.get(component)
            expected = columns[column] if columns else ALLOW
            assert policy.action(kind, component) is expected, (kind, component)


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_have_rules_only_for_tracking_names(preset: str) -> None:
    policy = PRESETS[preset]
    assert policy.acceptances == ()
    assert policy.limits == Limits()
    rules = {(rule.kind, rule.component, rule.pattern.text, rule.action) for rule in policy.rules}
    tracking = {
        (Kind.ILL_FORMED_UTF8, component, name, DROP_PAIR)
        for component in (QUERY, FORM)
        for name in TRACKING_NAMES
    }
    assert rules == (tracking if preset == "STANDARD" else set())


def test_presets_edit_a_path_only_by_repair_and_preserve() -> None:
    for policy in PRESETS.values():
        assert not {policy.action(kind, PATH) for kind in Kind} & {REPLACE, DROP, DROP_PAIR}


@pytest.mark.parametrize(
    ("strict", "lax"), [("STRICT", "STANDARD"), ("STANDARD", "LENIENT")], ids=["strict", "standard"]
)
def test_a_stricter_preset_refuses_everything_that_a_laxer_one_refuses(strict: str, lax: str) -> None:
    for kind in Kind:
        for component in RULED:
            if PRESETS[lax].action(kind, component) is REJECT:
                assert PRESETS[strict].action(kind, component) is REJECT, (kind, component)


# -- a policy is a value -------------------------------------------------------------------------------------


def test_a_policy_is_immutable_and_hashable() -> None:
    policy = Policy.STANDARD.rejecting(Kind.SPELLING, names=["q"]).accepting(LATIN).limiting(pairs=5)
    same = Policy.STANDARD.rejecting(Kind.SPELLING, names=["q"]).accepting(LATIN).limiting(pairs=5)
    assert policy == same
    assert hash(policy) == hash(same)
    with pytest.raises(AttributeError):
        policy.limits = Limits()  # The assignment must fail.


def test_methods_do_not_change_the_policy() -> None:
    before = Policy.STANDARD
    table, rules = before.table, before.rules
    before.rejecting(Kind.SPELLING).rejecting(Kind.NUL, names=["q"]).accepting(ASCII).limiting(depth=1)
    before.charset("windows-1252", names=["q"])
    assert (before.table, before.rules, before.acceptances, before.charsets) == (table, rules, (), ())
    assert before.limits == Limits()


@pytest.mark.parametrize("policy", PRESETS.values(), ids=PRESETS)
def test_a_policy_survives_pickling(policy: Policy) -> None:
    policy = policy.accepting(LATIN, names=["q"]).charset("windows-1252", names=["q"])
    assert pickle.loads(pickle.dumps(policy)) == policy  # noqa: S301 - our own octets


# -- each method sets its action -----------------------------------------------------------------------------

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
CELLS: Final = [
    pytest.param(kind, component, action, id=f"{kind.slug}@{component.value}={action.value}")
    for kind in Kind
    for component in kind.check.components
    if component in RULED
    for action in Action
]


@together(("kind", "component", "action"), CELLS)
def test_a_method_sets_supported_actions_and_refuses_others(
    kind: Kind, component: Component, action: Action
) -> None:
    method = METHODS[action]
    supported = kind.check.actions[component]
    if action in supported:
        policy = method(Policy.STANDARD, kind, on=component)
        assert policy.action(kind, component) is action
        for other in RULED:
            if other is not component:
                assert policy.action(kind, other) is Policy.STANDARD.action(kind, other)
        return
    works = ", ".join(each.value for each in Action if each in supported)
    message = f"{kind.slug} cannot be set to {action.value} in {component.value}, only to {works}"
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        method(Policy.STANDARD, kind, on=component)


@together("kind", Kind, ids=lambda kind: kind.slug)
@together("action", Action, ids=lambda action: action.value)
def test_without_on_an_action_is_set_wherever_it_is_supported(kind: Kind, action: Action) -> None:
    able = {each for each in RULED if action in kind.check.actions.get(each, ())}
    if not able:
        lacking = f"{kind.slug} cannot be set to {action.value} in |policies do not cover {kind.slug}, "
        with pytest.raises(PolicyError, match=f"^(?:{lacking})"):
            METHODS[action](Policy.STANDARD, kind)
        return
    policy = METHODS[action](Policy.STANDARD, kind)
    for component in RULED:
        expected = action if component in able else Policy.STANDARD.action(kind, component)
        assert policy.action(kind, component) is expected


# -- composition: a later call replaces what it covers -------------------------------------------------------

CONTROL, NUL, SEMICOLON = Kind.CONTROL, Kind.NUL, Kind.SEMICOLON

# Each row: a policy, and its actions for kinds in components and, where named, in a pair.
COMPOSED: Final = [
    pytest.param(
        Policy.STANDARD.allowing(NUL).rejecting(NUL),
        [(NUL, PATH, None, REJECT), (NUL, QUERY, None, REJECT), (NUL, FORM, None, REJECT)],
        id="the later of two calls",
    ),
    pytest.param(
        Policy.STANDARD.dropping(NUL, CONTROL).reporting(CONTROL),
        [(NUL, QUERY, None, DROP), (CONTROL, QUERY, None, REPORT)],
        id="several kinds, one replaced",
    ),
    pytest.param(
        Policy.STANDARD.allowing(NUL, on=QUERY),
        [(NUL, PATH, None, REJECT), (NUL, QUERY, None, ALLOW), (NUL, FORM, None, REJECT)],
        id="on one component",
    ),
    pytest.param(
        Policy.STANDARD.allowing(NUL, on=[PATH, FORM]),
        [(NUL, PATH, None, ALLOW), (NUL, QUERY, None, REJECT), (NUL, FORM, None, ALLOW)],
        id="on two components",
    ),
    pytest.param(
        Policy.STANDARD.allowing(NUL, on=(each for each in (QUERY, FORM))),
        [(NUL, PATH, None, REJECT), (NUL, QUERY, None, ALLOW), (NUL, FORM, None, ALLOW)],
        id="on a generator of components",
    ),
    pytest.param(
        Policy.STANDARD.allowing(NUL, Kind.TAB, on=(each for each in (QUERY, FORM))),
        [
            (kind, where, None, ALLOW if where is not PATH else Policy.STANDARD.action(kind, where))
            for kind in (NUL, Kind.TAB)
            for where in (PATH, QUERY, FORM)
        ],
        id="two kinds on a generator of components",
    ),
    pytest.param(
        Policy.STANDARD.allowing(NUL, on=QUERY).rejecting(NUL, on=PATH),
        [(NUL, QUERY, None, ALLOW), (NUL, PATH, None, REJECT)],
        id="calls for different components",
    ),
    pytest.param(
        Policy.STANDARD.allowing(NUL, names=["q"]),
        [
            (NUL, QUERY, "q", ALLOW), (NUL, FORM, "q", ALLOW), (NUL, QUERY, "Q", REJECT),
            (NUL, QUERY, "qq", REJECT), (NUL, QUERY, None, REJECT), (NUL, PATH, "q", REJECT),
        ],
        id="by name, in queries and forms",
    ),
    pytest.param(
        Policy.STANDARD.allowing(NUL, names=["q", "utm_*"]),
        [(NUL, QUERY, "utm_source", ALLOW), (NUL, QUERY, "utm_", ALLOW), (NUL, QUERY, "utm", REJECT)],
        id="by pattern of names",
    ),
    pytest.param(
        Policy.STANDARD.allowing(NUL, on=QUERY, names=["q"]),
        [(NUL, QUERY, "q", ALLOW), (NUL, FORM, "q", REJECT)],
        id="by name in one component",
    ),
    pytest.param(
        Policy.STANDARD.allowing(NUL, names=["q"]).rejecting(NUL),
        [(NUL, QUERY, "q", REJECT), (NUL, FORM, "q", REJECT)],
        id="a call without names replaces named rules",
    ),
    pytest.param(
        Policy.STANDARD.allowing(NUL, names=["q"]).rejecting(NUL, on=QUERY),
        [(NUL, QUERY, "q", REJECT), (NUL, FORM, "q", ALLOW)],
        id="a call without names replaces named rules of its component",
    ),
    pytest.param(
        Policy.STANDARD.allowing(NUL, names=["q"]).rejecting(CONTROL),
        [(NUL, QUERY, "q", ALLOW)],
        id="a call without names keeps named rules of other kinds",
    ),
    pytest.param(
        Policy.STANDARD.allowing(NUL, names=["q"]).dropping(NUL, names=["q"]),
        [(NUL, QUERY, "q", DROP)],
        id="the later of two calls with the same name",
    ),
    pytest.param(
        Policy.STANDARD.allowing(NUL, names=["a"]).dropping(NUL, names=["b"]),
        [(NUL, QUERY, "a", ALLOW), (NUL, QUERY, "b", DROP)],
        id="by different names",
    ),
    pytest.param(
        Policy.STANDARD.allowing(NUL, names=["a*"]).dropping(NUL, names=["ab"]),
        [(NUL, QUERY, "ab", DROP), (NUL, QUERY, "ac", ALLOW)],
        id="a narrower pattern that comes later",
    ),
    pytest.param(
        Policy.STANDARD.allowing(NUL, names=["ab"]).dropping(NUL, names=["a*"]),
        [(NUL, QUERY, "ab", DROP), (NUL, QUERY, "ac", DROP)],
        id="a wider pattern that comes later",
    ),
    pytest.param(
        Policy.STANDARD.allowing(NUL, names=["a", "a"]),
        [(NUL, QUERY, "a", ALLOW)],
        id="a name listed twice",
    ),
    pytest.param(
        Policy.STANDARD.rejecting(Kind.ILL_FORMED_UTF8),
        [(Kind.ILL_FORMED_UTF8, QUERY, "utm_source", REJECT)],
        id="a call without names replaces named rules of the preset",
    ),
    pytest.param(
        Policy.STANDARD.dropping(Kind.ILL_FORMED_UTF8, names=["utm_*"]),
        [
            (Kind.ILL_FORMED_UTF8, QUERY, "utm_source", DROP),
            (Kind.ILL_FORMED_UTF8, QUERY, "gclid", DROP_PAIR),
        ],
        id="a call with a name replaces one named rule of the preset",
    ),
    pytest.param(
        Policy.LENIENT.repairing(SEMICOLON).allowing(Kind.EMPTY_SEGMENT),
        [(SEMICOLON, QUERY, None, REPAIR), (Kind.EMPTY_SEGMENT, PATH, None, ALLOW)],
        id="kinds of one component without on",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("policy", "expected"), COMPOSED)
def test_a_policy_of_several_calls_has_the_expected_actions(
    policy: Policy, expected: list[tuple[Kind, Component, str | None, Action]]
) -> None:
    for kind, component, name, action in expected:
        assert policy.action(kind, component, name) is action, (kind, component, name)


@pytest.mark.parametrize(
    ("policy", "same"),
    [
        pytest.param(
            Policy.STANDARD.allowing(NUL).rejecting(NUL),
            Policy.STANDARD.rejecting(NUL),
            id="two actions for all names",
        ),
        pytest.param(
            Policy.STANDARD.allowing(NUL, names=["q"]).rejecting(NUL),
            Policy.STANDARD.rejecting(NUL),
            id="a named rule, and then one for all",
        ),
        pytest.param(
            Policy.STANDARD.allowing(NUL, names=["q"]).dropping(NUL, names=["q"]),
            Policy.STANDARD.dropping(NUL, names=["q"]),
            id="two rules for the same name",
        ),
        pytest.param(
            Policy.STANDARD.accepting(ASCII).accepting(LATIN),
            Policy.STANDARD.accepting(LATIN),
            id="two ranges",
        ),
        pytest.param(
            Policy.STANDARD.accepting(ASCII, names=["q"]).accepting(LATIN, names=["q"]),
            Policy.STANDARD.accepting(LATIN, names=["q"]),
            id="two ranges for the same name",
        ),
        pytest.param(
            Policy.STANDARD.accepting(ASCII, names=["q"]).accepting(LATIN),
            Policy.STANDARD.accepting(LATIN),
            id="a named range, and then one for all",
        ),
        pytest.param(
            Policy.STANDARD.limiting(pairs=5).limiting(pairs=6),
            Policy.STANDARD.limiting(pairs=6),
            id="limits",
        ),
    ],
)
def test_a_later_call_replaces_an_earlier_one_completely(policy: Policy, same: Policy) -> None:
    assert policy == same


@pytest.mark.parametrize(
    ("calls", "others"),
    [
        pytest.param(
            Policy.STANDARD.accepting(LATIN, names=["a"]).accepting(ASCII, names=["b"]),
            Policy.STANDARD.accepting(ASCII, names=["b"]).accepting(LATIN, names=["a"]),
            id="ranges by name",
        ),
        pytest.param(
            Policy.STANDARD.accepting(LATIN, on=QUERY).accepting(ASCII, on=PATH),
            Policy.STANDARD.accepting(ASCII, on=PATH).accepting(LATIN, on=QUERY),
            id="ranges by component",
        ),
        pytest.param(
            Policy.STANDARD.accepting(LATIN).accepting(ASCII, names=["b"]).accepting(LATIN, names=["a"]),
            Policy.STANDARD.accepting(LATIN).accepting(LATIN, names=["a"]).accepting(ASCII, names=["b"]),
            id="ranges for names after one for all",
        ),
        pytest.param(
            Policy.STANDARD.allowing(NUL, names=["q"]).rejecting(CONTROL, names=["q"]),
            Policy.STANDARD.rejecting(CONTROL, names=["q"]).allowing(NUL, names=["q"]),
            id="rules by kind",
        ),
        pytest.param(
            Policy.STANDARD.allowing(NUL, on=FORM, names=["q"]).allowing(NUL, on=QUERY, names=["q"]),
            Policy.STANDARD.allowing(NUL, names=["q"]),
            id="rules by component",
        ),
        pytest.param(
            Policy.STANDARD.limiting(pairs=5).limiting(depth=6).keeping("last"),
            Policy.STANDARD.keeping("last").limiting(depth=6, pairs=5),
            id="limits",
        ),
    ],
)
def test_equivalent_policies_are_equal_whatever_the_order_of_the_calls(calls: Policy, others: Policy) -> None:
    assert calls == others
    assert hash(calls) == hash(others)
    assert str(calls) == str(others)


def test_the_later_of_two_rules_for_a_name_applies() -> None:
    wide, narrow = ["a*"], ["ab"]
    first = Policy.STANDARD.allowing(NUL, names=wide).dropping(NUL, names=narrow)
    assert first != Policy.STANDARD.dropping(NUL, names=narrow).allowing(NUL, names=wide)


# -- charsets ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "message"),
    [
        (
            "UTF-16",
            "UTF-16 does not leave ASCII unchanged; name another charset, such as windows-1252",
        ),
        (
            "utf-7",
            "utf-7 does not leave ASCII unchanged; name another charset, such as windows-1252",
        ),
        (
            "iso-2022-jp",
            "iso-2022-jp does not leave ASCII unchanged; name another charset, such as windows-1252",
        ),
        ("utf_8", "'utf_8' is not a supported charset; did you mean 'utf-8'?"),
        ("windows1252", "'windows1252' is not a supported charset; did you mean 'windows-1252'?"),
        ("klingon", "'klingon' is not a supported charset; write a label of the Encoding Standard, "),
        ("punycode", "'punycode' is not a supported charset; write a label of the Encoding Standard, "),
        ("rot13", "'rot13' is not a supported charset; write a label of the Encoding Standard, "),
        ("", "'' is not a supported charset; write a label of the Encoding Standard, "),
        (b"latin1", "b'latin1' is not a supported charset; write a label of the Encoding Standard, "),
        (None, "None is not a supported charset; write a label of the Encoding Standard, "),
    ],
)
def test_charsets_that_a_query_cannot_have(label: Any, message: str) -> None:
    with pytest.raises(PolicyError, match=f"^{re.escape(f'charset({label!r}): {message}')}"):
        Policy.STANDARD.charset(label, names=["q"])


def test_a_charset_needs_names() -> None:
    names: Any = None
    message = "charset('koi8-r'): name the parameters, such as names=['q'], or names=['*'] for all"
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        Policy.STANDARD.charset("koi8-r", names=names)


def test_utf_8_undoes_a_charset_and_changes_nothing_alone() -> None:
    policy = Policy.STANDARD.charset("windows-1252", names=["q", "p"])
    assert policy.charset("utf-8", names=["q"]).charset("UTF8", names=["p"]) == Policy.STANDARD
    assert Policy.STANDARD.charset("utf-8", names=["q"]) == Policy.STANDARD
    assert policy.charset("latin-1", names=["q"]) == policy.charset("latin-1", names=["q"])


# -- accepted ranges -----------------------------------------------------------------------------------------

GREEK: Final = ASCII | Characters.of((0x370, 0x3FF))

# Each row: a policy, targets that it accepts, and targets that it refuses.
ACCEPTING: Final = [
    pytest.param(
        Policy.STANDARD.accepting(LATIN),
        [Target(b"/caf%C3%A9", b"q=%C3%A9&%C3%A9=1"), Target(b"/a/b;c", b"a=1&b=2")],
        [Target(b"/%CE%B1"), Target(query=b"q=%CE%B1"), Target(query=b"%CE%B1=q")],
        id="everywhere",
    ),
    pytest.param(
        Policy.STANDARD.accepting(LATIN, on=PATH),
        [Target(query=b"q=%CE%B1")],
        [Target(b"/%CE%B1")],
        id="on the path",
    ),
    pytest.param(
        Policy.STANDARD.accepting(LATIN, names=["q"]),
        [Target(b"/%CE%B1", b"%CE%B1=%CE%B1&r=%CE%B1&q=%C3%A9&Q=%CE%B1")],
        [Target(query=b"q=%CE%B1"), Target(query=b"r=1&q=a%CE%B1")],
        id="in the values of a name",
    ),
    pytest.param(
        Policy.STANDARD.accepting(LATIN, names=["q"]).accepting(GREEK, names=["r"]),
        [Target(query=b"q=%C3%A9&r=%CE%B1")],
        [Target(query=b"q=%CE%B1"), Target(query=b"r=%C3%A9")],
        id="two names with a range each",
    ),
    pytest.param(
        Policy.STANDARD.accepting(LATIN | GREEK).accepting(GREEK, names=["q"]),
        [Target(query=b"r=%C3%A9&q=%CE%B1")],
        [Target(query=b"q=%C3%A9"), Target(query=b"q=%E8%B5%B7")],
        id="every range that covers a value applies",
    ),
    pytest.param(
        Policy.STANDARD.accepting(ASCII - Characters.of(" "), names=["q"]),
        [Target(query=b"q=a%2Bb")],
        [Target(query=b"q=a+b"), Target(query=b"q=a%20b")],
        id="a plus counts as a space",
    ),
    pytest.param(
        Policy.STANDARD.accepting(ASCII - Characters.of("+")),
        [Target(query=b"q=a+b")],
        [Target(query=b"q=a%2Bb"), Target(b"/a+b")],
        id="a plus does not count as a plus",
    ),
    pytest.param(
        Policy.STANDARD.accepting(Characters.of("ab")),
        [Target(b"/a/b", b"a=b&b"), Target(b"//a"[1:], b"%61=%62")],
        [Target(b"/c"), Target(query=b"a=c"), Target(query=b"c"), Target(query=b"a=b%26"), Target(b"/a%2Bb")],
        id="delimiters are always accepted, escaped ones are not",
    ),
    pytest.param(
        Policy.STANDARD.accepting(ASCII - Characters.of("%"), names=["q"]),
        [Target(query=b"q=50&r=50%25")],
        [Target(query=b"q=50%25"), Target(query=b"q=50%")],
        id="a percent sign, escaped or stray",
    ),
    pytest.param(
        Policy.STANDARD.accepting(ASCII, names=["q"]),
        [Target(query=b"q=50%25"), Target(query=b"q=%41")],
        [Target(query=b"q=%7F")],
        id="a percent sign that is accepted",
    ),
    pytest.param(
        Policy.STANDARD.accepting(Characters(()), names=["q"]),
        [Target(query=b"q="), Target(query=b"q"), Target(query=b"r=1")],
        [Target(query=b"q=1"), Target(query=b"q=%")],
        id="no characters",
    ),
    pytest.param(
        Policy.STANDARD.accepting(Characters.of("%")),
        [Target(b"/%25", b"%25=%25")],
        [Target(b"/a"), Target(query=b"a")],
        id="a percent sign alone",
    ),
]


@pytest.mark.parametrize(("policy", "through", "outside"), ACCEPTING)
def test_characters_outside_an_accepted_range_are_refused(
    policy: Policy, through: list[Target], outside: list[Target]
) -> None:
    normalizer = Normalizer(policy)
    for target in through:
        assert isinstance(normalizer.normalize(target), Accepted), target
        assert isinstance(normalizer.examine(target), Accepted), target
    for target in outside:
        for refused in (normalizer.normalize(target), normalizer.examine(target)):
            assert isinstance(refused, Rejected), target
            kinds = {finding.kind for finding in refused.findings if finding.action is REJECT}
            assert Kind.OUTSIDE_ACCEPTED_RANGE in kinds, target


def test_characters_outside_the_range_may_be_dropped_or_reported_by_name() -> None:
    policy = (
        Policy.STANDARD.accepting(LATIN)
        .dropping_pairs(Kind.OUTSIDE_ACCEPTED_RANGE, names=["q"])
        .reporting(Kind.OUTSIDE_ACCEPTED_RANGE, names=["r"])
    )
    outcome = Normalizer(policy).normalize(Target(query=b"a=1&q=%CE%B1&r=%CE%B1"))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"a=1&r=%CE%B1"


# -- invalid policies ----------------------------------------------------------------------------------------

ERRORS: Final[list[Any]] = [
    pytest.param(
        Policy.STANDARD.allowing,
        "no kind to allow: name one, such as Kind.ENCODED_SLASH",
        id="no kind",
    ),
    pytest.param(
        lambda: Policy.STANDARD.dropping_pairs(on=QUERY),
        "no kind to drop-pair: name one, such as Kind.ENCODED_SLASH",
        id="no kind, with on",
    ),
    pytest.param(
        lambda: Policy.STANDARD.allowing("nul"),
        "'nul' is not a Kind; write Kind.NUL",
        id="a slug in place of a kind",
    ),
    pytest.param(
        lambda: Policy.STANDARD.allowing("encoded-delimiter"),
        "'encoded-delimiter' is not a Kind; write Kind.ENCODED_DELIMITER",
        id="a slug of two words",
    ),
    pytest.param(
        lambda: Policy.STANDARD.allowing("slashes"),
        "'slashes' is not a Kind; write Kind.LEADING_SLASHES",
        id="a word that is almost a slug",
    ),
    pytest.param(
        lambda: Policy.STANDARD.allowing([NUL]),
        "[Kind.NUL] is not a Kind; name kinds one by one, such as Kind.NUL, Kind.TAB",
        id="a list of kinds",
    ),
    pytest.param(
        lambda: Policy.STANDARD.allowing(NUL, on="query"),
        "on='query': name a Component, such as Component.QUERY",
        id="text in place of a component",
    ),
    pytest.param(
        lambda: Policy.STANDARD.allowing(NUL, on=["query"]),
        "on='query': name a Component, such as Component.QUERY",
        id="text in a list of components",
    ),
    pytest.param(
        lambda: Policy.STANDARD.allowing(NUL, on=Component.HOST),
        "nul does not occur in host, only in path, query, form, json",
        id="a component without actions",
    ),
    pytest.param(
        lambda: Policy.STANDARD.allowing(SEMICOLON, on=PATH),
        "semicolon does not occur in path, only in query, form",
        id="a kind that does not occur in the path",
    ),
    pytest.param(
        lambda: Policy.STANDARD.rejecting(Kind.BACKSLASH, on=[PATH, QUERY]),
        "backslash does not occur in query, only in path",
        id="a kind that does not occur in one of two components",
    ),
    pytest.param(
        lambda: Policy.STANDARD.allowing(Kind.ENCODED_SLASH),
        "encoded-slash cannot be set to allow in path, only to repair, preserve, reject",
        id="an action that the kind does not support",
    ),
    pytest.param(
        lambda: Policy.STANDARD.preserving(NUL),
        "nul cannot be set to preserve in path, only to allow, report, replace, drop, reject",
        id="an action that the kind does not support anywhere",
    ),
    pytest.param(
        lambda: Policy.STANDARD.preserving(Kind.ENCODED_SLASH, on=QUERY),
        "encoded-slash does not occur in query, only in path",
        id="preserving where it does not occur",
    ),
    pytest.param(
        lambda: Policy.STANDARD.dropping_pairs(NUL, on=PATH),
        "nul cannot be set to drop-pair in path, only to allow, report, replace, drop, reject",
        id="an action that it does not support in the path",
    ),
    pytest.param(
        lambda: Policy.STANDARD.dropping_pairs(NUL, on=[QUERY, PATH]),
        "nul cannot be set to drop-pair in path, only to allow, report, replace, drop, reject",
        id="an action that it does not support in one of two",
    ),
    pytest.param(
        lambda: Policy.STANDARD.rejecting(Kind.TOO_MANY_PAIRS).allowing(Kind.TOO_MANY_PAIRS),
        "too-many-pairs cannot be set to allow in query, only to reject",
        id="a limit that is allowed instead of raised",
    ),
    pytest.param(
        lambda: Policy.STANDARD.allowing(NUL, Kind.ENCODED_SLASH),
        "encoded-slash cannot be set to allow in path, only to repair, preserve, reject",
        id="an action that one of two kinds does not support",
    ),
    pytest.param(
        lambda: Policy.STANDARD.allowing(NUL, names="q"),
        "names='q': give a list; write names=['q']",
        id="text in place of a list of names",
    ),
    pytest.param(
        lambda: Policy.STANDARD.allowing(NUL, names=[]),
        "names=[]: give at least one name, such as names=['q']",
        id="no names",
    ),
    pytest.param(
        lambda: Policy.STANDARD.allowing(NUL, names=[b"q"]),
        "names=[b'q']: a name is text, such as 'utm_*'",
        id="a name in octets",
    ),
    pytest.param(
        lambda: Policy.STANDARD.allowing(NUL, on=PATH, names=["q"]),
        "names select pairs, and path has none; leave path out",
        id="names on a path",
    ),
    pytest.param(
        lambda: Policy.STANDARD.allowing(NUL, on=[QUERY, PATH], names=["q"]),
        "names select pairs, and path has none; leave path out",
        id="names for a path and a query",
    ),
    pytest.param(
        lambda: Policy.STANDARD.allowing(Kind.BACKSLASH, names=["q"]),
        "names select pairs; backslash occurs only in path",
        id="names for a kind of paths",
    ),
    pytest.param(
        lambda: Policy.STANDARD.accepting("a-z"),
        "accepting('a-z'): give a set of characters, such as postel.LATIN or "
        "Characters.of('abc', (0x370, 0x3FF))",
        id="a regex in place of characters",
    ),
    pytest.param(
        lambda: Policy.STANDARD.accepting(LATIN, names="q"),
        "names='q': give a list; write names=['q']",
        id="accepting: text in place of a list of names",
    ),
    pytest.param(
        lambda: Policy.STANDARD.accepting(LATIN, on=PATH, names=["q"]),
        "names select pairs, and path has none; leave path out",
        id="accepting: names on a path",
    ),
    pytest.param(
        lambda: Policy.STANDARD.accepting(LATIN, on=Component.HOST),
        "outside-accepted-range does not occur in host, only in path, query, form",
        id="accepting: a component without ranges",
    ),
    pytest.param(
        lambda: Policy.STANDARD.charset("windows-1252", names="q"),
        "names='q': give a list; write names=['q']",
        id="charset: names that are one text",
    ),
    pytest.param(
        lambda: Policy.STANDARD.charset("windows-1252", names=[]),
        "names=[]: give at least one name, such as names=['q']",
        id="charset: no names",
    ),
    pytest.param(
        lambda: Policy.STANDARD.limiting(pair=5),
        "limiting(pair): there is no such limit; "
        "the limits are octets, segments, segment, pairs, name, value, form_value, depth, fields, field",
        id="an unknown limit",
    ),
    pytest.param(
        lambda: Policy.STANDARD.limiting(z=5, pairs=5, a=6),
        "limiting(a, z): there is no such limit; "
        "the limits are octets, segments, segment, pairs, name, value, form_value, depth, fields, field",
        id="two unknown limits",
    ),
    pytest.param(
        lambda: Policy.STANDARD.limiting(pairs=0),
        "limiting(pairs=0): a limit is a whole number from 1 to 2**63 - 1, such as 1000",
        id="a limit of zero",
    ),
    pytest.param(
        lambda: Policy(()),
        "Policy(...): begin with a preset, such as Policy.STANDARD, and change it",
        id="no table",
    ),
    pytest.param(
        lambda: Policy(((), (), ())),
        "Policy(...): begin with a preset, such as Policy.STANDARD, and change it",
        id="an empty table",
    ),
    pytest.param(
        lambda: Policy(Policy.STANDARD.table[:2]),
        "Policy(...): begin with a preset, such as Policy.STANDARD, and change it",
        id="a table of two columns",
    ),
    pytest.param(
        lambda: Policy(Policy.STANDARD.table, keep="x"),
        "keep='x': write 'first' or 'last'",
        id="an unknown duplicate to keep",
    ),
    pytest.param(
        lambda: Policy.STANDARD.keeping("both"),
        "keeping('both'): write 'first' or 'last'",
        id="two duplicates to keep",
    ),
    pytest.param(
        lambda: Policy.parse(None),
        "None is not text; write a policy such as 'standard nul=reject'",
        id="None in place of text",
    ),
    pytest.param(
        lambda: Policy.parse(b"standard"),
        "b'standard' is not text; write a policy such as 'standard nul=reject'",
        id="octets in place of text",
    ),
    pytest.param(
        lambda: Policy.STANDARD.action(NUL, COOKIE),
        "policies do not cover cookie; set headers= of the middleware",
        id="the action for a cookie",
    ),
    pytest.param(
        lambda: Policy.STANDARD.action(NUL, COOKIE, "q"),
        "policies do not cover cookie; set headers= of the middleware",
        id="the action for a named cookie",
    ),
    pytest.param(
        lambda: Policy.STANDARD.action("nul", "query"),
        "action('nul', 'query'): name a Kind and a Component, such as Kind.NUL and Component.QUERY",
        id="the action for a slug",
    ),
    pytest.param(
        lambda: Policy.STANDARD.action(NUL, "query"),
        "action(Kind.NUL, 'query'): name a Kind and a Component, such as Kind.NUL and Component.QUERY",
        id="the action in the name of a component",
    ),
    pytest.param(
        lambda: Policy.STANDARD.reporting(Kind.MALFORMED_HOST, names=["q"]),
        "names select pairs; malformed-host occurs only in host",
        id="names for a kind of hosts",
    ),
    pytest.param(
        lambda: Policy.STANDARD.reporting(Kind.MALFORMED_HOST, on=HOST, names=["q"]),
        "names select pairs, and host has none; leave host out",
        id="names for a host",
    ),
]


@pytest.mark.parametrize(("make", "message"), ERRORS)
def test_an_invalid_policy_is_refused_with_the_valid_actions(
    make: Callable[[], Policy], message: str
) -> None:
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        make()


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: Policy.STANDARD.allowing(NUL, on=[]), id="a rule"),
        pytest.param(lambda: Policy.STANDARD.accepting(LATIN, on=[]), id="a range"),
    ],
)
def test_a_call_that_would_change_nothing_is_refused(make: Callable[[], Policy]) -> None:
    with pytest.raises(PolicyError):
        make()


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: Policy.STANDARD.allowing(NUL, on=5), id="on is not a component"),
        pytest.param(lambda: Policy.STANDARD.allowing(NUL, names=5), id="names is not a list"),
        pytest.param(lambda: Policy.STANDARD.allowing(NUL, names=[["q"]]), id="a list of lists"),
    ],
)
def test_arguments_of_a_wrong_type_raise_policy_errors(make: Callable[[], Policy]) -> None:
    with pytest.raises(PolicyError):
        make()


def test_a_policy_error_is_a_value_error() -> None:
    assert issubclass(PolicyError, ValueError)
