"""The fields that the engine needs in a row:

a row without them cannot be made, and their contents are correct.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable
from dataclasses import fields, replace
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

import postel
from postel import Characters, Component, Kind, Limits, Normalizer, Policy, Target
from postel._alphabet.percent import percent_decode
from postel._alphabet.text import text_of
from postel._catalogue.cells import actions, characters, octets, presets
from postel._catalogue.check import Check, Family, Repair
from postel._catalogue.completeness import require_complete
from postel._catalogue.kinds import hidden_in
from postel._catalogue.patterns import COMPOSING
from postel._catalogue.repairs import remove
from postel._catalogue.views import View, views
from postel._http.header_names import KEYS, NAMED, doubtful_names
from postel._http.recovery import encoded_path
from postel._normalizer.proof import proof
from postel._normalizer.scanner import Scanner
from postel._policy.rules import COMPONENTS
from together import together

PATH, QUERY, FORM, *_ = Component
SOURCES: Final = Path(postel.__file__).parent
TESTS: Final = Path(__file__).parents[1]

# -- a row that lacks something cannot be made ---------------------------------------------------------------

TRIGGER: Final = "give a trigger: each first octet of the fault, and a pattern that matches after it"
EMPTY: Final = (
    "trigger is empty, so is_clean would accept the fault: leave it out if patterns describe the fault, "
    f"or {TRIGGER}"
)
REPAIRED_BY: Final = (
    "found_by is empty: name the module that repairs the fault, set escapes, or use to_slashes"
)
FOUND_BY: Final = "found_by is empty: name the module whose code finds the fault"


def _nothing(_: bytes) -> Iterable[tuple[int, int]]:
    return ()


# Each row: the kind whose row is changed, the change, and the error.
LACKING: Final = [
    pytest.param(
        Kind.TAB, {"escaped": characters(path="\t")},
        "say what is faulty in query, form: bare and escaped, or patterns and text", id="no characters",
    ),
    pytest.param(
        Kind.DOT_SEGMENT, {"patterns": {}, "text": {}},
        "say what is faulty in path: bare and escaped, or patterns and text", id="no pattern of a segment",
    ),
    pytest.param(
        Kind.DEVICE_NAME, {"patterns": {}, "text": {}, "bare": characters(path=":")},
        "segments occur in the path only: give patterns and text for it", id="characters for a segment",
    ),
    pytest.param(Kind.MISSING_SLASH, {"patterns": {}}, "give patterns for path", id="no pattern of a target"),
    pytest.param(
        Kind.RAW_NON_ASCII, {"patterns": octets(path=b"x")}, "give patterns for query, form",
        id="a spelling of pairs without patterns",
    ),
    pytest.param(
        Kind.EMPTY_NAME, {"patterns": octets(query=b"=")},
        "give patterns for form, a function find, or the code in found_by", id="no pattern for forms",
    ),
    pytest.param(
        Kind.EMPTY_NAME, {"patterns": {}, "find": _nothing, "trigger": None}, TRIGGER,
        id="a function without a trigger",
    ),
    pytest.param(Kind.EMPTY_PAIR, {"trigger": None}, TRIGGER, id="code without a trigger"),
    pytest.param(Kind.NOT_NFC, {"one_of": Characters(())}, TRIGGER, id="a kind of text without a trigger"),
    pytest.param(Kind.NOT_NFC, {"found_by": ""}, FOUND_BY, id="a kind of text without code"),
    pytest.param(
        Kind.EMPTY_PAIR, {"found_by": "", "find": _nothing},
        "edits of structure need code: name its module in found_by, or list no edit except drop-pair",
        id="a function for a kind with a repair",
    ),
    pytest.param(
        Kind.DOT_SEGMENT, {"family": Family.PAIR}, "pairs occur in queries and forms only",
        id="pairs in a path",
    ),
    pytest.param(Kind.UNKNOWN_HOST, {"found_by": ""}, FOUND_BY, id="a field without code"),
    pytest.param(
        Kind.UNDERSCORE_HEADER, {"names": frozenset({b"X-User"})},
        "write names in lower case with hyphens", id="a name in upper case",
    ),
    pytest.param(
        Kind.UNKNOWN_HOST, {"names": frozenset({b"host"})},
        "only rows of the component headers have names, but presets has host",
        id="names in a component other than headers",
    ),
    pytest.param(Kind.LONG_FORM, {"found_by": ""}, FOUND_BY, id="a message kind without code"),
    pytest.param(Kind.SPELLING, {"found_by": ""}, FOUND_BY, id="a spelling without code"),
    pytest.param(
        Kind.SEMICOLON, {"repair": Repair(summary="gone", replacement=remove)}, REPAIRED_BY,
        id="a repair of a character without code",
    ),
    pytest.param(Kind.DOT_SEGMENT, {"found_by": ""}, REPAIRED_BY, id="a repair of a segment without code"),
    pytest.param(
        Kind.LONG_NAME, {"limit": ""}, "give limit in rows of the family limit, and in no others",
        id="a limit without its name",
    ),
    pytest.param(
        Kind.LONG_FORM, {"limit": "octets"}, "give limit in rows of the family limit, and in no others",
        id="a limit of another family",
    ),
    pytest.param(
        Kind.LONG_NAME, {"slug": ""},
        "slug is '': write 'long-name', the name of the member in lower case with hyphens", id="no slug",
    ),
    pytest.param(
        Kind.LONG_NAME, {"slug": "long_name"},
        "slug is 'long_name': write 'long-name', the name of the member in lower case with hyphens",
        id="a slug with underscores",
    ),
    pytest.param(
        Kind.TAB, {"summary": ""}, "summary is empty: say what is wrong in a few words", id="no summary"
    ),
    pytest.param(
        Kind.TAB, {"summary": " "}, "summary is empty: say what is wrong in a few words",
        id="a blank summary",
    ),
    pytest.param(
        Kind.TAB, {"summary": "a TAB."},
        "summary is 'a TAB.': write it without blanks around it and without a full stop",
        id="a summary that is a sentence",
    ),
    pytest.param(
        Kind.TAB, {"reference": ""},
        "reference is empty: name the section of a standard, the CVE or the CWE", id="no reference",
    ),
    pytest.param(
        Kind.SPELLING, {"repair": Repair(summary="")},
        "the summary of repair is empty: say what the repair does in a few words",
        id="a repair without words",
    ),
    pytest.param(
        Kind.TAB, {"if_allowed": ""},
        "if_allowed is '': say in a sentence what a deployer must guarantee", id="no sentence for if_allowed",
    ),
    pytest.param(
        Kind.TAB, {"if_edited": "Nobody minds"},
        "if_edited is 'Nobody minds': say in a sentence what a deployer must guarantee",
        id="no sentence in if_edited",
    ),
    pytest.param(
        Kind.ENCODED_BACKSLASH, {"if_preserved": ""},
        "if_preserved is '': say in a sentence what a deployer must guarantee",
        id="no sentence for if_preserved",
    ),
    pytest.param(
        Kind.BACKSLASH, {"if_preserved": "Never."},
        "if_preserved is 'Never.': leave it empty, because actions do not list preserve",
        id="if_preserved without a use",
    ),
    pytest.param(
        Kind.MISSING_SLASH, {"if_allowed": "Never."},
        "if_allowed is 'Never.': leave it empty, because actions do not list allow or report",
        id="if_allowed without a use",
    ),
    pytest.param(
        Kind.LONG_FORM, {"presets": {}, "actions": {}, "example": {}, "near_miss": {}, "if_allowed": ""},
        "presets is empty: name the components in which the kind is detected", id="no component",
    ),
    pytest.param(
        Kind.MISSING_SLASH, {"near_miss": octets(path=b"a/b")},
        "example and near_miss are the same in path: only the example may have the fault",
        id="a near miss equal to the example",
    ),
    pytest.param(
        Kind.EMPTY_NAME, {"patterns": {}, "find": _nothing, "trigger": {}}, EMPTY, id="empty trigger, find",
    ),
    pytest.param(Kind.NOT_NFC, {"trigger": {}}, EMPTY, id="empty trigger, text"),
    pytest.param(Kind.PATH_PARAMETER, {"trigger": {}}, EMPTY, id="empty trigger, segments"),
    pytest.param(Kind.TAB, {"trigger": {}}, EMPTY, id="empty trigger, characters"),
    pytest.param(Kind.SPELLING, {"trigger": {}, "in_proof": False}, EMPTY, id="empty trigger, spelling"),
    pytest.param(
        Kind.SPELLING, {"trigger": {b"%": b""}}, "give a trigger or in_proof, not both",
        id="both a trigger and in_proof",
    ),
    pytest.param(
        Kind.EMPTY_NAME, {"patterns": {}, "find": _nothing, "trigger": None, "in_proof": True},
        "proofs do not exclude faults of the family pair: remove in_proof", id="a function in a proof",
    ),
    pytest.param(
        Kind.DEVICE_NAME, {"trigger": None, "in_proof": True},
        "proofs do not exclude faults of the family segment: remove in_proof", id="segments in a proof",
    ),
    pytest.param(
        Kind.DOUBLE_ESCAPE, {"trigger": None, "in_proof": True},
        "in_proof needs text whose only keys are '%' and ill-formed octets: remove in_proof",
        id="text in a proof",
    ),
    pytest.param(
        Kind.TAB, {"in_proof": True},
        "in_proof needs text whose only keys are '%' and ill-formed octets: remove in_proof",
        id="characters in a proof",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "changes", "message"), LACKING)
def test_a_row_without_what_the_engine_needs_is_refused(
    kind: Kind, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(f'Kind.{kind.name}: {message}')}$"):
        require_complete(replace(kind.check, **changes), kind.name)


# What follows a percent sign in a trigger, and whether this can only be an escape of ASCII.
FOLLOWING: Final = {
    b"25": True,
    b"[46][13]": True,
    b"7(?<=x)": True,
    b"25|[46][13]": True,
    b"[0-9]": False,
    b"[^0]": False,
    b"8": False,
    b"25|8": False,
    b"[Cc]3": False,
    b"": False,
    b"(?:25)": False,
    b"(?<=/%)25": False,
    b"2?C": False,
    b"2*C": False,
    b"2{0,1}C": False,
    b"[23]?C": False,
    b"[23]*C": False,
    b"2+": True,
}


@pytest.mark.parametrize(("pattern", "only"), FOLLOWING.items())
def test_a_trigger_behind_a_percent_sign_is_about_escapes_of_ascii(pattern: bytes, only: bool) -> None:
    row = replace(Kind.DOUBLE_ESCAPE.check, trigger={b"%": pattern})
    if only:
        require_complete(row, "DOUBLE_ESCAPE")
    else:
        with pytest.raises(ValueError, match=r"must begin with a digit from 0 to 7; else give one_of$"):
            require_complete(row, "DOUBLE_ESCAPE")


def test_a_header_kind_needs_no_code() -> None:
    row = replace(Kind.UNDERSCORE_HEADER.check, names=frozenset({b"x-user"}), found_by="")
    require_complete(row, "UNDERSCORE_HEADER")


def _structural(**changes: Any) -> Check:
    """Return a row about the structure of pairs, as a contributor might add it."""
    return Check(
        **{
            "slug": "bang",
            "summary": "an exclamation mark in front of a pair",
            "family": Family.PAIR,
            "presets": presets(pairs="reject report report"),
            "actions": actions(pairs="allow report drop-pair reject"),
            "patterns": octets(pairs=rb"(?:\A|(?<=&))!"),
            "if_allowed": "Nobody minds.",
            "if_edited": "Nobody needs it.",
            "reference": "none",
            "example": octets(pairs=b"!a"),
            "near_miss": octets(pairs=b"a!"),
            **changes,
        }
    )


def test_a_pattern_is_its_own_trigger() -> None:
    follows = _structural().triggers(QUERY)[b""]
    assert re.match(follows, b"a=1&!b", re.DOTALL)
    assert not re.match(follows, b"a=1&b!", re.DOTALL)
    assert _structural(trigger={b"&": b"!", b"": b"!"}).triggers(QUERY) == {b"&": b"!", b"": b"!"}
    assert _structural().triggers(PATH) == {}


def test_a_kind_of_the_target_needs_no_trigger() -> None:
    assert Kind.ABSOLUTE_FORM.check.triggers(PATH) == {}


def test_a_structural_repair_needs_code() -> None:
    require_complete(_structural(), "BANG")
    row = _structural(actions=actions(pairs="allow report repair reject"), repair=Repair(summary="gone"))
    with pytest.raises(ValueError, match=r"^Kind\.BANG: edits of structure need code"):
        require_complete(row, "BANG")


# -- the contents of rows are correct ------------------------------------------------------------------------


def _matches(check: Check, component: Component, octets: bytes) -> bool:
    """Whether the pattern of a row matches: the pattern of text, or that of octets if there is no other."""
    if check.text:
        return re.search("|".join(check.text.values()), text_of(octets), re.DOTALL) is not None
    return re.search(check.patterns[component], octets, re.DOTALL) is not None


KINDS: Final = together("kind", Kind, ids=lambda kind: kind.slug)


@KINDS
def test_the_module_that_finds_a_kind_names_it(kind: Kind) -> None:
    if kind.check.found_by:
        source = (SOURCES / f"{kind.check.found_by}.py").read_text("utf-8")
        assert re.search(rf"\bKind\.{kind.name}\b", source)


@KINDS
def test_a_limit_names_a_field_of_limits(kind: Kind) -> None:
    assert not kind.check.limit or kind.check.limit in {each.name for each in fields(Limits)}


@KINDS
def test_proofs_exclude_the_faults_that_a_row_says_they_exclude(kind: Kind) -> None:
    # The widest proof, which bulk repair may use, accepts no text with the fault.
    check = kind.check
    if not check.in_proof or not check.patterns or check.family is Family.WRITING:
        return
    others = frozenset({Kind.MALFORMED_ESCAPE, Kind.RAW_NON_ASCII, Kind.SPELLING} - {kind})
    units = (b"%", b"u", b"4", b"1z", "\xe9".encode(), b"\xff", b"%C3%A9", b"%C3", b"%FF")
    for component in COMPONENTS[:3]:
        if component not in check.patterns:
            continue
        wide = proof(Policy.STANDARD.rejecting(kind, on=component), component, others)
        for many in range(1, 5):
            for each in product(units, repeat=many):
                text = b"/" + b"".join(each) if component is PATH else b"".join(each)
                assert not (wide.fullmatch(text) and _matches(check, component, text)), text


@KINDS
def test_no_proof_accepts_an_example(kind: Kind) -> None:
    # No proof may accept an example, whatever its trigger says. A function or pattern that finds more
    # than the trigger fails here.
    policy = Policy.LENIENT.accepting(postel.LATIN).limiting(segment=255)
    for component in (PATH, QUERY):
        by_row = kind.check.family not in {Family.LIMIT, Family.FIELD, Family.MESSAGE}
        if by_row and component in kind.check.presets:
            octets = kind.check.example[component]
            target = (octets, b"") if component is PATH else (b"/", octets)
            assert not Normalizer(policy.rejecting(kind, on=component)).is_clean(*target)


@KINDS
def test_a_row_has_a_pattern_that_finds_its_example(kind: Kind) -> None:
    check = kind.check
    for component in COMPONENTS[:3]:
        if component in check.patterns:
            assert _matches(check, component, check.example[component])
            assert not _matches(check, component, check.near_miss[component])
        if check.find is not None and component in check.presets:
            assert list(check.find(check.example[component]))
            assert not list(check.find(check.near_miss[component]))


def test_text_without_characters_that_may_compose_is_in_nfc() -> None:
    """Each of the other characters is a starter in NFC, and is the second half of no composed character."""
    halves = [unicodedata.decomposition(chr(point)).split() for point in range(sys.maxunicode + 1)]
    second = {int(each[1], 16) for each in halves if len(each) == 2 and not each[0].startswith("<")}
    jamo = {*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)}  # the Unicode Standard, section 3.12
    for first, last in COMPOSING.complement().ranges:
        points = range(first, last + 1)
        text = "".join(map(chr, points))
        assert not any(map(unicodedata.combining, text))
        assert all(unicodedata.is_normalized("NFC", character) for character in text)
        assert second.isdisjoint(points)
        assert jamo.isdisjoint(points)


# -- faults that a view of the request hides -----------------------------------------------------------------

HIDDEN_ANYWAY: Final = {
    Kind.ABSOLUTE_FORM: "servers remove the scheme and host before they decode",
    Kind.AUTHORITY_FORM: "servers add a slash in front",
    Kind.MISSING_SLASH: "servers add a slash in front",
    Kind.LEADING_SLASHES: "servers merge slashes in front",
    Kind.ENCODED_DELIMITER: "it may have been a bare semicolon or number sign",
    Kind.VIEWS_DISAGREE: "a decoded path alone is only one view",
}
"""Kinds whose pattern matches a decoded path, but that a decoded path still hides, and why."""


def _found(kind: Kind, path: bytes) -> bool:
    policy = Policy.STANDARD.rejecting(kind, on=PATH).limiting(segment=255)
    if kind is Kind.OUTSIDE_ACCEPTED_RANGE:
        policy = policy.accepting(postel.LATIN)
    return any(each.kind is kind for each in Normalizer(policy).examine(Target(path)).findings)


@KINDS
def test_a_decoded_path_hides_the_faults_that_it_no_longer_shows(kind: Kind) -> None:
    check = kind.check
    apart = kind in HIDDEN_ANYWAY or PATH not in check.presets
    if apart or not _found(kind, check.example[PATH]):
        assert (View.DECODED in check.hidden_in) is (kind in HIDDEN_ANYWAY)
        return
    shown_as = encoded_path(percent_decode(check.example[PATH]))
    assert (View.DECODED in check.hidden_in) is not _found(kind, shown_as)


def test_views_of_a_request_are_parsed_from_their_names() -> None:
    assert views("decoded merged") == {View.DECODED, View.MERGED}
    assert Kind.FRAGMENT in hidden_in(View.ESCAPED)
    with pytest.raises(ValueError, match="'somewhere' is not a valid View"):
        views("somewhere")


def test_only_kinds_of_a_path_are_hidden() -> None:
    assert all(PATH in kind.check.presets for view in View for kind in hidden_in(view))
    assert all(hidden_in(view) for view in View), "a view that hides nothing is not listed"


# -- kinds that a function finds -----------------------------------------------------------------------------


def _marks(octets: bytes) -> Iterable[tuple[int, int]]:
    return ((place, place + 1) for place, octet in enumerate(octets) if octet == ord("!"))


def test_a_scanner_takes_functions_beside_patterns_in_order() -> None:
    scanner = Scanner([Kind.EMPTY_NAME], rb"[^?!]*+(?:!(?:[^?!]*+))*+()(?:\?()|\Z)", finds={Kind.NUL: _marks})
    found = [(Kind.NUL, 1, 2), (Kind.EMPTY_NAME, 2, 3), (Kind.NUL, 4, 5)]
    assert scanner.scan(b"a!?b!") == found
    assert scanner.scan(b"a!?b!", 2) == found[1:]
    assert list(scanner.walk(b"a!?b!", kinds={Kind.NUL})) == [found[0], found[2]]
    assert scanner.present(b"a!?b!") == {Kind.NUL, Kind.EMPTY_NAME}
    assert scanner.present(b"a!?b!", 5) == set()
    assert scanner.first(b"a!?b!", 0, {Kind.EMPTY_NAME}) == found[1]


def test_kinds_without_a_target_have_their_own_tests() -> None:
    others = [each for each in TESTS.rglob("test_*.py") if each.parent.name != "_catalogue"]
    named = {*re.findall(r"[A-Z_]{3,}|[a-z-]{3,}", "".join(each.read_text("utf-8") for each in others))}
    kinds = [kind for kind in Kind if kind.check.family in {Family.FIELD, Family.MESSAGE}]
    assert [kind for kind in kinds if not kind.check.names and not named & {kind.name, kind.slug}] == []


@KINDS
def test_a_header_field_that_a_row_names_is_found(kind: Kind) -> None:
    check = kind.check
    for received, fires in ((check.example, True), (check.near_miss, False)) if check.names else ():
        found = {each for each, _ in doubtful_names(received[Component.HEADERS].split(b", "))}
        assert (kind in found) is fires


def test_header_fields_of_rows_have_keys() -> None:
    assert {name: kind for kind in Kind for name in kind.check.names} == NAMED
    assert [*KEYS.values()] == [*NAMED]


CHARACTERS: Final = [kind for kind in Kind if kind.check.family is Family.CHARACTER]


@pytest.mark.parametrize("kind", CHARACTERS, ids=str)
def test_no_pattern_of_characters_looks_behind(kind: Kind) -> None:
    """Matches are counted in the rest of a text, so a pattern cannot see what precedes the rest."""
    for pattern in kind.check.text.values():
        assert re.search(r"\(\?<[=!]|\\[AbB]", pattern) is None
