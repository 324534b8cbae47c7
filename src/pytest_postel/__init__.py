"""The plugin for pytest: ``@pytest.mark.postel(app)`` has a test for each family of second meanings.

It stands beside the package and imports nothing of it before it is asked: pytest loads plugins in every
project in which they are installed, and before anything measures what is covered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

import pytest

_NAME: Final = "one_meaning"
_NEEDS: Final = "asks an application some hundred times; --postel runs it"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Tell pytest of ``--postel``."""
    group = parser.getgroup("postel", "what an application reads in two ways")
    group.addoption("--postel", action="store_true", help="run the tests that are marked with postel")


def pytest_configure(config: pytest.Config) -> None:
    """Tell pytest of the marker."""
    config.addinivalue_line(
        "markers",
        "postel(app, policy=..., routes=[...], headers=[...], unsafe_methods=False, baseline='file.toml'): "
        "a test for each family of requests that can be read in two ways, by the fixture one_meaning",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test for each family of what is marked."""
    if _NAME in metafunc.fixturenames:
        from postel.doctor._suite import FAMILIES  # noqa: PLC0415 - not before it is asked

        metafunc.parametrize(
            _NAME, FAMILIES, indirect=True, ids=[each.replace(" ", "-") for each in FAMILIES]
        )


@pytest.fixture(scope="session")
def _suites() -> dict[object, Any]:
    """The applications that have been examined, each once, by their markers."""
    return {}


@pytest.fixture
def one_meaning(request: pytest.FixtureRequest, _suites: dict[object, Any]) -> list[str]:
    """Tell what of a family is read in two ways behind the policy, and not accepted by the baseline."""
    marker = request.node.get_closest_marker("postel")
    if marker is None:
        pytest.fail("one_meaning needs @pytest.mark.postel(app)", pytrace=False)
    if not request.config.getoption("--postel"):
        pytest.skip(_NEEDS)
    from postel.doctor import ApplicationError  # noqa: PLC0415 - as above
    from postel.doctor._suite import Suite  # noqa: PLC0415 - as above

    key = id(marker.args[0]), repr(marker.kwargs)
    if key not in _suites:
        settings = dict(marker.kwargs)
        if settings.get("baseline") is not None:
            settings["baseline"] = request.path.parent / settings["baseline"]
        # The application is kept, so that its id stays its own.
        try:
            _suites[key] = marker.args[0], Suite.of(marker.args[0], **settings)
        except (ApplicationError, OSError, ValueError) as error:
            pytest.fail(f"postel: {error}", pytrace=False)
    complaints: list[str] = _suites[key][1].complaints(request.param)
    return complaints


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """Fail the test if there is anything to tell; then what it does itself is no longer of interest."""
    complaints = cast("list[str]", pyfuncitem.funcargs.get(_NAME, []))
    if complaints:
        pytest.fail("\n".join(complaints), pytrace=False)


@pytest.fixture
def second_meanings() -> Callable[..., Any]:
    """Give ``postel.doctor.examine``: what is left behind a policy is ``second_meanings(app).behind``."""
    from postel.doctor import examine  # noqa: PLC0415 - as above

    return examine
