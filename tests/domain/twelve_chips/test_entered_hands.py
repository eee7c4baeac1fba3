"""12 Chips at a real table: each seat enters its own hand (rule 1, option `hands`)."""

from random import Random

import pytest

from domain.game import Refused
from domain.games.twelve_chips.actions import Enter, Play
from domain.games.twelve_chips.events import (
    ChipsMiscounted,
    DealCompleted,
    HandDealt,
    HandEntered,
    RoundScored,
    TrickBegan,
)
from domain.games.twelve_chips.options import Options
from domain.games.twelve_chips.rules import GAME
from domain.match.deadlines import Deadline
from domain.match.submissions import Invalid
from tests.support.tables.game_table import Table

HANDS = ((1, 2, 4, 5), (3, 6, 7, 10), (8, 9, 11, 12))
DEALT = (
    *(HandDealt(seat, hand) for seat, hand in enumerate(HANDS)),
    DealCompleted(None),
    TrickBegan(1, 0),
)
ENTERED = Options(hands="entered", tokens_to_win=1)


def entered(hands: tuple[tuple[int, ...], ...] = HANDS, options: Options = ENTERED) -> Table:
    """A table at which these hands were entered."""
    table = Table(GAME, len(hands), options)
    for seat, hand in enumerate(hands):
        table.act(seat, Enter(hand))
    return table


def test_rule_1_each_seat_enters_its_hand_and_the_last_one_completes_the_deal() -> None:
    table = Table(GAME, 3, ENTERED)
    table.act(1, Enter((10, 7, 6, 3))).then(HandEntered(1, HANDS[1]))
    assert table.awaits.draw is None
    assert table.awaits.seats == (0, 1, 2), "no one can tell whose hand is in"
    assert table.awaits.deadline == Deadline("round1/hands")
    table.act(0, Enter(HANDS[0]))
    table.act(2, Enter(HANDS[2]))
    table.then(HandEntered(2, HANDS[2]), *DEALT)
    assert table.state.hands == HANDS


def test_rule_1_the_last_hand_that_a_seat_enters_counts() -> None:
    table = Table(GAME, 2, ENTERED).act(0, Enter(HANDS[2]), Enter(HANDS[0]))
    assert GAME.standing(table.state, 0) == Enter(HANDS[0])
    assert GAME.standing(table.state, 1) is None
    assert table.act(1, Enter(HANDS[1])).state.hands == HANDS[:2]


@pytest.mark.parametrize(
    ("hand", "deal"),
    [
        ((4, 5, 6, 1), "two_two"),
        ((4, 4, 1, 2), "two_two"),
        ((0, 13, 4, 5), "two_two"),
        ((1, 1, 2, 3), "random"),
    ],
)
def test_rule_1_a_hand_that_cannot_be_dealt_is_invalid(hand: tuple[int, ...], deal: str) -> None:
    options = Options(hands="entered", deal="random" if deal == "random" else "two_two")
    with pytest.raises(Invalid, match="no_such_hand"):
        Table(GAME, 2, options).act(0, Enter(hand))


def test_rule_1_four_players_have_four_chips_twice() -> None:
    table = Table(GAME, 4, ENTERED).act(0, Enter((4, 4, 3, 3)))
    with pytest.raises(Invalid, match="no_such_hand"):
        table.act(0, Enter((5, 5, 3, 3)))


def test_rule_1_hands_are_not_entered_where_they_are_dealt_or_are_complete() -> None:
    Table(GAME, 2).refused(0, Enter(HANDS[0]), "wrong_phase")
    entered().refused(0, Enter(HANDS[0]), "wrong_phase")
    Table(GAME, 2, ENTERED).refused(0, Play(4), "wrong_phase")


def test_rule_1_a_moderator_closes_the_entry_only_when_no_hand_is_missing() -> None:
    """A rewind has opened it again: it does not end by itself then."""
    table = Table(GAME, 2, ENTERED).act(0, Enter(HANDS[0]))
    assert table.expired().new == []
    table.state = GAME.reopened(table.state)
    table.act(1, Enter(HANDS[1])).then(HandEntered(1, HANDS[1]))
    table.expired().then(*DEALT[:2], *DEALT[3:])
    assert table.offered(0) == {"play"}


def test_rule_1_the_backs_of_entered_hands_are_shown_where_backs_are() -> None:
    table = entered(options=Options(hands="entered", hand_colours_public=True))
    assert table.new[-2] == DealCompleted((("blue", "blue", "red", "red"),) * 3)


def test_rule_6_doubled_and_missing_chips_are_found_when_hands_are_opened() -> None:
    wrong = (HANDS[0], (3, 5, 7, 10), HANDS[2])
    table = entered(wrong).play_out(Random(1))
    assert table.new[2:] == [ChipsMiscounted(doubled=(5,), missing=(6,))]
    assert isinstance(table.new[1], RoundScored)
    assert table.result is not None, "the count stands"


def test_rule_6_what_is_missing_cannot_be_known_where_chips_are_left_over() -> None:
    table = entered((HANDS[0], (2, 3, 5, 6))).play_out(Random(1))
    assert table.new[2:] == [ChipsMiscounted(doubled=(2, 5), missing=())]


def test_rule_6_nothing_is_said_of_hands_of_one_set() -> None:
    table = entered().play_out(Random(1))
    assert [type(event) for event in table.new[1:]] == [RoundScored]


def test_the_example_on_the_menu_is_a_hand_of_one_set() -> None:
    for seats in GAME.seats:
        table = Table(GAME, seats, ENTERED)
        for seat in range(seats):
            (offer,) = table.menu(seat)
            table.act(seat, Enter(tuple(offer.examples[0]["chips"])))
        assert table.state.phase == "play"
        assert not any(isinstance(e, ChipsMiscounted) for e in table.play_out(Random(2)).new)


def test_a_chip_that_was_not_entered_cannot_be_played() -> None:
    with pytest.raises(Refused, match="not_in_hand"):
        entered().act(0, Play(12))
