"""What is published: names, versions, files. The configuration measures what it claims to measure."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.resources
import pkgutil
import pydoc
import re
import tomllib
from difflib import unified_diff
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

import postel
import public_api

ROOT: Final = Path(__file__).parents[2]
CONFIGURATION: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT: Final[dict[str, Any]] = CONFIGURATION["project"]
# The modules that users import, by their names.
ENTRANCES: Final = [
    f"postel.{name}" for _, name, _ in pkgutil.iter_modules(postel.__path__) if name[0] != "_"
]


def public_names(module: ModuleType) -> set[str]:
    """Return the names that a user can import from a module and may rely on."""
    submodules = {name.rpartition(".")[2] for name in ENTRANCES}
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and not (isinstance(value, ModuleType) and name in submodules)
    }


def test_the_package_exports_only_its_public_names() -> None:
    promised = {name for name in postel.__all__ if name != "__version__"}
    # `from __future__ import annotations` adds the name `annotations`.
    assert public_names(postel) - {"annotations"} == promised
    assert len(postel.__all__) == len(set(postel.__all__))


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_a_public_module_lists_the_names_that_it_defines(entrance: str) -> None:
    module = importlib.import_module(entrance)
    names = public_names(module)
    defined = {name for name in names if getattr(vars(module)[name], "__module__", "") == entrance}
    assert defined <= set(module.__all__) <= names


def test_public_names_change_only_on_purpose() -> None:
    written = public_api.FILE.read_text("utf-8").splitlines()
    difference = list(unified_diff(written, list(public_api.lines()), "written", "found", n=0, lineterm=""))
    assert difference == [], "to accept the change, run: PYTHONPATH=src python tools/public_api.py"


def test_all_versions_agree() -> None:
    headings = re.findall(
        r"^## \[?(\d[\w.]*)\]?", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE
    )
    assert headings[0] == PROJECT["version"] == importlib.metadata.version("postel")
    assert getattr(postel, "__version__", PROJECT["version"]) == PROJECT["version"]


def python_blocks(document: str) -> list[Any]:
    """Return the blocks of Python of a document, each with the line where it begins."""
    text = (ROOT / document).read_text("utf-8")
    return [
        pytest.param("\n" * text[: block.start(1)].count("\n") + block[1], id=f"line-{line}")
        for block in re.finditer(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
        for line in [text[: block.start(1)].count("\n") + 1]
    ]


@pytest.mark.parametrize("block", python_blocks("README.md"))
def test_the_python_of_the_readme_can_be_parsed(block: str) -> None:
    compile(block, "README.md", "exec", dont_inherit=True)


def test_help_names_the_middleware_on_its_first_screen() -> None:
    first = pydoc.plain(pydoc.render_doc(postel)).splitlines()[:24]
    told = "\n".join(first)
    assert "from postel.asgi import NormalizeMiddleware" in told
    assert "from postel.wsgi import NormalizeMiddleware" in told


def test_the_package_is_marked_as_typed() -> None:
    assert importlib.resources.files("postel").joinpath("py.typed").is_file()


def test_the_package_has_no_dependencies() -> None:
    assert PROJECT["dependencies"] == []
    required = importlib.metadata.requires("postel") or []
    assert [each for each in required if "extra == " not in each] == []


def test_coverage_measures_all_branches_of_this_package() -> None:
    coverage = CONFIGURATION["tool"]["coverage"]
    assert coverage["run"]["source_pkgs"] == [PROJECT["name"]]
    assert coverage["run"]["branch"] is True
    assert coverage["report"]["fail_under"] == 100
    assert "omit" not in coverage["run"] | coverage["report"]


def test_the_oldest_classified_python_is_the_required_one() -> None:
    classifiers = "\n".join(PROJECT["classifiers"])
    minors = re.findall(r"Python :: 3\.(\d+)$", classifiers, flags=re.MULTILINE)
    assert PROJECT["requires-python"] == f">=3.{min(map(int, minors))}"


def normalized(name: str) -> str:
    """Return the name of a distribution in the form that indexes compare (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_all_packages_of_the_project_are_pinned() -> None:
    locked = (ROOT / "constraints.txt").read_text("utf-8").replace(" \\\n    --hash", " --hash")
    pins = [line for line in locked.splitlines() if not line.startswith("#")]
    pin = re.compile(
        r"([\w.-]+)==[\w.]+( ; [^#/]+?)?( --hash=sha256:[0-9a-f]{64})+"
    )  # There is no address of an index either.
    assert [each for each in pins if not pin.fullmatch(each)] == []
    pinned = {normalized(each.partition("==")[0]) for each in pins}
    groups: dict[str, list[str]] = CONFIGURATION["dependency-groups"]
    requirements = [requirement for group in groups.values() for requirement in group]
    needed = {normalized(re.split(r"[^\w.-]", requirement)[0]) for requirement in requirements}
    assert needed - pinned == set()
