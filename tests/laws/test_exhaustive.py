"""Every target over a small hostile alphabet: this finds faults that ten thousand random examples miss."""

from __future__ import annotations

import os
from itertools import product

import pytest

from laws.checks import total_and_lawful
from laws.strategies import PRESETS
from postel import LATIN, Component, Kind, Limits, Normalizer, Policy, Target
from postel._bodies.form_settings import Forms
from postel._bodies.urlencoded import FormRules
from postel._normalizer.engine import Engine
from postel._normalizer.findings import Collector
from postel._normalizer.source_map import Mapped
from sampling import EVERY, sample

THOROUGH = os.environ.get("POSTEL_HYPOTHESIS") == "thorough"
WIDE = 3 if THOROUGH else 2
"""The most pieces of the wide alphabets in a target."""

PATH_ALPHABET = [b"/", b".", b"a", b"%2e", b"%2F", b"%", b"%00", b"%25", b";", b"\\"]
PATH_WIDE = [
    *PATH_ALPHABET, b"%5C", b"%C3", b"%84", b"%E2%80%AE", b"%7E", b"%c3%a4", b" ", b"#", b"?", b"%3B",
    b"con", b"\xff", b"%u002e", b"4", b"%34",
]  # fmt: skip
QUERY_ALPHABET = [b"&", b"=", b"a", b"+", b"%", b"%00", b"%C3", b"%84", b";", b"%25", b"4"]
QUERY_WIDE = [
    *QUERY_ALPHABET, b"%26", b"%3D", b"%2B", b"[", b"%E2%80%AE", b" ", b"#", b"\xff", b"%0A", b"%u0034",
    b"%41", b"\\", b"%c3%a4", b"\t",
]  # fmt: skip


def _strings(alphabet: list[bytes], most: int) -> list[bytes]:
    return [b"".join(pieces) for length in range(most + 1) for pieces in product(alphabet, repeat=length)]


@EVERY
@pytest.mark.parametrize("preset", PRESETS)
def test_short_paths_keep_laws_1_to_5(preset: str, every: int) -> None:
    normalizer = Normalizer(PRESETS[preset])
    longer = sample([*_strings(PATH_ALPHABET, 4), *_strings(PATH_WIDE, WIDE)], every)
    for tail in {*_strings(PATH_ALPHABET, 3), *longer}:
        total_and_lawful(normalizer, Target(b"/" + tail))


@EVERY
@pytest.mark.parametrize("preset", PRESETS)
def test_short_queries_keep_laws_1_to_5(preset: str, every: int) -> None:
    normalizer = Normalizer(PRESETS[preset])
    longer = sample([*_strings(QUERY_ALPHABET, 4), *_strings(QUERY_WIDE, WIDE)], every)
    for query in {*_strings(QUERY_ALPHABET, 3), *longer}:
        total_and_lawful(normalizer, Target(query=query))


@EVERY
@pytest.mark.parametrize("preset", PRESETS)
def test_every_octet_and_every_pair_of_escapes_keeps_laws_1_to_5(preset: str, every: int) -> None:
    normalizer = Normalizer(PRESETS[preset])
    for octet, other in sample(product(range(256), range(0, 256, 1 if THOROUGH else 15)), every):
        for octets in (
            bytes([octet, other]),
            b"%%%02X%%%02x" % (octet, other),
            b"%%%02X%c" % (octet, other),
        ):
            total_and_lawful(normalizer, Target(b"/" + octets, b"a=" + octets))


MENDED = [
    b"%",
    b"%7E",
    b"%c3%a4",
    b"%C3%A4",
    "ä".encode(),
    b" ",
    b"|",
    b";",
    b"&",
    b"=",
    b"a",
    b"4",
    b"+",
    b"]",
]
"""Octets that are repaired one by one, and octets that could interfere with the repairs."""
REPAIRING = {
    **PRESETS,
    "respelling": Policy.STANDARD.repairing(Kind.SPELLING, Kind.RAW_BRACKET, on=Component.QUERY),
    "with names": Policy.LENIENT.rejecting(Kind.MALFORMED_ESCAPE, names=["a*"]),
    "dropping": Policy.LENIENT.dropping_pairs(Kind.ILLEGAL_CHARACTER, on=Component.QUERY),
    "composing": Policy.LENIENT.repairing(Kind.NOT_NFC).limiting(pairs=2, name=3, value=4),
    "accepting": Policy.LENIENT.accepting(LATIN),
}


@EVERY
@pytest.mark.parametrize("policy", REPAIRING)
def test_bulk_repair_equals_octet_by_octet_repair(policy: str, every: int) -> None:
    normalizer = Normalizer(REPAIRING[policy])
    for octets in {*_strings(MENDED, 2), *sample(_strings(MENDED, 4 if THOROUGH else 3), every)}:
        total_and_lawful(normalizer, Target(b"/" + octets, b"q=" + octets))


@EVERY
@pytest.mark.parametrize("policy", REPAIRING)
@pytest.mark.parametrize("count", [12, 33, 300])
def test_findings_that_are_not_listed_have_the_same_count(policy: str, count: int, every: int) -> None:
    normalizer = Normalizer(REPAIRING[policy].limiting(pairs=1000, name=8192, value=8192, segments=1000))
    for pieces in sample(_strings(MENDED, 2), every):
        total_and_lawful(normalizer, Target(b"/" + pieces * count, b"q=" + pieces * count))
        total_and_lawful(normalizer, Target(b"/" + pieces * count))
        total_and_lawful(normalizer, Target(query=b"&" + pieces * count))


@EVERY
@pytest.mark.parametrize("preset", PRESETS)
def test_bulk_repair_of_forms_equals_octet_by_octet_repair(preset: str, every: int) -> None:
    policy = PRESETS[preset]
    forms, engine = FormRules(policy, Forms()), Engine(policy, Component.FORM)
    for octets in sample(_strings(MENDED, 3), every):
        judged, collector, mapped = forms.judge(octets), Collector(Limits()), Mapped(octets, Component.FORM)
        seen = engine.judge(mapped, collector)
        edited = None if collector.rejected else engine.edit(mapped, seen, collector)
        assert judged.octets == (None if edited is None else edited.octets), octets
        assert (judged.findings, judged.truncated) == (tuple(collector.findings), collector.truncated), octets
