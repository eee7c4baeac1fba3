"""A server that is no Redis: the service works as without one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from io import StringIO
from uuid import uuid4

import pytest

from service.cluster import redis_notifications
from service.cluster.redis_notifications import RedisNotifications
from tests.service.cluster.listeners import Listeners

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
