"""Request ids: the same id in the answer to a refused request, its log line and its report."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, final

from postel._errors import PolicyError
from postel._http.report import Report

_HEADER: Final = r"[A-Za-z][A-Za-z0-9-]{0,63}"
"""A header name without ``_``, which WSGI cannot tell from ``-``."""
_OF_BODIES: Final = frozenset({"content-type", "content-length"})
"""Headers that are never ids. WSGI has keys of its own for them: RFC 3875, sections 4.1.2 and 4.1.3."""
_SECRET: Final = frozenset({"authorization", "cookie", "proxy-authorization"})
_ID: Final = re.compile(rb"[A-Za-z0-9._-]{1,64}")
"""An incoming id that is safe to repeat: it cannot end a line, a header, a quotation or an HTML element."""
_OCTETS: Final = 8
"""Random octets in a new id: among a million ids, two are equal with a probability of 3 in 10**8."""


@final
class RequestIds:
    """Gives refused requests an id: the value of a trusted request header, or a random one.

    >>> RequestIds("X-Request-ID").header
    'x-request-id'
    """

    __slots__ = ("header",)

    def __init__(self, header: object) -> None:
        """``header`` names the request header to trust; ``None`` trusts none."""
        if header is not None and not (isinstance(header, str) and re.fullmatch(_HEADER, header)):
            raise PolicyError(
                f"request_id={header!r}: a header name has letters, digits and hyphens, at most 64, such as "
                "'X-Request-ID'"
            )
        self.header: str | None = None if header is None else header.lower()
        if self.header in _SECRET:
            raise PolicyError(
                f"request_id={header!r}: this header holds a secret, and an id is logged; name another, such "
                "as 'X-Request-ID'"
            )
        if self.header in _OF_BODIES:
            raise PolicyError(
                f"request_id={header!r}: this header describes the body; name another, such as 'X-Request-ID'"
            )

    def with_id(self, report: Report, sent: Sequence[bytes]) -> Report:
        """Add an id to the report of a refused request; ``sent`` are the values of the header.

        A value is used only if it is the only one and matches ``[A-Za-z0-9._-]{1,64}``.
        """
        if self.header is not None and len(sent) == 1 and _ID.fullmatch(sent[0]):
            return replace(report, id=sent[0].decode())
        return replace(report, id=os.urandom(_OCTETS).hex())
