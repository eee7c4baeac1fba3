"""Notices are sent in order, again after failures, and to no one who should not get them."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from uuid import UUID

import pytest
from msgspec.structs import replace

from service.auth.key_form import ORGANISERS, KeyReference
from service.event_store.store import Store
from service.notices import sender
from service.notices.notices import Kind, Notice
from service.notices.posting import SECONDS, NoticePoster
from service.notices.public_address import Address, HostNames
from service.notices.sender import PAUSES, Sender, time_limit
from service.notices.shares import FAILING_AT_ONCE, PER_OWNER, UNKNOWN_PER_MINUTE, UnknownHosts
from service.notices.webhook_table import DEAD, DEAD_ATTEMPTS, QUEUE, WebhookTable, open_webhooks
from service.notices.webhooks import Addressed, Delivery, DueDelivery, Webhook
from service.read_models.index import FarBehind
from tests.support.http.name_server import name_server
from tests.support.http.webhook_receiver import Receiver, receiving
from tests.support.instance.added_notices import add
from tests.support.instance.service_instance import settings
from tests.support.instants import NOON, SECOND
from tests.support.virtual_clock import VirtualClock

STARTED: tuple[Kind, ...] = ("started",)
KEY = KeyReference("org", UUID(int=1), b"hash")
SEAT = KeyReference("seat:0", UUID(int=2), b"hash")


def hook(name: str, url: str, owner: KeyReference = KEY) -> Webhook:
    return Webhook(name, url, b"secret", b"salt", STARTED, None, None, None, 60, owner, NOON)


def begun(*matches: str) -> list[Notice]:
    """The notices that these matches have started."""
    return [Notice("started", match, NOON, "match.started", {}) for match in matches]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def table(database: Path) -> Iterator[WebhookTable]:
    env = settings(database).store
    with closing(Store(env)) as store, closing(open_webhooks(store)) as table:
        yield table


class Sending:
    """A sender of a webhook at an address, on a clock that stands still."""

    def __init__(
        self, table: WebhookTable, url: str, private: bool = True, names: HostNames | None = None
    ) -> None:
        self.table, self.clock, self.valid = table, VirtualClock(NOON), True
        table.add(hook("w", url))
        posting = NoticePoster(self.clock, names or HostNames(), private=private)
        self.sender = Sender(table, self.clock, self._valid, posting, self._follow)
        self.follow: Callable[[], None] = lambda: None
        self.ids = count()

    def add(self, *subjects: str) -> None:
        made = [Addressed("w", f"msg_{next(self.ids)}", one, NOON) for one in begun(*subjects)]
        add(self.table, made)

    def states(self) -> list[tuple[str, int, str | None]]:
        return [(one.state, one.attempts, one.said) for one in self.sent()]

    def sent(self) -> list[Delivery]:
        return self.table.deliveries("w", 0, 100)

    async def send_due(self) -> int:
        """Makes one attempt at what is due now. Returns how many were made."""
        chosen = await self.sender._next([])
        await asyncio.gather(*map(self.sender._try_to_send, chosen))
        await self.sender._write()
        return len(chosen)

    async def _valid(self, _: KeyReference) -> bool:
        return self.valid

    def _follow(self) -> None:
        self.follow()

    def remind(self, deadline: int) -> None:
        """Adds a reminder that is due now."""
        made = Notice("reminder", "timed", NOON, "match.reminder", {})
        added = [Addressed("w", "msg_reminder", made, NOON, deadline)]
        add(self.table, added)


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


async def test_many_dead_webhooks_cost_one_transaction_and_delay_nobody(
    table: WebhookTable, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive = Sending(table, receiver.url)
    owners = [KeyReference("seat:0", UUID(int=n), b"hash") for n in range(20)]
    dead = [hook(f"dead {n}", "https://[::1]:1/", owner) for n, owner in enumerate(owners)]
    for webhook in dead:
        table.add(webhook)
    notices = begun(*(f"match {n}" for n in range(9)))
    added = [
        Addressed(webhook, f"msg_{notice.subject}", notice, due)
        for notice in notices
        for webhook, due in (*((one.id, NOON - 1) for one in dead), ("w", NOON))
    ]
    add(table, added)
    writes: list[int] = []
    attempted = table.attempted

    def counted(*sent: DueDelivery) -> None:
        writes.append(len(sent))
        attempted(*sent)

    monkeypatch.setattr(table, "attempted", counted)
    made = 0
    while count := await alive.send_due():
        made += count
    assert {state for state, *_ in alive.states()} == {"delivered"}
    # Two of each dead webhook were tried, and then it rested: first shortly, then longer.
    assert made == len(notices) + 2 * len(dead)
    assert sum(written > 1 for written in writes) <= 3
    alive.clock.pass_time(PAUSES[0] * SECOND)
    assert await alive.send_due() == FAILING_AT_ONCE
    alive.clock.pass_time(PAUSES[0] * SECOND)
    while await alive.send_due():
        pass
    assert await alive.send_due() == 0
    alive.clock.pass_time((PAUSES[1] - PAUSES[0]) * SECOND)
    assert await alive.send_due() > 0


async def test_an_owner_whose_names_never_resolve_delays_nobody_else(
    table: WebhookTable, receiver: Receiver
) -> None:
    """Of a seat: more webhooks than there is room for all, each with more to send than may wait."""
    with name_server() as server:
        alive = Sending(table, receiver.url, names=HostNames(server.resolver))
        for n in range(20):
            table.add(hook(f"s{n}", f"https://{n}.silent.example/", SEAT))
        added = [
            Addressed(f"s{n}", f"msg_{notice.subject}", notice, NOON - 1)
            for notice in begun(*(f"m{n}" for n in range(20)))
            for n in range(20)
        ]
        add(table, added)
        alive.add("one", "two", "three")
        sending = asyncio.create_task(alive.sender.run())
        await asyncio.to_thread(receiver.wait_for, 3)
        # All that was sent went out while the names were being looked up.
        await asyncio.to_thread(server.wait_for, 2 * PER_OWNER)
        asked = Counter(name.partition(".silent")[0] for name in server.asked)
        assert len(asked) <= PER_OWNER
        assert {one.attempts for n in range(20) for one in table.deliveries(f"s{n}", 0, 99)} == {0}
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending


class NoNames(HostNames):
    """Knows this machine alone; every other name is looked up in vain."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    async def addresses(self, host: str) -> list[Address]:
        if host == "127.0.0.1":
            return await super().addresses(host)
        self.asked += 1
        return []


async def test_a_seat_has_few_lookups_in_vain_in_a_minute(
    table: WebhookTable, receiver: Receiver
) -> None:
    minute = 60.0
    names = NoNames()
    alive = Sending(table, receiver.url, names=names)
    alive.sender._unknown = UnknownHosts(lambda: minute)
    seat = KeyReference("s0", UUID(int=2), b"hash")
    for n, notice in enumerate(begun(*(f"m{n}" for n in range(20)))):
        table.add(hook(f"s{n}", f"https://{n}.invalid/", seat))
        add(table, [Addressed(f"s{n}", f"msg_{n}", notice, NOON - 1)])
    while await alive.send_due():
        pass
    assert UNKNOWN_PER_MINUTE <= names.asked < UNKNOWN_PER_MINUTE + PER_OWNER
    before = names.asked
    alive.add("one", "two")
    while await alive.send_due():
        pass
    assert [state for state, *_ in alive.states()] == ["delivered"] * 2
    assert names.asked == before
    minute += 60
    while await alive.send_due():
        pass
    assert before < names.asked < before + UNKNOWN_PER_MINUTE + PER_OWNER
    unknown = UnknownHosts(lambda: 0.0)
    for _ in range(2 * UNKNOWN_PER_MINUTE):
        unknown.add(hook("w", "https://a.invalid/", KeyReference("org", ORGANISERS, b"hash")))
    assert unknown.full() == [], "organisers may name any number"


async def test_a_slow_owner_with_much_to_send_leaves_room_in_every_look(
    table: WebhookTable, receiver: Receiver
) -> None:
    """Nothing fails: what is due to one is a long list, and all of it is older."""
    alive = Sending(table, receiver.url)
    slow = KeyReference("organiser", UUID(int=0), b"hash")
    table.add(hook("slow", receiver.url, slow))
    many = begun(*(f"m{n}" for n in range(1_000)))
    added = [Addressed("slow", f"msg_{one.subject}", one, NOON - 1) for one in many]
    add(table, added)
    alive.add("one")
    chosen = await alive.sender._next([])
    assert Counter(one.webhook.id for one in chosen) == {"slow": 2, "w": 1}
    # With what is sent still running, no one else's turn is used up.
    assert await alive.sender._next(chosen) == []
    alive.add("two")
    assert [one.webhook.id for one in await alive.sender._next(chosen)] == ["w"]


@pytest.mark.parametrize("subjects", [1, 30, QUEUE], ids=["one match", "some", "many"])
def test_a_look_at_what_is_due_costs_no_more_the_more_waits(
    table: WebhookTable, subjects: int
) -> None:
    waiting = begun(*(f"m{n % subjects}" for n in range(QUEUE)))
    for name in ("a", "b", "c"):
        table.add(hook(name, ""))
        add(table, [Addressed(name, f"msg_{n}", one, NOON) for n, one in enumerate(waiting)])
    thousands = count()
    table._db._db.set_progress_handler(lambda: next(thousands) and 0, 1_000)  # type: ignore[attr-defined]
    assert len(table.due(NOON)) == min(PER_OWNER, 3 * min(subjects, 2))
    assert next(thousands) < 150


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
