"""The report as one HTML page, to share with colleagues: no scripts, nothing fetched, all text escaped.

Received octets appear as printable ASCII and never in a link. The Content-Security-Policy allows one style
sheet, by its digest, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from importlib import resources
from typing import Final

from postel.scan._charts import bar, stacked, swatch
from postel.scan._conclusion import exact_share
from postel.scan._kind_rows import POLICIES
from postel.scan._markup import Markup, figure, octets, tag
from postel.scan._page_advice import advice_of, against_of, refusals_of
from postel.scan._page_kinds import kinds_of
from postel.scan._summary import Summary
from postel.scan._text import ANY_LOG

_CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'"
)


def page_of(summary: Summary, *, against: Sequence[str] = ()) -> str:
    """Return the page; ``against`` holds the sentences of a comparison.

    Each figure is in a ``data`` element, whose ``data-figure`` gives its path in the output of ``--json``.

    >>> from postel.scan import Summary, Tally
    >>> page_of(Summary.of(Tally()))[:15]
    '<!DOCTYPE html>'
    """
    body = tag(
        "body",
        *_header(summary),
        *_verdicts(summary),
        *kinds_of(summary),
        *refusals_of(summary),
        *against_of(against),
        *advice_of(summary),
        *_rest(summary),
    )
    return "<!DOCTYPE html>\n" + tag("html", _head(), body, lang="en").text + "\n"


def _head() -> Markup:
    style = resources.files("postel.scan").joinpath("page.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_CONTENT_SECURITY_POLICY.format(digest)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", "postel scan"),
        # Without this icon, a browser requests one from the server.
        tag("link", rel="icon", href="data:,"),
        tag("style", Markup(style)),
    )


def _header(summary: Summary) -> Iterator[Markup]:
    yield tag("h1", "What would happen to these requests")
    yield tag("p", "Judged by the policy ", tag("code", summary.policy), ".", class_="soft")
    unreadable = sum(summary.unreadable.values())
    cards = (
        (figure("requests", summary.requests), "requests"),
        (figure("clients", summary.clients, exact=summary.clients_exact), "clients"),
        (
            figure("refused.policy", summary.refused["policy"]),
            f"refused, {exact_share(summary.refused['policy'], summary.requests)}",
        ),
        (
            figure("refused_senders.people", summary.refused_senders["people"]),
            "of these, probably from people",
        ),
        (figure("refused_senders.unclear", summary.refused_senders["unclear"]), "of these, unclear"),
        (tag("data", f"{unreadable:,}", value=unreadable), "lines not read"),
    )
    yield tag(
        "div",
        *(tag("div", number, tag("span", label, class_="soft"), class_="card") for number, label in cards),
        class_="cards",
    )


def _verdicts(summary: Summary) -> Iterator[Markup]:
    words = {
        "clean": ("clean", "accepted without findings"),
        "reported": ("reported", "reported, and accepted unchanged"),
        "edited": ("reported", "edited"),
        "redirected": ("reported", "redirected to single slashes"),
        "refused": ("refused", "refused"),
    }
    parts = [(count, *words[outcome]) for outcome, count in summary.outcomes.items()]
    yield tag("h2", "What happens to them")
    label = ", ".join(f"{words}: {count:,}" for count, _, words in parts)
    legend = (
        tag("li", swatch(kind), f"{words} {count:,} ({exact_share(count, summary.requests)})")
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
            tag("td", figure(f"refused.{name}", summary.refused[name]), class_="number"),
            tag("td", exact_share(summary.refused[name], summary.requests), class_="number soft"),
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
                tag("td", octets(each.route), class_="text"),
                tag("td", figure(f"routes.{number}.refused", each.refused), class_="number"),
                tag("td", figure(f"routes.{number}.redirected", each.redirected), class_="number"),
                tag("td", figure(f"routes.{number}.edited", each.edited), class_="number"),
            )
            for number, each in enumerate(summary.routes)
        )
        yield tag("div", tag("table", tag("thead", head), tag("tbody", *lines)), class_="sheet")
        if summary.routes_left_out:
            yield tag("p", f"And {summary.routes_left_out}.", class_="soft")


def _rest(summary: Summary) -> Iterator[Markup]:
    if summary.unreadable:
        yield tag("h2", "Lines that were not read")
        rows = (
            tag("tr", tag("td", reason), tag("td", figure(f"unreadable.{reason}", count), class_="number"))
            for reason, count in summary.unreadable.items()
        )
        examples = (tag("li", octets(each["line"])) for each in summary.unreadable_examples)
        yield tag(
            "div", tag("table", tag("tbody", *rows)), tag("ul", *examples, class_="plain"), class_="sheet"
        )
    formats = ", ".join(f"{name} {count:,}" for name, count in summary.formats.items()) or "none"
    notes = [
        f"In a path, the format {name} cannot show these kinds: {', '.join(kinds)}."
        for name, kinds in summary.blind.items()
    ]
    notes += [
        f"The format {name} does not show: {'; '.join(words)}." for name, words in summary.hides.items()
    ]
    notes.append(ANY_LOG)
    yield tag(
        "footer",
        tag(
            "p",
            "Lines: ",
            figure("lines", summary.lines),
            f" ({formats}). Accepted without findings: ",
            figure("clean", summary.clean),
            ".",
        ),
        *(tag("p", note) for note in notes),
        tag("p", "A figure with ~ is an estimate from a sample. Created by postel scan."),
    )
