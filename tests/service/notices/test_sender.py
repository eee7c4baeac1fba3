"""Notices are sent in order, again after failures, and to no one who should not get them."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from service.event_store.database import embedded
from service.event_store.store import Store
from service.notices import sender
from service.notices.posting import SECONDS
from service.notices.registrations import DueDelivery
from service.notices.sender import PAUSES, time_limit
from service.notices.webhook_table import DEAD, DEAD_ATTEMPTS, QUEUE, WebhookTable, open_webhooks
from service.read_models.index import FarBehind
from tests.support.http.webhook_receiver import Receiver
from tests.support.instance.notice_sending import Sending, add, hook
from tests.support.instants import NOON, SECOND


@pytest.fixture
def table(database: Path) -> Iterator[WebhookTable]:
    env = embedded(database)
    with closing(Store(env)) as store, closing(open_webhooks(store)) as table:
        yield table


@pytest.fixture
def at_receiver(table: WebhookTable, receiver: Receiver) -> Sending:
    return Sending(table, receiver.url)


async def test_what_fails_is_sent_again_later_with_the_same_id(
    at_receiver: Sending, receiver: Receiver
) -> None:
    receiver.statuses = [500, 302]
    receiver.headers = {"Location": receiver.url}
    at_receiver.add("one")
    assert await at_receiver.send_due() == 1
    assert at_receiver.states() == [("waiting", 1, "500")]
    assert await at_receiver.send_due() == 0
    at_receiver.clock.pass_time(PAUSES[0] * SECOND)
    # A redirect is not followed.
    assert await at_receiver.send_due() == 1
    assert at_receiver.states() == [("waiting", 2, "302")]
    at_receiver.clock.pass_time(PAUSES[1] * SECOND)
    await at_receiver.send_due()
    assert at_receiver.states() == [("delivered", 3, "204")]
    assert [one.id for one in receiver.received] == ["msg_0"] * 3
    assert len({one.body for one in receiver.received}) == 1


async def test_a_browser_is_sent_nothing_of_the_match_until_it_has_ended_its_subscription(
    table: WebhookTable, receiver: Receiver
) -> None:
    receiver.statuses = [201, 404]
    sending = Sending(table, receiver.url)
    table.remove("w")
    table.add(replace(hook("w", receiver.url), push=True))
    sending.add("one", "two")
    assert await sending.send_due() + await sending.send_due() == 2
    assert [one.body for one in receiver.received] == [b"", b""]
    assert all(one.headers["authorization"].startswith("vapid t=") for one in receiver.received)
    assert not [name for name in receiver.received[0].headers if name.startswith("webhook-")]
    assert table.all() == []


async def test_what_waits_behind_a_failure_of_its_match_keeps_its_order(
    at_receiver: Sending, receiver: Receiver
) -> None:
    receiver.statuses = [500]
    at_receiver.add("one", "one", "two")
    await at_receiver.send_due()
    at_receiver.clock.pass_time(PAUSES[0] * SECOND)
    while await at_receiver.send_due():
        pass
    of_one = [one.id for one in receiver.received if one.id != "msg_2"]
    assert of_one in (["msg_0", "msg_0", "msg_1"], ["msg_0", "msg_1"])
    assert {state for state, *_ in at_receiver.states()} == {"delivered"}


async def test_after_the_last_attempt_it_has_failed(
    at_receiver: Sending, receiver: Receiver
) -> None:
    at_receiver.add("one")
    (waiting,) = at_receiver.sent()
    (webhook,) = at_receiver.table.all()
    at_receiver.table.attempted(DueDelivery(webhook, replace(waiting, attempts=len(PAUSES))))
    receiver.statuses = [500]
    await at_receiver.send_due()
    assert at_receiver.states() == [("failed", len(PAUSES) + 1, "500")]
    assert await at_receiver.send_due() == 0


@pytest.mark.parametrize("valid", [True, False], ids=["its receiver", "its key"])
async def test_a_webhook_ends_with_its_receiver_and_with_its_key(
    at_receiver: Sending, receiver: Receiver, valid: bool
) -> None:
    receiver.statuses = [410]
    at_receiver.add("one", "two")
    at_receiver.valid = valid
    await at_receiver.send_due()
    assert at_receiver.table.all() == [] and at_receiver.sent() == []
    assert bool(receiver.received) == valid, "with an ended key before anything is sent"


async def test_an_address_is_judged_at_every_attempt(
    table: WebhookTable, receiver: Receiver
) -> None:
    # It was public when it was registered.
    url = receiver.url.replace("http://127.0.0.1", "https://localhost")
    at_home = Sending(table, url, private=False)
    at_home.add("one")
    for attempt in (1, 2):
        await at_home.send_due()
        assert at_home.states() == [("waiting", attempt, "refused: not on the public network")]
        at_home.clock.pass_time(PAUSES[attempt - 1] * SECOND)
    assert receiver.received == []


async def test_a_receiver_without_an_answer_in_time_or_at_all_is_tried_later(
    table: WebhookTable, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody = Sending(table, receiver.url)
    nobody.add("one")
    monkeypatch.setattr(sender, "SECONDS", 0.0)
    await nobody.send_due()
    assert nobody.states() == [("waiting", 1, "no answer in 0 s")]
    monkeypatch.undo()
    receiver.shutdown()
    receiver.server_close()
    nobody.clock.pass_time(PAUSES[0] * SECOND)
    await nobody.send_due()
    assert nobody.states() == [("waiting", 2, "not reached")]


def test_the_oldest_of_too_many_that_wait_are_dropped_but_not_reminders(
    table: WebhookTable,
) -> None:
    few = Sending(table, "")
    few.remind(NOON + SECOND)
    few.add(*["one"] * (QUEUE + 2))
    reminder, first, second, third = table.deliveries("w", 0, 4)
    assert [one.state for one in (reminder, first, second, third)] == [
        "waiting", "dropped", "dropped", "waiting",
    ]  # fmt: skip
    assert third in [one.delivery for one in table.due(NOON)]
    assert table.late(NOON + SECOND) == SECOND


@pytest.mark.parametrize(
    ("attempts", "since", "left"),
    [(DEAD_ATTEMPTS, DEAD, 0), (DEAD_ATTEMPTS, DEAD - 1, 1), (DEAD_ATTEMPTS - 1, DEAD, 1)],
)
def test_a_webhook_at_which_nothing_arrives_for_long_is_removed(
    table: WebhookTable, attempts: int, since: int, left: int
) -> None:
    dead = Sending(table, "")
    dead.add("one")
    (webhook,), (waiting,) = table.all(), dead.sent()
    for failures in range(1, attempts + 1):
        last = replace(waiting, last=NOON + failures - 1)
        table.attempted(DueDelivery(webhook, last, failures))
    assert table.late(NOON + since) == 0
    table.forget(NOON + since)
    assert len(table.all()) == left
    table.attempted(DueDelivery(webhook, replace(waiting, last=NOON + since)))
    table.attempted(DueDelivery(webhook, replace(waiting, last=NOON + since), DEAD_ATTEMPTS))
    table.forget(NOON + since + DEAD - 1)
    assert len(table.all()) == left


# Reminders.


async def test_a_reminder_is_sent_only_if_the_end_of_the_log_says_that_it_is_true(
    at_receiver: Sending, receiver: Receiver
) -> None:
    """The deadline has moved, and the reader has not read it yet."""
    at_receiver.remind(NOON + 60 * SECOND)
    at_receiver.follow = lambda: add(at_receiver.table, (), ["timed"])
    assert await at_receiver.send_due() == 0
    assert at_receiver.sent() == [] and receiver.received == []


async def test_while_the_log_cannot_be_followed_only_reminders_wait(
    at_receiver: Sending, receiver: Receiver
) -> None:
    def behind() -> None:
        raise FarBehind("far")

    at_receiver.follow = behind
    at_receiver.add("one")
    at_receiver.remind(NOON + 60 * SECOND)
    assert await at_receiver.send_due() == 1
    assert [one.id for one in receiver.received] == ["msg_0"]
    at_receiver.follow = lambda: None
    assert await at_receiver.send_due() == 1
    assert [one.id for one in receiver.received] == ["msg_0", "msg_reminder"]


async def test_a_reminder_is_tried_again_in_time_and_never_after_its_deadline(
    at_receiver: Sending, receiver: Receiver
) -> None:
    receiver.statuses = [500] * 99
    at_receiver.remind(NOON + 60 * SECOND)
    for _ in range(4):
        assert await at_receiver.send_due() == 1
        (waiting,) = at_receiver.sent()
        assert at_receiver.clock.now() < waiting.due < NOON + 60 * SECOND
        at_receiver.clock.move_to(waiting.due)
        # Its webhook has rested.
        at_receiver.table.attempted(DueDelivery(at_receiver.table.all()[0], waiting))
        left = (NOON + 60 * SECOND - waiting.due) / SECOND
        assert time_limit(waiting, waiting.due) == min(left, SECONDS)
    assert left < SECONDS and time_limit(waiting, NOON + 61 * SECOND) == 0
    receiver.statuses = []
    at_receiver.clock.move_to(NOON + 60 * SECOND)
    assert await at_receiver.send_due() == 0
    assert at_receiver.sent() == []
