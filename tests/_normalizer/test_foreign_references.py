"""Parameters that hold references: those that lead to another site are findings, and no others."""

from __future__ import annotations

from itertools import product
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.checks import total_and_lawful
from laws.strategies import changed, queries
from postel import (
    Accepted,
    Action,
    Component,
    Kind,
    Normalizer,
    Policy,
    PolicyError,
    Rejected,
    Target,
)
from postel._bodies.form_settings import Forms
from postel._bodies.urlencoded import FormRules
from postel._catalogue.patterns import NOT_PLAINLY_LOCAL
from postel._normalizer.proof import proof
from postel.uri import Place, encode_component, is_local
from sampling import EVERY, sample
from together import together
from toolkit.test_local import ORDINARY, PAYLOADS, generated

QUERY, FORM = Component.QUERY, Component.FORM
LOCAL: Final = Policy.STANDARD.local(names=["next", "return_to"])
NORMALIZER: Final = Normalizer(LOCAL)
QUIET: Final = Normalizer(Policy.LENIENT.allowing(Kind.NUL, Kind.CONTROL, on=QUERY).local(names=["next"]))
"""Allows every octet that a policy can allow."""


def foreign(outcome: Accepted | Rejected) -> bool:
    """Whether a target was refused, and only because of a foreign reference."""
    refusing = {each.kind for each in outcome.findings if each.action is Action.REJECT}
    assert isinstance(outcome, Rejected) is bool(refusing)
    assert refusing <= {Kind.FOREIGN_REFERENCE}, refusing
    return bool(refusing)


PASSING: Final = [
    b"next=", b"next", b"", b"next=/", b"next=/cart?x=1&y=%2F", b"next=%2Fcart%3Fx%3D1%26y%3D%252F",
    b"next=account", b"next=?page=2", b"next=%23top", b"next=../a", b"next=hello+world", b"next=caf%C3%A9",
    b"return_to=/a&next=/b", b"q=//evil.example", b"nexts=//evil.example", b"Next=//evil.example",
    b"next[]=//evil.example", b"+next=//evil.example", b"q=next=//evil.example", b"=//evil.example",
]  # fmt: skip
LEAVING: Final = [
    b"next=//evil.example", b"next=/%5Cevil.example", b"next=/%09/evil.example", b"next=https:evil.example",
    b"next=%2F%2Fevil.example", b"next=javascript:alert(1)", b"next=/%0A/evil", b"a=1&next=//evil&b=2",
    b"%6eext=//evil", b"ne%78t=%2f/evil", b"next=/a&next=//evil", b"next=&return_to=//evil", b"next=+//evil",
    b"next=https://site.example/a", b"next=/a%5Cb", b"next=%20/a", b"next=user@host", b"next==evil:",
]  # fmt: skip


@together("query", PASSING, ids=ascii)
def test_local_references_pass(query: bytes) -> None:
    assert isinstance(total_and_lawful(NORMALIZER, Target(query=query)), Accepted)
    assert FormRules(LOCAL, Forms()).judge(query).octets is not None


@together("query", LEAVING, ids=ascii)
def test_foreign_references_are_refused_in_a_query_and_in_a_form(query: bytes) -> None:
    assert foreign(total_and_lawful(NORMALIZER, Target(query=query)))
    judged = FormRules(LOCAL, Forms()).judge(query)
    assert judged.octets is None
    assert Kind.FOREIGN_REFERENCE in {each.kind for each in judged.findings}


def test_the_finding_quotes_the_value() -> None:
    outcome = NORMALIZER.normalize(Target(query=b"a=1&n%65xt=//evil.example"))
    (finding,) = outcome.findings
    assert str(finding) == 'foreign-reference in query at 11: "//evil.example", of "next" (reject)'


@together("reference", ORDINARY)
def test_ordinary_references_pass_as_a_browser_sends_them(reference: str) -> None:
    for place in (Place.QUERY_VALUE, Place.FORM, Place.ANYWHERE):
        query = f"a=1&next={encode_component(reference, place=place)}&b=2".encode()
        assert isinstance(total_and_lawful(NORMALIZER, Target(query=query)), Accepted), query


@together("reference", PAYLOADS, ids=ascii)
def test_no_published_payload_passes(reference: str) -> None:
    octets = reference.encode("utf-8", "surrogatepass")
    for query in (
        b"next=" + b"".join(b"%%%02X" % octet for octet in octets),
        b"next="
        + octets.replace(b"%", b"%25").replace(b"&", b"%26").replace(b"#", b"%23").replace(b"+", b"%2B"),
    ):
        outcome = total_and_lawful(QUIET, Target(query=query))
        assert not octets or isinstance(outcome, Rejected), query


@pytest.mark.no_cover
def test_the_verdict_equals_is_local_of_the_decoded_value() -> None:
    for reference in generated(1_500, 7):
        try:
            octets = reference.encode()
        except UnicodeEncodeError:
            continue
        outcome = QUIET.examine(Target(query=b"next=" + b"".join(b"%%%02X" % octet for octet in octets)))
        kinds = {each.kind for each in outcome.findings if each.action is Action.REJECT}
        assert (Kind.FOREIGN_REFERENCE in kinds) is not is_local(reference), ascii(reference)


@pytest.mark.parametrize("names", [["*"], ["next"]], ids=str)
def test_the_proof_reads_a_value_once_whatever_its_equals_signs(names: list[str]) -> None:
    proves = proof(Policy.STANDARD.local(names=names), QUERY).fullmatch
    # No value begins at the second equals sign. A proof that searched there would be quadratic in their
    # number.
    assert proves(b"next=/?a=//b" * 2)
    assert not proves(b"next=//b")
    assert not proves(b"a=1&next=//b=")


# -- the other actions, and other policies -------------------------------------------------------------------


def test_a_rule_may_report_or_drop_the_pair() -> None:
    target = Target(query=b"a=1&next=//evil&b=2")
    reported = total_and_lawful(Normalizer(LOCAL.reporting(Kind.FOREIGN_REFERENCE, names=["next"])), target)
    assert isinstance(reported, Accepted)
    assert reported.target.query == target.query
    assert [each.action for each in reported.findings] == [Action.REPORT]
    dropping = LOCAL.dropping_pairs(Kind.FOREIGN_REFERENCE, names=["next"])
    dropped = total_and_lawful(Normalizer(dropping), target)
    assert isinstance(dropped, Accepted)
    assert dropped.target.query == b"a=1&b=2"
    allowed = total_and_lawful(Normalizer(LOCAL.allowing(Kind.FOREIGN_REFERENCE)), target)
    assert allowed == Accepted(target)


def test_a_reported_reference_is_found_again_after_an_edit() -> None:
    normalizer = Normalizer(LOCAL.reporting(Kind.FOREIGN_REFERENCE, names=["next"]))
    outcome = total_and_lawful(normalizer, Target(query=b"a=50% off&next=//evil"))
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == b"a=50%25%20off&next=//evil"
    assert [each.kind for each in outcome.findings if each.action is Action.REPORT] == [
        Kind.FOREIGN_REFERENCE
    ]


@pytest.mark.parametrize(
    ("policy", "query"),
    [
        (Policy.LENIENT, b"next=/%FF/evil"),
        (Policy.LENIENT, b"next=%u002f%u002fevil"),
        (Policy.LENIENT, b"nex\xfft=//evil"),
        (Policy.LENIENT.repairing(Kind.NOT_NFC), b"next=/%CD%BE/../"),
        (Policy.STANDARD.dropping(Kind.INVISIBLE, on=QUERY), b"next=/%E2%80%8B/evil"),
        (Policy.STANDARD.dropping(Kind.INVISIBLE, on=QUERY), b"ne%E2%80%8Bxt=//evil"),
        (Policy.STANDARD.replacing(Kind.CONTROL, on=QUERY), b"next=/%01/evil"),
    ],
)
def test_no_edit_creates_a_foreign_reference(policy: Policy, query: bytes) -> None:
    outcome = total_and_lawful(Normalizer(policy.local(names=["next"])), Target(query=query))
    assert isinstance(outcome, Rejected) or not any(
        name == "next" and value and not is_local(value) for name, value in outcome.target.pairs
    )


def test_no_preset_looks_for_references() -> None:
    for preset in (Policy.STRICT, Policy.STANDARD, Policy.LENIENT):
        assert not any(rule.kind is Kind.FOREIGN_REFERENCE for rule in preset.rules)
        assert Normalizer(preset).is_clean(b"/", b"next=//evil.example")


def test_names_are_required_and_a_path_has_none() -> None:
    with pytest.raises(PolicyError, match=r"names=\[\]"):
        Policy.STANDARD.local(names=[])
    with pytest.raises(PolicyError, match="does not occur in path"):
        Policy.STANDARD.local(names=["next"], on=Component.PATH)
    assert (
        Policy.STANDARD.local(names=["n"], on=QUERY).action(Kind.FOREIGN_REFERENCE, FORM, "n") is Action.ALLOW
    )


def test_the_text_form_is_equivalent() -> None:
    assert Policy.parse("standard foreign-reference[next,return_to]=reject") == LOCAL
    assert Policy.parse(str(LOCAL)) == LOCAL


# -- proofs --------------------------------------------------------------------------------------------------


def test_ordinary_values_pass_the_proof() -> None:
    for query in (b"next=/cart?x=1&y=%2F", b"q=caf%C3%A9&next=", b"a=1&next=%2Fa%2Fb%3Fc%3Dd", b"x=//evil"):
        assert NORMALIZER.is_clean(b"/", query), query
    for query in (b"next=//a", b"ne%78t=/a", b"a%5B%5D=1&next=/a", b"next=%20"):
        assert not NORMALIZER.is_clean(b"/", query), query


ALPHABET: Final = [
    b"/",
    b"%2F",
    b"a",
    b".",
    b"?",
    b"%3F",
    b":",
    b"%3A",
    b"@",
    b"=",
    b"+",
    b"%20",
    b"%25",
    b"&",
    b"#",
]


@pytest.mark.no_cover
@EVERY
@pytest.mark.parametrize(
    "policy",
    [
        LOCAL,
        Policy.LENIENT.local(names=["n*"]),
        Policy.LENIENT.rejecting(Kind.FOREIGN_REFERENCE),
        Policy.STANDARD.rejecting(Kind.FOREIGN_REFERENCE).allowing(Kind.FOREIGN_REFERENCE, names=["a"]),
        LOCAL.allowing(Kind.FOREIGN_REFERENCE, names=["next", "return_to"]),
        LOCAL.reporting(Kind.FOREIGN_REFERENCE, names=["next"]),
    ],
    ids=str,
)
def test_every_short_value_over_a_hostile_alphabet_keeps_the_laws(policy: Policy, every: int) -> None:
    normalizer = Normalizer(policy)
    shorter = [pieces for length in range(3) for pieces in product(ALPHABET, repeat=length)]
    for pieces in [*shorter, *sample(product(ALPHABET, repeat=3), every)]:
        total_and_lawful(normalizer, Target(query=b"next=" + b"".join(pieces)))


def test_every_value_that_the_pattern_matches_is_local() -> None:
    proves = proof(Policy.LENIENT.local(names=["next"]), QUERY).fullmatch
    assert NOT_PLAINLY_LOCAL
    proven = 0
    for length in range(5):
        for pieces in product(ALPHABET[:12], repeat=length):
            query = b"next=" + b"".join(pieces)
            if proves(query):
                proven += 1
                value = Target(query=query).pairs[0][1]
                assert not value or is_local(value), query
    assert proven > 1_000


@given(
    policy=changed(LOCAL).flatmap(changed) | changed(Policy.LENIENT.local(names=["q", "a*", "next"])),
    some=st.lists(
        st.lists(
            st.sampled_from(
                [b"next=", b"q=", b"ne%78t=", b"&", b"/", b"//", b"https:", b"evil", b"%09", b"%5C"]
            )
            | queries,
            max_size=6,
        ).map(b"".join),
        min_size=8,
        max_size=8,
    ),
)
def test_laws_hold_with_other_rules_on_top(policy: Policy, some: list[bytes]) -> None:
    normalizer = Normalizer(policy)
    for query in some:
        total_and_lawful(normalizer, Target(query=query))
