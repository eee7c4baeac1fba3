"""The description says what a stranger has to know: texts, tags and formats."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator

import msgspec
import pytest
from jsonschema_rs import Draft202012Validator

from domain.games import GAMES
from projections.boards import BOARDS
from tests.support.http.openapi_document import nodes, operations, validator
from tests.support.servers.live_server import Json

PRINTED = (
    "import sys, msgspec; from service.app import api_description; "
    "sys.stdout.buffer.write(msgspec.json.encode(api_description()))"
)

INSTANTS = {
    "at", "since", "until", "created", "started", "ended", "expires", "proposed", "lapses",
    "opened", "accepted", "revoked", "last_used", "deadline", "protests_until", "appeal_until",
    "next_attempt", "last_attempt",
}  # fmt: skip


PLAIN = {
    "attempts", "chance", "clock", "codes", "data", "game", "id", "kind", "label", "match", "name",
    "reason", "record", "rules_version", "ruling", "says", "severity", "state", "status", "title",
    "tournament", "type", "url",
}  # fmt: skip
"""Names of fields that say what they are wherever they stand."""

OF_A_GAME = re.compile(r"Action|\w+(Board|Options)|\w+\d")
"""The names of what a game has of its own; those of earlier rules end with a number."""

LEAD_TO_GAMES = ("Entry", "Line", "Effect")
"""Schemas whose parts are those of games, or of events."""


def fields(document: Json) -> Iterator[tuple[str, str, Json]]:
    """The fields of all schemas but those of a game's own actions, options and boards, which the
    rules explain."""
    for name in sorted(reached(document)):
        for field, schema in document["components"]["schemas"][name].get("properties", {}).items():
            yield name, field, schema


def reached(document: Json) -> set[str]:
    """The schemas to which requests and answers lead, without going into a game."""
    found: set[str] = set()
    waiting = list(names_in(document["paths"]))
    while waiting:
        name = waiting.pop()
        if name not in found and not OF_A_GAME.fullmatch(name):
            found.add(name)
            schema = document["components"]["schemas"][name]
            waiting += [] if name.endswith(LEAD_TO_GAMES) else names_in(schema)
    return found


def names_in(value: object) -> list[str]:
    return [node["$ref"].rsplit("/", 1)[1] for _, node in nodes(value) if "$ref" in node]


def test_every_schema_says_what_it_is(document: Json) -> None:
    schemas = document["components"]["schemas"]
    assert [name for name, schema in schemas.items() if not schema.get("description")] == []


def test_every_field_says_what_it_is(document: Json) -> None:
    """By itself, by its type, in the words of its schema, or by a name that is plain."""
    schemas = document["components"]["schemas"]
    every = list(fields(document))
    assert len(every) > 500
    assert [
        (name, field)
        for name, field, schema in every
        if field not in PLAIN
        and b'"description"' not in msgspec.json.encode(schema)
        and not names_in(schema)
        and not re.search(rf"\b{field}\b", schemas[name]["description"])
    ] == []


def test_every_example_is_one(document: Json) -> None:
    """Of a field by itself, wherever it stands."""
    shown = 0
    for where, node in nodes(document["components"]["schemas"]):
        if isinstance(examples := node.get("examples"), list):
            whole = validator(document, node) if names_in(node) else Draft202012Validator(node)
            assert all(map(whole.is_valid, examples)), where
            shown += 1
    assert shown > 50


COUNTS = {("ShownRound", "created")} | {
    (name, "until") for name in ("Stage", "ShownStage", "StageSettings")
}
"""Fields with the name of an instant that are numbers."""


def test_every_instant_is_a_date_time(document: Json) -> None:
    for name, field, schema in fields(document):
        if field in INSTANTS and (name, field) not in COUNTS:
            assert "date-time" in msgspec.json.encode(schema).decode(), f"{name}.{field}"


def test_every_tag_is_used_and_says_what_it_is_about(document: Json) -> None:
    used = {tag for operation in operations(document) for tag in operation.said["tags"]}
    assert {tag["name"] for tag in document["tags"] if tag["description"]} == used


def test_the_document_says_where_it_is_served_and_by_which_licence(document: Json) -> None:
    assert document["servers"] == [{"url": "/"}]
    assert document["info"]["license"] == {"name": "MIT", "identifier": "MIT"}
    assert "/docs" in document["info"]["description"]


@pytest.mark.parametrize("game", GAMES)
def test_the_view_of_a_game_leads_to_its_board(document: Json, game: str) -> None:
    prefix = "".join(word.capitalize() for word in game.split("-"))
    board = document["components"]["schemas"][f"{prefix}Board"]
    assert set(board["properties"]) == set(BOARDS[game].view.__struct_encode_fields__)


def test_unions_that_may_grow_say_so(document: Json) -> None:
    schemas = document["components"]["schemas"]
    for name in ("Line", "View", "Entry", "Action", "Effect"):
        assert schemas[name]["x-extensible"] is True
    for name in ("ShownWebhook", "ShownDelivery"):
        assert b"x-extensible" in msgspec.json.encode(schemas[name])


def test_the_description_is_the_same_bytes_in_every_process(document: Json) -> None:
    """The other one's hashes of texts are other ones, whatever they are in this one."""
    made = subprocess.run(
        [sys.executable, "-c", PRINTED],
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        check=True,
    )
    assert made.stdout == msgspec.json.encode(document)
