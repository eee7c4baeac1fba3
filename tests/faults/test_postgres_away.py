"""PostgreSQL is away, or stands still, while many follow a match and some act: the log stays short,
no stream is cut, and every write is answered in time."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from pathlib import Path

import httpx
import pytest

from tests.support.effort import times
from tests.support.faults.served_process import SeatedMatch, served
from tests.support.http import local_http
from tests.support.http.match_play import problem_of
from tests.support.servers.live_server import Json
from tests.support.servers.postgres_server import PostgresServer
from tests.support.waiting import until

pytestmark = pytest.mark.slow(
    because="it kills, cuts or damages what a service needs, again and again"
)

LAST_CHUNK = b"\r\n0\r\n\r\n"
"""The end of a complete chunked body (RFC 9112, 7.1)."""


class OpenStream:
    """One reader of a match as one audience. `received` has the head, and every chunk with its
    framing."""

    def __init__(self, path: str, key: str | None) -> None:
        self.received = b""
        self.closed = False
        authorization = "" if key is None else f"Authorization: Bearer {key}\r\n"
        self._asks = f"GET {path} HTTP/1.1\r\nHost: x\r\n{authorization}\r\n".encode()

    @property
    def open(self) -> bool:
        """Whether the server has begun to answer it with a stream, and goes on."""
        return self.received.startswith(b"HTTP/1.1 200") and not self.closed

    @property
    def cut(self) -> bool:
        """Whether it ended and its body is not complete."""
        return self.closed and not self.received.endswith(LAST_CHUNK)

    async def read(self, port: int) -> None:
        """Reads until the server closes the connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(self._asks)
            while some := await reader.read(65_536):
                self.received += some
                if self.received.endswith(LAST_CHUNK):
                    break
        except ConnectionError:
            pass
        finally:
            self.closed = True
            writer.close()


@asynccontextmanager
async def open_streams(
    port: int, wanted: Sequence[tuple[str, str | None]]
) -> AsyncIterator[list[OpenStream]]:
    """A stream for each path and key; all have begun when the context is entered."""
    streams = [OpenStream(path, key) for path, key in wanted]
    tasks = [asyncio.create_task(stream.read(port)) for stream in streams]
    try:
        await until(every(streams, lambda stream: stream.open))
        yield streams
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def every(streams: Sequence[OpenStream], true: Callable[[OpenStream], bool]) -> Callable[[], bool]:
    """Whether it is true of every stream."""
    return lambda: all(map(true, streams))


STREAMS = times("followers")
MATCHES = 10
AWAY_SECONDS = 5.0
ANSWER_SECONDS = 15.0
"""Within which every write is answered, as the manual says."""

LOG_BYTES = 10_000

NOT_NOW: Json = {"type": "end_turn"}
HEADS: Json = {"type": "choose_side", "side": "heads"}


@pytest.fixture
def postgres() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


@contextmanager
def stopped(server: PostgresServer) -> Iterator[None]:
    """Shut down and started again."""
    server.stop()
    try:
        yield
    finally:
        server.start()


Away = Callable[[PostgresServer], AbstractContextManager[None]]


async def acts(
    client: httpx.AsyncClient, match: SeatedMatch, name: str, action: Json = NOT_NOW
) -> tuple[int, float]:
    """The status and the seconds of an action's answer."""
    headers = {"Authorization": f"Bearer {match.keys[0]}", "Idempotency-Key": name}
    began = time.monotonic()
    answer = await client.post(match.seats[0].path + "/actions", json=action, headers=headers)
    if answer.status_code == 503:
        assert problem_of(answer)["code"] == "try_again"
    return answer.status_code, time.monotonic() - began


@pytest.mark.parametrize("away", [stopped, PostgresServer.suspended], ids=["away", "still"])
async def test_streams_and_writes_during_an_outage(
    tmp_path: Path, postgres: PostgresServer, away: Away
) -> None:
    with (
        postgres.database() as store,
        served(tmp_path / "data", tmp_path / "log", store) as service,
    ):
        matches = [service.started() for _ in range(MATCHES)]
        async with (
            open_streams(service.port, everybody(matches)) as streams,
            local_http.async_client(f"http://127.0.0.1:{service.port}", timeout=60.0) as client,
        ):
            assert len(streams) == STREAMS
            service.forget_log()
            with away(postgres):
                lasts = asyncio.create_task(asyncio.sleep(AWAY_SECONDS))
                answers = await asyncio.gather(
                    *(acts(client, match, name) for match in matches for name in "abc")
                )
                await lasts
                assert service.ready()[0] == 503
            for status, seconds in answers:
                assert (status, seconds < ANSWER_SECONDS) == (503, True)

            await until(lambda: service.ready()[0] == 200)
            for match in matches:
                assert (await acts(client, match, "a"))[0] == 422
                assert (await acts(client, match, "d", HEADS))[0] == 201
            await until(every(streams, lambda stream: b"side-chosen" in stream.received))
            assert not any(stream.closed for stream in streams)
            await until(lambda: bool(service.lines("store_works_again")))
        logged = service.logged()
        print(f"{len(logged)} bytes of log for {STREAMS} streams")  # noqa: T201  the measurement
        assert len(logged) < LOG_BYTES, logged[:5_000].decode()
        assert b"File " not in logged
        assert len(service.lines("store_works_again")) == 1


def everybody(matches: Sequence[SeatedMatch]) -> list[tuple[str, str | None]]:
    """The streams of the matches, by path and key: of all audiences alike."""
    audiences = [
        (f"{match.anyone.path}/stream", key)
        for match in matches
        for key in (None, *match.keys, match.moderator.client.key)
    ]
    return audiences * (STREAMS // len(audiences))
