"""What a game is about, for people: `pages/rules/<game>/<language>.md`, beside the picture that it
shows. A game that brings none is explained by the text of its rules."""

from functools import cache
from typing import NamedTuple

from domain.games import GAMES
from service.web.assets import ADDRESS, ASSETS, PAGES
from service.web.markdown import render
from service.web.texts import FALLBACK

FOLDER = PAGES.joinpath("rules")


def rules_source(game: str) -> str:
    """The explanation in English, as a path in the repository."""
    return f"service/web/pages/rules/{game}/{FALLBACK}.md"


class GameRules(NamedTuple):
    """The rules of a game in one minute, and to the letter, as HTML."""

    id: str
    title: str
    explained: str | None
    """Without a heading; None if the game brings none."""
    lead: str
    """What it is about in a sentence or two, as text; empty without an explanation."""
    picture: str | None
    """The address of a small board."""
    text: str
    """All of them, in English, under the heading that is their title."""


@cache
def game_rules(game: str, language: str, root: str = "") -> GameRules:
    """In a language, or in English where nobody has translated them. Links begin with `root`."""
    rules = GAMES[game]
    folder = f"/rules/{game}"

    def address(link: str) -> str | None:
        path = f"{folder}/{link}"
        return f"{root}{ADDRESS}{path}" if path in ASSETS else None

    explanation = _read_explanation(game, language) or _read_explanation(game, FALLBACK)
    return GameRules(
        game,
        rules.title,
        explained=None if explanation is None else render(explanation, address).html,
        lead=" ".join((explanation or "").partition("\n\n")[0].split()),
        picture=address("board.svg"),
        text=render(rules.text, lambda _: None).html,
    )


def _read_explanation(game: str, language: str) -> str | None:
    file = FOLDER.joinpath(game, f"{language}.md")
    return file.read_text(encoding="utf-8") if file.is_file() else None
