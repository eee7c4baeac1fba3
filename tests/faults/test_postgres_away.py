"""PostgreSQL is away, or stands still, while many follow a match and some act: the log stays short,
no stream is cut, and every write is answered in time."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import count, islice
from pathlib import Path

import httpx
import pytest

from tests.faults.served_process import served
from tests.faults.stream_reader_process import Wanted
from tests.faults.stream_readers import reading
from tests.support.effort import times
from tests.support.http import local_http
from tests.support.http.match_play import problem_of
from tests.support.servers.live_server import Json, LiveMatch
from tests.support.servers.postgres_server import PostgresServer
from tests.support.waiting import until

pytestmark = pytest.mark.slow(
    because="it kills, cuts or damages what a service needs, again and again"
)

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
    client: httpx.AsyncClient, match: LiveMatch, name: str, action: Json = NOT_NOW
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
    with postgres.database() as store, served(tmp_path / "data", tmp_path, store) as service:
        matches = [service.started() for _ in range(MATCHES)]
        everybody = list(islice(audiences(matches), STREAMS))
        async with local_http.async_client(service.url, timeout=60.0) as client:
            with reading(service.url) as readers:
                await readers.come(everybody)
                await readers.until(lambda now: now.begun == STREAMS)
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
                ends = {
                    (match.id, audience): player.view(audience).json()["seq"]
                    for match in matches
                    for audience, player in match.audiences().items()
                }
                wanted = {one.name: ends[one.match, one.audience] for one in everybody}
                done = await readers.until(lambda now: now.last == wanted)
                assert not any(done.cut.values())
                await until(lambda: bool(service.lines("store_works_again")))
        logged = service.logged()
        print(f"{len(logged)} bytes of log for {STREAMS} streams")  # noqa: T201  the measurement
        assert len(logged) < LOG_BYTES, logged[:5_000]
        assert "File " not in logged
        assert len(service.lines("store_works_again")) == 1


def audiences(matches: Sequence[LiveMatch]) -> Iterator[Wanted]:
    """Readers of all audiences alike, without end."""
    names = map(str, count())
    while True:
        for match in matches:
            for audience, player in match.audiences().items():
                key = player.client.key or match.moderator_key
                yield Wanted(next(names), match.id, audience, key, after=0)
