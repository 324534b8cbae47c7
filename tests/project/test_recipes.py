"""docs/recipes.md: each block of Python runs, and does what the text above it says."""

from __future__ import annotations

import functools
import hashlib
import hmac
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import ada_url
import litestar
import pytest
import quart
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.test.signals import setting_changed
from django.urls import clear_url_caches, path, re_path
from django.views.static import serve
from litestar.static_files import create_static_files_router
from oauthlib.oauth1 import Client
from starlette.testclient import TestClient

import postel.asgi
import postel.wsgi
from applications import django_configured
from postel import uri
from together import together
from toolkit.test_local import PAYLOADS
from wire import HEADERS, Answer, ask_asgi, ask_wsgi, environ_of

PAGE = Path(__file__).parents[2] / "docs" / "recipes.md"
TEXT = PAGE.read_text("utf-8")
_SECTIONS = re.findall(r"^##+ ([^\n]*)\n(.*?)(?=^##|\Z)", TEXT, flags=re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^```python\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
PYTHON = {
    (heading, number): code
    for heading, section in _SECTIONS
    for number, code in enumerate(_CODE.findall(section))
}
REFUSALS = "Answer refusals yourself"
WEBHOOK = "The body of a webhook"
HOSTILE = b"/<script>%00?q=%C4"
ORIGIN = "https://app.example.com"


class Urls(ModuleType):
    """The URLs of a Django project with its own error page."""

    urlpatterns = (path("broken-link", lambda request: HttpResponse("<h1>Gone wrong</h1>", status=400)),)


class Header:
    """A middleware of the project, like one for CORS."""

    def __init__(self, get_response: Any) -> None:
        self.get_response = get_response

    def __call__(self, request: Any) -> Any:
        response = self.get_response(request)
        response["Access-Control-Allow-Origin"] = ORIGIN
        return response


@pytest.fixture(autouse=True)
def _django(tmp_path: Path) -> Iterator[None]:
    (tmp_path / "400.html").write_text("<h1>This link is broken</h1>")
    module = Urls("recipes_urls")
    module.Header = Header  # Django imports the class by this name.
    sys.modules[module.__name__] = module
    try:
        with django_configured(
            ROOT_URLCONF=module.__name__,
            MIDDLEWARE=["recipes_urls.Header"],
            TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": [tmp_path]}],
        ):
            # Django has cached these settings from other tests, and must read them again.
            for name in ("ROOT_URLCONF", "TEMPLATES"):
                setting_changed.send(sender=None, setting=name, value=None, enter=True)
            yield
    finally:
        del sys.modules[module.__name__]


def run(heading: str, number: int = 0) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "recipes"}
    code = PYTHON[heading, number]
    exec(compile(code, f"{PAGE.name}: {heading}", "exec", dont_inherit=True), names)  # noqa: S102 - code of the page
    return names


def ask(names: dict[str, Any], target: bytes) -> Answer:
    app = names.get("application", names.get("app"))
    if hasattr(app, "wsgi_app"):
        return ask_wsgi(app.wsgi_app, target)
    is_wsgi = type(app).__module__ == "postel.wsgi"
    return (ask_wsgi if is_wsgi else ask_asgi)(app, target)


PAGES = [
    ("Django", 0, "This link is broken"),
    ("Flask", 0, "This link is broken"),
    ("Starlette and FastAPI", 0, "This link is broken"),
    ("Starlette and FastAPI", 1, "This link is broken"),
    ("CORS headers on refusals", 0, "This link is broken"),
    ("CORS headers on refusals", 1, "Gone wrong"),
]


@pytest.mark.parametrize(("heading", "number", "text"), PAGES)
def test_a_refusal_shows_the_error_page_of_the_application(heading: str, number: int, text: str) -> None:
    names = run(heading, number)
    answer = ask(names, HOSTILE)
    assert answer.status == 400
    assert text in answer.body.decode()
    assert b"script" not in answer.body
    assert ask(names, b"/a").status == 404  # This request is not refused.


def test_the_error_page_of_flask_shows_the_id(caplog: pytest.LogCaptureFixture) -> None:
    body = ask(run("Flask"), HOSTILE).body.decode()
    shown = body.partition("<p>")[2].partition("</p>")[0]
    assert shown
    assert caplog.messages[-1].endswith(f"id {shown}")


def test_a_refusal_shows_the_error_page_of_django_on_asgi() -> None:
    from asgiref.wsgi import WsgiToAsgi  # noqa: PLC0415 - imported here, as on the page

    refusal = WsgiToAsgi(run("Django")["refusal"])

    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError

    answer = ask_asgi(postel.asgi.NormalizeMiddleware(app, refusal=refusal), HOSTILE)
    assert (answer.status, "This link is broken" in answer.body.decode()) == (400, True)


STATUSES = [
    (b"/a%2Fb?q=%C4", "example.com", 400, ["encoded-slash", "ill-formed-utf8"]),
    (b"/" + b"a" * 9000, "example.com", 414, ["too-long"]),
    (b"/", "other.example", 421, ["unknown-host"]),
]


@pytest.mark.parametrize(("target", "host", "status", "kinds"), STATUSES, ids=lambda value: str(value)[:20])
def test_a_refusal_has_the_status_of_its_kind(
    target: bytes, host: str, status: int, kinds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(HEADERS, "Host", host)
    answer = ask(run(REFUSALS, 1), target)
    content = json.loads(answer.body)
    assert (answer.status, content["error"], len(content["id"])) == (status, kinds, 16)


def test_after_request_runs_for_refusals_of_flask() -> None:
    names = run("Flask")
    names["app"].after_request(lambda response: response.headers.add("X-Seen", "yes") or response)
    assert ask(names, HOSTILE).headers["x-seen"] == "yes"


REDIRECTS = "Redirects to what was asked for"


def location(names: dict[str, Any], target: str) -> str:
    """Return where a browser goes from the requested page."""
    page = "https://demo.test/login?" + uri.build_query([("next", target)])
    answer = ask(names, page.removeprefix("https://demo.test").encode())
    return ada_url.URL(answer.headers.get("location", ""), base=page).href


@functools.cache
def redirects() -> dict[str, Any]:
    return run(REDIRECTS)


@pytest.mark.no_cover
@together("target", PAYLOADS, ids=ascii)
def test_no_redirect_leaves_the_site(target: str) -> None:
    if re.search("[\ud800-\udfff]", target):
        return  # No request can contain a lone surrogate.
    assert location(redirects(), target).startswith("https://demo.test/")


@pytest.mark.parametrize("target", ["/cart?x=1&y=%2F", "/caf%C3%A9#top", "cart", "?page=2", "../a"])
def test_a_local_redirect_is_sent(target: str) -> None:
    assert location(redirects(), target) == ada_url.URL(target, base="https://demo.test/login").href


@pytest.mark.parametrize(
    "target", ["//evil.example", "/\\evil.example", "/\t/evil.example", "https:evil.example"]
)
def test_a_policy_refuses_a_foreign_reference(target: str) -> None:
    client = run(REDIRECTS, 1)["app"].test_client()
    assert client.get("https://example.com/login", query_string={"next": target}).status_code == 400
    assert client.get("https://example.com/login", query_string={"to": target}).status_code == 302


def test_a_foreign_location_is_refused() -> None:
    app = run(REDIRECTS, 1)["app"]
    app.add_url_rule("/away", "away", lambda: ("", 302, {"Location": "//evil.example"}))
    answer = app.test_client().get("https://www.example.com/away")
    assert (answer.status_code, "location" in answer.headers) == (403, False)


def test_refusals_have_cors_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wire.HEADERS", {"Host": "demo.test", "Origin": ORIGIN})
    for number, target in ((0, HOSTILE), (0, b"//a"), (1, HOSTILE)):
        answer = ask(run("CORS headers on refusals", number), target)
        assert answer.headers["access-control-allow-origin"] == ORIGIN


# ---- signatures ----

SIGNED = ["/books/caf%c3%a9?a=1&b=%7e", "/books/a%7Eb?q=50%25", "/books/plain", "/books/x?q=a+b"]
"""Targets that postel repairs, and targets that it does not change."""
FORGED = "/books/other?a=1"
URL = "https://demo.test"


def told(app: Any, target: str, headers: dict[str, str], **keys: str) -> int:
    """Return the status of a signed request."""
    environ = environ_of(target.encode()) | {
        f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()
    }
    statuses: list[str] = []
    b"".join(app.wsgi_app(environ | keys, lambda status, headers: statuses.append(status)))
    return int(statuses[0][:3])


def hmac_headers(target: str) -> dict[str, str]:
    return {"X-Signature": hmac.new(b"key", target.encode(), hashlib.sha256).hexdigest()}


def oauth_headers(target: str) -> dict[str, str]:
    _, headers, _ = Client("client", client_secret="secret").sign(URL + target)  # noqa: S106 - a secret of this test
    return dict(headers)


def aws_headers(target: str) -> dict[str, str]:
    request = AWSRequest(method="GET", url=URL + target, headers={"Host": "demo.test"})
    SigV4Auth(Credentials("AKIDEXAMPLE", "secret"), "execute-api", "eu-west-1").add_auth(request)
    return {name: str(value) for name, value in request.headers.items()}


RECIPES = {
    "HMAC over the target": hmac_headers,
    "OAuth 1": oauth_headers,
    "AWS Signature Version 4": aws_headers,
}


@pytest.mark.parametrize("heading", RECIPES)
def test_only_a_signature_of_the_received_target_is_accepted(heading: str) -> None:
    app = run(heading)["app"]
    sign = RECIPES[heading]
    for target in SIGNED:
        assert told(app, target, sign(target)) == 200, target
        assert told(app, FORGED, sign(target)) == 403
        assert told(app, target, {}) == 403


@pytest.mark.parametrize("heading", ["HMAC over the target", "AWS Signature Version 4"])
def test_a_signature_of_the_repaired_target_does_not_verify(heading: str) -> None:
    """So a recipe must verify the received target, not the repaired one that the application reads."""
    app = run(heading)["app"]
    assert told(app, "/books/caf%c3%a9", RECIPES[heading]("/books/caf%C3%A9")) == 403


@pytest.mark.parametrize("heading", RECIPES)
def test_without_the_received_target_no_signature_is_accepted(heading: str) -> None:
    app = run(heading)["app"]
    headers = RECIPES[heading]("/books/plain")
    assert told(app, "/books/plain", headers) == 200
    assert told(app, "/books/plain", headers, RAW_URI="", REQUEST_URI="") == 403


# ---- static files ----

LIMIT = {"/static": postel.Policy.STANDARD.limiting(segment=255)}
STATIC_FILES = [(b"/static/a.txt", 200), (b"/static/none.txt", 404), (b"/static/" + b"a" * 255, 404)]
NO_NAME = [b"/static/" + b"a" * 256, b"/static/" + b"a" * 300 + b"/b", b"/static/" + b"%C3%A9" * 128]
"""Paths with a segment that is too long for a file name."""


def litestar_files(folder: Path) -> Any:
    return litestar.Litestar([create_static_files_router(path="/static", directories=[folder])])


def quart_files(folder: Path) -> Any:
    return quart.Quart("static_files", root_path=str(folder.parent), static_folder=folder.name)


def django_files(folder: Path) -> Any:
    pattern = re_path(r"^static/(?P<path>.*)$", serve, {"document_root": folder})
    sys.modules["recipes_urls"].urlpatterns = (pattern,)  # the module of the URLs above
    clear_url_caches()
    return get_wsgi_application()


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    folder = tmp_path / "static"
    folder.mkdir()
    (folder / "a.txt").write_text("a")
    return folder


@pytest.mark.parametrize("files", [django_files, quart_files, litestar_files])
def test_an_overlong_file_name_is_a_500_without_postel_and_a_414_behind_it(
    files: Callable[[Path], Any], folder: Path
) -> None:
    app = files(folder)
    is_wsgi = files is django_files
    behind = (postel.wsgi if is_wsgi else postel.asgi).NormalizeMiddleware(app, routes=LIMIT)
    ask_it = ask_wsgi if is_wsgi else ask_asgi
    for target, status in STATIC_FILES:
        assert ask_it(app, target).status == ask_it(behind, target).status == status, target
    for target in NO_NAME:
        assert ask_it(app, target).status == 500
        for spelled in (target, target.replace(b"/static", b"/%73tatic")):
            assert ask_it(behind, spelled).status == 414
        assert ask_it(behind, target.replace(b"/static", b"/other")).status == 404


def test_the_recipe_refuses_overlong_file_names(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    names = run("Static files")
    for target, status in STATIC_FILES:
        assert ask(names, target).status == status
    for target in NO_NAME:
        assert ask(names, target).status == 414


def test_several_observers_receive_each_report(caplog: pytest.LogCaptureFixture) -> None:
    names = run("Several observers")
    ask(names, b"/%00")
    assert "would refuse" in caplog.text
    labels = {"kind": "nul", "component": "path", "action": "reject"}
    (_, counter) = names["observers"]
    assert counter._findings.labels(**labels)._value.get() == 1


LOGGED = """
from werkzeug.test import Client
from werkzeug.wrappers import Response

from postel import Kind, Policy
from postel.wsgi import NormalizeMiddleware

client = Client(NormalizeMiddleware(Response("read"), Policy.STANDARD.reporting(Kind.TAB)))
for target in "/%00", "/?q=%09", "/?q=%61":
    client.get(target)
"""


def test_the_log_is_json() -> None:
    # In a process of its own, because the recipe configures logging for a whole process.
    code = PYTHON["The log as JSON", 0] + LOGGED
    command = [sys.executable, "-c", code]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - code of the page
    lines = [json.loads(line) for line in ended.stderr.splitlines()]
    assert [(line["level"], line["postel_verdict"], line["postel_kinds"]) for line in lines] == [
        ("WARNING", "refused", ["nul"]),
        ("INFO", "reported", ["tab"]),
    ]


TESTED_ELSEWHERE = {REFUSALS, "Several observers", "Signatures", "Static files", REDIRECTS, "The log as JSON"}
"""Recipes that other tests cover, here or in project/test_pages.py."""


# -- bodies that are signed ----------------------------------------------------------------------------------


def signature(octets: bytes) -> str:
    return hmac.new(b"key", octets, hashlib.sha256).hexdigest()


def test_only_json_with_its_signature_is_accepted() -> None:
    client = run(WEBHOOK)["app"].test_client()
    for received in (b'{"action": "opened"}', b'\xef\xbb\xbf{"action":  "opened"}'):
        for octets, status in ((received, 200), (received.replace(b"opened", b"closed"), 403)):
            headers = {"X-Hub-Signature-256": f"sha256={signature(received)}"}
            answer = client.post("/hook", data=octets, content_type="application/json", headers=headers)
            assert answer.status_code == status
    assert client.post("/hook", data=b"[]", content_type="application/json").status_code == 403
    for wrong in (f"sha256={signature(b'')}", "\xe9"):
        answer = client.post("/hook", headers={"X-Hub-Signature-256": wrong})
        assert answer.status_code == 403


def test_only_a_multipart_form_with_its_signature_is_accepted() -> None:
    client = TestClient(run(WEBHOOK, 1)["app"])
    plain = b'--x\r\nContent-Disposition: form-data; name="action"\r\n\r\nopened\r\n--x--\r\n'
    for received in (plain, plain.replace(b"Content-D", b"content-d")):  # The application reads another body.
        for octets, status in ((received, 200), (received.replace(b"opened", b"closed"), 403)):
            answer = client.post(
                "/hook",
                content=octets,
                headers={
                    "content-type": "multipart/form-data; boundary=x",
                    "x-signature": signature(received),
                },
            )
            assert answer.status_code == status
    file = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n' + b"1" * 2**20 + b"\r\n"
    long = file + plain  # longer than Forms.memory, so it is not kept
    for octets, wrong in ((plain, b"\xe9"), (long, signature(b"").encode())):
        fields = {"content-type": "multipart/form-data; boundary=x", "x-signature": wrong}
        assert client.post("/hook", content=octets, headers=fields).status_code == 403


# -- all of them ---------------------------------------------------------------------------------------------


def test_every_recipe_is_tested() -> None:
    tested = {(heading, number) for heading, number, _ in PAGES} | {(heading, 0) for heading in RECIPES}
    tested |= {(WEBHOOK, 0), (WEBHOOK, 1), (REDIRECTS, 1), (REFUSALS, 1)}
    assert {*PYTHON} == tested | {(heading, 0) for heading in TESTED_ELSEWHERE}
