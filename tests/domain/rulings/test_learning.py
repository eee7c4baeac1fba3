"""Rulings, section 4: what each seat has received since the point where a match goes on, and keeps;
in each kind of game."""

from domain.chance.draws import Shuffle
from domain.events import Event
from domain.games import GAMES
from domain.games.dollar_prize.actions import Place
from domain.games.dollar_prize.events import CoinPlaced
from domain.games.grouping_bw.actions import NameStarter, Peek
from domain.games.grouping_bw.events import GroupingEnded, GroupsSubmitted, NumberTold
from domain.games.liars_dice import Bid, BidPlaced, Challenge, DiceRolled, RoundEnded
from domain.games.together.events import RoundCounted, SubmissionMade
from domain.games.twelve_chips.actions import Play, Take
from domain.games.twelve_chips.events import ChipPlayed, ChipWon, HandDealt, TrickWon
from domain.match.commands import PassDeadline
from domain.match.events import ActionReceived, ActionRefused, AwaitingChanged, DrawSettled
from domain.rulings.looking_back import learned_since
from tests.support.tables.directing import enter_draw
from tests.support.tables.grouping_bw_tables import ASCENDING, DESCENDING, group
from tests.support.tables.match_table import MatchTable
from tests.support.tables.rewind_positions import dice, first, flipped, last, started, submitting
from tests.support.tables.together_tables import a


def learned(table: MatchTable, start: int, seat: int) -> list[type[Event]]:
    """The kinds of what a seat has learned from a position on."""
    found = learned_since(table.records, start, len(table.seats), table.game.sealed_phase)
    return [type(table.events[position - 1]) for position in found[seat]]


def shuffled(table: MatchTable) -> MatchTable:
    """Everything that is shuffled next falls as it is listed."""
    while (draw := table.draw) is not None:
        shuffles = [part for part in draw.parts if isinstance(part, Shuffle)]
        table.when(enter_draw(draw.id, tuple(part.items for part in shuffles)))
    return table


def test_twelve_chips_the_chip_that_the_other_played_is_learned_and_ones_own_is_not() -> None:
    table = shuffled(started("twelve-chips"))
    starter = table.match.awaiting.seats[0]
    chips = table.match.game.hands
    table.act(starter, Play(chips[starter][0])).act(1 - starter, Play(chips[1 - starter][0]))
    start = first(table, ActionReceived)
    assert learned(table, start, starter) == [ChipPlayed, TrickWon]
    assert learned(table, start, 1 - starter) == [ChipPlayed, TrickWon]
    assert learned(table, first(table, HandDealt), 0).count(HandDealt) == 1
    taker = table.match.awaiting.seats[0]
    before = len(table.events) + 1
    table.act(taker, Take(table.match.game.centre[0]))
    assert ChipWon not in learned(table, before, taker)
    assert ChipWon in learned(table, before, 1 - taker)


def test_dollar_prize_a_flip_is_learned_by_both_and_a_coin_by_the_other() -> None:
    table = flipped()
    start = len(table.events) + 1
    table.accepted(0, Place("penny"))
    assert CoinPlaced not in learned(table, start, 0)
    assert CoinPlaced in learned(table, start, 1)
    for seat in (0, 1):
        assert DrawSettled in learned(table, last(table, DrawSettled), seat)


def test_liars_dice_the_hands_are_learned_by_the_one_who_called_too() -> None:
    table = dice((1, 1), (2, 2))
    rolled = first(table, DiceRolled)
    assert [learned(table, rolled, seat).count(DiceRolled) for seat in (0, 1)] == [1, 1]
    start = len(table.events) + 1
    table.accepted(0, Bid(3, 2)).act(0, Bid(3, 3))
    assert learned(table, start, 0) == [] and isinstance(table.new_events[1], ActionRefused)
    table.accepted(1, Challenge())
    assert learned(table, start, 0) == [RoundEnded]
    assert learned(table, start, 1) == [BidPlaced, RoundEnded]


def test_grouping_black_and_white_a_submission_is_not_learned_and_a_peek_is() -> None:
    options = GAMES["grouping-bw"].Options(items=(("peek",), ("peek",)), starter_chooser=0)
    table = started("grouping-bw", options=options).accepted(0, NameStarter(0))
    table.accepted(0, group(ASCENDING)).accepted(1, group(DESCENDING))
    start = first(table, ActionReceived)
    assert GroupsSubmitted in map(type, table.events[start - 1 :])
    for seat in (0, 1):
        assert GroupsSubmitted not in learned(table, start, seat)
        assert GroupingEnded in learned(table, start, seat)
    shuffled(table)
    seat, start = table.match.awaiting.seats[0], len(table.events) + 1
    table.accepted(seat, Peek())
    assert learned(table, start, seat) == [NumberTold]
    assert learned(table, start, 1 - seat) == []


def test_together_a_submission_is_not_learned_and_the_count_is() -> None:
    table = submitting()
    start = len(table.events) + 1
    table.accepted(0, a(1))
    assert [type(event) for event in table.new_events] == [ActionReceived, SubmissionMade]
    assert [learned(table, start, seat) for seat in table.seats] == [[]] * 6
    table.when(PassDeadline(), table.due)
    kinds = learned(table, start, 0)
    assert SubmissionMade not in kinds and AwaitingChanged not in kinds and len(kinds) > 1
    assert RoundCounted not in kinds, "for moderators"
