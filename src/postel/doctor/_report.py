"""The report for a terminal: the readings first, then each finding in the style of a compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from postel import Policy
from postel._alphabet.columns import aligned
from postel._alphabet.printable import shown
from postel.doctor._answer import Answer, Difference
from postel.doctor._catalogue import COOKIES, FORMS
from postel.doctor._disagreement import Disagreement
from postel.doctor._examination import Examination, Reading

Strong = Callable[[str], str]


def report_lines(examination: Examination, strong: Strong = str) -> Iterator[str]:
    """Yield the lines of a report; ``strong`` highlights a text."""
    versions = ", ".join(f"{name} {version}" for name, version in examination.versions.items())
    on = f", {versions}" if versions else ", no known framework"
    yield strong(f"{shown(examination.name)}: {examination.protocol}{on}, {examination.server}")
    routes = _counted(len(examination.routes), "route")
    settings = f"{FORMS} and {COOKIES}"
    yield f"{examination.requests:,} requests, {routes}; the policy is {examination.policy}, with {settings}"
    if examination.slow:
        left_out = ", ".join(route.request.line() for route in examination.slow)
        yield f"left out, because they take longer than a second: {left_out}"
    yield from remarks(examination)
    yield ""
    yield from _table(examination)
    for finding in examination.bare:
        behind = "gone" if examination.is_gone(finding) else "still there"
        yield from _finding(finding, examination, behind, strong)
    known = {each.key() for each in examination.bare}
    for finding in examination.behind:
        if finding.key() not in known:
            yield from _finding(finding, examination, "found only there", strong)
    yield strong(
        f"{_counted(len(examination.bare), 'finding')} without postel, "
        f"{len(examination.behind)} behind the policy"
    )


def remarks(examination: Examination) -> Iterator[str]:
    """Yield remarks that a reader needs in order to understand the findings."""
    if examination.is_wrapped:
        yield "postel already wraps this application, so 'without postel' means behind that middleware alone."
    if not examination.routes and not examination.slow:
        yield "No route is known, so no guard was examined. Name pages with --route."
    if examination.missing:
        missing = ", ".join(route.request.line() for route in examination.missing)
        yield f"answered with 404, so their names may be wrong: {missing}"


def _table(examination: Examination) -> Iterator[str]:
    interesting = [each for each in examination.readings if each.is_of_interest]
    if not examination.versions:
        yield "No known framework was found, so only the application's answers were compared."
        yield ""
        return
    if not interesting:
        yield f"None of the {len(examination.readings)} requests of the catalogue is read in two ways."
        yield ""
        return
    rows = [
        ("what was sent", "without postel", "behind the policy", "closed by"),
        *(_row(each, examination.policy) for each in interesting),
    ]
    yield from aligned(rows)
    yield ""
    rest = len(examination.readings) - len(interesting)
    yield "These places differ from what the server passed on. Code that reads them can be misled."
    yield f"{_counted(rest, 'other request')} of the catalogue showed no difference."
    yield ""


def _row(reading: Reading, policy: Policy) -> tuple[str, str, str, str]:
    sent = f"{reading.meaning.family.value}: {reading.meaning.name}"
    return sent, _cell(reading.bare), _cell(reading.behind), reading.clause(policy)


def _cell(answer: Answer) -> str:
    if answer.note is None:
        return f"refused, {answer.status}" if answer.status else "no answer"
    return ", ".join(dict.fromkeys(map(_place, answer.note.differences))) or "one meaning"


def _place(each: Difference) -> str:
    return f"{each.place} {each.value}" if each.is_raised else each.place


def _finding(finding: Disagreement, examination: Examination, behind: str, strong: Strong) -> Iterator[str]:
    yield f"{strong('finding:')} {shown(finding.title)}"
    yield f" --> {finding.request.line()}"
    for sentence in (*sentences(finding, examination), f"behind the policy: {behind}"):
        yield f"  = {shown(sentence)}"
    yield f"  $ {finding.request.curl()}"
    yield ""


def sentences(finding: Disagreement, examination: Examination) -> list[str]:
    """Return sentences about a finding: what was read, why it matters, what closes it."""
    more = (
        [f"{_counted(finding.others, 'other request')} of this kind did the same"] if finding.others else []
    )
    similar = [f"a similar vulnerability: {finding.cve}"] if finding.cve else []
    clause = finding.clause(examination.policy, is_gone=examination.is_gone(finding))
    if clause.startswith("add "):
        clause = f"to close it, {clause}"
    elif finding.kinds:
        clause = f"closed by {clause}"
    return [
        *finding.saw,
        *more,
        f"why it matters: {finding.why}",
        *similar,
        clause,
    ]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
