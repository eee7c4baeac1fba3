"""PostgreSQL is away, or stands still, while many follow a match and some act: the log stays short,
no stream is cut, and every write is answered in time."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import httpx
import pytest

from tests.support.effort import times
from tests.support.faults.open_streams import every, open_streams
from tests.support.faults.served_process import SeatedMatch, served
from tests.support.http import local_http
from tests.support.http.match_play import problem_of
from tests.support.servers.live_server import Json
from tests.support.servers.postgres_server import PostgresServer
from tests.support.waiting import until

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
