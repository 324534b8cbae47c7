"""Names with escapes that some readers undo, under rules for names and rules for repeated names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from _bodies.test_multipart import body, kinds, part
from postel import LATIN, Action, Characters, Component, Forms, Kind, Policy
from postel._bodies.multipart import MultipartRules

FORM: Final = Component.FORM
ONCE: Final = Policy.STANDARD.rejecting(Kind.DUPLICATE_NAME, on=FORM)
LINES: Final = Policy.STANDARD.rejecting(Kind.LINE_BREAK, on=FORM, names=['a"b'])
WRITTEN: Final = Policy.STANDARD.rejecting(Kind.LINE_BREAK, on=FORM, names=["a%22b"])
IN_LATIN: Final = Policy.STANDARD.accepting(LATIN, on=FORM, names=['a"*'])
BREAKS: Final = Policy.STANDARD.reporting(Kind.NAME_LINE_BREAK, on=FORM).rejecting(
    Kind.DUPLICATE_NAME, on=FORM
)
DROPPED: Final = Policy.STANDARD.repairing(Kind.DUPLICATE_NAME, on=FORM)
EXEMPT: Final = ONCE.allowing(Kind.DUPLICATE_NAME, on=FORM, names=["a*"])
REPORTED: Final = Policy.STANDARD.reporting(Kind.DUPLICATE_NAME, on=FORM, names=["a*"])

UNQUOTED: Final = Characters.of((0x20, 0x21), (0x23, 0x7E))
NO_QUOTE: Final = Policy.STANDARD.accepting(UNQUOTED, on=FORM)
VALUES: Final = Policy.STANDARD.accepting(UNQUOTED, on=FORM, names=["f"])
OTHERS: Final = Policy.STANDARD.accepting(UNQUOTED, on=FORM, names=["g"])
OUTSIDE: Final = "outside-accepted-range"


def form(*names: bytes) -> bytes:
    return body(*(part(b'Content-Disposition: form-data; name="' + name + b'"', b"1") for name in names))


def file(name: bytes) -> bytes:
    return body(part(b'Content-Disposition: form-data; name="f"; filename="' + name + b'"', b"1"))


CASES: Final[list[tuple[str, Policy, bytes, list[str]]]] = [
    ("no rules", Policy.STANDARD, form(b"a%22b", b'a\\"b'), []),
    ("no rules for repeated names", LINES, form(b"c%22d", b'c\\"d'), []),
    ("a repeated name", ONCE, form(b"a%22b", b'a\\"b'), ["duplicate-name"]),
    ("a repeated name, in another order", ONCE, form(b'a\\"b', b"c", b"a%22b"), ["duplicate-name"]),
    ("another name", ONCE, form(b"a%22b", b"a%22c", b"%22ab"), []),
    ("a repeated name in the same spelling", ONCE, form(b"a%22b", b"a%22b"), ["duplicate-name"]),
    ("a repeated name that would be dropped", DROPPED, form(b"a%22b", b'a\\"b'), ["duplicate-name"]),
    ("a repeated name that is exempt", EXEMPT, form(b"a%22b", b'a\\"b'), []),
    ("a repeated name that is only reported", REPORTED, form(b"a%22b", b'a\\"b'), []),
    ("a name with a rule", LINES, form(b"a%22b"), ["part-header"]),
    ("a rule for the name with the escape", WRITTEN, form(b"a%22b"), ["part-header"]),
    (
        "a rule for both readings", Policy.STANDARD.rejecting(Kind.LINE_BREAK, on=FORM, names=["a*"]),
        form(b"a%22b"), [],
    ),
    ("accepted characters of a name", IN_LATIN, form(b"a%22b"), ["part-header"]),
    ("accepted characters without the quote", NO_QUOTE, form(b"a%22b"), [OUTSIDE]),
    ("a quote that is accepted in names", VALUES, form(b"a%22b", b"%22"), []),
    ("characters without the quote in a file name", NO_QUOTE, file(b"a%22b"), [OUTSIDE]),
    ("a quote that is not accepted in values", VALUES, file(b"a%22b"), [OUTSIDE]),
    ("values of other names", OTHERS, file(b"a%22b"), []),
    ("another escape", NO_QUOTE, file(b"a%20b"), []),
    ("a name without a rule", LINES, form(b"c%22b", b"%2522"), []),
    ("line breaks", BREAKS, form(b"a%0D%0Ab", b"a%0Db"), []),
    ("line breaks and a quote", BREAKS, form(b"%22%0A", b'\\"%0A'), ["duplicate-name"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("policy", "octets", "refused"), [pytest.param(*case[1:], id=case[0]) for case in CASES]
)
def test_rules_apply_to_both_readings_of_a_name(policy: Policy, octets: bytes, refused: list[str]) -> None:
    result = MultipartRules(policy, Forms()).judge(octets, b"zz")
    assert (kinds(result), result.octets) == (refused, None if refused else octets)
    for each in result.findings:
        assert octets[each.offset : each.offset + len(each.excerpt)] == each.excerpt


def test_an_allowed_repetition_is_reported() -> None:
    (found,) = MultipartRules(REPORTED, Forms()).judge(form(b"a%22b", b'a\\"b'), b"zz").findings
    assert (found.kind, found.action, found.detail) == (
        Kind.DUPLICATE_NAME,
        Action.REPORT,
        "some readers decode escapes in the name",
    )


READERS: Final[list[Callable[[str], str]]] = [
    lambda name: name,
    lambda name: name.replace("%22", '"'),
    lambda name: name.replace("%0D", "\r").replace("%0A", "\n").replace("%22", '"'),
]
"""Readings of a name: by most frameworks; by Flask, Quart and Litestar; and by the package multipart."""
NAMES: Final = st.lists(
    st.sampled_from([b"a", b"b", b"%22", b'\\"', b"%0A", b"%0D", b"%"]), min_size=1, max_size=4
)


@given(st.lists(NAMES.map(b"".join), min_size=1, max_size=4))
def test_no_reader_reads_a_name_twice_or_a_name_without_its_rules(names: list[bytes]) -> None:
    octets = form(*names)
    written = [name.replace(b'\\"', b'"').decode() for name in names]
    ruled = BREAKS.rejecting(Kind.LINE_BREAK, on=FORM, names=['a"*'])
    if MultipartRules(ruled, Forms()).judge(octets, b"zz").octets is None:
        return
    for reader in READERS:
        assert len({*map(reader, written)}) == len(written)
    for name in written:
        assert len({reader(name).startswith('a"') for reader in READERS}) == 1
