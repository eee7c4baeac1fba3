"""Names stand apart (audit, section 2): in events of their own, at their place."""

from collections.abc import Callable
from typing import get_args

import msgspec
import pytest
from msgspec.structs import replace

from domain.encoding import encode
from domain.events import PUBLIC, Event, Record
from domain.games import GAMES, AnyEvent
from domain.match.events import MatchCreated, NameSalted, SeatNamed, SeedCommitted
from domain.proof.record_differences import RecordDiffers
from domain.proof.rejudging import rejudge
from domain.rulings.commands import SecondRuling
from domain.rulings.events import SeatReplaced
from domain.rulings.kinds import ReplaceSeat
from domain.tournament.commands import AddMatch, NewPlayer, SettleMatch
from domain.tournament.decide import blinded
from domain.tournament.decide import decide as decided
from domain.tournament.events import ModeratorNamed, PlayerNamed, TournamentCreated
from domain.tournament.fold import fold
from domain.tournament.staff import NewModerator
from domain.tournament.stage_events import StageAdded, StageChanged
from domain.tournament.state import NOTHING_YET
from tests.recorded.files import outcome, recorded, records
from tests.support.tables.correction_tables import CUP, WON
from tests.support.tables.directing import START
from tests.support.tables.forged_records import edited, index_of
from tests.support.tables.match_table import MATCH, seated
from tests.support.tables.ruling_tables import FINN, rule

NAMING = (SeatNamed, PlayerNamed, ModeratorNamed)
Records = list[Record[Event]]


# Nowhere else.


def test_no_other_public_event_has_a_field_for_the_name_of_a_person() -> None:
    public = [kind for kind in get_args(AnyEvent) if kind.audience == PUBLIC]
    named = {kind for kind in public if "name" in kind.__struct_fields__}
    assert named == {*NAMING, TournamentCreated, StageAdded, StageChanged}
    (seats,) = (one.type for one in msgspec.structs.fields(MatchCreated) if one.name == "seats")
    assert seats is int


@pytest.mark.parametrize("name", recorded())
def test_no_other_public_event_of_a_match_has_the_bytes_of_a_name(name: str) -> None:
    public = [record for record in records(name) if record.event.audience == PUBLIC]
    names = {one.event.name for one in public if isinstance(one.event, SeatNamed)}
    assert len(names) >= 2
    others = [encode(one) for one in public if not isinstance(one.event, NAMING)]
    assert not [own for own in names for stored in others if own.encode() in stored]


def test_no_other_event_of_a_tournament_has_the_bytes_of_a_name() -> None:
    commands = (
        replace(CUP, players=("Čeněk", "Žofie"), moderators=("Šárka",), garnets={"Čeněk": 5}),
        NewPlayer("Đorđe", 3),
        NewModerator("Łucja"),
        AddMatch("one", "a-game", ("Čeněk", "Đorđe"), (3, 3)),
        SettleMatch("one", WON, (0, 0), (3, 3)),
    )
    state, events = NOTHING_YET, list[Event]()
    for command in commands:
        events += (new := decided(state, command))
        state = fold(state, new)
    assert (state.players, state.moderators) == (("Čeněk", "Žofie", "Đorđe"), ("Šárka", "Łucja"))
    others = [encode(Record(0, 0, event)) for event in events if not isinstance(event, NAMING)]
    for name in (*state.players, *state.moderators):
        assert not [stored for stored in others if name.encode() in stored]


def test_each_name_of_a_tournament_gets_a_blind_of_its_own() -> None:
    drawn = iter(bytes([n]) * 16 for n in range(99))
    events = blinded(decided(NOTHING_YET, CUP), lambda: next(drawn))
    blinds = [event.blind for event in events if isinstance(event, PlayerNamed | ModeratorNamed)]
    assert len(set(blinds)) == len(blinds) == len(CUP.players) + len(CUP.moderators)


# At their place.


@pytest.mark.parametrize("name", recorded())
def test_the_seats_are_named_behind_the_creation_in_order(name: str) -> None:
    played = records(name)
    created, *rest = (record.event for record in played)
    assert isinstance(created, MatchCreated)
    behind = [event for event in rest if not isinstance(event, SeedCommitted | NameSalted)]
    named = behind[: created.seats]
    assert [(type(one), getattr(one, "seat", None)) for one in named] == [
        (SeatNamed, seat) for seat in range(created.seats)
    ]
    match = rejudge(outcome(name).match, played)
    assert match.unnamed == () and match.names[: created.seats] == tuple(
        (event.seat, event.name) for event in named if isinstance(event, SeatNamed)
    )


def replaced() -> Records:
    table = seated(GAMES["dollar-prize"]).when(START)
    table.when(rule("r", ReplaceSeat(1, "Zoe"))).when(SecondRuling("r", FINN))
    assert rejudge(MATCH, table.records).names == ((0, "Ann"), (1, "Ben"), (1, "Zoe"))
    return table.records


def changed(number: int, **fields: object) -> Callable[[Records], Records]:
    return lambda played: edited(played, SeatNamed, number, **fields)


def without(number: int) -> Callable[[Records], Records]:
    """Each event that stands says as before how far back its input is."""
    return lambda played: [
        one for n, one in enumerate(played) if n != index_of(played, SeatNamed, number)
    ]


def twice(played: Records) -> Records:
    return [*played[:3], replace(played[2], back=3), *played[3:]]


def exchanged(played: Records) -> Records:
    first, second = played[1:3]
    return [played[0], replace(first, event=second.event), replace(second, event=first.event)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (without(0), "match.seat-named.1: it does not fit where the match is: seat 0 is named"),
        (without(2), "every seat should be named, and nothing follows"),
        (changed(0, name="Ben"), "the name is not one that the seat can have"),
        (changed(1, name="Ann"), "the name is not one that the seat can have"),
        (changed(1, name=" "), "the name is not one that the seat can have"),
        (changed(2, name="Ann"), "the name is not one that the seat can have"),
        (changed(2, name="Zed"), "the ruling gives the seat to another name"),
        (changed(0, blind=bytes(15)), "a name is blinded by 16 bytes"),
        (lambda played: played[:2], "every seat should be named, and nothing follows"),
        (lambda played: played[:1], "every seat should be named, and nothing follows"),
        (exchanged, "seat 0 is named next"),
        (twice, "match.seat-named.1: it does not say rightly of which input it is"),
    ],
)
def test_the_judge_demands_every_name_at_its_place(
    change: Callable[[Records], Records], said: str
) -> None:
    with pytest.raises(RecordDiffers, match=said):
        rejudge(MATCH, change(replaced()))


def test_a_replaced_seat_is_named_at_the_end_of_the_batch() -> None:
    events = [record.event for record in replaced()]
    assert events[-2:] == [SeatReplaced(1), SeatNamed(1, "Zoe", bytes(16))]
