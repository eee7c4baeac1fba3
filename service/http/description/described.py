"""What a route says of itself for the API's description where the framework has no words for it.

Most of a route's problems follow from its guard, its path and the parameters of its handler. Only
the codes of its own rules are listed, by `problems`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import cleandoc
from types import UnionType
from typing import Any, get_args

from litestar import Response
from litestar.datastructures import ResponseHeader
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import Example
from litestar.params import Body, BodyKwarg
from litestar.plugins import ReceiveRoutePlugin
from litestar.routes import BaseRoute, HTTPRoute
from msgspec import Struct

from service.http.access.guards import Guard
from service.http.description.schema_form import reference
from service.http.errors.problems import MEDIA_TYPE, OPERATOR_NEEDED, TITLES, Problem
from service.http.errors.route_mistakes import FORM
from service.http.middleware.rate_limiting import COUNTED
from service.http.requests.headers import HEADER_CODES, IDEMPOTENCY_KEY, answer_header
from service.http.requests.request_body import JSON
from service.http.requests.request_form import ANY_QUERY, BODY, RequestForm, form_of

CODES = "codes"
"""In the `opt` of a route: the codes of the problems by its own rules."""

UNSTORED = {"stored": False}
"""The `opt` of a route that can always be answered."""

_LATER = (answer_header("Retry-After", "Seconds until the next attempt"),)

ERROR_HEADERS = {
    "401": (answer_header("WWW-Authenticate", "`Bearer`"),), "429": _LATER, "503": _LATER,
}  # fmt: skip

CONTENT = "content"
"""In the `opt` of a route: the types of its answer, or of each line of it, by media type."""

PROBLEM_HEADERS = "problem_headers"
"""In the `opt` of a route: headers of its problems by their status."""

CONDITIONAL = "conditional"
"""In the `opt` of a route: True if it reads `If-None-Match`, without what the framework's own way
of reading a header costs."""

IF_NONE_MATCH = {
    "name": "If-None-Match", "in": "header", "required": False, "schema": {"type": "string"},
    "description": "The `ETag` of what the client has",
}  # fmt: skip

Content = type | UnionType


class AccessNotDeclared(TypeError):
    """A route does not say who may use it."""


class Declared(ReceiveRoutePlugin):
    """Gives each route the requirements of its guard, and the form of its requests. Raises
    AccessNotDeclared for one without a guard."""

    def receive_route(self, route: BaseRoute) -> None:
        """Called by the framework for every route."""
        for handler in route.route_handlers if isinstance(route, HTTPRoute) else ():
            guard = next((one for one in handler.resolve_guards() if isinstance(one, Guard)), None)
            # The framework answers OPTIONS by itself.
            if guard is None and not handler.fn.__module__.startswith("litestar."):
                raise AccessNotDeclared(f"{route.path_format}: declare a guard at {handler}")
            handler.security = None if guard is None else guard.security
            handler.opt[FORM] = form_of(handler)


def problems(codes: str, **more: Any) -> dict[str, Any]:
    """The `opt` of a route whose own rules refuse with these codes, with spaces between; `more` is
    the rest of it."""
    return {CODES: tuple(codes.split()), **more}


def examples(named: Mapping[str, Any], component: str = "") -> BodyKwarg:
    """Examples of a body by their names; `component` is the schema of one that has no class."""
    made = [Example(summary=name, value=value) for name, value in named.items()]
    body: BodyKwarg = Body(examples=made, title=component or None)
    return body


def answer_of(kind: type[Any]) -> ResponseSpec:
    """One more answer of this type, which says first what it is."""
    return ResponseSpec(kind, generate_examples=False, description=said_of(kind))


def said_of(kind: type[Any]) -> str:
    """What a type says first of itself."""
    return " ".join(cleandoc(kind.__doc__ or "").partition("\n\n")[0].split())


def complete(operation: dict[str, Any], path: str, handler: HTTPRouteHandler) -> None:
    """Adds to the framework's description of an operation what it leaves out: named examples and
    components of bodies, problems by their codes, headers of answers, and repeated requests."""
    # Errors are problems: others are the framework's own guesses.
    answers = operation["responses"].items()
    responses = operation["responses"] = {one: said for one, said in answers if one < "400"}
    _describe_body(operation, handler)
    _describe_answer(responses[str(handler.status_code)], handler)
    form: RequestForm = handler.opt[FORM]
    if handler.opt.get(CONDITIONAL):
        operation.setdefault("parameters", []).append(IF_NONE_MATCH)
        responses["304"] = {"description": "The client has it already"}
    responses |= described_problems(tuple(_codes(path, handler)))
    for status, response in responses.items():
        response.pop("headers", None)
        headers: Iterable[ResponseHeader] = handler.resolve_response_headers()
        if status >= "400":
            own = handler.opt.get(PROBLEM_HEADERS, {}).get(int(status))
            headers = own or ERROR_HEADERS.get(status, ())
        if headers:
            response["headers"] = described_headers(headers)
    if "201" in responses and (
        IDEMPOTENCY_KEY in form.headers.values() or handler.opt.get("repeatable")
    ):
        said = "The same request again; `Idempotent-Replayed: true`"
        repeat = {**responses["201"], "description": said}
        own = responses.get("200")
        responses["200"] = repeat if own is None else _either(repeat, own)


def _describe_body(operation: dict[str, Any], handler: HTTPRouteHandler) -> None:
    body = body_of(handler)
    if body is None:
        return
    shown = {one.summary: {"value": one.value} for one in body.examples or ()}
    content = {"schema": reference(component_of(handler)), "examples": shown}
    form: RequestForm = handler.opt[FORM]
    operation["requestBody"] = {"required": not form.may_be_empty, "content": {JSON: content}}


def body_of(handler: HTTPRouteHandler) -> BodyKwarg | None:
    """What a route declares of its body; None if it has none."""
    data = handler.parsed_fn_signature.parameters.get("data")
    body = handler.opt.get(BODY) if data is None else data.kwarg_definition
    assert body is None or isinstance(body, BodyKwarg), "a body is declared by `examples`"
    return body


def _describe_answer(response: dict[str, Any], handler: HTTPRouteHandler) -> None:
    """Says of a route's own answer what it is, which its type says first."""
    contents, returned = handler.opt.get(CONTENT, {}), list(answered_types(handler))
    if len(returned) > 1:
        # The framework does not look into several answers: the first is the route's own.
        contents = {JSON: returned[0]}
    if contents:
        response["content"] = {form: {"schema": _schema(kind)} for form, kind in contents.items()}
    if handler.response_description is None:
        kinds = [*contents.values(), *returned]
        own = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Struct)]
        if own:
            response["description"] = said_of(own[0])


def answered_types(handler: HTTPRouteHandler) -> Iterator[Any]:
    """The types of the answers of a route, as its handler declares them."""
    returned = handler.parsed_fn_signature.return_type
    for one in returned.inner_types if returned.is_union else (returned,):
        inner = one.inner_types
        yield inner[0].annotation if one.is_subclass_of(Response) and inner else one.annotation


def component_of(handler: HTTPRouteHandler) -> str:
    """The name of the component of a route's body."""
    body = body_of(handler)
    if body is not None and body.title is not None:
        return body.title
    name: str = handler.parsed_fn_signature.parameters["data"].annotation.__name__
    return name


def _codes(path: str, handler: HTTPRouteHandler) -> Iterator[str]:
    """The codes of all problems of a route."""
    own = handler.opt.get(CODES, ())
    if handler.opt.get(COUNTED, True):
        yield "too_many_requests"
    yield from own
    yield from (one for one in dict.fromkeys(_following(path, handler, own)) if one not in own)


def _following(path: str, handler: HTTPRouteHandler, own: Sequence[str]) -> Iterator[str]:
    """The codes that follow from what a route reads, and from who may use it."""
    form: RequestForm = handler.opt[FORM]
    reads, stored = "GET" in handler.http_methods, handler.opt.get("stored", True)
    if form.query or not handler.opt.get(ANY_QUERY):
        yield "bad_request"
    if "as" in form.query:
        yield from ("bad_audience", "not_allowed", "no_such_seat")
    if body_of(handler) is not None:
        yield from ("not_json", "wrong_shape", "too_large")
    elif not reads:
        yield "wrong_shape"
    for header in form.headers.values():
        codes = HEADER_CODES.get(header, ())
        # A key that shows a key again is remembered by what it opens.
        yield from codes[:1] if "idempotency_key_needed" in own else codes
    for guard in handler.resolve_guards():
        yield from guard.codes if isinstance(guard, Guard) else ()
    if "{tournament_id}" in path:
        yield "no_such_tournament"
    if "{match_id}" in path:
        yield "no_such_match"
        # A reader is told to come back later.
        yield "503 record_altered" if reads else "record_altered"
    if stored:
        # What asks the store to try again may also find that someone has to mend it.
        yield from ("try_again", OPERATOR_NEEDED)


def described_problems(codes: Sequence[str]) -> dict[str, Any]:
    """The problems of these codes as OpenAPI describes them; `"503 code"` if not with the status
    that the code has elsewhere."""
    by_status: dict[int, list[str]] = {}
    for declared in codes:
        status, _, code = declared.rpartition(" ")
        by_status.setdefault(int(status) if status else TITLES[code][0], []).append(code)
    schema = {MEDIA_TYPE: {"schema": reference(Problem.__name__)}}
    return {
        str(status): {
            "description": "; ".join(f"`{code}`: {TITLES[code][1]}" for code in named),
            "content": schema,
        }
        for status, named in sorted(by_status.items())
    }


def described_headers(headers: Iterable[ResponseHeader]) -> dict[str, Any]:
    """Headers of an answer as OpenAPI describes them."""
    return {
        header.name: {"description": header.description, "schema": {"type": "string"}}
        for header in headers
    }


def _either(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """An answer that is one of two, both JSON."""
    schemas = [answer["content"][JSON]["schema"] for answer in (one, other)]
    said = f"{one['description']}. Or: {other['description']}"
    return {**one, "description": said, "content": {JSON: {"schema": {"anyOf": schemas}}}}


def _schema(kind: Content) -> dict[str, Any]:
    if isinstance(kind, UnionType):
        return {"anyOf": [_schema(one) for one in get_args(kind)]}
    return reference(kind.__name__) if issubclass(kind, Struct) else {"type": "string"}
