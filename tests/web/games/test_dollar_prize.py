"""Dollar Prize in JavaScript judges every match as the rules in Python do."""

from typing import get_args

import pytest

from domain.events import stored_name
from domain.games.dollar_prize.rules import GAME
from tests.web.games.judging import Told, by_luck, codes, from_the_record, judged, kinds


@pytest.fixture(scope="module")
def matches() -> list[Told]:
    """Played by luck, with what no seat can have sent among the things tried."""
    return by_luck(GAME, malformed=0.2)


def test_it_says_of_itself_what_the_rules_in_python_say() -> None:
    verdict = judged(GAME, from_the_record(GAME))
    assert (verdict.id, verdict.rules_version) == (GAME.id, GAME.rules_version)
    assert verdict.seats == (GAME.seats[0], GAME.seats[-1])
    assert not verdict.hides_draws


def test_recorded_matches_come_out_the_same() -> None:
    recorded = from_the_record(GAME)
    verdict = judged(GAME, recorded)
    assert not verdict.differences, str(verdict.differences[0])
    assert verdict.counts.matches == len(recorded) >= 2


def test_matches_played_by_luck_come_out_the_same(matches: list[Told]) -> None:
    """At every step: the events or the refusal, what is awaited, the result, and what would
    follow from other actions, flips and deadlines."""
    verdict = judged(GAME, matches)
    assert not verdict.differences, str(verdict.differences[0])
    assert verdict.counts.steps == sum(len(match.steps) for match in matches)
    assert verdict.counts.tries == sum(len(step.tries) for m in matches for step in m.steps)


def test_everything_that_can_happen_happens_in_these_matches(matches: list[Told]) -> None:
    """Else a difference could hide where nobody looked."""
    assert kinds(matches) == {stored_name(kind) for kind in get_args(GAME.Event)}
    assert codes(matches) == set(GAME.codes) - {"options_not_allowed"}
    played = [match.options for match in matches]
    assert {options["first_player"] for options in played} == {0, 1}
    assert {options["tie_reflips"] for options in played} >= {0, 1, 2}
    assert {options["down_conversion"] for options in played} == {"any", "listed"}
    assert {options["turn_seconds"] is None for options in played} == {True, False}
