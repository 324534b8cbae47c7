"""What servers that are hard to run hand over, replayed through both middlewares.

``recorded.json`` beside this file holds what was sent, and what each server made of it.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from adapters import Request, Served, through_asgi, through_wsgi
from postel import Accepted, Component, Kind, Normalizer, Policy, Report, Target
from postel._alphabet.percent import percent_decode
from postel._http.recovery import encoded_path

FILE: Final = Path(__file__).with_name("recorded.json")
POLICIES: Final = {"STRICT": Policy.STRICT, "STANDARD": Policy.STANDARD, "LENIENT": Policy.LENIENT}

# These servers turn octets into text irreversibly, and hand on what the client did not send.
GARBLING: Final = {
    "inproc-django-AsyncClient": "its path is Latin-1 text",
    "werkzeug-dev@old1": "bare octets are encoded twice, under every key",
}


@dataclass(frozen=True)
class Row:
    """One request as one server handed it over."""

    sent: bytes
    kind: str
    handed: Request

    def serve(self, policy: Policy, **settings: Any) -> Served:
        through = through_wsgi if self.kind == "wsgi" else through_asgi
        return through(self.handed, policy, **settings)

    @property
    def path(self) -> bytes:
        """Return the path, in octets, that the application would have routed on."""
        return path_of(self.kind, self.handed)

    @property
    def raw(self) -> bytes | None:
        """Return the target from the server's raw key."""
        if self.kind == "wsgi":
            raw = self.handed.get("REQUEST_URI", self.handed.get("RAW_URI"))
            return None if raw is None else raw.encode("latin-1")
        path, query = self.handed.get("raw_path"), self.handed["query_string"]
        return None if path is None else path + (b"?" + query if query else b"")


def path_of(kind: str, request: Mapping[str, Any]) -> bytes:
    if kind == "asgi":
        return str(request["path"]).encode()
    prefix, path = request.get("SCRIPT_NAME", ""), request["PATH_INFO"]
    try:
        return f"{prefix}{path}".encode("latin-1")
    except UnicodeEncodeError:
        return f"{prefix}{path}".encode()


def value(recorded: Any) -> Any:
    """Return the octets of ``{"b": text}``. Long values are abbreviated in the file, and restored here."""
    if isinstance(recorded, str):
        return re.sub(r"^(.*?)\.\.\.\[(\d+)\]$", lambda match: match[1].ljust(int(match[2]), "x"), recorded)
    if isinstance(recorded, Mapping) and recorded.keys() == {"b"}:
        return value(recorded["b"]).encode("latin-1")
    return [value(each) for each in recorded] if isinstance(recorded, list) else recorded


@cache
def recorded() -> Mapping[str, list[Row]]:
    configurations = json.loads(FILE.read_text())["configurations"]
    return {name: list(rows(each)) for name, each in configurations.items()}


def rows(configuration: Mapping[str, Any]) -> Iterator[Row]:
    for result in configuration["results"]:
        handed = {key: value(each) for key, each in result["keys"].items()}
        if configuration["kind"] == "asgi":
            handed["headers"] = [(b"host", host) for host in handed.pop("host_headers", ())]
        yield Row(result["sent"].encode("latin-1"), configuration["kind"], handed)


@pytest.fixture(params=sorted(recorded()))
def configuration(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=POLICIES)
def policy(request: pytest.FixtureRequest) -> Policy:
    return POLICIES[request.param]


@cache
def served(configuration: str, policy: Policy) -> list[tuple[Row, Served]]:
    return [(row, row.serve(policy)) for row in recorded()[configuration]]


def preserves(policy: Policy) -> bool:
    return policy is Policy.LENIENT


def test_views_agree(configuration: str, policy: Policy) -> None:
    for row, answer in served(configuration, policy):
        given = answer.given
        if given is None:
            assert answer.status in {308, 400, 414}
            continue
        if row.kind == "wsgi":
            raw = given.get("REQUEST_URI", given.get("RAW_URI"))
            assert given.get("RAW_URI", raw) == raw
            query = given["QUERY_STRING"]
            whole = None if raw is None else raw.encode("latin-1")
        else:
            query = given["query_string"].decode("latin-1")
            whole = given["raw_path"] + (b"?" + given["query_string"] if query else b"")
        if whole is None:
            continue
        path, _, found_query = whole.partition(b"?")
        assert found_query.decode("latin-1") == query, row
        decoded = path_of(row.kind, given)
        if preserves(policy):
            decoded = percent_decode(decoded)  # The escapes that are left in the path are data.
        assert decoded == percent_decode(path), row


def test_nothing_is_handed_on_that_the_client_did_not_send(configuration: str, policy: Policy) -> None:
    for row, answer in served(configuration, policy):
        if answer.given is None or configuration in GARBLING:
            continue
        sent = percent_decode(row.sent)
        path = path_of(row.kind, answer.given)
        for run in re.findall(rb"[\x80-\xff]+|\0+", path):
            assert run in sent, row
        target = answer.report.target
        assert target is not None
        for text in (name_or_value for pair in target.pairs for name_or_value in pair):
            assert "\ufffd" not in text or "\ufffd".encode() in sent, row
            assert "\0" not in text or b"\0" in sent, row


def test_accepted_paths_equal_the_input_or_its_documented_repair(configuration: str, policy: Policy) -> None:
    normalizer = Normalizer(policy)
    for row, answer in served(configuration, policy):
        if answer.given is None:
            continue
        report = answer.report
        given = path_of(row.kind, answer.given)
        if row.path in {given, preserves(policy) and percent_decode(given)}:
            continue
        assert any(each.action.edits and each.component is Component.PATH for each in report.findings), row
        host = report.target.host if report.target else None
        prefix = report.target.prefix if report.target else b""
        seen = (report.received, Target(encoded_path(row.path[len(prefix) :]), prefix=prefix, host=host))
        repaired = [
            prefix + outcome.target.path_octets
            for outcome in map(normalizer.normalize, seen)
            if isinstance(outcome, Accepted)
        ]
        assert given in repaired, row


def test_clean_requests_are_handed_on_unchanged(configuration: str, policy: Policy) -> None:
    for row, answer in served(configuration, policy):
        if answer.given is None or answer.report.findings:
            continue
        given = path_of(row.kind, answer.given)
        assert given == row.path or (preserves(policy) and percent_decode(given) == row.path)
        key = "QUERY_STRING" if row.kind == "wsgi" else "query_string"
        assert value_as_text(answer.given[key]) == value_as_text(row.handed[key])


def value_as_text(octets: bytes | str) -> str:
    return octets.decode("latin-1") if isinstance(octets, bytes) else octets


def test_observed_requests_are_untouched(configuration: str) -> None:
    for row in recorded()[configuration]:
        answer = row.serve(Policy.STRICT, enforce=False)
        given = dict(answer.given or {})
        assert isinstance(given.pop("postel.report"), Report)
        given.pop("type", None)
        assert given.keys() == row.handed.keys()
        assert all(given[key] is each for key, each in row.handed.items())


def test_every_server_that_shows_the_target_gets_the_same_verdict(policy: Policy) -> None:
    verdicts: dict[tuple[bytes, str], set[tuple[object, ...]]] = defaultdict(set)
    for configuration in recorded():
        for row, answer in served(configuration, policy):
            if row.raw != row.sent or b"://" in row.sent[:10] or row.sent.startswith(b"/sub"):
                continue  # The server hides something, or the verdict depends on a Host or a prefix.
            report = answer.report
            if (
                report.verbatim
                and not report.received_prefix
                and not any(each.kind is Kind.VIEWS_DISAGREE for each in report.findings)
            ):
                findings = {(each.kind, each.component, each.action) for each in report.findings}
                verdicts[row.sent, row.handed.get("REQUEST_METHOD", row.handed.get("method"))].add(
                    (report.refused, frozenset(findings))
                )
    assert verdicts
    assert {sent: found for sent, found in verdicts.items() if len(found) > 1} == {}


DECODED_BEFORE: Final = ("granian-asgi@old2", "granian-asgi@granian2.0.1")


@pytest.mark.parametrize("name", DECODED_BEFORE)
def test_an_old_granian_is_not_decoded_twice(name: str, policy: Policy) -> None:
    """The raw_path of granian 2.0.1 and older is decoded: it holds `%2e` for `%252e`."""
    twice = 0
    for row, answer in served(name, policy):
        path, raw = row.handed["path"].encode(), row.handed["raw_path"]
        if percent_decode(path) == path or raw != path:
            continue
        twice += 1
        assert not answer.report.verbatim
        assert answer.report.blind
        if answer.given is not None:
            given = path_of(row.kind, answer.given)
            assert path in {given, preserves(policy) and percent_decode(given)}, row
    assert twice == 2  # Two of the recorded targets still contain an escape.


@pytest.mark.parametrize("name", ["starlette-mount@old1", "starlette-mount-rootpath@old1"])
def test_an_old_mount_removes_its_prefix_only_from_the_path(name: str, policy: Policy) -> None:
    """Before 0.33, Starlette keeps the prefix in the raw path, and its routes use the path without it."""
    taken = 0
    for row, answer in served(name, policy):
        path, raw = row.handed["path"].encode(), row.handed["raw_path"]
        if path == percent_decode(raw):
            continue
        taken += 1
        if answer.given is None:
            continue
        given = path_of(row.kind, answer.given)
        if preserves(policy):
            given = percent_decode(given)
        repaired = any(
            each.action.edits and each.component is Component.PATH for each in answer.report.findings
        )
        assert given == path or repaired, row
        assert not given.startswith(b"/sub"), row
        assert not answer.given["raw_path"].startswith(b"/sub"), row
    assert taken >= 50


def test_slashes_that_apache_keeps_are_told_apart(policy: Policy) -> None:
    """With NoDecode, `%2F` and `%252F` have the same PATH_INFO."""
    both = {row.sent: (row.path, answer) for row, answer in served("mod_wsgi-aes-nodecode", policy)}
    path, kept = both[b"/a%2Fb"]
    other, escaped = both[b"/a%252Fb"]
    assert path == other == b"/a%2Fb"
    if preserves(policy):
        assert kept.given is not None
        assert escaped.given is not None
        assert kept.given["PATH_INFO"] == "/a%2Fb"
        assert escaped.given["PATH_INFO"] == "/a%252Fb"
    else:
        assert kept.given is None
        assert escaped.given is None or escaped.given["PATH_INFO"] == "/a%2Fb"
