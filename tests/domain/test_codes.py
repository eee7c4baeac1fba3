"""Every code of a game's refusals occurs: over random matches all seats try everything. Those of
submissions in sealed phases have tests of their own."""

from random import Random

import msgspec
import pytest

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
