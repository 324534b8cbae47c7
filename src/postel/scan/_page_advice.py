"""The advice on the page: examples of refused requests, changes since the last scan, a suggested policy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from postel.scan._conclusion import conclusion
from postel.scan._exemptions import Exemption
from postel.scan._markup import Markup, octets, tag
from postel.scan._refusals import Refusal
from postel.scan._summary import Summary
from postel.scan._text import NO_CLAUSE


def refusals_of(summary: Summary) -> Iterator[Markup]:
    """Some refused requests in full."""
    if summary.refusals:
        yield tag("h2", "Examples of refused requests, those probably from people first")
        yield tag("ul", *map(_refusal, summary.refusals), class_="plain")


def _refusal(refusal: Refusal) -> Markup:
    answered = f", answered with {refusal.status}" if refusal.status else ""
    headers = [
        (label, text) for label, text in (("agent", refusal.agent), ("referer", refusal.referer)) if text
    ]
    reasons = (
        tag(
            "li",
            f"{each.kind} in {each.component}, ",
            octets(each.excerpt),
            f": {each.summary}. ",
            tag("ul", tag("li", tag("code", each.exemption.clause), each.exemption.below))
            if each.exemption
            else f"{NO_CLAUSE}.",
        )
        for each in refusal.reasons
    )
    return tag(
        "li",
        octets(refusal.method),
        " ",
        octets(refusal.target, len(refusal.target)),
        "" if refusal.whole else "...",
        f" {refusal.sender}{answered}",
        tag("ul", *(tag("li", f"{label} ", octets(text)) for label, text in headers), *reasons),
    )


def clauses_of(clauses: Sequence[Exemption]) -> Iterator[Markup]:
    """Clauses as list items."""
    for each in clauses:
        guarantee = f". You guarantee: {each.guarantee}" if each.guarantee else "."
        yield tag("li", tag("code", each.clause), f"{each.below}: {each.effect}{guarantee}")


def against_of(sentences: Sequence[str]) -> Iterator[Markup]:
    """What has changed since the last scan."""
    if sentences:
        yield tag("h2", "Since the last scan")
        yield tag("ul", *(tag("li", each) for each in sentences))


def advice_of(summary: Summary) -> Iterator[Markup]:
    """The suggested policy and the conclusion."""
    suggestion = summary.suggestion
    if summary.code:
        yield tag("h2", "Suggested policy")
        yield tag("pre", summary.code)
        yield tag("ul", *clauses_of(suggestion.clauses))
        if suggestion.if_yours:
            yield tag("h3", "Only if you know that the unclear requests are legitimate")
            yield tag("ul", *clauses_of(suggestion.if_yours))
    yield tag("h2", "Conclusion")
    yield tag("ul", *(tag("li", each) for each in conclusion(summary)))
