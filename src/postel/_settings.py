"""What a middleware is given, checked where it is given: a mistake is an error at construction."""

from __future__ import annotations

import inspect
from typing import Final

from postel._errors import PolicyError
from postel._policy import Policy

ASGI: Final = ("scope", "receive", "send")
"""What an ASGI application is called with."""
WSGI: Final = ("environ", "start_response")
"""What a WSGI application is called with."""


def check_applications(protocol: tuple[str, ...], *, app: object, refusal: object) -> None:
    """Refuse what is no application of the protocol; no refusal stands for the default one."""
    _check_application("app", app, protocol)
    if refusal is not None:
        _check_application("refusal", refusal, protocol)


def check_judgement(policy: object, enforce: object, observer: object) -> None:
    """Refuse settings that could not work, saying what would; no observer stands for the default one."""
    if not isinstance(policy, Policy):
        raise PolicyError(f"policy={policy!r} is no Policy; write policy=Policy.STANDARD")
    if not isinstance(enforce, bool):
        raise PolicyError(f"enforce={enforce!r}: write enforce=True or enforce=False")
    if observer is not None and not _takes(observer, ("report",)):
        raise PolicyError(f"observer={observer!r} cannot be called with a report")
    if inspect.iscoroutinefunction(observer):
        raise PolicyError(f"observer={observer!r} is async; an observer is an ordinary function")


def _check_application(name: str, value: object, protocol: tuple[str, ...]) -> None:
    if _takes(value, protocol):
        return
    message = f"{name}={value!r} cannot be called with ({', '.join(protocol)})"
    for other, module in ((ASGI, "postel.asgi"), (WSGI, "postel.wsgi")):
        if other != protocol and _takes(value, other):
            message += f", but with ({', '.join(other)}): import NormalizeMiddleware from {module}"
    raise PolicyError(message)


def _takes(value: object, arguments: tuple[str, ...]) -> bool:
    """Whether something can be called with these arguments in this order, as far as Python can tell."""
    if not callable(value):
        return False
    try:
        # What decorators say of what they wrap is not how they are called themselves.
        inspect.signature(value, follow_wrapped=False).bind(*arguments)
    except ValueError:
        return True  # compiled: it tells no signature
    except TypeError:
        return False
    return True
