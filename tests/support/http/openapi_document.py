"""The OpenAPI description as a document to walk through and to compare answers with."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import jsonschema_rs
import msgspec

from tests.support.http.match_play import PROBLEM
from tests.support.servers.live_server import Json

METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}


@dataclass(frozen=True)
class Operation:
    """A method of a path, and its description."""

    method: str
    path: str
    said: Json

    @property
    def name(self) -> str:
        return f"{self.method.upper()} {self.path}"


def operations(document: Json) -> Iterator[Operation]:
    for path, item in document["paths"].items():
        for method in METHODS & set(item):
            yield Operation(method, path, item[method])


def nodes(value: Any, where: str = "#") -> Iterator[tuple[str, Json]]:
    """Every object in the document, with its path."""
    if isinstance(value, dict):
        yield where, value
        for name, inner in value.items():
            yield from nodes(inner, f"{where}/{name}")
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from nodes(inner, f"{where}/{n}")


def resolved(document: Json, reference: str) -> Any:
    """The target of a reference within the document. Raises KeyError if there is none."""
    assert reference.startswith("#/"), reference
    value: Any = document
    for step in reference.removeprefix("#/").split("/"):
        value = value[step.replace("~1", "/").replace("~0", "~")]
    return value


def response_schema(
    document: Json, operation_id: str, answer: httpx.Response
) -> tuple[Json, bool] | None:
    """The documented schema of such an answer, and whether its body is JSON; None if it has no
    body. Raises AssertionError for a status or a content type that is not documented."""
    said = next(o.said for o in operations(document) if o.said.get("operationId") == operation_id)
    status = str(answer.status_code)
    assert status in said["responses"], f"{operation_id} does not document {status}"
    content = said["responses"][status].get("content", {})
    if not answer.content and not content:
        return None
    media_type = answer.headers["content-type"].split(";")[0]
    assert media_type in content, f"{operation_id} {status} does not document {media_type}"
    return content[media_type].get("schema", {}), media_type in ("application/json", PROBLEM)


def check(document: Json, operation_id: str, answer: httpx.Response) -> None:
    """The answer is as documented: its status, content type and body."""
    described = response_schema(document, operation_id, answer)
    if described is None or not described[1]:
        return
    validator(document, described[0]).validate(answer.json())


def validator(document: Json, schema: Json) -> jsonschema_rs.Draft202012Validator:
    """The validator of a schema with all that it refers to. Making one takes longer than any use of
    it, and so does comparing documents: one is known by its id, and kept so that its id is its own.
    """
    _, validators = _VALIDATORS.setdefault(id(document), (document, {}))
    key = msgspec.json.encode(schema)
    if key not in validators:
        whole = {"components": document["components"], **schema}
        validators[key] = jsonschema_rs.Draft202012Validator(whole)
    return validators[key]


_VALIDATORS: dict[int, tuple[Json, dict[bytes, jsonschema_rs.Draft202012Validator]]] = {}
