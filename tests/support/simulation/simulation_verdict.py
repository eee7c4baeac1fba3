"""One simulation and what is wrong with it."""

from uuid import UUID

from msgspec import Struct

from tests.support.simulation.fault_coverage import Coverage
from tests.support.simulation.history_checks import Checker, Violation
from tests.support.simulation.simulated_world import World
from tests.support.simulation.simulation_history import Created
from tests.support.simulation.simulation_plan import Plan
from tests.support.simulation.simulation_run import simulated


class Verdict(Struct, frozen=True):
    """What a simulation did: its violations, its history and then everything in the store as bytes,
    which faults hit which states, and how many turns of the event loop it took."""

    violations: tuple[Violation, ...]
    history: bytes
    coverage: Coverage
    turns: int


def verdict(plan: Plan) -> Verdict:
    """Runs a plan and checks its history."""
    world = simulated(plan)
    return Verdict(
        tuple(checker(world).violations()), _everything(world), world.coverage, world.loop.turns
    )


def checker(world: World) -> Checker:
    """The checker of what a simulation has left."""
    return Checker(world.history, world.records, _matches(world))


def _matches(world: World) -> set[UUID]:
    """The matches of which anyone was told."""
    return {
        entry.id for entry in world.history if isinstance(entry, Created) and entry.what == "match"
    }


def _everything(world: World) -> bytes:
    log = world.store.log
    stored = (state for stream in log.streams for state in log.select_states(stream))
    return world.history.encoded() + b"".join(stored)
