"""Games are found by scanning a package, and modules that do not fit are named."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from domain.games import GAMES, games_in
from domain.registry import file_of, game_of, module_values, modules
from projections.boards import BOARDS, boards_in
from tests.support.tables import toy_game as toy

BLIND_BID = "from tests.support.tables.toy_game import GAME"
BOARD = "from tests.support.tables.toy_game import BOARDS"

Write = Callable[..., tuple[str, list[str]]]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Makes a package of these modules; returns its name and its path."""
    monkeypatch.syspath_prepend(tmp_path)
    made = 0

    def package(**files: str) -> tuple[str, list[str]]:
        nonlocal made
        made += 1
        name = f"{tmp_path.name}_{made}".replace("-", "_")
        folder = tmp_path / name
        for file, code in {"__init__": "", **files}.items():
            path = folder / f"{file.replace('__in__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(code)
        return name, [str(folder)]

    return package


def test_a_game_is_a_module_or_a_package_that_offers_one(write: Write) -> None:
    for package in (
        write(blind_bid=BLIND_BID),
        write(blind_bid__in____init__="from .rules import GAME", blind_bid__in__rules=BLIND_BID),
    ):
        assert games_in(*package) == ({"blind-bid": toy.GAME}, {})


def test_modules_are_in_order_and_under_the_ids_of_their_games(write: Write) -> None:
    found = modules(*write(twelve_chips="", go="", liars_dice=""))
    assert list(found) == ["go", "liars-dice", "twelve-chips"]
    assert all(module.__name__.endswith(file_of(game)[:-3]) for game, module in found.items())
    assert [game_of(file_of(game)[:-3]) for game in found] == list(found)


def test_every_module_in_the_folders_is_played() -> None:
    assert list(GAMES) == list(BOARDS) == sorted(GAMES)
    assert {"dollar-prize", "grouping-bw", "liars-dice", "together", "twelve-chips"} <= set(GAMES)


OLDER = """
from dataclasses import replace
from tests.support.tables.toy_game import GAME as OLD
GAME = replace(OLD, rules_version=3)
"""


def test_older_rules_stay_beside_those_of_today(write: Write) -> None:
    package = write(blind_bid=f"{OLDER}OLDER = (OLD, replace(OLD, rules_version=2))")
    games, older = games_in(*package)
    assert games["blind-bid"].rules_version == 3
    assert older == {("blind-bid", 1): toy.GAME, ("blind-bid", 2): older["blind-bid", 2]}
    assert older["blind-bid", 2].rules_version == 2


# Boards.

GAMES_HERE: dict[str, Any] = {"blind-bid": toy.GAME}


def test_a_board_is_found_for_each_game(write: Write) -> None:
    assert boards_in(*write(blind_bid=BOARD), GAMES_HERE) == {"blind-bid": toy.BOARDS}


SECOND_BID = """
from dataclasses import replace
from msgspec import Struct
from tests.support.tables import toy_game as toy
class Bid(Struct):
    seat: int
class Board(Struct):
    bids: tuple[Bid, ...]
BOARDS = replace(toy.BOARDS, view=Board)
"""


def boards(name: str, path: list[str]) -> object:
    return boards_in(name, path, GAMES_HERE)


@pytest.mark.parametrize(
    ("find", "files", "said"),
    [
        (games_in, {"blind_bid": ""}, r"\.blind_bid offers no GAME"),
        (games_in, {"blind_man": BLIND_BID}, "is for the game blind-man and offers blind-bid"),
        *(
            (games_in, {"blind_bid": f"{OLDER}OLDER = {older}"}, "OLDER holds no older rules of b")
            for older in ("(GAME,)", "(replace(OLD, rules_version=4),)")
        ),
        (boards, {}, r"blind-bid has no board: write .*/boards/blind_bid\.py"),
        (boards, {"blind_bid": BOARD, "blind_man": BOARD}, r"there is no domain/games/blind_man\."),
        (boards, {"blind_bid": ""}, r"\.blind_bid offers no BOARDS"),
        (boards, {"blind_bid": SECOND_BID}, r"blind-bid: two Structs .* are called Bid"),
    ],
)
def test_a_module_that_does_not_fit_is_named(
    write: Write, find: Callable[..., object], files: dict[str, str], said: str
) -> None:
    package = write(**files)
    with pytest.raises(ImportError, match=said):
        find(*package)


def test_optional_modules_belong_to_a_game(write: Write) -> None:
    """Bots and drawings are found in the same way."""
    assert module_values(*write(blind_bid="choose = 7"), "choose", GAMES_HERE) == {"blind-bid": 7}
    assert module_values(*write(), "choose", GAMES_HERE) == {}
    package = write(chess="choose = 7")
    with pytest.raises(ImportError, match="is for the game chess: there is no"):
        module_values(*package, "choose", GAMES_HERE)
