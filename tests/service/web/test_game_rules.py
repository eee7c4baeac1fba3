"""How each game is explained to people."""

import re

import pytest

from domain.games import GAMES
from service.web import game_rules as module
from service.web.assets import ADDRESS, ASSETS
from service.web.game_rules import game_rules
from service.web.texts import languages

WORDS_A_MINUTE = 330
"""Of a quick reader."""

EXPLAINED = [game for game in GAMES if game_rules(game, "en").explained]


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("game", EXPLAINED)
def test_a_game_is_explained_in_a_minute(game: str, language: str) -> None:
    rules = game_rules(game, language, "/below")
    told = rules.explained
    assert told is not None and rules.lead and "*" not in rules.lead
    words = re.sub("<[^>]+>", " ", told).split()
    assert 100 < len(words) <= WORDS_A_MINUTE
    assert "<h" not in told, "the page that shows it has the headings"
    (picture,) = re.findall(r'<img src="([^"]+)" alt="[^"]+"', told)
    assert picture == rules.picture
    assert picture.removeprefix(f"/below{ADDRESS}") in ASSETS


def test_each_language_has_its_own_words() -> None:
    for game in EXPLAINED:
        told = {game_rules(game, language).lead for language in languages()}
        assert len(told) == len(languages())


def test_a_game_without_an_explanation_has_the_text_of_its_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "FOLDER", module.FOLDER.joinpath("nowhere"))
    rules = game_rules.__wrapped__("liars-dice", "de")
    assert rules.explained is None and rules.lead == ""
    assert "Liar&#39;s Dice</h1>" in rules.text or "Liar's Dice" in rules.text
