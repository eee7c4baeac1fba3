"""Random matches, every invariant checked."""
