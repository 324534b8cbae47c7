"""The table of a policy: its contents, and the marks for differences from the preset."""

from __future__ import annotations

import pytest
from hypothesis import given

from laws.strategies import policies
from postel import Kind, Policy, policy_table
from postel._policy.rules import COMPONENTS

RULED = COMPONENTS


def sections(policy: Policy) -> list[list[str]]:
    return [section.split("\n") for section in policy_table(policy).split("\n\n")]


@pytest.mark.no_cover
@given(policies())
def test_the_table_has_every_action_and_marks_differences(policy: Policy) -> None:
    [[text], [head, *rows], *_] = sections(policy)
    assert text == str(policy)
    assert head.split() == ["kind", *(each.value for each in RULED)]
    preset = Policy.parse(text.split()[0])
    ruled = [kind for kind in Kind if set(RULED) & set(kind.check.components)]
    for kind, row in zip(ruled, rows, strict=True):
        slug, *cells = row.split()
        assert slug == kind.slug
        for component, cell in zip(RULED, cells, strict=True):
            if component in kind.check.presets:
                action = policy.action(kind, component)
                marked = action is not preset.action(kind, component)
                assert cell == action.value + ("*" if marked else "")
            else:
                assert cell == "-"


@given(policies())
def test_lines_are_printable_ascii(policy: Policy) -> None:
    assert all(line.isascii() and line.isprintable() for line in policy_table(policy).split("\n"))


def test_a_preset_has_no_marks() -> None:
    for preset in (Policy.STRICT, Policy.STANDARD, Policy.LENIENT):
        assert "*" not in policy_table(preset).replace("utm_*", "")


RULES = [
    pytest.param(
        "standard",
        [
            "ill-formed-utf8 in query, form: drop-pair where the name is",
            "  utm_*, gclid, gbraid, wbraid, dclid, fbclid, msclkid, ttclid, twclid, yclid,",
            "  igshid, mc_cid, mc_eid, _ga, _gl",
        ],
        id="rules of the preset",
    ),
    pytest.param(
        'strict nul[a,b]=allow nul@form[c]=drop nul@query["c d"]=drop',
        [
            "nul in query: allow* where the name is",
            "  a, b",
            "nul in query: drop* where the name is",
            '  "c d"',
            "nul in form: allow* where the name is",
            "  a, b",
            "nul in form: drop* where the name is",
            "  c",
        ],
        id="different rules for query and form",
    ),
    pytest.param(
        "strict nul[a*]=allow nul[ab]=drop nul[b*]=allow",
        [
            "nul in query, form: allow* where the name is",
            "  a*",
            "nul in query, form: drop* where the name is",
            "  ab",
            "nul in query, form: allow* where the name is",
            "  b*",
        ],
        id="in order, because the last one applies",
    ),
    pytest.param(
        "strict accept@path=latin accept@query[q]=ascii accept@form[a,b]=U+0041-005A,U+00E4",
        [
            "accepted in path, and nothing else*",
            "  latin",
            "accepted in query where the name is q, and nothing else*",
            "  ascii",
            "accepted in form where the name is a, and nothing else*",
            "  U+0041-005A, U+00E4",
            "accepted in form where the name is b, and nothing else*",
            "  U+0041-005A, U+00E4",
        ],
        id="ranges",
    ),
    pytest.param(
        "strict charset[q,p]=latin1 charset[old_*]=koi8-r",
        [
            "charset in query: windows-1252* where the name is",
            "  q, p",
            "charset in query: koi8-r* where the name is",
            "  old_*",
        ],
        id="charsets",
    ),
]


@pytest.mark.parametrize(("text", "lines"), RULES)
def test_the_table_shows_rules_ranges_and_charsets(text: str, lines: list[str]) -> None:
    assert sections(Policy.parse(text))[2] == lines


def test_the_table_shows_limits_and_marks_differences() -> None:
    table = sections(Policy.parse("strict limit.pairs=10 keep=last"))
    assert table[-2] == [
        "limit.octets      8192",
        "limit.segments    256",
        "limit.segment     none",
        "limit.pairs       10*",
        "limit.name        2048",
        "limit.value       8192",
        "limit.form-value  65536",
        "limit.depth       32",
        "limit.fields      1000",
        "limit.field       32768",
        "keep              last*",
    ]
    assert table[-1] == ["* differs from strict"]


def test_a_name_as_long_as_a_line_is_not_broken() -> None:
    long = "n" * 90
    [*_, rules, _, _] = sections(Policy.parse(f"strict nul@query[a,{long},b]=allow"))
    assert rules == ["nul in query: allow* where the name is", "  a,", f"  {long},", "  b"]


def test_a_range_without_characters_is_named() -> None:
    lines = policy_table(Policy.parse("standard accept@query[q]=none")).split("\n")
    place = next(number for number, line in enumerate(lines) if line.startswith("accepted in query"))
    assert lines[place + 1].strip() == "none"
