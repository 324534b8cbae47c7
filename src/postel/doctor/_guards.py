"""Guards: whether a variant of a request gets a page that is denied to the plain request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import unquote_to_bytes

from postel.doctor._answer import Answer
from postel.doctor._asking import Asker
from postel.doctor._disagreement import Disagreement
from postel.doctor._request import Request
from postel.doctor._routes import Route
from postel.doctor._variants import Variant, variants

_DENIED: Final = frozenset({401, 403})
_LOGIN: Final = re.compile(r"log-?in|sign-?in|auth|sso", re.IGNORECASE)
_NOWHERE: Final = b"nowhere-9d1c"
"""A segment that no application has, for requests that should get a 404."""
_WHY: Final = "Clients that may not see the page at its plain address get it at this address."
_REMEDY: Final = "no clause of a policy closes it: guard the view itself, not the spelling of its address"


def guard_findings(ask: Asker, routes: Sequence[Route]) -> Iterator[Disagreement]:
    """Yield requests that bypass a guard: one finding for each route and kind."""
    answers = [(route.request, ask(route.request)) for route in routes]
    opened = next((request.target for request, answer in answers if answer.is_fine), b"/")
    for request, answer in answers:
        if is_denied(answer) and request.target.partition(b"?")[0].strip(b"/"):
            yield from _passed(ask, request, answer, opened)


def is_denied(answer: Answer) -> bool:
    """Whether an answer denies the page: 401, 403, or a redirect to a login."""
    is_login = 300 <= answer.status < 400 and _LOGIN.search(answer.header("location"))
    return answer.status in _DENIED or bool(is_login)


def _passed(ask: Asker, plain: Request, denied: Answer, opened: bytes) -> Iterator[Disagreement]:
    found: dict[object, Disagreement] = {}
    nowhere = variants(_renamed(plain), opened)
    for variant, other in zip(variants(plain, opened), nowhere, strict=True):
        answer = ask(variant.request)
        if not answer.is_fine or _is_for_all(ask, variant, answer, other):
            continue
        key = variant.kinds or variant.name
        if key in found:
            found[key] = replace(found[key], others=found[key].others + 1)
        else:
            found[key] = _finding(variant, plain, denied, answer)
    yield from found.values()


def _finding(variant: Variant, plain: Request, denied: Answer, answer: Answer) -> Disagreement:
    served = f", route {answer.note.route}" if answer.note and answer.note.route else ""
    return Disagreement(
        rule="guard",
        title=f"a guard is bypassed by {variant.name}",
        request=variant.request,
        plain=plain,
        saw=(
            f"{plain.line()} is answered with {denied.status}",
            f"{variant.request.line()} is answered with {answer.status}{served}",
            *(each.sentence() for each in answer.differences),
        ),
        why=_WHY,
        kinds=variant.kinds,
        remedy=_REMEDY,
    )


def _renamed(plain: Request) -> Request:
    """Rename the page to one that does not exist. The first letter stays, so both have the same variants."""
    path, mark, query = plain.target.partition(b"?")
    end = b"/" if path.endswith(b"/") else b""
    head, slash, last = path.removesuffix(b"/").rpartition(b"/")
    return replace(plain, target=head + slash + last[:1] + _NOWHERE + end + mark + query)


def _is_for_all(ask: Asker, variant: Variant, answer: Answer, other: Variant) -> bool:
    """Whether a page that does not exist gets the same answer. If so, no guard was bypassed."""
    first, again = ask(other.request), ask(other.request)
    if not first.is_fine:
        return False
    expected = comparable(first, other.request)
    if expected != comparable(again, other.request):  # the answer differs each time
        return _route(first) == _route(answer)
    return expected == comparable(answer, variant.request)


def _route(answer: Answer) -> str | None:
    return answer.note and answer.note.route


def comparable(answer: Answer, request: Request) -> tuple[int, bytes]:
    """Return the status and body of an answer, without the parts of the body that repeat the request."""
    path = request.target.partition(b"?")[0]
    names = [path, unquote_to_bytes(path)]
    names += [piece for name in names for piece in re.split(rb"[/\\]|%2F|%5C", name)]
    body = answer.body
    for name in sorted({*names} - {b""}, key=len, reverse=True):
        body = body.replace(name, b"")
    return answer.status, body
