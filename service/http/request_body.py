"""Headers and bodies of requests: what is wrong with them becomes a problem with a code."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

import msgspec

from service.http.json_members import SentTwice, check_members
from service.http.mistakes import Mistake, in_header
from service.http.problems import AnyRequest, Failed
from service.http.schema_form import reference
from service.http.shape_mistakes import shape_mistakes
from service.http.whole_numbers import decoded_whole

T = TypeVar("T")

JSON = "application/json"

NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, SentTwice)

BODY = "body"
"""Where the state of a request has its body, once it is read."""

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


class Body(Generic[T]):
    """A request body in JSON. `kind` is the type that it must have; without one, `component` names
    a schema that is made elsewhere. `examples` are bodies by the name of the example. One that is
    not `required` may be left out: then all its fields have their defaults."""

    def __init__(
        self,
        kind: type[T],
        examples: Mapping[str, Any],
        component: str = "",
        *,
        required: bool = True,
        float_hook: Callable[[str], Any] | None = None,
    ) -> None:
        self.kind = kind
        self.examples = examples
        self.component = component
        self._required = required
        self._decoder = msgspec.json.Decoder[T](kind, float_hook=float_hook)

    async def read(self, request: AnyRequest) -> T:
        """The body as its type. Raises Failed: `not_json`, or `wrong_shape` with where and why."""
        body = await body_of(request)
        if not self._required:
            body = body.strip() or b"{}"
        return parsed(body, self._decoder, request)

    def to_schema(self) -> dict[str, Any]:
        """The body as OpenAPI describes it."""
        examples = {name: {"value": value} for name, value in self.examples.items()}
        schema = reference(self.component or str(self.kind.__name__))
        content = {"schema": schema, "examples": examples}
        return {"required": self._required, "content": {JSON: content}}


def parsed(body: bytes, decoder: "msgspec.json.Decoder[T]", request: AnyRequest | None = None) -> T:
    """These bytes as their type; the `request` says what its client takes them for. Raises Failed
    as `Body.read` does."""
    try:
        read = decoder.decode(body)
        check_members(body)
    except msgspec.ValidationError:
        # It may only be that a whole number is written with a fraction.
        return _converted(_value(body, request), decoder.type)
    except NOT_JSON as error:
        raise _not_json(request, error) from None
    return read


def _value(body: bytes, request: AnyRequest | None) -> Any:
    """The JSON value in these bytes, whole numbers as ints. Raises Failed as `Body.read` does."""
    try:
        value = decoded_whole(body)
        check_members(body)
    except msgspec.ValidationError as error:  # A number that no integer type holds.
        raise misshapen(str(error)) from None
    except NOT_JSON as error:
        raise _not_json(request, error) from None
    return value


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


def _not_json(request: AnyRequest | None, error: Exception) -> Failed:
    """`not_json`, for a body that perhaps says itself that it is something else."""
    if isinstance(error, SentTwice):
        twice = Mistake("body", "sent_twice", "A member stands once.", pointer=error.pointer)
        return Failed("not_json", str(error), errors=(twice,))
    reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
    return Failed("not_json", reason, errors=_mistaken_for_json(request, reason))


def _mistaken_for_json(request: AnyRequest | None, reason: str) -> tuple[Mistake, ...]:
    body = Mistake("body", "not_json", reason, pointer="")
    named = None if request is None else header(request, b"content-type")
    sent = (named or "").partition(";")[0].strip().lower()
    if not sent or sent.endswith(JSON_TYPES):
        return (body,)
    detail = "Bodies are JSON."
    return (in_header("Content-Type", "wrong_media_type", detail, "application/json"), body)


async def check_no_body(request: AnyRequest) -> None:
    """Raises Failed unless the body is empty or an empty JSON object."""
    if (await body_of(request)).strip() not in (b"", b"{}"):
        raise misshapen("this takes no body")
