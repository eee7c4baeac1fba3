"""The options of 12 Chips: their defaults, and what each of them changes."""

import msgspec
import pytest

from domain.chance.draws import Shuffle
from domain.games.twelve_chips.actions import Play, Take
from domain.games.twelve_chips.events import (
    ChipPlayed,
    ChipsSetAside,
    ChipTaken,
    ChipWon,
    DealCompleted,
    HandDealt,
    RoundBegan,
    TrickBegan,
    TrickWon,
)
from domain.games.twelve_chips.options import Options
from domain.games.twelve_chips.rules import GAME
from domain.match.deadlines import After, Deadline
from tests.support.tables.game_table import Table
from tests.support.tables.twelve_chips_tables import (
    deal,
    dealt,
    new,
    play_round_keeping_hands,
    trick,
)


def test_options_have_the_defaults_of_the_rules() -> None:
    assert msgspec.to_builtins(Options()) == {
        "over_21": "bust",
        "deal": "two_two",
        "hands": "dealt",
        "first_starter": 0,
        "round_starter": "last_trick_winner",
        "tokens_to_win": 3,
        "turn_seconds": None,
        "hand_colours_public": False,
    }


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_option_deal_random_deals_four_in_a_row_of_one_shuffle(seats: int) -> None:
    table = new(seats)
    chips = (*range(1, 13),) if seats < 4 else (1, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 9, 10, 10, 11, 12)
    assert table.draw.id == "round1/deal"
    assert table.draw.parts == (Shuffle(chips),)
    order = chips[::-1]
    table.drawn(order)
    for seat in range(seats):
        assert table.new[seat] == HandDealt(seat, order[4 * seat : 4 * seat + 4][::-1])
    aside = (ChipsSetAside((1, 2, 3, 4)),) if seats == 2 else ()
    assert table.new[seats:] == [*aside, DealCompleted(None), TrickBegan(1, 0)]


@pytest.mark.parametrize("starter", [0, 1, 2])
def test_option_first_starter_starts_the_first_round(starter: int) -> None:
    table = new(3, first_starter=starter)
    assert table.events == [RoundBegan(1, starter)]
    deal(table, (1, 2, 4, 5), (3, 6, 7, 10), (8, 9, 11, 12))
    assert table.new[-1] == TrickBegan(1, starter)
    assert table.awaits.seats == (starter,)


LOW, OVER, EQUAL = (1, 2, 4, 5), (3, 10, 11, 12), ((1, 3, 8, 9), (2, 4, 5, 10))


@pytest.mark.parametrize(
    ("option", "hands", "first", "second"),
    [
        ("last_trick_winner", (LOW, OVER), 0, 1),
        ("last_trick_winner", (LOW, OVER), 1, 1),
        ("rotate", (LOW, OVER), 0, 1),
        ("rotate", (LOW, OVER), 1, 0),
        ("round_winner", (LOW, OVER), 1, 0),
        ("round_winner", ((1, 3, 4, 8), (2, 5, 6, 7)), 0, 1),
        ("round_winner", EQUAL, 1, 0),
    ],
)
def test_option_round_starter_says_who_starts_the_next_round(
    option: str, hands: tuple[tuple[int, ...], ...], first: int, second: int
) -> None:
    """Seat 1 wins the last trick in all of them."""
    table = play_round_keeping_hands(dealt(*hands, round_starter=option, first_starter=first))
    assert table.new[-1] == RoundBegan(2, second)
    deal(table, LOW, OVER)
    assert table.awaits.seats == (second,)


def test_option_round_starter_rotate_counts_from_the_starter_of_the_round() -> None:
    """Not from that of the last trick: three rounds begin with seats 0, 1 and 0."""
    table = play_round_keeping_hands(dealt(LOW, OVER, round_starter="rotate"))
    assert table.new[-1] == RoundBegan(2, 1)
    play_round_keeping_hands(deal(table, LOW, OVER))
    assert table.new[-1] == RoundBegan(3, 0)


def test_option_tokens_to_win_ends_the_game_sooner() -> None:
    assert play_round_keeping_hands(dealt(LOW, OVER, tokens_to_win=2)).result is None
    result = play_round_keeping_hands(dealt(*EQUAL, tokens_to_win=1)).result
    assert result is not None
    assert result.shared


# turn_seconds: a deadline for every turn.


def test_option_turn_seconds_names_one_deadline_a_turn() -> None:
    table = dealt((1, 2, 4, 5), (3, 6, 7, 10), turn_seconds=30)
    assert table.awaits.deadline == Deadline("round1/trick1/play/seat0", After(30))
    table.act(0, Play(1))
    assert table.awaits.deadline == Deadline("round1/trick1/play/seat1", After(30))
    table.act(1, Play(10))
    assert table.awaits.deadline == Deadline("round1/trick1/take/seat1", After(30))
    trick(table, takes=(1, 10))
    assert table.awaits.deadline == Deadline("round1/trick2/play/seat1", After(30))


def test_option_turn_seconds_names_no_deadline_for_the_deal_and_none_by_default() -> None:
    assert new(2, turn_seconds=30).awaits.deadline is None
    assert dealt((1, 2, 4, 5), (3, 6, 7, 10)).awaits.deadline is None


def test_option_turn_seconds_an_idle_seat_plays_its_lowest_chip() -> None:
    table = dealt((5, 4, 2, 12), (3, 6, 7, 10), turn_seconds=30)
    table.expired().then(ChipPlayed(0, 2))
    table.expired().then(ChipPlayed(1, 3), TrickWon(1))


def test_option_turn_seconds_an_idle_seat_plays_the_lowest_chip_it_has_by_then() -> None:
    """Also where it picked that chip up later than the others."""
    table = trick(dealt((4, 5, 6, 7), (1, 3, 10, 11), turn_seconds=30), 4, 3, takes=(4, 3))
    assert table.state.hands[1][-1] == 3
    table.expired().then(ChipPlayed(0, 5))
    table.act(1, Play(1)).expired().act(1, Take(1)).expired()
    table.expired().then(ChipPlayed(1, 1), TrickWon(0))


def test_option_turn_seconds_an_idle_seat_takes_the_lowest_chip_it_may() -> None:
    table = dealt((1, 2, 4, 5), (3, 6, 7, 10), (8, 9, 11, 12), turn_seconds=30)
    table.act(0, Play(2)).act(1, Play(7)).act(2, Play(9))
    table.expired().then(ChipWon(2, 7))
    table.expired().then(ChipTaken(0, 9))
    table.expired().then(ChipTaken(1, 2), TrickBegan(2, 2))


def test_option_turn_seconds_idle_seats_reach_the_end_of_the_game() -> None:
    table = Table(GAME, 4, Options(turn_seconds=1))
    while table.result is None:
        if table.awaits.draw:
            table.drawn((9, 9, 8, 7, 6, 5, 4, 4), (12, 11, 10, 10, 3, 3, 2, 1))
        else:
            table.expired()
    assert max(table.result.scores) == 3


# hand_colours_public: backs with colours.


def test_option_hand_colours_public_shows_all_the_sorted_colours_of_each_hand() -> None:
    table = dealt((12, 4, 3, 5), (9, 8, 7, 6), hand_colours_public=True)
    backs = DealCompleted((("blue", "blue", "red", "red"), ("red", "red", "red", "red")))
    assert backs in table.events
    assert DealCompleted(None) in dealt((12, 4, 3, 5), (9, 8, 7, 6)).events
