"""The two groups of a match, and values for each of them."""

from collections.abc import Callable
from typing import Generic, Literal, TypeVar

from msgspec import Struct

Group = Literal["A", "B"]
GROUPS: tuple[Group, Group] = ("A", "B")

Seats = tuple[int, ...]
"""Seats, ascending."""

T = TypeVar("T")


class PerGroup(Struct, Generic[T], frozen=True, rename="upper"):
    """A value for each group; on the wire the fields are called A and B."""

    a: T
    b: T

    def of(self, group: Group) -> T:
        return self.a if group == "A" else self.b


def per_group(value_of: Callable[[Group], T]) -> PerGroup[T]:
    """The value of each group."""
    return PerGroup(value_of("A"), value_of("B"))


def members(groups: tuple[Group, ...], group: Group) -> Seats:
    """The members of a group, given the group of every seat."""
    return tuple(seat for seat, own in enumerate(groups) if own == group)
