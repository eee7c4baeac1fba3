"""Following the log into the read models, next to the library's own runner of projections, and the
cost of a page of a long ledger."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Any
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.persistence import JSONTranscoder, Mapper, StoredEvent, Tracking, Transcoder
from eventsourcing.postgres import PostgresTrackingRecorder
from eventsourcing.projection import Projection, ProjectionRunner
from msgspec import Struct

from domain.encoding import decode
from domain.events import Event, Record, stored_name
from domain.game import Result
from domain.games.dollar_prize.events import CoinPlaced
from domain.match.events import AwaitingChanged, MatchCreated, MatchEnded, MatchStarted, SeatNamed
from domain.proof.log_events import CheckpointSigned
from domain.tournament.events import (
    GarnetsPosted,
    MatchAdded,
    MatchSettled,
    PlayerEntered,
    PlayerNamed,
    TournamentCreated,
)
from service.event_store.database import embedded
from service.event_store.postgres.database import QuestionMarkCursor
from service.event_store.recorder import Row
from service.event_store.store import Store, paired_stream, rows
from service.event_store.stream_ids import TOURNAMENT, make_id, time_ordered
from service.read_models.follower import LogRecord
from service.read_models.index import KINDS, Index, apply_page, open_index
from tests.benchmarks.random_matches import BEGIN
from tests.benchmarks.rows import Row as Figure
from tests.benchmarks.rows import at_least, seconds
from tests.support.servers.postgres_server import fresh_database

TOPICS = tuple(stored_name(kind) for kind in KINDS)
PLAYERS = 8
TURNS = 20
MATCHES, FEW = 1_200, 40
"""Number of matches followed here, and by the library's runner."""

TARGET = 100
WON = Result((0,), (1,), False, (3, 1))
LENGTHS = (100, 100_000)
PAGE = 100
TRIES = 200
APPENDED = 5_000
BLIND = bytes(16)


def measure(folder: Path) -> list[Figure]:
    """Both figures, of a store on disk."""
    return [_following(), _paging(folder)]


# Following the log.


def _following() -> Figure:
    """The same events, the ratio three times; a store of each length, as no event is deleted."""
    ratios = []
    for _ in range(3):
        with fresh_database() as env, closing(_season(env, FEW)) as store:
            theirs = events_read(store) / seconds(lambda env=env, store=store: _run(env, store), 1)  # type: ignore[misc]
        with fresh_database() as env, closing(_season(env, MATCHES)) as store:
            ours = events_read(store) / seconds(lambda env=env, store=store: _follow(env, store), 1)  # type: ignore[misc]
        ratios.append(ours / theirs)
    ratio = sorted(ratios)[1]
    spread = f"  ({min(ratios):.0f}-{max(ratios):.0f}; {ours:,.0f} a second)"
    return at_least("follow the log on PostgreSQL, times the library", ratio, TARGET, spread)


def _follow(env: dict[str, str], store: Store) -> None:
    with closing(open_index(store)) as followed:
        followed.follow()


class Tables(PostgresTrackingRecorder):
    """The tables of the index, as a view of the library's that is updated event by event."""

    def put(self, read: LogRecord, tracking: Tracking) -> None:
        with self.datastore.get_connection() as connection, connection.transaction():
            self._insert_tracking(connection.cursor(), tracking)
            apply_page(QuestionMarkCursor(connection), [read])


class Recorded(Struct, frozen=True):
    """A record with its stream, in the shape of the library's domain events."""

    originator_id: UUID
    originator_version: int
    record: Record[Event]


class Records(Mapper[UUID]):
    """Maps stored events to records."""

    def to_domain_event(self, stored_event: StoredEvent) -> Any:
        stream, version = UUID(str(stored_event.originator_id)), stored_event.originator_version
        return Recorded(stream, version, decode(stored_event.state))


class LibraryStore(Application[UUID]):
    """The same store as an application of the library."""

    name = "arbiter"

    def construct_transcoder(self) -> Transcoder:
        return JSONTranscoder()

    def construct_mapper(self) -> Mapper[UUID]:
        return Records(self.construct_transcoder())


class OneByOne(Projection[Tables]):
    """The read models in the style of the library's manual."""

    topics = TOPICS

    def process_event(self, domain_event: Any, tracking: Tracking) -> None:
        event: Recorded = domain_event
        read = LogRecord(0, str(event.originator_id), event.record)
        self.view.put(read, tracking)


def _run(env: dict[str, str], store: Store) -> None:
    runner = ProjectionRunner(
        application_class=LibraryStore, projection_class=OneByOne, view_class=Tables, env=env
    )
    with runner:
        runner.wait(store.end(), timeout=120)


def events_read(store: Store, after: int = 0) -> int:
    """Number of events read after a position of the log."""
    return len(store.recorder.select_notifications(after + 1, 10**7, topics=TOPICS))


def _season(env: dict[str, str], matches: int) -> Store:
    """A store with this many matches, each of a tournament and of many turns, and what is read off
    the log up to the first of them."""
    store = Store(env)
    with closing(open_index(store)):
        for start in range(0, matches, PLAYERS):
            store.append(list(tournament(start)))
    return store


def tournament(start: int, matches: int = PLAYERS, turns: int = TURNS) -> Iterator[Row]:
    """A tournament in which everyone plays twice, if there are enough `matches`, as far as the
    read models are concerned."""
    cup = make_id(BEGIN << 70 | start, TOURNAMENT)
    entered = (one for player in range(PLAYERS) for one in _entered(player))
    about: list[Event] = [TournamentCreated("Cup"), *entered]
    for n in range(matches):
        match, seats = time_ordered(BEGIN // 1000 + start + n), (n, (n + 1) % PLAYERS)
        name = str(match)
        created = MatchCreated("dollar-prize", 1, {}, len(seats), tournament=str(cup))
        named = [SeatNamed(seat, f"P{player}", BLIND) for seat, player in enumerate(seats)]
        taken = [
            event
            for turn in range(turns)
            for event in (CoinPlaced(0, "penny"), AwaitingChanged((turn % 2,), deadline=BEGIN))
        ]
        yield from _rows(match, [created, *named, MatchStarted(), *taken, MatchEnded(WON)])
        yield from _rows(paired_stream(match), [CheckpointSigned(4, b"root", over=True)])
        about += [MatchAdded(name, "dollar-prize", seats), MatchSettled(name, WON)]
        about += [GarnetsPosted(player, "house", "player", 2, "earned", name) for player in seats]
    yield from _rows(cup, about)


def _entered(player: int) -> list[Event]:
    return [PlayerEntered(player), PlayerNamed(player, f"P{player}", BLIND)]


def _rows(stream: UUID, events: Sequence[Event]) -> list[Row]:
    return rows(stream, 0, [Record(BEGIN, 0, event) for event in events])


# A page of a ledger.


def _paging(folder: Path) -> Figure:
    """The last page of a tournament's ledger and of a player's, in two ledgers side by side."""
    env = embedded(Path(f"{folder}/arbiter.db"))
    each = {}
    with closing(Store(env)) as store, closing(open_index(store)) as index:
        cups = {length: _posted(store, length) for length in LENGTHS}
        index.follow()
        for length, cup in cups.items():
            tries = [_seconds(index, cup, length) for _ in range(TRIES)]
            each[length] = min(tries)
    shown = ", ".join(f"{length:,}: {taken * 1000:.2f}" for length, taken in each.items())
    slope = each[LENGTHS[-1]] / each[LENGTHS[0]]
    return Figure("two pages of a ledger, ms by postings", shown, "≤ 2 times", slope <= 2)


def _posted(store: Store, length: int) -> UUID:
    """A tournament of one player and this many postings."""
    cup = time_ordered(BEGIN // 1000, TOURNAMENT)
    prize = Record(BEGIN, 0, GarnetsPosted(0, "house", "player", 1, "a prize"))
    created = [Record(BEGIN, 0, event) for event in (TournamentCreated("Cup"), *_entered(0))]
    records = [*created, *[prize] * length]
    for start in range(0, len(records), APPENDED):
        store.append(rows(cup, start, records[start : start + APPENDED]))
    return cup


def _seconds(index: Index, cup: UUID, length: int) -> float:
    """The seconds that both take; the minimum of many is without the influence of other
    processes."""
    begun = perf_counter()
    index.follow()
    for player in (None, 0):
        page = index.postings(cup, player, after=length - PAGE, upto=length)
        assert len(page) == PAGE and page[-1].seq == length
    return perf_counter() - begun
