"""Rulings, section 4: later inputs that are judged again, and what a rewind does not undo."""

from domain.events import OWN_SEAT
from domain.games.dollar_prize.actions import Place
from domain.games.dollar_prize.events import CoinPlaced
from domain.games.liars_dice import Bid, BidPlaced, Challenge, RoundEnded
from domain.match.commands import PassDeadline
from domain.match.deadlines import SECOND
from domain.match.events import (
    ActionReceived,
    AwaitingChanged,
    DeadlinePassed,
    DrawSettled,
    MatchEnded,
    MatchPaused,
    SealedDrawSettled,
)
from domain.rulings.events import (
    PublicReapplied,
    RewindOrdered,
    RulingOrdered,
    SealedReapplied,
    SeatReapplied,
)
from domain.rulings.kinds import Change
from domain.rulings.rewinding import Misfit
from projections.audience.disclosure import MODERATOR, may_see
from tests.support.tables.rewind_positions import (
    FLIPS,
    coins,
    dice,
    first,
    flipped,
    kinds,
    last,
    misfit,
    redraw,
    rewind,
    rolled,
)


def test_rule_4_without_reapply_no_later_input_is_judged_again() -> None:
    table = flipped().accepted(0, Place("penny"))
    assert not REAPPLIED & set(kinds(rewind(table, last(table, DrawSettled))))


REAPPLIED = {PublicReapplied, SeatReapplied, SealedReapplied}


def test_rule_4_later_inputs_are_judged_again_each_for_its_audience() -> None:
    table = flipped().accepted(0, Place("penny"))
    game, drawn, placed = table.match.game, last(table, DrawSettled), last(table, ActionReceived)
    rewind(table, drawn, reapply="while_legal")
    assert [e for e in table.new_events if type(e) in REAPPLIED] == [
        PublicReapplied(drawn),
        SeatReapplied(0, placed),
    ]
    assert table.match.game == game and table.match.status == "paused"


def test_rule_4_a_sealed_draw_is_judged_again_for_moderators() -> None:
    table = dice((1, 2), (2, 3)).accepted(0, Bid(4, 6)).accepted(1, Challenge())
    rolled(table, (4,), (5, 6))
    game, before = table.match.game, last(table, RoundEnded)
    rewind(table, before, reapply="while_legal")
    assert kinds(table).count(SealedReapplied) == 2
    assert table.match.game == game


def test_rule_4_a_passed_deadline_counts_as_a_closed_phase() -> None:
    table = dice((1,), (2,))
    table.when(PassDeadline(), table.due).accepted(1, Bid(2, 6))
    game = table.match.game
    rewind(table, last(table, DeadlinePassed), reapply="while_legal")
    assert [type(e) for e in table.new_events if type(e) in REAPPLIED] == [
        PublicReapplied,
        SeatReapplied,
    ]
    left = MatchPaused(60 * SECOND, table.at + 60 * SECOND)
    assert table.match.game == game and left in table.new_events


def test_rule_4_they_are_judged_until_one_is_refused() -> None:
    table = dice((1, 1), (2, 2)).accepted(0, Bid(1, 3)).accepted(1, Bid(1, 4))
    table.accepted(0, Bid(2, 5))
    before, struck = first(table, BidPlaced), first(table, ActionReceived)
    assert misfit(table, before) is None
    assert misfit(table, before, Change(strike=struck)) == Misfit(struck + 3, "not_your_turn")
    rewind(table, before, Change(strike=struck), reapply="while_legal")
    assert not REAPPLIED & set(kinds(table))


def test_rule_4_they_are_judged_until_the_parts_of_a_draw_differ() -> None:
    """By the hand drawn otherwise the other seat loses a die, so others are rolled next."""
    table = dice((1, 1), (2, 2)).accepted(0, Bid(3, 2)).accepted(1, Challenge())
    challenged = last(table, ActionReceived)
    rolled(table, (4, 4), (5,))
    roll = last(table, RoundEnded) + 3
    assert isinstance(table.events[roll - 1], SealedDrawSettled)
    before, hand = first(table, BidPlaced) - 2, redraw(4, 4, of="round1/roll/1")
    assert misfit(table, before) is None
    assert misfit(table, before, hand) == Misfit(roll, "draw_differs")
    rewind(table, before, hand, reapply="while_legal")
    again = [e.of for e in table.new_events if isinstance(e, SeatReapplied)]
    assert again[-1] == challenged


def test_rule_4_they_are_judged_until_server_chance_is_asked() -> None:
    table = coins("server").act(0, Place("penny"))
    later = last(table, ActionReceived)
    assert misfit(table, first(table, ActionReceived) + 1) == Misfit(later, "draw_awaited")


def test_rule_4_an_action_that_was_refused_is_not_judged_again() -> None:
    table = dice((1, 1), (2, 2)).accepted(0, Bid(1, 3)).act(0, Bid(1, 4)).accepted(1, Bid(1, 4))
    rewind(table, first(table, BidPlaced), reapply="while_legal")
    assert kinds(table).count(SeatReapplied) == 2


def test_rule_4_what_was_judged_again_is_judged_again_from_what_was_sent() -> None:
    table = flipped()
    for seat in (0, 1):
        table.accepted(seat, Place("penny"))
    of, game = last(table, ActionReceived), table.match.game
    rewind(table, last(table, CoinPlaced), reapply="while_legal")
    rewind(table, first(table, DrawSettled), reapply="while_legal")
    again = [e for e in table.new_events if isinstance(e, SeatReapplied)]
    assert again == [SeatReapplied(0, first(table, CoinPlaced) - 1), SeatReapplied(1, of)]
    assert table.match.game == game


def test_rule_4_a_match_that_is_judged_to_its_end_again_is_over() -> None:
    table = dice((1, 1), (2, 2)).accepted(0, Bid(3, 2)).accepted(1, Challenge())
    rolled(table, (5, 5), (5,))
    before = last(table, AwaitingChanged)
    table.accepted(1, Bid(3, 5)).accepted(0, Challenge())
    rewind(table, before, redraw(3, of="round2/roll/1"), reapply="while_legal")
    assert isinstance(table.new_events[-1], MatchEnded)
    assert table.match.status == "ended" and table.match.awaiting == AwaitingChanged()


# What everyone keeps.


def test_rule_4_knowledge_is_not_unlearnt() -> None:
    table = dice((1, 1), (2, 2)).accepted(0, Bid(1, 3))
    before = list(table.records)
    rewind(table, last(table, BidPlaced), reapply="while_legal")
    assert table.records[: len(before)] == before


def test_rule_4_what_was_ordered_is_for_moderators() -> None:
    table = flipped()
    rewind(table, last(table, DrawSettled), redraw(*FLIPS))
    ordered = [e for e in table.new_events if isinstance(e, RewindOrdered | RulingOrdered)]
    assert len(ordered) == 2
    assert not any(may_see(viewer, e) for e in ordered for viewer in (0, 1, "public"))
    assert all(may_see(MODERATOR, e) for e in ordered)
    assert all(e.audience != OWN_SEAT for e in table.new_events)
