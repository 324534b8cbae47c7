"""Collects what frameworks leave open."""

from __future__ import annotations

from readers.left_open import left_open  # noqa: F401 - a fixture
