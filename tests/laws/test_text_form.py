"""The text form: parsing and printing are inverse, and any other text raises PolicyError."""

from __future__ import annotations

import contextlib

from hypothesis import given
from hypothesis import strategies as st

from laws.strategies import PRESETS, policies
from postel import Policy, PolicyError

WORDS = [
    "standard",
    "strict",
    "lenient",
    " ",
    "nul",
    "encoded-slash",
    "=",
    "preserve",
    "drop",
    "@",
    "query",
    "path",
    ",",
    "[",
    "]",
]
WORDS += [
    '"',
    "\\",
    "utm_*",
    "accept",
    "latin",
    "U+0041",
    "limit.pairs",
    "5",
    "keep",
    "last",
    "\\u{110000}",
    "é",
    "\n",
    "%",
]


@given(policy=policies())
def test_a_printed_policy_is_parsed_to_the_same_policy(policy: Policy) -> None:
    assert Policy.parse(str(policy)) == policy
    assert eval(repr(policy), {"Policy": Policy}) == policy  # noqa: S307 - our own repr


def test_a_preset_is_printed_as_its_name() -> None:
    assert {name: str(policy) for name, policy in PRESETS.items()} == {name: name for name in PRESETS}


@given(
    text=st.one_of(
        st.text(),
        st.lists(st.sampled_from(WORDS)).map("".join),
        st.lists(st.sampled_from(WORDS)).map(lambda w: "standard " + "".join(w)),
    )
)
def test_any_text_is_a_policy_or_a_policy_error(text: str) -> None:
    with contextlib.suppress(PolicyError):
        policy = Policy.parse(text)
        assert Policy.parse(str(policy)) == policy
