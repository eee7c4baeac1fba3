"""What became of the first try of a command, where that is unknown: the record of its match says.

What a person orders, and what a seat adds to chance, is looked for among the inputs since that try;
the first like it is taken for it, so that nothing is done twice.
"""

from collections.abc import Sequence

from domain.events import Event, Record, batches
from domain.match.commands import ClosePhase, Command, Conflict, EnterDraw, GiveClientSeed, Start
from domain.match.events import (
    AwaitingChanged,
    ClientSeedGiven,
    DeadlinePassed,
    Directed,
    DrawRefused,
    DrawSettled,
    MatchStarted,
    PhaseClosed,
    SealedDrawSettled,
)
from domain.people import Actor
from domain.rulings.events import MatchRewound
from projections.audience.submissions import turned_down
from service.application.matches.command_queue import CommandResult

Batch = Sequence[Record[Event]]

ENTERED = (DrawSettled, SealedDrawSettled, DrawRefused)


def first_outcome(records: Batch, length_before: int, command: Command) -> CommandResult | None:
    """What became of the command in a record of `length_before` events before the first try; None
    if it was not carried out. Raises Conflict if the phase that it was to end is over."""
    position = 1
    for batch in batches(records):
        end = position + len(batch) - 1
        if position > length_before and _is(batch, command):
            code, is_refusal = turned_down(record.event for record in batch[:2])
            return CommandResult(batch[0].at, position, end, code, is_refusal, replayed=True)
        position = end + 1
    if isinstance(command, ClosePhase):
        _check_open(records, length_before, command.phase)
    return None


def _is(batch: Batch, command: Command) -> bool:
    """Whether these are the events of such a command, by the same person."""
    event = batch[0].event
    match command:
        case GiveClientSeed(seat, seed):
            return event == ClientSeedGiven(seat, seed)
        case Start(actor):
            return isinstance(event, MatchStarted) and _by(batch, actor)
        case ClosePhase(_, actor):
            return isinstance(event, PhaseClosed) and _by(batch, actor)
        case EnterDraw(draw, outcome, actor):
            if not isinstance(event, ENTERED) or event.id != draw:
                return False
            return list(event.outcome) == list(outcome) and _by(batch, actor)
    return False


def _by(batch: Batch, actor: Actor) -> bool:
    directed = batch[1].event
    return isinstance(directed, Directed) and Actor.of(directed).person == actor.person


def _check_open(records: Batch, length_before: int, phase: str | None) -> None:
    """Raises Conflict unless the phase has been open since `length_before`."""
    for record in records[length_before:]:
        event = record.event
        if isinstance(event, PhaseClosed | DeadlinePassed | MatchRewound):
            raise Conflict("nothing_to_close")
        if isinstance(event, AwaitingChanged) and event.phase != phase:
            raise Conflict("nothing_to_close")
