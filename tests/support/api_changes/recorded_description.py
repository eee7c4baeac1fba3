"""The description of the last release, without its prose, and what has changed since then."""

from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from service.app import api_description
from service.http.asyncapi import asyncapi
from tests.support.api_changes.change import Change
from tests.support.api_changes.operation_changes import operation_changes
from tests.support.api_changes.stream_changes import stream_changes
from tests.support.repository import TESTS

RECORDED = TESTS / "recorded/description/released.jsonl"
"""A line for each path, schema, message and so on: its section, its name, and what it is."""

Description = dict[str, dict[str, Any]]
"""The paths and schemas of the OpenAPI document, and of the AsyncAPI document, whose schemas are
the same, the channels, operations and messages: all by name."""

PROSE = {"description", "summary", "title", "examples", "example", "tags"}
FIELDS = "properties"
"""The word whose value is by the names of fields, which may be any words."""


@cache
def present_description() -> Description:
    """What the code describes now."""
    requests = api_description()
    streams = asyncapi(requests)
    whole = {
        "paths": requests["paths"],
        "schemas": requests["components"]["schemas"],
        "channels": streams["channels"],
        "operations": streams["operations"],
        "messages": streams["components"]["messages"],
    }
    described: Description = without_prose(msgspec.json.decode(msgspec.json.encode(whole)))
    return described


def released_description() -> Description:
    """What the last release described."""
    described: Description = {}
    for line in RECORDED.read_bytes().splitlines():
        section, name, value = msgspec.json.decode(line)
        described.setdefault(section, {})[name] = value
    return described


def record(described: Description, path: Path = RECORDED) -> None:
    """Keeps the description of a release."""
    lines = [
        msgspec.json.encode([section, name, value])
        for section, values in described.items()
        for name, value in sorted(values.items())
    ]
    path.write_bytes(b"\n".join([*lines, b""]))


def description_changes(old: Description, new: Description) -> list[Change]:
    """What has changed, without repetition and in order: what breaks clients comes first."""
    found = {*operation_changes(old, new), *stream_changes(old, new)}
    return sorted(found, key=lambda change: (not change.breaking, change))


def without_prose(value: Any) -> Any:
    """A document without what is for people."""
    if isinstance(value, list):
        return [without_prose(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        word: {name: without_prose(one) for name, one in inner.items()}
        if word == FIELDS
        else without_prose(inner)
        for word, inner in value.items()
        if word not in PROSE
    }
