"""Matches with a deadline a second, and when each has to pass."""

import asyncio
from collections.abc import Sequence

from domain.events import Event, Record
from domain.match.events import AwaitingChanged, DeadlinePassed, DeadlineSet, MatchEnded
from tests.faults.http_writers import Service
from tests.faults.worker_fleet import Servers
from tests.support.faults.server_process import PATIENCE
from tests.support.games import usual
from tests.support.instants import SECOND
from tests.support.servers.instance_settings import ORGANISER_KEY

TURN = 1
PACE = 0.02

NEW = {
    "game": "dollar-prize",
    "seats": usual("dollar-prize"),
    "options": {"turn_seconds": TURN},
    "clock": "rules",
}


class Clocked:
    """One match with a turn a second after another: each is over after a few minutes."""

    def __init__(self, service: Service, servers: Servers) -> None:
        self._service = service
        self._servers = servers
        self._matches: list[str] = []

    async def begin(self) -> None:
        answer = await self._service.request("POST", "/v1/matches", ORGANISER_KEY, json=NEW)
        assert answer.status_code == 201, answer.text
        made = answer.json()
        path = f"/v1/matches/{made['id']}/start"
        begun = await self._service.request("POST", path, made["moderator_key"])
        assert begun.status_code == 201 or begun.json()["code"] == "already_started"
        self._matches.append(made["id"])

    async def passes(self) -> None:
        """Returns when another deadline has passed, which needs a leader."""
        before = passed(await self._now())
        async with asyncio.timeout(PATIENCE):
            while passed(now := await self._now()) == before:
                # What the end reveals, the seed, is recorded after it.
                if any(isinstance(record.event, MatchEnded) for record in now):
                    await self.begin()
                    before = []
                await asyncio.sleep(PACE)

    def check(self) -> None:
        """Every deadline has passed once, at its own instant, however late it was noticed. On a
        busy machine all workers may be away for longer than the grace, which moves a deadline."""
        for match_id in self._matches:
            records = self._servers.record(match_id)
            assert passed(records), "none has passed"
            check_instants(records)

    async def _now(self) -> list[Record[Event]]:
        return await asyncio.to_thread(self._servers.record, self._matches[-1])


def passed(records: Sequence[Record[Event]]) -> list[int]:
    """The instants of the deadlines that have passed."""
    return [record.at for record in records if isinstance(record.event, DeadlinePassed)]


def check_instants(records: Sequence[Record[Event]]) -> None:
    """Each deadline passes at the instant at which it was in force, a turn after the one before it
    unless one of the two was moved."""
    in_force, before, was_moved = None, None, False
    for record in records:
        match record.event:
            case AwaitingChanged(deadline=deadline):
                in_force = deadline
            case DeadlineSet(deadline=deadline):
                in_force, was_moved = deadline, True
            case DeadlinePassed():
                assert record.at == in_force
                assert before is None or was_moved or record.at == before + TURN * SECOND
                # What follows a moved deadline counts from the instant that it had before.
                before = None if was_moved else record.at
                was_moved = False
            case _:
                pass
