"""The items of Grouping Black & White. Orders are tested with groupings and deals."""

from typing import Any

import pytest

from domain.games.grouping_bw.actions import Fold, NameStarter, Peek
from domain.games.grouping_bw.events import NumberTold
from tests.support.tables.game_table import Table
from tests.support.tables.grouping_bw_tables import ASCENDING, DESCENDING, dealt, grouping, new


def peeking(holders: Any = (("peek",), ())) -> Table:
    return dealt(ASCENDING, DESCENDING, items=holders)


def test_a_bonus_is_used_up_by_naming_the_starter() -> None:
    table = new("final-match-2")
    assert table.state.items == (("bonus", "peek"), ("order",))
    assert table.state.stacks == (110, 100)
    table.act(0, NameStarter(1))
    assert table.state.items == (("peek",), ("order",))


def test_a_peek_shows_the_others_number_in_turn_and_out_of_turn() -> None:
    peeking().when(0, Peek()).then(NumberTold(0, 8, "peek"))
    table = peeking(((), ("peek",)))
    assert table.awaits.seats == (0,)
    assert table.offered(1) == {"peek"}
    table.when(1, Peek()).then(NumberTold(1, 0, "peek"))


def test_a_peek_changes_nothing_that_others_can_see() -> None:
    table = peeking(((), ("peek",)))
    before = table.awaits, table.menu(0), table.state.stacks, table.state.bets
    table.act(1, Peek())
    assert (table.awaits, table.menu(0), table.state.stacks, table.state.bets) == before


def test_a_peek_is_used_once() -> None:
    table = peeking().act(0, Peek())
    assert "peek" not in table.offered(0)
    table.refused(0, Peek(), "item_used")
    table.act(0, Fold()).refused(0, Peek(), "item_used")


def test_a_seat_without_a_peek_cannot_use_one() -> None:
    table = peeking()
    assert table.offered(1) == set()
    table.refused(1, Peek(), "item_not_held")


@pytest.mark.parametrize("seat", [0, 1])
def test_there_is_nothing_to_peek_at_between_rounds(seat: int) -> None:
    table = new("final-match-2", items=(("peek",), ("peek",)))
    table.refused(seat, Peek(), "wrong_phase")
    table = grouping("final-match-2", items=(("peek",), ("peek",)))
    table.refused(seat, Peek(), "wrong_phase")
    table.expired()
    table.refused(seat, Peek(), "wrong_phase")
