"""What a game refuses over random matches in which all seats try everything. Codes of submissions
in sealed phases have tests of their own."""

from random import Random

import msgspec
import pytest

from domain.game import OVER
from domain.games import GAMES
from tests.support.tables.directing import START
from tests.support.tables.game_strategies import judgement, step, universe
from tests.support.tables.match_table import seated

OPTIONS: dict[str, tuple[dict[str, object], ...]] = {
    "dollar-prize": ({}, {"down_conversion": "listed"}),
    "liars-dice": ({}, {"exact_call": True}),
    "twelve-chips": ({}, {"hands": "entered"}),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_every_code_occurs_but_that_of_the_options(name: str) -> None:
    game, met = GAMES[name], set[str | None]()
    for number, chosen in enumerate(OPTIONS[name]):
        rng, options = Random(number), msgspec.convert(chosen, game.Options)
        table = seated(game, game.seats[0], options, clock="rules").when(START)
        while table.match.status == "running":
            met |= {judgement(table, seat, a) for seat in table.seats for a in universe(game)}
            step(table, rng)
        met |= {judgement(table, 0, action) for action in universe(game)}
    assert met - {None} == set(game.codes) - {"options_not_allowed"}


@pytest.mark.parametrize("name", GAMES)
def test_after_the_end_nothing_is_awaited_or_offered_and_everything_is_refused(name: str) -> None:
    game, rng = GAMES[name], Random(name)
    table = seated(game, game.seats[0], clock="rules").when(START)
    while table.match.status == "running":
        step(table, rng)
    assert game.awaits(table.match.game) == OVER
    for seat in table.seats:
        assert game.legal(table.match.game, seat) == ()
        assert {judgement(table, seat, a) for a in universe(game)} == {"game_over"}
