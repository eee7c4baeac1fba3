"""Whatever serves one connection gives the loop up after a bounded share of its work."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest

from domain.rulings.kinds import Note
from projections.audience.disclosure import PUBLIC_VIEWER
from service.application.matches.match_service import MatchService
from service.application.matches.match_sessions import MatchSessions
from service.auth.request_guard import ClientAddresses, RequestGuard
from service.cli.playing.playing import begin
from service.demo_matches import DemoInstance
from service.event_store.database import embedded
from service.event_store.store import Store
from service.instance import Instance
from service.notices.posting import AttemptOutcome, NoticePoster
from service.notices.public_address import HostNames
from service.notices.registrations import Delivery, Webhook
from service.notices.sender import Sender
from service.notices.shares import PER_WEBHOOK
from service.notices.webhook_table import open_webhooks
from service.streams import live_stream
from service.streams.channels import EVENT_STREAM, NDJSON, Form
from service.streams.live_stream import Reader
from tests.support.instance.notice_sending import Sending, push_key
from tests.support.instance.service_instance import NOT_NOW, sends, settings, started
from tests.support.instants import NOON
from tests.support.loop_turns import counting
from tests.support.tables.ruling_tables import rule
from tests.support.virtual_clock import VirtualClock
from tests.support.waiting import until

LINES = 5
"""A share, in these tests."""


async def may() -> bool:
    return True


def streamed(instance: Instance, match: UUID, form: Form) -> AsyncIterator[bytes]:
    return instance.streams.follow(match, Reader(PUBLIC_VIEWER, form, may), 0)


SERVED: dict[str, Callable[[Instance, UUID], AsyncIterator[bytes]]] = {
    "SSE": lambda instance, match: streamed(instance, match, EVENT_STREAM),
    "NDJSON": lambda instance, match: streamed(instance, match, NDJSON),
}


@pytest.fixture
async def turns() -> AsyncIterator[list[None]]:
    """Has one item more at each turn of the loop."""
    taken: list[None] = []

    async def ticking() -> None:
        while True:
            taken.append(None)
            await asyncio.sleep(0)

    ticker = asyncio.create_task(ticking())
    yield taken
    ticker.cancel()


@pytest.mark.parametrize("served", SERVED)
async def test_a_fast_reader_of_what_is_in_memory_lets_others_have_their_turn(
    instance: Instance, monkeypatch: pytest.MonkeyPatch, turns: list[None], served: str
) -> None:
    monkeypatch.setattr(live_stream, "LINES_A_CHUNK", LINES)
    match = await started(instance)
    for _ in range(20):
        await instance.rulings.execute(match, rule("", Note("public", "long", "clarification")))
    _, public = await instance.sessions.projection(match, PUBLIC_VIEWER)
    lines, since, most = 0, 0, 0
    async for chunk in SERVED[served](instance, match):
        since = since + chunk.count(b'"seq":') if len(turns) == lines else chunk.count(b'"seq":')
        most, lines = max(most, since), len(turns)
        if b'"seq":%d,' % public.seq in chunk:
            break
    assert public.seq > 4 * LINES
    assert most <= 2 * LINES + 1


async def test_many_who_wait_are_woken_by_one_event_and_look_once(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await started(instance)
    _, public = await instance.sessions.projection(match, PUBLIC_VIEWER)
    async with counting() as counted:
        waits = [
            asyncio.create_task(instance.streams.wait_for_event(match, PUBLIC_VIEWER, seq, 30.0))
            for seq in [public.seq] * 50
        ]
        await until(lambda: bool(instance.broadcast.followed))
        counted.count(monkeypatch, MatchSessions, "projection")
        await instance.matches.execute(match, sends(0, NOT_NOW), 0)
        assert counted.calls == 0, "nothing that they may see has happened"
        await instance.rulings.execute(match, rule("", Note("public", "long", "clarification")))
        await asyncio.gather(*waits)
    assert counted.calls <= 2 * len(waits)


class AtOnce(NoticePoster):
    """Receivers that answer without any delay."""

    async def attempt(self, webhook: Webhook, delivery: Delivery, seconds: float) -> AttemptOutcome:
        return AttemptOutcome(True, False, "200")


async def test_notices_that_are_received_at_once_let_others_have_their_turn(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, env = VirtualClock(NOON), embedded(database)
    with closing(Store(env)) as store, closing(open_webhooks(store)) as table:
        sending = Sending(table, "http://127.0.0.1:9")
        sending.add(*(f"match {n}" for n in range(40)))
        posting = AtOnce(clock, HostNames(), push_key, private=True)
        sender = Sender(table, sending.clock, sending._valid, posting, lambda: None)
        async with counting() as counted:
            counted.count(monkeypatch, AtOnce, "attempt")
            running = asyncio.create_task(sender.run())
            await until(lambda: all(state == "delivered" for state, *_ in sending.states()))
            running.cancel()
    assert counted.calls == 40
    assert counted.most <= PER_WEBHOOK


async def test_bots_that_never_pause_let_others_have_their_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hurried(_: int) -> None:
        return

    monkeypatch.setattr("service.cli.playing.playing.unhurried", hurried)
    guard = RequestGuard(client_addresses=ClientAddresses(exempt=()))
    demo = DemoInstance(settings(tmp_path / "demo.db"), guard)
    async with demo.running(), counting() as counted:
        counted.count(monkeypatch, MatchService, "execute")
        match = await demo.start("twelve-chips", begin)
        await until(lambda: over(demo.instance, match))
    assert counted.calls > 10
    assert counted.most <= 1


def over(instance: Instance, match: UUID) -> bool:
    loaded = instance.sessions.loaded(match)
    return loaded is not None and loaded.over
