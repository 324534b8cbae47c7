"""Urlencoded forms, multipart forms and JSON share reports, logs, counters, samples, routes and statuses."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any, Final

import pytest
from prometheus_client import CollectorRegistry

from adapters import EACH_PROTOCOL, Protocol
from bodies import FORM, post
from postel import Component, Json, Kind, LogObserver, Policy, Sample
from postel.prometheus import PrometheusObserver

PART: Final = b'--x\r\nContent-Disposition: form-data; name="user"\r\n\r\n'


@dataclass(frozen=True)
class Sort:
    """A format of bodies, with a fault in a field or member."""

    name: str
    content_type: str
    octets: bytes
    kind: Kind
    component: Component
    offset: int
    field: str
    clean: bytes

    @property
    def told(self) -> str:
        return f"{self.kind.slug} in {self.component.value} at {self.offset}, of "


SORTS: Final = [
    Sort("form", FORM, b"a=1&user=%00", Kind.NUL, Component.FORM, 9, "user", b"a=1"),
    Sort(
        "parts",
        "multipart/form-data; boundary=x",
        PART + b"1\0\r\n--x--\r\n",
        Kind.NUL,
        Component.FORM,
        len(PART) + 1,
        "user",
        PART + b"1\r\n--x--\r\n",
    ),
    Sort(
        "file name",
        "multipart/form-data; boundary=x",
        PART.replace(b'"\r', b'"; filename="../b"\r') + b"1\r\n--x--\r\n",
        Kind.FILENAME_PATH,
        Component.FORM,
        len(PART) - 4 + len('; filename="'),
        "user",
        PART + b"1\r\n--x--\r\n",
    ),
    Sort(
        "json",
        "application/json",
        b'{"a": {"user": "\\u0000"}}',
        Kind.NUL,
        Component.JSON,
        16,
        "a.user",
        b"{}",
    ),
]
EACH: Final = pytest.mark.parametrize("sort", SORTS, ids=lambda each: each.name)


def sent(protocol: Protocol, sort: Sort, *args: Any, octets: bytes | None = None, **settings: Any) -> Any:
    body = sort.octets if octets is None else octets
    return post(protocol, body, *args, content_type=sort.content_type, json=True, **settings)


@EACH_PROTOCOL
@EACH
def test_a_report_names_the_field_or_member(protocol: Protocol, sort: Sort) -> None:
    asked = sent(protocol, sort)
    assert (asked.status, asked.kinds) == (400, [sort.kind.slug])
    (found,) = asked.told.findings
    assert (found.kind, found.component, found.offset, found.name) == (
        *(sort.kind, sort.component, sort.offset, sort.field),
    )
    assert sort.octets[found.offset :].startswith(found.excerpt)


@EACH_PROTOCOL
@EACH
def test_a_log_line_names_the_field_or_member(
    protocol: Protocol, sort: Sort, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="postel"):
        sent(protocol, sort, observer=LogObserver())
    (message,) = caplog.messages
    assert sort.told in message
    assert f', of "{sort.field}" (reject)' in message


@EACH_PROTOCOL
@EACH
def test_a_counter_counts_the_finding(protocol: Protocol, sort: Sort) -> None:
    registry = CollectorRegistry()
    observer = PrometheusObserver(registry)
    sent(protocol, sort, observer=observer)
    labels = {"kind": sort.kind.slug, "component": sort.component.value, "action": "reject"}
    assert registry.get_sample_value("postel_findings_total", labels) == 1


@EACH_PROTOCOL
@EACH
def test_unenforced_or_unsampled_bodies_pass_untouched(
    protocol: Protocol, sort: Sort, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("postel._http.sampling._drawn", lambda: 0.5)
    for settings in ({"enforce": False}, {"sample": Sample(0.4)}):
        asked = sent(protocol, sort, **settings)
        assert (asked.status, asked.body) == (200, sort.octets)
        assert [each.kind for each in asked.told.findings] == [sort.kind]
    assert sent(protocol, sort, sample=Sample(0.6)).status == 400


@EACH_PROTOCOL
@EACH
def test_a_route_has_its_own_policy_and_a_kind_its_own_status(protocol: Protocol, sort: Sort) -> None:
    lax = Policy.STANDARD.reporting(sort.kind, on=sort.component)
    asked = sent(protocol, sort, routes={"/a": lax})
    assert (asked.status, asked.body) == (200, sort.octets)
    assert sent(protocol, sort, routes={"/b": lax}).status == 400
    assert sent(protocol, sort, statuses={sort.kind: 422}).status == 422


@EACH_PROTOCOL
@EACH
def test_a_clean_body_has_no_finding(protocol: Protocol, sort: Sort) -> None:
    asked = sent(protocol, sort, Policy.STRICT, octets=sort.clean)
    assert (asked.status, asked.body, asked.told) == (200, sort.clean, None)


@EACH_PROTOCOL
@pytest.mark.parametrize(
    "sort", [each for each in SORTS if each.component is Component.FORM], ids=lambda each: each.name
)
def test_a_rule_for_a_name_holds_in_both_formats_of_forms(protocol: Protocol, sort: Sort) -> None:
    rule = Policy.STANDARD.reporting(sort.kind, on=Component.FORM, names=["us*"])
    assert sent(protocol, sort, rule).status == 200
    assert sent(protocol, sort, rule, octets=sort.octets.replace(b"user", b"root")).status == 400
    stricter = Policy.STANDARD.reporting(sort.kind).rejecting(sort.kind, on=Component.FORM, names=["user"])
    assert sent(protocol, sort, stricter).status == 400
    assert sent(protocol, sort, stricter, octets=sort.octets.replace(b"user", b"root")).status == 200


@EACH_PROTOCOL
@pytest.mark.parametrize("fault", ["\u202e", "%0A", "\x85"])
def test_a_name_with_a_fault_has_no_rule(protocol: Protocol, fault: str) -> None:
    """Otherwise a client could obtain an exemption by a faulty name."""
    kinds = (Kind.BIDI_CONTROL, Kind.NAME_LINE_BREAK, Kind.C1_CONTROL)
    rule = Policy.STANDARD.reporting(*kinds).reporting(Kind.FILENAME_PATH, on=Component.FORM, names=["us*"])
    sort = SORTS[2]
    octets = sort.octets.replace(b"user", f"us{fault}".encode())
    assert sent(protocol, sort, rule, octets=octets).status == 400
    assert sent(protocol, sort, rule).status == 200


@EACH_PROTOCOL
def test_json_with_the_type_of_a_form_is_judged_as_json_without_forms(protocol: Protocol) -> None:
    asked = sent(protocol, SORTS[-1], forms=False)
    assert asked.kinds == ["nul"]
    assert sent(protocol, SORTS[0], forms=False).status == 415
    assert post(protocol, b"{}", content_type="text/json", json=Json(others="refuse")).status == 415
