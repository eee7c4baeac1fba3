"""Who directs a match, and which keys were issued and ended, on its record
(/docs/api#people-and-keys)."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from domain.games import GAMES
from domain.match.commands import Act, ClosePhase, Command, EndKey, EnterDraw, IssueKey, Start
from domain.match.events import (
    ActionReceived,
    AwaitingChanged,
    Directed,
    DrawRefused,
    MatchStarted,
    PhaseClosed,
    SealedDrawSettled,
)
from domain.match.key_events import (
    ModeratorKeyEnded,
    ModeratorKeyIssued,
    RecordedKeys,
    SeatKeyEnded,
    SeatKeyIssued,
)
from domain.people import Actor, named_person
from projections.audience.disclosure import may_see
from tests.support.tables import toy_game
from tests.support.tables.match_table import MatchTable, seated
from tests.support.tables.toy_game import Bid

EVE, NAMELESS = Actor("Eve", "e0e0e0e0e0e0e0e0"), Actor(None, "f1f1f1f1f1f1f1f1")
BY_EVE = Directed("Eve", "e0e0e0e0e0e0e0e0")
LOTS = EnterDraw("lots", ((3, 1, 5, 2, 4),), EVE)


def created() -> MatchTable:
    return seated(toy_game.GAME)


def bidding() -> MatchTable:
    return created().when(Start(EVE)).when(LOTS)


def paused() -> MatchTable:
    return bidding().pause()


AT = {"created": created, "running": bidding, "paused": paused}


# Who did it.


@pytest.mark.parametrize(
    ("table", "order", "first", "behind"),
    [
        (created, Start(EVE), MatchStarted, BY_EVE),
        (created, Start(NAMELESS), MatchStarted, Directed(None, "f1f1f1f1f1f1f1f1")),
        (lambda: created().when(Start(EVE)), LOTS, SealedDrawSettled, BY_EVE),
        (lambda: created().when(Start(EVE)), EnterDraw("lots", (1,), EVE), DrawRefused, BY_EVE),
        (bidding, ClosePhase(None, EVE), PhaseClosed, BY_EVE),
    ],
    ids=["start", "start by a key without a name", "draw", "refused draw", "closed phase"],
)
def test_an_order_is_followed_by_who_gave_it(
    table: Callable[[], MatchTable], order: Command, first: type, behind: Directed
) -> None:
    told, by, *_ = table().when(order).new_events
    assert (type(told), by) == (first, behind)


def test_an_action_names_the_key_by_which_it_came() -> None:
    sent = {"type": "bid", "chips": 4}
    table = bidding().when(Act(0, Bid(4), sent, key_id="00aa00aa00aa00aa"))
    received = table.new_events[0]
    assert received == ActionReceived(0, sent, key_id="00aa00aa00aa00aa")


def test_the_id_of_a_key_takes_nothing_of_what_its_seat_may_record() -> None:
    sent = {"type": "bid", "chips": 4}
    tables = [bidding().when(Act(0, Bid(4), sent, key_id=one)) for one in (None, "a" * 16)]
    one, other = (table.match.recorded for table in tables)
    assert one == other


def test_only_moderators_see_who_it_was() -> None:
    assert [may_see(viewer, BY_EVE) for viewer in (0, 1, "public", "moderator")] == [
        False, False, False, True,
    ]  # fmt: skip


# Keys.


def test_a_seat_is_told_of_its_new_key_and_of_its_end() -> None:
    table = bidding().when(IssueKey("k1", 1, None, EVE)).then(SeatKeyIssued(1, "k1"), BY_EVE)
    table.when(EndKey("k1", 1, EVE)).then(SeatKeyEnded(1, "k1"), BY_EVE)
    assert [may_see(viewer, SeatKeyIssued(1, "k1")) for viewer in (0, 1, "public")] == [
        False, True, False,
    ]  # fmt: skip


def test_a_key_is_renewed_once_and_ends_by_that() -> None:
    renewal = IssueKey("k2", 1, None, EVE, renews="k1")
    table = bidding().when(IssueKey("k1", 1, None, EVE)).when(renewal)
    table.then(SeatKeyIssued(1, "k2", "k1"), BY_EVE)
    for command in (renewal, replace(renewal, key_id="k3"), EndKey("k1", 1, EVE)):
        table.conflicts(command, "key_on_record")


def test_moderators_alone_are_told_of_a_moderators_key() -> None:
    table = bidding().when(IssueKey("k1", None, "Mo", EVE))
    table.then(ModeratorKeyIssued("k1", "Mo"), BY_EVE)
    table.when(EndKey("k1", None, EVE)).then(ModeratorKeyEnded("k1"), BY_EVE)
    assert not any(may_see(viewer, ModeratorKeyIssued("k1", "Mo")) for viewer in (0, 1, "public"))


@pytest.mark.parametrize("status", AT)
def test_keys_are_issued_and_ended_whatever_a_match_does(status: str) -> None:
    table = AT[status]()
    before = table.match
    table.when(IssueKey("k1", 0, None, EVE)).when(EndKey("k0", 1, EVE))
    assert table.match.keys == RecordedKeys(("k1",), ("k0",))
    assert (table.match.status, table.match.awaiting, table.match.game) == (
        status, before.awaiting, before.game,
    )  # fmt: skip


def test_what_was_done_to_a_key_is_on_record_once() -> None:
    table = bidding().when(IssueKey("k1", 0, None, EVE)).when(EndKey("k1", 0, EVE))
    table.conflicts(IssueKey("k1", 0, None, EVE), "key_on_record")
    table.conflicts(IssueKey("k1", None, "Mo", EVE), "key_on_record")
    table.conflicts(EndKey("k1", 0, EVE), "key_on_record")


@pytest.mark.parametrize("game", GAMES)
def test_no_state_of_a_game_depends_on_keys(game: str) -> None:
    table = seated(GAMES[game], GAMES[game].seats[0]).when(Start(EVE))
    before = table.match.game
    table.when(IssueKey("k1", 0, None, EVE)).when(EndKey("k1", 0, EVE))
    assert table.match.game == before
    assert not any(isinstance(event, AwaitingChanged) for event in table.new_events)


# People.


def test_a_person_is_a_name_however_spelt_or_else_a_key() -> None:
    spelt = [Actor(name, key).person for name, key in (("Eve", "1"), ("EVE", "2"), (" eve ", "3"))]
    assert set(spelt) == {named_person("Eve")}
    assert Actor(None, "1").person != Actor(None, "2").person
    assert Actor("key 1", "2").person != Actor(None, "1").person
