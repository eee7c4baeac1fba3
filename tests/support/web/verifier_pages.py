"""The games whose rules the page has, and verifier pages with other sets of games."""

from collections.abc import Iterable
from pathlib import Path
from shutil import copytree

from domain.games import GAMES
from service.web.build import SOURCES, page
from tests.recorded.files import recorded


def script_of(game: str, sources: Path = SOURCES) -> Path:
    """The path of a game's rules in JavaScript, if there are any."""
    return sources / "games" / f"{game.replace('-', '_')}.js"


def with_rules() -> list[str]:
    """The games, by id, that have rules in JavaScript: the others are verified without judging."""
    return [game for game in GAMES if script_of(game).exists()]


def recorded_with_rules() -> list[str]:
    """The recorded matches of these games, by name."""
    return [name for name in recorded() if name.partition(".")[0] in with_rules()]


def page_of(folder: Path, without: Iterable[str] = (), **more: str) -> Path:
    """A page, made in `folder`, without some games (by id), and with the games of these scripts."""
    sources = folder / "verify"
    copytree(SOURCES, sources)
    for game in without:
        script_of(game, sources).unlink(missing_ok=True)
    for name, script in more.items():
        script_of(name, sources).write_text(script)
    made = folder / "verify.html"
    made.write_text(page(sources))
    return made
