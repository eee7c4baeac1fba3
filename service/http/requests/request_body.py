"""Bodies of requests: what is wrong with them becomes a problem with a code."""

from collections.abc import Iterable
from functools import cache
from typing import Any, TypeVar, cast

import msgspec

from service.http.errors.mistakes import Mistake, in_header
from service.http.errors.problems import AnyRequest, Failed
from service.http.errors.shape_mistakes import shape_mistakes
from service.http.requests.strict_json import SentTwice, check_members, decoded_whole

T = TypeVar("T")

JSON = "application/json"

NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, SentTwice)

BODY = "body"
"""Where the state of a request has its body, once it is read."""

JSON_TYPES = ("application/json", "+json", "text/plain")
"""How media types end under which a body may be JSON; another one is named as a mistake."""


def value_of(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> bytes | None:
    """The value of the first header with this lower-case name; None if there is none."""
    # A dict keeps the last of equal names, so the order is reversed.
    return dict(reversed(tuple(headers))).get(name)


async def body_of(request: AnyRequest) -> bytes:
    """The request's body. Raises Failed if it breaks off. Where the body is received, what is too
    large is refused already."""
    state = request.scope["state"]
    if BODY not in state:
        state[BODY] = await _received(request)
    body: bytes = state[BODY]
    return body


async def _received(request: AnyRequest) -> bytes:
    body, more = b"", True
    while more:
        message = await request.receive()
        if message["type"] != "http.request":
            raise Failed("bad_request", "the body broke off")
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


def parse_body(body: bytes, kind: type[T], request: AnyRequest | None = None) -> T:
    """These bytes as their type; the `request` says what its client takes them for. Raises Failed:
    `not_json`, or `wrong_shape` with where and why."""
    return converted(json_value(body, request), kind)


def json_value(body: bytes, request: AnyRequest | None = None) -> Any:
    """The JSON value in these bytes, whole numbers as ints. Raises Failed as `parse_body` does."""
    try:
        value = decoded_whole(body)
        check_members(body)
    except msgspec.ValidationError as error:  # A number that no integer type holds.
        raise misshapen(str(error)) from None
    except NOT_JSON as error:
        raise _not_json(request, error) from None
    return value


def converted(value: Any, kind: type[T]) -> T:
    """A JSON value as its type. Raises Failed: `wrong_shape`."""
    try:
        return cast(T, msgspec.convert({"held": value}, _holder(cast(Any, kind))).held)
    except msgspec.ValidationError:
        pass  # Its text is of the value in the holder.
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise misshapen(str(error), *shape_mistakes(value, kind)) from None


@cache
def _holder(kind: Any) -> Any:
    """A Struct with a field of this type: msgspec inspects a Struct once, and a union each time."""
    return msgspec.defstruct("Holder", [("held", kind)])


def misshapen(detail: str, *mistakes: Mistake, pointer: str = "") -> Failed:
    """`wrong_shape` with the mistakes in the body; without any, what stands at `pointer` is not
    allowed there."""
    unnamed = Mistake("body", "not_allowed_here", detail, pointer=pointer)
    return Failed("wrong_shape", detail, errors=mistakes or (unnamed,))


def _not_json(request: AnyRequest | None, error: Exception) -> Failed:
    """`not_json`, with the mistakes; a wrong media type may be one of them."""
    if isinstance(error, SentTwice):
        twice = Mistake("body", "sent_twice", "A member stands once.", pointer=error.pointer)
        return Failed("not_json", str(error), errors=(twice,))
    reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
    return Failed("not_json", reason, errors=_mistaken_for_json(request, reason))


def _mistaken_for_json(request: AnyRequest | None, reason: str) -> tuple[Mistake, ...]:
    body = Mistake("body", "not_json", reason, pointer="")
    content_type = "" if request is None else media_type(request)
    if not content_type or content_type.endswith(JSON_TYPES):
        return (body,)
    detail = "Bodies are JSON."
    return (in_header("Content-Type", "wrong_media_type", detail, "application/json"), body)


def media_type(request: AnyRequest) -> str:
    """What a client says that its body is, in lower case; empty if it says nothing."""
    content_type = value_of(request.scope["headers"], b"content-type") or b""
    return content_type.decode("latin-1").partition(";")[0].strip().lower()


async def check_no_body(request: AnyRequest) -> None:
    """Raises Failed unless the body is empty or an empty JSON object."""
    if (await body_of(request)).strip() not in (b"", b"{}"):
        raise misshapen("this takes no body")
