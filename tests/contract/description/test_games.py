"""`GET /v1/games` and `/v1/games/{game}`: the games, described for people and for programs."""

import jsonschema_rs
import pytest

from domain.games import GAMES
from tests.support.servers.live_server import Live, LiveMatch


def test_every_game_is_listed(live: Live) -> None:
    games = live.anyone.get("/v1/games").json()["games"]
    assert {game["id"] for game in games} == set(GAMES) >= {"dollar-prize", "twelve-chips"}
    assert all(game["title"] and game["rules_version"] >= 1 for game in games)
    assert {game["id"]: game["seats"] for game in games}["twelve-chips"] == [2, 4]


@pytest.mark.parametrize("game", GAMES)
def test_a_game_describes_its_options_actions_view_and_rules(live: Live, game: str) -> None:
    described = live.anyone.get(f"/v1/games/{game}").json()
    for name in ("options", "actions", "view"):
        assert "2020-12" in described[name]["$schema"]
        jsonschema_rs.meta.validate(described[name])
    assert len(described["rules"]) > 500


@pytest.mark.parametrize("game", GAMES)
def test_every_refusal_code_comes_with_a_sentence(live: Live, game: str) -> None:
    codes = live.anyone.get(f"/v1/games/{game}").json()["codes"]
    assert {"game_over", "wrong_phase", "options_not_allowed"} <= set(codes)
    assert all(sentence.endswith(".") and " " in sentence for sentence in codes.values())


def test_every_action_of_a_menu_fits_the_games_action_schema(live: Live, coins: LiveMatch) -> None:
    schema = live.anyone.get("/v1/games/dollar-prize").json()["actions"]
    valid = jsonschema_rs.Draft202012Validator(schema)
    for entry in coins.seats[0].menu().json()["actions"]:
        for example in entry["examples"]:
            valid.validate(example)
    assert not valid.is_valid({"type": "choose_side", "side": "edge"})
    assert not valid.is_valid({"type": "choose_side", "side": "heads", "more": 1})
