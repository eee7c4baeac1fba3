"""What follows from what players do in a tournament besides playing (/docs/tournaments#people)."""

from collections.abc import Callable, Mapping
from typing import Any

from domain.events import LATEST, Event
from domain.game import Refused
from domain.match.commands import Conflict
from domain.tournament.competition import PlayerFacts, stage_of
from domain.tournament.open_stages import (
    StageFacts,
    format_of,
    numbered_stage,
    open_stage,
    open_tables,
)
from domain.tournament.stage_commands import (
    AskBye,
    CheckInPlayer,
    GiveLotsSeed,
    OpenCheckIn,
    Return,
    SayReady,
    StageCommand,
    Withdraw,
)
from domain.tournament.stage_events import (
    ByeAsked,
    CheckInOpened,
    LotsSeedGiven,
    PlayerReady,
    PlayerStatus,
)


def _withdraw(now: StageFacts, command: Withdraw) -> list[Event]:
    if _player(now, command.player).out:
        raise Refused("already_withdrawn")
    return [PlayerStatus(command.player, "withdrawn", command.reason)]


def _return(now: StageFacts, command: Return) -> list[Event]:
    """A player who returns after a check-in was opened counts as checked in."""
    person = _player(now, command.player)
    if not person.out:
        return []
    if person.status != "withdrawn":
        raise Refused("not_withdrawn")
    there = now.competition.check_in is not None
    return [PlayerStatus(command.player, "checked_in" if there else "entered", None)]


def _open_check_in(now: StageFacts, command: OpenCheckIn) -> list[Event]:
    if command.closes <= command.at:
        raise Conflict("not_in_future")
    if command.closes > LATEST:
        raise Conflict("too_late")
    return [CheckInOpened(command.closes)]


def _check_in(now: StageFacts, command: CheckInPlayer) -> list[Event]:
    person = _player(now, command.player)
    if now.competition.check_in is None:
        raise Refused("no_check_in")
    if person.out:
        raise Refused("already_withdrawn")
    there = person.status == "checked_in"
    return [] if there else [PlayerStatus(command.player, "checked_in", None)]


def _ready(now: StageFacts, command: SayReady) -> list[Event]:
    tables = (
        table
        for number, _, table in open_tables(now)
        if stage_of(now.competition, number).settings.round.start == "ready"
    )
    if not any(command.match in table.matches[-1:] for table in tables):
        raise Refused("not_started_by_players")
    there = now.competition.ready.get(command.match, frozenset())
    return [] if command.player in there else [PlayerReady(command.match, command.player)]


def _bye(now: StageFacts, command: AskBye) -> list[Event]:
    _player(now, command.player)
    number = open_stage(now) if command.stage is None else command.stage
    stage = numbered_stage(now, number)
    if stage.status == "closed":
        raise Refused("stage_closed")
    if command.round <= len(stage.rounds):
        raise Refused("round_published")
    requests = now.competition.byes_asked.get(command.player, ())
    if (number, command.round) in requests:
        return []
    most = stage.settings.byes_asked if format_of(stage).byes_asked else 0
    if sum(of_stage == number for of_stage, _ in requests) >= most:
        raise Refused("too_many_byes")
    return [ByeAsked(command.player, number, command.round)]


def _give_seed(now: StageFacts, command: GiveLotsSeed) -> list[Event]:
    _player(now, command.player)
    if now.competition.seeds.get(command.player) == command.seed:
        return []
    return [LotsSeedGiven(command.player, command.seed)]


def _player(now: StageFacts, number: int) -> PlayerFacts:
    person = now.competition.people.get(number)
    if person is None:
        raise Refused("no_such_player")
    return person


PLAYER_DECIDERS: Mapping[type[StageCommand], Callable[[StageFacts, Any], list[Event]]] = {
    Withdraw: _withdraw,
    Return: _return,
    OpenCheckIn: _open_check_in,
    CheckInPlayer: _check_in,
    SayReady: _ready,
    AskBye: _bye,
    GiveLotsSeed: _give_seed,
}
