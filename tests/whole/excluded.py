"""Readers and guards that are excluded from the laws, each by name and with its reason.

The documentation lists them, too. A violation that is not listed here fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, final

from whole.guarded import Guarded
from whole.request import Request

_RESERVED: Final = re.compile(rb"%(?:2[1-9A-Ca-c]|3[AaBbDd]|40)")
_DOUBLE: Final = re.compile(rb"%25[0-9A-Fa-f]{2}")
_SLASH: Final = re.compile(rb"%2[Ff]|%5[Cc]|\\")
_NOT_A_TOKEN: Final = re.compile(rb"[/()<>@,?{}\"]|=[^;]*=|(?:\A|[\s;,])=")
_HIGH_OCTAL: Final = re.compile(rb"\\[23][0-7]{2}")
_CUTS: Final = re.compile(rb"%3[Ff]|%23")


@final
@dataclass(frozen=True)
class Excluded:
    """A place, the targets that it misreads, and the reason for the exclusion."""

    why: str
    places: Callable[[Guarded, str], bool]
    """Takes an application and the name of a preset; returns whether the exclusion applies to them."""
    holds: Callable[[Request], object]


EXCLUDED: Final = [
    Excluded(
        "A guard on the raw path compares text. An escaped reserved character is not the bare one "
        "(RFC 3986, section 2.2), so no policy respells it; but a router decodes it.",
        lambda guarded, _: (
            guarded.place in {"RAW_URI", 'scope["raw_path"]', "starlette's url.path", "werkzeug's url"}
            or re.search(r"url(?:\.path)?$|req\.uri$|build_absolute_uri$", guarded.place) is not None
        ),
        lambda request: _RESERVED.search(request.target),
    ),
    Excluded(
        "A policy that preserves keeps %2F in the routed path. A guard that decodes once more reads a slash.",
        lambda guarded, preset: preset == "LENIENT" and "unquoted" in guarded.place,
        lambda request: _SLASH.search(request.target),
    ),
    Excluded(
        "LENIENT accepts an escaped escape. Werkzeug's request.url, and a guard that decodes a URL once "
        "more, read the decoded octet.",
        lambda guarded, preset: (
            preset == "LENIENT" and re.search("ur[li]|unquoted", guarded.place) is not None
        ),
        lambda request: _DOUBLE.search(request.target),
    ),
    Excluded(
        "Falcon's req.uri and Litestar's URL are built from the decoded path, so that a '?' or '#' in it "
        "ends the path. Bottle joins the path to its URL as if the path were a reference.",
        lambda guarded, _: (
            guarded.framework.startswith(("Falcon", "Bottle", "Litestar"))
            and re.search("ur[li]", guarded.place) is not None
        ),
        lambda request: _CUTS.search(request.target),
    ),
    Excluded(
        "Bottle reads SCRIPT_NAME as Latin-1 text for its URL.",
        lambda guarded, _: guarded.framework == "Bottle" and "url" in guarded.place,
        lambda request: not request.root.isascii(),
    ),
    Excluded(
        "Bottle trusts X-Forwarded-Host by default.",
        lambda guarded, _: guarded.framework == "Bottle" and "url" in guarded.place,
        lambda request: request.values(b"x-forwarded-host"),
    ),
]


@final
@dataclass(frozen=True)
class Quirk:
    """A header field that passes but changes what a reader reads, and the reason."""

    why: str
    reader: str
    """The package of the reader."""
    of: str
    """The part of law 11, a key of ``STEERING``."""
    holds: Callable[[Request], object]


QUIRKS: Final = [
    Quirk(
        "Bottle trusts X-Forwarded-Host and X-Forwarded-Proto by default.",
        "bottle",
        "urls",
        lambda request: request.values(b"x-forwarded-host") or request.values(b"x-forwarded-proto"),
    ),
    Quirk(
        "Bottle uses http.cookies, which raises for a name that is not a token.",
        "bottle",
        "cookies",
        lambda request: any(map(_NOT_A_TOKEN.search, request.values(b"cookie"))),
    ),
    Quirk(
        "WebOb reads octets of octal escapes as UTF-8, and fails if they are ill-formed.",
        "pyramid",
        "cookies",
        lambda request: any(map(_HIGH_OCTAL.search, request.values(b"cookie"))),
    ),
    *(
        Quirk(
            "Werkzeug decodes IDNA labels in a Host, and fails for an invalid one.",
            reader,
            "urls",
            lambda request: any(b"xn--" in value.lower() for value in request.values(b"host")),
        )
        for reader in ("Flask", "Quart", "a2wsgi")
    ),
    Quirk(
        "Django REST framework answers 406 if it has none of the types in Accept.",
        "djangorestframework",
        "target",
        lambda request: request.values(b"accept"),
    ),
]


def quirks_of(reader: str, of: str, request: Request) -> bool:
    """Whether a reader is excluded for a part of the law and a request."""
    return any(each.reader == reader and each.of == of and each.holds(request) for each in QUIRKS)


def excluded(guarded: Guarded, preset: str, request: Request) -> bool:
    """Whether a guard is excluded for a request."""
    return any(each.places(guarded, preset) and each.holds(request) for each in EXCLUDED)
