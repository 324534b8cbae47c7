"""Proofs compared with the full judgement, token by token: a proof accepts neither too much nor too little.

Law 2 only requires that a proof accepts nothing for which the full judgement has a finding. A proof that
accepts nothing would satisfy it, and make every request slow. So a proof must accept everything without
findings here, except for the named cases, each with the reason why a pattern cannot decide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import product
from typing import Final

import pytest

from postel import LATIN, Accepted, Action, Characters, Component, Kind, Limits, Normalizer, Policy, Target
from postel._alphabet.characters import ASCII
from postel._alphabet.percent import percent_decode
from postel._alphabet.spellings import Spelling
from postel._catalogue.patterns import COMPOSING
from postel._normalizer.bulk import _repairable
from postel._normalizer.engine import Engine
from postel._normalizer.findings import Collector
from postel._normalizer.proof import _of_ascii, _pattern, proof, settled_proof
from postel._normalizer.source_map import Mapped
from sampling import EVERY, sample

CHARACTERS: Final = (
    "\x80\x85\xa0\xad\xe9\xff\u0100\u0301\u07ff\u0800\u200b\u200d\u2028\u202e\u2044\u8d77\ud7ff\ue000\uff0f"
    "\ufdd0\ufeff\ufffd\uffff\U00010000\U0001f600\U0010ffff"
)
SYNTAX: Final = (
    *(
        b"/",
        b"//",
        b".",
        b"..",
        b"/..",
        b"/.",
        b"..;",
        b"a.",
        b".%2e",
        b"con",
        b"?",
        b"#",
        b"~",
        b";",
        b"&",
        b"&&",
    ),
    *(
        b"=",
        b"+",
        b"[",
        b"[]",
        b"%5B",
        b"%",
        b"%4",
        b"%25",
        b"%2541",
        b"%252F",
        b"%7E",
        b"%u00e9",
        b"\\",
        b"%2F",
    ),
)


def _tokens() -> Iterator[bytes]:
    """Yield octets and characters, bare and escaped, and syntax of two octets."""
    for octet in range(256):
        yield from (bytes([octet]), b"%%%02X" % octet, b"%%%02x" % octet)
    for character in CHARACTERS:
        octets = character.encode()
        yield octets
        yield b"".join(b"%%%02X" % octet for octet in octets)
        yield b"".join(b"%%%02x" % octet for octet in octets)
    yield b"e%CC%81"  # Not composed.
    for first in SYNTAX:
        yield first
        yield from (first + second for second in SYNTAX)


TOKENS: Final = sorted(set(_tokens()))


@cache
def texts(component: Component) -> tuple[bytes, ...]:
    """Return each token inside the component, at its beginning and at its end."""
    inside = b"/x" if component is Component.PATH else b"q=x"
    return tuple(each for token in TOKENS for each in (inside + token + b"x", token + b"x", b"/" + token))


Slow = Callable[[bytes], set[Kind] | None]


def slow_path(policy: Policy, component: Component) -> Slow:
    """Return the findings of the full judgement, or None if it refuses or edits without a finding."""
    if component is Component.FORM:
        return partial(_noted_in_form, Engine(policy, component))
    return partial(_noted, Normalizer(policy), component)


def _noted(normalizer: Normalizer, component: Component, octets: bytes) -> set[Kind] | None:
    target = Target(octets) if component is Component.PATH else Target(b"/", octets)
    outcome = normalizer.examine(target)
    kinds = {finding.kind for finding in outcome.findings}
    if kinds:
        return kinds
    same = isinstance(outcome, Accepted) and (outcome.target.path, outcome.target.query) == (
        target.path,
        target.query,
    )
    return kinds if same else None


def _noted_in_form(engine: Engine, octets: bytes) -> set[Kind] | None:
    collector, mapped = Collector(Limits()), Mapped(octets, Component.FORM)
    edited = engine.edit(mapped, engine.judge(mapped, collector), collector)
    kinds = {finding.kind for finding in collector.findings}
    return kinds if kinds or (edited is not None and edited.octets == octets) else None


Unknown = Callable[[bytes], bool]


def percent(octets: bytes) -> bool:
    """Under a policy that preserves escapes, a percent sign of data is shown as ``%25``."""
    return b"%25" in octets


def elsewhere(octets: bytes) -> bool:
    """A pattern applies a rule for one name to all names."""
    return not octets.startswith(b"q=")


def letter(octets: bytes) -> bool:
    """A segment begins like the name of a device, or with an escaped letter."""
    return re.search(rb"/(?:%(?:3[Aa]|[4-7])|con|:)", octets) is not None


def composing(octets: bytes) -> bool:
    """Only Unicode's tables, and no pattern, can tell whether text with these characters is composed."""
    text = percent_decode(octets).decode(errors="replace")
    return any(character in COMPOSING for character in text)


def of_what_is_escaped(octets: bytes) -> bool:
    """The proof reads a bare ``?`` in a path as the escaped delimiter that repair would write."""
    return octets.startswith(b"/") and b"?" in octets


ROWS: Final = [
    pytest.param(Policy.STRICT, (), id="strict"),
    pytest.param(Policy.STANDARD, (), id="standard"),
    pytest.param(Policy.LENIENT, (percent,), id="lenient"),
    pytest.param(Policy.STANDARD.preserving(Kind.ENCODED_SLASH), (percent,), id="preserving"),
    pytest.param(Policy.STANDARD.repairing(Kind.SPELLING), (), id="spelling"),
    pytest.param(Policy.STANDARD.accepting(LATIN), (), id="latin"),
    pytest.param(Policy.LENIENT.accepting(Characters.of("abcqx")), (percent,), id="few characters"),
    pytest.param(Policy.LENIENT.accepting(Characters.of("qx+")), (percent,), id="a plus"),
    pytest.param(Policy.STANDARD.accepting(Characters.of("\u00e9")), (), id="one letter"),
    pytest.param(Policy.STANDARD.accepting(LATIN, on=Component.QUERY), (), id="latin queries"),
    pytest.param(Policy.LENIENT.repairing(Kind.NOT_NFC), (percent, composing), id="composed"),
    pytest.param(
        Policy.LENIENT.rejecting(Kind.INVISIBLE, on=Component.QUERY, names=["q"]),
        (percent, elsewhere),
        id="a rule for a name",
    ),
]


COMPONENTS: Final = [Component.PATH, Component.QUERY, Component.FORM]


@EVERY
@pytest.mark.no_cover
@pytest.mark.parametrize(("policy", "unknown"), ROWS)
@pytest.mark.parametrize("component", COMPONENTS, ids=lambda each: each.value)
def test_a_proof_accepts_everything_without_findings(
    policy: Policy, unknown: tuple[Unknown, ...], component: Component, every: int
) -> None:
    slow = slow_path(policy, component)
    passes = proof(policy, component).fullmatch
    wrong, missed = [], []
    for octets in sample(texts(component), every):
        clean = slow(octets) == set()
        if passes(octets) is not None:
            wrong += [] if clean else [octets]
        elif clean and not any(each(octets) for each in (letter, *unknown)):
            missed.append(octets)
    assert (wrong, missed) == ([], [])


@pytest.mark.parametrize("policy", [Policy.STRICT, Policy.STANDARD, Policy.LENIENT], ids=str)
@pytest.mark.parametrize(("component", "left"), [(Component.PATH, b"%"), (Component.QUERY, rb"\[|%5[Bb]")])
def test_a_plain_proof_accepts_what_has_no_escape_or_bracket(
    policy: Policy, component: Component, left: bytes
) -> None:
    passes, plain = (proof(policy, component, plain=each).fullmatch for each in (False, True))
    for octets in texts(component):
        proven = passes(octets) is not None and re.search(left, octets) is None
        assert (plain(octets) is not None) is proven, octets


@pytest.mark.parametrize("policy", [Policy.STANDARD, Policy.LENIENT], ids=str)
@pytest.mark.parametrize("component", [Component.PATH, Component.QUERY], ids=lambda each: each.value)
def test_a_proof_before_repairs_accepts_exactly_what_is_repaired(
    policy: Policy, component: Component
) -> None:
    slow = slow_path(policy, component)
    repaired = frozenset(_repairable(policy, component))
    assert repaired
    passes = proof(policy, component, repaired).fullmatch
    unlike = []
    for octets in texts(component):
        if any(each(octets) for each in (percent, letter, of_what_is_escaped)):
            continue
        kinds = slow(octets)
        if (passes(octets) is not None) is not (kinds is not None and kinds <= repaired):
            unlike.append((octets, kinds))
    assert unlike == []


def quoted(character: str) -> str:
    """Escape a character."""
    return "".join(f"%{octet:02X}" for octet in character.encode())


DEVICES: Final = ("con", "prn", "aux", "nul", "com1", "LPT9", "com\u00b9", "conin$", "conout$", "c:", "::$")
SPELLINGS: Final[tuple[Callable[[str], str], ...]] = (
    str,
    str.swapcase,
    quoted,
    lambda c: quoted(c.swapcase()).lower(),
)
BEHIND: Final = (b"", b"/x", b".x", b":x", b";x", b" ", b"%2e", b"%3A")
SPELT: Final = {
    "canonical": Policy.STANDARD,
    "as it is": Policy.STANDARD.allowing(Kind.SPELLING),
    "with bare spaces": Policy.STANDARD.allowing(Kind.SPELLING, Kind.ILLEGAL_CHARACTER),
}


@pytest.mark.parametrize("policy", SPELT.values(), ids=list(SPELT))
@pytest.mark.parametrize("word", DEVICES)
def test_no_spelling_of_a_device_passes_the_proof(policy: Policy, word: str) -> None:
    passes = proof(policy, Component.PATH).fullmatch
    pattern = Kind.DEVICE_NAME.check.pattern(Component.PATH)
    assert pattern is not None
    device = re.compile(pattern)
    proven, seen = [], 0
    for letters in product(*({spell(c) for spell in SPELLINGS} for c in word)):
        name = "".join(letters).encode()
        for front, behind in product((b"/", b"/%26/"), BEHIND):
            octets = front + name + behind
            if device.match(octets, len(front)):
                seen += 1
                proven += [octets] if passes(octets) else []
    assert seen
    assert proven == []


# Segments that begin or end like names of devices.
NO_DEVICES: Final = [
    *("articles", "art", "cut", "pot", "all", "com", "comments", "contact", "console", "continue", "cont"),
    *("conin", "conout", "con-x", "con_x", "nut.html", "auxiliary", "prnx", "lptop", "nulls", "x.con"),
    *("$", "a$", "a$b", "in$x", "$n", "%24", "a%24b", "in%24x", "%C3%A9con", "con%5B", "%40con", "%5Ba"),
]
NOT_PROVEN: Final = {"com", "con%5B"}
"""The proof does not accept these, because it reads only the first three letters."""


@pytest.mark.parametrize("segment", NO_DEVICES)
def test_segments_that_are_not_devices_pass_the_proof(segment: str) -> None:
    normalizer = Normalizer(Policy.STANDARD)
    for path in (f"/{segment}", f"/a/{segment}/b", f"/{segment};x"):
        assert not normalizer.examine(Target(path.encode())).findings
        assert normalizer.is_clean(path.encode()) is (segment not in NOT_PROVEN)


def test_text_is_proven_if_the_policy_writes_replacement_characters() -> None:
    passes = proof(Policy.STANDARD.replacing(Kind.NUL), Component.QUERY).fullmatch
    for octets in (b"a=%C3%A4", b"a=%EF%BF%BD", b"%EF%BF%BD%C3%A4%EF%BF%BD=%e8%b5%b7%ef%bf%bd"):
        assert passes(octets), octets
    assert not passes(b"a=%EF%BF")
    of_range = proof(
        Policy.STANDARD.replacing(Kind.NUL).accepting(Characters.of("a\u00e4\ufffd")), Component.QUERY
    ).fullmatch
    assert of_range(b"a=%C3%A4%EF%BF%BD")
    assert not of_range(b"a=%EF%BF%BDXX%C3%A4")


def test_replacement_characters_in_lower_case_are_not_proven_if_spelling_is_judged() -> None:
    policy = Policy.LENIENT.replacing(Kind.NUL).repairing(Kind.SPELLING)
    passes = proof(policy, Component.QUERY).fullmatch
    assert passes(b"a=%EF%BF%BD")
    assert not passes(b"a=%ef%bf%bd")


def test_every_branch_of_a_trigger_is_tried_at_escapes_of_ascii() -> None:
    triggers = [b"4(?=2)", b"5[0-9](?=/)|2e(?=/)", b"(?:60|61)"]
    [step] = _of_ascii(Characters.of("ABCQR._`a"), Spelling.ESCAPED, triggers)
    passes = re.compile(b"(?:" + step + b"|/)*").fullmatch
    for octets in (b"%41%43", b"%51", b"%52%2E%2e%41", b"%5F/", b"%5f%43/"):
        assert passes(octets), octets
    # The case of the digits in a trigger does not matter.
    for octets in (b"%42", b"%51/", b"%41%52/", b"%2E/", b"%2e/", b"%60", b"%41%61"):
        assert not passes(octets), octets


def test_only_a_proof_for_the_decoded_view_fails_at_an_escaped_percent_sign() -> None:
    preserving, octets = Policy.STANDARD.preserving(Kind.ENCODED_SLASH), b"/100%25"
    assert proof(Policy.STANDARD, Component.PATH).fullmatch(octets)
    assert not proof(preserving, Component.PATH).fullmatch(octets)
    assert proof(preserving, Component.PATH, whole_view=False).fullmatch(octets)
    assert settled_proof(preserving, Component.PATH).fullmatch(octets)


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda each: each.value)
def test_a_proof_accepts_only_the_ascii_characters_of_a_range_and_delimiters(component: Component) -> None:
    passes = proof(Policy.LENIENT.accepting(Characters.of("abqx")), component).fullmatch
    inside, delimiters = (b"/x", "/") if component is Component.PATH else (b"q", "&=")
    proven = {each for each in ASCII.text() if passes(inside + each.encode() + b"x")}
    assert proven == {*"abqx", *delimiters}


UNTRIGGERED: Final = [
    pytest.param(Kind.PATH_PARAMETER, Component.PATH, b"/a/b", b"/a/b;c", id="a path"),
    pytest.param(Kind.EMPTY_NAME, Component.QUERY, b"a=1&b=2", b"a=1&=2", id="a query"),
    pytest.param(Kind.EMPTY_NAME, Component.FORM, b"a=1&b=2", b"a=1&=2", id="a form"),
]


@pytest.mark.parametrize(("kind", "component", "clean", "faulty"), UNTRIGGERED)
def test_a_row_without_a_trigger_is_searched_for_everywhere(
    monkeypatch: pytest.MonkeyPatch, kind: Kind, component: Component, clean: bytes, faulty: bytes
) -> None:
    monkeypatch.setattr(kind, "check", replace(kind.check, trigger=None))
    passes = proof(Policy.STANDARD.rejecting(kind), component).fullmatch
    assert passes(clean)
    assert not passes(faulty)
    assert proof(Policy.STANDARD.allowing(kind), component).fullmatch(faulty)


# -- kinds that only the values of some names have -----------------------------------------------------------

FOREIGN = Kind.FOREIGN_REFERENCE
LOCAL: Final = Policy.STANDARD.local(names=["next", "to"])
OF_NAMES: Final = [
    pytest.param(
        LOCAL,
        (b"next=/a&to=/b", b"x=//e", b"a=1&x=//e", b"nexts=//e", b"anext=//e", b"next&to=", b"next=/?a=//b"),
        (b"next=//e", b"to=//e", b"a=1&next=//e", b"a=1&to=//e&b=2", b"ne%78t=//e", b"a=1&t%6F=//e"),
        id="two names",
    ),
    pytest.param(
        LOCAL, (b"q=caf%C3%A9&next=/a", b"q=%2F%2F&x=%3D%26"), (b"x=%2F&%74o=//e",), id="escapes in values"
    ),
    pytest.param(
        Policy.STANDARD.local(names=["n*"]),
        (b"n=/a&next=/b", b"n%5B%5D=/b", b"next=/?a=//b"),
        (b"n=//e", b"next=//e", b"a=1&nn=//e"),
        id="a pattern",
    ),
    pytest.param(
        Policy.STANDARD.rejecting(FOREIGN),
        (b"a=/b&c", b"a%5B%5D=/b"),
        (b"a=//e", b"a=1&b=//e", b"%61=//e", b"a=1&%62=//e"),
        id="all names",
    ),
    pytest.param(
        Policy.STANDARD.rejecting(FOREIGN).reporting(FOREIGN, names=["a"]),
        (b"a=/b",),
        (b"a=//e", b"b=//e", b"a=1&b=//e"),
        id="all names, one of them reported",
    ),
    pytest.param(
        LOCAL.allowing(FOREIGN, names=["a"]).rejecting(Kind.INVISIBLE, names=["b"]),
        (b"a=//e&b=//e&next=/c",),
        (b"next=//e",),
        id="beside other rules",
    ),
    pytest.param(
        Policy.STANDARD.local(names=["next"], on=Component.QUERY).local(names=["to"], on=Component.FORM),
        (b"to=//e&next=/",),
        (b"next=//e",),
        id="beside a rule for forms",
    ),
]


@pytest.mark.parametrize(("policy", "clean", "doubtful"), OF_NAMES)
def test_a_proof_looks_into_the_values_of_the_names_in_the_rules(
    policy: Policy, clean: tuple[bytes, ...], doubtful: tuple[bytes, ...]
) -> None:
    passes, normalizer = proof(policy, Component.QUERY).fullmatch, Normalizer(policy)
    for query in clean:
        assert normalizer.examine(Target(query=query)) == Accepted(Target(query=query))
    assert [query for query in clean if not passes(query)] == []
    assert [query for query in doubtful if passes(query)] == []
    assert all(normalizer.examine(Target(query=query)).findings for query in doubtful)


# -- proofs that only reports are possible -------------------------------------------------------------------

RANGE = Kind.OUTSIDE_ACCEPTED_RANGE
KEPT = Policy.STANDARD.accepting(LATIN, on=Component.QUERY)
SETTLED = [
    pytest.param(KEPT, b"a=%E8%B5%B7", False, id="a range that drops pairs"),
    pytest.param(KEPT.reporting(RANGE), b"a=%E8%B5%B7", True, id="a range that is reported"),
    pytest.param(
        KEPT.reporting(RANGE).rejecting(RANGE, names=["a"], on=Component.QUERY),
        b"a=%E8%B5%B7",
        False,
        id="a range that a rule for names refuses",
    ),
    pytest.param(Policy.STANDARD, b"a=%E2%80%AE&=1", True, id="reported kinds"),
    pytest.param(Policy.STANDARD.rejecting(Kind.EMPTY_NAME), b"=1", False, id="a refused kind"),
    pytest.param(
        Policy.STANDARD.rejecting(Kind.BIDI_CONTROL, names=["a"]),
        b"a=%E2%80%AE",
        False,
        id="a rule for names that refuses",
    ),
    pytest.param(
        Policy.STANDARD.reporting(Kind.BIDI_CONTROL, names=["a"]),
        b"a=%E2%80%AE",
        True,
        id="a rule for names that reports",
    ),
    pytest.param(
        Policy.STANDARD.rejecting(Kind.BIDI_CONTROL).reporting(Kind.BIDI_CONTROL, names=["a"]),
        b"a=%E2%80%AE",
        False,
        id="a rule for names that reports a refused kind",
    ),
]


@pytest.mark.parametrize(("policy", "query", "is_settled"), SETTLED)
def test_a_component_is_settled_if_only_reports_are_possible(
    policy: Policy, query: bytes, is_settled: bool
) -> None:
    assert (settled_proof(policy, Component.QUERY).fullmatch(query) is not None) is is_settled
    found = Normalizer(policy).examine(Target(query=query)).findings
    assert {each.action for each in found} == {Action.REPORT} or not is_settled


@pytest.mark.parametrize("control", [b"\t", b"\x01", b"\x7f"])
@pytest.mark.parametrize("component", [Component.PATH, Component.QUERY, Component.FORM])
def test_bare_controls_are_proven_if_the_policy_allows_them(component: Component, control: bytes) -> None:
    octets = b"/" * (component is Component.PATH) + b"a" + control
    assert proof(Policy.STANDARD, component).fullmatch(octets) is None
    assert proof(Policy.STANDARD.allowing(Kind.CONTROL), component).fullmatch(octets)
    assert settled_proof(Policy.STANDARD.reporting(Kind.CONTROL), component).fullmatch(octets)
    assert settled_proof(Policy.STANDARD.dropping(Kind.CONTROL), component).fullmatch(octets) is None


def test_a_pattern_without_steps_accepts_only_plain_octets() -> None:
    pattern = re.compile(_pattern(Component.QUERY, Characters.of("a"), {}, []))
    assert [octets for octets in (b"", b"aa", b"ab", b"XXXX", b"aXXXX") if pattern.fullmatch(octets)] == [
        b"",
        b"aa",
    ]
