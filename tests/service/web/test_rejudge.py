"""Matches judged again by the page: as the domain judges them, and changes are detected at the same
event."""

import os
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from domain.deadlines import HOUR
from domain.events import Event, Record
from domain.games import rules_of
from domain.key_events import ENDED, ISSUED
from domain.match_events import (
    ActionReceived,
    AwaitingChanged,
    ClientSeedGiven,
    DeadlinePassed,
    DeadlineSet,
    Directed,
    DrawRefused,
    DrawShown,
    MatchPaused,
    MatchResumed,
    MatchStarted,
    PhaseClosed,
    SealedSeedRevealed,
    SeedCommitted,
    SeedRevealed,
)
from service.cli.simulation import MATCH
from tests.recorded.files import created, outcome, records
from tests.support.evidence.directed_match import directed_match
from tests.support.evidence.forged_bundles import short_log
from tests.support.evidence.record_changes import Change, changes, changes_at
from tests.support.evidence.signed_bundles import played
from tests.support.web.rejudged_records import by_domain, by_page
from tests.support.web.verifier_pages import recorded_with_rules, with_rules

MATCHES = int(os.environ.get("ARBITER_TEST_MATCHES", "5"))
"""Number of matches of each game that are judged again."""

CHANGES = int(os.environ.get("ARBITER_TEST_CHANGES", "20"))
"""Number of changes tried for each match."""

MORE = 6
"""Number of positions of a recorded match at which an event is inserted."""

AT_ONCE = 200

NONE = bytes(32)

Records = Sequence[Record[Event]]


@pytest.mark.parametrize("game", with_rules())
def test_random_matches_are_judged_alike(game: str) -> None:
    matches = [played(game, f"again {number}").records for number in range(MATCHES)]
    expected = [by_domain(MATCH, whole) for whole in matches]
    assert by_page(MATCH, matches) == expected
    assert {one["status"] for one in expected} == {"ended"}


@pytest.mark.parametrize("name", recorded_with_rules())
def test_recorded_matches_are_judged_alike(name: str) -> None:
    match, whole = outcome(name).match, records(name)
    expected = by_domain(match, whole)
    assert by_page(match, [whole]) == [expected]
    # Some were recorded with an open record although their rules do not allow it.
    allowed = created(name).record in rules_of(created(name)).records
    assert expected["status"] in ("ended", "void") if allowed else expected == 0


@pytest.mark.parametrize("name", recorded_with_rules())
def test_every_beginning_of_a_match_is_judged_alike(name: str) -> None:
    match, whole = outcome(name).match, records(name)
    luck = Random(name)
    beginnings = [whole[: luck.randrange(1, len(whole))] for _ in range(30)]
    assert by_page(match, beginnings) == [by_domain(match, one) for one in beginnings]


def some_changes(whole: Records, name: str) -> list[Change]:
    """Changes of single events and of inputs, some of each kind there is."""
    luck, every = Random(name), list(changes(whole))
    luck.shuffle(every)
    ways = {change.how: change for change in every}
    return [*ways.values(), *every[:CHANGES]]


def found_out_alike(match: str, whole: Records, name: str) -> None:
    changed = some_changes(whole, name)
    places: list[Any] = []
    for first in range(0, len(changed), AT_ONCE):
        places += by_page(match, [one.records for one in changed[first : first + AT_ONCE]])
    for change, place in zip(changed, places, strict=True):
        assert place == by_domain(match, change.records), (change.name, change.index)
    assert len([place for place in places if isinstance(place, int)]) > len(changed) / 2


def inputs(whole: Records, place: int) -> list[Event]:
    """Events that could have come at a position of a record, as far as their form goes."""
    seeds = [one.event for one in whole if isinstance(one.event, SeedCommitted)]
    committed = seeds[0] if seeds else SeedCommitted(0, "arbiter-rng/1", NONE, NONE, NONE, ())
    waits = [one.event for one in whole[:place] if isinstance(one.event, AwaitingChanged)]
    last = waits[-1] if waits else AwaitingChanged()
    phase, draw = last.phase or "none", last.draw or DrawShown()
    sent = [one.event for one in whole if isinstance(one.event, ActionReceived)]
    return [
        MatchPaused(), MatchResumed(), MatchStarted(), ClientSeedGiven(0, "late"),
        ClientSeedGiven(9, "nobody"), replace(committed, epoch=0), replace(committed, epoch=1),
        SeedRevealed(0, NONE), SealedSeedRevealed(0, NONE), DeadlinePassed(phase),
        DeadlineSet(phase, (last.deadline or 0) + HOUR, "absence", 0, HOUR),
        PhaseClosed(phase), DrawRefused(draw.id or "x", ("edge",), "outcome_does_not_fit"),
        DrawRefused("another", (), "outcome_does_not_fit"), whole[place - 1].event, *sent[:1],
        replace(sent[-1], seat=7), replace(sent[0], action={"type": "none"}),
    ]  # fmt: skip


def with_more(whole: Records, luck: Random) -> list[Records]:
    """The record with an inserted event, at the time of its neighbours."""
    made: list[Records] = []
    awaiting = [
        place for place, one in enumerate(whole, 1) if getattr(one.event, "draw", None) is not None
    ]
    for place in [*awaiting[:2], *luck.sample(range(1, len(whole) + 1), min(len(whole), MORE))]:
        before, after = list(whole[:place]), list(whole[place:])
        at = luck.choice([before[-1].at, *(one.at for one in after[:1])])
        made += [[*before, Record(at, event), *after] for event in inputs(whole, place)]
    return made


@pytest.mark.parametrize("name", recorded_with_rules())
def test_an_inserted_event_is_detected_at_the_same_event(name: str) -> None:
    match, made = outcome(name).match, with_more(records(name), Random(name))
    assert by_page(match, made) == [by_domain(match, one) for one in made]


@pytest.mark.parametrize("game", with_rules())
def test_a_change_of_a_match_is_detected_at_the_same_event(game: str) -> None:
    found_out_alike(MATCH, short_log(game).records, game)


@pytest.mark.parametrize("name", recorded_with_rules())
def test_a_change_of_a_recorded_match_is_detected_at_the_same_event(name: str) -> None:
    whole = records(name)
    found_out_alike(outcome(name).match, whole, name)


def test_who_directed_a_match_and_its_keys_are_judged_alike() -> None:
    """Every change of the events that say so."""
    table = directed_match()
    of_keys = (Directed, *ISSUED, *ENDED)
    places = [n for n, one in enumerate(table.records) if isinstance(one.event, of_keys)]
    every = [one for place in places for one in changes_at(table.records, place)]
    made: list[Records] = [table.records, *(one.records for one in every)]
    found = [
        answer
        for first in range(0, len(made), AT_ONCE)
        for answer in by_page(table.match.id, made[first : first + AT_ONCE])
    ]
    assert found == [by_domain(table.match.id, one) for one in made]
    assert found[0]["status"] == "ended"
