"""Settings of the middlewares: those that cannot work raise at construction, with a helpful message."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable
from functools import partial
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from werkzeug.exceptions import BadRequest

from adapters import EACH_PROTOCOL, WSGI, Protocol
from postel import LATIN, Component, Kind, LogObserver, Policy, PolicyError, Report, Sample
from postel.opentelemetry import OpenTelemetryObserver
from postel.prometheus import PrometheusObserver
from together import together

pytestmark = EACH_PROTOCOL

WIDE = Policy.STANDARD.preserving(Kind.ENCODED_SLASH)


def wsgi_app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    raise NotImplementedError


async def asgi_app(scope: Any, receive: Any, send: Any) -> None:
    raise NotImplementedError


async def observe_later(report: Report) -> None:
    raise NotImplementedError


def app_of(protocol: Protocol) -> Any:
    return wsgi_app if protocol is WSGI else asgi_app


def make(protocol: Protocol, **settings: Any) -> Any:
    return protocol.middleware(**{"app": app_of(protocol), **settings})


# -- invalid settings and their messages ---------------------------------------------------------------------

FAULTS = [
    (
        {"hosts": b"a.example"},
        "hosts=b'a.example': give a list, such as hosts=['example.com']",
    ),
    ({"policy": None}, "policy=None is not a Policy; write policy=Policy.STANDARD"),
    ({"policy": " "}, "policy=' ' is not a Policy; write policy=Policy.STANDARD"),
    ({"policy": "standard"}, "policy='standard' is text; write policy=Policy.parse('standard')"),
    ({"enforce": 1}, "enforce=1: write enforce=True or enforce=False"),
    ({"enforce": "no"}, "enforce='no': write enforce=True or enforce=False"),
    ({"enforce": None}, "enforce=None: write enforce=True or enforce=False"),
    ({"redirect": 1}, "redirect=1: write redirect=True or redirect=False"),
    ({"redirect": 308}, "redirect=308: write redirect=True or redirect=False"),
    (
        {"observer": "log"},
        "observer='log' cannot be called with a report; give a function of one argument, or LogObserver()",
    ),
    ({"routes": 5}, "routes=5: write a dict such as {'/packages': Policy.STANDARD}"),
    ({"routes": 0}, "routes=0: write a dict such as {'/packages': Policy.STANDARD}"),
    ({"routes": "/packages"}, "routes='/packages': write a dict such as {'/packages': Policy.STANDARD}"),
    ({"routes": ["/a"]}, "routes=['/a']: write a dict such as {'/packages': Policy.STANDARD}"),
    ({"routes": {"a": WIDE}}, "routes['a']: a route is a path such as '/packages'"),
    ({"routes": {"/": WIDE}}, "routes['/']: give the policy for all other paths as policy="),
    (
        {"routes": {"/a//b": WIDE}},
        "routes['/a//b']: a route is a clean path such as '/packages', without empty-segment",
    ),
    (
        {"routes": {"/a": "standard"}},
        "routes['/a']='standard' is not a Policy; write one, such as Policy.STANDARD",
    ),
    ({"routes": {"/a": WIDE, "/%61": WIDE}}, "routes: '/%61' is listed twice, in different spellings"),
    ({"prefix": "app"}, "prefix='app': a prefix is a path such as '/app', or '' for none"),
    ({"prefix": "/app/"}, "prefix='/app/': a prefix is a path such as '/app', or '' for none"),
    ({"prefix": "/"}, "prefix='/': a prefix is a path such as '/app', or '' for none"),
    ({"prefix": b"/app"}, "prefix=b'/app': a prefix is a path such as '/app', or '' for none"),
    ({"prefix": 0}, "prefix=0: a prefix is a path such as '/app', or '' for none"),
    ({"prefix": "/caf%C3%A9"}, "prefix='/caf%C3%A9': a prefix is decoded text, such as '/café'"),
    ({"prefix": "/a%2Fb"}, "prefix='/a%2Fb': a prefix is decoded text, such as '/café'"),
    ({"prefix": "//a"}, "prefix='//a': the policy refuses every request under it (leading-slashes)"),
    ({"prefix": "/a/.."}, "prefix='/a/..': the policy refuses every request under it (dot-segment)"),
    ({"prefix": "/a\\b"}, "prefix='/a\\\\b': the policy refuses every request under it (encoded-backslash)"),
    ({"prefix": "/\ud800"}, "prefix='/\\ud800': the policy refuses every request under it (ill-formed-utf8)"),
    (
        {"prefix": "/a;b", "policy": Policy.STRICT},
        "prefix='/a;b': the policy refuses every request under it (path-parameter)",
    ),
    ({"sample": 2}, "sample=2: a share is a number from 0 to 1, such as 0.1"),
    ({"sample": -0.1}, "sample=-0.1: a share is a number from 0 to 1, such as 0.1"),
    ({"sample": True}, "sample=True: a share is a number from 0 to 1, such as 0.1"),
    ({"sample": float("nan")}, "sample=nan: a share is a number from 0 to 1, such as 0.1"),
    ({"sample": "10%"}, "sample='10%': write a share such as 0.1, or Sample(0.1, by_client=True)"),
    (
        {"sample": 0.1, "enforce": False},
        "sample= requires enforce=True",
    ),
    ({"statuses": 404}, "statuses=404: write a dict such as {Kind.NUL: 404}"),
    ({"statuses": {"nul": 404}}, "statuses={'nul': ...}: name a Kind, such as Kind.NUL"),
    *(
        ({"statuses": {Kind.NUL: status}}, f"statuses={{{Kind.NUL!r}: {status!r}}}: {hint}")
        for hint in ("write an HTTP error status, such as 404",)
        for status in (200, 308, 399, 499, 600, "404", 404.0, None, [404], True)
    ),
]


@together(("settings", "message"), FAULTS, ids=[message for _, message in FAULTS])
def test_invalid_settings_raise(protocol: Protocol, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        make(protocol, **settings)


def test_statuses_with_your_own_refusal_raise(protocol: Protocol) -> None:
    refusal = BadRequest() if protocol is WSGI else PlainTextResponse("no", 400)
    message = (
        "statuses= cannot be combined with refusal=, which sets its own status; leave statuses out, or read "
        "report_of(...).findings in refusal"
    )
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        make(protocol, refusal=refusal, statuses={Kind.NUL: 404})
    make(protocol, refusal=refusal, statuses={})


@pytest.mark.parametrize("name", ["app", "refusal"])
@pytest.mark.parametrize("value", ["app", 400, lambda: None, lambda one, *, two, three: None])
def test_invalid_applications_raise(protocol: Protocol, name: str, value: Any) -> None:
    arguments = "environ, start_response" if protocol is WSGI else "scope, receive, send"
    message = f"{name}={value!r} cannot be called with ({arguments})"
    if not callable(value):
        application = "WSGI application" if protocol is WSGI else "ASGI application"
        message += f"; give the {application} " + (
            "to wrap" if name == "app" else "that answers refused requests"
        )
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        make(protocol, **{name: value})


def test_the_application_is_required(protocol: Protocol) -> None:
    with pytest.raises(PolicyError, match=r"^app=None cannot be called with"):
        make(protocol, app=None)


@pytest.mark.parametrize("name", ["app", "refusal"])
def test_applications_of_the_other_protocol_raise(protocol: Protocol, name: str) -> None:
    others, right = (asgi_app, "postel.asgi") if protocol is WSGI else (wsgi_app, "postel.wsgi")
    with pytest.raises(
        PolicyError, match=rf"^{name}=.*, but with .* import NormalizeMiddleware from {right}$"
    ):
        make(protocol, **{name: others})


async def answer_later(*_: Any) -> None:
    raise NotImplementedError


class Later:
    """An object whose methods are async."""

    async def __call__(self, *_: Any) -> None:
        raise NotImplementedError

    async def answer(self, *_: Any) -> None:
        raise NotImplementedError


async def yield_later(*_: Any) -> AsyncIterator[bytes]:
    yield b""


@pytest.mark.parametrize("name", ["app", "refusal"])
@pytest.mark.parametrize(
    "value",
    [answer_later, Later(), Later().answer, partial(answer_later), partial(Later())],
    ids=["function", "object", "method", "partial function", "partial object"],
)
def test_async_applications_are_for_asgi(protocol: Protocol, name: str, value: Any) -> None:
    if protocol is WSGI:
        message = f"{name}={value!r} is async; WSGI awaits nothing, so give an ordinary function"
        with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
            make(protocol, **{name: value})
    else:
        make(protocol, **{name: value})


def test_an_ordinary_function_can_return_what_another_application_returns(protocol: Protocol) -> None:
    app = app_of(protocol)

    def through(*arguments: Any) -> Any:
        return app(*arguments)

    make(protocol, app=through, refusal=through)
    if protocol is WSGI:
        with pytest.raises(PolicyError, match=r"^refusal=.* is async; "):
            make(protocol, refusal=yield_later)


def test_invalid_observers_raise(protocol: Protocol) -> None:
    with pytest.raises(PolicyError, match=r"^observer=.* cannot be called with a report; give a .*$"):
        make(protocol, observer=lambda: None)
    for observer in (observe_later, partial(observe_later), Later()):
        with pytest.raises(PolicyError, match=r"^observer=.* is async; give an ordinary function$"):
            make(protocol, observer=observer)


@pytest.mark.parametrize("observer", [LogObserver, PrometheusObserver, OpenTelemetryObserver, Later])
def test_an_observer_is_not_a_class_whose_instances_observe(protocol: Protocol, observer: Any) -> None:
    name = observer.__name__
    message = f"observer={name}: this is a class; write observer={name}()"
    with pytest.raises(PolicyError, match=f"^{re.escape(message)}$"):
        make(protocol, observer=observer)


class Collected:
    """A class whose instances hold a report."""

    def __init__(self, report: Report) -> None:
        raise NotImplementedError


def test_observers_may_be_any_other_callable_of_one_argument(protocol: Protocol) -> None:
    for observer in (print, [].append, partial(print, "told"), Collected):
        make(protocol, observer=observer)


def test_all_settings_except_app_and_policy_are_keyword_only(protocol: Protocol) -> None:
    with pytest.raises(TypeError):
        protocol.middleware(app_of(protocol), Policy.STANDARD, False)


# -- valid settings ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"routes": {}, "statuses": {}, "prefix": "", "sample": None, "observer": None, "refusal": None},
        {"routes": MappingProxyType({"/packages": WIDE, "/ä ö": Policy.LENIENT})},
        {"prefix": "/a/b"},
        {"prefix": "/café"},
        {"prefix": "/50%"},
        {"prefix": "/a;b", "policy": Policy.LENIENT},
        {"sample": 0},
        {"sample": 1.0},
        {"sample": Sample(0.5, by_client=True)},
        {"statuses": {Kind.NUL: 404, Kind.TOO_LONG: HTTPStatus.BAD_REQUEST, Kind.DOT_SEGMENT: 503}},
        {"policy": Policy.STRICT.accepting(LATIN, on=Component.PATH), "prefix": "/café"},
    ],
    ids=repr,
)
def test_valid_settings_are_accepted(protocol: Protocol, settings: dict[str, Any]) -> None:
    make(protocol, **settings)


def test_callables_without_a_signature_are_accepted(protocol: Protocol) -> None:
    protocol.middleware(max)  # a compiled function that takes any number of arguments
    protocol.middleware(lambda *arguments: None)


class Endpoint:
    """An application that is a class: an instance answers one request."""

    def __init__(self, *_: Any) -> None:
        raise NotImplementedError


class AwaitableEndpoint(Endpoint):
    def __await__(self) -> Any:
        raise NotImplementedError


class IterableEndpoint(Endpoint):
    def __iter__(self) -> Any:
        raise NotImplementedError


class Indexed(Endpoint):
    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError


class Answering:
    def __new__(cls, *_: Any) -> Any:
        raise NotImplementedError


def test_classes_are_applications_if_calling_them_answers(protocol: Protocol) -> None:
    for each in (IterableEndpoint, Indexed, Answering) if protocol is WSGI else (AwaitableEndpoint,):
        protocol.middleware(each)
    message = r"^app=<class .*> is a class; give an application, such as Endpoint\(\)$"
    with pytest.raises(PolicyError, match=message):
        protocol.middleware(Endpoint)


def test_later_changes_of_the_arguments_have_no_effect(protocol: Protocol) -> None:
    routes, statuses = {"/packages": WIDE}, {Kind.NUL: 404}
    through = protocol.behind(routes=routes, statuses=statuses)
    routes["/other"], statuses[Kind.NUL] = WIDE, 410
    assert through.serve(protocol.request_of(b"/other/a%2Fb")).status == 400
    assert through.serve(protocol.request_of(b"/%00")).status == 404
