"""Together We Survive in the terminal: every audience's match can be drawn."""

from io import StringIO
from typing import Any

import msgspec
import pytest
from rich.console import Console

from projections.audience import AudienceState, see_all
from projections.boards.together import BOARDS, Board
from projections.disclosure import Viewer, may_see
from service.cli.boards.together import draw
from tests.support.cli.together_bots import played
from tests.support.tables.match_table import MatchTable

NAMES = ("Ann", "[bold]Ben", "C" * 64, "Dée", *(f"Player {n}" for n in range(4, 32)))
AUDIENCES: tuple[Viewer, ...] = ("public", 0, 3, "moderator")


def text(view: Any, seats: int = 32) -> str:
    console = Console(record=True, width=80, file=StringIO())
    console.print(draw(view, NAMES[:seats]))
    return console.export_text()


def wire(table: MatchTable, viewer: Viewer) -> Any:
    board = see_all(AudienceState(viewer), table.records).board
    return msgspec.json.decode(msgspec.json.encode(board))


@pytest.mark.parametrize("viewer", AUDIENCES)
@pytest.mark.parametrize("phases", [0, 1, 3, 100])
@pytest.mark.parametrize("seats", [4, 16, 32])
def test_every_position_of_every_audience_fits_into_80_columns(
    viewer: Viewer, phases: int, seats: int
) -> None:
    drawn = text(wire(played(7, seats, phases), viewer), seats)
    assert "Together We Survive · round" in drawn
    assert "Ann" in drawn
    assert "[bold]Ben" in drawn
    assert max(map(len, drawn.splitlines())) <= 80


def test_every_prefix_of_a_match_can_be_drawn() -> None:
    table = played(3, 5, 100)
    for viewer in AUDIENCES:
        board = BOARDS.initial(table.options, 5, viewer)
        for record in table.records:
            if may_see(viewer, record.event):
                board = BOARDS.evolve(board, record.event, viewer, record.at)
                text(msgspec.json.decode(msgspec.json.encode(board)), 5)


@pytest.mark.parametrize("view", [None, {}, dict.fromkeys(Board.__struct_fields__)])
def test_absent_and_null_fields_leave_places_empty(view: Any) -> None:
    assert "on stage" in text(view)


def test_submissions_are_drawn_for_their_seat_only() -> None:
    table = played(7, 6, 1)
    assert "Own" in text(wire(table, 0), 6)
    assert "▶" not in text(wire(table, "public"), 6)
    assert "Own" not in text(wire(table, "moderator"), 6)


def submitted(body: dict[str, Any], status: str = "valid", code: str | None = None) -> str:
    view = wire(played(7, 6, 0), 0)
    said = {"at": "2026-01-02T03:04:05Z", "body": body, "status": status, "code": code}
    view["submissions"] = [said]
    view["standing"] = said if status == "valid" else None
    return text(view, 6)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"type": "submit", "a": [0, 1, 0], "b": None}, "A for Ann x2, [bold]Ben"),
        ({"type": "submit", "a": None, "b": [4, 4, 5]}, "B for Player 4 x2, Player 5"),
        ({"type": "submit", "a": None, "b": None, "pay_garnet": True}, "withdrawn"),
        ({"type": "submit", "a": [], "b": None}, "A for nobody"),
        ({"type": "vote", "for": 3}, "votes for Dée"),
        ({"type": "submit", "a": [99], "b": None}, "A for seat 99"),
    ],
)
def test_a_submission_is_shown_in_words(body: dict[str, Any], said: str) -> None:
    drawn = submitted(body)
    assert said in drawn
    assert "▶" in drawn
    assert "2026-01-02 03:04" in drawn


def test_both_types_are_shown_with_their_price() -> None:
    drawn = submitted({"type": "submit", "a": [0], "b": [4, 4, 4], "pay_garnet": True})
    assert "A for Ann; B for Player 4 x3;" in drawn
    assert "pays a garnet" in drawn


def test_a_submission_that_does_not_count_is_shown_with_its_code() -> None:
    drawn = submitted({"type": "submit", "a": [0], "b": None}, "invalid", "not_on_stage")
    assert "(not_on_stage)" in drawn
    assert "▶" not in drawn


def test_the_end_names_winners_losers_and_candidates() -> None:
    table = played(7, 8, 100)
    drawn = text(wire(table, "public"), 8)
    for label in ("winners", "losers", "candidates", "garnets", "over"):
        assert label in drawn


def test_a_moderator_sees_everybodys_tokens_and_garnets() -> None:
    table = played(7, 6, 2)
    contents = table.match.game.tokens
    drawn = text(wire(table, "moderator"), 6)
    assert all(f"{tokens}●" in drawn for tokens in contents)
    assert "●" in text(wire(table, "public"), 6)
    assert not any(f"{tokens}●" in text(wire(table, "public"), 6) for tokens in contents)
