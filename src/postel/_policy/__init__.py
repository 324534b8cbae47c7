"""Policies: what is done about each kind, as immutable values with a text form."""
