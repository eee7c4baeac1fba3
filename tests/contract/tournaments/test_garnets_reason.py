"""The reason of garnets that are given by hand: the player can read it."""

import pytest

from domain.tournament.decide import PostGarnets
from tests.support.http.match_play import assert_problem
from tests.support.http.tournament_client import LiveCup
from tests.support.tables.tournament_fold import CUP, after, refusal


@pytest.mark.parametrize("reason", ["\n", "a\tb", "\x00", "\u200b", "a\u202eb", "\u2028"])
def test_a_reason_is_printable(spring: LiveCup, reason: str) -> None:
    before = spring.ledger().content
    answer = spring.post("garnets", {"player": 0, "amount": 1, "reason": reason})
    assert_problem(answer, 422, "garnets_not_allowed")
    assert spring.ledger().content == before
    assert refusal(after(CUP), PostGarnets(0, 1, reason)) == "garnets_not_allowed"


@pytest.mark.parametrize("reason", ["", "x" * 201])
def test_a_reason_is_1_to_200_characters(spring: LiveCup, reason: str) -> None:
    answer = spring.post("garnets", {"player": 0, "amount": 1, "reason": reason})
    assert_problem(answer, 400, "wrong_shape")
    assert refusal(after(CUP), PostGarnets(0, 1, reason)) == "garnets_not_allowed"


@pytest.mark.parametrize("reason", ["x", "🎲" * 200, "erster Preis, 第一"])
def test_a_reason_is_shown_as_it_was_written(spring: LiveCup, reason: str) -> None:
    answer = spring.post("garnets", {"player": 0, "amount": 1, "reason": reason})
    assert answer.status_code == 201
    assert spring.ledger(spring.player(0)).json()["postings"][-1]["reason"] == reason
