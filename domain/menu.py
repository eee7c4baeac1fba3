"""What a seat may do now, as data: the kinds of actions and the allowed values of their fields."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

Value = str | int | bool | None


class OneOf(Struct, frozen=True):
    """One of these values."""

    values: tuple[Value, ...]


class Between(Struct, frozen=True):
    """A whole number, both ends included."""

    low: int
    high: int


class ListOf(Struct, frozen=True):
    """A list of `low` to `high` such items."""

    item: OneOf | Between
    low: int
    high: int
    unique: bool = False


class Nullable(Struct, frozen=True):
    """The values of `field`, or null."""

    field: OneOf | Between | ListOf


Field = OneOf | Between | ListOf | Nullable


class Offer(Struct, frozen=True):
    """One kind of action that a seat may send.

    `exact` means that every combination of field values is accepted. Where a rule spans fields it
    is false, and `examples` shows actions that are accepted as they are; an exact offer needs none.
    Fields named in `optional` may be left out.
    """

    type: str
    fields: Mapping[str, Field] = {}
    exact: bool = True
    optional: tuple[str, ...] = ()
    examples: tuple[Mapping[str, Any], ...] = ()


Menu = tuple[Offer, ...]
NOTHING: Menu = ()
