"""Write the dependencies of the extras: ``licences.md``, and ``sbom.cdx.json`` in CycloneDX 1.6.

``python tools/licences.py dist`` reads the installed distributions, and writes the two files into ``dist``.
postel itself has no dependencies, so the files list only those of its extras.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement

ROOT: Final = Path(__file__).parents[1]
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def distributions_of(requirements: list[str]) -> dict[str, Distribution]:
    """Return the distributions that these requirements install on this Python, with dependencies, by name."""
    found: dict[str, Distribution] = {}
    waiting = [Requirement(each) for each in requirements]
    while waiting:
        wanted = waiting.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        if name in found or not (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
            continue
        try:
            found[name] = distribution(wanted.name)
        except PackageNotFoundError:
            sys.exit(f"{wanted.name} is not installed here: run make licences")
        waiting += [Requirement(each) for each in found[name].requires or ()]
    return dict(sorted(found.items()))


def licence(made: Distribution) -> str:
    """Return the licence that the distribution states."""
    metadata = made.metadata
    if expression := metadata.get("License-Expression"):
        return str(expression)
    classified = [
        each.rpartition(" :: ")[2]
        for each in metadata.get_all("Classifier", [])
        if each.startswith("License :: ") and each != "License :: OSI Approved"
    ]
    return ", ".join(classified) or str(metadata.get("License") or "not stated").partition("\n")[0]


def component(name: str, made: Distribution) -> dict[str, Any]:
    return {
        "type": "library",
        "name": name,
        "version": made.version,
        "purl": f"pkg:pypi/{name}@{made.version}",
        "licenses": [{"license": {"name": licence(made)}}],
    }


def main(folder: Path) -> None:
    extras = {extra: distributions_of(wanted) for extra, wanted in PROJECT["optional-dependencies"].items()}
    lines = [
        f"# Dependencies of the extras of postel {PROJECT['version']}",
        "",
        f"postel is under {PROJECT['license']}, and needs nothing without an extra.",
        "",
        "| Extra | Distribution | Version | Licence |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {extra} | {name} | {made.version} | {licence(made)} |"
        for extra, found in extras.items()
        for name, made in found.items()
    ]
    everything = {name: made for found in extras.values() for name, made in found.items()}
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "name": PROJECT["name"],
                "version": PROJECT["version"],
                "purl": f"pkg:pypi/{PROJECT['name']}@{PROJECT['version']}",
                "licenses": [{"license": {"id": PROJECT["license"]}}],
            }
        },
        "components": [component(name, made) for name, made in sorted(everything.items())],
    }
    folder.mkdir(exist_ok=True)
    (folder / "licences.md").write_text("\n".join([*lines, ""]), "utf-8")
    (folder / "sbom.cdx.json").write_text(json.dumps(bill, indent=1) + "\n", "utf-8")
    print("\n".join(lines[4:]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
