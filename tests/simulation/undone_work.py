"""What an instance still has to do by itself when all faults have ended."""

from collections.abc import Iterator
from uuid import UUID

from domain.match.replay import replay
from domain.match.state import Match
from domain.proof.log_events import CheckpointSigned
from domain.rulings.decide import due_at
from domain.tournament.fold import fold
from domain.tournament.state import NOTHING_YET
from service.event_store.store import paired_stream
from tests.simulation.people_checks import PeopleChecker
from tests.simulation.simulated_reader import SimulatedReader
from tests.simulation.simulated_world import World


def undone(world: World, readers: list[SimulatedReader]) -> list[str]:
    """Everything that is not done yet."""
    return [
        *_down(world),
        *_unread(readers),
        *_overdue(world),
        *_unsettled(world),
        *_unsigned(world),
        *_unnoticed(world),
    ]


def _down(world: World) -> Iterator[str]:
    for number, process in enumerate(world.processes):
        if process is None or not process.up:
            yield f"instance {number} does not run"


def _unread(readers: list[SimulatedReader]) -> Iterator[str]:
    for reader in readers:
        if not reader.complete:
            yield f"reader {reader.number} lacks lines"


def _overdue(world: World) -> Iterator[str]:
    now = min(process.clock.now() for process in world.processes if process is not None)
    for match in world.matches:
        state = state_of(world, match.id)
        due = None if state is None else due_at(state)
        if due is not None and due < now - 5_000_000:
            yield f"a deadline of {match.id} has not passed, or a ruling not lapsed"


def _over(world: World, match: UUID) -> bool:
    state = state_of(world, match)
    return state is not None and state.status in ("ended", "void")


def state_of(world: World, match: UUID, length: int | None = None) -> Match | None:
    """The match after its first records, by default all; None if they cannot be replayed, which the
    check of the records reports."""
    try:
        return replay(str(match), world.record(match)[:length])[1]
    except Exception:  # noqa: BLE001  a wrong record may break any rule
        return None


def _unsettled(world: World) -> Iterator[str]:
    for tournament in world.tournaments:
        state = fold(NOTHING_YET, [record.event for record in world.record(tournament)])
        for match, added in state.matches.items():
            if not added.settled and _over(world, UUID(match)):
                yield f"{match} is not settled"


def _unsigned(world: World) -> Iterator[str]:
    for match in world.matches:
        signed = world.record(paired_stream(match.id))
        last = signed[-1].event if signed else None
        if not (isinstance(last, CheckpointSigned) and last.over) and _over(world, match.id):
            yield f"the log of {match.id} is not signed"


def _unnoticed(world: World) -> Iterator[str]:
    checker = PeopleChecker(world.history, world.records)
    return (found.text for found in checker.notices() if found.kind == "not done")
