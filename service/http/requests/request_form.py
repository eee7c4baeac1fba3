"""What a route says of itself where the framework has no words for it; and what it reads of a
request, as the parameters of its handler declare it, read strictly.

The framework takes `1` for true and `?at=null` for a parameter that was left out, and ignores what
it does not know. Here an unknown or repeated parameter, a value of the wrong type, a member that
stands twice and a body where none is read are refused, each with its place.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import NoneType
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

from litestar import Request
from litestar.datastructures import ResponseHeader
from litestar.handlers import BaseRouteHandler, HTTPRouteHandler
from litestar.params import BodyKwarg, ParameterKwarg
from litestar.types import Empty
from litestar.typing import FieldDefinition
from msgspec import Meta, Struct

from service.http.errors.mistakes import in_query, unknown_parameter
from service.http.errors.problems import AnyRequest, Failed
from service.http.errors.route_mistakes import FORM
from service.http.requests.request_body import body_of, check_no_body, parse_body

OPTIONS = "options"
"""Where the `opt` of a route has its `RouteOptions`."""


class RouteOptions(Struct, frozen=True):
    """The `codes` of the problems by a route's own rules; the types of its answer, or of each line
    of it, by media type (`content`); and headers of its problems by their status.

    If its handler decodes its body: the examples of one, and its types by media type (`bodies`). A
    `conditional` one reads `If-None-Match`, without what the framework's own way of reading a
    header costs. One for `any_query` ignores parameters that it does not know. What changes
    something is `remembered` under an idempotency key, unless its handler looks after those without
    taking `once`; a handler that `looks_back` looks for the first try of a request on record.

    Requests that are not `counted` are answered however busy the service is: orchestrators ask
    there, and busy is not dead. What is `urgent` is answered while others are refused because the
    event loop is behind. What is not `stored` can always be answered. With `as=public` the
    address of a route that is `public` is the same for everyone; without it, too, if it is that
    `alone`.
    """

    codes: tuple[str, ...] = ()
    content: Mapping[str, Any] = {}
    problem_headers: Mapping[str, Sequence[ResponseHeader]] = {}
    body: BodyKwarg | None = None
    bodies: Mapping[str, Any] = {}
    conditional: bool = False
    any_query: bool = False
    remembered: bool = True
    looks_back: bool = False
    counted: bool = True
    urgent: bool = False
    stored: bool = True
    public: Literal["as", "alone"] | None = None


NO_OPTIONS = RouteOptions()


def options_of(handler: BaseRouteHandler) -> RouteOptions:
    """What a route says of itself."""
    options: RouteOptions = handler.opt.get(OPTIONS, NO_OPTIONS)
    return options


DATA = "data"
"""Where the state of a request has its body, once it is decoded."""

LIMITS = ("ge", "le", "min_length", "max_length", "pattern")


class RequestForm(NamedTuple):
    """The query parameters of a route with their types, its headers by the names that its handler
    gives them, and the type of its body: None if it has none, or if its handler decodes it. One
    that `may_be_empty` then has its defaults."""

    query: Mapping[str, Any]
    headers: Mapping[str, str]
    body: Any
    may_be_empty: bool

    def __deepcopy__(self, _: object) -> "RequestForm":
        # The framework copies what a route is given.
        return self


def form_of(handler: HTTPRouteHandler) -> RequestForm:
    """What a registered route reads."""
    fields = list(fields_of(handler))
    data = next((field for field in fields if field.name == "data"), None)
    return RequestForm(
        {name_of(field_): limited(field_) for field_ in fields if place_of(field_) == "query"},
        {field_.name: name_of(field_) for field_ in fields if place_of(field_) == "header"},
        None if data is None else data.annotation,
        data is not None and data.default is not Empty,
    )


def fields_of(
    handler: HTTPRouteHandler, signature: Mapping[str, FieldDefinition] | None = None
) -> Iterator[FieldDefinition]:
    """The parameters of a handler, or of this signature, and of the dependencies that it needs."""
    provided = handler.resolve_dependencies()
    for name, field in (signature or handler.parsed_fn_signature.parameters).items():
        if name in provided:
            yield from fields_of(handler, provided[name].parsed_fn_signature.parameters)
        else:
            yield field


def place_of(field: FieldDefinition) -> str | None:
    """Where a request has a parameter; None for what is none."""
    kwarg = field.kwarg_definition
    return kwarg.param_type.value if isinstance(kwarg, ParameterKwarg) else None


def name_of(field: FieldDefinition) -> str:
    kwarg = field.kwarg_definition
    return (isinstance(kwarg, ParameterKwarg) and kwarg.name) or field.name


def limited(field: FieldDefinition) -> Any:
    """The type of a parameter that is there, with the limits that its declaration sets."""
    kinds = tuple(kind for kind in get_args(field.annotation) if kind is not NoneType)
    kind = kinds[0] if field.is_optional and len(kinds) == 1 else field.annotation
    limits = {name: getattr(field.kwarg_definition, name, None) for name in LIMITS}
    return Annotated[kind, Meta(**limits)] if any(v is not None for v in limits.values()) else kind


class StrictRequest(Request[Any, Any, Any]):
    """A request whose JSON is what `check_form` has decoded."""

    async def body(self) -> bytes:
        """The body, which `check_form` has received. Raises Failed if it breaks off."""
        return await body_of(self)

    async def json(self) -> Any:
        """The body as the type that its route declares."""
        return self.scope["state"][DATA]


async def check_form(request: AnyRequest) -> None:
    """Reads a request that its route's guard has let through. Raises Failed: `bad_request`,
    `not_json`, or `wrong_shape` with where and why."""
    form: RequestForm = request.route_handler.opt[FORM]
    if request.scope["query_string"]:
        check_query(request, form)
    if form.body is not None:
        body = await body_of(request)
        if form.may_be_empty:
            body = body.strip() or b"{}"
        request.scope["state"][DATA] = parse_body(body, form.body, request)
    elif request.method != "GET" and options_of(request.route_handler).body is None:
        await check_no_body(request)


def check_query(request: AnyRequest, form: RequestForm) -> None:
    """Raises Failed for a query parameter that the route has not or that is there twice, and as
    `check_nulls` does."""
    kinds = form.query
    names = [pair.partition("=")[0] for pair in request.url.query.split("&") if pair]
    for name in () if options_of(request.route_handler).any_query else names:
        if name not in kinds or names.count(name) > 1:
            once = in_query(name, "sent_twice", "A parameter stands once in an address.")
            wrong = once if name in kinds else unknown_parameter(name, tuple(kinds))
            allowed_names = f"allowed, at most once each: {', '.join(kinds)}"
            raise Failed("bad_request", allowed_names, errors=(wrong,))
    check_nulls(request)


def check_nulls(request: AnyRequest) -> None:
    """Raises Failed for `null` where a value is no text: the framework takes it for a parameter
    that was left out."""
    kinds: Mapping[str, Any] = request.route_handler.opt[FORM].query
    for name, value in request.query_params.multi_items():
        if value.lower() == "null" and not _is_text(kinds.get(name, str)):
            wrong = in_query(name, "malformed", "`null` is no value: leave the parameter out.")
            raise Failed("bad_request", f"{name}: {wrong.detail}", errors=(wrong,))


def _is_text(kind: Any) -> bool:
    return str in (kind, get_origin(kind), *get_args(kind)[:1])
