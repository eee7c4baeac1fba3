"""Redis with somebody else's values in it, or no Redis at all: all goes on as without one."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from io import StringIO
from uuid import uuid4

import pytest
from limits import parse

from service.access.limiting import PREFIX, Limiter
from service.instances import link as link_module
from service.instances import news as news_module
from service.instances.hub import Hub
from service.instances.link import Link
from service.instances.news import News
from tests.logged import logged
from tests.redis_server import RedisServer, redis_server

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
"""What something may say whatever it is asked."""


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with redis_server() as server:
        yield server


@pytest.fixture
async def link(redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Link]:
    """A Redis that is up is waited for, however busy the machine is, and asked again at once."""
    monkeypatch.setattr(link_module, "ANSWER_SECONDS", 5.0)
    monkeypatch.setattr(link_module, "AWAY_SECONDS", 0.0)
    redis.flush()
    made = Link(redis.url)
    yield made
    await made.close()


async def counted(limiter: Limiter) -> list[bool]:
    """Who is let through of seven."""
    return [await limiter.count(FIVE, "a") is None for _ in range(7)]


AS_WITHOUT = [True] * 5 + [False] * 2


@pytest.mark.parametrize("value", [VALUE, "1.5", "9" * 30, "", "99"])
async def test_a_counter_that_is_none_counts_nothing(
    redis: RedisServer, link: Link, value: str
) -> None:
    redis.ask("SET", NAME, value)
    limiter = Limiter(link)
    assert await limiter.used_up(FIVE, "a") is None
    assert await counted(limiter) == AS_WITHOUT


async def test_a_list_in_place_of_a_counter_counts_nothing(redis: RedisServer, link: Link) -> None:
    redis.ask("RPUSH", NAME, "1")
    limiter = Limiter(link)
    assert await limiter.used_up(FIVE, "a") is None
    assert await counted(limiter) == AS_WITHOUT


async def test_nobody_is_kept_waiting_for_longer_than_a_window(
    redis: RedisServer, link: Link
) -> None:
    redis.ask("SET", NAME, "99", "EX", "100000")
    limiter = Limiter(link)
    assert await limiter.used_up(FIVE, "a") is None
    assert await counted(limiter) == AS_WITHOUT


async def test_a_strange_value_is_logged_once_and_without_itself(
    redis: RedisServer, link: Link, logged: StringIO
) -> None:
    redis.ask("SET", NAME, VALUE)
    limiter = Limiter(link)
    for _ in range(3):
        assert await limiter.used_up(FIVE, "a") is None
        assert await limiter.used_up(FIVE, "b") is None, "and here Redis answers"
    assert logged.getvalue().count('"event": "redis_away"') == 1
    assert VALUE not in logged.getvalue()


@asynccontextmanager
async def saying(answer: bytes) -> AsyncIterator[str]:
    """The address of something that says the same to everything."""

    saying: dict[asyncio.Task[None] | None, asyncio.StreamWriter] = {}

    async def says(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        saying[asyncio.current_task()] = writer
        with suppress(OSError):
            while data := await reader.read(4096):
                writer.write(answer * (data.count(b"*") or 1))
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(says, "127.0.0.1", 0)
    try:
        yield f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}/0"
    finally:
        server.close()
        for writer in saying.values():
            writer.close()
        await asyncio.gather(*filter(None, saying))


@pytest.mark.parametrize("answer", ANSWERS)
async def test_something_that_is_no_redis_tells_no_news_and_ends_none(
    answer: bytes, logged: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news_module, "AGAIN_SECONDS", 0.02)
    async with saying(answer) as url:
        news = News(url, Hub())
        task = asyncio.create_task(news.run())
        for _ in range(30):
            news.tell(uuid4())
            await asyncio.sleep(0.02)
        assert not task.done()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    for event in ("news_not_heard", "news_not_told"):
        assert logged.getvalue().count(f'"event": "{event}"') <= 2, "each kind once"


@pytest.mark.parametrize("answer", ANSWERS)
async def test_something_that_is_no_redis_limits_nobody_otherwise(
    answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "AWAY_SECONDS", 0.0)
    async with saying(answer) as url:
        link = Link(url)
        limiter = Limiter(link)
        assert await limiter.used_up(FIVE, "a") is None
        assert await counted(limiter) == AS_WITHOUT
        await link.close()
