"""Locations of responses: which are malformed, which leave the site, and what the setting accepts."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from postel import Action, Component, Kind, Locations, Policy, PolicyError
from postel._http.host import Hosts
from postel._http.locations import LocationRules, locations_of
from together import together
from toolkit.test_local import ORDINARY, PAYLOADS, elsewhere

HOSTS: Final = Hosts(["site.example", "*.site.example", "[::1]", "other.example:8443"])
RULES: Final = LocationRules(Locations("refuse", exceptions=["pay.example", "*.cdn.example"]), HOSTS)

FINE: Final = [
    b"", b"/", b"/a?b=c#d", b"a/b:c", b"?page=2", b"#top", b"../a", b"/search?q[]=%5Ba%5D&x=a+b", b"/a//b",
    b"https://site.example", b"HTTPS://SITE.example:443/a", b"http://www.site.example/", b"//site.example/",
    b"http://[::1]:8000/a", b"https://other.example:8443/", b"https://pay.example/x?y", b"//a.cdn.example/z",
    b"/%09/evil.example", b"/%5Cevil.example", b"/user@host", b"/?next=https://evil.example/",
]  # fmt: skip
"""Locations that all clients resolve to the same URL on a listed host. They decode no escape in a path."""
MALFORMED: Final = [
    (b"/\t/evil", 1, "not allowed in a URL"),
    (b"/a\r\nSet-Cookie: a=b", 2, "not allowed in a URL"),
    (b"/\x00", 1, "not allowed in a URL"),
    (b"/\x7f", 1, "not allowed in a URL"),
    ("/caf\u00e9".encode(), 4, "not allowed in a URL"),
    (b"/\xff", 1, "not allowed in a URL"),
    (b" //evil", 0, "not allowed in a URL"),
    (b"/a b", 2, "not allowed in a URL"),
    (b"/\\evil.example", 1, "not allowed in a URL"),
    (b"\\\\evil.example", 0, "not allowed in a URL"),
    (b"/50%", 3, "not allowed in a URL"),
    (b"/%zz", 1, "not allowed in a URL"),
    (b"/a#b#c", 4, "not allowed in a URL"),
    (b"/<a>", 1, "not allowed in a URL"),
    (b"https:evil", 6, "a scheme without two slashes and a host"),
    (b"https:///evil", 6, "a scheme without two slashes and a host"),
    (b"///evil", 0, "a scheme without two slashes and a host"),
    (b"//127.1/", 2, "a host that readers see differently"),
    (b"//site.example:99999/", 2, "a host that readers see differently"),
    (b"//site.example%2Fevil/", 2, "a host that readers see differently"),
    (b"1a:b", 2, "a colon after text that is not a scheme"),
    (b"https://user@site.example/", 8, "a user name in front of the host"),
]
FOREIGN: Final = [
    (b"//evil.example", 2), (b"https://evil.example/", 8), (b"http://site.example.evil/", 7),
    (b"https://other.example/", 8), (b"https://evilsite.example/", 8), (b"//[::2]/", 2), (b"//127.0.0.1/", 2),
    (b"javascript:alert(1)", 0), (b"mailto:a@site.example", 0), (b"ftp://site.example/", 0), (b"data:,x", 0),
    (b"https://pay.example.evil/", 8), (b"https://cdn.example/", 8),
]  # fmt: skip


@together("value", FINE, ids=ascii)
def test_locations_on_the_site_are_accepted(value: bytes) -> None:
    for status in (201, 301, 302, 303, 307, 308):
        assert RULES.judge(b"/", status, [value]) is None


@together(("value", "offset", "detail"), MALFORMED, ids=ascii)
def test_malformed_locations_are_found_with_every_status(value: bytes, offset: int, detail: str) -> None:
    for status in (200, 201, 302):
        finding = RULES.judge(b"/", status, [value])
        assert finding
        assert (finding.kind, finding.component) == (Kind.MALFORMED_LOCATION, Component.LOCATION)
        assert (finding.offset, finding.detail, finding.action) == (offset, detail, Action.REJECT)
        assert value.startswith(finding.excerpt, offset)
        assert str(finding).isprintable()
        assert str(finding).isascii()


@together(("value", "offset"), FOREIGN, ids=ascii)
def test_foreign_locations_are_found_with_statuses_that_clients_follow(value: bytes, offset: int) -> None:
    finding = RULES.judge(b"/", 302, [value])
    assert finding
    assert (finding.kind, finding.offset) == (Kind.FOREIGN_LOCATION, offset)
    assert value.startswith(finding.excerpt, offset)
    assert RULES.judge(b"/", 201, [value]) is None, (
        "with 201 it names the created resource: RFC 9110, section 15.3.2"
    )


@pytest.mark.parametrize("kind", [Kind.MALFORMED_LOCATION, Kind.FOREIGN_LOCATION])
def test_the_example_fires_and_the_near_miss_does_not(kind: Kind) -> None:
    finding = RULES.judge(b"/", 302, [kind.check.example[Component.LOCATION]])
    assert finding
    assert finding.kind is kind
    assert RULES.judge(b"/", 302, [kind.check.near_miss[Component.LOCATION]]) is None


def test_two_locations_are_malformed() -> None:
    finding = RULES.judge(b"/", 302, [b"/a", b"/b"])
    assert finding
    assert (finding.kind, finding.excerpt, finding.detail) == (
        Kind.MALFORMED_LOCATION,
        b"/b",
        "more than one",
    )
    assert RULES.judge(b"/", 302, []) is None


def test_an_excerpt_is_48_octets_at_most() -> None:
    finding = RULES.judge(b"/", 302, [b"//evil.example/" + b"a" * 100_000])
    assert finding
    assert len(finding.excerpt) == 48


@together("reference", PAYLOADS, ids=ascii)
def test_payloads_that_leave_the_site_are_found(reference: str) -> None:
    value = reference.encode("utf-8", "surrogatepass")
    own = re.match(r"https?://site\.example[.:/]", reference)  # Another port or scheme is not another host.
    if elsewhere(reference) and not own:
        assert LocationRules("refuse", Hosts(["site.example"])).judge(b"/", 302, [value]) is not None


@together("reference", ORDINARY)
def test_ordinary_references_are_accepted_in_ascii(reference: str) -> None:
    value = reference.encode()
    legal = re.fullmatch(rb"(?:[^\x00-\x20\x7f-\xff\"<>\\^`{|}%]|%[0-9A-Fa-f]{2})*", value)
    assert (RULES.judge(b"/", 302, [value]) is None) is (legal is not None and value.count(b"#") < 2)


@pytest.mark.parametrize(
    ("headers", "values"),
    [
        ([(b"location", b"/a"), (b"x", b"y"), (b"LOCATION", b"/b")], [b"/a", b"/b"]),
        ([["Location", "/\u00e9"]], [b"/\xe9"]),
        ([("location", "/\u6f22")], ["/\u6f22".encode()]),
        ([(b"location", 5), (5, 5), (b"location",), 5], [b""]),
        (None, []),
        (5, []),
    ],
)
def test_locations_are_found_in_headers_of_any_type(headers: Any, values: list[bytes]) -> None:
    assert locations_of(headers) == values


def test_routes_may_differ() -> None:
    rules = LocationRules(
        {"/": "refuse", "/oauth": None, "/pay": Locations("report", ["pay.example"])}, HOSTS
    )
    away, pay = [b"https://evil.example/"], [b"https://pay.example/"]
    assert rules.is_on
    for path, value, action in [
        (b"/a", away, Action.REJECT),
        (b"/oauth/authorize", away, None),
        (b"/%6fauth", away, None),
        (b"/pay/now", away, Action.REPORT),
        (b"/pay", pay, None),
        (b"/a", pay, Action.REJECT),
    ]:
        finding = rules.judge(path, 302, value)
        assert (finding and finding.action) is action, path
    elsewhere_off = LocationRules({"/pay": "report"}, HOSTS)
    assert elsewhere_off.judge(b"/a", 302, away) is None


def test_nothing_is_judged_by_default() -> None:
    assert not LocationRules(None, Hosts(None)).is_on


@pytest.mark.parametrize(
    ("settings", "hosts", "message"),
    [
        ("refuse", None, "locations= requires hosts=, the hosts of your site: hosts=['example.com']"),
        ("no", ["a"], "locations='no': write 'report', 'refuse', Locations('refuse'), or None"),
        (True, ["a"], "locations=True: write 'report'"),
        ({"/a": 5}, ["a"], "locations['/a']=5: write 'report'"),
        ({"a": "refuse"}, ["a"], "locations['a']: a route is a path such as '/packages'"),
        ([], ["a"], "locations=[]: write 'report'"),
        *(
            (
                judging_nothing,
                ["a"],
                f"locations={judging_nothing!r} judges no response; leave locations out, "
                "or write {'/': 'refuse'} for all other paths",
            )
            for judging_nothing in ({}, {"/a": None}, {"/": None})
        ),
        ({"/": 5}, ["a"], "locations['/']=5: write 'report'"),
    ],
)
def test_settings_that_cannot_work_raise_at_construction(settings: Any, hosts: Any, message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        LocationRules(settings, Hosts(hosts))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("no",), "Locations('no'): write 'report' or 'refuse'"),
        ((["refuse"],), "Locations(['refuse']): write 'report' or 'refuse'"),
        (("refuse", "a.example"), "exceptions='a.example': give a list, such as exceptions=['example.com']"),
        (("refuse", ""), "exceptions='': give a list"),
        (("refuse", ["https://a.example/"]), "exceptions=['https://a.example/']: a host is a name such as"),
        (("refuse", ["*"]), "exceptions=['*']: a host is a name such as"),
        (("refuse", ["a.example:65536"]), "exceptions=['a.example:65536']: a host is a name such as"),
        (("refuse", 5), "exceptions=5: give a list"),
        (("refuse", 0), "exceptions=0: give a list"),
        (("refuse", None), "exceptions=None: give a list"),
    ],
)
def test_invalid_locations_settings_raise(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        Locations(*arguments)
    assert message in str(caught.value)


def test_settings_compare_by_value() -> None:
    given = Locations("report", exceptions=iter(["A.Example"]))
    assert given == Locations("report", exceptions=["a.example"])
    assert given.exceptions == ("a.example",)
    assert Locations() == Locations("refuse", exceptions=[]) == Locations("refuse", exceptions=iter(()))


@pytest.mark.parametrize("kind", [Kind.MALFORMED_LOCATION, Kind.FOREIGN_LOCATION])
def test_no_policy_applies_to_locations(kind: Kind) -> None:
    with pytest.raises(PolicyError, match="set locations= of the middleware instead"):
        Policy.STANDARD.rejecting(kind)
