"""The default refusal: a short answer that names the kinds, and repeats only a trusted request id."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Final, final

from postel._catalogue.check import Action
from postel._catalogue.finding import Finding
from postel._catalogue.kinds import Kind
from postel._http.report import Report

_PLAIN: Final = "text/plain; charset=utf-8"
_PROBLEM: Final = "application/problem+json"  # RFC 9457
_BY_NAME: Final = 3
"""How specific a media range is that names one media type."""
_QVALUE: Final = re.compile(r"\s*(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)\s*", re.ASCII)


@final
class Refusal:
    """The answer to a refused request: status, headers and body, for either protocol."""

    __slots__ = ("body", "headers", "status")

    def __init__(
        self, report: Report, accept: str, statuses: Mapping[Kind, int], help_url: str | None = None
    ) -> None:
        """Answer in plain text or with problem details in JSON, whichever the header Accept prefers.

        If it prefers neither, JSON is used only if it names a type of JSON, as clients of APIs do.

        The first kind that rejects sets the status: its status in ``statuses``, or else in the catalogue. The
        answer holds the id of the report and a link to ``help_url``, if there are any.
        """
        self.status = HTTPStatus(status_of(report.findings, statuses))
        kinds = dict.fromkeys(each.kind for each in report.findings if each.action is Action.REJECT)
        slugs = [kind.slug for kind in kinds]
        json_wanted = max(_preference(accept, each) for each in (_PROBLEM, "application/json"))
        if json_wanted > (text_wanted := _preference(accept, "text/plain")) or (
            json_wanted == text_wanted and json_wanted[1] == _BY_NAME
        ):
            media_type = _PROBLEM
            problem = {
                **({"type": help_url} if help_url else {}),
                "title": self.status.phrase,
                "status": self.status.value,
                "kinds": slugs,
                **({"id": report.id} if report.id else {}),
            }
            self.body = json.dumps(problem).encode()
        else:
            media_type = _PLAIN
            because = f" ({', '.join(slugs)})" if slugs else ""
            lines = [f"{self.status.phrase}: the request was refused{because}."]
            lines += [f"Request id: {report.id}"] if report.id else []
            lines += [f"Help: {help_url}"] if help_url else []
            self.body = "".join(f"{line}\n" for line in lines).encode()
        self.headers = [
            ("content-type", media_type),
            ("content-length", str(len(self.body))),
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            *([("x-request-id", report.id)] if report.id else []),
            *([("link", f'<{help_url}>; rel="help"')] if help_url else []),
        ]


def status_of(findings: Iterable[Finding], statuses: Mapping[Kind, int] | None = None) -> int:
    """The status for the first kind that rejects, from ``statuses`` or else from the catalogue.

    Without such a kind the status is 400.
    """
    rejecting = next((each.kind for each in findings if each.action is Action.REJECT), None)
    if rejecting is None:
        return HTTPStatus.BAD_REQUEST
    return (statuses or {}).get(rejecting, rejecting.check.status)


def _preference(accept: str, media_type: str) -> tuple[float, int]:
    """The quality of a media type in an Accept header, and how specific its range is (RFC 9110, 12.5.1)."""
    ranges = ("*/*", media_type.partition("/")[0] + "/*", media_type)
    precision, quality = 0, 0.0
    for item in accept[:1024].lower().split(",")[:32]:
        media_range, *parameters = (part.strip() for part in item.split(";"))
        if media_range in ranges:
            precision, quality = max(
                (precision, quality), (ranges.index(media_range) + 1, _quality(parameters))
            )
    return quality, precision if quality else 0


def _quality(parameters: list[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            return float(value) if _QVALUE.fullmatch(value) else 0.0
    return 1.0
