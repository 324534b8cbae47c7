"""The sources of real URLs: each with a way to find it, and the targets that it contains.

None of them is part of the project: they are large, and one is a personal collection. Lists are
read from the folder that ``POSTEL_URLS`` names, or fetched into ``.venv-real-urls`` at the commit named here.
Debian's list of packages comes from ``apt-cache``. Packages of npm and PyPI are fetched at a pinned version
into the same folder. Missing sources are skipped and named in the output.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

ROOT: Final = Path(__file__).parents[2]
FETCHED: Final = ROOT / ".venv-real-urls"
LISTS: Final = Path(os.environ.get("POSTEL_URLS") or FETCHED)
_RAW: Final = "https://raw.githubusercontent.com"
_VARIOUS: Final = f"{_RAW}/ada-url/url-various-datasets/d5873379ed00595999ec5520484e47f93024dbcd/others"
_ELASTIC: Final = f"{_RAW}/elastic/examples/8174879f5df5a366327d253bd5294e098d341b34"
LISTED: Final = {
    # MIT or Apache-2.0
    "visited.txt": (
        f"{_VARIOUS}/kasztp.txt",
        "34f72b5869af1a2305e5998a94de36da28d0f17e565e2e53509878d39d0135f2",
    ),
    "phishing.txt": (
        f"{_VARIOUS}/userbait.txt",
        "d41a2925a0654817601befa4c0b7b0ec54ab5a8e64c85e3aadc5543568785718",
    ),
    # Apache-2.0
    "apache_combined.log": (
        f"{_ELASTIC}/Common%20Data%20Formats/apache_logs/apache_logs",
        "f15c31e905f86c7b4b6ab44aee74d0a2086dce89f010187d983edea7ef0364ef",
    ),
}
"""Lists of URLs: where each is fetched from, and its SHA-256."""
OCTOKIT: Final = "@octokit/openapi@23.0.2"
GOOGLE: Final = "google-api-python-client==2.202.0"
_WIRE: Final = "".join(map(chr, range(0x21, 0x7F)))
"""Characters that clients send unchanged; they escape all others."""
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://[^/?#]*([^#]*)")


class AbsentError(Exception):
    """A source is missing; the message says what is missing."""


@dataclass(frozen=True)
class Source:
    """A list of request targets as clients send them."""

    name: str
    what: str
    targets: Callable[[], Iterator[str]]


def _lines(name: str) -> Iterator[str]:
    path, (url, digest) = LISTS / name, LISTED[name]
    if not path.exists():
        try:
            with urllib.request.urlopen(url, timeout=60) as answer:  # noqa: S310 - one of LISTED
                octets = answer.read()
        except OSError as error:
            raise AbsentError(f"{url} was not fetched ({error}), and {LISTS} has no {name}") from error
        if hashlib.sha256(octets).hexdigest() != digest:
            raise AbsentError(f"{url} is not the list that was measured")
        FETCHED.mkdir(exist_ok=True)
        path.write_bytes(octets)
    yield from path.read_text("utf-8-sig", "surrogateescape").splitlines()


def _target(url: str) -> Iterator[str]:
    """Yield the target that a client sends for a URL; nothing if the text is not a URL."""
    if match := _URL.match(url):
        path, mark, query = match[1].partition("?")
        octets = ((path or "/") + mark + query).encode("utf-8", "surrogateescape")
        yield quote(octets, safe=_WIRE)


def _visited() -> Iterator[str]:
    for line in _lines("visited.txt"):
        # In this list there are backslashes in front of escapes and quotes.
        yield from _target(line.replace("\\", "").strip())


def _phishing() -> Iterator[str]:
    for line in _lines("phishing.txt"):
        yield from _target(line.strip().strip('"'))


def _log() -> Iterator[str]:
    for line in _lines("apache_combined.log"):
        if match := re.search(r'"[A-Z]+ (\S+) HTTP/', line):
            yield match[1].encode("utf-8", "surrogateescape").decode("latin-1")


def _debian(field: str) -> Iterator[str]:
    if shutil.which("apt-cache") is None:
        raise AbsentError("no apt-cache")
    said = subprocess.run(["apt-cache", "dumpavail"], check=True, capture_output=True, text=True)  # noqa: S607
    found = re.findall(rf"^{field}: *(\S+)$", said.stdout, flags=re.MULTILINE)
    if not found:
        raise AbsentError("apt-cache knows no packages; apt-get update fetches their list")
    yield from found


def _homepages() -> Iterator[str]:
    for url in _debian("Homepage"):
        yield from _target(url)


def _pool() -> Iterator[str]:
    for name in _debian("Filename"):
        # apt escapes "+" and "~", as its log of downloads shows.
        yield "/debian/" + name.replace("+", "%2b").replace("~", "%7e")


def _fetch(pattern: str, command: list[str]) -> Path:
    """Fetch the archive of a package once."""
    FETCHED.mkdir(exist_ok=True)
    if not any(FETCHED.glob(pattern)):
        try:
            subprocess.run(command, check=True, cwd=FETCHED, capture_output=True)  # noqa: S603 - our own
        except (OSError, subprocess.CalledProcessError) as error:
            raise AbsentError(f"could not fetch {command[-1]}") from error
    [archive] = FETCHED.glob(pattern)
    return archive


def _github() -> Iterator[str]:
    """Yield paths of GitHub's OpenAPI document, with and without a query, and with its example values."""
    archive = _fetch("octokit-openapi-*.tgz", ["npm", "pack", "--silent", OCTOKIT])
    with tarfile.open(archive) as opened:
        document = json.load(opened.extractfile("package/generated/api.github.com.deref.json"))
    for path, item in document["paths"].items():
        for operation in item.values():
            parameters = operation.get("parameters", ())
            values = {each["name"]: _example(each) for each in parameters}
            # RFC 6570, section 3.2.2: simple expansion escapes reserved characters.
            filled = path
            for name, value in values.items():
                filled = filled.replace(f"{{{name}}}", quote(value, safe=""))
            query = "&".join(
                f"{quote(each['name'], safe='[]')}={quote(values[each['name']], safe='')}"
                for each in parameters
                if each["in"] == "query"
            )
            yield filled
            if query:
                yield f"{filled}?{query}"


def _example(parameter: dict[str, Any]) -> str:
    schema = parameter.get("schema", {})
    given = [each["value"] for each in parameter.get("examples", {}).values() if "value" in each]
    given += [each[key] for each in (parameter, schema) for key in ("example", "default") if key in each]
    given += schema.get("enum", ())[:1]
    return str(given[0]) if given else "1" if schema.get("type") == "integer" else "x"


def _google() -> Iterator[str]:
    """Yield paths of Google's discovery documents, with parameters taken from their patterns."""
    command = [sys.executable, "-I", "-m", "pip", "download", "--quiet", "--no-deps", GOOGLE]
    with zipfile.ZipFile(_fetch("google_api_python_client-*.whl", command)) as opened:
        for name in opened.namelist():
            if "/documents/" in name and name.endswith(".json"):
                document = json.loads(opened.read(name))
                for method in _methods(document):
                    yield "/" + document.get("servicePath", "") + _expanded(method)


def _methods(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from node.get("methods", {}).values()
    for below in node.get("resources", {}).values():
        yield from _methods(below)


def _expanded(method: dict[str, Any]) -> str:
    parameters = method.get("parameters", {})

    def value(found: re.Match[str]) -> str:
        pattern = parameters.get(found[2], {}).get("pattern", "")
        # A pattern such as "^projects/[^/]+$" becomes "projects/x".
        text = re.sub(r"\[\^/\]\+|\.\*", "x", pattern.strip("^$"))
        # RFC 6570, section 3.2.3: "{+name}" keeps slashes.
        return quote(text if re.fullmatch(r"[\w./-]+", text) else "x", safe="/" if found[1] else "")

    return re.sub(r"\{(\+?)([\w.]+)\*?\}", value, method["path"])


SOURCES: Final = (
    Source("visited", "URLs that people kept (ada-url/url-various-datasets, others/kasztp.txt)", _visited),
    Source("homepages", "homepages of the packages of Debian bookworm", _homepages),
    Source("pool", "files of the packages of Debian bookworm, as apt asks for them", _pool),
    Source("github", f"GitHub's OpenAPI document with its examples (npm, `{OCTOKIT}`)", _github),
    Source("google", f"Google's API discovery documents (PyPI, `{GOOGLE}`)", _google),
    Source("log", "a site's access log (elastic/examples, Common Data Formats/apache_logs)", _log),
    Source(
        "phishing",
        "half phishing kits, half others (ada-url/url-various-datasets, others/userbait.txt)",
        _phishing,
    ),
)
