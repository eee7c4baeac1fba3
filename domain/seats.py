"""Seats: who sits where in a match."""

from collections.abc import Sequence

from domain.game import Refused

LONGEST_NAME = 64


def check_names(names: Sequence[str], allowed: range) -> None:
    """Raises Refused unless the names are as many as the game seats, readable and distinct."""
    if len(names) not in allowed:
        wanted = _span(allowed)
        raise Refused("seats_not_allowed", f"this game seats {wanted}, not {len(names)}")
    for name in names:
        if not readable(name):
            raise Refused(
                "seats_not_allowed",
                f"a name is 1 to {LONGEST_NAME} printable characters with no space at its ends",
            )
    if len(set(names)) != len(names):
        raise Refused("seats_not_allowed", "two seats have the same name")


def readable(name: str) -> bool:
    """Whether people can tell the name apart: neither empty nor endless, nothing invisible."""
    return 0 < len(name) <= LONGEST_NAME and name.isprintable() and name == name.strip()


def _span(allowed: range) -> str:
    low, high = allowed[0], allowed[-1]
    return str(low) if low == high else f"{low} to {high}"
