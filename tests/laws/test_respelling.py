"""The law of respelling: the spelling of an escape never changes a verdict, except for kinds about spelling.

A respelling flips the case of hex digits, or escapes unreserved characters that are not part of an escape.
Both spellings must be accepted as the same target with the same findings, or refused for the same kinds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.checks import total_and_lawful
from laws.strategies import PATH_PIECES, PRESETS, QUERY_PIECES, legacy_queries, with_rule
from postel import Accepted, Action, Component, Finding, Kind, Normalizer, Policy, Rejected, Target
from postel._alphabet.percent import respell
from postel._bodies.form_settings import Forms
from postel._bodies.urlencoded import FormRules
from sampling import EVERY, sample

PATH, QUERY, FORM = Component.PATH, Component.QUERY, Component.FORM
COMPONENTS = [PATH, QUERY, FORM]
STUCK = "it would begin an escape once the octets after it are respelled"

# -- what is respelled ---------------------------------------------------------------------------------------

_TOKEN = re.compile(
    rb"%[uU][0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}"  # An escape.
    rb"|[A-Za-z0-9_~.-]|.",  # An unreserved character, or any other octet.
    re.DOTALL,
)


def respellings(octets: bytes, component: Component) -> Iterator[list[bytes]]:
    """Generate the spellings of each token of a component."""
    for match in _TOKEN.finditer(octets):
        token = match.group()
        if len(token) > 1:
            yield [token, token[:-4] + token[-4:].swapcase() if len(token) > 3 else token.swapcase()]
        # The kind encoded-dot-segment is about the spelling of dots in a path.
        elif token.isalnum() or token in b"_~-" or (token == b"." and component is not PATH):
            yield [token, b"%%%02X" % ord(token), b"%%%02x" % ord(token)]
        else:
            yield [token]


# -- how the spellings are compared --------------------------------------------------------------------------


Judge = Callable[[bytes], list[tuple[object, ...]]]
"""Returns the results of each way to judge a component, in canonical spelling."""


def judge_of(policy: Policy, component: Component) -> Judge:
    if component is FORM:
        rules = FormRules(policy, Forms())
        return lambda octets: [
            _verdict(each.octets, each.findings)
            for each in (rules.judge(octets), rules.judge(octets, block=1))
        ]
    normalizer = Normalizer(policy)

    def judge(octets: bytes) -> list[tuple[object, ...]]:
        target = Target(octets) if component is PATH else Target(query=octets)
        return [_outcome(way(target), component) for way in (normalizer.examine, normalizer.normalize)]

    return judge


def _outcome(outcome: Accepted | Rejected, component: Component) -> tuple[object, ...]:
    if isinstance(outcome, Rejected):
        return _verdict(None, outcome.findings)
    target = outcome.target
    return _verdict(target.path if component is PATH else target.query, outcome.findings)


def _verdict(octets: bytes | None, findings: tuple[Finding, ...]) -> tuple[object, ...]:
    seen = {(each.kind, each.action) for each in findings if each.kind is not Kind.SPELLING}
    return (None if octets is None else _canonical(octets), frozenset(seen))


def _canonical(octets: bytes) -> bytes:
    """Return the octets in one spelling; escapes of UTF-16, which have no canonical one, in lower case."""
    return re.sub(rb"%[uU][0-9A-Fa-f]{4}", lambda match: match[0].lower(), respell(octets))


def same(judge: Judge, octets: bytes, *respelled: bytes) -> None:
    expected, *others = judge(octets)
    assert others == [expected], octets
    for each in respelled:
        assert judge(each) == [expected, expected], (octets, each)


# -- targets that once violated the law ----------------------------------------------------------------------

REPAIRING = Policy.STANDARD.repairing(Kind.MALFORMED_ESCAPE)
LEAVING = Policy.STANDARD.allowing(Kind.MALFORMED_ESCAPE)
ACCEPTED = [
    pytest.param(REPAIRING, Target(b"/%u12%c3%a9"), Target(b"/%25u12%C3%A9"), id="repaired, lower-case hex"),
    pytest.param(REPAIRING, Target(b"/abc%uAB%43"), Target(b"/abc%25uABC"), id="repaired, a digit too few"),
    pytest.param(REPAIRING, Target(b"/100%u12%2Dx"), Target(b"/100%25u12-x"), id="repaired, no digit"),
    pytest.param(
        Policy.STRICT.repairing(Kind.MALFORMED_ESCAPE),
        Target(query=b"q=%u12%67x"),
        Target(query=b"q=%25u12gx"),
        id="repaired, in a query",
    ),
    pytest.param(
        REPAIRING,
        Target(b"/%u12%433"),
        Target(b"/%25u12C3"),
        id="repaired, the percent sign is escaped first",
    ),
    pytest.param(
        REPAIRING,
        Target(b"/%C%33"),
        Target(b"/%25C3"),
        id="repaired, the percent sign is escaped before two digits",
    ),
    pytest.param(LEAVING, Target(b"/%u12%c3%a9"), Target(b"/%u12%C3%A9"), id="allowed, lower-case hex"),
    pytest.param(LEAVING, Target(b"/abc%uAB%43"), Target(b"/abc%uABC"), id="allowed, a digit too few"),
    pytest.param(LEAVING, Target(b"/100%u12%2Dx"), Target(b"/100%u12-x"), id="allowed, no digit"),
    pytest.param(LEAVING, Target(b"/%%34x"), Target(b"/%4x"), id="allowed, a single digit"),
    pytest.param(
        LEAVING.repairing(Kind.SPELLING),
        Target(query=b"q=%4%67&p=1"),
        Target(query=b"q=%4g&p=1"),
        id="allowed, in a query",
    ),
]


@pytest.mark.parametrize(("policy", "target", "written"), ACCEPTED)
def test_characters_that_complete_no_escape_are_respelled(
    policy: Policy, target: Target, written: Target
) -> None:
    outcome = total_and_lawful(Normalizer(policy), target)
    assert isinstance(outcome, Accepted), [str(each) for each in outcome.findings]
    assert (outcome.target.path, outcome.target.query) == (written.path, written.query)


REFUSED = [
    # A path or value, and the octets that would be an escape.
    pytest.param(b"%4%31", b"%4%31", id="the second digit"),
    pytest.param(b"a%%34%31z", b"%%34%31", id="both digits"),
    pytest.param(b"%%341", b"%%341", id="the first digit"),
    pytest.param(b"%u12%433", b"%u12%433", id="the third digit of four"),
    pytest.param(b"%u123%61", b"%u123%61", id="the last digit of four"),
    pytest.param(b"%U%31%32%33%34", b"%U%31%32%33%34", id="all digits of four"),
    pytest.param(b"%%750041", b"%%750041", id="the letter u"),
    pytest.param(b"%4%61%CC%81", b"%4%61", id="before a combining mark"),
    pytest.param(b"%zz%4%3d%4%61", b"%4%61", id="after a respelling that completes no escape"),
]


@pytest.mark.parametrize("action", [Action.ALLOW, Action.REPORT])
@pytest.mark.parametrize("component", COMPONENTS, ids=lambda each: each.value)
@pytest.mark.parametrize(("octets", "excerpt"), REFUSED)
def test_a_respelling_that_would_complete_an_escape_is_refused(
    octets: bytes, excerpt: bytes, component: Component, action: Action
) -> None:
    policy = with_rule(Policy.STANDARD, Kind.MALFORMED_ESCAPE, component, action, None)
    policy = policy.repairing(Kind.SPELLING)
    octets = b"/" + octets if component is PATH else b"q=" + octets
    if component is FORM:
        judged = FormRules(policy, Forms()).judge(octets)
        assert judged.octets is None
        findings = judged.findings
    else:
        target = Target(octets) if component is PATH else Target(query=octets)
        outcome = total_and_lawful(Normalizer(policy), target)
        assert isinstance(outcome, Rejected)
        findings = outcome.findings
    assert [
        (each.kind, each.offset, each.excerpt, each.detail)
        for each in findings
        if each.action is Action.REJECT
    ] == [(Kind.MALFORMED_ESCAPE, octets.index(excerpt), excerpt, STUCK)]


def test_every_stray_percent_sign_that_would_begin_an_escape_is_named() -> None:
    outcome = Normalizer(LEAVING).examine(Target(b"/" + b"%4%31/" * 40))
    assert isinstance(outcome, Rejected)
    stuck = [each for each in outcome.findings if each.detail == STUCK]
    assert len(stuck) == 1
    assert (len(outcome.findings), outcome.truncated) == (32, True)


def test_a_rule_for_a_name_applies_only_to_its_pair() -> None:
    policy = Policy.STRICT.repairing(Kind.MALFORMED_ESCAPE).reporting(Kind.MALFORMED_ESCAPE, names=["q"])
    normalizer = Normalizer(policy)
    outcome = normalizer.normalize(Target(query=b"p=%4%31"))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"p=%2541"
    assert isinstance(normalizer.normalize(Target(query=b"q=%4%31")), Rejected)
    kept = Normalizer(policy.allowing(Kind.SPELLING, names=["q"])).normalize(Target(query=b"q=%4%31"))
    assert isinstance(kept, Accepted)
    assert kept.target.query == b"q=%4%31"


def test_a_misspelled_name_has_the_rules_of_the_name() -> None:
    for preset in (Policy.STRICT, Policy.STANDARD.repairing(Kind.SPELLING)):
        normalizer = Normalizer(preset.dropping_pairs(Kind.ILL_FORMED_UTF8, names=["utm_x"]))
        for name in (b"utm_x", b"utm%5Fx", b"utm%5fx", b"%75tm_x"):
            outcome = normalizer.normalize(Target(query=b"a=1&" + name + b"=%C4"))
            assert isinstance(outcome, Accepted), name
            assert outcome.target.query == b"a=1"


# -- under every related policy ------------------------------------------------------------------------------

LEFT_OR_REPAIRED = (Action.ALLOW, Action.REPORT, Action.REPAIR)


def policies_of(component: Component) -> dict[str, Policy]:
    """Return the presets with all actions for malformed escapes, UTF-16 escapes and spelling."""
    found = dict(PRESETS)
    for preset, *actions in product(PRESETS.values(), *[LEFT_OR_REPAIRED] * 3):
        policy = preset
        for kind, action in zip(
            (Kind.MALFORMED_ESCAPE, Kind.UNICODE_ESCAPE, Kind.SPELLING), actions, strict=True
        ):
            policy = with_rule(policy, kind, component, action, None)
        found[str(policy)] = policy
    return found


POLICIES = {component: policies_of(component) for component in COMPONENTS}


@st.composite
def spelled_twice(draw: st.DrawFn) -> tuple[str, bytes, bytes, Component]:
    """Generate a policy, octets, the same octets respelled, and their component."""
    component = draw(st.sampled_from(COMPONENTS))
    policy = draw(st.sampled_from(list(POLICIES[component])))
    pieces = PATH_PIECES if component is PATH else QUERY_PIECES
    octets = b"".join(draw(st.lists(st.sampled_from(pieces), max_size=8)))
    if component is PATH:
        octets = b"/" + octets.removeprefix(b"/")
    choices = [draw(st.sampled_from(each)) for each in respellings(octets, component)]
    return policy, octets, b"".join(choices), component


SPELLED = [
    # Spellings of octets that a row searches for after an escaped percent sign.
    pytest.param(b"/%25u0041", b"/%25%750041", PATH, id="an escaped escape of UTF-16"),
    pytest.param(b"/%25U0041", b"/%25%55%300%341", PATH, id="an escaped escape of UTF-16 in upper case"),
    pytest.param(b"/%2541", b"/%25%341", PATH, id="an escaped escape"),
    pytest.param(b"utm_x=%C4", b"utm%5Fx=%c4", QUERY, id="a name that a rule matches"),
    pytest.param(b"_charset_=utf-8&q=%E9", b"%5fcharset_=utf%2D8&q=%e9", FORM, id="the charset of a form"),
]


@pytest.mark.parametrize(("octets", "respelled", "component"), SPELLED)
def test_under_every_policy_both_spellings_have_the_same_verdict(
    octets: bytes, respelled: bytes, component: Component
) -> None:
    for policy in POLICIES[component].values():
        same(judge_of(policy, component), octets, respelled)


@given(st.lists(spelled_twice(), min_size=10, max_size=10))
def test_respelling_never_changes_a_verdict(some: list[tuple[str, bytes, bytes, Component]]) -> None:
    for policy, octets, respelled, component in some:
        same(_known(policy, component), octets, respelled)


@cache
def _known(policy: str, component: Component) -> Judge:
    return judge_of(POLICIES[component][policy], component)


ALPHABET = [b"%", b"u", b"1", b"2", b"A", b"%31", b"%41", b"%c3%a9", b"%C3%A9", b"x"]
SMALL = [
    Policy.STRICT,
    Policy.LENIENT,
    REPAIRING.repairing(Kind.SPELLING),
    LEAVING.repairing(Kind.SPELLING),
    LEAVING.allowing(Kind.SPELLING, Kind.UNICODE_ESCAPE),
    REPAIRING.repairing(Kind.SPELLING, Kind.UNICODE_ESCAPE),
    Policy.STANDARD.reporting(Kind.SPELLING, Kind.MALFORMED_ESCAPE, Kind.UNICODE_ESCAPE),
]


@EVERY
@pytest.mark.parametrize("policy", SMALL, ids=str)
@pytest.mark.parametrize("component", COMPONENTS, ids=lambda each: each.value)
def test_every_spelling_of_every_short_string_has_the_same_verdict(
    policy: Policy, component: Component, every: int
) -> None:
    front = b"/" if component is PATH else b"q="
    judge = judge_of(policy, component)
    strings = [b"".join(pieces) for length in range(4) for pieces in product(ALPHABET, repeat=length)]
    for octets in sample(strings, every):
        tokens = [(each[0], each[-1]) for each in respellings(octets, component)]
        plain = [token for token, _ in tokens]
        # All of them respelled at once, and each alone.
        respelled = [[spelled for _, spelled in tokens]]
        respelled += [
            [*plain[:place], spelled, *plain[place + 1 :]] for place, (_, spelled) in enumerate(tokens)
        ]
        same(judge, front + octets, *{front + b"".join(each) for each in respelled})


# Beginnings of escapes, to which the strings that follow add digits.
UNFINISHED = [b"%u", b"%u1", b"%u12", b"%u123", b"%", b"%A", b"%%", b"%x"]


@EVERY
@pytest.mark.parametrize("policy", SMALL, ids=str)
@pytest.mark.parametrize("component", [PATH, QUERY], ids=lambda each: each.value)
def test_every_string_after_a_stray_percent_sign_keeps_the_laws(
    policy: Policy, component: Component, every: int
) -> None:
    normalizer = Normalizer(policy)
    for front, *pieces in sample(product(UNFINISHED, ALPHABET, ALPHABET, [b"", b"2", b"x", b"%32"]), every):
        octets = front + b"".join(pieces)
        target = Target(b"/" + octets) if component is PATH else Target(query=b"q=" + octets)
        outcome = total_and_lawful(normalizer, target)
        rejected = {each.kind for each in outcome.findings if each.action is Action.REJECT}
        assert Kind.SPELLING not in rejected, target


WESTERN = judge_of(Policy.STANDARD.charset("windows-1252", names=["q"]), QUERY)
JAPANESE = judge_of(Policy.LENIENT.charset("shift_jis", names=["*"]), QUERY)


@pytest.mark.parametrize("judge", [WESTERN, JAPANESE], ids=["windows-1252", "shift_jis"])
@given(query=legacy_queries, data=st.data())
def test_the_spelling_of_a_value_in_another_charset_does_not_matter(
    judge: Judge, query: bytes, data: st.DataObject
) -> None:
    respelled = b"".join(data.draw(st.sampled_from(each)) for each in respellings(query, QUERY))
    same(judge, query, respelled)
