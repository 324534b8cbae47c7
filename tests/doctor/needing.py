"""A module that imports a missing package."""

import nowhere_to_be_found  # noqa: F401  # pyright: ignore
