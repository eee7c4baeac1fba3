"""What an audience sees is the fold of what it may see: now, tomorrow and at any position."""

from random import Random

import msgspec
import pytest

from domain.chance.draws import Flip
from domain.events import Event, Record
from domain.games import GAMES
from domain.match.events import AwaitingChanged, DrawAsked, DrawShown
from domain.match.state import AnyGame, awaited_draw
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer, may_see
from projections.audience.results import result_of
from projections.audience.view import AudienceState, AwaitedDraw, View, see, see_all, view
from projections.fields import rfc3339
from tests.support.tables.directing import START
from tests.support.tables.game_strategies import step
from tests.support.tables.match_table import MatchTable, seated
from tests.support.tables.own_events import disclosed, lines_of
from tests.support.tables.random_walk import walk

MATCH = "0199aa00-0000-7000-8000-000000000000"
EVERY_GAME = pytest.mark.parametrize("name", GAMES)


def audiences(table: MatchTable) -> list[Viewer]:
    return [PUBLIC_VIEWER, MODERATOR, *table.seats]


def body(table: MatchTable, state: AudienceState) -> bytes:
    """The view as it is sent."""
    return msgspec.json.encode(view(MATCH, table.game.id, state))


def shown(table: MatchTable, state: AudienceState) -> View:
    return view(MATCH, table.game.id, state)


def test_a_public_draw_is_shown_in_place_of_the_sealed_one_before() -> None:
    parts, coin = (Flip("left"), Flip("right")), (Flip("coin"),)
    records: list[Record[Event]] = [
        Record(0, 0, DrawAsked("hidden", parts)),
        Record(0, 0, AwaitingChanged(draw=DrawShown())),
        Record(0, 0, AwaitingChanged(draw=DrawShown("coin", coin))),
    ]
    sealed = see(AudienceState(MODERATOR), records[:2])
    public = see(sealed, records[2:])
    seen = [view(MATCH, "dollar-prize", state).awaiting.draw for state in (sealed, public)]
    assert seen == [AwaitedDraw("hidden", parts), AwaitedDraw("coin", coin)]


@EVERY_GAME
def test_the_view_is_the_fold_of_the_disclosed_events_at_every_position(name: str) -> None:
    for seats in GAMES[name].seats:
        *_, table = walk(name, seats)
        for audience in audiences(table):
            live = AudienceState(audience)
            visible = [record for record in table.records if may_see(audience, record.event)]
            for position, record in enumerate(visible, 1):
                live = see(live, (record,))
                assert live.seq == position
            again = AudienceState(audience)
            for record in visible:
                again = see(again, (record,))
            assert body(table, again) == body(table, live)
            assert see_all(AudienceState(audience), table.records) == live


@EVERY_GAME
def test_a_view_never_changes_once_it_could_be_read(name: str) -> None:
    """A reader during the match and a reader of that position afterwards get the same."""
    seats = GAMES[name].seats[-1]
    read: dict[tuple[Viewer, int], bytes] = {}
    lines: dict[tuple[Viewer, int], bytes] = {}
    live: dict[Viewer, AudienceState] = {}
    known = 0
    for table in walk(name, seats):
        new = table.records[known:]
        known = len(table.records)
        for audience in audiences(table):
            state = live.get(audience, AudienceState(audience))
            numbered = disclosed(audience, new, state.seq)
            for one in lines_of(numbered, state.public_seq):
                lines[audience, one.seq] = msgspec.json.encode(one)
            live[audience] = state = see_all(state, new)
            assert read.setdefault((audience, state.seq), body(table, state)) == body(table, state)
    for audience in audiences(table):
        state = AudienceState(audience)
        for seq, record in disclosed(audience, table.records):
            (own,) = lines_of([(seq, record)], state.public_seq)
            assert lines[audience, seq] == msgspec.json.encode(own)
            state = see(state, (record,))
            assert read.get((audience, seq), body(table, state)) == body(table, state)


@EVERY_GAME
def test_every_audience_sees_whom_the_match_waits_for(name: str) -> None:
    """Whenever that changes, one of its events says so: its view is never after the match."""
    live: dict[Viewer, AudienceState] = {}
    for table in walk(name, GAMES[name].seats[-1]):
        match = table.match
        waits = match.status in ("running", "paused")
        awaits = table.game.awaits(match.game) if waits else None
        for audience in audiences(table):
            live[audience] = see_all(live.get(audience, AudienceState(audience)), table.new)
            current = shown(table, live[audience])
            assert (current.status, current.result) == (match.status, result_of(match))
            assert current.awaiting.seats == (awaits.seats if awaits else ())
            assert (current.awaiting.draw is None) == (awaits is None or awaits.draw is None)
            due = table.due
            assert current.awaiting.deadline == (None if due is None else rfc3339(due))


def awaiting_a_draw(game: AnyGame) -> MatchTable:
    """A random match up to a draw; in some games there is none in every match."""
    for seed in range(100):
        table, rng = seated(game, game.seats[0]).when(START), Random(seed)
        while table.match.status == "running":
            if table.draw is not None:
                return table
            step(table, rng)
    raise AssertionError("chance is never asked")


@EVERY_GAME
def test_a_draw_shows_its_id_and_parts_to_those_who_will_see_its_outcome(name: str) -> None:
    table = awaiting_a_draw(GAMES[name])
    draw = awaited_draw(table.game, table.match)
    assert draw is not None
    for audience in audiences(table):
        current = shown(table, see_all(AudienceState(audience), table.records)).awaiting.draw
        assert current is not None
        if draw.audience == "public" or audience == MODERATOR:
            assert (current.id, current.parts) == (draw.id, draw.parts)
        else:
            assert (current.id, current.parts) == (None, None)


@EVERY_GAME
def test_before_the_first_event_and_before_the_start_the_view_is_empty(name: str) -> None:
    table = seated(GAMES[name])
    for audience in audiences(table):
        for records in ([], table.records):
            current = shown(table, see_all(AudienceState(audience), records))
            assert current.seq == sum(may_see(audience, record.event) for record in records)
            assert (current.status, current.view, current.result) == ("created", None, None)
            assert (current.awaiting.seats, current.awaiting.draw) == ((), None)
