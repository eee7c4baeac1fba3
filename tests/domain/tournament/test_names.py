"""Other names for players (/docs/tournaments#names)."""

import pytest

from domain.events import PUBLIC, Event, Numbered, Record, batch
from domain.proof.tournament_rejudging import TournamentJudge
from domain.tournament.commands import AddMatch, Command, NewPlayer, NewTournament
from domain.tournament.decide import decide
from domain.tournament.events import PlayerNamed, PlayerRenamed
from domain.tournament.fold import fold
from domain.tournament.staff import GiveMatch, RenamePlayer
from domain.tournament.state import NOTHING_YET, player_of
from tests.support.tables.correction_tables import after, refusal

CUP = NewTournament("Cup", ("Ann", "Ben", "Cy"), ("Mo", "Ann"))
ANNA = RenamePlayer(0, "Anna", "misspelt")


def test_a_player_has_another_name_from_now_on() -> None:
    expected: list[Event] = [PlayerRenamed(0, "misspelt"), PlayerNamed(0, "Anna", b"")]
    assert decide(after(CUP), ANNA) == expected
    assert after(CUP, ANNA).players == ("Anna", "Ben", "Cy")
    state = fold(after(CUP), [PlayerNamed(0, "Anna", bytes(16))])
    assert decide(state, ANNA) == []
    assert after(CUP, ANNA, RenamePlayer(0, "Ann", "it was right")).players[0] == "Ann"


def test_a_moderator_with_an_earlier_name_of_a_player_is_that_player() -> None:
    assert player_of(after(CUP, ANNA), 1) == 0
    seated = AddMatch("m", "dollar-prize", ("Anna", "Ben"))
    assert refusal(after(CUP, ANNA, seated), GiveMatch("m", 1)) == "moderator_plays"


@pytest.mark.parametrize(
    ("before", "command", "code"),
    [
        ((), RenamePlayer(3, "Zoe", "x"), "no_such_player"),
        ((), RenamePlayer(0, "BEN", "x"), "name_taken"),
        ((), RenamePlayer(0, " Zoe", "x"), "names_not_allowed"),
        ((ANNA,), RenamePlayer(1, "Ann", "x"), "name_taken"),
        ((ANNA,), NewPlayer("Ann"), "name_taken"),
        (
            (AddMatch("m", "dollar-prize", ("Ann", "Ben")), GiveMatch("m", 0)),
            RenamePlayer(0, "Mo", "x"),
            "moderator_plays",
        ),
    ],
)
def test_a_name_that_a_player_cannot_have_is_refused(
    before: tuple[Command, ...], command: Command, code: str
) -> None:
    assert refusal(after(CUP, *before), command) == code


@pytest.mark.parametrize(("name", "faults"), [("Anna", 0), ("Ben", 1)])
def test_another_name_is_judged_by_what_is_public(name: str, faults: int) -> None:
    judge = TournamentJudge("t", lambda event: event.audience == PUBLIC)
    created = decide(NOTHING_YET, NewTournament("Cup", ("Ann", "Ben")))
    judge.take([Numbered(n, n - record.back, record) for n, record in enumerate(batch(created, 0))])
    judge.take([Numbered(9, 9, Record(1, 0, PlayerNamed(0, name, bytes(16))))])
    assert (len(judge.faults), judge.judged[PlayerNamed]) == (faults, 3)
    assert "rules" not in judge.unjudged
