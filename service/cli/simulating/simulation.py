"""Simulates random matches without a server or a store, as fast as possible.

They contain actions from the menu, late and out-of-turn actions, deadlines and draws. Invariants
are checked after each input and at the end.
"""

from collections import deque
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
from msgspec import Struct

from domain.encoding import decode, encode
from domain.events import Event, Record, batch
from domain.game import Result
from domain.match.commands import Act, Command, GiveClientSeed, NameSeat, PassDeadline, Start
from domain.match.decide import decide
from domain.match.events import ActionRefused, MatchCreated, SubmissionInvalid
from domain.match.fold import fold
from domain.match.state import AnyGame, Match, awaited_draw, convert_action, create
from domain.menu import Between, Field, ListOf, Nullable, Offer, OneOf
from domain.people import Actor
from domain.proof.commitments import BLIND_BYTES
from domain.proof.record_differences import RecordDiffers
from domain.proof.rejudging import rejudge
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER
from projections.audience.results import result_of
from projections.audience.view import AudienceState, see_all, view
from service.application.matches.chance import answer_draw, commit_seed, seeds_to_reveal
from service.event_store.secret_store import MatchSecrets, SeedStored

BEGIN = 1_767_225_600_000_000
"""2026-01-01T00:00:00Z, in microseconds: when every simulated match is created."""

UNBLINDED = bytes(BLIND_BYTES)
MATCH = "019b76da-a800-7000-8000-000000000000"
"""The id of every simulated match: it goes into its chance."""

SIMULATOR = Actor(None, "simulator")
"""Who starts every simulated match."""

STEP = 1_000_000
MOST_INPUTS = 20_000
"""Maximum number of inputs; a match with more is abandoned without a result."""

STALE = 0.06
"""Probability that a seat sends an action offered earlier to some seat, unchanged or spoilt."""

OUT_OF_TURN = 0.1
"""Probability that any seat acts, whether or not the match waits for it."""


class Simulated(Struct, frozen=True):
    """The result of one simulated match. `broken` lists the violations; it must be empty."""

    inputs: int
    result: Result | None
    refused: frozenset[str]
    broken: tuple[str, ...]


def simulate(
    game: AnyGame, seats: int, options: dict[str, Any], seed: str, number: int
) -> Simulated:
    """Plays match `number` of a simulation to its end; the same arguments give the same match.

    Raises msgspec.ValidationError or Refused for options that the game does not accept.
    """
    table = SimulatedMatch(game, seats, options, f"{seed}/{number}")
    broken: list[str] = []
    try:
        table.play()
        broken += table.checks()
    except Exception as fault:  # noqa: BLE001  a fault in a game is a finding
        broken.append(f"{type(fault).__name__}: {fault}")
    refused = frozenset(
        record.event.code
        for record in table.records
        if isinstance(record.event, ActionRefused | SubmissionInvalid)
    )
    result, broken = table.match.result, [*table.broken, *broken]
    return Simulated(len(table.commands), result, refused, tuple(broken))


class SimulatedMatch:
    """One match; `commands` are its inputs so far and `records` its record."""

    def __init__(self, game: AnyGame, seats: int, options: dict[str, Any], seed: str) -> None:
        own_options = msgspec.convert(options, game.Options)
        game.check(own_options, seats)
        all_options = _as_json(game.complete(own_options, seats))
        self.names = tuple(f"Seat {seat}" for seat in range(seats))
        self.created = MatchCreated(
            game.id, game.rules_version, all_options, seats, clock="rules", record=game.records[0]
        )
        self.game = game
        self.rng = Random(seed)  # noqa: S311  chooses inputs and the secrets of simulated draws
        salts = tuple(self.rng.randbytes(16) for _ in self.names)
        self.match_secrets = MatchSecrets(
            self.rng.randbytes(32), (SeedStored(0, self.rng.randbytes(32), salts),)
        )
        self.at = BEGIN
        self.records: list[Record[Event]] = []
        self.match = self._create(self.records)
        self.commands: list[tuple[int, Command]] = []
        self.offered: deque[dict[str, Any]] = deque(maxlen=30)
        self.broken: list[str] = []

    def play(self) -> None:
        """Plays to the end."""
        for seat in range(self.created.seats):
            if self.rng.random() < 0.3:
                self.take(GiveClientSeed(seat, f"luck of {seat}"), self.at)
        self.take(Start(SIMULATOR), self.at)
        while self.match.status == "running":
            if len(self.commands) > MOST_INPUTS:
                return
            self.step()

    def step(self) -> None:
        """One input: an action, or the end of the phase."""
        at = self.at + self.rng.randrange(STEP)
        due = self.match.awaiting.deadline
        # The deadline is the less probable next the more seats are awaited.
        awaited = len(self.match.awaiting.seats)
        impatience = 0.02 if awaited == 1 else 0.6 / max(1, awaited)
        if due is not None and (at >= due or self.rng.random() < impatience):
            self.take(PassDeadline(), due)
            return
        seat, action_fields = self._choose()
        action = convert_action(self.game, action_fields)
        self.take(Act(seat, action, _as_json(action)), at)

    def take(self, command: Command, at: int) -> None:
        """Executes a command, answers the draws it asks for, and checks the invariants."""
        self.at = at
        self.commands.append((at, command))
        self.match = self._decide(self.match, [command], at, self.records, start=len(self.records))
        state = self.match.game
        for name, holds in self.game.invariants.items():
            if state is not None and not holds(state):
                self.broken.append(f"{name}, after {len(self.records)} events")

    def checks(self) -> Iterator[str]:
        """Violations found in the whole record."""
        options = msgspec.convert(self.created.options, self.game.Options)
        initial = create(self.game, MATCH, self.created, options)
        folded = fold(self.game, initial, [record.event for record in self.records])
        if folded != self.match:
            yield "the record does not give the state"
        try:
            rejudge(MATCH, self.records, self.game)
        except RecordDiffers as differs:
            yield f"judged again, the inputs give another record: {differs}"
        if [decode(encode(record)) for record in self.records] != self.records:
            yield "the record is not the same when it comes back from the store"
        for viewer in (PUBLIC_VIEWER, MODERATOR, self.rng.randrange(self.created.seats)):
            state = see_all(AudienceState(viewer), self.records)
            view_then = view("simulated", self.game.id, state)
            msgspec.json.encode(view_then)
            if view_then.result != result_of(self.match):
                yield f"{viewer} is shown another result"

    def _create(self, records: list[Record[Event]]) -> Match:
        """Creates the match and adds its first records."""
        records += batch([self.created], BEGIN)
        options = msgspec.convert(self.created.options, self.game.Options)
        commit = commit_seed(MATCH, self.created, self.names, self.match_secrets.seeds[0])
        namings = (NameSeat(seat, name, UNBLINDED) for seat, name in enumerate(self.names))
        match = create(self.game, MATCH, self.created, options)
        return self._decide(match, [commit, *namings], BEGIN, records, start=0)

    def _decide(
        self,
        match: Match,
        commands: list[Command],
        at: int,
        records: list[Record[Event]],
        *,
        start: int,
    ) -> Match:
        """Adds the records of these commands, and of what they have the service do, to an input
        that began after this many records."""
        while commands:
            events = decide(self.game, match, commands.pop(0), at)
            match = fold(self.game, match, events)
            records += batch(events, at, len(records) - start)
            draw = awaited_draw(self.game, match)
            if draw is not None:
                commands.append(answer_draw(self.match_secrets, match, draw))
            elif not commands:
                commands += seeds_to_reveal(self.match_secrets, match)
        return match

    def _understood(self, action_fields: dict[str, Any]) -> bool:
        """Whether it is an action of the game at all; anything else leaves no trace in a match."""
        try:
            convert_action(self.game, action_fields)
        except msgspec.ValidationError:
            return False
        return True

    def _choose(self) -> tuple[int, dict[str, Any]]:
        """A seat, and an action that it may take or wrongly try."""
        rng, everybody = self.rng, range(self.created.seats)
        if self.offered and rng.random() < STALE:
            tried, seat = rng.choice(self.offered), rng.choice(everybody)
            action_fields = spoil(tried, rng) if rng.random() < 0.5 else tried
            if self._understood(action_fields):
                return seat, action_fields
        awaited = self.match.awaiting.seats
        seat = rng.choice(everybody if rng.random() < OUT_OF_TURN else awaited)
        menu = self.game.legal(self.match.game, seat)
        if not menu:
            seat = rng.choice([seat for seat in awaited if self.game.legal(self.match.game, seat)])
            menu = self.game.legal(self.match.game, seat)
        action_fields = some(rng.choice(menu), rng)
        self.offered.append(action_fields)
        return seat, action_fields


def _as_json(value: Any) -> dict[str, Any]:
    """The value as decoded from the wire."""
    return msgspec.json.decode(msgspec.json.encode(value), type=dict[str, Any])


def some(offer: Offer, rng: Random) -> dict[str, Any]:
    """A random action of the offer: any if the offer is exact, else one of its examples."""
    if not offer.exact:
        return {"type": offer.type, **rng.choice(offer.examples)}
    return {"type": offer.type, **{name: _value(f, rng) for name, f in offer.fields.items()}}


def spoil(action_fields: dict[str, Any], rng: Random) -> dict[str, Any]:
    """The action with one of its fields, if it has any, changed a little."""
    fields = [name for name in action_fields if name != "type"]
    if not fields:
        return action_fields
    name = rng.choice(fields)
    return {**action_fields, name: _not_quite(action_fields[name], rng)}


def _not_quite(value: Any, rng: Random) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + rng.choice((-1, 1, 40))
        case list() | tuple() if value:
            return [*value[1:], *rng.choice(((), (value[-1],), (value[-1],) * 2))]
    return value


def _value(field: Field, rng: Random) -> Any:
    match field:
        case OneOf(values):
            return rng.choice(values)
        case Between(low, high):
            return rng.randint(low, high)
        case ListOf(item, low, high):
            return [_value(item, rng) for _ in range(rng.randint(low, high))]
        case Nullable(inner):
            return None if rng.random() < 0.3 else _value(inner, rng)
