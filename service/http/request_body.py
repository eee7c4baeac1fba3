"""Headers and bodies of requests: what is wrong with them becomes a problem with a code."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

import msgspec

from service.http.limits import BODY_LIMIT, DISCARD_LIMIT
from service.http.mistakes import Mistake, in_header
from service.http.problems import AnyRequest, Failed
from service.http.shape_mistakes import shape_mistakes
from service.http.whole_numbers import decoded_whole

T = TypeVar("T")

SentAs = Callable[[], str | None]
"""Tells what a client says that the body is; None if it says nothing."""

NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

JSON_TYPES = ("application/json", "+json", "text/plain")
"""What a client may call JSON without being told that it is something else."""


def header(request: AnyRequest, name: bytes) -> str | None:
    """The value of the first header with this lower-case name; None if there is none.

    Read from the ASGI scope: the framework's own mapping would decode all headers.
    """
    value = value_of(request.scope["headers"], name)
    return None if value is None else value.decode("latin-1")


def value_of(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> bytes | None:
    """The value of the first header with this lower-case name; None if there is none."""
    # Of headers with one name a mapping keeps the last: here the first of the request.
    return dict(reversed(tuple(headers))).get(name)


async def body_of(request: AnyRequest) -> bytes:
    """The request's body. Raises Failed if it is too large or breaks off.

    The rest of a body that is too large is read for a while and discarded: a client that is cut
    off while it sends may never read the answer.
    """
    announced = header(request, b"content-length")
    if announced is not None and announced.isdigit() and int(announced) > DISCARD_LIMIT:
        raise Failed("too_large")
    body, size, more = b"", 0, True
    while more and size <= DISCARD_LIMIT:
        message = await request.receive()
        if message["type"] != "http.request":
            raise Failed("bad_request", "the body broke off")
        chunk = message.get("body", b"")
        size += len(chunk)
        body = body + chunk if size <= BODY_LIMIT else b""
        more = message.get("more_body", False)
    if size > BODY_LIMIT:
        raise Failed("too_large")
    return body


async def decoded(request: AnyRequest, decoder: "msgspec.json.Decoder[T]") -> T:
    """The body as its type. Raises Failed: `not_json`, or `wrong_shape` with where and why."""
    return parsed(await body_of(request), decoder, partial(content_type, request))


def content_type(request: AnyRequest) -> str | None:
    """What the client says that the body is."""
    return header(request, b"content-type")


def parsed(body: bytes, decoder: "msgspec.json.Decoder[T]", sent_as: SentAs = lambda: None) -> T:
    """These bytes as their type; `sent_as` tells what the client says they are. Raises Failed as
    `decoded` does."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError:
        # It may only be that a whole number is written with a fraction.
        return _converted(_value(body, sent_as), decoder.type)
    except NOT_JSON as error:
        raise _not_json(sent_as, error) from None


def _value(body: bytes, sent_as: SentAs) -> Any:
    """The JSON value in these bytes, whole numbers as ints. Raises Failed as `decoded` does."""
    try:
        return decoded_whole(body)
    except msgspec.ValidationError as error:  # A number that no integer type holds.
        raise misshapen(str(error)) from None
    except NOT_JSON as error:
        raise _not_json(sent_as, error) from None


def _converted(value: Any, kind: type[T]) -> T:
    """A JSON value as its type. Raises Failed: `wrong_shape`."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise misshapen(str(error), *shape_mistakes(value, kind)) from None


def misshapen(detail: str, *mistakes: Mistake, pointer: str = "") -> Failed:
    """`wrong_shape` with the mistakes in the body; without any, what stands at `pointer` is not
    allowed there."""
    unnamed = Mistake("body", "not_allowed_here", detail, pointer=pointer)
    return Failed("wrong_shape", detail, errors=mistakes or (unnamed,))


def _not_json(sent_as: SentAs, error: Exception) -> Failed:
    """`not_json`, for a body that perhaps says itself that it is something else."""
    reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
    return Failed("not_json", reason, errors=_mistaken_for_json(sent_as, reason))


def _mistaken_for_json(sent_as: SentAs, reason: str) -> tuple[Mistake, ...]:
    body = Mistake("body", "not_json", reason, pointer="")
    sent = (sent_as() or "").partition(";")[0].strip().lower()
    if not sent or sent.endswith(JSON_TYPES):
        return (body,)
    detail = "Bodies are JSON."
    return (in_header("Content-Type", "wrong_media_type", detail, "application/json"), body)


async def check_no_body(request: AnyRequest) -> None:
    """Raises Failed unless the body is empty or an empty JSON object."""
    if (await body_of(request)).strip() not in (b"", b"{}"):
        raise misshapen("this takes no body")
