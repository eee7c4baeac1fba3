"""JSON of requests, read strictly.

Whole numbers are so however they are written: `5.0` and `5e0` are 5, as JSON Schema has it. What a
member that stands twice in its object means depends on who reads it (RFC 8259, section 4), so that
is no JSON to us.
"""

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from json import JSONDecoder
from typing import Any

import msgspec

from service.http.middleware.limits import LARGEST_NUMBER


def whole(text: str) -> int | float:
    """The number that is written with a fraction or an exponent: an int if it is whole, exactly,
    and not larger than every JSON reader can hold."""
    try:
        number = Decimal(text)
    except InvalidOperation:  # An exponent that no one can hold.
        return float(text)
    is_whole = -LARGEST_NUMBER <= number <= LARGEST_NUMBER and number % 1 == 0
    return int(number) if is_whole else float(number)


_whole_decoder = msgspec.json.Decoder(float_hook=whole)


def decoded_whole(body: bytes) -> Any:
    """The JSON value in these bytes, whole numbers as ints. Raises msgspec.DecodeError,
    UnicodeDecodeError and RecursionError."""
    return _whole_decoder.decode(body)


def decoded_number(text: str) -> str | int | float:
    """A parameter as the number that it is; as a text if it is none."""
    try:
        value = _whole_decoder.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text
    return value if isinstance(value, int | float) and not isinstance(value, bool) else text


class SentTwice(ValueError):
    """A member of an object stands there twice; `pointer` is where (RFC 6901)."""

    def __init__(self, pointer: str) -> None:
        super().__init__("a member stands twice in an object")
        self.pointer = pointer


class _Members(list[tuple[str, Any]]):
    """The members of an object, in order."""


# Numbers are not read: only names matter.
_members_decoder = JSONDecoder(
    object_pairs_hook=_Members, parse_int=len, parse_float=len, parse_constant=len, strict=False
)


def check_members(text: bytes) -> None:
    """Raises SentTwice for JSON with a member that stands twice in its object. It must be JSON."""
    if text.count(b":") < 2:
        return
    waiting: list[tuple[str, Any]] = [("", _members_decoder.decode(text.decode()))]
    while waiting:
        pointer, value = waiting.pop()
        names = set[str]()
        for name, member in _members(value):
            below = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
            if name in names:
                raise SentTwice(below)
            names.add(name)
            if isinstance(member, list):
                waiting.append((below, member))


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, _Members):
        yield from value
    elif isinstance(value, list):
        yield from ((str(n), item) for n, item in enumerate(value))
