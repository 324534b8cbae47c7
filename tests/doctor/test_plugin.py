"""The plugin for pytest, in temporary projects:

one test for each family, a baseline, and nothing without the option.
"""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import pytest

from doctor import somebodys
from postel import Policy
from postel.doctor import examine
from postel.doctor._suite import BASELINE, FAMILIES, BaselineError, Suite, accepted_in

pytest_plugins = ("pytester",)

TESTS: Final = """
import flask, pytest
from postel.doctor import Examination

app = flask.Flask("shop")

@app.before_request
def guard():
    if flask.request.path == "/admin":
        return "forbidden", 403

@app.route("/admin")
@app.route("/ADMIN")
def panel():
    return "panel"

@pytest.mark.postel(app, routes=["/admin"], baseline={baseline})
def test_every_request_has_one_meaning(one_meaning):
    pass

def test_by_hand(second_meanings):
    found = second_meanings(app, routes=["/admin"])
    assert isinstance(found, Examination)
"""
BOTH: Final = """
[accepted]
"reading an escaped question mark, request.full_path" = "we do not use it"
"reading an escaped number sign, request.full_path" = "we do not use it"
"guard GET /admin -" = "they are two pages"
"""
RUN: Final = ("-p", "pytest_postel", "-p", "no:cacheprovider", "-v", "-n0")


def run(pytester: pytest.Pytester, baseline: str | None, *arguments: str) -> pytest.RunResult:
    if baseline is not None:
        (pytester.path / "postel.toml").write_text(baseline)
    pytester.makepyfile(TESTS.format(baseline="None" if baseline is None else "'postel.toml'"))
    return pytester.runpytest_inprocess(*RUN, *arguments)


def test_without_the_option_nothing_runs(pytester: pytest.Pytester) -> None:
    run(pytester, None).assert_outcomes(passed=1, skipped=len(FAMILIES))


def test_findings_fail_by_family(pytester: pytest.Pytester) -> None:
    result = run(pytester, None, "--postel")
    result.assert_outcomes(passed=len(FAMILIES) - 1, failed=2)
    result.stdout.fnmatch_lines(
        [
            "*test_every_request_has_one_meaning[[]targets[]] FAILED*",
            "*test_every_request_has_one_meaning[[]content-types[]] PASSED*",
            "*test_every_request_has_one_meaning[[]guards[]] FAILED*",
            "*  curl -i --globoff --path-as-is http://127.0.0.1:8000/health%3F/secret",
            "*  to accept it: 'guard GET /admin -' = 'why'",
        ]
    )


def test_accepted_findings_pass(pytester: pytest.Pytester) -> None:
    run(pytester, BOTH, "--postel").assert_outcomes(passed=len(FAMILIES) + 1)


def test_accepted_entries_that_are_no_longer_found_fail(pytester: pytest.Pytester) -> None:
    result = run(pytester, BOTH + "'guard GET /gone -' = 'it was'", "--postel")
    result.assert_outcomes(passed=len(FAMILIES), failed=1)
    result.stdout.fnmatch_lines(
        ["'guard GET /gone -' is in the baseline but was not found; remove the entry"]
    )


def test_the_fixture_needs_its_marker(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(one_meaning): pass")
    result = pytester.runpytest_inprocess(*RUN)
    result.assert_outcomes(errors=len(FAMILIES))
    result.stdout.fnmatch_lines(["one_meaning needs @pytest.mark.postel(app)"])


def test_the_marker_needs_its_fixture(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.postel("doctor.somebodys:plain")
        def test_it(): pass

        @pytest.mark.postel("doctor.somebodys:plain")
        class TestMore:
            def test_another_subject(self): pass
        """
    )
    result = pytester.runpytest_inprocess(*RUN)
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["@pytest.mark.postel tests nothing without the fixture one_meaning"])


def test_a_route_that_does_not_exist_is_warned_of(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        TESTS.format(baseline="None").replace('routes=["/admin"], baseline', 'routes=["/b"], baseline')
    )
    result = pytester.runpytest_inprocess(*RUN, "--postel")
    result.stdout.fnmatch_lines(["*PytestWarning: answered with 404; is the name wrong? GET /b"])


def test_the_marker_needs_an_application(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "import pytest\n@pytest.mark.postel(routes=['/'])\ndef test_it(one_meaning): pass\n"
        "@pytest.mark.postel\ndef test_that(one_meaning): pass"
    )
    result = pytester.runpytest_inprocess(*RUN, "--postel")
    result.assert_outcomes(errors=2 * len(FAMILIES))
    result.stdout.fnmatch_lines(["@pytest.mark.postel needs the application: @pytest.mark.postel(app)"])


def test_a_function_as_the_application_needs_a_name_or_a_setting(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from doctor.somebodys import plain
        @pytest.mark.postel(plain, routes=["/"])
        def test_it(one_meaning): pass
        @pytest.mark.postel("doctor.somebodys:plain")
        def test_that(one_meaning): pass
        """
    )
    result = pytester.runpytest_inprocess(*RUN, "--postel")
    result.assert_outcomes(passed=2 * len(FAMILIES))


def test_an_unreadable_baseline_gives_a_message_of_one_line(pytester: pytest.Pytester) -> None:
    result = run(pytester, "accepted = 1", "--postel")
    result.assert_outcomes(passed=1, errors=len(FAMILIES))
    result.stdout.fnmatch_lines(
        ["postel: a baseline is one table, [[]accepted[]], with a reason for each key"]
    )


def test_each_directory_has_its_own_baseline(pytester: pytest.Pytester) -> None:
    test = """
        import pytest
        from doctor.somebodys import leaky
        @pytest.mark.postel(leaky, routes=["/admin"], baseline="b.toml")
        def test_{name}(one_meaning): pass
        """
    for name, rows in {"one": "'guard GET /admin -' = 'two pages'", "two": ""}.items():
        folder = pytester.mkdir(name)
        (folder / f"test_{name}.py").write_text(dedent(test.format(name=name)))
        (folder / "b.toml").write_text(f"[accepted]\n{rows}\n")
    result = pytester.runpytest_inprocess(*RUN, "--postel")
    result.assert_outcomes(passed=2 * len(FAMILIES) - 1, failed=1)
    result.stdout.fnmatch_lines(["*test_two[[]guards[]] FAILED*"])


# -- without pytest ------------------------------------------------------------------------------------------

BAD: Final = [
    pytest.param("x", "is not TOML", id="not TOML"),
    pytest.param("", "one table", id="an empty file"),
    pytest.param("accepted = 1", "one table", id="a number in place of the table"),
    pytest.param("[accepted]\n[others]", "one table", id="a second table"),
    pytest.param("[accepted]\na = ' '", "'a' has no reason", id="an empty reason"),
    pytest.param("[accepted]\na = 1", "'a' has no reason", id="a reason that is not text"),
]


@pytest.mark.parametrize(("text", "said"), BAD)
def test_invalid_baselines_raise(text: str, said: str) -> None:
    with pytest.raises(BaselineError, match=said):
        accepted_in(text)


def test_the_test_cases_from_findings(tmp_path: Path) -> None:
    suite: Any = Suite.of(somebodys.leaky, routes=["/admin"])
    assert [each for each in FAMILIES if suite.complaints(each)] == ["guards"]
    baseline = tmp_path / "postel.toml"
    baseline.write_text("[accepted]\n'guard GET /admin -' = 'two pages'\n'x' = 'gone'")
    suite = Suite.of(somebodys.leaky, baseline=baseline, policy=Policy.LENIENT, routes=["/admin"])
    assert [each for each in FAMILIES if suite.complaints(each)] == [BASELINE]


def test_an_application_may_be_given_by_name() -> None:
    assert examine("doctor.somebodys:plain").name == "doctor.somebodys:plain"


INVALID: Final = [
    pytest.param(
        {"routes": "/admin"}, "routes='/admin': give a list, such as routes=['/admin']", id="routes as text"
    ),
    pytest.param({"routes": ["x"]}, "'x': a route is /path", id="a route without a slash"),
    pytest.param(
        {"routes": ["/", "POST /x a=1"]},
        "POST /x is sent only with unsafe_methods=True",
        id="a route with an unsafe method",
    ),
    pytest.param(
        {"headers": {"Cookie": "a=b"}},
        "headers={'Cookie': 'a=b'}: give pairs, such as [('Cookie', 'a=b')]",
        id="headers as a dict",
    ),
    *(
        pytest.param({"headers": given}, "give pairs", id=f"headers={given}")
        for given in (["Cookie: a=b"], [("Cookie", 1)], 1)
    ),
    pytest.param(
        {"headers": [("Cookie", "\ud800")]},
        r"'\ud800' cannot be sent: it contains a surrogate",
        id="a header with a surrogate",
    ),
    pytest.param(
        {"headers": [("a b", "c")]},
        "'a b' is not the name of a header field, such as 'Cookie'",
        id="an invalid header name",
    ),
    pytest.param({"headers": [("a", "b\r\nc: d")]}, "contains a line break", id="a header with a line break"),
    pytest.param({"headers": [(b"a", b"b")]}, "give pairs", id="a header in octets"),
    pytest.param({"routes": ["POST / \ud800"]}, "cannot be sent: it contains a surrogate", id="a surrogate"),
    *(
        pytest.param(
            {"timeout": given}, "give a number of seconds, more than 0", id=f"a timeout of {given!r}"
        )
        for given in ("3", 0, None)
    ),
]


@pytest.mark.parametrize(("settings", "said"), INVALID)
def test_invalid_settings_raise_before_anything_is_sent(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        examine("nowhere:app", **settings)
