"""The plugin for pytest: a test with ``@pytest.mark.postel(app)`` runs once for each family of requests.

The families, such as ``targets`` and ``cookies``, hold requests that can be read in two ways. The plugin
imports ``postel`` only when a test needs it: pytest loads a plugin in every project where it is installed,
and before coverage is measured.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

import pytest

_NAME: Final = "one_meaning"
_NEEDS: Final = "sends hundreds of requests to an application; run it with --postel"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option ``--postel``."""
    group = parser.getgroup("postel", "requests that an application reads in two ways")
    group.addoption("--postel", action="store_true", help="run the tests marked with @pytest.mark.postel")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        "postel(app, policy=..., routes=[...], headers=[...], unsafe_methods=False, baseline='file.toml'): "
        "run the test, which takes the fixture one_meaning, once for each family of requests that can be "
        "read in two ways",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Create one test for each family from a marked test."""
    if _NAME in metafunc.fixturenames:
        from postel.doctor._suite import FAMILIES  # noqa: PLC0415 - only for marked tests

        metafunc.parametrize(
            _NAME, FAMILIES, indirect=True, ids=[each.replace(" ", "-") for each in FAMILIES]
        )


@pytest.fixture(scope="session")
def _suites() -> dict[object, Any]:
    """The examinations by marker; each marker is examined once."""
    return {}


@pytest.fixture
def one_meaning(request: pytest.FixtureRequest, _suites: dict[object, Any]) -> list[str]:
    """Describe each finding of a family that remains behind the policy and is not in the baseline."""
    marker = request.node.get_closest_marker("postel")
    if marker is None:
        pytest.fail("one_meaning needs @pytest.mark.postel(app)", pytrace=False)
    if not marker.args:
        pytest.fail("@pytest.mark.postel needs the application: @pytest.mark.postel(app)", pytrace=False)
    if not request.config.getoption("--postel"):
        pytest.skip(_NEEDS)
    from postel.doctor import ApplicationError  # noqa: PLC0415 - as above
    from postel.doctor._suite import Suite  # noqa: PLC0415 - as above

    settings = dict(marker.kwargs)
    if settings.get("baseline") is not None:
        settings["baseline"] = request.path.parent / settings["baseline"]
    key = id(marker.args[0]), repr(settings)
    if key not in _suites:
        # The application is kept, so that no other object gets its id.
        try:
            suite = Suite.of(marker.args[0], **settings)
        except (ApplicationError, OSError, ValueError) as error:
            pytest.fail(f"postel: {error}", pytrace=False)
        if missing := ", ".join(suite.missing):
            request.node.warn(pytest.PytestWarning(f"answered with 404; is the name wrong? {missing}"))
        _suites[key] = marker.args[0], suite
    complaints: list[str] = _suites[key][1].complaints(request.param)
    return complaints


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """Fail the test, without running it, if a request of its family is read in two ways."""
    if _NAME not in pyfuncitem.fixturenames and any(each.name == "postel" for each in pyfuncitem.own_markers):
        pytest.fail(f"@pytest.mark.postel tests nothing without the fixture {_NAME}", pytrace=False)
    complaints = cast("list[str]", pyfuncitem.funcargs.get(_NAME, []))
    if complaints:
        pytest.fail("\n".join(complaints), pytrace=False)


@pytest.fixture
def second_meanings() -> Callable[..., Any]:
    """Return ``postel.doctor.examine``; ``second_meanings(app).behind`` has the findings behind a policy."""
    from postel.doctor import examine  # noqa: PLC0415 - as above

    return examine
