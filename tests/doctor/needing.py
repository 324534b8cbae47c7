"""A module that needs what is not installed."""

import nowhere_to_be_found  # noqa: F401  # pyright: ignore
