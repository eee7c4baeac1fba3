"""The service or its database is killed and away for a while: no one loses time on the clock.

Downtime is real time here, so the grace is short.
"""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from domain.match.events import DeadlineSet
from domain.proof.rejudging import rejudge
from projections.fields import rfc3339
from service.instance import Instance
from service.settings import Limits, Settings, SigningSettings
from tests.support.faults.server_process import Process, on_disk
from tests.support.instance.service_instance import PATIENCE, on_record, recorded, sends
from tests.support.instance.virtual_deadlines import HEADS, passed, timed
from tests.support.instants import SECOND
from tests.support.servers.instance_settings import ORGANISER_KEY
from tests.support.servers.postgres_server import PostgresServer

pytestmark = pytest.mark.slow(
    because="it kills, cuts or damages what a service needs, again and again"
)

GRACE, AWAY = 2, 3.0
"""Seconds."""


def post(process: Process, path: str, key: str, **body: Any) -> Any:
    headers = {"Authorization": f"Bearer {key}"}
    answer = httpx.post(f"{process.url}{path}", json=body or None, headers=headers)
    assert answer.status_code == 201, answer.text
    return answer.json()


def begun(process: Process) -> str:
    """A match whose first deadline is in a minute."""
    new = {"game": "dollar-prize", "seats": ["Ann", "Ben"], "clock": "rules"}
    made = post(process, "/v1/matches", ORGANISER_KEY, **new, options={"turn_seconds": 60})
    post(process, f"/v1/matches/{made['id']}/start", made["moderator_key"])
    match_id: str = made["id"]
    return match_id


def deadline(process: Process, match_id: str) -> str:
    """The deadline in force, as everyone sees it."""
    view = httpx.get(f"{process.url}/v1/matches/{match_id}/view").json()
    shown: str = view["awaiting"]["deadline"]
    return shown


def test_after_kill_9_all_deadlines_are_moved_by_the_absence(tmp_path: Path) -> None:
    began = time.monotonic()
    with Process(tmp_path, "--grace", str(GRACE)) as process:
        match_id = begun(process)
        before = deadline(process, match_id)
        process.kill()
    time.sleep(AWAY)
    with Process(tmp_path, "--grace", str(GRACE)) as process:
        until = time.monotonic() + PATIENCE
        while deadline(process, match_id) == before:
            assert time.monotonic() < until
        after = deadline(process, match_id)
    records = on_disk(tmp_path)[match_id]
    (moved,) = [one.event for one in records if isinstance(one.event, DeadlineSet)]
    away = moved.ended - moved.begun
    assert AWAY * SECOND <= away < (time.monotonic() - began) * SECOND
    assert (before, after) == (rfc3339(moved.deadline - away), rfc3339(moved.deadline))
    assert rejudge(match_id, records)


def test_after_kill_9_within_the_grace_no_deadline_is_moved(tmp_path: Path) -> None:
    with Process(tmp_path, "--grace", "600") as process:
        match_id = begun(process)
        before = deadline(process, match_id)
        process.kill()
    time.sleep(AWAY)
    with Process(tmp_path, "--grace", "600") as process:
        assert deadline(process, match_id) == before
        post(process, "/v1/matches", ORGANISER_KEY, game="dollar-prize", seats=["Cy", "Dee"])
    assert not any(isinstance(one.event, DeadlineSet) for one in on_disk(tmp_path)[match_id])


@pytest.fixture
def postgres() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


def moves(instance: Instance, match_id: UUID) -> list[DeadlineSet]:
    return recorded(instance, match_id, DeadlineSet)


async def test_while_postgres_was_away_nobody_lost_time(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    """Two instances stand all the time; each match is moved once for each absence."""
    with postgres.database() as store:
        chosen = Settings(
            store=store,
            signing=SigningSettings(keys=tmp_path / "keys"),
            shared=True,
            limits=Limits(grace=GRACE),
        )
        one, two = Instance(chosen), Instance(chosen)
        async with one.running(), two.running():
            matches = [await timed(one) for _ in range(5)]
            await asyncio.to_thread(postgres.kill)
            await asyncio.sleep(AWAY)
            await asyncio.to_thread(postgres.start)
            async with asyncio.timeout(2 * PATIENCE):
                for match_id in matches:
                    while not moves(two, match_id):  # noqa: ASYNC110  it must be polled
                        await asyncio.sleep(0.05)
            await asyncio.gather(
                *(
                    instance.matches.pass_deadline(match_id)
                    for match_id in matches
                    for instance in (one, two)
                )
            )
            answer = await two.matches.execute(matches[0], sends(0, HEADS), 0)
            assert answer.result.code is None
            assert [passed(one, match_id) for match_id in matches] == [[]] * 5
            ends = [absence.ended for absence in one.presence.absences]
            for match_id in matches:
                moved = [move.ended for move in moves(one, match_id)]
                assert moved == ends[: len(moved)]
                assert rejudge(str(match_id), on_record(one, match_id))
            first = moves(one, matches[0])[0]
            assert first.ended - first.begun >= AWAY * SECOND


async def test_while_one_of_two_instances_serves_nothing_is_moved(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    with postgres.database() as store:
        chosen = Settings(
            store=store,
            signing=SigningSettings(keys=tmp_path / "keys"),
            shared=True,
            limits=Limits(grace=GRACE),
        )
        stays = Instance(chosen)
        async with stays.running():
            match_id = await timed(stays)
            async with Instance(chosen).running():
                pass
            await asyncio.sleep(AWAY)
            back = Instance(chosen)
            async with back.running():
                answer = await back.matches.execute(match_id, sends(0, HEADS), 0)
                assert answer.result.code is None
                assert moves(back, match_id) == []
