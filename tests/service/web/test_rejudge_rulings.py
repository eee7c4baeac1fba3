"""Matches with rulings, judged again by the page as by the domain; what is dropped, moved or
altered is found."""

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from domain.commands import IssueKey, Start
from domain.events import Event, Record
from domain.games import GAMES
from domain.key_events import ModeratorKeyIssued
from domain.match_events import Chance, DeadlineSet, Directed, MatchPaused, MatchResumed
from domain.people import named_person
from domain.ruling_commands import SecondRuling
from domain.ruling_events import (
    MatchVoided,
    ResultRuled,
    RulingEvent,
    RulingOrdered,
    RulingProposed,
    SeatReplaced,
)
from domain.ruling_kinds import ReplaceSeat, VoidMatch
from projections.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from tests.support.evidence.record_changes import Change, changes_at
from tests.support.evidence.signed_bundles import bundled, log_of
from tests.support.tables.match_table import MATCH, seated
from tests.support.tables.ruling_tables import EVE, FINN, rule, ruled_walk
from tests.support.web.rejudged_records import by_domain, by_page
from tests.support.web.two_verdicts import Given, by_first, by_second
from tests.support.web.verifier_pages import with_rules
from tests.support.web.verifier_script import page_answers

LUCK = range(6)
SAMPLE, BEGINNINGS = 150, 50
CONCERNED = (*get_args(RulingEvent), Directed, DeadlineSet, MatchPaused, MatchResumed)

Records = Sequence[Record[Event]]


@cache
def walked(game: str, luck: int) -> Records:
    """A match with rulings, to its end."""
    *_, table = ruled_walk(game, GAMES[game].seats[0], luck)
    return table.records


@pytest.mark.parametrize("game", with_rules())
def test_matches_with_rulings_are_judged_alike(game: str) -> None:
    matches = [walked(game, luck) for luck in LUCK]
    expected = [by_domain(MATCH, whole) for whole in matches]
    assert by_page(MATCH, matches) == expected
    assert {one["status"] for one in expected} <= {"ended", "void"}


@pytest.mark.parametrize("game", with_rules())
def test_every_beginning_of_one_is_judged_alike(game: str) -> None:
    whole = walked(game, 1)
    beginnings = [
        whole[:length] for length in range(1, len(whole), max(3, len(whole) // BEGINNINGS))
    ]
    assert by_page(MATCH, beginnings) == [by_domain(MATCH, one) for one in beginnings]


@cache
def ruling_changes(game: str) -> list[Change]:
    """Changes of the events that concern rulings, some of each kind there is."""
    every = [
        change
        for luck in LUCK
        for index, record in enumerate(walked(game, luck))
        if isinstance(record.event, CONCERNED)
        for change in changes_at(walked(game, luck), index)
    ]
    Random(game).shuffle(every)
    each = {change.name: change for change in every}
    return [*each.values(), *every[:SAMPLE]]


@pytest.mark.parametrize("game", with_rules())
def test_a_change_of_a_ruling_is_detected_at_the_same_event(game: str) -> None:
    changed = ruling_changes(game)
    places = by_page(MATCH, [one.records for one in changed])
    for change, place in zip(changed, places, strict=True):
        assert place == by_domain(MATCH, change.records), (change.name, change.index)
    undetected = {c.name for c, place in zip(changed, places, strict=True) if type(place) is dict}
    dropped = {name for name in undetected if name.startswith("dropped")}
    # Whole inputs: without a consent before the last there is just one less, and without the end
    # of the protest window the result is still provisional.
    assert dropped <= {"dropped match.ruling-consented.1", "dropped match.confirmed.1"}


DROPPED = [
    "match.ruled.1", "match.directed.1", "match.ruling-ordered.1", "match.ruling-proposed.1",
    "match.seat-replaced.1", "match.noted.1", "match.sealed-noted.1", "match.voided.1",
    "match.result-ruled.1", "match.confirmed.1",
]  # fmt: skip


@pytest.mark.parametrize("name", DROPPED)
@pytest.mark.parametrize("how", ["dropped", "moved", "swapped"])
def test_a_bundle_in_which_a_ruling_is_missing_or_elsewhere_fails_by_name(
    name: str, how: str
) -> None:
    """All is signed again by the service: only the rules can find it."""
    change = next(
        one
        for game in with_rules()
        for one in ruling_changes(game)
        if one.name == f"{how} {name}" and type(by_domain(MATCH, one.records)) is int
    )
    for verdict in verdicts(change.records, MODERATOR):
        assert verdict["verdict"] == "FAIL"
        assert verdict["finding"] in ("openings", "receipts", "rules", "chance", "result")


def verdicts(records: Records, audience: Viewer) -> list[dict[str, Any]]:
    """What both verifiers say of a bundle."""
    given = Given("rulings", bundled(log_of(records, MATCH), audience))
    return [by_first(given), *by_second([given])]


@pytest.mark.parametrize("audience", [MODERATOR, PUBLIC_VIEWER, 0])
@pytest.mark.parametrize("game", with_rules())
def test_a_result_that_was_ruled_is_judged_by_everybody(game: str, audience: Viewer) -> None:
    for luck in LUCK:
        one, other = verdicts(walked(game, luck), audience)
        assert one == other and one["finding"] is None
        by_ruling = any(isinstance(r.event, ResultRuled | MatchVoided) for r in walked(game, luck))
        if by_ruling:
            assert dict(one["claims"])["result"] == "PASS"


NAMES = [
    *("Ann", "ann", " A  nn", "a\u034fnn", "Stra\u00dfe", "STRASSE", "\u1e9e", "\u2000x\u3000y "),
    *("x y", "\u0391\u03a3", "\u03b1\u03c2", "\u03b1\u03c3", "\u0131", "i", "I", "\u0130"),
    *("A\u0308", "\u00e4", "\ufb01", "fi", "\uff25", "e", "\u212a", "k", "", "\u1fb3"),
    *("\u0391\u0399", "\u13f8", "\u13f0", "\u00a8x", "\ufeff"),
]


def test_both_verifiers_tell_people_apart_by_the_same_spellings() -> None:
    (answer,) = page_answers([{"ask": "people", "names": NAMES}])
    pairs = list(zip(map(named_person, NAMES), answer.answer, strict=True))
    assert all((a == c) == (b == d) for a, b in pairs for c, d in pairs)


@pytest.mark.parametrize("audience", [MODERATOR, PUBLIC_VIEWER, 0])
@pytest.mark.parametrize("chance", ["server", "manual"])
def test_a_match_that_is_void_before_its_start_passes(chance: Chance, audience: Viewer) -> None:
    table = seated(GAMES["dollar-prize"], chance=chance)
    one, other = verdicts(table.when(rule("r", VoidMatch())).records, audience)
    assert one == other and one["finding"] is None
    assert dict(one["claims"])["result"] == "PASS"


# Nobody plays and moderates.

MO, KEY = "Mo", "k" * 16


def moderated_then_replaced(moderator: str, successor: str) -> Records:
    """A moderator's key is issued, and then somebody takes over a seat; both were allowed."""
    table = seated(GAMES["dollar-prize"]).when(IssueKey(KEY, None, MO, EVE)).when(Start(EVE))
    table = table.when(rule("r", ReplaceSeat(1, "Zoe"))).when(SecondRuling("r", FINN))
    return [Record(one.at, _renamed(one.event, moderator, successor)) for one in table.records]


def _renamed(event: Event, moderator: str, successor: str) -> Event:
    match event:
        case ModeratorKeyIssued():
            return replace(event, name=moderator)
        case RulingProposed() | RulingOrdered():
            return replace(event, ruling=ReplaceSeat(1, successor))
        case SeatReplaced():
            return replace(event, name=successor)
    return event


@pytest.mark.parametrize(
    ("moderator", "successor", "found"),
    [
        (MO, "Zoe", None),
        ("ANN", "Zoe", ModeratorKeyIssued),
        (MO, "mo", RulingProposed),
        (MO, "\uff2d\uff4f", RulingProposed),
    ],
)
def test_a_name_that_plays_and_moderates_is_found_at_the_same_event(
    moderator: str, successor: str, found: type[Event] | None
) -> None:
    records = moderated_then_replaced(moderator, successor)
    expected = by_domain(MATCH, records)
    assert by_page(MATCH, [records]) == [expected]
    assert (type(records[expected].event) if isinstance(expected, int) else None) is found


def test_who_is_to_take_over_a_seat_gets_no_moderators_key() -> None:
    table = seated(GAMES["dollar-prize"]).when(Start(EVE)).when(rule("r", ReplaceSeat(1, "Zoe")))
    table = table.when(IssueKey(KEY, None, MO, EVE))
    records = [Record(one.at, _renamed(one.event, "ZOE", "Zoe")) for one in table.records]
    expected = by_domain(MATCH, records)
    assert type(expected) is int
    assert by_page(MATCH, [records]) == [expected]
