"""``check --form`` and ``check --json-body``: verdicts on bodies, and findings with carets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adapters import WSGI
from bodies import post
from postel import Policy
from postel.cli._body import BodyJudgement, judged_as_form, judged_as_json
from postel.cli._console import Printer
from terminal import run


def lines(octets: bytes, policy: Policy = Policy.STANDARD, place: str = "") -> list[str]:
    return list(BodyJudgement.of(octets, policy, judged_as_json).lines(place, Printer(None)))


def test_a_clean_body_is_accepted() -> None:
    ended = run("check", "--json-body", '{"a": 1}')
    assert (ended.code, ended.out.splitlines()) == (0, [
        'accepted: {"a": 1}', "  policy  standard",
    ])  # fmt: skip


def test_double_quotes_stay_bare_and_backslashes_do_not() -> None:
    told = lines(rb'{"a\"":1,"b":"\u0000"}')
    assert told[3] == r'  | {"a\x5c"":1,"b":"\x5cu0000"}'
    assert told[-3] == r'refused: {"a\x5c"":1,"b":"\x5cu0000"}'
    assert told[4].index("^") == told[3].index(r"\x5cu")


def test_standard_input_is_one_body() -> None:
    ended = run("check", "--json-body", given=b"[1,\n\xff]")
    assert ended.code == 1
    assert " --> body, octet 4" in ended.out


def test_the_newline_of_echo_is_explained() -> None:
    note = "  = echo ends its output with a newline; write the body with printf instead"
    for end in b"\n", b"\r\n":
        ended = run("check", "--form", given=b"a=1&b=2" + end)
        assert ended.code == 1
        assert note in ended.out.splitlines()
    assert note not in run("check", "--form", given=b"a=1\n&b=2").out.splitlines()


def test_several_bodies_are_numbered() -> None:
    ended = run("check", "--json-body", "[1 2]", '"\\u001b"', "[]")
    assert ended.code == 1
    assert "argument 1, body, octet 3" in ended.out
    assert "argument 2, body, octet 1" in ended.out
    assert ended.out.count("\n\n") == 4


def test_a_fault_is_shown_however_long_the_body_is() -> None:
    told = lines(b"[" + b"0," * 5000 + b'{"a":{"b":"\\u0000"}}]')
    assert told[:2] == ["reject[nul]: a NUL character", ' --> body, octet 10012, of "a.b"']
    assert told[4].index("^") == told[3].index("\\x5cu0000")
    assert "  = to accept it, add nul@json=report: reported, and left unchanged" in told
    assert "    you must guarantee: Values never reach C code, file names or PostgreSQL text." in told
    assert len(told[3]) < 90


NAMED: list[tuple[bytes, str]] = [
    (b"q=%C4&a=1", "ill-formed-utf8@form[q]=report"),
    (b"a%20b=%C4", 'ill-formed-utf8@form["a b"]=report'),
    ("\u6f22=%C4".encode(), "ill-formed-utf8@form=report"),
    (b"q%C4=1", "ill-formed-utf8@form=report"),
    (b"a" * 80 + b"=%C4", "ill-formed-utf8@form=report"),
    (b"&".join([b"q=%C4"] * 40), "ill-formed-utf8@form[q]=report"),
    (b"next=//evil", "foreign-reference@form[next]=report"),
]


@pytest.mark.parametrize(("form", "clause"), NAMED)
def test_a_clause_covers_only_the_name_if_that_is_enough(form: bytes, clause: str) -> None:
    policy = Policy.STANDARD.local(names=["next"])
    told = BodyJudgement.of(form, policy, judged_as_form)
    lines = list(told.lines("", Printer(None)))
    assert f"  = to accept it, add {clause}: reported, and left unchanged" in lines
    again = BodyJudgement.of(form, Policy.parse(f"{policy} {clause}"), judged_as_form)
    assert not again.is_refused


def test_a_clause_that_does_not_help_is_not_shown() -> None:
    name = 64 * "n"  # a finding does not quote it completely
    told = BodyJudgement.of(f"{name}=//evil".encode(), Policy.STANDARD.local(names=[name]), judged_as_form)
    assert "  = no single policy clause accepts it" in list(told.lines("", Printer(None)))


def test_a_repair_is_shown() -> None:
    told = lines(b"\xef\xbb\xbf{}")
    assert told[-3:] == [r"accepted after edits: \xef\xbb\xbf{}", "  policy  standard", "  body    {}"]


def test_faults_that_no_policy_accepts_are_named() -> None:
    assert "  = no policy accepts it" in lines(b"[1,]")
    assert "  = no policy accepts it" not in lines(b'"\\ud800"')
    assert lines("[1]".encode("utf-16"))[-1] == "  answer  415"


def test_a_body_that_is_too_long_is_refused_with_the_name_of_the_limit() -> None:
    assert any("more than Json.limit, 102,400 octets" in line for line in lines(b"[" + b" " * 102_400 + b"]"))


def test_the_first_of_many_findings_are_shown() -> None:
    many = b"[" + b"18446744073709551616," * 40 + b"1]"
    assert "  and more findings, which are not listed" in lines(many)
    assert "  and more findings, which are not listed" in lines(many.replace(b",1]", rb',"\u0000"]'))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("[]", {"accepted": True, "status": None, "findings": [], "truncated": False, "reads": "[]"}),
        (
            '{"a":1,"a":2}',
            {
                "accepted": False, "status": 400, "truncated": False, "reads": None,
                "findings": [{
                    "kind": "duplicate-name", "component": "json", "offset": 7, "excerpt": '"a"', "name": "a",
                    "detail": "", "action": "reject",
                }],
            },
        ),
        (
            "[]]",
            {
                "accepted": False, "status": 400, "truncated": False, "reads": None,
                "findings": [{
                    "kind": "json-syntax", "component": "json", "offset": 2, "excerpt": "]", "name": None,
                    "detail": "text after the value", "action": "reject",
                }],
            },
        ),
    ],
)  # fmt: skip
def test_json_has_the_verdict_and_all_findings(body: str, expected: dict[str, Any]) -> None:
    ended = run("check", "--json-body", "--json", body)
    assert json.loads(ended.out) == {"received": body, "policy": "standard", **expected}


# -- forms ---------------------------------------------------------------------------------------------------

PARTS = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n'


def test_a_form_is_judged() -> None:
    ended = run("check", "--form", "q=1&p=2")
    assert (ended.code, ended.out.splitlines()) == (0, ["accepted: q=1&p=2", "  policy  standard"])
    ended = run("check", "--form", "q=50%", "q=%00")
    assert ended.code == 1
    assert "  body    q=50%25" in ended.out
    assert " --> argument 2, body, octet 2" in ended.out
    assert "  = to accept it, add nul@form[q]=report: reported, and left unchanged" in ended.out


def test_a_multipart_form_is_recognised_by_its_first_line() -> None:
    ended = run("check", "--form", given=PARTS)
    assert (ended.code, ended.out.split()[0]) == (0, "accepted:")
    ended = run("check", "--form", given=PARTS.replace(b"Content-D", b"content-d"))
    assert (ended.code, "accepted after edits:" in ended.out) == (0, True)
    ended = run("check", "--form", given=PARTS.replace(b"1", b"\0"))
    assert ended.code == 1
    assert f'body, octet {PARTS.index(b"1")}, of "a"' in ended.out
    ended = run("check", "--form", "--json", given=PARTS.replace(b"\r\n", b"\n"))
    (finding,) = json.loads(ended.out)["findings"]
    assert (finding["kind"], finding["component"]) == ("multipart-syntax", "form")


def test_a_form_can_be_judged_as_json_too() -> None:
    ended = run("check", "--form", "--json-body", "--json", '{"a":1,"a":2}')
    assert ended.code == 1
    found = json.loads(ended.out)["findings"][-1]
    assert (found["kind"], found["component"], found["offset"]) == ("duplicate-name", "json", 7)
    assert run("check", "--form", '{"a":1,"a":2}').code == 0
    ended = run("check", "--form", "--json-body", "a=1")
    assert (ended.code, ended.out.splitlines()[0]) == (0, "accepted: a=1")
    assert run("check", "--form", "--json-body", given=PARTS).code == 0


FORM = "application/x-www-form-urlencoded"
UPLOAD = "multipart/form-data; boundary=x"
FILE = b'--x\r\nContent-Disposition: form-data; name="a"; filename="f"\r\n\r\n%s\r\n--x--\r\n'
AS_THE_MIDDLEWARE: list[tuple[str, str, bytes]] = [
    ("JSON", "application/json", b"[" + b"0," * 49_998 + b"00]"),
    ("long JSON", "application/json", b"[" + b"0," * 49_999 + b"0]"),
    ("a long form", FORM, b"&".join([b"a=" + b"1" * 60_000] * 18)),
    ("a long form that begins like JSON", FORM, b'["' + b"1" * 2**20),
    ("a long upload", UPLOAD, FILE % (b"1" * 2**24)),
    ("an upload longer than the limit for forms", UPLOAD, FILE % (b"1" * 2**21)),
    ("no parts", UPLOAD, b"--x--\r\n"),
    ("no parts, as Go writes them", UPLOAD, b"\r\n--x--\r\n"),
    ("no parts, and text after them", UPLOAD, b"--x--\r\na"),
    ("no octets", FORM, b""),
]


@pytest.mark.parametrize(
    ("field", "octets"), [pytest.param(*each[1:], id=each[0]) for each in AS_THE_MIDDLEWARE]
)
def test_check_agrees_with_the_middleware(field: str, octets: bytes) -> None:
    asked = post(WSGI, octets, content_type=field, json=True)
    flags = ["--json-body"] if field == "application/json" else ["--form", "--json-body"]
    told = json.loads(run("check", "--json", *flags, given=octets).out)
    assert (told["status"] or 200) == asked.status
    if field != "application/json":
        alone = json.loads(run("check", "--json", "--form", given=octets).out)
        assert alone["accepted"] is (post(WSGI, octets, content_type=field).status == 200)


def test_the_json_of_a_body_has_the_documented_keys() -> None:
    of_url = json.loads(run("check", "--json", "/a%zz").out)
    of_body = json.loads(run("check", "--form", "--json", "q=%zz").out)
    assert of_url.keys() - of_body.keys() == {"redirect"}
    assert not of_body.keys() - of_url.keys()
    assert of_url["findings"][0].keys() - of_body["findings"][0].keys() == {"advice"}
    assert (of_body["received"], of_body["reads"]) == ("q=%zz", "q=%25zz")
