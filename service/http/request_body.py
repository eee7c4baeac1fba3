"""Headers and bodies of requests: what is wrong with them becomes a problem with a code."""

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from service.http.problems import AnyRequest, Failed

T = TypeVar("T")

BODY_LIMIT = 64 * 1024

DISCARD_LIMIT = 1024 * 1024
"""Bytes read of a body that is too large before the connection is cut off."""


def header(request: AnyRequest, name: bytes) -> str | None:
    """The value of the first header with this lower-case name; None if there is none.

    Read from the ASGI scope: the framework's own mapping would decode all headers.
    """
    value = value_of(request.scope["headers"], name)
    return None if value is None else value.decode("latin-1")


def value_of(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> bytes | None:
    """The value of the first header with this lower-case name; None if there is none."""
    for key, value in headers:
        if key == name:
            return value
    return None


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
    return parsed(await body_of(request), decoder)


def parsed(body: bytes, decoder: "msgspec.json.Decoder[T]") -> T:
    """These bytes as their type. Raises Failed as `decoded` does."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise Failed("wrong_shape", str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Failed("not_json", str(error)) from None
    except RecursionError:
        raise Failed("not_json", "nested too deeply") from None


async def check_no_body(request: AnyRequest) -> None:
    """Raises Failed unless the body is empty or an empty JSON object."""
    if (await body_of(request)).strip() not in (b"", b"{}"):
        raise Failed("wrong_shape", "this takes no body")
