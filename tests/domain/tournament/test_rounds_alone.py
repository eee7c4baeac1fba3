"""What goes on by itself in a stage (/docs/tournaments#stages-and-rounds)."""

import pytest

from domain.game import Refused
from domain.tournament.competition import stage_of
from domain.tournament.open_stages import next_after, to_start
from domain.tournament.stage_commands import SayReady
from domain.tournament.stage_events import PlayerReady
from domain.tournament.stages import RoundRule, Stage, StageMatch
from domain.tournament.state import standing_of
from tests.domain.tournament.stage_play import Organiser

MATCH = StageMatch("dollar-prize")


def published(rule: RoundRule) -> Organiser:
    one = Organiser(2, Stage("S", "swiss", MATCH, rounds=1, round=rule))
    one.publish(1)
    one.create()
    return one


def starts(one: Organiser) -> list[str]:
    return to_start(standing_of(one.state))


@pytest.mark.parametrize(("start", "alone"), [("by_hand", False), ("at_once", True)])
def test_a_match_starts_as_it_is_created_where_the_stage_says_so(start: str, alone: bool) -> None:
    one = published(RoundRule(start))  # type: ignore[arg-type]  # one of them
    assert starts(one) == (one.running() if alone else [])


def test_a_match_starts_when_all_of_its_players_are_ready_and_each_says_so_once() -> None:
    one = published(RoundRule("ready"))
    (match,) = one.running()
    assert one.do(SayReady(match, 1)) == [PlayerReady(match, 1)]
    assert one.do(SayReady(match, 1)) == [] and starts(one) == []
    one.do(SayReady(match, 0))
    assert starts(one) == [match]
    one.play()
    assert starts(one) == []
    with pytest.raises(Refused, match="not_started_by_players"):
        one.do(SayReady(match, 0))


def test_players_start_no_match_that_staff_start() -> None:
    one = published(RoundRule())
    with pytest.raises(Refused, match="not_started_by_players"):
        one.do(SayReady(one.running()[0], 0))


def test_the_next_round_is_due_only_after_one_that_was_closed() -> None:
    one = published(RoundRule(next=30))
    assert next_after(stage_of(one.state.competition, 1)) is None
    one.play()
    assert next_after(stage_of(one.state.competition, 1)) == 30
    by_hand = published(RoundRule())
    by_hand.play()
    assert next_after(stage_of(by_hand.state.competition, 1)) is None
