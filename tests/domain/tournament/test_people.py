"""What players do besides playing: they leave, return, check in, sit out (/docs/tournaments)."""

import pytest

from domain.game import Refused
from domain.match.commands import Conflict
from domain.tournament.commands import NewPlayer
from domain.tournament.competition import stage_of
from domain.tournament.fold import fold
from domain.tournament.following import lapsed
from domain.tournament.history import Bye
from domain.tournament.stage_commands import (
    AskBye,
    CheckInPlayer,
    GiveLotsSeed,
    OpenCheckIn,
    Return,
    StageCommand,
    Withdraw,
    WithdrawRound,
)
from domain.tournament.stage_events import ByeAsked, CheckInOpened, LotsSeedGiven, PlayerStatus
from domain.tournament.stages import Stage, StageMatch, StagePoints
from domain.tournament.state import standing_of
from projections.tournaments.stage_standings import StandingsRow, show_standings
from projections.tournaments.stages import show_stage
from tests.domain.tournament.stage_play import Organiser

MATCH = StageMatch("dollar-prize")
SWISS = Stage("S", "swiss", MATCH, rounds=3)
ROBIN = Stage("R", "round_robin", MATCH, seeding="entry")
CUP = Stage("E", "elimination", MATCH, seeding="entry")


def rows(one: Organiser, after: int | None = None) -> dict[int, StandingsRow]:
    state = one.state
    table = show_standings(state.competition, 1, state.results, state.players, after=after)
    return {row.player: row for row in table.rows}


def byes(one: Organiser) -> tuple[Bye, ...]:
    return one.draft().byes


def named(one: Organiser) -> set[int]:
    draft = one.draft()
    paired = {player for table in draft.pairings for player in table.players}
    return paired | {bye.player for bye in draft.byes}


def out_of_time(one: Organiser, at: int) -> None:
    one.state = fold(one.state, [record.event for record in lapsed(one.state, at)])


def test_who_withdraws_is_not_paired_and_who_returns_is() -> None:
    one = Organiser(4, SWISS)
    assert one.do(Withdraw(1, "ill")) == [PlayerStatus(1, "withdrawn", "ill")]
    assert named(one) == {0, 2, 3}
    assert one.do(Return(1)) == [PlayerStatus(1, "entered", None)]
    assert named(one) == {0, 1, 2, 3}
    assert one.do(Return(1)) == []


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (Withdraw(9, "ill"), "no_such_player"),
        (Withdraw(1, "ill"), "already_withdrawn"),
        (CheckInPlayer(0), "no_check_in"),
        (AskBye(0, None, 1), "round_published"),
        (AskBye(0, 7, 2), "no_such_stage"),
        (GiveLotsSeed(9, "x"), "no_such_player"),
    ],
)
def test_what_players_may_not_do_is_refused(command: StageCommand, code: str) -> None:
    one = Organiser(4, SWISS)
    one.do(Withdraw(1, "ill"))
    one.publish()
    with pytest.raises(Refused, match=code):
        one.do(command)


def test_who_leaves_before_half_of_a_round_robin_counts_for_no_one() -> None:
    """FIDE C.05: four players, three games each; one game is fewer than half."""
    one = Organiser(4, ROBIN)
    one.rounds(1)
    one.do(Withdraw(0, "ill"))
    assert rows(one)[0].played == 0
    while not any(bye.because == ("opponent_withdrawn",) for bye in byes(one)):
        one.rounds(1)
    free = next(bye.player for bye in byes(one) if bye.because == ("opponent_withdrawn",))
    before = rows(one)[free].points
    one.publish()
    assert rows(one)[free].points == before, "a bye gives nothing if the results are annulled"


def test_who_leaves_a_round_robin_later_loses_what_is_left() -> None:
    one = Organiser(4, ROBIN)
    one.rounds(2)
    one.do(Withdraw(0, "ill"))
    assert rows(one)[0].played == 2
    [bye] = byes(one)
    assert bye.because == ("opponent_withdrawn",)
    before = int(rows(one)[bye.player].points)
    one.publish()
    assert int(rows(one)[bye.player].points) == before + 2


def test_who_leaves_a_round_robin_later_scores_losses_and_not_absences() -> None:
    points = StagePoints(win=3, share=2, loss=1, absent=0)
    one = Organiser(4, Stage("R", "round_robin", MATCH, seeding="entry", points=points))
    one.rounds(2)
    before = int(rows(one)[0].points)
    one.do(Withdraw(0, "ill"))
    one.rounds(1)
    assert int(rows(one)[0].points) == before + 1


def test_a_table_that_stood_is_not_changed_by_who_leaves_or_enters_later() -> None:
    one = Organiser(4, ROBIN)
    one.rounds(1)
    before = [(row.player, row.points, row.played) for row in rows(one, after=1).values()]
    one.do(Withdraw(0, "ill"))
    one.do(NewPlayer("Late"))
    after = [(row.player, row.points, row.played) for row in rows(one, after=1).values()]
    assert after == before and len(after) == 4


def test_a_table_that_stood_is_not_changed_by_lots_that_are_drawn_later() -> None:
    one = Organiser(4, Stage("S", "swiss", MATCH, rounds=2, tiebreaks=("lots",)))
    one.rounds(1)
    before = rows(one, after=1)
    one.draw("stage 1")
    assert rows(one, after=1) == before
    assert rows(one) != before


def test_a_table_that_stood_is_not_changed_by_an_earlier_round_that_is_withdrawn_later() -> None:
    one = Organiser(5, SWISS)
    one.publish()
    (free,) = (bye.player for bye in stage_of(one.state.competition, 1).rounds[0].byes)
    waiting = one.running()
    one.publish(overlap=True)
    for match in one.running():
        if match not in waiting:
            one.settle(match, one.result(2))
    before = rows(one, after=2)
    one.do(WithdrawRound(1, 1, "The hall is closed."))
    assert rows(one, after=2) == before
    assert int(rows(one)[free].points) == int(before[free].points) - 2


def test_a_bye_that_was_asked_for_is_given_as_often_as_the_stage_allows() -> None:
    one = Organiser(5, SWISS)
    assert one.do(AskBye(4, None, 1)) == [ByeAsked(4, 1, 1)]
    assert one.do(AskBye(4, 1, 1)) == []
    assert Bye(4, "bye_asked", ("asked",)) in byes(one)
    with pytest.raises(Refused, match="too_many_byes"):
        one.do(AskBye(4, 1, 2))
    one.publish()
    assert rows(one)[4].points == "1"


def test_who_has_left_has_no_bye_although_they_asked_for_one() -> None:
    one = Organiser(5, SWISS)
    one.rounds(1)
    one.do(AskBye(4, None, 2))
    one.do(Withdraw(4, "ill"))
    assert not byes(one)


@pytest.mark.parametrize(
    "stage", [CUP, Stage("O", "shootout", MATCH, seats=3)], ids=lambda stage: str(stage.format)
)
def test_where_who_loses_is_out_no_one_asks_for_a_bye(stage: Stage) -> None:
    with pytest.raises(Refused, match="too_many_byes"):
        Organiser(6, stage).do(AskBye(0, None, 1))


def test_after_the_check_in_only_those_are_paired_who_are_there() -> None:
    one = Organiser(4, SWISS)
    assert one.do(OpenCheckIn(100, 50)) == [CheckInOpened(100)]
    assert one.do(CheckInPlayer(0)) == [PlayerStatus(0, "checked_in", None)]
    assert one.do(CheckInPlayer(0)) == []
    one.do(CheckInPlayer(1))
    out_of_time(one, 99)
    assert not [bye for bye in byes(one) if bye.kind == "absent"]
    out_of_time(one, 100)
    assert [bye.player for bye in byes(one)] == [2, 3]
    assert {bye.because for bye in byes(one)} == {("not_checked_in",)}
    one.do(CheckInPlayer(2))
    assert [bye.player for bye in byes(one) if bye.kind == "absent"] == [3]
    one.do(Withdraw(3, "ill"))
    one.do(Return(3))
    assert not [bye for bye in byes(one) if bye.kind == "absent"], "who returns is there"


def test_a_check_in_that_is_opened_again_asks_everyone_again() -> None:
    one = Organiser(2, SWISS)
    one.do(OpenCheckIn(100, 50))
    one.do(CheckInPlayer(0))
    out_of_time(one, 100)
    one.do(OpenCheckIn(200, 150))
    assert {person.status for person in one.state.competition.people.values()} == {"entered"}
    assert not lapsed(one.state, 199)
    with pytest.raises(Conflict, match="not_in_future"):
        one.do(OpenCheckIn(200, 200))
    with pytest.raises(Conflict, match="too_late"):
        one.do(OpenCheckIn(2**53, 200))


def test_who_enters_late_has_been_absent_and_stays_in_the_table() -> None:
    one = Organiser(4, Stage("S", "swiss", MATCH, rounds=2, points=StagePoints(absent=1)))
    one.rounds(1)
    one.do(NewPlayer("Late"))
    assert rows(one)[4].points == "1"
    assert show_stage(one.state.competition, 1).entrants == (0, 1, 2, 3, 4)
    assert 4 in named(one)
    one.rounds(1)
    one.play_stage()
    assert 4 in rows(one)
    assert set(rows(one, after=1)) == {0, 1, 2, 3}


def test_who_left_before_a_stage_is_not_in_it() -> None:
    one = Organiser(4, SWISS)
    one.do(Withdraw(3, "ill"))
    one.publish()
    assert set(rows(one)) == {0, 1, 2}


def test_the_last_seed_that_a_player_gives_counts() -> None:
    one = Organiser(2, SWISS)
    assert one.do(GiveLotsSeed(1, "dice")) == [LotsSeedGiven(1, "dice")]
    assert one.do(GiveLotsSeed(1, "dice")) == []
    one.do(GiveLotsSeed(1, "coins"))
    assert standing_of(one.state).competition.seeds == {1: "coins"}
