"""The files for code hosts and contributors agree with the project: Pythons, linters, commands, links."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

ROOT: Final = Path(__file__).parents[2]
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
MAKEFILE: Final = (ROOT / "Makefile").read_text("utf-8")
TARGETS: Final = set(re.findall(r"^([a-z][a-z0-9-]*):", MAKEFILE, re.MULTILINE))
WORKFLOWS: Final = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS: Final = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def read(file: Path) -> dict[Any, Any]:
    loaded: dict[Any, Any] = yaml.safe_load(file.read_text("utf-8"))
    return loaded


def steps(workflow: dict[Any, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_make_evidence_runs_every_file_with_tests_for_it() -> None:
    """Otherwise no command would run the tests of a file that have the mark ``evidence``."""
    recipe = MAKEFILE.partition("# ---- evidence ----")[2].partition("\n# The full product")[0]
    lists = re.findall(r"\$\(patsubst %,([^%]+)%([^,]*),([^)]+)\)", recipe)
    named = {before + name + after for before, after, names in lists for name in names.split()}
    named |= set(re.findall(r"(?<=\s)tests/[\w/.]+(?=[\s;]|$)", recipe))
    marked = {
        file.relative_to(ROOT)
        for file in (ROOT / "tests").rglob("*.py")
        if re.search(r"mark\.evidence\b|(?m:^from sampling )", file.read_text("utf-8"))
    } - {Path("tests/sampling.py")}
    assert marked
    assert [str(file) for file in marked if not named & {str(each) for each in (file, *file.parents)}] == []


def test_workflows_test_every_supported_python() -> None:
    promised = [
        name.rpartition(" ")[2]
        for name in PROJECT["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", name)
    ]
    matrix = read(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["python"] == promised
    assert len(matrix["system"]) == 3


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_workflows_have_only_read_permission(file: Path) -> None:
    workflow = read(file)
    assert workflow["permissions"] == {"contents": "read"}
    extra = [job["permissions"] for job in workflow["jobs"].values() if "permissions" in job]
    assert extra == ([{"id-token": "write"}] if file.stem == "release" else [])
    assert all("${{ github.event" not in str(step) for step in steps(workflow)), (
        "text of strangers in a command"
    )
    assert all("timeout-minutes" in job for job in workflow["jobs"].values())


def test_workflows_call_targets_that_exist() -> None:
    called: set[str] = set()
    for file in WORKFLOWS:
        workflow = read(file)
        for job in workflow["jobs"].values():
            matrix = job.get("strategy", {}).get("matrix", {})
            called |= set(matrix.get("target", ()))
        for step in steps(workflow):
            match = re.match(r"make ((?:[a-z-]+ )*)", step.get("run", ""))
            called |= set(match[1].split()) if match else set()
    assert {"test", "docs", "build"} <= called <= TARGETS


def test_a_tag_with_another_version_is_not_published() -> None:
    commands = [
        step["run"] for step in steps(read(ROOT / ".github" / "workflows" / "release.yml")) if "run" in step
    ]
    assert 'make release-check PYTHON=python ARGS="--tag $GITHUB_REF_NAME"' in commands
    assert "tools/release.py check $(ARGS)" in MAKEFILE


@pytest.mark.parametrize("file", FORMS, ids=lambda file: file.stem)
def test_a_form_for_issues_is_complete(file: Path) -> None:
    form = read(file)
    if file.stem == "config":
        assert form == {"blank_issues_enabled": True}
        return
    assert {"name", "description", "body"} <= form.keys()
    assert {part["type"] for part in form["body"]} <= {"markdown", "textarea", "input"}
    asked = [part["id"] for part in form["body"] if part["type"] != "markdown"]
    assert len(set(asked)) == len(asked) > 1


def test_pre_commit_runs_the_linters_of_make_lint() -> None:
    (repository,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    hooks = [hook["entry"].replace(" --force-exclude", "") for hook in repository["hooks"]]
    recipe = MAKEFILE.partition("\nlint: ")[2].partition("\n\n")[0]
    commands = re.findall(r"^\t@\$\(DEV_VENV\)/bin/([^.|\n]+?)(?: \.)?(?: \|\|.*)?$", recipe, re.MULTILINE)
    assert [hook.removeprefix(".venv-dev/bin/") for hook in hooks] == commands


@pytest.mark.parametrize("name", ["CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md", "SUPPORT.md"])
def test_pages_of_the_project_link_to_files_that_exist(name: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", (ROOT / name).read_text("utf-8"))
    assert [link for link in links if not (ROOT / link).exists()] == []
