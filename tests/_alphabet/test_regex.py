"""Patterns mean the same on every supported Python, including those with faulty possessive repetitions."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from itertools import product

import pytest

from postel import LATIN, Component, Kind, Normalizer, Policy, Target
from postel._alphabet.regex import SOUND, branches, compiled, spelled_out
from postel._alphabet.text import text_of
from postel._catalogue.check import Family
from postel._normalizer.proof import proof
from postel._normalizer.scanner import at_characters

SPELLED_OUT = {
    "a++[)*+]": "a++[)*+]",
    "(?:a|b)*+": "(?>(?:a|b)*)",
    "(?:a|(b)++)?+c": "(?>(?:a|(?>(b)+))?)c",
    "(?:[]()]|\\)*+)++": "(?>(?:[]()]|\\)*+)+)",
    "[^]()]*+(?:ab){2,3}+": "[^]()]*+(?>(?:ab){2,3})",
    "(?>a|b)(?:c)*": "(?>a|b)(?:c)*",
    r"[\])*+]++(a)": r"[\])*+]++(a)",
}


@pytest.mark.parametrize(("pattern", "written"), SPELLED_OUT.items())
def test_possessive_repetitions_become_atomic_groups(pattern: str, written: str) -> None:
    assert spelled_out(pattern) == written
    assert spelled_out(pattern.encode()) == written.encode()
    assert compiled(pattern).pattern == (pattern if SOUND else written)


BRANCHES = {
    b"": [b""],
    b"a": [b"a"],
    b"a|b|": [b"a", b"b", b""],
    b"|": [b"", b""],
    b"a(?:b|c(?:d|e))|f": [b"a(?:b|c(?:d|e))", b"f"],
    b"(?:a|b)*+|c": [b"(?:a|b)*+", b"c"],
    rb"[|(]|\||\(|b": [b"[|(]", rb"\|", rb"\(", b"b"],
    b"\xff|\xc3": [b"\xff", b"\xc3"],
}


@pytest.mark.parametrize(("pattern", "split"), BRANCHES.items())
def test_a_pattern_is_split_only_outside_groups(pattern: bytes, split: list[bytes]) -> None:
    assert branches(pattern) == split
    assert b"|".join(split) == pattern


def test_which_pythons_are_faulty() -> None:
    assert (sys.version_info >= (3, 11, 5)) == SOUND
    assert compiled("(?:ab?c)*+").fullmatch("aca") is None
    assert compiled("(?:a|(?:bd|ce))*+(?:(b)|$)").match("abx") is not None


POLICIES = [
    Policy.STRICT,
    Policy.STANDARD,
    Policy.LENIENT,
    Policy.STANDARD.preserving(Kind.ENCODED_SLASH).accepting(LATIN, names=["q"]),
]
PIECES = (b"/", b"a", b".", b"%", b"%C3", b"%A9", b"%2F", b"%41", b"%E2%80", b"\xc3", b"\xa9", b"&=")


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("component", [Component.PATH, Component.QUERY], ids=lambda each: each.value)
def test_both_forms_of_a_pattern_match_the_same(policy: Policy, component: Component) -> None:
    kinds = [
        kind for kind in Kind if kind.check.family is Family.CHARACTER and component in kind.check.presets
    ]
    proves, scans = proof(policy, component).pattern, at_characters(component, kinds).pattern
    proves_there, scans_there = (
        re.compile(spelled_out(proves), re.DOTALL),
        re.compile(spelled_out(scans), re.DOTALL),
    )
    proves_here, scans_here = compiled(proves, re.DOTALL), compiled(scans, re.DOTALL)
    for count in range(4):
        for pieces in product(PIECES, repeat=count):
            octets = b"/" + b"".join(pieces)
            assert bool(proves_here.fullmatch(octets)) == bool(proves_there.fullmatch(octets)), octets
            text = text_of(octets)
            assert [match.span() for match in scans_here.finditer(text)] == [
                match.span() for match in scans_there.finditer(text)
            ], octets


WATCHED = """
import re, sys

class Watched:
    def __init__(self):
        self.compile, self.seen = re.compile, []
    def __call__(self, pattern, flags=0):
        self.seen.append((sys._getframe(1).f_globals["__name__"], pattern))
        return self.compile(pattern, flags)

re.compile = watched = Watched()
import postel.asgi, postel.wsgi, postel.cli, postel.form, postel.javascript, postel.scan, postel.uri
from postel._alphabet.regex import spelled_out
for policy in (postel.Policy.STRICT, postel.Policy.LENIENT.accepting(postel.LATIN)):
    postel.Normalizer(policy)
re.compile = watched.compile
mine = [(name, pattern) for name, pattern in watched.seen if name.startswith("postel")]
print({name for name, pattern in mine if spelled_out(pattern) != pattern})
"""


def test_every_pattern_is_compiled_through_this_module() -> None:
    watched = WATCHED if find_spec("postel.scan") else WATCHED.replace("postel.scan, ", "")
    run = subprocess.run([sys.executable, "-c", watched], capture_output=True, text=True, check=True)  # noqa: S603
    assert run.stdout.strip() in ({"{'postel._alphabet.regex'}"} if SOUND else {"set()"})


def test_ill_formed_octets_are_found() -> None:
    outcome = Normalizer().normalize(Target(b"/a%C4b"))
    assert [finding.kind for finding in outcome.findings] == [Kind.ILL_FORMED_UTF8]
    assert not Normalizer().is_clean(b"/a%C4")
