"""Reminders of deadlines that were set before a webhook was registered, in both databases."""

from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.match.events import AwaitingChanged, MatchEnded, MatchPaused, MatchStarted
from service.auth.keyring import KeyReference
from service.http.notices.webhooks import KINDS
from service.notices.log_reader import NoticeReader
from service.notices.registrations import Webhook
from service.notices.webhook_table import WebhookTable
from service.read_models import follower
from tests.support.instance.index_log import WON, Log
from tests.support.instance.notice_sending import position
from tests.support.instants import NOON, SECOND

HOUR = 3_600 * SECOND
KEY = KeyReference("org", UUID(int=1), b"hash")
CUP = str(UUID(int=7))
LATE = Webhook(
    "late", "https://example.org/", b"secret", b"salt", KINDS, None, None, None, 3_600, KEY,
    NOON + HOUR + SECOND,
)  # fmt: skip


def awaiting(hours: int, *seats: int) -> AwaitingChanged:
    return AwaitingChanged(seats, phase="bid", deadline=NOON + hours * HOUR)


def reminded(table: WebhookTable, webhook: str = "late") -> list[tuple[str, int]]:
    return [(one.subject, one.due) for one in table.deliveries(webhook, 0, 100)]


def test_a_deadline_that_was_set_before_is_reminded_of(
    log: Log, table: WebhookTable, reader: NoticeReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower, "FAR", 0)
    far = log.match(MatchStarted(), awaiting(5, 0, 1))
    log.match(MatchStarted(), awaiting(2, 0))  # An hour is left when the webhook is registered.
    log.match(MatchStarted(), awaiting(5, 0), MatchPaused(3))
    of_cup = log.match(MatchStarted(), awaiting(4, 1), tournament=CUP)
    reader.follow()
    assert position(table) > 0
    for name, chosen in (
        ("late", LATE),
        ("cup", replace(LATE, tournament=CUP)),
        ("seat", replace(LATE, match=str(far), seat=0)),
        ("other seat", replace(LATE, match=str(of_cup), seat=0)),
        ("started", replace(LATE, kinds=("started",))),
    ):
        table.add(replace(chosen, id=name))
    reader.follow()
    reader.follow()
    assert reminded(table) == [
        (str(of_cup), NOON + 3 * HOUR), (str(far), NOON + 4 * HOUR)
    ]  # fmt: skip
    assert reminded(table, "cup") == [(str(of_cup), NOON + 3 * HOUR)]
    assert reminded(table, "seat") == [(str(far), NOON + 4 * HOUR)]
    assert reminded(table, "other seat") == reminded(table, "started") == []
    assert table.new() == []


def test_such_a_reminder_goes_when_its_deadline_does_and_is_never_doubled(
    log: Log, table: WebhookTable, reader: NoticeReader
) -> None:
    early = replace(LATE, id="early", since=NOON)
    table.add(early)
    match = log.match(MatchStarted(), awaiting(5, 0, 1))
    reader.follow()
    before = reminded(table, "early")
    table.add(early)  # As after a crash: it counts as new again.
    reader.follow()
    assert reminded(table, "early") == before and len(before) == 3
    assert [one.number for one in table.deliveries("early", 0, 9)] == [1, 2, 3]
    log.put(match, MatchEnded(WON))
    reader.follow()
    assert (str(match), NOON + 4 * HOUR) not in reminded(table, "early")
