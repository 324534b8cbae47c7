"""A new check for a character is one new member of the enum, which is then found everywhere by itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]

MEMBER: Final = """
    PRIVATE_USE = Check(
        slug="private-use",
        summary="a character without a meaning of its own",
        family=Family.CHARACTER,
        presets=presets(path="reject report report", pairs="reject report report"),
        actions=actions(path=_MARKS, pairs=_PAIR_MARKS),
        bare=characters(path=(0xE000, 0xF8FF), pairs=(0xE000, 0xF8FF)),
        escaped=characters(path=(0xE000, 0xF8FF), pairs=(0xE000, 0xF8FF)),
        if_allowed="Sender and reader have agreed on what it means.",
        if_repaired="No check in front has seen the text with the character in it.",
        reference="Unicode, section 23.5",
        example=octets(path=b"/a%EE%80%80b", pairs=b"q=a%EE%80%80b"),
        near_miss=octets(path=b"/a%EF%A4%80b", pairs=b"q=a%EF%A4%80b"),
    )
"""
BESIDE: Final = "    DELIMITER_LOOKALIKE = Check("

USE: Final = """
from postel import Action, Component, Kind, Normalizer, Policy, Rejected, Target, policy_table

kind = Kind.PRIVATE_USE
for path, query in ((b"/a%EE%80%80b", b""), (b"/", b"q=%ee%80%80"), (b"/\\xee\\x80\\x80", b"")):
    assert not Normalizer().is_clean(path, query)
    seen = Normalizer().normalize(Target(path, query)).findings
    assert [each.action for each in seen if each.kind is kind] == [Action.REPORT], seen
    assert isinstance(Normalizer(Policy.STRICT).normalize(Target(path, query)), Rejected)
    assert isinstance(Normalizer(Policy.STANDARD.rejecting(kind)).normalize(Target(path, query)), Rejected)
allowed = Policy.STANDARD.allowing(kind)
assert Normalizer(allowed).is_clean(b"/a%EE%80%80b", b"q=%EE%80%80")
assert Policy.parse(str(allowed)) == allowed and "private-use=allow" in str(allowed)
dropped = Policy.STANDARD.dropping_pairs(kind, on=Component.QUERY, names=["q"])
assert Normalizer(dropped).normalize(Target(query=b"a=1&q=%EE%80%80")).target.query == b"a=1"
assert "private-use" in policy_table(Policy.STANDARD)
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What a process needs to import a copy of the package that has one member more."""
    copy = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "src" / "postel", copy / "postel", ignore=shutil.ignore_patterns("__pycache__"))
    catalogue = copy / "postel" / "_catalogue" / "kinds.py"
    source = catalogue.read_text("utf-8")
    assert source.count(BESIDE) == 1
    catalogue.write_text(source.replace(BESIDE, MEMBER.lstrip("\n") + BESIDE), "utf-8")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(copy), str(ROOT / "tests")])}


def test_it_is_detected_governed_and_listed(environment: dict[str, str]) -> None:
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", USE], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_tests_of_the_catalogue_take_it_up(environment: dict[str, str]) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--no-cov",
        "-k",
        "private-use",
    ]
    command += [str(ROOT / "tests" / "_catalogue/test_kinds.py"), "-c", os.devnull, "--rootdir", str(ROOT)]
    if subprocess.run(
        [sys.executable, "-c", "import pytest_cov"], capture_output=True, check=False
    ).returncode:
        command.remove("--no-cov")
    done = subprocess.run(  # noqa: S603 - our own code
        command, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout
    assert "failed" not in done.stdout
