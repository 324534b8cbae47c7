"""Write docs/real.md, and the table in docs/roll-out.md, from the results of ``make real`` and ``real-urls``.

    python tools/real_page.py [--collect]

``results.json`` holds the last run of each application and of the URLs. ``--collect`` first copies new
results from ``.venv-real-facts`` into it. Then the page is written from it.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from real.differences import TOLD

ROOT: Final = Path(__file__).parents[1]
HERE: Final = ROOT / "tests" / "real"
PAGE: Final = ROOT / "docs" / "real.md"
ROLL_OUT: Final = ROOT / "docs" / "roll-out.md"
RESULTS: Final = HERE / "results.json"
FACTS: Final = ROOT / ".venv-real-facts"
CLASSES: Final = ("hostile", "exempt", "artificial", "defect")
_BETWEEN: Final = re.compile(r"^(<!-- urls: .*-->\n).*^(<!-- end of urls -->\n)", re.MULTILINE | re.DOTALL)
MOST: Final = 100_000
"""A preset may refuse one legitimate request in this many."""

OPENING: Final = """\
<!-- Made by "make real-page" from tests/real/results.json, not edited by hand. -->

# Real applications, real URLs

This page shows which real requests of people and programs `Policy.STANDARD` refuses. `make real` runs the
tests of the applications below, each from its source package, without postel and behind it, and compares
the two runs request by request. `make real-urls` judges real URLs. We have examined and classified every
difference. The run fails if a difference has no class, and if a class fits no difference.

## Applications

Each application that a test client calls is wrapped in `NormalizeMiddleware` with `Policy.STANDARD` and
`forms=Forms(multipart="untouched")`. A difference is a request that is refused or redirected, or a test with
another outcome, counted once for each test and kind of fault. *Edited* requests were repaired, and their
tests have the same outcome as without postel. Tests that fail in both runs are compared, too.

- *hostile*: the test sends on purpose what no browser or library would send, mostly to check that it is
  refused.
- *exempt*: a legitimate request that a documented exemption accepts. The table lists the exemption, and where
  people find it: [the scan](commands.md#scan) of a log suggests it, [`postel check`](commands.md#check)
  names it for the target, or a line of postel's log names the kind and the component. Servers do not log
  bodies, so a scan cannot suggest exemptions for forms: [what to do](roll-out.md#bodies).
- *artificial*: no server passes on such a request. The test has built it by hand, or reads objects of the
  test client that an application behind a middleware does not receive.
- *defect*: a legitimate request that is refused, or read differently. None was found.

"""

DIFFERENCES: Final = """\

### Every difference

"""

REFUSALS: Final = """\

## URLs

[The roll-out](roll-out.md) has the totals of each source. This is the full list of refusals.

*Legitimate*: somebody needs the answer, so an exemption is needed. *Mistake*: a link that is broken for
everybody. *Hostile*: a scanner or a spammer.

"""

RULE: Final = """\

## The rule

A rejection of `STANDARD` that hits more than one in {most:,} of these legitimate targets, or any legitimate
request of these applications, must become a narrower rule, a redirect or a *report*, or have a documented
exemption. The decisions are also listed with [the kinds](kinds.md), as *In real use*:

"""


def page(results: dict[str, Any], decisions: dict[str, str]) -> str:
    """Return the whole page."""
    return "".join(
        [
            OPENING,
            *_applications(results["applications"]),
            DIFFERENCES,
            *_differences(results["applications"]),
            REFUSALS,
            *_refusals(results["urls"]),
            RULE.format(most=MOST),
            *_line(["Kind", "Legitimate targets refused", "Applications", "Decision"], head=True),
            *(
                line
                for kind, decision in decisions.items()
                for line in _line(
                    [
                        f"[`{kind}`](kinds.md#{kind})",
                        figure(results, kind),
                        applications_with(results, kind),
                        decision,
                    ]
                )
            ),
        ]
    )


def roll_out(text: str, results: dict[str, Any]) -> str:
    """Return the page of the roll-out with the table of URLs written anew."""
    table = "".join(_sources(results["urls"]))
    return _BETWEEN.sub(lambda found: f"{found[1]}\n{table}\n{found[2]}", text)


def figure(results: dict[str, Any], kind: str) -> str:
    """Return the share of the legitimate targets that a kind refuses, as text."""
    count, total = counted(results, kind)
    return f"{count} of {total:,} ({MOST * count / total:.1f} in {MOST:,})"


def counted(results: dict[str, Any], kind: str) -> tuple[int, int]:
    """Return how many legitimate targets a kind refuses, and how many targets count as legitimate."""
    refused = [each for source in results["urls"].values() for each in source["refused"]]
    others = sum(each["judged"] != "legitimate" for each in refused)
    refusals = sum(each["judged"] == "legitimate" and kind in each["kinds"].split() for each in refused)
    return refusals, sum(source["targets"] for source in results["urls"].values()) - others


def applications_with(results: dict[str, Any], kind: str) -> str:
    """Return the applications whose tests send a legitimate request that a kind refuses."""
    found = {
        name: sum(
            row["count"]
            for row in facts["rows"]
            if row["class"] == "exempt" and kind in {each.partition(":")[2] for each in row["kinds"]}
        )
        for name, facts in results["applications"].items()
    }
    return ", ".join(f"{name} ({count})" for name, count in found.items() if count) or "none"


def refusing_kinds(results: dict[str, Any]) -> set[str]:
    """Return the kinds that refuse a legitimate request, and therefore need a decision."""
    kinds = {
        kind
        for source in results["urls"].values()
        for each in source["refused"]
        if each["judged"] == "legitimate"
        for kind in each["kinds"].split()
    }
    return kinds | {
        each.partition(":")[2]
        for facts in results["applications"].values()
        for row in facts["rows"]
        if row["class"] in {"exempt", "defect"}
        for each in row["kinds"]
    }


def _applications(applications: dict[str, Any]) -> Iterator[str]:
    yield from _line(
        ["Application", "Protocol", "Tests", "Run", "Fail without postel", "Requests", "Edited", *CLASSES],
        head=True,
    )
    totals: Counter[str] = Counter()
    for facts in applications.values():
        counts = Counter(dict.fromkeys(CLASSES, 0))
        for row in facts["rows"]:
            counts[row["class"]] += row["count"]
        counts.update({key: facts[key] for key in ("tests", "failing", "requests")})
        counts["edited"] = sum(facts["edited"].values())
        totals.update(counts)
        yield from _line(
            [
                f"{facts['distribution']} {facts['version']}",
                facts["protocol"],
                facts["what"],
                *_counts(counts),
            ]
        )
    yield from _line([f"{len(applications)} applications", "", "", *_counts(totals)])


def _counts(counts: Counter[str]) -> list[str]:
    return [f"{counts[name]:,}" for name in ("tests", "failing", "requests", "edited", *CLASSES)]


def _differences(applications: dict[str, Any]) -> Iterator[str]:
    yield from _line(["Application", "Class", "Number", "What", "Such as", "Why"], head=True)
    for facts in applications.values():
        for row in sorted(facts["rows"], key=lambda row: CLASSES.index(row["class"])):
            kinds = ", ".join(f"`{kind.partition(':')[2]}`" for kind in row["kinds"])
            what = f"{' or '.join(row['what'])}: {kinds}" if kinds else "another outcome"
            why = f"{row['why']}; `{row['exemption']}`: {TOLD[row['told']]}" if row["told"] else row["why"]
            yield from _line(
                [facts["distribution"], row["class"], str(row["count"]), what, _code(row["example"]), why]
            )


def _sources(sources: dict[str, Any]) -> Iterator[str]:
    yield from _line(
        ["Source", "Targets", "Refused", "Legitimate", "Redirected", "Refused, by kind"], head=True
    )
    targets = refused = legitimate = redirected = 0
    for facts in sources.values():
        kinds = Counter(each["kinds"] for each in facts["refused"])
        wanted = sum(each["judged"] == "legitimate" for each in facts["refused"])
        moved = sum(facts["redirected"].values())
        by_kind = ", ".join(f"`{kind}` {count}" for kind, count in sorted(kinds.items()))
        yield from _line(
            [facts["what"], f"{facts['targets']:,}", str(kinds.total()), str(wanted), str(moved), by_kind]
        )
        targets, refused = targets + facts["targets"], refused + kinds.total()
        legitimate, redirected = legitimate + wanted, redirected + moved
    yield from _line(["all", f"{targets:,}", str(refused), str(legitimate), str(redirected), ""])


def _refusals(sources: dict[str, Any]) -> Iterator[str]:
    yield from _line(["Source", "Kind", "Number", "Judged", "Why"], head=True)
    for name, facts in sources.items():
        groups = Counter((each["kinds"], each["judged"], each["why"]) for each in facts["refused"])
        for (kinds, judged, why), count in groups.items():
            yield from _line([name, f"`{kinds}`", str(count), judged, why])


def _line(cells: Iterable[str], *, head: bool = False) -> Iterator[str]:
    cells = [cell.replace("|", "\\|") for cell in cells]
    yield f"| {' | '.join(cells)} |\n"
    if head:
        yield f"| {' | '.join(['---'] * len(cells))} |\n"


def _code(text: str) -> str:
    """Return a request as Markdown code, with an escape for each character that cannot be printed."""
    shown = text.strip().encode("ascii", "backslashreplace").decode()
    shown = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in shown)
    if len(shown) > 70:
        shown = shown[:67] + "..."
    fence = "``" if "`" in shown else "`"
    return f"{fence}{shown}{fence}" if shown else ""


def decided() -> dict[str, str]:
    """Return the decision about each kind."""
    found: dict[str, str] = tomllib.loads((HERE / "decisions.toml").read_text("utf-8"))
    return found


def read() -> dict[str, Any]:
    """Return the results of the last runs."""
    found: dict[str, Any] = json.loads(RESULTS.read_text("utf-8"))
    return found


def collect() -> None:
    """Copy the facts of the last runs into the results; other results stay unchanged."""
    results = read() if RESULTS.exists() else {"applications": {}, "urls": {}}
    names = list(tomllib.loads((HERE / "applications.toml").read_text("utf-8")))
    for path in sorted(FACTS.glob("*.json")):
        facts = json.loads(path.read_text("utf-8"))
        if path.stem == "urls":
            results["urls"].update(facts)
        else:
            results["applications"][path.stem] = facts
    results["applications"] = {
        name: results["applications"][name] for name in names if name in results["applications"]
    }
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    if "--collect" in sys.argv[1:]:
        collect()
    found = read()
    PAGE.write_text(page(found, decided()), "utf-8")
    ROLL_OUT.write_text(roll_out(ROLL_OUT.read_text("utf-8"), found), "utf-8")
