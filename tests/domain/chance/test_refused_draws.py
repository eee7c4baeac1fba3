"""Outcomes that a moderator enters and the rules refuse: on record, and judged again as stored."""

from typing import Any

import pytest

from domain.encoding import decode, encode
from domain.games import GAMES
from domain.match.events import DrawRefused
from domain.proof.rejudging import rejudge
from tests.support.tables.directing import START, enter_draw
from tests.support.tables.match_table import MATCH, seated

OUTCOMES: tuple[tuple[Any, ...], ...] = ((), ((1, 2),), (("a", ("b",)),), (True,), (1.5,), (None,))


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("game", ["twelve-chips", "liars-dice"])
def test_whatever_was_entered_is_judged_again(game: str, outcome: tuple[Any, ...]) -> None:
    """An order is stored as a list: a refused one was taken for an altered record."""
    table = seated(GAMES[game]).when(START)
    assert table.draw is not None
    table.when(enter_draw(table.draw.id, outcome))
    assert isinstance(table.new_events[0], DrawRefused)
    stored = [decode(encode(record)) for record in table.records]
    assert rejudge(MATCH, stored) == table.match
