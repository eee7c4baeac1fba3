"""`GET /v1/matches/{id}/actions`: the actions of a seat, as data that a program can follow."""

import jsonschema_rs
import pytest

from domain.games import GAMES
from tests.support.games import fewest
from tests.support.http.match_play import awaited, counts
from tests.support.servers.live_server import Json, Live, LiveMatch

NOTHING: Json = {"actions": [], "awaited": False, "submitted": False, "standing": None}
"""The menu of a seat for which the match does not wait."""


def test_a_menu_has_the_shape_of_the_contract(chips: LiveMatch) -> None:
    menu = chips.seats[0].menu().json()
    assert list(menu) == ["actions", "awaited", "submitted", "standing"]
    assert menu["actions"]
    for entry in menu["actions"]:
        assert list(entry) == ["type", "title", "description", "schema", "exact", "examples"]
        assert isinstance(entry["exact"], bool)


@pytest.mark.parametrize("game", GAMES)
def test_a_program_follows_the_menu(live: Live, game: str) -> None:
    """Schemas are closed JSON Schema 2020-12, examples fit them, and are accepted unchanged."""
    match = live.started(game, fewest(game))
    for turn in range(12):
        for seat in match.seats:
            for entry in seat.menu().json()["actions"]:
                assert_followed(entry)
        seen = match.anyone.view().json()
        if not seen["awaiting"]["seats"]:
            break
        waited = awaited(match, seen)
        entries = waited.menu().json()["actions"]
        entry = entries[turn % len(entries)]
        assert counts(waited.act(entry["examples"][turn % len(entry["examples"])]))


def assert_followed(entry: Json) -> None:
    schema = entry["schema"]
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema_rs.meta.validate(schema)
    assert schema["additionalProperties"] is False
    assert schema["properties"]["type"] == {"const": entry["type"]}
    assert entry["examples"], "at least one"
    for example in entry["examples"]:
        assert example["type"] == entry["type"]
        jsonschema_rs.validate(schema, example)


def test_a_seat_that_may_do_nothing_has_an_empty_menu(chips: LiveMatch) -> None:
    assert chips.seats[1].menu().json() == NOTHING


def test_reading_the_menu_leaves_no_trace(chips: LiveMatch) -> None:
    before = chips.moderator.view().content
    for seat in chips.seats:
        seat.menu()
    assert chips.moderator.view().content == before
