"""A target is read only until it is certainly refused; reading on would change no listed finding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postel import Accepted, Action, Component, Forms, Kind, Limits, Normalizer, Policy, Rejected, Target
from postel._alphabet.text import text_of
from postel._bodies.urlencoded import FormRules
from postel._normalizer import engine as _engine
from postel._normalizer import path_grammar as _path
from postel._normalizer.findings import MOST, Collector
from postel._normalizer.scanner import at_characters

STANDARD = Normalizer(Policy.STANDARD)
POLICIES = [
    Policy.STRICT,
    Policy.STANDARD,
    Policy.LENIENT,
    Policy.STANDARD.reporting(Kind.NUL),
    Policy.STANDARD.rejecting(Kind.ILLEGAL_CHARACTER, on=Component.QUERY, names=["a", "utm_*"]),
    Policy.STANDARD.allowing(Kind.NUL, Kind.ILL_FORMED_UTF8, names=["a", "q*"], on=Component.QUERY),
    Policy.STRICT.reporting(Kind.NUL, Kind.ILLEGAL_CHARACTER, names=["q"], on=Component.QUERY),
]
PIECES = [b"%00", b"%01-", b"a b", b"%C4", b"\xc3", b"%zz", b"%", b"<", b"%E2%80%AE", b"%7e-", b"\xc3\xa4-"]
PATHS = [*PIECES, b"/", b"/..", b"%2F", b"//", b";a"]
NAMES = [b"", b"a=", b"q=", b"%71=", b"utm_x=", b"utm_\xc3\xa9=", b"q;=", b"%00=", b"x&a="]
QUERIES = [*PIECES, b"&a=", b"&utm_x=%FF", b"=", b";", b"&", b"%0D%0A="]


def repeated(pieces: list[bytes]) -> st.SearchStrategy[bytes]:
    """Return a few pieces, each of them many times or once."""
    runs = st.tuples(st.sampled_from(pieces), st.sampled_from([1, 2, 31, 32, 33, 34, 70]))
    return st.lists(runs, max_size=4).map(lambda drawn: b"".join(piece * count for piece, count in drawn))


@given(repeated(PATHS), st.sampled_from(NAMES), repeated(QUERIES), st.sampled_from(POLICIES))
def test_reading_on_has_the_same_result(path: bytes, name: bytes, query: bytes, policy: Policy) -> None:
    target = Target(b"/" + path, name + query)
    early = Normalizer(policy).examine(target)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_path, "MOST", 1 << 20)
        patched.setattr(_engine, "MOST", 1 << 20)
        whole = Normalizer(policy).examine(target)
    assert early == whole


@pytest.mark.parametrize(
    ("path", "query", "truncated"),
    [
        pytest.param(b"/" + b"%00-" * 31, b"", False, id="fewer findings than are kept"),
        pytest.param(b"/" + b"%00-" * 1000, b"", True, id="a path with very many findings"),
        pytest.param(b"/a", b"%00-" * 1000, True, id="a query with very many findings"),
        pytest.param(
            b"/" + b"%00-" * 1000, b"%01-" * 1000, True, id="a query after a path with very many findings"
        ),
        pytest.param(
            b"/" + b"%E2%80%AE-" * 32, b"%00-" * 1000, True, id="a refusal after as many findings as are kept"
        ),
        pytest.param(b"/" + b"%E2%80%AE-" * 40, b"%00", True, id="a refusal as the last finding"),
        pytest.param(b"/a", b"|x" * 40 + b"a" * 3000, True, id="a long name with very many repairs"),
        pytest.param(
            b"/%E2%80%AE", b"%00-" * 32 + b"&=1", True, id="more findings than are kept, and an empty name"
        ),
    ],
)
def test_a_refused_target_is_read_only_until_the_findings_suffice(
    path: bytes, query: bytes, truncated: bool
) -> None:
    outcome = STANDARD.examine(Target(path, query))
    assert isinstance(outcome, Rejected)
    assert (len(outcome.findings), outcome.truncated) == (32 if truncated else 31, truncated)


def test_absolute_form_is_named_before_very_many_faults() -> None:
    outcome = STANDARD.examine(Target(b"http://h/" + b"%00-" * 1000, host=b"h"))
    assert isinstance(outcome, Rejected)
    assert [each.kind for each in outcome.findings] == [Kind.ABSOLUTE_FORM, *[Kind.NUL] * 31]


def test_a_long_name_hides_no_other_fault() -> None:
    outcome = STANDARD.examine(Target(query=b"a" * 3000 + b"&=1"))
    assert [each.kind for each in outcome.findings] == [Kind.EMPTY_NAME, Kind.LONG_NAME]


def test_allowed_faults_are_never_named_and_cut_nothing_short() -> None:
    normalizer = Normalizer(Policy.STANDARD.allowing(Kind.BIDI_CONTROL))
    outcome = normalizer.examine(Target(query=b"%00-" + b"%E2%80%AE-" * 40))
    assert isinstance(outcome, Rejected)
    assert ([each.kind for each in outcome.findings], outcome.truncated) == ([Kind.NUL], False)


def test_a_scan_stops_at_the_given_bound() -> None:
    scanner = at_characters(Component.QUERY, [Kind.NUL])
    assert len(scanner.scan(text_of(b"%00-" * 100), 0, 5)) == 5
    assert len(scanner.scan(text_of(b"%00-" * 3), 0, 5)) == 3
    assert len(scanner.scan(text_of(b"%00-" * 100))) == 100


def test_a_refused_form_is_not_read_to_its_end() -> None:
    rules = FormRules(Policy.STANDARD, Forms())
    found = rules.judge(b"q=" + b"%00-" * 1000)
    assert (found.octets, len(found.findings), found.truncated) == (None, MOST, True)


def test_findings_suffice_if_more_than_are_kept_include_a_rejecting_one() -> None:
    collector = Collector(Limits())
    assert not collector.suffices([Action.REJECT] * MOST)
    assert not collector.suffices([Action.REPAIR] * (MOST + 1))
    assert collector.suffices([*[Action.REPAIR] * MOST, Action.REJECT])
    collector.rejected = True
    assert collector.suffices([Action.REPAIR] * (MOST + 1))


@pytest.mark.parametrize("count", [1, MOST - 1, MOST, MOST + 1, 100])
@pytest.mark.parametrize(
    ("policy", "name", "value"),
    [
        pytest.param(Policy.STANDARD, "utm_\u00e9".encode(), b"%C4a", id="a name of another script"),
        pytest.param(
            Policy.STRICT.allowing(Kind.NUL, on=Component.QUERY, names=["q*"]),
            b"q;",
            b"%00a",
            id="a name with a semicolon",
        ),
    ],
)
def test_many_faults_in_a_value_do_not_exempt_the_faults_of_its_name(
    policy: Policy, name: bytes, value: bytes, count: int
) -> None:
    for behind in (b"", b"&x"):
        outcome = Normalizer(policy).examine(Target(b"/", name + b"=" + value * count + behind))
        assert isinstance(outcome, Rejected)


@pytest.mark.parametrize("count", [1, MOST - 1, MOST, MOST + 1, 100])
@pytest.mark.parametrize("name", [b"q", b"%71"])
def test_many_faults_in_a_value_are_exempt_in_every_spelling_of_its_name(name: bytes, count: int) -> None:
    policy = Policy.STRICT.allowing(Kind.ILLEGAL_CHARACTER, on=Component.QUERY, names=["q"])
    for behind in (b"", b"&x"):
        outcome = Normalizer(policy).examine(Target(b"/", name + b"=" + b" a" * count + behind))
        assert isinstance(outcome, Accepted)
        assert outcome.target.query == b"q=" + b" a" * count + behind


def test_early_findings_have_their_own_actions() -> None:
    policy = Policy.STRICT.reporting(Kind.NUL, on=Component.QUERY, names=["q"])
    few, many = (
        Normalizer(policy).examine(Target(b"/", b"%71=%00-%01-" + b"%01-" * count)) for count in (1, MOST)
    )
    assert few.findings[0] == many.findings[0]


@pytest.mark.parametrize(
    ("kind", "fault"), [(Kind.CONTROL, b"%01"), (Kind.NUL, b"%00"), (Kind.INVISIBLE, b"%E2%80%8B")], ids=str
)
def test_a_fault_that_a_rule_refuses_is_found_behind_allowed_ones_and_a_path_with_very_many(
    kind: Kind, fault: bytes
) -> None:
    policy = Policy.LENIENT.reporting(kind).allowing(kind, names=["a"]).rejecting(kind, names=["q"])
    path = b"/" + b"x<" * (MOST + 8)  # no further finding is kept, unless it refuses
    allowed, refused = b"a=" + (fault + b"x") * (MOST + 8), b"&q=" + fault
    normalizer = Normalizer(policy)
    assert isinstance(normalizer.normalize(Target(path, allowed)), Accepted)
    outcome = normalizer.normalize(Target(path, allowed + refused))
    assert isinstance(outcome, Rejected)
    assert (outcome.findings[-1].kind, outcome.findings[-1].name) == (kind, "q")
