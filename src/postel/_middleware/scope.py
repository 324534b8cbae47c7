"""The scope that an application is given: all of its keys hold the same URL."""

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
    retyped: list[Any] | None,
    report: Report,
    target: Target,
    fields: Mapping[str, Sequence[bytes]],
) -> Scope:
    """A shallow copy of a scope with an accepted target, and the headers that go with it.

    ``retyped`` are the headers that go with a judged body, or ``None``; ``fields`` are the new values of
    header fields.
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
    if retyped is not None:
        fresh["headers"] = retyped
    for name, values in fields.items():
        fresh["headers"] = replaced(fresh, name.encode(), values)
    if any(each.kind is Kind.SPLIT_COOKIE and each.action.edits for each in report.findings):
        cookie = joined(header_values(fresh, COOKIE))
        fresh["headers"] = replaced(fresh, COOKIE, [cookie] if cookie else [])
    return fresh
