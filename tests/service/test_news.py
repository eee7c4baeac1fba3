"""Instances wake each other's readers through a real Redis, and get over losing it."""

import asyncio
import re
import resource
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from io import StringIO
from statistics import median
from uuid import UUID, uuid4

import pytest

from service.instances import news as news_module
from service.instances.hub import Hub
from service.instances.news import MOST_WAITING, News, packed, unpacked
from tests.logged import logged
from tests.redis_server import RedisServer, redis_server

__all__ = ["logged"]

PATIENCE = 10.0
MATCH, OTHER = (UUID(f"0199aa00-0000-7000-8000-00000000000{n}") for n in (1, 2))
SENDER, OWN = uuid4().bytes, uuid4().bytes


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@asynccontextmanager
async def instance(redis: RedisServer) -> AsyncIterator[News]:
    """An instance that listens and tells."""
    made = News(redis.url, Hub())
    task = asyncio.create_task(made.run())
    try:
        yield made
        assert not task.done(), "it did not go on for ever"
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not true():  # noqa: ASYNC110  nobody tells when it is
            await asyncio.sleep(0.005)


@contextmanager
def reading(of: News, match: UUID = MATCH) -> Iterator[asyncio.Event]:
    with of.hub.listening(match) as woken:
        yield woken


async def woken(event: asyncio.Event) -> None:
    async with asyncio.timeout(PATIENCE):
        await event.wait()
    event.clear()


@asynccontextmanager
async def two(redis: RedisServer) -> AsyncIterator[tuple[News, News]]:
    async with instance(redis) as one, instance(redis) as other:
        await until(lambda: one.alive and other.alive)
        yield one, other


async def heard(teller: News, event: asyncio.Event) -> None:
    """Returns when the reader has been woken by what `teller` tells, not by having lost touch."""
    event.clear()
    for _ in range(200):
        teller.tell(MATCH)
        with suppress(TimeoutError):
            async with asyncio.timeout(0.05):
                await event.wait()
                return
    raise AssertionError("nobody was woken")


async def test_a_reader_elsewhere_is_woken(redis: RedisServer) -> None:
    async with two(redis) as (one, other):
        with reading(other) as event, reading(other, uuid4()) as unconcerned:
            one.tell(MATCH)
            await woken(event)
            assert not unconcerned.is_set()


async def test_the_teller_is_not_woken_by_what_it_tells(redis: RedisServer) -> None:
    async with two(redis) as (one, other):
        with reading(one) as own, reading(other) as event:
            one.tell(MATCH)
            await woken(event)
            # What was told first has come first.
            with reading(one, OTHER) as later:
                other.tell(OTHER)
                await woken(later)
            assert not own.is_set()


async def test_many_matches_are_told_of_at_once(redis: RedisServer) -> None:
    matches = [uuid4() for _ in range(1_000)]
    async with two(redis) as (one, other):
        published = int(redis.ask("INFO", "commandstats").count(b"cmdstat_publish"))
        assert published == 0
        with other.hub.listening(matches[0]) as first, other.hub.listening(matches[-1]) as last:
            for match in matches:
                one.tell(match)
            await woken(first)
            await woken(last)
        stats = redis.ask("INFO", "commandstats")
        assert b"cmdstat_publish:calls=1," in stats, "one message for all"


async def test_news_travel_without_waiting_for_a_beat(redis: RedisServer) -> None:
    async with two(redis) as (one, other):
        with reading(other) as event:
            took = []
            for _ in range(50):
                begun = time.perf_counter()
                one.tell(MATCH)
                await woken(event)
                took.append(time.perf_counter() - begun)
    assert median(took) < 0.05


async def test_nobody_says_it_is_alive_before_it_is(redis: RedisServer, logged: StringIO) -> None:
    redis.kill()
    async with instance(redis) as one:
        async with asyncio.timeout(PATIENCE):
            while '"news_not_heard"' not in logged.getvalue():
                assert not one.alive
                await asyncio.sleep(0.005)
        assert not one.alive
        redis.start()
        await until(lambda: one.alive)


async def test_after_a_restart_everybody_looks_again_and_news_travel(redis: RedisServer) -> None:
    async with two(redis) as (one, other):
        with reading(other) as event, reading(other, uuid4()) as untold:
            redis.kill()
            one.tell(MATCH)
            await asyncio.sleep(0.3)
            redis.start()
            await woken(untold)
            await heard(one, event)
            await until(lambda: one.alive and other.alive)


async def test_a_lost_subscription_says_so_and_comes_back(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news_module, "DEAF_SECONDS", 0.4)
    monkeypatch.setattr(news_module, "PING_SECONDS", 0.1)
    async with two(redis) as (one, other):
        redis.kill()
        await until(lambda: not one.alive and not other.alive)
        await asyncio.sleep(0.3)
        assert not one.alive
        redis.start()
        await until(lambda: one.alive and other.alive)


async def test_a_subscription_that_hears_nothing_for_long_stays_alive(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It asks Redis now and then, many times in the time after which it would be cut off."""
    monkeypatch.setattr(news_module, "DEAF_SECONDS", 1.0)
    monkeypatch.setattr(news_module, "PING_SECONDS", 0.05)
    async with two(redis) as (one, _):
        with reading(one) as event:
            # Two ask, one after the other or not: this takes longer than it may be deaf.
            enough = asked(redis) + 2 * 30
            while asked(redis) < enough:
                assert one.alive
                await asyncio.sleep(0.02)
            assert not event.is_set(), "and nobody is woken for nothing"


def asked(redis: RedisServer) -> int:
    """How often anybody has asked whether Redis is there."""
    found = re.search(rb"cmdstat_ping:calls=(\d+)", redis.ask("INFO", "commandstats"))
    return int(found[1]) if found else 0


async def test_a_redis_that_is_cut_off_is_given_up_and_found_again(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news_module, "DEAF_SECONDS", 0.4)
    monkeypatch.setattr(news_module, "PING_SECONDS", 0.1)
    monkeypatch.setattr(news_module, "ANSWER_SECONDS", 0.2)
    async with two(redis) as (one, other):
        with reading(other) as event, reading(other, uuid4()) as untold:
            redis.pause()
            await until(lambda: not one.alive and not other.alive)
            one.tell(MATCH)
            await asyncio.sleep(1)
            untold.clear()
            redis.resume()
            await woken(untold)
            await until(lambda: one.alive and other.alive)
            await heard(one, event)


async def test_connections_that_are_closed_are_opened_again(redis: RedisServer) -> None:
    async with two(redis) as (one, other):
        with reading(other) as event, reading(other, uuid4()) as untold:
            redis.cut_off()
            await woken(untold)
            await heard(one, event)


async def test_an_emptied_redis_changes_nothing(redis: RedisServer) -> None:
    async with two(redis) as (one, other):
        with reading(other) as event:
            redis.flush()
            one.tell(MATCH)
            await woken(event)


async def test_nothing_piles_up_while_redis_is_away(redis: RedisServer) -> None:
    async with two(redis) as (one, other):
        redis.kill()
        for _ in range(10):
            for _ in range(1_000):
                one.tell(uuid4())
            await asyncio.sleep(0.02)
            assert one.waiting <= MOST_WAITING
        assert one.waiting, "Redis was away"
        redis.start()
        with reading(other) as event:
            await until(lambda: one.alive and other.alive)
            await heard(one, event)
            # It may have been heard that others are to look, before anything was told.
            await until(lambda: one.waiting < 1_000)


async def test_what_could_not_be_told_is_told_when_redis_is_back(
    redis: RedisServer, logged: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news_module, "RETRIES", 0)
    async with two(redis) as (one, _):
        redis.kill()
        one.tell(MATCH)
        await until(lambda: '"news_not_told"' in logged.getvalue())
        redis.start()
        await until(lambda: b"cmdstat_publish:calls=1," in redis.ask("INFO", "commandstats"))
        assert one.waiting == 0


async def test_telling_neither_waits_nor_fails_whatever_redis_does(redis: RedisServer) -> None:
    async with two(redis) as (one, _):
        for harm in (redis.pause, redis.resume, redis.kill):
            harm()
            for match in [uuid4() for _ in range(50)]:
                before = waits()
                one.tell(match)
                assert waits() == before
                await asyncio.sleep(0.002)


def waits() -> int:
    """How often this thread has waited for anything. That others had their turn is no wait."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


async def test_a_failure_is_logged_once_and_without_what_was_told(
    redis: RedisServer, logged: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news_module, "RETRIES", 0)
    monkeypatch.setattr(news_module, "AGAIN_SECONDS", 0.05)
    async with two(redis) as (one, _):
        redis.kill()
        for _ in range(15):
            one.tell(MATCH)
            await asyncio.sleep(0.1)
    assert logged.getvalue().count('"event": "news_not_told"') == 1
    assert str(MATCH) not in logged.getvalue()
    assert MATCH.hex not in logged.getvalue()


async def test_what_is_no_message_of_ours_is_ignored(redis: RedisServer) -> None:
    async with two(redis) as (one, other):
        with reading(other) as event:
            for rubbish in ("", "x", "x" * 15, "x" * 16, "x" * 33, "x" * 16 * (MOST_WAITING + 2)):
                redis.ask("PUBLISH", news_module.CHANNEL, rubbish)
            # What was said first has come first.
            with reading(other, OTHER) as later:
                one.tell(OTHER)
                await woken(later)
            assert other.alive
            assert not event.is_set()
            one.tell(MATCH)
            await woken(event)


def test_a_message_is_who_tells_and_of_what() -> None:
    matches = [uuid4(), uuid4()]
    assert unpacked(packed(SENDER, matches), OWN) == matches
    assert unpacked(packed(OWN, matches), OWN) == []
    assert unpacked(packed(SENDER, [uuid4() for _ in range(MOST_WAITING + 1)]), OWN) == []


@pytest.mark.parametrize("told", [None, 7, "text", b"", b"x", SENDER + b"x", SENDER[1:]])
def test_what_cannot_be_a_message_tells_nothing(told: object) -> None:
    assert unpacked(told, OWN) == []


async def test_what_loses_a_cancellation_is_ended_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(news_module, "PING_SECONDS", 0.01)

    async def deaf_at_first() -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await asyncio.Event().wait()

    task = asyncio.create_task(deaf_at_first())
    await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE):
        await news_module.ended([task])
    assert task.cancelled()
