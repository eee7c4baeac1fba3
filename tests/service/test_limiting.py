"""Counting requests: here, together with others in a real Redis, and when that is away."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack

import pytest
from limits import parse

from service.access.limiting import Full, Limiter, OpenStreams, TooMany, Windows, rate
from service.instances import link
from service.instances.link import Away, Link
from tests.redis_server import RedisServer, redis_server

FIVE, SHORT = parse("5/minute"), parse("2/second")


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@pytest.fixture
async def limiters(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Limiter, Limiter]]:
    """Those of two instances. A Redis that is up is waited for, however busy the machine is."""
    monkeypatch.setattr(link, "ANSWER_SECONDS", 5.0)
    links = Link(redis.url), Link(redis.url)
    yield Limiter(links[0]), Limiter(links[1])
    for one in links:
        await one.close()


async def allowed(limiter: Limiter, times: int, name: str = "a") -> int:
    """How many of so many requests are let through."""
    return [await limiter.count(FIVE, name) for _ in range(times)].count(None)


@pytest.mark.parametrize("off", ["0", "off", "OFF", " off ", "0/minute"])
def test_a_rate_can_be_off(off: str) -> None:
    assert rate(off) is None


@pytest.mark.parametrize("wrong", ["", "ten", "5", "5/fortnight", "-5/minute"])
def test_a_wrong_rate_is_said_to_the_operator(wrong: str) -> None:
    with pytest.raises(ValueError, match="is no rate: say 600/minute, or off"):
        rate(wrong)


async def test_one_too_many_is_told_when_to_come_again() -> None:
    limiter = Limiter()
    assert await allowed(limiter, 5) == 5
    wait = await limiter.count(FIVE, "a")
    assert wait is not None and 55 <= wait <= 60
    assert await limiter.count(FIVE, "b") is None, "others are not concerned"


async def test_the_wait_is_at_least_a_second_and_as_long_as_it_was_said() -> None:
    limiter = Limiter()
    assert [await limiter.count(SHORT, "a") for _ in range(3)] == [None, None, 1]
    await asyncio.sleep(1.01)
    assert await limiter.count(SHORT, "a") is None


async def test_looking_counts_nothing() -> None:
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


async def test_what_is_over_is_forgotten() -> None:
    passed = 0
    windows = Windows(now=lambda: 1_000.0 + passed)
    for n in range(1_000):
        await windows.incr(f"a{n}", 10)
    passed = 11
    for n in range(1_000):
        await windows.incr(f"b{n}", 10)
    assert len(windows) <= 1_001


async def test_memory_has_a_bound() -> None:
    windows = Windows(most=100)
    for n in range(1_000):
        await windows.incr(f"a{n}", 10)
    assert len(windows) == 100
    assert await windows.get("a999") == 1


async def test_instances_count_together(limiters: tuple[Limiter, Limiter]) -> None:
    one, other = limiters
    assert await allowed(one, 3) == 3
    assert await allowed(other, 5) == 2
    wait = await one.count(FIVE, "a")
    assert wait is not None and 55 <= wait <= 60
    assert await other.used_up(FIVE, "a") is not None
    assert await other.count(FIVE, "b") is None


async def test_redis_is_told_of_many_requests_at_once(
    redis: RedisServer, limiters: tuple[Limiter, Limiter]
) -> None:
    limit = parse("1000/minute")
    answers = [await limiter.count(limit, "a") for _ in range(700) for limiter in limiters]
    assert 1_000 <= answers.count(None) <= 1_000 + 2 * 10
    assert answers[-2:] != [None, None]
    told = int(redis.ask("INFO", "commandstats").split(b"cmdstat_evalsha:calls=")[1].split(b",")[0])
    assert told <= 110


async def test_who_is_refused_is_refused_without_asking_again(
    redis: RedisServer, limiters: tuple[Limiter, Limiter]
) -> None:
    one, other = limiters
    assert await allowed(other, 5) == 5
    assert await allowed(one, 1) == 0
    redis.flush()
    assert await allowed(one, 9) == 0


async def test_what_failed_here_is_used_up_whatever_redis_says(
    redis: RedisServer, limiters: tuple[Limiter, Limiter]
) -> None:
    assert await allowed(limiters[0], 5) == 5
    redis.flush()
    assert await limiters[0].used_up(FIVE, "a") is not None
    assert await limiters[1].used_up(FIVE, "a") is None


async def test_nothing_is_kept_in_redis_for_longer_than_it_counts(
    redis: RedisServer, limiters: tuple[Limiter, Limiter]
) -> None:
    await limiters[0].count(FIVE, "a")
    name = redis.ask("KEYS", "*").split(b"\r\n")[2].decode()
    assert 0 < int(redis.ask("TTL", name)[1:]) <= 60


async def test_who_counts_an_emptied_redis_does_not_know_begins_anew(
    redis: RedisServer, limiters: tuple[Limiter, Limiter]
) -> None:
    one, other = limiters
    assert await allowed(one, 9) == 5
    redis.flush()
    assert await allowed(other, 9) == 5
    assert await allowed(one, 9) == 0, "what was refused here stays so"


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
    monkeypatch.setattr(link, "ANSWER_SECONDS", 0.05)
    begun = time.monotonic()
    assert await allowed(one, 200) == 4
    assert time.monotonic() - begun < 0.05 + 0.5
    assert await allowed(other, 9) == 5


@pytest.mark.parametrize("harm", ["kill", "pause"])
async def test_when_redis_is_back_all_count_together_again(
    redis: RedisServer,
    limiters: tuple[Limiter, Limiter],
    harm: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link, "AWAY_SECONDS", 0.1)
    one, other = limiters
    getattr(redis, harm)()
    with monkeypatch.context() as patch:
        patch.setattr(link, "ANSWER_SECONDS", 0.05)
        await allowed(one, 9)
        await allowed(other, 9)
    redis.start() if harm == "kill" else redis.resume()
    await asyncio.sleep(0.15)
    assert await allowed(one, 3, "later") == 3
    assert await allowed(other, 5, "later") == 2


async def test_while_redis_is_away_one_of_many_asks_again(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "AWAY_SECONDS", 0.1)
    lost = Link(redis.url)
    asked = 0

    async def ask() -> None:
        nonlocal asked
        asked += 1
        await lost.redis.ping()

    async def tried() -> None:
        with pytest.raises(Away):
            await lost.ask(ask)

    redis.pause()
    await tried()
    await tried()
    assert asked == 1, "not so soon"
    await asyncio.sleep(0.11)
    await asyncio.gather(*(tried() for _ in range(20)))
    assert asked == 2, "one for all"
    redis.resume()
    await asyncio.sleep(0.25)
    await lost.ask(ask)
    await lost.close()


def test_streams_are_counted_while_they_are_open() -> None:
    streams = OpenStreams(most=3)
    with ExitStack() as first:
        first.enter_context(streams.one_more("a", 2))
        first.enter_context(streams.one_more("a", 2))
        with pytest.raises(TooMany):
            first.enter_context(streams.one_more("a", 2))
        first.enter_context(streams.one_more(None, 2))
        for sender in ("a", "b", None):
            with pytest.raises(TooMany if sender == "a" else Full):
                first.enter_context(streams.one_more(sender, 2))
        assert len(streams) == 3
    assert len(streams) == 0
    with streams.one_more("a", 1):
        pass
    assert not streams._by_sender, "nobody is remembered"


def test_bounds_of_streams_can_be_off() -> None:
    streams = OpenStreams(most=0)
    with ExitStack() as held:
        for _ in range(100):
            held.enter_context(streams.one_more("a", 0))
