"""`GET /v1/matches/{id}/actions`: what a seat may do, as data that a program can follow."""

from itertools import product
from typing import Any

import jsonschema_rs
import pytest

from tests.contract.playing import assert_problem, counts, seats_of, step
from tests.live import Json, Live, LiveMatch

UNIVERSE: dict[str, list[Json]] = {
    "twelve-chips": [
        {"type": kind, "chip": chip} for kind, chip in product(("play", "take"), range(14))
    ],
    "dollar-prize": [
        {"type": "end_turn"},
        {"type": "keep"},
        {"type": "exchange", "coins": ["penny"] * 5},
        {"type": "exchange", "coins": ["nickel", "nickel"]},
        *({"type": "choose_side", "side": side} for side in ("heads", "tails")),
        *({"type": "place", "coin": c} for c in ("penny", "nickel", "dime", "quarter")),
        *(
            {"type": "convert", "recipe": recipe}
            for recipe in (
                "five_pennies",
                "two_nickels",
                "nickel_and_two_dimes",
                "five_pennies_and_two_dimes",
            )
        ),
    ],
    "grouping-bw": [
        *({"type": "name_starter", "seat": seat} for seat in range(3)),
        *({"type": kind} for kind in ("call", "fold", "peek")),
        *({"type": "raise", "by": by} for by in (0, 1, 10, 11)),
        {"type": "group", "a": [0, 1], "b": [2, 3], "c": [4, 5, 6, 7, 8]},
        {"type": "group", "a": [0, 0], "b": [2, 3, 4], "c": [5, 6, 7, 8]},
        {"type": "group", "a": [0, 9], "b": [2, 3, 4], "c": [5, 6, 7, 8]},
        {"type": "group", "a": [0, 1], "b": [2, 3, 4], "c": [5, 6, 7, 8], "use_order": True},
        {"type": "group", "a": [0, 1], "b": [2, 3, 4], "c": [5, 6, 7, 8], "ante_increase": 1},
    ],
    "together": [
        *({"type": "vote", "for": seat} for seat in range(5)),
        *({"type": "give_token_of_life", "to": seat} for seat in range(5)),
        *({"type": "submit", "a": a} for a in ([], [2], [9], [0] * 9)),
        *({"type": "submit", "b": b} for b in ([], [2, 3], [0, 2, 3], [2] * 4)),
        *({"type": "submit", "round": number} for number in (0, -1, 7)),
    ],
}


def matching(entries: list[Json], action: Json) -> list[Json]:
    """The entries whose schema the action fits."""
    return [e for e in entries if jsonschema_rs.is_valid(e["schema"], action)]


def test_a_menu_has_the_shape_of_the_contract(chips: LiveMatch) -> None:
    menu = chips.seats[0].menu().json()
    assert set(menu) == {"actions"}
    assert menu["actions"]
    for entry in menu["actions"]:
        assert list(entry) == ["type", "schema", "exact", "examples"]
        assert isinstance(entry["exact"], bool)


@pytest.mark.parametrize("game", UNIVERSE)
def test_every_schema_is_json_schema_2020_12_and_closed(live: Live, game: str) -> None:
    match = live.started(game, seats_of(game))
    for _ in range(12):
        for seat in match.seats:
            for entry in seat.menu().json()["actions"]:
                schema = entry["schema"]
                assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
                jsonschema_rs.Draft202012Validator(schema)
                jsonschema_rs.meta.validate(schema)
                assert schema["additionalProperties"] is False
                assert schema["properties"]["type"] == {"const": entry["type"]}
        step(match)


@pytest.mark.parametrize("game", UNIVERSE)
def test_every_example_fits_its_own_schema(live: Live, game: str) -> None:
    match = live.started(game, seats_of(game))
    for _ in range(12):
        for seat in match.seats:
            for entry in seat.menu().json()["actions"]:
                assert entry["examples"], "at least one"
                for example in entry["examples"]:
                    assert example["type"] == entry["type"]
                    jsonschema_rs.validate(entry["schema"], example)
        step(match)


@pytest.mark.parametrize("game", UNIVERSE)
def test_examples_are_accepted_as_they_stand(live: Live, game: str) -> None:
    match = live.started(game, seats_of(game))
    for turn in range(30):
        waited = match.anyone.view().json()["awaiting"]["seats"]
        if not waited:
            break
        seat = match.seats[waited[0]]
        entries = seat.menu().json()["actions"]
        entry = entries[turn % len(entries)]
        assert counts(seat.act(entry["examples"][turn % len(entry["examples"])]))


@pytest.mark.parametrize("game", UNIVERSE)
def test_what_no_entry_covers_is_refused_and_what_one_covers_is_taken(
    live: Live, game: str
) -> None:
    match = live.started(game, seats_of(game))
    for _ in range(6):
        waited = match.anyone.view().json()["awaiting"]["seats"][0]
        for seat in match.seats:
            entries = seat.menu().json()["actions"]
            for action in UNIVERSE[game]:
                if not matching(entries, action):
                    assert not counts(seat.act(action)), action
        offered = [
            (action, entry)
            for entry in match.seats[waited].menu().json()["actions"]
            for action in (UNIVERSE[game] if entry["exact"] else entry["examples"])
            if jsonschema_rs.is_valid(entry["schema"], action)
        ]
        assert offered
        assert counts(match.seats[waited].act(offered[-1][0])), offered[-1]


def test_a_seat_that_may_do_nothing_has_an_empty_menu(chips: LiveMatch) -> None:
    assert chips.seats[1].menu().json() == {"actions": []}


def test_the_menu_is_empty_while_a_draw_is_awaited(live: Live) -> None:
    match = live.started("twelve-chips", chance="manual")
    assert [seat.menu().json() for seat in match.seats] == [{"actions": []}] * 2


def test_the_menu_is_empty_when_the_match_is_over(played: LiveMatch) -> None:
    assert [seat.menu().json() for seat in played.seats] == [{"actions": []}] * 2


def test_looking_at_the_menu_leaves_no_trace(chips: LiveMatch) -> None:
    before = chips.moderator.view().content
    for seat in chips.seats:
        seat.menu()
    assert chips.moderator.view().content == before


@pytest.mark.parametrize(
    ("who", "status", "code"),
    [
        ("anyone", 401, "key_missing"),
        ("moderator", 403, "not_allowed"),
        ("organiser", 403, "not_allowed"),
    ],
)
def test_menus_are_for_seats(chips: LiveMatch, who: str, status: int, code: str) -> None:
    player: Any = getattr(chips, who)
    assert_problem(player.menu(), status, code)
