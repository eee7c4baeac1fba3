"""The AsyncAPI 3 document of streams and of the WebSocket, from the OpenAPI description.

What is sent on them is described there: this says on which addresses, in which direction, and in
which frames.
"""

from collections.abc import Iterator
from typing import Any

from service.http.operation import reference
from service.http.schema_form import Schema

VERSION = "3.0.0"

MATCH = "/v1/matches/{id}"
STREAM, PLAY = f"{MATCH}/stream", f"{MATCH}/play"

SEQ = {"type": "integer", "minimum": 0, "description": "The audience's own count"}

DESCRIPTION = """What Arbiter sends by itself, and the WebSocket on which seats play. Requests and
their answers are in `/schema/openapi.json`.

Ignore messages and lines of a kind that you do not know: new ones break nothing."""


def object_of(fields: dict[str, Schema], optional: tuple[str, ...] = ()) -> Schema:
    """An object with these fields."""
    required = [name for name in fields if name not in optional]
    return {"type": "object", "properties": fields, "required": required}


MESSAGES: dict[str, dict[str, Any]] = {
    "line": {
        "summary": "An event",
        "description": "As server-sent event `data` is the line and `id` its `seq`",
        "payload": reference("Line"),
    },
    "end": {
        "summary": "The match is over, and everything has been sent",
        "description": "As server-sent event it is `event: end`, with `data` without `end`",
        "payload": reference("StreamEnd"),
    },
    "action": {
        "summary": "A seat acts",
        "description": "`id` is the action's idempotency key, `if_match` the `ETag` of the view "
        "that it is meant for. 64 KiB at most; answered in order",
        "payload": object_of(
            {
                "id": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
                "action": reference("Action"),
                "if_match": {"type": ["string", "null"]},
            },
            optional=("if_match",),
        ),
    },
    "answer": {
        "summary": "What `POST …/actions` would have answered",
        "payload": object_of(
            {
                "answer": {"type": ["string", "null"], "description": "The `id` of the action"},
                "status": {"type": "integer"},
                "body": {"anyOf": [reference("Taken"), reference("Problem")]},
            }
        ),
    },
    "playLine": {"summary": "An event", "payload": object_of({"line": reference("Line")})},
    "playEnd": {
        "summary": "The match is over, and everything has been sent",
        "payload": object_of({"end": object_of({"seq": SEQ})}),
    },
}
"""Every message by its name."""

STREAM_SENDS = ("line", "end")
PLAY_SENDS = ("answer", "playLine", "playEnd")
PLAY_RECEIVES = ("action",)

CLOSE_CODES = """Close codes: 4401 the key has ended, 4409 the history went back, 1013 the client is
too slow."""


def asyncapi(description: dict[str, Any]) -> dict[str, Any]:
    """The document of the streams that an OpenAPI description has."""
    paths = description["paths"]
    named = [*STREAM_SENDS, *((*PLAY_SENDS, *PLAY_RECEIVES) if PLAY in paths else ())]
    channels = {"stream": _channel(paths, STREAM, STREAM_SENDS)}
    operations = {
        "streamEvents": _operation(
            "send", "stream", STREAM_SENDS, "An audience's events as they happen"
        )
    }
    if PLAY in paths:
        play = _channel(paths, PLAY, (*PLAY_SENDS, *PLAY_RECEIVES))
        said = f"{play['description']}\n\n{CLOSE_CODES}"
        channels["play"] = {**play, "description": said}
        operations["receiveActions"] = _operation("receive", "play", PLAY_RECEIVES, "A seat acts")
        operations["sendToSeat"] = _operation(
            "send", "play", PLAY_SENDS, "Answers to the seat, and its own events as they happen"
        )
    messages = {name: {"name": name, **MESSAGES[name]} for name in named}
    return {
        "asyncapi": VERSION,
        "id": "urn:arbiter:streams",
        "info": {
            "title": "Arbiter: streams",
            "version": description["info"]["version"],
            "description": DESCRIPTION,
            "license": {"name": description["info"]["license"]["name"]},
            "tags": [{"name": "reading"}, *([{"name": "play"}] if PLAY in paths else [])],
        },
        "defaultContentType": "application/json",
        "channels": channels,
        "operations": operations,
        "components": {
            "messages": messages,
            "schemas": _schemas(description["components"]["schemas"], messages),
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer"},
                "ticket": {"type": "httpApiKey", "name": "ticket", "in": "query"},
            },
        },
    }


def _channel(paths: dict[str, Any], path: str, messages: tuple[str, ...]) -> dict[str, Any]:
    """The channel at an address, with the query and headers that the description gives it."""
    operation = paths[path]["get"]
    bound = {
        "query": _bound(operation, "query"),
        "headers": _bound(operation, "header"),
        "bindingVersion": "0.1.0",
    }
    return {
        "address": path,
        "title": operation["summary"],
        "description": operation["description"],
        "parameters": {"id": {"description": "The id of the match"}},
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in messages},
        "bindings": {"ws": {"method": "GET", **bound}} if path == PLAY else {},
        **({} if path == PLAY else {"x-query": bound["query"], "x-headers": bound["headers"]}),
    }


def _bound(operation: dict[str, Any], where: str) -> Schema:
    """The parameters of an operation in this place, as an object."""
    return {
        "type": "object",
        "properties": {
            one["name"]: one["schema"]
            for one in operation.get("parameters", [])
            if one["in"] == where
        },
    }


def _operation(action: str, channel: str, messages: tuple[str, ...], said: str) -> dict[str, Any]:
    """What the service does on a channel."""
    at = f"#/channels/{channel}"
    return {
        "action": action,
        "description": said,
        "channel": {"$ref": at},
        "messages": [{"$ref": f"{at}/messages/{name}"} for name in messages],
        "security": [{"$ref": f"#/components/securitySchemes/{one}"} for one in ("key", "ticket")],
    }


def _schemas(schemas: dict[str, Schema], messages: dict[str, Any]) -> dict[str, Schema]:
    """The schemas to which the messages lead."""
    found: dict[str, Schema] = {}
    waiting = list(_references(messages))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = _worded(schemas[name])
            waiting += _references(schemas[name])
    return dict(sorted(found.items()))


def _references(value: Any) -> Iterator[str]:
    """The components that are referred to."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"].rsplit("/", 1)[1]
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


def _worded(schema: Any) -> Any:
    """The schema in the words of AsyncAPI, whose discriminators are names of fields."""
    match schema:
        case {"discriminator": {"propertyName": name}, **rest}:
            return {**_worded(rest), "discriminator": name}
        case dict():
            return {word: _worded(value) for word, value in schema.items()}
        case list():
            return [_worded(value) for value in schema]
    return schema
