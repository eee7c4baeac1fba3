"""A match of any game: the commands it accepts in each status, and their events.

Played with the toy game Blind Bid, chance by hand.
"""

from dataclasses import replace as game_with

import pytest
from msgspec.structs import replace

from domain.chance.draws import Shuffle
from domain.game import Result
from domain.match.commands import (
    CONFLICTS,
    DRAW_CODES,
    REUSED_KEY,
    Act,
    BeReady,
    Command,
    EndKey,
    IssueKey,
    PassDeadline,
)
from domain.match.events import (
    ActionReceived,
    ActionRefused,
    AwaitingChanged,
    DrawAsked,
    DrawRefused,
    DrawSettled,
    DrawShown,
    MatchEnded,
    MatchPaused,
    MatchResumed,
    MatchStarted,
    PhaseClosed,
    SealedDrawSettled,
    SubmissionInvalid,
)
from domain.people import Actor
from tests.support.tables import toy_game
from tests.support.tables.bidding import LOTS, bidding
from tests.support.tables.directing import PAUSE, RESUME, START, close_phase, enter_draw
from tests.support.tables.match_table import MatchTable, seated
from tests.support.tables.toy_game import (
    Bid,
    BiddingBegan,
    BidPlaced,
    BidsRevealed,
    LotDealt,
    LotsLeft,
    LotsWon,
    Thank,
)

EVE = Actor("Eve", "0011223344556677")
ANY_BID = Act(0, Bid(4), {"type": "bid", "chips": 4})
CONFLICTING: dict[str, list[tuple[Command, str]]] = {
    "created": [
        (ANY_BID, "match_not_running"),
        (LOTS, "match_not_running"),
        (PassDeadline(), "nothing_to_close"),
        (close_phase(), "match_not_running"),
        (PAUSE, "match_not_running"),
        (RESUME, "not_paused"),
        (BeReady(0), "no_open_table"),
    ],
    "running": [
        (START, "already_started"),
        (LOTS, "no_draw_awaited"),
        (PassDeadline(), "nothing_to_close"),
        (RESUME, "not_paused"),
    ],
    "paused": [
        (START, "already_started"),
        (ANY_BID, "match_not_running"),
        (LOTS, "match_not_running"),
        (PassDeadline(), "nothing_to_close"),
        (close_phase(), "match_not_running"),
        (PAUSE, "match_not_running"),
    ],
    "ended": [
        (START, "already_started"),
        (ANY_BID, "match_not_running"),
        (LOTS, "match_not_running"),
        (PassDeadline(), "nothing_to_close"),
        (close_phase(), "match_not_running"),
        (IssueKey("k1", 0, None, EVE), "match_over"),
        (EndKey("k1", 0, EVE), "match_over"),
    ],
}


def ended() -> MatchTable:
    return bidding().accepted(0, Bid(4)).accepted(1, Bid(3)).accepted(0, Thank())


AT = {
    "created": lambda: seated(toy_game.GAME),
    "running": bidding,
    "paused": lambda: bidding().pause(),
    "ended": ended,
}


@pytest.mark.parametrize(
    ("status", "command", "code"),
    [(status, *conflict) for status, conflicts in CONFLICTING.items() for conflict in conflicts],
)
def test_a_command_out_of_place_is_a_conflict_and_leaves_no_record(
    status: str, command: Command, code: str
) -> None:
    table = AT[status]()
    assert table.match.status == status
    table.conflicts(command, code)


def test_every_conflict_has_a_sentence_and_every_sentence_a_conflict() -> None:
    met = {code for conflicts in CONFLICTING.values() for _, code in conflicts}
    elsewhere = {
        "chance_is_server", "chance_is_manual", "seed_sealed", "key_on_record", "seat_replaced",
        "case_open", "case_closed", "appeal_too_late", "already_appealed", "seat_taken",
        "table_full", "already_ready", "starts_by_itself", "match_not_over",
    }  # fmt: skip
    assert met | elsewhere == set(CONFLICTS)


# Start.


def test_starting_opens_the_game_and_asks_for_its_first_draw_in_secret() -> None:
    seated(toy_game.GAME).when(START).then(
        MatchStarted(),
        DrawAsked("lots", (Shuffle((1, 2, 3, 4, 5)),)),
        AwaitingChanged(draw=DrawShown()),
    )


# Draws.


def test_a_sealed_draw_is_settled_in_secret_and_each_seat_receives_its_part() -> None:
    seated(toy_game.GAME).when(START).when(LOTS).then(
        SealedDrawSettled("lots", ((3, 1, 5, 2, 4),), "manual"),
        LotDealt(0, 3),
        LotDealt(1, 1),
        LotsLeft((5, 2, 4)),
        BiddingBegan(late=False),
        AwaitingChanged((0, 1), phase="bids"),
    )


def test_a_public_draw_is_shown_and_settled_in_public() -> None:
    table = bidding().accepted(0, Bid(4)).accepted(1, Bid(4))
    shown = DrawShown("tie", (toy_game.COIN,))
    assert table.new_events[-1] == AwaitingChanged(draw=shown)
    table.when(enter_draw("tie", ("tails",))).then(
        DrawSettled("tie", ("tails",), "manual"),
        LotsWon((1,)),
        AwaitingChanged((1,), None, "thanks"),
    )


@pytest.mark.parametrize("outcome", [(), ("heads",), ((1, 2, 3, 4),), ((1, 2, 3, 4, 5), "heads")])
def test_an_outcome_that_does_not_fit_is_on_the_record_and_changes_nothing(
    outcome: tuple[str | tuple[int, ...], ...],
) -> None:
    table = seated(toy_game.GAME).when(START)
    before = table.match
    table.when(enter_draw("lots", outcome)).then(
        DrawRefused("lots", outcome, "outcome_does_not_fit")
    )
    assert "outcome_does_not_fit" in DRAW_CODES
    assert replace(table.match, rulings=before.rulings) == before
    assert table.when(LOTS).match.awaiting.seats == (0, 1)


def test_a_draw_that_is_not_the_one_awaited_is_a_conflict() -> None:
    seated(toy_game.GAME).when(START).conflicts(enter_draw("tie", ("heads",)), "no_draw_awaited")


def test_draws_by_hand_are_refused_where_the_service_draws() -> None:
    table = seated(toy_game.GAME, chance="server").when(START)
    table.conflicts(LOTS, "chance_is_server")


def test_the_service_answers_at_once_with_a_commitment_to_its_key() -> None:
    table = seated(toy_game.GAME, chance="server").when(START)
    settled = next(e for e in table.new_events if isinstance(e, SealedDrawSettled))
    assert settled.by == "server"
    assert settled.key_commit is not None
    assert len(settled.key_commit) == 32
    assert table.match.awaiting.seats == (0, 1)


# Actions.


def test_an_action_is_on_the_record_as_it_was_sent_before_what_follows_from_it() -> None:
    sent = {"type": "bid", "chips": 4}
    bidding().when(Act(1, Bid(4), sent, "k1", b"print")).then(
        ActionReceived(1, sent, "k1", b"print"), BidPlaced(1, 4)
    )


def test_a_refused_action_is_on_the_record_and_changes_nothing() -> None:
    table = bidding()
    before = table.match
    table.act(0, Bid(11)).then(
        ActionReceived(0, {"type": "bid", "chips": 11}), SubmissionInvalid(0, "beyond_stack")
    )
    assert replace(table.match, recorded=before.recorded) == before


def test_a_reused_key_is_refused_before_the_rules_judge() -> None:
    table = bidding()
    before = table.match
    good = replace(ANY_BID, key="k1", refuse=REUSED_KEY)
    table.when(good).then(
        ActionReceived(0, {"type": "bid", "chips": 4}, "k1"), ActionRefused(0, REUSED_KEY)
    )
    assert replace(table.match, recorded=before.recorded) == before


def test_while_nothing_awaited_changes_nothing_is_announced() -> None:
    """In a sealed phase announcements must not reveal that a seat has submitted."""
    table = bidding().accepted(0, Bid(4))
    assert not any(isinstance(event, AwaitingChanged) for event in table.new_events)
    assert table.match.awaiting.seats == (0, 1)


# A phase closed by hand.


def test_closing_a_phase_does_what_its_deadline_would_do() -> None:
    bidding().accepted(1, Bid(4)).when(close_phase()).then(
        PhaseClosed("bids"),
        BidsRevealed((0, 4)),
        LotsWon((1,)),
        AwaitingChanged((1,), None, "thanks"),
    )


def test_without_a_phase_there_is_nothing_to_close() -> None:
    table = seated(toy_game.GAME).when(START)
    table.conflicts(close_phase(), "nothing_to_close")


# Pause and resume, without a clock.


def test_a_pause_without_a_deadline_stops_and_resuming_goes_on() -> None:
    table = bidding().pause().then(MatchPaused())
    assert table.match.status == "paused"
    assert table.resume().then(MatchResumed()).accepted(0, Bid(1)).match.status == "running"


# The end.


def test_the_end_is_announced_with_its_result_and_nobody_is_awaited() -> None:
    table = ended()
    result = Result((0,), (1,), False, (4, 3))
    assert table.new_events[-1] == MatchEnded(result)
    assert (table.match.status, table.match.result) == ("ended", result)
    assert table.match.awaiting == AwaitingChanged()


def test_all_who_share_are_winners_and_nobody_has_lost() -> None:
    table = bidding(toy_game.Options(share=True), seats=3)
    table.accepted(0, Bid(7)).accepted(1, Bid(2)).accepted(2, Bid(7)).accepted(2, Thank())
    assert table.match.result == Result((0, 2), (), True, (7, 2, 7))


def test_a_sealed_draw_is_requested_once_whatever_happens_meanwhile() -> None:
    """An action out of turn while it is awaited, like a peek, does not request it again."""

    def peek(state: toy_game.State, seat: int, action: toy_game.Action) -> list[toy_game.Event]:
        return []

    peeking = game_with(toy_game.GAME, decide=peek)
    seated(peeking).when(START).act(1, Thank()).then(ActionReceived(1, {"type": "thank"}))
