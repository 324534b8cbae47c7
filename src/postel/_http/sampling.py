"""Sampling: enforce a policy on a share of the requests, and only report on the rest."""

from __future__ import annotations

import binascii
import os
from typing import Final, final

from postel._errors import PolicyError

_CHECKSUMS: Final = 2**32
"""How many values 32 bits, such as a CRC-32, can have."""


@final
class Sample:
    """The share of the requests, from 0 to 1, on which a policy is enforced.

    With ``by_client=True`` the policy is enforced on all requests from a client address or on none. Otherwise
    each request is picked at random.

    >>> Sample(1.0).takes("192.0.2.1"), Sample(0.0, by_client=True).takes("192.0.2.1")
    (True, False)

    Raises :class:`PolicyError` unless ``share`` is a number from 0 to 1, or if an argument cannot work.
    """

    __slots__ = ("by_client", "share")

    def __init__(self, share: float, *, by_client: bool = False) -> None:
        """Check the share and the flag."""
        self.share: float = _checked_share(share)
        """The share of the requests on which the policy is enforced, from 0 to 1."""
        self.by_client: bool = _checked_truth(by_client)
        """Whether clients are picked, and not single requests."""

    def takes(self, client: str) -> bool:
        """Whether to enforce the policy on a request from this client address."""
        if self.by_client:
            return binascii.crc32(client.encode(errors="backslashreplace")) < self.share * _CHECKSUMS
        return _drawn() < self.share

    def __repr__(self) -> str:
        return f"Sample({self.share}, by_client={self.by_client})"


def _drawn() -> float:
    """Return a random number from 0 up to, but not including, 1; forked processes do not share its source."""
    return int.from_bytes(os.urandom(4), "big") / _CHECKSUMS


def _checked_share(share: object) -> float:
    if isinstance(share, int | float) and not isinstance(share, bool) and 0 <= share <= 1:
        return float(share)
    raise PolicyError(f"sample={share!r}: a share is a number from 0 to 1, such as 0.1")


def _checked_truth(by_client: object) -> bool:
    if isinstance(by_client, bool):
        return by_client
    raise PolicyError(f"by_client={by_client!r}: write by_client=True or by_client=False")
