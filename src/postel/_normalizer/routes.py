"""Routes: policies for parts of an application, so that an exemption covers only one part.

A route is a prefix of complete segments, relative to the wrapped application; the longest matching route
applies. Routes are compared with the received segments, each decoded once: routers decode complete segments,
so ``/%40me`` is in ``/@me``. The repaired path must be in the same route as the received path, so no path is
judged by the policy of one route and served by another. Lax readers merge slashes, read a backslash as a
slash, or cut parameters. If a repair has changed more than spelling, the received path must be in the same
route for them, too; ``//packages/../admin`` is not. Others resolve dot segments. If a policy lets these pass,
the path must still be in the same route when they are resolved; ``/packages/../admin`` is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Generic, TypeAlias, TypeVar, final

from postel._alphabet.authority import SITE
from postel._alphabet.percent import PATH, measure, percent_decode, percent_encode
from postel._alphabet.regex import compiled
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import Finding
from postel._catalogue.kinds import Kind
from postel._errors import PolicyError
from postel._normalizer.normalizer import Normalizer
from postel._normalizer.target import Accepted, Rejected, Target
from postel._policy.policy import Policy

_ABSOLUTE: Final = re.compile(rb"\A" + SITE)
_SLASHES: Final = compiled(rb"(?:[/\\]|%2[Ff]|%5[Cc])++")
"""Matches runs of octets that some readers take for one slash."""
_DOUBTFUL: Final = re.compile(rb"//|\\|(?:/|%2[Ff]|%5[Cc])(?:\.|%2[Ee])")
"""Matches two slashes, a backslash, or the beginning of what may be a dot segment.

Some readers merge the slashes, or resolve the dot segment. All three can lead to another route.
"""
_PARAMETERS: Final = re.compile(rb"(?:;|%3[Bb])[^/]*+")
_DOTS: Final = compiled(rb"(?:\A|[/\\])\.{1,2}(?:[/\\;]|\Z)")
"""Matches a dot segment in decoded octets, even if only readers that split or cut again find it."""
_TYPES: Final = r"(?:str|string|int|float|decimal|uuid|slug|date|datetime|time|timedelta)"
"""The converters of frameworks that match one segment."""
_PLACEHOLDER: Final = (
    rf"\*|\{{[A-Za-z_]\w*(?::{_TYPES})?\}}|<(?:{_TYPES}:)?[A-Za-z_]\w*>|<[A-Za-z_]\w*:{_TYPES}>"
)
_TEMPLATE: Final = r"[*{}<>\[\]^|\\]|\A:[A-Za-z_]|\$\Z|\.\+|\(\?"
"""Matches what shows that a route is meant as a pattern; Bottle and others write ``:name``."""
Segments: TypeAlias = tuple[bytes | None, ...]
"""The decoded segments of a route; ``None`` is a placeholder."""
Mask: TypeAlias = tuple[bool, ...]
"""Which segments of a route are placeholders."""
Value = TypeVar("Value")


@final
class RouteTable(Generic[Value]):
    """A value for each route.

    >>> table = RouteTable("routes", {"/@me": "mine", "/users/{id}/files": "files"})
    >>> table.find(b"/%40me/x"), table.find(b"/users/5/files/a"), table.find(b"/users/../files")
    ('mine', 'files', None)
    """

    __slots__ = ("_deepest", "_found", "_groups")

    def __init__(self, name: str, routes: Mapping[str, Value]) -> None:
        """Compile routes; error messages begin with ``name``, the name of the setting.

        Raises PolicyError unless each route is a path such as ``/packages`` or ``/users/{id}/files``, and if
        two routes are the same.
        """
        self._found: dict[Segments, Value] = {}
        for route, value in routes.items():
            segments = _route_segments(name, route)
            if segments in self._found:
                raise PolicyError(f"{name}: {route!r} is listed twice, in different spellings")
            self._found[segments] = value
        masks = {tuple(each is None for each in segments) for segments in self._found}
        # Longer routes come first. Of two routes of the same length, the first has a literal segment at the
        # place where only one of them has a placeholder.
        self._groups = sorted(masks, key=lambda mask: (-len(mask), mask))
        self._deepest = max(map(len, masks), default=0)

    def values(self) -> Iterable[Value]:
        """Return the values of all routes."""
        return self._found.values()

    def find(self, path: bytes) -> Value | None:
        """Return the value for a path; ``None`` if it is in no route."""
        route = self.route(path)
        return None if route is None else self._found[route]

    def route(self, path: bytes) -> Segments | None:
        """Return the longest route with which the segments of a path begin; ``None`` if there is none."""
        segments = _segments(path, self._deepest) if self._deepest else ()
        for mask in self._groups:
            if len(mask) <= len(segments):
                key = _masked(segments, mask)
                if key in self._found:
                    return key
        return None


@final
class RoutedNormalizer:
    """Normalizes each target under the policy of its route; like :class:`Normalizer`, it never raises.

    >>> from postel import Kind, Policy
    >>> wide = Policy.STANDARD.preserving(Kind.ENCODED_SLASH)
    >>> routed = RoutedNormalizer(Policy.STANDARD, {"/packages": wide})
    >>> routed.normalize(Target(b"/packages/@scope%2Fname")).target.segments
    ('packages', '@scope/name')
    >>> type(routed.normalize(Target(b"/other/@scope%2Fname"))).__name__
    'Rejected'
    """

    __slots__ = ("_default", "_has_routes", "_routes", "is_clean")

    def __init__(self, policy: Policy, routes: Mapping[str, Policy]) -> None:
        """``policy`` is for paths outside all routes; a route is a path such as ``/packages``."""
        self._default = Normalizer(policy)
        self._routes = RouteTable(
            "routes", {route: Normalizer(_checked_policy(route, each)) for route, each in routes.items()}
        )
        self._has_routes = bool(routes)
        self.is_clean: Callable[[bytes, bytes], bool] = self._is_clean if routes else self._default.is_clean
        """Whether a proof shows that ``normalize`` would change nothing and report nothing."""

    def _is_clean(self, path: bytes, query: bytes = b"") -> bool:
        return self.at(path).is_clean(path, query) and self._stays(path, path)

    def normalize(self, target: Target) -> Accepted | Rejected:
        """Judge and repair a target under the policy of its route."""
        return self._within(target, examine=False)

    def examine(self, target: Target) -> Accepted | Rejected:
        """Judge and repair a target without the proofs; slower, with the same result as ``normalize``."""
        return self._within(target, examine=True)

    def at(self, path: bytes) -> Normalizer:
        """Return the normalizer for a received path."""
        return (self._routes.find(path) if self._has_routes else None) or self._default

    def all(self) -> tuple[Normalizer, ...]:
        """Return all normalizers, the one for paths outside all routes first."""
        return (self._default, *self._routes.values())

    def _within(self, target: Target, *, examine: bool) -> Accepted | Rejected:
        normalizer = self.at(target.path)
        outcome = normalizer.examine(target) if examine else normalizer.normalize(target)
        if isinstance(outcome, Accepted) and not self._stays(target.path, outcome.target.path):
            left = Finding(Kind.ROUTE_MISMATCH, Component.PATH, 0, b"", Action.REJECT)
            return Rejected((*outcome.findings, left), truncated=outcome.truncated)
        return outcome

    def _stays(self, path: bytes, repaired: bytes) -> bool:
        """Whether strict and lax readers find the repaired path in the route of the received path."""
        if not self._has_routes or (repaired == path and not _DOUBTFUL.search(path)):
            return True
        route = self._routes.route(path)
        if self._routes.route(repaired) != route:
            return False
        path = _ABSOLUTE.sub(b"", path)
        is_as_long = measure(repaired) == measure(path)  # faster than decoding
        if is_as_long and percent_decode(repaired) == percent_decode(path) and not _DOUBTFUL.search(path):
            return True
        return self._routes.route(_lax(path)) == route == self._routes.route(_resolved(_lax(repaired)))


def _lax(path: bytes) -> bytes:
    """Return a path as lax readers understand it: with single slashes, and without parameters."""
    return _PARAMETERS.sub(b"", _SLASHES.sub(b"/", path))


def _resolved(path: bytes) -> bytes:
    """Return a path without dot segments: RFC 3986, section 5.2.4.

    >>> _resolved(b"/a/./b/%2E./c"), _resolved(b"/a/../../..")
    (b'/a/c', b'/')
    """
    kept: list[bytes] = []
    for segment in path.split(b"/")[1:]:
        match percent_decode(segment):
            case b".":
                pass
            case b"..":
                del kept[-1:]
            case _:
                kept.append(segment)
    return b"/" + b"/".join(kept)


def _segments(path: bytes, most: int) -> tuple[bytes, ...]:
    """Return the first segments of a path, each decoded; empty if the path does not begin with a slash.

    An escaped slash becomes an octet of its segment and does not split the path.
    """
    path = _ABSOLUTE.sub(b"", path)
    if not path.startswith(b"/"):
        return ()
    return tuple(percent_decode(segment) for segment in path.split(b"/", most + 1)[1 : most + 1])


def _masked(segments: tuple[bytes, ...], mask: Mask) -> Segments:
    """Replace each segment that a placeholder matches with ``None``; empty and dot segments match none."""
    return tuple(
        None if hidden and segment and not _DOTS.search(segment) else segment
        for segment, hidden in zip(segments, mask, strict=False)
    )


def _route_segments(name: str, route: object) -> Segments:
    if isinstance(route, str) and _has_lone_surrogate(route):
        raise PolicyError(f"{name}[{route!r}]: a route is a path, but this one holds a surrogate")
    if not isinstance(route, str) or not route.startswith("/") or not route.strip("/"):
        raise PolicyError(f"{name}[{route!r}]: a route is a path such as '/packages'")
    parts = route.rstrip("/").split("/")[1:]
    placed = [bool(re.fullmatch(_PLACEHOLDER, part)) for part in parts]
    for part, is_placeholder in zip(parts, placed, strict=True):
        if not is_placeholder and re.search(_TEMPLATE, part):
            raise PolicyError(
                f"{name}[{route!r}]: {part!r} is not a placeholder for one segment, such as '{{name}}', "
                "'<name>' or '*'; a route covers everything below it, so leave out patterns for several "
                "segments; write a literal '*' as '%2A', and ':' as '%3A'"
            )
    # Judge the route with a clean segment in place of each placeholder.
    shown = "".join(f"/{'x' if hidden else part}" for part, hidden in zip(parts, placed, strict=True))
    written = percent_encode(shown.encode(), PATH | frozenset(b"%"))
    outcome = Normalizer(Policy.STRICT).normalize(Target(written))
    if isinstance(outcome, Rejected):
        faults = dict.fromkeys(each.kind.slug for each in outcome.findings if each.action is Action.REJECT)
        raise PolicyError(
            f"{name}[{route!r}]: a route is a clean path such as '/packages', without {', '.join(faults)}"
        )
    decoded = _segments(written, len(parts))
    return tuple(None if hidden else part for part, hidden in zip(decoded, placed, strict=True))


def _has_lone_surrogate(text: str) -> bool:
    """Whether a text holds a lone surrogate, which has no octets in UTF-8."""
    return text.encode("utf-8", "replace").decode() != text


def _checked_policy(route: str, policy: object) -> Policy:
    if not isinstance(policy, Policy):
        raise PolicyError(f"routes[{route!r}]={policy!r} is not a Policy; write one, such as Policy.STANDARD")
    return policy
