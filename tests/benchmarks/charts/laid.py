"""Matches laid straight into a store as if they had been played there: their records, the secrets
behind them, and the keys of their seats."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from time import sleep
from uuid import UUID

import msgspec
from eventsourcing.persistence import AggregateRecorder, StoredEvent
from msgspec import Struct

from domain.commands import Act, Command, Start
from domain.events import Event, Record
from domain.games import GAMES
from domain.games.dollar_prize.actions import EndTurn
from domain.games.twelve_chips.actions import Play
from domain.match import decide
from domain.match_events import is_input
from domain.match_state import Match, awaited_draw, create, fold
from service.access.keys import KeyIssued, hashed, new_key
from service.arbiter import Arbiter
from service.creation import new_match, uuid7
from service.door.dealer import (
    KEY_BYTES,
    SALT_BYTES,
    SEED_BYTES,
    Hidden,
    LogKeyKept,
    SeedKept,
    commit_seed,
    deal,
)
from service.door.open_match import folded
from service.keeping import keeper
from service.keeping.keeper import EVERY
from service.storage.index import FarBehind, Index
from service.storage.store import Row, rows
from tests.benchmarks.charts.plan import BEHIND
from tests.benchmarks.played import MATCH

DOLLAR = GAMES["dollar-prize"]
CHIPS_SEATS = 4
NAMES = ("Ann", "Ben")
AGAIN_SECONDS = 0.1
TOGETHER = 500
"""So many matches are laid down in one transaction, or rows."""

ROWS = 5_000

Records = Sequence[Record[Event]]

_encoder = msgspec.msgpack.Encoder()


class Laid(Struct):
    """A match that lies in a store: its seats' keys, and an action that its rules refuse for as
    long as nobody else acts."""

    id: UUID
    keys: list[str]
    refused: Act


class _Match(Struct):
    laid: Laid
    hidden: Hidden
    rows: Iterable[Row]


def lay_new(arbiter: Arbiter, count: int) -> list[Laid]:
    """So many matches of Dollar Prize that have just been started."""
    now = arbiter.clock.now()

    def one() -> _Match:
        match, hidden = uuid7(now // 1000), _hidden(len(NAMES))
        laid = Laid(match, _keys(match, len(NAMES)), Act(0, EndTurn(), {"type": "end_turn"}))
        return _Match(laid, hidden, rows(match, 0, _begun(match, hidden, now)))

    return _lay(arbiter, (one() for _ in range(count)))


def lay_long(arbiter: Arbiter, record: Records, length: int, count: int) -> list[Laid]:
    """So many matches of 12 Chips with so many events, or a few less where an action ends, and
    snapshots where the service makes them."""
    some = upto(record, length)
    stored = rows(UUID(MATCH), 0, some)
    refused = refused_in(some)

    def one() -> _Match:
        match = uuid7(arbiter.clock.now() // 1000)
        own = ((match.hex, *row[1:]) for row in stored)
        return _Match(Laid(match, _keys(match, CHIPS_SEATS), refused), _hidden(CHIPS_SEATS), own)

    laid = _lay(arbiter, (one() for _ in range(count)))
    if length >= EVERY:
        _keep(arbiter, laid, kept_at(record, length))
    return laid


def upto(record: Records, length: int) -> Records:
    """The record up to the last action that has been dealt with within so many events."""
    return record[: max(n for n in range(1, length + 1) if is_input(record[n].event))]


def kept_at(record: Records, length: int) -> int:
    """Where the latest snapshot of a match stands that has so many events; as the service makes
    them, where an action has been dealt with."""
    last = len(upto(record, length))
    return len(upto(record, max(last - BEHIND, min(last, EVERY))))


def refused_in(record: Records) -> Act:
    """What a seat of 12 Chips may not do after this record: it is not its turn."""
    awaited = folded(MATCH, record)[1].awaiting.seats[0]
    return Act((awaited + 1) % CHIPS_SEATS, Play(1), {"type": "play", "chip": 1})


def _begun(match: UUID, hidden: Hidden, now: int) -> list[Record[Event]]:
    created = new_match(DOLLAR.id, NAMES, {}, "server", "none", None, None)
    options = msgspec.convert(created.options, DOLLAR.Options)
    state = create(DOLLAR, str(match), created, options)
    records: list[Record[Event]] = [Record(now, created)]

    def do(state: Match, command: Command) -> Match:
        events = decide(DOLLAR, state, command, now)
        records.extend(Record(now, event) for event in events)
        return fold(DOLLAR, state, events)

    state = do(state, commit_seed(str(match), created, hidden.seeds[0]))
    state = do(state, Start())
    while (draw := awaited_draw(DOLLAR, state)) is not None:
        state = do(state, deal(hidden, state, draw))
    return records


def _hidden(seats: int) -> Hidden:
    salts = tuple(secrets.token_bytes(SALT_BYTES) for _ in range(seats))
    seed = SeedKept(0, secrets.token_bytes(SEED_BYTES), salts)
    return Hidden(secrets.token_bytes(KEY_BYTES), (seed,))


def _keys(match: UUID, seats: int) -> list[str]:
    return [new_key(f"s{seat}", match) for seat in range(seats)]


def _lay(arbiter: Arbiter, matches: Iterable[_Match]) -> list[Laid]:
    """What must lie there before a match does goes first, as it does when one is created."""
    now, coming, laid = arbiter.clock.now(), iter(matches), []
    while some := list(islice(coming, TOGETHER)):
        behind = {one.laid.id: [*one.hidden.seeds, LogKeyKept(one.hidden.log_key)] for one in some}
        _insert(arbiter.store.secrets, behind)
        _insert(arbiter.store.keyrings, {one.laid.id: _issued(one.laid.keys, now) for one in some})
        lying = chain.from_iterable(one.rows for one in some)
        while page := list(islice(lying, ROWS)):
            arbiter.store.append(page)
        laid += [one.laid for one in some]
    _follow(arbiter.index)
    return laid


def _follow(index: Index) -> None:
    """Brings the read models to the end, or waits for the instance that is doing so."""
    while True:
        try:
            return index.follow()
        except FarBehind:
            sleep(AGAIN_SECONDS)


def _issued(keys: Sequence[str], now: int) -> list[KeyIssued]:
    return [KeyIssued(now, f"s{seat}", hashed(key)) for seat, key in enumerate(keys)]


def _insert(recorder: AggregateRecorder, kept: Mapping[UUID, Sequence[Struct]]) -> None:
    recorder.insert_events(
        [
            StoredEvent(stream, version, str(one.__struct_config__.tag), _encoder.encode(one))
            for stream, each in kept.items()
            for version, one in enumerate(each, 1)
        ]
    )


def _keep(arbiter: Arbiter, laid: Sequence[Laid], length: int) -> None:
    """Makes the snapshots of matches, without the rests that let others work."""
    rest, keeper.REST_SECONDS = keeper.REST_SECONDS, 0.0
    try:
        for match in laid:
            arbiter.keeper.make(match.id, length)
    finally:
        keeper.REST_SECONDS = rest
