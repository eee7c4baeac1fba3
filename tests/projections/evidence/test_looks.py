"""Which event is meant, and who has looked at it, as far as the account of reads says."""

import pytest
from msgspec.structs import replace

from domain.match.events import MatchCreated, SeatNamed
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.evidence.facts import find_entries
from projections.evidence.knowledge import Knowledge, Known, Reading, Sent
from projections.evidence.timeline import timeline_for
from projections.fields import instant, rfc3339
from tests.recorded.files import records
from tests.support.evidence.recorded_timelines import entries_of, whole

DICE = "liars-dice.seeded"
"""Ann, Ben and Čeněk; rolls are private, and shown at the end of each round."""

ROLL, SHOWN, OPENED = 17, 43, 128
"""Ann's first roll, the end of its round, and the opening of the record."""

OWN, PUBLIC_OWN, BENS_OWN = 12, 24, 27
"""Ann's number of her roll, and the numbers of the round's end for the public and for Ben."""

END = instant("2026-01-01T13:00:00Z")


def read(
    audience: Viewer | None, seq: int, person: str | None = "Ann", role: str = "seat"
) -> Reading:
    """A reading that began before everything and went on until after everything."""
    return Reading(person, role, seq, 0, END, "k1", audience)


def known(reader: Viewer, *readings: Reading) -> list[Known]:
    created = records(DICE)[0].event
    assert isinstance(created, MatchCreated)
    knowledge = Knowledge(created, whole(DICE), MODERATOR, readings)
    return knowledge.of(whole(DICE)[ROLL - 1], reader)


@pytest.mark.parametrize(
    ("reader", "reading", "looked"),
    [
        (0, read(0, OWN), True),
        (0, read(0, OWN - 1), False),
        (0, read(0, OWN, "Mo", "moderator"), True),
        (0, read(PUBLIC_VIEWER, 999), False),
        (0, read(1, 999, "Ben"), False),
        (0, read(MODERATOR, 999, "Ben"), False),
        (MODERATOR, read(MODERATOR, ROLL, "Mo", "moderator"), True),
        (MODERATOR, read(MODERATOR, ROLL - 1, "Mo", "moderator"), False),
        (MODERATOR, read(MODERATOR, 0, "Olga", "organiser"), False),
        (MODERATOR, read(0, OWN, "Mo", "moderator"), True),
        (MODERATOR, read(0, OWN, "Ann", "seat"), False),
    ],
)
def test_a_look_goes_up_to_the_event_in_the_count_of_what_was_read(
    reader: Viewer, reading: Reading, looked: bool
) -> None:
    (way,) = known(reader, reading)
    assert bool(way.looked) is looked
    assert (way.sent is not None) is looked


@pytest.mark.parametrize(
    ("reading", "looked"),
    [
        (read(1, BENS_OWN, "Ben"), True),
        (read(1, BENS_OWN - 1, "Ben"), False),
        (read(PUBLIC_VIEWER, PUBLIC_OWN, "ben"), True),
        (read(PUBLIC_VIEWER, PUBLIC_OWN - 1, "Ben"), False),
        (read(PUBLIC_VIEWER, PUBLIC_OWN, "Ann"), False),
        (read(PUBLIC_VIEWER, PUBLIC_OWN, None), False),
        (read(MODERATOR, ROLL, "Ben"), True),
        (read(MODERATOR, ROLL - 1, "Ben"), False),
    ],
)
def test_what_was_shown_later_is_looked_at_by_that_event_whatever_the_player_read(
    reading: Reading, looked: bool
) -> None:
    disclosed, opened = known(1, reading)
    assert bool(disclosed.looked) is looked
    assert disclosed.how == "disclosed" and opened.how == "opened"


def test_it_was_handed_out_between_two_instants() -> None:
    since = instant(whole(DICE)[ROLL - 1].recorded or "")
    early, late = since - 5, since + 7
    first = Reading("Ann", "seat", OWN, early, late, "k1", 0)
    second = Reading("Ann", "seat", OWN, since + 3, since + 500_000, "k2", 0)
    (way,) = known(0, first, second)
    assert [(look.key_id, look.earliest, look.latest) for look in way.looked] == [
        ("k1", rfc3339(since), rfc3339(late)),
        ("k2", rfc3339(since + 3), rfc3339(since + 500_000)),
    ]
    assert way.sent == Sent(rfc3339(since), rfc3339(late))


def test_a_player_is_told_that_moderators_have_looked_in_the_players_own_numbers() -> None:
    created = records(DICE)[0].event
    assert isinstance(created, MatchCreated)
    entries = timeline_for(whole(DICE), 0)
    for seq, looked in ((OWN, True), (OWN - 1, False)):
        told = read(None, seq, "Mo", "moderator")
        knowledge = Knowledge(created, entries, 0, [told])
        (moderators,) = knowledge.of(entries[OWN - 1], MODERATOR)
        assert bool(moderators.looked) is looked
        (own,) = knowledge.of(entries[OWN - 1], 0)
        assert own.looked == ()


def test_whoever_takes_over_a_seat_looks_for_it() -> None:
    played = records(DICE)
    named = replace(played[ROLL - 1], event=SeatNamed(0, "Zoe", bytes(16)))
    replaced = [*played[: ROLL - 1], named, *played[ROLL - 1 :]]
    created = replaced[0].event
    assert isinstance(created, MatchCreated)
    entries = entries_of(replaced)
    reading = read(MODERATOR, ROLL + 1, "Zoe")
    knowledge = Knowledge(created, entries, MODERATOR, [reading])
    (way,) = knowledge.of(entries[ROLL], 0)
    assert [look.person for look in way.looked] == ["Zoe"]


def test_without_an_account_nobody_is_said_to_have_looked() -> None:
    assert all((way.sent, way.looked) == (None, ()) for way in [*known(0), *known(1)])


ENTRIES = whole("dollar-prize.seeded")
NAMES = ("Ann", "Ben")


def kinds(asked: str) -> set[str | None]:
    return {entry.type for entry in find_entries(ENTRIES, asked, NAMES)}


def test_a_number_means_the_event_of_this_number() -> None:
    assert [entry.number for entry in find_entries(ENTRIES, "17", NAMES)] == [17]
    (public,) = find_entries(ENTRIES, "p6", NAMES)
    assert public.public_seq == 6 != public.number
    assert (
        find_entries(ENTRIES, str(len(ENTRIES) + 1), NAMES)
        == find_entries(ENTRIES, "0", NAMES)
        == []
    )


@pytest.mark.parametrize(
    "asked", ["coin-placed", "coin placed", "COIN-PLACED", "dollar-prize.coin-placed.1"]
)
def test_words_are_found_in_the_stored_name(asked: str) -> None:
    assert kinds(asked) == {"dollar-prize.coin-placed.1"}


def test_every_word_must_be_found() -> None:
    pennies = find_entries(ENTRIES, "coin-placed Ann penny", NAMES)
    assert pennies
    assert all(entry.what == "Ann places a penny" for entry in pennies)
    assert (
        find_entries(ENTRIES, "coin-placed unheard-of", NAMES)
        == find_entries(ENTRIES, " ", NAMES)
        == []
    )


def test_a_field_is_found_by_its_value_and_a_seat_by_its_name() -> None:
    assert find_entries(ENTRIES, "coin-placed coin=penny", NAMES)
    assert find_entries(ENTRIES, "coin-placed seat=ben", NAMES) == find_entries(
        ENTRIES, "coin-placed seat=1", NAMES
    )
    assert find_entries(ENTRIES, "coin-placed coin=pen", NAMES) == []
    assert kinds("type=place") == {"match.action-received.1"}


def test_words_do_not_find_housekeeping() -> None:
    assert "match.awaiting-changed.1" not in kinds("match")
    assert not any(entry.housekeeping for entry in find_entries(ENTRIES, "ann", NAMES))
    (first,) = find_entries(ENTRIES, "2", NAMES)
    assert first.housekeeping, "a number finds everything"
