"""Public events of the log become notices to those who asked, each once, in both databases."""

import json
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.events import Event
from domain.games.dollar_prize.events import CoinPlaced
from domain.match.events import (
    ActionRefused,
    AwaitingChanged,
    MatchEnded,
    MatchPaused,
    MatchStarted,
)
from domain.rulings.events import MatchRuled, MatchVoided, SealedNoted
from domain.tournament.events import MatchAdded, TournamentCreated
from domain.tournament.stage_events import (
    CheckInOpened,
    EndsMoved,
    RoundClosed,
    RoundExtended,
    RoundPublished,
)
from service.auth.keyring import KeyReference
from service.event_store.stream_ids import time_ordered
from service.http.notices.webhooks import KINDS
from service.notices.log_reader import NoticeReader
from service.notices.notices import Notice
from service.notices.registrations import Addressed, Delivery, DueDelivery, Webhook
from service.notices.webhook_table import REPEATED, WebhookTable
from tests.support.instance.index_log import WON, Log, entered
from tests.support.instance.notice_sending import add, move
from tests.support.instants import NOON, SECOND

HOUR = 3_600 * SECOND
EVERYTHING = Webhook(
    "all", "https://example.org/", b"secret", b"salt", KINDS, None, None, None, 3_600,
    KeyReference("org", UUID(int=1), b"hash"), NOON,
)  # fmt: skip


def sent(table: WebhookTable, webhook: str = "all") -> list[Delivery]:
    return table.deliveries(webhook, 0, 1_000)


def due(table: WebhookTable, at: int) -> list[Delivery]:
    return [one.delivery for one in table.due(at)]


def attempted(table: WebhookTable, delivery: Delivery) -> None:
    (webhook,) = table.all()
    table.attempted(DueDelivery(webhook, delivery))


def told(delivery: Delivery) -> Any:
    return json.loads(delivery.body)


def types(table: WebhookTable, webhook: str = "all") -> list[str]:
    return [told(one)["type"] for one in sent(table, webhook)]


def test_a_player_is_told_of_their_own_matches(
    log: Log, table: WebhookTable, reader: NoticeReader
) -> None:
    cup = time_ordered(NOON // 1000)
    for player in (0, 2):
        key = KeyReference(f"p{player}", cup, b"hash")
        table.add(replace(EVERYTHING, id=f"p{player}", tournament=str(cup), key=key))
    added = MatchAdded(str(log.match()), "dollar-prize", (0, 1))
    log.put(cup, TournamentCreated("Cup"), *entered("Ann"), CheckInOpened(NOON), added)
    reader.follow()
    assert types(table, "p0")[2:] == [
        "tournament.check_in", "tournament.match_added", "tournament.your_match",
    ]  # fmt: skip
    assert types(table, "p2")[2:] == ["tournament.check_in", "tournament.match_added"]


def test_each_kind_of_public_event_is_told_once(
    log: Log, table: WebhookTable, reader: NoticeReader
) -> None:
    table.add(EVERYTHING)
    match = log.match(
        MatchStarted(),
        AwaitingChanged((0, 1), phase="bid"),
        MatchRuled(1, "note", "a reason", None, None),
        MatchEnded(WON),
    )
    cup = time_ordered(NOON // 1000)
    added = MatchAdded(str(match), "dollar-prize", (0, 1))
    log.put(cup, TournamentCreated("Cup"), *entered("Ann"), added)
    reader.follow()
    reader.follow()
    assert types(table) == [
        "match.started", "match.awaiting", "match.ruling", "match.ended",
        "tournament.created", "tournament.player_entered", "tournament.match_added",
    ]  # fmt: skip
    assert [one.number for one in sent(table)] == [1, 2, 3, 4, 5, 6, 7]
    awaiting = told(sent(table)[1])
    assert awaiting == {
        "type": "match.awaiting",
        "timestamp": "2026-01-01T12:00:02Z",
        "data": {
            "match": str(match), "game": "dollar-prize", "seats": ["Ann", "Ben"],
            "tournament": None,
            "awaiting": {"seats": [0, 1], "draw": None, "deadline": None},
        },
    }  # fmt: skip
    assert told(sent(table)[3])["data"]["result"]["winners"] == [0]


def test_nothing_hidden_is_told_or_numbered(
    log: Log, table: WebhookTable, reader: NoticeReader
) -> None:
    table.add(EVERYTHING)
    quiet, busy = log.match(MatchStarted()), log.match(MatchStarted())
    hidden: list[Event] = [ActionRefused(0, "no"), SealedNoted("a secret", "warning")]
    log.put(busy, *hidden * 20, CoinPlaced(0, "penny"))
    reader.follow()
    log.put(busy, AwaitingChanged((0,)))
    log.put(quiet, AwaitingChanged((0,)))
    reader.follow()
    found = {str(match): [one for one in sent(table) if one.subject == str(match)]
             for match in (quiet, busy)}  # fmt: skip
    assert [told(one)["type"] for one in found[str(quiet)]] == ["match.started", "match.awaiting"]
    assert [told(one)["type"] for one in found[str(busy)]] == ["match.started", "match.awaiting"]
    assert [one.number for one in sent(table)] == [1, 2, 3, 4]
    assert all(one.id.startswith("msg_") and len(one.id) == 31 for one in sent(table))


def test_a_webhook_gets_its_match_or_tournament_its_kinds_and_what_is_new(
    log: Log, table: WebhookTable, reader: NoticeReader
) -> None:
    cup = time_ordered(NOON // 1000 + 900)
    log.put(cup, TournamentCreated("Cup"))
    of_cup = log.match(MatchStarted(), tournament=str(cup))
    other = log.match(MatchStarted())
    table.add(replace(EVERYTHING, id="cup", tournament=str(cup)))
    table.add(replace(EVERYTHING, id="other", match=str(other)))
    table.add(replace(EVERYTHING, id="started", kinds=("started",)))
    table.add(replace(EVERYTHING, id="later", since=NOON + HOUR))
    reader.follow()
    assert [(one.kind, one.subject) for one in sent(table, "cup")] == [
        ("tournament", str(cup)), ("started", str(of_cup))
    ]  # fmt: skip
    assert [one.subject for one in sent(table, "other")] == [str(other)]
    assert [one.kind for one in sent(table, "started")] == ["started", "started"]
    assert sent(table, "later") == []


def test_a_transaction_that_was_lost_is_made_again_with_the_same_ids(
    log: Log, table: WebhookTable, reader: NoticeReader
) -> None:
    table.add(EVERYTHING)
    log.match(MatchStarted(), AwaitingChanged((0,)), MatchEnded(WON))
    reader.follow()
    before = [one.id for one in sent(table)]
    # As after a power failure: the position and the notices of the last transaction are gone.
    with table._db.transaction() as cursor:
        cursor.execute("DELETE FROM arbiter_deliveries")
    move(table, 0)
    reader.follow()
    assert [one.id for one in sent(table)] == before
    # And made again next to those that are there, nothing is doubled.
    move(table, 0)
    reader.follow()
    assert [one.id for one in sent(table)] == before


def test_a_match_that_begins_behind_the_lists_is_told_of_later(
    log: Log, table: WebhookTable, reader: NoticeReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lists, which name its players, do not have it yet."""
    table.add(EVERYTHING)
    log.match(MatchStarted())
    with monkeypatch.context() as patch:
        follow = log.index.follow
        patch.setattr(log.index, "follow", lambda: (follow(), log.match(MatchStarted())))
        reader.follow()
    assert len(sent(table)) == 1
    reader.follow()
    assert len(sent(table)) == 2


# Reminders.


def test_of_a_deadline_that_is_near_when_it_is_set_nobody_is_reminded(
    log: Log, table: WebhookTable, reader: NoticeReader
) -> None:
    table.add(replace(EVERYTHING, remind=4 * 3_600, since=0))
    log.match(MatchStarted(), AwaitingChanged((1,), deadline=NOON + 3 * HOUR))
    reader.follow()
    assert types(table) == ["match.started", "match.awaiting"]


@pytest.mark.parametrize(
    "later",
    [MatchPaused(), MatchEnded(WON), MatchVoided(None), AwaitingChanged((0,)),
     AwaitingChanged((0,), deadline=NOON + 9 * HOUR)],
    ids=["paused", "ended", "void", "none awaited", "another deadline"],
)  # fmt: skip
def test_a_reminder_that_is_no_longer_true_is_dropped_whatever_its_attempts(
    log: Log, table: WebhookTable, reader: NoticeReader, later: Event
) -> None:
    table.add(replace(EVERYTHING, kinds=("reminder",)))
    awaiting = AwaitingChanged((0, 1), deadline=NOON + 3 * HOUR)
    tried, arrived = log.match(MatchStarted(), awaiting), log.match(MatchStarted(), awaiting)
    over = log.match(MatchStarted(), awaiting, later)
    reader.follow()
    first, second = (one for one in sent(table) if one.subject != str(over))
    assert not any(one.expires == NOON + 3 * HOUR for one in sent(table)[2:])
    attempted(table, replace(first, attempts=2, due=NOON + 3 * HOUR, said="not reached"))
    attempted(table, replace(second, attempts=1, state="delivered"))
    for match in (tried, arrived):
        log.put(match, later)
    reader.follow()
    left = [one.id for one in sent(table)]
    assert first.id not in left and second.id in left
    log.put(arrived, awaiting)
    reader.follow()
    (again,) = (one for one in sent(table) if one.id == second.id)
    assert again.state == "delivered", "of the same deadline nobody is reminded twice"


def test_a_reminder_is_due_an_hour_before_its_deadline_never_after_it_and_holds_up_nothing(
    log: Log, table: WebhookTable, reader: NoticeReader
) -> None:
    table.add(replace(EVERYTHING, kinds=("reminder", "ruling")))
    deadline = NOON + 3 * HOUR
    match = log.match(MatchStarted(), AwaitingChanged((0, 1), deadline=deadline))
    reader.follow()
    (reminder,) = sent(table)
    assert (reminder.kind, reminder.due) == ("reminder", deadline - HOUR)
    assert told(reminder)["data"]["awaiting"]["seats"] == [0, 1]
    assert due(table, deadline - HOUR - 1) == []
    # As one of a deadline that is set a second time: they have no order among one another.
    again = Notice("reminder", str(match), deadline - HOUR, "match.reminder", {})
    added = Addressed("all", "msg_again", again, deadline - HOUR, deadline + HOUR)
    add(table, [added])
    attempted(table, replace(reminder, attempts=2, due=deadline - 1, said="not reached"))
    assert [one.id for one in due(table, deadline - HOUR)] == ["msg_again"]
    assert [one.id for one in due(table, deadline - 1)] == ["msg_again", reminder.id]
    assert [one.id for one in due(table, deadline)] == ["msg_again"]
    table.drop_expired(deadline - 1)
    assert len(sent(table)) == 2
    table.drop_expired(deadline)
    assert [one.id for one in sent(table)] == ["msg_again"]


# The tables.


def test_what_was_sent_long_ago_is_forgotten_and_what_waits_is_not(
    log: Log, table: WebhookTable, reader: NoticeReader
) -> None:
    table.add(EVERYTHING)
    log.match(MatchStarted(), MatchEnded(WON))
    reader.follow()
    first, waiting = sent(table)
    attempted(table, replace(first, state="delivered"))
    table.forget(first.made + REPEATED)
    assert len(sent(table)) == 2
    table.forget(waiting.made + REPEATED + 1)
    assert sent(table) == [waiting]


def of_round(number: int, ends: int | None) -> RoundPublished:
    return RoundPublished(
        stage=1, round=number, method="", version="", inputs="", by_hand=None, pairings=(),
        byes=(), starts=NOON, ends=ends,
    )  # fmt: skip


def reminders(table: WebhookTable, webhook: str = "all") -> list[tuple[str, Any, int]]:
    """What waits to be sent of the ends of rounds: its type, which, and when, in hours."""
    found = [one for one in sent(table, webhook) if one.kind == "reminder"]
    return [
        (told(one)["type"].split(".")[1], told(one)["data"]["table"], (one.due - NOON) // HOUR)
        for one in found
        if one.state == "waiting"
    ]


def test_the_end_of_a_round_is_told_before_it_and_at_it(
    log: Log, table: WebhookTable, reader: NoticeReader
) -> None:
    table.add(EVERYTHING)
    cup = time_ordered(NOON // 1000)
    end = NOON + 5 * HOUR
    log.put(cup, TournamentCreated("Cup"), of_round(1, end), of_round(2, None))
    reader.follow()
    assert reminders(table) == [("reminder", None, 4), ("round_ended", None, 5)]
    log.put(cup, RoundExtended(1, 1, end + HOUR, "x", (2,)))
    reader.follow()
    both = [("reminder", None, 4), ("round_ended", None, 5)]
    assert reminders(table) == [*both, ("reminder", 2, 5), ("round_ended", 2, 6)]
    table.add(replace(EVERYTHING, id="late", since=NOON + 4 * HOUR + 1))
    reader.follow()
    assert reminders(table, "late") == [
        ("round_ended", None, 5), ("reminder", 2, 5), ("round_ended", 2, 6),
    ]  # fmt: skip
    log.put(cup, RoundExtended(1, 1, end + 3 * HOUR, "x"))
    reader.follow()
    assert reminders(table) == [("reminder", None, 7), ("round_ended", None, 8)]
    log.put(cup, EndsMoved(NOON, NOON + HOUR))
    reader.follow()
    assert reminders(table) == [("reminder", None, 8), ("round_ended", None, 9)]
    log.put(cup, RoundClosed(1, 1))
    reader.follow()
    assert reminders(table) == []
