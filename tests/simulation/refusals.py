"""Refusals that leave nothing on record, and whether they are right by what is on record."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from domain.events import Event, Record
from domain.match.commands import Act, Command, Conflict
from domain.match.decide import decide
from domain.match.events import ActionReceived
from domain.match.replay import replay
from domain.match.state import Match
from projections.audience.disclosure import Viewer, may_see
from service.application.matches.command_queue import PreconditionFailed
from service.application.matches.decision import UndoneByRuling


class CommandRequest(NamedTuple):
    """A command to a match, from one who knows `expected` numbers of events."""

    match: UUID
    command: Command
    viewer: Viewer
    expected: frozenset[int] | None


def code_of(error: Exception) -> str:
    """An error by its name and its code, if it has one."""
    name, code = type(error).__name__, getattr(error, "code", None)
    return name if code is None else f"{name} {code}"


def refused_since(
    before: int, records: Sequence[Record[Event]], request: CommandRequest, code: str
) -> bool:
    """Whether a request is refused by this code in a state that a match had since `before` of its
    `records` were there: between two inputs."""
    lengths = range(before, len(records) + 1)
    ends = (end for end in lengths if end == len(records) or not records[end].back)
    return any(code == _refusal(request, records[:end]) for end in ends)


def _refusal(request: CommandRequest, records: Sequence[Record[Event]]) -> str | None:
    """The code by which a request is refused after these records; None if it is not."""
    command, expected = request.command, request.expected
    game, match = replay(str(request.match), records)
    if isinstance(command, Act) and command.key in _undone_keys(match, records):
        return code_of(UndoneByRuling(""))
    if expected is not None:
        count = sum(may_see(request.viewer, record.event) for record in records)
        if count not in expected:
            return code_of(PreconditionFailed())
    try:
        decide(game, match, command, records[-1].at)
    except Conflict as conflict:
        return code_of(conflict)
    return None


def _undone_keys(match: Match, records: Sequence[Record[Event]]) -> set[str | None]:
    """The keys of the actions that rulings have undone."""
    undone = (records[position - 1].event for position, _ in match.undone)
    return {event.key for event in undone if isinstance(event, ActionReceived)}
