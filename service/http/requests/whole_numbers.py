"""Whole numbers of requests, however they are written: `5.0` and `5e0` are 5, as JSON Schema has
it."""

from decimal import Decimal, InvalidOperation
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
    held = -LARGEST_NUMBER <= number <= LARGEST_NUMBER and number % 1 == 0
    return int(number) if held else float(number)


_decoder = msgspec.json.Decoder(float_hook=whole)


def decoded_whole(body: bytes) -> Any:
    """The JSON value in these bytes, whole numbers as ints. Raises msgspec.DecodeError,
    UnicodeDecodeError and RecursionError."""
    return _decoder.decode(body)


def decoded_number(text: str) -> str | int | float:
    """A parameter as the number that it is; as a text if it is none."""
    try:
        value = _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text
    return value if isinstance(value, int | float) and not isinstance(value, bool) else text
