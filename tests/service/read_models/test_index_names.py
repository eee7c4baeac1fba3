"""Searching for names in the index: whole names, in upper or lower case."""

from unicodedata import normalize
from uuid import UUID

import pytest

from domain.match.events import MatchCreated, MatchStarted, SeatNamed
from domain.names import readable
from domain.tournament.events import (
    GarnetsPosted,
    TournamentCreated,
)
from service.event_store.stream_ids import time_ordered
from tests.support.instance.index_log import BLIND, Log, appointed, entered, ids
from tests.support.instants import NOON

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
        assert log.listed(name=written) == ids(match_id)
        rows = log.index.tournaments(name=written).tournaments
        assert [row.id for row in rows] == ids(called, tournament)


@pytest.mark.parametrize("name", ["", "An", "nn", "Annn", "Ann\0", "\0", "A%", "%", "___", "Bén"])
def test_only_the_whole_name_is_found(log: Log, name: str) -> None:
    seated(log, "Ann", "Ben")
    cup(log, "Cup", "Ann", "Ben")
    assert log.listed(name=name) == []
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
    assert log.listed(name="ANN") == ids(two, one)
    assert log.listed(name="ann", status="running") == ids(two)
    assert log.listed(name="ben", tournament=spring) == ids(three, one)
    assert log.listed(name="ann", tournament=spring, game="dollar-prize") == ids(one)
    assert log.listed(name="ann", game="twelve-chips") == []
    assert log.listed(name="ann", after=two) == ids(one)


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
    while (page := log.index.page(name="ann", after=after, limit=limit)).next is not None:
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
