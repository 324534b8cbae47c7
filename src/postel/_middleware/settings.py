"""The arguments of both middlewares, checked at construction, before the first request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, final

from postel._alphabet.percent import ESCAPE
from postel._bodies.form_settings import Forms
from postel._bodies.json_settings import Json
from postel._bodies.settings import Bodies
from postel._catalogue.check import Action
from postel._catalogue.kinds import Kind
from postel._errors import PolicyError
from postel._http.callables import accepts, is_async
from postel._http.locations import Setting
from postel._http.observers import Observer
from postel._http.sampling import Sample
from postel._middleware.rebuilt_urls import Mode
from postel._normalizer.normalizer import Normalizer
from postel._normalizer.target import Rejected, Target
from postel._policy.policy import Policy

ASGI: Final = ("scope", "receive", "send")
"""The arguments of an ASGI application."""
WSGI: Final = ("environ", "start_response")
"""The arguments of a WSGI application."""
_LINK: Final = r"https?://[A-Za-z0-9._\[-][!#-;=?-~]*"
_REFUSALS: Final = frozenset(status.value for status in HTTPStatus if status.value >= 400)


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Settings:
    """The arguments of a middleware of either protocol. Raises PolicyError if one cannot work."""

    protocol: tuple[str, ...]
    """The names of the arguments of an application: ``ASGI`` or ``WSGI``."""
    app: object
    refusal: object
    policy: Policy
    enforce: bool
    observer: Observer | None
    routes: Mapping[str, Policy] | None
    prefix: str | None
    redirect: bool | None
    sample: Sample | float | None
    statuses: Mapping[Kind, int] | None
    hosts: Iterable[str] | None
    locations: Setting | Mapping[str, Setting]
    forms: Forms | bool
    json: Json | bool
    bodies: Bodies | None
    headers: Mapping[str, Action] | None
    request_id: str | None
    help_url: str | None
    rebuilt_urls: Mode | Mapping[str, Mode] = "safe"
    """What to do about URLs that frameworks rebuild from the path; WSGI has no such argument."""

    def __post_init__(self) -> None:
        """Check each argument that no other class checks."""
        _check_application("app", self.app, self.protocol)
        if self.refusal is not None:
            _check_application("refusal", self.refusal, self.protocol)
        _check_policy(self.policy)
        _check_flag("enforce", self.enforce)
        if self.redirect is not None:
            _check_flag("redirect", self.redirect)
        _check_observer(self.observer)
        _check_mapping("routes", self.routes, "{'/packages': Policy.STANDARD}")
        if "/" in (self.routes or {}):
            raise PolicyError("routes['/']: give the policy for all other paths as policy=")
        _check_mapping("statuses", self.statuses, "{Kind.NUL: 404}")
        _check_prefix(self.prefix, self.policy)
        for kind, status in (self.statuses or {}).items():
            _check_status(kind, status)
        if self.statuses and self.refusal is not None:
            raise PolicyError(
                "statuses= cannot be combined with refusal=, which sets its own status; leave statuses out, "
                "or read report_of(...).findings in refusal"
            )
        _check_link(self.help_url)
        if self.help_url is not None and self.refusal is not None:
            raise PolicyError(
                "help_url= cannot be combined with refusal=, which writes its own page; leave help_url out, "
                "or link to it in refusal"
            )
        if self.sample is not None and not self.enforce:
            raise PolicyError("sample= requires enforce=True")


def sample_setting(sample: object) -> Sample | None:
    """The sample from the argument ``sample=``; a number is a share of the requests, picked at random."""
    if sample is None or isinstance(sample, Sample):
        return sample
    if isinstance(sample, int | float):
        return Sample(sample)
    raise PolicyError(f"sample={sample!r}: write a share such as 0.1, or Sample(0.1, by_client=True)")


def _check_policy(policy: object) -> None:
    if isinstance(policy, str) and policy.strip():
        raise PolicyError(f"policy={policy!r} is text; write policy=Policy.parse({policy!r})")
    if not isinstance(policy, Policy):
        raise PolicyError(f"policy={policy!r} is not a Policy; write policy=Policy.STANDARD")


def _check_flag(name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise PolicyError(f"{name}={value!r}: write {name}=True or {name}=False")


def _check_observer(observer: object) -> None:
    """Raise unless ``observer`` can be called with a report; None selects the default."""
    if isinstance(observer, type) and any("__call__" in vars(each) for each in observer.__mro__):
        name = observer.__name__
        raise PolicyError(f"observer={name}: this is a class; write observer={name}()")
    if observer is not None and not accepts(observer, ("report",)):
        wanted = "give a function of one argument, or LogObserver()"
        raise PolicyError(f"observer={observer!r} cannot be called with a report; {wanted}")
    if is_async(observer):
        raise PolicyError(f"observer={observer!r} is async; give an ordinary function")


def _check_mapping(name: str, value: object, example: str) -> None:
    if value is not None and not isinstance(value, Mapping):
        raise PolicyError(f"{name}={value!r}: write a dict such as {example}")


def _check_prefix(prefix: object, policy: Policy) -> None:
    if prefix is None or prefix == "":
        return
    if not isinstance(prefix, str) or not prefix.startswith("/") or prefix.endswith("/"):
        raise PolicyError(f"prefix={prefix!r}: a prefix is a path such as '/app', or '' for none")
    octets = prefix.encode("utf-8", "surrogatepass")
    if ESCAPE.search(octets):
        raise PolicyError(f"prefix={prefix!r}: a prefix is decoded text, such as '/café'")
    outcome = Normalizer(policy).normalize(Target(b"/", prefix=octets))
    if isinstance(outcome, Rejected):
        why = ", ".join(each.detail or each.kind.slug for each in outcome.findings)
        raise PolicyError(f"prefix={prefix!r}: the policy refuses every request under it ({why})")


def _check_link(url: object) -> None:
    if url is not None and not (isinstance(url, str) and re.fullmatch(_LINK, url)):
        raise PolicyError(
            f"help_url={url!r}: write a URL with a host, in ASCII, such as 'https://example.com/refused'"
        )


def _check_status(kind: object, status: object) -> None:
    if not isinstance(kind, Kind):
        raise PolicyError(f"statuses={{{kind!r}: ...}}: name a Kind, such as Kind.NUL")
    if not isinstance(status, int) or status not in _REFUSALS:
        raise PolicyError(f"statuses={{{kind!r}: {status!r}}}: write an HTTP error status, such as 404")


def _answers(value: type, protocol: tuple[str, ...]) -> bool:
    """Whether calling a class answers a request: its instances are awaitable, or on WSGI iterable (PEP 3333).

    On WSGI, a class may answer, too, if it defines ``__new__`` or its metaclass defines ``__call__``.
    """
    if protocol == ASGI:
        return hasattr(value, "__await__")
    made: Any = value
    has_own_call = type(made).__call__ is not type.__call__ or made.__new__ is not object.__new__
    return has_own_call or hasattr(value, "__iter__") or hasattr(value, "__getitem__")


def _check_application(name: str, value: object, protocol: tuple[str, ...]) -> None:
    if isinstance(value, type) and not _answers(value, protocol):
        raise PolicyError(f"{name}={value!r} is a class; give an application, such as {value.__name__}()")
    if accepts(value, protocol):
        # On ASGI, an ordinary function may return what another application returns, to be awaited.
        if protocol == WSGI and is_async(value):
            raise PolicyError(f"{name}={value!r} is async; WSGI awaits nothing, so give an ordinary function")
        return
    message = f"{name}={value!r} cannot be called with ({', '.join(protocol)})"
    if not callable(value):
        kind = "ASGI" if protocol == ASGI else "WSGI"
        message += f"; give the {kind} application " + (
            "to wrap" if name == "app" else "that answers refused requests"
        )
    if accepts(value, ("request",)):
        message += (
            ", only with a request; in Django, leave postel out of MIDDLEWARE and wrap the application in "
            "wsgi.py or asgi.py"
        )
    for other, module in ((ASGI, "postel.asgi"), (WSGI, "postel.wsgi")):
        if other != protocol and accepts(value, other):
            message += f", but with ({', '.join(other)}): import NormalizeMiddleware from {module}"
    raise PolicyError(message)
