"""Bulk repair: its result, and that its findings equal those of the full judgement."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Final
from urllib.parse import quote

import pytest

from postel import (
    LATIN,
    Accepted,
    Action,
    Characters,
    Component,
    Kind,
    Limits,
    Normalizer,
    Policy,
    Rejected,
    Target,
)
from postel._alphabet.percent import UNRESERVED
from postel._alphabet.steps import Steps
from postel._normalizer.bulk import BulkRepair
from postel._normalizer.findings import Collector
from postel._normalizer.proof import proof
from together import together

RESPELLING = Policy.STANDARD.repairing(Kind.SPELLING, on=Component.QUERY)
REPAIRED = [
    pytest.param(Policy.STANDARD, b"a b|c;", b"a%20b%7Cc%3B", id="illegal characters"),
    pytest.param(Policy.STANDARD, b"50%", b"50%25", id="a stray percent sign"),
    pytest.param(Policy.STANDARD, b"50%+%C3%84", b"50%25+%C3%84", id="a stray percent sign beside an escape"),
    pytest.param(Policy.STANDARD, "Größe".encode(), b"Gr%C3%B6%C3%9Fe", id="raw octets"),
    pytest.param(RESPELLING, b"%c3%a4+%7E", b"%C3%A4%20~", id="escapes that are not canonical"),
    pytest.param(RESPELLING, b"%%41", None, id="a digit that would complete an escape"),
    pytest.param(RESPELLING.rejecting(Kind.NUL), b"%00%7E", None, id="an escape beside a refused fault"),
    pytest.param(Policy.STANDARD, b"%u00e9", None, id="an escape in UTF-16"),
    pytest.param(Policy.STANDARD, b"\xc3", None, id="ill-formed"),
    pytest.param(Policy.LENIENT.accepting(LATIN), b"a b", None, id="an accepted range"),
    pytest.param(
        Policy.STANDARD.rejecting(Kind.MALFORMED_ESCAPE), b"50%", None, id="a refused stray percent sign"
    ),
    pytest.param(
        Policy.STANDARD.rejecting(Kind.MALFORMED_ESCAPE, names=["x"]), b"50%", None, id="a rule for a name"
    ),
    pytest.param(Policy.STRICT, b"a", b"a", id="nothing to repair"),
    pytest.param(Policy.STANDARD, b"X;Y", b"X%3BY", id="ordinary letters beside two kinds"),
    pytest.param(Policy.STANDARD, b"%7e%c3%a4", b"%7e%c3%a4", id="a spelling that is allowed"),
    pytest.param(
        Policy.STANDARD.accepting(LATIN, on=Component.PATH), b"a b", b"a%20b", id="an accepted range of paths"
    ),
    pytest.param(
        Policy.STANDARD.rejecting(Kind.MALFORMED_ESCAPE, names=["x"], on=Component.QUERY),
        b"50%",
        None,
        id="a rule for a name in queries",
    ),
    pytest.param(
        Policy.STANDARD.rejecting(Kind.MALFORMED_ESCAPE, names=["x"], on=Component.FORM),
        b"50%",
        b"50%25",
        id="a rule for a name in forms",
    ),
    pytest.param(
        Policy.STANDARD.reporting(Kind.NOT_NFC), b"e\xcc\x81", None, id="text that is not composed, bare"
    ),
]


def bulk_repair(policy: Policy, component: Component, octets: bytes) -> bytes | None:
    """Repair a component in bulk; the result is proven as the normalizer proves it."""
    prove = proof(policy, component, whole_view=False).fullmatch
    return BulkRepair(policy, component, prove).repair(octets, Collector(Limits()))


@pytest.mark.parametrize(("policy", "value", "expected"), REPAIRED)
def test_bulk_repair_returns_the_edited_octets_or_none(
    policy: Policy, value: bytes, expected: bytes | None
) -> None:
    repaired = bulk_repair(policy, Component.QUERY, b"q=" + value)
    assert repaired == (None if expected is None else b"q=" + expected)


@together("component", [Component.QUERY, Component.FORM], ids=lambda each: each.value)
def test_in_steps_the_result_and_the_findings_are_the_same(component: Component) -> None:
    chance = random.Random(28)  # noqa: S311 - inputs, no secrets
    reached: set[int] = set()
    spelling = Policy.STANDARD.repairing(Kind.SPELLING)
    for policy in (Policy.STANDARD, Policy.STRICT, Policy.LENIENT, spelling, spelling.accepting(LATIN)):
        for prove in (proof(policy, component, whole_view=False).fullmatch, lambda _: None):
            bulk = BulkRepair(policy, component, prove)
            for _ in range(500):
                octets = b"q=" + b"".join(chance.choices(MANY, k=chance.choice((1, 2, 40))))
                at_once, stepwise = Collector(Limits()), Collector(Limits())
                repaired, steps = bulk.repair(octets, at_once), bulk.repairing(octets, stepwise)
                reached.add(len(taken := list(_results(steps))))
                assert taken[-1] == repaired, octets
                assert stepwise.findings == at_once.findings, octets
                assert stepwise.truncated == at_once.truncated, octets
    assert reached == {1, 2, 3, 4}  # the steps after which a repair can end


def _results(steps: Steps[bytes | None]) -> Iterator[bytes | None]:
    """Yield None for each step, and then the result."""
    yield (yield from steps)


PATHS: Final = [
    pytest.param(Policy.STANDARD, b"/a b/{c|d}[0]", b"/a%20b/%7Bc%7Cd%7D%5B0%5D", id="illegal characters"),
    pytest.param(Policy.STANDARD, "/Größe".encode(), b"/Gr%C3%B6%C3%9Fe", id="raw octets"),
    pytest.param(Policy.STANDARD, b"/%c3%a4%7Ex", b"/%C3%A4~x", id="escapes that are not canonical"),
    pytest.param(Policy.STANDARD, b"/%61bc", b"/abc", id="an escaped letter that begins a segment"),
    pytest.param(
        Policy.STANDARD.allowing(Kind.SPELLING), b"/%61bc", None, id="an escaped letter that may stay"
    ),
    pytest.param(Policy.STANDARD, b"/%63on", None, id="an escaped letter of a device"),
    pytest.param(Policy.STANDARD, b"/a?b", None, id="a delimiter that is also reported if escaped"),
    pytest.param(Policy.LENIENT, b"/100% x", b"/100%25%20x", id="a stray percent sign"),
    pytest.param(Policy.LENIENT, b"/100%25 x", b"/100%25%20x", id="a percent sign of data"),
    pytest.param(Policy.LENIENT, b"/%%32B", None, id="an octet that would complete an escape"),
    pytest.param(
        Policy.LENIENT.allowing(Kind.SPELLING), b"/%%33%41", None, id="a repair that escapes an escape"
    ),
]


@pytest.mark.parametrize(("policy", "path", "expected"), PATHS)
def test_bulk_repair_returns_the_edited_path_or_none(
    policy: Policy, path: bytes, expected: bytes | None
) -> None:
    assert bulk_repair(policy, Component.PATH, path) == expected
    normalizer = Normalizer(policy)
    assert normalizer.normalize(Target(path)) == normalizer.examine(Target(path))


@pytest.mark.parametrize("length", [510, 511, 512, 1023, 1024, 2000])
def test_text_of_any_length_is_escaped_to_its_end(length: int) -> None:
    text = ("a" + "\u00e4" * length)[:length]
    outcome = Normalizer(Policy.STANDARD.limiting(octets=1 << 16)).normalize(
        Target(query=f"q={text}".encode())
    )
    assert isinstance(outcome, Accepted)
    assert outcome.target.query == f"q={quote(text)}".encode()


MANY = [
    b" a",
    b"%zz-",
    b"%-",
    b"%a%",
    b"% %C3%84",
    b"|;",
    b"\xc3\xa4-",
    b"\xc3\xa4 ",
    b"%7E-",
    b"a b%c3%a4+",
    b"; ",
    b"%u12\xc3\xa4-",
    b"%u123+",
]


@together("piece", MANY, ids=str)
@together("count", [1, 31, 32, 33, 200])
@together("policy", [Policy.STANDARD, Policy.LENIENT, RESPELLING], ids=str)
def test_the_findings_equal_those_of_the_full_judgement(policy: Policy, piece: bytes, count: int) -> None:
    normalizer = Normalizer(policy)
    for target in (
        Target(query=b"q=" + piece * count),
        Target(b"/" + piece * count),
        Target(b"/" + piece * 20, b"q=" + piece * count),
        Target(query=b"first=1&q=" + piece * count + b"&last=" + piece),
    ):
        outcome = normalizer.examine(target)
        assert normalizer.normalize(target) == outcome
        assert isinstance(outcome, Accepted | Rejected)


PLACES: Final = [
    b";a=1",
    b"&a;b=1",
    b"a;=1&b;=2&c=3",
    b"abc;",
    b"q=1&abc;",
    b"a;&",
    b"a=;&b=;&c=1&d=;&",
    b"\xc3\xa4",
]
"""Queries with faults at the first and last octets of the query and of its pairs."""


@pytest.mark.parametrize("query", [*PLACES, b";" + b"a;" * 40, b"\xc3\xa4" + b"a\xc3\xa4" * 40], ids=ascii)
def test_findings_at_the_ends_of_pairs_equal_those_of_the_full_judgement(query: bytes) -> None:
    outcome = Normalizer().examine(Target(query=query))
    assert outcome.findings
    assert Normalizer().normalize(Target(query=query)) == outcome
    collector, prove = Collector(Limits()), proof(Policy.STANDARD, Component.QUERY).fullmatch
    assert BulkRepair(Policy.STANDARD, Component.QUERY, prove).repair(query, collector) is not None
    assert (tuple(collector.findings), collector.truncated) == (outcome.findings, outcome.truncated)


@pytest.mark.parametrize(
    ("component", "octets"),
    [
        (Component.PATH, b"/" + b"a%7e" * 40),
        (Component.PATH, b"/" + b" a" * 40),
        (Component.QUERY, b"a;" * 40),
        (Component.QUERY, b"a\xc3\xa4" * 40),
    ],
    ids=ascii,
)
def test_findings_that_cannot_be_kept_are_left_out(component: Component, octets: bytes) -> None:
    prove = proof(Policy.STANDARD, component).fullmatch
    collector = Collector(Limits())
    assert BulkRepair(Policy.STANDARD, component, prove).repair(octets, collector) is not None
    assert (len(collector.findings), collector.truncated) == (32, True)


def test_a_character_of_two_kinds_is_not_repaired_in_bulk(monkeypatch: pytest.MonkeyPatch) -> None:
    check = Kind.SEMICOLON.check
    bare = {**check.bare, Component.QUERY: Characters.of(";|")}
    monkeypatch.setattr(Kind.SEMICOLON, "check", replace(check, bare=bare))
    bulk = BulkRepair(Policy.STANDARD, Component.QUERY, proof(Policy.STANDARD, Component.QUERY).fullmatch)
    assert bulk.repair(b"q=a|b", Collector(Limits())) is None
    assert bulk.repair(b"q=50%", Collector(Limits())) == b"q=50%25"


# Each row: a kind, a pattern for it that has no trigger, octets whose repair must be left to the engine, and
# other octets.
UNTRIGGERED: Final = [
    # A proof of the respelled path says nothing about the escape.
    pytest.param(Kind.PATH_PARAMETER, Component.PATH, b"%78", b"/%78", b"/a%7E", id="a path"),
    # The octet before the escape decides, so not every escape that the repair writes is faulty.
    pytest.param(Kind.EMPTY_NAME, Component.QUERY, b"b%7C", b"q=b|", b"q=c|", id="a query"),
]


@pytest.mark.parametrize(("kind", "component", "pattern", "left", "other"), UNTRIGGERED)
def test_a_row_without_a_trigger_is_found_in_escapes(  # noqa: PLR0917 - a row of the table
    monkeypatch: pytest.MonkeyPatch,
    kind: Kind,
    component: Component,
    pattern: bytes,
    left: bytes,
    other: bytes,
) -> None:
    policy = Policy.STANDARD.rejecting(kind)
    monkeypatch.setattr(kind, "check", replace(kind.check, trigger=None, patterns={component: pattern}))
    bulk = BulkRepair(policy, component, proof(policy, component).fullmatch)
    assert bulk.repair(left, Collector(Limits())) is None
    assert bulk.repair(other, Collector(Limits())) is not None


@pytest.mark.parametrize("preset", [Policy.STRICT, Policy.STANDARD, Policy.LENIENT], ids=str)
@pytest.mark.parametrize("accepted", [Characters(()), Characters.of("ä"), Characters.of("a")], ids=str)
def test_proofs_of_very_narrow_ranges_accept_only_clean_values(preset: Policy, accepted: Characters) -> None:
    normalizer = Normalizer(preset.accepting(accepted))
    for value in (b"", b"a", b"b", b"%C3%A4", b"%61", b"&", b"=", b"a=a&a"):
        if normalizer.is_clean(b"/", value):
            outcome = normalizer.examine(Target(query=value))
            assert isinstance(outcome, Accepted)
            assert not outcome.findings


ONLY = {
    kind: Policy.LENIENT.repairing(Kind.SPELLING).allowing(
        *(
            other
            for other in Kind
            if other not in {kind, Kind.SPELLING}
            and Action.ALLOW in other.check.actions.get(Component.PATH, ())
        ),
        on=Component.PATH,
    )
    for kind in Kind
    if Component.PATH in kind.check.presets
}
"""For each kind of a path, a policy that allows every other kind that can be allowed."""


@pytest.mark.parametrize("kind", ONLY, ids=lambda kind: kind.slug)
def test_every_row_reads_an_escape_of_an_unreserved_character_as_that_character(kind: Kind) -> None:
    # The proof reads the respelled text. So no row may find in an escape what it does not find in the bare
    # character.
    policies = [Policy.STANDARD, Policy.LENIENT, ONLY[kind]]
    check = kind.check
    written = [b"/%2e/a%7e", b"/a/%2E%2e", b"/%%33B", b"/%%32B", b"/%%7e", b"/%7e%"]
    for octets in (check.example[Component.PATH], check.near_miss[Component.PATH]):
        written.append(octets)
        for place, octet in enumerate(octets[:64]):
            if octet in UNRESERVED:
                for escape in (b"%%%02X" % octet, b"%%%02x" % octet):
                    written += [octets[:place] + escape + octets[place + 1 :], octets + b"/" + escape + b"a"]
    for policy in policies:
        normalizer = Normalizer(policy)
        for path in written:
            assert normalizer.normalize(Target(path)) == normalizer.examine(Target(path)), path


def test_very_many_different_escapes_that_are_not_canonical_are_repaired_in_a_path() -> None:
    text = "".join(map(chr, range(0x100, 0x800, 7)))
    path = quote(text).encode().lower()
    found = Normalizer(Policy.LENIENT.repairing(Kind.SPELLING)).normalize(Target(b"/" + path))
    assert isinstance(found, Accepted)
    assert found.target.path == b"/" + quote(text).encode()
