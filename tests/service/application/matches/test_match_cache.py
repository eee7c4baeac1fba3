"""The most recently used matches stay in memory, up to the limit."""

from functools import cache
from random import Random
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from domain.encoding import encode
from domain.games import GAMES
from domain.match.events import MatchCreated
from projections.audience.disclosure import PUBLIC_VIEWER
from service.application.matches.loaded_match import from_record
from service.application.matches.match_session import MATCH_BYTES, MatchCache, MatchSession
from service.event_store.integrity.checked_records import CheckedRecords
from service.event_store.integrity.digests import Digest
from tests.benchmarks.random_matches import begun, step
from tests.support.tables.match_table import MATCH, secrets_of

ROOM = 10 * MATCH_BYTES


def cache_of(matches: int, room: int = ROOM) -> MatchCache:
    made = MatchCache(room)
    for n in range(matches):
        made.use(UUID(int=n))
    return made


def numbers(cache_of: MatchCache) -> list[int]:
    return [opened.id.int for opened in cache_of]


@cache
def short_record() -> CheckedRecords:
    table, rng = begun(GAMES["dollar-prize"], 2, {}), Random(1)
    for _ in range(5):
        step(table, rng)
    states = list(map(encode, table.records))
    return CheckedRecords(table.records, states, Digest(len(states), b""))


def fill(opened: MatchSession) -> None:
    """All of a short match is in memory, with the projections of two seats and the public."""
    created = short_record().records[0].event
    assert isinstance(created, MatchCreated)
    loaded = opened.loaded = from_record(MATCH, short_record(), secrets_of(created))
    for viewer in (0, 1, PUBLIC_VIEWER):
        assert loaded.projections.find(viewer) is not None


def test_a_match_in_use_stays_and_the_next_one_goes() -> None:
    some = cache_of(10)
    for number in (0, 1):
        opened = some.find(UUID(int=number))
        assert opened is not None
        opened.deciding = True
    some.use(UUID(int=10))
    assert numbers(some) == [0, 1, *range(3, 11)]


def test_growth_since_the_last_use_is_counted_and_others_go_for_it() -> None:
    some = cache_of(10)
    opened = some.find(UUID(int=9))
    assert opened is not None
    fill(opened)
    assert opened.loaded is not None
    assert opened.weight == MATCH_BYTES + opened.loaded.weight > 2 * MATCH_BYTES
    some.weigh(opened)
    assert some.size == sum(one.weight for one in some) <= ROOM
    assert numbers(some) == list(range(10 - len(some), 10))


def test_a_match_that_has_gone_meanwhile_is_not_counted() -> None:
    some = cache_of(3)
    gone = some.find(UUID(int=1))
    assert gone is not None
    some.drop(gone.id)
    fill(gone)
    some.weigh(gone)
    assert some.size == 2 * MATCH_BYTES
    another = some.use(gone.id)
    assert another is not gone and some.size == 3 * MATCH_BYTES


STEPS = st.lists(st.tuples(st.sampled_from(["use", "fill", "drop"]), st.integers(0, 15)))


@given(STEPS)
def test_the_size_is_always_the_sum_of_all_matches(steps: list[tuple[str, int]]) -> None:
    some = MatchCache(ROOM)
    for what, number in steps:
        match_id = UUID(int=number)
        if what == "drop":
            some.drop(match_id)
            continue
        opened = some.use(match_id)
        if what == "fill":
            fill(opened)
            some.weigh(opened)
        assert some.size <= ROOM or len(some) == 1
    assert some.size == sum(one.weighed for one in some) == sum(one.weight for one in some)
