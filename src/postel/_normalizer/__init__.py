"""The normalizer: pure functions that turn a received target into a canonical one, or refuse it."""
