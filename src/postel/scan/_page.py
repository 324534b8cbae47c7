"""The report as one page of HTML to send to a colleague: no script, nothing fetched, all text escaped.

What was received stands in it as printable ASCII, and never in a link. The Content-Security-Policy allows
one style sheet, by its digest, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from importlib import resources
from typing import Final

from postel._printable import shown_octets
from postel.scan._charts import bar, stacked, swatch
from postel.scan._conclusion import conclusion
from postel.scan._exemptions import Clause
from postel.scan._likeness import LIKENESSES
from postel.scan._lines import POLICIES, Line, Top
from postel.scan._markup import Markup, tag
from postel.scan._summary import Summary
from postel.scan._text import ANY_LOG

_LONGEST: Final = 200
_POLICY: Final = (
    "default-src 'none'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'"
)
_HITS: Final = {
    "people": "like people's",
    "unclear": "unclear",
    "scanners": "like scanners'",
}


def page_of(summary: Summary) -> str:
    """The page.

    Each figure stands in a ``data`` element, whose ``data-figure`` says where ``--json`` has it.

    >>> from postel.scan import Summary, Tally
    >>> page_of(Summary.of(Tally()))[:15]
    '<!DOCTYPE html>'
    """
    body = tag(
        "body", *_header(summary), *_verdicts(summary), *_kinds(summary), *_advice(summary), *_rest(summary)
    )
    return "<!DOCTYPE html>\n" + tag("html", _head(), body, lang="en").text + "\n"


def _head() -> Markup:
    style = resources.files("postel.scan").joinpath("page.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY.format(digest)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", "postel scan"),
        # Else a browser asks the server for one.
        tag("link", rel="icon", href="data:,"),
        tag("style", Markup(style)),
    )


def _figure(place: str, value: int, *, exact: bool = True) -> Markup:
    shown = f"{value:,}" if exact else f"~{value:,}"
    return tag("data", shown, value=value, data_figure=place)


def _header(summary: Summary) -> Iterator[Markup]:
    yield tag("h1", "What these requests would meet")
    yield tag("p", "Judged by the policy ", tag("code", summary.policy), ".", class_="soft")
    unreadable = sum(summary.unreadable.values())
    cards = (
        (_figure("requests", summary.requests), "requests"),
        (_figure("clients", summary.clients, exact=summary.clients_exact), "clients"),
        (
            _figure("refused.policy", summary.refused["policy"]),
            f"refused, {_share(summary.refused['policy'], summary)}",
        ),
        (tag("data", f"{unreadable:,}", value=unreadable), "lines not read"),
    )
    yield tag(
        "div",
        *(tag("div", number, tag("span", label, class_="soft"), class_="card") for number, label in cards),
        class_="cards",
    )


def _verdicts(summary: Summary) -> Iterator[Markup]:
    words = {
        "clean": ("clean", "nothing to note"),
        "noted": ("noted", "noted, and taken as they are"),
        "edited": ("noted", "edited"),
        "redirected": ("noted", "redirected to single slashes"),
        "refused": ("refused", "refused"),
    }
    parts = [(count, *words[outcome]) for outcome, count in summary.outcomes.items()]
    yield tag("h2", "What happens to them")
    label = ", ".join(f"{words}: {count:,}" for count, _, words in parts)
    legend = (
        tag("li", swatch(kind), f"{words} {count:,} ({_share(count, summary)})")
        for count, kind, words in parts
    )
    yield tag(
        "div",
        stacked([(count, kind) for count, kind, _ in parts], label),
        tag("ul", *legend, class_="legend"),
        class_="sheet",
    )
    yield tag("h2", "What each policy would refuse")
    rows = (
        tag(
            "tr",
            tag("td", "this policy" if name == "policy" else name, class_="name"),
            tag(
                "td",
                bar(
                    summary.refused[name], summary.requests, "refused", f"{summary.refused[name]:,} requests"
                ),
                class_="chart",
            ),
            tag("td", _figure(f"refused.{name}", summary.refused[name]), class_="number"),
            tag("td", _share(summary.refused[name], summary), class_="number soft"),
        )
        for name in POLICIES
    )
    yield tag("div", tag("table", tag("tbody", *rows)), class_="sheet")
    if summary.routes:
        yield tag("h2", "What this policy would change, by route")
        heads = ("route", "refused", "redirected", "edited")
        head = tag(
            "tr", *(tag("th", each, class_="number" if place else "") for place, each in enumerate(heads))
        )
        lines = (
            tag(
                "tr",
                tag("td", tag("code", _shown(each.route)), class_="text"),
                tag("td", _figure(f"routes.{number}.refused", each.refused), class_="number"),
                tag("td", _figure(f"routes.{number}.redirected", each.redirected), class_="number"),
                tag("td", _figure(f"routes.{number}.edited", each.edited), class_="number"),
            )
            for number, each in enumerate(summary.routes)
        )
        yield tag("div", tag("table", tag("thead", head), tag("tbody", *lines)), class_="sheet")
        if summary.routes_left_out:
            yield tag("p", f"And {summary.routes_left_out}.", class_="soft")


def _kinds(summary: Summary) -> Iterator[Markup]:
    if not summary.kinds:
        return
    yield tag("h2", "What was found")
    most = max(line.requests for line in summary.kinds)
    heads = ("kind", "in", "", "requests", "clients", *POLICIES[1:], "redirected", "hits")
    head = tag(
        "tr",
        *(
            tag("th", each, class_="number" if 3 <= place < len(heads) - 1 else "")
            for place, each in enumerate(heads)
        ),
    )
    rows = (_row(number, line, most) for number, line in enumerate(summary.kinds))
    yield tag("div", tag("table", tag("thead", head), tag("tbody", *rows)), class_="sheet")
    yield tag("p", "Under the name of a preset: the requests that it would refuse for this.", class_="soft")
    yield tag("h2", "One by one")
    for number, line in enumerate(summary.kinds):
        if line.requests:
            yield _details(number, line)


def _row(number: int, line: Line, most: int) -> Markup:
    place = f"kinds.{number}"
    return tag(
        "tr",
        tag("td", tag("code", line.kind), class_="name"),
        tag("td", line.component),
        tag("td", bar(line.requests, most, line.who, f"{line.requests:,} requests"), class_="chart"),
        tag("td", _figure(f"{place}.requests", line.requests), class_="number"),
        tag("td", _figure(f"{place}.clients", line.clients, exact=line.clients_exact), class_="number"),
        *(
            tag("td", _figure(f"{place}.refused_by.{name}", line.refused_by[name]), class_="number")
            for name in POLICIES[1:]
        ),
        tag(
            "td",
            _figure(f"{place}.redirected_by.policy", line.redirected_by["policy"]),
            class_="number",
        ),
        tag("td", *_chips(number, line)),
    )


def _chips(number: int, line: Line) -> Iterator[Markup]:
    for who in LIKENESSES:
        if line.hits[who]:
            count = _figure(f"kinds.{number}.hits.{who}", line.hits[who])
            yield tag("span", f"{_HITS[who]} ", count, class_=f"chip {who}")


def _details(number: int, line: Line) -> Markup:
    place = f"kinds.{number}"
    actions = ", ".join(f"{action} {count:,}" for action, count in line.actions.items())
    tops = (
        ("routes", "Routes", line.routes),
        ("agents", "Agents", line.agents),
        ("referers", "Referers", line.referers),
    )
    return tag(
        "details",
        tag(
            "summary",
            tag("b", tag("code", line.kind), f" in {line.component}"),
            *_chips(number, line),
            f" {line.requests:,}",
        ),
        tag("p", line.summary, "."),
        tag("p", f"Action: {actions}. The log says: {line.reason}.", class_="soft"),
        *([tag("p", line.sent_by, class_="soft")] if line.sent_by else []),
        *(
            [tag("h3", "What would keep it working"), tag("ul", *_clauses(line.exemptions))]
            if line.exemptions
            else []
        ),
        *(
            piece
            for name, heading, top in tops
            if top
            for piece in _tops(f"{place}.{name}", heading, top, line)
        ),
        tag("h3", "Such as"),
        tag("ul", *(tag("li", tag("code", _shown(each))) for each in line.examples), class_="plain"),
    )


def _tops(place: str, heading: str, tops: Sequence[Top], line: Line) -> Iterator[Markup]:
    yield tag("h3", heading if line.tops_exact else f"{heading}, estimated")
    rows = (
        tag(
            "tr",
            tag(
                "td",
                _figure(f"{place}.{number}.requests", top.requests, exact=line.tops_exact),
                class_="number",
            ),
            tag("td", bar(top.requests, line.requests, "noted", f"{top.requests:,}"), class_="chart"),
            tag("td", tag("code", _shown(top.text)), class_="text"),
        )
        for number, top in enumerate(tops)
    )
    yield tag("table", tag("tbody", *rows))


def _clauses(clauses: Sequence[Clause]) -> Iterator[Markup]:
    for each in clauses:
        where = f" below {each.route}" if each.route else ""
        asked = f". You guarantee: {each.guarantee}" if each.guarantee else "."
        yield tag("li", tag("code", each.clause), f"{where}: {each.effect}{asked}")


def _advice(summary: Summary) -> Iterator[Markup]:
    suggestion = summary.suggestion
    if summary.code:
        yield tag("h2", "To begin with")
        yield tag("pre", summary.code)
        yield tag("ul", *_clauses(suggestion.clauses))
        if suggestion.if_yours:
            yield tag("h3", "Only if you know that the unclear requests are legitimate")
            yield tag("ul", *_clauses(suggestion.if_yours))
    yield tag("h2", "Conclusion")
    yield tag("ul", *(tag("li", each) for each in conclusion(summary)))


def _rest(summary: Summary) -> Iterator[Markup]:
    if summary.unreadable:
        yield tag("h2", "Lines that were not read")
        rows = (
            tag("tr", tag("td", reason), tag("td", _figure(f"unreadable.{reason}", count), class_="number"))
            for reason, count in summary.unreadable.items()
        )
        examples = (tag("li", tag("code", _shown(each["line"]))) for each in summary.unreadable_examples)
        yield tag(
            "div", tag("table", tag("tbody", *rows)), tag("ul", *examples, class_="plain"), class_="sheet"
        )
    formats = ", ".join(f"{name} {count:,}" for name, count in summary.formats.items()) or "none"
    notes = [
        f"A log of format {name} cannot show in a path: {', '.join(kinds)}."
        for name, kinds in summary.blind.items()
    ]
    notes += [
        f"A log of format {name} does not show: {_shown('; '.join(words))}."
        for name, words in summary.hides.items()
    ]
    notes.append(ANY_LOG)
    yield tag(
        "footer",
        tag(
            "p",
            "Lines: ",
            _figure("lines", summary.lines),
            f", of format {formats}. Taken as they are: ",
            _figure("clean", summary.clean),
            ".",
        ),
        *(tag("p", note) for note in notes),
        tag("p", "A figure with ~ is an estimate from a sample. Made by postel scan."),
    )


def _shown(text: str) -> str:
    return shown_octets(text.encode("latin-1"), _LONGEST)


def _share(part: int, summary: Summary) -> str:
    return f"{100 * part / max(1, summary.requests):.3f} %"
