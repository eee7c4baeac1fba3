"""A log with an index that follows it, and the contents of the index."""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from domain.events import Event, Record
from domain.game import Result
from domain.games.dollar_prize.events import CoinPlaced
from domain.match.events import (
    AwaitingChanged,
    MatchCreated,
    MatchEnded,
    MatchPaused,
    MatchStarted,
    SeatNamed,
)
from domain.proof.log_events import CheckpointSigned
from domain.rulings.events import RulingProposed
from domain.rulings.kinds import Correction, VoidMatch
from domain.tournament.events import (
    GarnetsPosted,
    MatchAdded,
    MatchCorrected,
    MatchGiven,
    MatchSettled,
    ModeratorAppointed,
    ModeratorNamed,
    PlayerEntered,
    PlayerNamed,
    TournamentCreated,
    TournamentDirected,
    TournamentRuled,
    TournamentRulingOrdered,
    TournamentRulingProposed,
)
from service.event_store.database import IN_MEMORY
from service.event_store.store import Store, paired_stream, rows
from service.event_store.stream_ids import time_ordered
from service.read_models.index import Index, MatchFilters, open_index
from service.read_models.tables import DERIVED_TABLES
from tests.support.instants import NOON, SECOND
from tests.support.servers.postgres_server import fresh_database

WON = Result((0,), (1,), False, (100, 50))
BLIND = bytes(16)
NAMED = tuple(SeatNamed(seat, name, BLIND) for seat, name in enumerate(("Ann", "Ben")))
"""What stands after the creation of a match here."""

NAMING = (SeatNamed, PlayerNamed, ModeratorNamed)


def entered(*names: str, start: int = 0) -> list[Event]:
    """The entries of these players into a tournament, numbered from `start`."""
    return [
        event
        for player, name in enumerate(names, start)
        for event in (PlayerEntered(player), PlayerNamed(player, name, BLIND))
    ]


def appointed(number: int, name: str) -> list[Event]:
    """The appointment of a moderator of a tournament."""
    return [ModeratorAppointed(number), ModeratorNamed(number, name, BLIND)]


class Log:
    """A store with matches, and the index of its log."""

    def __init__(self, env: dict[str, str]) -> None:
        self.env = env
        self.keeps = env is not IN_MEMORY
        self.store = Store(env)
        self.index = self.new_index()
        self.lengths: dict[UUID, int] = {}
        self.seconds = Counter[UUID]()
        """How many events of each have happened, one a second; those of names take no time."""

    def new_index(self) -> Index:
        return open_index(self.store)

    def match(self, *events: Event, game: str = "dollar-prize", **more: Any) -> UUID:
        """A new match with these events after its creation; ids follow the order of creation."""
        match_id = time_ordered(NOON // 1000 + len(self.lengths))
        self.put(match_id, MatchCreated(game, 1, {}, 2, **more), *NAMED, *events)
        return match_id

    def put(self, match_id: UUID, *events: Event) -> None:
        after = self.lengths.get(match_id, 0)
        records = list[Record[Event]]()
        for event in events:
            second = self.seconds[match_id]
            records.append(Record(NOON + second * SECOND, 0, event))
            self.seconds[match_id] += not isinstance(event, NAMING)
        self.store.append(rows(match_id, after, records))
        self.lengths[match_id] = after + len(events)

    def listed(self, after: UUID | None = None, **filters: Any) -> list[str]:
        self.index.follow()
        return [row.id for row in self.index.page(MatchFilters(**filters), after=after).matches]

    def close(self) -> None:
        self.index.close()
        self.store.close()


@contextmanager
def log_in(where: str, folder: Path) -> Iterator[Log]:
    """A log in one of our two databases, or in memory."""
    with ExitStack() as stack:
        env = IN_MEMORY
        if where == "postgres":
            env = stack.enter_context(fresh_database())
        elif where == "sqlite":
            env = {"PERSISTENCE_MODULE": "service.event_store.sqlite"}
            env["SQLITE_DBNAME"] = str(folder / "arbiter.db")
        yield stack.enter_context(closing(Log(env)))


def ids(*matches: UUID) -> list[str]:
    return [str(match_id) for match_id in matches]


def contents(index: Index) -> tuple[Any, ...]:
    """All that the index returns, and every row of every table."""
    matches, tournaments = index.page(limit=1_000).matches, index.tournaments(limit=1_000)
    deadlines = sorted(index.deadlines())
    lists = matches, deadlines, index.unsigned(), index.unsettled(), tournaments.tournaments
    return *lists, {table: stored(index, table) for table in DERIVED_TABLES}


def stored(index: Index, table: str) -> list[tuple[Any, ...]]:
    return sorted(index._db.select(f"SELECT * FROM {table}"), key=repr)  # noqa: S608  one of ours


def proposed(ruling: str, lapses: int) -> RulingProposed:
    """A ruling of this id that waits for a second person."""
    return RulingProposed(ruling, VoidMatch(), "why", None, None, None, False, lapses)


def corrected(cup: UUID, match: UUID) -> list[Event]:
    """A correction of a match that was proposed and carried out, and a pending one."""
    ruling = Correction(str(match), None)
    postings = [
        TournamentRulingProposed(f"{cup} {n}", ruling, "why", None, None, None, NOON + n)
        for n in range(2)
    ]
    directed = TournamentDirected("Olga", "key")
    return [
        *(postings[0], directed, postings[1], directed),
        *(TournamentRuled(1, "correct", str(match), "why", None, None), directed),
        *(TournamentRulingOrdered(f"{cup} 0", ruling, None), MatchCorrected(str(match), None)),
        GarnetsPosted(0, "player", "house", 1, "reversed", str(match), 1),
    ]


def busy(log: Log) -> None:
    """Adds matches in every status, with mixed events in the log; half are in a tournament."""
    cup = time_ordered(NOON // 1000 + len(log.lengths))
    log.put(cup, TournamentCreated("Cup"), *entered("Ann", "Ben"))
    log.put(cup, GarnetsPosted(1, "house", "player", 9, "a prize"), *appointed(0, "Mo"))
    of = {"dollar-prize": None, "twelve-chips": str(cup)}
    matches = [log.match(game=game, tournament=of[game]) for game in (*of,) * 6]
    for match_id in matches[1::2]:
        log.put(cup, MatchAdded(str(match_id), "twelve-chips", (1, 0)))
    for n, match_id in enumerate(matches):
        log.put(match_id, MatchStarted(), AwaitingChanged((0,), phase="a", deadline=NOON + n))
    for n, match_id in enumerate(matches):
        events = (MatchPaused(3), MatchEnded(WON), CoinPlaced(0, "penny"))
        log.put(match_id, proposed(f"{match_id} {n}", NOON + n), events[n % 3])
    for n in (2, 5):
        log.put(matches[n], MatchEnded(WON, NOON + 99))
    for n in (1, 4, 7):
        log.put(paired_stream(matches[n]), CheckpointSigned(4, b"root", over=n < 7))
    log.put(cup, *entered("Cy", start=2), MatchGiven(str(matches[3]), 0))
    earned = GarnetsPosted(0, "house", "player", 1, "earned", str(matches[1]))
    log.put(cup, MatchSettled(str(matches[1]), WON), earned)
    log.put(cup, MatchSettled(str(matches[3]), WON), *corrected(cup, matches[3]))
