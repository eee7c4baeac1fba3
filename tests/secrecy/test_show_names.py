"""Who is immune and who is a candidate in an elimination show follows from what the public of the
main match sees: who voted for whom, and all else that is closed, does not decide it."""

import pytest

from domain.events import PUBLIC
from domain.games import GAMES
from service.cli.simulating.simulation import SimulatedMatch

NAMING = [name for name, game in GAMES.items() if game.immune or game.candidates]


@pytest.mark.parametrize("name", NAMING)
@pytest.mark.parametrize("number", range(10))
def test_who_is_named_follows_from_public_events(name: str, number: int) -> None:
    game = GAMES[name]
    played = SimulatedMatch(game, game.seats[number % len(game.seats)], {}, f"names {number}")
    played.play()
    public = game.initial(played.match.options, played.created.seats)
    for record in played.records:
        if isinstance(record.event, game.Event) and record.event.audience == PUBLIC:
            public = game.evolve(public, record.event)
    for names in (game.immune, game.candidates):
        assert names is None or names(public) == names(played.match.game)


def test_a_game_names_them() -> None:
    assert "together" in NAMING
