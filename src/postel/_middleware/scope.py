"""Write the scope for the application, in which all keys that hold the URL agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from postel._catalogue.kinds import Kind
from postel._http.cookies import joined
from postel._http.header_names import COOKIE
from postel._http.headers import header_values, replaced
from postel._http.recovery import as_data
from postel._http.report import KEY, Report
from postel._http.websocket import Scope
from postel._normalizer.target import Target


def rewritten(
    scope: Scope,
    new_headers: list[Any] | None,
    report: Report,
    target: Target,
    fields: Mapping[str, Sequence[bytes]],
) -> Scope:
    """A shallow copy of a scope with an accepted target and changed headers.

    ``new_headers`` are all headers, changed to fit a judged body; ``None`` keeps the received ones.
    ``fields`` are the new values of header fields that the policy edits.
    """
    fresh = {
        **scope,
        "path": target.path_text,
        "raw_path": target.path,
        "query_string": target.query,
        KEY: report,
    }
    if target.prefix:
        fresh["path"] = target.prefix.decode() + target.path_text
        fresh["raw_path"] = as_data(target.prefix) + target.path
    if new_headers is not None:
        fresh["headers"] = new_headers
    for name, values in fields.items():
        fresh["headers"] = replaced(fresh, name.encode(), values)
    if any(each.kind is Kind.SPLIT_COOKIE and each.action.edits for each in report.findings):
        cookie = joined(header_values(fresh, COOKIE))
        fresh["headers"] = replaced(fresh, COOKIE, [cookie] if cookie else [])
    return fresh
