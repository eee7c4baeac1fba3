"""A new player of a seat reads all of its past but the salt of the old name
(/docs/rulings#a-new-player)."""

import msgspec
import pytest

from domain.events import Event, Record
from domain.games import GAMES
from domain.match.events import NameSalted
from domain.rulings.commands import SecondRuling
from domain.rulings.kinds import ReplaceSeat
from projections.audience.disclosure import MODERATOR, Viewer
from projections.audience.lines import Line, line, record_of
from projections.evidence.name_salts import UNTOLD, own_records, withheld
from projections.evidence.timeline import shown_whole, timeline, timeline_for
from tests.support.tables.directing import START
from tests.support.tables.match_table import MatchTable, seated
from tests.support.tables.own_events import disclosed
from tests.support.tables.ruling_tables import FINN, rule

SECRET = NameSalted(1, bytes(16))


def started() -> MatchTable:
    return seated(GAMES["dollar-prize"], chance="server").when(START)


def replaced() -> MatchTable:
    return started().when(rule("r", ReplaceSeat(1, "Zoe"))).when(SecondRuling("r", FINN))


def read(table: MatchTable, viewer: Viewer) -> list[Event]:
    own = disclosed(viewer, own_records(viewer, table.records))
    return [record.event for _, record in own]


def test_the_successor_is_not_told_it_and_the_numbers_stay() -> None:
    for viewer in (1, MODERATOR):
        before, after = read(started(), viewer), read(replaced(), viewer)
        assert before.index(SECRET) == after[: len(before)].index(
            NameSalted(1, UNTOLD) if viewer == 1 else SECRET
        )


def test_others_are_told_their_own() -> None:
    assert NameSalted(0, bytes(16)) in read(replaced(), 0)


def test_a_line_without_it_is_read_again() -> None:
    told = msgspec.json.encode(line(3, None, Record(0, 0, SECRET)))
    untold = msgspec.json.decode(withheld(told), type=Line)
    assert untold.data == {"seat": 1, "salt": None}
    assert record_of(untold, 0) == Record(0, 0, NameSalted(1, UNTOLD))


def test_every_other_line_stays_as_it_is() -> None:
    for record in replaced().records:
        if not isinstance(record.event, NameSalted):
            sent = msgspec.json.encode(line(1, 1, record))
            assert withheld(sent) == sent


@pytest.mark.parametrize("viewer", [0, 1])
def test_the_time_line_of_the_successor_does_not_tell_it(viewer: int) -> None:
    entries = timeline(shown_whole(replaced().records))
    own = [entry.what for entry in timeline_for(entries, viewer)]
    (said,) = [what for what in own if "salt of its own name" in what]
    assert ("salt 0000" in said) == (viewer == 0)
