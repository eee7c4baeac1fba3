"""What audiences, lists and time lines show of rulings."""

from typing import Any

import msgspec
import pytest

from domain.games import GAMES
from domain.match.commands import CloseCase, OpenCase
from domain.rulings.commands import ConsentToRuling, SecondRuling
from domain.rulings.kinds import Extend, PauseMatch, ReplaceSeat, ResumeMatch, RuleResult, VoidMatch
from domain.tournament.settling import settlement_of
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.audience.matches import MatchRow, list_match
from projections.audience.results import result_of
from projections.audience.view import AudienceState, View, see_all, view
from projections.evidence.timeline import TimelineEntry, shown_whole, timeline, timeline_for
from tests.support.instants import NOON, SECOND
from tests.support.tables.directing import START
from tests.support.tables.match_table import MATCH, MatchTable, seated
from tests.support.tables.own_events import own_lines, rulings
from tests.support.tables.ruling_tables import EVE, FINN, REASON, a_result, rule, ruled_walk

ALL: tuple[Viewer, ...] = (PUBLIC_VIEWER, MODERATOR, 0, 1)


def started(game: str = "dollar-prize", clock: Any = "rules") -> MatchTable:
    return seated(GAMES[game], options=options(game), clock=clock).when(START)


def options(game: str) -> Any:
    timed = {"turn_seconds": 60} if game == "dollar-prize" else {}
    return msgspec.convert(timed, GAMES[game].Options)


def shown(table: MatchTable, viewer: Viewer) -> View:
    return view(MATCH, table.game.id, see_all(AudienceState(viewer), table.records))


def row(table: MatchTable) -> MatchRow:
    found: MatchRow | None = None
    for record in table.records:
        found = list_match(MATCH, found, record)
    assert found is not None
    return found


def entries(table: MatchTable, viewer: Viewer = MODERATOR) -> list[TimelineEntry]:
    return timeline_for(timeline(shown_whole(table.records)), viewer)


@pytest.mark.parametrize("viewer", ALL)
def test_every_audience_sees_a_pause_an_extension_and_the_end_of_the_pause(viewer: Viewer) -> None:
    table = started()
    before = shown(table, viewer)
    assert before.awaiting.deadline == "2026-01-01T12:01:00Z"
    paused = shown(table.when(rule("a", PauseMatch())), viewer)
    assert (paused.status, paused.awaiting.deadline) == ("paused", None)
    more = shown(table.when(rule("b", Extend(seconds=30))), viewer)
    assert (more.status, more.view) == ("paused", before.view)
    table.when(rule("c", ResumeMatch()))
    resumed = shown(table, viewer)
    assert (resumed.status, resumed.awaiting.deadline) == ("running", "2026-01-01T12:01:30Z")
    table.when(rule("d", Extend(deadline=NOON + 100 * SECOND)))
    assert shown(table, viewer).awaiting.deadline == "2026-01-01T12:01:40Z"


@pytest.mark.parametrize("viewer", ALL)
def test_every_audience_sees_a_void_match_as_over_without_a_result(viewer: Viewer) -> None:
    table = started().when(rule("a", VoidMatch())).when(SecondRuling("a", FINN))
    void = shown(table, viewer)
    assert (void.status, void.result, void.awaiting.seats) == ("void", None, ())
    assert (row(table).status, row(table).result) == ("void", None)
    assert row(table).ended is not None


@pytest.mark.parametrize("viewer", ALL)
def test_every_audience_sees_the_result_that_was_ruled(viewer: Viewer) -> None:
    ruling = RuleResult(a_result(2, winner=1), "forfeit")
    table = started().when(rule("a", ruling)).when(SecondRuling("a", FINN))
    result = result_of(table.match)
    assert result is not None and result.winners == (1,)
    assert (shown(table, viewer).status, shown(table, viewer).result) == ("ended", result)
    assert (row(table).status, row(table).result) == ("ended", result)


def test_after_a_replacement_the_list_and_the_time_line_have_the_new_name() -> None:
    table = started().when(rule("a", ReplaceSeat(0, "Zoe"))).when(SecondRuling("a", FINN))
    assert row(table).seats == ("Zoe", "Ben")
    said = [entry.what for entry in entries(table)]
    assert said[-2:] == ["A seat changes hands; seat Ann", "Zoe takes a seat; seat Ann"]
    table.when(rule("b", VoidMatch(), ask_seats=True)).when(ConsentToRuling("b", 0))
    assert entries(table)[-1].actor == "Zoe"
    assert said[1:3] == ["Ann takes a seat; seat 0", "Ben takes a seat; seat 1"]


def test_a_time_line_says_who_ruled_what_and_why() -> None:
    table = started().when(rule("a", Extend(seconds=30), rule="4.2"))
    said = {entry.what: entry.actor for entry in entries(table)}
    ruled = f'Ruling 1: "{REASON}"; kind extend; rule "4.2"'
    assert said[ruled] == "moderator Eve"
    assert "This was ordered by Eve; key id key-eve" in said
    assert (
        said[
            "The deadline is now 2026-01-01T12:01:30Z; phase setup/side; because ruling; "
            "from 2026-01-01T12:01:00Z; to 2026-01-01T12:01:30Z"
        ]
        == "rules"
    )


@pytest.mark.parametrize("viewer", ALL)
def test_the_effect_of_a_ruling_follows_from_it_for_every_reader(viewer: Viewer) -> None:
    table = started().when(rule("a", PauseMatch()), NOON + SECOND)
    ruled = next(one for one in entries(table, viewer) if one.type == "match.ruled.1")
    paused = next(one for one in entries(table, viewer) if one.type == "match.paused.1")
    assert ruled.input and not paused.input
    assert paused.cause == ruled.number


def test_a_ruling_by_consent_follows_from_the_last_one_for_who_sees_it() -> None:
    table = started().when(rule("a", VoidMatch(), ask_seats=True))
    table.when(ConsentToRuling("a", 0)).when(ConsentToRuling("a", 1), NOON + SECOND)
    seen = next(one for one in entries(table) if one.type == "match.ruled.1")
    assert not seen.input and seen.cause is not None
    public = next(one for one in entries(table, PUBLIC_VIEWER) if one.type == "match.ruled.1")
    assert public.input and public.cause is None


@pytest.mark.parametrize("name", GAMES)
def test_everything_about_rulings_is_said_in_words_that_print(name: str) -> None:
    for luck in range(3):
        *_, table = ruled_walk(name, GAMES[name].seats[0], luck)
        for entry in entries(table):
            assert entry.what.isprintable() and "Struct" not in entry.what
            assert "Extend(" not in entry.what and "ruling {" not in entry.what


def test_instants_in_a_pending_ruling_are_shown_as_times() -> None:
    table = started().when(rule("a", ReplaceSeat(0, "Zoe")))
    lines = list(own_lines(MODERATOR, table.records))
    (pending,) = (one.data for one in lines if one.type == "match.ruling-proposed.1")
    assert pending["lapses"] == "2026-01-02T12:00:00Z"
    table.when(rule("b", Extend(deadline=NOON + 90 * SECOND)))
    lines = list(own_lines(MODERATOR, table.records))
    ordered = next(one.data for one in lines if one.type == "match.ruling-ordered.1")
    assert ordered["ruling"] == {
        "kind": "extend",
        "deadline": "2026-01-01T12:01:30Z",
        "seconds": None,
    }


# What it comes to in a tournament.


def test_by_a_ruling_nobody_earns_anything_and_all_keep_what_they_have() -> None:
    table = seated(GAMES["together"], 6).when(START)
    table.when(rule("a", RuleResult(a_result(6), "adjudicated"))).when(SecondRuling("a", FINN))
    settled = settlement_of(table.game, table.match)
    assert settled is not None and table.game.balance is not None
    assert settled.balance == table.game.balance(table.match.game)
    assert (settled.result, settled.payout) == (a_result(6), ())


def test_what_a_void_match_took_goes_back() -> None:
    for table in (seated(GAMES["together"], 6).when(START), seated(GAMES["together"], 6)):
        table.when(rule("a", VoidMatch()))
        if table.match.status != "void":
            table.when(SecondRuling("a", FINN))
        settled = settlement_of(table.game, table.match)
        assert settled is not None
        assert (settled.result, settled.balance, settled.payout) == (None, None, ())


def test_a_void_match_reveals_its_seed() -> None:
    for begin in (False, True):
        table = seated(GAMES["dollar-prize"], chance="server")
        if begin:
            table.when(START)
        table.when(rule("a", VoidMatch()))
        if begin:
            table.when(SecondRuling("a", FINN))
        assert [event.__struct_config__.tag for event in table.new_events[-2:]] == [
            "match.voided.1",
            "match.seed-revealed.1",
        ]
        assert table.match.epoch is not None and table.match.epoch.revealed


def test_the_effect_of_a_ruling_is_no_input() -> None:
    table = started().when(rule("a", PauseMatch())).when(rule("b", ResumeMatch(), EVE))
    given = [record.event.__struct_config__.tag for record in table.records if record.back == 0]
    assert given == ["match.created.1", "match.started.1", "match.ruled.1", "match.ruled.1"]


def test_a_ruling_that_closes_a_case_is_one_batch_with_its_effect() -> None:
    table = started().when(OpenCase("coin")).when(rule("r", PauseMatch(), case="coin"))
    [ruled] = rulings(range(1, len(table.records) + 1), table.records)
    assert (ruled.case, [effect.type for effect in ruled.effects]) == ("coin", ["match.paused.1"])
    table.when(OpenCase("coin")).when(CloseCase("coin", FINN)).when(rule("s", ResumeMatch()))
    told = [(one.actor, one.what) for one in entries(table) if " case coin" in one.what]
    assert told == [
        ("seat", "A case is open; case coin; by seat yes"),
        ("service", "The ruling as it was given: pause; id r; case coin"),
        ("moderator", "A case is closed; case coin; ruling r"),
        ("seat", "A case is open; case coin; by seat yes"),
        ("moderator Finn", "A case is closed; case coin"),
    ]
    for viewer in (PUBLIC_VIEWER, 0, 1):
        assert not any(" case coin" in one.what for one in entries(table, viewer))
