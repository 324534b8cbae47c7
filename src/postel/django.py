"""Django's system check: whether the application that servers run is wrapped in postel.

With ``"postel.django"`` in ``INSTALLED_APPS``, ``manage.py check`` warns if the application is not wrapped.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

from postel import asgi, wsgi
from postel._middleware.outermost import layers

__all__ = ["check_application"]

_SETTINGS: Final = {
    "WSGI_APPLICATION": (wsgi.NormalizeMiddleware, "postel.wsgi", "postel.W001"),
    "ASGI_APPLICATION": (asgi.NormalizeMiddleware, "postel.asgi", "postel.W002"),
}
"""The settings that name an application, each with its middleware, the module to import, and the warning."""
_LONGEST: Final = 300
"""The most characters of an error that a warning quotes."""
# Django ships no type annotations.
_checks: Any = import_module("django.core.checks")


def check_application(app_configs: Sequence[object] | None = None, **_: object) -> list[Any]:
    """Return Django's warnings if the application is not wrapped, or if postel is in ``MIDDLEWARE``.

    Django calls it if the settings have ``INSTALLED_APPS = [..., "postel.django"]``. ``app_configs`` is
    ignored. ``postel.W001`` and ``postel.W002`` are about ``WSGI_APPLICATION`` and ``ASGI_APPLICATION``, and
    ``postel.W003`` about ``MIDDLEWARE``. ``postel.W004`` is about an application that cannot be imported.
    With postel in ``MIDDLEWARE``, ``get_wsgi_application()`` raises, so nothing is imported then.

    >>> check_application.__name__
    'check_application'
    """
    settings: Any = import_module("django.conf").settings
    late = [name for name in settings.MIDDLEWARE if str(name).startswith("postel.")]
    if late:
        return [
            _checks.Warning(
                f"{late[0]} is in MIDDLEWARE, which runs after Django has read the path.",
                hint="Take it out, and wrap the application in wsgi.py or asgi.py.",
                id="postel.W003",
            )
        ]
    return [
        warning
        for setting, row in _SETTINGS.items()
        if (name := getattr(settings, setting, None)) and (warning := _warning(setting, name, *row))
    ]


def _warning(setting: str, name: str, middleware: type, module: str, id_: str) -> Any:
    """Return the warning about an application; ``None`` if it is wrapped."""
    try:
        app: Any = import_module("django.utils.module_loading").import_string(name)
    except Exception as error:
        return _checks.Warning(
            f"{setting}={name!r} cannot be imported ({_described(error)}), so it is unknown whether postel "
            "wraps it.",
            hint="Correct the setting or the module; import it in 'manage.py shell' to see why.",
            id="postel.W004",
        )
    if any(isinstance(layer, middleware) for layer in layers(app)):
        return None
    return _checks.Warning(
        f"{setting} is not wrapped in postel: {name} is served as it is.",
        hint=f"In that module, write application = {module}.NormalizeMiddleware(application). If no "
        f"server runs this application, add {id_!r} to SILENCED_SYSTEM_CHECKS.",
        id=id_,
    )


def _described(error: Exception) -> str:
    """Return the type of an error and the beginning of its message."""
    return f"{type(error).__name__}: {str(error)[:_LONGEST]}"


_checks.register(check_application)
