"""`GET /v1/matches/{id}/actions`: the actions of a seat, as data that a program can follow."""

import jsonschema_rs
import pytest

from domain.games import GAMES
from tests.support.games import fewest
from tests.support.http.match_play import awaited, counts
from tests.support.servers.live_server import Json, Live, LiveMatch

NOTHING: Json = {"actions": [], "awaited": False, "submitted": False, "standing": None}
"""The menu of a seat for which the match does not wait."""


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


# What it says of the seat itself.

FOUR = ("Ann", "Ben", "Cy", "Di")
A_VOTE: Json = {"type": "submit", "a": [1], "b": None, "pay_garnet": False, "round": 1}


def state(match: LiveMatch, seat: int) -> tuple[bool, bool, Json | None]:
    menu = match.seats[seat].menu().json()
    return menu["awaited"], menu["submitted"], menu["standing"]


def test_a_seat_that_has_submitted_is_told_so_and_nobody_else_is(live: Live) -> None:
    match = live.started("together", FOUR)
    others = [match.seats[seat].menu().content for seat in (1, 2, 3)]
    assert state(match, 0) == (True, False, None)
    assert match.seats[0].act(A_VOTE).status_code == 201
    assert state(match, 0) == (True, True, A_VOTE)
    assert match.seats[0].menu().json()["actions"], "it may be replaced"
    assert [match.seats[seat].menu().content for seat in (1, 2, 3)] == others


def test_what_stands_can_be_sent_as_it_is(live: Live) -> None:
    match = live.started("grouping-bw")
    (chooser,) = match.anyone.view().json()["awaiting"]["seats"]
    assert match.seats[chooser].act({"type": "name_starter", "seat": 0}).status_code == 201
    seat = match.seats[0]
    (entry,) = seat.menu().json()["actions"]
    assert seat.act(entry["examples"][-1]).status_code == 201
    standing = seat.menu().json()["standing"]
    assert standing == entry["examples"][-1]
    assert seat.act(standing).json()["receipt"]["valid"] is True
    assert seat.menu().json()["standing"] == standing
