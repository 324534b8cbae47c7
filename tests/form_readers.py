"""What frameworks read from a form, with or without postel; and bodies that they read in different ways."""

from __future__ import annotations

import asyncio
import functools
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import flask
import quart
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, JsonResponse
from django.urls import path
from fastapi import FastAPI
from fastapi import Request as FastAPIRequest
from starlette.requests import Request  # noqa: TC002 - Starlette reads the annotation
from starlette.responses import JSONResponse

import postel.asgi
import postel.wsgi
from applications import django_configured, ignore
from bodies import FORM
from one_route import falcon_app, falcon_asgi_app, starlette_app
from postel import Policy
from wire import environ_of, scope_of

Fields = Mapping[str, list[str]]
"""The values of each name, in order."""


@dataclass(frozen=True)
class Reading:
    """The result of a form: the fields that a framework read, or the status if it read none."""

    status: int
    fields: Fields | None = None
    asked: bool = True
    """Whether the application was called at all."""


def gathered(pairs: Any) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    return fields


# -- applications --------------------------------------------------------------------------------------------


def flask_app() -> Any:
    app = flask.Flask("forms", static_folder=None)
    app.add_url_rule(
        "/", "show", lambda: flask.jsonify(gathered(flask.request.form.items(multi=True))), methods=["POST"]
    )
    return app


def quart_app() -> Any:
    app = quart.Quart("forms", static_folder=None)

    @app.post("/")
    async def show() -> Any:
        return quart.jsonify(gathered((await quart.request.form).items(multi=True)))

    return app


def django_view(request: HttpRequest) -> JsonResponse:
    return JsonResponse(dict(request.POST.lists()))


urlpatterns = [path("", django_view)]


async def starlette_view(request: Request) -> JSONResponse:
    return JSONResponse(gathered((await request.form()).multi_items()))


def fastapi_app() -> Any:
    app = FastAPI()

    @app.post("/")
    async def show(request: FastAPIRequest) -> dict[str, list[str]]:
        return gathered((await request.form()).multi_items())

    return app


def of_falcon(media: dict[str, Any]) -> dict[str, list[str]]:
    return {name: value if isinstance(value, list) else [value] for name, value in media.items()}


class FalconResource:
    """A resource of Falcon."""

    def on_post(self, request: Any, response: Any) -> None:
        response.media = of_falcon(request.get_media())


class AsyncFalconResource:
    """A resource of Falcon on ASGI."""

    async def on_post(self, request: Any, response: Any) -> None:
        response.media = of_falcon(await request.get_media())


@dataclass(frozen=True)
class Framework:
    """An application of a framework that returns what it reads from a form."""

    name: str
    make: Callable[[], Any]
    is_asgi: bool

    def read(self, body: Body, policy: Policy | None = None, *, chunked: bool = False) -> Reading:
        """Return what the framework reads, behind postel if a policy is given."""
        with django_configured(ROOT_URLCONF="form_readers"):
            return (self._asgi if self.is_asgi else self._wsgi)(body, policy, chunked)

    def _wsgi(self, body: Body, policy: Policy | None, chunked: bool) -> Reading:
        told: list[int] = []
        framing = {"wsgi.input_terminated": True} if chunked else {"CONTENT_LENGTH": str(len(body.octets))}
        environ = {
            **environ_of(b"/", "POST"),
            "CONTENT_TYPE": body.content_type,
            "wsgi.input": io.BytesIO(body.octets),
            **framing,
        }
        stack = stack_of(self, policy)
        stack.asked = False
        answer = b"".join(stack.outer(environ, lambda status, *_: told.append(int(status[:3]))))
        return _reading(told[-1], answer, stack.asked)

    def _asgi(self, body: Body, policy: Policy | None, chunked: bool) -> Reading:
        told: list[int] = []
        answer: list[bytes] = []
        messages = [{"type": "http.request", "body": body.octets, "more_body": False}]

        async def receive() -> Any:
            if messages:
                return messages.pop()
            return await asyncio.Event().wait()

        async def send(message: Any) -> None:
            told.extend([message["status"]] if "status" in message else [])
            answer.append(message.get("body", b""))

        length = (b"content-length", b"%d" % len(body.octets))
        framing = (b"transfer-encoding", b"chunked") if chunked else length
        scope = scope_of(b"/", "POST")
        scope["headers"] += [(b"content-type", body.content_type.encode()), framing]
        stack = stack_of(self, policy)
        stack.asked = False
        asyncio.run(stack.outer(scope, receive, send))
        return _reading(told[-1], b"".join(answer), stack.asked)


class Stack:
    """An application, with or without postel, and whether it was called."""

    def __init__(self, framework: Framework, policy: Policy | None) -> None:
        self.app = framework.make()
        self.asked = False
        spy = self.asgi if framework.is_asgi else self.wsgi
        middleware = (postel.asgi if framework.is_asgi else postel.wsgi).NormalizeMiddleware
        self.outer: Any = middleware(spy, policy, forms=True, observer=ignore) if policy else spy

    def wsgi(self, environ: Any, start_response: Any) -> Any:
        self.asked = True
        return self.app(environ, start_response)

    async def asgi(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked = True
        await self.app(scope, receive, send)


@functools.cache  # Creating an application takes longer than calling it.
def stack_of(framework: Framework, policy: Policy | None) -> Stack:
    return Stack(framework, policy)


def _reading(status: int, answer: bytes, asked: bool) -> Reading:
    return Reading(status, json.loads(answer) if status == 200 else None, asked)


FRAMEWORKS: Final = [
    Framework("Django", get_wsgi_application, is_asgi=False),
    Framework("Django on ASGI", get_asgi_application, is_asgi=True),
    Framework("Flask", flask_app, is_asgi=False),
    Framework("Starlette", partial(starlette_app, starlette_view), is_asgi=True),
    Framework("FastAPI", fastapi_app, is_asgi=True),
    Framework("Falcon", partial(falcon_app, FalconResource()), is_asgi=False),
    Framework("Falcon on ASGI", partial(falcon_asgi_app, AsyncFalconResource()), is_asgi=True),
    Framework("Quart", quart_app, is_asgi=True),
]

# -- bodies --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Body:
    """A form, and the parameters of its Content-Type."""

    octets: bytes
    content_type: str = FORM

    def __str__(self) -> str:
        """Return the octets, and the parameters of the type."""
        return ascii(self.octets[:40])[2:-1] + self.content_type.removeprefix(FORM)


def typed(octets: bytes, parameters: str) -> Body:
    return Body(octets, FORM + parameters)


_ILL_FORMED = [
    b"%C4", b"%C0%AF", b"%C1%81", b"%ED%A0%80", b"%ED%BF%BF", b"%F4%90%80%80", b"%FF", b"%FE", b"%80", b"%BF",
    b"%E2%82", b"%F0%9F%98", b"%F8%88%80%80%80", b"%E0%80%AF", b"%C3%28", b"%E9t%E9", b"%A0%A1", b"%C3%A9%C3",
    b"%93x%94", b"%fc",
]  # fmt: skip
_RAW = [
    b"\xff", b"\xfe\xff", b"\xc4", b"\x80", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82",
    b"\xe9t\xe9", b"\xc3", b"a\xffb", b"\xc3\xa9\xff", b"\xf0\x9f\x98", b"\x93x\x94", b"\xa4",
]  # fmt: skip
_TEXTS = [
    text.encode() for text in ("é", "Ärzte", "日本", "😀", "пр", "ñ=ñ", "a\u200bb", "ﬁ", "€ 5", "\u0301")
]
_CHARSETS = [
    "latin-1", "iso-8859-1", "windows-1252", "us-ascii", "utf-16", "utf-7", "utf8", "shift_jis", "gb18030",
    "koi8-r",
]  # fmt: skip
_OTHERS = [*_CHARSETS[:4], "bogus", "utf-8", '"utf-8"', "x-user-defined"]
_BESIDE = [b"%C4", b"%FF", b"%C0%AF", b"\xff", b"\xc3\xa9", b"\xe9"]
_MIXED = [b"%C4%00", b"%zz%C4", b"%%FF", b"%u00e9\xff", b"%4\xe9", b"+%E9+"]

BODIES: Final = [
    *(Body(b"q=" + each) for each in _ILL_FORMED),
    *(Body(each + b"=1&a=1") for each in _ILL_FORMED[:10]),
    *(Body(b"a=%C3%A9&q=" + each + b"&b=2") for each in _BESIDE),
    *(Body(b"q=" + each) for each in _RAW),
    *(Body(b"a=1&" + each + b"=1") for each in _RAW[:6]),
    *(Body(b"q=" + each) for each in _TEXTS),
    *(Body(each + b"=1") for each in _TEXTS[:5]),
    *(typed(b"q=caf%C3%A9", f"; charset={each}") for each in _CHARSETS),
    *(typed(b"q=%E9", f"; charset={each}") for each in _OTHERS),
    *(Body(b"q=" + each) for each in _MIXED),
    Body(b"&".join(b"f%d=1" % number for number in range(1500))),
    Body(b"&".join([b"f=1"] * 1001)),
    Body(b"q=1&=\xc3\xa9&\xff"),
    Body(b"_charset_=windows-1252&q=%E9"),
]
_PLAIN = [
    b"q=%00", b"q=a%00b", b"q=%zz", b"q=%", b"q=50%+off", b"q=%4", b"q=%u0041", b"q=a;b", b"q=<>{}|",
    b"a[]=1&a[]=2", b"q=two%0D%0Alines", b"q=+a+%2B", b"q=%7e", b"q=caf%C3%A9", b"%71=%31", b"q=1&q=2&q=3",
    b"q=1=2",
]  # fmt: skip
ALIKE: Final = [*map(Body, _PLAIN), typed(b"q=1", "; charset=utf-8")]
"""Forms that all frameworks read in the same way, with and without postel."""
