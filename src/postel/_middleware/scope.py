"""Scopes: prove that one needs no judgement, or write one in which all keys that hold the URL agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from postel._alphabet.percent import percent_decode
from postel._catalogue.kinds import Kind
from postel._http.cookies import joined
from postel._http.header_names import COOKIE
from postel._http.headers import header_values, replaced, text_octets
from postel._http.interop import ENVIRON, as_request
from postel._http.recovery import encoded_path
from postel._http.report import KEY, Report
from postel._http.websocket import Scope
from postel._middleware.environ import with_target
from postel._middleware.pipeline import Pipeline
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
        fresh["raw_path"] = encoded_path(target.prefix) + target.path
    if isinstance(root := scope.get("root_path"), str) and root.endswith("/"):
        # The path was judged below "/shop", but Starlette would route it whole, and Django cut "/shop/" off.
        fresh["root_path"] = root.rstrip("/")
    if ENVIRON in fresh and "PATH_INFO" in (environ := as_request(fresh[ENVIRON])):  # from a bridge
        fresh[ENVIRON] = with_target(environ, target)
    if new_headers is not None:
        fresh["headers"] = new_headers
    for name, values in fields.items():
        fresh["headers"] = replaced(fresh, name.encode(), values)
    if any(each.kind is Kind.SPLIT_COOKIE and each.action.edits for each in report.findings):
        cookie = joined(header_values(fresh, COOKIE))
        fresh["headers"] = replaced(fresh, COOKIE, [cookie] if cookie else [])
    return fresh


def proven(
    scope: Mapping[str, Any], host: bytes | None, typed: bytes | None, pipeline: Pipeline
) -> tuple[bytes, bytes, bytes, bytes] | None:
    """What is stored for the report on a scope; ``None`` if it is not proven to need no judgement.

    ``host`` and ``typed`` are the values of Host and Content-Type.
    """
    raw, query, decoded = scope["raw_path"], scope["query_string"], scope["path"]
    if (
        not pipeline.skips_clean
        or not (pipeline.proves_no_host(scope) if host is None else pipeline.proves_host(host))
        or (typed and not pipeline.proves_type(typed))
        or (pipeline.judges_rest and not _proves_rest(scope, pipeline, is_typed=bool(typed)))
    ):
        return None
    root = scope.get("root_path", "")
    prefix = encoded_path(text_octets(root)) if root else b""
    if not (pipeline.proves_mounted(raw, query, prefix) if root else pipeline.is_clean(raw, query)):
        return None
    # Without an escape, the path is its own decoded view. (0x25 is "%"; it is found faster than b"%".)
    if 0x25 not in raw:
        if raw.decode() != decoded:
            return None
    elif percent_decode(raw).decode() != decoded or "?" in decoded or "#" in decoded:
        return None
    path, kept = raw[len(prefix) :], pipeline.preserved
    return path, query, prefix, pipeline.preserved_in(path) if kept is None else kept


def _proves_rest(scope: Mapping[str, Any], pipeline: Pipeline, *, is_typed: bool) -> bool:
    """Whether neither an untyped body nor the fields of ``headers=`` need judgement."""
    fields = judged_fields(scope, pipeline.field_names)
    return pipeline.proves_rest(scope.get("method"), fields, is_typed=is_typed)


def judged_fields(scope: Mapping[str, Any], names: Iterable[str]) -> dict[str, list[bytes]]:
    """The values of the header fields with these names."""
    return {name: header_values(scope, name.encode()) for name in names}
