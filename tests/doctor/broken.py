"""A module that raises when it is imported."""

raise RuntimeError("no database")
