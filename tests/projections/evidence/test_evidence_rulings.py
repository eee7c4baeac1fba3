"""Matches with rulings and rewinds, judged again; what is dropped, moved or altered is found."""

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import get_args

import pytest
from msgspec.structs import replace

from domain.events import Event, Record
from domain.games import GAMES
from domain.match.commands import IssueKey, Start
from domain.match.events import (
    Chance,
    DeadlineSet,
    Directed,
    MatchPaused,
    MatchResumed,
    MatchStarted,
    SeatNamed,
)
from domain.match.key_events import ModeratorKeyIssued
from domain.proof.record_differences import RecordDiffers
from domain.proof.rejudging import rejudge
from domain.rulings.commands import ConsentToRuling, SecondRuling, WithdrawRuling
from domain.rulings.events import (
    MatchRewound,
    MatchRuled,
    MatchVoided,
    ResultRuled,
    RulingEvent,
    RulingOrdered,
    RulingProposed,
    RulingWithdrawn,
)
from domain.rulings.kinds import PauseMatch, ReplaceSeat, ResumeMatch, Rewind, VoidMatch
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from tests.recorded import files
from tests.support.evidence.record_changes import Change, changes_at
from tests.support.evidence.signed_bundles import bundled, log_of
from tests.support.tables.directing import START
from tests.support.tables.match_table import MATCH, seated
from tests.support.tables.rewound_matches import REWOUND
from tests.support.tables.ruling_tables import ANN, EVE, FINN, rule, ruled_walk
from tests.support.web.two_verdicts import Given, agreed
from tests.support.web.verifier_script import Json

LUCK = range(6)
SAMPLE = 150
CONCERNED = (*get_args(RulingEvent), Directed, DeadlineSet, MatchPaused, MatchResumed)

EVERY_GAME = pytest.mark.parametrize("game", GAMES)

Records = Sequence[Record[Event]]


@cache
def walked(game: str, luck: int) -> Records:
    """A match with rulings, to its end."""
    *_, table = ruled_walk(game, GAMES[game].seats[0], luck)
    return table.records


def differing(records: Records) -> int | None:
    """The first event of the record that its inputs do not give."""
    try:
        rejudge(MATCH, records)
    except RecordDiffers as differs:
        return differs.index
    return None


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


@EVERY_GAME
def test_a_ruling_that_is_dropped_is_detected(game: str) -> None:
    changed = [one for one in ruling_changes(game) if one.name.startswith("dropped")]
    undetected = {one.name for one in changed if differing(one.records) is None}
    # Whole inputs: without a consent before the last there is just one less, and without the end
    # of the protest window the result is still provisional.
    assert undetected <= {"dropped match.ruling-consented.1", "dropped match.confirmed.1"}


def verdict_on(records: Records, audience: Viewer, match: str = MATCH) -> Json:
    """The verdict on a bundle that is signed anew."""
    return agreed(Given("rulings", bundled(log_of(records, match), audience)))


@pytest.mark.parametrize("audience", [MODERATOR, PUBLIC_VIEWER, 0])
@EVERY_GAME
def test_a_result_that_was_ruled_is_judged_by_everybody(game: str, audience: Viewer) -> None:
    for luck in LUCK:
        one = verdict_on(walked(game, luck), audience)
        assert one["finding"] is None
        by_ruling = any(isinstance(r.event, ResultRuled | MatchVoided) for r in walked(game, luck))
        if by_ruling:
            assert dict(one["claims"])["result"] == "PASS"


@pytest.mark.parametrize("audience", [MODERATOR, PUBLIC_VIEWER, 0])
@pytest.mark.parametrize("chance", ["server", "manual"])
def test_a_match_that_is_void_before_its_start_passes(chance: Chance, audience: Viewer) -> None:
    table = seated(GAMES["dollar-prize"], chance=chance)
    one = verdict_on(table.when(rule("r", VoidMatch())).records, audience)
    assert one["finding"] is None
    assert dict(one["claims"])["result"] == "PASS"


# No one plays and moderates.

MO, KEY = "Mo", "k" * 16


def moderated_then_replaced(moderator: str, successor: str) -> Records:
    """A moderator's key is issued, and then someone takes over a seat; both were allowed."""
    table = seated(GAMES["dollar-prize"]).when(IssueKey(KEY, None, MO, EVE)).when(Start(EVE))
    table = table.when(rule("r", ReplaceSeat(1, "Zoe"))).when(SecondRuling("r", FINN))
    events = (_renamed(one.event, moderator, successor) for one in table.records)
    return [replace(one, event=event) for one, event in zip(table.records, events, strict=True)]


def _renamed(event: Event, moderator: str, successor: str) -> Event:
    match event:
        case ModeratorKeyIssued():
            return replace(event, name=moderator)
        case RulingProposed() | RulingOrdered():
            return replace(event, ruling=ReplaceSeat(1, successor))
        case SeatNamed(1, "Zoe"):
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
def test_a_name_that_plays_and_moderates_is_found(
    moderator: str, successor: str, found: type[Event] | None
) -> None:
    records = moderated_then_replaced(moderator, successor)
    index = differing(records)
    assert (None if index is None else type(records[index].event)) is found


def test_who_is_to_take_over_a_seat_gets_no_moderators_key() -> None:
    table = seated(GAMES["dollar-prize"]).when(Start(EVE)).when(rule("r", ReplaceSeat(1, "Zoe")))
    table = table.when(IssueKey(KEY, None, MO, EVE))
    records = [Record(one.at, one.back, _renamed(one.event, "ZOE", "Zoe")) for one in table.records]
    assert differing(records) is not None


# Who asks.

BY_ANN = Directed(None, ANN.key_id, giver=0)


def asked_by_a_seat() -> Records:
    """Ann asks for a pause, which Finn seconds, and then gives up what she asks for next."""
    table = seated(GAMES["dollar-prize"]).when(Start(EVE))
    table.when(rule("r", PauseMatch(), ANN, ask_seats=True)).when(ConsentToRuling("r", 1))
    table.when(SecondRuling("r", FINN)).when(rule("s", VoidMatch(), ANN, ask_seats=True))
    return table.when(WithdrawRuling("s", ANN)).when(rule("t", ResumeMatch())).records


@pytest.mark.parametrize("audience", [MODERATOR, PUBLIC_VIEWER, 0])
def test_what_a_seat_asks_for_verifies(audience: Viewer) -> None:
    assert verdict_on(asked_by_a_seat(), audience)["finding"] is None


@pytest.mark.parametrize(
    ("behind", "forged", "finding"),
    [
        (RulingProposed, replace(BY_ANN, giver=1), "rules"),
        (RulingProposed, Directed("Eve", EVE.key_id), "rules"),
        (RulingWithdrawn, replace(BY_ANN, giver=1), "rules"),
        (MatchStarted, BY_ANN, "receipts"),
        (MatchRuled, BY_ANN, "receipts"),
    ],
)
def test_who_asked_is_bound(behind: type[Event], forged: Directed, finding: str) -> None:
    """Also where the log is signed anew, with receipts that fit it."""
    records = list(asked_by_a_seat())
    index = next(n for n, one in enumerate(records) if isinstance(one.event, behind)) + 1
    records[index] = replace(records[index], event=forged)
    assert verdict_on(records, MODERATOR)["finding"] == finding


NAMES = [f"{game}.{kind}" for kind, (game, _) in REWOUND.items()]
"""The recorded matches that are rewound."""


@pytest.mark.parametrize("audience", [MODERATOR, PUBLIC_VIEWER, 0])
@pytest.mark.parametrize("name", NAMES)
def test_a_bundle_with_several_rewinds_verifies(name: str, audience: Viewer) -> None:
    records = files.records(name)
    assert sum(isinstance(record.event, MatchRewound) for record in records) >= 2
    one = verdict_on(records, audience, files.outcome(name).match)
    assert one["finding"] is None
    assert dict(one["claims"])["result"] == "PASS"
    assert audience != MODERATOR or one["verdict"] == "PASS"


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_opened_hides_no_rewind_that_cannot_be(name: str) -> None:
    """A reader of the public events sees that branches are counted."""
    records = [
        Record(one.at, one.back, replace(one.event, branch=9))
        if isinstance(one.event, MatchRewound)
        else one
        for one in files.records(name)
    ]
    assert verdict_on(records, PUBLIC_VIEWER, files.outcome(name).match)["finding"] in (
        "chance",
        "rules",
    )


def test_a_ruling_behind_a_consent_begins_a_batch_of_its_own() -> None:
    table = seated(GAMES["dollar-prize"], chance="server").when(START)
    table.when(rule("replaced", ReplaceSeat(1, "Zoe"), ask_seats=True))
    table.when(ConsentToRuling("replaced", 0)).when(rule("paused", PauseMatch()))
    paused = len(table.records) - len(table.new) + 1
    table.when(rule("undone", Rewind(paused)))
    (rewound,) = (event for event in table.new_events if isinstance(event, MatchRewound))
    assert rewound.before == paused
    assert rejudge(MATCH, table.records).status == "paused"
