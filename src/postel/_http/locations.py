"""Locations: judge whether the Location of a response is malformed, or leads to a foreign host.

RFC 9110, section 10.2.2, defines the Location field. A browser removes TAB and line breaks from its value,
reads a backslash as a slash, and follows ``//evil.example`` to another host: URL Standard, section 4.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast, final

from postel._alphabet.reference import Fault, prepare, split
from postel._alphabet.regex import compiled
from postel._catalogue.check import Action, Component
from postel._catalogue.finding import EXCERPT, Finding
from postel._catalogue.kinds import Kind
from postel._errors import PolicyError, is_list
from postel._http.headers import latin1_octets
from postel._http.host import Hosts, host_patterns
from postel._normalizer.routes import RouteTable

_ACTIONS: Final[Mapping[object, Action]] = {"report": Action.REPORT, "refuse": Action.REJECT}
_LEGAL: Final = compiled(
    rb"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?\[\]]|%[0-9A-Fa-f]{2})*+"
    rb"(?:\#(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?\[\]]|%[0-9A-Fa-f]{2})*+)?+"
)
"""The characters of RFC 3986. Brackets are also accepted in queries, where browsers leave them bare."""
_REDIRECTS: Final = range(300, 400)
"""The statuses with which a client follows a Location: RFC 9110, section 15.4."""
_SCHEMES: Final = frozenset({None, "http", "https"})
_DETAILS: Final = {
    "missing-authority": "a scheme without two slashes and a host",
    "illegal-authority": "a host that readers see differently",
}


@final
@dataclass(frozen=True, slots=True)
class Locations:
    """What happens to responses whose Location is malformed, or leads to a host that is not yours.

    >>> Locations("refuse", exceptions=["accounts.example.net", "*.pay.example"]).action
    'refuse'

    Pass it as ``locations=``. Your hosts are those of ``hosts=`` and ``exceptions``. Raises
    :class:`PolicyError` for another action, and for an exception that is not a host.
    """

    action: Literal["report", "refuse"] = "refuse"
    """``"report"`` reports such a response; ``"refuse"`` answers 403 in its place."""
    exceptions: Iterable[str] = ()
    """The other hosts to which the application may redirect, written as in ``hosts=``."""

    def __post_init__(self) -> None:
        """Check the action and the exceptions."""
        action = cast("object", self.action)
        if not isinstance(action, str) or action not in _ACTIONS:
            raise PolicyError(f"Locations({self.action!r}): write 'report' or 'refuse'")
        given = list(self.exceptions) if is_list(self.exceptions) else self.exceptions
        listed = [] if given == [] else host_patterns(given, "exceptions")
        object.__setattr__(self, "exceptions", tuple(listed))


Setting: TypeAlias = Locations | Literal["report", "refuse"] | None
"""A value of ``locations=``, for all paths or for one route."""


@final
class _Rule(NamedTuple):
    action: Action
    exceptions: Hosts | None = None


@final
class LocationRules:
    """Judges the Location of responses; never raises on any octets.

    >>> rules = LocationRules("refuse", Hosts(["example.com"]))
    >>> rules.judge(b"/", 302, [b"https://example.com/a"]) is None
    True
    >>> print(rules.judge(b"/", 302, [b"//evil.example"]))
    foreign-location in location at 2: "evil.example" (reject)
    """

    __slots__ = ("_default", "_hosts", "_routes", "is_on", "may_refuse")

    def __init__(self, settings: object, hosts: Hosts) -> None:
        """``settings`` is a :data:`Setting` for all paths, or a mapping with one for each route.

        The route ``/`` is for all paths outside the other routes; without it, their responses are not judged.
        Raises PolicyError for anything else, if a mapping judges nothing, and if ``hosts`` names no host.
        """
        name, default = "locations", settings
        routes: dict[str, object] = {}
        if isinstance(settings, Mapping):
            routes = dict(cast("Mapping[str, object]", settings))
            name, default = "locations['/']", routes.pop("/", None)
        self._hosts = hosts
        self._default = _rule(name, default)
        self._routes = RouteTable(
            "locations", {route: _rule(f"locations[{route!r}]", each) for route, each in routes.items()}
        )
        every = (self._default, *self._routes.values())
        self.is_on: bool = any(rule.action is not Action.ALLOW for rule in every)
        """Whether any response is judged."""
        self.may_refuse: bool = any(rule.action is Action.REJECT for rule in every)
        """Whether any response can be refused."""
        if not self.is_on:
            if isinstance(settings, Mapping):
                raise PolicyError(
                    f"locations={settings!r} judges no response; leave locations out, or write "
                    "{'/': 'refuse'} for all other paths"
                )
            return
        if hosts.is_open:
            raise PolicyError("locations= requires hosts=, the hosts of your site: hosts=['example.com']")
        prepare()

    def judge(self, path: bytes, status: int, values: Sequence[bytes]) -> Finding | None:
        """The finding about a response to a request for ``path``; ``None`` if there is nothing to report.

        ``values`` holds each Location of the response. Hosts are judged only if ``status`` is a redirect.
        """
        rule = self._routes.find(path) or self._default
        if not values or rule.action is Action.ALLOW:
            return None
        value = values[-1]
        kind, offset, detail = self._fault_of(value, rule.exceptions)
        if len(values) > 1:
            kind, offset, detail = Kind.MALFORMED_LOCATION, 0, "more than one"
        if kind is None or (kind is Kind.FOREIGN_LOCATION and status not in _REDIRECTS):
            return None
        excerpt = value[offset : offset + EXCERPT]
        return Finding(kind, Component.LOCATION, offset, excerpt, rule.action, detail=detail)

    def _fault_of(self, value: bytes, exceptions: Hosts | None) -> tuple[Kind | None, int, str]:
        """The kind, offset and detail of a fault; the kind is ``None`` if the value is fine."""
        legal = _LEGAL.match(value)
        end = legal.end() if legal else 0
        if end < len(value):
            return Kind.MALFORMED_LOCATION, end, "not allowed in a URL"
        parts = split(value.decode("ascii"))
        if isinstance(parts, Fault):
            detail = _DETAILS.get(parts.what, "a colon after text that is not a scheme")
            return Kind.MALFORMED_LOCATION, parts.offset, detail
        if parts.scheme not in _SCHEMES:
            return Kind.FOREIGN_LOCATION, 0, "a scheme other than http and https"
        if parts.host is None:
            return None, 0, ""
        begins = value.index(b"//") + 2
        if parts.userinfo is not None:
            return Kind.MALFORMED_LOCATION, begins, "a user name in front of the host"
        site = parts.host if parts.port is None else f"{parts.host}:{parts.port}"
        ours = any(hosts.accepts(site.encode()) for hosts in (self._hosts, exceptions) if hosts is not None)
        return (None, 0, "") if ours else (Kind.FOREIGN_LOCATION, begins, "")


def locations_of(headers: Any) -> list[bytes]:
    """Each Location among the headers of a response, on either protocol, as octets.

    >>> locations_of([(b"content-length", b"0"), (b"Location", b"/a")]), locations_of([("Location", "/a")])
    ([b'/a'], [b'/a'])
    """
    values: list[bytes] = []
    match headers:
        case [*pairs]:
            for pair in pairs:
                match pair:
                    case [name, value] if latin1_octets(name).lower() == b"location":
                        values.append(latin1_octets(value))
                    case _:
                        pass
        case _:
            pass
    return values


def _rule(name: str, setting: object) -> _Rule:
    """Check a setting, and compile it."""
    if setting is None:
        return _Rule(Action.ALLOW)
    if isinstance(setting, str) and setting in _ACTIONS:
        return _Rule(_ACTIONS[setting])
    if not isinstance(setting, Locations):
        raise PolicyError(f"{name}={setting!r}: write 'report', 'refuse', Locations('refuse'), or None")
    return _Rule(_ACTIONS[setting.action], Hosts(setting.exceptions) if setting.exceptions else None)
