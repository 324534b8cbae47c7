"""Decide whether a request lacks the body that its header fields announce."""

from __future__ import annotations

from typing import Final

from postel._bodies.json_type import JsonType
from postel._bodies.multipart_type import MultipartType

_NEED_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
"""Methods with which readers disagree about an empty body that is declared as JSON or multipart."""


def needs_body(method: str) -> bool:
    """Whether readers disagree about requests with this method that announce a body and have none."""
    return method.upper() in _NEED_BODY  # Django, Flask and Bottle route a method in lower case, too


def is_missed(body_type: object, method: str) -> bool:
    """Whether a missing body is a fault: some readers read nothing, some read ``{}``, and some fail.

    >>> is_missed(JsonType(b"application/json", usual=True), "POST"), is_missed(None, "POST")
    (True, False)
    """
    return needs_body(method) and isinstance(body_type, JsonType | MultipartType)
