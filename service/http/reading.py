"""Bodies as their types, and what is wrong with them said in a code."""

from typing import TypeVar

import msgspec

from service.http.problems import Failed

T = TypeVar("T")

BODY_LIMIT = 64 * 1024


def decoded(decoder: "msgspec.json.Decoder[T]", body: bytes) -> T:
    """The body as its type. Raises Failed: `not_json`, or `wrong_shape` with where and why."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise Failed("wrong_shape", str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Failed("not_json", str(error)) from None
    except RecursionError:
        raise Failed("not_json", "nested too deeply") from None
