"""What holds for the boards of every game at every step, and those of Together We Survive."""

from collections.abc import Mapping
from itertools import chain
from random import Random
from typing import Any

import msgspec
import pytest

from domain.games import GAMES
from domain.games.together.actions import GiveTokenOfLife, Submit, Vote
from domain.games.together.events import RoundCounted, SubmissionMade
from domain.games.together.options import Options
from domain.games.together.rules import GAME
from domain.match.commands import PassDeadline
from domain.match.events import ActionReceived, ActionRefused, MatchStarted
from projections.audience.board import Boards
from projections.audience.disclosure import MODERATOR, PUBLIC_VIEWER, Viewer
from projections.audience.view import AudienceState, see_all
from projections.boards import BOARDS
from projections.boards.together import show
from tests.support.game_support import Shown
from tests.support.games import SUPPORT
from tests.support.instants import NOON, SECOND
from tests.support.tables.directing import START, enter_draw
from tests.support.tables.game_strategies import as_sent, sizes, step
from tests.support.tables.match_table import seated
from tests.support.tables.together_tables import a, b, closed, seen, shows, started
from tests.support.worlds import world

MOST_STEPS = 150


def at_first(name: str, variant: Mapping[str, Any]) -> Shown:
    """The fields that the boards begin with in a variant."""
    game, boards = GAMES[name], BOARDS[name]
    options, seats = msgspec.convert(variant, game.Options), game.seats[0]
    viewers: tuple[Viewer, ...] = (PUBLIC_VIEWER, 0, MODERATOR)
    views = [
        msgspec.to_builtins(boards.show(boards.initial(options, seats, viewer)))
        for viewer in viewers
    ]
    public, *others = views
    own = [" ".join(field for field in view if field not in public) for view in others]
    return Shown(dict(variant), " ".join(public), *own)


SHOWN = {
    name: support.shown or [at_first(name, variant) for variant in GAMES[name].variants]
    for name, support in SUPPORT.items()
}
EVERY_BOARD = pytest.mark.parametrize(
    ("name", "shown"), [(name, shown) for name, listed in SHOWN.items() for shown in listed]
)


@EVERY_BOARD
def test_an_audience_has_its_fields_and_the_public_ones_are_the_same_for_all(
    name: str, shown: Shown
) -> None:
    """So what is hidden moves nothing but the fields of those who may see it."""
    game, rng = GAMES[name], Random(7)
    options = msgspec.convert(shown.options, game.Options)
    public = shown.to(PUBLIC_VIEWER)
    for seats in sizes(game):
        table = seated(game, seats, options).when(START)
        states = {v: AudienceState(v) for v in (PUBLIC_VIEWER, MODERATOR, *range(seats))}
        seen = 0
        for _ in range(MOST_STEPS):
            for record in table.records[seen:]:
                states = {viewer: see_all(state, [record]) for viewer, state in states.items()}
                boards = {
                    v: msgspec.to_builtins(BOARDS[name].show(s.board))
                    for v, s in states.items()
                    if s.board
                }
                for viewer, board in boards.items():
                    assert set(board) == set(shown.to(viewer))
                    assert [board[field] for field in public] == [
                        boards[PUBLIC_VIEWER][field] for field in public
                    ]
            assert boards.keys() == states.keys()
            seen = len(table.records)
            if table.match.status == "running":
                step(table, rng)


@pytest.mark.parametrize("game", GAMES)
def test_the_view_can_be_described(game: str) -> None:
    described = msgspec.json.schema(BOARDS[game].view)["$defs"]["Board"]["properties"]
    viewers: tuple[Viewer, ...] = (PUBLIC_VIEWER, 0, MODERATOR)
    shown = set(chain(*(one.to(viewer) for one in SHOWN[game] for viewer in viewers)))
    assert shown == set(described) if SUPPORT[game].shown else shown <= set(described)


@EVERY_BOARD
@pytest.mark.parametrize("viewer", [PUBLIC_VIEWER, 0, MODERATOR])
def test_events_that_do_not_concern_the_table_change_nothing(
    name: str, shown: Shown, viewer: Viewer
) -> None:
    game, boards = GAMES[name], BOARDS[name]
    seats = game.seats[0]
    board = boards.initial(msgspec.convert(shown.options, game.Options), seats, viewer)
    for event in (MatchStarted(), ActionRefused(0, "not_your_turn")):
        assert boards.evolve(board, event, viewer, 0) is board


class Counting(msgspec.Struct, frozen=True):
    """A state that holds nothing to hide."""

    events: int


def test_a_state_is_its_own_view_unless_it_says_how_it_is_shown() -> None:
    plain = Boards(Counting, lambda *_: Counting(0), lambda state, *_: Counting(state.events + 1))
    assert plain.show(Counting(3)) == Counting(3)


# Together We Survive, field by field, as each audience sees it.


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


# Own submissions in Together We Survive, as their seat sees them: when, what, and what counts.

AT = "2026-01-01T12:00:00Z"


def entry(body: Submit | Vote, status: str, code: str | None = None, at: str = AT) -> Any:
    return {"at": at, "body": as_sent(body), "status": status, "code": code}


def test_before_its_verdict_a_submission_is_not_shown() -> None:
    """Also the number between what was received and its verdict has a view."""
    table = started().act(0, a(1))
    *before, made = table.records
    assert isinstance(made.event, SubmissionMade)
    assert isinstance(before[-1].event, ActionReceived)
    heard = see_all(AudienceState(0), before)
    earlier = see_all(AudienceState(0), before[:-1])
    assert heard.seq == earlier.seq + 1
    assert msgspec.json.encode(show(heard.board)) == msgspec.json.encode(show(earlier.board))


# However many there are.


def test_the_latest_20_are_shown_and_before_them_the_one_that_counts() -> None:
    table = started().act(0, a(1))
    for _ in range(25):
        table.act(0, a(9))
    said = [entry(a(1), "valid"), *[entry(a(9), "invalid", "not_on_stage")] * 20]
    shows(table, 0, submissions=said, standing=said[0])
    table.act(0, a(2))
    rest = [entry(a(9), "invalid", "not_on_stage")] * 19
    shows(table, 0, submissions=[*rest, entry(a(2), "valid")], standing=entry(a(2), "valid"))


def test_no_view_grows_with_the_number_of_submissions() -> None:
    few, many = started(), started()
    for table, number in ((few, 21), (many, 350)):
        for _ in range(number):
            table.act(0, a(1, 1)).act(1, a(9))
    for viewer in (PUBLIC_VIEWER, MODERATOR, 0, 1, 2):
        sizes = [len(msgspec.json.encode(seen(table, viewer))) for table in (few, many)]
        assert sizes[0] == sizes[1] < 10_000, viewer


def test_folding_a_submission_copies_no_more_than_what_is_shown() -> None:
    table = started()
    for _ in range(350):
        table.act(0, a(1))
    state = see_all(AudienceState(0), table.records).board
    assert (len(state.before), state.after) == (20, ())
