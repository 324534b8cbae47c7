"""Routes: other policies for parts of an application, so that an exemption stays as narrow as its reason.

A route is a prefix of whole segments, relative to the wrapped application; of those that fit, the longest
holds. It is chosen by the received segments, unreserved characters decoded and dots unresolved: no proxy,
guard or router reads more into them. What a route's policy then accepts must lie in the same route, so that
nothing is let through a wide route and arrives in a narrow one, or the other way round. And where mending has
changed more than spelling, what was received must lie there for those, too, who merge slashes, take a
backslash for one or leave parameters away: ``//packages/../admin`` has not been in any one route.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias, final

from postel._catalogue import Finding, Kind
from postel._check import Action, Component
from postel._errors import PolicyError
from postel._normalizer import Normalizer
from postel._octets import PATH, percent_decode, percent_encode, respell
from postel._policy import Policy
from postel._regex import compiled
from postel._target import Accepted, Rejected, Target

_ABSOLUTE: Final = re.compile(rb"\A[A-Za-z][A-Za-z0-9+.\-]*+://[^/?#]*+")
_SLASHES: Final = compiled(rb"(?:[/\\]|%2[Ff]|%5[Cc])++")
"""What one reader or another takes for one slash."""
_PARAMETERS: Final = re.compile(rb"(?:;|%3[Bb])[^/]*+")
_BARE: Final = re.compile(rb"[\x80-\xff]++")
Segments: TypeAlias = tuple[bytes, ...]


@final
class RoutedNormalizer:
    """Normalizers by route; like a :class:`Normalizer`, it never raises on any octets.

    >>> from postel import Kind, Policy
    >>> wide = Policy.STANDARD.preserving(Kind.ENCODED_SLASH)
    >>> routed = RoutedNormalizer(Policy.STANDARD, {"/packages": wide})
    >>> routed.normalize(Target(b"/packages/@scope%2Fname")).target.segments
    ('packages', '@scope/name')
    >>> type(routed.normalize(Target(b"/other/@scope%2Fname"))).__name__
    'Rejected'
    """

    __slots__ = ("_default", "_depths", "_routes", "is_clean", "policy")

    def __init__(self, policy: Policy, routes: Mapping[str, Policy]) -> None:
        """``policy`` holds wherever no route does; a route is a path such as ``/packages``."""
        self.policy = policy
        self._default = Normalizer(policy)
        self._routes: dict[Segments, Normalizer] = {}
        for route, wanted in routes.items():
            segments = _route_segments(route)
            if segments in self._routes:
                raise PolicyError(f"routes: {route!r} is there twice, spelled differently")
            self._routes[segments] = Normalizer(_checked_policy(route, wanted))
        self.is_clean: Callable[[bytes, bytes], bool] = self._is_clean if routes else self._default.is_clean
        """Whether it is proven that ``normalize`` would change and note nothing in a path and a query."""
        self._depths = sorted({len(segments) for segments in self._routes}, reverse=True)

    def _is_clean(self, path: bytes, query: bytes = b"") -> bool:
        return self.at(path).is_clean(path, query)

    def normalize(self, target: Target) -> Accepted | Rejected:
        """Judge and mend a target under the policy of its route."""
        return self._within(target, examine=False)

    def examine(self, target: Target) -> Accepted | Rejected:
        """The same without the shortcut."""
        return self._within(target, examine=True)

    def at(self, path: bytes) -> Normalizer:
        """The normalizer that holds for a received path."""
        return self._at(self._route(path)) if self._routes else self._default

    def all(self) -> tuple[Normalizer, ...]:
        """Every normalizer that can hold."""
        return (self._default, *self._routes.values())

    def _within(self, target: Target, *, examine: bool) -> Accepted | Rejected:
        route = self._route(target.path)
        normalizer = self._at(route)
        outcome = normalizer.examine(target) if examine else normalizer.normalize(target)
        if isinstance(outcome, Accepted) and not self._stays(route, target.path, outcome.target.path):
            left = Finding(Kind.ROUTE_MISMATCH, Component.PATH, 0, b"", Action.REJECT)
            return Rejected((*outcome.findings, left), outcome.omitted)
        return outcome

    def _stays(self, route: Segments | None, path: bytes, mended: bytes) -> bool:
        """Whether what was mended is in the route of what was received, however loosely that is read."""
        if not self._routes:
            return True
        if self._route(mended) != route:
            return False
        path = _ABSOLUTE.sub(b"", path)
        if percent_decode(mended) == percent_decode(path):
            return True
        return self._route(_PARAMETERS.sub(b"", _SLASHES.sub(b"/", path))) == route

    def _at(self, route: Segments | None) -> Normalizer:
        return self._default if route is None else self._routes[route]

    def _route(self, path: bytes) -> Segments | None:
        """The longest route that a path's segments begin with."""
        segments = _segments(path, self._depths[0]) if self._depths else ()
        for depth in self._depths:
            if segments[:depth] in self._routes:
                return segments[:depth]
        return None


def _escaped(match: re.Match[bytes]) -> bytes:
    return percent_encode(match.group())


def _segments(path: bytes, most: int) -> Segments:
    """The first segments of a path, unreserved characters decoded; none where there is no slash in front."""
    path = _BARE.sub(_escaped, _ABSOLUTE.sub(b"", path))
    if not path.startswith(b"/"):
        return ()
    return tuple(respell(segment) for segment in path.split(b"/", most + 1)[1 : most + 1])


def _route_segments(route: object) -> Segments:
    if not isinstance(route, str) or not route.startswith("/") or not route.strip("/") or _lone(route):
        raise PolicyError(f"routes[{route!r}]: a route is a path such as '/packages'")
    written = percent_encode(route.rstrip("/").encode(), PATH | frozenset(b"%"))
    if isinstance(Normalizer(Policy.STRICT).normalize(Target(written)), Rejected):
        raise PolicyError(
            f"routes[{route!r}]: a route is a clean path of whole segments, such as '/packages'"
        )
    return _segments(written, written.count(b"/"))


def _lone(text: str) -> bool:
    """Whether a text holds a lone surrogate, which no octets can say."""
    return text.encode("utf-8", "replace").decode() != text


def _checked_policy(route: str, policy: object) -> Policy:
    if not isinstance(policy, Policy):
        raise PolicyError(f"routes[{route!r}]={policy!r} is no Policy; write Policy.STANDARD or such")
    return policy
