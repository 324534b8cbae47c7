"""Law 8 for multipart forms: twice the body takes at most about twice the steps, and findings are few."""

from __future__ import annotations

from functools import partial
from typing import Final

import pytest

from laws.checks import repeated, steps_of
from postel import Action, Component, Forms, Kind, Policy
from postel._bodies.multipart import MultipartRules

OPEN: Final = {"pairs": 1 << 20, "name": 1 << 20, "value": 1 << 20, "form_value": 1 << 20}
POLICIES: Final = {
    "strict": Policy.STRICT,
    "standard": Policy.STANDARD,
    "lenient": Policy.LENIENT,
    "reporting": Policy.LENIENT.reporting(Kind.FILENAME_PATH, Kind.NUL),
    "reporting everything": Policy.STANDARD.reporting(
        *(kind for kind in Kind if Action.REPORT in kind.check.actions.get(Component.FORM, ())),
        on=Component.FORM,
    ),
}
HEAD: Final = b'--zz\r\nContent-Disposition: form-data; name="a"'
# A front, the repeated octets, and an end.
SHAPES: Final = {
    "parts": (b"", HEAD + b"\r\n\r\n1\r\n", b"--zz--"),
    "unusual parts": (b"", HEAD.lower() + b"\r\n\r\n1\r\n", b"--zz--"),
    "files": (b"", HEAD + b'; filename="/%0a"\r\n\r\n1\r\n', b"--zz--"),
    "reported files": (b"", HEAD + b'; filename="/a"\r\n\r\n1\r\n', b"--zz--"),
    "header fields": (HEAD, b"\r\nX: 1", b"\r\n\r\n1\r\n--zz--"),
    "parameters": (HEAD, b'; name="b"', b"\r\n\r\n1\r\n--zz--"),
    "a long name": (HEAD, b"a", b"\r\n\r\n1\r\n--zz--"),
    "boundaries": (b"", b"--zz\r\n", b"--zz--"),
    "almost boundaries": (HEAD + b"\r\n\r\n", b"\r\n--", b"\r\n--zz--"),
    "line ends": (HEAD + b"\r\n\r\n", b"\r\n", b"\r\n--zz--"),
    "line ends in front": (b"", b"\r\n", HEAD + b"\r\n\r\n1\r\n--zz--"),
    "NUL": (HEAD + b"\r\n\r\n", b"\0", b"\r\n--zz--"),
    "NUL, in turns": (HEAD + b"\r\n\r\n", b"a\0", b"\r\n--zz--"),
    "ill-formed": (HEAD + b"\r\n\r\n", b"\xffa", b"\r\n--zz--"),
    "text": (HEAD + b"\r\n\r\n", "é".encode(), b"\r\n--zz--"),
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("shape", SHAPES)
def test_hostile_bodies_take_linear_steps(policy: str, shape: str) -> None:
    rules = MultipartRules(POLICIES[policy].limiting(**OPEN), Forms())
    small, large = (
        steps_of(partial(rules.judge, repeated(SHAPES[shape], octets), b"zz")) for octets in (4096, 8192)
    )
    assert large <= 2.3 * small + 300
    judged = rules.judge(repeated(SHAPES[shape], 20_000), b"zz")
    assert len(judged.findings) <= 32
