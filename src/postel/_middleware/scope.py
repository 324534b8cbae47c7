"""The scope that an application is given: all of its keys hold the same URL."""

from __future__ import annotations

from postel._bodies.on_asgi import Taken
from postel._catalogue.kinds import Kind
from postel._http.cookies import joined
from postel._http.fields import FieldRules
from postel._http.header_names import COOKIE
from postel._http.headers import headers, replaced
from postel._http.recovery import as_data
from postel._http.report import KEY
from postel._http.websocket import Scope
from postel._normalizer.target import Target


def rewritten(scope: Scope, taken: Taken, target: Target, fields: FieldRules) -> Scope:
    """A shallow copy of a scope with an accepted target, and the headers that go with it."""
    fresh = {
        **scope,
        "path": target.prefix.decode() + target.path_text,
        "raw_path": as_data(target.prefix) + target.path,
        "query_string": target.query,
        KEY: taken.report,
    }
    if taken.headers is not None:
        fresh["headers"] = taken.headers
    for name in fields.names if taken.report.findings else ():
        octets = name.encode()
        values = headers(fresh, octets)
        kept = fields.judge(name, values).values
        if kept != tuple(values):
            fresh["headers"] = replaced(fresh, octets, kept)
    if any(each.kind is Kind.SPLIT_COOKIE and each.action.edits for each in taken.report.findings):
        cookie = joined(headers(fresh, COOKIE))
        fresh["headers"] = replaced(fresh, COOKIE, [cookie] if cookie else [])
    return fresh
