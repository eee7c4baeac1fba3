"""The same actions on the library's plain `Application`: microseconds an action."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from time import perf_counter
from typing import Any, ClassVar
from uuid import UUID, uuid4

import msgspec
from eventsourcing.persistence import StoredEvent
from eventsourcing.sqlite import SQLiteFactory

from domain.events import Event, Record
from domain.games import GAMES
from domain.match_state import AnyGame
from tests.benchmarks.charts.engine import settled, turn_of
from tests.benchmarks.charts.plan import CONNECTIONS, Plan
from tests.benchmarks.charts.rota import Playing, Refusing, Rota
from tests.benchmarks.charts.written_matches import refused_in, upto
from tests.benchmarks.plain import SECONDS_TO_WAIT, Happened, PlainMatch, PlainMatches
from tests.benchmarks.random_matches import NAMES

TOGETHER = 100
ROWS = 1_000
"""Number of matches, or rows, stored at once; with thousands the library's pipeline and PostgreSQL
deadlock."""


class LongMatch(PlainMatch):
    """A match of 12 Chips that goes on for long."""

    game: ClassVar[AnyGame] = GAMES["twelve-chips"]
    options: ClassVar[Any] = msgspec.convert({"tokens_to_win": 100}, game.Options)

    def __init__(self, seats: list[str]) -> None:
        # The library makes the first event from this signature, and looks no further.
        super().__init__(seats)


@contextmanager
def _opened(store: dict[str, str]) -> Iterator[PlainMatches]:
    """Many threads wait for few connections, on SQLite as long as they do on PostgreSQL: after a
    timeout and a retry an action would read its match twice, and count as a slow one."""
    with closing(PlainMatches(store)) as matches:
        if isinstance(matches.factory, SQLiteFactory):
            matches.factory.datastore.pool.pool_timeout = float(SECONDS_TO_WAIT)
        yield matches


def played(store: dict[str, str], count: int, plan: Plan) -> list[float]:
    """Legal actions on `count` matches in turn."""
    with _opened(store) as matches:
        slots = []
        every = count + plan.spare(count)
        for start in range(0, every, TOGETHER):
            some = [_started() for _ in range(min(TOGETHER, every - start))]
            matches.save(*some)
            slots += [Playing(match.id, [], turn_of(match.state)) for match in some]
        rota = Rota(slots, count)
        taken = _rounds(matches, rota, min(CONNECTIONS, count), plan)
        assert not rota.short, "matches that are over, and none in reserve"
        return taken


def _started() -> PlainMatch:
    match = PlainMatch(list(NAMES[:2]))
    match.start()
    return match


def long_events(record: Sequence[Record[Event]], store: dict[str, str]) -> list[StoredEvent]:
    """The record as this library stores it; the first event is the creation in both."""
    match = LongMatch(list(NAMES))
    for one in record[1:]:
        match.trigger_event(Happened, at=one.at, fields=msgspec.to_builtins(one.event))
    with closing(PlainMatches(store)) as matches:
        return [matches.mapper.to_stored_event(event) for event in match.collect_events()]


def refused(
    store: dict[str, str],
    record: Sequence[Record[Event]],
    stored: Sequence[StoredEvent],
    length: int,
    plan: Plan,
) -> list[float]:
    """Actions that the rules refuse, on matches with this many events."""
    some = upto(record, length)
    act = refused_in(some)
    count = plan.theirs[length]
    with _opened(store) as matches:
        slots = [Refusing(uuid4(), [], act) for _ in range(count)]
        for slot in slots:
            own = [_moved(event, slot.id) for event in stored[: len(some)]]
            for start in range(0, len(own), ROWS):
                matches.recorder.insert_events(own[start : start + ROWS])
        return _rounds(matches, Rota(slots, count), min(CONNECTIONS, count), plan)


def _moved(event: StoredEvent, match: UUID) -> StoredEvent:
    return StoredEvent(match, event.originator_version, event.topic, event.state)


def _rounds(matches: PlainMatches, rota: Rota, players: int, plan: Plan) -> list[float]:
    """As many as ours, unless one action takes longer than a round of ours."""
    with settled():
        taken = [_round(matches, rota, players, plan.seconds)]
        while len(taken) < plan.rounds and taken[0] < plan.seconds * 1e6:
            taken.append(_round(matches, rota, players, plan.seconds))
    return taken


def _round(matches: PlainMatches, rota: Rota, players: int, seconds: float) -> float:
    with ThreadPoolExecutor(players) as threads:
        began = perf_counter()
        playing = [threads.submit(_play, matches, rota, began + seconds) for _ in range(players)]
        acted = sum(each.result() for each in playing)
        return (perf_counter() - began) / acted * 1e6


def _play(matches: PlainMatches, rota: Rota, until: float) -> int:
    """At least one action, however long it takes."""
    acted = 0
    while (not acted or perf_counter() < until) and (slot := rota.take()) is not None:
        state = matches.act(slot.id, slot.act)
        slot.tell(lambda state=state: turn_of(state))  # type: ignore[misc]
        rota.back(slot)
        acted += 1
    return acted
