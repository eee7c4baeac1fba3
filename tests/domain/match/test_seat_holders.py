"""Who holds a seat when another person has taken it over (/docs/rulings#a-new-player)."""

import pytest

from domain.match.commands import Act, IssueKey
from domain.match.events import SeatNamed
from domain.match.key_events import ModeratorKeyIssued, RecordedKeys, SeatKeyIssued
from domain.match.seat_holders import holders, names_had, tenure
from domain.rulings.commands import ConsentToRuling, SecondRuling
from domain.rulings.kinds import ReplaceSeat
from tests.support.tables.bidding import bidding
from tests.support.tables.match_table import MatchTable
from tests.support.tables.ruling_tables import EVE, FINN, rule
from tests.support.tables.toy_game import Bid

ZOE = ReplaceSeat(1, "Zoe")
SENT = {"type": "bid", "chips": 4}


def replaced(name: str = "Zoe") -> MatchTable:
    ruling = ReplaceSeat(1, name)
    return bidding().when(rule("r", ruling)).when(SecondRuling("r", FINN))


def moderating(table: MatchTable, name: str | None) -> MatchTable:
    return table.when(IssueKey("k" * 16, None, name, EVE))


def test_the_successor_holds_the_seat_and_is_its_next_holder() -> None:
    before, after = bidding().match, replaced().match
    assert (holders(before), tenure(before, 1)) == (("Ann", "Ben"), 0)
    assert (holders(after), tenure(after, 0), tenure(after, 1)) == (("Ann", "Zoe"), 0, 1)
    assert names_had(after) == ["Ann", "Ben", "Zoe"]


def test_who_held_the_seat_may_get_it_back() -> None:
    back = replaced().when(rule("s", ReplaceSeat(1, "Ben"))).when(SecondRuling("s", FINN))
    assert (holders(back.match), tenure(back.match, 1)) == (("Ann", "Ben"), 2)


@pytest.mark.parametrize("name", ["Mo", "MO", "\uff2d\uff4f"])
def test_the_name_of_a_moderator_takes_no_seat(name: str) -> None:
    moderating(bidding(), "Mo").conflicts(rule("r", ReplaceSeat(1, name)), "moderator_plays")


def test_who_became_a_moderator_meanwhile_takes_no_seat() -> None:
    """No seat is asked for consent to what a moderator's name forbids."""
    pending = bidding().when(rule("r", ZOE, ask_seats=True))
    pending.conflicts(IssueKey("k" * 16, None, "ZOE", EVE), "moderator_plays")
    for seat in (0, 1):
        pending = pending.when(ConsentToRuling("r", seat))
    assert SeatNamed(1, "Zoe", bytes(16)) in pending.new_events


@pytest.mark.parametrize("name", ["Ann", "Ben", "zoe"])
def test_nobody_who_has_or_had_a_seat_gets_a_moderators_key(name: str) -> None:
    replaced().conflicts(IssueKey("k" * 16, None, name, EVE), "moderator_plays")


def test_others_and_keys_without_a_name_moderate() -> None:
    for name in ("Mo", None):
        table = moderating(replaced(), name)
        assert table.new_events[0] == ModeratorKeyIssued("k" * 16, name)
        assert table.match.keys == RecordedKeys(
            ("k" * 16,), moderators=() if name is None else (name,)
        )


def test_a_key_for_somebody_who_was_replaced_is_not_recorded() -> None:
    replaced().conflicts(IssueKey("k" * 16, 1, None, EVE, tenure=0), "seat_replaced")
    for held in (1, None):
        given = replaced().when(IssueKey("k" * 16, 1, None, EVE, tenure=held))
        assert given.new_events[0] == SeatKeyIssued(1, "k" * 16)


def test_an_action_of_somebody_who_was_replaced_does_not_count() -> None:
    replaced().conflicts(Act(1, Bid(4), SENT, tenure=0), "seat_replaced")
    accepted = replaced().when(Act(1, Bid(4), SENT, tenure=1)).new_events
    assert len(accepted) > 1
