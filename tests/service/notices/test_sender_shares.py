"""What is dead, slow or unknown delays no one else's notices."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from uuid import UUID

import pytest
from msgspec.structs import replace

from service.auth.keyring import ORGANISERS, KeyReference
from service.event_store.database import embedded
from service.event_store.store import Store
from service.notices.public_address import Address, HostNames
from service.notices.registrations import Addressed, DueDelivery
from service.notices.sender import PAUSES
from service.notices.shares import (
    FAILING_AT_ONCE,
    PER_OWNER,
    PER_WEBHOOK,
    UNKNOWN_PER_MINUTE,
    UnknownHosts,
)
from service.notices.webhook_table import QUEUE, WebhookTable, open_webhooks
from tests.service.notices.name_server import name_server
from tests.support.http.webhook_receiver import Receiver
from tests.support.instance.notice_sending import SEAT, Sending, add, begun, hook
from tests.support.instants import NOON, SECOND


@pytest.fixture
def table(database: Path) -> Iterator[WebhookTable]:
    env = embedded(database)
    with closing(Store(env)) as store, closing(open_webhooks(store)) as table:
        yield table


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


@pytest.mark.parametrize("slow", [2, 9])
async def test_slow_webhooks_leave_turns_to_the_others_of_their_owner(
    table: WebhookTable, receiver: Receiver, slow: int
) -> None:
    """All that they are sent is older than what another one is sent."""
    alive = Sending(table, receiver.url)
    names = [f"slow {n}" for n in range(slow)]
    for name in names:
        table.add(hook(name, receiver.url))
    many = begun(*(f"m{n}" for n in range(20)))
    add(
        table, [Addressed(name, f"{name}/{n.subject}", n, NOON - 1) for name in names for n in many]
    )
    alive.add("one")
    running, started = await alive.sender._next([]), list[str]()
    for _ in range(slow):
        ended = running.pop(0)
        table.attempted(DueDelivery(ended.webhook, replace(ended.delivery, state="delivered")))
        running += await alive.sender._next(running)
        started = [one.webhook.id for one in running]
    assert "w" in started
    assert len(set(started)) == min(PER_OWNER, slow + 1)


async def test_slow_webhooks_of_an_organiser_take_no_turn_of_another(
    table: WebhookTable, receiver: Receiver
) -> None:
    alive = Sending(table, receiver.url)
    slow, other = (KeyReference("org", ORGANISERS, name) for name in (b"1", b"2"))
    for name, owner in (("slow", slow), ("slower", slow), ("other", other)):
        table.add(hook(name, receiver.url, owner))
        many = begun(*(f"m{n}" for n in range(9)))
        add(table, [Addressed(name, f"{name}/{n.subject}", n, NOON - 1) for n in many])
    chosen = await alive.sender._next([])
    assert Counter(one.webhook.id for one in chosen) == {"slow": 2, "slower": 2, "other": 2}


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
    assert len(table.due(NOON)) == 3 * min(subjects, PER_WEBHOOK)
    assert next(thousands) < 150
