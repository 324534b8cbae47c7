"""Unpack Debian packages into a folder without installing them.

``python tools/unpack.py servers .venv-dev/debian``. If apt-get is missing or fails, the folder stays
empty. Then the tests use the programs of the system, and those whose program is missing are skipped.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

SERVERS: Final = ("nginx", "apache2-bin", "libapache2-mod-wsgi-py3", "haproxy", "caddy")
BROWSER: Final = ("chromium", "chromium-driver")
# The dependencies are listed, because apt would add more, such as a JDK. Rust, Perl and Node come from the
# system.
READERS: Final = """
    golang-1.19-go golang-1.19-src librust-form-urlencoded-dev librust-percent-encoding-dev
    libtomcat10-java libjetty9-java libservlet-api-java ruby3.1 libruby3.1 ruby-rack libyaml-0-2 libgmp10
    libcgi-pm-perl libhtml-parser-perl libhtml-tagset-perl liburi-perl
    php8.2-cli php8.2-common libargon2-1 libsodium23 libedit2 libmagic1 libbsd0
""".split()  # noqa: SIM905 - a list of words
WRK: Final = ("wrk", "libluajit-5.1-2", "libluajit-5.1-common")
GOACCESS: Final = ("goaccess", "libmaxminddb0")
SETS: Final = {"servers": SERVERS, "browser": BROWSER, "readers": READERS, "wrk": WRK, "goaccess": GOACCESS}
WITH_NEEDS: Final = {"servers", "browser"}
"""Sets for which the missing dependencies are unpacked, too."""


def apt(*arguments: str, folder: Path) -> str:
    command = ["apt-get", "-qq", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, text=True)  # noqa: S603
    if done.returncode:
        raise OSError(done.stderr.strip() or f"apt-get {arguments[0]}: {done.returncode}")
    return done.stdout


def fetch(name: str, folder: Path) -> None:
    """Download the packages of a set."""
    packages = list(SETS[name])
    if name in WITH_NEEDS:
        plan = apt("--simulate", "--no-install-recommends", "install", *packages, folder=folder)
        packages = re.findall(r"^Inst (\S+)", plan, flags=re.MULTILINE)
    if packages:
        apt("download", *packages, folder=folder)


def unpack(name: str, folder: Path) -> None:
    try:
        fetch(name, folder)
    except OSError:
        apt("update", folder=folder)  # The package lists of apt may be missing or old.
        fetch(name, folder)
    for package in sorted(folder.glob("*.deb")):
        subprocess.run(["dpkg", "--extract", package, folder], check=True)  # noqa: S603, S607 - the system's
        package.unlink()


def main(name: str, into: str) -> int:
    folder = Path(into)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    there = name == "browser" and shutil.which("chromium") and shutil.which("chromedriver")
    if there or not (shutil.which("apt-get") and shutil.which("dpkg")):
        return 0
    print(f"== {into}: unpacking {name}", flush=True)
    try:
        unpack(name, folder)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"== {into}: {error}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
