"""Mistakes in what the framework reads of a request: its path, its method and its parameters."""

import re
from collections.abc import Mapping
from typing import Any

from litestar import Litestar, Request
from litestar.exceptions import ClientException, MethodNotAllowedException
from litestar.routes import HTTPRoute
from msgspec.structs import replace

from service.http.errors.mistakes import IDEMPOTENCY_KEY_PATTERN, Mistake, in_query, nearest
from service.http.errors.shape_mistakes import shape_mistakes
from service.http.requests.responses import IDEMPOTENCY_KEY, IF_MATCH
from service.http.requests.strict_json import decoded_number

FORM = "form"
"""Where the `opt` of a route has its `RequestForm`."""

NAMED_ID = re.compile(r"\{\w+_id\}")
"""A path parameter that handlers cannot call `id`, as the description does."""
IDS = re.compile(r"/[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?=/|$)")


def path_mistakes(path: str, app: Litestar) -> tuple[Mistake, ...]:
    """The mistake in a path that no route has, with the described path that is most like it."""
    described = {
        NAMED_ID.sub("{id}", route.path_format)
        for route in app.routes
        if isinstance(route, HTTPRoute)
        and any(handler.resolve_include_in_schema() for handler in route.route_handlers)
    }
    guess = nearest(IDS.sub("/{id}", path), sorted(described))
    detail = "There is no such address; an id is a UUID."
    return (Mistake("path", "unknown_path", detail, did_you_mean=guess),)


def allowed_methods(error: MethodNotAllowedException) -> dict[str, str]:
    """The methods that the path supports; HEAD is answered wherever GET is."""
    headers = dict(error.headers or {})
    methods = {method for method_list in headers.values() for method in method_list.split(", ")}
    return {"Allow": ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))}


def method_mistakes(allowed: str) -> tuple[Mistake, ...]:
    """The mistake in a method that is not among those of an `Allow` header."""
    detail = "This address has no such method."
    methods = tuple(name for name in allowed.split(", ") if name)
    return (Mistake("method", "unknown_method", detail, allowed=methods),)


def parameter_mistakes(
    request: Request[Any, Any, Any], error: ClientException
) -> tuple[Mistake, ...]:
    """The query parameters that are wrong, without their values."""
    extra = error.extra if isinstance(error.extra, list) else []
    names = [
        str(mistake["key"]) for mistake in extra if isinstance(mistake, dict) and "key" in mistake
    ]
    kinds: Mapping[str, Any] = request.route_handler.opt[FORM].query
    parameters = [name for name in map(_sent_as, names) if name in kinds]
    return tuple(
        mistake for name in parameters for mistake in _in_value(request, name, kinds[name])
    )


def _sent_as(parameter: str) -> str:
    """The name in the query of a parameter of a handler, which cannot be called `as`."""
    return parameter.rstrip("_")


def header_problem(request: Request[Any, Any, Any], error: ClientException) -> str | None:
    """The code of the problem with a header; None if something else is wrong."""
    headers: Mapping[str, str] = request.route_handler.opt[FORM].headers
    if not isinstance(error.extra, list):  # The framework does not name what is missing.
        missing = IDEMPOTENCY_KEY in headers.values() and IDEMPOTENCY_KEY not in request.headers
        return "idempotency_key_needed" if missing else None
    header_names = [headers[item["key"]] for item in error.extra if item.get("source") == "header"]
    if IF_MATCH in header_names:
        return "bad_if_match"
    if IDEMPOTENCY_KEY not in header_names:
        return None
    too_short = re.fullmatch(IDEMPOTENCY_KEY_PATTERN, request.headers[IDEMPOTENCY_KEY])
    return "idempotency_key_needed" if too_short else "bad_idempotency_key"


def position_mistakes(
    request: Request[Any, Any, Any], pointer: str | None = None
) -> tuple[Mistake, ...]:
    """Where a request names an event that its audience does not have yet: at the `pointer` in its
    body, or in its query."""
    if pointer is not None:
        detail = "The audience has fewer events."
        return (Mistake("body", "beyond_end", detail, pointer=pointer),)
    detail = "The audience has fewer: leave it out for the last ones."
    parameters = [name for name in ("at", "after") if name in request.query_params]
    return tuple(in_query(name, "beyond_end", detail) for name in parameters[:1])


def _in_value(request: Request[Any, Any, Any], name: str, kind: Any) -> tuple[Mistake, ...]:
    """The mistakes in a query parameter of this type."""
    text = request.query_params.get(name, "")
    mistakes = shape_mistakes(decoded_number(text), kind)
    if not mistakes:
        return (in_query(name, "malformed", f"`{name}` is not understood."),)
    return tuple(replace(mistake, part="query", pointer=None, name=name) for mistake in mistakes)
