"""The scan, ``check`` or the log name each exemption in docs/real.md."""

from __future__ import annotations

import json
import logging
import re
from typing import Any

import pytest

import real_page as page
from adapters import ASGI, WSGI, scope_of
from bodies import FORM, Asked, post
from postel import Action, Component, Forms, Kind, Policy
from real.differences import TOLD, rows
from scan.lines import SITE, combined
from terminal import run

# Each row: an application, an exemption, how people find it, and a request that needs it.
ROWS = [
    (name, row["exemption"], row["told"], row["example"])
    for name, facts in page.read()["applications"].items()
    for row in facts["rows"]
    if row["class"] == "exempt"
]
# Targets from the page of URLs: the Wayback Machine, a Git reference, a DOI.
URLS = [
    ("empty-segment=allow", b"/web/20100102/http://example.com/", "/web"),
    ("empty-segment=allow", b"/web/http://example.com/", "/web"),
    ("encoded-slash=preserve", b"/repos/o/r/git/ref/heads%2Ffix", "/repos/o/r"),
    ("encoded-slash=preserve", b"/doi/10.1000%2F182", "/doi"),
]
LINE = re.compile(r'^refused "POST" "[^"]*" from "[^"]*": (\S+) in (\S+) at ', re.MULTILINE)


def told_by(what: str) -> list[Any]:
    return [
        pytest.param(exemption, example.partition(" ")[2].encode("latin-1"), id=f"{name}-{exemption}")
        for name, exemption, told, example in ROWS
        if told == what and example
    ]


def suggestion_of(target: bytes) -> dict[str, Any]:
    """Return what the scan suggests for a log in which somebody has followed a link to a target."""
    ended = run("scan", "--json", given=combined(target, referer=SITE))
    assert (ended.code, ended.err) == (0, "")
    found: dict[str, Any] = json.loads(ended.out)["suggestion"]
    return found


def test_every_exemption_is_named_somewhere() -> None:
    assert {told for _, _, told, _ in ROWS} == set(TOLD)
    assert {row.told for row in rows() if row.class_ == "exempt"} == set(TOLD)


@pytest.mark.parametrize(("exemption", "target"), told_by("scan"))
def test_the_scan_suggests_the_exemption(exemption: str, target: bytes) -> None:
    found = suggestion_of(target)
    assert exemption in {each["clause"] for each in found["clauses"]}
    assert found["passing"] == found["people"] == 1


@pytest.mark.parametrize(("exemption", "target", "route"), URLS)
def test_the_scan_suggests_the_exemption_for_a_url(exemption: str, target: bytes, route: str) -> None:
    found = suggestion_of(target)
    assert found["policy"] == "standard"
    assert {name: Policy.parse(text) for name, text in found["routes"].items()} == {
        route: Policy.parse(f"standard {exemption}")
    }
    assert found["passing"] == 1


@pytest.mark.parametrize(("exemption", "target"), [*told_by("scan"), *told_by("check")])
def test_check_names_the_exemption(exemption: str, target: bytes) -> None:
    (told,) = [json.loads(line) for line in run("check", "--json", given=target).out.splitlines()]
    assert exemption in {each["clause"] for finding in told["findings"] for each in finding["advice"]}


# ---- bodies, which servers do not log ----


def logged(log: pytest.LogCaptureFixture, octets: bytes, policy: Policy, **settings: Any) -> Asked:
    """Send a form, and return what is logged."""
    log.clear()
    with log.at_level(logging.WARNING, "postel"):
        # The default observer writes the log.
        return post(WSGI, octets, policy, **{"observer": None, **settings})


def test_log_lines_of_refused_bodies_name_the_kinds_of_their_clauses(
    caplog: pytest.LogCaptureFixture,
) -> None:
    [exemption] = [clause for name, clause, told, _ in ROWS if (name, told) == ("httpbin", "log")]
    octets, text = b"\x01\x02\x03\x81\x82\x83", ""
    while logged(caplog, octets, Policy.parse(f"standard {text}")).given is None:
        [(kind, component)] = LINE.findall("\n".join(caplog.messages))
        assert Action.ALLOW in Kind.of(kind).check.actions[Component(component)]
        text = f"{text} {kind}@{component}=allow".strip()
    assert sorted(text.split()) == sorted(exemption.split())
    assert logged(caplog, octets, Policy.parse(f"standard {exemption}")).body == octets


def test_the_log_line_of_a_compressed_form_names_a_kind_without_a_clause(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert ("moto", "forms=False", "log") in {row[:3] for row in ROWS}
    coded = {"fields": {"content-encoding": "gzip"}}
    asked = logged(caplog, b"\x1f\x8b\x08", Policy.STANDARD, **coded)
    assert asked.status == Kind.FORM_CODING.check.status
    assert LINE.findall("\n".join(caplog.messages)) == [("form-coding", "form")]
    assert Kind.FORM_CODING.check.actions == {Component.FORM: {Action.REJECT}}
    asked = logged(caplog, b"\x1f\x8b\x08", Policy.STANDARD, forms=False, **coded)
    assert (asked.status, asked.body, caplog.messages) == (200, b"\x1f\x8b\x08", [])


def test_the_log_lines_of_long_forms_name_their_limits(caplog: pytest.LogCaptureFixture) -> None:
    exemption = "Forms(limit=2_000_000), limit.form-value=2000000"
    assert ("fastapi", exemption, "log") in {row[:3] for row in ROWS}
    octets, wider = b"text=" + b"x" * (2**20 + 1), {"forms": Forms(limit=2_000_000)}
    assert logged(caplog, octets, Policy.STANDARD).status == Kind.LONG_FORM.check.status
    assert LINE.findall("\n".join(caplog.messages)) == [("long-form", "form")]
    assert logged(caplog, octets, Policy.STANDARD, **wider).given is None
    assert LINE.findall("\n".join(caplog.messages)) == [("long-value", "form")]
    asked = logged(caplog, octets, Policy.parse("standard limit.form-value=2000000"), **wider)
    assert (asked.status, asked.body) == (200, octets)


def test_the_log_names_the_setting_that_doubles_slashes(caplog: pytest.LogCaptureFixture) -> None:
    assert ("starlette", "leading-slashes=repair", "log") in {row[:3] for row in ROWS}
    asked = scope_of(b"/sub_path//", root_path="/sub_path/")
    assert ASGI.behind(observer=None).serve(asked).given is None
    cause, line = sorted(caplog.messages)
    assert 'root_path (--root-path) of the server is "/sub_path/" and ends in a slash' in cause
    assert "leading-slashes in path at " in line
    assert ASGI.behind(Policy.parse("standard leading-slashes=repair")).serve(asked).given is not None


# ---- other bodies with the type of a form ----

NO_FORM = "semicolon@form=allow malformed-escape@form=allow raw-non-ascii@form=allow limit.name=100000"
JSON = '{"wanted": "50% off; for ü", "of": [1, 2]}'.encode()


def test_the_documented_clauses_let_json_with_the_type_of_a_form_pass() -> None:
    assert f'"standard {NO_FORM}"' in page.ROLL_OUT.read_text("utf-8")
    for octets in (JSON, JSON.replace(b"50", b"5" * 5000)):
        assert post(WSGI, octets, Policy.parse(f"standard {NO_FORM}")).body == octets
        assert post(WSGI, octets, content_type="application/json").body == octets
    altered = post(WSGI, JSON, content_type=FORM).body
    assert altered == b'{"wanted": "50%25 off%3B for %C3%BC", "of": [1, 2]}'
