"""Everyone who reads a query, each asked as its own framework asks it, and what is peculiar about each.

A reader that cannot be imported, or run, is skipped by name. Three things are left out of every
comparison, and are translated rather than excluded:

- Many fold pairs with the same name into one entry with several values, and so lose in which order
  different names came. They are compared by name; the values of a name keep their order.
- WSGI hands out latin-1 text. Bottle gives it to the application as it is, and decodes it when asked to.
- fast-query-parsers, which Litestar reads with, decodes a pair before it looks for the first "=", and
  leaves a pair escaped in which it then finds none. What it makes of the accepted query is worked out,
  and compared.
"""

from __future__ import annotations

import importlib
import io
import json
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, final
from urllib.parse import parse_qsl, unquote_plus

import pytest

from postel import Target

Pairs: TypeAlias = Sequence[tuple[str, str]]

REFUSES: Final = [("this reader", "refuses")]
"""The reading of a query at which a reader raises an error."""


@final
@dataclass(frozen=True)
class Reader:
    """Someone who reads queries."""

    name: str
    needs: str
    """The package that it is of, or the program."""
    read_all: Callable[[Sequence[bytes]], list[Pairs]]
    folds: bool = False
    """Whether it hands out values by name, and no pairs."""
    quirk: Callable[[Target], Pairs] | None = None
    """What it makes of a target that has one meaning for all others."""

    def __str__(self) -> str:
        return self.name

    def require(self) -> None:
        """Skip the test that asks if this reader is not at hand."""
        if self.needs == "node":
            if shutil.which("node") is None:
                pytest.skip("node is not installed")
        else:
            pytest.importorskip(self.needs)

    def is_there(self) -> bool:
        """Whether it is at hand."""
        if self.needs == "node":
            return shutil.which("node") is not None
        try:
            importlib.import_module(self.needs)
        except ModuleNotFoundError:
            return False
        return True

    def expected(self, target: Target) -> object:
        """What it must read in an accepted target."""
        return self.view(self.quirk(target) if self.quirk else target.pairs)

    def view(self, pairs: Pairs) -> object:
        """Pairs, as far as this reader can tell them."""
        return by_name(pairs) if self.folds else list(pairs)


def by_name(pairs: Pairs) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for name, value in pairs:
        names.setdefault(name, []).append(value)
    return names


def one_by_one(read: Callable[[bytes], Iterable[tuple[str, str]]]) -> Callable[..., list[Pairs]]:
    """Each query by itself."""

    def read_all(queries: Sequence[bytes]) -> list[Pairs]:
        return [_attempt(read, query) for query in queries]

    return read_all


def _attempt(read: Callable[[bytes], Iterable[tuple[str, str]]], query: bytes) -> Pairs:
    try:
        return list(read(query))
    except ValueError:  # of which a UnicodeError is one; nothing else may be raised
        return REFUSES


def environ(query: bytes, path: bytes = b"/") -> dict[str, Any]:
    """What a WSGI application is called with: octets, as latin-1 text."""
    return {
        "REQUEST_METHOD": "GET",
        "SCRIPT_NAME": "",
        "PATH_INFO": path.decode("latin-1"),
        "QUERY_STRING": query.decode("latin-1"),
        "SERVER_NAME": "h",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": io.StringIO(),
    }


def unfolded(names: Iterable[tuple[str, Iterable[str] | str]]) -> Iterable[tuple[str, str]]:
    """Values by name, as pairs."""
    for name, values in names:
        for value in [values] if isinstance(values, str) else values:
            yield name, value


def of_urllib(query: bytes) -> Pairs:
    return parse_qsl(query.decode("latin-1"), keep_blank_values=True)


def of_django(queries: Sequence[bytes]) -> list[Pairs]:
    with importlib.import_module("applications").django_configured():
        request = importlib.import_module("django.core.handlers.wsgi").WSGIRequest
        return one_by_one(lambda query: unfolded(request(environ(query)).GET.lists()))(queries)


def of_werkzeug(query: bytes) -> Iterable[tuple[str, str]]:
    request = importlib.import_module("werkzeug.wrappers").Request(environ(query))
    return unfolded(request.args.lists())


def of_starlette(query: bytes) -> Pairs:
    requests = importlib.import_module("starlette.requests")
    request = requests.Request({"type": "http", "query_string": query, "headers": []})
    pairs: Pairs = request.query_params.multi_items()
    return pairs


def of_falcon(query: bytes) -> Iterable[tuple[str, str]]:
    falcon = importlib.import_module("falcon")
    options = falcon.RequestOptions()
    options.keep_blank_qs_values = True
    options.auto_parse_qs_csv = False
    return unfolded(falcon.Request(environ(query), options=options).params.items())


def of_bottle(query: bytes) -> Iterable[tuple[str, str]]:
    request = importlib.import_module("bottle").Request(environ(query))
    decoded: Iterable[tuple[str, str]] = request.query.decode().allitems()
    return decoded


def of_yarl(query: bytes) -> Iterable[tuple[str, str]]:
    url = importlib.import_module("yarl").URL
    pairs: Iterable[tuple[str, str]] = url.build(
        path="/", query_string=query.decode("utf-8", "surrogateescape"), encoded=True
    ).query.items()
    return pairs


def of_ada(query: bytes) -> Iterable[tuple[str, str]]:
    # It takes one "?" in front for what begins a query, so it is given one.
    parameters = importlib.import_module("ada_url").URLSearchParams
    pairs: Iterable[tuple[str, str]] = parameters("?" + query.decode("utf-8", "replace")).items()
    return pairs


def of_webob(query: bytes) -> Iterable[tuple[str, str]]:
    request = importlib.import_module("webob").Request(environ(query))
    pairs: Iterable[tuple[str, str]] = request.GET.items()
    return pairs


def of_litestar(query: bytes) -> Iterable[tuple[str, str]]:
    pairs: Iterable[tuple[str, str]] = importlib.import_module("fast_query_parsers").parse_query_string(
        query, "&"
    )
    return pairs


def decoded_before_split(target: Target) -> Pairs:
    """The quirk of fast-query-parsers."""
    pairs: list[tuple[str, str]] = []
    for pair in target.query.decode("ascii").split("&"):
        text = unquote_plus(pair)
        name, equals, value = text.partition("=")
        if pair:
            pairs.append((name, value) if equals else (pair.replace("+", " "), ""))
    return pairs


NODE: Final = """
const read = {
  URLSearchParams: query => [...new URLSearchParams('?' + query)],
  querystring: query => Object.entries(require('querystring').parse(query, '&', '=', {maxKeys: 0}))
    .flatMap(([name, values]) => [values].flat().map(value => [name, value])),
}[process.argv[1]]
const queries = JSON.parse(require('fs').readFileSync(0))
process.stdout.write(JSON.stringify(queries.map(read)))
"""


def of_node(reader: str) -> Callable[[Sequence[bytes]], list[Pairs]]:
    """Every query in one run; a request's URL is latin-1 text in Node too."""

    def read_all(queries: Sequence[bytes]) -> list[Pairs]:
        done = subprocess.run(  # noqa: S603 - our own program
            [shutil.which("node") or "node", "--eval", NODE, reader],
            input=json.dumps([query.decode("latin-1") for query in queries]).encode(),
            capture_output=True,
            check=True,
        )
        return [[(name, value) for name, value in pairs] for pairs in json.loads(done.stdout.decode())]

    return read_all


READERS: Final = (
    Reader("urllib", "urllib", one_by_one(of_urllib)),
    Reader("Django", "django", of_django, folds=True),
    Reader("Werkzeug", "werkzeug", one_by_one(of_werkzeug), folds=True),
    Reader("Starlette", "starlette", one_by_one(of_starlette)),
    Reader("Falcon", "falcon", one_by_one(of_falcon), folds=True),
    Reader("Bottle", "bottle", one_by_one(of_bottle), folds=True),
    Reader("yarl", "yarl", one_by_one(of_yarl)),
    Reader("ada-url", "ada_url", one_by_one(of_ada)),
    Reader("WebOb", "webob", one_by_one(of_webob)),
    Reader(
        "fast-query-parsers",
        "fast_query_parsers",
        one_by_one(of_litestar),
        quirk=decoded_before_split,
    ),
    Reader("Node's URLSearchParams", "node", of_node("URLSearchParams")),
    Reader("Node's querystring", "node", of_node("querystring"), folds=True),
)
