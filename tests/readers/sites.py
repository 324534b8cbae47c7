"""Targets for a site, and a check that the served view or file is the one that the path names.

A guard compares the path that it receives. So the view, mounted application or static file that is served
must be the one that this path names, as text. A redirect of the framework must lead to the same path on the
same host.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any, Final

from readers.asking import Seen
from readers.denoting import denotes, is_excluded, routed_by
from readers.places import FILES, VIEWS

NAMED: Final = (
    *(view.encode() for view in VIEWS),
    *(b"/static/" + name.encode() for name in FILES if re.fullmatch(r"[\w/.]+", name)),
    *(b"/units/one", b"/slash/one", b"/slash/one/", b"/m/secret", b"/m/a/b"),
)
PIECES: Final = (
    *(
        b"/",
        b"//",
        b"%2F",
        b"?",
        b"#",
        b"%3F",
        b"%23",
        b"%25",
        b"%2523",
        b"%253F",
        b"%2570",
        b"..",
        b"/..",
        b"/./",
    ),
    *(
        b"%2e",
        b"%252e",
        b";",
        b"\\",
        b"%5C",
        b"%0A",
        b"%0D",
        b"%00",
        b"%20",
        b"%C2%A0",
        b"%C4",
        b"+",
        b"%2B",
        b"%",
    ),
)


def targets() -> Iterator[bytes]:
    """Yield every path of the site with one piece before a slash, after a slash, or at its end."""
    yield from NAMED
    yield from (b"/static/open/C%23.txt", b"/static/open/what%3F.txt", b"/static/open/50%25%20off.txt")
    for path, piece in itertools.product(NAMED, PIECES):
        for at in sorted({match.start() for match in re.finditer(b"/", path)} | {len(path)}):
            for place in {at, min(at + 1, len(path))}:
                found = path[:place] + piece + path[place:]
                yield found if found.startswith(b"/") else b"/" + found


def path_handed(environ_or_scope: Any) -> str:
    """Return the path as an application receives it, with its mount."""
    if "PATH_INFO" in environ_or_scope:
        octets = (environ_or_scope["SCRIPT_NAME"] + environ_or_scope["PATH_INFO"]).encode("latin-1")
        return octets.decode("utf-8", "replace")
    return str(environ_or_scope["path"])


def served(seen: Seen) -> str | None:
    """Return the path of what was served, as the view or the file states it; ``None`` if nothing was."""
    places = seen.places
    if "file" in places:
        return str(places["file"])
    if "rest" in places:
        return "/m/" + str(places["rest"]).removeprefix("/")
    if "unit" in places:
        is_unit = not str(places["served"]).startswith(("slash", "/slash"))
        return f"/units/{places['unit']}" if is_unit else f"/slash/{places['unit']}/"
    return places.get("served")


def misplaced(reader: str, seen: Seen, handed: str, *, preserving: bool = False) -> str | None:
    """Return what is wrong: a file or view that the path does not name, or a redirect to another path."""
    if "location" in seen.places:
        location = seen.places["location"]
        is_right = leads_on(location, handed, preserving) or is_excluded(reader, "url", handed)
        return None if is_right else f"redirects to {location}"
    found = served(seen)
    if found is None:
        return f"status {seen.status}" if seen.status >= 500 else None
    is_right = routed_by(reader, found) == routed_by(reader, handed) or is_known(reader, seen, handed)
    return None if is_right else f"serves {found}"


EVERY_FILE: Final = "static files of every framework here ignore one slash after the name of a file"
MOUNTS: Final = {
    "Litestar": "an application mounted under `/m` also receives `/mx`, as `/x`; the oldest version "
    "also matches mounts and static files in the middle of a path: `/x/static/a.txt`"
}
"""How the mounts of a framework misread paths, with and without postel."""


def is_known(reader: str, seen: Seen, handed: str) -> bool:
    if "file" in seen.places:
        file = str(seen.places["file"])
        if reader in MOUNTS and not handed.startswith("/static/"):
            return handed.removesuffix("/").endswith(file.removeprefix("/static"))
        return handed.removesuffix("/") == file
    return reader in MOUNTS and "rest" in seen.places and not handed.startswith("/m/")


def leads_on(location: str, handed: str, preserving: bool = False) -> bool:
    """Whether a redirect denotes the same path, apart from a trailing slash and empty segments."""
    ends = [each.rstrip("/") for each in (handed, re.sub("//+", "/", handed))]
    return any(denotes(location, end + slash, preserving=preserving) for end in ends for slash in ("", "/"))
