"""Killed with kill -9 again and again while it is written to: nothing acknowledged is lost, doubled
or changed, and chance does not fall anew.

`ARBITER_KILLS` says how often, `ARBITER_SEED` repeats a run's choices (though not its timing).
"""

import asyncio
import os
import random
from collections import Counter
from collections.abc import Coroutine
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

from domain.events import Event, Record
from domain.games import GAMES
from domain.match_events import ActionReceived, DrawSettled, MatchCreated, SealedDrawSettled
from domain.match_state import awaited_draw, create, fold
from projections.disclosure import PUBLIC_VIEWER, Viewer, may_see, named
from service.dealer import Dealer, Hidden, deal
from service.settings import EMBEDDED
from service.storage.store import Store
from tests.faults.process import Process, folded_view, on_disk
from tests.faults.writers import (
    Acknowledged,
    DrawEntered,
    Ledger,
    Service,
    Table,
    close_phase,
    enter_draw,
    plays,
    table,
)

KILLS = int(os.environ.get("ARBITER_KILLS", "6"))
SEED = int(os.environ.get("ARBITER_SEED", "0")) or random.SystemRandom().getrandbits(32)
KINDS = [(game, chance) for game in GAMES for chance in ("server", "manual")]
CLOSING = {"together"}
"""Games whose phases end only when a moderator closes them."""
IMPATIENCE = 0.1
WRITERS = 3
"""So many seats of a match are played, if it has so many."""
REPEATED = 40
MODERATOR_PACE = 0.03

Records = dict[str, list[Record[Event]]]


async def test_nothing_acknowledged_is_lost_doubled_or_changed_by_kill_9(tmp_path: Path) -> None:
    print(f"ARBITER_SEED={SEED}")  # noqa: T201  shown if it fails
    chance = random.Random(SEED)
    service, ledger = Service(), Ledger()
    lives = [Process(tmp_path)]
    try:
        await service.at(lives[-1].url)
        places = [Place(service, ledger, *kind) for kind in KINDS]
        for place in places:
            await place.begin()
        async with asyncio.TaskGroup() as writers:
            for task in (task for place in places for task in place.tasks(chance)):
                writers.create_task(task)
            await killed_again_and_again(lives, service, ledger, chance)
            service.closing = True
        await check_repeats(service, ledger, ledger.actions[-10 * REPEATED :])
        await check_views(service, ledger, on_disk(tmp_path))
    finally:
        await service.away()
        lives[-1].kill()

    check_disk(ledger, on_disk(tmp_path))
    check_chance(tmp_path)
    check_secrets(tmp_path, ledger)


async def killed_again_and_again(
    lives: list[Process], service: Service, ledger: Ledger, chance: random.Random
) -> None:
    """Kills the server at random moments and starts it again; the last life goes on."""
    before: Records = {}
    for _ in range(KILLS):
        await ledger.reaches(len(ledger.actions) + chance.randint(30, 250))
        lives[-1].kill()
        await service.away()
        now = on_disk(lives[-1].data)
        check_disk(ledger, now)
        for match_id, records in before.items():
            assert now[match_id][: len(records)] == records, f"{match_id} was changed"
        before = now
        lives.append(await asyncio.to_thread(Process, lives[-1].data))
        await service.at(lives[-1].url)
        some = chance.sample(ledger.actions, min(REPEATED, len(ledger.actions)))
        await check_repeats(service, ledger, some)


class Place:
    """Where seats, and a moderator where one is needed, play one match after another."""

    def __init__(self, service: Service, ledger: Ledger, game: str, chance: str) -> None:
        self._service, self._ledger = service, ledger
        self._kind = game, chance
        self.table: Table

    async def begin(self) -> None:
        self.table = await table(self._service, self._ledger, *self._kind)

    def tasks(self, chance: random.Random) -> list[Coroutine[Any, Any, None]]:
        def present() -> Table:
            return self.table

        seats = [
            plays(self._service, self._ledger, seat, present, random.Random(chance.random()))
            for seat in range(min(WRITERS, len(self.table.seat_keys)))
        ]
        return [*seats, self._goes_on(random.Random(chance.random()))]

    async def _goes_on(self, chance: random.Random) -> None:
        """Enters draws by hand where that is due, and begins anew when a match is over."""
        while not self._service.closing:
            if self.table.chance == "manual":
                await enter_draw(self._service, self._ledger, self.table, chance)
            if self.table.game in CLOSING and chance.random() < IMPATIENCE:
                await close_phase(self._service, self.table)
            path = f"/v1/matches/{self.table.id}/view"
            view = await self._service.ask("GET", path, self.table.moderator_key)
            if view.json()["status"] == "ended":
                await self.begin()
            await asyncio.sleep(MODERATOR_PACE)


# What must hold.


def check_disk(ledger: Ledger, now: Records) -> None:
    """The record holds every promise once, in its place."""
    for records in now.values():
        times = [record.at for record in records]
        assert times == sorted(times)
        check_once(records)
    own = {
        (match_id, seat): [record.event for record in records if may_see(seat, record.event)]
        for match_id, records in now.items()
        for seat in range(WRITERS)
    }
    for action in ledger.actions:
        told = own[action.match, action.seat]
        assert len(told) >= action.seq, f"acknowledged and lost: {action}"
        event = told[action.seq - 1]
        assert isinstance(event, ActionReceived), action
        assert (event.seat, event.key, event.action) == (action.seat, action.key, action.action)
    for draw in ledger.draws:
        check_draw(now[draw.match], draw)


def check_once(records: list[Record[Event]]) -> None:
    """No request, acknowledged or not, stands on the record twice, and no draw fell twice."""
    events = [record.event for record in records]
    received = Counter((e.seat, e.key) for e in events if isinstance(e, ActionReceived))
    drawn = Counter(e.id for e in events if isinstance(e, DrawSettled | SealedDrawSettled))
    assert {*received.values(), *drawn.values()} <= {1}


def check_draw(records: list[Record[Event]], draw: DrawEntered) -> None:
    events = [record.event for record in records]
    settled = [e for e in events if isinstance(e, DrawSettled | SealedDrawSettled)]
    (outcome,) = (e.outcome for e in settled if e.id == draw.id)
    assert [list(part) if isinstance(part, tuple) else part for part in outcome] == draw.outcome


async def check_repeats(service: Service, ledger: Ledger, actions: list[Acknowledged]) -> None:
    """A repeat is answered with the first answer's body, and is told to be one."""

    async def repeat(action: Acknowledged) -> None:
        answer = await service.ask(
            "POST",
            f"/v1/matches/{action.match}/actions",
            ledger.tables[action.match].seat_keys[action.seat],
            json=action.action,
            headers={"Idempotency-Key": action.key},
        )
        assert answer.headers.get("idempotent-replayed") == "true", answer.text
        assert answer.status_code == (200 if action.status == 201 else 422)
        assert answer.content == action.body

    await asyncio.gather(*map(repeat, actions))


async def check_views(service: Service, ledger: Ledger, records: Records) -> None:
    """Every audience is shown what a fold of the record from event 0 gives."""
    for there in ledger.tables.values():
        viewers: list[tuple[Viewer, str]] = [
            (0, there.seat_keys[0]),
            (1, there.seat_keys[1]),
            (PUBLIC_VIEWER, there.seat_keys[0]),
            ("moderator", there.moderator_key),
        ]
        for viewer, key in viewers:
            path = f"/v1/matches/{there.id}/view?as={named(viewer)}"
            answer = await service.ask("GET", path, key)
            assert answer.content == folded_view(there.id, records[there.id], viewer)


def check_chance(data: Path) -> None:
    """Each draw that the service answered fell as its seed, kept before the match began, says."""
    env = {"PERSISTENCE_MODULE": EMBEDDED, "SQLITE_DBNAME": str(data / "arbiter.db")}
    fell = 0
    with closing(Store(env)) as store:
        dealer = Dealer(store.secrets)
        for match_id, records in on_disk(data).items():
            created = records[0].event
            assert isinstance(created, MatchCreated)
            if created.chance == "server":
                fell += check_draws(dealer.hidden(UUID(match_id)), match_id, created, records)
    assert fell > KILLS


def check_draws(
    hidden: Hidden, match_id: str, created: MatchCreated, records: list[Record[Event]]
) -> int:
    game, fell = GAMES[created.game], 0
    match = create(game, match_id, created, msgspec.convert(created.options, game.Options))
    for record in records:
        if isinstance(record.event, DrawSettled | SealedDrawSettled):
            draw = awaited_draw(game, match)
            assert draw is not None and draw.id == record.event.id
            assert deal(hidden, match, draw).outcome == record.event.outcome
            fell += 1
        match = fold(game, match, [record.event])
    return fell


def check_secrets(data: Path, ledger: Ledger) -> None:
    """No key lies in the database, and neither keys nor seeds in what the service logged."""
    errors = (data / "errors.txt").read_bytes()
    stored = b"".join(file.read_bytes() for file in data.glob("arbiter.db*"))
    for there in ledger.tables.values():
        for key in (*there.seat_keys, there.moderator_key):
            secret = key.rpartition("_")[2]
            assert secret.encode() not in errors
            assert secret.encode() not in stored and bytes.fromhex(secret) not in stored
