"""The order of matches when many are played by few."""

from uuid import UUID, uuid4

from tests.benchmarks.charts.rota import Playing, Rota
from tests.benchmarks.load import Turn

OVER = Turn("over", None)


def _slots(count: int) -> list[Playing]:
    return [Playing(uuid4(), [], Turn("turn", 0)) for _ in range(count)]


def _take(rota: Rota) -> Playing:
    slot = rota.take()
    assert isinstance(slot, Playing)
    return slot


def _ids(slots: list[Playing]) -> list[UUID]:
    return [slot.id for slot in slots]


def test_matches_are_taken_in_turn() -> None:
    slots = _slots(3)
    rota = Rota(slots, 3)
    taken = []
    for _ in range(6):
        taken.append(_take(rota))
        rota.back(taken[-1])
    assert _ids(taken) == _ids(slots * 2)


def test_a_match_is_nobody_elses_until_it_is_back() -> None:
    slots = _slots(2)
    rota = Rota(slots, 2)
    both = [_take(rota), _take(rota)]
    assert rota.take() is None
    assert rota.in_use == both
    rota.back(both[1])
    assert _take(rota).id == slots[1].id


def test_a_finished_match_is_replaced_by_another() -> None:
    slots = _slots(3)
    rota = Rota(slots, 2)
    first = _take(rota)
    first.tell(lambda: OVER)
    rota.back(first)
    assert not rota.short
    assert _ids([_take(rota), _take(rota)]) == _ids(slots[1:])


def test_an_empty_reserve_is_reported() -> None:
    slots = _slots(1)
    rota = Rota(slots, 1)
    slot = _take(rota)
    slot.tell(lambda: OVER)
    rota.back(slot)
    assert rota.short and rota.take() is None


def test_matches_that_are_over_from_the_beginning_are_not_played() -> None:
    slots = _slots(3)
    slots[0].turn = OVER
    assert _take(Rota(slots, 2)).id == slots[1].id
    assert Rota(slots, 3).short
