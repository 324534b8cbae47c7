"""The one error of configuration. Nothing that a client sends raises it."""

from __future__ import annotations

from typing import final


@final
class PolicyError(ValueError):
    """A policy that cannot be: raised where it is made, saying what, where and what would work."""
