"""The laws that need no framework, each as a check of one request under one setting.

A check returns a few words about the violation, or nothing if the law holds.
"""

from __future__ import annotations

import random
import re
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, final
from urllib.parse import parse_qsl

from postel import Action, Component, Kind, report_of
from postel._alphabet.percent import percent_decode
from postel._bodies.urlencoded import FormRules
from postel._http.cookies import joined
from postel._http.report import KEY
from whole.request import Request, environ_of, scope_of
from whole.respelling import respelled_request
from whole.serving import PROTOCOLS, Passage
from whole.settings import Setting

Check = Callable[[Request, Setting], str]
FORM: Final = re.compile(rb"application/x-www-form-urlencoded(?:; ?charset=utf-8)?", re.IGNORECASE)


@final
@dataclass(frozen=True)
class Law:
    """A law with its name and its text."""

    name: str
    says: str
    check: Check

    def breaks(self, request: Request, setting: Setting) -> str:
        """Return the violation, if any. An exception violates every law."""
        try:
            return self.check(request, setting)
        except Exception:
            return traceback.format_exc(limit=-3)


REFUSALS: Final = frozenset({400, 413, 414, 415, 421})


def total(request: Request, setting: Setting) -> str:
    """Check law 1: there is always an answer, by the application or a refusal, and never an exception."""
    for protocol in PROTOCOLS:
        passage = setting.probes[protocol].ask(request)
        expected = {200} if passage.passes else REFUSALS | {308}
        if passage.answer.status not in expected:
            return f"{protocol}: status {passage.answer.status}"
        if not passage.passes and passage.answer.status != 308 and "reject" not in " ".join(passage.kinds):
            return f"{protocol}: refused without a finding that refuses, {passage.kinds}"
    return ""


def agreement(request: Request, setting: Setting) -> str:
    """Check law 2: the proof and the full judgement hand on the same, and so do normalize and examine."""
    for protocol, probe in setting.probes.items():
        quick, slow = probe.ask(request), probe.ask(request, slowly=True)
        if found := _differing(_handed(quick), _handed(slow)):
            return f"{protocol}, with and without the proof: {found}"
        if quick.given is not None and report_of(quick.given) != report_of(slow.given):
            return f"{protocol}: the reports differ"
        received = report_of(quick.given).received if quick.given is not None else None
        if received is not None and "routes" not in setting.more:
            judged, examined = setting.normalizer.normalize(received), setting.normalizer.examine(received)
            if judged != examined:
                return f"normalize: {judged}, examine: {examined}"
    return ""


def idempotent(request: Request, setting: Setting) -> str:
    """Check laws 3 and 4: a request that is handed on passes again, unchanged, with nothing left to edit."""
    for protocol, probe in setting.probes.items():
        once = probe.ask(request)
        if once.given is None:
            continue
        again = _whole(replace(request, body=once.body or b"", size=0))
        made = _sent_again(once.given)
        if protocol == "wsgi":
            made["wsgi.input"] = environ_of(again)["wsgi.input"]
        twice = probe.serve(probe.middleware, made, again)
        if found := _differing(_handed(once), _handed(twice)):
            return f"{protocol}, once and twice: {found} {twice.kinds}"
        left = [each for each in twice.kinds if not each.endswith((" report", " preserve"))]
        if left:
            return f"{protocol}: edits are left, {left}"
    return ""


def untouched(request: Request, setting: Setting) -> str:
    """Check law 7: with ``enforce=False`` the application receives the very same objects, and every octet."""
    for protocol, probe in setting.observing.items():
        made = environ_of(request) if protocol == "wsgi" else scope_of(request)
        passage = probe.serve(probe.middleware, made, request)
        if passage.given is None:
            return f"{protocol}: refused with {passage.answer.status}"
        own = {KEY, "wsgi.input"}
        changed = [key for key in made.keys() | passage.given.keys() if key not in own]
        changed = [key for key in changed if made.get(key) is not passage.given.get(key)]
        if changed:
            return f"{protocol}: these keys have changed, {changed}"
        if passage.body != request.delivered:
            return f"{protocol}: the body is {passage.body!r}"
    return ""


def two_protocols(request: Request, setting: Setting) -> str:
    """Check law 10: WSGI and ASGI have the same verdict on requests that both show in the same way."""
    if any(b"_" in name for name, _ in request.fields):
        return ""  # A WSGI server merges or drops names with underscores.
    if any(len(request.values(name)) > 1 for name in (b"host", b"content-type", b"content-length")):
        return ""  # An environ has only one of these fields, or all of them joined.
    wsgi = setting.probes["wsgi"].ask(_with_one_cookie(request))
    asgi = setting.probes["asgi"].ask(request)
    said = [
        (
            each.answer.status,
            _view(each),
            [kind for kind in each.kinds if not kind.startswith("split-cookie")],
        )
        for each in (wsgi, asgi)
    ]
    return "" if said[0] == said[1] else f"WSGI {said[0]}, ASGI {said[1]}"


def in_blocks(request: Request, setting: Setting) -> str:
    """Check law 10: the verdict is the same for a whole body and for its pieces."""
    for protocol, probe in setting.probes.items():
        said = [
            (_view(each), each.kinds) for each in (probe.ask(replace(request, size=n)) for n in (0, 1, 7))
        ]
        if said[0] != said[1] or said[0] != said[2]:
            return f"{protocol}: whole {said[0]}, in pieces {said[1:]}"
    return form_in_blocks(setting.forms, request.body)


def form_in_blocks(rules: FormRules, body: bytes) -> str:
    """Check law 10 for a form alone, without a middleware."""
    whole = rules.judge(body)
    for size in (1, 16):
        parted = rules.judge(body, block=size)
        if _filled(whole.octets) != _filled(parted.octets):
            return f"{body!r} whole {whole.octets!r}, in blocks {parted.octets!r}"
    return ""


_LONG_FORM: Final = "long-form@form reject"


def respelling(request: Request, setting: Setting) -> str:
    """Check law 12: neither the case of hex digits nor an escaped unreserved character changes a verdict."""
    source = random.Random(repr(request))  # noqa: S311 - the same for the same request
    policy = setting.policy
    asked = (Component.PATH, Component.QUERY, Component.FORM)
    if any(policy.action(Kind.SPELLING, each) is Action.REJECT for each in asked) or any(
        rule.kind is Kind.SPELLING for rule in policy.rules
    ):
        return ""  # The policy is about spelling.
    form = [*map(FORM.fullmatch, request.values(b"content-type"))]
    other = respelled_request(request, source, form=bool(form) and all(form) and request.is_whole)
    for protocol, probe in setting.probes.items():
        one, two = probe.ask(request), probe.ask(other)
        if _LONG_FORM in {*one.kinds} ^ {*two.kinds}:
            continue  # Forms.limit counts received octets, and one spelling is longer than the other
        if (one.answer.status, _read(one)) != (two.answer.status, _read(two)):
            return f"{protocol}: {_read(one)} {one.kinds}; as {other}: {_read(two)} {two.kinds}"
    return ""


_STRICT_PATH: Final = re.compile(rb"(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-F]{2})*)+|\*")
STRICT_QUERY: Final = re.compile(rb"(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-F]{2})*")


def grammar(request: Request, setting: Setting) -> str:
    """Check law 4: STRICT hands on only characters that RFC 3986 allows in a path and a query."""
    if setting.name != "STRICT":
        return ""
    for protocol, probe in setting.probes.items():
        passage = probe.ask(request)
        if passage.given is None or report_of(passage.given).target is None:
            continue
        target = report_of(passage.given).target
        assert target is not None
        if not _STRICT_PATH.fullmatch(target.path):
            return f"{protocol}: the path {target.path!r}"
        if not STRICT_QUERY.fullmatch(target.query):
            return f"{protocol}: the query {target.query!r}"
        types = request.values(b"content-type")
        if types and all(map(FORM.fullmatch, types)) and not STRICT_QUERY.fullmatch(passage.body or b""):
            return f"{protocol}: the form {passage.body!r}"
    return ""


def one_view(request: Request, setting: Setting) -> str:
    """Check that every view that the application receives has the same path."""
    for protocol, probe in setting.probes.items():
        given = probe.ask(request).given
        if given is None:
            continue
        shown, raw = _paths(given)
        if percent_decode(raw) not in {shown, percent_decode(shown)}:  # Preserved escapes stay.
            return f"{protocol}: decoded {shown!r}, raw {raw!r}"
    return ""


LAWS: Final = [
    Law("total", "There is always an answer, and never an exception.", total),
    Law("agreement", "The proof and the full judgement have the same result.", agreement),
    Law(
        "idempotent",
        "A request that is handed on passes again, unchanged, with nothing left to edit.",
        idempotent,
    ),
    Law("untouched", "With enforce=False the application receives the very same objects.", untouched),
    Law("two protocols", "WSGI and ASGI have the same verdict.", two_protocols),
    Law("in blocks", "The verdict is the same for a body as a whole and in blocks.", in_blocks),
    Law("respelling", "Another spelling does not change a verdict.", respelling),
    Law("grammar", "Under STRICT, the application receives only URLs that RFC 3986 allows.", grammar),
    Law("one view", "Every view shows the same path.", one_view),
]


def _with_one_cookie(request: Request) -> Request:
    """Return the request with its Cookie fields joined, as a correct WSGI server hands them over."""
    cookies = request.values(b"cookie")
    if len(cookies) < 2:
        return request
    one = joined(cookies)
    return request.having(b"Cookie", one) if one else request.without(b"cookie")


def _paths(given: Mapping[str, Any]) -> tuple[bytes, bytes]:
    """Return the decoded path and the raw one, both with the prefix."""
    if "raw_path" in given:
        return given["path"].encode("utf-8", "surrogatepass"), given["raw_path"]
    shown = (given["SCRIPT_NAME"] + given["PATH_INFO"]).encode("latin-1")
    return shown, given["RAW_URI"].encode("latin-1").partition(b"?")[0]


def _handed(passage: Passage) -> dict[str, Any]:
    """Return everything that an application receives, for comparison; the status if it receives nothing."""
    if passage.given is None:
        return {"status": passage.answer.status}
    kept = {key: value for key, value in passage.given.items() if key not in {KEY, "wsgi.input"}}
    if "headers" in kept:  # The order of fields with different names has no meaning: RFC 9110, section 5.3.
        kept["headers"] = sorted(kept["headers"], key=lambda field: field[0])
    return {**kept, "body": passage.body}


def _differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Return where two results differ."""
    keys = sorted(key for key in one.keys() | other.keys() if one.get(key, ...) != other.get(key, ...))
    return "; ".join(f"{key} is {one.get(key)!r} and {other.get(key)!r}" for key in keys)


def _sent_again(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request that was handed on as a server would hand it over, with the raw path decoded once.

    A policy that preserves leaves ``%2F`` in the decoded path, which no server does.
    """
    made = {key: value for key, value in given.items() if key != KEY}
    shown = percent_decode(_paths(given)[1])
    if "raw_path" in given:
        return {**made, "path": shown.decode()}
    prefix = given["SCRIPT_NAME"]
    return {**made, "PATH_INFO": shown.decode("latin-1").removeprefix(prefix)}


def _view(passage: Passage) -> tuple[bytes, ...] | None:
    """Return the target and the body that an application receives, on either protocol."""
    if passage.given is None:
        return None
    query = passage.given.get("query_string")
    query = passage.given["QUERY_STRING"].encode("latin-1") if query is None else query
    return (*_paths(passage.given), query, passage.body or b"")


def _read(passage: Passage) -> tuple[Any, ...] | None:
    """Return the decoded path and the decoded pairs that an application receives."""
    view = _view(passage)
    if view is None:
        return None
    shown, _, query, _ = view
    return shown, parse_qsl(query.decode("latin-1"), keep_blank_values=True, encoding="latin-1")


def _whole(request: Request) -> Request:
    """Return the request with the real length of its body, so that all of it is delivered."""
    return request.without(b"transfer-encoding").having(b"Content-Length", b"%d" % len(request.body))


def _filled(octets: bytes | None) -> list[bytes] | None:
    """Return the pairs that are not empty."""
    return None if octets is None else [pair for pair in octets.split(b"&") if pair]
