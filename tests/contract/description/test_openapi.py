"""`/schema/openapi.json`: closed where it should be, and complete; linters read its form."""

from typing import Any

from tests.support.http.openapi_document import nodes, operations, resolved
from tests.support.servers.live_server import Json, Live


def test_a_union_of_tagged_objects_has_a_discriminator(document: Json) -> None:
    unions = 0
    for where, node in nodes(document):
        options: list[Any] = node.get("oneOf") or node.get("anyOf") or []
        tags = [tag_of(document, option) for option in options]
        if len(tags) > 1 and all(tags) and len(set(tags)) == len(tags):
            unions += 1
            assert node["discriminator"]["propertyName"], where
            assert len(node["discriminator"]["mapping"]) == len(options), where
    assert unions >= 2, "actions and parts of a draw"


def tag_of(document: Json, option: Any) -> str:
    """The constants that an option of a union must have; empty if it is no object with any."""
    schema = resolved(document, option["$ref"]) if "$ref" in option else option
    fields = schema.get("properties", {})
    required = [fields[name] for name in schema.get("required", []) if name in fields]
    return "".join(repr(field["const"]) for field in required if "const" in field)


def test_every_request_body_is_closed(document: Json) -> None:
    bodies = 0
    for operation in operations(document):
        for media in operation.said.get("requestBody", {}).get("content", {}).values():
            for schema in alternatives(document, media["schema"]):
                bodies += 1
                assert schema["additionalProperties"] is False, operation.name
    assert bodies >= 10


def alternatives(document: Json, schema: Json) -> list[Json]:
    """The object schemas that a body may follow."""
    if "$ref" in schema:
        return alternatives(document, resolved(document, schema["$ref"]))
    options = schema.get("oneOf", schema.get("anyOf"))
    if options is None or "properties" in schema:
        return [schema]
    return [found for option in options for found in alternatives(document, option)]


def test_operations_with_a_key_document_401_and_403(document: Json) -> None:
    for operation in operations(document):
        if not operation.said["security"]:
            continue
        if operation.said["operationId"] == "redeliver":
            continue  # The webhooks of others do not exist.
        if operation.said["operationId"] == "renewKey":
            continue  # Every key may.
        if operation.method == "post" or operation.path.endswith("/actions"):
            assert {"401", "403"} <= set(operation.said["responses"]), operation.name


UNRULED = {"acceptInvitation"}


def test_operations_with_a_body_document_400_413_and_422(document: Json) -> None:
    for operation in operations(document):
        if "requestBody" in operation.said:
            assert {"400", "413"} <= set(operation.said["responses"]), operation.name
            # An invitation remembers who has accepted it by itself.
            ruled = operation.said["operationId"] not in UNRULED
            assert ("422" in operation.said["responses"]) == ruled, operation.name


def test_limited_operations_document_429(document: Json) -> None:
    for operation in operations(document):
        answer = operation.said["responses"].get("429", {})
        assert ("Retry-After" in answer.get("headers", {})) == operation.path.startswith("/v1/")


def test_operations_on_a_match_document_404(document: Json) -> None:
    for operation in operations(document):
        if "{id}" in operation.path:
            assert "404" in operation.said["responses"], operation.name


def test_sending_an_action_documents_its_conflicts(document: Json) -> None:
    act = next(o for o in operations(document) if o.said["operationId"] == "act")
    assert {"201", "409", "412", "503"} <= set(act.said["responses"])
    named = {parameter["name"].lower() for parameter in act.said["parameters"]}
    assert {"idempotency-key", "if-match"} <= named


def test_the_stream_documents_both_its_forms(document: Json) -> None:
    stream = next(o for o in operations(document) if o.path.endswith("/stream"))
    forms = stream.said["responses"]["200"]["content"]
    assert set(forms) == {"text/event-stream", "application/x-ndjson"}


def test_keys_are_described_as_bearer_keys(document: Json) -> None:
    schemes = document["components"]["securitySchemes"].values()
    assert [(s["type"], s["scheme"]) for s in schemes] == [("http", "bearer")]


def test_it_is_served_as_it_is_and_does_not_change(live: Live, document: Json) -> None:
    first, again = (live.anyone.get("/schema/openapi.json") for _ in range(2))
    assert first.headers["content-type"] == "application/json"
    assert first.json() == document and first.content == again.content
