"""The operations of the API's description, each from what its route declares."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from http import HTTPStatus
from inspect import cleandoc
from operator import attrgetter
from types import UnionType
from typing import Any, get_args

import msgspec
from litestar import Response
from litestar.datastructures import ResponseHeader
from litestar.handlers import HTTPRouteHandler
from litestar.params import BodyKwarg, ParameterKwarg
from litestar.plugins import ReceiveRoutePlugin
from litestar.routes import BaseRoute, HTTPRoute
from litestar.types import Empty
from msgspec import Struct

from service.http.access.guards import Guard
from service.http.access.key_needed import Security
from service.http.description.routing import INSTEAD, said_of
from service.http.description.schema_form import readable, reference
from service.http.errors.codes import OPERATOR_NEEDED, TITLES
from service.http.errors.problems import MEDIA_TYPE, Problem
from service.http.errors.route_mistakes import FORM
from service.http.requests.request_body import JSON
from service.http.requests.request_form import (
    RequestForm,
    fields_of,
    form_of,
    limited,
    name_of,
    options_of,
    place_of,
)
from service.http.requests.responses import HEADER_CODES, IDEMPOTENCY_KEY, answer_header

_LATER = (answer_header("Retry-After", "Seconds until the next attempt"),)

ERROR_HEADERS: dict[str, Sequence[ResponseHeader]] = {
    "401": (answer_header("WWW-Authenticate", "`Bearer`"),), "429": _LATER, "503": _LATER,
}  # fmt: skip

IN_QUERY = {"allowEmptyValue": False, "allowReserved": False}

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
            guard = next(
                (guard_ for guard_ in handler.resolve_guards() if isinstance(guard_, Guard)), None
            )
            # The framework answers OPTIONS by itself.
            if guard is None and not handler.fn.__module__.startswith("litestar."):
                raise AccessNotDeclared(f"{route.path_format}: declare a guard at {handler}")
            handler.security = None if guard is None else _requirements(guard, route.path_format)
            handler.opt[FORM] = form_of(handler)


def _requirements(guard: Guard, path: str) -> Security:
    """The requirements of a guard, without the roles that no key has in this path."""
    other = {"player" if "{match_id}" in path else "seat"}
    return [
        requirement
        for requirement in guard.security
        if not other.issuperset(requirement.get("key") or ("any",))
    ]


def operation(path: str, handler: HTTPRouteHandler) -> dict[str, Any]:
    """A route's handler as OpenAPI describes an operation."""
    described = {
        "tags": sorted(handler.resolve_tags()),
        "summary": _instead(handler, handler.summary or ""),
        "description": cleandoc(handler.fn.__doc__ or ""),
        "operationId": operation_id(handler),
        "responses": _answers(handler) | _problems(path, handler),
        "deprecated": False,
        "security": handler.security or [],
    }
    body, parameters = body_of(handler), list(_parameters(handler))
    if body is not None:
        examples = {example.summary: {"value": example.value} for example in body.examples or ()}
        content = _content(options_of(handler).bodies).get("content", {})
        content[JSON] = {"schema": reference(component_of(handler)), "examples": examples}
        required = not handler.opt[FORM].may_be_empty
        described["requestBody"] = {"required": required, "content": content}
    return described | ({"parameters": parameters} if parameters else {})


def operation_id(handler: HTTPRouteHandler) -> str:
    """The name of a handler as the description writes it."""
    first, *words = _instead(handler, handler.handler_name).split("_")
    return first + "".join(map(str.capitalize, words))


def _instead(handler: HTTPRouteHandler, text: str) -> str:
    for words, instead in handler.opt.get(INSTEAD, {}).items():
        text = text.replace(words, instead)
    return text


def _parameters(handler: HTTPRouteHandler) -> Iterator[dict[str, Any]]:
    """What a route reads of the path, of the query and of headers. Those of the path come first: a
    handler has some of them by what it depends on."""
    by_name = {name_of(item): item for item in fields_of(handler) if place_of(item)}
    for name, field in sorted(by_name.items(), key=lambda item: place_of(item[1]) != "path"):
        place, kwarg = place_of(field), field.kwarg_definition
        assert isinstance(kwarg, ParameterKwarg), "its place is declared"
        in_path, texts = place == "path", {"description": kwarg.description}
        schema = readable(msgspec.json.schema(limited(field))) | texts | (kwarg.schema_extra or {})
        default = {"default": field.default} if field.default not in (None, Empty) else {}
        yield {
            "name": "id" if in_path and name.endswith("_id") else name,
            "in": place,
            "schema": schema | default,
            **texts,
            "required": in_path or field.is_required,
            "deprecated": False,
            **(IN_QUERY if place == "query" else {}),
        }
    if options_of(handler).conditional:
        yield IF_NONE_MATCH


def _answers(handler: HTTPRouteHandler) -> dict[str, Any]:
    """The answers of a route that are no problems, by their status."""
    answers = {str(handler.status_code): _answer(handler)}
    for status, more in (handler.responses or {}).items():
        content = {} if more.data_container is None else _content({JSON: more.data_container})
        answers[str(status)] = {"description": more.description, **content}
    if options_of(handler).conditional:
        answers["304"] = {"description": "The client has it already"}
    # The framework has them in no order.
    headers = _headers(sorted(handler.resolve_response_headers(), key=attrgetter("name")))
    answers = {status: {**answer, **headers} for status, answer in answers.items()}
    if "201" in answers and IDEMPOTENCY_KEY in handler.opt[FORM].headers.values():
        text = "The same request again; `Idempotent-Replayed: true`"
        repeat, own = {**answers["201"], "description": text}, answers.get("200")
        answers["200"] = repeat if own is None else _either(repeat, own)
    return answers


def _answer(handler: HTTPRouteHandler) -> dict[str, Any]:
    """A route's own answer, whose type says first what it is; of several the first."""
    returned = [kind for kind in answered_types(handler) if _is_struct(kind)]
    contents = options_of(handler).content or ({JSON: returned[0]} if returned else {})
    kinds = [kind for kind in (*contents.values(), *returned) if _is_struct(kind)]
    text = said_of(kinds[0]) if kinds else HTTPStatus(handler.status_code).description
    return {"description": handler.response_description or text, **_content(contents)}


def body_of(handler: HTTPRouteHandler) -> BodyKwarg | None:
    """What a route declares of its body; None if it has none."""
    data = handler.parsed_fn_signature.parameters.get("data")
    body = options_of(handler).body if data is None else data.kwarg_definition
    assert body is None or isinstance(body, BodyKwarg), "a body is declared by `examples`"
    return body


def answered_types(handler: HTTPRouteHandler) -> Iterator[Any]:
    """The types of the answers of a route, as its handler declares them."""
    returned = handler.parsed_fn_signature.return_type
    for kind in returned.inner_types if returned.is_union else (returned,):
        inner = kind.inner_types
        yield inner[0].annotation if kind.is_subclass_of(Response) and inner else kind.annotation


def component_of(handler: HTTPRouteHandler) -> str:
    """The name of the component of a route's body."""
    body = body_of(handler)
    if body is not None and body.title is not None:
        return body.title
    name: str = handler.parsed_fn_signature.parameters["data"].annotation.__name__
    return name


def _codes(path: str, handler: HTTPRouteHandler) -> Iterator[str]:
    """The codes of all problems of a route."""
    own = options_of(handler).codes
    if options_of(handler).counted:
        yield "too_many_requests"
    yield from own
    yield from (code for code in dict.fromkeys(_following(path, handler, own)) if code not in own)


def _following(path: str, handler: HTTPRouteHandler, own: Sequence[str]) -> Iterator[str]:
    """The codes that follow from what a route reads, and from who may use it."""
    form: RequestForm = handler.opt[FORM]
    reads, options = "GET" in handler.http_methods, options_of(handler)
    if form.query or not options.any_query:
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
    if options.stored:
        # What asks the store to try again may also find that someone has to mend it.
        yield from ("try_again", OPERATOR_NEEDED)


def _problems(path: str, handler: HTTPRouteHandler) -> dict[str, Any]:
    """The problems of a route by their status; the code `"503 code"` is not with the status that it
    has elsewhere."""
    by_status: dict[str, list[str]] = {}
    for declared in _codes(path, handler):
        status, _, code = declared.rpartition(" ")
        by_status.setdefault(status or str(TITLES[code][0]), []).append(code)
    headers: Mapping[str, Sequence[ResponseHeader]] = ERROR_HEADERS | dict(
        options_of(handler).problem_headers
    )
    return {
        status: {
            "description": "; ".join(f"`{code}`: {TITLES[code][1]}" for code in codes),
            "content": {MEDIA_TYPE: {"schema": reference(Problem.__name__)}},
            **_headers(headers.get(status, ())),
        }
        for status, codes in sorted(by_status.items())
    }


def _headers(headers: Iterable[ResponseHeader]) -> dict[str, Any]:
    """The headers that an answer has, if any."""
    headers_described = {
        header.name: {"description": header.description, "schema": {"type": "string"}}
        for header in headers
    }
    return {"headers": headers_described} if headers_described else {}


def _content(kinds: Mapping[str, Any]) -> dict[str, Any]:
    """What an answer has in it by media type, if anything."""
    content = {form: {"schema": _schema(kind)} for form, kind in kinds.items()}
    return {"content": content} if content else {}


def _either(first_answer: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """An answer that is one of two, both JSON."""
    first, second = (answer["content"][JSON]["schema"] for answer in (first_answer, other))
    schema = first if first == second else {"anyOf": [first, second]}
    text = f"{first_answer['description']}. Or: {other['description']}"
    return {**first_answer, "description": text, "content": {JSON: {"schema": schema}}}


def _schema(kind: Content) -> dict[str, Any]:
    if isinstance(kind, UnionType):
        return {"anyOf": [_schema(part) for part in get_args(kind)]}
    return reference(kind.__name__) if _is_struct(kind) else {"type": "string"}


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)
