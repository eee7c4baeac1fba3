"""What a route declares for the API's description where the framework has no words for it.

A handler reads its body and most headers by itself, after the key has been checked, and makes its
answers by itself: `get`, `post` and `delete` of this module are told which they are. What follows
from that, from the route's `security` and from its path is not declared: most of its errors.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from inspect import cleandoc
from types import UnionType
from typing import Any, NamedTuple, get_args

import litestar
from litestar.di import Provide
from litestar.handlers import HTTPRouteHandler
from msgspec import Struct

from domain.commands import REUSED_KEY
from service.http.access import refusals
from service.http.idempotency import remembering
from service.http.parameters import QueryParameters
from service.http.problems import MEDIA_TYPE, OPERATOR_NEEDED, TITLES, Problem
from service.http.request_body import JSON, Body
from service.http.schema_form import reference
from service.http.usual_mistakes import IDEMPOTENCY_KEY_PATTERN

DECLARATION = "declaration"
"""Where the `opt` of a route has what it declares."""

Decorator = Callable[[Callable[..., Any]], HTTPRouteHandler]

Content = type | UnionType
"""The type of an answer, or of each line of it."""


class Header(NamedTuple):
    """A header of requests or of answers, and the regular expression of its values, if they have to
    match one; `required` of a request. `errors` are the codes of what can be wrong with it."""

    name: str
    description: str
    pattern: str | None = None
    required: bool = False
    errors: tuple[str, ...] = ()

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its values."""
        return {"type": "string"} | ({} if self.pattern is None else {"pattern": self.pattern})


IDEMPOTENT = "Idempotency-Key"

IDEMPOTENCY_KEY = Header(
    IDEMPOTENT,
    "1 to 255 visible ASCII characters; the same key and request again changes nothing more, and "
    "does not show a key again",
    IDEMPOTENCY_KEY_PATTERN,
    errors=("bad_idempotency_key", REUSED_KEY, "request_in_flight"),
)

IF_NONE_MATCH = Header("If-None-Match", "The `ETag` of what the client has")


class Answer(NamedTuple):
    """An answer in JSON of this type, and what it is; None for one without a body."""

    kind: type[Any] | None
    said: str

    def to_schema(self) -> dict[str, Any]:
        """The answer as OpenAPI describes it."""
        if self.kind is None:
            return {"description": self.said}
        content = {JSON: {"schema": reference(self.kind.__name__)}}
        return {"description": self.said, "content": content}


def answer_of(kind: type[Any]) -> Answer:
    """An answer of this type, which says first what it is."""
    return Answer(kind, " ".join(cleandoc(kind.__doc__ or "").partition("\n\n")[0].split()))


KNOWN = Answer(None, "The client has it already")


@dataclass(frozen=True)
class Declaration:
    """A route's body, its query and the headers that it reads, and of its answers: those that its
    handler makes, by their status, the headers of those that are no errors, and of errors by their
    status, and the content by media type. A repeated request has an answer of its own if it has an
    idempotency key, or else if it is `repeatable`: 200, beside the one that the route declares.

    A route that `checks_key` by itself is asked with keys that have ended, too. `errors` are the
    codes of problems that do not follow from anything else, with spaces between; one that does has
    its place among the others where it stands here. What is not `stored` can always be answered."""

    body: Body[Any] | None = None
    query: type[QueryParameters] | None = None
    headers: Sequence[Header] = ()
    answers: Mapping[int, Answer] = field(default_factory=dict)
    answer_headers: Sequence[Header] = ()
    problem_headers: Mapping[int, Sequence[Header]] = field(default_factory=dict)
    repeatable: bool = False
    content: Mapping[str, Content] = field(default_factory=dict)
    errors: str = ""
    stored: bool = True
    checks_key: bool = False

    def __deepcopy__(self, _: object) -> "Declaration":
        # The framework copies what a route is given.
        return self

    def complete(self, operation: dict[str, Any], path: str, handler: HTTPRouteHandler) -> None:
        """Adds what is declared to the framework's description of the operation."""
        if self.body is not None:
            operation["requestBody"] = self.body.to_schema()
        if self.headers:
            parameters = operation.setdefault("parameters", [])
            parameters.extend(_parameter(header) for header in self.headers)
        responses = operation["responses"]
        responses |= {str(status): one.to_schema() for status, one in self.answers.items()}
        if self.content:
            content = {form: {"schema": _schema(kind)} for form, kind in self.content.items()}
            responses["200"]["content"] = content
        if IF_NONE_MATCH in self.headers:
            responses["304"] = KNOWN.to_schema()
        responses |= problems(self._codes(path, handler))
        for status, response in responses.items():
            failed = status >= "400"
            headers = self.problem_headers.get(int(status)) if failed else self.answer_headers
            if headers:
                response["headers"] = described_headers(headers)
        repeatable = self.repeatable or IDEMPOTENT in (header.name for header in self.headers)
        if repeatable and "201" in responses:
            repeat = {
                **responses["201"],
                "description": "The same request again; `Idempotent-Replayed: true`",
            }
            own = responses.get("200")
            responses["200"] = repeat if own is None else _either(repeat, own)

    def _codes(self, path: str, handler: HTTPRouteHandler) -> Sequence[str]:
        """The codes of all its problems."""
        own = self.errors.split()
        following = self._following(
            path, handler.security or [], reads="GET" in handler.http_methods
        )
        return [*(code for code in following if code not in own), *own]

    def _following(
        self, path: str, security: Sequence[dict[str, list[str]]], *, reads: bool
    ) -> Iterator[str]:
        """The codes that follow from what the route reads and from who may use it."""
        if self.query is not None:
            yield "bad_request"
        if self.body is not None:
            yield from ("not_json", "wrong_shape", "too_large")
        elif not reads:
            yield "wrong_shape"
        for header in reversed(self.headers):
            yield from header.errors
        yield from refusals(security)
        if "{tournament_id}" in path:
            yield "no_such_tournament"
        if self.stored:
            yield "try_again"
        if "{match_id}" in path:
            yield "no_such_match"
            # A reader is told to come back later.
            yield "503 record_altered" if reads else "record_altered"
        if self.stored:
            # Whatever asks the store to try again may also find that somebody has to mend it.
            yield OPERATOR_NEEDED


def _route(
    framework: Callable[..., Decorator],
    status: int,
    path: str | None = None,
    *,
    answer: type[Any] | Answer | None = None,
    answers: Mapping[int, Answer] | None = None,
    query: type[QueryParameters] | None = None,
    **given: Any,
) -> Decorator:
    """A route as the framework's decorators make it, with what it declares: the fields of a
    `Declaration`, of whose answers `answer` is the one with this status.

    Whatever may change something takes an idempotency key. A route that does not say how has its
    answers remembered; where it is unknown what became of a request it is carried out once more,
    and a route that `looks_back` finds the first try on the record."""
    own = {one.name: given.pop(one.name) for one in fields(Declaration) if one.name in given}
    every = dict(answers or {})
    if answer is not None:
        every[status] = answer if isinstance(answer, Answer) else answer_of(answer)
    if query is not None:
        given["dependencies"] = {"parameters": Provide(query, sync_to_thread=False)}
    headers: Sequence[Header] = own.pop("headers", ())
    remembers = framework is not litestar.get and IDEMPOTENT not in (one.name for one in headers)
    if remembers:
        headers = [IDEMPOTENCY_KEY, *headers]
    declared = Declaration(query=query, answers=every, headers=headers, **own)
    looks_back = given.pop("looks_back", False)
    route = framework(path, opt={DECLARATION: declared}, **given)
    if not remembers:
        return route
    success = given.get("status_code", status)
    once = partial(remembering, body=declared.body, status=success, looks_back=looks_back)
    return lambda handler: route(once(handler))


get = partial(_route, litestar.get, 200)
post = partial(_route, litestar.post, 201)
delete = partial(_route, litestar.delete, 204)


def problems(codes: Sequence[str]) -> dict[str, Any]:
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


def declaration_of(handler: HTTPRouteHandler) -> Declaration:
    """What a handler's route declares."""
    declared: Declaration | None = handler.opt.get(DECLARATION)
    return declared or Declaration()


def described_headers(headers: Sequence[Header]) -> dict[str, Any]:
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


def _parameter(header: Header) -> dict[str, Any]:
    return {
        "name": header.name,
        "in": "header",
        "required": header.required,
        "schema": header.schema,
        "description": header.description,
    }


def _schema(kind: Content) -> dict[str, Any]:
    if isinstance(kind, UnionType):
        return {"anyOf": [_schema(one) for one in get_args(kind)]}
    return reference(kind.__name__) if issubclass(kind, Struct) else {"type": "string"}
