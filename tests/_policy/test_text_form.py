"""The text form of policies:

the meaning of each clause, how a policy is written, and a caret under every fault.
"""

from __future__ import annotations

from typing import Final

import pytest

from postel import ASCII, LATIN, Characters, Component, Kind, Policy, PolicyError

PATH, QUERY, FORM = Component.PATH, Component.QUERY, Component.FORM
S: Final = Policy.STANDARD

# Each row: a text, its policy, and how the policy is written; None if it is written like the text.
READ: Final = [
    pytest.param("standard", S, None, id="a preset"),
    pytest.param("strict", Policy.STRICT, None, id="another preset"),
    pytest.param(" LENIENT\n", Policy.LENIENT, "lenient", id="a preset in upper case, with spaces around"),
    pytest.param("standard encoded-slash=preserve", S.preserving(Kind.ENCODED_SLASH), None, id="an action"),
    pytest.param(
        "Standard  Encoded-Slash=PRESERVE\t\n",
        S.preserving(Kind.ENCODED_SLASH),
        "standard encoded-slash=preserve",
        id="words in any case",
    ),
    pytest.param("standard nul@query=drop", S.dropping(Kind.NUL, on=QUERY), None, id="on one component"),
    pytest.param(
        "standard nul@query,path=drop",
        S.dropping(Kind.NUL, on=[QUERY, PATH]),
        "standard nul@path,query=drop",
        id="on two components",
    ),
    pytest.param(
        "standard nul=drop",
        S.dropping(Kind.NUL),
        None,
        id="without a component",
    ),
    pytest.param(
        "standard nul@path,query,form=drop",
        S.dropping(Kind.NUL),
        "standard nul=drop",
        id="on all components that support it",
    ),
    pytest.param(
        "standard nul@query[q]=drop",
        S.dropping(Kind.NUL, on=QUERY, names=["q"]),
        None,
        id="by name",
    ),
    pytest.param(
        "standard nul[q,utm_*]=drop",
        S.dropping(Kind.NUL, names=["q", "utm_*"]),
        "standard nul@query,form[q]=drop nul@query,form[utm_*]=drop",
        id="by names",
    ),
    pytest.param(
        'standard nul@query["a b\\"c\\\\",q]=drop',
        S.dropping(Kind.NUL, on=QUERY, names=['a b"c\\', "q"]),
        'standard nul@query["a b\\"c\\\\"]=drop nul@query[q]=drop',
        id="by quoted names",
    ),
    pytest.param(
        'standard nul@query["\\u{e4}\\u{1F600}"]=drop',
        S.dropping(Kind.NUL, on=QUERY, names=["ä😀"]),
        'standard nul@query["\\u{E4}\\u{1F600}"]=drop',
        id="beyond ASCII",
    ),
    pytest.param(
        'standard nul@query[""]=drop',
        S.dropping(Kind.NUL, on=QUERY, names=[""]),
        None,
        id="the empty name",
    ),
    pytest.param(
        'standard nul@query["="]=drop',
        S.dropping(Kind.NUL, on=QUERY, names=["="]),
        None,
        id="an equals sign",
    ),
    pytest.param(
        "standard nul=allow nul=reject",
        S,
        "standard",
        id="a later clause replaces what it covers",
    ),
    pytest.param(
        "standard ill-formed-utf8=reject",
        S.rejecting(Kind.ILL_FORMED_UTF8),
        "standard ill-formed-utf8@query,form=reject",
        id="a later clause replaces named rules of the preset",
    ),
    pytest.param(
        "standard nul@query[q]=report nul@query[q]=drop nul@form=drop",
        S.dropping(Kind.NUL, on=QUERY, names=["q"]).dropping(Kind.NUL, on=Component.FORM),
        "standard nul@query[q]=drop nul@form=drop",
        id="later clauses for the same name, and for another component",
    ),
    pytest.param(
        "standard accept@query[q]=latin", S.accepting(LATIN, on=QUERY, names=["q"]), None, id="a range"
    ),
    pytest.param(
        "standard accept=ASCII",
        S.accepting(ASCII),
        "standard accept@path=ascii accept@query=ascii accept@form=ascii",
        id="a range for every component",
    ),
    pytest.param(
        "standard accept@path=ascii,U+00E4,u+0370-03FF".replace("u+", "U+"),
        S.accepting(ASCII | Characters.of("ä", (0x370, 0x3FF)), on=PATH),
        "standard accept@path=U+0020-007E,U+00E4,U+0370-03FF",
        id="ranges",
    ),
    pytest.param(
        "standard accept@query[q]=none",
        S.accepting(Characters(()), on=QUERY, names=["q"]),
        None,
        id="no character at all",
    ),
    pytest.param(
        "standard accept=none",
        S.accepting(Characters(())),
        "standard accept@path=none accept@query=none accept@form=none",
        id="no character in any component",
    ),
    pytest.param(
        "standard accept@path=none,U+0041",
        S.accepting(Characters.of("A"), on=PATH),
        "standard accept@path=U+0041",
        id="none and a character",
    ),
    pytest.param("standard limit.pairs=100", S.limiting(pairs=100), None, id="a limit"),
    pytest.param(
        "standard limit.depth=1 limit.octets=100",
        S.limiting(octets=100, depth=1),
        "standard limit.octets=100 limit.depth=1",
        id="limits",
    ),
    pytest.param(
        "standard keep=LAST duplicate-name=repair",
        S.keeping("last").repairing(Kind.DUPLICATE_NAME),
        "standard duplicate-name=repair keep=last",
        id="keep",
    ),
    pytest.param("standard keep=first", S, "standard", id="the default for duplicates"),
    pytest.param(
        "standard charset[q]=windows-1252", S.charset("windows-1252", names=["q"]), None, id="a charset"
    ),
    pytest.param(
        'standard charset@query[q,"x y"]=Latin1',
        S.charset("iso-8859-1", names=["q", "x y"]),
        'standard charset[q]=windows-1252 charset["x y"]=windows-1252',
        id="a charset by another label, for two names",
    ),
    pytest.param(
        "standard charset[*]=koi8-r charset[q]=utf-8",
        S.charset("koi8", names=["*"]).charset("UTF-8", names=["q"]),
        None,
        id="a charset for all names but one",
    ),
    pytest.param(
        "standard charset[q]=koi8-r charset[q]=utf8", S, "standard", id="UTF-8 undoes an earlier clause"
    ),
    pytest.param(
        "standard charset[q]=koi8-r charset[p]=big5 charset[q]=shift_jis",
        S.charset("big5", names=["p"]).charset("sjis", names=["q"]),
        "standard charset[p]=big5 charset[q]=shift_jis",
        id="a later charset for the same name",
    ),
]


@pytest.mark.parametrize(("text", "policy", "written"), READ)
def test_a_text_is_parsed_to_its_policy(text: str, policy: Policy, written: str | None) -> None:
    assert Policy.parse(text) == policy
    assert str(policy) == (text if written is None else written)
    assert Policy.parse(str(policy)) == policy
    assert repr(policy) == f"Policy.parse({str(policy)!r})"


def test_the_nearest_preset_is_used() -> None:
    policy = S
    for kind in Kind:
        for component, columns in kind.check.presets.items():
            if columns[2] is not columns[1]:
                policy = Policy.parse(f"{policy} {kind.slug}@{component.value}={columns[2].value}")
    policy = policy.dropping(Kind.ILL_FORMED_UTF8, on=[QUERY, FORM])
    assert policy == Policy.LENIENT
    assert str(policy) == "lenient"


# Each row: a text, the beginning of the message, and the text up to the caret.
FAULTS: Final = [
    pytest.param("", "a policy begins with a preset: strict, standard or lenient", "", id="nothing"),
    pytest.param(
        "=", "a policy begins with a preset: strict, standard or lenient", "", id="an equals sign alone"
    ),
    pytest.param(
        "loose", "there is no preset 'loose': standard, strict, lenient", "", id="an unknown preset"
    ),
    pytest.param(
        "standrad", "there is no preset 'standrad'; did you mean 'standard'?", "", id="a misspelled preset"
    ),
    pytest.param("standard,nul=drop", "expected a space between clauses", "standard", id="no space"),
    pytest.param(
        "standard [q]=drop",
        "a clause begins with a kind, 'accept', 'charset', 'limit.' or 'keep'",
        "standard ",
        id="names without a kind",
    ),
    pytest.param(
        "standard nul",
        "expected '=' and a value, without spaces, after 'nul'",
        "standard nul",
        id="no action",
    ),
    pytest.param(
        "standard Strict",
        "a policy has one preset, at its beginning; leave out 'Strict'",
        "standard ",
        id="two presets",
    ),
    pytest.param("standard nul=", "expected a value after '='", "standard nul=", id="an empty action"),
    pytest.param(
        "standard nul=mend",
        "there is no action 'mend': allow, report, repair, preserve, replace, drop, drop-pair, reject",
        "standard nul=",
        id="an unknown action",
    ),
    pytest.param(
        "standard encoded-slash=drop",
        "encoded-slash cannot be set to drop in path, only to repair, preserve, reject",
        "standard encoded-slash=",
        id="an action that is not supported",
    ),
    pytest.param(
        "standard null=drop",
        "there is no kind 'null'; did you mean 'nul'?",
        "standard ",
        id="an unknown kind",
    ),
    pytest.param(
        "standard allow=nul",
        "there is no kind 'allow'; 'postel kinds' lists them",
        "standard ",
        id="a kind that is like no other",
    ),
    pytest.param(
        'standard local@query[next,"a b"]=reject',
        "there is no kind 'local'; write foreign-reference@query[next,\"a b\"]=reject",
        "standard ",
        id="the method local",
    ),
    pytest.param(
        "standard local",
        "there is no kind 'local'; write foreign-reference[next]=reject",
        "standard ",
        id="the method local without names",
    ),
    pytest.param(
        "standard encoded_slash=reject",
        "expected '=' and a value, without spaces, after 'encoded'; write encoded-slash",
        "standard encoded",
        id="an underscore",
    ),
    pytest.param(
        "standard limit.form_value=5",
        "expected '=' and a value, without spaces, after 'limit.form'; write limit.form-value",
        "standard limit.form",
        id="an underscore in a limit",
    ),
    pytest.param(
        "nul=drop", "a policy begins with a preset: strict, standard or lenient", "", id="no preset"
    ),
    pytest.param(
        "standard nul[q]=drop@query,form",
        "write components before '=', as in nul@query,form[q]=drop",
        "standard nul[q]=drop",
        id="components at the end",
    ),
    pytest.param(
        "standard nul[q]=report nul@form=drop",
        "this clause undoes the earlier clause nul[q]=report; put this clause before that one",
        "standard nul[q]=report ",
        id="a clause that undoes one with a name",
    ),
    pytest.param(
        "standard accept@query[q]=latin accept=ascii",
        "this clause undoes the earlier clause accept@query[q]=latin; put this clause before that one",
        "standard accept@query[q]=latin ",
        id="a range that undoes one with a name",
    ),
    pytest.param(
        "standard nul@=drop",
        "expected a component, such as path or query",
        "standard nul@",
        id="an at sign without a component",
    ),
    pytest.param(
        "standard nul@query,=drop",
        "expected a component, such as path or query",
        "standard nul@query,",
        id="a comma without a component",
    ),
    pytest.param(
        "standard nul@body=drop",
        "a component is one of path, query, form",
        "standard nul@",
        id="an unknown component",
    ),
    pytest.param(
        "standard nul@query,body=drop",
        "a component is one of path, query, form",
        "standard nul@query,",
        id="an unknown component in a list",
    ),
    pytest.param(
        "standard nul@host=drop",
        "nul does not occur in host, only in path, query, form",
        "standard nul@",
        id="a component that no policy covers",
    ),
    pytest.param(
        "standard backslash@query=reject",
        "backslash does not occur in query, only in path",
        "standard backslash@",
        id="a component in which the kind does not occur",
    ),
    pytest.param(
        "standard nul@query,cookie=reject",
        "policies do not cover cookie; set headers= of the middleware",
        "standard nul@query,",
        id="cookies",
    ),
    pytest.param(
        "standard control@location=reject",
        "policies do not cover location; set locations= of the middleware",
        "standard control@",
        id="the Location of a response",
    ),
    pytest.param(
        "standard accept@query,host=latin",
        "outside-accepted-range does not occur in host, only in path, query, form",
        "standard accept@query,",
        id="a range of a component without text",
    ),
    pytest.param("standard nul[]=drop", "expected a name,", "standard nul[", id="no name"),
    pytest.param("standard nul[q,]=drop", "expected a name,", "standard nul[q,", id="a comma without a name"),
    pytest.param(
        "standard nul[q=drop",
        "expected ']' after the names; write a name that is not a plain word in double quotes, "
        'such as nul["tags[]"]=reject',
        "standard nul[q",
        id="names without a closing bracket",
    ),
    pytest.param(
        "standard nul[tags[]]=drop",
        "expected ']' after the names; write a name that is not a plain word in double quotes, ",
        "standard nul[tags",
        id="a name with brackets",
    ),
    pytest.param(
        "standard nul[a b]=drop",
        "expected ']' after the names; write a name that is not a plain word in double quotes, ",
        "standard nul[a",
        id="a name with a space",
    ),
    pytest.param(
        "standard nul[a][b]=drop",
        "expected '=' and a value, without spaces, after the names; "
        "write a name that is not a plain word in double quotes, ",
        "standard nul[a]",
        id="brackets after the names",
    ),
    pytest.param(
        'standard nul["q]=drop', "expected a name,", "standard nul[", id="a quoted name without its end"
    ),
    pytest.param('standard nul["\\q"]=drop', "expected a name,", "standard nul[", id="an unknown escape"),
    pytest.param(
        'standard nul["\\u{110000}"]=drop',
        "a name holds an escape beyond U+10FFFF",
        "standard nul[",
        id="an escape beyond Unicode",
    ),
    pytest.param(
        "standard nul@path[q]=drop",
        "names select pairs, and path has none; leave path out",
        "standard nul@",
        id="names of a path",
    ),
    pytest.param(
        "standard accept=greek",
        "'greek' is not a set or a range; write ascii, latin, none, U+0041 or U+0041-005A",
        "standard accept=",
        id="an unknown range",
    ),
    pytest.param("standard accept=U+4", "'U+4' is not a range;", "standard accept=", id="a malformed range"),
    pytest.param(
        "standard accept=U+005A-0041", "(90, 65) is not a range", "standard accept=", id="a range backwards"
    ),
    pytest.param(
        "standard limit.pair=5",
        "there is no limit 'pair'; did you mean 'pairs'?",
        "standard ",
        id="an unknown limit",
    ),
    pytest.param(
        "standard limit.pairs=many",
        "a limit is a whole number from 1 to 2**63 - 1, not 'many'",
        "standard limit.pairs=",
        id="a limit that is not a number",
    ),
    pytest.param(
        "standard limit.pairs=-1",
        "a limit is a whole number from 1 to 2**63 - 1, not '-1'",
        "standard limit.pairs=",
        id="a limit below zero",
    ),
    pytest.param(
        "standard limit.pairs=0",
        "a limit is a whole number from 1 to 2**63 - 1, not '0'",
        "standard limit.pairs=",
        id="a limit of zero",
    ),
    pytest.param(
        "standard limit.pairs=" + "9" * 5000,
        "a limit is at most 2**63 - 1",
        "standard limit.pairs=",
        id="a limit with too many digits",
    ),
    pytest.param(
        "standard limit.pairs=9223372036854775808",
        "a limit is at most 2**63 - 1",
        "standard limit.pairs=",
        id="a limit beyond 64 bits",
    ),
    pytest.param(
        "standard limit.form-value=none",
        "limit.form-value cannot be 'none'; only limit.segment can",
        "standard limit.form-value=",
        id="no limit where one is needed",
    ),
    pytest.param(
        "standard limit.pairs@query=5",
        "limit.pairs applies to the whole policy; leave out '@' and '['",
        "standard ",
        id="a limit of a component",
    ),
    pytest.param(
        "standard keep[q]=last",
        "keep applies to the whole policy; leave out '@' and '['",
        "standard ",
        id="keep for one name",
    ),
    pytest.param(
        "standard charset=windows-1252",
        "charset needs names: write charset[q]=windows-1252, or charset[*]=windows-1252 for all",
        "standard ",
        id="a charset without names",
    ),
    pytest.param(
        "standard charset@form[q]=windows-1252",
        "charset is for queries; for forms, write Forms(charsets=...)",
        "standard charset@",
        id="a charset of a form",
    ),
    pytest.param(
        "standard charset[q]=utf-16",
        "utf-16 does not leave ASCII unchanged; name another charset, such as windows-1252",
        "standard charset[q]=",
        id="a charset that is not a superset of ASCII",
    ),
    pytest.param(
        "standard charset[q]=klingon",
        "'klingon' is not a supported charset; write a label of the Encoding Standard, ",
        "standard charset[q]=",
        id="an unknown charset",
    ),
    pytest.param(
        "standard charset@query,form[q]=windows-1252",
        "charset is for queries; for forms, write Forms(charsets=...)",
        "standard charset@query,",
        id="a charset of queries and forms",
    ),
    pytest.param(
        "standard charset[q]=",
        "expected a value after '='",
        "standard charset[q]=",
        id="a charset without a value",
    ),
    pytest.param(
        "standard keep=both",
        "keep=both is not valid; write keep=first or keep=last",
        "standard keep=",
        id="an unknown value of keep",
    ),
]


@pytest.mark.parametrize(("text", "message", "before"), FAULTS)
def test_a_fault_is_shown_with_a_caret_under_it(text: str, message: str, before: str) -> None:
    with pytest.raises(PolicyError) as caught:
        Policy.parse(text)
    said, shown, caret = str(caught.value).split("\n")
    assert said.startswith(message)
    assert caret == "  " + " " * len(before) + "^"
    assert shown == "  " + text[: len(before) + 60]


def test_of_several_lines_only_the_faulty_one_is_shown() -> None:
    text = "standard # our own\r\n  nul=reject\r\n  nul=nonsense\r\n  tab=allow"
    with pytest.raises(PolicyError) as caught:
        Policy.parse(text)
    said, shown, caret = str(caught.value).split("\n")
    assert said.startswith("line 3: there is no action 'nonsense'")
    assert (shown, caret) == ("    nul=nonsense", "        ^")


@pytest.mark.parametrize(
    "text", ["standard #", "# a\nstandard", "standard # nul=reject", "standard\n\n#\n#x"]
)
def test_a_comment_has_no_effect(text: str) -> None:
    assert Policy.parse(text) == Policy.STANDARD


def test_of_a_long_text_only_the_surroundings_of_the_fault_are_shown() -> None:
    text = "standard " + "nul=drop " * 50 + "no=drop " + "nul=drop " * 50
    with pytest.raises(PolicyError) as caught:
        Policy.parse(text)
    _, shown, caret = str(caught.value).split("\n")
    assert shown.startswith("  ...")
    assert len(shown) < 140
    assert shown[caret.index("^") :].startswith("no=drop ")


def test_characters_that_cannot_be_printed_are_not_shown() -> None:
    with pytest.raises(PolicyError) as caught:
        Policy.parse("standard \x1b[2J\u202e")
    assert "\x1b" not in str(caught.value)
    assert "\u202e" not in str(caught.value)


@pytest.mark.parametrize("text", ["standard a=\x1b[31m@", "standard keep=\x1b[31mX\u202e"])
def test_a_message_holds_no_controls(text: str) -> None:
    with pytest.raises(PolicyError) as raised:
        Policy.parse(text)
    assert all(line.isprintable() for line in str(raised.value).splitlines())
