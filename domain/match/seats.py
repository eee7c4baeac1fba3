"""Seats: how many a game has, and who may sit in them."""

from collections.abc import Sequence
from typing import TypeVar

from domain.game import Refused
from domain.names import GOOD_NAME, first_fault

T = TypeVar("T")

FAULTS = {"taken": "two seats have the same name, however it is written", "not_good": GOOD_NAME}


def check_count(count: int, allowed: range) -> None:
    """Raises Refused unless this is a number of seats that the game allows."""
    if count not in allowed:
        low, high = allowed[0], allowed[-1]
        count_text = low if low == high else f"{low} to {high}"
        raise Refused("seats_not_allowed", f"this game seats {count_text}, not {count}")


def check_names(names: Sequence[str], allowed: range) -> None:
    """Raises Refused unless the names match the game's number of seats and are good and
    distinct."""
    check_count(len(names), allowed)
    fault = first_fault(names)
    if fault is not None:
        raise Refused("seats_not_allowed", FAULTS[fault])


def set_seat(per_seat: Sequence[T], seat: int, new: T) -> tuple[T, ...]:
    """What each seat has, once `seat` has `new`."""
    return (*per_seat[:seat], new, *per_seat[seat + 1 :])
