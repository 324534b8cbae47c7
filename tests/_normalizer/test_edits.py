"""Edits never create syntax:

no delimiter, no dot segment, no escape, and no content that the client did not send.

First come targets for which other software is known to fail, one by one. Then come all targets over a small
alphabet under all policies of a family, compared with what a plain reader finds in the received octets.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Final

import pytest

from postel import Accepted, Action, Component, Kind, Normalizer, Policy, Rejected, Target
from postel._normalizer.pair_edits import _LONE_NEWLINE, _NEWLINE, _with_newlines
from postel._policy.rules import COMPONENTS
from sampling import EVERY, sample
from together import together

PATH, QUERY = Component.PATH, Component.QUERY
FAULTS: Final = (Kind.NUL, Kind.ILL_FORMED_UTF8, Kind.DELIMITER_LOOKALIKE, Kind.BIDI_CONTROL)


def _setting(base: Policy, method: Callable[..., Policy], action: Action) -> Policy:
    """Return a policy with an action set wherever it is supported."""
    for kind in Kind:
        for component, supported in kind.check.actions.items():
            if action in supported and component in COMPONENTS:
                base = method(base, kind, on=component)
    return base


def _family(base: Policy) -> dict[str, Normalizer]:
    return {
        "unchanged": Normalizer(base),
        "dropping": Normalizer(_setting(base, Policy.dropping, Action.DROP)),
        "replacing": Normalizer(_setting(base, Policy.replacing, Action.REPLACE)),
        "allowing": Normalizer(_setting(base, Policy.allowing, Action.ALLOW)),
    }


PRESETS: Final = {"strict": Policy.STRICT, "standard": Policy.STANDARD, "lenient": Policy.LENIENT}
FAMILIES: Final = {name: _family(policy) for name, policy in PRESETS.items()}

# Each row: a target, and under each preset its results: unchanged, with faults dropped, with faults replaced,
# and with everything possible allowed. None is a refusal.
Row = tuple[bytes | None, bytes | None, bytes | None, bytes | None]
KNOWN: Final = [
    pytest.param(
        Target(b"/.%00./"),
        (None, None, None, b"/.%00./"),
        (None, None, b"/.%EF%BF%BD./", b"/.%00./"),
        (None, None, b"/.%EF%BF%BD./", b"/.%00./"),
        id="/.%00./",
    ),
    pytest.param(
        Target(b"/%%36%36"),
        (None, None, None, b"/%%36%36"),
        (None, None, None, b"/%%36%36"),
        (b"/%2566", b"/%2566", b"/%2566", b"/%%36%36"),
        id="/%%36%36",
    ),
    pytest.param(
        Target(query=b"q=%%36%36"),
        (None, None, None, b"q=%%36%36"),
        (b"q=%25%36%36", b"q=%25%36%36", b"q=%25%36%36", b"q=%%36%36"),
        (b"q=%25%36%36", b"q=%25%36%36", b"q=%25%36%36", b"q=%%36%36"),
        id="?q=%%36%36",
    ),
    pytest.param(
        Target(b"/a/%2e%00%2e/b"),
        (None, None, None, b"/a/%2e%00%2e/b"),
        (None, None, b"/a/.%EF%BF%BD./b", b"/a/%2e%00%2e/b"),
        (None, None, b"/a/.%EF%BF%BD./b", b"/a/%2e%00%2e/b"),
        id="/a/%2e%00%2e/b",
    ),
    pytest.param(
        # A Greek question mark, which becomes ";" in NFC: "..;" is a dot segment with a parameter.
        Target(b"/..%CD%BE"),
        (None, None, b"/..%EF%BF%BD", b"/..%CD%BE"),
        (b"/..%CD%BE", None, b"/..%EF%BF%BD", b"/..%CD%BE"),
        (b"/..%CD%BE", None, b"/..%EF%BF%BD", b"/..%CD%BE"),
        id="/..%CD%BE",
    ),
    pytest.param(
        # Without the NUL it would be a euro sign.
        Target(b"/%E2%82%00%AC"),
        (None, b"/", b"/%EF%BF%BD%EF%BF%BD%EF%BF%BD", None),
        (None, b"/", b"/%EF%BF%BD%EF%BF%BD%EF%BF%BD", None),
        (None, b"/", b"/%EF%BF%BD%EF%BF%BD%EF%BF%BD", None),
        id="/%E2%82%00%AC",
    ),
    pytest.param(
        Target(query=b"q=%E2%82%00%AC"),
        (None, b"q=", b"q=%EF%BF%BD%EF%BF%BD%EF%BF%BD", b"q=%E2%82%00%AC"),
        (None, b"q=", b"q=%EF%BF%BD%EF%BF%BD%EF%BF%BD", b"q=%E2%82%00%AC"),
        (b"", b"q=", b"q=%EF%BF%BD%EF%BF%BD%EF%BF%BD", b"q=%E2%82%00%AC"),
        id="?q=%E2%82%00%AC",
    ),
    pytest.param(
        Target(b"/<sc%00ript>"),
        (None, None, None, b"/<sc%00ript>"),
        (None, None, b"/%3Csc%EF%BF%BDript%3E", b"/<sc%00ript>"),
        (None, None, b"/%3Csc%EF%BF%BDript%3E", b"/<sc%00ript>"),
        id="/<sc%00ript>",
    ),
    pytest.param(
        Target(query=b"q=<sc%00ript>"),
        (None, None, None, b"q=<sc%00ript>"),
        (None, b"", b"q=%3Csc%EF%BF%BDript%3E", b"q=<sc%00ript>"),
        (b"", b"", b"q=%3Csc%EF%BF%BDript%3E", b"q=<sc%00ript>"),
        id="?q=<sc%00ript>",
    ),
    pytest.param(
        Target(query=b"q=<sc%C4ript>"),
        (None, None, None, b"q=<sc%C4ript>"),
        (None, b"", b"q=%3Csc%EF%BF%BDript%3E", b"q=<sc%C4ript>"),
        (b"", b"", b"q=%3Csc%EF%BF%BDript%3E", b"q=<sc%C4ript>"),
        id="?q=<sc%C4ript>",
    ),
    pytest.param(
        # Without the NUL the stray percent sign would have two digits.
        Target(query=b"q=%4%001"),
        (None, None, None, b"q=%4%001"),
        (None, b"", b"q=%254%EF%BF%BD1", b"q=%4%001"),
        (b"", b"", b"q=%254%EF%BF%BD1", b"q=%4%001"),
        id="?q=%4%001",
    ),
    pytest.param(
        Target(query=b"%00=1&b=2"),
        (None, b"b=2", b"%EF%BF%BD=1&b=2", b"%00=1&b=2"),
        (None, b"b=2", b"%EF%BF%BD=1&b=2", b"%00=1&b=2"),
        (b"b=2", b"b=2", b"%EF%BF%BD=1&b=2", b"%00=1&b=2"),
        id="a name of faulty octets only",
    ),
]


@pytest.mark.parametrize(("target", "strict", "standard", "lenient"), KNOWN)
def test_targets_for_which_other_software_creates_syntax(
    target: Target, strict: Row, standard: Row, lenient: Row
) -> None:
    for preset, row in (("strict", strict), ("standard", standard), ("lenient", lenient)):
        for (name, normalizer), expected in zip(FAMILIES[preset].items(), row, strict=True):
            assert _repaired(normalizer, target) == expected, (preset, name)


def _repaired(normalizer: Normalizer, target: Target) -> bytes | None:
    """Return the repaired component of a target, after checking that it is accepted again, unchanged."""
    outcome = normalizer.examine(target)
    if isinstance(outcome, Rejected):
        assert isinstance(normalizer.normalize(target), Rejected)
        return None
    again = normalizer.examine(outcome.target)
    assert isinstance(again, Accepted)
    assert again.target == outcome.target
    return outcome.target.query if target.query else outcome.target.path


# Each row: a policy, a target, and the result.
MORE: Final = [
    pytest.param(
        Policy.STANDARD.allowing(Kind.MALFORMED_ESCAPE),
        Target(b"/%%36%36"),
        None,
        id="respelling digits after a stray percent sign",
    ),
    pytest.param(
        Policy.STANDARD.allowing(Kind.MALFORMED_ESCAPE),
        Target(b"/%4%31"),
        None,
        id="respelling the second digit of two",
    ),
    pytest.param(
        Policy.STANDARD.allowing(Kind.MALFORMED_ESCAPE).repairing(Kind.SPELLING),
        Target(query=b"q=%%36%36"),
        None,
        id="respelling digits in a query",
    ),
    pytest.param(
        Policy.LENIENT, Target(b"/%u0025%u0034%u0031"), b"/%2541", id="%u escapes that spell an escape"
    ),
    pytest.param(
        Policy.LENIENT, Target(b"/%%u0034%u0031"), b"/%2541", id="%u escapes after a stray percent sign"
    ),
    pytest.param(
        Policy.LENIENT, Target(query=b"q=%%u0034%u0031"), b"q=%25%34%31", id="%u escapes in a query"
    ),
    pytest.param(Policy.LENIENT, Target(b"/a%u002fb"), b"/a%2Fb", id="%u escape of a slash"),
    pytest.param(Policy.LENIENT, Target(query=b"q=%u0026r=1"), b"q=%26r=1", id="%u escape of an ampersand"),
    pytest.param(Policy.LENIENT, Target(query=b"%u003d=1"), b"%3D=1", id="%u escape of an equals sign"),
    pytest.param(Policy.LENIENT, Target(query=b"q=%u002b+"), b"q=%2B+", id="%u escape of a plus"),
    pytest.param(Policy.LENIENT, Target(query=b"q=%u003b"), b"q=%3B", id="%u escape of a semicolon"),
    pytest.param(Policy.LENIENT, Target(b"/%u0023%u003f"), b"/%23%3F", id="%u escapes of # and ?"),
    pytest.param(Policy.LENIENT, Target(b"/a/%u002e%u002e/b"), None, id="%u escapes of dots"),
    pytest.param(Policy.LENIENT, Target(b"/%u0000"), None, id="%u escape of NUL"),
    pytest.param(Policy.LENIENT, Target(b"/%ud83d%ude00"), b"/%F0%9F%98%80", id="a surrogate pair"),
    pytest.param(Policy.LENIENT, Target(b"/%ud83d/%ude00"), None, id="separated surrogates"),
    pytest.param(Policy.LENIENT, Target(b"/%ude00%ud83d"), None, id="surrogates in the wrong order"),
    pytest.param(Policy.LENIENT, Target(b"/\\evil"), b"/evil", id="a backslash after the first slash"),
    pytest.param(Policy.LENIENT, Target(b"/a\\..\\b"), b"/b", id="backslashes around dots"),
    pytest.param(Policy.LENIENT, Target(b"/..\\b"), None, id="backslashes above the root"),
    pytest.param(Policy.LENIENT, Target(b"/a%5c%2e%2e%5cb"), None, id="escaped backslashes around dots"),
    pytest.param(Policy.LENIENT, Target(b"/a%2F..%2Fb"), None, id="preserved slashes around dots"),
    pytest.param(Policy.LENIENT, Target(b"/a%2F.."), None, id="a preserved slash before dots"),
    pytest.param(Policy.LENIENT, Target(b"/http:%2F%2Fh"), b"/http:%2F%2Fh", id="a URL, preserved"),
    pytest.param(
        Policy.LENIENT.repairing(Kind.ENCODED_SLASH),
        Target(b"/a%2F..%2Fb"),
        b"/b",
        id="decoded slashes around dots",
    ),
    pytest.param(
        Policy.LENIENT.repairing(Kind.ENCODED_SLASH),
        Target(b"/%2Fevil"),
        b"/evil",
        id="a decoded slash in front",
    ),
    pytest.param(
        Policy.LENIENT.repairing(Kind.ENCODED_SLASH),
        Target(b"/a/%2e%2e%2fb"),
        None,
        id="a decoded slash, and escaped dots",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.BACKSLASH),
        Target(b"/a\\..\\b"),
        None,
        id="backslashes around refused dots",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.BACKSLASH), Target(b"/\\evil"), None, id="refused slashes in front"
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.PATH_PARAMETER), Target(b"/a;x/b;y;z"), b"/a/b", id="parameters cut"
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.PATH_PARAMETER),
        Target(b"/;x/evil"),
        None,
        id="a parameter before a slash",
    ),
    pytest.param(
        Policy.LENIENT.repairing(Kind.PATH_PARAMETER),
        Target(b"/;x/evil"),
        None,
        id="a parameter before a slash under LENIENT",
    ),
    pytest.param(
        Policy.LENIENT.repairing(Kind.PATH_PARAMETER),
        Target(b"/a/;x/b"),
        None,
        id="a segment that is a parameter",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.PATH_PARAMETER),
        Target(b"/a/..;x/b"),
        None,
        id="a parameter after dots",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.PATH_PARAMETER),
        Target(b"/con;x"),
        b"/con",
        id="a parameter after the name of a device",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.FRAGMENT), Target(b"/x/..#y"), None, id="a fragment after dots"
    ),
    pytest.param(Policy.STANDARD.dropping(Kind.NUL), Target(b"/..%00/x"), None, id="dots before a NUL"),
    pytest.param(Policy.STANDARD.dropping(Kind.NUL), Target(b"/%00../x"), None, id="dots after a NUL"),
    pytest.param(
        Policy.STANDARD.dropping(Kind.NUL), Target(b"/%00/evil"), None, id="a segment that is a NUL"
    ),
    pytest.param(
        Policy.STANDARD.dropping(Kind.NUL).allowing(Kind.DOT_SEGMENT),
        Target(b"/a/..%00/x"),
        None,
        id="allowed dots before a NUL",
    ),
    pytest.param(
        Policy.LENIENT.dropping(Kind.NUL),
        Target(b"/a/..%00/x"),
        None,
        id="resolved dots before a NUL",
    ),
    pytest.param(
        Policy.STANDARD.dropping(Kind.NUL).allowing(Kind.LEADING_SLASHES),
        Target(b"/%00/evil"),
        None,
        id="allowed slashes around a NUL",
    ),
    pytest.param(
        Policy.STANDARD.dropping(Kind.NUL), Target(b"/a/x%00"), b"/a/x", id="NUL at the end of a segment"
    ),
    pytest.param(Policy.STANDARD.dropping(Kind.NUL), Target(b"/a/x%00y"), None, id="NUL within a segment"),
    pytest.param(
        Policy.STANDARD.dropping(Kind.NUL),
        Target(query=b"a=1&q=x%00y&b=2"),
        b"a=1&b=2",
        id="NUL within a value",
    ),
    pytest.param(
        Policy.STANDARD.dropping(Kind.NUL),
        Target(query=b"q=onload%00=x"),
        b"",
        id="NUL before an equals sign that is data",
    ),
    pytest.param(
        Policy.STANDARD.dropping(Kind.NUL),
        Target(query=b"q=a=%00b"),
        b"",
        id="NUL after an equals sign that is data",
    ),
    pytest.param(
        Policy.LENIENT,
        Target(query=b"q=onload%C4=x"),
        b"",
        id="a lead octet before an equals sign that is data",
    ),
    pytest.param(
        Policy.STANDARD.dropping(Kind.NUL), Target(query=b"x%00y=1&b=2"), b"b=2", id="NUL within a name"
    ),
    pytest.param(
        Policy.STANDARD.dropping(Kind.NUL, Kind.CONTROL),
        Target(query=b"q=x%00%01"),
        b"q=x",
        id="NUL and a control in a run",
    ),
    pytest.param(
        Policy.STANDARD.dropping(Kind.NUL),
        Target(query=b"q=%4%00"),
        b"q=%254",
        id="NUL after a stray percent sign",
    ),
    pytest.param(
        Policy.STANDARD.dropping(Kind.NUL, Kind.ILL_FORMED_UTF8),
        Target(query=b"q=%C3%00%A4"),
        b"q=",
        id="NUL between dropped octets",
    ),
    pytest.param(
        Policy.STANDARD.dropping(Kind.NUL).allowing(Kind.ILL_FORMED_UTF8),
        Target(query=b"q=%C3%00%A4"),
        b"",
        id="NUL between allowed octets",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC), Target(b"/a%CD%BE"), b"/a%3B", id="NFC makes a semicolon"
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC),
        Target(b"/a/..%CD%BE"),
        None,
        id="NFC makes a semicolon after dots",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC),
        Target(query=b"q=%CD%BE"),
        b"q=%3B",
        id="NFC makes a semicolon in a query",
    ),
    pytest.param(
        # NFC would make one character of the two, but a reserved character is never removed.
        Policy.STANDARD.repairing(Kind.NOT_NFC),
        Target(query=b"q=%3C%CC%B8"),
        None,
        id="a mark after an escaped reserved character",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC),
        Target(query=b"q==%CC%B8"),
        None,
        id="a mark after an equals sign that is data",
    ),
    pytest.param(
        Policy.STANDARD.replacing(Kind.ILL_FORMED_UTF8).repairing(Kind.NOT_NFC),
        Target(query=b"q=%C4e%CC%81"),
        b"q=%EF%BF%BD%C3%A9",
        id="a letter and a mark after a replaced octet",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC),
        Target(query=b"q=%6e%CC%83"),
        b"q=%C3%B1",
        id="a mark after an escaped letter",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC),
        Target(b"/e%CC%81%2C%CC%A7"),
        b"/%C3%A9%2C%CC%A7",
        id="marks after a letter and a comma",
    ),
    # An escape is never cut: a mark cannot combine with its digits.
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC).allowing(Kind.MALFORMED_ESCAPE),
        Target(query=b"q=%6e%CC%83"),
        b"q=%C3%B1",
        id="a mark after an escaped letter, malformed escapes allowed",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC).allowing(Kind.MALFORMED_ESCAPE),
        Target(b"/e%CC%81%2C%CC%A7"),
        b"/%C3%A9%2C%CC%A7",
        id="marks after a letter and a comma, malformed escapes allowed",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC).allowing(Kind.MALFORMED_ESCAPE),
        Target(query=b"q=%2B%CC%B8"),
        b"q=%2B%CC%B8",
        id="a mark that does not compose",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC),
        Target(query=b"q=e" + b"%CC%81" * 30),
        b"q=%C3%A9" + b"%CC%81" * 29,
        id="30 marks in a row",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC),
        Target(query=b"q=e" + b"%CC%81" * 31),
        None,
        id="31 marks in a row",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC), Target(b"/e" + b"%CC%81" * 31), None, id="31 marks in a path"
    ),
    pytest.param(
        # The marks are in NFC already, but more than 30 in a row are not text.
        Policy.STANDARD.repairing(Kind.NOT_NFC),
        Target(query=b"q=x" + b"%CC%A7" * 31),
        None,
        id="31 marks that are in NFC",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC),
        Target(query=b"q=" + b"e%CC%81" * 31),
        b"q=" + b"%C3%A9" * 31,
        id="31 marks that are not in a row",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC).allowing(Kind.MALFORMED_ESCAPE),
        Target(query=b"q=%%34%31e%CC%81"),
        b"q=%%34%31%C3%A9",
        id="a mark after a letter, escaped digits in front",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC).allowing(Kind.MALFORMED_ESCAPE),
        Target(query=b"q=%4%31%CC%81%CC%A7"),
        b"q=%4%31%CC%A7%CC%81",
        id="marks after an escaped digit",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC).allowing(Kind.MALFORMED_ESCAPE),
        Target(query=b"q=%6%65%CC%81"),
        b"q=%6%C3%A9",
        id="a mark after an escaped hex letter",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC),
        Target(query=b"q=x%CC%81%CC%A7"),
        b"q=x%CC%A7%CC%81",
        id="marks in another order",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC).allowing(Kind.UNICODE_ESCAPE),
        Target(query=b"q=%u004e%CC%83"),
        None,
        id="a mark after a unit",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC),
        Target(query=b"q=cafe\xcc\x81"),
        b"q=caf%C3%A9",
        id="a bare mark",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC),
        Target(b"/cafe\xcc\x81"),
        b"/caf%C3%A9",
        id="a bare mark in a path",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.NOT_NFC),
        Target(query=b"q=e\xcc%81"),
        b"q=%C3%A9",
        id="a partly bare mark",
    ),
    pytest.param(
        Policy.LENIENT.repairing(Kind.NOT_NFC), Target(query=b"q=e%u0301"), b"q=%C3%A9", id="a mark in UTF-16"
    ),
    pytest.param(
        Policy.STANDARD.allowing(Kind.RAW_NON_ASCII).rejecting(Kind.NOT_NFC),
        Target(query=b"q=cafe\xcc\x81"),
        None,
        id="refused bare text that is not in NFC",
    ),
    pytest.param(
        Policy.STANDARD.allowing(Kind.RAW_NON_ASCII).rejecting(Kind.NOT_NFC),
        Target(b"/cafe\xcc\x81"),
        None,
        id="refused bare text in a path",
    ),
    pytest.param(
        Policy.STANDARD.allowing(Kind.RAW_NON_ASCII).rejecting(Kind.NOT_NFC),
        Target(b"/caf\xc3\xa9"),
        b"/caf\xc3\xa9",
        id="accepted bare text in NFC",
    ),
    pytest.param(
        Policy.LENIENT.allowing(Kind.MALFORMED_ESCAPE, Kind.UNICODE_ESCAPE),
        Target(b"/%u%30%30%34%31"),
        None,
        id="respelling four digits after %u",
    ),
    pytest.param(
        Policy.LENIENT.allowing(Kind.MALFORMED_ESCAPE, Kind.UNICODE_ESCAPE),
        Target(b"/%u00%34%31"),
        None,
        id="respelling the last two of four digits",
    ),
    pytest.param(
        Policy.LENIENT.allowing(Kind.MALFORMED_ESCAPE, Kind.UNICODE_ESCAPE),
        Target(b"/%u004x%31"),
        b"/%u004x1",
        id="respelling a digit after another letter",
    ),
    pytest.param(Policy.LENIENT, Target(query=b"a=1&b=%00"), b"a=1", id="dropping the last pair"),
    pytest.param(Policy.LENIENT, Target(query=b"b=%00&a=1"), b"a=1", id="dropping the first pair"),
    pytest.param(Policy.LENIENT, Target(query=b"b=%00"), b"", id="dropping the only pair"),
    pytest.param(
        Policy.LENIENT,
        Target(query=b"a=1&&b=%00&&c=2"),
        b"a=1&&&c=2",
        id="dropping a pair between empty pairs",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.EMPTY_PAIR), Target(query=b"&a=1&&&b=2&"), b"a=1&b=2", id="empty pairs"
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.EMPTY_PAIR), Target(query=b"&&&"), b"", id="only empty pairs"
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.EMPTY_PAIR),
        Target(query=b"&a=%E2%80%AE&"),
        b"a=%E2%80%AE",
        id="empty pairs around a reported one",
    ),
    pytest.param(
        Policy.LENIENT.repairing(Kind.EMPTY_PAIR),
        Target(query=b"&a=%00&"),
        b"",
        id="empty pairs around a dropped one",
    ),
    pytest.param(
        Policy.STANDARD.repairing(Kind.EMPTY_PAIR),
        Target(query=b"a=1&&%zz"),
        b"a=1&%25zz",
        id="an empty pair before an escaped percent sign",
    ),
]


@together(("policy", "target", "repaired"), MORE)
def test_an_edit_has_the_expected_result(policy: Policy, target: Target, repaired: bytes | None) -> None:
    assert _repaired(Normalizer(policy), target) == repaired


# -- every target over a small alphabet ----------------------------------------------------------------------


def _strings(alphabet: list[bytes], most: int) -> Iterator[bytes]:
    for length in range(most + 1):
        for pieces in product(alphabet, repeat=length):
            yield b"".join(pieces)


# Repairs of these kinds change the spelling and must keep the meaning.
SPELLINGS: Final = (
    Kind.MALFORMED_ESCAPE, Kind.ILLEGAL_CHARACTER, Kind.RAW_NON_ASCII, Kind.SPELLING, Kind.SEMICOLON,
)  # fmt: skip
SUBSETS: Final = [kinds for size in (0, 1, 4, 5) for kinds in combinations(SPELLINGS, size)]
WRITTEN: Final = [b"%", b"4", b"1", b"%34", b"%25", b"+", b"<", b"\xc3", b"\xa4", b"%a4"]


def _allowing_all() -> Policy:
    policy = _setting(Policy.STANDARD, Policy.allowing, Action.ALLOW)
    return policy.limiting(octets=1000)


ALL_ALLOWED: Final = _allowing_all()


@pytest.mark.no_cover
@pytest.mark.parametrize("kinds", SUBSETS, ids=lambda kinds: "+".join(kind.slug for kind in kinds) or "none")
def test_respelling_pairs_keeps_their_meaning(kinds: tuple[Kind, ...]) -> None:
    normalizer = Normalizer(ALL_ALLOWED.repairing(*kinds, on=QUERY) if kinds else ALL_ALLOWED)
    for value in _strings([*WRITTEN, b";", b"&", b"="], 3):
        received = Target(query=b"q=" + value)
        outcome = normalizer.examine(received)
        if isinstance(outcome, Accepted):
            assert outcome.target.pairs == received.pairs, (value, outcome.target.query)


@pytest.mark.parametrize(
    "kinds",
    [each for each in SUBSETS if Kind.SEMICOLON not in each],
    ids=lambda kinds: "+".join(kind.slug for kind in kinds) or "none",
)
def test_respelling_a_path_keeps_its_meaning(kinds: tuple[Kind, ...]) -> None:
    policy = ALL_ALLOWED.repairing(*kinds, on=PATH) if kinds else ALL_ALLOWED
    normalizer = Normalizer(policy)
    for segment in _strings([*WRITTEN, b";", b"/"], 3):
        received = Target(b"/" + segment)
        outcome = normalizer.examine(received)
        if isinstance(outcome, Accepted):
            assert outcome.target.segments == received.segments, (segment, outcome.target.path)


COMPOSABLE: Final = [
    b"%",
    b"4",
    b"e",
    b"%34",
    b"%65",
    b"%25",
    b"%2c",
    b"%CC%81",
    b"%CC%A7",
    b"\xcc\xa7",
    b"%E2%84%AA",
    b"%CD%BE",
]


@pytest.mark.no_cover
@EVERY
@pytest.mark.parametrize("component", [PATH, QUERY], ids=["path", "query"])
def test_composing_changes_a_text_only_into_its_nfc(component: Component, every: int) -> None:
    normalizer = Normalizer(ALL_ALLOWED.repairing(Kind.NOT_NFC, on=component))
    longest = sample(product(COMPOSABLE, repeat=4), every)
    for octets in [*_strings(COMPOSABLE, 3), *map(b"".join, longest)]:
        received = Target(b"/" + octets) if component is PATH else Target(query=b"q=" + octets)
        before = received.segments[0] if component is PATH else received.pairs[0][1]
        if _faulty(before):
            continue  # Ill-formed octets are not text.
        outcome = normalizer.examine(received)
        assert isinstance(outcome, Accepted), octets
        after = outcome.target.segments[0] if component is PATH else outcome.target.pairs[0][1]
        assert after == unicodedata.normalize("NFC", before), (octets, outcome.target)


def test_no_text_composes_into_a_digit_of_an_escape() -> None:
    # Otherwise a digit that begins a run could complete a stray percent sign in front of it.
    composed = {unicodedata.normalize("NFC", chr(code)) for code in range(0x80, 0x110000)}
    assert {text for text in composed if text[0].isascii()} == {"K", "`", ";"}


HOSTILE: Final = [b"%00", b"%C3", b"%A4", b".", b"a", b"%", b"4", b";"]


def _reads(octets: str, faulty: set[str]) -> str:
    return octets.strip("".join(faulty))


def _faulty(text: str) -> set[str]:
    return {c for c in text if c == "\0" or "\ud800" <= c <= "\udfff"}


@pytest.mark.no_cover
def test_dropping_in_pairs_leaves_names_and_values_whole_or_drops_the_pair() -> None:
    policy = ALL_ALLOWED.dropping(Kind.NUL, Kind.ILL_FORMED_UTF8, on=QUERY)
    normalizer = Normalizer(policy)
    for query in _strings([*HOSTILE, b"&", b"="], 4):
        received = Target(query=query)
        outcome = normalizer.examine(received)
        if isinstance(outcome, Rejected):
            continue
        expected = []
        for name, value in received.pairs:
            short = (_reads(name, _faulty(name)), _reads(value, _faulty(value)))
            if name and not short[0]:
                continue  # A name that consists of faults is dropped with its pair.
            if not any(_faulty(text) for text in short):
                expected.append(short)
        assert list(outcome.target.pairs) == expected, (query, outcome.target.query)


def test_dropping_in_a_path_leaves_segments_whole_or_refuses() -> None:
    policy = ALL_ALLOWED.dropping(Kind.NUL, Kind.ILL_FORMED_UTF8, on=PATH)
    normalizer = Normalizer(policy)
    for path in _strings([*HOSTILE, b"/"], 4):
        received = Target(b"/" + path)
        outcome = normalizer.examine(received)
        if isinstance(outcome, Accepted):
            expected = tuple(_reads(segment, _faulty(segment)) for segment in received.segments)
            assert outcome.target.segments == expected, (path, outcome.target.path)
            assert not any(_faulty(segment) for segment in expected)


@pytest.mark.parametrize("component", [PATH, QUERY], ids=["path", "query"])
def test_replacing_changes_only_the_faulty_octets(component: Component) -> None:
    policy = ALL_ALLOWED.replacing(Kind.NUL, Kind.ILL_FORMED_UTF8, on=component)
    normalizer = Normalizer(policy)
    for octets in _strings([*HOSTILE, b"&", b"=", b"/"], 3):
        received = Target(b"/" + octets) if component is PATH else Target(query=octets)
        outcome = normalizer.examine(received)
        if isinstance(outcome, Accepted):
            repaired = outcome.target
            before = received.segments if component is PATH else sum(received.pairs, ())
            after = repaired.segments if component is PATH else sum(repaired.pairs, ())
            expected = [
                text.encode(errors="surrogateescape").decode(errors="replace").replace("\0", "\ufffd")
                for text in before
            ]
            assert list(after) == expected, (octets, repaired)


def test_under_no_preset_an_edit_creates_a_dot_segment_or_leading_slashes() -> None:
    alphabet = [b"/", b".", b"%2e", b"\\", b"%5C", b"%2F", b"%u002e", b"%00", b"%CD%BE", b";", b"#", b"a"]
    for family in FAMILIES.values():
        for name, normalizer in family.items():
            if name == "allowing":
                continue
            for path in _strings(alphabet, 3):
                outcome = normalizer.examine(Target(b"/" + path))
                if isinstance(outcome, Accepted):
                    assert not {".", ".."} & set(outcome.target.segments), (path, outcome.target.path)
                    assert not outcome.target.path.startswith((b"//", b"/\\")), (path, outcome.target.path)


def test_the_kinds_in_faults_can_be_dropped_and_replaced_everywhere() -> None:
    for kind in FAULTS:
        for component in set(kind.check.components) - {Component.JSON}:
            assert {Action.DROP, Action.REPLACE} <= kind.check.actions[component]


def test_a_kept_escape_is_not_traced_as_an_edit() -> None:
    policy = Policy.parse("lenient ill-formed-utf8@path=drop encoded-delimiter=preserve")
    outcome = Normalizer(policy).examine(Target(b"/a%%3F"))
    assert [(each.kind, each.offset, each.action) for each in outcome.findings] == [
        (Kind.MALFORMED_ESCAPE, 2, Action.REPAIR),
        (Kind.ENCODED_DELIMITER, 3, Action.PRESERVE),
    ]
    assert isinstance(outcome, Accepted)
    assert outcome.target.path == b"/a%25%3F"


def test_newlines_are_ended_piece_by_piece_as_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = (b"%0D", b"%0A", b"%0d", b"%0a", b"%", b"a", b"0D", b"&")
    for size in (4, 5, 8):
        monkeypatch.setattr("postel._normalizer.pair_edits._PIECE", size)
        for parts in product(pieces, repeat=5):
            octets = b"".join(parts)
            assert _with_newlines(octets) == _LONE_NEWLINE.sub(_NEWLINE, octets), octets
