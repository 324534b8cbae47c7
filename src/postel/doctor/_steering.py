"""Steering: headers that change what an application reads, and redirects to another site."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

from postel import Kind
from postel.doctor._answer import Answer
from postel.doctor._asking import Asker
from postel.doctor._catalogue import CATALOGUE, FORM, FORMS, Family
from postel.doctor._disagreement import Disagreement
from postel.doctor._request import Request
from postel.doctor._routes import Route

_TYPE: Final = b"Content-Type"
_TYPES: Final = tuple(
    (each.name, dict(each.request.headers)[_TYPE], each.kinds)
    for each in CATALOGUE
    if each.family is Family.CONTENT_TYPE and Kind.MALFORMED_CONTENT_TYPE in each.kinds
)
_STRANGER: Final = "evil.example"
_AWAY: Final = (
    f"https://{_STRANGER}/",
    f"//{_STRANGER}/",
    f"/\\{_STRANGER}/",
    f"/\t/{_STRANGER}/",
)
_DROPPED: Final = re.compile(r"[\t\r\n]")
_AUTHORITY: Final = re.compile(r"(?:https?:)?//+([^/?#]*)", re.IGNORECASE)
_LOCAL: Final = "add foreign-reference[{}]=reject, or redirect only where postel.uri.is_local() is true"
_NAMES: Final = (b"next", b"url", b"redirect", b"return_to")
_SLASHED: Final = (b"//evil.example/x", b"//evil.example/%2e%2e", b"/\\evil.example/x")


def steering_findings(ask: Asker, routes: Sequence[Route]) -> Iterator[Disagreement]:
    """Yield findings about headers that change what is read, and about redirects to another site."""
    led: set[Request] = set()
    for route in routes:
        plain = route.request
        if route.is_read:
            yield from _by_charset(ask, plain)
            for finding in _open_redirects(ask, plain):
                if finding.request not in led:  # two routes can differ only in their queries
                    yield finding
                led.add(finding.request)
        elif plain.body:
            yield from _by_type(ask, plain)
    yield from _redirects_by_slashes(ask)


def _by_charset(ask: Asker, plain: Request) -> Iterator[Disagreement]:
    """Send a query with and without a charset in Content-Type; the answers should be the same."""
    path, _, query = plain.target.partition(b"?")
    written = _in_utf7(query)
    bare = replace(plain, target=path + b"?" + written)
    steered = replace(bare, headers=((_TYPE, b"text/plain; charset=utf-7"),))
    if not written:
        return
    first, answer, again = ask(bare), ask(steered), ask(bare)
    if not first.is_fine or not answer.is_fine or _is_same(answer, first) or not _is_same(again, first):
        return  # the request is refused, or read in the same way, or every answer differs
    yield Disagreement(
        rule="charset",
        title="a charset in Content-Type changes what the query says",
        request=steered,
        plain=bare,
        saw=(
            f"without the header, the answer is {first.status} with {len(first.body)} octets",
            f"with the header, it is {answer.status} with {len(answer.body)} octets",
            *(each.sentence() for each in answer.differences),
        ),
        why="A log, cache or guard in front reads the query as sent, but the view decodes it differently.",
        kinds=(Kind.STEERING_CHARSET,),
    )


def _in_utf7(query: bytes) -> bytes:
    """Write the values of a query in UTF-7 (RFC 2152); empty if the query is empty."""
    pairs = [pair.partition(b"=") for pair in query.split(b"&") if pair]
    return b"&".join(name + b"=" + _shifted(unquote_to_bytes(value)) for name, _, value in pairs)


def _shifted(value: bytes) -> bytes:
    octets = value.decode("utf-8", "replace").encode("utf-16-be")
    return b"+" + base64.b64encode(octets).rstrip(b"=") + b"-"


def _by_type(ask: Asker, plain: Request) -> Iterator[Disagreement]:
    """Send a form with types that are not types of forms; it should not be read as a form."""
    form = ask(plain)
    if not form.is_fine or _is_same(ask(replace(plain, body=b"")), form):
        return  # the answer does not depend on the form, so it cannot show how the form is read
    others = [(name, replace(plain, headers=((_TYPE, type_),)), kinds) for name, type_, kinds in _TYPES]
    others.append(("a length of 0 beside chunks", replace(plain, framing="both"), (Kind.WRONG_LENGTH,)))
    found: dict[tuple[Kind, ...], Disagreement] = {}
    for name, request, kinds in others:
        answer = ask(request)
        if not _is_same(answer, form):
            continue
        if kinds in found:
            found[kinds] = replace(found[kinds], others=found[kinds].others + 1)
            continue
        found[kinds] = Disagreement(
            rule="content type" if request.framing == "length" else "length",
            title=f"a body is read as a form: {name}",
            request=request,
            plain=plain,
            saw=(
                f"as {FORM.decode()} it is answered with {form.status}",
                "as sent here, it gets the same answer",
                *(each.sentence() for each in answer.differences),
            ),
            why="A guard that finds forms by their type and length ignores this body.",
            kinds=kinds,
            setting=FORMS,
            known="CVE-2024-1135" if Kind.WRONG_LENGTH in kinds else "",
        )
    yield from found.values()


def _open_redirects(ask: Asker, plain: Request) -> Iterator[Disagreement]:
    """Try to make the application redirect to a foreign host, with each parameter that could name a page."""
    path, _, query = plain.target.partition(b"?")
    names = [pair.partition(b"=")[0] for pair in query.split(b"&") if pair] or [*_NAMES]
    for name in dict.fromkeys(names):
        for value in _AWAY:
            written = quote_from_bytes(value.encode()).encode()
            request = replace(plain, target=path + b"?" + name + b"=" + written)
            location = ask(request).header("location")
            if not _leads_away(location):
                continue
            yield Disagreement(
                rule="redirect",
                title=f"a redirect leads to any site that {name.decode('latin-1')}= names",
                request=request,
                plain=plain,
                saw=(f"Location: {location[:200]}", "a browser goes to that host"),
                why="A link to this site takes people to another site, which they then trust like this one.",
                remedy=_LOCAL.format(name.decode("latin-1")),
                known="CVE-2018-14574",
            )
            break


def _redirects_by_slashes(ask: Asker) -> Iterator[Disagreement]:
    for target in _SLASHED:
        location = ask(Request(target)).header("location")
        if _leads_away(location):
            yield Disagreement(
                rule="redirect",
                title="a redirect repeats the slashes in front of a path",
                request=Request(target),
                plain=Request(b"/evil.example/x"),
                saw=(f"Location: {location[:200]}", "a browser goes to that host"),
                why="A link to this site takes people to another site.",
                kinds=(Kind.LEADING_SLASHES,) if target.startswith(b"//") else (Kind.BACKSLASH,),
            )
            return


def _leads_away(location: str) -> bool:
    """Whether a browser would go to the foreign host (URL Standard, section 4.4)."""
    read = _DROPPED.sub("", location.strip()).replace("\\", "/")
    found = _AUTHORITY.match(read)
    return found is not None and found[1].rpartition("@")[2].partition(":")[0].lower() == _STRANGER


def _is_same(one: Answer, other: Answer) -> bool:
    return (one.status, one.body, one.header("location")) == (
        other.status,
        other.body,
        other.header("location"),
    )
