"""The default refusal: a short answer that names the kinds and reflects nothing of the request."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Final, final

from postel._catalogue import Kind
from postel._check import Action
from postel._report import Report

_PLAIN: Final = "text/plain; charset=utf-8"
_PROBLEM: Final = "application/problem+json"  # RFC 9457


@final
class Refusal:
    """A status, headers and a body, as any protocol can send them."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, report: Report, accept: str) -> None:
        """What to answer, as text or as a problem in JSON, whichever ``accept`` likes better."""
        kinds = list(dict.fromkeys(each.kind for each in report.findings if each.action is Action.REJECT))
        self.status = HTTPStatus.REQUEST_URI_TOO_LONG if Kind.TOO_LONG in kinds else HTTPStatus.BAD_REQUEST
        slugs = [kind.slug for kind in kinds]
        if _likes(accept, "application/problem+json", "application/json") > _likes(accept, "text/plain"):
            media_type = _PROBLEM
            problem = {"title": self.status.phrase, "status": self.status.value, "kinds": slugs}
            self.body = json.dumps(problem).encode()
        else:
            media_type = _PLAIN
            self.body = f"{self.status.phrase}: the URL was refused ({', '.join(slugs)}).\n".encode()
        self.headers = [
            ("content-type", media_type),
            ("content-length", str(len(self.body))),
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
        ]


def _likes(accept: str, *media_types: str) -> float:
    """The best quality that an Accept header gives to one of some media types: RFC 9110, section 12.5.1."""
    best: tuple[int, float] = (0, 0.0)
    for item in accept[:1024].lower().split(",")[:32]:
        media_range, *parameters = (part.strip() for part in item.split(";"))
        wanted = {
            specific
            for media_type in media_types
            for specific, matching in (
                (3, media_type),
                (2, media_type.partition("/")[0] + "/*"),
                (1, "*/*"),
            )
            if media_range == matching
        }
        if wanted:
            best = max(best, (max(wanted), _quality(parameters)))
    return best[1] - (0.0005 if best[0] < 3 else 0.0)


def _quality(parameters: list[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return min(1.0, max(0.0, float(value)))
            except ValueError:
                return 0.0
    return 1.0
