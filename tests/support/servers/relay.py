"""Carries connections between clients and a server on this machine, and notes their requests."""

import asyncio
import re
from contextlib import suppress

REQUEST = re.compile(rb"^([A-Z]+) (\S+) HTTP/1\.1\r$", re.MULTILINE)


class Relay:
    """Forwards bytes between its clients and the server at a port. What is cut is decided by who
    inherits. `requests` are all that came, as in "GET /v1/…"."""

    def __init__(self, server_port: int) -> None:
        self._server_port = server_port
        self._listener: asyncio.Server | None = None
        self._carried: set[asyncio.Task[None]] = set()
        self.clients: set[asyncio.StreamWriter] = set()
        self.requests: list[str] = []

    async def start(self) -> None:
        """Listens at a free port from now on."""
        self._listener = await asyncio.start_server(self._carry, "127.0.0.1", 0)

    @property
    def url(self) -> str:
        assert self._listener is not None, "the relay has not started"
        return f"http://127.0.0.1:{self._listener.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        """Cuts every connection. All are closed when it returns."""
        assert self._listener is not None, "the relay has not started"
        self._listener.close()
        while self._carried:
            for client in self.clients:
                client.transport.abort()
            await asyncio.wait(self._carried)

    def came(self, requests: list[str], client: asyncio.StreamWriter) -> None:
        """Is told of the requests that begin in what a client sent, before it is forwarded."""

    def cut_behind(self, received: int, client: asyncio.StreamWriter) -> int | None:
        """Behind how many of the received bytes the connection is cut; None for not at all."""
        return None

    def end(self, client: asyncio.StreamWriter) -> None:
        """Ends a connection that is cut."""
        client.close()

    async def _carry(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        """Carries one connection until either side closes it. Both are closed when it returns."""
        task = asyncio.current_task()
        assert task is not None
        self._carried.add(task)
        self.clients.add(client)
        try:
            from_server, server = await asyncio.open_connection("127.0.0.1", self._server_port)
            try:
                async with asyncio.TaskGroup() as both:
                    both.create_task(self._forward(reader, server, client))
                    both.create_task(self._answer(from_server, client, server))
            finally:
                await _closed(server)
        finally:
            await _closed(client)
            self.clients.discard(client)
            self._carried.discard(task)

    async def _forward(
        self,
        reader: asyncio.StreamReader,
        server: asyncio.StreamWriter,
        client: asyncio.StreamWriter,
    ) -> None:
        with suppress(ConnectionError):
            while sent := await reader.read(65_536):
                found = [f"{m.decode()} {path.decode()}" for m, path in REQUEST.findall(sent)]
                self.requests += found
                self.came(found, client)
                server.write(sent)
        server.close()
        client.close()

    async def _answer(
        self,
        reader: asyncio.StreamReader,
        client: asyncio.StreamWriter,
        server: asyncio.StreamWriter,
    ) -> None:
        with suppress(ConnectionError):
            while sent := await reader.read(65_536):
                behind = self.cut_behind(len(sent), client)
                client.write(sent[:behind])
                if behind is not None:
                    await client.drain()
                    self.end(client)
                    break
        client.close()
        server.close()


async def _closed(writer: asyncio.StreamWriter) -> None:
    """Closes a connection, and waits until it is. Its last bytes need not arrive."""
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()
