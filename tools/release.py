"""Build what is published, and rehearse a release.

- ``python tools/release.py build`` builds sdist and wheel twice into ``dist``, and fails unless both times
  give the same bytes. It checks their metadata, and installs the wheel alone.
- ``python tools/release.py check`` checks the version and the changelog. Then it installs the wheel alone,
  the sdist, and the wheel with each extra, into empty environments of each tested Python that is found.
  ``--tag v1.2.3`` checks that this tag is the version.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Final

from pythons import REQUIRED, TESTED, find

ROOT: Final = Path(__file__).parents[1]
DIST: Final = ROOT / "dist"
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PROBES: Final = {
    "": "import postel, postel.asgi, postel.wsgi, postel.form, postel.uri, postel.scan",
    "prometheus": "import postel.prometheus",
    "opentelemetry": "import postel.opentelemetry",
    "scan": "import rich",
    "completion": "import shtab",
    "pytest": "import pytest, pytest_postel",
}
"""For each extra, code that imports the modules that need it."""


def run(*command: str | Path, **more: str) -> None:
    """Run a command; if it fails, end this program."""
    done = subprocess.run([*map(str, command)], check=False, cwd=ROOT, env=os.environ | more)  # noqa: S603 - our own
    if done.returncode:
        sys.exit(f"failed: {' '.join(map(str, command))}")


def epoch() -> str:
    """Return ``SOURCE_DATE_EPOCH``, or the time of the last commit, or a constant in an sdist."""
    asked = subprocess.run(
        ["git", "log", "-1", "--format=%ct"],  # noqa: S607 - the system's
        capture_output=True,
        check=False,
        cwd=ROOT,
        text=True,
    )
    return os.environ.get("SOURCE_DATE_EPOCH") or asked.stdout.strip() or "1577836800"


def digests(folder: Path) -> dict[str, str]:
    return {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in sorted(folder.iterdir())}


def build() -> None:
    # The environment of `make build` has the locked build backend, so nothing else is fetched.
    making = (sys.executable, "-m", "build", "--no-isolation", ROOT, "--outdir")
    for old in [*DIST.glob("postel-*.whl"), *DIST.glob("postel-*.tar.gz")]:
        old.unlink()
    with tempfile.TemporaryDirectory() as scratch:
        first, second = Path(scratch, "first"), Path(scratch, "second")
        for folder in (first, second):
            run(*making, folder, SOURCE_DATE_EPOCH=epoch())
        made = digests(first)
        if made != digests(second):
            sys.exit(f"two builds differ: {made} and {digests(second)}")
        DIST.mkdir(exist_ok=True)
        for name, digest in made.items():
            (first / name).replace(DIST / name)
            print(f"{digest}  dist/{name}")
    run(sys.executable, "-m", "twine", "check", "--strict", *(DIST / name for name in made))
    wheel = next(DIST.glob("postel-*.whl"))
    install(ROOT / ".venv-wheel", sys.executable, wheel, "")


def install(folder: Path, python: str, made: Path, extra: str) -> None:
    """Install into an empty environment, and use what was installed there.

    The wheel alone is installed without an index, so it cannot need anything.
    """
    run(python, "-m", "venv", "--clear", folder)
    inside, asked = folder / "bin" / "python", f"{made}[{extra}]" if extra else made
    pip = (inside, "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input")
    run(*pip, *(() if extra or made.suffix == ".gz" else ("--no-index",)), asked)
    run(inside, "-I", "-W", "error", "-c", PROBES[extra])
    run(folder / "bin" / "postel", "clean", "https://example.com/a b")


def check(tag: str | None) -> None:
    version = PROJECT["version"]
    faults = []
    if f'__version__ = "{version}"' not in (ROOT / "src" / "postel" / "__init__.py").read_text("utf-8"):
        faults.append(f"src/postel/__init__.py does not say __version__ = {version!r}")
    dated = rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$"
    if not re.search(dated, (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE):
        faults.append(f"CHANGELOG.md has no section '## [{version}] - ' with a date")
    if tag is not None and tag != f"v{version}":
        faults.append(f"the tag {tag} is not v{version}")
    made = [*DIST.glob(f"postel-{version}-*.whl"), *DIST.glob(f"postel-{version}.tar.gz")]
    if len(made) != 2:
        faults.append(f"dist has no wheel and sdist of {version}: run make build")
    for python_version in TESTED if len(made) == 2 else ():
        if python := find(python_version):
            rehearse(python, made)
        elif REQUIRED:
            faults.append(f"Python {python_version} was not found")
    if faults:
        sys.exit("not ready for a release:\n" + "\n".join(f"- {fault}" for fault in faults))
    print(f"postel {version} is ready: push the tag v{version}")


def rehearse(python: str, made: list[Path]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        for each in made:
            for extra in ("", *PROJECT["optional-dependencies"]) if each.suffix == ".whl" else ("",):
                install(Path(scratch, "venv"), python, each, extra)
                print(
                    f"{python}: {each.name}{f' with {extra}' * bool(extra)}: installed, imported, run",
                    flush=True,
                )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["build", "check"])
    parser.add_argument("--tag", help="check that this tag is the version")
    given = parser.parse_args()
    build() if given.what == "build" else check(given.tag)
