"""The tables of docs/servers.md that show what frameworks read, without postel and behind it."""

from __future__ import annotations

from importlib.metadata import version

from frameworks.asking import BARE, Bench, bench
from frameworks.readers import FRAMEWORKS, Framework, Read
from tables import head, line
from targets import BY_NAME, Sample

READ = (
    "umlaut-lower",
    "tilde-escape",
    "encoded-slash",
    "encoded-question",
    "double-escape",
    "leading-slashes",
    "empty-segment",
    "dots",
    "backslash",
    "line-feed",
    "nul",
    "no-hex",
    "latin1",
    "overlong-slash",
    "bare-latin1",
    "semicolon-in-query",
    "percent-off-in-query",
    "latin1-in-query",
    "surrogate-in-query",
    "bare-latin1-in-query",
    "nul-in-query",
)
"""The targets that the page shows for each framework."""


READING = """\
## Frameworks

The tables show what the accessors of each framework return for the path and the query parameters, without
postel and behind `NormalizeMiddleware` with `Policy.STANDARD`; a number is the status of an answer. The
targets are handed over in-process, in the form that gunicorn and uvicorn with h11 use. `tests/frameworks`
also compares the parameter of the route, the full URL and all other targets.

The full URLs that frameworks build are not always right. Flask, Quart, Starlette, FastAPI, Falcon and
Litestar do not escape a percent sign in the path again. Falcon, Litestar and Flask's `request.full_path` do
not escape `?` and `#`: there, the path of `/health%3F/secret` is `/health`. Do not use these URLs in guards.
Starlette before 1.9 did not escape them either; `postel.asgi` refuses such requests to it. Litestar also
merges slashes in the path, and Sanic's path stays percent-encoded.

These are the versions of `constraints.txt`. [Frameworks](frameworks.md) shows what older and newer versions
read from whole requests, which versions were run, and every place in which they rebuild a URL.

"""


def code(text: str) -> str:
    """Text as code in a cell, printable and on one line."""
    printable = "".join(c if c.isprintable() and c != "`" else ascii(c)[1:-1] for c in text)
    return f"`{printable}`".replace("|", "\\|")


def octets_of(sample: Sample) -> str:
    """A target as code, in ASCII."""
    text = ascii(sample.octets)[2:-1].replace("\\\\", "\\")
    return code(text if len(text) < 60 else f"{text[:20]}... ({len(sample.octets)} octets)")


def framework_table(asked: Bench, framework: Framework) -> str:
    rows = [
        line(
            (
                octets_of(sample),
                reading(asked, framework, BARE, sample),
                reading(asked, framework, "STANDARD", sample),
            )
        )
        for sample in map(BY_NAME.__getitem__, READ)
    ]
    title = f"### {framework.name} ({version(framework.distribution)})\n\n"
    return title + head(("Target", "Without postel", "Behind postel")) + "".join(rows) + "\n"


def reading(asked: Bench, framework: Framework, stack: str, sample: Sample) -> str:
    found: Read = asked.read(framework, stack, sample)
    if found.path is None:
        return str(found.status)
    pairs = " ".join(code(f"{name}={value}") for name, value in found.pairs)
    return f"{code(found.path)} {pairs}".rstrip()


def framework_tables() -> str:
    with bench() as asked:
        tables = "".join(framework_table(asked, framework) for framework in FRAMEWORKS)
    return READING + tables.rstrip("\n") + "\n"
