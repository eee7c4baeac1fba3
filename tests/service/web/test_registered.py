"""The page has the games whose files are in its folder: a new game is a new file and no edit."""

from pathlib import Path
from subprocess import CalledProcessError

import pytest

from domain.games import RULES
from service.web.build import SOURCES
from tests.support.web.verifier_pages import page_of
from tests.support.web.verifier_script import page_answers

BLIND_BID = """\
GAMES.register((forms) => {
  'use strict';

  const { PUBLIC, whole, flag } = forms;

  return {
    id: 'blind-bid',
    rulesVersion: 3,
    seats: [2, 5],
    hidesDraws: true,
    events: { 'blind-bid.thanked.1': [PUBLIC, { seat: whole }] },
    options: { share: [flag, false] },
  };
});
"""


def games_of(made: Path) -> set[tuple[str, int]]:
    (found,) = page_answers([{"ask": "games"}], made)
    return {(game, version) for game, version in found.answer}


def test_every_file_in_the_folder_is_a_game_of_the_page() -> None:
    (found,) = page_answers([{"ask": "games"}])
    every = [(game, version) for game, version in found.answer]
    assert every == sorted(every)
    assert len({game for game, _ in every}) == len(list((SOURCES / "games").glob("*.js")))


def test_the_page_has_the_rules_of_registered_games() -> None:
    (found,) = page_answers([{"ask": "games"}])
    played = {(game.id, game.rules_version) for game in RULES}
    assert {(game, version) for game, version in found.answer} <= played


def test_a_game_is_added_by_its_file_alone(tmp_path: Path) -> None:
    made = page_of(tmp_path, blind_bid=BLIND_BID)
    assert ("blind-bid", 3) in games_of(made)
    (kinds,) = page_answers([{"ask": "kinds"}], made)
    assert ["blind-bid.thanked.1", "public", ["seat"]] in kinds.answer


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("'blind-bid.thanked.1'", "'twelve-chips.thanked.1'"),
        ("'blind-bid.thanked.1'", "'blind-bid.thanked'"),
        ("rulesVersion: 3", "rulesVersion: 1"),
        ("'blind-bid.thanked.1'", "'blind-bid.bid.1'"),
    ],
    ids=["an event of another game", "no stored name", "rules that are there", "an event again"],
)
def test_a_game_that_does_not_fit_stops_the_build_of_the_page(
    right: str, wrong: str, tmp_path: Path
) -> None:
    first = BLIND_BID.replace("rulesVersion: 3", "rulesVersion: 1")
    second = BLIND_BID.replace(right, wrong)
    with pytest.raises(CalledProcessError):
        games_of(page_of(tmp_path, a_bid=first.replace(".thanked", ".bid"), blind_bid=second))
