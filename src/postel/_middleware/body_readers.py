"""Load the modules that judge and read bodies, if a middleware needs them.

Most applications judge no bodies, and these modules are slow to import.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from postel._bodies.content_type import ContentType
from postel._bodies.form_settings import Forms
from postel._bodies.json_settings import Json
from postel._bodies.result_on_asgi import BodyResult as ASGIResult
from postel._bodies.result_on_wsgi import BodyResult as WSGIResult
from postel._http.interop import Environ
from postel._http.report import Report
from postel._http.websocket import Receive, Scope
from postel._normalizer.routes import RoutedNormalizer

if TYPE_CHECKING:
    from postel._bodies.body import BodyJudge

ASGIReader: TypeAlias = Callable[[Scope, Receive, Report, ContentType], Awaitable[ASGIResult]]
WSGIReader: TypeAlias = Callable[[Environ, Report, ContentType], WSGIResult]


def body_judge(forms: Forms | None, json: Json | None, normalizer: RoutedNormalizer) -> BodyJudge | None:
    """The judge of bodies; ``None`` if none are judged."""
    if forms is None and json is None:
        return None
    from postel._bodies.body import BodyJudge  # noqa: PLC0415 - as the module says

    return BodyJudge(forms, json, normalizer)


def asgi_reader(judge: BodyJudge | None) -> ASGIReader | None:
    """The reader of bodies on ASGI; ``None`` if none are judged."""
    if judge is None:
        return None
    from postel._bodies.on_asgi import read_body  # noqa: PLC0415 - as the module says

    return partial(read_body, judge)


def wsgi_reader(judge: BodyJudge | None) -> WSGIReader | None:
    """The reader of bodies on WSGI; ``None`` if none are judged."""
    if judge is None:
        return None
    from postel._bodies.on_wsgi import read_body  # noqa: PLC0415 - as the module says

    return partial(read_body, judge)
