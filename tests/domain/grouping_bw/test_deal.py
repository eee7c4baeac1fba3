"""Rules 2 and 3 of a set: how tiles are laid, who sees what of it, and what follows nine rounds."""

from typing import Any

import pytest

from domain.chance.draws import Draw, Shuffle
from domain.events import SEALED
from domain.games.grouping_bw.actions import Fold, Raise
from domain.games.grouping_bw.events import (
    AntesPaid,
    GroupsDrawn,
    OrderTold,
    OwnTileTold,
    PassBegan,
    RoundBegan,
    SetBegan,
    TilesLaid,
)
from domain.games.grouping_bw.grouping import colour, in_groups
from tests.support.tables.game_table import Table
from tests.support.tables.grouping_bw_tables import (
    ABC,
    ASCENDING,
    DESCENDING,
    dealt,
    draw,
    equal_rows,
    group,
    grouping,
    lay,
)

ORDER = Shuffle(ABC)


def fold_through(table: Table, rounds: int = 9) -> Table:
    """This many rounds, in each of which the starter folds at once."""
    for _ in range(rounds):
        table.act(table.awaits.seats[0], Fold())
    return table


def grouped(**options: Any) -> Table:
    return grouping(**options).act(0, group(ASCENDING)).act(1, group(DESCENDING))


def test_rule_2_a_pass_begins_with_a_sealed_draw_of_each_seats_groups_and_their_order() -> None:
    table = grouped()
    assert table.awaits.seats == ()
    assert table.awaits.deadline is None
    mine = (Shuffle((0, 1)), Shuffle((2, 3, 4)), Shuffle((5, 6, 7, 8)), ORDER)
    yours = (Shuffle((7, 8)), Shuffle((4, 5, 6)), Shuffle((0, 1, 2, 3)), ORDER)
    assert table.draw == Draw("set1/pass1", (*mine, *yours), SEALED)


def test_rule_2_groups_are_laid_in_the_drawn_order_each_in_its_own() -> None:
    """The designers' example: C A B gives [7,5,8,6][0,1][3,2,4]."""
    table = grouped()
    mine = ((0, 1), (3, 2, 4), (7, 5, 8, 6), ("c", "a", "b"))
    yours = ((8, 7), (4, 6, 5), (1, 0, 3, 2), ("b", "c", "a"))
    table.drawn(*mine, *yours)
    tiles = ((7, 5, 8, 6, 0, 1, 3, 2, 4), (4, 6, 5, 1, 0, 3, 2, 8, 7))
    table.then(
        TilesLaid(tiles, (("c", "a", "b"), ("b", "c", "a"))),
        RoundBegan(1, ("white", "black"), 0),
        AntesPaid(1),
    )
    assert table.state.tiles == tiles


def test_rule_2_a_seat_that_used_order_sees_its_order_for_the_first_pass_only() -> None:
    table = grouping(items=(("order",), ()), passes_per_set=2)
    table.act(0, group(ASCENDING, use_order=True)).act(1, group(ASCENDING))
    parts = ((1, 0), (2, 3, 4), (5, 6, 7, 8), ("b", "a", "c"))
    table.drawn(*parts, *parts)
    shown_orders = [event for event in table.events if isinstance(event, OrderTold)]
    assert shown_orders == [OrderTold(0, ("b", "a", "c"))]
    draw(fold_through(table), ASCENDING, ASCENDING)
    assert not any(isinstance(event, OrderTold) for event in table.new)


def test_rule_2_an_order_used_in_a_later_set_shows_that_sets_first_pass() -> None:
    table = fold_through(equal_rows("final-match-2"))
    assert table.new[-1] == SetBegan(2, 1)
    table.act(0, group(ASCENDING)).act(1, group(ASCENDING, use_order=True))
    draw(table, ASCENDING, ASCENDING)
    assert OrderTold(1, ABC) in table.new


def test_rule_3_the_ith_round_is_played_with_the_ith_tiles() -> None:
    row = (4, 0, 8, 1, 7, 2, 6, 3, 5)
    table = dealt(row, ASCENDING, chips=(100, 100))
    for place in range(9):
        assert table.state.numbers == (row[place], ASCENDING[place])
        began = [event for event in table.events if isinstance(event, RoundBegan)][-1]
        assert began.round == place + 1
        assert began.colours == (colour(row[place]), colour(ASCENDING[place]))
        table.act(table.awaits.seats[0], Fold())


@pytest.mark.parametrize("passes", [1, 2, 3])
def test_rule_3_option_passes_per_set(passes: int) -> None:
    table = equal_rows(passes_per_set=passes)
    for number in range(2, passes + 1):
        assert fold_through(table).new[-1] == PassBegan(number)
        draw(table, ASCENDING, ASCENDING)
    assert fold_through(table).new[-1] == SetBegan(2, 2)
    assert table.awaits.seats == (0, 1)


@pytest.mark.parametrize(("every", "antes"), [(1, [2, 3, 4, 5]), (2, [1, 2, 2, 3])])
def test_rule_3_the_ante_grows_with_the_sets(every: int, antes: list[int]) -> None:
    table = equal_rows(passes_per_set=1, ante_every_sets=every, chips=(500, 500))
    began = []
    for _ in antes:
        fold_through(table)
        began.append(table.new[-1])
        lay(table, ASCENDING, ASCENDING)
        assert AntesPaid(table.state.ante) in table.new
    assert began == [SetBegan(number, ante) for number, ante in enumerate(antes, 2)]


def test_rule_3_an_agreed_increase_stays_on_top_of_the_ante() -> None:
    table = grouping("final-match-2")
    for seat in (0, 1):
        table.act(seat, group(ASCENDING, ante_increase=3))
    draw(table, ASCENDING, ASCENDING)
    assert AntesPaid(4) in table.new
    assert fold_through(table).new[-1] == SetBegan(2, 4)
    table.act(0, group(ASCENDING, ante_increase=2)).act(1, group(ASCENDING, ante_increase=2))
    draw(table, ASCENDING, ASCENDING)
    assert AntesPaid(6) in table.new


# Groups that no one submitted in time.


def test_without_groups_in_time_chance_makes_them_in_the_first_set() -> None:
    table = grouping().act(1, group(DESCENDING)).expired()
    assert table.draw == Draw("set1/grouping/0", (Shuffle(ASCENDING),), SEALED)
    made = in_groups((8, 0, 7, 1, 6, 2, 5, 3, 4))
    assert (made.a, made.b, made.c) == ((0, 8), (1, 6, 7), (2, 3, 4, 5))
    table.drawn((8, 0, 7, 1, 6, 2, 5, 3, 4)).then(GroupsDrawn(0, made))
    assert table.draw.id == "set1/pass1"
    assert table.draw.parts[:3] == tuple(map(Shuffle, ((0, 8), (1, 6, 7), (2, 3, 4, 5))))


def test_without_any_groups_in_time_chance_makes_them_one_seat_after_another() -> None:
    table = grouping().expired().drawn(ASCENDING)
    assert table.new == [GroupsDrawn(0, in_groups(ASCENDING))]
    assert table.draw.id == "set1/grouping/1"
    table.drawn(DESCENDING).then(GroupsDrawn(1, in_groups(DESCENDING)))
    draw(table, ASCENDING, DESCENDING)
    assert table.state.phase == "betting"


def test_without_groups_in_time_old_ones_stay_from_the_second_set_on() -> None:
    table = fold_through(equal_rows("final-match-2"))
    changed = (2, 1, 0, 3, 4, 5, 6, 7, 8)
    table.act(1, group(changed)).expired()
    assert table.state.groups == (in_groups(ASCENDING), in_groups(changed))
    assert table.draw.id == "set2/pass1"


def test_the_last_submission_in_time_counts_with_everything_in_it() -> None:
    table = grouping("final-match-2").act(1, group(ASCENDING, use_order=True)).expired()
    assert table.state.items[1] == ()
    table.drawn(ASCENDING)
    draw(table, ASCENDING, ASCENDING)
    assert OrderTold(1, ABC) in table.new


# Own tiles.


def test_option_own_tile_visible_shows_each_seat_its_tile_every_round() -> None:
    table = dealt(ASCENDING, DESCENDING, own_tile_visible=True)
    began = table.new.index(RoundBegan(1, ("black", "black"), 0))
    assert table.new[began + 1 : began + 3] == [OwnTileTold(0, 0), OwnTileTold(1, 8)]
    table.act(0, Raise(1)).act(1, Fold())
    assert table.new[-3:-1] == [OwnTileTold(0, 1), OwnTileTold(1, 7)]
