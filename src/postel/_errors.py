"""The one error of configuration. Nothing that a client sends raises it."""

from __future__ import annotations

from typing import final


@final
class PolicyError(ValueError):
    """A policy that cannot be: raised where it is made, saying what, where and what would work.

    >>> from postel import Policy
    >>> Policy.STANDARD.limiting(pairs=0)
    Traceback (most recent call last):
    postel.PolicyError: Limits(pairs=0): a limit is a whole number from 1, such as 1000
    """

    __module__ = "postel"  # where it is public, so that tracebacks say so
