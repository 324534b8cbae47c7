"""Known faults of request sanitizers, each as a test that postel passes.

The faults are those in the issue list of rack-utf8_sanitizer: one bad octet damages the text beside it (88);
the rest of ``<sc%00ript>`` becomes markup (56); ``only`` is ignored for bodies and cookies; bodies are
altered (31), get a wrong length (26), or are read whole, however long (80); requests without a Content-Type
are ignored (50); NUL and ill-formed octets are treated differently (81).
"""

from __future__ import annotations

import pytest

from adapters import EACH_PROTOCOL, Protocol
from bodies import post
from postel import Action, Component, Forms, Kind, Policy, Target, report_of

FORM, QUERY = Component.FORM, Component.QUERY
REPLACING = Policy.STANDARD.replacing(Kind.ILL_FORMED_UTF8, Kind.NUL, on=[FORM, QUERY])


def fields(octets: bytes) -> tuple[tuple[str, str], ...]:
    return Target(query=octets).pairs


@EACH_PROTOCOL
@pytest.mark.parametrize(
    ("octets", "read"),
    [
        (b"q=%E2%82%AC%C4", (("q", "€\ufffd"),)),
        (b"q=%C4%E2%82%AC", (("q", "\ufffd€"),)),
        (b"a=%C3%A9&q=%FF&b=%E4%BD%A0", (("a", "é"), ("q", "\ufffd"), ("b", "你"))),
        ("a=é&q=".encode() + b"\xff" + "&b=你".encode(), (("a", "é"), ("q", "\ufffd"), ("b", "你"))),
        (b"caf%C3%A9%FF=1&b=%C3%A9", (("café\ufffd", "1"), ("b", "é"))),
        (b"q=%E4%BD%A0%E4%BD%00%C3%A9", (("q", "你\ufffd\ufffdé"),)),
    ],
)
def test_one_bad_octet_leaves_the_text_beside_it(
    protocol: Protocol, octets: bytes, read: tuple[tuple[str, str], ...]
) -> None:
    asked = post(protocol, octets, REPLACING)
    assert fields(asked.body) == read


@EACH_PROTOCOL
def test_nul_and_ill_formed_octets_are_treated_in_the_same_way(protocol: Protocol) -> None:
    assert fields(post(protocol, b"a=x%00y&b=x%FFy", REPLACING).body) == (
        ("a", "x\ufffdy"),
        ("b", "x\ufffdy"),
    )


@EACH_PROTOCOL
def test_a_setting_for_one_component_affects_only_that(protocol: Protocol) -> None:
    faulty = b"q=%C4%00"
    in_query = Policy.STANDARD.allowing(Kind.ILL_FORMED_UTF8, Kind.NUL, on=FORM)
    assert post(protocol, faulty, in_query).body == faulty
    assert post(protocol, b"q=1", in_query, target=b"/?q=%C4").status == 400
    in_forms = Policy.STANDARD.allowing(Kind.ILL_FORMED_UTF8, Kind.NUL, on=QUERY)
    assert post(protocol, b"q=1", in_forms, target=b"/?" + faulty).status == 200
    assert post(protocol, faulty, in_forms).status == 400
    # Bodies are not judged, although URL and cookies are.
    asked = post(
        protocol, faulty, fields={"cookie": "a=%00; b=1"}, forms=False, headers={"cookie": Action.DROP_PAIR}
    )
    assert (asked.body, asked.header("cookie")) == (faulty, "b=1")
    # Cookies are not judged, although bodies are.
    asked = post(protocol, b"q=%zz", fields={"cookie": "a=%00; b=1"})
    assert (asked.body, asked.header("cookie")) == (b"q=%25zz", "a=%00; b=1")
    # A rule for one name affects only that name.
    named = Policy.STANDARD.dropping_pairs(Kind.NUL, on=FORM, names=["note"])
    assert post(protocol, b"note=%00&q=1", named).body == b"q=1"
    assert post(protocol, b"other=%00&q=1", named).status == 400


@EACH_PROTOCOL
@pytest.mark.parametrize("fault", [b"%00", b"%FF", b"%C4", b"%1B", b"\xff"])
def test_the_rest_of_a_value_never_joins_into_markup(protocol: Protocol, fault: bytes) -> None:
    dropping = Policy.STANDARD.dropping(Kind.NUL, Kind.CONTROL, Kind.ILL_FORMED_UTF8, on=FORM)
    for policy in (Policy.LENIENT, dropping, REPLACING):
        asked = post(protocol, b"q=<sc" + fault + b"ript>&p=1", policy)
        read = fields(asked.body)
        assert ("p", "1") in read or asked.status == 400
        assert not any("<script>" in value for _, value in read)
        asked = post(protocol, b"a" + fault + b"dmin=1&p=1", policy)
        assert "admin" not in dict(fields(asked.body))
    # At the end of a value nothing is joined, so the rest is kept.
    assert fields(post(protocol, b"q=caf" + fault + b"&p=1", dropping).body) == (("q", "caf"), ("p", "1"))


@EACH_PROTOCOL
@pytest.mark.parametrize("octets", [b"q=1", b"a=%c3%a9&b=+x%7e&&", b"", b"a[]=1&a[]=2", b"q=%0D%0A"])
def test_clean_input_is_returned_octet_for_octet(protocol: Protocol, octets: bytes) -> None:
    for chunked in (False, True):
        asked = post(protocol, octets, chunked=chunked)
        assert asked.body == octets
        assert asked.header("content-length") == str(len(octets))


@EACH_PROTOCOL
def test_the_received_octets_are_available(protocol: Protocol) -> None:
    asked = post(protocol, b"q=50%", forms=Forms(keep=True))
    assert asked.body == b"q=50%25"
    assert report_of(asked.given).received_form == b"q=50%"


@EACH_PROTOCOL
def test_the_url_is_judged_without_a_content_type(protocol: Protocol) -> None:
    assert post(protocol, b"q=%00", content_type=None).body == b"q=%00"
    assert post(protocol, b"", content_type=None, target=b"/%00").status == 400


@EACH_PROTOCOL
def test_nothing_is_read_beyond_the_limit(protocol: Protocol) -> None:
    asked = post(protocol, [b"a" * 1000] * 5000, chunked=True)
    assert asked.status == 413
    assert asked.taken < 2**20 + 2000
