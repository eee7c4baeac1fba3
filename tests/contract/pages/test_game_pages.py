"""`/games/{game}`: how a game is played, and where a reader finds it."""

import pytest

from domain.games import GAMES
from service.http.people import lobby
from service.web import game_rules as module
from service.web.game_rules import game_rules
from tests.support.servers.live_server import Live

EXPLAINED = [game for game in GAMES if game_rules(game, "en").explained]


def page(live: Live, path: str, language: str = "en") -> str:
    return live.anyone.get(path, {"Accept-Language": language}).raise_for_status().text


@pytest.mark.parametrize("game", EXPLAINED)
def test_a_game_is_explained_in_the_readers_language(live: Live, game: str) -> None:
    english, german = page(live, f"/games/{game}"), page(live, f"/games/{game}", "de")
    assert '<html lang="en">' in english and ": how to play</h1>" in english
    assert '<html lang="de">' in german and ": so wird gespielt</h1>" in german
    assert 'id="rules"' in english and 'id="rules"' in german
    assert f'href="/games/{game}"' in page(live, "/")
    assert f'href="/games/{game}"' in page(live, "/docs/people")


def test_a_match_says_how_it_is_played(live: Live) -> None:
    match = live.started("dollar-prize")
    shown = page(live, f"/m/{match.id}")
    assert "<summary>How to play</summary>" in shown and "grow a line of coins" in shown
    assert "legen Münzen" in page(live, f"/m/{match.id}", "de")


def test_a_game_that_explains_nothing_has_its_rules_there(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FOLDER", module.FOLDER.joinpath("nowhere"))
    monkeypatch.setattr(lobby, "game_rules", module.game_rules.__wrapped__)
    shown = page(live, "/games/liars-dice")
    assert shown.count("<h1") == 1 and 'id="rules" lang="en"' in shown


def test_there_are_no_other_games(live: Live) -> None:
    assert live.anyone.get("/games/chess").status_code == 404
