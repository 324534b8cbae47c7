"""Every octet, bare and escaped, in every place: a kind judges it, or this file lists it, with the reason.

The policy here refuses everything that a policy can refuse. So no policy can refuse an octet that passes.
Where a reference leads depends on the whole value: see test_foreign_references.py.
"""

from __future__ import annotations

from typing import Final

import pytest

from postel import Accepted, Action, Component, Kind, Normalizer, Policy, Target
from postel._bodies.form_settings import Forms
from postel._bodies.urlencoded import FormRules

PATH, QUERY, FORM = Component.PATH, Component.QUERY, Component.FORM


def _refusing() -> Policy:
    policy = Policy.STRICT
    for kind in Kind:
        for component, supported in kind.check.actions.items():
            if Action.REJECT in supported and component in {PATH, QUERY, FORM}:
                policy = policy.rejecting(kind, on=component)
    return policy.allowing(Kind.FOREIGN_REFERENCE)


REFUSING: Final = Normalizer(_refusing())
FORMS: Final = FormRules(_refusing(), Forms())

UNRESERVED: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
"""Octets that mean the same bare and escaped. RFC 3986, section 2.3, says to write them bare."""
PLAIN: Final = {
    ("path", "bare"): {
        UNRESERVED: "unreserved",
        b"!$&'()*+,=:@": "delimiters that a segment may hold as data: RFC 3986, section 3.3 (pchar)",
        b"/": "it ends a segment; kinds of segments judge the rest",
    },
    ("path", "escaped"): {
        b"!$&'()*+,=:@": "data, as if they were bare",
        b' "<>[]^`{|}': "data that can only be written escaped",
        b"%": "a percent sign as data; before two hex digits it is double-escape",
    },
    ("name", "bare"): {
        UNRESERVED: "unreserved",
        b"!$'()*,:@/?": "delimiters that a query may hold as data: RFC 3986, section 3.4",
        b"&=": "they end a name: the syntax of pairs",
    },
    ("value", "bare"): {
        UNRESERVED: "unreserved",
        b"!$'()*,:@/?": "delimiters that a query may hold as data: RFC 3986, section 3.4",
        b"&": "it ends a value: the syntax of pairs",
        b"=": "data after the first one: URL Standard, section 5.1",
    },
    ("name", "escaped"): {
        b"!$'()*,:@/?&+;#": "delimiters as data; an equals sign is encoded-equals",
        b' "<>[\\]^`{|}': "data that can only be written escaped",
        b"%": "a percent sign as data",
    },
    ("value", "escaped"): {
        b"!$'()*,:@/?&=+;#": "delimiters as data",
        b' "<>[\\]^`{|}': "data that can only be written escaped",
        b"%": "a percent sign as data",
    },
}
"""Octets that no kind refuses, by their place and spelling, with the reason."""
PLACES: Final = {
    # Each row: the component, the octets around the tested one, and the entries that list plain octets.
    "path": (PATH, b"/x", b"x", "path", "path"),
    "query name": (QUERY, b"x", b"y=1", "name", "name"),
    "query value": (QUERY, b"a=x", b"x", "value", "value"),
    "form name": (FORM, b"x", b"y=1", "name", "name"),
    "form value": (FORM, b"a=x", b"x", "value", "value"),
}


def _passes(component: Component, octets: bytes) -> bool:
    if component is FORM:
        judged = FORMS.judge(octets)
        return judged.octets == octets and not judged.findings
    target = Target(octets) if component is PATH else Target(query=octets)
    outcome = REFUSING.examine(target)
    return outcome == Accepted(target) == REFUSING.normalize(target)


@pytest.mark.parametrize("spelling", ["bare", "escaped"])
@pytest.mark.parametrize("place", PLACES)
def test_every_octet_is_judged_or_is_plain(place: str, spelling: str) -> None:
    component, front, behind, bare, escaped = PLACES[place]
    plain = b"".join(PLAIN[bare if spelling == "bare" else escaped, spelling])
    assert len(plain) == len({*plain}), "listed twice"
    for octet in range(256):
        written = bytes([octet]) if spelling == "bare" else b"%%%02X" % octet
        assert _passes(component, front + written + behind) is (octet in plain), (place, written)


def test_a_bare_number_sign_in_a_form_is_an_illegal_character() -> None:
    rules = FormRules(Policy.STANDARD, Forms())
    judged = rules.judge(b"a#b=c#d&e=f")
    assert judged.octets == b"a#b=c#d&e=f"
    assert [(each.kind, each.offset) for each in judged.findings] == [
        (Kind.ILLEGAL_CHARACTER, 1),
        (Kind.ILLEGAL_CHARACTER, 5),
    ]
    assert FormRules(Policy.STRICT, Forms()).judge(b"a=#").octets is None
    escaped = rules.judge(b"a=%23")
    assert (escaped.octets, escaped.findings) == (b"a=%23", ())


def test_a_bare_number_sign_in_a_query_begins_a_fragment() -> None:
    found = Normalizer(Policy.STANDARD).normalize(Target(query=b"a=#"))
    assert [each.kind for each in found.findings] == [Kind.FRAGMENT]
