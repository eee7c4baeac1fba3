"""Runs a simulation from its plan, in virtual time, and says what is wrong with it."""

import asyncio
import atexit
import gc
import random
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple
from unittest.mock import patch
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

import service.instance
from domain.rulings import life
from projections.audience import projection as audience_projection
from service.application.matches import decision_queue
from service.application.matches.loaded_match import LoadedMatch
from service.application.rulings import match_rulings
from service.http.access.grants import known_grant
from service.notices import sender
from service.observability import logs
from service.signing.signing_keys import ServiceSigner
from tests.simulation.checked_history import CheckedHistory
from tests.simulation.client_steps import ClientStep
from tests.simulation.history_checks import violations
from tests.simulation.simulated_process import Coverage, SimulatedProcess
from tests.simulation.simulated_reader import SimulatedReader
from tests.simulation.simulated_world import World
from tests.simulation.simulation_history import Created, Done, Happened, Unanswered
from tests.simulation.simulation_plan import Plan, Step, planned
from tests.simulation.undone_work import state_of, undone
from tests.simulation.violations import Violation

PATIENCE_SECONDS = 90.0
"""Virtual seconds after the end of all faults, within which everything must be done."""

PENDING = 8_000_000
"""Microseconds for which a ruling waits for someone, so that some lapse."""

PAUSES = (1, 2, 5) * 1_000
"""Seconds before a notice is sent once more; so many that it never has failed."""

ENDED_SECONDS = 15
"""Virtual seconds within which a key that has ended opens nothing anywhere: two, after a read of
the store that stalled before all faults ended."""

LOOK_SECONDS = 0.25
PAUSE_SECONDS = 1.0


class Verdict(Struct, frozen=True):
    """What a simulation did: its violations, its history and then everything in the store as bytes,
    and which faults hit which states."""

    violations: tuple[Violation, ...]
    history: bytes
    coverage: Coverage


def verdict(plan: Plan) -> Verdict:
    """Runs a plan and checks its history."""
    with patch.object(life, "PENDING", PENDING):
        world = _simulated(plan)
        checked = CheckedHistory(world.history, world.records, _matches(world))
        return Verdict(tuple(violations(checked)), _everything(world), world.coverage)


class Report(NamedTuple):
    """The verdict on the simulation of a seed, as another process reports it: what is wrong, and
    the SHA-256 of the history."""

    seed: str
    wrong: tuple[str, ...]
    coverage: Coverage
    digest: bytes


def report(simulation: tuple[str, int]) -> Report:
    """Runs the simulation of a seed and so many steps."""
    found = verdict(planned(*simulation))
    wrong, digest = tuple(map(str, found.violations)), sha256(found.history).digest()
    return Report(simulation[0], wrong, found.coverage, digest)


def _matches(world: World) -> set[UUID]:
    """The matches of which anyone was told."""
    return {
        entry.id for entry in world.history if isinstance(entry, Created) and entry.what == "match"
    }


def _everything(world: World) -> bytes:
    log = world.store.log
    stored = (state for stream in log.streams for state in log.select_states(stream))
    return world.history.encoded() + b"".join(stored)


def _simulated(plan: Plan) -> World:
    """Runs the plan, until everything is quiet again; the world that it leaves has the history."""
    with _surroundings(plan):
        world = World(plan, signing_keys())
        collecting = gc.isenabled()
        gc.disable()  # What is collected runs code; when, would depend on the memory.
        try:
            world.loop.run_until_complete(_run(world))
        finally:
            world.loop.close()
            if collecting:
                gc.enable()
    return world


@cache
def signing_keys() -> Path:
    """A folder of signing keys, the same for all simulations of this process."""
    folder = Path(tempfile.mkdtemp(prefix="simulation-keys-"))
    atexit.register(shutil.rmtree, folder)
    ServiceSigner(folder, "arbiter").make()
    return folder


@contextmanager
def _surroundings(plan: Plan) -> Iterator[None]:
    """Chance from the seed, and the limits of the plan, for the product's code. What a process
    logs, and the threads that a real one waits for, are not simulated."""
    shape, state = plan.shape, random.getstate()
    entropy = random.Random(f"{plan.seed}/entropy")
    limits = (
        (random, "_urandom", entropy.randbytes),
        (uuid, "os", SimpleNamespace(urandom=entropy.randbytes)),
        (match_rulings, "PENDING", PENDING),
        (sender, "PAUSES", PAUSES),
        (service.instance, "finish_store_threads", lambda: None),
        (logs, "failure", _not_logged),
        (logs, "info", _not_logged),
        (decision_queue, "MOST_A_TRANSACTION", shape.most_a_transaction),
        (decision_queue, "MOST_DEADLINES", shape.most_deadlines),
        (audience_projection, "MAX_UNFOLDED", shape.most_unfolded),
    )
    patches = [patch.object(module, name, value) for module, name, value in limits]
    random.seed(f"{plan.seed}/shared")
    try:
        for one in patches:
            one.start()
        yield
    finally:
        for one in patches:
            one.stop()
        random.setstate(state)


def _not_logged(*_: object, **__: object) -> None:
    """Logs nothing."""


async def _run(world: World) -> None:
    clients: list[asyncio.Task[None]] = []
    try:
        await _played(world, clients)
    finally:
        world.end()
        for task in clients:
            task.cancel()
        while left := asyncio.all_tasks() - {asyncio.current_task()}:
            for one in left:
                one.cancel()
            await asyncio.wait(left)


async def _played(world: World, clients: list[asyncio.Task[None]]) -> None:
    """Plays all steps, then waits until everything is done and looks at what came of it."""
    readers: list[SimulatedReader] = []
    world.start_all()
    asked: dict[asyncio.Task[None], Step] = {}
    for step in world.plan.steps:
        await asyncio.sleep((step.at - world.now) / 1e6)
        clients.append(asyncio.create_task(ClientStep(world, step, readers).run()))
        if step.kind != "follow":
            asked[clients[-1]] = step
    world.heal()
    if asked:
        await asyncio.wait(asked, timeout=PATIENCE_SECONDS)
    for task, step in asked.items():
        if not task.done():
            world.add(Unanswered(world.now, f"step {step.number}, {step.kind}"))
    await _quiet(world, readers)
    await _looked_at(world)
    await _tried(world)
    for error in world.loop.errors:
        world.add(Happened(world.now, "broken", error))


async def _quiet(world: World, readers: list[SimulatedReader]) -> None:
    """Waits until everything is done that is done by itself."""
    left: list[str] = []
    for _ in range(int(PATIENCE_SECONDS / LOOK_SECONDS)):
        left = undone(world, readers)
        if not left:
            return
        await asyncio.sleep(LOOK_SECONDS)
    for what in left:
        world.add(Unanswered(world.now, what))


async def _looked_at(world: World) -> None:
    """Reads every match on every instance, as a moderator: what is in memory is what is on
    record."""
    for match in world.matches:
        for process in world.processes:
            if process is None or not process.up:
                world.add(Unanswered(world.now, "an instance does not run"))
                continue
            loaded = await _current(process, match.id)
            if loaded is None:
                world.add(Unanswered(world.now, f"{match.id} cannot be read on {process.name}"))
                continue
            if loaded.match != state_of(world, match.id, loaded.length):
                world.add(Unanswered(world.now, f"{match.id} is otherwise on {process.name}"))


async def _tried(world: World) -> None:
    """Offers every key to every instance, those that have ended until they open nothing: instances
    learn of one another's within a second or so."""
    done = [entry for entry in world.history if isinstance(entry, Done)]
    ended = {one.name for one in done if one.kind == "ended"}
    for one in (one for one in done if one.kind == "shown"):
        for process in filter(None, world.processes):
            tries = ENDED_SECONDS if one.name in ended else 1
            if process.up and await _opens(process, one.name, tries):
                world.add(replace(one, at=world.now, process=process.name, kind="works"))


async def _opens(process: SimulatedProcess, key: str, tries: int) -> bool:
    """Whether a key opens something each time."""
    for _ in range(tries):
        known = process.spawn(known_grant(process.instance.keyring, key))
        await asyncio.wait([known])
        if known.result() is None:
            return False
        await asyncio.sleep(PAUSE_SECONDS if tries > 1 else 0)
    return True


async def _current(process: SimulatedProcess, match: UUID) -> LoadedMatch | None:
    """The match as an instance has it; a call that stalled before all faults ended may fail."""
    for _ in range(int(PATIENCE_SECONDS / PAUSE_SECONDS)):
        current = process.instance.sessions.current(match)
        reading: asyncio.Task[LoadedMatch] = process.spawn(current)
        await asyncio.wait([reading], timeout=PATIENCE_SECONDS)
        if not reading.done():
            return None
        if reading.exception() is None:
            return reading.result()
        await asyncio.sleep(PAUSE_SECONDS)
    return None
