"""A simulated world: instances on a shared store, clients, and the faults between them."""

import asyncio
import contextvars
import functools
from collections.abc import Callable
from pathlib import Path
from random import Random
from unittest.mock import patch
from uuid import UUID

from domain.events import Event, Record
from domain.match.deadlines import SECOND
from service.clock import SteadyClock
from service.event_store.database import MEMORY, SQLiteDatabase
from service.event_store.properties import TABLES
from service.instance import Instance
from service.notices.posting import AttemptOutcome
from service.notices.registrations import TABLES as WEBHOOK_TABLES
from service.notices.registrations import Delivery, Webhook
from service.notices.webhook_table import WebhookTable
from service.setting_types import Grace, Memory
from service.settings import Limits, Settings, SigningSettings
from tests.simulation.absences import SharedProperties
from tests.simulation.fault_kinds import AT_AN_INSTANT, ActiveFaults, Fault
from tests.simulation.shared_memory_store import CONNECTION, MODULE, ConnectedDatabase, SharedStore
from tests.simulation.simulated_cluster import (
    LockServer,
    SimulatedClock,
    SimulatedLock,
    SimulatedNotifications,
)
from tests.simulation.simulated_network import Network
from tests.simulation.simulated_process import Coverage, SimulatedProcess
from tests.simulation.simulation_history import Away, Done, DoneKind, Entry, Happened, History
from tests.simulation.simulation_plan import Plan
from tests.simulation.stored_records import StoredRecords
from tests.simulation.virtual_loop import VirtualLoop
from tests.support.instants import NOON

RESTART_SECONDS = 0.2, 4.0
LOCK_TIMEOUT_SECONDS = 0.0, 3.0
"""How long an instance is away; how long the lock of a dead process stays locked."""

REFUSED_NOTICES = 0.2
"""How often a webhook does not take a notice, until all faults have ended."""

GRACES = 1, 10
"""The longest absence in seconds for which no deadline is moved: often there is a longer one."""

WHILE_COMMITTING = 0.5
"""How often a fault that happens at an instant waits for the next transaction."""

CLOCKS_APART = 200_000
"""How many microseconds two instances' clocks may differ at the start."""


class KnownMatch:
    """A match as the clients know it."""

    def __init__(self, match_id: UUID, game: str, seats: int, tournament: UUID | None) -> None:
        self.id, self.game, self.seats, self.tournament = match_id, game, seats, tournament


class World:
    """One simulation under way; `keys` is the folder of the service's signing keys."""

    def __init__(self, plan: Plan, keys: Path) -> None:
        self.plan = plan
        self.loop = VirtualLoop()
        self.chance = Random(f"{plan.seed}/environment")
        self.faults = ActiveFaults(plan.faults, self.loop, self.chance)
        self.coverage = Coverage()
        self.history = History()
        self.store = SharedStore()
        self.records = StoredRecords(self.store.log)
        self.lock_server = LockServer()
        self.matches: list[KnownMatch] = []
        self.tournaments: list[UUID] = []
        self._done: dict[tuple[DoneKind, UUID], dict[str, Done]] = {}
        self.processes: list[SimulatedProcess | None] = [None] * plan.shape.instances
        self.network = Network(self.loop, self.chance, self.faults, self.processes)
        self._grace = Grace(Random(f"{plan.seed}/grace").choice(GRACES))
        shared = SQLiteDatabase(MEMORY)
        shared.create(TABLES)
        self.properties = SharedProperties(shared, self._grace * SECOND, self._note_absence)
        self.webhooks = SQLiteDatabase(MEMORY)
        self.context = contextvars.copy_context()
        self._keys = keys
        self._starts = 0
        self._ended = False

    @property
    def now(self) -> int:
        """Microseconds since the start."""
        return self.loop.micros

    def add(self, entry: Entry) -> None:
        """Adds an entry to the history."""
        self.history.append(entry)
        if isinstance(entry, Done):
            self._done.setdefault((entry.kind, entry.match), {}).setdefault(entry.name, entry)

    def _note_absence(self, begun: int, ended: int) -> None:
        ahead = max(process.clock.ahead for process in self.processes if process is not None)
        self.add(Away(self.now, begun, ended, ahead))

    def known(self, kind: DoneKind, match: UUID) -> list[str]:
        """What was first acknowledged of this kind about a match, by name and in order."""
        return list(self._done.get((kind, match), ()))

    def on_record(self, stream: UUID) -> int:
        """The length of a stream in the store."""
        return self.store.log.length(str(stream))

    def record(self, match: UUID) -> list[Record[Event]]:
        """A stream's records in the store."""
        return self.records.of(match)

    # Instances.

    def start_all(self) -> None:
        """Starts every instance, and plans the faults that happen at an instant."""
        for number in range(self.plan.shape.instances):
            self.start(number)
        for fault in self.plan.faults:
            self.later(fault.at / 1e6, functools.partial(self._happen, fault))

    def start(self, number: int) -> None:
        """Starts an instance, with nothing in memory."""
        if self._ended:
            return
        self._starts += 1
        name = f"{number}.{self._starts}"
        process = SimulatedProcess(
            name, number, self.store, self.loop, self.chance, self.faults, self.coverage, self._died
        )
        process.clock = SimulatedClock(self.loop, NOON, self.chance.randrange(CLOCKS_APART))
        process.lock = SimulatedLock(self.lock_server, lambda: process.dead)
        process.instance = process.context.run(self._made, process)
        self.processes[number] = process
        self.add(Happened(self.now, "started", name))
        process.spawn(self._run(process))

    def _made(self, process: SimulatedProcess) -> Instance:
        shape = self.plan.shape
        settings = Settings(
            store={"PERSISTENCE_MODULE": MODULE, CONNECTION: process.name},
            signing=SigningSettings(keys=self._keys),
            shared=shape.instances > 1,
            limits=Limits(match_memory=Memory(shape.match_memory), grace=self._grace),
        )
        steady = functools.partial(SteadyClock, lambda: self.loop.micros * 1_000, lambda: 0)
        notified = shape.notified and shape.instances > 1
        send = functools.partial(self.network.notify, process)
        others = SimulatedNotifications(send) if notified else None
        poster = SimulatedReceiver(self, process)
        with (
            patch("service.composition.storage.SteadyClock", steady),
            patch("service.composition.storage.open_properties", lambda _: self.properties),
            patch("service.composition.storage.open_webhooks", lambda _: self._webhooks(process)),
            patch("service.composition.leading.NoticePoster", lambda *_, **__: poster),
            patch("service.composition.streaming.notifications_of", lambda *_: others),
        ):
            made = Instance(settings, process.clock, lock=process.lock, writer=process.writer)
        # Heartbeats are in the time of the store.
        made.presence._database_ahead = lambda: -process.clock.ahead
        return made

    def _webhooks(self, process: SimulatedProcess) -> WebhookTable:
        """The webhooks, which all processes share, as one process reaches them."""
        self.webhooks.create(WEBHOOK_TABLES)
        return WebhookTable(ConnectedDatabase(process, self.webhooks))

    async def _run(self, process: SimulatedProcess) -> None:
        """Runs an instance until it is stopped, breaks or dies; then it is started again."""
        instance = process.instance
        try:
            async with instance.running():
                process.up = True
                waits = [process.spawn(e.wait()) for e in (process.stopping, instance.broken)]
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                process.up = False
                if instance.broken.is_set():
                    self.add(Happened(self.now, "broken", process.name))
                instance.stop_streams()
                instance.fail_waiting()
                await asyncio.sleep(0)
        except Exception as error:  # noqa: BLE001  as with a real one, another is started
            self.add(Happened(self.now, f"not running: {type(error).__name__}", process.name))
        process.die()

    def _died(self, process: SimulatedProcess) -> None:
        self.add(Happened(self.now, "gone", process.name))
        self.later(self.chance.uniform(*RESTART_SECONDS), lambda: self.start(process.number))
        self.later(self.chance.uniform(*LOCK_TIMEOUT_SECONDS), process.lock.free)

    def later(self, seconds: float, call: Callable[[], object]) -> None:
        """Calls something outside all processes."""
        self.loop.call_later(seconds, call, context=self.context)

    # Faults that happen at an instant.

    def _happen(self, fault: Fault) -> None:
        """Lets a fault happen now, or while the instance commits next, when more can go wrong."""
        process = self.processes[fault.instance]
        if process is None or fault.kind not in AT_AN_INSTANT:
            return
        strike = functools.partial(self._strike, fault, process)
        if self.chance.random() < WHILE_COMMITTING:
            process.at_next_commit.append(lambda seconds: self.later(seconds, strike))
        else:
            strike()

    def _strike(self, fault: Fault, process: SimulatedProcess) -> None:
        if process.dead or self.faults.healed:
            return
        process.note(fault.kind)
        self.add(Happened(self.now, fault.kind, process.name))
        match fault.kind:
            case "crash":
                process.die()
            case "restart":
                process.stopping.set()
            case "frozen":
                self.loop.freeze(process)
                self.later(fault.length / 1e6, lambda: self.loop.thaw(process))
            case "clock ahead":
                process.clock.ahead += fault.length
            case "lock lost":
                process.lock.free()
                self.later(fault.length / 1e6, process.lock.hear)

    def heal(self) -> None:
        """Ends all faults."""
        self.faults.healed = True
        for process in self.processes:
            if process is not None:
                self.loop.thaw(process)

    def end(self) -> None:
        """Ends everything, so that nothing is left in memory."""
        self._ended = True
        for process in self.processes:
            if process is not None:
                process.die()


class SimulatedReceiver:
    """Those who receive what a process sends to webhooks, at whom not everything arrives."""

    def __init__(self, world: World, process: SimulatedProcess) -> None:
        self._world, self._process = world, process

    async def attempt(self, webhook: Webhook, delivery: Delivery, _: float) -> AttemptOutcome:
        """Takes a notice or not, and says so or not."""
        world, process = self._world, self._process
        await world.network.on_its_way(process.number)
        refused = not world.faults.healed and world.chance.random() < REFUSED_NOTICES
        if refused or world.faults.hits("lost request", process.number):
            return AttemptOutcome(False, False, "not reached")
        named, body = f"{webhook.id} {delivery.id}", delivery.body.decode()
        match = UUID(webhook.match)
        world.add(Done(world.now, -1, process.name, "delivered", match, named, body))
        await world.network.on_its_way(process.number)
        arrived = not world.faults.hits("lost reply", process.number)
        return AttemptOutcome(arrived, False, "200")
