"""Who is safe in a round of a show, who is a candidate, and whom they choose
(/docs/tournaments#an-elimination-show)."""

from typing import Any

import pytest

from domain.events import HOUR
from domain.game import Refused
from domain.rulings.commands import Rule, SecondRuling
from domain.rulings.kinds import NameCandidates
from domain.rulings.tournament_decide import RuleTournament
from domain.tournament.stage_commands import OpenChoice, Withdraw
from domain.tournament.stage_events import (
    CandidatesNamed,
    ChoiceOpened,
    ImmuneNamed,
    OpponentChosen,
    PlayerEliminated,
    RoundClosed,
)
from domain.tournament.stages import Named
from tests.domain.tournament.show_play import ANN, BEN, CY, DI, ED, Show, candidate, kinds
from tests.support.tables.correction_tables import MO, OLGA


def test_the_winners_are_immune_and_the_loser_chooses() -> None:
    show = Show()
    followed = show.round([ANN], [ED])
    assert followed[:2] == [ImmuneNamed(1, 1, (ANN,)), CandidatesNamed(1, 1, (ED,))]
    assert isinstance(followed[2], ChoiceOpened)
    assert followed[2].player == ED
    assert show.choice(BEN, ED)[0] == OpponentChosen(1, 1, BEN, "player", ED)
    (match,) = show.running()
    assert show.state.matches[match].players == (ED, BEN)


def test_a_game_names_who_is_immune_and_who_meets() -> None:
    show = Show()
    followed = show.round([ANN], [ED], Named((0, 2), (1, 3)))
    assert followed[:2] == [ImmuneNamed(1, 1, (ANN, CY)), CandidatesNamed(1, 1, (BEN, DI))]
    (match,) = show.running()
    assert show.state.matches[match].players == (BEN, DI)
    assert kinds(show.end_death(DI)) == [PlayerEliminated, RoundClosed]


def test_of_several_losers_lots_name_one() -> None:
    show = Show()
    show.round([ANN], [BEN, CY, DI])
    (candidate,) = show.rounds[0].show.candidates
    assert candidate in (BEN, CY, DI)


@pytest.mark.parametrize(("won", "lost"), [((ANN, BEN, CY, DI, ED), ()), ((ANN,), ())])
def test_without_a_candidate_no_one_goes_home(won: Any, lost: Any) -> None:
    show = Show()
    assert kinds(show.round(won, lost)) == [ImmuneNamed, CandidatesNamed, RoundClosed]


def named(*players: int, ident: str = "r") -> RuleTournament:
    """Staff rule that these are candidates."""
    return RuleTournament(Rule(ident, NameCandidates(None, players), "x", OLGA), None, 0)


def without_candidate() -> Show:
    """A round that is closed because no one was a candidate."""
    show = Show()
    show.round([ANN], [])
    return show


@pytest.mark.parametrize("players", [(BEN,), (BEN, CY)])
def test_staff_name_candidates_where_there_were_none_and_the_round_goes_on(
    players: tuple[int, ...],
) -> None:
    show = without_candidate()
    show.do(named(*players))
    followed = show.then(RuleTournament(SecondRuling("r", MO), None, 0))
    assert CandidatesNamed(1, 1, players) in followed
    assert show.rounds[0].status == "published"
    if len(players) == 1:
        show.choice(CY, BEN)
    assert kinds(show.end_death(BEN)) == [PlayerEliminated, RoundClosed]
    assert show.rounds[0].show.eliminated == CY
    with pytest.raises(Refused, match="round_closed"):
        show.do(named(DI, ident="s"))


@pytest.mark.parametrize(
    ("players", "code"),
    [
        ((ANN,), "immune"),
        ((BEN, BEN), "paired_twice"),
        ((BEN, CY, ED), "wrong_table_size"),
        ((9,), "no_such_player"),
        ((DI,), "player_not_active"),
    ],
)
def test_a_candidate_whom_staff_name_is_neither_immune_nor_gone(
    players: tuple[int, ...], code: str
) -> None:
    show = without_candidate()
    show.do(Withdraw(DI, "ill"))
    with pytest.raises(Refused, match=code):
        show.do(named(*players))


def test_candidates_are_named_in_the_last_round_alone_once_it_is_closed() -> None:
    show = Show()
    with pytest.raises(Refused, match="no_such_round"):
        show.do(named(BEN))
    show.begin()
    with pytest.raises(Refused, match="round_open"):
        show.do(named(BEN))
    show.end_main([ANN], [])
    show.begin()
    with pytest.raises(Refused, match="round_open"):
        show.do(named(BEN))


def test_where_all_others_are_immune_no_one_goes_home() -> None:
    show = Show()
    assert RoundClosed(1, 1) in show.round([ANN, BEN, CY, DI], [ED])


def test_a_choice_that_is_not_made_is_made_by_lots() -> None:
    show = candidate(choice_hours=0.5)
    until = show.rounds[0].show.choice_until
    assert until == len(show.events) - 1 + HOUR // 2
    with pytest.raises(Refused, match="lots_drawn"):
        show.draw("opponent 1 1", until - 1)
    show.draw("opponent 1 1", until)
    chosen = show.events[-1]
    assert isinstance(chosen, OpponentChosen)
    assert (chosen.by, chosen.player in (BEN, CY, DI)) == ("lots", True)


def test_with_no_hours_lots_choose_at_once() -> None:
    show = Show(choice_hours=0.0)
    assert OpponentChosen in kinds(show.round([ANN], [ED]))


@pytest.mark.parametrize(
    ("player", "by", "late", "code"),
    [
        (CY, DI, False, "not_candidate"),
        (ANN, DI, False, "not_candidate"),
        (ANN, ED, False, "immune"),
        (BEN, ED, False, "eliminated"),
        (ED, ED, False, "player_not_active"),
        (9, ED, False, "player_not_active"),
        (DI, ED, False, "player_not_active"),
        (CY, ED, True, "choice_over"),
    ],
)
def test_a_choice_is_refused(player: int, by: int, late: bool, code: str) -> None:
    """In the second round; Ben was eliminated in the first, Di has left since."""
    show = Show()
    show.round([ANN], [BEN])
    show.choice(CY, BEN)
    show.end_death(CY)
    show.round([ANN], [ED])
    show.do(Withdraw(DI, "ill"))
    at = show.rounds[1].show.choice_until if late else 0
    with pytest.raises(Refused, match=code):
        show.choice(player, by, at)


def test_a_choice_is_made_once() -> None:
    show = candidate()
    assert show.do(OpenChoice(1, 1, 9)) == []
    assert show.choice(BEN, ED)
    assert show.choice(BEN, ED) == []
    with pytest.raises(Refused, match="choice_over"):
        show.choice(CY, ED)
