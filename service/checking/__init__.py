"""Judges a whole store again: for `arbiter check`, for backups, and slowly in the background."""
