"""The README of the borrowed cases names each file with its source, its commit and its licence."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

from conformance.corpora import FOLDER

README: Final = (FOLDER / "README.md").read_text("utf-8")
FILES: Final = sorted(FOLDER.glob("*.json"))
TEXTS: Final = {path.stem for path in (FOLDER / "LICENSES").glob("*.txt")} | {"CC-BY-3.0", "CC-BY-4.0"}
ROWS: Final = re.findall(r"^\| (\S+\.json) \| (\d+) \| (.+?) \| (.+?) \|$", README, re.MULTILINE)


def document(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_row_has_the_source_and_the_licence_of_a_file(path: Path) -> None:
    row = [found for found in ROWS if found[0] == path.name]
    read = document(path)
    assert row == [(path.name, str(len(read["cases"])), read["source"], read["license"])]
    assert re.search(r"@[0-9a-f]{8,40}\b", read["source"])


def test_every_row_has_its_file() -> None:
    absent = {name for name, *_ in ROWS} - {path.name for path in FILES}
    assert absent <= {"haproxy_normalize_uri.json"}  # An sdist does not contain this file.


def test_the_text_of_each_licence_is_included() -> None:
    spdx = re.compile(r"[A-Z][A-Za-z-]*-\d[\w.-]*|BSD-3-Clause|MIT")
    named = {name for *_, licence in ROWS for name in spdx.findall(licence)}
    assert {"MIT", "BSD-3-Clause", "Apache-2.0", "PSF-2.0"} <= named
    assert named - {"EPL-2.0"} <= TEXTS  # EPL-2.0 is Jetty's, which is also under Apache-2.0.


def test_each_project_has_its_notice() -> None:
    notices = README.partition("## Copyright notices")[2]
    projects = {
        name for _, _, source, _ in ROWS for name in re.findall(r"(?:^|; )([\w.-]+/[\w.-]+) ", source)
    }
    assert len(projects) > 20
    assert projects <= set(re.findall(r"[\w.-]+/[\w.-]+", notices))
