"""Django REST framework on ASGI reads a form by ``Content_Type`` alone; behind postel, no view is called.

Older versions of Django merge both spellings of a name (CVE-2026-3902), and bridges to WSGI still do.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Final

import pytest

from postel import Forms, Json
from postel.asgi import NormalizeMiddleware
from readers.asking import App, Reader, Request, ask

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # The warnings of the frameworks do not matter here.
    pytest.mark.skipif(not find_spec("rest_framework"), reason="needs Django REST framework"),
]

PARTS: Final = b'--X\r\nContent-Disposition: form-data; name="f"\r\n\r\nx\0y\r\n--X--\r\n'
BODIES: Final = [
    (b"application/x-www-form-urlencoded", b"f=x%00y"),
    (b"multipart/form-data; boundary=X", PARTS),
    (b"application/json", b'{"f": "\\u0000"}'),
]


def reader(*, is_bridged: bool) -> Reader:
    from asgiref.wsgi import WsgiToAsgi  # noqa: PLC0415 - these packages may be missing
    from django.core.asgi import get_asgi_application  # noqa: PLC0415
    from django.core.wsgi import get_wsgi_application  # noqa: PLC0415

    from readers.of_django import Deployed  # noqa: PLC0415
    from readers.of_drf import configured_for_rest  # noqa: PLC0415

    def everything() -> Any:
        if is_bridged:
            return WsgiToAsgi(Deployed(get_wsgi_application, configured_for_rest))
        return Deployed(get_asgi_application, configured_for_rest)

    return Reader("Django REST framework, ASGI", "asgi", "djangorestframework", everything)


@pytest.mark.parametrize("is_bridged", [False, True], ids=["ASGI", "a bridge"])
@pytest.mark.parametrize("others", ["refuse", "untouched"])
@pytest.mark.parametrize(("declared", "body"), BODIES, ids=["urlencoded", "multipart", "JSON"])
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_type_with_an_underscore_steers_no_reader(
    method: str, declared: bytes, body: bytes, others: Any, is_bridged: bool
) -> None:
    request = Request(b"/form", method, ((b"Content_Type", declared),), body=body)
    drf = reader(is_bridged=is_bridged)
    application = drf.everything()

    def wrapped(app: Any) -> Any:
        return NormalizeMiddleware(app, forms=Forms(), json=Json(others=others))

    behind = ask(App(drf, application, wrapped), request)
    assert (behind.status, behind.asked) == (415, False)
    plain = Request(b"/form", method, ((b"Content-Type", declared),), body=body.replace(b"\0", b"0"))
    assert ask(App(drf, application), plain).asked
