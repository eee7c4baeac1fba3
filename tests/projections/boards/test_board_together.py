"""Together We Survive, field by field, as each audience sees it."""

from random import Random

from domain.games.together.actions import GiveTokenOfLife, Vote
from domain.games.together.events import RoundCounted
from domain.games.together.options import Options
from domain.games.together.rules import GAME
from domain.match.commands import PassDeadline
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER
from tests.support.instants import NOON, SECOND
from tests.support.tables.directing import enter_draw
from tests.support.tables.together_boards import closed, seen, shows, started
from tests.support.tables.together_tables import a, b
from tests.support.worlds import world

# A match, step by step.


def test_the_end_shows_tokens_of_group_b_winners_and_losers() -> None:
    table = closed(started("AABBB"), ((0, a(1)), (1, b(2, 2, 3))))
    ended = {
        "phase": "token_of_life",
        "b_tokens": [None, None, 3, 2, 1],
        "winners": {"A": [0], "B": [3]},
        "losers": {"A": [1], "B": [2]},
        "tokens_of_life": [2, 0, 0, 2, 0],
        "candidates": None,
        "garnets_awarded": None,
    }
    for viewer in (PUBLIC_VIEWER, 0, 4, MODERATOR):
        shows(table, viewer, **ended)
    table.accepted(0, GiveTokenOfLife(4))
    shows(table, "public", phase="token_of_life", tokens_of_life=[1, 0, 0, 2, 1])
    closed(table)
    shows(
        table,
        "public",
        phase="over",
        deadline=None,
        tokens_of_life=[1, 0, 0, 1, 1],
        candidates={"A": 1, "B": 2},
        garnets_awarded=[1, 0, 0, 0, 0],
    )


def test_candidates_are_named_at_the_very_end() -> None:
    """No one sees who is ahead after a vote, nor that one group is settled."""
    table = started("AAAABBBB")
    closed(table, ((0, a(2, 3)),))
    closed(table, ((0, a(0, at=2)), (1, a(1, at=2))))
    shows(table, "public", phase="vote", winners={"A": [0, 1], "B": []}, candidates=None)
    closed(table, ((0, Vote(1, 2)), (4, Vote(1, 4)), (5, Vote(1, 5))))
    shows(table, "public", phase="vote", candidates=None)
    closed(table)
    assert table.draw is not None
    assert table.draw.id == "ec/B"
    for viewer in ("public", 0, 4):
        shows(table, viewer, phase="vote", candidates=None)
    table.when(enter_draw("ec/B", ((5, 4),)))
    shows(table, "public", phase="over", candidates={"A": 2, "B": 5})


# The deadline.


def test_the_deadline_is_an_instant_if_the_clock_runs() -> None:
    table = started(clock="rules", all_tied="none_out")
    shows(table, "public", deadline="2026-01-03T14:00:00Z")
    table.pause()
    shows(table, "public", deadline=None)
    table.resume(NOON + SECOND)
    shows(table, "public", deadline="2026-01-03T14:00:01Z")
    table.when(PassDeadline(), table.due)
    shows(table, "public", deadline="2026-01-04T14:00:00Z")


def test_every_view_agrees_with_the_match() -> None:
    rng = Random(5)
    for seats in (4, 9):
        table = world(GAME, Options(garnets=(1,) * seats), seats, rng, 200, lateness=0.1)
        state = table.match.game
        moderator = seen(table, MODERATOR)
        assert tuple(moderator["tokens_by_seat"]) == state.tokens
        assert tuple(moderator["garnets_by_seat"]) == state.garnets
        assert moderator["round"] == state.round
        on_stage = [n for n, status in enumerate(moderator["stage"]) if status == "on_stage"]
        assert tuple(on_stage) == state.stage
        for seat in range(seats):
            shows(table, seat, tokens=state.tokens[seat], garnets=state.garnets[seat])
        rounds = [e for e in table.events if isinstance(e, RoundCounted)]
        assert len(moderator["votes"]) >= len(rounds)
