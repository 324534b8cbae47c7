"""``kinds``, ``explain`` and ``policy``: the catalogue and a policy, for people and for machines."""

from __future__ import annotations

import json
import re
from dataclasses import fields

import pytest

from postel import Action, Component, Kind, Limits, Policy, policy_table
from terminal import run
from together import together

BY_SETTING = {Component.COOKIE: "headers=", Component.LOCATION: "locations="}
PRESETS = {"strict": Policy.STRICT, "standard": Policy.STANDARD, "lenient": Policy.LENIENT}


def test_the_list_has_every_kind_in_every_component_with_every_preset() -> None:
    told = {
        (row[1], component, preset, action)
        for line in run("kinds").out.splitlines()[1:]
        for row in [re.fullmatch(r"(\S+) +(.*?) {2,}(\S+) +(\S+) +(\S+)", line)]
        if row
        for component in row[2].split(", ")
        for preset, action in zip(PRESETS, row.groups()[2:], strict=True)
    }
    assert told == {
        (
            kind.slug,
            component.value,
            preset,
            BY_SETTING.get(component, kind.check.presets[component][column].value),
        )
        for kind in Kind
        for component in kind.check.components
        for column, preset in enumerate(PRESETS)
    }


def test_the_json_list_has_the_explanation_of_each_kind() -> None:
    told = [json.loads(line) for line in run("kinds", "--json").out.splitlines()]
    assert [each["kind"] for each in told] == [kind.slug for kind in Kind]
    assert told == [
        json.loads(line) for line in run("explain", "--json", *(kind.slug for kind in Kind)).out.splitlines()
    ]
    for kind, each in zip(Kind, told, strict=True):
        assert list(each["components"]) == [component.value for component in kind.check.components]
        for component, row in each["components"].items():
            assert row["example"].encode("latin-1") == kind.check.example[Component(component)]
            assert {Action(action) for action in row["actions"]} == kind.check.actions[Component(component)]


@together("kind", Kind, ids=lambda kind: kind.slug)
def test_an_explanation_has_everything_that_the_row_has(kind: Kind) -> None:
    ended = run("explain", kind.slug)
    check = kind.check
    assert ended.code == 0
    assert max(map(len, ended.out.splitlines()[1:])) <= 88
    told = " ".join(ended.out.split())
    for text in (f"{kind.slug}: {check.summary}", check.reference):
        assert text in told
    for guarantee in filter(None, (check.if_allowed, check.if_edited, check.if_preserved)):
        assert f"you must guarantee: {guarantee}" in told
    assert check.repair is None or check.repair.summary in told
    for members in (*check.bare.values(), *check.escaped.values()):
        assert str(members).replace(",", ", ") in told
    for component in check.components:
        for action in check.actions[component]:
            assert action.value in told
    assert ("only in names" in told) is check.names_only
    assert f"family {check.family.value} " in told
    assert f" limit {check.limit} " in told or not check.limit
    hiding = ", ".join(sorted(view.value for view in check.hidden_in))
    assert (f" hidden in {hiding} " in told) is bool(hiding)
    for component, setting in BY_SETTING.items():
        ruled = f"set by the setting {setting} of the middleware, not by a policy"
        assert (ruled in told) is (component in check.components)
    is_also = kind in {Kind.NUL, Kind.CONTROL, Kind.ILL_FORMED_UTF8}
    assert ("also in cookie, referer: with the setting headers= of" in told) is is_also
    assert ("charset[q]=windows-1252 reads" in told) is (kind is Kind.ILL_FORMED_UTF8)


def test_both_spellings_of_a_kind_are_accepted() -> None:
    assert run("explain", "ENCODED_SLASH").out == run("explain", "encoded-slash").out


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("encoded-slsh", "did you mean 'encoded-slash'?"),
        ("all", "'postel kinds' lists them"),
        ("", "'postel kinds' lists them"),
        ("\x1b[2j", "'postel kinds' lists them"),
    ],
)
def test_a_typo_gets_a_hint(typed: str, hint: str) -> None:
    ended = run("explain", "nul", typed)
    assert (ended.code, ended.out) == (2, "")
    assert f"there is no kind {typed!a}; {hint}" in ended.err


def test_explain_requires_a_kind() -> None:
    assert run("explain", given=b"nul\n").code == 2


def test_kinds_takes_no_arguments() -> None:
    assert run("kinds", "nul").code == 2


@pytest.mark.parametrize(
    "text", ["standard", "lenient nul@query[a]=reject keep=last limit.pairs=5 accept@path=ascii"]
)
def test_a_policy_is_printed_as_its_table(text: str) -> None:
    ended = run("policy", text)
    assert ended.code == 0
    assert ended.out == policy_table(Policy.parse(text)) + "\n"


def test_policies_are_read_from_standard_input() -> None:
    ended = run("policy", given=b"strict\nlenient\n")
    assert ended.out == f"{policy_table(Policy.STRICT)}\n\n{policy_table(Policy.LENIENT)}\n"


def test_a_policy_without_its_quotes_is_explained() -> None:
    ended = run("policy", "standard", "nul=report")
    assert (ended.code, ended.out) == (2, "")
    assert "each argument is one policy; quote this one: 'standard nul=report'" in ended.err
    ended = run("policy", "standard", "nil=report")
    assert (ended.code, ended.out) == (2, "")
    assert "quote" not in ended.err


def test_a_policy_is_printed_as_json() -> None:
    policy = Policy.parse(
        'lenient nul@query[a,"b c"]=reject accept@path=ascii accept@query[q]=U+0041 limit.depth=7 '
        "charset[q]=windows-1252"
    )
    told = json.loads(run("policy", "--json", str(policy)).out)
    assert Policy.parse(told["policy"]) == policy
    assert told["kinds"]["nul"].keys() == {"path", "query", "form", "json"}
    assert told["kinds"]["malformed-host"] == {"host": "reject"}
    assert not {"repeated-cookie", "malformed-location"} & told["kinds"].keys()  # Settings cover them.
    for slug, actions in told["kinds"].items():
        for component, action in actions.items():
            assert Action(action) is policy.action(Kind.of(slug), Component(component))
    assert [each for each in told["names"] if each["component"] == "query"] == [
        {"kind": "nul", "component": "query", "name": "a", "action": "reject"},
        {"kind": "nul", "component": "query", "name": "b c", "action": "reject"},
    ]
    assert told["accept"] == [
        {"component": "path", "name": None, "characters": "U+0020-007E"},
        {"component": "query", "name": "q", "characters": "U+0041"},
    ]
    assert told["charsets"] == [{"name": "q", "charset": "windows-1252"}]
    assert told["limits"] == {field.name: getattr(policy.limits, field.name) for field in fields(Limits)}
    assert told["keep"] == "first"


@pytest.mark.parametrize(
    "argv", [["policy", "standard nil=allow"], ["check", "--policy", "standard nil=allow", "/"]]
)
def test_an_invalid_policy_is_shown_with_a_caret(argv: list[str]) -> None:
    ended = run(*argv)
    assert (ended.code, ended.out) == (2, "")
    assert "there is no kind 'nil'; did you mean 'nul'?\n  standard nil=allow\n           ^\n" in ended.err
