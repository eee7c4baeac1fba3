"""What tests put between a client and the service leaves nothing behind for another test."""

import asyncio

from tests.support.browser.cutting_proxy import cutting_proxy
from tests.support.waiting import until


async def _keep_open(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()
    writer.close()
    await writer.wait_closed()


async def test_a_relay_that_has_stopped_has_closed_both_sides() -> None:
    alone = asyncio.all_tasks()
    server = await asyncio.start_server(_keep_open, "127.0.0.1", 0)
    async with cutting_proxy(server.sockets[0].getsockname()[1]) as proxy:
        address = proxy.url.removeprefix("http://").split(":")
        clients = [await asyncio.open_connection(*address) for _ in range(2)]
        await until(lambda: len(proxy.clients) == 2)
    server.close()
    await until(lambda: asyncio.all_tasks() == alone)
    assert proxy.clients == set()
    for _, writer in clients:
        writer.close()
        await asyncio.gather(writer.wait_closed(), return_exceptions=True)
