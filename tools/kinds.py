"""docs/kinds.md, made from the catalogue. ``make pages`` runs this file, which writes the page anew.

``tests/project/test_docs.py`` fails if the catalogue has changed and the page has not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import real_page as real
from postel import Action, Component, Kind, Policy
from postel._catalogue.views import View
from postel._http.readings import JUDGED
from postel._policy.rules import COMPONENTS

PAGE: Final = Path(__file__).parent.parent / "docs" / "kinds.md"
PRESETS: Final = ("STRICT", "STANDARD", "LENIENT")
LONGEST: Final = 60
"""The longest example that is shown in full, in octets; some have thousands."""
LINKS: Final = (
    (r"RFC (\d+), section ([\d.]+)", r"[\g<0>](https://www.rfc-editor.org/rfc/rfc\1#section-\2)"),
    (r"RFC (\d+)(?![\d,])", r"[\g<0>](https://www.rfc-editor.org/rfc/rfc\1)"),
    (r"CVE-\d+-\d+", r"[\g<0>](https://www.cve.org/CVERecord?id=\g<0>)"),
    (r"CWE-(\d+)", r"[\g<0>](https://cwe.mitre.org/data/definitions/\1.html)"),
    (r"^Limits", r"[\g<0>](api.md)"),
    (r"PEP (\d+)", r"[\g<0>](https://peps.python.org/pep-\1/)"),
)
HIDING: Final = {
    View.DECODED: "the decoded path of a server without a raw target",
    View.MERGED: "the target of Werkzeug's development server",
    View.REWRITTEN: "logs whose paths were decoded and encoded again",
    View.CLEANED: "logs whose paths were decoded, resolved and encoded again",
    View.UNESCAPED: "logs whose paths were decoded and resolved",
    View.ESCAPED: "logs that escape bare octets",
    View.SITELESS: "logs without scheme and host",
}
"""The views that hide kinds, in words."""
HEAD: Final = """\
<!-- Made by "make pages" from src/postel/_catalogue/kinds.py, not edited by hand. -->

# The kinds

The faults that a request can have, and the action of each preset. A faulty octet belongs to one kind, the
first on this page that matches it. `postel explain SLUG` shows the same in a terminal, and
[Choose a policy](policy.md) explains how to change a preset.

| action | what happens |
|---|---|
| `allow` | left unchanged, and not reported |
| `report` | reported, and left unchanged |
| `repair` | repaired, in the way that the kind defines |
| `preserve` | the path that the application reads keeps the escape |
| `replace` | the faulty octets, and only those, are replaced with U+FFFD |
| `drop` | the faulty octets are dropped, or [more than these](policy.md#change-a-policy) |
| `drop-pair` | the whole `name=value` is dropped |
| `reject` | the request is refused |

`headers=` or `locations=` in place of an action marks faults of cookies and of responses. Policies do not
apply to these: they are judged only if the middleware has this setting, which also names the action. With
`headers=`, three kinds of other faults are judged in cookies and Referer, too; their sections say so.

In the section of each kind, the column *example* shows an input with its fault (a URL, a form, JSON or
header fields); *near miss* shows a similar one without it.

## All of them

"""


def page() -> str:
    """Return the whole page."""
    table = ["| kind | where | STRICT | STANDARD | LENIENT |", "|---|---|---|---|---|"]
    table += [f"| {link(kind)} | {' | '.join(row)} |" for kind in Kind for row in rows(kind)]
    return HEAD + "\n".join(table) + "\n\n" + "\n".join(line for kind in Kind for line in section(kind))


def link(kind: Kind) -> str:
    return f"[`{kind.slug}`](#{kind.slug})"


def rows(kind: Kind) -> Iterator[list[str]]:
    """Yield the presets' actions; components with the same actions share a row."""
    alike: dict[tuple[Action, ...], list[Component]] = {}
    for component in kind.check.components:
        alike.setdefault(kind.check.presets[component], []).append(component)
    for components in alike.values():
        yield [", ".join(each.value for each in components), *cells(kind, components[0])]


def cells(kind: Kind, component: Component) -> list[str]:
    """Return the action of each preset, or the setting if presets have none."""
    if component not in COMPONENTS:
        return [f"`{setting_for(component)}`"] * len(PRESETS)
    return [f"`{each.value}`" for each in kind.check.presets[component]]


def setting_for(component: Component) -> str:
    """Return the setting that chooses the action where no policy does."""
    return "locations=" if component is Component.LOCATION else "headers="


def section(kind: Kind) -> Iterator[str]:
    """Yield the lines about one kind."""
    check = kind.check
    yield f"## {kind.slug}"
    yield ""
    yield sentence(check.summary)
    yield ""
    yield "| where | STRICT | STANDARD | LENIENT | example | near miss |"
    yield "|---|---|---|---|---|---|"
    for component in check.components:
        examples = [written(each[component]) for each in (check.example, check.near_miss)]
        yield f"| {component.value} | {' | '.join([*cells(kind, component), *examples])} |"
    yield ""
    for label, text in facts(kind):
        yield f"- **{label}** {text}"
    yield ""


def facts(kind: Kind) -> Iterator[tuple[str, str]]:
    """Yield further facts, each with a label."""
    check = kind.check
    supported: dict[str, list[str]] = {}
    for component in check.components:
        words = ", ".join(f"`{each.value}`" for each in Action if each in check.actions[component])
        supported.setdefault(words, []).append(component.value)
    supported = [
        words if len(supported) == 1 else f"in {', '.join(where)} {words}"
        for words, where in supported.items()
    ]
    ruled = set(check.components) <= set(COMPONENTS)
    setting = setting_for(check.components[0])
    yield "Actions:" if ruled else f"Actions of `{setting}`, not of a policy:", "; ".join(supported) + "."
    if kind in JUDGED:
        yield "Judged in cookies and Referer, too,", "if `headers=` names these."
    if check.names_only:
        yield "Detected", "in the names of parameters only."
    if check.repair:
        yield "Repair:", sentence(check.repair.summary)
    if check.if_allowed:
        yield "If you allow it, guarantee:", escaped(check.if_allowed)
    if check.if_edited:
        yield "If you let postel edit it, guarantee:", escaped(check.if_edited)
    if check.if_preserved:
        yield "If you preserve the escape, guarantee:", escaped(check.if_preserved)
    rules = [rule for rule in Policy.STANDARD.rules if rule.kind is kind]
    for action in dict.fromkeys(rule.action for rule in rules):
        names = dict.fromkeys(f"`{rule.pattern.text}`" for rule in rules if rule.action is action)
        of = ", ".join(names)
        yield "Exception:", f"`STANDARD` has the action `{action.value}` for the parameters {of}."
    if decision := real.decided().get(kind.slug):
        results = real.read()
        count = real.figure(results, kind.slug)
        yield (
            "In [real use](real.md),",
            f"`STANDARD` refuses {count} legitimate targets; applications whose tests need such a request: "
            f"{real.applications_with(results, kind.slug)}. {decision}",
        )
    if check.limit:
        yield "Limit:", f"`{check.limit}` of `Limits`."
    if check.hidden_in:
        yield "Cannot be seen in", "; ".join(HIDING[view] for view in View if view in check.hidden_in) + "."
    if check.status != 400:
        yield "Status:", f"{check.status} instead of 400."
    yield "Reference:", linked(check.reference) + "."


def written(octets: bytes) -> str:
    """Octets as code in a table cell."""
    shown = octets.decode("ascii", "backslashreplace")
    shown = re.sub(r"[\0-\x1f\x7f]", lambda match: f"\\x{ord(match[0]):02x}", shown)
    if len(octets) > LONGEST:
        return f"`{shown[:12]}`... ({len(octets)} octets)".replace("|", "\\|")
    fence = "``" if "`" in shown else "`"
    pad = " " if fence == "``" or shown != shown.strip() else ""
    return (fence + pad + shown + pad + fence).replace("|", "\\|") if shown else "(empty)"


def sentence(text: str) -> str:
    return escaped(text[0].upper() + text[1:]) + "."


def escaped(text: str) -> str:
    """Escape Markdown in text."""
    return re.sub(r"([\\`*_<>\[\]{}|#])", r"\\\1", text)


def linked(text: str) -> str:
    """Link each source in a reference that has an address."""
    for pattern, replacement in LINKS:
        text = re.sub(pattern, replacement, text)
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
