"""The report as one HTML page, to share with colleagues: no scripts, nothing fetched, all text escaped."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Final

from postel._alphabet.printable import shown
from postel.doctor._answer import Answer
from postel.doctor._disagreement import Disagreement
from postel.doctor._examination import Examination
from postel.doctor._report import remarks, sentences

_STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse}td,th{border:1px solid #999;padding:.3em .6em;text-align:left}"
    "code,pre{background:#eee;color:#111;overflow-wrap:anywhere;white-space:pre-wrap}"
)
_HEAD: Final = (
    '<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">"
    '<meta name="viewport" content="width=device-width"><title>postel doctor</title>'
    f'<link rel="icon" href="data:,"><style>{_STYLE}</style>'
)


def page_of(examination: Examination) -> str:
    """Return the page."""
    return "\n".join(
        [
            f'<!DOCTYPE html>\n<html lang="en"><head>{_HEAD}</head><body>',
            f"<h1>{_text(examination.name)}</h1>",
            f"<p>{_summary(examination)}</p>",
            *(f"<p>{_text(remark)}</p>" for remark in remarks(examination)),
            "<h2>Readings</h2>",
            *_readings(examination),
            "<h2>Findings without postel</h2>",
            *_findings(examination.bare, examination),
            "<h2>Findings behind the policy</h2>",
            *_findings(examination.behind, examination),
            "</body></html>\n",
        ]
    )


def _summary(examination: Examination) -> str:
    versions = (
        ", ".join(f"{name} {version}" for name, version in examination.versions.items()) or "no framework"
    )
    words = (
        f"{examination.protocol}, {versions}, {examination.server}, {examination.requests:,} requests, policy"
    )
    return f"{_text(words)} <code>{_text(str(examination.policy))}</code>"


def _readings(examination: Examination) -> Iterator[str]:
    yield "<table><tr><th>what was sent<th>without postel<th>behind the policy<th>closed by</tr>"
    for each in examination.readings:
        if each.is_of_interest:
            cells = (
                each.meaning.name,
                *map(_cell, (each.bare, each.behind)),
                each.clause(examination.policy),
            )
            yield "<tr>" + "".join(f"<td>{_text(cell)}" for cell in cells) + "</tr>"
    yield "</table>"


def _cell(answer: Answer) -> str:
    if answer.note is None:
        return f"refused, {answer.status}" if answer.status else "no answer"
    return "; ".join(f"{each.place}: {each.value}" for each in answer.note.differences) or "one meaning"


def _findings(findings: tuple[Disagreement, ...], examination: Examination) -> Iterator[str]:
    for each in findings:
        yield f"<h3>{_text(each.title)}</h3><ul>"
        yield from (f"<li>{_text(sentence)}" for sentence in sentences(each, examination))
        yield f"</ul><pre>{_text(each.request.curl())}</pre>"
    if not findings:
        yield "<p>None.</p>"


def _text(text: str) -> str:
    return html.escape(shown(text))
