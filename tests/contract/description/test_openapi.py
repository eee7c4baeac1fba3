"""`/schema/openapi.json`: closed where it should be, complete, and in a form that generators read.
One walk over all operations and one over all nodes, with a rule a row."""

from collections.abc import Callable, Iterator
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from tests.support.http.match_play import PROBLEM
from tests.support.http.openapi_document import Operation, check, nodes, operations, resolved
from tests.support.servers.live_server import NDJSON, SSE, Json, Live, LiveMatch


def test_it_is_served_as_it_is_and_does_not_change(live: Live, document: Json) -> None:
    first, again = (live.anyone.get("/schema/openapi.json") for _ in range(2))
    assert first.headers["content-type"] == "application/json"
    assert first.json() == document and first.content == again.content


def test_keys_are_described_as_bearer_keys(document: Json) -> None:
    schemes = document["components"]["securitySchemes"].values()
    assert [(s["type"], s["scheme"]) for s in schemes] == [("http", "bearer")]


# Operations.


def test_each_operation_has_a_name_of_its_own(document: Json) -> None:
    named = [one.said["operationId"] for one in operations(document)]
    assert len(named) == len(set(named))


def bodies(operation: Operation) -> list[Json]:
    content = operation.said.get("requestBody", {}).get("content", {})
    return [content["application/json"]["schema"]] if content else []


def alternatives(document: Json, schema: Json) -> Iterator[Json]:
    """The object schemas that a body may follow."""
    if "$ref" in schema:
        schema = resolved(document, schema["$ref"])
    options = schema.get("oneOf", schema.get("anyOf"))
    if options is None or "properties" in schema:
        yield schema
    for option in () if "properties" in schema else options or ():
        yield from alternatives(document, option)


def closed(document: Json, one: Operation) -> bool:
    found = [each for schema in bodies(one) for each in alternatives(document, schema)]
    return all(schema["additionalProperties"] is False for schema in found)


def refused(_: Json, one: Operation) -> bool:
    """Every key may renew itself."""
    changes = one.method == "post" or one.path.endswith("/actions")
    free = not one.said["security"] or one.said["operationId"] == "renewKey"
    return free or not changes or {"401", "403"} <= set(one.said["responses"])


def invalid(_: Json, one: Operation) -> bool:
    """What gives a key remembers by itself to whom: no key is used for another request, and nothing
    but the name at an open table is refused by a rule."""
    responses = set(one.said["responses"])
    ruled = one.said["operationId"] not in ("recoverSeat", "acceptPlayerInvitation")
    return not bodies(one) or ({"400", "413"} <= responses and ("422" in responses) == ruled)


def limited(_: Json, one: Operation) -> bool:
    headers = one.said["responses"].get("429", {}).get("headers", {})
    return ("Retry-After" in headers) == one.path.startswith("/v1/")


def not_found(_: Json, one: Operation) -> bool:
    return "{id}" not in one.path or "404" in one.said["responses"]


def stale(_: Json, one: Operation) -> bool:
    headers = {parameter["name"] for parameter in one.said.get("parameters", ())}
    return "If-Match" not in headers or "412" in one.said["responses"]


def unavailable(_: Json, one: Operation) -> bool:
    return one.said["operationId"] != "act" or "503" in one.said["responses"]


def problems(_: Json, one: Operation) -> bool:
    answers = one.said["responses"].items()
    return all(set(a.get("content", {})) == {PROBLEM} for status, a in answers if status >= "400")


def described(_: Json, one: Operation) -> bool:
    """The operation, its parameters, answers and their headers."""
    answers = one.said["responses"].values()
    headers = [header for each in answers for header in each.get("headers", {}).values()]
    every = (one.said, *one.said.get("parameters", ()), *answers, *headers)
    return all(each["description"] for each in every)


def parameters_are_not_null(_: Json, one: Operation) -> bool:
    schemas = [parameter["schema"] for parameter in one.said.get("parameters", ())]
    return b"null" not in msgspec.json.encode(schemas)


@pytest.mark.parametrize(
    "rule",
    [
        *(closed, refused, invalid, limited, not_found, stale, unavailable, problems, described),
        parameters_are_not_null,
    ],
)
def test_every_operation_keeps(document: Json, rule: Callable[[Json, Operation], bool]) -> None:
    every = list(operations(document))
    assert sum(bool(bodies(one)) for one in every) >= 10
    assert [one.name for one in every if not rule(document, one)] == []


# Nodes.


def tag_of(document: Json, option: Any) -> str:
    """The constants that an option of a union must have; empty if it is no object with any."""
    schema = resolved(document, option["$ref"]) if "$ref" in option else option
    fields = schema.get("properties", {})
    required = [fields[name] for name in schema.get("required", []) if name in fields]
    return "".join(repr(field["const"]) for field in required if "const" in field)


def tagged_unions_have_a_discriminator(document: Json, node: Json) -> bool | None:
    options: list[Any] = node.get("oneOf") or node.get("anyOf") or []
    tags = [tag_of(document, option) for option in options]
    if len(tags) < 2 or not all(tags) or len(set(tags)) < len(tags):
        return None
    found = node["discriminator"]
    return bool(found["propertyName"]) and len(found["mapping"]) == len(options)


def lists_say_what_they_hold(_: Json, node: Json) -> bool | None:
    if node.get("type") != "array" or "prefixItems" in node:
        return None
    return isinstance(node.get("items"), dict)


def parts_of_a_list_differ_and_are_counted(_: Json, node: Json) -> bool | None:
    parts = node.get("prefixItems")
    if parts is None:
        return None
    counted = node["minItems"] == node["maxItems"] == len(parts)
    return counted and "items" not in node and any(part != parts[0] for part in parts)


def enumerations_have_a_type(_: Json, node: Json) -> bool | None:
    one_of_some = isinstance(node.get("enum"), list) or isinstance(node.get("const"), str)
    return "type" in node if one_of_some else None


def objects_without_fields_may_have_any(_: Json, node: Json) -> bool | None:
    """A generator makes an empty type of others."""
    bare = node.get("type") == "object" and not node.get("properties")
    return "additionalProperties" in node if bare else None


@pytest.mark.parametrize(
    ("rule", "fewest"),
    [
        (tagged_unions_have_a_discriminator, 2),
        (lists_say_what_they_hold, 50),
        (parts_of_a_list_differ_and_are_counted, 3),
        (enumerations_have_a_type, 50),
        (objects_without_fields_may_have_any, 1),
    ],
)
def test_every_node_keeps(
    document: Json, rule: Callable[[Json, Json], bool | None], fewest: int
) -> None:
    """A rule is None for a node that it does not concern."""
    found = {where: rule(document, node) for where, node in nodes(document)}
    assert [where for where, kept in found.items() if kept is False] == []
    assert sum(kept is True for kept in found.values()) >= fewest


# Answers that are easily missed.


def test_an_unchanged_view_is_documented(document: Json, coins: LiveMatch) -> None:
    tag = coins.anyone.view().headers["etag"]
    answer = coins.anyone.view(headers={"If-None-Match": tag})
    assert answer.status_code == 304
    check(document, "viewMatch", answer)
    declared = document["paths"]["/v1/matches/{id}/view"]["get"]["responses"]["304"]["headers"]
    assert {name for name in declared if name in answer.headers} == set(declared)


def test_both_forms_of_a_stream_and_every_line_are_documented(
    document: Json, played: LiveMatch
) -> None:
    content = document["paths"]["/v1/matches/{id}/stream"]["get"]["responses"]["200"]["content"]
    schema = {"components": document["components"], **content[NDJSON]["schema"]}
    valid = jsonschema_rs.Draft202012Validator(schema)
    for form in (SSE, NDJSON):
        with played.anyone.stream({"Accept": form}, after=0) as answer:
            answer.read()
            check(document, "streamEvents", answer)
    lines = [msgspec.json.decode(line) for line in answer.text.splitlines() if line.strip()]
    for line in lines:
        valid.validate(line)
    assert lines[-1]["end"] is True and not valid.is_valid({**lines[-1], "end": False})
