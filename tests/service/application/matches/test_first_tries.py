"""What became of the first try of an order, by the record of its match since then."""

import pytest

from domain.games.dollar_prize.actions import ChooseSide, Place
from domain.games.dollar_prize.events import CoinPlaced
from domain.match.commands import Conflict
from service.application.matches.first_tries import first_outcome
from tests.support.tables.directing import close_phase, enter_draw
from tests.support.tables.rewind_positions import FLIPS, last, rewind, started


def test_an_old_order_does_not_end_the_phase_that_a_rewind_has_opened_again() -> None:
    """Seat 1 can convert in its second turn, so that goes on after it has placed."""
    table = started("dollar-prize", options={"turn_seconds": 300})
    table.accepted(0, ChooseSide("heads")).when(enter_draw("setup", FLIPS))
    for seat in (0, 1, 0):
        table.accepted(seat, Place("penny"))
    order, begun = close_phase(table.match.awaiting.phase), len(table.records)
    table.accepted(1, Place("penny"))
    assert first_outcome(table.records, begun, order) is None
    rewind(table, last(table, CoinPlaced))
    assert table.match.awaiting.phase == order.phase
    with pytest.raises(Conflict, match="nothing_to_close"):
        first_outcome(table.records, begun, order)
