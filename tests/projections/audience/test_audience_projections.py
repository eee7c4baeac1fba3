"""What is handed to an audience is exactly what it may see: for every game, whatever happens in it,
and however its events arrive."""

from dataclasses import replace
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.encoding import encode
from domain.events import Event, Record
from domain.games import GAMES
from domain.games.twelve_chips.actions import Enter
from domain.games.twelve_chips.events import HandEntered
from domain.games.twelve_chips.options import Options
from projections.audience.disclosure import MODERATOR, Viewer, audiences, mask_record, may_see
from projections.audience.lines import checksum
from projections.audience.own_lines import BYTES_A_POSITION
from projections.audience.projection import MAX_UNFOLDED, AudienceProjection, body_after
from projections.audience.projections import (
    LINE_BYTES,
    PROJECTION_BYTES,
    TEXT_FACTOR,
    AudienceProjections,
    projections_of,
)
from projections.audience.view import AudienceState, see_all, view
from projections.boards import BOARDS
from tests.support.tables.directing import START
from tests.support.tables.game_strategies import sizes
from tests.support.tables.match_table import MATCH, MatchTable, seated
from tests.support.tables.own_events import lines_of, lines_start
from tests.support.tables.random_walk import walk

FEW = 7


def played(name: str, seats: int, luck: int) -> MatchTable:
    """A random match of at most a thousand events."""
    table = None
    for table in walk(name, seats, luck):
        if len(table.records) > 1_000:
            break
    assert table is not None
    return table


@st.composite
def tables(draw: st.DrawFn) -> MatchTable:
    name = draw(st.sampled_from(sorted(GAMES)))
    seats = draw(st.sampled_from(sizes(GAMES[name])[:3]))
    return played(name, seats, draw(st.integers(0, 5)))


def handed_out(
    records: list[Record[Event]], projections: AudienceProjections, cuts: Random
) -> None:
    """Hands the records out in pieces, some of which are folded, and some old lines forgotten."""
    length = 0
    while length < len(records):
        piece = records[length : length + cuts.randint(1, 9)]
        projections.add(piece, [encode(record) for record in piece], length)
        length += len(piece)
        for projection in projections:
            if cuts.random() < 0.2:
                projection.fold()
        if cuts.random() < 0.3:
            projections.forget_old_lines()
    projections.forget_old_lines()


@pytest.fixture(autouse=True)
def _few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("projections.audience.own_lines.RECENT_LINES", FEW)


@settings(max_examples=15)
@given(tables(), st.randoms(use_true_random=False))
def test_each_audience_is_handed_what_it_may_see_and_nothing_else(
    table: MatchTable, cuts: Random
) -> None:
    viewers = audiences(table.match.created)
    projections = AudienceProjections(map(AudienceProjection, viewers))
    handed_out(table.records, projections, cuts)
    for viewer in viewers:
        found = projections.find(viewer)
        assert found is not None
        visible = [n for n, record in enumerate(table.records, 1) if may_see(viewer, record.event)]
        own = [table.records[position - 1] for position in visible]
        assert (list(found.positions), found.seq) == (visible, len(own))
        assert found.end == len(table.records)
        start = lines_start(found)
        assert found.lines(start, len(own)) == [
            msgspec.json.encode(one) for one in list(lines_of(enumerate(own, 1)))[start:]
        ]
        assert min(FEW, len(own)) <= len(own) - start <= 2 * FEW
        assert start == 0 or found.lines(start - 1, 1) is None, "it is in the store"
        whole = see_all(AudienceState(viewer), table.records)
        assert found.state == whole
        expected = msgspec.json.encode(view(MATCH, table.game.id, whole))
        assert found.body(MATCH, table.game.id) == expected
        assert body_after(viewer, MATCH, table.game.id, range(1, len(own) + 1), own) == expected


@settings(max_examples=10)
@given(tables(), st.randoms(use_true_random=False))
def test_what_an_audience_has_does_not_depend_on_what_is_hidden_from_it(
    table: MatchTable, cuts: Random
) -> None:
    """It is the same as in a match in which nothing is hidden from it, apart from positions."""
    viewers = audiences(table.match.created)
    projections = AudienceProjections(map(AudienceProjection, viewers))
    handed_out(table.records, projections, cuts)
    for viewer in viewers:
        own = [record for record in table.records if may_see(viewer, record.event)]
        alone = AudienceProjections([AudienceProjection(viewer)])
        alone.add(own, [encode(record) for record in own], 0)
        here, there = projections.find(viewer), alone.find(viewer)
        assert here is not None and there is not None
        assert (here.seq, here.state) == (there.seq, there.state)
        assert here.lines(lines_start(here), FEW) == there.lines(lines_start(here), FEW)


@settings(max_examples=10)
@given(tables(), st.randoms(use_true_random=False))
def test_the_memory_counted_is_that_of_the_lines_in_memory(table: MatchTable, cuts: Random) -> None:
    viewers = audiences(table.match.created)
    projections = AudienceProjections(map(AudienceProjection, viewers))
    handed_out(table.records, projections, cuts)
    lines = {id(text): text for projection in projections for text in projection._lines}
    positions = sum(projection.seq for projection in projections)
    assert projections.weight == (
        PROJECTION_BYTES * len(viewers)
        + BYTES_A_POSITION * positions
        + sum(LINE_BYTES + TEXT_FACTOR * text.size for text in lines.values())
    )


@settings(max_examples=10)
@given(tables(), st.integers(0, 10**6))
def test_an_audience_can_be_folded_to_any_of_its_positions_and_not_back(
    table: MatchTable, where: int
) -> None:
    for viewer in audiences(table.match.created):
        projections = AudienceProjections([AudienceProjection(viewer)])
        projections.add(table.records, [encode(record) for record in table.records], 0)
        (projection,) = projections
        position = where % (len(table.records) + 1)
        assert projection.fold_to(position)
        assert projection.folded == see_all(AudienceState(viewer), table.records[:position])
        projection.fold()
        assert projection.fold_to(position) == (projection.count(position) == projection.seq)
        assert projection.folded.seq == projection.seq


def test_what_an_audience_knows_is_taken_over_from_the_store_and_goes_on() -> None:
    table = played("dollar-prize", 2, 0)
    states = [encode(record) for record in table.records]
    projections = AudienceProjections(map(AudienceProjection, audiences(table.match.created)))
    projections.add(table.records[:5], states[:5], 0)
    before = projections.find(0)
    projections.unread(0)
    projections.add(table.records[5:9], states[5:9], 5)
    projection = projections.find(0)
    assert before is not None and projection is not None
    assert before.state == see_all(AudienceState(0), table.records[:5]), "its readers still have it"
    assert not (projection.readable or projection.fold_to(9))
    for early in (0, 4):
        projection.take(see_all(AudienceState(0), table.records[:early]))
        assert not projection.readable, "later events are missing"
    projection.take(see_all(AudienceState(0), table.records[:7]))
    assert projection.readable
    projections.add(table.records[9:], states[9:], 9)
    assert projection.end == len(table.records)
    assert projection.state == see_all(AudienceState(0), table.records)


def test_what_waits_for_an_audience_that_nobody_reads_does_not_pile_up() -> None:
    table = played("dollar-prize", 2, 0)
    states = [encode(record) for record in table.records]
    projections = AudienceProjections(map(AudienceProjection, audiences(table.match.created)))
    projections.add(table.records[:5], states[:5], 0)
    projections.unread(MODERATOR)
    for _ in range(MAX_UNFOLDED):
        projections.add(table.records[5:7], states[5:7], 5)
    (overfull,) = [each for each in projections.overfull if each.viewer == MODERATOR]
    overfull.fold_many()
    assert not overfull.readable and overfull.unfolded_bytes == 0


@pytest.mark.parametrize("most", [1, 1_000])
def test_a_record_is_handed_out_whole_as_it_is_event_by_event(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("projections.audience.projection.MAX_UNFOLDED", most)
    table = played("twelve-chips", 3, 0)
    states = [encode(record) for record in table.records]
    viewers = audiences(table.match.created)
    added = AudienceProjections(map(AudienceProjection, viewers))
    added.add(table.records, states, 0)
    for projection in projections_of(viewers, table.records, list(map(checksum, states))):
        expected = added.find(projection.viewer)
        assert expected is not None
        assert projection.own_rows() == expected.own_rows() and projection.end == expected.end
        assert projection.readable == (most > 1)
        if not projection.readable:
            projection.take(expected.state)
        assert projection.state == expected.state


def test_what_a_match_conceals_is_masked_for_its_moderators_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In their lines, and in what their boards are handed; a seat is told what it has entered."""
    table = seated(GAMES["twelve-chips"], 2, Options(hands="entered")).when(START)
    for seat, chips in enumerate(((5, 9, 11, 12), (3, 4, 7, 10))):
        table.accepted(seat, Enter(chips))
    handed: dict[Viewer, list[Event]] = {}
    board = BOARDS["twelve-chips"]

    def evolve(state: Any, event: Event, viewer: Viewer, at: int) -> Any:
        handed.setdefault(viewer, []).append(event)
        return board.evolve(state, event, viewer, at)

    monkeypatch.setitem(BOARDS, "twelve-chips", replace(board, evolve=evolve))
    viewers = audiences(table.match.created)
    projections = AudienceProjections(map(AudienceProjection, viewers), masks=True)
    projections.add(table.records, [encode(record) for record in table.records], 0)
    for projection in projections:
        own = [record for record in table.records if may_see(projection.viewer, record.event)]
        shown = list(map(mask_record, own)) if projection.viewer == MODERATOR else own
        lines = [msgspec.json.encode(one) for one in lines_of(enumerate(shown, 1))]
        assert projection.lines(0, len(own)) == lines
        assert projection.state.seq == len(own)
        board_events = handed[projection.viewer]
        assert board_events == [record.event for record in shown][-len(board_events) :]
    assert HandEntered(1, ()) in handed[MODERATOR] and HandEntered(1, (3, 4, 7, 10)) in handed[1]
