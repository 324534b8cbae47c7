"""The report for people who read it in a terminal: printable lines, whatever was scanned."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from typing import Final

from postel._printable import shown_octets
from postel.scan._summary import POLICIES, Line, Summary, Top

_LONGEST: Final = 88
_COLUMNS: Final = ("kind", "where", "requests", "share", "clients", *POLICIES[1:], "hits")
_NUMBERS: Final = 3
"""The columns from here to the last but one are numbers."""

Strong = Callable[[str], str]
"""How a heading is set off."""


def report_lines(summary: Summary, strong: Strong = str) -> Iterator[str]:
    """The lines of the report.

    >>> from postel.scan import Summary, Tally
    >>> next(report_lines(Summary.of(Tally())))
    '0 requests of 0 clients, judged by: standard'
    """
    yield from _totals(summary, strong)
    if summary.kinds:
        yield ""
        yield from _table(summary, strong)
    for line in summary.kinds:
        if line.requests:
            yield ""
            yield from _details(line, strong)
    yield ""
    yield from _advice(summary, strong)


def _totals(summary: Summary, strong: Strong) -> Iterator[str]:
    clients = _about(summary.clients, exact=summary.clients_exact)
    yield strong(f"{summary.requests:,} requests of {clients} clients") + f", judged by: {summary.policy}"
    yield f"  clean       {summary.clean:>12,}  {_percent(summary.clean, summary.requests)}"
    for name in POLICIES:
        label = "refused" if name == "policy" else "refused by" if name == POLICIES[1] else ""
        count = summary.refused[name]
        which = "" if name == "policy" else f"  {name}"
        yield f"  {label:10}  {count:>12,}  {_percent(count, summary.requests)}{which}"
    unreadable = sum(summary.unreadable.values())
    yield f"  unreadable  {unreadable:>12,}  {_percent(unreadable, summary.lines)} of the lines"
    for reason, count in summary.unreadable.items():
        yield f"              {count:>12,}  {reason}"
    for each in summary.unreadable_examples:
        yield f"    {each['reason']}: {_printable(each['line'])}"
    for format_, kinds in summary.blind.items():
        yield from _wrapped(f"  A log of format {format_} cannot show in a path: {', '.join(kinds)}.")


def _table(summary: Summary, strong: Strong) -> Iterator[str]:
    rows = [_COLUMNS, *map(_cells, summary.kinds)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        cells = [
            cell.rjust(width) if _NUMBERS <= place + 1 < len(_COLUMNS) else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        text = "  ".join(cells).rstrip()
        yield strong(text) if number == 0 else text


def _cells(line: Line) -> tuple[str, ...]:
    return (
        line.kind,
        line.component,
        f"{line.requests:,}",
        f"{100 * line.share:.3f} %",
        _about(line.clients, exact=line.clients_exact),
        *(f"{line.refused_by[name]:,}" for name in POLICIES[1:]),
        line.who if line.requests else "-",
    )


def _details(line: Line, strong: Strong) -> Iterator[str]:
    yield strong(f"{line.kind} in {line.component}") + f": {line.summary}"
    actions = ", ".join(f"{action} {count:,}" for action, count in line.actions.items())
    yield f"  action    {actions}"
    yield from _wrapped(f"  hits      {line.who}: {line.reason}", indent=12)
    for label, tops in (("routes", line.routes), ("agents", line.agents), ("referers", line.referers)):
        yield from _tops(label, tops, exact=line.tops_exact)
    for number, example in enumerate(line.examples):
        yield f"  {'such as' if number == 0 else '':8}  {_shown(example)}"


def _tops(label: str, tops: list[Top], *, exact: bool) -> Iterator[str]:
    for number, top in enumerate(tops):
        head = label if number == 0 else ""
        yield f"  {head:8}  {_about(top.requests, exact=exact):>9}  {_shown(top.text)}"


def _advice(summary: Summary, strong: Strong) -> Iterator[str]:
    suggestion = summary.suggestion
    yield strong("to begin with")
    for line in suggestion.code.split("\n"):
        yield f"  {line}"
    for clause in suggestion.clauses:
        where = f" below {clause.route}" if clause.route else ""
        yield from _wrapped(
            f"  {clause.clause}{where}: {clause.effect}. {clause.guarantee}".rstrip(), indent=4
        )
    if suggestion.tried:
        yield from _wrapped(
            f"  Of {suggestion.tried:,} refused requests that are probably people's, "
            f"it lets {suggestion.passing:,} pass."
        )
    elif summary.refused["policy"]:
        yield "  Nothing that is refused looks like people's."


def _wrapped(text: str, indent: int = 2) -> list[str]:
    return textwrap.wrap(
        text, _LONGEST + 12, subsequent_indent=" " * indent, break_on_hyphens=False, break_long_words=False
    )


def _shown(text: str) -> str:
    return shown_octets(text.encode("latin-1"), _LONGEST)


def _printable(line: str) -> str:
    """A line of a log, which has escapes of its own."""
    return "".join(each if " " <= each <= "~" else f"\\x{ord(each):02x}" for each in line[:_LONGEST])


def _about(count: int, *, exact: bool) -> str:
    return f"{count:,}" if exact else f"~{count:,}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):7.3f} %"
