"""Snapshots, from which long matches load in milliseconds."""
