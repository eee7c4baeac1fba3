"""Counting requests: in one process, together in a real Redis, and while that is away."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack

import pytest
from limits import parse

from service.auth.rate_limiter import Limiter, OpenStreams, StreamsFull, TooManyStreams
from service.auth.rates import rate
from service.cluster import redis_client
from service.cluster.redis_client import RedisClient, RedisUnavailable
from tests.support.servers.redis_server import RedisServer

FIVE, SHORT = parse("5/minute"), parse("2/second")


@pytest.fixture
async def limiters(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Limiter, Limiter]]:
    """The limiters of two instances, which wait long for a running Redis, for busy machines."""
    monkeypatch.setattr(redis_client, "ANSWER_SECONDS", 5.0)
    links = RedisClient(redis.url), RedisClient(redis.url)
    yield Limiter(links[0]), Limiter(links[1])
    for one in links:
        await one.close()


async def allowed(limiter: Limiter, times: int, counter: str = "a") -> int:
    """How many of `times` requests are allowed."""
    return [await limiter.count(FIVE, counter) for _ in range(times)].count(None)


@pytest.mark.parametrize("off", ["0", "off", "OFF", " off ", "0/minute"])
def test_a_rate_can_be_off(off: str) -> None:
    assert rate(off) is None


@pytest.mark.parametrize("wrong", ["", "ten", "5", "5/fortnight", "-5/minute"])
def test_a_wrong_rate_is_reported_to_the_operator(wrong: str) -> None:
    with pytest.raises(ValueError, match="is not a rate: write 600/minute, or off"):
        rate(wrong)


async def test_one_request_too_many_gets_a_time_to_wait() -> None:
    limiter = Limiter()
    assert await allowed(limiter, 5) == 5
    wait = await limiter.count(FIVE, "a")
    assert wait is not None and 55 <= wait <= 60
    assert await limiter.count(FIVE, "b") is None, "others are not concerned"


async def test_the_wait_is_at_least_a_second_and_then_enough() -> None:
    now = 1_000.0
    limiter = Limiter(now=lambda: now)
    assert [await limiter.count(SHORT, "a") for _ in range(3)] == [None, None, 1]
    now += 1.01
    assert await limiter.count(SHORT, "a") is None


async def test_used_up_counts_nothing() -> None:
    limiter = Limiter()
    for _ in range(9):
        assert await limiter.used_up(FIVE, "a") is None
    assert await allowed(limiter, 9) == 5
    assert await limiter.used_up(FIVE, "a") is not None


async def test_a_minute_is_a_minute_when_the_wall_clock_is_set_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    passed, real = 0.0, time.time
    limiter = Limiter(now=lambda: 1_000.0 + passed)
    assert await allowed(limiter, 5) == 5
    monkeypatch.setattr(time, "time", lambda: real() - 3600)
    passed = 20.0
    wait = await limiter.count(FIVE, "a")
    assert wait is not None and 39 <= wait <= 41
    passed = 60.1
    assert await allowed(limiter, 9) == 5


async def test_closed_windows_are_dropped() -> None:
    passed = 0
    limiter = Limiter(now=lambda: 1_000.0 + passed)
    for n in range(1_000):
        await limiter.count(FIVE, f"a{n}")
    passed = 61
    for n in range(1_000):
        await limiter.count(FIVE, f"b{n}")
    assert len(limiter) <= 1_001


async def test_memory_has_a_bound() -> None:
    limiter = Limiter(most=100)
    for n in range(1_000):
        await limiter.count(FIVE, f"a{n}")
    assert len(limiter) == 100
    assert await allowed(limiter, 9, "a999") == 4, "the last is known still"


async def test_instances_count_together(limiters: tuple[Limiter, Limiter]) -> None:
    one, other = limiters
    assert await allowed(one, 3) == 3
    assert await allowed(other, 5) == 2
    wait = await one.count(FIVE, "a")
    assert wait is not None and 55 <= wait <= 60
    assert await other.used_up(FIVE, "a") is not None
    assert await other.count(FIVE, "b") is None


async def test_redis_is_updated_with_many_requests_at_once(
    redis: RedisServer, limiters: tuple[Limiter, Limiter]
) -> None:
    limit = parse("1000/minute")
    answers = [await limiter.count(limit, "a") for _ in range(700) for limiter in limiters]
    assert 1_000 <= answers.count(None) <= 1_000 + 2 * 10
    assert answers[-2:] != [None, None]
    calls = int(
        redis.execute("INFO", "commandstats").split(b"cmdstat_evalsha:calls=")[1].split(b",")[0]
    )
    assert calls <= 110


async def test_a_limited_client_is_limited_without_another_call(
    redis: RedisServer, limiters: tuple[Limiter, Limiter]
) -> None:
    one, other = limiters
    assert await allowed(other, 5) == 5
    assert await allowed(one, 1) == 0
    redis.flush()
    assert await allowed(one, 9) == 0


async def test_other_instances_are_told_of_work_that_was_too_much(
    limiters: tuple[Limiter, Limiter],
) -> None:
    one, other = limiters
    assert await allowed(one, 1) == 1
    one.charge(FIVE, "a", 6)
    assert await allowed(one, 1) == 0
    assert await allowed(other, 9) == 0


async def test_a_client_refused_by_all_waits_no_longer_than_their_window(
    redis: RedisServer, limiters: tuple[Limiter, Limiter]
) -> None:
    one, other = limiters
    assert await allowed(other, 5) == 5
    counter = redis.execute("KEYS", "*").split(b"\r\n")[2].decode()
    redis.execute("EXPIRE", counter, "7")
    for _ in range(3):
        wait = await one.count(FIVE, "a")
        assert wait is not None and wait <= 7


async def test_what_failed_here_is_used_up_whatever_redis_says(
    redis: RedisServer, limiters: tuple[Limiter, Limiter]
) -> None:
    assert await allowed(limiters[0], 5) == 5
    redis.flush()
    assert await limiters[0].used_up(FIVE, "a") is not None
    assert await limiters[1].used_up(FIVE, "a") is None


async def test_redis_stores_nothing_for_longer_than_its_window(
    redis: RedisServer, limiters: tuple[Limiter, Limiter]
) -> None:
    await limiters[0].count(FIVE, "a")
    counter = redis.execute("KEYS", "*").split(b"\r\n")[2].decode()
    assert 0 < int(redis.execute("TTL", counter)[1:]) <= 60


@pytest.mark.parametrize("harm", ["kill", "pause"])
async def test_without_redis_each_counts_for_itself_and_waits_only_once(
    redis: RedisServer,
    limiters: tuple[Limiter, Limiter],
    harm: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = limiters
    assert await allowed(one, 1) == 1
    getattr(redis, harm)()
    monkeypatch.setattr(redis_client, "ANSWER_SECONDS", 0.05)
    start = time.monotonic()
    assert await allowed(one, 200) == 4
    assert time.monotonic() - start < 0.05 + 0.5
    assert await allowed(other, 9) == 5


@pytest.mark.parametrize("harm", ["kill", "pause"])
async def test_when_redis_is_back_all_count_together_again(
    redis: RedisServer,
    limiters: tuple[Limiter, Limiter],
    harm: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(redis_client, "AWAY_SECONDS", 0.1)
    one, other = limiters
    getattr(redis, harm)()
    with monkeypatch.context() as patch:
        patch.setattr(redis_client, "ANSWER_SECONDS", 0.05)
        await allowed(one, 9)
        await allowed(other, 9)
    redis.start() if harm == "kill" else redis.resume()
    await asyncio.sleep(0.15)
    assert await allowed(one, 3, "later") == 3
    assert await allowed(other, 5, "later") == 2


async def test_while_redis_is_away_one_of_many_tries_again(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_client, "AWAY_SECONDS", 0.1)
    lost = RedisClient(redis.url)
    calls = 0

    async def command() -> None:
        nonlocal calls
        calls += 1
        await lost.redis.ping()

    async def attempt() -> None:
        with pytest.raises(RedisUnavailable):
            await lost.call(command)

    redis.pause()
    await attempt()
    await attempt()
    assert calls == 1, "not so soon"
    await asyncio.sleep(0.11)
    await asyncio.gather(*(attempt() for _ in range(20)))
    assert calls == 2, "one for all"
    redis.resume()
    await asyncio.sleep(0.25)
    await lost.call(command)
    await lost.close()


def test_streams_are_counted_while_they_are_open() -> None:
    streams = OpenStreams(most=3)
    with ExitStack() as first:
        first.enter_context(streams.acquire("a", 2))
        first.enter_context(streams.acquire("a", 2))
        with pytest.raises(TooManyStreams):
            first.enter_context(streams.acquire("a", 2))
        first.enter_context(streams.acquire(None, 2))
        for sender in ("a", "b", None):
            with pytest.raises(TooManyStreams if sender == "a" else StreamsFull):
                first.enter_context(streams.acquire(sender, 2))
        assert len(streams) == 3
    assert len(streams) == 0
    with streams.acquire("a", 1):
        pass
    assert not streams._by_sender, "nobody is remembered"
