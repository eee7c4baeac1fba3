"""The instants that tests count from."""

NOON = 1_767_268_800_000_000
"""2026-01-01T12:00:00Z, in microseconds."""

SECOND = 1_000_000
