"""All readers of a query, each called as its own framework calls it, with its known quirk.

Tests of a reader that cannot be imported or run are skipped, and the reason names it. Three differences are
translated instead of compared:

- Many readers merge pairs with the same name into one entry with several values, and lose the order of
different names. They are compared by name; the values of a name keep their order.

- WSGI hands over latin-1 text. Bottle gives it to the application unchanged, and decodes it on request.

- The quirk of a single reader is computed from the accepted target and compared. If it cannot be computed
(`None`), the target is not compared with that reader, and is counted.
"""

from __future__ import annotations

import importlib
import io
import json
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, final
from urllib.parse import parse_qsl, unquote_plus

import pytest

from differential import languages
from differential.languages import REFUSES, Language, Pairs
from postel import Target


@final
@dataclass(frozen=True)
class Quirk:
    """The way in which a reader reads some accepted targets differently from all others."""

    text: str
    reads: Callable[[Target], Pairs | None]
    """Returns what the reader reads from an accepted target, or ``None`` if that cannot be computed."""


@final
@dataclass(frozen=True)
class Reader:
    """A reader of queries."""

    name: str
    needs: str | Language
    """The package or the program that the reader is a part of."""
    read_all: Callable[[Sequence[bytes]], list[Pairs]]
    folds: bool = False
    """Whether the reader returns the values of each name, and not pairs in their order."""
    quirk: Quirk | None = None

    def __str__(self) -> str:
        return self.name

    def absence(self) -> str:
        """Return why the reader cannot be used, or nothing if it can."""
        if isinstance(self.needs, Language):
            return self.needs.absence()
        if self.needs == "node":
            return "" if shutil.which("node") else "node is not installed"
        try:
            importlib.import_module(self.needs)
        except ModuleNotFoundError:
            return f"{self.needs} is not installed"
        return ""

    def require(self) -> None:
        """Skip the current test if this reader is not available."""
        if absence := self.absence():
            pytest.skip(absence)

    def expected(self, target: Target) -> object:
        """Return what the reader must read from a target, or ``None`` if its quirk cannot be computed."""
        pairs = self.quirk.reads(target) if self.quirk else target.pairs
        return None if pairs is None else self.view(pairs)

    def view(self, pairs: Pairs) -> object:
        """Return pairs in the form that this reader can distinguish."""
        return by_name(pairs) if self.folds else list(pairs)


def by_name(pairs: Pairs) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for name, value in pairs:
        names.setdefault(name, []).append(value)
    return names


def one_by_one(read: Callable[[bytes], Iterable[tuple[str, str]]]) -> Callable[..., list[Pairs]]:
    """Read each query by itself."""

    def read_all(queries: Sequence[bytes]) -> list[Pairs]:
        return [_attempt(read, query) for query in queries]

    return read_all


def _attempt(read: Callable[[bytes], Iterable[tuple[str, str]]], query: bytes) -> Pairs:
    try:
        return list(read(query))
    except ValueError:  # A UnicodeError is a ValueError, too. A reader may raise no other exception.
        return REFUSES


def environ(query: bytes, path: bytes = b"/") -> dict[str, Any]:
    """Return the environ of a WSGI application: octets as latin-1 text."""
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
    """Yield a pair for each value of each name."""
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
    # The parser removes one "?" in front of the query, so the query gets one.
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
    """Read all queries in one run; a request's URL is latin-1 text in Node too."""

    def read_all(queries: Sequence[bytes]) -> list[Pairs]:
        done = subprocess.run(  # noqa: S603 - our own program
            [shutil.which("node") or "node", "--eval", NODE, reader],
            input=json.dumps([query.decode("latin-1") for query in queries]).encode(),
            capture_output=True,
            check=True,
        )
        return [[(name, value) for name, value in pairs] for pairs in json.loads(done.stdout.decode())]

    return read_all


# -- quirks --------------------------------------------------------------------------------------------------


def decoded_before_split(target: Target) -> Pairs:
    pairs: list[tuple[str, str]] = []
    for pair in target.query.decode("ascii").split("&"):
        text = unquote_plus(pair)
        name, equals, value = text.partition("=")
        if pair:
            pairs.append((name, value) if equals else (pair.replace("+", " "), ""))
    return pairs


def without_empty_names(target: Target) -> Pairs:
    return [pair for pair in target.pairs if pair[0]]


def forgetting_nil(target: Target) -> Pairs:
    names: dict[str, list[str | None]] = {}
    given = [pair for pair in target.query.split(b"&") if pair]
    for octets, (name, value) in zip(given, target.pairs, strict=True):
        if names.get(name, [None]) == [None]:
            names[name] = []
        names[name].append(value if b"=" in octets else None)
    return [(name, value or "") for name, values in names.items() for value in values]


def unless_keywords(target: Target) -> Pairs | None:
    return target.pairs if not target.query or {*b"=&"} & {*target.query} else None


def as_variables(target: Target) -> Pairs | None:
    last: dict[str, str] = {}
    for name, value in target.pairs:
        if "[" in name:
            return None
        if variable := name.lstrip(" ").replace(" ", "_").replace(".", "_"):
            last[variable] = value
    return list(last.items())


DECODED_BEFORE_SPLIT: Final = Quirk(
    "decodes a pair before it looks for the first `=`; leaves the pair escaped if it finds none",
    decoded_before_split,
)
WITHOUT_EMPTY_NAMES: Final = Quirk("leaves out a pair whose name is empty", without_empty_names)
FORGETTING_NIL: Final = Quirk(
    "reads `nil` for a name without `=`, and drops it if the name occurs again",
    forgetting_nil,
)
UNLESS_KEYWORDS: Final = Quirk(
    "reads a query without `=` and `&` as keywords; such a query is not compared", unless_keywords
)
AS_VARIABLES: Final = Quirk(
    "turns names into variables: the last pair with a name wins, leading spaces are removed, other spaces "
    "and dots become `_`, an empty name is left out; a query with `[` in a name, which makes an array, is "
    "not compared",
    as_variables,
)


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
        quirk=DECODED_BEFORE_SPLIT,
    ),
    Reader("Node's URLSearchParams", "node", of_node("URLSearchParams")),
    Reader("Node's querystring", "node", of_node("querystring"), folds=True),
)
"""The readers of Python, and of Node if it is installed. `make test` runs them."""


def in_another_language(language: Language, *, folds: bool = False, quirk: Quirk | None = None) -> Reader:
    return Reader(language.name, language, language.read_all, folds, quirk)


OTHERS: Final = (
    in_another_language(languages.GO, folds=True),
    in_another_language(languages.RUST),
    in_another_language(languages.JAVA),
    in_another_language(languages.JETTY, folds=True),
    in_another_language(languages.TOMCAT, folds=True, quirk=WITHOUT_EMPTY_NAMES),
    in_another_language(languages.RACK, folds=True, quirk=FORGETTING_NIL),
    in_another_language(languages.CGI, folds=True, quirk=UNLESS_KEYWORDS),
    in_another_language(languages.PHP, folds=True, quirk=AS_VARIABLES),
)
"""The readers in other languages. `make evidence` runs them."""
