"""The plugin in a temporary project:

only the wheel is installed, and nothing of this repository is on the path.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from doctor.test_plugin import BOTH, TESTS
from postel.doctor._suite import FAMILIES

ROOT: Final = Path(__file__).parent.parent.parent
VERSIONS: Final = ("3.11", "3.12", "3.13")
ALONE: Final = {
    name: value for name, value in os.environ.items() if not re.match(r"PYTHON|PYTEST|VIRTUAL_ENV|COV", name)
}


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - every command is written here
        [*map(str, command)], cwd=cwd, env=ALONE, capture_output=True, text=True, timeout=900, check=False
    )


def fine(*command: str | Path, cwd: Path) -> str:
    ended = run(*command, cwd=cwd)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def interpreter(version: str, folder: Path) -> str:
    """Return a Python of a version from the path or from pyenv. A Python on the path may be a broken shim."""
    for candidate in (sys.executable, f"python{version}", *_of_pyenv(version)):
        if found := shutil.which(candidate):
            ended = run(found, "-c", "import sys; print('%d.%d' % sys.version_info[:2])", cwd=folder)
            if ended.stdout.strip() == version:
                return found
    pytest.skip(f"Python {version} was not found")


def _of_pyenv(version: str) -> Iterator[str]:
    root = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    yield from (str(each) for each in root.glob(f"versions/{version}.*/bin/python"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    fine(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder)
    (made,) = folder.glob("*.whl")
    return made


@pytest.mark.fresh
@pytest.mark.parametrize("version", VERSIONS)
def test_the_plugin_works_in_a_project_with_only_the_wheel(version: str, wheel: Path, tmp_path: Path) -> None:
    made = tmp_path / "venv"
    fine(interpreter(version, tmp_path), "-m", "venv", made, cwd=tmp_path)
    python = made / "bin" / "python"
    wanted = f"postel[pytest] @ {wheel.as_uri()}"
    pins = re.findall(
        r"^[^#\s]+(?: ; [^\\\n]+)?", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE
    )
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("\n".join(pins))  # Without hashes, which the wheel of this test cannot have.
    fine(
        *(python, "-I", "-m", "pip", "install", "--quiet", "--constraint", constraints, wanted, "flask"),
        cwd=tmp_path,
    )
    project = tmp_path / "shop"
    project.mkdir()

    def outcome(baseline: str | None, *arguments: str) -> str:
        (project / "test_shop.py").write_text(
            TESTS.format(baseline="None" if baseline is None else "'postel.toml'")
        )
        (project / "postel.toml").write_text(baseline or "")
        return run(python, "-m", "pytest", "-p", "no:cacheprovider", "-v", *arguments, cwd=project).stdout

    where = fine(python, "-c", "import postel.doctor as found; print(found.__file__)", cwd=project)
    assert Path(where).is_relative_to(made)
    assert f"1 passed, {len(FAMILIES)} skipped" in outcome(None)
    found = outcome(None, "--postel")
    assert f"2 failed, {len(FAMILIES) - 1} passed" in found
    assert "test_every_request_has_one_meaning[guards] FAILED" in found
    assert f"{len(FAMILIES) + 1} passed" in outcome(BOTH, "--postel")
