"""Which matches stay in memory: those used last, as far as there is room."""

from functools import cache
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from domain.games import GAMES
from projections.disclosure import PUBLIC_VIEWER
from service.door.held import Held
from service.door.open_match import MATCH_BYTES, RECORD_BYTES, Loaded, OpenMatch, loaded
from tests.benchmarks.played import HIDDEN, MATCH, Played

ROOM = 10 * MATCH_BYTES


def held(matches: int, room: int = ROOM) -> Held:
    made = Held(room)
    for n in range(matches):
        made.use(UUID(int=n))
    return made


def numbers(held: Held) -> list[int]:
    return [opened.id.int for opened in held]


@cache
def short_match() -> Loaded:
    played = Played(GAMES["dollar-prize"], 2, {})
    for _ in range(5):
        played.step()
    return loaded(MATCH, played.records, HIDDEN)


def fill(opened: OpenMatch) -> None:
    """All of a short match is in memory, also what two seats and the public see of it."""
    opened.load(short_match())
    for viewer in (0, 1, PUBLIC_VIEWER):
        assert opened.reader(viewer) is not None


def test_of_more_than_there_is_room_for_those_go_that_were_used_first() -> None:
    assert numbers(held(12)) == list(range(2, 12))


def test_who_is_used_again_is_the_last_to_go() -> None:
    some = held(10)
    some.use(UUID(int=0))
    some.use(UUID(int=10))
    assert numbers(some) == [2, 3, 4, 5, 6, 7, 8, 9, 0, 10]


def test_who_is_only_asked_for_goes_in_its_turn() -> None:
    some = held(10)
    assert some.find(UUID(int=0)) is not None
    assert some.find(UUID(int=11)) is None
    some.use(UUID(int=10))
    assert numbers(some) == list(range(1, 11))


def test_who_is_at_work_stays_and_the_next_one_goes() -> None:
    some = held(10)
    for number in (0, 1):
        opened = some.find(UUID(int=number))
        assert opened is not None
        opened.judging = True
    some.use(UUID(int=10))
    assert numbers(some) == [0, 1, *range(3, 11)]


def test_the_one_in_use_stays_though_there_is_no_room_at_all() -> None:
    assert numbers(held(3, room=1)) == [2]


def test_what_was_read_since_is_counted_and_others_go_for_it() -> None:
    some = held(10)
    opened = some.find(UUID(int=9))
    assert opened is not None
    fill(opened)
    assert opened.weight > MATCH_BYTES + RECORD_BYTES * len(opened.tail)
    some.weigh(opened)
    assert some.taken == sum(one.weight for one in some) <= ROOM
    assert numbers(some) == list(range(10 - len(some), 10))


def test_who_has_gone_meanwhile_is_not_counted() -> None:
    some = held(3)
    gone = some.find(UUID(int=1))
    assert gone is not None
    some.drop(gone.id)
    fill(gone)
    some.weigh(gone)
    assert some.taken == 2 * MATCH_BYTES
    another = some.use(gone.id)
    assert another is not gone and some.taken == 3 * MATCH_BYTES


STEPS = st.lists(st.tuples(st.sampled_from(["use", "fill", "drop"]), st.integers(0, 15)))


@given(STEPS)
def test_what_is_taken_is_the_sum_of_all_whatever_happens(steps: list[tuple[str, int]]) -> None:
    some = Held(ROOM)
    for what, number in steps:
        match_id = UUID(int=number)
        if what == "drop":
            some.drop(match_id)
            continue
        opened = some.use(match_id)
        if what == "fill":
            fill(opened)
            some.weigh(opened)
        assert some.taken <= ROOM or len(some) == 1
    assert some.taken == sum(one.weighed for one in some) == sum(one.weight for one in some)
