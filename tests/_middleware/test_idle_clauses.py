"""Clauses about bodies that the middleware does not judge are named in a warning when it is built."""

from __future__ import annotations

from typing import Any

import pytest

from postel import ASCII, LATIN, Bodies, Component, Forms, Json, Kind, Policy
from postel.asgi import NormalizeMiddleware as OnAsgi
from postel.wsgi import NormalizeMiddleware as OnWsgi

STANDARD = Policy.STANDARD
LOCAL = STANDARD.local(names=["next"])
BODIES = [Component.FORM, Component.JSON]


async def on_asgi(_scope: Any, _receive: Any, _send: Any) -> None:
    """Serve nothing."""


def on_wsgi(_environ: Any, _start_response: Any) -> list[bytes]:
    return []


def warnings_of(caplog: pytest.LogCaptureFixture, **settings: Any) -> list[str]:
    """Return the warnings of a middleware with these settings, which are the same on both protocols."""
    caplog.clear()
    OnAsgi(on_asgi, **settings)
    found = [record.getMessage() for record in caplog.records]
    caplog.clear()
    OnWsgi(on_wsgi, **settings)
    assert [record.getMessage() for record in caplog.records] == found
    return found


@pytest.mark.parametrize(
    ("policy", "named"),
    [
        pytest.param(LOCAL, "foreign-reference@query,form[next]=reject", id="redirects"),
        pytest.param(STANDARD.allowing(Kind.NUL, on=Component.FORM), "nul@form=allow", id="one component"),
        pytest.param(STANDARD.repairing(Kind.LONE_NEWLINE), "lone-newline=repair", id="a kind of forms only"),
        pytest.param(
            STANDARD.allowing(Kind.NUL, on=Component.FORM, names=["first name"]),
            'nul@form["first name"]=allow',
            id="a name with a space",
        ),
        pytest.param(STANDARD.limiting(form_value=10), "limit.form-value=10", id="a limit"),
        pytest.param(
            STANDARD.accepting(ASCII, names=["q"], on=Component.FORM), "accept@form[q]=ascii", id="a range"
        ),
        pytest.param(
            STANDARD.reporting(Kind.NUL, on=BODIES), "nul@form,json=report", id="both kinds of bodies"
        ),
    ],
)
def test_a_rule_for_forms_needs_forms(policy: Policy, named: str, caplog: pytest.LogCaptureFixture) -> None:
    (warning,) = warnings_of(caplog, policy=policy)
    assert warning.startswith(f"a policy has rules for form bodies, which are not judged: {named}; ")
    remedy = (
        "limit the rules to the query with on=Component.QUERY" if policy is LOCAL else "leave these rules out"
    )
    assert f"pass forms=True, or {remedy}" in warning
    assert warnings_of(caplog, routes={"/a": policy}) == [warning]
    assert not warnings_of(caplog, policy=policy, forms=True)
    assert not warnings_of(caplog, policy=policy, bodies=Bodies(forms=True))


@pytest.mark.parametrize(
    "policy",
    [
        *(Policy.STRICT, STANDARD, Policy.LENIENT),
        STANDARD.local(names=["next"], on=Component.QUERY),
        STANDARD.rejecting(Kind.NUL, names=["q"]),
        STANDARD.accepting(LATIN),
        Policy.parse('standard nul@query["a nul@form=reject x"]=report'),
        STANDARD.accepting(LATIN, names=["q"])
        .keeping("last")
        .repairing(Kind.DUPLICATE_NAME, on=Component.QUERY),
        STANDARD.charset("koi8-r", names=["q"]).limiting(pairs=9),
    ],
    ids=str,
)
def test_other_rules_need_no_bodies(policy: Policy, caplog: pytest.LogCaptureFixture) -> None:
    assert not warnings_of(caplog, policy=policy)


def test_a_rule_for_json_needs_json(caplog: pytest.LogCaptureFixture) -> None:
    policy = STANDARD.rejecting(Kind.BIG_INTEGER)
    (warning,) = warnings_of(caplog, policy=policy, forms=True)
    assert "pass json=True" in warning
    assert not warnings_of(caplog, policy=policy, json=Json())


def test_a_rule_for_parts_needs_multipart_forms(caplog: pytest.LogCaptureFixture) -> None:
    policy = STANDARD.rejecting(Kind.FILENAME_DEVICE)
    (warning,) = warnings_of(caplog, policy=policy, forms=Forms(multipart="untouched"))
    assert warning.startswith("a policy has rules for multipart bodies, which are not judged: ")
    assert 'filename-device=reject; pass Forms(multipart="judge"), or leave these rules out' in warning
    assert not warnings_of(caplog, policy=policy, forms=Forms(multipart="refuse"))
    assert not warnings_of(caplog, policy=STANDARD, forms=Forms(multipart="untouched"))


def test_very_many_rules_are_cut_short(caplog: pytest.LogCaptureFixture) -> None:
    policy = LOCAL
    for number in range(9):
        policy = policy.allowing(Kind.NUL, on=Component.FORM, names=[f"a{number}"])
    (warning,) = warnings_of(caplog, policy=policy)
    assert warning.count("nul@form") == 3
    assert "=allow, ...; pass" in warning
