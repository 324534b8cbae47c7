"""Send requests with second meanings to readers, with and without postel."""

from __future__ import annotations

import atexit
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import postel.asgi
import postel.wsgi
from postel import Report
from readers.asking import App, Reader, Seen, ask
from readers.meanings import SETTINGS, Meaning
from readers.places import make_folder
from readers.sites import path_handed


@dataclass(frozen=True)
class Answer:
    """The answer of a reader to a request with a second meaning."""

    seen: Seen
    wrong: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    """What postel has found: the kinds of its findings."""

    def __str__(self) -> str:
        """Return the cell of the page: bold if there is a second meaning."""
        if not self.seen.asked:
            return f"{self.seen.status}: {', '.join(map(code, self.kinds))}"
        if not self.wrong:
            read = "read" if self.seen.status == 200 else str(self.seen.status)
            return "; ".join([read, ", ".join(map(code, self.kinds))] if self.kinds else [read])
        return f"**{', '.join(self._told())}**"

    def _told(self) -> list[str]:
        if self.seen.status >= 500:
            return ["500"]
        first, *others = self.wrong
        value = self.seen.places.get(first)
        return [first if value is None else f"{first} {code(_shortened(value))}", *others]


def _shortened(value: Any) -> str:
    """Return a place as text: pairs as in a query, and an exception by its name."""
    if isinstance(value, dict):
        return f"raises {value['raised']}"
    return "&".join("=".join(pair) for pair in value) if isinstance(value, list) else str(value)


def code(text: str) -> str:
    """Return text as code for a cell, printable and on one line."""
    printable = "".join(c if c.isprintable() and c not in "`|" else ascii(c)[1:-1] for c in text)
    return f"`{printable}`"


@cache
def folder() -> Path:
    made = Path(mkdtemp(prefix="postel-readers-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return make_folder(made)


@cache
def _application(reader: Reader, of_site: bool) -> Any:
    if not of_site:
        return reader.everything()
    assert reader.site is not None
    return reader.site(folder())


def concerns(meaning: Meaning, reader: Reader) -> bool:
    return meaning.readers(reader) and not (meaning.of_site and reader.site is None)


@cache  # Each answer is compared with the expected one, and with the page.
def bare(meaning: Meaning, reader: Reader) -> Answer:
    return _asked(meaning, reader, None, [])


@cache
def behind(meaning: Meaning, reader: Reader) -> Answer:
    """Return the answer behind postel, with the settings that the meaning names."""
    middleware = (postel.asgi if reader.protocol == "asgi" else postel.wsgi).NormalizeMiddleware
    settings = dict(SETTINGS)
    if meaning.others is not None:
        settings["forms"] = postel.Forms(others=meaning.others)
    reports: list[Report] = []
    return _asked(
        meaning,
        reader,
        lambda app: middleware(app, meaning.policy(), observer=reports.append, **settings),
        reports,
    )


def _asked(meaning: Meaning, reader: Reader, wrap: Any, reports: list[Report]) -> Answer:
    handed: list[str] = []
    app = App(
        reader,
        _application(reader, meaning.of_site),
        wrap,
        lambda given: handed.append(path_handed(given)),
    )
    seen = ask(app, meaning.request)
    kinds = tuple(dict.fromkeys(each.kind.slug for report in reports for each in report.findings))
    wrong = tuple(meaning.wrong(reader.name, seen, handed[-1])) if seen.asked else ()
    return Answer(seen, wrong, kinds)
