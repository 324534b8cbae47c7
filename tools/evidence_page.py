"""Write docs/evidence.md from the facts of ``make evidence`` and ``make mutation``.

    python tools/evidence_page.py [--check] FACTS

With ``--check`` nothing is written, and the command fails if the page is not current. Figures of readers that
are not installed are not compared. Without the borrowed cases, nothing is compared.
"""

from __future__ import annotations

import argparse
import difflib
import inspect
import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from conformance import corpora
from differential.routers import ROUTERS
from fuzz.corpus import kept
from fuzz.invariants import INVARIANTS

ROOT: Final = Path(__file__).parents[1]
TESTS: Final = ROOT / "tests"
PAGE: Final = ROOT / "docs" / "evidence.md"

Facts = dict[str, list[dict[str, Any]]]
PRESETS: Final = ("STRICT", "STANDARD", "LENIENT")

OPENING: Final = """\
# Evidence

This page lists what supports postel besides its own tests: cases and parsers of other projects, a fuzzer, and
mutants of our own code. `make evidence` runs everything except the mutants, and `make mutation` runs those.
This page is generated from their results (`make evidence-page`), and `make evidence` fails if it is out of
date.
"""

RAW: Final = """\
## One meaning

Law 9: all available parsers read the same pairs and the same path as postel if a preset accepts the target.
Targets are generated from ordinary words, from oddities that people and programs send, and from attacks.

Without postel, parsers disagree. The table counts the generated queries that all readers without a quirk read
in the same way. The table after it names the quirks.
"""

READERS: Final = """\
Behind postel, the first 10,000 different queries that each preset accepts are compared, for three seeds. For
a reader with a quirk, the expected result is computed from postel's own reading. If that is not possible, the
query is left out for that reader, which is then compared fewer than {all} times.
"""

PATHS: Final = """\
The next table does the same for paths, 10,000 for each preset and seed. *A route of* a framework
is a catch-all route, matched by the framework itself.
"""

ATTACKS: Final = """\
## Attack lists

{count} payloads are judged, each as a whole target, as a path segment (slashes escaped, and fully escaped)
and as a value (bare and escaped). No accepted target holds a dot segment, a NUL or ill-formed UTF-8. A second
decoding changes the structure of an accepted target only if a finding says so. Every reader and router above
reads the same: {compared:,} comparisons, {differing} differ. The table shows the share of refused targets:
"""

WHOLE: Final = """\
## Whole requests

The tests generate requests with all parts: method, target, Host, content type, lengths, cookies, header names
with an underscore, bodies and prefixes. `make whole POSTEL_SEEDS=10-19` generates others.
"""

WHOLE_SUBJECTS: Final = {
    "laws": "Laws 1 to 4, 7, 10 and 12 hold, each under two of 60 settings, on both protocols.",
    "steering": "No header field that is passed on changes how a framework reads the target or the body.",
    "guards": "A guarded view or file is reached only if the guard, wherever it is, saw that path.",
}

REBUILT: Final = """\
[Frameworks](frameworks.md) shows routed paths, rebuilt URLs, static files and mounts in old and new versions
of every framework. `make evidence-full`, which is run by hand, sends many accepted targets to each version.
The table shows how many targets the last run sent, and how many of them a framework read differently:
"""

BORROWED: Final = """\
## Other people's cases

{asked:,} comparisons with the expected results of {files} test suites and lists; {disagreeing:,} disagree.
Each row that disagrees is listed by name, with the reason, in
[tests/conformance/disagreements.toml](../tests/conformance/disagreements.toml) and
[tests/toolkit/disagreements.toml](../tests/toolkit/disagreements.toml). A test fails if an unlisted row
disagrees, and if a listed row agrees. Most sources are more lenient than postel, so a row is compared under
the policy that is closest to its source. [tests/borrowed](../tests/borrowed/README.md) has the cases, and
names their sources and licences.
"""

STANDARDS: Final = """\
We wrote these tables from the standards. Each block names its section:

- the character classes of RFC 3986, RFC 2396, RFC 1738 and the URL Standard
  ([test_percent.py](../tests/_alphabet/test_percent.py));
- RFC 3986, section 5.2.4, for all paths of up to five segments
  ([test_normalizer.py](../tests/_normalizer/test_normalizer.py));
- RFC 3986, section 6.2.2, RFC 3629, Unicode table 3-7 and maximal subparts, and what a URL parser escapes
  ([test_standards.py](../tests/conformance/test_standards.py)).
"""

FUZZING: Final = """\
## Fuzzing

atheris (libFuzzer) checks the properties in the table on generated octets. It starts from the stored inputs
and from the borrowed cases, if available. `make fuzz SECONDS=3600` runs longer; `ARGS='--keep path'` stores
interesting inputs. `make test` runs the stored inputs only.
"""

MUTATION: Final = """\
## Mutation

mutmut makes mutants: copies of a module with one change in a function. A mutant that no test notices
survives. The constants of a module are not changed; the tables of the standards check them.

Every survivor is listed with its reason
([tests/mutation/survivors.toml](../tests/mutation/survivors.toml)). If only some mutants of a
module were tried, they are a random sample. Comments and docstrings do not count for the digest.
"""


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """Yield the lines of a Markdown table in which columns of numbers are aligned to the right."""
    given = [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
    names = list(head)
    right = [all(re.fullmatch(r"[\d,.%]*", row[at]) for row in given or [names]) for at in range(len(names))]
    yield f"| {' | '.join(names)} |"
    yield f"| {' | '.join('---:' if each else '---' for each in right)} |"
    for row in given:
        yield f"| {' | '.join(row)} |"
    yield ""


def share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}"


def chosen(facts: Iterable[dict[str, Any]], **values: object) -> list[dict[str, Any]]:
    return [fact for fact in facts if all(fact[key] == value for key, value in values.items())]


def total(facts: Iterable[dict[str, Any]], key: str) -> int:
    return sum(fact[key] for fact in facts)


def one_meaning(facts: Facts) -> Iterator[str]:
    yield RAW
    yield from table(
        ["Readers", "Seed", "Queries", "Read alike", "Share"],
        (
            [
                f"{each['group']}: {len(each['readers'])}",
                each["seed"],
                each["count"],
                each["agreed"],
                share(each["agreed"], each["count"]),
            ]
            for each in sorted(facts["raw"], key=lambda each: (each["group"], each["seed"]))
            if each["seed"]
        ),
    )
    heavy = [each for each in facts["agreements"] if each["seed"]]
    yield READERS.format(all="30,000")
    yield from readings("query", heavy, ((each["name"], each["quirk"]) for each in facts["readers"]))
    yield PATHS
    yield from readings("path", heavy, ((router.name, router.quirk) for router in ROUTERS))


def readings(of: str, facts: list[dict[str, Any]], known: Iterable[tuple[str, str]]) -> Iterator[str]:
    def rows() -> Iterator[list[object]]:
        for name, quirk in known:
            found = chosen(facts, of=of, reader=name)
            compared = [total(chosen(found, preset=preset), "compared") for preset in PRESETS]
            yield [name, *compared, total(found, "differing"), quirk]

    yield from table(["Reader", *PRESETS, "Differ", "Quirk"], rows())


def attacks(facts: Facts) -> Iterator[str]:
    found = facts["attacks"]
    places = list(dict.fromkeys(each["place"] for each in found))
    compared = [each for each in facts["agreements"] if each["of"].startswith("attack")]
    yield ATTACKS.format(
        count=total(chosen(found, place=places[0], preset="STRICT"), "of"),
        compared=total(compared, "compared"),
        differing=total(compared, "differing"),
    )
    names = list(dict.fromkeys(each["list"] for each in found))

    def rows() -> Iterator[list[object]]:
        for name in names:
            for preset in PRESETS:
                cells = [chosen(found, list=name, place=place, preset=preset)[0] for place in places]
                yield [
                    f"{name} ({cells[0]['of']})",
                    preset,
                    *(share(each["of"] - each["accepted"], each["of"]) for each in cells),
                ]

    yield from table(["List", "Preset", *(f"as {place}" for place in places)], rows())
    yield "An escaped payload in a value is text: `%3Cscript%3E` is the correct spelling of `<script>`.\n"


def whole(facts: Facts) -> Iterator[str]:
    yield WHOLE
    yield from table(
        ["What must hold", "Seeds", "Cases", "Violations"],
        (
            [
                sentence,
                len({each["seed"] for each in found}),
                total(found, "requests"),
                total(found, "broken"),
            ]
            for subject, sentence in WHOLE_SUBJECTS.items()
            if (found := chosen(facts["whole"], subject=subject))
        ),
    )
    yield REBUILT
    full = json.loads((TESTS / "readers" / "full.json").read_text("utf-8"))
    policies = list(dict.fromkeys(each["policy"] for each in full))
    yield from table(
        ["Framework", "Versions", *policies, "Differ"],
        (
            [
                framework,
                ", ".join(versions_in(found)),
                *(total(chosen(found, policy=policy), "targets") for policy in policies),
                total(found, "differing"),
            ]
            for framework in dict.fromkeys(each["framework"] for each in full)
            if (found := chosen(full, framework=framework))
        ),
    )


def versions_in(facts: list[dict[str, Any]]) -> list[str]:
    return sorted({each["version"] for each in facts}, key=lambda each: [int(n) for n in each.split(".")])


def reasons() -> Iterator[tuple[str, str, int]]:
    """Yield, for each reason why rows disagree, the files, the reason, and the number of rows."""
    ours = tomllib.loads((TESTS / "conformance" / "disagreements.toml").read_text("utf-8"))
    for group in ours["disagreement"]:
        files = dict.fromkeys(entry["file"] for entry in group["of"])
        rows = sum(len(entry["rows"]) * len(entry["questions"]) for entry in group["of"])
        yield ", ".join(files), " ".join(group["reason"].split()), rows
    theirs = tomllib.loads((TESTS / "toolkit" / "disagreements.toml").read_text("utf-8"))
    for file, section in theirs.items():
        for group in section.get("disagreements", ()):
            yield f"{file}, the toolkit", " ".join(group["reason"].split()), len(group["rows"])


def borrowed(facts: Facts) -> Iterator[str]:
    found = facts["borrowed"]
    files = sorted({each["file"] for each in found})
    yield BORROWED.format(
        asked=total(found, "asked"), files=len(files), disagreeing=total(found, "disagreeing")
    )
    yield from table(
        ["File", "Project", "Compared with", "Comparisons", "Disagree"],
        (
            [file, origin(file), by, total(each, "asked"), total(each, "disagreeing")]
            for file in files
            for by in ("postel", "the toolkit")
            if (each := chosen(found, file=file, by=by))
        ),
    )
    yield STANDARDS
    yield "### Disagreements and their reasons\n"
    yield from table(["Rows", "Files", "Reason"], ((rows, files, why) for files, why, rows in reasons()))


def origin(file: str) -> str:
    """Return the projects that a file was taken from."""
    source = json.loads((corpora.FOLDER / f"{file}.json").read_text("utf-8"))["source"]
    projects = re.findall(r"(?:^|; |\+ )\s*(?!tests?/)([A-Za-z0-9-]+/[A-Za-z0-9_.-]+) ", source)
    return ", ".join(dict.fromkeys(projects)) or source.partition(",")[0]


def fuzzing() -> Iterator[str]:
    yield FUZZING
    yield from table(
        ["Input", "What must hold", "Stored inputs"],
        (
            [name, " ".join((inspect.getdoc(check) or "").split()), len(kept(name))]
            for name, check in INVARIANTS.items()
        ),
    )


def mutation() -> Iterator[str]:
    folder = TESTS / "mutation"
    results = json.loads((folder / "results.json").read_text("utf-8"))
    yield MUTATION
    yield from table(
        ["Module", "Mutants", "Tried", "Killed", "Share", "SHA-256 of the code begins with"],
        (
            [
                f"`{name}`",
                each["mutants"],
                each["tried"],
                each["killed"],
                f"{each['killed'] / each['tried']:.1%}",
                f"`{each['digest']}`",
            ]
            for name, each in results.items()
        ),
    )
    survivors = tomllib.loads((folder / "survivors.toml").read_text("utf-8")).get("survivor", [])
    yield from table(
        ["Module", "Survivors", "Why no test notices"],
        (
            [f"`{group['module']}`", len(group["of"]), " ".join(group["reason"].split())]
            for group in survivors
        ),
    )


def page(facts: Facts) -> str:
    """Return the page."""
    parts = [
        OPENING,
        *one_meaning(facts),
        *attacks(facts),
        *whole(facts),
        *borrowed(facts),
        *fuzzing(),
        *mutation(),
    ]
    return "\n".join(parts).rstrip() + "\n"


def absent(facts: Facts) -> list[str]:
    """Return the readers that are not installed."""
    asked = {each["reader"] for each in facts["agreements"]}
    known = [*(each["name"] for each in facts["readers"]), *(router.name for router in ROUTERS)]
    return [name for name in known if name not in asked]


def differing(was: str, now: str, lacking: list[str]) -> list[str]:
    """Return the lines in which two pages differ, except those that depend on missing readers."""

    def compared(text: str) -> list[str]:
        marks = [f"| {name} |" for name in lacking]
        marks += ["| all languages", "| Python and Node", " comparisons, "] if lacking else []
        return [line for line in text.splitlines() if not any(mark in line for mark in marks)]

    changes = difflib.unified_diff(compared(was), compared(now), "the page", "the facts", lineterm="", n=0)
    return list(changes)


def main() -> int:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("facts", type=Path, nargs="+", help="files that the runs have written")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    facts: Facts = {}
    for path in given.facts:
        for subject, found in json.loads(path.read_text("utf-8")).items():
            facts.setdefault(subject, []).extend(found)
    if not facts["borrowed"]:
        print("docs/evidence.md is not checked: the borrowed cases are absent")
        return 0
    made = page(facts)
    if not given.check:
        PAGE.write_text(made, "utf-8")
        return 0
    lacking = absent(facts)
    if lacking:
        print(f"not compared, because they are not installed: {', '.join(lacking)}")
    changes = differing(PAGE.read_text("utf-8") if PAGE.exists() else "", made, lacking)
    if changes:
        print("\n".join([*changes, "docs/evidence.md is not current: run make evidence-page"]))
    return bool(changes)


if __name__ == "__main__":
    sys.exit(main())
