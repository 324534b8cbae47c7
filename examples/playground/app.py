"""The application of the page, which is behind postel itself. ``make playground`` serves it.

Everything works without JavaScript: the form sends a GET, so the address holds the state. The script only
sends the form again as the visitor types.
"""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from postel import Action, Policy, PolicyError, report_of
from postel.asgi import NormalizeMiddleware
from postel.uri import build_query

from .anatomy import visible
from .conversion import CHARSETS, convert
from .frameworks import FRAMEWORKS
from .verdicts import judge

HERE = Path(__file__).parent
LONGEST = 2000
"""The most characters that are judged; a longer text is cut, and the page says so."""
LONGEST_NAME = 40
"""The most characters of a charset's name that are shown."""
FIRST_URL = "/books/caf%c3%a9/a%2Fb?q=50%+off&ref=%C0%AF"
FIRST_TEXT = "Fran%C3%A7ois & Søn"
EXAMPLES = (
    "/books/caf%C3%A9?page=2",
    "/search?q=50%+off&a=1;b=2",
    "//admin/panel",
    "/admin%2F..%2Fpanel",
    "/a/..;/b/%2e%2e/c",
    "/q?name=%C4rzteblatt",
    "/q?x=%00&y=%E2%80%AE&z=%u00e9",
    "https://example.com/Helen Ødegård#top",
)
PAGES = Environment(
    loader=FileSystemLoader(HERE / "templates"), autoescape=True, trim_blocks=True, lstrip_blocks=True
)
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}


class Headers:
    """Adds the same headers to every answer of an application."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                ours = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                others = [pair for pair in message["headers"] if pair[0].decode() not in HEADERS]
                message = {**message, "headers": [*others, *ours]}
            await send(message)

        await self.app(scope, receive, sending)


def page(name: str, status: int = 200, **values: object) -> HTMLResponse:
    """Fill a template; every value in it is escaped."""
    return HTMLResponse(PAGES.get_template(name).render(**values), status)


def cut_already(request: Request) -> int:
    """Return how many characters the script has cut off: a longer address would be refused."""
    number = request.query_params.get("cut", "")
    return int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0


def show_url(request: Request) -> Response:
    """Show one URL. This is not a coroutine, so that Starlette runs it in a thread."""
    given = request.query_params.get("url", FIRST_URL)
    text = given[:LONGEST]
    written = request.query_params.get("policy", "")[:LONGEST].strip()
    policy, fault = None, ""
    if written:
        try:
            policy = Policy.parse(written)
        except PolicyError as error:
            fault = str(error)
    judged = judge(text, policy)
    pairs = [("url", text), *([("policy", written)] if written else [])]
    return page(
        "url.html",
        tab="url",
        text=text,
        longest=LONGEST,
        cut=len(given) - len(text) + cut_already(request),
        policy=written,
        fault=fault,
        judged=judged,
        readings=[framework.read(judged.url) for framework in FRAMEWORKS],
        link=f"/?{build_query(pairs)}",
        examples=[(example, f"/?{build_query([('url', example)])}") for example in EXAMPLES],
    )


def show_text(request: Request) -> Response:
    """Show one text, escaped and decoded."""
    given = request.query_params.get("text", FIRST_TEXT)
    text = given[:LONGEST]
    asked = request.query_params.get("charset", "utf-8")
    charset = asked if asked in CHARSETS else "utf-8"
    return page(
        "text.html",
        tab="text",
        text=text,
        longest=LONGEST,
        cut=len(given) - len(text) + cut_already(request),
        unknown="" if asked == charset else visible(asked[:LONGEST_NAME]),
        charset=charset,
        charsets=CHARSETS,
        converted=convert(text, charset),
        link=f"/text?{build_query([('text', text), ('charset', charset)])}",
    )


async def refused(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request for the page that postel refuses."""
    findings = [each for each in report_of(scope).findings if each.action is Action.REJECT]
    kinds = dict.fromkeys(each.kind for each in findings)
    status = max(kind.check.status for kind in kinds)
    answer = page("refused.html", status, tab="", kinds=kinds, code=status)
    await answer(scope, receive, send)


app = Starlette(
    routes=[
        Route("/", show_url),
        Route("/text", show_text),
        Mount("/static", StaticFiles(directory=HERE / "static")),
    ],
    middleware=[Middleware(NormalizeMiddleware, refusal=Headers(refused)), Middleware(Headers)],
)
