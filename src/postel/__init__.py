"""Middleware that gives every request URL one meaning, and a toolkit for writing URLs.

Wrap an ASGI application (Starlette, FastAPI, Django's ``asgi.py``)::

    from postel.asgi import NormalizeMiddleware

    app = NormalizeMiddleware(app)

or a WSGI application (Flask, Django's ``wsgi.py``)::

    from postel.wsgi import NormalizeMiddleware

    app = NormalizeMiddleware(app)

The names below configure it (``Policy``, ``Kind``, ``Forms``), read its reports (``report_of``, ``Report``),
and judge single URLs without a server (``Normalizer``, ``Target``). ``postel.uri``, ``postel.form`` and
``postel.javascript`` write URLs.
"""

from types import FunctionType as _FunctionType

from postel._alphabet.characters import ASCII, LATIN, Characters
from postel._bodies.form_settings import Forms
from postel._bodies.json_settings import Json
from postel._bodies.settings import Bodies
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import Finding
from postel._catalogue.kinds import Kind
from postel._errors import PolicyError
from postel._http.locations import Locations
from postel._http.observers import LogObserver
from postel._http.report import Report, report_of
from postel._http.sampling import Sample
from postel._normalizer.normalizer import Normalizer
from postel._normalizer.target import Accepted, Rejected, Target
from postel._policy.limits import Limits
from postel._policy.names import TRACKING_NAMES
from postel._policy.policy import Policy
from postel._policy.table import policy_table

__version__ = "0.1.0"

__all__ = [
    "ASCII",
    "LATIN",
    "TRACKING_NAMES",
    "Accepted",
    "Action",
    "Bodies",
    "Characters",
    "Component",
    "Finding",
    "Forms",
    "Json",
    "Kind",
    "Limits",
    "Locations",
    "LogObserver",
    "Normalizer",
    "Policy",
    "PolicyError",
    "Rejected",
    "Report",
    "Sample",
    "Target",
    "policy_table",
    "report_of",
]

for _public in map(globals().__getitem__, __all__):
    # Tracebacks, pickles and documentation name the module that users import from.
    if isinstance(_public, type | _FunctionType):
        _public.__module__ = __name__


def __getattr__(name: str) -> object:
    if name == "NormalizeMiddleware":
        raise ImportError(
            "there is a NormalizeMiddleware for each protocol: import it from postel.asgi (Starlette, "
            "FastAPI, asgi.py) or from postel.wsgi (Flask, wsgi.py)"
        )
    raise AttributeError(f"module 'postel' has no attribute {name!r}")
