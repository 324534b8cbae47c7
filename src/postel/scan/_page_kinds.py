"""The kinds on the page: a table of all kinds, and details of each kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from postel.scan._charts import bar
from postel.scan._kind_rows import POLICIES, KindRow, Top
from postel.scan._markup import Markup, figure, octets, tag
from postel.scan._page_advice import clauses_of
from postel.scan._sender import SENDERS
from postel.scan._summary import Summary


def kinds_of(summary: Summary) -> Iterator[Markup]:
    """Yield the table of kinds, and the details of each kind."""
    if not summary.kinds:
        return
    yield tag("h2", "What was found")
    most = max(row.requests for row in summary.kinds)
    heads = ("kind", "in", "", "requests", "clients", *POLICIES[1:], "308", "senders")
    head = tag(
        "tr",
        *(
            tag("th", each, class_="number" if 3 <= place < len(heads) - 1 else "")
            for place, each in enumerate(heads)
        ),
    )
    rows = (_row(number, row, most) for number, row in enumerate(summary.kinds))
    yield tag("div", tag("table", tag("thead", head), tag("tbody", *rows)), class_="sheet")
    yield tag(
        "p",
        "The column of each preset counts the requests that the preset would refuse for the kind; 308 counts "
        "those that this policy would redirect to single slashes. The last column guesses who sent them.",
        class_="soft",
    )
    yield tag("h2", "Details")
    for number, row in enumerate(summary.kinds):
        if row.requests:
            yield _details(number, row)


def _row(number: int, row: KindRow, most: int) -> Markup:
    place = f"kinds.{number}"
    return tag(
        "tr",
        tag("td", tag("code", row.kind), class_="name"),
        tag("td", row.component),
        tag("td", bar(row.requests, most, row.main_sender, f"{row.requests:,} requests"), class_="chart"),
        tag("td", figure(f"{place}.requests", row.requests), class_="number"),
        tag("td", figure(f"{place}.clients", row.clients, exact=row.clients_exact), class_="number"),
        *(
            tag("td", figure(f"{place}.refused_by.{name}", row.refused_by[name]), class_="number")
            for name in POLICIES[1:]
        ),
        tag(
            "td",
            figure(f"{place}.redirected_by.policy", row.redirected_by["policy"]),
            class_="number",
        ),
        tag("td", *_chips(number, row)),
    )


def _chips(number: int, row: KindRow) -> Iterator[Markup]:
    for sender in SENDERS:
        if row.senders[sender]:
            count = figure(f"kinds.{number}.senders.{sender}", row.senders[sender])
            yield tag("span", f"{sender} ", count, class_=f"chip {sender}")


def _details(number: int, row: KindRow) -> Markup:
    place = f"kinds.{number}"
    actions = ", ".join(f"{action} {count:,}" for action, count in row.actions.items())
    tops = (
        ("routes", "Routes", row.routes),
        ("agents", "Agents", row.agents),
        ("referers", "Referers", row.referers),
    )
    return tag(
        "details",
        tag(
            "summary",
            tag("b", tag("code", row.kind), f" in {row.component}"),
            *_chips(number, row),
            f" {row.requests:,}",
        ),
        tag("p", row.summary, "."),
        tag("p", f"Action: {actions}. The log says: {row.reason}.", class_="soft"),
        *([tag("p", row.sent_by, class_="soft")] if row.sent_by else []),
        *(
            [tag("h3", "Clauses that would accept these requests"), tag("ul", *clauses_of(row.exemptions))]
            if row.exemptions
            else []
        ),
        *(
            piece
            for name, heading, top in tops
            if top
            for piece in _tops(f"{place}.{name}", heading, top, row)
        ),
        tag("h3", "Examples"),
        tag("ul", *(tag("li", octets(each)) for each in row.examples), class_="plain"),
    )


def _tops(place: str, heading: str, tops: Sequence[Top], row: KindRow) -> Iterator[Markup]:
    yield tag("h3", heading if row.tops_exact else f"{heading}, estimated")
    rows = (
        tag(
            "tr",
            tag(
                "td",
                figure(f"{place}.{number}.requests", top.requests, exact=row.tops_exact),
                class_="number",
            ),
            tag("td", bar(top.requests, row.requests, "reported", f"{top.requests:,}"), class_="chart"),
            tag("td", octets(top.text), class_="text"),
        )
        for number, top in enumerate(tops)
    )
    yield tag("table", tag("tbody", *rows))
