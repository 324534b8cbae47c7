"""Readers in other languages: each is a small program in ``programs/``, run once for all queries.

A program reads one query a line, in hex. For each it writes a line with its pairs as ``name:value``, in hex,
each with a space after it, or ``!`` if its reader raises an error.

Their interpreters and compilers are looked up on PATH, and then in the folder that POSTEL_READERS names. By
default this is ``.venv-evidence/readers`` in the checkout, where ``make evidence`` unpacks Debian's packages
without installing them. Tests of a language are skipped if it is missing or its program does not run, and the
reason names the language.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias, final

Pairs: TypeAlias = Sequence[tuple[str, str]]

REFUSES: Final = [("this reader", "refuses")]
"""The reading of a query for which a reader raises an error."""

PROGRAMS: Final = Path(__file__).with_name("programs")
UNPACKED: Final = Path(
    os.environ.get("POSTEL_READERS") or Path(__file__).parents[2] / ".venv-evidence" / "readers"
)
LIBRARIES: Final = str(UNPACKED / "usr/lib/x86_64-linux-gnu")


class AbsentError(Exception):
    """A language is missing; the text says what is missing."""


@final
@dataclass(frozen=True)
class Command:
    """The command that runs a program."""

    arguments: Sequence[str | Path]
    environment: Mapping[str, str] = field(default_factory=dict)

    def run(self, given: bytes = b"") -> bytes:
        done = subprocess.run(  # noqa: S603 - our own programs
            self.arguments,
            input=given,
            capture_output=True,
            check=False,
            env={**os.environ, **self.environment},
        )
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip().splitlines() or ["nothing"]
            raise AbsentError(f"{Path(self.arguments[0]).name}: {said[-1]}")
        return done.stdout


@final
@dataclass(frozen=True)
class Language:
    """A language, and how its program is prepared."""

    name: str
    ready: Callable[[], Command]

    def absence(self) -> str:
        """Return why the language cannot be used, or nothing if it can."""
        return _absence(self)

    def read_all(self, queries: Sequence[bytes]) -> list[Pairs]:
        """Read all queries in one run."""
        given = b"".join(query.hex().encode() + b"\n" for query in queries)
        lines = _ready(self).run(given).decode("ascii").split("\n")[:-1]
        return [_pairs(line) for line in lines]


@cache
def _ready(language: Language) -> Command:
    return language.ready()


@cache
def _absence(language: Language) -> str:
    try:
        _ready(language).run()
    except (AbsentError, OSError) as error:
        return f"{language.name}: {error}"
    return ""


def _pairs(line: str) -> Pairs:
    if line == "!":
        return REFUSES
    pairs = [pair.partition(":") for pair in line.split()]
    return [(_text(name), _text(value)) for name, _, value in pairs]


def _text(digits: str) -> str:
    return bytes.fromhex(digits).decode("utf-8", "surrogateescape")


def program(name: str, *unpacked: str) -> Path:
    """Return the path of a program on PATH, or in the folder of unpacked packages."""
    found = shutil.which(name) or next(
        (str(UNPACKED / path) for path in unpacked if (UNPACKED / path).exists()), None
    )
    if found is None:
        raise AbsentError(f"{name} is neither on PATH nor in {UNPACKED.name}")
    return Path(found)


@cache
def workshop() -> Path:
    """Return a folder for compiled programs; it is deleted with the process."""
    return Path(_workshop().name)


@cache
def _workshop() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="postel-readers-", ignore_cleanup_errors=True)


def go() -> Command:
    compiler = program("go", "usr/lib/go-1.19/bin/go")
    built = workshop() / "go"
    root = compiler.parents[1]
    environment = {"GOCACHE": str(workshop() / "go-cache"), "GO111MODULE": "off"}
    if UNPACKED in compiler.parents:
        environment["GOROOT"] = str(root)
    Command([compiler, "build", "-o", built, PROGRAMS / "queries.go"], environment).run()
    return Command([built])


def rust() -> Command:
    compiler = program("rustc")
    crates = UNPACKED / "usr/share/cargo/registry"
    flags = ["--edition", "2018", "-O", "--cap-lints", "allow", "--cfg", 'feature="alloc"']
    flags += ["-L", str(workshop()), "--out-dir", str(workshop())]
    for crate in ("percent_encoding", "form_urlencoded"):
        found = sorted(crates.glob(f"{crate.replace('_', '?')}-*/src/lib.rs"))
        if not found:
            raise AbsentError(f"the crate {crate} is not in {UNPACKED.name}")
        known = ["--extern", f"percent_encoding={workshop() / 'libpercent_encoding.rlib'}"]
        known = [] if crate == "percent_encoding" else known
        Command([compiler, *flags, "--crate-type", "rlib", "--crate-name", crate, *known, found[-1]]).run()
    known = ["--extern", f"form_urlencoded={workshop() / 'libform_urlencoded.rlib'}"]
    Command([compiler, *flags, "--crate-name", "queries", *known, PROGRAMS / "queries.rs"]).run()
    return Command([workshop() / "queries"])


def java(source: str, *jars: str) -> Callable[[], Command]:
    def ready() -> Command:
        found = [UNPACKED / "usr/share/java" / f"{jar}.jar" for jar in jars]
        for jar in found:
            if not jar.exists():
                raise AbsentError(f"{jar.name} is not in {UNPACKED.name}")
        path = os.pathsep.join(map(str, [*found, workshop()]))
        Command(
            [program("javac"), "-cp", path, "-nowarn", "-d", workshop(), PROGRAMS / f"{source}.java"]
        ).run()
        return Command([program("java"), "-cp", path, source])

    return ready


def ruby() -> Command:
    interpreter = program("ruby", "usr/bin/ruby3.1")
    environment = {}
    if UNPACKED in interpreter.parents:
        library = UNPACKED / "usr/lib"
        folders = [library / "ruby/3.1.0", library / "x86_64-linux-gnu/ruby/3.1.0"]
        environment = {
            "LD_LIBRARY_PATH": LIBRARIES,
            "RUBYLIB": os.pathsep.join(map(str, folders)),
        }
    racks = sorted((UNPACKED / "usr/share/rubygems-integration/all/gems").glob("rack-*/lib"))
    include = [f"-I{racks[-1]}"] if racks else []
    gems = ["--disable=gems"] if racks else []
    return Command([interpreter, *gems, *include, PROGRAMS / "queries.rb"], environment)


def perl() -> Command:
    folders = [UNPACKED / "usr/share/perl5", *sorted((UNPACKED / "usr/lib/x86_64-linux-gnu/perl5").glob("*"))]
    return Command(
        [program("perl"), PROGRAMS / "queries.pl"], {"PERL5LIB": os.pathsep.join(map(str, folders))}
    )


def php() -> Command:
    interpreter = program("php", "usr/bin/php8.2")
    environment = {"LD_LIBRARY_PATH": LIBRARIES} if UNPACKED in interpreter.parents else {}
    return Command([interpreter, "-n", PROGRAMS / "queries.php"], environment)


GO: Final = Language("Go", go)
RUST: Final = Language("Rust's form_urlencoded", rust)
JAVA: Final = Language("Java's URLDecoder", java("Queries"))
JETTY: Final = Language("Jetty", java("Jetty", "jetty9-util"))
TOMCAT: Final = Language("Tomcat", java("Tomcat", "tomcat10-coyote", "tomcat10-util", "tomcat10-juli"))
RACK: Final = Language("Rack", ruby)
CGI: Final = Language("Perl's CGI", perl)
PHP: Final = Language("PHP", php)
