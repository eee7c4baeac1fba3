"""Rulings, section 5: a result is provisional until it is confirmed, or its protest window ends.

Played with Liar's Dice, whose matches a ruling brings to their ends.
"""

from typing import Any

import pytest
from msgspec import UNSET, ValidationError
from msgspec.structs import replace

from domain.encoding import decode, encode
from domain.events import Record
from domain.games import GAMES
from domain.match.commands import EndKey, EndProtests, IssueKey
from domain.match.deadlines import DAY, HOUR
from domain.match.events import Chance, Directed, MatchCreated, MatchEnded, SeedRevealed
from domain.proof.record_differences import RecordDiffers
from domain.proof.rejudging import rejudge
from domain.rulings.commands import LapseRuling, SecondRuling
from domain.rulings.decide import DueCommand, due_at, next_due
from domain.rulings.events import (
    MatchConfirmed,
    MatchRuled,
    MatchVoided,
    ResultRuled,
    RulingOrdered,
)
from domain.rulings.kinds import (
    Confirm,
    Extend,
    Note,
    PauseMatch,
    ResumeMatch,
    RuleResult,
    Ruling,
    VoidMatch,
)
from domain.tournament.commands import SettleMatch
from domain.tournament.settling import settlement_of
from tests.support.instants import NOON
from tests.support.tables.directing import PAUSE, START
from tests.support.tables.match_table import MATCH, SEED, MatchTable, replayed, seated
from tests.support.tables.ruling_tables import EVE, FINN, REASON, a_result, rule

HOURS = 3
END = NOON + HOURS * HOUR
WON, OTHER = a_result(2), a_result(2, winner=1)
CHANCES: tuple[Chance, ...] = ("server", "manual")


def started(hours: Any = HOURS, chance: Chance = "manual", game: str = "liars-dice") -> MatchTable:
    """A match that has just started, whose results are provisional for so many hours."""
    table = seated(GAMES[game], chance=chance)
    table = MatchTable(GAMES[game], replace(table.match.created, protest_hours=hours))
    return table.when(START)


def ended(hours: Any = HOURS, chance: Chance = "manual") -> MatchTable:
    """At noon the result is ruled."""
    return resulted(started(hours, chance), "first", WON)


def resulted(table: MatchTable, ruling: str, result: Any) -> MatchTable:
    table.when(rule(ruling, RuleResult(result, "adjudicated")))
    return table.when(SecondRuling(ruling, FINN))


def judged_alike(table: MatchTable) -> None:
    """It replays, and is judged again, to the same state."""
    assert replayed(table.game, table.records) == table.match
    assert rejudge(MATCH, table.records) == table.match


def test_rule_5_without_a_window_the_end_is_final_and_the_record_says_nothing_of_one() -> None:
    table = ended(hours=UNSET)
    assert table.match.over and table.new_events[-1] == MatchEnded(WON)
    assert b"protest" not in b"".join(map(encode, table.records))


@pytest.mark.parametrize("hours", [0, -1, 366 * 24 + 1])
def test_rule_5_no_record_has_a_window_of_no_or_too_many_hours(hours: int) -> None:
    created = started().records[0].event
    assert isinstance(created, MatchCreated)
    stored = encode(Record(NOON, 0, replace(created, protest_hours=hours)))
    with pytest.raises(ValidationError):
        decode(stored)


@pytest.mark.parametrize("chance", CHANCES)
def test_rule_5_at_its_end_the_result_is_provisional_and_no_seed_revealed(chance: Chance) -> None:
    table = ended(chance=chance)
    assert table.new_events[-1] == MatchEnded(WON, END)
    assert (table.match.status, table.match.result, table.match.over) == ("ended", WON, False)
    assert settlement_of(table.game, table.match) is None
    judged_alike(table)


def test_rule_5_the_clock_makes_the_result_final_where_the_window_ends() -> None:
    table = ended(chance="server")
    assert next_due(table.match) == DueCommand(END, EndProtests())
    table.when(EndProtests(), END).then(MatchConfirmed(), SeedRevealed(0, SEED))
    assert table.match.over and due_at(table.match) is None
    assert settlement_of(table.game, table.match) == SettleMatch(MATCH, WON)
    judged_alike(table)


@pytest.mark.parametrize("chance", CHANCES)
def test_rule_5_a_confirmation_makes_it_final_at_once(chance: Chance) -> None:
    table = ended(chance=chance).when(rule("r", Confirm()), NOON + 1)
    revealed = [SeedRevealed(0, SEED)] if chance == "server" else []
    table.then(
        MatchRuled(2, "confirm", REASON, None, None),
        Directed("Eve", "key-eve"),
        RulingOrdered("r", Confirm(), None),
        MatchConfirmed(),
        *revealed,
    )
    assert table.match.over
    judged_alike(table)


def test_rule_5_what_is_not_ended_or_is_final_is_not_confirmed() -> None:
    started().conflicts(rule("r", Confirm()), "match_not_ended")
    ended(hours=UNSET).conflicts(rule("r", Confirm()), "result_final")
    ended().when(EndProtests(), END).conflicts(rule("r", Confirm()), "result_final")


def test_rule_5_another_result_replaces_a_provisional_one_in_the_same_window() -> None:
    table = ended()
    table.at = NOON + HOUR
    resulted(table, "second", OTHER)
    assert table.new_events[-2:] == [ResultRuled(OTHER, "adjudicated"), MatchEnded(OTHER, END)]
    table.when(EndProtests(), END)
    assert (table.match.result, table.match.over) == (OTHER, True)
    judged_alike(table)


@pytest.mark.parametrize("chance", CHANCES)
def test_rule_5_a_match_can_be_void_until_its_result_is_final(chance: Chance) -> None:
    table = ended(chance=chance).when(rule("v", VoidMatch())).when(SecondRuling("v", FINN))
    assert MatchVoided(None) in table.new_events
    assert (SeedRevealed(0, SEED) in table.new_events) == (chance == "server")
    assert (table.match.status, table.match.result, table.match.over) == ("void", None, True)
    assert settlement_of(table.game, table.match) == SettleMatch(MATCH, None)
    assert due_at(table.match) is None
    judged_alike(table)


def test_rule_5_of_a_void_match_nobody_keeps_what_a_provisional_result_left_him() -> None:
    """A void match gives every stake back, also one whose result had been ruled before."""
    table = seated(GAMES["together"], seats=4)
    table = MatchTable(GAMES["together"], replace(table.match.created, protest_hours=HOURS))
    table = resulted(table.when(START), "first", a_result(4))
    table.when(rule("v", VoidMatch())).when(SecondRuling("v", FINN))
    assert settlement_of(table.game, table.match) == SettleMatch(MATCH, None)


@pytest.mark.parametrize(
    ("ruling", "code"),
    [
        (PauseMatch(), "match_not_running"),
        (ResumeMatch(), "not_paused"),
        (Extend(seconds=1), "match_not_running"),
    ],
)
def test_rule_5_a_provisional_end_has_no_clock_to_rule_on(ruling: Ruling, code: str) -> None:
    ended().conflicts(rule("r", ruling), code)
    ended().conflicts(PAUSE, "match_not_running")


@pytest.mark.parametrize(
    "ruling", [Note("public", "Why?", "uphold"), RuleResult(OTHER, "forfeit"), VoidMatch()]
)
def test_rule_5_nothing_but_a_correction_follows_a_final_result(ruling: Ruling) -> None:
    ended().when(EndProtests(), END).conflicts(rule("r", ruling), "result_final")


def test_rule_5_until_it_is_final_keys_are_on_record_and_notes_are_made() -> None:
    table = ended().when(IssueKey("k", 0, None, EVE)).when(EndKey("k", 0, EVE))
    table.when(rule("r", Note("seat:1", "Until Sunday.", "clarification")))
    table.when(EndProtests(), END).conflicts(EndKey("other", 0, EVE), "match_over")
    judged_alike(table)


def test_rule_5_a_ruling_that_would_lapse_where_the_window_ends_goes_with_it() -> None:
    table = ended(hours=24)
    table.when(rule("v", VoidMatch()), NOON)
    assert next_due(table.match) == DueCommand(NOON + DAY, EndProtests())
    table.when(EndProtests(), NOON + DAY).conflicts(LapseRuling("v"), "not_pending")
    judged_alike(table)


# Judged again.


def at_end(*behind: Record[Any]) -> list[Record[Any]]:
    return [*ended().records, *behind]


@pytest.mark.parametrize("at", [NOON, END - 1, END + 1, END + HOUR])
def test_rule_5_a_window_that_ends_at_another_instant_is_detected(at: int) -> None:
    with pytest.raises(RecordDiffers, match="window"):
        rejudge(MATCH, at_end(Record(at, 0, MatchConfirmed())))


def test_rule_5_a_confirmation_without_a_provisional_result_is_detected() -> None:
    with pytest.raises(RecordDiffers):
        rejudge(MATCH, [*started().records, Record(NOON, 0, MatchConfirmed())])
    twice = at_end(Record(END, 0, MatchConfirmed()), Record(END, 0, MatchConfirmed()))
    with pytest.raises(RecordDiffers):
        rejudge(MATCH, twice)


def test_rule_5_what_comes_when_the_window_has_ended_is_detected() -> None:
    late = ended().when(rule("r", Note("sealed", "Too late.", "uphold")), END)
    with pytest.raises(RecordDiffers, match="the protest window had ended before"):
        rejudge(MATCH, late.records)


def test_rule_5_a_seed_revealed_before_the_result_is_final_is_detected() -> None:
    table = ended(chance="server")
    with pytest.raises(RecordDiffers):
        rejudge(MATCH, [*table.records, Record(NOON, 0, SeedRevealed(0, SEED))])


def test_rule_5_a_seed_that_is_kept_when_the_result_is_final_is_detected() -> None:
    table = ended(chance="server").when(EndProtests(), END)
    with pytest.raises(RecordDiffers, match="the seed should be revealed"):
        rejudge(MATCH, table.records[:-1])
