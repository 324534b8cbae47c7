"""Header fields that hold a digest or signature of the body. With one of them, the body must not change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from postel._errors import PolicyError, is_list

WHY: Final = "a header holds a digest of the body"
"""The detail of a finding about a fault that would otherwise be repaired."""
_DIGESTS: Final = frozenset({b"content-digest", b"repr-digest", b"digest", b"content-md5", b"signature"})
"""Header fields that describe the octets of the body: RFC 9530, RFC 3230, RFC 1864, RFC 9421."""
_FIELD: Final = r"[a-z0-9!#$%&'*+.^`|~-]+"
"""A header name in lower case, without the underscore: RFC 9110, section 5.6.2."""


def has_digest(names: Sequence[bytes], signed: frozenset[bytes]) -> bool:
    """Whether a field with one of these names, or of the ``signed`` ones, holds a digest of the body.

    >>> has_digest([b"content-digest"], frozenset()), has_digest([b"stripe-signature"], frozenset())
    (True, False)
    """
    # WSGI-like interfaces merge Content_Digest and Content-Digest.
    return not (_DIGESTS | signed).isdisjoint(name.lower().replace(b"_", b"-") for name in names)


def signed_fields(of: str, given: object) -> tuple[str, ...]:
    """Check names of header fields; returns them in lower case. ``of`` names the setting in errors."""
    fields = tuple(each.lower() for each in listed_texts(of, "signed", given, "stripe-signature"))
    for each in fields:
        if not re.fullmatch(_FIELD, each):
            raise PolicyError(
                f"{of}(signed=[{each!r}]): write the name of a header, such as 'stripe-signature'"
            )
    return fields


def listed_texts(of: str, name: str, given: object, example: str) -> tuple[str, ...]:
    """Check a setting that is a list of texts; returns it as a tuple."""
    listed = (*given,) if is_list(given) else (given,)
    texts = tuple(each for each in listed if isinstance(each, str))
    if is_list(given) and len(texts) == len(listed):
        return texts
    raise PolicyError(f"{of}({name}={given!r}): write a list of texts, such as [{example!r}]")
