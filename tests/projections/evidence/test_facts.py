"""Which event is meant: by its number, by words, or by its fields."""

import pytest

from projections.evidence.facts import found
from tests.support.evidence.recorded_timelines import whole

ENTRIES = whole("dollar-prize.seeded")
NAMES = ("Ann", "Ben")


def kinds(asked: str) -> set[str | None]:
    return {entry.type for entry in found(ENTRIES, asked, NAMES)}


def test_a_number_means_the_event_of_this_number() -> None:
    assert [entry.number for entry in found(ENTRIES, "17", NAMES)] == [17]
    (public,) = found(ENTRIES, "p6", NAMES)
    assert public.public_seq == 6 != public.number
    assert found(ENTRIES, str(len(ENTRIES) + 1), NAMES) == found(ENTRIES, "0", NAMES) == []


@pytest.mark.parametrize(
    "asked", ["coin-placed", "coin placed", "COIN-PLACED", "dollar-prize.coin-placed.1"]
)
def test_words_are_found_in_the_stored_name(asked: str) -> None:
    assert kinds(asked) == {"dollar-prize.coin-placed.1"}


def test_every_word_must_be_found() -> None:
    pennies = found(ENTRIES, "coin-placed Ann penny", NAMES)
    assert pennies
    assert all(entry.what == "Ann places a penny" for entry in pennies)
    assert found(ENTRIES, "coin-placed unheard-of", NAMES) == found(ENTRIES, " ", NAMES) == []


def test_a_field_is_found_by_its_value_and_a_seat_by_its_name() -> None:
    assert found(ENTRIES, "coin-placed coin=penny", NAMES)
    assert found(ENTRIES, "coin-placed seat=ben", NAMES) == found(
        ENTRIES, "coin-placed seat=1", NAMES
    )
    assert found(ENTRIES, "coin-placed coin=pen", NAMES) == []
    assert kinds("type=place") == {"match.action-received.1"}


def test_words_do_not_find_housekeeping() -> None:
    assert "match.awaiting-changed.1" not in kinds("match")
    assert not any(entry.housekeeping for entry in found(ENTRIES, "ann", NAMES))
    (first,) = found(ENTRIES, "2", NAMES)
    assert first.housekeeping, "a number finds everything"
