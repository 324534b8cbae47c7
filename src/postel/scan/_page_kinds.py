"""The kinds on the page: a table of all kinds, and details of each kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from postel.scan._charts import bar
from postel.scan._likeness import LIKENESSES
from postel.scan._lines import POLICIES, Line, Top
from postel.scan._markup import Markup, figure, octets, tag
from postel.scan._page_advice import clauses_of
from postel.scan._summary import Summary


def kinds_of(summary: Summary) -> Iterator[Markup]:
    """Yield the table of kinds, and the details of each kind."""
    if not summary.kinds:
        return
    yield tag("h2", "What was found")
    most = max(line.requests for line in summary.kinds)
    heads = ("kind", "in", "", "requests", "clients", *POLICIES[1:], "308", "like")
    head = tag(
        "tr",
        *(
            tag("th", each, class_="number" if 3 <= place < len(heads) - 1 else "")
            for place, each in enumerate(heads)
        ),
    )
    rows = (_row(number, line, most) for number, line in enumerate(summary.kinds))
    yield tag("div", tag("table", tag("thead", head), tag("tbody", *rows)), class_="sheet")
    yield tag(
        "p",
        "The column of each preset counts the requests that the preset would refuse for the kind; 308 counts "
        "those that this policy would redirect to single slashes. The last column guesses who sent them.",
        class_="soft",
    )
    yield tag("h2", "Details")
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
        tag("td", figure(f"{place}.requests", line.requests), class_="number"),
        tag("td", figure(f"{place}.clients", line.clients, exact=line.clients_exact), class_="number"),
        *(
            tag("td", figure(f"{place}.refused_by.{name}", line.refused_by[name]), class_="number")
            for name in POLICIES[1:]
        ),
        tag(
            "td",
            figure(f"{place}.redirected_by.policy", line.redirected_by["policy"]),
            class_="number",
        ),
        tag("td", *_chips(number, line)),
    )


def _chips(number: int, line: Line) -> Iterator[Markup]:
    for who in LIKENESSES:
        if line.hits[who]:
            count = figure(f"kinds.{number}.hits.{who}", line.hits[who])
            yield tag("span", f"{who} ", count, class_=f"chip {who}")


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
            [tag("h3", "Clauses that would accept these requests"), tag("ul", *clauses_of(line.exemptions))]
            if line.exemptions
            else []
        ),
        *(
            piece
            for name, heading, top in tops
            if top
            for piece in _tops(f"{place}.{name}", heading, top, line)
        ),
        tag("h3", "Examples"),
        tag("ul", *(tag("li", octets(each)) for each in line.examples), class_="plain"),
    )


def _tops(place: str, heading: str, tops: Sequence[Top], line: Line) -> Iterator[Markup]:
    yield tag("h3", heading if line.tops_exact else f"{heading}, estimated")
    rows = (
        tag(
            "tr",
            tag(
                "td",
                figure(f"{place}.{number}.requests", top.requests, exact=line.tops_exact),
                class_="number",
            ),
            tag("td", bar(top.requests, line.requests, "reported", f"{top.requests:,}"), class_="chart"),
            tag("td", octets(top.text), class_="text"),
        )
        for number, top in enumerate(tops)
    )
    yield tag("table", tag("tbody", *rows))
