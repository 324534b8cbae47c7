"""The settings of JSON bodies."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, final

from postel._bodies.digests import listed_texts, signed_fields
from postel._errors import PolicyError, is_limit, shown

DEEPEST: Final = 256
"""The highest depth that can be set; Python's scanner recurses, and 3.11 allows 993 levels."""
LONGEST_NUMBER: Final = 4300
"""The highest limit for numbers: Python reads no integer of more digits, and most frameworks then fail."""
_NUMBERS: Final = {
    "limit": 1_000_000,
    "depth": 100,
    "members": 10_000,
    "name": 2048,
    "string": 100_000,
    "number": 1000,
}
"""The settings that are whole numbers, with an example of each."""
_TYPE: Final = r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+"
"""A media type in lower case: RFC 6838, section 4.2."""
_OF_FORMS: Final = ("multipart/", "application/x-www-form-urlencoded", "application/x-url-encoded")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Json:
    """How JSON bodies are judged. Immutable; raises :class:`PolicyError` if a setting cannot work.

    >>> Json(limit=100_000, types=["application/csp-report"]).limit
    100000
    """

    limit: int = 102_400
    """The most octets of a body, which is held in memory; a larger one is answered with 413. Python's scanner
    cannot pause: while it reads, the event loop waits, for about 100 ms at 1 MiB of hostile input. The
    default, which is also that of Express (100 KiB), keeps this at about 10 ms."""
    depth: int = 100
    """The most levels of nesting, a whole number up to 256; Python's own parser fails at about 990 levels."""
    members: int = 10_000
    """The most members of one object, a whole number."""
    name: int = 2048
    """The most octets of a name, unescaped."""
    string: int | None = None
    """The most octets between the quotes of a string; ``None`` sets no limit besides that of the body."""
    number: int = 1000
    """The most octets of a number, at most 4300: Python refuses to read an integer of more digits."""
    types: Iterable[str] = ()
    """Media types to judge besides ``application/json`` and all that end in ``+json``."""
    others: Literal["refuse", "untouched"] = "refuse"
    """``"refuse"`` answers 415 to a body of a type that is not judged, since readers such as Starlette's
    ``request.json()`` read JSON under every type; ``"untouched"`` lets it pass."""
    signed: Iterable[str] = ()
    """Header fields that hold a signature of the body, such as ``stripe-signature``, in addition to
    ``Digest``, ``Content-Digest``, ``Repr-Digest``, ``Content-MD5`` and ``Signature``. If a request has one
    of them, a body that would need a repair is refused."""
    keep: bool = False
    """Whether ``Report.received_json`` keeps the octets as received."""

    def __post_init__(self) -> None:
        """Check each setting."""
        for name, example in _NUMBERS.items():
            _check_number(name, getattr(self, name), example)
        if self.others not in ("refuse", "untouched"):
            raise PolicyError(f"Json(others={self.others!r}): write 'refuse' or 'untouched'")
        _check_flag(self.keep)
        types = listed_texts("Json", "types", self.types, "application/csp-report")
        for each in types:
            if not re.fullmatch(_TYPE, each) or each.startswith(_OF_FORMS):
                raise PolicyError(
                    f"Json(types=[{each!r}]): write a media type in lower case, not a form's, "
                    "such as 'application/csp-report'"
                )
        object.__setattr__(self, "types", types)
        object.__setattr__(self, "signed", signed_fields("Json", self.signed))


def _check_flag(value: object) -> None:
    if not isinstance(value, bool):
        raise PolicyError(f"Json(keep={value!r}): write keep=True or keep=False")


def _check_number(name: str, value: object, example: int) -> None:
    if name == "string" and value is None:
        return
    if not is_limit(value):
        most = {"depth": DEEPEST, "number": LONGEST_NUMBER}.get(name, "2**63 - 1")
        raise PolicyError(
            f"Json({name}={shown(value)}): a limit is a whole number from 1 to {most}, such as {example}"
        )
    if name == "depth" and value > DEEPEST:
        raise PolicyError(f"Json(depth={value}): write at most {DEEPEST}; deeper levels cannot be judged")
    if name == "number" and value > LONGEST_NUMBER:
        raise PolicyError(
            f"Json(number={value}): write at most {LONGEST_NUMBER}; Python reads no integer of more digits"
        )
