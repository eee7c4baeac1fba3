"""Searching for names in the index: whole names, in upper or lower case."""

from unicodedata import normalize
from uuid import UUID

import pytest

from domain.events import HOUR, Record
from domain.match.events import MatchCreated, MatchStarted, SeatNamed
from domain.names import readable
from domain.tournament.events import (
    GarnetsPosted,
    MatchAdded,
    MatchGiven,
    MatchTaken,
    TournamentCreated,
)
from service.event_store.store import rows
from service.event_store.stream_ids import time_ordered
from service.read_models.index import MatchFilters
from tests.support.instance.index_log import BLIND, NAMED, Log, appointed, entered, ids
from tests.support.instants import NOON

ANN = MatchFilters(player="ann")
WIDEST = "\ufdfa" * 64
"""The letter that becomes longest when its case is folded."""


def seated(log: Log, *names: str, started: bool = False, **more: str) -> UUID:
    match_id = time_ordered(NOON // 1000 + len(log.lengths))
    created = MatchCreated("dollar-prize", 1, {}, len(names), **more)  # type: ignore[arg-type]
    named = [SeatNamed(seat, name, BLIND) for seat, name in enumerate(names)]
    log.put(match_id, created, *named, *([MatchStarted()] if started else []))
    return match_id


def cup(log: Log, name: str, *players: str) -> UUID:
    tournament = time_ordered(NOON // 1000 + len(log.lengths))
    log.put(tournament, TournamentCreated(name), *entered(*players))
    return tournament


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Jörg Straße", ["Jörg Straße", "JÖRG STRASSE", normalize("NFD", "jörg strasse")]),
        ("ΣΊΣΥΦΟΣ", ["Σίσυφος", "σίσυφοσ"]),
        ("%", ["%"]),
        ("A_n", ["a_N"]),
        (WIDEST, [WIDEST]),
        ("\U0001f3b2", ["\U0001f3b2"]),
    ],
    ids=["german", "greek", "percent", "underline", "widest", "beyond 16 bits"],
)
def test_a_name_is_found_in_any_spelling(log: Log, name: str, found: list[str]) -> None:
    assert readable(name)
    match_id, _ = seated(log, "Ben", name), seated(log, "Ben", "Ann")
    tournament, _ = cup(log, "Cup", "Ben", name), cup(log, "Other")
    called = cup(log, name)
    log.index.follow()
    for written in found:
        assert log.listed(player=written) == ids(match_id)
        rows = log.index.tournaments(name=written).tournaments
        assert [row.id for row in rows] == ids(called, tournament)


@pytest.mark.parametrize("name", ["", "An", "nn", "Annn", "Ann\0", "\0", "A%", "%", "___", "Bén"])
def test_only_the_whole_name_is_found(log: Log, name: str) -> None:
    seated(log, "Ann", "Ben")
    cup(log, "Cup", "Ann", "Ben")
    assert log.listed(player=name) == []
    assert log.index.tournaments(name=name).tournaments == []


def test_only_public_names_are_found(log: Log) -> None:
    """The names of moderators, and the reasons of garnets, are not searched."""
    given = GarnetsPosted(0, "house", "player", 1, "Zed")
    tournament = cup(log, "Cup", "Ann")
    log.put(tournament, *appointed(0, "Mo"), given)
    log.index.follow()
    for name in ("Mo", "Zed"):
        assert log.index.tournaments(name=name).tournaments == []


def test_the_name_combines_with_other_filters(log: Log) -> None:
    spring = str(cup(log, "Spring"))
    one = seated(log, "Ann", "Ben", tournament=spring)
    two = seated(log, "Ann", "Cy", started=True)
    three = seated(log, "Cy", "Ben", tournament=spring)
    assert log.listed(player="ANN") == ids(two, one)
    assert log.listed(player="ann", status="running") == ids(two)
    assert log.listed(player="ben", tournament=spring) == ids(three, one)
    assert log.listed(player="ann", tournament=spring, game="dollar-prize") == ids(one)
    assert log.listed(player="ann", game="twelve-chips") == []
    assert log.listed(player="ann", after=two) == ids(one)


def test_matches_are_found_by_who_moderates_them(log: Log) -> None:
    """In a tournament, where everyone sees it; a match that is taken from someone is theirs no
    more."""
    spring = cup(log, "Spring", "Ann", "Ben")
    log.put(spring, *appointed(0, "Mo"), *appointed(1, "Mia"))
    one, two, three = (seated(log, "Ann", "Ben", tournament=str(spring)) for _ in range(3))
    for match in (one, two):
        log.put(spring, MatchAdded(str(match), "dollar-prize", (0, 1)), MatchGiven(str(match), 0))
    log.put(spring, MatchGiven(str(one), 1))
    assert log.listed(moderator="MO") == ids(two, one)
    assert log.listed(moderator="mia", player="ben") == ids(one)
    assert log.listed(moderator="mo", after=two) == ids(one)
    log.put(spring, MatchTaken(str(one), 0), MatchAdded(str(three), "dollar-prize", (0, 1)))
    log.put(spring, MatchGiven(str(three), 0))
    assert log.listed(moderator="mo") == ids(three, two)
    log.index.rebuild()
    assert log.listed(moderator="mo") == ids(three, two)


def test_matches_are_found_by_their_creation(log: Log) -> None:
    """Which may be long after their ids were drawn."""
    first, second, third = (time_ordered(NOON // 1000 - n) for n in range(3))
    for hours, match in enumerate((first, second, third)):
        created = Record(NOON + hours * HOUR, 0, MatchCreated("dollar-prize", 1, {}, 2))
        named = (Record(created.at, 0, event) for event in NAMED)
        log.store.append(rows(match, 0, [created, *named]))
    assert log.listed() == ids(third, second, first)
    assert log.listed(since=NOON + HOUR) == log.listed(since=NOON + 1) == ids(third, second)
    assert log.listed(until=NOON + HOUR) == ids(first)
    assert log.listed(player="ann", since=NOON, until=NOON + 2 * HOUR) == ids(second, first)
    assert log.listed(after=third) == ids(second, first)


@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_pages_of_results_follow_one_another(log: Log, limit: int) -> None:
    matches, cups = [], []
    for n in range(7):
        matches.append(seated(log, "Ann", f"P{n}"))
        seated(log, "Ben", f"P{n}")
        cups.append(cup(log, f"Cup {n}", "Ann"))
        cup(log, f"Other {n}", "Ben")
    log.index.follow()
    listed: list[str] = []
    after = None
    while (page := log.index.page(ANN, after=after, limit=limit)).next is not None:
        listed += [row.id for row in page.matches]
        after = UUID(page.next)
    assert listed + [row.id for row in page.matches] == ids(*matches)[::-1]
    listed, after = [], None
    while (found := log.index.tournaments(name="ann", after=after, limit=limit)).next is not None:
        listed += [row.id for row in found.tournaments]
        after = UUID(found.next)
    assert listed + [row.id for row in found.tournaments] == ids(*cups)[::-1]


def test_a_player_who_enters_later_is_found(log: Log) -> None:
    tournament = cup(log, "Cup", "Ann")
    log.index.follow()
    log.put(tournament, *entered("Ben", start=1))
    log.index.follow()
    assert [row.id for row in log.index.tournaments(name="BEN").tournaments] == ids(tournament)
