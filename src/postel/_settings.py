"""What a middleware is given, checked where it is given: a mistake is an error at construction."""

from __future__ import annotations

from postel._errors import PolicyError
from postel._policy import Policy


def checked(app: object, policy: object, enforce: object, refusal: object, observer: object) -> None:
    """Refuse settings that could not work, saying what would."""
    for name, value in (("app", app), ("refusal", refusal), ("observer", observer)):
        if not callable(value) and (name == "app" or value is not None):
            raise PolicyError(f"{name}={value!r} cannot be called")
    if not isinstance(policy, Policy):
        raise PolicyError(f"policy={policy!r} is no Policy; write policy=Policy.STANDARD")
    if not isinstance(enforce, bool):
        raise PolicyError(f"enforce={enforce!r}: write enforce=True or enforce=False")
