"""The functions that are measured. Each reads a path and a query, and is used as its documentation says.

They do different things, but a framework or an application calls one of them for each target. If a contender
raises for a case, it has no figure there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias
from urllib.parse import parse_qsl, unquote

import can_ada
import httpx
import hyperlink
import rfc3986
import url_normalize
import w3lib.url
from ada_url import URL as AdaURL  # noqa: N811 - yarl has a class of this name, too
from ada_url import URLSearchParams
from cases import Case
from werkzeug.wrappers import Request
from yarl import URL

from postel import Normalizer, Policy, Target

Contender: TypeAlias = Callable[[Sequence[Case]], object]

BASE: Final = "urllib"
DISTRIBUTIONS: Final = (
    "postel",
    "yarl",
    "ada-url",
    "can_ada",
    "werkzeug",
    "w3lib",
    "httpx",
    "hyperlink",
    "rfc3986",
    "url-normalize",
)


class Postel:
    """Two contenders for a policy: its proof and its outcome."""

    def __init__(self, policy: Policy) -> None:
        self._normalizer = Normalizer(policy)

    def proof(self, batch: Sequence[Case]) -> None:
        """Run the check that the adapters run first."""
        is_clean = self._normalizer.is_clean
        for path, query in batch:
            is_clean(path, query)

    def outcome(self, batch: Sequence[Case]) -> None:
        """Compute the outcome, with its target and all of its findings."""
        normalize = self._normalizer.normalize
        for path, query in batch:
            normalize(Target(path, query))


def _urllib(batch: Sequence[Case]) -> None:
    for path, query in batch:
        unquote(path.decode())
        parse_qsl(query.decode(), keep_blank_values=True)


def _strict_urllib(batch: Sequence[Case]) -> None:
    for path, query in batch:
        unquote(path.decode(), errors="strict")
        parse_qsl(query.decode(), keep_blank_values=True, errors="strict")


def _yarl(batch: Sequence[Case]) -> None:
    for path, query in batch:
        url = URL.build(path=path.decode(), query_string=query.decode(), encoded=True)
        _ = url.path, list(url.query.items())


def _ada_url(batch: Sequence[Case]) -> None:
    for path, query in batch:
        url = AdaURL(_whole(path, query))
        _ = unquote(url.pathname), list(URLSearchParams(url.search).items())


def _can_ada(batch: Sequence[Case]) -> None:
    for path, query in batch:
        url = can_ada.parse(_whole(path, query))
        _ = unquote(url.pathname), can_ada.URLSearchParams(url.search).size()


def _werkzeug(batch: Sequence[Case]) -> None:
    for path, query in batch:
        request = Request(
            {"PATH_INFO": unquote(path.decode(), "latin-1"), "QUERY_STRING": query.decode("latin-1")}
        )
        _ = request.path, list(request.args.items(multi=True))


def _w3lib(batch: Sequence[Case]) -> None:
    for path, query in batch:
        w3lib.url.canonicalize_url(_whole(path, query))


def _httpx(batch: Sequence[Case]) -> None:
    for path, query in batch:
        url = httpx.URL(_whole(path, query))
        _ = url.path, url.params.multi_items()


def _hyperlink(batch: Sequence[Case]) -> None:
    for path, query in batch:
        url = hyperlink.parse(_whole(path, query))
        _ = url.path, url.query


def _rfc3986(batch: Sequence[Case]) -> None:
    for path, query in batch:
        rfc3986.uri_reference(_whole(path, query)).normalize()


def _url_normalize(batch: Sequence[Case]) -> None:
    for path, query in batch:
        url_normalize.url_normalize(_whole(path, query))


def _whole(path: bytes, query: bytes) -> str:
    return f"http://example.com{path.decode()}?{query.decode()}"


_STANDARD: Final = Postel(Policy.STANDARD)
CONTENDERS: Final[dict[str, Contender]] = {
    BASE: _urllib,
    "proof": _STANDARD.proof,
    "outcome": _STANDARD.outcome,
    "outcome, LENIENT": Postel(Policy.LENIENT).outcome,
    "urllib, strict": _strict_urllib,
    "yarl": _yarl,
    "ada-url": _ada_url,
    "can_ada": _can_ada,
    "werkzeug": _werkzeug,
    "w3lib": _w3lib,
    "httpx": _httpx,
    "hyperlink": _hyperlink,
    "rfc3986": _rfc3986,
    "url-normalize": _url_normalize,
}
OURS: Final = ("proof", "outcome", "outcome, LENIENT")
