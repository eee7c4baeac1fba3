"""Given, when, then for a match: commands, instants and a record, without a server around it."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Self

import msgspec
import pytest
from msgspec.structs import replace

from domain.chance.draws import Draw
from domain.events import Event, Record, batch, batches, numbered
from domain.match.commands import Act, Command, Conflict, NameSeat, SettleDraw
from domain.match.decide import decide
from domain.match.events import (
    ActionRefused,
    Chance,
    ClockRule,
    MatchCreated,
    SeatNamed,
    SubmissionInvalid,
)
from domain.match.inputs import command_of, given_in
from domain.match.live import undone
from domain.match.recorded import add_records
from domain.match.replay import after_command, fold_live
from domain.match.state import AnyGame, Match, awaited_draw, create, lacks_seed
from domain.proof.rejudging import BY_SERVICE
from domain.rulings.commands import LooksBack, Rule
from domain.rulings.decide import new_holders
from domain.rulings.events import RulingOrdered
from domain.rulings.kinds import AnyRuling, Rewind
from domain.rulings.looking_back import past_of
from service.application.matches.chance import (
    answer_draw,
    commit_next,
    commit_seed,
    seeds_to_reveal,
)
from service.event_store.secret_store import MatchSecrets, SeedStored
from tests.support.instants import NOON
from tests.support.tables import directing

SEED = bytes(range(32))
"""The seed of all draws that the service answers at these tables."""

MATCH = "0199aa00-0000-7000-8000-000000000000"


class MatchTable:
    """One match of one game. `new` holds the records of the last step, `records` all of them.

    With `chance="server"` the service commits itself to its seed with the creation, draws are
    answered at once by `settle_draw`, at first from that seed, and the seed is revealed at the end.
    """

    def __init__(
        self,
        game: AnyGame,
        created: MatchCreated,
        at: int = NOON,
        hidden: MatchSecrets | None = None,
        match_id: str = MATCH,
        names: Sequence[str] = (),
    ) -> None:
        self.game = game
        self.names = tuple(names) or default_names(created.seats)
        self.options = msgspec.convert(created.options, game.Options)
        self.hidden = hidden or secrets_of(created)
        self.settle_draw: Callable[[Draw], SettleDraw] = lambda draw: answer_draw(
            self.hidden, self.match, draw
        )
        self.at = at
        self.start = create(game, match_id, created, self.options)
        self.match: Match = self.start
        self.records: list[Record[Event]] = batch([created], at)
        self.begun, self.new = 0, list[Record[Event]]()
        if created.chance == "server":
            self._put(commit_seed(match_id, created, self.names, self.hidden.seeds[0]))
        self.name_seats(self.names)
        self.new = list(self.records)

    def when(self, command: Command, at: int | None = None) -> Self:
        """Records the command as history at `at`, by default at the instant of the step before."""
        self.at = self.at if at is None else at
        self.new = []
        if not isinstance(command, BY_SERVICE):
            self.begun = len(self.records)
        self._put(self.looking_back(command))
        self.name_seats(new_holders(self.new_events))
        if lacks_seed(self.match):
            self.begin_epoch()
        if self.match.created.chance == "server":
            while (draw := self.draw) is not None:
                self._put(self.settle_draw(draw))
            for reveal in seeds_to_reveal(self.hidden, self.match):
                self._put(reveal)
        return self

    def name_seats(self, names: Sequence[str]) -> None:
        """The service records whose the seats are that have no name yet, at the instant of what
        they follow from."""
        now, self.at = self.at, self.records[-1].at
        for seat, name in zip(self.match.unnamed, names, strict=True):
            self._put(NameSeat(seat, name, bytes(16)))
        self.at = now

    def begin_epoch(self) -> None:
        """The service commits itself to the seed of the epoch that a rewind begins."""
        assert self.match.epoch is not None
        epoch = self.match.epoch.committed.epoch + 1
        if len(self.hidden.seeds) <= epoch:
            fresh = replace(self.hidden.seeds[0], epoch=epoch, seed=bytes([epoch]) * 32)
            self.hidden = replace(self.hidden, seeds=(*self.hidden.seeds, fresh))
        stored = self.hidden.seeds[epoch]
        self._put(commit_next(self.match, stored))

    def looking_back(self, command: Command) -> Command:
        """The command; one that may rewind with what it looks back on in this record."""
        ruling = _ruled(self.match, command)
        if not isinstance(ruling, Rewind) or not isinstance(command, LooksBack):
            return command
        past = past_of(self.game, self.start, self.records, ruling)
        return replace(command, past=past)

    def act(self, seat: int, action: Any, key: str | None = None, at: int | None = None) -> Self:
        """The seat sends the action; whether the rules allow it is on the record."""
        return self.when(Act(seat, action, msgspec.to_builtins(action), key), at)

    def pause(self, at: int | None = None) -> Self:
        """A ruling pauses the match."""
        return self.when(directing.pause(f"pause {len(self.records)}"), at)

    def resume(self, at: int | None = None) -> Self:
        """A ruling lets the match go on."""
        return self.when(directing.resume(f"resume {len(self.records)}"), at)

    def accepted(self, seat: int, action: Any, at: int | None = None) -> Self:
        """The seat sends the action, which the rules must allow."""
        self.act(seat, action, at=at)
        assert self.code is None, (seat, action, self.code)
        return self

    def conflicts(self, command: Command, code: str) -> Self:
        """The match is in no state for the command, and nothing is recorded."""
        before = self.match, list(self.records)
        with pytest.raises(Conflict) as conflict:
            decide(self.game, self.match, self.looking_back(command), self.at)
        assert conflict.value.code == code
        assert (self.match, self.records) == before
        return self

    def then(self, *events: Event) -> Self:
        """The last step gave exactly these events, besides those by which the table orders it."""
        assert self.effect == list(events)
        return self

    @property
    def effect(self) -> list[Event]:
        """The events of the last step without those by which the table orders it."""
        return directing.effect(self.new_events)

    @property
    def new_events(self) -> list[Event]:
        return [record.event for record in self.new]

    @property
    def events(self) -> list[Event]:
        return [record.event for record in self.records]

    @property
    def code(self) -> str | None:
        """The code with which the last step's action was refused, if it was."""
        turned_down = (ActionRefused, SubmissionInvalid)
        return next((e.code for e in self.new_events if isinstance(e, turned_down)), None)

    @property
    def draw(self) -> Draw | None:
        return awaited_draw(self.game, self.match)

    @property
    def seats(self) -> range:
        return range(self.match.created.seats)

    @property
    def due(self) -> int | None:
        """The instant of the deadline in force."""
        return self.match.awaiting.deadline

    def _put(self, command: Command) -> None:
        events = decide(self.game, self.match, command, self.at)
        records = batch(events, self.at, len(self.records) - self.begun)
        after = after_command(self.game, self.match, command, events)
        self.match = replace(after, recorded=add_records(after.recorded, records))
        self.new += records
        self.records += records


def _ruled(match: Match, command: Command) -> AnyRuling | None:
    """What a command that may carry out a ruling orders."""
    if not isinstance(command, LooksBack):
        return None
    if isinstance(command, Rule):
        return command.ruling
    waiting = match.rulings.waiting(command.id)
    return None if waiting is None else waiting.ruling


def secrets_of(created: MatchCreated, seed: bytes = SEED, log_key: bytes = SEED) -> MatchSecrets:
    """The service's own secrets of a match at these tables."""
    return MatchSecrets(log_key, (SeedStored(0, seed, (bytes(16),) * created.seats),))


def seated(
    game: AnyGame,
    seats: int = 2,
    options: Any = None,
    chance: Chance = "manual",
    clock: ClockRule = "none",
) -> MatchTable:
    """A match that has been created and not started."""
    options = game.Options() if options is None else options
    fields = msgspec.to_builtins(options)
    return MatchTable(game, MatchCreated(game.id, game.rules_version, fields, seats, chance, clock))


def default_names(seats: int) -> tuple[str, ...]:
    """The names at tables where they do not matter."""
    names = ("Ann", "Ben", "Cy", "Dee", *(f"Seat {number}" for number in range(4, seats)))
    return names[:seats]


def replayed(game: AnyGame, records: Sequence[Record[Event]], match_id: str = MATCH) -> Match:
    """The state of a match, folded from its whole record."""
    created = records[0].event
    assert isinstance(created, MatchCreated)
    match = create(game, match_id, created, msgspec.convert(created.options, game.Options))
    return fold_live(game, match, records, undone(numbered(records), game.sealed_phase))


def steps(records: Iterable[Record[Event]]) -> list[list[Record[Event]]]:
    """The record cut before each input: the input from outside, and after it the consequences."""
    return list(batches(records))


def inputs(game: AnyGame, records: Sequence[Record[Event]]) -> list[tuple[int, Command]]:
    """The inputs from outside after the creation, with their instants: all that a judge needs."""
    keys = set[tuple[int, str]]()
    heard = list[tuple[int, Command]]()
    created, start = replayed(game, records[:1]), 0
    for step in steps(records):
        if start:
            # What was before matters of a ruling, which may have been pending, and of another name.
            matters = any(isinstance(one.event, RulingOrdered | SeatNamed) for one in step)
            match = replayed(game, records[:start]) if matters else created
            look_back = partial(past_of, game, created, records[:start])
            given = given_in(step, game, match, keys, look_back)
            heard.append((step[0].at, command_of(step[0].event, given)))
        start += len(step)
    return heard


def judged_again(
    game: AnyGame,
    records: Sequence[Record[Event]],
    hidden: MatchSecrets | None = None,
    match_id: str = MATCH,
) -> MatchTable:
    """The match that results when its inputs alone are judged again."""
    created = records[0].event
    assert isinstance(created, MatchCreated)
    named = (record.event for record in records)
    names = [event.name for event in named if isinstance(event, SeatNamed)][: created.seats]
    table = MatchTable(game, created, records[0].at, hidden, match_id, names)
    for at, command in inputs(game, records):
        table.when(command, at)
    return table
