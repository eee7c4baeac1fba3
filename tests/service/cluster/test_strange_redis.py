"""Redis with foreign values, or a server that is no Redis: the service works as without one."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from io import StringIO
from uuid import uuid4

import pytest
from limits import parse

from service.auth.rate_limiter import PREFIX, Limiter
from service.cluster import redis_client as client_module
from service.cluster import redis_notifications
from service.cluster.redis_client import RedisClient
from service.cluster.redis_notifications import RedisNotifications
from tests.support.captured_logs import logged
from tests.support.instance.listeners import Listeners
from tests.support.servers.redis_server import RedisServer, redis_server

__all__ = ["logged"]

FIVE = parse("5/minute")
NAME = f"{PREFIX}:{FIVE.key_for('a')}"
VALUE = "somebody else's"

ANSWERS = [
    b":1\r\n",
    b"+OK\r\n",
    b"*0\r\n",
    b"$-1\r\n",
    b"*1\r\n:5\r\n",
    b"*-1\r\n",
    b"_\r\n",
    b"%1\r\n+a\r\n+b\r\n",
    b"-ERR no\r\n",
    b"*3\r\n$7\r\nmessage\r\n$1\r\na\r\n*0\r\n",
    b"*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n",
    b"HTTP/1.1 400 Bad Request\r\n\r\n",
]
"""Answers of a server that is no Redis, to any command."""


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@pytest.fixture
async def redis_client(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[RedisClient]:
    """A client that waits long for a running Redis, for busy machines, and retries at once."""
    monkeypatch.setattr(client_module, "ANSWER_SECONDS", 5.0)
    monkeypatch.setattr(client_module, "AWAY_SECONDS", 0.0)
    redis.flush()
    made = RedisClient(redis.url)
    yield made
    await made.close()


async def counted(limiter: Limiter) -> list[bool]:
    """Which of seven requests are allowed."""
    return [await limiter.count(FIVE, "a") is None for _ in range(7)]


AS_WITHOUT = [True] * 5 + [False] * 2


@pytest.mark.parametrize("value", [VALUE, "1.5", "9" * 30, "", "99"])
async def test_a_counter_that_is_none_counts_nothing(
    redis: RedisServer, redis_client: RedisClient, value: str
) -> None:
    redis.execute("SET", NAME, value)
    limiter = Limiter(redis_client)
    assert await limiter.used_up(FIVE, "a") is None
    assert await counted(limiter) == AS_WITHOUT


async def test_a_list_in_place_of_a_counter_counts_nothing(
    redis: RedisServer, redis_client: RedisClient
) -> None:
    redis.execute("RPUSH", NAME, "1")
    limiter = Limiter(redis_client)
    assert await limiter.used_up(FIVE, "a") is None
    assert await counted(limiter) == AS_WITHOUT


async def test_no_client_waits_longer_than_a_window(
    redis: RedisServer, redis_client: RedisClient
) -> None:
    redis.execute("SET", NAME, "99", "EX", "100000")
    limiter = Limiter(redis_client)
    assert await limiter.used_up(FIVE, "a") is None
    assert await counted(limiter) == AS_WITHOUT


async def test_a_strange_value_is_logged_once_and_without_itself(
    redis: RedisServer, redis_client: RedisClient, logged: StringIO
) -> None:
    redis.execute("SET", NAME, VALUE)
    limiter = Limiter(redis_client)
    for _ in range(3):
        assert await limiter.used_up(FIVE, "a") is None
        assert await limiter.used_up(FIVE, "b") is None, "and here Redis answers"
    assert logged.getvalue().count('"event": "redis_away"') == 1
    assert VALUE not in logged.getvalue()


@asynccontextmanager
async def answering(answer: bytes) -> AsyncIterator[str]:
    """The URL of a server that gives the same answer to every command."""

    writers: dict[asyncio.Task[None] | None, asyncio.StreamWriter] = {}

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers[asyncio.current_task()] = writer
        with suppress(OSError):
            while data := await reader.read(4096):
                writer.write(answer * (data.count(b"*") or 1))
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(respond, "127.0.0.1", 0)
    try:
        yield f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}/0"
    finally:
        server.close()
        for writer in writers.values():
            writer.close()
        await asyncio.gather(*filter(None, writers))


@pytest.mark.parametrize("answer", ANSWERS)
async def test_a_server_that_is_no_redis_neither_notifies_nor_stops_notifications(
    answer: bytes, logged: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_notifications, "RETRY_SECONDS", 0.005)
    async with answering(answer) as url:
        notifications = RedisNotifications(url, Listeners())
        task = asyncio.create_task(notifications.run())
        for _ in range(10):
            notifications.notify(uuid4())
            await asyncio.sleep(0.005)
        assert not task.done()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    for event in ("news_not_heard", "news_not_told"):
        assert logged.getvalue().count(f'"event": "{event}"') <= 2, "each kind once"


@pytest.mark.parametrize("answer", ANSWERS)
async def test_a_server_that_is_no_redis_does_not_change_limits(
    answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "AWAY_SECONDS", 0.0)
    async with answering(answer) as url:
        redis_client = RedisClient(url)
        limiter = Limiter(redis_client)
        assert await limiter.used_up(FIVE, "a") is None
        assert await counted(limiter) == AS_WITHOUT
        await redis_client.close()
