"""Brackets in which players leave, and matches that no one wins (/docs/tournaments)."""

import json
from random import Random
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.game import Refused, Result
from domain.tournament.bracket import bracket_of
from domain.tournament.format import reckoning_of
from domain.tournament.formats import FORMATS
from domain.tournament.history import Bye, Draft, Pairing
from domain.tournament.stage_commands import Withdraw
from domain.tournament.stage_decide import check_by_hand
from domain.tournament.stages import Stage, StageMatch
from projections.tournaments.brackets import show_bracket
from projections.tournaments.stages import show_round
from tests.domain.tournament import independent_knockout as knockout
from tests.domain.tournament.stage_play import Organiser

CUP = Stage(
    "E", "elimination", StageMatch("dollar-prize"), seeding="entry", first_seat="higher_seed"
)
NO_ONE = Result((), (0, 1), False, (0, 0))


def won_by(seat: int) -> Result:
    return Result((seat,), (1 - seat,), False, (1 - seat, seat))


def cup(players: int, **settings: Any) -> Organiser:
    """A cup whose first round is published."""
    organiser = Organiser(players, replace(CUP, **settings))
    organiser.draw("stage 1")
    organiser.publish()
    return organiser


def leave(organiser: Organiser, *players: int) -> None:
    for player in players:
        organiser.do(Withdraw(player, "ill"))


def places(organiser: Organiser) -> list[list[int]]:
    history = organiser.history()
    form = FORMATS["elimination"]
    return [sorted(tie) for tie in form.places(history, reckoning_of(form, history)).ties]


def settle(organiser: Organiser, **results: Result) -> None:
    """Settles matches by the two players in them, as `p0_p3`."""
    for match in organiser.running():
        players = organiser.state.matches[match].players
        name = "_".join(f"p{player}" for player in sorted(players))
        organiser.settle(match, results[name])
    organiser.create()


def test_where_lots_decide_a_shared_match_is_no_result() -> None:
    organiser = Organiser(2, replace(CUP, replays=0))
    organiser.publish()
    settle(organiser, p0_p1=Result((0, 1), (), True, (1, 1)))
    shown = show_round(organiser.state, 1, 1)
    assert [(one.result, one.because) for one in shown.pairings] == [(None, ("bracket", "lots"))]


def test_a_match_whose_players_have_both_left_is_passed_over() -> None:
    """Of 0-3 and 1-2 only the second is played, and its winner has won."""
    organiser = cup(4)
    settle(organiser, p0_p3=won_by(0), p1_p2=won_by(0))
    leave(organiser, 0, 1)
    with pytest.raises(Exception, match="no_pairing"):
        organiser.draft()


def test_who_is_left_alone_has_won() -> None:
    """0 and 1 leave before they meet among the winners: 2, who has lost to 1, is left."""
    organiser = cup(3, losses=2)
    settle(organiser, p1_p2=won_by(0))
    assert places(organiser) == [[0, 1, 2]]
    leave(organiser, 0, 1)
    assert places(organiser) == [[2], [0, 1]]


def test_who_waits_for_the_winner_of_a_match_without_players_goes_on_at_once() -> None:
    organiser = cup(8)
    settle(organiser, p0_p7=won_by(0), p3_p4=won_by(0), p1_p6=won_by(0), p2_p5=won_by(0))
    leave(organiser, 0, 3)
    organiser.publish()
    (match,) = organiser.running()
    assert sorted(organiser.state.matches[match].players) == [1, 2]
    organiser.settle(match, won_by(0))
    assert places(organiser)[0] == [1]


def test_no_one_goes_on_from_a_match_that_no_one_wins_and_both_take_its_place() -> None:
    organiser = cup(4)
    settle(organiser, p0_p3=NO_ONE, p1_p2=won_by(0))
    with pytest.raises(Exception, match="no_pairing"):
        organiser.draft()
    assert places(organiser) == [[1], [0, 2, 3]]


def test_a_final_without_a_winner_has_no_champion_and_two_second_places() -> None:
    organiser = cup(2)
    settle(organiser, p0_p1=NO_ONE)
    assert places(organiser) == [[0, 1]]


def moved(organiser: Organiser, one: int, other: int) -> Draft:
    """The draft of the next round, with two players in each other's places."""
    draft = organiser.draft()
    to = {one: other, other: one}
    pairings = tuple(
        Pairing(pairing.table, tuple(to.get(player, player) for player in pairing.players))
        for pairing in draft.pairings
    )
    byes = tuple(Bye(to.get(bye.player, bye.player), "bye", ()) for bye in draft.byes)
    return Draft("by_hand", "1", pairings, byes)


def in_bracket(organiser: Organiser, round_: int) -> list[set[int | None]]:
    slots = show_bracket(organiser.history())
    return [{*slot.players} for slot in slots if slot.round == round_]


def test_players_who_were_moved_in_the_draft_go_on_from_where_they_play() -> None:
    """Of 0-3 and 1-2 are made 1-3 and 0-2; then the winners meet, and the losers are out."""
    organiser = Organiser(4, CUP)
    organiser.draw("stage 1")
    by_hand = moved(organiser, 0, 1)
    check_by_hand(organiser.history(), by_hand)
    organiser.publish(by_hand=by_hand)
    assert in_bracket(organiser, 1) == [{1, 3}, {0, 2}]
    settle(organiser, p1_p3=won_by(1), p0_p2=won_by(0))
    organiser.publish()
    assert in_bracket(organiser, 2) == [{3, 0}]
    settle(organiser, p0_p3=won_by(0))
    assert places(organiser) == [[3], [0], [1, 2]]


@pytest.mark.parametrize(("players", "matches"), [(2, 0), (3, 1), (4, 1), (5, 1)])
def test_a_match_about_the_third_place_takes_two_semifinals(players: int, matches: int) -> None:
    slots = bracket_of(players, third_place=True)
    assert [slot.round for slot in slots].count(0) == matches


def test_a_bracket_shows_who_waits_for_an_opponent() -> None:
    organiser = cup(4)
    first, _ = organiser.running()
    organiser.settle(first, won_by(0))
    assert in_bracket(organiser, 2) == [{0, None}]


def test_a_bye_that_was_moved_is_whose_it_is_now() -> None:
    """Of seven the first seed has the bye, and gives it to the last."""
    organiser = Organiser(7, CUP)
    organiser.draw("stage 1")
    organiser.publish(by_hand=moved(organiser, 0, 6))
    assert in_bracket(organiser, 1) == [{6, None}, {3, 4}, {1, 0}, {2, 5}]
    settle(organiser, p0_p1=won_by(1), p2_p5=won_by(0), p3_p4=won_by(0))
    assert {*organiser.draft().pairings[0].players} == {6, 3}
    assert {*organiser.draft().pairings[1].players} == {0, 2}


def test_who_plays_in_the_place_of_one_who_had_won_goes_on_there() -> None:
    """3 has lost to 0, who leaves and is out where 3 plays on."""
    organiser = cup(4)
    settle(organiser, p0_p3=won_by(0), p1_p2=won_by(0))
    leave(organiser, 0)
    again = Draft("by_hand", "1", (Pairing(1, (3, 1)),))
    check_by_hand(organiser.history(), again)
    organiser.publish(by_hand=again)
    settle(organiser, p1_p3=won_by(0))
    assert places(organiser) == [[3], [0, 1], [2]]


SIZES = st.integers(2, 17), st.sampled_from([1, 2]), st.booleans(), st.integers(0, 2**32)


@given(*SIZES)
def test_whoever_is_moved_in_any_round_the_bracket_follows(
    players: int, losses: Literal[1, 2], third: bool, seed: int
) -> None:
    """Two players change places in every round: it has a slot for each pair, pairs those who have
    won, and gives the places that an independent program finds in it."""
    rng, stage = Random(seed), replace(CUP, losses=losses, third_place=third)
    organiser = Organiser(players, stage, rng=rng)
    organiser.draw("stage 1")
    left = set(range(players))
    while draft := next_draft(organiser):
        named = [player for one in draft.pairings for player in one.players]
        named += [bye.player for bye in draft.byes]
        if losses == 1 and not third:
            assert left.issuperset(named)
        by_hand = moved(organiser, *rng.sample(named, 2))
        check_by_hand(organiser.history(), by_hand)
        organiser.publish(by_hand=by_hand)
        pairs = {frozenset(table.players) for table in by_hand.pairings}
        assert pairs <= {frozenset(slot.players) for slot in show_bracket(organiser.history())}
        for match in organiser.running():
            winner = rng.randrange(2)
            left.discard(organiser.state.matches[match].players[1 - winner])
            organiser.settle(match, won_by(winner))
    bracket = json.loads(msgspec.json.encode(show_bracket(organiser.history())))
    again = knockout.places({"entrants": range(players), "losses": losses}, bracket)
    assert places(organiser) == [
        sorted(player for player in again if again[player] == place)
        for place in sorted({*again.values()})
    ]


def next_draft(organiser: Organiser) -> Draft | None:
    try:
        return organiser.draft()
    except Refused:
        return None
