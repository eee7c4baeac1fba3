"""The longest game of Dollar Prize."""

from domain.games.dollar_prize.actions import ChooseSide, EndTurn, Place
from domain.games.dollar_prize.coins import total
from domain.games.dollar_prize.events import TurnBegan
from domain.games.dollar_prize.options import Options
from domain.games.dollar_prize.rules import GAME
from tests.support.tables.game_table import Table

MOST_ROUNDS = 97
"""The setup hands out 5 cents and each round adds at least 2, so after the steal of round r at
least 5 + 2r cents lie on the table. While no one has a dollar they are 198 at most, so r <= 96 for
a round that is not the last: round 97 ends every game. Ties add steals and no round."""


def test_must_hold_the_longest_game_has_97_rounds() -> None:
    """Only pennies, never converted, and flips that take one whenever the leader nears a dollar."""
    table = Table(GAME, 2, Options()).act(0, ChooseSide("heads"))
    table.drawn("heads", "heads", "heads", "tails", "tails")
    while table.result is None:
        if table.awaits.draw is not None:
            first, second = map(total, table.state.lines)
            table.drawn("heads" if first > second + 1 else "tails")
        else:
            (seat,) = table.awaits.seats
            ends = table.offered(seat) & {"end_turn"}
            table.act(seat, EndTurn() if ends else Place("penny"))
    assert table.state.round == MOST_ROUNDS
    assert sum(isinstance(event, TurnBegan) for event in table.events) == 2 * MOST_ROUNDS
