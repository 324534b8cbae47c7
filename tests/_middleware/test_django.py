"""Django's system check warns about an application that is not wrapped, and about postel in MIDDLEWARE."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from django.apps.registry import Apps
from django.core import checks
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application

import postel.asgi
import postel.wsgi
from applications import django_configured
from postel.django import check_application


class Wrapper:
    """Other middleware, with its application in an attribute."""

    def __init__(self, app: Any, name: str = "app") -> None:
        setattr(self, name, app)

    def __call__(self, environ: Any, start_response: Any) -> Any: ...


with django_configured():
    bare: Final = get_wsgi_application()
    asgi_bare: Final = get_asgi_application()
wrapped: Final = postel.wsgi.NormalizeMiddleware(bare)
wrapped_outside: Final = Wrapper(Wrapper(wrapped, "_application"), "wrapped")
asgi_wrapped: Final = postel.asgi.NormalizeMiddleware(asgi_bare)
NAME: Final = "test_django"


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys  # noqa: PLC0415 - beside its one use

    monkeypatch.setitem(sys.modules, NAME, sys.modules[__name__])


def warnings_with(**settings: Any) -> list[str]:
    with django_configured(**settings):
        return [each.id for each in check_application()]


@pytest.mark.parametrize(
    ("settings", "ids"),
    [
        ({}, []),
        ({"WSGI_APPLICATION": f"{NAME}.wrapped"}, []),
        ({"WSGI_APPLICATION": f"{NAME}.wrapped_outside"}, []),
        ({"WSGI_APPLICATION": f"{NAME}.bare"}, ["postel.W001"]),
        ({"WSGI_APPLICATION": f"{NAME}.nothing"}, ["postel.W004"]),
        ({"WSGI_APPLICATION": "doctor.broken.application"}, ["postel.W004"]),
        ({"ASGI_APPLICATION": "not a name"}, ["postel.W004"]),
        ({"ASGI_APPLICATION": f"{NAME}.asgi_wrapped"}, []),
        ({"ASGI_APPLICATION": f"{NAME}.asgi_bare"}, ["postel.W002"]),
        ({"ASGI_APPLICATION": f"{NAME}.wrapped"}, ["postel.W002"]),
        ({"MIDDLEWARE": ["postel.wsgi.NormalizeMiddleware"]}, ["postel.W003"]),
    ],
)
def test_each_setting_has_its_warnings(settings: dict[str, Any], ids: list[str]) -> None:
    assert warnings_with(**settings) == ids


def test_a_warning_says_what_to_write() -> None:
    with django_configured(WSGI_APPLICATION=f"{NAME}.bare"):
        [warning] = check_application()
    assert warning.is_serious() is False
    assert "application = postel.wsgi.NormalizeMiddleware(application)" in warning.hint
    assert f"{NAME}.bare" in warning.msg


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("{}['x']", "KeyError: 'x'"),
        ("def", "SyntaxError: invalid syntax"),
        ("import nowhere", "ModuleNotFoundError: No module named 'nowhere'"),
        ("raise RuntimeError('a' * 999)", f"RuntimeError: {'a' * 300})"),
        ("from postel import Forms; Forms(limit=0)", "PolicyError: Forms(limit=0): a limit is"),
    ],
)
def test_a_module_that_cannot_be_imported_is_reported(
    body: str, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "faulty_wsgi.py").write_text(body)
    monkeypatch.syspath_prepend(tmp_path)
    with django_configured(WSGI_APPLICATION="faulty_wsgi.application"):
        [warning] = check_application()
    assert f"WSGI_APPLICATION='faulty_wsgi.application' cannot be imported ({error}" in warning.msg
    assert "is served as it is" not in warning.msg


def test_postel_in_middleware_is_reported_alone_although_wsgi_py_loads_the_middleware(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The project of ``startproject``: its wsgi.py raises as long as postel is in MIDDLEWARE."""
    (tmp_path / "usual_wsgi.py").write_text(
        "from django.core.wsgi import get_wsgi_application\napplication = get_wsgi_application()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    settings = {"WSGI_APPLICATION": "usual_wsgi.application"}
    late = {"MIDDLEWARE": ["postel.wsgi.NormalizeMiddleware"]}
    assert warnings_with(**settings, **late) == ["postel.W003"]
    assert warnings_with(**settings) == ["postel.W001"]


def test_django_finds_the_check_in_its_installed_apps() -> None:
    with django_configured(WSGI_APPLICATION=f"{NAME}.bare"):
        apps = Apps(["postel.django"])
        assert apps.is_installed("postel.django")
        assert "postel.W001" in [each.id for each in checks.run_checks(app_configs=None)]
