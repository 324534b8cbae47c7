"""With ``enforce=False`` an application reads what it reads without postel, whatever the target."""

from __future__ import annotations

from typing import Any

import pytest

import postel.asgi
import postel.wsgi
from adapters import call_asgi, call_wsgi, environ_of, scope_of
from postel import Kind, Policy, Rejected, Sample, report_of
from postel._http.report import KEY
from targets import SAMPLES
from targets import Sample as Target
from together import together

POLICIES = {
    "STRICT": Policy.STRICT,
    "STANDARD": Policy.STANDARD,
    "LENIENT": Policy.LENIENT,
}
SETTINGS: dict[str, dict[str, Any]] = {
    "enforce=False": {"enforce": False},
    "sample=0": {"sample": Sample(0.0)},
    "everything": {"enforce": False, "redirect": True, "prefix": "", "statuses": {Kind.NUL: 404}},
}
METHODS = ("GET", "OPTIONS")


class Application:
    """Keeps what it received."""

    def __init__(self) -> None:
        self.given: dict[str, Any] = {}

    def wsgi(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        self.given = environ
        start_response("200 OK", [])
        return []

    async def asgi(self, scope: dict[str, Any], _receive: Any, send: Any) -> None:
        self.given = scope
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


MIDDLEWARES = [(name, "enforce=False") for name in POLICIES] + [
    ("STANDARD", setting) for setting in SETTINGS if setting != "enforce=False"
]


@pytest.fixture(scope="module", params=MIDDLEWARES, ids="-".join)
def wrapped(request: pytest.FixtureRequest) -> tuple[Application, Any, Any]:
    name, setting = request.param
    application = Application()
    options = {"policy": POLICIES[name], "observer": lambda report: None, **SETTINGS[setting]}
    return (
        application,
        postel.wsgi.NormalizeMiddleware(application.wsgi, **options),
        postel.asgi.NormalizeMiddleware(application.asgi, **options),
    )


def same(bare: dict[str, Any], behind: dict[str, Any]) -> bool:
    """Whether the same keys hold the very same objects, except the key that postel adds."""
    return {**bare, KEY: None}.keys() == behind.keys() and all(behind[key] is bare[key] for key in bare)


@together("sample", SAMPLES, ids=lambda sample: sample.name)
def test_every_target_is_handed_on_unchanged(wrapped: tuple[Application, Any, Any], sample: Target) -> None:
    application, wsgi, asgi = wrapped
    for request, bare, behind, call in (
        each
        for method in METHODS
        for each in (
            (environ_of(sample.octets, method), application.wsgi, wsgi, call_wsgi),
            ({"type": "http", **scope_of(sample.octets, method)}, application.asgi, asgi, call_asgi),
        )
    ):
        before = dict(request)
        assert call(bare, request).status == 200  # Both protocols are called in the same way.
        out = application.given
        assert call(behind, request).status == 200
        assert same(out, application.given)
        assert request == before
        assert not report_of(application.given).enforced


def test_enforcement_would_change_many_targets() -> None:
    """With enforcement, many of these targets are refused or changed."""
    normalizer = postel.Normalizer(Policy.STANDARD)
    outcomes = [normalizer.normalize(postel.Target(each.path, each.query)) for each in SAMPLES]
    assert len(SAMPLES) >= 150
    assert sum(isinstance(each, Rejected) for each in outcomes) > 40
    assert sum(bool(each.findings) for each in outcomes) > 70
