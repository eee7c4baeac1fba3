"""What a route declares for the API's description where the framework has no words for it.

A handler reads its body and most headers by itself, after the key has been checked, and makes its
answers by itself. `operation_class=declares(...)` says at the route which they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import UnionType
from typing import Any, ClassVar, NamedTuple, get_args

from litestar.handlers import HTTPRouteHandler
from litestar.openapi.spec import Operation
from msgspec import Struct

JSON = "application/json"

Content = type | UnionType
"""The type of an answer, or of each line of it."""

ANY_ACTION = "Action"
"""The component of an action of any game."""


def reference(component: str) -> dict[str, Any]:
    """A reference to the schema of a component."""
    return {"$ref": f"#/components/schemas/{component}"}


class Header(NamedTuple):
    """A header of requests or of answers, and the regular expression of its values, if they have to
    match one; `required` of a request."""

    name: str
    description: str
    pattern: str | None = None
    required: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its values."""
        return {"type": "string"} | ({} if self.pattern is None else {"pattern": self.pattern})


@dataclass(frozen=True)
class Body:
    """A request body in JSON. `kind` is the type that it must have; without one,
    `component` names a schema that is made elsewhere.
    `examples` are bodies by the name of the example."""

    kind: Any
    examples: Mapping[str, Any]
    component: str = ""
    required: bool = True

    @property
    def name(self) -> str:
        """The name of the body's component."""
        return self.component or str(self.kind.__name__)

    def to_schema(self) -> dict[str, Any]:
        """The body as OpenAPI describes it."""
        examples = {name: {"value": value} for name, value in self.examples.items()}
        content = {"schema": reference(self.name), "examples": examples}
        return {"required": self.required, "content": {JSON: content}}


@dataclass(frozen=True)
class Declaration:
    """A route's body, the headers that it reads, and of its answers: the headers of those that are
    no errors, and of errors by their status, whether a repeated request has one of its own, and
    the content by media type. The 200 of a repeat comes beside the one that the route declares
    itself."""

    body: Body | None = None
    headers: Sequence[Header] = ()
    answer_headers: Sequence[Header] = ()
    problem_headers: Mapping[int, Sequence[Header]] = field(default_factory=dict)
    repeatable: bool = False
    content: Mapping[str, Content] = field(default_factory=dict)

    def complete(self, operation: dict[str, Any]) -> None:
        """Adds what is declared to the framework's description of the operation."""
        if self.body is not None:
            operation["requestBody"] = self.body.to_schema()
        if self.headers:
            parameters = operation.setdefault("parameters", [])
            parameters.extend(_parameter(header) for header in self.headers)
        responses = operation["responses"]
        if self.content:
            content = {form: {"schema": _schema(kind)} for form, kind in self.content.items()}
            responses["200"]["content"] = content
        for status, response in responses.items():
            failed = status >= "400"
            headers = self.problem_headers.get(int(status)) if failed else self.answer_headers
            if headers:
                response["headers"] = described_headers(headers)
        if self.repeatable:
            repeat = {
                **responses["201"],
                "description": "The same request again; `Idempotent-Replayed: true`",
            }
            own = responses.get("200")
            responses["200"] = repeat if own is None else _either(repeat, own)


class DeclaredOperation(Operation):
    """An operation whose description is completed by what its route declares."""

    declaration: ClassVar[Declaration]

    def to_schema(self) -> dict[str, Any]:
        """The operation as OpenAPI describes it."""
        operation = super().to_schema()
        self.declaration.complete(operation)
        return operation


def declares(
    body: Body | None = None,
    *,
    headers: Sequence[Header] = (),
    answer_headers: Sequence[Header] = (),
    problem_headers: Mapping[int, Sequence[Header]] | None = None,
    repeatable: bool = False,
    content: Mapping[str, Content] | None = None,
) -> type[DeclaredOperation]:
    """The `operation_class` of a route that declares this."""

    class Declared(DeclaredOperation):
        declaration = Declaration(
            body, headers, answer_headers, problem_headers or {}, repeatable, content or {}
        )

    return Declared


def declaration_of(handler: HTTPRouteHandler) -> Declaration:
    """What a handler's route declares."""
    kind = handler.operation_class
    return kind.declaration if issubclass(kind, DeclaredOperation) else Declaration()


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
