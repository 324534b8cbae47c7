"""Find the Pythons that the project is tested on, and run the tests on them.

- ``python tools/pythons.py find 3.12`` prints a command that runs this Python.
- ``python tools/pythons.py others`` runs ``make test`` on each Python that is found, except this one.

The classifiers of ``pyproject.toml`` are the list of the tested Pythons. The output names those that are not
found. With REQUIRE_PYTHONS=yes they are an error, so that CI never passes because a Python is missing.
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

ROOT: Final = Path(__file__).parents[1]
TESTED: Final = re.findall(
    r'"Programming Language :: Python :: (3\.\d+)"', (ROOT / "pyproject.toml").read_text("utf-8")
)
THIS: Final = "{}.{}".format(*sys.version_info)
REQUIRED: Final = (
    os.environ.get("REQUIRE_PYTHONS", "yes" if os.environ.get("CI") in {"1", "true"} else "no") == "yes"
)


def candidates(version: str) -> Iterator[str]:
    if version == THIS:
        yield sys.executable
    yield f"python{version}"
    if shutil.which("pyenv"):
        root = subprocess.run(["pyenv", "root"], capture_output=True, check=False, text=True)  # noqa: S607
        yield from map(str, sorted(Path(root.stdout.strip()).glob(f"versions/{version}.*/bin/python")))


def find(version: str) -> str | None:
    """Return a command for this Python. Each candidate is tried, because PATH may hold a broken shim."""
    ask = "import sys; print('{}.{}'.format(*sys.version_info))"
    for python in candidates(version):
        if shutil.which(python):
            said = subprocess.run([python, "-c", ask], capture_output=True, check=False, text=True)  # noqa: S603
            if said.stdout.strip() == version:
                return python
    print(f"== Python {version} was found neither on PATH nor by pyenv", file=sys.stderr)
    return None


def others() -> bool:
    """Run the tests on every other tested Python; return whether they passed."""
    passed = True
    for version in TESTED:
        if version == THIS:
            continue
        print(f"== tests on Python {version}", flush=True)
        if python := find(version):
            run = ["make", "test", f"PYTHON={python}", f"VENV=.venv-{version}"]
            passed &= subprocess.run(run, cwd=ROOT, check=False).returncode == 0  # noqa: S603
        else:
            print(
                f"== NOT tested: Python {version} (REQUIRE_PYTHONS={'yes' if REQUIRED else 'no'})",
                file=sys.stderr,
            )
            passed &= not REQUIRED
    return passed


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["find", version]:
            if command := find(version):
                print(command)
            sys.exit(command is None)
        case ["others"]:
            sys.exit(not others())
        case _:
            sys.exit(__doc__)
