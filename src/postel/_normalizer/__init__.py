"""The normalizer: pure functions from a received target to a canonical one, or to a refusal."""
