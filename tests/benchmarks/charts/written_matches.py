"""Matches written straight into a store as if they had been played there: their records, their
secrets, and the keys of their seats."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from time import sleep
from uuid import UUID

import msgspec
from eventsourcing.persistence import AggregateRecorder, StoredEvent
from msgspec import Struct
from msgspec.structs import replace

from domain.batches import batch, batch_starts
from domain.chance import generator
from domain.commands import Act, Command, NameSeat, Start
from domain.events import Event, Record
from domain.games import GAMES
from domain.games.dollar_prize.actions import EndTurn
from domain.games.twelve_chips.actions import Play
from domain.match import decide
from domain.match_events import SeedCommitted
from domain.match_state import Match, awaited_draw, create, fold
from domain.replay import replayed
from service.application.chance import answer_draw, commit_seed
from service.application.creation import new_match, uuid7
from service.auth.key_events import KeyIssued
from service.auth.key_form import hashed, new_key
from service.event_store.digests import Digest
from service.event_store.secret_store import (
    KEY_BYTES,
    SALT_BYTES,
    SEED_BYTES,
    MatchSecrets,
    SeedStored,
    log_key,
)
from service.event_store.store import Row, rows
from service.instance import Instance
from service.read_models.index import FarBehind, Index
from tests.benchmarks.random_matches import MATCH
from tests.support.instance.appended_records import digests_of

DOLLAR = GAMES["dollar-prize"]
CHIPS_SEATS = 4
NAMES = ("Ann", "Ben")
AGAIN_SECONDS = 0.1
TOGETHER = 500
"""Number of matches, or of rows, that are written in one transaction."""

ROWS = 5_000

Records = Sequence[Record[Event]]

_encoder = msgspec.msgpack.Encoder()


class WrittenMatch(Struct):
    """A match in a store: its seats' keys, and an action that its rules refuse until somebody else
    acts."""

    id: UUID
    keys: list[str]
    refused: Act


class _Match(Struct):
    match: WrittenMatch
    hidden: MatchSecrets
    rows: Iterable[Row]


def write_new(instance: Instance, count: int) -> list[WrittenMatch]:
    """This many matches of Dollar Prize that have just been started."""
    now = instance.clock.now()

    def one() -> _Match:
        match, hidden = uuid7(now // 1000), _hidden(len(NAMES))
        new = WrittenMatch(match, _keys(match, len(NAMES)), Act(0, EndTurn(), {"type": "end_turn"}))
        return _Match(new, hidden, rows(match, 0, _begun(match, hidden, now)))

    return _write(instance, (one() for _ in range(count)))


def write_long(instance: Instance, record: Records, length: int, count: int) -> list[WrittenMatch]:
    """This many matches of 12 Chips with this many events, or a few less where an action ends."""
    some = upto(record, length)
    stored = rows(UUID(MATCH), 0, some)
    refused = refused_in(some)

    def one() -> _Match:
        match, hidden = uuid7(instance.clock.now() // 1000), _hidden(CHIPS_SEATS)
        own = [row._replace(stream=match.hex) for row in stored]
        own[1] = rows(match, 1, [_committed_to(hidden, match, some[1])])[0]
        return _Match(WrittenMatch(match, _keys(match, CHIPS_SEATS), refused), hidden, own)

    return _write(instance, (one() for _ in range(count)))


def upto(record: Records, length: int) -> Records:
    """The record up to the last complete action within this many events."""
    return record[: max(batch_starts(record[: length + 1]))]


def refused_in(record: Records) -> Act:
    """An action that a seat of 12 Chips may not send after this record: it is not its turn."""
    awaited = replayed(MATCH, record)[1].awaiting.seats[0]
    return Act((awaited + 1) % CHIPS_SEATS, Play(1), {"type": "play", "chip": 1})


def _begun(match: UUID, hidden: MatchSecrets, now: int) -> list[Record[Event]]:
    created = new_match(DOLLAR.id, NAMES, {}, "server", "none", None, None)
    options = msgspec.convert(created.options, DOLLAR.Options)
    state = create(DOLLAR, str(match), created, options)
    records: list[Record[Event]] = [Record(now, 0, created)]

    def do(state: Match, command: Command, begun: int) -> Match:
        events = decide(DOLLAR, state, command, now)
        records.extend(batch(events, now, len(records) - begun))
        return fold(DOLLAR, state, events)

    state = do(state, commit_seed(str(match), created, NAMES, hidden.seeds[0]), 0)
    for seat, name in enumerate(NAMES):
        state = do(state, NameSeat(seat, name, bytes(16)), 0)
    started = len(records)
    state = do(state, Start(), started)
    while (draw := awaited_draw(DOLLAR, state)) is not None:
        state = do(state, answer_draw(hidden, state, draw), started)
    return records


def _committed_to(hidden: MatchSecrets, match: UUID, record: Record[Event]) -> Record[Event]:
    """The commitment of another match as one to this match's seed."""
    assert isinstance(record.event, SeedCommitted)
    commit = generator.commit(str(match), 0, hidden.seeds[0].seed)
    return Record(record.at, record.back, replace(record.event, commit=commit))


def _hidden(seats: int) -> MatchSecrets:
    salts = tuple(secrets.token_bytes(SALT_BYTES) for _ in range(seats))
    seed = SeedStored(0, secrets.token_bytes(SEED_BYTES), salts)
    return MatchSecrets(secrets.token_bytes(KEY_BYTES), (seed,))


def _keys(match: UUID, seats: int) -> list[str]:
    return [new_key(f"s{seat}", match) for seat in range(seats)]


def _write(instance: Instance, matches: Iterable[_Match]) -> list[WrittenMatch]:
    """What a match depends on is written first, as it is when one is created."""
    now, coming, written = instance.clock.now(), iter(matches), []
    while some := list(islice(coming, TOGETHER)):
        behind = {one.match.id: [*one.hidden.seeds, log_key(one.hidden.log_key)] for one in some}
        _insert(instance.store.secrets, behind)
        _insert(
            instance.store.keyrings,
            {one.match.id: _issued(one.match.keys, now) for one in some},
        )
        digests: dict[UUID, Digest] = {}
        lying = chain.from_iterable(one.rows for one in some)
        while page := list(islice(lying, ROWS)):
            instance.store.append(page, (), digests_of(page, digests))
        written += [one.match for one in some]
    _follow(instance.index)
    return written


def _follow(index: Index) -> None:
    """Brings the read models to the end of the log, or waits for the instance that is doing so."""
    while True:
        try:
            return index.follow()
        except FarBehind:
            sleep(AGAIN_SECONDS)


def _issued(keys: Sequence[str], now: int) -> list[KeyIssued]:
    return [
        KeyIssued(now, f"s{seat}", hashed(key), f"{seat:016x}") for seat, key in enumerate(keys)
    ]


def _insert(recorder: AggregateRecorder, streams: Mapping[UUID, Sequence[Struct]]) -> None:
    recorder.insert_events(
        [
            StoredEvent(stream, version, str(one.__struct_config__.tag), _encoder.encode(one))
            for stream, each in streams.items()
            for version, one in enumerate(each, 1)
        ]
    )
