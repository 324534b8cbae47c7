"""Limits: how long a request and its parts may be, and how many parts it may have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import cast, final

from postel._alphabet.percent import measure
from postel._errors import LARGEST, PolicyError, is_limit, nothing_named, shown


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long a request and its parts may be, and how many parts it may have. More is refused.

    Each limit is a whole number of at least 1. ``octets`` are those of path and query together, and
    ``segment``, ``name``, ``value`` and ``form_value`` those of one part; an escape counts as one octet.
    ``segments`` and ``pairs`` are numbers of parts, and ``depth`` is that of the brackets in a name.
    ``fields`` is the number of header fields, and ``field`` is the length of those that ``headers=`` judges,
    in which an escape counts as three octets.

    >>> Limits()  # doctest: +NORMALIZE_WHITESPACE
    Limits(octets=8192, segments=256, segment=None, pairs=1000, name=2048, value=8192,
           form_value=65536, depth=32, fields=1000, field=32768)

    Raises :class:`PolicyError` for any other value, except for ``segment=None``.
    """

    octets: int = 8192
    """Octets of path and query together; an escape counts as one octet.

    nginx and Apache accept request lines of up to 8 KiB, gunicorn up to 4094 octets; RFC 9110, section 4.1,
    recommends at least 8000.
    """
    segments: int = 256
    """Segments of a path."""
    segment: int | None = None
    """Octets of one segment of a path; an escape counts as one octet. ``None`` sets no separate limit.

    File names have at most 255 octets (POSIX, NAME_MAX in ``limits.h``), so an application that opens files
    by segments needs this limit.
    """
    pairs: int = 1000
    """Pairs of a query or form, including empty ones; the same number as in Django and Tomcat."""
    name: int = 2048
    """Octets of a name; an escape counts as one octet."""
    value: int = 8192
    """Octets of a value in a query; an escape counts as one octet."""
    form_value: int = 65_536
    """Octets of a value in a form, where people write long texts; an escape counts as one octet."""
    depth: int = 32
    """Opening brackets in a name (``a[b][c]`` has 2); the same number as in Rack."""
    fields: int = 1000
    """Header fields of a request. WSGI does not show their number, so it is not judged there.

    Apache and gunicorn accept at most 100, uvicorn with httptools any number. A browser that speaks HTTP/2
    may send each cookie in a field of its own, and Chromium keeps up to 180 cookies for a site.
    """
    field: int = 32_768
    """Octets of all Cookie fields together, or of all Referer fields, if ``headers=`` judges them.

    gunicorn and nginx accept fields of up to 8 KiB by default, uvicorn with httptools of any length.
    """

    def for_forms(self) -> Limits:
        """The limits for forms, whose values may be longer than those of a query.

        >>> Limits().for_forms().value
        65536
        """
        return replace(self, value=self.form_value)

    def __post_init__(self) -> None:
        """Raise PolicyError unless each limit is a whole number of at least 1."""
        for field in fields(self):
            _check_limit("Limits", field.name, getattr(self, field.name))


def limited(limits: Limits, changes: Mapping[str, int | None]) -> Limits:
    """Return the limits with these changes. Raises PolicyError for a limit that does not exist.

    >>> limited(Limits(), {"pairs": 5}).pairs
    5
    """
    names = [field.name for field in fields(Limits)]
    if unknown := sorted(changes.keys() - set(names)):
        raise PolicyError(
            f"limiting({', '.join(unknown)}): there is no such limit; the limits are {', '.join(names)}"
        )
    for name, value in changes.items():
        _check_limit("limiting", name, value)
    checked = cast("dict[str, int]", changes)
    return replace(limits, **checked)


def _check_limit(call: str, name: str, value: object) -> None:
    """Raise PolicyError if a limit cannot have this value; ``call`` is what the caller wrote."""
    default = next(field.default for field in fields(Limits) if field.name == name)
    if is_limit(value) or (value is None and default is None):
        return
    example = "255, or None for no limit" if default is None else default
    raise PolicyError(
        f"{call}({name}={shown(value)}): a limit is a whole number from 1 to 2**63 - 1, such as {example}"
    )


def safe_length(limits: Limits) -> int:
    """Return a length in octets; no target of at most this length exceeds a limit other than ``depth``.

    >>> safe_length(Limits(segments=5))
    5
    """
    parts = limits.octets, limits.segments, limits.pairs, limits.name, limits.value
    return min(parts if limits.segment is None else (*parts, limits.segment))


def exceeds(most: int, octets: bytes) -> bool:
    """Whether there are more octets than ``most``; an escape counts as one octet.

    >>> exceeds(2, b"%C3%A9"), exceeds(2, b"abc")
    (False, True)
    """
    length = len(octets)
    return length > most and (length > 3 * most or measure(octets) > most)


def exceeded(limits: Limits, name: str, *, in_form: bool) -> str:
    """Say which limit is exceeded; ``name`` is its field for queries.

    >>> exceeded(Limits(), "value", in_form=True)
    'more than Limits.form_value, 65,536'
    """
    field = "form_value" if in_form and name == "value" else name
    return f"more than Limits.{field}, {getattr(limits, field):,}"


def limit_named(written: str) -> str:
    """Return the field of :class:`Limits` for a limit's name in the text form of a policy.

    >>> limit_named("form-value")
    'form_value'
    """
    names = {written_name(field.name): field.name for field in fields(Limits)}
    if written not in names:
        raise PolicyError(nothing_named("limit", written, names))
    return names[written]


def written_name(name: str) -> str:
    """Return a limit's name in the text form of a policy, with hyphens for underscores."""
    return name.replace("_", "-")


def limits_that_differ(limits: Limits, base: Limits) -> Iterator[str]:
    """Yield the clauses of the text form that change ``base`` into ``limits``.

    >>> list(limits_that_differ(Limits(pairs=5, segment=None), Limits(segment=255)))
    ['limit.segment=none', 'limit.pairs=5']
    """
    for field in fields(Limits):
        limit = getattr(limits, field.name)
        if limit != getattr(base, field.name):
            yield f"limit.{written_name(field.name)}={written_limit(limit)}"


def limit_of(name: str, text: str) -> int | None:
    """Read the limit with this name from the text form; ``None`` stands for no limit."""
    if text.lower() == "none":
        able = [field.name for field in fields(Limits) if field.default is None]
        if name not in able:
            only = " and ".join(f"limit.{written_name(each)}" for each in able)
            raise PolicyError(f"limit.{written_name(name)} cannot be 'none'; only {only} can")
        return None
    digits = text.lstrip("0")
    if not (digits.isascii() and digits.isdigit()):
        raise PolicyError(f"a limit is a whole number from 1 to 2**63 - 1, not {text!r}")
    if len(digits) > len(str(LARGEST)) or int(digits) > LARGEST:
        raise PolicyError("a limit is at most 2**63 - 1")
    return int(digits)


def written_limit(limit: int | None) -> str:
    """Write a limit in the text form."""
    return "none" if limit is None else str(limit)
