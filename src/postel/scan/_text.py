"""The report as text for terminals, in printable lines."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from postel._alphabet.printable import shown_octets
from postel.scan._conclusion import conclusion, exact_share
from postel.scan._exemptions import Exemption
from postel.scan._kind_rows import POLICIES, KindRow, Top
from postel.scan._refusals import Refusal
from postel.scan._sender import SENDERS
from postel.scan._summary import Summary

_LONGEST: Final = 88
_COLUMNS: Final = ("kind", "where", "requests", "share", "clients", *POLICIES[1:], "redirected", "senders")
ANY_LOG: Final = "Logs do not show forms, cookies, most headers, or how a proxy respells a URL."
NO_CLAUSE: Final = "no clause is suggested that leaves it unchanged; correct the link if it is yours"
_EXCERPT: Final = 24
_NUMBERS: Final = 3
"""The first column with numbers, counted from 1; all later columns except the last hold numbers, too."""

Strong = Callable[[str], str]
"""Formats a heading."""


def report_lines(summary: Summary, strong: Strong = str, *, against: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines of the report; ``against`` holds the sentences of a comparison.

    >>> from postel.scan import Summary, Tally
    >>> next(report_lines(Summary.of(Tally())))
    '0 requests from 0 clients, judged by: standard'
    """
    yield from _totals(summary, strong)
    if summary.routes:
        yield ""
        yield from _routes(summary, strong)
    if summary.kinds:
        yield ""
        yield from _table(summary, strong)
    for row in summary.kinds:
        if row.requests:
            yield ""
            yield from _details(row, strong)
    if summary.refusals:
        yield ""
        yield strong("examples of refused requests, those probably from people first")
        for refusal in summary.refusals:
            yield from _refusal(refusal)
    if against:
        yield ""
        yield strong("since the last scan")
        for sentence in against:
            yield from _wrapped(f"  {sentence}", indent=4)
    yield ""
    yield from _advice(summary, strong)


def _totals(summary: Summary, strong: Strong) -> Iterator[str]:
    clients = _about(summary.clients, exact=summary.clients_exact)
    requests = f"{summary.requests:,} {_noun('request', summary.requests)}"
    total = f"{requests} from {clients} {_noun('client', summary.clients)}"
    yield f"{strong(total)}, judged by: {summary.policy}"
    for label, count in summary.outcomes.items():
        yield f"  {label:10}  {count:>12,}  {exact_share(count, summary.requests):>9}"
    for name in POLICIES[1:]:
        label = "refused by" if name == POLICIES[1] else ""
        count, moved = summary.refused[name], summary.redirected[name]
        aside = f", and {moved:,} redirected" if moved else ""
        yield f"  {label:10}  {count:>12,}  {exact_share(count, summary.requests):>9}  {name}{aside}"
    unreadable = sum(summary.unreadable.values())
    yield f"  unreadable  {unreadable:>12,}  {exact_share(unreadable, summary.lines):>9} of the lines"
    for reason, count in summary.unreadable.items():
        yield f"              {count:>12,}  {reason}"
    for each in summary.unreadable_examples:
        yield f"    {each['reason']}: {_printable(each['line'])}"
    for format_, kinds in summary.blind.items():
        yield from _wrapped(f"  In a path, the format {format_} cannot show these kinds: {', '.join(kinds)}.")
    for format_, words in summary.hides.items():
        yield from _wrapped(f"  The format {format_} does not show: {'; '.join(words)}.")
    if summary.requests:
        yield from _wrapped(f"  {ANY_LOG}")


def _routes(summary: Summary, strong: Strong) -> Iterator[str]:
    rows = [("what would change, by route", "refused", "redirected", "edited")]
    rows += [
        (_shown(each.route), f"{each.refused:,}", f"{each.redirected:,}", f"{each.edited:,}")
        for each in summary.routes
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, (route, *counts) in enumerate(rows):
        cells = [
            route.ljust(widths[0]),
            *(each.rjust(width) for each, width in zip(counts, widths[1:], strict=True)),
        ]
        text = "  ".join(cells)
        yield strong(text) if number == 0 else text
    if summary.routes_left_out:
        yield f"and {summary.routes_left_out}"


def _table(summary: Summary, strong: Strong) -> Iterator[str]:
    rows = [_COLUMNS, *(_cells(row, summary.requests) for row in summary.kinds)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        cells = [
            cell.rjust(width) if _NUMBERS <= place + 1 < len(_COLUMNS) else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        text = "  ".join(cells).rstrip()
        yield strong(text) if number == 0 else text


def _cells(row: KindRow, requests: int) -> tuple[str, ...]:
    return (
        row.kind,
        row.component,
        f"{row.requests:,}",
        exact_share(row.requests, requests),
        _about(row.clients, exact=row.clients_exact),
        *(f"{row.refused_by[name]:,}" for name in POLICIES[1:]),
        f"{row.redirected_by['policy']:,}",
        _senders(row),
    )


def _senders(row: KindRow) -> str:
    return ", ".join(f"{sender} {row.senders[sender]:,}" for sender in SENDERS if row.senders[sender]) or "-"


def _details(row: KindRow, strong: Strong) -> Iterator[str]:
    yield strong(f"{row.kind} in {row.component}") + f": {row.summary}"
    actions = ", ".join(f"{action} {count:,}" for action, count in row.actions.items())
    yield f"  action    {actions}"
    yield from _wrapped(f"  senders   {_senders(row)}: {row.reason}", indent=12)
    if row.sent_by:
        yield from _wrapped(f"  sent by   {row.sent_by}", indent=12)
    for number, clause in enumerate(row.exemptions):
        yield from _wrapped(f"  {'clauses' if number == 0 else '':8}  {_clause(clause)}", indent=12)
    for label, tops in (("routes", row.routes), ("agents", row.agents), ("referers", row.referers)):
        yield from _tops(label, tops, exact=row.tops_exact)
    for number, example in enumerate(row.examples):
        yield f"  {'such as' if number == 0 else '':8}  {_shown(example)}"


def _tops(label: str, tops: list[Top], *, exact: bool) -> Iterator[str]:
    for number, top in enumerate(tops):
        head = label if number == 0 else ""
        yield f"  {head:8}  {_about(top.requests, exact=exact):>9}  {_shown(top.text)}"


def _refusal(refusal: Refusal) -> Iterator[str]:
    answered = f", answered with {refusal.status}" if refusal.status else ""
    dots = "" if refusal.whole else "..."
    target = shown_octets(refusal.target.encode("latin-1"), len(refusal.target))
    yield f"  {_shown(refusal.method)} {target}{dots}"
    yield f"    {refusal.sender}{answered}"
    for label, text in (("agent", refusal.agent), ("referer", refusal.referer)):
        if text:
            yield f"    {label:8}  {_shown(text)}"
    for reason in refusal.reasons:
        excerpt = shown_octets(reason.excerpt.encode("latin-1"), _EXCERPT)
        yield from _wrapped(
            f'    {reason.kind} in {reason.component}, "{excerpt}": {reason.summary}', indent=6
        )
        clause = reason.exemption
        yield from _wrapped(
            f"      {f'clause: {clause.clause}{clause.below}' if clause else NO_CLAUSE}", indent=8
        )


def _advice(summary: Summary, strong: Strong) -> Iterator[str]:
    suggestion = summary.suggestion
    if summary.code:
        yield strong("suggested policy")
        for line in summary.code.split("\n"):
            yield f"  {line}"
        for clause in suggestion.clauses:
            yield from _wrapped(f"  {_clause(clause)}", indent=4)
        if suggestion.if_yours:
            yield strong("only if you know that the unclear requests are legitimate")
            for clause in suggestion.if_yours:
                yield from _wrapped(f"  {_clause(clause)}", indent=4)
        yield ""
    yield strong("conclusion")
    for sentence in conclusion(summary):
        yield from _wrapped(f"  {sentence}")


def _clause(clause: Exemption) -> str:
    guarantee = f". You guarantee: {clause.guarantee}" if clause.guarantee else "."
    return f"{clause.clause}{clause.below}: {clause.effect}{guarantee}"


def _wrapped(text: str, indent: int = 2) -> list[str]:
    return textwrap.wrap(
        text, _LONGEST + 12, subsequent_indent=" " * indent, break_on_hyphens=False, break_long_words=False
    )


def _shown(text: str) -> str:
    return shown_octets(text.encode("latin-1"), _LONGEST)


def _printable(line: str) -> str:
    """Write a line of a log as printable ASCII; escapes in the log stay."""
    return "".join(each if " " <= each <= "~" else f"\\x{ord(each):02x}" for each in line[:_LONGEST])


def _noun(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"


def _about(count: int, *, exact: bool) -> str:
    return f"{count:,}" if exact else f"~{count:,}"
