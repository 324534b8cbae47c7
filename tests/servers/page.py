"""What docs/servers.md is made of. Run this file to write it anew, from a run of everything on it."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path
from platform import python_version_tuple
from subprocess import run as run_command

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

from frameworks.page import code, framework_tables, head, line, octets_of
from postel import Accepted
from servers.configurations import ASGI_SERVERS, FRONTS, PREFIXED, WSGI_SERVERS
from servers.fronts import libraries, program
from servers.matrix import Configuration, asked_of, run
from servers.views import Shown
from targets import SAMPLES

PAGE = Path(__file__).parents[2] / "docs" / "servers.md"
NONE = "–"
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
    own = said_by(program("nginx" if name == "nginx" else "apache2") or "")
    if configuration.behind is None:
        return own
    return f"{own}, {configuration.behind.name} {version(configuration.behind.module)}"


def said_by(command: str) -> str:
    """The version that nginx or Apache says it has, without the part that Debian changes with every fix."""
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
    """The targets on which STANDARD says something else than on their octets, since the server hides them."""
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

What real servers hand over of {len(SAMPLES)} request targets ([the list](../tests/targets.toml)), what
frameworks read of them, and what postel does about it. This page is written by `make servers-page` from a run
of all of them; `make servers` and `make test` fail where it is not what they see.

## Servers

- *Raw target* is the key of the environ or scope that holds the target as it was received.
- *Arrive as sent*: so many of the targets that reach the application stand there octet by octet (in ASGI path
  and query apart, so that a `?` with nothing behind it is lost). What does not reach it, the server refuses.
- *Decoded once*: so many times the decoded path beside it is that path, decoded once. For all these postel
  says the same on every server, and hands on the same path and pairs: a test for each target and policy.
- *Not seen in a path*: kinds that `Policy.STRICT` finds in the octets that were sent, and that nobody behind
  this server can see.

What postel judges:

- **The raw target**, where it is there and the decoded path agrees with it.
- **Both**, where some decoded paths are something else. The application gets the decoded path, which is what
  it would have routed on without postel, or the request is refused; what was sent is judged all the same.
- **The decoded path, as data**, where there is no raw target. `report.verbatim` is false then, and
  `report.blind` names the kinds that can not be seen.

"""
PREFIXES = """\
## Servers under a prefix

The same, with the application at `/sub`; targets that begin with no slash are left out, but on uvicorn, which
puts the prefix in front of both views itself. The others are asked for `/sub` and the target.

"""
DIFFERING = """\
## Where a server hides what is wrong

The targets for which `Policy.STANDARD` does not say on a server what it says of the octets that were sent.
They are accepted as what the application would have routed on without postel.

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
