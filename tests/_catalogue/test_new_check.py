"""A new check is one new member of the enum: a character, a segment, a structure of pairs, or a header name.

One check of each sort is added to a copy of the package, with its rows in ``targets.toml``. Nothing else is.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
KINDS: Final = Path("src/postel/_catalogue/kinds.py")


@dataclass(frozen=True)
class NewCheck:
    """A new member, the member that it precedes, and assertions about it."""

    slug: str
    member: str
    before: str
    use: str
    samples: str = ""
    """Rows of the new check in ``targets.toml``."""
    function: str = ""


CHARACTER: Final = NewCheck(
    slug="tag-character",
    before="DELIMITER_LOOKALIKE",
    member="""
    TAG_CHARACTER = Check(
        slug="tag-character",
        summary="an invisible copy of an ASCII character",
        family=Family.CHARACTER,
        presets=presets(path="reject report report", pairs="reject report report"),
        actions=actions(path=_PATH_ACTIONS, pairs=_PAIR_ACTIONS),
        bare=characters(path=(0xE0000, 0xE007F), pairs=(0xE0000, 0xE007F)),
        escaped=characters(path=(0xE0000, 0xE007F), pairs=(0xE0000, 0xE007F)),
        if_allowed="Nobody compares the text by eye.",
        if_edited="Nothing in front of postel judges the text before the edit.",
        reference="Unicode, section 23.9",
        example=octets(path=b"/a%F3%A0%81%81b", pairs=b"q=a%F3%A0%81%81b"),
        near_miss=octets(path=b"/a%F3%A0%84%80b", pairs=b"q=a%F3%A0%84%80b"),
    )
""",
    samples="""
tag-in-path = { octets = '/a%F3%A0%81%81b', about = "a tag character" }
tag-in-query = { octets = '/q?a=%F3%A0%81%81', about = "a tag character" }
""",
    use="""
for path, query in ((b"/a%F3%A0%81%81b", b""), (b"/", b"q=%f3%a0%81%81"), ("/\U000e0041".encode(), b"")):
    assert not Normalizer().is_clean(path, query)
    seen = Normalizer().normalize(Target(path, query)).findings
    assert [each.action for each in seen if each.kind is kind] == [Action.REPORT], seen
    assert isinstance(Normalizer(Policy.STRICT).normalize(Target(path, query)), Rejected)
    assert isinstance(Normalizer(Policy.STANDARD.rejecting(kind)).normalize(Target(path, query)), Rejected)
allowed = Policy.STANDARD.allowing(kind)
assert Normalizer(allowed).is_clean(b"/a%F3%A0%81%81b", b"q=%F3%A0%81%81")
dropped = Policy.STANDARD.dropping_pairs(kind, on=Component.QUERY, names=["q"])
assert Normalizer(dropped).normalize(Target(query=b"a=1&q=%F3%A0%81%81")).target.query == b"a=1"
""",
)
SEGMENT: Final = NewCheck(
    slug="git-folder",
    before="TRAILING_DOT_OR_SPACE",
    member=r"""
    GIT_FOLDER = Check(
        slug="git-folder",
        summary="the folder in which Git keeps its own files",
        family=Family.SEGMENT,
        presets=presets(path="reject report report"),
        actions=actions(path="allow report reject"),
        patterns=octets(path=rb"(?<=/)" + DOT + any_case("git") + END),
        text={"/": rf"(?<=/)[{both('.')}][{both('Gg')}][{both('Ii')}][{both('Tt')}](?=/|\Z)"},
        if_allowed="No server behind serves files of a checkout.",
        reference="CWE-527",
        example=octets(path=b"/.git/config"),
        near_miss=octets(path=b"/.gitignore"),
    )
""",
    samples="""
git-folder = { octets = '/.git/config', about = "Git's own files" }
""",
    use="""
for path in (b"/.git", b"/a/.git/x", b"/a/%2egit/x", b"/%2E%47IT", b"/.git/ x", b"/%7e/%2Egit/%e9"):
    assert not Normalizer().is_clean(path, b""), path
    for policy in (Policy.STANDARD, Policy.LENIENT, Policy.STRICT, Policy.STANDARD.rejecting(kind)):
        normalizer = Normalizer(policy)
        outcome = normalizer.normalize(Target(path))
        assert outcome == normalizer.examine(Target(path)), (path, policy)
        seen = [each.action for each in outcome.findings if each.kind is kind]
        assert seen == [policy.action(kind, Component.PATH)], (path, policy, outcome)
for path in (b"/.gitignore", b"/git", b"/a.git/x", b"/..git"):
    assert Normalizer(Policy.STANDARD.rejecting(kind)).is_clean(path, b""), path
assert Normalizer(Policy.STANDARD.allowing(kind)).is_clean(b"/.git", b"")
""",
)
STRUCTURE: Final = NewCheck(
    slug="unbalanced-brackets",
    before="DUPLICATE_NAME",
    function="""
def _unbalanced(octets: bytes) -> Iterator[tuple[int, int]]:
    start = 0
    for pair in octets.split(b"&"):
        name = pair.partition(b"=")[0]
        name = name.upper().replace(b"%5B", b"[").replace(b"%5D", b"]")
        if name.count(b"[") != name.count(b"]"):
            yield start, start + len(pair)
        start += len(pair) + 1


""",
    member="""
    UNBALANCED_BRACKETS = Check(
        slug="unbalanced-brackets",
        summary="a name with more or fewer opening brackets than closing ones",
        family=Family.PAIR,
        presets=presets(pairs="reject report report"),
        actions=actions(pairs="allow report drop-pair reject"),
        find=_unbalanced,
        trigger={b"[": b"", b"]": b"", b"%": b"5[BbDd]"},
        if_allowed="Every reader of nested names agrees on where a name ends.",
        if_edited="The application can do without the parameter.",
        reference="PHP, variables from external sources",
        example=octets(pairs=b"a[b=1"),
        near_miss=octets(pairs=b"a[b]=1"),
    )
""",
    samples="""
unbalanced-brackets = { octets = '/q?a[b=1', about = "a bracket that nothing closes" }
""",
    use="""
for query in (b"a[=1", b"x=1&a%5D=1", b"a%5bb=1&=2", b"[&]", b"a[=%FF"):
    assert not Normalizer().is_clean(b"/", query), query
    for policy in (Policy.STANDARD, Policy.LENIENT, Policy.STRICT, Policy.STANDARD.rejecting(kind)):
        normalizer = Normalizer(policy)
        outcome = normalizer.normalize(Target(query=query))
        assert outcome == normalizer.examine(Target(query=query)), (query, policy)
        action = policy.action(kind, Component.QUERY)
        assert action in {each.action for each in outcome.findings if each.kind is kind}, (query, outcome)
balanced = Target(query=b"a[]=1&b[c][d]=]&e=[")
assert Normalizer(Policy.STANDARD.rejecting(kind)).normalize(balanced).findings == ()
assert Normalizer(Policy.STANDARD.allowing(kind)).is_clean(b"/", b"a[=1")
dropped = Normalizer(Policy.STANDARD.dropping_pairs(kind))
assert dropped.normalize(Target(query=b"a=1&b[=2&c=3&d]=4")).target.query == b"a=1&c=3"
many = Normalizer(Policy.STANDARD).normalize(Target(query=b"&".join([b"a["] * 100)))
assert (len(many.findings), many.truncated) == (32, True), many
""",
)
FIELD: Final = NewCheck(
    slug="overriding-header",
    before="SPLIT_COOKIE",
    member="""
    OVERRIDING_HEADER = Check(
        slug="overriding-header",
        summary="a header that overrides the path in some frameworks",
        family=Family.FIELD,
        presets=presets(headers="reject report report"),
        actions=actions(headers="allow report reject"),
        names=frozenset({b"x-original-url", b"x-rewrite-url"}),
        if_allowed="The proxy in front removes these headers.",
        reference="CVE-2018-14773",
        example=octets(headers=b"host, x-original-url"),
        near_miss=octets(headers=b"host, x-original-uri"),
    )
""",
    use="""
from adapters import ASGI, WSGI, environ_of, scope_of

for policy, status in ((Policy.STANDARD, 200), (Policy.STRICT, 400), (Policy.STANDARD.allowing(kind), 200)):
    asked = scope_of(b"/a", headers=[(b"host", b"h"), (b"x-original-url", b"/b"), (b"accept", b"*/*")])
    on_asgi = ASGI.behind(policy).serve(asked)
    on_wsgi = WSGI.behind(policy).serve(environ_of(b"/a", HTTP_X_ORIGINAL_URL="/b"))
    for answer in (on_asgi, on_wsgi):
        assert answer.status == status, (policy, answer)
        found = [] if answer.told is None else [(each.kind, each.name) for each in answer.report.findings]
        shown = policy.action(kind, Component.HEADERS) is not Action.ALLOW
        assert found == [(kind, "x-original-url")] * shown, (policy, answer)
""",
)
CHECKS: Final = [CHARACTER, SEGMENT, STRUCTURE, FIELD]
USE: Final = """
from postel import Action, Component, Kind, Normalizer, Policy, Rejected, Target, policy_table

kind = Kind.of("{slug}")
assert "{slug}" in policy_table(Policy.STANDARD)
allowed = Policy.STANDARD.allowing(kind)
assert Policy.parse(str(allowed)) == allowed and "{slug}=allow" in str(allowed).replace("@headers", "")
"""
IN_PYTEST: Final = ("-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=", "-q")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the checkout, and insert all new members into the enum."""
    copy = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    for folder in ("src", "tests"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", copy)
    source = (
        (copy / KINDS)
        .read_text("utf-8")
        .replace("import enum\n", "import enum\nfrom collections.abc import Iterator\n", 1)
    )
    samples = ""
    for check in CHECKS:
        before = f"    {check.before} = Check("
        assert source.count(before) == 1
        source = source.replace(before, check.member.lstrip("\n") + before)
        source = source.replace(
            "\n\n@final\n", f"\n{check.function}\n@final\n" if check.function else "\n\n@final\n", 1
        )
        samples += check.samples
    (copy / KINDS).write_text(source, "utf-8")
    with (copy / "tests" / "targets.toml").open("a", encoding="utf-8") as file:
        file.write(f'\n["new"]{samples}')
    return copy


def _run(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    paths = [checkout / "src", checkout / "tests"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    return subprocess.run(  # noqa: S603 - our own code
        [sys.executable, *arguments],
        env=environment,
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.slug)
def test_a_new_check_is_detected_governed_and_listed(checkout: Path, check: NewCheck) -> None:
    done = _run(checkout, "-c", USE.format(slug=check.slug) + check.use)
    assert done.returncode == 0, done.stderr


def test_an_example_that_does_not_fire_is_named(tmp_path: Path, checkout: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(checkout, copy)
    source = (copy / KINDS).read_text("utf-8")
    for check in (CHARACTER, SEGMENT, STRUCTURE):  # The example of a header kind is the header name itself.
        (example,) = re.findall(r"^        (example=.*)\n", check.member, re.MULTILINE)
        assert source.count(example) == 1
        source = source.replace(example, re.sub(r'b"([^"]*)"', lambda at: f'b"{at[1][0]}"', example))
    (copy / KINDS).write_text(source, "utf-8")
    done = _run(copy, "-m", "pytest", *IN_PYTEST, "tests/_catalogue/test_rows.py", "-k", "example")
    assert done.returncode == 1, done.stdout[-4000:]
    for check in (CHARACTER, SEGMENT, STRUCTURE):
        assert check.slug in done.stdout


@pytest.mark.evidence  # the test runs a thousand tests
def test_existing_tests_cover_the_new_members(checkout: Path) -> None:
    taking = (
        "_catalogue/test_kinds.py",
        "_catalogue/test_rows.py",
        "test_targets.py",
        "_http/test_header_names.py",
    )
    done = _run(checkout, "-m", "pytest", *IN_PYTEST, *(f"tests/{name}" for name in taking))
    assert done.returncode == 0, done.stdout[-4000:]
    assert "passed" in done.stdout
