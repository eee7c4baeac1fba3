"""What each seat has put on the record: counted by the same fold as the match itself."""

from collections.abc import Sequence

import pytest

from domain.encoding import encode
from domain.events import Event, Record, batches
from domain.games.grouping_bw.events import OwnTileTold
from domain.games.together.actions import GiveTokenOfLife
from domain.games.twelve_chips.events import HandDealt
from domain.match.commands import GiveClientSeed
from domain.match.events import ActionReceived, ClientSeedGiven
from domain.match.recorded import size
from domain.match.replay import continued, replay
from domain.match.state import create
from projections.audience.disclosure import may_see
from tests.recorded.files import outcome, recorded, records
from tests.support.instants import NOON
from tests.support.tables.directing import close_phase
from tests.support.tables.match_table import MatchTable, seated
from tests.support.tables.together_tables import a, b, started


def without_time(event: Event) -> int:
    """The bytes of the stored record without its frame of one byte, its time of nine, and the byte
    that says where its input stands."""
    return len(encode(Record(NOON, 0, event))) - 11


def played() -> MatchTable:
    """Valid, invalid and refused actions of two seats, in two rounds."""
    table = started("AAAABB").act(0, a(1)).act(0, a(9)).act(1, GiveTokenOfLife(2))
    return table.when(close_phase()).act(1, b(4, 4, 4, at=2)).act(1, a(1, at=1))


def expected_sizes(records: Sequence[Record[Event]], seats: int) -> tuple[int, ...]:
    """The bytes of the inputs of each seat, with their consequences that it sees."""
    sizes = [0] * seats
    for batch in [[record.event for record in one] for one in batches(records)]:
        if isinstance(batch[0], ActionReceived | ClientSeedGiven):
            seat = batch[0].seat
            sizes[seat] += sum(without_time(event) for event in batch if may_see(seat, event))
    return tuple(sizes)


def test_the_bytes_of_a_seat_are_those_of_its_actions_and_of_what_followed_from_them() -> None:
    table = played()
    assert table.match.recorded.sizes == expected_sizes(table.records, 6)
    assert table.match.recorded.sizes[2] == 0 < min(table.match.recorded.sizes[:2])


@pytest.mark.parametrize("name", recorded())
def test_in_every_game_the_bytes_of_a_seat_are_those_that_it_sees(name: str) -> None:
    _, match = replay(outcome(name).match, records(name))
    assert match.recorded.sizes == expected_sizes(records(name), match.created.seats)


def test_some_consequences_are_hidden_from_their_seat() -> None:
    hidden = set()
    for name in recorded():
        for batch in [[record.event for record in one] for one in batches(records(name))]:
            if isinstance(batch[0], ActionReceived):
                seat = batch[0].seat
                hidden |= {type(event) for event in batch if not may_see(seat, event)}
    assert {OwnTileTold, HandDealt} <= hidden


def test_client_seeds_count() -> None:
    table = seated(started().game, 4, chance="server").when(GiveClientSeed(2, "dice"))
    assert table.match.recorded.sizes == (0, 0, size(ClientSeedGiven(2, "dice")), 0)


def test_submissions_are_counted_by_phase_and_refused_actions_are_none() -> None:
    table = started("AAAABB").act(0, a(1)).act(0, a(9)).act(1, GiveTokenOfLife(2))
    assert table.match.recorded.submissions == (2, 0, 0, 0, 0, 0)
    table.when(close_phase())
    assert table.match.recorded.submissions == (0,) * 6
    table.act(1, b(4, 4, 4, at=2)).act(1, a(1, at=1))
    assert table.match.recorded.submissions == (0, 2, 0, 0, 0, 0)


def test_a_pause_begins_no_phase() -> None:
    table = started(clock="rules").act(0, a(1)).pause().resume()
    assert table.match.recorded.submissions[0] == 1


def test_however_the_record_is_cut_the_counts_are_the_same() -> None:
    table = played()
    for cut in range(1, len(table.records)):
        match = create(table.game, table.match.id, table.match.created, table.match.options)
        for part in (table.records[:cut], table.records[cut:]):
            match = continued(table.game, match, part)
        assert match.recorded == table.match.recorded


def test_what_one_seat_sends_changes_nothing_for_another() -> None:
    one, other = started(), started()
    one.act(0, a(1)).act(1, a(2)).act(1, a(9))
    other.act(0, a(1))
    assert one.match.recorded.sizes[0] == other.match.recorded.sizes[0]
    assert one.match.recorded.submissions[0] == other.match.recorded.submissions[0]
