"""Write docs/servers.md from a run of every server on it; ``make servers-page`` runs this file."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from platform import python_version_tuple
from subprocess import run as run_command

from framework_tables import code, framework_tables, octets_of
from postel import Accepted
from servers.configurations import ASGI_SERVERS, FRONTS, PREFIXED, WSGI_SERVERS
from servers.fronts import libraries, program
from servers.matrix import Configuration, asked_of, run
from servers.views import Shown
from tables import head, line
from targets import SAMPLES

PAGE = Path(__file__).parents[1] / "docs" / "servers.md"
NONE = "\N{EN DASH}"
SERVER_HEAD = (
    "Server",
    "Version",
    "Raw target",
    "Reach the application",
    "Arrive as sent",
    "Decoded once",
    "Not seen in a path",
    "What postel judges",
)
DIFFERING_HEAD = (
    "Server",
    "Accepted, though the octets are refused",
    "Refused, though the octets are accepted",
)

# -- servers -------------------------------------------------------------------------------------------------


def title(configuration: Configuration) -> str:
    return f"{configuration.name} ({configuration.protocol.upper()})"


def versions(configuration: Configuration) -> str:
    if configuration.distributions:
        own, *others = configuration.distributions
        return ", ".join((version(own), *(f"{each} {version(each)}" for each in others)))
    name = configuration.name.partition(",")[0]
    if name == "wsgiref":
        return f"CPython {'.'.join(python_version_tuple()[:2])}"
    own = version_of_program(program("nginx" if name == "nginx" else "apache2") or "")
    if configuration.behind is None:
        return own
    return f"{own}, {configuration.behind.name} {version(configuration.behind.module)}"


def version_of_program(command: str) -> str:
    """Return the version that nginx or Apache prints, without the part that Debian changes with every fix."""
    environment = dict(libraries())
    said = run_command([command, "-v"], capture_output=True, text=True, check=True, env=environment)  # noqa: S603
    number = (said.stdout + said.stderr).partition("/")[2].split()[0]
    return ".".join(number.split(".")[:2])


def server_row(configuration: Configuration) -> str:
    made = run(configuration)
    shown = [Shown(made, sample) for sample in made.samples]
    verbatim = [each for each in shown if each.verbatim]
    faithful = [each for each in verbatim if each.faithful]
    missed = sorted(set().union(*(each.missed for each in shown)))
    keys = sorted({key for each in shown for key in (each.bare.view or {})["raw"]})
    if not keys:
        judged = "the decoded path, as data; `verbatim` is false"
    elif len(faithful) < len(verbatim):
        judged = "both; the decoded path wins"
    else:
        judged = "the raw target"
    if any((made.of("STANDARD", sample).report or {})["blind"] for sample in made.samples):
        judged += "; `blind` names what is not seen"
    return line(
        (
            title(configuration),
            versions(configuration),
            ", ".join(map(code, keys)) or "none",
            f"{len(shown)} of {len(asked_of(configuration))}",
            str(len(verbatim)) if keys else NONE,
            str(len(faithful)) if keys else NONE,
            ", ".join(missed) or NONE,
            judged,
        )
    )


def differing_row(configuration: Configuration) -> str:
    """Return the targets whose verdict differs from that on their octets, because the server hides some."""
    made = run(configuration)
    through: list[str] = []
    stopped: list[str] = []
    for sample in made.samples:
        expected = isinstance(Shown(made, sample).expected("STANDARD"), Accepted)
        accepted = made.of("STANDARD", sample).view is not None
        if accepted != expected:
            (through if accepted else stopped).append(octets_of(sample))
    return line((title(configuration), " ".join(through) or NONE, " ".join(stopped) or NONE))


# -- the page ------------------------------------------------------------------------------------------------

INTRODUCTION = f"""\
# Servers and frameworks

This page shows how real servers pass on {len(SAMPLES)} request targets ([the list](../tests/targets.toml)),
how frameworks read them, and what postel does. `make servers-page` writes this page from a run of all
servers; `make servers` and `make test` fail if the page differs from their results.

## Servers

- *Raw target* is the key of the environ or scope that holds the target as received.
- *Arrive as sent* counts the targets that reach the application octet by octet (on ASGI with path and
  query apart, so a `?` without a query is lost). The server refuses those that do not reach it.
- *Decoded once* counts the targets for which the decoded path is the path as sent, decoded once. For all of
  these, postel has the same verdict on every server, and passes on the same path and pairs; a test covers
  each target and policy.
- *Not seen in a path* lists kinds that `Policy.STRICT` finds in the octets as sent, and that cannot be
  detected behind this server.

What postel judges:

- **The raw target**, if there is one and the decoded path agrees with it.
- **Both**, if some decoded paths differ. The target as sent is judged, too. Then the request is refused, or
  the application receives the decoded path, which it would have routed on without postel.
- **The decoded path, as data**, if there is no raw target. `report.verbatim` is then false, and
  `report.blind` names the kinds that cannot be detected. The log warns of this once.

"""
PREFIXES = """\
## Servers under a prefix

This table shows the same for an application that is mounted at `/sub`. The servers receive `/sub` and the
target, except uvicorn, which adds the prefix to both views itself. Targets without a leading slash are sent
only to uvicorn.

"""
DIFFERING = """\
## Faults that servers hide

The table lists the targets for which the verdict of `Policy.STANDARD` on a server differs from its verdict on
the octets as sent. An accepted one is passed on as the path that the application would have routed on without
postel.

"""


def page() -> str:
    servers = [*ASGI_SERVERS, *WSGI_SERVERS, *FRONTS]
    return "".join(
        (
            INTRODUCTION,
            head(SERVER_HEAD),
            *map(server_row, servers),
            "\n",
            PREFIXES,
            head(SERVER_HEAD),
            *map(server_row, PREFIXED),
            "\n",
            DIFFERING,
            head(DIFFERING_HEAD),
            *map(differing_row, (*servers, *PREFIXED)),
            "\n",
            framework_tables(),
        )
    )


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
