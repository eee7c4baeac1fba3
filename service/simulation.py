"""Matches played by luck, without a server or a store, as fast as they go.

Everything a match of its kind can meet happens in them: actions of the menu, actions that come too
late or out of turn, deadlines, draws. What must hold is checked on the way and at the end.
"""

from collections import Counter, deque
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
from msgspec import Struct

from domain.commands import Act, Command, GiveClientSeed, PassDeadline, Start
from domain.encoding import decode, encode
from domain.events import Event, Record
from domain.game import Result
from domain.match import decide
from domain.match_events import ActionRefused, MatchCreated, SubmissionInvalid
from domain.match_state import AnyGame, Match, awaited_draw, create, fold
from domain.menu import Between, Field, ListOf, Nullable, Offer, OneOf
from domain.rejudging import Differs, judged
from projections.disclosure import MODERATOR, PUBLIC_VIEWER
from projections.sight import Sight, see_all, view
from service.door.dealer import Hidden, SeedKept, commit_seed, deal, revealed

BEGIN = 1_767_225_600_000_000
"""2026-01-01T00:00:00Z, in microseconds: when every simulated match is created."""

MATCH = "019b76da-a800-7000-8000-000000000000"
"""The id of every simulated match: it goes into its chance."""

STEP = 1_000_000
MOST_INPUTS = 20_000
"""After so many a match is left as it is, without a result."""

STALE = 0.06
"""How often a seat sends what some seat was offered earlier, as it was or spoilt."""

OUT_OF_TURN = 0.1
"""How often a seat acts for which the match does not wait."""


class Simulated(Struct, frozen=True):
    """What became of one match. `broken` says what did not hold; it must be empty."""

    number: int
    seats: int
    inputs: int
    actions: int
    events: int
    result: Result | None
    refused: dict[str, int]
    broken: tuple[str, ...]


def simulate(
    game: AnyGame, seats: int, options: dict[str, Any], seed: str, number: int
) -> Simulated:
    """Plays match `number` of a simulation to its end; the same again with the same arguments.

    Raises msgspec.ValidationError or Refused for options that the game does not take.
    """
    table = SimulatedMatch(game, seats, options, f"{seed}/{number}")
    broken: list[str] = []
    try:
        table.play()
        broken += table.checks()
    except Exception as fault:  # noqa: BLE001  a fault in a game is a finding
        broken.append(f"{type(fault).__name__}: {fault}")
    refused = Counter(
        record.event.code
        for record in table.records
        if isinstance(record.event, ActionRefused | SubmissionInvalid)
    )
    actions = sum(isinstance(command, Act) for _, command in table.commands)
    return Simulated(
        number,
        seats,
        len(table.commands),
        actions,
        len(table.records),
        table.match.result,
        dict(refused),
        (*table.broken, *broken),
    )


class SimulatedMatch:
    """One match; `commands` are its inputs so far and `records` its record."""

    def __init__(self, game: AnyGame, seats: int, options: dict[str, Any], seed: str) -> None:
        given = msgspec.convert(options, game.Options)
        game.check(given, seats)
        played = _as_json(game.complete(given, seats))
        names = tuple(f"Seat {seat}" for seat in range(seats))
        self.created = MatchCreated(
            game.id, game.rules_version, played, names, "server", "rules", game.records[0]
        )
        self.game = game
        self.rng = Random(seed)  # noqa: S311  the players' luck; the draws are the dealer's
        salts = tuple(self.rng.randbytes(16) for _ in names)
        self.hidden = Hidden(self.rng.randbytes(32), (SeedKept(0, self.rng.randbytes(32), salts),))
        self.at = BEGIN
        self.records: list[Record[Event]] = []
        self.match = self._begun(self.records)
        self.commands: list[tuple[int, Command]] = []
        self.offered: deque[dict[str, Any]] = deque(maxlen=30)
        self.broken: list[str] = []

    def play(self) -> None:
        """Plays to the end."""
        for seat in range(len(self.created.seats)):
            if self.rng.random() < 0.3:
                self.take(GiveClientSeed(seat, f"luck of {seat}"), self.at)
        self.take(Start(), self.at)
        while self.match.status == "running":
            if len(self.commands) > MOST_INPUTS:
                return
            self.step()

    def step(self) -> None:
        """One input: an action, or the end of the phase."""
        at = self.at + self.rng.randrange(STEP)
        due = self.match.awaiting.deadline
        if due is not None and (at >= due or self.rng.random() < self._impatience()):
            self.take(PassDeadline(), due)
            return
        seat, sent = self._chosen()
        action = msgspec.convert(sent, self.game.Action)
        self.take(Act(seat, action, _as_json(action)), at)

    def take(self, command: Command, at: int) -> None:
        """Lets a command in, answers the draws it asks for, and checks the state it leaves."""
        self.at = at
        self.commands.append((at, command))
        self.match = self._judged(self.match, command, at, self.records)
        state = self.match.game
        for name, holds in self.game.invariants.items():
            if state is not None and not holds(state):
                self.broken.append(f"{name}, after {len(self.records)} events")

    def checks(self) -> Iterator[str]:
        """What does not hold of the whole record."""
        options = msgspec.convert(self.created.options, self.game.Options)
        begun = create(self.game, MATCH, self.created, options)
        folded = fold(self.game, begun, [record.event for record in self.records])
        if folded != self.match:
            yield "the record does not give the state"
        try:
            judged(MATCH, self.records, self.game)
        except Differs as differs:
            yield f"judged again, the inputs give another record: {differs}"
        if [decode(encode(record)) for record in self.records] != self.records:
            yield "the record is not the same when it comes back from the store"
        for viewer in (PUBLIC_VIEWER, MODERATOR, self.rng.randrange(len(self.created.seats))):
            shown = see_all(Sight(viewer), self.records)
            msgspec.json.encode(view("simulated", self.game.id, shown))
            if shown.result != self.match.result:
                yield f"{viewer} is shown another result"

    def _begun(self, records: list[Record[Event]]) -> Match:
        """The match when it has been created, and its first records."""
        records.append(Record(BEGIN, self.created))
        options = msgspec.convert(self.created.options, self.game.Options)
        commit = commit_seed(MATCH, self.created, self.hidden.seeds[0])
        return self._judged(create(self.game, MATCH, self.created, options), commit, BEGIN, records)

    def _judged(
        self, match: Match, command: Command, at: int, records: list[Record[Event]]
    ) -> Match:
        pending = [command]
        while pending:
            events = decide(self.game, match, pending.pop(0), at)
            match = fold(self.game, match, events)
            records += [Record(at, event) for event in events]
            draw = awaited_draw(self.game, match)
            if draw is not None:
                pending.append(deal(self.hidden, match, draw))
            elif not pending:
                pending += revealed(self.hidden, match)
        return match

    def _impatience(self) -> float:
        """How likely the next thing to happen is the deadline: the more are awaited the less."""
        awaited = len(self.match.awaiting.seats)
        return 0.02 if awaited == 1 else 0.6 / max(1, awaited)

    def _chosen(self) -> tuple[int, dict[str, Any]]:
        """A seat, and something it may do, or might wrongly try."""
        rng, everybody = self.rng, range(len(self.created.seats))
        if self.offered and rng.random() < STALE:
            tried = rng.choice(self.offered)
            return rng.choice(everybody), spoilt(tried, rng) if rng.random() < 0.5 else tried
        awaited = self.match.awaiting.seats
        seat = rng.choice(everybody if rng.random() < OUT_OF_TURN else awaited)
        menu = self.game.legal(self.match.game, seat)
        if not menu:
            seat = rng.choice([seat for seat in awaited if self.game.legal(self.match.game, seat)])
            menu = self.game.legal(self.match.game, seat)
        sent = some(rng.choice(menu), rng)
        self.offered.append(sent)
        return seat, sent


def _as_json(value: Any) -> dict[str, Any]:
    """The value as it comes in from the wire."""
    return msgspec.json.decode(msgspec.json.encode(value), type=dict[str, Any])


def some(offer: Offer, rng: Random) -> dict[str, Any]:
    """An action that the offer allows: any, if all are accepted, else one of its examples."""
    if not offer.exact:
        return {"type": offer.type, **rng.choice(offer.examples)}
    return {"type": offer.type, **{name: _value(f, rng) for name, f in offer.fields.items()}}


def spoilt(sent: dict[str, Any], rng: Random) -> dict[str, Any]:
    """The action with one of its fields, if it has any, not quite as it was."""
    fields = [name for name in sent if name != "type"]
    if not fields:
        return sent
    name = rng.choice(fields)
    return {**sent, name: _not_quite(sent[name], rng)}


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
