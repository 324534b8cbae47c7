"""The applications whose tests are run, and an environment for each.

``applications.toml`` names them. ``requirements/NAME.txt`` pins all packages of an application; the tests
come from the source package of the same version.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tarfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
_PIP: Final = ("-I", "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input")
_CONFIGURED: Final = {
    "pytest.ini": "[pytest]",
    "pyproject.toml": "[tool.pytest",
    "setup.cfg": "[tool:pytest]",
    "tox.ini": "[pytest]",
}


@dataclass(frozen=True, kw_only=True)
class Application:
    """One application: a table of ``applications.toml``."""

    name: str
    distribution: str
    """Its name at PyPI."""
    protocol: str
    clients: str
    """The clients that are patched, by their names in ``behind_postel.clients``."""
    command: tuple[str, ...]
    """The arguments of ``python`` that run the tests in the folder of the source package."""
    what: str
    """A short description of the tests, for the page."""
    folder: str = "."

    @property
    def requirements(self) -> Path:
        return HERE / "requirements" / f"{self.name}.txt"

    @property
    def version(self) -> str:
        text = self.requirements.read_text("utf-8")
        found = re.search(
            rf"^{re.escape(self.distribution)}==(\S+)$", text, flags=re.MULTILINE | re.IGNORECASE
        )
        if found is None:
            raise ValueError(f"{self.requirements} does not pin {self.distribution}")
        return found[1]

    @property
    def environment(self) -> Path:
        return ROOT / f".venv-real-{self.name}"

    @property
    def python(self) -> Path:
        return self.environment / "bin" / "python"

    @property
    def source(self) -> Path:
        return self.environment / "source"


def applications() -> dict[str, Application]:
    """Return every application by its name."""
    tables = tomllib.loads((HERE / "applications.toml").read_text("utf-8"))
    return {
        name: Application(name=name, **{**table, "command": tuple(table["command"])})
        for name, table in tables.items()
    }


def install(app: Application, python: str) -> None:
    """Create the environment of an application, unless it exists with these requirements."""
    stamp = app.environment / ".installed"
    wanted = app.requirements.read_text("utf-8")
    if stamp.exists() and stamp.read_text("utf-8") == wanted:
        return
    print(f"== {app.environment.name}: installing {app.distribution} {app.version}", flush=True)
    _run([python, "-m", "venv", "--clear", str(app.environment)])
    # The pins are exact, so pip has nothing to resolve.
    _run([str(app.python), *_PIP, "install", "--no-deps", "--requirement", str(app.requirements)])
    _unpack(app)
    stamp.write_text(wanted, "utf-8")


def _unpack(app: Application) -> None:
    """Fetch the source package and unpack it."""
    fetched = app.environment / "sdist"
    wanted = f"{app.distribution}=={app.version}"
    _run(
        [
            str(app.python),
            *_PIP,
            "download",
            "--no-deps",
            "--no-binary",
            app.distribution,  # Build requirements may come as wheels.
            "--dest",
            str(fetched),
            wanted,
        ]
    )
    [archive] = fetched.iterdir()
    with tarfile.open(archive) as opened:
        opened.extractall(fetched, filter="data")
    [folder] = [each for each in fetched.iterdir() if each.is_dir()]
    shutil.rmtree(app.source, ignore_errors=True)
    folder.rename(app.source)
    if not any(
        text in path.read_text("utf-8")
        for name, text in _CONFIGURED.items()
        if (path := app.source / name).exists()
    ):
        # Otherwise pytest would use the configuration of this checkout.
        (app.source / "pytest.ini").write_text("[pytest]\n", "utf-8")


def _run(command: list[str]) -> None:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(command, check=True, env=kept)  # noqa: S603 - our own arguments
