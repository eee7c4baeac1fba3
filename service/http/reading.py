"""Bodies as their types, and what is wrong with them said in a code."""

from typing import TypeVar

import msgspec

from service.http.problems import AnyRequest, Failed

T = TypeVar("T")

BODY_LIMIT = 64 * 1024


async def body_of(request: AnyRequest) -> bytes:
    """The request's body, read as it comes. Raises Failed if it is too large or breaks off."""
    body = b""
    more = True
    while more:
        message = await request.receive()
        if message["type"] != "http.request":
            raise Failed("bad_request", "the body broke off")
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > BODY_LIMIT:
            raise Failed("too_large")
    return body


async def decoded(request: AnyRequest, decoder: "msgspec.json.Decoder[T]") -> T:
    """The body as its type. Raises Failed: `not_json`, or `wrong_shape` with where and why."""
    body = await body_of(request)
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise Failed("wrong_shape", str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Failed("not_json", str(error)) from None
    except RecursionError:
        raise Failed("not_json", "nested too deeply") from None
