"""Instances wake each other's readers through a real Redis, and survive losing it."""

import asyncio
import re
import resource
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from io import StringIO
from statistics import median
from uuid import UUID, uuid4

import pytest

from service.cluster import redis_notifications
from service.cluster.redis_notifications import (
    MAX_NOTIFICATIONS,
    RedisNotifications,
    decode_message,
    encode_message,
)
from tests.service.cluster.listeners import Listeners
from tests.support.servers.redis_server import RedisServer
from tests.support.waiting import until, woken

PATIENCE = 10.0
MATCH, OTHER = (UUID(f"0199aa00-0000-7000-8000-00000000000{n}") for n in (1, 2))
SENDER, OWN = uuid4().bytes, uuid4().bytes


@asynccontextmanager
async def instance(redis: RedisServer) -> AsyncIterator[RedisNotifications]:
    """A running instance of the notifications."""
    notifications = RedisNotifications(redis.url, Listeners())
    task = asyncio.create_task(notifications.run())
    try:
        yield notifications
        assert not task.done(), "it did not go on for ever"
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@contextmanager
def reading(of: RedisNotifications, match: UUID = MATCH) -> Iterator[asyncio.Event]:
    assert isinstance(of.news, Listeners)
    with of.news.listening(match) as woken:
        yield woken


@asynccontextmanager
async def two(redis: RedisServer) -> AsyncIterator[tuple[RedisNotifications, RedisNotifications]]:
    async with instance(redis) as one, instance(redis) as other:
        await until(lambda: one.alive and other.alive)
        yield one, other


async def delivered(sender: RedisNotifications, event: asyncio.Event) -> None:
    """Returns when a notification of `sender`, not a new subscription, has woken the reader."""
    event.clear()
    for _ in range(200):
        sender.notify(MATCH)
        with suppress(TimeoutError):
            async with asyncio.timeout(0.05):
                await event.wait()
                return
    raise AssertionError("nobody was woken")


async def test_a_reader_elsewhere_is_woken_and_nobody_else(redis: RedisServer) -> None:
    async with two(redis) as (one, other):
        with reading(one) as own, reading(other) as event, reading(other, uuid4()) as unconcerned:
            one.notify(MATCH)
            await woken(event)
            assert not unconcerned.is_set()
            # Notifications arrive in order.
            with reading(one, OTHER) as later:
                other.notify(OTHER)
                await woken(later)
            assert not own.is_set()


async def test_many_matches_are_published_at_once(redis: RedisServer) -> None:
    matches = [uuid4() for _ in range(1_000)]
    async with two(redis) as (one, other):
        published = int(redis.execute("INFO", "commandstats").count(b"cmdstat_publish"))
        assert published == 0
        with reading(other, matches[0]) as first, reading(other, matches[-1]) as last:
            for match in matches:
                one.notify(match)
            await woken(first)
            await woken(last)
        stats = redis.execute("INFO", "commandstats")
        assert b"cmdstat_publish:calls=1," in stats, "one message for all"


async def test_notifications_do_not_wait_for_a_ping(redis: RedisServer) -> None:
    async with two(redis) as (one, other):
        with reading(other) as event:
            took = []
            for _ in range(50):
                start = time.perf_counter()
                one.notify(MATCH)
                await woken(event)
                took.append(time.perf_counter() - start)
    assert median(took) < 0.05


async def test_an_instance_is_not_alive_before_it_is_subscribed(
    redis: RedisServer, logged: StringIO
) -> None:
    redis.kill()
    async with instance(redis) as one:
        async with asyncio.timeout(PATIENCE):
            while '"news_not_heard"' not in logged.getvalue():
                assert not one.alive
                await asyncio.sleep(0.005)
        assert not one.alive
        redis.start()
        await until(lambda: one.alive)


async def test_a_subscription_without_messages_stays_alive(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It pings Redis many times within the subscription's timeout."""
    monkeypatch.setattr(redis_notifications, "SUBSCRIPTION_TIMEOUT_SECONDS", 1.0)
    monkeypatch.setattr(redis_notifications, "PING_SECONDS", 0.05)
    async with two(redis) as (one, _):
        with reading(one) as event:
            # Two instances ping, together or in turn: this takes longer than the timeout.
            enough = pings(redis) + 2 * 30
            while pings(redis) < enough:
                assert one.alive
                await asyncio.sleep(0.02)
            assert not event.is_set(), "and nobody is woken for nothing"


def pings(redis: RedisServer) -> int:
    """The number of pings that Redis has received."""
    found = re.search(rb"cmdstat_ping:calls=(\d+)", redis.execute("INFO", "commandstats"))
    return int(found[1]) if found else 0


async def away(redis: RedisServer, one: RedisNotifications, other: RedisNotifications) -> None:
    redis.kill()
    one.notify(MATCH)
    await asyncio.sleep(0.3)
    redis.start()


async def unreachable(
    redis: RedisServer, one: RedisNotifications, other: RedisNotifications
) -> None:
    redis.pause()
    await until(lambda: not one.alive and not other.alive)
    one.notify(MATCH)
    await asyncio.sleep(1)
    redis.resume()


async def cut_off(redis: RedisServer, one: RedisNotifications, other: RedisNotifications) -> None:
    redis.cut_off()


@pytest.mark.parametrize("harm", [away, unreachable, cut_off])
async def test_when_redis_is_back_all_readers_are_woken_and_notifications_arrive(
    redis: RedisServer,
    monkeypatch: pytest.MonkeyPatch,
    harm: Callable[[RedisServer, RedisNotifications, RedisNotifications], Awaitable[None]],
) -> None:
    monkeypatch.setattr(redis_notifications, "SUBSCRIPTION_TIMEOUT_SECONDS", 0.4)
    monkeypatch.setattr(redis_notifications, "PING_SECONDS", 0.1)
    monkeypatch.setattr(redis_notifications, "ANSWER_SECONDS", 0.2)
    async with two(redis) as (one, other):
        with reading(other) as event, reading(other, uuid4()) as untold:
            await harm(redis, one, other)
            await woken(untold)
            await delivered(one, event)
            await until(lambda: one.alive and other.alive)


async def test_nothing_piles_up_while_redis_is_away(redis: RedisServer) -> None:
    async with two(redis) as (one, other):
        redis.kill()
        for _ in range(10):
            for _ in range(1_000):
                one.notify(uuid4())
            await asyncio.sleep(0.02)
            assert one.queued <= MAX_NOTIFICATIONS
        assert one.queued, "Redis was away"
        redis.start()
        with reading(other) as event:
            await until(lambda: one.alive and other.alive)
            await delivered(one, event)
            # The other reader may have been woken by a new subscription before the notification.
            await until(lambda: one.queued < 1_000)


async def test_notifying_neither_waits_nor_fails_whatever_redis_does(redis: RedisServer) -> None:
    async with two(redis) as (one, _):
        for harm in (redis.pause, redis.resume, redis.kill):
            harm()
            for match in [uuid4() for _ in range(50)]:
                before = waits()
                one.notify(match)
                assert waits() == before
                await asyncio.sleep(0.002)


def waits() -> int:
    """The number of voluntary waits of this thread; being preempted is not a wait."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


async def test_a_failure_is_logged_once_and_without_its_content(
    redis: RedisServer, logged: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_notifications, "RETRIES", 0)
    monkeypatch.setattr(redis_notifications, "RETRY_SECONDS", 0.05)
    async with two(redis) as (one, _):
        redis.kill()
        for _ in range(15):
            one.notify(MATCH)
            await asyncio.sleep(0.1)
    assert logged.getvalue().count('"event": "news_not_told"') == 1
    assert str(MATCH) not in logged.getvalue()
    assert MATCH.hex not in logged.getvalue()


TOO_MANY = [MATCH] * (MAX_NOTIFICATIONS + 1)


@pytest.mark.parametrize(
    ("message", "matches"),
    [
        (encode_message(SENDER, [MATCH, OTHER]), [MATCH, OTHER]),
        (encode_message(OWN, [MATCH]), []),
        (encode_message(SENDER, TOO_MANY), []),
        *((malformed, []) for malformed in (None, 7, "text", b"", b"x", SENDER + b"x", SENDER[1:])),
    ],
)
def test_a_message_has_matches_unless_it_is_our_own_or_malformed(
    message: object, matches: list[UUID]
) -> None:
    assert decode_message(message, OWN) == matches


async def test_a_task_that_loses_a_cancellation_ends_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(redis_notifications, "PING_SECONDS", 0.01)

    async def ignores_the_first_cancellation() -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await asyncio.Event().wait()

    task = asyncio.create_task(ignores_the_first_cancellation())
    await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE):
        await redis_notifications.cancel_all([task])
    assert task.cancelled()
